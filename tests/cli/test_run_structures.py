"""`dwarfgpu run`: buffers of structures are structured arrays of NumPy."""

from __future__ import annotations

import io
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from dwarfgpu.base.npy import Npy, npy_bytes, parse_npy
from dwarfgpu.base.npy_fields import structure
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Member,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.simulated.launch.dispatch_packet import Allocator
from dwarfgpu.machine.simulated.launch.kernarg import bind
from dwarfgpu.machine.simulated.launch.kernel_arguments import DeclaredParameter, parameters
from dwarfgpu.model.value import BaseType
from dwarfgpu.objfile.metadata import Argument
from dwarfgpu.options.kernel_argument_options import argument_values, declared
from dwarfgpu.service.run.run_report import buffer_lines

CHAR, SHORT, INT = (
    Base(BaseType(name, "signed", bits)) for name, bits in (("char", 8), ("short", 16), ("int", 32))
)
DOUBLE = Base(BaseType("double", "float", 64))
FLOAT = Base(BaseType("float", "float", 32))


def struct(size_bytes: int, *members: tuple[str | None, int, Type], kind: Any = "struct") -> Struct:
    made = tuple(Member(name, type_, 8 * offset) for name, offset, type_ in members)
    return Struct(kind, "S", size_bytes, made)


POINT = struct(16, ("x", 0, FLOAT), ("y", 8, DOUBLE))
WHOLE = struct(
    104,
    ("c", 0, CHAR),
    ("p", 8, Array(POINT, (2,))),
    ("m", 40, Array(SHORT, (2, 3))),
    ("v", 64, Array(FLOAT, (3,), is_vector=True, declared_bits=128)),
    ("k", 80, Enum("color", 4, is_signed=True)),
    (None, 84, struct(4, ("inner", 0, INT))),
    ("to", 88, Pointer(INT)),
    ("last", 96, CHAR),
)
AS_NUMPY = np.dtype(
    [
        ("c", "i1"), ("p", np.dtype([("x", "<f4"), ("y", "<f8")], align=True), 2),
        ("m", "<i2", (2, 3)), ("pad", "V12"), ("v", "<f4", 4), ("k", "<i4"), ("inner", "<i4"),
        ("to", "<u8"), ("last", "i1"),
    ],
    align=True,
)  # fmt: skip


def pointer_to(type_: Type) -> DeclaredParameter:
    variable: Any = SimpleNamespace(name="s", type=Pointer(type_))
    return declared(variable)


def loaded(array: Npy) -> np.ndarray:
    return np.load(io.BytesIO(npy_bytes(array)), allow_pickle=False)


def in_one_another(depth: int, count: int) -> Struct:
    """A structure of others of the same kind, which have members likewise, and so on."""
    part = struct(4, ("v", 0, INT))
    for _ in range(1, depth):
        size = part.size_bytes or 0
        part = struct(size * count, *((f"m{n}", n * size, part) for n in range(count)))
    return part


@pytest.mark.parametrize(("depth", "is_array"), [(13, True), (64, True), (65, False)])
def test_structures_in_one_another(depth: int, is_array: bool) -> None:
    """As deep as NumPy and dwarfgpu read them; beyond, they are bytes."""
    fields = pointer_to(in_one_another(depth, 1)).item_fields
    assert bool(fields) == is_array
    if is_array:
        written = Npy(structure(fields), (2,), bytes(range(8)), fields)
        assert loaded(written).tobytes() == bytes(range(8))
        assert parse_npy(npy_bytes(written), "x", structures=True).fields == fields


def test_structures_with_too_many_fields_are_not_counted() -> None:
    assert not pointer_to(in_one_another(12, 8)).item_fields


def test_a_structure_has_the_type_that_numpy_has_for_it() -> None:
    fields = pointer_to(Array(WHOLE, (3,))).item_fields
    data = bytes(range(104)) * 2
    array = loaded(Npy(structure(fields), (2,), data, fields))
    assert array.dtype.itemsize == 104
    names = [name for name in AS_NUMPY.names or () if name != "pad"]
    assert list(array.dtype.names or ()) == names
    expected = np.frombuffer(data, AS_NUMPY)
    for name in names:
        assert array[name].shape == expected[name].shape
    for name in {*names} - {"p"}:  # whose padding is nothing that an array keeps
        assert array[name].tobytes() == expected[name].tobytes()
    for name in ("x", "y"):
        assert array["p"][name].tobytes() == expected["p"][name].tobytes()


