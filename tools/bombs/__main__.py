"""Try structural bombs at their full size: small files that ask for much work.

    python -m tools.bombs [NAME]... [--table FILE]

Prints what every command took and said. The status is 1 where one takes more than its bound, or
ends other than by an answer or an error of dwarfgpu. `--table docs/hostile-input.md` writes the
results into that page. `tests/test_bombs.py` replays all of them in small sizes.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Final

from tools.bombs.catalogue import BOMBS
from tools.bombs.measure import Measured, measured
from tools.bombs.model import MEMORY_MEGABYTES, Bomb

HEADER: Final = "| Bomb | Where | What | File, KB | CPU, s | Memory, MB | Ends with |"
_OPTION: Final = re.compile(r"--max-[a-z-]+(?![a-z-]|…|\.\.\.)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of bombs; default: all")
    parser.add_argument("--from", dest="first", metavar="NAME", help="the first of those")
    parser.add_argument("--table", type=Path, metavar="FILE", help="the page with the results")
    arguments = parser.parse_args()
    all_names = [bomb.name for bomb in BOMBS]
    first = all_names.index(arguments.first) if arguments.first else 0
    failed = 0
    for bomb in BOMBS[first:]:
        if arguments.names and bomb.name not in arguments.names:
            continue
        size_bytes, results = measured(bomb, bomb.full)
        failed += _report(bomb, size_bytes, results)
        if arguments.table:
            _write(arguments.table, bomb, _row(bomb, size_bytes, results))
    return 1 if failed else 0


def _report(bomb: Bomb, size_bytes: int, results: list[Measured]) -> int:
    """Print the results of a bomb; how many are beyond its bounds."""
    failed = 0
    print(f"{bomb.name}: {bomb.shape.format(bomb.full)} ({size_bytes >> 10} KB)")
    for result in results:
        problem = _beyond(bomb, result)
        failed += problem is not None
        mark = f" ** {problem}" if problem else ""
        print(
            f"  {result.cpu_seconds:5.1f} s {result.memory_megabytes:5} MB "
            f"{result.status:2} {result.command}: {_last_line(result)[:110]}{mark}",
            flush=True,
        )
    if bomb.says and not any(re.search(bomb.says, result.text) for result in results):
        failed += 1
        print(f"  ** nothing says {bomb.says}")
    return failed


def _beyond(bomb: Bomb, result: Measured) -> str | None:
    """What a command did that it may not do."""
    if result.problem is not None:
        return result.problem
    if result.cpu_seconds > bomb.cpu_seconds:
        return f"more than {bomb.cpu_seconds} s"
    if result.memory_megabytes > MEMORY_MEGABYTES:
        return f"more than {MEMORY_MEGABYTES} MB"
    return None


def _last_line(result: Measured) -> str:
    """The last line that is not empty."""
    lines = [line for line in result.text.splitlines() if line.strip()]
    return lines[-1] if lines else "(nothing)"


def _row(bomb: Bomb, size_bytes: int, results: list[Measured]) -> str:
    """Of the table: the slowest command, the largest one, and the limits that were named."""
    text = "\n".join(result.text for result in results)
    options = sorted(set(_OPTION.findall(text)))
    bound = "a fixed bound" if "LimitExceeded" in text or "at most" in text else "an answer"
    cells = (
        f"`{bomb.name}`",
        bomb.subject,
        bomb.shape.format(f"{bomb.full:,}"),
        f"{size_bytes / 1024:,.0f}",
        f"{max(result.cpu_seconds for result in results):.1f}",
        str(max(result.memory_megabytes for result in results)),
        ", ".join(f"`{option}`" for option in options) or bound,
    )
    return f"| {' | '.join(cells)} |"


def _write(page: Path, bomb: Bomb, row: str) -> None:
    """Put a row into the table of a page, in the order of the bombs."""
    before, _, rest = page.read_text("utf-8").partition(HEADER)
    lines = rest.split("\n")
    end = lines.index("", 1)  # the page has other tables, too
    known = {line.split("`")[1]: line for line in lines[2:end]}
    known[bomb.name] = row
    table = [known[bomb.name] for bomb in BOMBS if bomb.name in known]
    page.write_text("\n".join([before + HEADER, lines[1], *table, *lines[end:]]), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
