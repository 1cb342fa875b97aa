"""Type units: the entries that their headers name, and references to them by signature (DWARF 5
7.5.1.3, 5.7 and 7.32)."""

from __future__ import annotations

import pytest

from dwarfgpu.check import type_signatures
from dwarfgpu.check.finding import Finding
from dwarfgpu.dwarf import constants as dw
from tests.check.made import COMPILE_UNIT, DATA1, REF4, STRING, findings, verdict_on, words
from tests.dwarf.builder import Shape, abbreviations, elf, unit

SIG8, REF_ADDR, FLAG = dw.FORM_REF_SIG8, dw.FORM_REF_ADDR, 0x0C
TABLE = abbreviations(
    Shape(COMPILE_UNIT, (), True),
    Shape(dw.TAG_TYPE_UNIT, (), True),
    Shape(dw.TAG_TYPEDEF, ((dw.AT_TYPE, SIG8),)),
    Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_SIGNATURE, SIG8), (dw.AT_DECLARATION, FLAG))),
    Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_NAME, STRING), (dw.AT_BYTE_SIZE, DATA1))),
    Shape(dw.TAG_IMPORTED_UNIT, ((dw.AT_IMPORT, REF_ADDR),)),
    Shape(dw.TAG_IMPORTED_UNIT, ((dw.AT_IMPORT, REF4),)),
    Shape(dw.TAG_TYPEDEF, ((dw.AT_TYPE, REF_ADDR),)),
    Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_NAME, STRING), (dw.AT_BYTE_SIZE, DATA1)), True),
    Shape(dw.TAG_MEMBER, ((dw.AT_NAME, STRING), (dw.AT_DATA_MEMBER_LOCATION, DATA1))),
    Shape(dw.TAG_MEMBER, ((dw.AT_TYPE, SIG8),)),
    Shape(dw.TAG_INHERITANCE, ((dw.AT_TYPE, SIG8),)),
    Shape(dw.TAG_POINTER_TYPE, ((dw.AT_TYPE, SIG8),)),
    Shape(dw.TAG_MEMBER, ((dw.AT_TYPE, REF_ADDR),)),
    Shape(dw.TAG_MEMBER, ((dw.AT_TYPE, REF4),)),
)
HEADER_BYTES = 24
TYPE_AT = HEADER_BYTES + 1
"""Of the entry behind the one of the unit."""


def types(code: int, name: int) -> bytes:
    """An entry whose type or definition has a signature."""
    return bytes((code,)) + words(name) + (b"\1" if code == 4 else b"")


STRUCTURE = b"\5S\0\4"


def type_unit(signature: int, entries: bytes, type_offset: int = TYPE_AT) -> bytes:
    rest = b"\5\0\2\x08" + bytes(4) + words(signature) + words(type_offset, size_bytes=4)
    rest += b"\2" + entries + b"\0"
    return words(len(rest), size_bytes=4) + rest


def found_in(*units: bytes) -> list[Finding]:
    info = unit(b"\1\0") + b"".join(units)
    return findings(verdict_on(elf({".debug_abbrev": TABLE, ".debug_info": info})))


@pytest.mark.parametrize(
    ("type_offset", "message"),
    [
        (TYPE_AT, None),
        (TYPE_AT + 1, "the type is at offset 0x28, where no entry starts"),
        (TYPE_AT - 1, "the type at offset 0x26 is a DW_TAG_type_unit"),
        (0, "the type is at offset 0xe, where no entry starts"),
        (1 << 30, "the type is at offset 0x4000000e, where no entry starts"),
    ],
)
def test_the_type_of_a_type_unit(type_offset: int, message: str | None) -> None:
    found = found_in(type_unit(1, STRUCTURE, type_offset))
    assert [one.message for one in found] == ([] if message is None else [message])
    assert {(one.rule, one.severity, one.section) for one in found} <= {
        ("wrong-unit", "error", "7.5.1")
    }


def test_a_type_unit_that_cannot_be_read_to_its_end() -> None:
    """Its type may be behind the entry that cannot be read."""
    found = found_in(type_unit(1, b"\x7f" + STRUCTURE, TYPE_AT + 1))
    assert [one.rule for one in found] == ["unreadable-unit"]


