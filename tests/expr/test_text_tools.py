"""What llvm-dwarfdump, readelf and eu-readelf print can be pasted: it assembles to the bytes.

Each tool prints every expression of the fixtures, and every operation with several operands.
What a tool does not print whole is listed here with the reason.
"""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import Malformed
from dwarfgpu.expr.context import LocList, UnitFormat
from dwarfgpu.expr.decode import decode, encode
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.operand_codec import Codec
from dwarfgpu.expr.operation import LLVM_USER, OPERATIONS
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.objfile.elf import open_object
from tests.tool_output import printed_about

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BINARIES = sorted(
    path.relative_to(FIXTURES).as_posix()
    for path in FIXTURES.glob("*/*")
    if path.suffix in (".co", ".v4", ".v5") and not re.match(r"shapes\.gcc|meanings", path.name)
)
"""Those of one unit, in which references need no unit."""
LLVM, READELF, EU_READELF = "llvm-dwarfdump-19", "readelf", "eu-readelf"
LOST = {
    LLVM: r"(?!)",  # nothing: what it cannot decode it prints as bytes
    READELF: r"location op 0x|DW_OP_HP_(?!unknown)|GNU_encoded_addr",
    EU_READELF: r"lo_user|TRUNCATED|\?\?\? \(|GNU_encoded_addr|GNU_variable_value|"
    r"(?:bra|skip) \d{20}",
}
"""Where the text of a tool is incomplete or wrong (docs/expression-syntax.md)."""
UNIT_HEADER_BYTES = 12
INT = UNIT_HEADER_BYTES + 1
"""Offset of the base type in `object_file`."""
Find = Callable[[str], str]


def output(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, check=False, text=True, errors="replace")
    return done.stdout


# The fixtures.


def of_file(path: Path) -> tuple[DebugInfo, Architecture]:
    info = DebugInfo.of(open_object(path))
    arch = info.architecture
    assert arch is not None
    return info, arch


LISTED = (dw.AT_LOCATION, dw.AT_FRAME_BASE, dw.AT_LLVM_LANE_PC)


def in_attributes(unit: CompilationUnit) -> Iterator[bytes]:
    for index in range(len(unit.tree.offsets)):
        for _, attribute in unit.die(index).attributes():
            if attribute.kind == "exprloc":
                assert isinstance(attribute.raw, bytes)
                yield shortest(unit, attribute.raw)


def in_lists(unit: CompilationUnit) -> Iterator[bytes]:
    for index in range(len(unit.tree.offsets)):
        for name in LISTED:
            location = unit.location_of(unit.die(index), name)
            if isinstance(location, LocList):
                yield from (shortest(unit, entry.expression) for entry in location.entries)


def shortest(unit: CompilationUnit, data: bytes) -> bytes:
    """Without padding of LEB128 numbers, which no tool prints (clang pads references to types)."""
    expression = decode(data, unit.dialect, unit.format)
    out = b"".join(
        instruction.encoding
        if instruction.encoding[0] == LLVM_USER
        else encode(instruction.operation, instruction.operands, unit.dialect, unit.format)
        for instruction in expression.instructions
    )
    return out + expression.undecoded


@pytest.mark.parametrize("name", BINARIES)
def test_llvm_dwarfdump_on_fixtures(name: str, tool: Find) -> None:
    info, arch = of_file(FIXTURES / name)
    unit, *_ = units = info.units  # of one dialect and format
    listing = printed_about(FIXTURES / name, tool(LLVM), "--debug-info")
    texts = re.findall(
        r"(?:DW_AT_\w+\t|0x[0-9a-f]{16}\): |<default>: )(\(?(?:DW_OP|<decoding).*)", listing
    )
    made = {assemble(text, unit.dialect, unit.format, arch) for text in texts}
    in_lists_of_file = set(chain.from_iterable(map(in_lists, units)))
    in_file = {*chain.from_iterable(map(in_attributes, units)), *in_lists_of_file} - {b""}
    # A list at an attribute that llvm-dwarfdump does not know is printed as an offset.
    unknown = in_lists_of_file if "DW_AT_unknown_3e12" in listing else set()
    assert in_file - unknown <= made <= in_file


@pytest.mark.parametrize("name", BINARIES)
def test_readelf_on_fixtures(name: str, tool: Find) -> None:
    info, arch = of_file(FIXTURES / name)
    unit, *_ = units = info.units  # of one dialect and format
    listing = output(tool(READELF), "--debug-dump=info,loc", FIXTURES / name)
    pasted = 0
    for block, text in re.findall(r"byte block: ([0-9a-f ]+?) *\t\((.*)\)$", listing, re.M):
        data = bytes(int(byte, 16) for byte in block.split())
        if "location op" in text:  # it stops at the first operation of AMD
            with pytest.raises(Malformed, match="readelf stops here"):
                assemble(text, unit.dialect, unit.format, arch)
        elif not re.search(LOST[READELF], text):
            assert assemble(text, unit.dialect, unit.format, arch) == shortest(unit, data)
            pasted += 1
    entries = re.findall(r"^ +[0-9a-f]{8} [0-9a-f]{16} [0-9a-f]{16} \(?(DW_OP.*)$", listing, re.M)
    whole = [text for text in entries if not re.search(LOST[READELF], text)]
    made = {assemble(text, unit.dialect, unit.format, arch) for text in whole}
    assert made <= set(chain.from_iterable(map(in_lists, units)))
    assert pasted or made or name.startswith("triton/")  # line tables alone


