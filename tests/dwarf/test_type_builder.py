"""Types from their entries: those of the fixtures, and the encodings that no fixture has."""

from __future__ import annotations

import struct

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.names.type_names import method_name, type_name
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.global_variables import global_named
from dwarfgpu.dwarf.types.dynamic_properties import Computed
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Dynamic,
    Enum,
    Function,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
    Unspecified,
    strip,
)
from dwarfgpu.errors import DwarfGpuError, IllFormed, Unsupported
from dwarfgpu.expr.context import Context, ExprLoc
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.session.type_attributes import LocatedObject, TypeAttributes
from tests.dwarf.builder import (
    AMDGPU,
    X86_64,
    Shape,
    abbreviations,
    debug_info,
    elf,
    file_of,
    fixture,
    unit,
)

DEMOS = [f"x86_64/demo.{kind}" for kind in ("gcc.O0.v4", "gcc.O2.v5", "clang.O2.v5")]


def type_of(file: str, name: str) -> Type:
    variable = global_named(fixture(file), name)
    assert variable is not None
    kind = variable.type
    assert kind is not None
    return kind


def test_a_declared_class_is_defined_where_the_reader_of_the_file_finds_it() -> None:
    """DWARF 5 5.7.1: the declaration is incomplete; scopes of a file do not change its types."""
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (), has_children=True),
        Shape(
            dw.TAG_STRUCTURE_TYPE,
            ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_DECLARATION, dw.FORM_FLAG_PRESENT)),
        ),
        Shape(
            dw.TAG_STRUCTURE_TYPE,
            ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_BYTE_SIZE, dw.FORM_DATA1)),
        ),
    ]
    file = ObjectFile("made.co", file_of(b"\x01\x02s\0\x03s\0\x04\0", shapes))
    alone, found = DebugInfo.of(file), CodeObject.of(file).info
    for info, size in ((alone, None), (found, 4)):
        Scopes(info)
        declaration = next(info.units[0].root.children())
        assert size_bytes(info.types.build(declaration)) == size


@pytest.mark.parametrize("demo", DEMOS)
def test_members_of_a_structure(demo: str) -> None:
    outer = strip(type_of(demo, "global_struct"))
    assert isinstance(outer, Struct)
    assert (outer.kind, outer.name, outer.size_bytes) == ("struct", "outer", 128)
    assert outer.members is outer.members
    assert [
        (member.name, member.bit_offset, member.bit_size, size_bytes(member.type))
        for member in outer.members
    ] == [
        ("a", 0, None, 4),
        ("name", 32, None, 8),
        ("in", 128, None, 48),
        ("p", 512, None, 8),
        ("color", 576, None, 4),
        ("b1", 608, 3, 4),
        ("b2", 611, 5, 4),
        ("b3", 640, 40, 8),
        ("un", 704, None, 4),
        ("fn", 768, None, 8),
        ("mat", 832, None, 6),
        ("ok", 880, None, 1),
        ("next", 896, None, 8),
        (None, 960, None, 4),
    ]


@pytest.mark.parametrize("demo", DEMOS)
def test_types_that_refer_to_one_another(demo: str) -> None:
    outer = strip(type_of(demo, "global_struct"))
    assert isinstance(outer, Struct)
    members = {member.name: member.type for member in outer.members}
    next_type = members["next"]
    assert isinstance(next_type, Pointer) and next_type.target is outer
    mat = members["mat"]
    assert isinstance(mat, Array) and mat.dimensions == (2, 3)
    assert isinstance(mat.element, Typedef) and mat.element.name == "uint8_t"
    color = members["color"]
    assert isinstance(color, Enum)
    assert color.enumerators == (("RED", 0), ("GREEN", 5), ("BLUE", 6))
    fn = members["fn"]
    assert isinstance(fn, Pointer)
    assert isinstance(fn.target, Function)
    assert isinstance(fn.target.result, Base) and len(fn.target.parameters) == 1
    union = members["un"]
    assert isinstance(union, Struct) and union.kind == "union"


def test_one_entry_is_one_type() -> None:
    info = fixture(DEMOS[0])
    here = Scopes(info)
    a, b = global_named(here.info, "numbers"), global_named(here.info, "numbers")
    assert a is not None and b is not None and a.type is b.type
    assert size_bytes(a.type) == 1200


@pytest.mark.parametrize(
    ("name", "expected"),
    [("lds_word", "int"), ("local_vector", "float4")],
)
def test_types_of_the_legacy_fixture(name: str, expected: str) -> None:
    here = Scopes(fixture("asm/legacy.gfx942.v5.co"))
    variable = here.variable_at(0x1642, name)
    assert variable is not None and isinstance(variable.type, Base)
    assert variable.type.name == expected
    if expected == "float4":
        base = variable.type.base
        assert (base.vector_size, base.bit_size, base.encoding) == (4, 128, "float")
        assert base.float_format is not None and base.float_format.size_bits == 32


def test_pointers_have_the_size_of_their_address_space() -> None:
    here = Scopes(fixture("opencl/kernels.gfx942.O0.v5.co"))
    sizes = {
        variable.name: (kind.address_class, kind.size_bytes)
        for pc in (0x49A4, 0x5052)
        for variable in here.variables_at(pc)
        if isinstance(kind := strip(variable.type), Pointer)
    }
    assert sizes["mate"] == (2, 4)  # clang's number of LDS, whose addresses have 32 bits
    assert sizes["out"] == (None, 8)


# One unit with entry after entry; the type under test is the first child.
ROOT = Shape(dw.TAG_COMPILE_UNIT, (), True)
FIRST = 0xD
BYTE_SIZE = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)


def build(entries: bytes, *shapes: Shape, version: int = 5, machine: int = X86_64) -> Type:
    first = FIRST if version >= 5 else FIRST - 1
    info = debug_info(file_of(b"\x01" + entries, [ROOT, *shapes], version=version, machine=machine))
    return info.types.build(info.die_at(first))


