"""The tables that say which machine registers hold the registers of PTX."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest

from dwarfgpu.errors import LimitExceeded, Malformed
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.ptx_allocation import (
    MAX_ALLOCATIONS,
    AllocatedRange,
    PtxRegisters,
    allocations,
)
from tests.cli.command import FIXTURES

AXPY = FIXTURES / "nvidia/axpy.sm_90.cubin"
Entry = tuple[int, bytes, int, int, int]


class _File(ObjectFile):
    """A cubin with other tables."""

    tables: tuple[bytes, bytes] = (b"", b"")

    def section_data(self, name: str) -> bytes:
        if name.startswith(".nv_debug_info_reg_"):
            return self.tables[name.endswith("_type")]
        return super().section_data(name)


def cubin(table: bytes, types: bytes = b"") -> _File:
    file = _File(str(AXPY), AXPY.read_bytes())
    file.tables = table, types
    return file


def table(entries: Sequence[Entry], function: bytes = b"axpy", count: int | None = None) -> bytes:
    out = function + b"\0" + struct.pack("<I", len(entries) if count is None else count)
    for part, name, register, begin, last in entries:
        out += struct.pack("<I", part) + name + b"\0" + struct.pack("<III", register, begin, last)
    return out


def types(codes: Sequence[int], function: bytes = b"axpy") -> bytes:
    return function + b"\0" + struct.pack("<I", len(codes)) + bytes(codes)


def test_of_triton() -> None:
    """As `nvdisasm` shows: `SHF.L.U32 R4, R4, 0x8, RZ` at 0x160 reads %r7 and overwrites it."""
    registers = PtxRegisters(open_object(AXPY))
    assert len(registers.allocations) == 45
    assert registers.ranges("%r7", 0x160, 0x180) == (
        AllocatedRange(0x160, 0x170, ("R4",)),
        AllocatedRange(0x170, 0x180, ()),
    )
    assert registers.ranges("%rd6", 0, 0x980) == (
        AllocatedRange(0, 0xD0, ()),
        AllocatedRange(0xD0, 0xE0, ("R2", "?")),
        AllocatedRange(0xE0, 0x880, ("R2", "R3")),
        AllocatedRange(0x880, 0x980, ()),
    )


@pytest.mark.parametrize(
    ("register", "code", "place", "type"),
    [
        (0x05000007, 2, "R7", "b32"),
        (0x02000001, 16, "P1", "pred"),
        (0x0B000004, 6, "UR4", "u32"),
        (0x09000002, 16, "UP2", "pred"),
        (0x01000000, 2, "CC", "b32"),
        (0x04000007, 12, "the high half of R3", "f16"),
        (0x0A000008, 1, "the low half of UR4", "b16"),
        (0x06000010, 14, "local memory at 0x10", "f32"),
        (0x07010018, 14, "local memory at R1+0x18", "f32"),
        (0x0C000001, 2, "register 0xc000001", "b32"),
        (0x05000001, 99, "R1", None),
    ],
)
def test_places(register: int, code: int, place: str, type: str | None) -> None:
    file = cubin(table([(0, b"%r1", register, 0x10, 0x20)]), types([code]))
    (allocation,) = allocations(file)
    assert (allocation.register_text, allocation.type) == (place, type)
    assert (allocation.begin, allocation.end) == (0x10, 0x30)


def test_copies_and_gaps() -> None:
    entries = [
        (0, b"%rd1", 0x05000004, 0x00, 0x20),
        (0, b"%rd1", 0x05000008, 0x10, 0x20),
        (1, b"%rd1", 0x05000005, 0x20, 0x20),
    ]
    registers = PtxRegisters(cubin(table(entries), types([3, 3, 3])))
    assert registers.ranges("%rd1", 0, 0x40) == (
        AllocatedRange(0x00, 0x10, ("R4", "?")),
        AllocatedRange(0x10, 0x20, ("R4 or R8", "?")),
        AllocatedRange(0x20, 0x30, ("R4 or R8", "R5")),
        AllocatedRange(0x30, 0x40, ()),
    )
    assert registers.ranges("%rd2", 0, 0x40) == (AllocatedRange(0, 0x40, ()),)


def test_without_a_table_there_is_no_report() -> None:
    assert PtxRegisters(cubin(b"")).ranges("%rd1", 0, 0x40) == ()


def test_a_function_that_the_file_lacks_has_no_addresses() -> None:
    assert allocations(cubin(table([(0, b"%r1", 5 << 24, 0, 0)], b"other"))) == ()


@pytest.mark.parametrize(
    ("data", "kinds", "message"),
    [
        (b"axpy", b"", "the name at offset 0x0 has no end"),
        (table([], count=3), b"", "4 bytes needed at offset 0x9"),
        (table([(0, b"%r1", 0, 0, 0)])[:-1], b"", "4 bytes needed"),
        (table([(0, b"%r1", 0, 0, 0)]), types([2], b"other"), "of other are at the place of those"),
        (table([(0, b"%r1", 0, 0, 0)]), types([2])[:-1], "1 byte needed"),
    ],
)
def test_hostile(data: bytes, kinds: bytes, message: str) -> None:
    with pytest.raises(Malformed, match=message) as caught:
        allocations(cubin(data, kinds))
    assert ".nv_debug_info_reg_" in str(caught.value)


def test_many_places_of_one_register_are_refused() -> None:
    entries = [(0, b"%r1", 5 << 24, 0, 0x20)] * (MAX_ALLOCATIONS + 1)
    registers = PtxRegisters(cubin(table(entries)))
    with pytest.raises(LimitExceeded, match=f"%r1 has {MAX_ALLOCATIONS + 1} places"):
        registers.ranges("%r1", 0, 0x40)


def test_questions_about_a_long_table_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dwarfgpu.objfile.ptx_allocation._LEAST_WORK", 0)
    registers = PtxRegisters(cubin(table([(0, b"%r1", 5 << 24, 0, 0)] * 10)))
    for _ in range(64):
        registers.ranges("%r1", 0x100, 0x200)
    with pytest.raises(LimitExceeded, match="share the long table of %r1"):
        registers.ranges("%r1", 0x100, 0x200)
