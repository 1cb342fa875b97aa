"""Run `dwarfgpu check` over Debian's own files, and class every finding as true or false.

    python tools/check_corpus.py [--seed N] [--count N] [--folder DIR]… [--write]

Half of the files are chosen by the seed among those with debug information, of their own or in a
separate file, the rest among all others, which have `.eh_frame`. With `--write` the report goes to
docs/check-corpus.md. The exit status is 1 where a finding is of no class, or of a false one beyond
what is allowed.
"""

from __future__ import annotations

import argparse
import platform
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from dwarfgpu.base.records import define, field, frozen

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dwarfgpu.check.file import Verdict, verify
from dwarfgpu.check.finding import Finding
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.service.check.report import position_text

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "check-corpus.md"
FOLDERS = ("/usr/bin", "/usr/sbin", "/usr/lib/x86_64-linux-gnu", "/usr/lib/gcc",
           "/usr/lib/debug/.build-id")  # fmt: skip
MAX_FALSE_WARNINGS = 10_000
"""Expressions for each false warning, at least."""


@frozen
class Class:
    """What findings of one kind turned out to be."""

    rule: str
    begins: str
    """How the message begins."""
    is_true: bool
    why: str


CLASSES = (
    Class(
        "stack-underflow",
        "DW_OP_form_tls_address: 1 stack entry needed, the stack has 0",
        True,
        "GCC writes `DW_OP_form_tls_address` (or its GNU form) before the `DW_OP_const8u` with the "
        "offset that it pops, where the address of a thread-local variable is part of a larger "
        "expression. No consumer can evaluate it; the right order stands in other entries of the "
        "same files",
    ),
    Class(
        "mixed-types",
        "DW_OP_and: a value of the generic type and a value of a base type",
        True,
        "GCC describes the mask that an SSE comparison makes as `DW_OP_lt` or `DW_OP_le` of two "
        "numbers of type double, which gives 0 or 1 of the generic type (DWARF 5 2.5.1.5), and "
        "applies it with `DW_OP_and` to a double: neither are the types the same, nor is a double "
        "a number of bits",
    ),
    Class(
        "outside-storage",
        "DW_OP_piece: a part of 128 bits, but register st",
        True,
        "GCC describes the 16 bytes of a long double in an x87 register as one piece. The register "
        "has 80 bits, and all bits of a part are within its storage (A.2.5.4.4.6)",
    ),
)
LESSONS = """\
## What the files taught

Rules that were wrong on such files, and were changed:

- `wide-base-register` was found in `DW_OP_breg17 XMM0` too (24 findings in 970,000 expressions).
  GCC keeps pointers and integers in vector registers of x86-64, and means their low 64 bits. The
  rule is now for GPUs, where a vector register has a value for each lane.
- An unknown operation in the range of vendors is a warning, no error: the vendor that defined it
can read
  it.
- `stack-underflow` was reported for the bounds of a generic subrange (GCC's Fortran, `over` after
  `push_object_address`): they begin with the number of the dimension on the stack (DWARF 5 5.13).
"""


@define
class Total:
    files: int = 0
    debug_files: int = 0
    units: int = 0
    entries: int = 0
    expressions: int = 0
    fdes: int = 0
    seconds: float = 0.0
    skipped: Counter[str] = field(factory=Counter)
    findings: list[tuple[str, Finding]] = field(factory=list)

    def add(self, name: str, verdict: Verdict, seconds: float) -> None:
        self.files += 1
        self.debug_files += bool(verdict.entries)
        self.units += verdict.units
        self.entries += verdict.entries
        self.expressions += verdict.expressions
        self.fdes += verdict.fdes
        self.seconds += seconds
        self.skipped.update(_without_numbers(why) for why in verdict.findings.skipped)
        worse = (finding for finding in verdict.findings.kept if finding.severity != "note")
        self.findings += [(name, item) for item in worse]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--folder", action="append", help=f"default: {' '.join(FOLDERS)}")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    total = Total()
    for path in chosen(arguments.folder or FOLDERS, arguments.seed, arguments.count):
        started = time.process_time()
        try:
            verdict = verify(CodeObject.open(path))
        except DwarfGpuError as error:
            total.skipped[_without_numbers(error.message)] += 1
            continue
        seconds = time.process_time() - started
        total.add(path, verdict, seconds)
        print(f"{seconds:6.1f} s  {verdict.expressions:>7}  {path}", file=sys.stderr)
    report = "\n".join(lines(total, arguments.seed)) + "\n"
    if arguments.write:
        TARGET.write_text(report, encoding="utf-8")
    else:
        print(report)
    classes = [class_of(finding) for _, finding in total.findings]
    return int(None in classes or not is_good(total))