def base(encoding: int, **sizes: int) -> Type:
    attributes = [(dw.AT_ENCODING, dw.FORM_DATA1)]
    names = {
        "byte_size": dw.AT_BYTE_SIZE, "bit_size": dw.AT_BIT_SIZE, "endianity": dw.AT_ENDIANITY,
        "data_bit_offset": dw.AT_DATA_BIT_OFFSET, "bit_offset": dw.AT_BIT_OFFSET,
        "space": dw.AT_LLVM_ADDRESS_SPACE, "vector": dw.AT_LLVM_VECTOR_SIZE,
    }  # fmt: skip
    attributes += [(names[name], dw.FORM_SDATA) for name in sizes]
    data = bytes((2, encoding)) + bytes(value & 0x7F for value in sizes.values())
    return build(data, Shape(dw.TAG_BASE_TYPE, tuple(attributes)))


@pytest.mark.parametrize(
    ("offset", "first_bit"),
    [
        ({"data_bit_offset": 0}, 0),
        ({"data_bit_offset": 3}, 3),
        ({"bit_offset": 4}, 0),
        ({"bit_offset": 1}, 3),
        ({"bit_offset": 0, "endianity": 1}, 0),
        ({"bit_offset": 3, "endianity": 1}, 3),
    ],
)
def test_a_base_type_that_begins_inside_its_storage(offset: dict[str, int], first_bit: int) -> None:
    """DWARF 5 5.1: an integer of 12 bits in a storage of 16."""
    kind = base(7, byte_size=2, bit_size=12, **offset)
    assert isinstance(kind, Base) and kind.base.bit_size == 12
    assert (kind.first_bit, kind.storage_bits) == (first_bit, 16)


@pytest.mark.parametrize("offset", [{"data_bit_offset": 5}, {"bit_offset": 5}])
def test_a_base_type_outside_of_its_storage(offset: dict[str, int]) -> None:
    with pytest.raises(IllFormed, match="12 bits at bit -?[0-9]+ are not in a storage of 16 bits"):
        base(7, byte_size=2, bit_size=12, **offset)


@pytest.mark.parametrize(
    ("encoding", "sizes", "expected"),
    [
        (5, {"byte_size": 4}, ("signed", 32, "little", None, None)),
        (7, {"byte_size": 4, "bit_size": 24}, ("unsigned", 24, "little", None, None)),
        (7, {"bit_size": 1}, ("unsigned", 1, "little", None, None)),
        (5, {"byte_size": 2, "endianity": 1}, ("signed", 16, "big", None, None)),
        (1, {"byte_size": 8}, ("address", 64, "little", None, 0)),
        (1, {"byte_size": 4, "space": 5}, ("address", 32, "little", None, 5)),
        (4, {"byte_size": 4, "vector": 4}, ("float", 128, "little", 4, None)),
        (0x60, {"byte_size": 4}, ("encoding 0x60", 32, "little", None, None)),
    ],
)
def test_base_types(
    encoding: int, sizes: dict[str, int], expected: tuple[str, int, str, int | None, int | None]
) -> None:
    kind = base(encoding, **sizes)
    assert isinstance(kind, Base)
    result = kind.base
    assert (
        result.encoding, result.bit_size, result.endian, result.vector_size, result.address_space
    ) == expected  # fmt: skip


@pytest.mark.parametrize("number", [3, -1])
def test_other_byte_orders_are_unknown(number: int) -> None:
    """DWARF 5 7.8: 0 is the default, 1 big and 2 little endian."""
    with pytest.raises(Unsupported, match=f"has the unknown byte order {number}"):
        base(5, byte_size=4, endianity=number)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({}, "has no size"),
        ({"byte_size": 0}, "has no size"),
        ({"byte_size": -1 & 0x7F}, "has a negative size: -8 bits"),
        ({"vector": 2}, "has no size"),
        ({"byte_size": 4, "vector": 0}, "vector size of 0"),
    ],
)
def test_base_types_that_are_ill_formed(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(IllFormed, match=message):
        base(5, **sizes)


@pytest.mark.parametrize(
    ("name", "form", "data", "expected"),
    [
        (dw.AT_COUNT, dw.FORM_DATA1, b"\xc8", 200),
        (dw.AT_UPPER_BOUND, dw.FORM_DATA1, b"\xc7", 200),
        (dw.AT_UPPER_BOUND, dw.FORM_DATA1, b"\xff", 256),
        (dw.AT_UPPER_BOUND, dw.FORM_DATA2, b"\xff\xff", 65536),
        (dw.AT_UPPER_BOUND, dw.FORM_DATA4, b"\xff" * 4, 1 << 32),
        (dw.AT_UPPER_BOUND, dw.FORM_SDATA, b"\x7f", 0),
        (dw.AT_UPPER_BOUND, dw.FORM_DATA8, b"\xff" * 8, 0),
        (dw.AT_UPPER_BOUND, dw.FORM_EXPRLOC, b"\x01\x30", None),
        (dw.AT_NAME, dw.FORM_STRING, b"x\0", None),
    ],
)
def test_number_of_elements(name: int, form: int, data: bytes, expected: int | None) -> None:
    shapes = [Shape(dw.TAG_ARRAY_TYPE, (), True), Shape(dw.TAG_SUBRANGE_TYPE, ((name, form),))]
    kind = build(b"\x02\x03" + data + b"\0", *shapes)
    assert isinstance(kind, Dynamic) == (form == dw.FORM_EXPRLOC)
    array = kind.form if isinstance(kind, Dynamic) else kind
    assert isinstance(array, Array) and array.dimensions == (expected,)


@pytest.mark.parametrize("count", [6, 2])
def test_the_number_of_elements_is_that_between_the_bounds(count: int) -> None:
    """DWARF 5 5.13: DW_AT_count replaces DW_AT_upper_bound."""
    forms = {dw.AT_UPPER_BOUND: dw.FORM_DATA1, dw.AT_COUNT: dw.FORM_DATA1}
    if count == 6:
        assert array_indexed_by((7, 4), forms, bytes((5, count))).dimensions == (6,)
        return
    with pytest.raises(IllFormed, match="DW_AT_count 2 contradicts the bounds, which have 6 elem"):
        array_indexed_by((7, 4), forms, bytes((5, count)))


@pytest.mark.parametrize(
    ("encoding", "size_bytes", "address_size", "expected"),
    [
        (5, 4, 8, 0),  # -1: no elements
        (5, 8, 8, 1 << 32),
        (7, 4, 8, 1 << 32),
        (7, 8, 8, 1 << 32),  # of GCC for `char big[0x100000000]`
        (7, 4, 4, 0),
    ],
)
def test_four_bytes_of_ones_are_a_bound_of_the_index_type(
    encoding: int, size_bytes: int, address_size: int, expected: int
) -> None:
    """GDB extends the sign of a bound where the type of the index has one."""
    kind = array_indexed_by(
        (encoding, size_bytes), {dw.AT_UPPER_BOUND: dw.FORM_DATA4}, b"\xff" * 4, address_size
    )
    assert kind.dimensions == (expected,)


def array_indexed_by(
    base: tuple[int, int], forms: dict[int, int], bounds: bytes, address_size: int = 8
) -> Array:
    """An array whose bounds have these forms; `base`: encoding and size of its index type."""
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(dw.TAG_ARRAY_TYPE, (), True),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_TYPE, dw.FORM_REF1), *forms.items())),
        Shape(
            dw.TAG_BASE_TYPE,
            ((dw.AT_ENCODING, dw.FORM_DATA1), (dw.AT_BYTE_SIZE, dw.FORM_DATA1)),
        ),
    ]
    base_at = 0x11 + len(bounds)
    entries = b"\x01\x02\x03" + bytes((base_at,)) + bounds + b"\0\x04" + bytes(base) + b"\0"
    made = unit(entries, address_size=address_size)
    info = debug_info(elf({".debug_info": made, ".debug_abbrev": abbreviations(*shapes)}))
    kind = info.types.build(info.die_at(0xD))
    assert isinstance(kind, Array)
    return kind


