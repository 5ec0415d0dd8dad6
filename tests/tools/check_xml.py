#!/usr/bin/env python3
"""Exits 0 if every file given is well-formed XML, 1 with the parser's message otherwise."""
import sys
import xml.etree.ElementTree

for path in sys.argv[1:]:
    try:
        xml.etree.ElementTree.parse(path)
    except xml.etree.ElementTree.ParseError as error:
        sys.exit(f"{path}: {error}")
