"""Locations and stack entries as text and as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from dwarfgpu.arch.model import AddressSpace, RegisterInfo
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType, generic_type, unsigned_type
from dwarfgpu.base.float_format import BINARY32
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.model.location import (
    UNDEFINED_LOCATION,
    Entry,
    ImplicitPointerValue,
    IncompleteComposite,
    Location,
    SingleLocation,
    composite,
)
from dwarfgpu.model.storage import (
    UNDEFINED,
    DieReference,
    Implicit,
    ImplicitPointer,
    Memory,
    Part,
    Register,
    Repeated,
    Selected,
    Storage,
)
from dwarfgpu.model.value import Value
from dwarfgpu.view.location_json import entry_json, location_json, stack_value_json
from dwarfgpu.view.location_text import entry_text, location_text
from tests.work import at_most

GLOBAL = AddressSpace(0, "global", 64)
PRIVATE_LANE = AddressSpace(5, "private_lane", 32, "lane")
RDI = architecture("x86_64").registers[5]
V3 = Register(RegisterInfo("v3", 2563, unsigned_type(2048)), wave=0)
V4 = Register(RegisterInfo("v4", 2564, unsigned_type(2048)), wave=0)
POINTER = ImplicitPointer(DieReference(0x2A), 4, GLOBAL)
GENERIC = generic_type(64)


def at(storage: Storage, bit_offset: int = 0) -> Location:
    return Location((SingleLocation(storage, bit_offset),))


def parts(*rows: tuple[Location, int]) -> Location:
    return composite([Part(location, size_bits) for location, size_bits in rows])


@pytest.mark.parametrize(
    ("location", "text"),
    [
        (at(Memory(PRIVATE_LANE, 0, 3), 0x80), "private_lane#0x10 (wave 0, lane 3)"),
        (at(Memory(GLOBAL), 0x7F00 * 8), "0x7f00 (global)"),
        (at(Memory(GLOBAL), 0x7F00 * 8 + 3), "0x7f00 + bit 3 (global)"),
        (at(V3), "v3 (wave 0)"),
        (at(V3, 96), "v3 + byte 12 (wave 0)"),
        (at(V3, 97), "v3 + byte 12 + bit 1 (wave 0)"),
        (at(Register(V3.register, 0, 2)), "v3 (frame 2, wave 0)"),
        (at(Register(RDI, 1)), "rdi"),
        (at(Register(RDI, 1, 2)), "rdi (frame 2)"),
        (at(Implicit(5, 64)), "implicit 0x05 (8 bytes)"),
        (at(Implicit(0x123, 12), 8), "implicit 0x0123 (12 bits) + byte 1"),
        (at(POINTER), "implicit pointer to DIE 0x2a + 4 bytes"),
        (UNDEFINED_LOCATION, "<optimized out>"),
        (
            parts((at(V3, 96), 32), (UNDEFINED_LOCATION, 32)),
            "{bytes 0-3: v3 + byte 12; bytes 4-7: <undefined>}",
        ),
        (parts((at(V3), 8), (at(V3, 8), 8)), "{bytes 0-1: v3}"),  # it goes on in the register
        (parts((at(V3), 32), (at(V3), 32)), "{bytes 0-7: 2 x 4 bytes of v3}"),
        (parts((at(V3), 3), (at(V4), 5)), "{bits 0-2: v3; bits 3-7: v4}"),
        (parts((UNDEFINED_LOCATION, 8), (UNDEFINED_LOCATION, 24)), "{bytes 0-3: <undefined>}"),
        (at(Repeated(at(V3), 64, 2**54)), f"{{bytes 0-{2**57 - 1}: {2**54} x 8 bytes of v3}}"),
        (
            at(Selected(0xFFFFFFFF, at(V3), at(V4), 32, 64)),
            "{bytes 0-127: v3; bytes 128-255: v4 + byte 128}",
        ),
        (
            at(Selected(0b01, UNDEFINED_LOCATION, UNDEFINED_LOCATION, 32, 64)),
            "{bytes 0-255: <undefined>}",
        ),
        (
            Location((*at(V3).single_locations, *at(Memory(GLOBAL), 64).single_locations)),
            "v3 (wave 0), also at 0x8 (global)",
        ),
    ],
)
def test_location_text(location: Location, text: str) -> None:
    assert location_text(location) == text


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (Value(4, GENERIC), "4"),
        (Value(0x7F00, GENERIC), "32512 (0x7f00)"),
        (Value(2**64 - 1, GENERIC), "-1 (generic 0xffffffffffffffff)"),
        (Value(0xFF, BaseType("char", "signed_char", 8)), "-1 (char)"),
        (Value(0x3FC00000, BaseType("float", "float", 32, float_format=BINARY32)), "1.5 (float)"),
        (Value(1, BaseType("v", "unsigned", 64, vector_size=2)), "0x1 (v)"),
        (at(V3, 96), "loc v3 + byte 12 (wave 0)"),
        (UNDEFINED_LOCATION, "loc <undefined>"),
        (ImplicitPointerValue(POINTER, GENERIC), "implicit pointer to DIE 0x2a + 4 bytes (value)"),
        (
            IncompleteComposite(Part(at(V3), 64), None, 2, 64),
            "incomplete composite of 2 parts, 8 bytes",
        ),
    ],
)
def test_entry_text(entry: Entry, text: str) -> None:
    assert entry_text(entry) == text


@pytest.mark.parametrize(
    ("location", "place"),
    [
        (
            at(Memory(PRIVATE_LANE, 0, 3), 0x83),
            {
                "storage": "memory",
                "address_space": "private_lane",
                "aspace": 5,
                "address": 0x10,
                "bit_offset": 3,
                "wave": 0,
                "lane": 3,
            },
        ),
        (
            at(V3, 96),
            {
                "storage": "register",
                "register": "v3",
                "number": 2563,
                "bit_offset": 96,
                "bit_size": 2048,
                "wave": 0,
                "frame": 0,
            },
        ),
        (
            at(Implicit(5, 16), 8),
            {"storage": "implicit", "hex": "0500", "bit_size": 16, "bit_offset": 8},
        ),
        (
            at(POINTER),
            {
                "storage": "implicit_pointer",
                "die": 0x2A,
                "displacement_bytes": 4,
                "aspace": 0,
                "bit_offset": 0,
            },
        ),
        (UNDEFINED_LOCATION, {"storage": "undefined"}),
        (
            at(Repeated(UNDEFINED_LOCATION, 64, 2**54), 8),
            {
                "storage": "composite",
                "bit_size": 2**60,
                "bit_offset": 8,
                "parts": [{"bit_size": 64, "count": 2**54, "places": [{"storage": "undefined"}]}],
            },
        ),
    ],
)
def test_location_json(location: Location, place: object) -> None:
    assert location_json(location) == {"kind": "location", "places": [place]}


def test_equal_neighbours_are_one_part_with_a_count() -> None:
    location = parts((at(V3), 8), (at(V3), 8), (at(V3), 16), (at(V4), 16))
    (place,) = location_json(location)["places"]  # type: ignore[misc, union-attr]
    assert [(p["bit_size"], p["count"]) for p in place["parts"]] == [(8, 2), (16, 1), (16, 1)]  # type: ignore[index, call-overload, union-attr]


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        (Selected(0b0110, UNDEFINED_LOCATION, UNDEFINED_LOCATION, 32, 4), [(32, 4)]),
        (Selected(0b0011, UNDEFINED_LOCATION, at(V3), 32, 3), [(32, 2), (32, 1)]),
        # The second element of one is where the first of the other was.
        (Selected(0b01, at(V3, 32), at(V3), 32, 2), [(32, 2)]),
    ],
)
def test_equal_elements_of_a_selection_are_one_part(
    storage: Selected, expected: list[tuple[int, int]]
) -> None:
    (place,) = location_json(at(storage))["places"]  # type: ignore[misc, union-attr]
    assert [(p["bit_size"], p["count"]) for p in place["parts"]] == expected  # type: ignore[index, call-overload, union-attr]


def test_selected_elements_are_parts_at_their_own_places() -> None:
    location = at(Selected(0b01, at(V3), at(V4), 32, 2))
    (place,) = location_json(location)["places"]  # type: ignore[misc, union-attr]
    got = [(p["places"][0]["register"], p["places"][0]["bit_offset"]) for p in place["parts"]]  # type: ignore[index, call-overload, union-attr]
    assert got == [("v3", 0), ("v4", 32)]


@pytest.mark.parametrize(
    ("value", "number", "hex_digits"),
    [
        (Value(2**64 - 1, BaseType("long", "signed", 64)), -1, "ff" * 8),
        (Value(2**64 - 1, GENERIC), 2**64 - 1, "ff" * 8),
        (Value(0x0102, BaseType("u", "unsigned", 16, "big")), 0x0102, "0102"),
        (Value(0x7FC00000, BaseType("f", "float", 32, float_format=BINARY32)), "nan", "0000c07f"),
        (Value(0xFF800000, BaseType("f", "float", 32, float_format=BINARY32)), "-inf", "000080ff"),
        (Value(0x3FC0, BaseType("__bf16", "float", 16)), 1.5, "c03f"),
        (
            Value(0x38, BaseType("fp8", "float", 8)),
            None,
            "38",
        ),  # the name does not say which format
        (Value(1, BaseType("v2", "unsigned", 64, vector_size=2)), None, "0100000000000000"),
    ],
)
def test_value_json(value: Value, number: object, hex_digits: str) -> None:
    plain = stack_value_json(value)
    assert (plain["value"], plain["hex"]) == (number, hex_digits)


def deep(levels: int) -> Location:
    location = at(V3)
    for _ in range(levels):
        location = parts((location, 8), (at(V4), 8))
    return location


def wide(count: int) -> Location:
    return parts(*((at(V3, 8 * (n % 2)), 8) for n in range(count)))


def shared(levels: int) -> Location:
    """2**levels parts in a few objects."""
    location = parts(*((at(V3), 8),) * 50_000)
    for _ in range(levels):
        location = parts((location, 8), (at(V4), 8), (location, 8), (at(V4), 8))
    return location


HOSTILE: dict[str, Callable[[], Location]] = {
    "deep": lambda: deep(100_000),
    "wide": lambda: wide(200_000),
    "shared": lambda: shared(60),
    "repeated": lambda: at(Repeated(at(V3), 64, 2**54)),
    "selected": lambda: at(Selected(0x5555, at(V3), at(V4), 8, 2**54)),
    "holes": lambda: at(Selected(0x5555, UNDEFINED_LOCATION, at(V4), 8, 2**54)),
    "places": lambda: Location(tuple(SingleLocation(UNDEFINED) for _ in range(100_000))),
    "implicit": lambda: at(Implicit(1 << 8_000_000 - 1, 8_000_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_locations_are_bounded(name: str) -> None:
    location = HOSTILE[name]()
    with at_most(10_000_000):
        assert len(location_text(location)) <= 10_003
        assert len(entry_text(location)) <= 250
        json.dumps(entry_json(location))


def test_parts_beyond_the_budget_are_counted() -> None:
    (place,) = location_json(wide(5_000))["places"]  # type: ignore[misc, union-attr]
    assert len(place["parts"]) == 4_096  # type: ignore[arg-type, call-overload, index]
    assert place["parts_omitted"] == 904  # type: ignore[call-overload, index]


def test_unreadably_large_numbers_are_limits() -> None:
    far = ImplicitPointer(DieReference(0x2A), -(2**100_000), GLOBAL)
    assert location_text(at(far)) == "implicit pointer to DIE 0x2a - ... bytes"
    with pytest.raises(LimitExceeded):
        location_json(at(far))
    wide_value = Value(0, BaseType("wide", "unsigned", 2**100_000))
    assert entry_text(wide_value).startswith("more than 4096 bits of type ")
    with pytest.raises(LimitExceeded):
        stack_value_json(wide_value)