@pytest.mark.parametrize(
    ("encoding", "size_bytes", "form", "low", "high", "expected"),
    [
        (7, 2, dw.FORM_DATA2, 0xFFFA, 0xFFFD, (65530, 4)),  # a modular type of Ada
        (7, 4, dw.FORM_DATA4, 0xFFFFFFFC, 0xFFFFFFFF, (0xFFFFFFFC, 4)),
        (7, 8, dw.FORM_DATA4, 0xFFFFFFFC, 0xFFFFFFFF, (0xFFFFFFFC, 4)),
        (5, 4, dw.FORM_DATA4, 0xFFFFFFFC, 1, (-4, 6)),
        (5, 4, dw.FORM_DATA1, 0xC8, 0xCB, (200, 4)),  # the sign is that of the index type
        (5, 1, dw.FORM_DATA1, 0xFB, 2, (-5, 8)),
    ],
)
def test_bounds_have_the_sign_of_the_index_type(
    encoding: int, size_bytes: int, form: int, low: int, high: int, expected: tuple[int, int]
) -> None:
    """A form without a sign does not say it; GDB does the same."""
    width = {dw.FORM_DATA1: 1, dw.FORM_DATA2: 2, dw.FORM_DATA4: 4}[form]
    bounds = low.to_bytes(width, "little") + high.to_bytes(width, "little")
    forms = {dw.AT_LOWER_BOUND: form, dw.AT_UPPER_BOUND: form}
    kind = array_indexed_by((encoding, size_bytes), forms, bounds)
    assert (kind.lower_bound, *kind.dimensions) == expected


@pytest.mark.parametrize(("language", "expected"), [(0x0E, 5), (0x0C, 6)])
def test_the_lower_bound_of_a_language(language: int, expected: int) -> None:
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_ARRAY_TYPE, (), True),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_UPPER_BOUND, dw.FORM_DATA1),)),
    ]
    info = debug_info(file_of(b"\x01" + bytes((language,)) + b"\x02\x03\x05\0", shapes))
    kind = info.types.build(info.die_at(0xE))
    assert isinstance(kind, Array) and kind.dimensions == (expected,)


@pytest.mark.parametrize(
    ("values", "lower", "upper", "expected"),
    [
        ((0, 1, 2), (), 2, ((2,), (1,))),  # 5.13: the default lower bound of Ada is 1
        ((0, 1, 2), (0,), 2, ((3,), ())),
        ((0, 1, 2), (2,), 1, ((0,), (2,))),
        ((1, 5, 9), (), 9, ((3,), ())),  # positions, as values of enumerators have gaps
        ((0, 5, 9), (5,), 9, ((2,), (1,))),
    ],
)
def test_an_array_of_ada_with_enumerators_as_indexes(
    values: tuple[int, ...], lower: tuple[int, ...], upper: int, expected: object
) -> None:
    bounds = ((dw.AT_LOWER_BOUND, dw.FORM_DATA1),) * len(lower)
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_ENUMERATION_TYPE, (), True),
        Shape(dw.TAG_ENUMERATOR, ((dw.AT_CONST_VALUE, dw.FORM_DATA1),)),
        Shape(dw.TAG_ARRAY_TYPE, (), True),
        Shape(
            dw.TAG_SUBRANGE_TYPE,
            ((dw.AT_TYPE, dw.FORM_REF1), *bounds, (dw.AT_UPPER_BOUND, dw.FORM_DATA1)),
        ),
    ]
    index = b"\2" + b"".join(bytes((3, value)) for value in values) + b"\0"
    array = b"\4\5" + bytes((0xE, *lower, upper)) + b"\0"
    info = debug_info(file_of(b"\1\x0d" + index + array + b"\0", shapes))
    kind = info.types.build(info.die_at(0xE + len(index)))
    assert isinstance(kind, Array) and (kind.dimensions, kind.lower_bounds) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (b"\x23\x08", (64, None)),  # plus_uconst 8
        (b"\x10\x08\x22", (64, None)),  # constu 8; plus
        (b"\x12\x06\x22", (0, b"\x12\x06\x22")),  # through a virtual table
        (b"\x23\x80", (0, b"\x23\x80")),  # cut short: its evaluation raises the error
    ],
)
def test_member_locations_of_dwarf_2(expression: bytes, expected: tuple[int, bytes | None]) -> None:
    shapes = [
        Shape(dw.TAG_STRUCTURE_TYPE, (), True),
        Shape(dw.TAG_MEMBER, ((dw.AT_DATA_MEMBER_LOCATION, dw.FORM_BLOCK1),)),
    ]
    data = b"\x02\x03" + bytes((len(expression),)) + expression + b"\0"
    kind = build(data, *shapes, version=2)
    assert isinstance(kind, Struct)
    (member,) = kind.members
    location = member.location
    result = location.expression if isinstance(location, ExprLoc) else None
    assert (member.bit_offset, result) == expected


