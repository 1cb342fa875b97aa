"""Unknown bits that belong to no member are not part of a value."""

from __future__ import annotations

import re

import pytest

import dwarfgpu as dg
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.types import Array, Base, Member, Struct, Type
from dwarfgpu.errors import Unavailable
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import REASON_UNDEFINED, Bits
from dwarfgpu.model.storage import Implicit
from dwarfgpu.session.unknown_members import has_all_members
from dwarfgpu.view.explanation_text import verdict
from tests.cli.command import STATES, run, run_json

DATA = STATES / "data.gfx942.O0.json"
KNOWN = (
    ("0x30", "74726900000000000000803f000000400000404000008040"),  # name, two corners
    ("0x48", "0000a0400000c0400900"),  # the last one, box.width
    ("0x58", "0000000000000440ed01"),  # box.weight, kind and level, closed
    ("0x64", "0600000007"),  # color, state
    ("0x6c", "0000803f"),  # raw
    ("0x70", "0000000000000000"),  # first
)
PADDING = [(34, 6), (50, 2), (57, 3)]
"""First byte and bytes, by the alignment of fixtures/hip/data.hip."""


def memory(but: str | None = None) -> list[str]:
    return [f"--mem=private_lane#{at}={data}" for at, data in KNOWN if at != but]


def test_a_structure_without_its_padding_is_whole() -> None:
    for command in ("eval", "explain"):
        done = run(command, "--state", DATA, "--lane", 3, *memory(), "s")
        assert done.status == 0, command
        assert "available" not in done.out + done.err
    done = run_json("eval", "--state", DATA, "--lane", 3, *memory(), "s")
    assert done.status == 0 and not any("available" in note for note in done.json["notes"])
    bits = [
        (part["bit_offset"] // 8, part["bit_size"] // 8) for part in done.json["unavailable_bits"]
    ]
    assert bits == PADDING


@pytest.mark.parametrize("at", [at for at, _ in KNOWN])
def test_each_member_counts(at: str) -> None:
    done = run("eval", "--state", DATA, "--lane", 3, *memory(at), "s")
    assert done.status == 1
    [note] = [note for note in done.notes if "available" in note]
    # the first byte that is not known may be padding, which is no reason
    reason = f"cannot access memory at address private_lane#{at}: of lane 3 it is "
    assert re.match(f"s is only partly available: {reason}", note)
    done = run("debug", "--batch", "--state", DATA, "--lane", 3, *memory(at), "-ex", "print s")
    assert any(re.match(reason, note) for note in done.notes)


INT = Base(BaseType("int", "signed", 32))
CHAR = Base(BaseType("char", "signed_char", 8))
PAIR = Struct("struct", "pair", 8, (Member("n", INT, 0), Member("c", CHAR, 32)))
FIELDS = Struct("struct", "fields", 4, (Member("a", INT, 0, 3), Member("b", INT, 8, 4)))
DERIVED = Struct(
    "struct", "derived", 12, (Member(None, PAIR, 0, is_base_class=True), Member("m", CHAR, 64))
)
UNION = Struct("union", "u", 8, (Member("n", INT, 0), Member("c", Array(CHAR, (6,)), 0)))
EMPTY = Struct("struct", "empty", 1)
STATIC = Member("s", INT, None, is_static=True)


@pytest.mark.parametrize(
    ("type_", "size", "needed"),
    [
        (PAIR, 8, 0xFFFFFFFFFF),
        (Array(PAIR, (3,)), 24, 0xFFFFFFFFFF_000000FFFFFFFFFF_000000FFFFFFFFFF),
        (Array(PAIR, (1, 2)), 16, 0xFFFFFFFFFF_000000FFFFFFFFFF),
        (FIELDS, 4, 0xF07),
        (DERIVED, 12, 0xFF_000000FFFFFFFFFF),
        (UNION, 8, 0xFFFFFFFFFFFF),
        (Struct("struct", "s", 4, (Member("c", CHAR, 0), STATIC)), 4, 0xFF),
        (Struct("struct", "s", 2, (Member("e", EMPTY, 0), Member("c", CHAR, 8))), 2, 0xFF00),
        (INT, 4, 0xFFFFFFFF),
        (Array(INT, (2,)), 8, 0xFFFFFFFFFFFFFFFF),
        (Array(INT, (3,), is_vector=True, declared_bits=128), 16, (1 << 96) - 1),  # OpenCL 6.1.5
        (Array(INT, (3,), declared_bits=128), 16, (1 << 128) - 1),
        (Array(PAIR, (1,), (128,)), 16, (1 << 128) - 1),  # of strides of its own: all count
        (Array(CHAR, (2,), (24,), is_section=True), 4, 0xFF0000FF),  # the gap is not its own
        (Array(CHAR, (2, 2), (-24, 16), is_section=True), 6, 0xFF00FFFF00FF),
    ],
)
def test_what_belongs_to_the_value(type_: Type, size: int, needed: int) -> None:
    for bit in range(8 * size):
        for bits in (Bits(0, 8 * size, 1 << bit), Bits(0, 8 * size, 0, 1 << bit)):
            assert has_all_members(bits, type_, "little") is not bool(needed >> bit & 1), bit


def test_big_endian_counts_from_the_top() -> None:
    assert has_all_members(Bits(0, 64, 0, 0xFFFFFF), PAIR, "big")
    assert not has_all_members(Bits(0, 64, 0, 1 << 24), PAIR, "big")


def test_an_object_with_unknown_contents() -> None:
    assert not has_all_members(Bits(0, 8, 0, 0xFF), EMPTY, "little")


def test_the_library_agrees_with_the_command() -> None:
    """Both name the first byte that is missing, which is not the first of its dword."""
    state = dg.load_state(DATA)
    objects = tuple(dg.CodeObject.open(item.path, item.load_address) for item in state.code_objects)
    session = dg.Session(
        state.architecture, objects, state.target, wave=0, lane=3, pc=state.waves[0].pc
    )
    space = state.architecture.address_space_named("private_lane")
    assert space is not None
    where = dg.Memory(space, 0, 3)
    for at, data in KNOWN:
        state.target.set_memory(where, int(at, 16), bytes.fromhex(data))
    reading = session.read(session.variable("s"))
    assert reading.is_complete and reading.error is None
    address = "cannot access memory at address private_lane#0x52: of lane 3 it is"
    with pytest.raises(Unavailable, match=f"^{address}"):
        state.target.read_memory(where, 0x50, 4)


def test_missing_bits_do_not_have_the_reason_of_undefined_ones() -> None:
    missing = "register v5 of wave 0 is not in the state"
    bits = Bits(0, 16, 0xFF, 0xFF00, (REASON_UNDEFINED, missing))
    sentences = verdict(Location((SingleLocation(Implicit(0, 16)),)), (), bits)
    assert sentences[1:] == [
        "bits 0 to 7 are undefined",
        f"some of its bits are not available: {missing}",
    ]
