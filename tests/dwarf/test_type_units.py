"""Type units (DWARF 5 3.1.4, 5.7.1, 7.5.1.3; `.debug_types` of DWARF 4)."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.global_variables import global_named
from dwarfgpu.dwarf.types.types import Base, Pointer, Struct, strip
from dwarfgpu.errors import IllFormed, Malformed, MissingContext
from tests.dwarf.builder import X86_64, Shape, abbreviations, debug_info, elf, fixture, unit
from tests.dwarf.programs import SPLIT, opened

SIGNATURE = 0x1122_3344_5566_7788
SHAPES = (
    Shape(dw.TAG_COMPILE_UNIT, (), True),  # 1
    Shape(dw.TAG_TYPE_UNIT, (), True),  # 2
    Shape(dw.TAG_BASE_TYPE, ((dw.AT_BYTE_SIZE, 0x0B), (dw.AT_ENCODING, 0x0B))),  # 3
    Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_NAME, 0x08), (dw.AT_BYTE_SIZE, 0x0B))),  # 4
    Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, 0x08), (dw.AT_TYPE, dw.FORM_REF_SIG8))),  # 5
    Shape(  # 6
        dw.TAG_STRUCTURE_TYPE,
        ((dw.AT_NAME, 0x08), (dw.AT_DECLARATION, 0x19), (dw.AT_SIGNATURE, dw.FORM_REF_SIG8)),
    ),
    Shape(dw.TAG_POINTER_TYPE, ((dw.AT_TYPE, dw.FORM_REF1),)),  # 7
)


def word(value: int, size_bytes: int = 8) -> bytes:
    return value.to_bytes(size_bytes, "little")


def type_unit(version: int, entries: bytes, type_at: int = 1, signature: int = SIGNATURE) -> bytes:
    """`type_at`: of the type, from the first byte after the header."""
    header = 24 if version >= 5 else 23
    body = word(signature) + word(header + type_at, 4) + entries
    return unit(body, version, kind=dw.UT_TYPE)


def made(version: int, compile_entries: bytes, *types: bytes) -> DebugInfo:
    """A file whose type units are where the version has them."""
    own = unit(compile_entries, version)
    joined = b"".join(types)
    sections = {".debug_abbrev": abbreviations(*SHAPES)}
    if version >= 5:
        sections[".debug_info"] = own + joined
    else:
        sections[".debug_info"], sections[".debug_types"] = own, joined
    return debug_info(elf(sections, X86_64))


STRUCT = b"\x02\x04s\0\x08\0"
VARIABLE = b"\x01\x05v\0" + word(SIGNATURE) + b"\0"


@pytest.mark.parametrize("version", [4, 5])
def test_a_type_by_its_signature(version: int) -> None:
    info = made(version, VARIABLE, type_unit(version, STRUCT))
    assert [unit.header.is_type_unit for unit in info.units] == [False, True]
    assert info.units[1].header.signature == SIGNATURE
    (variable,) = info.units[0].root.children()
    kind = info.types.type_of(variable)
    assert isinstance(kind, Struct) and (kind.name, kind.size_bytes) == ("s", 8)
    assert info.types.type_of(variable) is kind


@pytest.mark.parametrize("version", [4, 5])
def test_the_type_offset_names_the_entry(version: int) -> None:
    """Before it stand others, as its namespaces."""
    entries = b"\x02\x03\x04\x05\x04s\0\x08\0"
    info = made(version, VARIABLE, type_unit(version, entries, type_at=4))
    (variable,) = info.units[0].root.children()
    assert type_name(info.types.type_of(variable)) == "struct s"


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("type_at", [0x7FFFFFFF, 3, -24])
def test_a_type_offset_that_names_no_entry(version: int, type_at: int) -> None:
    info = made(version, VARIABLE, type_unit(version, STRUCT, max(type_at, -23)))
    (variable,) = info.units[0].root.children()
    with pytest.raises(IllFormed, match=r"outside its unit|starts at offset"):
        info.types.type_of(variable)


@pytest.mark.parametrize("version", [4, 5])
def test_a_signature_without_a_type_unit(version: int) -> None:
    info = made(version, VARIABLE, type_unit(version, STRUCT, signature=1))
    (variable,) = info.units[0].root.children()
    with pytest.raises(IllFormed, match="no type unit has the signature 0x1122334455667788"):
        info.types.type_of(variable)


@pytest.mark.parametrize("version", [4, 5])
def test_a_declaration_is_completed_by_its_type_unit(version: int) -> None:
    """DW_AT_signature of a declaration (5.7.1)."""
    declared = b"\x06s\0" + word(SIGNATURE)
    first = 12 if version >= 5 else 11
    info = made(version, b"\x01" + declared + b"\x07" + bytes((first + 1,)) + b"\0",
                type_unit(version, STRUCT))  # fmt: skip
    _, pointer = info.units[0].root.children()
    kind = info.types.build(pointer)
    assert isinstance(kind, Pointer)
    target = kind.target
    assert isinstance(target, Struct) and target.size_bytes == 8 and not target.is_declaration


def test_a_declaration_with_a_missing_type_unit_stays_incomplete() -> None:
    """A pointer to it is usable; its members say why they are unknown."""
    info = made(5, b"\x01\x06s\0" + word(9) + b"\x07\x0d\0")
    _, pointer = info.units[0].root.children()
    kind = info.types.build(pointer)
    assert type_name(kind) == "struct s *"
    assert isinstance(kind, Pointer) and isinstance(kind.target, Struct)
    assert kind.target.is_declaration and kind.target.size_bytes is None
    with pytest.raises(IllFormed, match="no type unit has the signature"):
        kind.target.members  # noqa: B018


def test_declarations_that_name_one_another() -> None:
    cycle = b"\x02\x06s\0" + word(SIGNATURE) + b"\0"
    info = made(5, b"\x01\x06s\0" + word(SIGNATURE) + b"\0", type_unit(5, cycle))
    (declared,) = info.units[0].root.children()
    kind = info.types.build(declared)
    assert isinstance(kind, Struct)
    with pytest.raises(IllFormed, match="more than 16 type signatures"):
        kind.members  # noqa: B018


def test_of_two_units_with_one_signature_the_first_counts() -> None:
    info = made(5, VARIABLE, type_unit(5, STRUCT), type_unit(5, b"\x02\x04t\0\x08\0"))
    (variable,) = info.units[0].root.children()
    assert type_name(info.types.type_of(variable)) == "struct s"


def test_entries_of_two_sections_at_one_offset_are_two() -> None:
    """`.debug_types` has offsets of its own."""
    entries = b"\x01" + b"\x03\x04\x05" * 8 + b"\0"
    info = made(4, entries, type_unit(4, STRUCT))
    own, other = info.units
    at = own.tree.offsets[5]
    kinds = [info.types.build(own.die_at(at)), info.types.build(other.die(1))]
    assert isinstance(kinds[0], Base) and isinstance(kinds[1], Struct)
    same = [offset for offset in own.tree.offsets if other.tree.find(offset) is not None]
    assert all(own.die_at(item) != other.die_at(item) for item in same) and same


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("cut", range(1, 12))
def test_a_header_that_is_cut_short_costs_its_unit(version: int, cut: int) -> None:
    whole = type_unit(version, STRUCT)
    header = 24 if version >= 5 else 23
    short = word(header - 4 - cut, 4) + whole[4 : header - cut]
    info = made(version, VARIABLE, short)
    assert len(info.units) == 1
    (problem,) = info.problems
    assert isinstance(problem, Malformed)


def test_a_skeleton_of_a_type_unit() -> None:
    """GNU Fission had them at first: the type is in the split file that it names."""
    skeleton = Shape(dw.TAG_TYPE_UNIT, ((dw.AT_GNU_DWO_NAME, 0x08), (dw.AT_COMP_DIR, 0x08)))
    variable = SHAPES[4]
    user = unit(b"\x02\x03v\0" + word(SIGNATURE) + b"\0", 4)
    sections = {
        ".debug_abbrev": abbreviations(skeleton, SHAPES[0], variable),
        ".debug_info": user,
        ".debug_types": type_unit(4, b"\x01k.dwo\0.\0", type_at=-23),
    }
    types = {".debug_types.dwo": type_unit(4, STRUCT), ".debug_abbrev.dwo": abbreviations(*SHAPES)}
    inside = {".debug_info.dwo": b"", **types}
    info = debug_info(elf({**sections, **inside}, X86_64))
    (result,) = info.units[0].root.children()
    assert type_name(info.types.type_of(result)) == "struct s"
    info = debug_info(elf(sections, X86_64))
    (result,) = info.units[0].root.children()
    with pytest.raises(MissingContext, match=r"split file k\.dwo with the type unit 0x11"):
        info.types.type_of(result)


def test_units_of_a_gpu_without_a_producer_have_the_dialect_of_the_file() -> None:
    """Type units name no producer; what their address classes mean depends on it."""
    for version in (4, 5):
        info = fixture(f"split/gfx942-{version}/data.co")
        types = [unit for unit in info.units if unit.header.is_type_unit]
        assert types and not any(kind.producer for kind in types)
        assert {unit.dialect.name for unit in info.units} == {"upstream-clang"}


@pytest.mark.parametrize("kind", ["types-gcc4", "types-gcc5", "types-clang4", "types-clang5"])
def test_qualified_names_in_type_units(kind: str) -> None:
    """The namespaces stand in the type unit too."""
    code = opened(SPLIT / kind / "prog")
    baseline = global_named(code.info, "baseline")
    assert baseline is not None
    line = strip(baseline.type)
    assert isinstance(line, Struct)
    points = [member.type for member in line.members[:2]]
    assert points[0] is points[1] and isinstance(strip(points[0]), Struct)