def test_the_letter_evaluates_the_offset_of_a_member() -> None:
    """A.5.7.3 has no expression that is a number; otherwise `plus_uconst` is one."""
    shapes = [
        ROOT,
        Shape(dw.TAG_STRUCTURE_TYPE, (), True),
        Shape(dw.TAG_MEMBER, ((dw.AT_DATA_MEMBER_LOCATION, dw.FORM_EXPRLOC),)),
    ]
    file = ObjectFile("made", file_of(b"\1\2\3\2\x23\x08\0", shapes))
    info = DebugInfo.of(file, literal=True)
    kind = info.types.build(info.die_at(FIRST))
    assert isinstance(kind, Struct)
    (member,) = kind.members
    assert isinstance(member.location, ExprLoc) and member.bit_offset == 0


def test_pointer_to_void_typedef_of_void_and_unknown_tags() -> None:
    pointer = build(b"\x02", Shape(dw.TAG_POINTER_TYPE))
    assert isinstance(pointer, Pointer)
    assert (pointer.target, pointer.size_bytes) == (None, 8)
    typedef = build(b"\x02", Shape(dw.TAG_TYPEDEF))
    assert isinstance(typedef, Typedef) and typedef.target is None
    unknown = build(b"\x02", Shape(0x4109))
    assert isinstance(unknown, Unspecified) and unknown.name == "DW_TAG 0x4109"
    dynamic = build(b"\x02", Shape(0x46))  # DW_TAG_dynamic_type, by DWARF 5 7.5.3
    assert isinstance(dynamic, Unspecified) and dynamic.name == "dynamic type"


@pytest.mark.parametrize(
    ("tag", "spelled"),
    [
        (dw.TAG_CONST_TYPE, "const int"),
        (dw.TAG_VOLATILE_TYPE, "volatile int"),
        (dw.TAG_RESTRICT_TYPE, "restrict int"),
        (dw.TAG_ATOMIC_TYPE, "_Atomic int"),
        (0x4B, "immutable int"),
        (0x2D, "packed int"),
        (0x40, "shared int"),
    ],
)
def test_every_type_modifier_qualifies_a_type(tag: int, spelled: str) -> None:
    """DWARF 5 5.3, with the tags of 7.5.3."""
    integer = ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_BYTE_SIZE, 11), (dw.AT_ENCODING, 11))
    kind = build(
        b"\x02\x0f\x03int\0\x04\x05",
        Shape(tag, ((dw.AT_TYPE, dw.FORM_REF1),)),
        Shape(dw.TAG_BASE_TYPE, integer),
    )
    assert isinstance(kind, Qualified) and type_name(kind) == spelled
    assert size_bytes(kind) == 4 and isinstance(strip(kind), Base)


def test_an_unspecified_type_without_a_name_is_void() -> None:
    kind = build(b"\x02", Shape(dw.TAG_UNSPECIFIED_TYPE))
    assert type_name(kind) == "void"


def test_the_unit_type_of_rust_is_complete() -> None:
    """And Triton's `unknown_type`, of 0 bytes too, is not: its values have some."""
    attributes = ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_BYTE_SIZE, 11), (dw.AT_ENCODING, 11))
    shape = Shape(dw.TAG_BASE_TYPE, attributes)
    for name, size in (("()", 0), ("unknown_type", None)):
        kind = build(b"\2" + name.encode() + b"\0\0\7", shape)
        assert isinstance(kind, Unspecified)
        assert (kind.name, kind.size_bytes, kind.is_unit) == (name, size, size == 0)


def test_a_declaration_has_no_size() -> None:
    shape = Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_DECLARATION, dw.FORM_FLAG_PRESENT),))
    kind = build(b"\x02", shape)
    assert isinstance(kind, Struct) and kind.is_declaration and kind.size_bytes is None


def test_a_cycle_of_typedefs_is_ill_formed() -> None:
    shape = Shape(dw.TAG_TYPEDEF, ((dw.AT_TYPE, dw.FORM_REF1),))
    kind = build(bytes((2, FIRST)), shape)
    with pytest.raises(IllFormed, match="refer to each other"):
        strip(kind)


def test_a_long_chain_of_enumerations_does_not_recurse() -> None:
    shape = Shape(dw.TAG_ENUMERATION_TYPE, ((dw.AT_TYPE, dw.FORM_REF4),))
    count = 20_000
    entries = b"".join(b"\x02" + struct.pack("<I", FIRST + 5 * (n + 1)) for n in range(count))
    kind = build(entries + b"\x02" + struct.pack("<I", FIRST), shape)
    assert isinstance(kind, Enum) and kind.size_bytes is None


