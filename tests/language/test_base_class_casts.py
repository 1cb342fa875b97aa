"""Casts between a class and its base classes: C++ 7.6.1.9 on a program with virtual ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types import class_builder
from dwarfgpu.dwarf.types.class_parts import Access
from dwarfgpu.dwarf.types.types import Member, Struct, Type
from dwarfgpu.errors import UndefinedBits, UsageError
from dwarfgpu.language.base_class_casts import kinship, require_defined
from dwarfgpu.language.evaluator import evaluate, type_of
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.value_text import format as format_value
from dwarfgpu.model.location import composite
from dwarfgpu.model.storage import Part
from tests.language.sessions import stopped, text

TOP = "{_vptr.Top = 0x403ee8 <vtable for Bottom+80>, t = 1}"
RIGHT = f"{{<Top> = {TOP}, _vptr.Right = 0x403ed0 <vtable for Bottom+56>, r = 3}}"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # Up, to a base class that is not the first.
        ("*(Right *)&bottom", RIGHT),
        ("(Right)(Right &)bottom", RIGHT),
        ("&(Right &)bottom == (Right *)&bottom", "true"),
        ("(Right)bottom", RIGHT),
        ("(char *)(Right *)&bottom - (char *)&bottom", "16"),
        # Up, to a virtual one: its place is in the object's table of virtual functions.
        ("*(Top *)&bottom", TOP),
        ("(Top)(Top &)bottom", TOP),
        ("(Top)bottom", TOP),
        ("*(Top *)(Right *)&bottom", TOP),
        ("*(const Top *)&left", TOP),
        ("(Top *)&right == &right", "true"),
        # Down.
        ("((Bottom *)(Right *)&bottom)->b", "4"),
        ("((Bottom &)(Right &)bottom).b", "4"),
        ("(Bottom *)(Right *)&bottom == &bottom", "true"),
        # Down from a virtual one.
        ("(Bottom *)top == &bottom", "true"),
        ("((Bottom *)top)->b", "4"),
        ("((Left &)*top).l", "2"),
        ("sizeof(*(Bottom *)top)", "48"),
        ("(Bottom *)(Top *)0", "(Bottom *) 0x0"),
        ("(Left *)(Top *)&right", "cannot convert from base class 'Top' to derived class 'Left' "
         "because the base is virtual and the class of the object is 'Right'"),
        # Of an object that cannot be read; the first base class leads to a shared virtual one.
        ("(Top *)(Right *)0x40", "Cannot access memory at address 0x40: not in the state"),
        ("(Top *)(Bottom *)0x40", "Cannot access memory at address 0x40: not in the state"),
        ("((Bottom *)0x40)->t", "Cannot access memory at address 0x40: not in the state"),
        ("(Bottom *)(Top *)0x40", "Cannot access memory at address 0x40: not in the state"),
        # Null stays null; other classes, other types and other memory are taken as they are.
        ("(Right *)(Bottom *)0", "(Right *) 0x0"),
        ("(Top *)(Bottom *)0", "(Top *) 0x0"),
        ("(Plain *)&bottom", "(Plain *) 0x404060 <bottom>"),
        ("(Right *)(void *)&bottom", "(Right *) 0x404060 <bottom>"),
        ("({Right} &bottom).r", "2"),
        ("(long)(Right *)&bottom - (long)&bottom", "16"),
        # A comparison and an assignment convert.
        ("&bottom == top", "true"),
        ("top == &bottom", "true"),
        ("top = &many[1], top->t", "20"),
        # A pointer to a member is that of the base class it names.
        ("bottom.*&Top::t", "1"),
        ("(&bottom)->*&Top::t", "1"),
        ("bottom.*&Right::r", "3"),
        ("(*(Right *)&bottom).*&Bottom::b", "4"),
        ("(&plain)->*&Top::t", "The pointer to a member of Top is not for objects of Plain."),
        # What is written goes to the base class.
        ("((Right *)&bottom)->r = 9, bottom.r", "9"),
        ("((Right &)bottom).r = 9, bottom.l", "2"),
        ("((Top &)bottom).t = 9, bottom.t", "9"),
        ("((Bottom *)(Right *)&bottom)->l = 9, bottom.l", "9"),
        ("sizeof(*(Top *)&bottom)", "16"),
        ("sizeof((Right &)bottom)", "32"),
        ("sizeof(*(&bottom)@3)", "144"),  # arrays of what is not evaluated, as in GDB
        ("sizeof(bottom.l@2)", "8"),
    ],
)  # fmt: skip
def test_casts(expression: str, expected: str) -> None:
    assert text(stopped("bases.gcc.O0"), expression) == expected


def test_a_virtual_base_class_of_an_object_that_is_optimized_out() -> None:
    session = stopped("bases.gcc.O0")
    gone = UndefinedBits("bottom has no location: it is optimized out")
    whole = evaluate("bottom", session)
    part = ObjectAccess(session).member(TypedValue(whole.type, error=gone, unit=whole.unit), "t")
    assert part.error is gone
    assert format_value(part, session) == "<optimized out>"


def test_a_virtual_base_class_of_an_object_in_pieces() -> None:
    """Optimizing compilers keep objects so: its table is known, but no address to add to."""
    session = stopped("bases.gcc.O0")
    whole = evaluate("bottom", session)
    assert whole.location is not None
    pieces = composite([Part(whole.location, 48 * 8)])
    in_pieces = evolve(whole, location=pieces, bits=None, variable=None)
    why = "where the virtual base class is, is not known: the object has no address"
    shown = format_value(in_pieces, session)
    assert "{<Left> = {<Top> = <invalid address>, _vptr.Left = " in shown  # as in GDB
    assert format_value(ObjectAccess(session).member(in_pieces, "b"), session) == "4"
    with pytest.raises(UndefinedBits, match=f"^{why}$"):
        ObjectAccess(session).member(in_pieces, "t")


def base(kind: Struct, offset_bytes: int = 0, *, is_virtual: bool = False) -> Member:
    return Member(None, kind, 8 * offset_bytes, is_base_class=True, is_virtual=is_virtual)


def derived(name: str, *bases: Member) -> Struct:
    return Struct("class", name, 8 * len(bases) or 1, bases)


A, OTHER = derived("A"), derived("Other")
B, C = derived("B", base(A)), derived("C", base(OTHER), base(A, 8))
V, W = derived("V", base(A, is_virtual=True)), derived("W", base(A, is_virtual=True))
TWICE, ONCE = derived("Twice", base(B), base(C, 8)), derived("Once", base(V), base(W, 8))
MIXED = derived("Mixed", base(ONCE), base(B, 16))


@pytest.mark.parametrize(
    ("source", "target", "offset_bytes"),
    [
        (C, A, 8),
        (TWICE, C, 8),
        (TWICE, OTHER, 8),
        (A, C, 8),
        (ONCE, W, 8),
        (A, OTHER, None),
        (A, ONCE, None),
    ],
)
def test_ways(source: Struct, target: Struct, offset_bytes: int | None) -> None:
    way = kinship(source, target)
    assert (None if way is None else way.offset_bytes) == offset_bytes


def test_one_virtual_base_class_is_not_ambiguous() -> None:
    way = kinship(ONCE, A)
    assert way is not None and way.is_up and len(way.steps) == 2


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (TWICE, A, "base class 'A' is ambiguous in type 'Twice'"),
        (A, TWICE, "base class 'A' is ambiguous in type 'Twice'"),
        (MIXED, A, "base class 'A' is ambiguous in type 'Mixed'"),
    ],
)  # fmt: skip
def test_casts_that_are_refused(source: Struct, target: Struct, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        kinship(source, target)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("is_cplusplus", "other", "is_refused"),
    [
        (True, Struct("class", "Known", 8), True),
        (True, Struct("class", "Opaque", 8), False),
        (True, None, False),
        (False, Struct("struct", "Known", 8), False),
    ],
)
def test_a_class_that_is_only_declared(
    is_cplusplus: bool, other: Type | None, is_refused: bool
) -> None:
    opaque = Struct("class", "Opaque", None, is_declaration=True)
    language = 0x04 if is_cplusplus else 0x0C
    unit: Any = SimpleNamespace(language=language, is_cplusplus=is_cplusplus, is_opencl=False)
    for one, another in ((opaque, other), (other, opaque)):
        if is_refused:
            with pytest.raises(UsageError, match="'Opaque' has no definition"):
                require_defined(unit, one, another)
        else:
            require_defined(unit, one, another)


def _private(monkeypatch: pytest.MonkeyPatch, *steps: tuple[str, str]) -> None:
    """Make base classes of bases.cpp private: of each (class, base class)."""
    declared = class_builder._access

    def access(die: Die) -> Access:
        parent, kind = die.parent(), die.reference(dw.AT_TYPE)
        names = (parent and parent.name, kind and kind.name)
        return "private" if die.tag == dw.TAG_INHERITANCE and names in steps else declared(die)

    monkeypatch.setattr(class_builder, "_access", access)


LEFT, RIGHT_BASE = ("Bottom", "Left"), ("Bottom", "Right")
TOP_OF_LEFT, TOP_OF_RIGHT = ("Left", "Top"), ("Right", "Top")


@pytest.mark.parametrize(
    ("private", "expression", "expected"),
    [
        # A virtual base class is public if it is so through one of the ways to it.
        ([LEFT], "dynamic_cast<Bottom *>(top) == &bottom", "true"),
        ([RIGHT_BASE], "dynamic_cast<Bottom *>(top) == &bottom", "true"),
        ([TOP_OF_LEFT], "&dynamic_cast<Bottom &>(*top) == &bottom", "true"),
        ([LEFT, RIGHT_BASE], "dynamic_cast<Bottom *>(top)", "(Bottom *) 0x0"),
        # Down to the only part that has the value as a public base class, though that is private.
        ([LEFT], "dynamic_cast<Left *>(top) == &bottom", "true"),
        ([RIGHT_BASE], "dynamic_cast<Right *>(top) == (Right *)&bottom", "true"),
        # Across: the value and the part must be public base classes of the whole object.
        ([], "dynamic_cast<Right *>((Left *)&bottom) == (Right *)&bottom", "true"),
        ([RIGHT_BASE], "dynamic_cast<Right *>((Left *)&bottom)", "(Right *) 0x0"),
        ([LEFT], "dynamic_cast<Right *>((Left *)&bottom)", "(Right *) 0x0"),
        ([TOP_OF_LEFT], "dynamic_cast<Left *>(top) == &bottom", "true"),
        ([TOP_OF_LEFT, TOP_OF_RIGHT], "dynamic_cast<Left *>(top)", "(Left *) 0x0"),
        # The whole object has no access.
        ([LEFT, RIGHT_BASE], "dynamic_cast<void *>(top) == &bottom", "true"),
        ([RIGHT_BASE], "dynamic_cast<void *>((Right *)&bottom) == &bottom", "true"),
    ],
)  # fmt: skip
def test_dynamic_casts_and_access(
    monkeypatch: pytest.MonkeyPatch, private: list[tuple[str, str]], expression: str, expected: str
) -> None:
    _private(monkeypatch, *private)
    assert text(stopped("bases.gcc.O0"), expression) == expected


@pytest.mark.parametrize("expression", ["static_cast<Bottom &>(*top)", "(Bottom &)*top"])
def test_a_reference_down_from_a_virtual_base_class_is_one_by_its_type(expression: str) -> None:
    kind = type_of(expression, stopped("bases.gcc.O0"))
    assert type_name(kind.type, cplusplus=True) == "Bottom &"
