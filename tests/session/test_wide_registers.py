"""Objects of more than 128 bits in the vector registers of x86-64: one DWARF number is xmm, ymm and
zmm (psABI, "DWARF register number mapping")."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import GUESS
from dwarfgpu.expr.context import Context, Frame
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.wide_registers import in_wide_register, register_name
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.symbol.symbol_description import symbol_description
from dwarfgpu.session.session import Session
from dwarfgpu.view.location_json import location_json
from dwarfgpu.view.location_text import location_text
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.language.sessions import text

X86 = architecture("x86_64")
STRING, ADDRESS, DATA1, DATA4, EXPRLOC, REF4, PRESENT = 0x08, 0x01, 0x0B, 0x06, 0x18, 0x13, 0x19
SHAPES = (
    Shape(0x11, (), True),
    Shape(0x24, ((0x03, STRING), (0x0B, DATA1), (0x3E, DATA1))),
    Shape(0x01, ((0x49, REF4), (0x2107, PRESENT)), True),
    Shape(0x21, ((0x2F, DATA1),)),
    Shape(0x2E, ((0x03, STRING), (0x11, ADDRESS), (0x12, DATA4)), True),
    Shape(0x34, ((0x03, STRING), (0x49, REF4), (0x02, EXPRLOC))),
)
VARIABLES = {
    "x": (2, "62"),  # reg18
    "y": (4, "62"),
    "z": (8, "62"),
    "high": (4, "90 43"),  # regx 67
    "pieces": (8, "62 93 20 63 93 10 62 93 10"),  # 32 bytes of reg18, 16 of reg19 and of reg18
    "more": (2, "62 93 10 63 93 10"),  # 16 bytes of reg18 and of reg19, for an object of 16
    "shifted": (2, "62 9d 80 01 80 01"),  # 128 bits from bit 128 on
}
"""Elements of 8 bytes, and the location."""


def made(folder: Path, **registers: bytes) -> Session:
    """A thread in a function with these variables; registers that are not given are unknown."""
    entries, types = b"\x01\x02long\0\x08\x05", {}
    for count in (2, 4, 8):
        types[count] = 12 + len(entries)
        entries += b"\x03" + (13).to_bytes(4, "little") + bytes((4, count - 1, 0))
    entries += b"\x05f\0" + (0x1000).to_bytes(8, "little") + (0x100).to_bytes(4, "little")
    for name, (count, operations) in VARIABLES.items():
        data = bytes.fromhex(operations)
        kind = types[count].to_bytes(4, "little")
        entries += b"\x06" + name.encode() + b"\0" + kind + bytes((len(data),)) + data
    path = folder / "made"
    sections: dict[str, bytes | Content] = {
        ".text": Content(bytes(0x100), flags=6, address=0x1000),
        ".debug_abbrev": abbreviations(*SHAPES),
        ".debug_info": unit(entries + b"\0\0"),
    }
    path.write_bytes(elf(sections, X86_64, 0))
    target = StateTarget(X86)
    target.add_wave(0)
    for name, data in registers.items():
        target.set_register(0, X86.by_name[name], data)
    return Session(X86, (CodeObject.open(path),), target, wave=0, pc=0x1000)


def longs(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(8, "little") for number in numbers)


ALL = {
    "xmm1": longs(1, 2), "ymm1h": longs(3, 4), "zmm1h": longs(5, 6, 7, 8), "xmm2": longs(9, 10),
    "xmm16": longs(11, 12), "ymm16h": longs(13, 14),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "location"),
    [
        ("x", "{1, 2}", "xmm1"),
        ("y", "{1, 2, 3, 4}", "ymm1"),
        ("z", "{1, 2, 3, 4, 5, 6, 7, 8}", "zmm1"),
        ("high", "{11, 12, 13, 14}", "ymm16"),
        ("shifted", "{3, 4}", None),
        ("pieces", "{1, 2, 3, 4, 9, 10, 1, 2}", None),
    ],
)
def test_the_size_of_the_object_decides(
    tmp_path: Path, name: str, value: str, location: str | None
) -> None:
    session = made(tmp_path, **ALL)
    assert text(session, name) == value
    reading = session.read(session.variable(name))
    assert reading.is_complete and reading.location is not None
    if location is not None:
        assert location_text(reading.location) == location
        message = f'Address requested for identifier "{name}" which is in register ${location}'
        assert text(session, f"&{name}") == message


def test_pieces_with_more_bits_than_the_object(tmp_path: Path) -> None:
    """The first are read, as the object begins where they do; GDB refuses it."""
    session = made(tmp_path, **ALL)
    reading = session.read(session.variable("more"))
    assert text(session, "more") == "{1, 2}"
    message = "its pieces have 256 bits, and the object 128: the first are read"
    assert f"more: {message}, and some may be those of another part: {GUESS}" in reading.notes
    for name in ("pieces", "shifted", "x"):
        assert not any("its pieces" in note for note in session.read(session.variable(name)).notes)


def test_the_description_names_the_register_and_its_parts(tmp_path: Path) -> None:
    session = made(tmp_path, **ALL)
    location = session.read(session.variable("y")).location
    assert location is not None
    [place] = cast("list[dict[str, object]]", location_json(location, "little")["places"])
    assert (place["storage"], place["register"], place["bit_size"]) == ("composite", "ymm1", 256)
    assert symbol_description(session, session.variable("y")) == "a variable in $ymm1"
    assert symbol_description(session, session.variable("pieces")) == (
        "a variable in $ymm1 [32-byte piece], and a variable in $xmm2 [16-byte piece], and "
        "a variable in $xmm1 [16-byte piece]"
    )
    assert register_name(X86, 18, lambda: 256) == "ymm1"
    assert register_name(X86, 18, lambda: None) == register_name(X86, 18) == "xmm1"
    assert register_name(X86, 0, lambda: 256) == "rax"
    assert register_name(X86, 999) is None


def test_the_object_can_be_set(tmp_path: Path) -> None:
    session = made(tmp_path, **ALL)
    assert text(session, "y[3] = 44") == "44"
    assert text(session, "y") == "{1, 2, 3, 44}"
    assert text(session, "$ymm1h") == str(44 << 64 | 3)


def test_what_is_unknown_above_xmm_is_no_zero(tmp_path: Path) -> None:
    session = made(tmp_path, xmm1=longs(1, 2))
    reading = session.read(session.variable("y"))
    assert reading.bits is not None and reading.bits.unavailable == (1 << 256) - (1 << 128)


def test_memory_that_holds_a_saved_register_has_xmm_alone() -> None:
    """Call frame information does not say how much of a vector register was saved."""
    saved = Location((SingleLocation(Memory(X86.address_space(0)), 0x8000),))
    frame = SimpleNamespace(level=1, architecture=X86, register=lambda number: saved)
    context = Context(X86, 0, frame=cast(Frame, frame))
    location = evaluate(b"\x62", context)
    assert isinstance(location, Location)
    assert in_wide_register(X86, location, 128) == saved
    wide = in_wide_register(X86, location, 256)
    assert location_text(wide) == "{bytes 0-15: 0x1000; bytes 16-31: <undefined>}"