@pytest.mark.parametrize("byte_size", [4, None])
def test_bit_fields_of_dwarf_2_count_from_the_top_of_their_storage(byte_size: int | None) -> None:
    attributes = [(dw.AT_BIT_OFFSET, dw.FORM_DATA1), (dw.AT_BIT_SIZE, dw.FORM_DATA1)]
    data = b"\x02\x03\x05\x03"
    if byte_size is not None:
        attributes.append((dw.AT_BYTE_SIZE, dw.FORM_DATA1))
        data += bytes((byte_size,))
    member_shape = Shape(dw.TAG_MEMBER, tuple(attributes))
    kind = build(data + b"\0", Shape(dw.TAG_STRUCTURE_TYPE, (), True), member_shape, version=2)
    assert isinstance(kind, Struct)
    if byte_size is None:
        with pytest.raises(IllFormed, match="storage of unknown size"):
            kind.members  # noqa: B018
    else:
        assert [member.bit_offset for member in kind.members] == [32 - 5 - 3]


def test_member_functions() -> None:
    """GCC and clang: `this` is constant, whether DW_AT_object_pointer names it or not."""
    for compiler in ("gcc", "clang"):
        bottom = strip(type_of(f"x86_64/bases.{compiler}.O0.v5", "right"))
        assert isinstance(bottom, Struct)
        base = bottom.members[0]
        assert base.is_base_class and base.is_virtual and base.location is not None
        top = strip(base.type)
        assert isinstance(top, Struct)
        (method,) = [method for method in top.declared.methods if method.name == "twice"]
        assert method.is_virtual and method.has_this and method.slot_index == 0
        assert method_name(top, method) == "Top::twice(int)"
        assert (
            type_name(evolve(method.type, own_name=None), cplusplus=True)
            == "int (Top * const, int)"
        )
        plain = strip(type_of(f"x86_64/bases.{compiler}.O0.v5", "plain"))
        assert isinstance(plain, Struct)
        (get,) = [method for method in plain.declared.methods if method.name == "get"]
        assert not get.is_virtual and method_name(plain, get) == "Plain::get(int) const"


@pytest.mark.parametrize(("index", "has_this"), [(0, True), (1, False)])
def test_the_object_pointer_as_an_index(index: int, has_this: bool) -> None:
    """LLVM 21 with -glldb: declarations say which parameter `this` is by its index."""
    shapes = [
        Shape(dw.TAG_STRUCTURE_TYPE, (), True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_OBJECT_POINTER, dw.FORM_DATA1),), True),
        Shape(dw.TAG_FORMAL_PARAMETER, ((dw.AT_ARTIFICIAL, dw.FORM_FLAG_PRESENT),)),
    ]
    kind = build(b"\x02\x03" + bytes((index,)) + b"\x04\0\0", *shapes)
    assert isinstance(kind, Struct)
    assert [method.has_this for method in kind.declared.methods] == [has_this]


@pytest.mark.parametrize(
    ("attributes", "data", "expected"),
    [
        (((dw.AT_DATA_BIT_OFFSET, dw.FORM_DATA1),), b"\x0d", 13),
        (((dw.AT_BIT_OFFSET, dw.FORM_DATA1), (dw.AT_BYTE_SIZE, dw.FORM_DATA1),
          (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1)), b"\x05\x04\x08", 64 + 32 - 5 - 3),
        (((dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1),), b"\x02", 16),
    ],
)  # fmt: skip
def test_the_three_encodings_of_bit_fields(
    attributes: tuple[tuple[int, int], ...], data: bytes, expected: int
) -> None:
    shapes = [
        Shape(dw.TAG_STRUCTURE_TYPE, (), True),
        Shape(dw.TAG_MEMBER, ((dw.AT_BIT_SIZE, dw.FORM_DATA1), *attributes)),
    ]
    kind = build(b"\x02\x03\x03" + data + b"\0", *shapes)
    assert isinstance(kind, Struct)
    assert [(member.bit_offset, member.bit_size) for member in kind.members] == [(expected, 3)]


@pytest.mark.parametrize(
    ("attribute", "number", "machine", "size"),
    [
        (dw.AT_LLVM_ADDRESS_SPACE, 5, AMDGPU, 4),
        (dw.AT_LLVM_ADDRESS_SPACE, 0, AMDGPU, 8),
        (dw.AT_LLVM_ADDRESS_SPACE, 77, AMDGPU, None),
        (dw.AT_ADDRESS_CLASS, 3, AMDGPU, 4),
        (dw.AT_ADDRESS_CLASS, 0, AMDGPU, 8),
        (dw.AT_ADDRESS_CLASS, 99, AMDGPU, None),
        (dw.AT_ADDRESS_CLASS, 3, X86_64, None),
    ],
)
def test_pointers_without_a_size(
    attribute: int, number: int, machine: int, size: int | None
) -> None:
    shape = Shape(dw.TAG_POINTER_TYPE, ((attribute, dw.FORM_DATA1),))
    if size is None:
        with pytest.raises(
            DwarfGpuError, match="has no DW_AT_byte_size|not an AMDGPU address class"
        ):
            build(bytes((2, number)), shape, machine=machine)
    else:
        pointer = build(bytes((2, number)), shape, machine=machine)
        assert isinstance(pointer, Pointer) and pointer.size_bytes == size


@pytest.mark.parametrize("size", [(), ((dw.AT_BYTE_SIZE, dw.FORM_DATA1),)])
def test_an_address_space_is_a_constant(size: tuple[tuple[int, int], ...]) -> None:
    """A.5.3: by an expression it is unknown, and not the default one."""
    attributes = (*size, (dw.AT_LLVM_ADDRESS_SPACE, dw.FORM_EXPRLOC))
    data = b"\2" + len(size) * b"\4" + b"\1\x35"
    with pytest.raises(IllFormed, match="address_space of the entry at 0x.* is not an integer"):
        build(data, Shape(dw.TAG_POINTER_TYPE, attributes))


