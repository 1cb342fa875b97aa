"""Files made in memory, and what the check finds in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.check.file import Verdict, verify
from dwarfgpu.check.finding import Finding
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import AMDGPU, FIXTURES, Content, Shape, abbreviations, elf, unit

GFX942 = architecture("gfx942")
FORM = UnitFormat()

EXPRLOC, ADDR, DATA1, DATA4, SDATA, REF4, SEC_OFFSET, STRING = (
    0x18, 0x01, 0x0B, 0x06, 0x0D, 0x13, 0x17, 0x08,
)  # fmt: skip
COMPILE_UNIT, SUBPROGRAM, VARIABLE, BASE_TYPE, POINTER, LABEL = 0x11, 0x2E, 0x34, 0x24, 0x0F, 0x0A
PROCEDURE = 0x36
ALLOCATED_CODE = 0x6
CODE = Content(bytes(0x400), flags=ALLOCATED_CODE, address=0x1000)
"""Instructions at [0x1000,0x1400)."""


def words(*values: int, size_bytes: int = 8) -> bytes:
    return b"".join(value.to_bytes(size_bytes, "little") for value in values)


def operations(text: str) -> bytes:
    return assemble(text, AMD, FORM, GFX942)


def block(data: bytes) -> bytes:
    """A value of DW_FORM_exprloc."""
    return encode_uleb(len(data)) + data


def opened(data: bytes, dialect: str | None = None) -> CodeObject:
    file = ObjectFile("made.co", data)
    info = DebugInfo.of(file, 0, dialect)
    return CodeObject(file, info, Scopes(info), 0)


def verdict_on(data: bytes, dialect: str | None = None) -> Verdict:
    return verify(opened(data, dialect))


def fixture_verdict(name: str, dialect: str | None = None) -> Verdict:
    return verify(CodeObject.open(FIXTURES / name, dialect=dialect))


def findings(verdict: Verdict) -> list[Finding]:
    """Those that are worse than notes."""
    return [finding for finding in verdict.findings.kept if finding.severity != "note"]


def rules(verdict: Verdict) -> list[tuple[str, str]]:
    return [(finding.severity, finding.rule) for finding in findings(verdict)]


def info_file(
    shapes: Iterable[Shape],
    entries: bytes,
    others: Mapping[str, bytes | Content] | None = None,
    version: int = 5,
    machine: int = AMDGPU,
    address_size: int = 8,
) -> bytes:
    """A file with code at [0x1000,0x1400) and one unit of these entries."""
    sections: dict[str, bytes | Content] = {
        ".text": CODE,
        ".debug_info": unit(entries, version, address_size),
        ".debug_abbrev": abbreviations(*shapes),
        **(others or {}),
    }
    return elf(sections, machine)


def one_entry(
    tag: int, attributes: Iterable[tuple[int, int, bytes]], machine: int = AMDGPU
) -> bytes:
    """A file with one entry below the one of its unit: each attribute as number, form, bytes."""
    listed = list(attributes)
    shape = Shape(tag, tuple((number, form) for number, form, _ in listed))
    entries = b"\x01\x02" + b"".join(data for _, _, data in listed) + b"\0"
    return info_file([Shape(COMPILE_UNIT, (), True), shape], entries, machine=machine)


def cfi_entry(identity: bytes, content: bytes) -> bytes:
    content += bytes(-(len(identity) + len(content) + 4) % 8)
    return (len(identity) + len(content)).to_bytes(4, "little") + identity + content


def cie(
    code: bytes = b"", address_size: int = 8, column: int = 16, code_alignment: int = 1
) -> bytes:
    """A CIE of version 4, with 4 as data_alignment_factor."""
    head = b"\x04\0" + bytes((address_size, 0)) + encode_uleb(code_alignment) + encode_sleb(4)
    return cfi_entry(b"\xff" * 4, head + encode_uleb(column) + code)


def frame_file(
    *programs: bytes,
    common: bytes | None = None,
    machine: int = AMDGPU,
    starts: Iterable[int] | None = None,
) -> bytes:
    """A file whose FDEs describe 0x40 bytes each, one after the other from 0x1000."""
    section = cie() if common is None else common
    places = list(starts or (0x1000 + 0x40 * index for index in range(len(programs))))
    for start, code in zip(places, programs, strict=True):
        section += cfi_entry(bytes(4), words(start, 0x40) + code)
    return elf({".text": CODE, ".debug_frame": section}, machine)