@pytest.mark.parametrize("code", [3, 4])
@pytest.mark.parametrize(
    ("targets", "circles"),
    [
        ((1,), 1),  # of itself
        ((2, 1), 1),
        ((2, 3, 2), 1),
        ((2, 1, 4, 3), 2),
        ((2, 3, 99), 0),
        ((2, 3, 0), 0),
    ],
)
def test_circles_of_signatures(code: int, targets: tuple[int, ...], circles: int) -> None:
    """The unit of each signature 1, 2 … names another one; 0 is the unit of a structure."""
    units = [type_unit(place, types(code, name)) for place, name in enumerate(targets, 1)]
    found = found_in(*units, type_unit(0, STRUCTURE))
    circular = [one for one in found if "lead back to it" in one.message]
    assert len(circular) == circles
    assert {one.rule for one in found} <= {"dangling-reference"}
    assert {one.severity for one in circular} <= {"error"}


@pytest.mark.parametrize("code", [3, 4])
def test_a_signature_that_no_type_unit_has(code: int) -> None:
    (found,) = found_in(type_unit(1, types(code, 99)))
    assert (found.severity, found.rule) == ("warning", "dangling-reference")
    assert found.message.endswith("no type unit has the signature 0x0000000000000063")


def test_nothing_is_missing_where_headers_cannot_be_read() -> None:
    unknown = words(8, size_bytes=4) + b"\x77\0\2\x08" + bytes(4)
    assert "dangling-reference" not in {
        one.rule for one in found_in(type_unit(1, types(3, 99)), unknown)
    }


def entry(code: int, target: int) -> bytes:
    return bytes((code,)) + words(target, size_bytes=4)


@pytest.mark.parametrize(
    ("imports", "circles"),
    [
        ((1,), 1),  # of itself
        ((2, 1), 1),
        ((2, 3, 1), 1),
        ((2, 3, 2), 1),
        ((2, 3, 0), 0),
        ((0, 0), 0),
    ],
)
@pytest.mark.parametrize(("code", "start"), [(6, 12), (8, 13)])
def test_circles_through_units(
    code: int, start: int, imports: tuple[int, ...], circles: int
) -> None:
    """Unit 1, 2 … imports another one (DWARF 5 3.2.5), or has a typedef of one of the other; unit 0
    does neither."""
    size_bytes = len(unit(b"\1" + entry(code, 0) + b"\0"))
    first = len(unit(b"\1\5S\0\4\0"))
    places = [0, *range(first, first + size_bytes * len(imports), size_bytes)]
    info = unit(b"\1\5S\0\4\0")
    info += b"".join(unit(b"\1" + entry(code, places[to] + start) + b"\0") for to in imports)
    found = findings(verdict_on(elf({".debug_abbrev": TABLE, ".debug_info": info})))
    assert [one.rule for one in found] == circles * ["dangling-reference"]
    assert all("lead back to it" in one.message for one in found)


def test_a_unit_that_imports_itself_by_an_offset_in_it() -> None:
    data = elf({".debug_abbrev": TABLE, ".debug_info": unit(b"\1" + entry(7, 12) + b"\0")})
    (found,) = findings(verdict_on(data))
    assert found.message == "DW_AT_import: the imported units of the unit lead back to it"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (STRUCTURE, None),
        (b"\5S\0\5", "is a DW_TAG_structure_type S of 5 bytes, and a DW_TAG_structure_type S of 4"),
        (b"\5T\0\4", "is a DW_TAG_structure_type T of 4 bytes, and a DW_TAG_structure_type S of 4"),
        (types(3, 9), "is a DW_TAG_typedef  of unknown size, and a DW_TAG_structure_type S of 4"),
    ],
)
def test_two_types_of_one_signature(other: bytes, message: str | None) -> None:
    """DWARF 5 7.32: the signature is computed from what describes the type."""
    found = found_in(type_unit(7, STRUCTURE), type_unit(7, other), type_unit(9, STRUCTURE))
    about = [one for one in found if one.rule == "type-signature"]
    assert [one.severity for one in about] == ([] if message is None else ["warning"])
    for one in about:
        start = f"the type of signature 0x0000000000000007 {message}"
        assert one.message.startswith(start)
        assert one.message.endswith("in the unit at 0xe of .debug_info")