@pytest.mark.parametrize(
    ("byte_size", "encoding", "expected"),
    [(None, 5, (32, True)), (1, 5, (8, True)), (4, 7, (32, True)), (None, 8, (32, False))],
)
def test_range_types(byte_size: int | None, encoding: int, expected: tuple[int, bool]) -> None:
    attributes = [(dw.AT_TYPE, dw.FORM_REF1)]
    data = b"\x02\x0f" if byte_size is None else b"\x02\x10" + bytes((byte_size,))
    if byte_size is not None:
        attributes.append((dw.AT_BYTE_SIZE, dw.FORM_DATA1))
    base_type = ((dw.AT_ENCODING, dw.FORM_DATA1), (dw.AT_BYTE_SIZE, dw.FORM_DATA1))
    kind = build(
        data + bytes((3, encoding, 4)),
        Shape(dw.TAG_SUBRANGE_TYPE, tuple(attributes)),
        Shape(dw.TAG_BASE_TYPE, base_type),
    )
    assert isinstance(kind, Base) and (kind.base.bit_size, kind.is_range) == expected


@pytest.mark.parametrize(
    ("lower", "upper", "encoding"),
    [(0, 7, "unsigned"), (3, 5, "unsigned"), (-4, 3, "signed"), (0, -1, "signed")],
)
def test_ranges_without_negative_values_have_no_sign_in_fewer_bits(
    lower: int, upper: int, encoding: str
) -> None:
    """As in GDB, in bit-fields, in packed arrays, and in a size less than that of the base."""
    bound = ((dw.AT_LOWER_BOUND, dw.FORM_SDATA), (dw.AT_UPPER_BOUND, dw.FORM_SDATA))
    shapes = [
        Shape(dw.TAG_STRUCTURE_TYPE, (), True),
        Shape(dw.TAG_MEMBER, ((dw.AT_TYPE, dw.FORM_REF1), (dw.AT_BIT_SIZE, dw.FORM_DATA1))),
        Shape(dw.TAG_MEMBER, ((dw.AT_TYPE, dw.FORM_REF1),)),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_TYPE, dw.FORM_REF1), *bound)),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_TYPE, dw.FORM_REF1), *bound, BYTE_SIZE)),
        Shape(dw.TAG_BASE_TYPE, ((dw.AT_ENCODING, dw.FORM_DATA1), BYTE_SIZE)),
        Shape(
            dw.TAG_ARRAY_TYPE, ((dw.AT_TYPE, dw.FORM_REF1), (dw.AT_BIT_STRIDE, dw.FORM_DATA1)), True
        ),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
    ]
    bounds = bytes((lower & 0x7F, upper & 0x7F))
    start = 0xD  # after the header and the number of the unit's entry
    whole, short, number, array = start + 11, start + 15, start + 20, start + 23
    members = bytes((3, whole, 3)) + bytes((4, whole)) + bytes((4, short)) + bytes((4, array))
    entries = b"\2" + members + b"\0"
    entries += bytes((5, number)) + bounds + bytes((6, number)) + bounds + b"\1"
    entries += bytes((7, 5, 4)) + bytes((8, whole, 3, 9, 5, 0))
    kind = build(entries, *shapes)
    assert isinstance(kind, Struct)
    field, full, small, packed = (strip(member.type) for member in kind.members)
    assert isinstance(packed, Array)
    for each in (field, small, strip(packed.element)):
        assert isinstance(each, Base) and each.base.encoding == encoding
    assert isinstance(full, Base) and full.base.encoding == "signed"


@pytest.mark.parametrize(("encoding", "sign_bits"), [(5, 32), (7, None)])
def test_a_computed_bound_has_the_sign_of_its_type(encoding: int, sign_bits: int | None) -> None:
    """GNAT reads the four bytes of a bound with DW_OP_deref_size: without their sign."""
    array = build(
        b"\2\3\x17\5\x0c\0\0\0\x80\0\4" + bytes((encoding, 4)),
        Shape(dw.TAG_ARRAY_TYPE, (), True),
        Shape(
            dw.TAG_SUBRANGE_TYPE, ((dw.AT_TYPE, dw.FORM_REF1), (dw.AT_LOWER_BOUND, dw.FORM_EXPRLOC))
        ),
        Shape(dw.TAG_BASE_TYPE, ((dw.AT_ENCODING, dw.FORM_DATA1), BYTE_SIZE)),
    )
    assert isinstance(array, Dynamic)
    lower = array.properties.bounds[0].lower
    assert isinstance(lower, Computed) and lower.sign_bits == sign_bits
    attributes = TypeAttributes(lambda: Context(architecture=architecture("x86_64")))
    number = attributes.number(lower, LocatedObject(UNDEFINED_LOCATION, None))
    assert number == (-(1 << 31) if sign_bits else 1 << 31)


def test_a_biased_range_is_unsupported() -> None:
    shape = Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_GNU_BIAS, dw.FORM_SDATA),))
    with pytest.raises(Unsupported, match="bias"):
        build(b"\x02\x05", shape)


@pytest.mark.parametrize(("ordering", "expected"), [(None, (2, 3)), (0, (2, 3)), (1, (3, 2))])
def test_the_order_of_dimensions(ordering: int | None, expected: tuple[int, int]) -> None:
    given = ((dw.AT_ORDERING, dw.FORM_DATA1),) if ordering is not None else ()
    data = b"" if ordering is None else bytes((ordering,))
    kind = build(
        b"\x02" + data + b"\x03\x02\x03\x03\0",
        Shape(dw.TAG_ARRAY_TYPE, given, True),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
    )
    assert isinstance(kind, Array) and kind.dimensions == expected