def chosen(folders: Sequence[str], seed: int, count: int) -> Iterator[str]:
    """ELF files by a seed: half of them with debug information, if there are enough."""
    with_debug: list[str] = []
    others: list[str] = []
    described: set[str] = set()
    for path in sorted({path for folder in folders for path in Path(folder).rglob("*")}):
        if path.is_symlink() or not path.is_file() or not _is_elf(path):
            continue
        try:
            info = CodeObject.open(path).info
        except DwarfGpuError:
            continue
        has_debug = info.object.has_section(".debug_info")
        (with_debug if has_debug else others).append(str(path))
        if info.path != str(path):
            described.add(info.path)
    with_debug = [path for path in with_debug if path not in described]
    chance = random.Random(seed)
    chance.shuffle(with_debug)
    chance.shuffle(others)
    half = with_debug[: count // 2]
    yield from half
    yield from others[: count - len(half)]


def _is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def class_of(finding: Finding) -> Class | None:
    for item in CLASSES:
        if finding.rule == item.rule and finding.message.startswith(item.begins):
            return item
    return None


def is_good(total: Total) -> bool:
    """No false error, and few false warnings."""
    false = [
        f for _, f in total.findings if (known := class_of(f)) is not None and not known.is_true
    ]
    if any(finding.severity == "error" for finding in false):
        return False
    return len(false) * MAX_FALSE_WARNINGS <= total.expressions


def lines(total: Total, seed: int) -> Iterator[str]:
    yield "# The check on Debian's files"
    yield ""
    yield (
        "Written by `tools/check_corpus.py --write`: `dwarfgpu check` over files of Debian 12 "
        f"(x86-64), chosen by seed {seed}; every finding that is worse than a note is classed as "
        "true (the file is wrong) or false (the rule is)."
    )
    yield ""
    yield "| | |"
    yield "|---|--:|"
    for name, number in (
        ("files", total.files),
        ("of them with debug information", total.debug_files),
        ("units", total.units),
        ("entries", total.entries),
        ("expressions", total.expressions),
        ("FDEs", total.fdes),
    ):
        yield f"| {name} | {number:,} |"
    yield f"| seconds of CPU time (Python {platform.python_version()}) | {total.seconds:.0f} |"
    yield ""
    yield "| Severity | True | False | Not classed |"
    yield "|---|--:|--:|--:|"
    for severity in ("error", "warning"):
        counts: Counter[bool | None] = Counter()
        for _, finding in total.findings:
            if finding.severity == severity:
                known = class_of(finding)
                counts[None if known is None else known.is_true] += 1
        yield f"| {severity} | {counts[True]} | {counts[False]} | {counts[None]} |"
    yield from _classes(total)
    yield ""
    yield from LESSONS.splitlines()
    if total.skipped:
        yield ""
        yield "Not checked, with the reason:"
        yield ""
        yield from (f"- {count} × {why}" for why, count in total.skipped.most_common(20))


def _classes(total: Total) -> Iterator[str]:
    groups: dict[Class | None, list[tuple[str, Finding]]] = {}
    for name, finding in total.findings:
        groups.setdefault(class_of(finding), []).append((name, finding))
    for known, found in groups.items():
        yield ""
        if known is None:
            yield "## Not classed"
        else:
            yield f"## {known.rule}: {'true' if known.is_true else 'false'}"
            yield ""
            yield f"{known.why}. {len(found)} findings in {len({name for name, _ in found})} files:"
        yield ""
        text: set[tuple[str, ...]] = set()
        for name, finding in found:
            yield f"- `{name}`: {finding.message}; {position_text(finding.position)}"
            steps = () if finding.excerpt is None else finding.excerpt.steps
            if steps and steps not in text:
                text.add(steps)
                yield f"  `{', '.join(steps)}`"


def _without_numbers(text: str) -> str:
    """Messages of one kind as one: without paths and hexadecimal numbers."""
    return " ".join(
        "N" if word.strip(":,").startswith("0x") else word
        for word in text.split()
        if not word.startswith("/")
    )


if __name__ == "__main__":
    raise SystemExit(main())
