"""Compare our text of values with GDB's, for random types of C and C++ with random bytes.

`tools/differential_values.py --seconds 600 --seed 1` builds a program of forty types for each of
the seeds 1, 2, 3 …, in C and C++ by turns, and prints each difference. Needs gcc, g++ and gdb. Exit
status 1 if there was a difference.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.view.value_differential import differences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, help="run N seeds instead")
    parser.add_argument("--show", type=int, default=10, help="print N differences")
    parser.add_argument("--gcc", default="gcc")
    parser.add_argument("--gxx", default="g++")
    parser.add_argument("--gdb", default="gdb")
    args = parser.parse_args()
    start = time.monotonic()
    compared = different = 0
    seed = args.seed
    while (
        seed - args.seed < args.count
        if args.count is not None
        else time.monotonic() - start < args.seconds
    ):
        cplusplus = seed % 2 == 0
        with tempfile.TemporaryDirectory() as folder:
            compiler = args.gxx if cplusplus else args.gcc
            count, result = differences(seed, cplusplus, Path(folder), compiler, args.gdb)
        compared += count
        for item in result:
            different += 1
            if different <= args.show:
                print(f"seed {seed}: {item}", flush=True)
        seed += 1
    spent = time.monotonic() - start
    programs = seed - args.seed
    print(f"{programs} programs, {compared} texts, {spent:.0f} seconds, {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