def test_a_value_smaller_than_its_storage_takes_the_storage() -> None:
    """DWARF 5 5.1: DW_AT_byte_size is the storage of an object, DW_AT_bit_size its value."""
    kind = base(7, byte_size=4, bit_size=17)
    assert isinstance(kind, Base) and (kind.base.bit_size, size_bytes(kind)) == (17, 4)
    kind = base(7, bit_size=17)
    assert isinstance(kind, Base) and (kind.storage_bits, size_bytes(kind)) == (None, 3)
    with pytest.raises(IllFormed, match="DW_AT_bit_size 33 is more than DW_AT_byte_size 4 has"):
        base(7, byte_size=4, bit_size=33)


def test_an_enumeration_without_a_size_has_none() -> None:
    """DWARF 5 5.8: the size is optional. GDB 13 says that sizeof is 0, and so has no value."""
    shape = Shape(dw.TAG_ENUMERATION_TYPE, ((dw.AT_NAME, dw.FORM_STRING),))
    kind = build(b"\2e\0", shape)
    assert isinstance(kind, Enum) and size_bytes(kind) is None
    with pytest.raises(IllFormed, match="enumeration e has no size"):
        _ = kind.value_bits


@pytest.mark.parametrize(("declared", "size"), [(0, 4), (1, 1), (4, 4)])
def test_an_enumeration_of_0_bytes_has_the_size_of_its_type(declared: int, size: int) -> None:
    """As in GDB, which takes 0 as no size."""
    shapes = [
        Shape(dw.TAG_ENUMERATION_TYPE, (BYTE_SIZE, (dw.AT_TYPE, dw.FORM_REF4))),
        Shape(dw.TAG_BASE_TYPE, (BYTE_SIZE, (dw.AT_ENCODING, dw.FORM_DATA1))),
    ]
    entries = b"\2" + bytes((declared,)) + (FIRST + 6).to_bytes(4, "little") + b"\3\4\5"
    kind = build(entries, *shapes)
    assert isinstance(kind, Enum) and kind.size_bytes == size


SIGNED, UNSIGNED = 5, 7  # DW_ATE
_MINUS_2 = (-2 & (1 << 128) - 1).to_bytes(16, "little")


@pytest.mark.parametrize(
    ("form", "data", "encoding", "value"),
    [
        (dw.FORM_BLOCK1, b"\x10" + _MINUS_2, SIGNED, -2),
        (dw.FORM_BLOCK1, b"\x10" + _MINUS_2, UNSIGNED, (1 << 128) - 2),
        (dw.FORM_DATA16, _MINUS_2, SIGNED, -2),
        (dw.FORM_DATA16, _MINUS_2, UNSIGNED, (1 << 128) - 2),
        (
            dw.FORM_DATA16,
            _MINUS_2[::-1],
            SIGNED,
            int.from_bytes(_MINUS_2, "big") - (1 << 128),
        ),
        (dw.FORM_DATA1, b"\xfe", SIGNED, 254),  # GCC writes numbers without a sign so
        (dw.FORM_BLOCK1, b"\x11" + bytes(17), SIGNED, None),
    ],
)
def test_enumerators_of_128_bits(form: int, data: bytes, encoding: int, value: int | None) -> None:
    """DWARF 5 4.1: a block has the bytes of the object, and a form of its size the type's sign."""
    shapes = [
        Shape(dw.TAG_ENUMERATION_TYPE, (BYTE_SIZE, (dw.AT_TYPE, dw.FORM_REF4)), True),
        Shape(dw.TAG_ENUMERATOR, ((dw.AT_CONST_VALUE, form),)),
        Shape(dw.TAG_BASE_TYPE, (BYTE_SIZE, (dw.AT_ENCODING, dw.FORM_DATA1))),
    ]
    enumerator = b"\3" + data + b"\0"
    base_at = (FIRST + 6 + len(enumerator)).to_bytes(4, "little")
    entries = b"\2\x10" + base_at + enumerator + bytes((4, 16, encoding))
    if value is None:
        with pytest.raises(IllFormed, match="DW_AT_const_value of the entry at .* has 17 bytes"):
            build(entries, *shapes)
        return
    kind = build(entries, *shapes)
    assert isinstance(kind, Enum) and kind.enumerators == (("", value),)


@pytest.mark.parametrize("is_negative", [False, True])
def test_a_wide_enumerator_without_a_type(is_negative: bool) -> None:
    shapes = [
        Shape(dw.TAG_ENUMERATION_TYPE, (BYTE_SIZE,), True),
        Shape(dw.TAG_ENUMERATOR, ((dw.AT_CONST_VALUE, dw.FORM_DATA16),)),
    ]
    data = _MINUS_2 if is_negative else (1 << 100).to_bytes(16, "little")
    if is_negative:
        with pytest.raises(Unsupported, match="whether it is negative is unknown"):
            build(b"\2\x10\3" + data + b"\0", *shapes)
        return
    kind = build(b"\2\x10\3" + data + b"\0", *shapes)
    assert isinstance(kind, Enum) and kind.enumerators == (("", 1 << 100),)


@pytest.mark.parametrize(("declared", "size"), [(11, None), (12, 12), (16, 16)])
def test_an_array_has_the_size_of_its_elements_or_more(declared: int, size: int | None) -> None:
    shapes = [
        Shape(dw.TAG_ARRAY_TYPE, (BYTE_SIZE, (dw.AT_TYPE, dw.FORM_REF4)), True),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
        Shape(dw.TAG_BASE_TYPE, (BYTE_SIZE, (dw.AT_ENCODING, dw.FORM_DATA1))),
    ]
    entries = b"\2" + bytes((declared,)) + (22).to_bytes(4, "little") + b"\3\3\0\4\4\5"
    kind = build(entries, *shapes)
    if size is None:
        with pytest.raises(IllFormed, match="an array is 11, and its elements have 12 bytes"):
            size_bytes(kind)
    else:
        assert size_bytes(kind) == size


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (dw.AT_DATA_MEMBER_LOCATION, "DW_AT_data_member_location"),
        (dw.AT_BIT_OFFSET, "DW_AT_bit_offset"),
    ],
)
def test_a_member_has_one_location(other: int, name: str) -> None:
    """DWARF 5 5.7.6, DWARF 4 5.5.6: one of them or DW_AT_data_bit_offset."""
    both = (other, dw.FORM_DATA1), (dw.AT_DATA_BIT_OFFSET, dw.FORM_DATA1)
    shapes = [Shape(dw.TAG_STRUCTURE_TYPE, (BYTE_SIZE,), True), Shape(dw.TAG_MEMBER, both)]
    kind = build(b"\2\x08\3\4\x08\0", *shapes)
    assert isinstance(kind, Struct)
    with pytest.raises(IllFormed, match=f"has both {name} and DW_AT_data_bit_offset"):
        _ = kind.members