def test_an_array_that_numpy_wrote_is_read_back(tmp_path: Path) -> None:
    fields = pointer_to(WHOLE).item_fields
    first = Npy(structure(fields), (2, 1), bytes(208), fields)
    np.save(tmp_path / "s.npy", loaded(first))
    again = parse_npy((tmp_path / "s.npy").read_bytes(), "s.npy", structures=True)
    assert (again.descr, again.shape, again.fields) == (first.descr, first.shape, fields)
    assert argument_values([f"s={tmp_path / 's.npy'}"])["s"].fields == fields  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "type_",
    [
        struct(4, ("i", 0, INT), ("f", 0, FLOAT), kind="union"),
        struct(8, ("a", 0, INT), (None, 4, struct(4, ("i", 0, INT), kind="union"))),
        struct(8, ("a", 0, INT), ("b", 2, INT)),
        struct(16, ("a", 0, Base(BaseType("__int128", "signed", 128)))),
        struct(8, ("a", 0, INT), ("rest", 4, Array(INT, (None,)))),
        struct(4, ("a", 0, INT), ("b", 4, INT)),
        Struct("struct", "S", 4, (Member("bits", INT, 0, 3),)),
        Struct("struct", "S", None, is_declaration=True),
        struct(1),
        INT,
    ],
)
def test_what_numpy_has_no_type_for_is_bytes(type_: Type) -> None:
    assert pointer_to(type_).item_fields == ()


@pytest.mark.parametrize("is_base_class", [False, True])
def test_a_structure_that_contains_itself(is_base_class: bool) -> None:
    """No language has one; a damaged file may."""
    members: list[Member] = []
    whole = Struct("struct", "S", 8, cast(tuple[Member, ...], members))
    members.append(Member(None, whole, 0, is_base_class=is_base_class))
    assert pointer_to(whole).item_fields == ()
    variable: Any = SimpleNamespace(name="s", type=whole)
    assert declared(variable).compound == "struct S"


def test_structures_are_shown_with_their_members() -> None:
    fields = pointer_to(POINT).item_fields
    data = np.array([(1.5, 2), (0, 3)] * 4, np.dtype([("x", "<f4"), ("y", "<f8")], align=True))
    outputs = {"s": Npy(structure(fields), (8,), data.tobytes(), fields)}
    result: Any = SimpleNamespace(outputs=outputs, texts={}, bfloats=())
    [line] = buffer_lines(result)
    assert line.startswith("  s = struct[8] {{x = 1.5, y = 2}, {x = 0, y = 3}, ")
    assert line.endswith(", …}")


@pytest.mark.parametrize(
    ("tag", "shown"),
    [
        (b"ab\0\0", '"ab"'),
        (b'a"\n\\', r'"a\"\n\\"'),
        (b"ab\0c", "{97, 98, 0, 99}"),
        (b"\xffab\0", "{-1, 97, 98, 0}"),
        (bytes(4), "{0, 0, 0, 0}"),
    ],
)
def test_plain_char_in_structures_is_text(tag: bytes, shown: str) -> None:
    """Where nothing would be left out."""
    kind = struct(8, ("tag", 0, Array(CHAR, (4,))), ("n", 4, INT))
    fields = pointer_to(kind).item_fields
    outputs = {"s": Npy(structure(fields), (1,), tag + bytes(4), fields)}
    result: Any = SimpleNamespace(outputs=outputs, texts={}, bfloats=())
    assert list(buffer_lines(result)) == [f"  s = struct[1] {{{{tag = {shown}, n = 0}}}}"]


def test_arrays_of_texts() -> None:
    """Of a row of text each, which counts as one."""
    kind = struct(6, ("tags", 0, Array(CHAR, (2, 3))))
    fields = pointer_to(kind).item_fields
    outputs = {"s": Npy(structure(fields), (4,), b"ab\0cde" * 4, fields)}
    result: Any = SimpleNamespace(outputs=outputs, texts={}, bfloats=())
    (line,) = buffer_lines(result)
    assert line == "  s = struct[4] {" + ", ".join(['{tags = {"ab", "cde"}}'] * 4) + "}"
    signed = Base(BaseType("signed char", "signed", 8))
    numbers = pointer_to(struct(3, ("tag", 0, Array(signed, (3,))))).item_fields
    outputs = {"s": Npy(structure(numbers), (1,), b"ab\0", numbers)}
    result = SimpleNamespace(outputs=outputs, texts={}, bfloats=())
    assert list(buffer_lines(result)) == ["  s = struct[1] {{tag = {97, 98, 0}}}"]


