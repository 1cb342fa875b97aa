"""Compare every variable of every frame with GDB, in programs built in many ways.

    tools/gdb_differential.py [--seed N] [--stops N] [--only NAME] [--full] [--python P] [--write]

Builds the sources of fixtures/native with gcc and clang, stops them at places chosen by the seed,
and lets GDB and dwarfgpu, in the same GDB, read all frames and variables. Differences that no rule
of `dwarfgpu compare` explains are printed, and are the exit status. `--python` adds a Python with
debug information that runs threads. `--write` puts the figures into docs/gdb-differential.md.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dwarfgpu.base.records import field, frozen

ROOT = Path(__file__).resolve().parents[1]
NATIVE = ROOT / "fixtures/native"
INSIDE = Path(__file__).with_name("gdb_differential_inside.py")
REPORT = ROOT / "docs/gdb-differential.md"
BEGIN, END = "<!-- figures -->\n", "<!-- end -->\n"
SETTINGS = (
    "set width 0", "set height 0", "set confirm off", "set debuginfod enabled off",
    "set breakpoint pending off",
)  # fmt: skip
PROGRAMS = ("values.c", "moved.c", "unwound.c", "threads.c", "classes.cpp", "thrown.cpp")
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang-19", "clang++-19")}
LEVELS = ("O0", "O1", "O2", "O3", "Og")
VARIANTS = tuple(
    itertools.product((5, 4), ("pie", "no-pie"), ("no-frame-pointer", "frame-pointer"))
)


@frozen
class Build:
    """One program, built in one way."""

    source: str
    compiler: str
    level: str
    dwarf: int
    pie: str
    frame_pointer: str

    @property
    def name(self) -> str:
        return ".".join(
            (self.source, self.compiler, self.level, f"v{self.dwarf}", self.pie, self.frame_pointer)
        )

    def command(self, program: Path) -> list[str]:
        is_cplusplus = self.source.endswith(".cpp")
        flags = [COMPILERS[self.compiler][is_cplusplus], f"-{self.level}", f"-gdwarf-{self.dwarf}"]
        flags += ["-g", "-w", "-pthread", "-std=c++20" if is_cplusplus else "-std=gnu11"]
        flags += ["-fPIE", "-pie"] if self.pie == "pie" else ["-fno-pie", "-no-pie"]
        keeps = self.frame_pointer == "frame-pointer"
        flags.append("-fno-omit-frame-pointer" if keeps else "-fomit-frame-pointer")
        return [*flags, str(NATIVE / self.source), "-o", str(program), "-lm"]


@frozen
class Found:
    """What the comparison of some builds found."""

    counts: Counter[str] = field(factory=Counter)
    reasons: Counter[str] = field(factory=Counter)
    examples: dict[str, list[str]] = field(factory=dict)
    unexplained: list[str] = field(factory=list)
    groups: dict[str, Counter[str]] = field(factory=dict)
    """By source and compiler."""

    def add(self, name: str, group: str, report: dict[str, Any]) -> None:
        counts = Counter(report["counts"])
        counts["builds"] += 1
        counts["unexplained"] += len(report["unexplained"])
        self.counts.update(counts)
        self.groups.setdefault(group, Counter()).update(counts)
        self.reasons.update(report["reasons"])
        for reason, texts in report["examples"].items():
            self.examples.setdefault(reason, []).extend(f"{name}: {text}" for text in texts)
        self.unexplained.extend(f"{name}: {item}" for item in report["unexplained"])


def builds(*, full: bool) -> Iterator[Build]:
    """Every program, compiler and level; the other choices in turn, or all of them."""
    for number, (source, compiler, level) in enumerate(
        itertools.product(PROGRAMS, COMPILERS, LEVELS)
    ):
        # 5 levels and 8 variants have no common divisor: each level gets every variant.
        some = VARIANTS if full else [VARIANTS[number % len(VARIANTS)]]
        for variant in some:
            yield Build(source, compiler, level, *variant)


@cache
def sourced() -> str:
    """What GDB sources to know dwarfgpu and the packages of the Python that runs this."""
    command = [sys.executable, "-m", "dwarfgpu", "gdb-path"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise SystemExit(f"dwarfgpu gdb-path fails: {done.stderr.strip()}")
    return done.stdout.strip()


def inside(gdb: str, commands: Sequence[str], program: Path, *options: str) -> dict[str, Any]:
    """What the comparison inside GDB reports."""
    source = (f"source {sourced()}", f"source {INSIDE}")
    lines = [piece for setting in (*SETTINGS, *source, *commands) for piece in ("-ex", setting)]
    done = subprocess.run(
        [gdb, "-nx", "-q", "-batch", *lines, *options, str(program)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    match = re.search(r"^@@(.*)$", done.stdout, re.MULTILINE)
    if match is None:
        raise SystemExit(
            f"{program}: GDB reports nothing\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
        )
    report: dict[str, Any] = json.loads(match[1])
    return report


def compared(gdb: str, build: Build, folder: Path, seed: int, stops: int) -> dict[str, Any]:
    """One build, compared at that many places."""
    program = folder / build.name
    subprocess.run(build.command(program), check=True)
    walk = f"python Walk({seed}).walk({build.source!r}, {stops}).report()"
    return inside(gdb, [walk], program)


def compared_python(gdb: str, python: Path, seed: int, stops: int) -> dict[str, Any]:
    """A Python that runs four threads, all of them compared at each stop."""
    commands = [
        "break list_sort_impl",
        "ignore 1 300",
        f"run {NATIVE / 'python_threads.py'}",
        "delete",
        f"python Walk({seed}).run({stops}, 1, 3000).report()",
    ]
    return inside(gdb, commands, python)


def table(found: Found) -> list[str]:
    """The figures for people: what was compared by build, and what differs for which reason."""
    lines = ["| | stops | threads | frames | facts | variables | bits | agree | explained | not |"]
    lines.append("|---|---|---|---|---|---|---|---|---|---|")
    names = ("stops", "threads", "frames", "facts", "variables", "bits", "same", "explained")
    for name, counts in (*sorted(found.groups.items()), ("all", found.counts)):
        cells = [f"{counts[name]:,}" for name in names]
        lines.append(f"| {name} | {' | '.join(cells)} | {counts['unexplained']:,} |")
    lines += ["", "| explained | reason |", "|---|---|"]
    lines += [f"| {count:,} | {reason} |" for reason, count in found.reasons.most_common()]
    return lines


def write(found: Found, command: str) -> None:
    """Put the figures between the marks of the document."""
    before, begin, rest = REPORT.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    counts = found.counts
    head = (
        f"`{command}`: {counts['builds']} programs; {counts['inlined frames']:,} inlined frames, "
        f"{counts['signal frames']:,} signal frames, {counts['outer']:,} variables in outer "
        f"frames, {counts['optimized out']:,} optimized out for both; tail-call frames "
        f"that only dwarfgpu has: {counts['tail calls only here']:,}, that only GDB has: "
        f"{counts['tail calls only in GDB']:,}."
    )
    text = "\n".join(["", head, "", *table(found), ""])
    REPORT.write_text(f"{before}{begin}{text}{end}{after}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stops", type=int, default=20, help="of each build")
    parser.add_argument("--only", default="", help="builds whose names hold this")
    parser.add_argument("--full", action="store_true", help="every combination of all choices")
    parser.add_argument("--examples", type=int, default=0, help="of each explained difference")
    parser.add_argument("--python", type=Path, help="/usr/bin/python3.11d of python3.11-dbg")
    parser.add_argument("--write", action="store_true", help="the document too")
    parser.add_argument("--gdb", default=shutil.which("gdb") or "gdb")
    args = parser.parse_args()
    result = Found()
    with tempfile.TemporaryDirectory() as folder:
        for number, build in enumerate(builds(full=args.full)):
            if args.only not in build.name:
                continue
            report = compared(args.gdb, build, Path(folder), args.seed + number, args.stops)
            result.add(build.name, f"{build.source}, {build.compiler}", report)
            counts = report["counts"]
            print(
                f"{build.name}: {counts['stops']} stops, {counts['frames']} frames, "
                f"{counts['variables']} variables, {counts['same']} the same, "
                f"{sum(report['reasons'].values())} explained, "
                f"{len(report['unexplained'])} not, {report['seconds']:.1f} s",
                file=sys.stderr,
            )
    if args.python is not None:
        report = compared_python(args.gdb, args.python, args.seed, args.stops)
        result.add(args.python.name, f"{args.python.name}, four threads", report)
    if args.write:
        write(result, " ".join(["tools/gdb_differential.py", *sys.argv[1:]]))
    for item in result.unexplained:
        print(item)
    for reason, count in result.reasons.most_common():
        print(f"{count} explained: {reason}")
        for item in result.examples[reason][: args.examples]:
            print(f"    {item}")
    print(dict(result.counts))
    return bool(result.unexplained)


if __name__ == "__main__":
    sys.exit(main())
