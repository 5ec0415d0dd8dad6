#!/usr/bin/env python3
"""Checks JSON reports against the schema, and that the schema knows every key that they have.

Usage: validate_report.py SCHEMA REPORT...   Prints one line for each report that is not valid; exits 1 if there is one,
77 if the Python package jsonschema is not installed (Debian: python3-jsonschema).
"""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def strict(schema):
    """The schema, with every described object closed to other keys."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    if isinstance(closed.get("properties"), dict) and closed.get("type") == "object":
        closed.setdefault("additionalProperties", False)
    return closed


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = strict(json.load(file))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    valid = True
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            error = jsonschema.exceptions.best_match(validator.iter_errors(json.load(file)))
        if error:
            valid = False
            print(f"{path}: /{'/'.join(str(part) for part in error.absolute_path)}: {error.message[:300]}")
    sys.exit(0 if valid else 1)


main()