def test_integers_of_a_size_that_no_machine_has() -> None:
    """1 << 2**34 takes 2 GB."""
    wide = Base(BaseType("wide", "signed", 1 << 34))
    assert pointer_to(wide).item_integers is None
    variable: Any = SimpleNamespace(name="s", type=wide)
    assert declared(variable).integers is None


def test_a_structure_without_a_name_has_that_of_its_typedef() -> None:
    bare = Struct("struct", None, 4, (Member("n", INT, 0),))
    item = Typedef("item", bare)
    for type_ in (item, Qualified("const", item), Array(item, (2,))):
        assert pointer_to(type_).item == "item"
    assert pointer_to(Typedef("number", INT)).item == "int"


def saved(path: Path, kind: Any) -> str:
    np.save(path, np.zeros(2, kind))
    return f"s={path}"


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ([("a", ">i4")], "whose field 'a' has the type '>i4'"),
        ([("a", "<i4"), ("b", "<U3")], "whose field 'b' has the type '<U3'"),
        ([("a", [("b", "M8[s]")])], "whose field 'a.b' has the type '<M8[s]'"),
        (
            [("pos", "<f4", 4), ("col", "|u1", 4), ("h", "<f2"), ("name", "S8")],
            "whose field 'name' has the type '|S8'",
        ),
    ],
)
def test_fields_that_are_no_little_endian_numbers_are_refused(
    kind: Any, field: str, tmp_path: Path
) -> None:
    text = f"s.npy: an array of structures {field}; their fields need names of their own"
    with pytest.raises(UsageError, match=re.escape(text)):
        argument_values([saved(tmp_path / "s.npy", kind)])


@pytest.mark.parametrize(
    ("descr", "fault"),
    [
        ("[]", "with [] in place of fields"),
        ("[('a', [])]", "with [] in place of fields as the field 'a'"),
        ("[('a',)]", "with ('a',) in place of a field"),
        ("[('a', '<i4'), ('a', '<i4')]", "with two fields 'a'"),
        ("[('', '<i4')]", "whose field '' has the type '<i4'"),
        ("[('a', '<i4', (0,))]", "whose field 'a' has the shape (0,)"),
        ("[('" + "a" * 99 + "', '>i4')]", f"whose field '{'a' * 58}… has the type '>i4'"),
    ],
)
def test_the_field_at_fault_is_named(descr: str, fault: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_npy(of_descr(descr), "x", structures=True)
    assert str(caught.value).startswith(f"x: an array of structures {fault}; their fields need")


def of_descr(descr: str) -> bytes:
    """A file whose type is a text."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': (1,)}}\n".encode()
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header


@pytest.mark.parametrize(
    "descr",
    [
        "[]", "[('a',)]", "[('a', '<i4'), ('a', '<i4')]", "[('', '<i4')]", "[('a', '<i4', (0,))]",
        "[('a', '<i4', 3)]", "[(('t', 'a'), '<i4')]", "[('a', '|V0')]", "[['a', '<i4']]",
        "[('a', '<f8', (99999999, 99999999))]", "[('a', " * 65 + "'<i4'" + ")]" * 65,
    ],
)  # fmt: skip
def test_malformed_fields_are_one_line(descr: str) -> None:
    data = of_descr(descr)
    with pytest.raises(UsageError, match="x: an array of structures .*; their fields need names"):
        parse_npy(data, "x", structures=True)


def test_structures_of_another_size_are_refused(tmp_path: Path) -> None:
    explicit = parameters([Argument("global_buffer", 8, 0)], [pointer_to(POINT)])
    given = argument_values([saved(tmp_path / "s.npy", [("a", "<f4"), ("b", "<f4")])])
    hidden: Any = SimpleNamespace(of=None)
    with pytest.raises(UsageError, match="structures of 8 bytes, where .*S has 16; a raw file"):
        bind(explicit, [Argument("global_buffer", 8, 0)], given, hidden, Allocator(0), 0)
