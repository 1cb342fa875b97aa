"""Compare call frame information with what llvm-dwarfdump and readelf print of it.

`tools/frame_rows.py FILE…` goes through `.debug_frame` and `.eh_frame` of whole files, or of the
files of a Debian package (`--package libc6`): of llvm-dwarfdump every CIE and FDE, its
instructions, and every row; of readelf, which ends an FDE at an instruction of AMD GPUs, the CFA
and the rule of every register in every row of other machines. Rows that begin at or behind the end
of their FDE describe no program location: they are left out. It prints each difference and a
summary. Exit status 1 if there was a difference.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from random import Random
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.entry import Cie, Fde
from dwarfgpu.cfi.frame_entries import SectionKind
from dwarfgpu.cfi.rule import (
    ExpressionCfa,
    ExpressionRule,
    OffsetRule,
    RegisterCfa,
    RegisterRule,
    Row,
    Rule,
    SameValueRule,
    UndefinedRule,
    ValExpressionRule,
    ValOffsetRule,
)
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.cfi.text import program_text, register_name, row_text
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_structures import SHT_NOBITS
from dwarfgpu.objfile.file_architecture import architecture_of
from dwarfgpu.objfile.relocate import relocated_data
from tools.readers import shortest

DUMP: Final = "llvm-dwarfdump-19"
READELF: Final = "readelf"
SECTIONS: Final = ("--debug-frame", "--eh-frame")
INTERPRETED: Final = ("--debug-dump=frames-interp", "--wide")
KINDS: Final[tuple[SectionKind, ...]] = (".debug_frame", ".eh_frame")

Key = tuple[str, int]
"""A section and the offset of an entry in it."""
Table = dict[int, dict[str, str]]
"""The cells of rows by their locations and columns, as readelf names them."""


@frozen
class Totals:
    """What was compared."""

    entries: int = 0
    rows: int = 0
    cells: int = 0
    """Rules of readelf's rows, the CFA's too."""

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.entries + other.entries, self.rows + other.rows, self.cells + other.cells
        )


def has_frames(file: ObjectFile) -> bool:
    return any(_holds(file, kind) for kind in KINDS)


def _holds(file: ObjectFile, kind: SectionKind) -> bool:
    section = file.sections_by_name.get(kind)
    return section is not None and section.type != SHT_NOBITS and section.size_bytes > 0


def sections(file: ObjectFile) -> Iterator[FrameSection]:
    for kind in KINDS:
        if _holds(file, kind):
            yield FrameSection(
                kind,
                relocated_data(file, kind),
                section_address=file.sections_by_name[kind].address,
                address_size=file.address_bytes,
                endian=file.endian,
                architecture=architecture_of(file),
                machine=file.machine,
            )


# llvm-dwarfdump


HEAD = re.compile(r"([0-9a-f]{8}) [0-9a-f]+ [0-9a-f]+ (CIE|FDE)(?:.*pc=(\w+)\.\.\.(\w+))?")
CONTENTS = re.compile(r"(\.debug_frame|\.eh_frame) contents:")
TERM = r"(?:DW_OP_\w+ ?[^:\],]*|<decoding error>[ 0-9a-f]*)"
EXPRESSION = re.compile(f"{TERM}(?:, {TERM})*")
REGISTER = re.compile(r"\breg(\d+)\b")


def ours(entry: Cie | Fde) -> list[str]:
    """An entry in the syntax of llvm-dwarfdump; an expression as its bytes."""
    if isinstance(entry, Cie):
        return [f"CIE {entry.offset:x}", *program_text(entry.program, None, _expression)]
    start = entry.initial_location
    table = entry.table()
    result = [f"FDE {entry.offset:x} {start:x} {entry.end:x}"]
    result += program_text(entry.program, start, _expression)
    arch = entry.cie.format.architecture
    # Of rows that say nothing it prints those that another one follows.
    rows = table.rows[:-1] if table.rows and table.rows[-1].is_empty else table.rows
    result += (row_text(row, arch, _expression) for row in rows)
    if table.error is not None:
        result.append(f"error: {table.error}")
    return result


def _expression(data: bytes) -> str:
    return shortest(data, AMD, UnitFormat()).hex(" ")


class Dumped:
    """The entries that llvm-dwarfdump prints."""

    def __init__(self, dump: str, architecture: Architecture) -> None:
        self._architecture = architecture
        self._known: dict[str, str] = {}
        self.entries: dict[Key, list[str]] = {}
        section, lines = "", [""]
        for line in dump.splitlines():
            if match := CONTENTS.match(line):
                section = match[1]
            elif match := HEAD.match(line):
                lines = self.entries[section, int(match[1], 16)] = [_title(match)]
            else:
                text = line.strip()
                if text.startswith("DW_CFA_") or (text.startswith("0x") and lines[0][0] == "F"):
                    lines.append(text)

    def entry(self, key: Key) -> list[str]:
        """The report of an entry; empty if it does not exist."""
        head, *lines = self.entries.get(key, [""])
        end = int(head.split()[-1], 16) if head else 0
        return [head, *(self._line(line) for line in lines if _location(line) < end)]

    def _line(self, line: str) -> str:
        line = line.replace("_LO16", "")  # LLVM's name of the narrowest view
        line = REGISTER.sub(self._named, line)  # it has no names for those of wave32
        return EXPRESSION.sub(self._assembled, line)

    def _named(self, found: re.Match[str]) -> str:
        return register_name(int(found[1]), self._architecture)

    def _assembled(self, found: re.Match[str]) -> str:
        """The bytes of printed operations; those that cannot be decoded stand there already."""
        text = found[0]
        if text not in self._known:
            known, _, rest = text.partition("<decoding error>")
            known = known.rstrip(", ")
            data = assemble(known, AMD, UnitFormat(), self._architecture) if known else b""
            self._known[text] = (data + bytes.fromhex(rest)).hex(" ")
        return self._known[text]


def _location(line: str) -> int:
    """Where a row begins; -1 for what is not a row."""
    return int(line.partition(":")[0], 16) if line.startswith("0x") else -1


def _title(found: re.Match[str]) -> str:
    numbers = (int(number, 16) for number in (found[1], found[3], found[4]) if number)
    return " ".join([found[2], *(f"{number:x}" for number in numbers)])


# readelf


ENTRY = re.compile(r"([0-9a-f]{8,16}) [0-9a-f]+ [0-9a-f]+ (CIE|FDE) ")
SECTION = re.compile(r"Contents of the (\.debug_frame|\.eh_frame) section")
ROW = re.compile(r"([0-9a-f]{16}) (.+)$")
OTHER_REGISTER = re.compile(r"\b(r\d+) \(\w+\)")
"""Its DWARF number, and its name."""


def tables(dump: str) -> dict[Key, Table]:
    """The rows that readelf prints of each FDE."""
    result: dict[Key, Table] = {}
    section, names, rows = "", [""], Table()
    for line in dump.splitlines():
        if match := SECTION.match(line):
            section = match[1]
        elif match := ENTRY.match(line):
            rows = Table()
            if match[2] == "FDE":
                result[section, int(match[1], 16)] = rows
        elif line.startswith("   LOC"):
            names = line.split()[1:]
        elif match := ROW.match(line):
            shown = OTHER_REGISTER.sub(r"\1", match[2]).split()
            rows[int(match[1], 16)] = dict(zip(names, shown, strict=True))
    return result


def cells(entry: Fde, columns: set[str]) -> Table:
    """Our rows, with the columns that readelf shows, and those that a row mentions."""
    names = {number: _column(entry, number) for number in _registers(entry.cie)}
    numbers = {name: number for number, name in names.items()}
    table = Table()
    for row in entry.table().rows:
        shown = {"CFA": _cfa(row, names)}
        for name in columns - {"CFA"} | {names.get(rule, f"r{rule}") for rule in row.rules}:
            rule = row.rules.get(numbers.get(name, -1))
            shown[name] = _cell(rule)
        table[row.start] = shown
    return table


def _registers(cie: Cie) -> Iterator[int]:
    architecture = cie.format.architecture
    assert architecture is not None
    yield from architecture.registers


def _column(entry: Fde, number: int) -> str:
    architecture = entry.cie.format.architecture
    assert architecture is not None
    is_return = number == entry.cie.return_register
    return "ra" if is_return else architecture.register(number).name


def _cfa(row: Row, names: dict[int, str]) -> str:
    match row.cfa:
        case RegisterCfa(register=register, offset_bytes=offset):
            return f"{names[register]}{offset:+}"
        case ExpressionCfa():
            return "exp"
        case None:
            return "none"


def _cell(rule: Rule | None) -> str:
    match rule:
        case None | UndefinedRule():
            return "u"
        case SameValueRule():
            return "s"
        case OffsetRule(offset_bytes=offset):
            return f"c{offset:+}"
        case ValOffsetRule(offset_bytes=offset):
            return f"v{offset:+}"
        case RegisterRule(register=register):
            return f"r{register}"
        case ExpressionRule():
            return "exp"
        case ValExpressionRule():
            return "vexp"
        case other:
            return other.name


# both


def differences(
    path: Path, most: int | None = None, seed: int = 0, dump: str | None = None
) -> Generator[str, None, Totals]:
    """Each entry that the readers read differently; all entries, or `most` by a seed.

    `dump`: what llvm-dwarfdump prints, where it was asked already. Returns what was compared.
    """
    file = open_object(path)
    text = _said(DUMP, *SECTIONS, str(path)) if dump is None else dump
    dumped = Dumped(text, architecture_of(file))
    # It exits with 1 where a file names separate debug information that is not installed.
    printed = {} if file.machine == "AMDGPU" else tables(_said(READELF, *INTERPRETED, str(path)))
    entries: dict[Key, Cie | Fde] = {}
    for section in sections(file):
        for entry in section.entries:
            if isinstance(entry, Cie | Fde):
                entries[section.kind, entry.offset] = entry
            else:
                yield f"{path}: {entry.error}"
    for key in dumped.entries.keys() - entries.keys():
        yield f"{path}: only {DUMP} has an entry {key[0]} {key[1]:#x}"
    chosen = list(entries)
    if most is not None and most < len(chosen):
        chosen = Random(seed).sample(chosen, most)
    totals = Totals()
    for key in chosen:
        entry = entries[key]
        mine, theirs = ours(entry), dumped.entry(key)
        if mine != theirs:
            yield f"{path} {key[0]}:\n  dwarfgpu {mine}\n  {DUMP} {theirs}"
        table = {at: row for at, row in printed.get(key, {}).items() if at < _end(entry)}
        totals += Totals(1, sum(line[0] == "0" for line in mine), sum(map(len, table.values())))
        if printed and isinstance(entry, Fde):
            yield from _against_readelf(f"{path} {key[0]} {key[1]:#x}", entry, table)
    return totals


def _end(entry: Cie | Fde) -> int:
    return entry.end if isinstance(entry, Fde) else 0


def _against_readelf(where: str, entry: Fde, table: Table) -> Iterator[str]:
    """It prints no rows of an FDE that adds nothing to its CIE."""
    adds = any(instruction.title != "DW_CFA_nop" for instruction in entry.program.instructions)
    if not adds and not table:
        return
    columns = {name for row in table.values() for name in row}
    try:
        mine = cells(entry, columns)
    except DwarfGpuError as error:
        yield f"{where}: {error}"
        return
    if mine != table:
        yield f"{where}:\n  dwarfgpu {mine}\n  {READELF} {table}"


def _said(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return done.stdout


def of_package(package: str) -> list[Path]:
    """The ELF files of an installed Debian package that have call frame information."""
    listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=True)
    result = []
    for path in map(Path, listed.stdout.splitlines()):
        if not path.is_file() or path.is_symlink():
            continue
        with path.open("rb") as stream:
            if stream.read(4) == b"\x7fELF" and has_frames(open_object(path)):
                result.append(path)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--package", action="append", default=[], help="of Debian, installed")
    parser.add_argument("--entries", type=int, help="compare N entries of each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="print N differences of a file")
    args = parser.parse_args()
    files = [*args.files, *(path for number in args.package for path in of_package(number))]
    different, totals, start = 0, Totals(), time.monotonic()
    for path in files:
        comparison, result = differences(path, args.entries, args.seed), 0
        while True:
            try:
                text = next(comparison)
            except StopIteration as done:
                compared: Totals = done.value
                break
            result += 1
            if result <= args.show:
                print(text, flush=True)
        different += result
        totals += compared
        if len(files) <= 20 or result:
            print(f"{path}: {compared.entries:,} entries, {result} differences", flush=True)
    print(
        f"{len(files)} files, {totals.entries:,} entries, {totals.rows:,} rows, "
        f"{totals.cells:,} cells of readelf, {different} differences, "
        f"{time.monotonic() - start:.0f} s"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
