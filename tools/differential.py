"""Compare the engine with the plain model of the specification on random expressions.

`tools/differential.py --seconds 600 --seed 1` runs seeds 1, 2, 3 … and prints each difference,
made as small as it gets, then a summary. Exit status 1 if there was a difference.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.model.compare import Comparison, compare, report, shrunk
from tests.model.generator import scenario


def outcome(found: Comparison) -> str:
    if found.plain is None:
        return "open"
    if found.plain.classes:
        return " or ".join(sorted(found.plain.classes))
    if found.plain.value is not None:
        return "value"
    return "location" if found.plain.pointer is None else "implicit pointer value"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, help="run N seeds instead")
    parser.add_argument("--show", type=int, default=10, help="print N differences")
    args = parser.parse_args()
    start = time.monotonic()
    outcomes: Counter[str] = Counter()
    differences = 0
    seed = args.seed
    while True:
        done = seed - args.seed
        if args.count is not None and done >= args.count:
            break
        if args.count is None and time.monotonic() - start > args.seconds:
            break
        text = scenario(seed)
        seed += 1
        changes = compare(text)
        outcomes[outcome(changes)] += 1
        if changes.differ:
            differences += 1
            if differences <= args.show:
                print(report(shrunk(text)), flush=True)
    done = seed - args.seed
    print(f"{done} expressions, {time.monotonic() - start:.0f} seconds, {differences} differences")
    for name, count in outcomes.most_common():
        print(f"  {count / max(done, 1):6.1%}  {name}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