def variant_record(
    *,
    is_artificial: bool,
    values: bytes = b"\0\5",
    attribute: int = dw.AT_DISCR_LIST,
    form: int = dw.FORM_BLOCK1,
    encoding: int = 0x07,
) -> Type:
    """A structure with a variant part, whose discriminant is a byte in it."""
    if form == dw.FORM_BLOCK1:
        values = bytes((len(values),)) + values
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_BYTE_SIZE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_VARIANT_PART, ((dw.AT_DISCR, dw.FORM_REF1),), True),
        Shape(
            dw.TAG_MEMBER,
            (
                (dw.AT_NAME, dw.FORM_STRING),
                (dw.AT_TYPE, dw.FORM_REF1),
                (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1),
                (dw.AT_ARTIFICIAL, dw.FORM_FLAG),
            ),
        ),
        Shape(dw.TAG_VARIANT, ((attribute, form),), True),
        Shape(
            dw.TAG_BASE_TYPE,
            ((dw.AT_ENCODING, dw.FORM_DATA1), (dw.AT_BYTE_SIZE, dw.FORM_DATA1)),
        ),
    ]
    at = 0x0D  # of the structure
    before = b"\x01\x02\x08\x03" + bytes((at + 4,))
    base_at = at + 4 + 6 + 1 + len(values) + 6 + 3
    tag = b"\x04d\0" + bytes((base_at, 0, is_artificial))
    variant = b"\x05" + values + b"\x04x\0" + bytes((base_at, 4, 0)) + b"\0"
    entries = before + tag + variant + b"\0\0\x06" + bytes((encoding, 1, 0))
    info = debug_info(elf({".debug_info": unit(entries), ".debug_abbrev": abbreviations(*shapes)}))
    return info.types.build(info.die_at(at))


@pytest.mark.parametrize("is_artificial", [False, True])
def test_a_discriminant_in_a_variant_part_is_a_member(*, is_artificial: bool) -> None:
    """Of the structure, unless it is artificial, as that of an enumeration of Rust."""
    record = variant_record(is_artificial=is_artificial)
    assert isinstance(record, Struct)
    assert [member.name for member in record.members] == ([] if is_artificial else ["d"])
    [part] = record.declared.variant_parts
    assert part.discriminant is not None and part.discriminant.name == "d"


def test_an_unknown_descriptor_of_discriminants_is_ill_formed() -> None:
    record = variant_record(is_artificial=False, values=b"\7\5")
    assert isinstance(record, Struct)
    with pytest.raises(IllFormed, match="has the unknown descriptor 0x7"):
        record.declared.variant_parts  # noqa: B018


def test_a_discriminant_of_128_bits_is_a_block() -> None:
    """As LLVM writes numbers that no constant form has."""
    value = (3 << 100 | 5).to_bytes(16, "little")
    record = variant_record(is_artificial=True, values=value, attribute=dw.AT_DISCR_VALUE)
    assert isinstance(record, Struct)
    [part] = record.declared.variant_parts
    assert [variant.values for variant in part.variants] == [((3 << 100 | 5,) * 2,)]


@pytest.mark.parametrize(
    ("attribute", "values", "message"),
    [
        (dw.AT_DISCR_VALUE, bytes(200), "DW_AT_discr_value of the entry at 0x17 has 200 bytes"),
        (
            dw.AT_DISCR_LIST,
            b"\1\0" + b"\x80" * 100 + b"\1",
            "DW_AT_discr_list of the entry at 0x17 has a value of more than 16 bytes",
        ),
    ],
)
def test_a_discriminant_of_more_bytes_than_any_type_is_ill_formed(
    attribute: int, values: bytes, message: str
) -> None:
    """Python writes no number of more than 4300 digits."""
    record = variant_record(is_artificial=True, values=values, attribute=attribute)
    assert isinstance(record, Struct)
    with pytest.raises(IllFormed, match=message):
        record.declared.variant_parts  # noqa: B018


@pytest.mark.parametrize(
    ("encoding", "form", "value", "expected"),
    [
        (0x05, dw.FORM_DATA1, b"\xff", -1),
        (0x05, dw.FORM_DATA2, b"\xd4\xfe", -300),
        (0x05, dw.FORM_DATA2, b"\xc8\0", 200),
        (0x05, dw.FORM_SDATA, b"\x7f", -1),
        (0x05, dw.FORM_BLOCK1, b"\xff\xff", -1),
        (0x07, dw.FORM_DATA1, b"\xff", 255),
    ],
)
def test_a_discriminant_has_the_sign_of_its_type(
    encoding: int, form: int, value: bytes, expected: int
) -> None:
    """DWARF 5 5.7.10: LLVM writes -1 of `#[repr(i64)]` in DW_FORM_data1."""
    record = variant_record(
        is_artificial=True, values=value, attribute=dw.AT_DISCR_VALUE, form=form, encoding=encoding
    )
    assert isinstance(record, Struct)
    [part] = record.declared.variant_parts
    assert [variant.values for variant in part.variants] == [((expected, expected),)]
