"""Compare how whole files are read with what llvm-dwarfdump prints of them.

`tools/readers.py FILE…` goes through every entry of `.debug_info`: offset, depth, tag, attributes
in order, names, expressions, location lists, ranges. It prints each difference and a summary.
`--units N --seed S` takes N units of each file. A stripped file represents its debug file.
Exit status 1 if there was a difference.
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

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from elftools.dwarf.enums import ENUM_DW_AT, ENUM_DW_TAG

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.expr.context import LocList, UnitFormat
from dwarfgpu.expr.decode import decode, encode
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.operation import LLVM_USER
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.separate_debug import find_debug_file, has_debug_info

DUMP = "llvm-dwarfdump-19"
ENTRY = re.compile(r"^0x([0-9a-f]{8}):( +)DW_TAG_(\w+)$")
ATTRIBUTE = re.compile(r"^ +DW_AT_(\w+)\t\((.*)$")
BOUNDS = re.compile(r"\[0x([0-9a-f]+), 0x([0-9a-f]+)\)(?:: (.*)|\)?)$")
NOTHING = re.compile(r"^0x[0-9a-f]{8}: +NULL$|^0x[0-9a-f]{8}: \w+ Unit:")
TEMPLATE = re.compile(r"(template_(?:type|value))_parameter")
"""Tags that pyelftools calls otherwise."""
DEFAULT = re.compile(r"<default>: (.*)$")

Listed = tuple[int, int, bytes | None]


@frozen
class Entry:
    """The facts of an entry that both readers give."""

    offset: int
    depth: int
    tag: int
    attributes: tuple[int, ...]
    names: tuple[str, ...]
    expressions: tuple[bytes, ...]
    lists: tuple[Listed, ...]
    """Bounds of ranges, and of location list entries with their expressions."""


def shortest(data: bytes, dialect: Dialect, form: UnitFormat) -> bytes:
    """Without padding of LEB128 numbers, which the other reader does not print."""
    expression = decode(data, dialect, form)
    out = b"".join(
        instruction.encoding
        if instruction.encoding[0] == LLVM_USER
        else encode(instruction.operation, instruction.operands, dialect, form)
        for instruction in expression.instructions
    )
    return out + expression.undecoded


def ours(unit: CompilationUnit) -> Iterator[Entry]:
    """The entries of a unit as dwarfgpu reads them."""
    tree = unit.tree
    depths: list[int] = []
    for index, parent in enumerate(tree.parents):
        depths.append(0 if parent < 0 else depths[parent] + 1)
        yield _ours(unit.die(index), depths[index])


def _ours(die: Die, depth: int) -> Entry:
    unit = die.unit
    numbers: list[int] = []
    names: list[str] = []
    expressions: list[bytes] = []
    lists: list[Listed] = []
    for number, attribute in die.attributes():
        numbers.append(number)
        if attribute.kind == "exprloc" and isinstance(attribute.raw, bytes):
            expressions.append(shortest(attribute.raw, unit.dialect, unit.format))
        elif number == dw.AT_RANGES:
            lists += [
                (unit.relocate(a), unit.relocate(b), None)
                for a, b in unit.lists.ranges_of(attribute)
            ]
        elif attribute.kind in ("loclistx", "sec_offset") and number in (
            dw.AT_LOCATION,
            dw.AT_FRAME_BASE,
        ):
            located = unit.location_of(die, number)
            assert isinstance(located, LocList)
            lists += [
                (
                    entry.begin or 0,
                    entry.end or 0,
                    shortest(entry.expression, unit.dialect, unit.format),
                )
                for entry in located.entries
                if entry.begin is None or entry.begin != entry.end
            ]
        elif attribute.kind in ("string", "strp", "line_strp", "strx"):
            names.append(die.string(number) or "")
    return Entry(
        die.offset,
        depth,
        die.tag,
        tuple(numbers),
        tuple(names),
        tuple(expressions),
        tuple(lists),
    )


class Printed:
    """The entries that llvm-dwarfdump prints, one unit after the other."""

    def __init__(self, info: DebugInfo) -> None:
        self.info = info
        self.known: dict[tuple[str, object, int], bytes] = {}

    def assembled(self, text: str, unit: CompilationUnit) -> bytes:
        """The bytes of printed operations, which may end in the parenthesis around them."""
        if text.count(")") > text.count("("):
            text = text.removesuffix(")")
        offset = unit.header.offset if '"' in text else 0  # a type, by its offset in the file
        key = text, unit.format, offset
        if key not in self.known:
            arch = self.info.architecture
            assert arch is not None
            data = (
                b""
                if text in ("", "<empty>")
                else assemble(text, unit.dialect, unit.format, arch, unit_offset=offset)
            )
            self.known[key] = data
        return self.known[key]

    def entry(self, lines: list[str], unit: CompilationUnit) -> Entry:
        head = ENTRY.match(lines[0])
        assert head is not None, lines[0]
        numbers: list[int] = []
        names: list[str] = []
        expressions: list[bytes] = []
        lists: list[Listed] = []
        for line in lines[1:]:
            match = ATTRIBUTE.match(line)
            text = line.strip()
            if match is None:
                bounds, default = BOUNDS.search(text), DEFAULT.search(text)
                if bounds is not None:
                    begin, end, operations = int(bounds[1], 16), int(bounds[2], 16), bounds[3]
                    listed = None if operations is None else self.assembled(operations, unit)
                    if begin != end:
                        lists.append((begin, end, listed))
                elif default is not None:
                    lists.append((0, 0, self.assembled(default[1], unit)))
                continue
            name, text = match[1], match[2]
            numbers.append(attribute_number(name))
            if text.startswith('"') and name not in ("decl_file", "call_file"):
                names.append(text[1:].removesuffix('")'))
            elif text.startswith(("DW_OP_", "<decoding", "<empty>")):
                expressions.append(self.assembled(text, unit))
        return Entry(
            int(head[1], 16),
            (len(head[2]) - 1) // 2,
            ENUM_DW_TAG["DW_TAG_" + TEMPLATE.sub(r"\1_param", head[3])],
            tuple(numbers),
            tuple(names),
            tuple(expressions),
            tuple(lists),
        )

    def entries(self, command: list[str], unit_of: dict[int, CompilationUnit]) -> Iterator[Entry]:
        """The printed entries; `unit_of` knows the unit of every first entry."""
        unit: CompilationUnit | None = None
        lines: list[str] = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as done:
            assert done.stdout is not None
            for line in map(str.rstrip, done.stdout):
                head = ENTRY.match(line)
                if head is None:
                    if lines and line and not NOTHING.match(line):
                        lines.append(line)
                    continue
                if lines and unit is not None:
                    yield self.entry(lines, unit)
                unit, lines = unit_of.get(int(head[1], 16), unit), [line]
        if lines and unit is not None:
            yield self.entry(lines, unit)


def attribute_number(name: str) -> int:
    if name.startswith("unknown_"):
        return int(name.removeprefix("unknown_"), 16)
    number: int | None = ENUM_DW_AT.get("DW_AT_" + name)
    return int(getattr(dw, "AT_" + name.upper())) if number is None else number


def differences(
    path: Path, dump: str, units: int | None = None, seed: int = 0
) -> Generator[str, None, int]:
    """Each entry that the two readers read differently; all units, or some by a seed.

    Returns the number of entries compared.
    """
    file = open_object(path)
    if not has_debug_info(file):
        file = find_debug_file(file) or file
    info = DebugInfo.of(file)
    chosen = list(info.units)
    command = [dump, "--debug-info", file.path]
    if units is not None and units < len(chosen):
        chosen = Random(seed).sample(chosen, units)
    firsts = {unit.die(0).offset: unit for unit in chosen}
    commands = [command]
    if len(chosen) < len(info.units):
        commands = [
            [dump, f"--debug-info={offset:#x}", "--show-children", file.path] for offset in firsts
        ]
    printed = Printed(info)
    theirs = (entry for command in commands for entry in printed.entries(command, firsts))
    mine = (entry for unit in chosen for entry in ours(unit))
    count = 0
    for one, other in zip(mine, theirs, strict=True):
        count += 1
        if one != other:
            yield f"{path.name}:\n  dwarfgpu {one}\n  {dump} {other}"
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--units", type=int, help="compare N units of each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="print N differences")
    args = parser.parse_args()
    total = 0
    for path in args.files:
        start, result = time.monotonic(), 0
        comparison = differences(path, DUMP, args.units, args.seed)
        while True:
            try:
                text = next(comparison)
            except StopIteration as done:
                count = done.value
                break
            result += 1
            if result <= args.show:
                print(text, flush=True)
        total += result
        seconds = time.monotonic() - start
        print(f"{path.name}: {count:,} entries, {result} differences, {seconds:.0f} s")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
