#!/usr/bin/env python3
"""Leaves out of a raw export what the reader never looks at, so that the recording stays small.

Usage: trim.py INPUT OUTPUT. Cells are kept as they are; columns are dropped whole.
"""
import csv
import re
import sys

KEPT = re.compile(
    r"^(ID|Process .*|Host Name|Kernel Name|Context|Stream|Block Size|Grid Size|Device|CC)$"
    r"|^(launch__|memory_|derived__(memory|local))"
    r"|^device__attribute_(display_name|compute_capability|max_|multiprocessor|num_schedulers|l2_cache_size)"
    r"|^l1tex__(data_bank_conflicts|data_pipe_lsu_wavefronts|cycles_(active|elapsed))[a-z_]*\.(sum|avg)(\.pct_of_peak_sustained_elapsed)?$"
    r"|^l1tex__t_(requests|sectors)_pipe_lsu_mem_(global|local)_op_(ld|st|red|atom)\.sum$"
    r"|^(l1tex|lts|gpu|gpu__dram|dram)__(dram_)?throughput\.avg\.pct_of_peak_sustained_(active|elapsed)$"
    r"|^gpu__(time_duration\.sum|dram_throughput\.avg.*)$|^dram__bytes_(read|write)\.sum$|^gpc__cycles_elapsed\.avg\.per_second$"
    r"|^sm__(warps_active\.avg\.pct|maximum_warps).*$"
    r"|^smsp__(average_warp|inst_executed(_op_[a-z_]+)?\.sum$|issue_active\.avg\.pct|warps_eligible\.avg|sass_.*shared.*sum$|sass_average_data_bytes|sass_inst_executed_op_(local|global)).*$"
)


def main():
    with open(sys.argv[1], newline="") as source, open(sys.argv[2], "w", newline="") as target:
        rows = csv.reader(source)
        header = next(rows)
        kept = [i for i, name in enumerate(header) if KEPT.match(name)]
        writer = csv.writer(target, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for row in [header, *rows]:
            writer.writerow([row[i] for i in kept])


main()