@pytest.mark.parametrize("name", [name for name in BINARIES if re.match("x86_64/demo.*O2", name)])
def test_gdb_on_fixtures(name: str, tool: Find) -> None:
    info, arch = of_file(FIXTURES / name)
    (unit,) = info.units
    in_file = {*in_attributes(unit), *in_lists(unit)}
    scopes = [word for line in range(1, 60) for word in ("-ex", f"info scope demo.c:{line}")]
    listing = output(tool("gdb"), "-batch", "-nx", *scopes, FIXTURES / name)
    texts = set(re.findall(r"a complex DWARF expression:\n((?: +\d+: .*\n)+)", listing))
    assert texts
    for text in texts:
        made = assemble(text, unit.dialect, unit.format, arch)
        assert any(data.startswith(made) for data in in_file), text  # it ends at a piece


# Every operation.


def object_file(machine: int, data: list[bytes]) -> bytes:
    """An ELF file whose one unit has, at offset 0, a base type and a variable per expression."""
    abbreviations = bytes.fromhex("011101 0000 023400 0308 0218 0000 032400 0308 3e0b 0b0b 0000 00")
    entries = b"\x01" + b"\x03int\0\x05\x04"
    for number, expression in enumerate(data):
        entries += b"\x02" + b"v%d\0" % number + encode_uleb(len(expression)) + expression
    head = struct.pack("<HBBI", 5, 1, 8, 0)
    body = head + entries + b"\0"
    info = struct.pack("<I", len(body)) + body
    sections = {b".debug_abbrev": abbreviations, b".debug_info": info}
    names = b"\0" + b"".join(name + b"\0" for name in sections) + b".shstrtab\0"
    sections[b".shstrtab"] = names
    contents, headers = b"", bytes(64)
    for name, section in sections.items():
        at = 64 + len(contents)
        kind = 3 if name == b".shstrtab" else 1
        headers += struct.pack(
            "<IIQQQQIIQQ", names.index(name + b"\0"), kind, 0, 0, at, len(section), 0, 0, 1, 0
        )
        contents += section
    ident = b"\x7fELF\2\1\1" + (b"\x40\3" if machine == 224 else b"\0\0")
    sizes = (0x4C if machine == 224 else 0, 64, 0, 0, 64, len(sections) + 1, len(sections))
    file_header = ident.ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 1, machine, 1, 0, 0, 64 + len(contents), *sizes
    )
    return file_header + contents + headers


def operands(codec: Codec, random: Random, arch: Architecture) -> int | bytes:
    match codec.meaning:
        case "register":
            return random.choice(sorted(arch.registers))
        case "type" | "die":
            return INT
        case "block" | "expression" if codec.name == "encoded":
            return bytes(9)
        case "block":
            return random.randbytes(random.randrange(1, 9))
        case "expression":
            return b"\x55"
    bits = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32}.get(codec.name, 63)
    number = random.getrandbits(random.randrange(1, bits))
    return -number if codec.name[0] == "s" and random.random() < 0.5 else number


def samples(arch: Architecture) -> dict[str, list[bytes]]:
    """Three encodings of each operation that dialect amd has."""
    random = Random(19)
    return {
        name: [
            encode(
                operation,
                [operands(info.codec, random, arch) for info in operation.operands],
                AMD,
                UnitFormat(),
            )
            for _ in range(3 if operation.operands else 1)
        ]
        for name, operation in OPERATIONS.items()
        if name in encodings(AMD).codes
    }


def printed(tool_path: str, file: Path) -> list[str]:
    """What the tool says of each variable, in order."""
    if tool_path.endswith(LLVM):
        return re.findall(r"DW_AT_location\t(.*)", output(tool_path, "--debug-info", file))
    if tool_path.endswith(EU_READELF):
        listing = output(tool_path, "--debug-dump=info", file)
        return [
            part.split(" variable ")[0].rpartition("\n")[0]
            for part in listing.split("(exprloc) \n")[1:]
        ]
    listing = output(tool_path, "--debug-dump=info", file)
    return re.findall(r"DW_AT_location +: *(.*)", listing)


@pytest.mark.parametrize("name", [LLVM, READELF, EU_READELF])
@pytest.mark.parametrize("machine", ["x86_64", "gfx942"])
def test_every_operation(name: str, machine: str, tool: Find, tmp_path: Path) -> None:
    arch = architecture(machine)
    file = tmp_path / "sample.o"
    values = [data for sample in samples(arch).values() for data in sample]
    file.write_bytes(object_file(62 if machine == "x86_64" else 224, values))
    texts = printed(tool(name), file)
    assert len(texts) == len(values)
    pasted = 0
    for text, data in zip(texts, values, strict=True):
        if not re.search(LOST[name], text):
            assert assemble(text, AMD, UnitFormat(), arch) == data, text
            pasted += 1
    assert pasted > 300