def structure_with(*members: tuple[bytes, int]) -> bytes:
    parts = b"".join(b"\x0a" + name + b"\0" + bytes((place,)) for name, place in members)
    return b"\x09S\0\x08" + parts + b"\0"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (((b"a", 0), (b"b", 4)), None),
        (((b"a", 0), (b"c", 4)), "has the DW_TAG_member c at 4, and the DW_TAG_member b at 4 in"),
        (((b"a", 0), (b"b", 6)), "has the DW_TAG_member b at 6, and the DW_TAG_member b at 4 in"),
        (((b"a", 0),), "has no further member, and the DW_TAG_member b at 4 in"),
    ],
)
def test_two_structures_of_one_signature(
    members: tuple[tuple[bytes, int], ...], message: str | None
) -> None:
    first = type_unit(7, structure_with((b"a", 0), (b"b", 4)))
    found = found_in(first, type_unit(7, structure_with(*members)))
    assert [message is not None and message in one.message for one in found] == (
        [] if message is None else [True]
    )


def test_types_of_one_signature_are_described_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A type unit without another one of its signature is not read again."""
    described, asked = type_signatures._described, []
    monkeypatch.setattr(
        type_signatures, "_described", lambda unit: asked.append(unit) or described(unit)
    )
    assert found_in(*[type_unit(7, STRUCTURE)] * 3, type_unit(8, STRUCTURE)) == []
    assert len(asked) == 3


def containing(*parts: bytes) -> bytes:
    """A structure of 8 bytes with these parts."""
    return b"\x09S\0\x08" + b"".join(parts) + b"\0"


def part(signature: int, code: int = 0x0B) -> bytes:
    """A member, a base class or a pointer of the type of a signature."""
    return bytes((code,)) + words(signature)


BASE, POINTED = 0x0C, 0x0D
BESIDE = TYPE_AT + len(containing(part(0, 0x0F)[:5]))
"""Of the entry behind a structure whose member has a type in the unit."""


@pytest.mark.parametrize(
    ("units", "circles"),
    [
        ([containing(part(1))], 1),  # of itself
        ([containing(part(2)), containing(part(1))], 1),
        ([containing(part(2)), containing(part(1, BASE))], 1),
        ([containing(part(2)), types(3, 1)], 1),  # a typedef between
        ([containing(part(2)), containing(part(3)), containing(part(1))], 1),
        ([containing(part(2), part(1)), containing(part(1))], 2),
        ([containing(part(2)), containing(part(3)), containing()], 0),
        ([containing(part(2)), part(1, POINTED)], 0),
        ([containing(part(2), part(2)), containing()], 0),
        ([containing(b"\x0f" + words(BESIDE, size_bytes=4)) + types(3, 1)], 1),
    ],
)
def test_structures_that_contain_themselves_through_signatures(
    units: list[bytes], circles: int
) -> None:
    """DWARF 5 5.7: such a structure has no size. A pointer contains nothing."""
    found = found_in(*[type_unit(place, unit) for place, unit in enumerate(units, 1)])
    assert [(one.severity, one.rule, one.section) for one in found] == [
        ("error", "wrong-layout", "5.7")
    ] * circles
    assert {one.message for one in found} <= {"the type contains itself through other units"}


@pytest.mark.parametrize(("targets", "circles"), [((2, 1), 1), ((2, 3, 2), 1), ((2, 3), 0)])
def test_structures_that_contain_themselves_through_offsets(
    targets: tuple[int, ...], circles: int
) -> None:
    size_bytes = 12 + 1 + len(containing(b"\x0e" + bytes(4))) + 1
    ends = unit(b"\1" + containing() + b"\0")
    units = [
        unit(
            b"\1"
            + containing(b"\x0e" + words(12 + 1 + (place - 1) * size_bytes, size_bytes=4))
            + b"\0"
        )
        for place in targets
    ]
    assert {len(each) for each in units} == {size_bytes}
    info = b"".join(units) + ends
    found = findings(verdict_on(elf({".debug_abbrev": TABLE, ".debug_info": info})))
    assert [one.rule for one in found] == ["wrong-layout"] * circles
