"""References inside of other objects: with their targets where GDB shows them."""

from __future__ import annotations

import pytest

import dwarfgpu as dg
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, Base, Function, Member, Pointer, Struct, Type
from dwarfgpu.model.object import Bits
from dwarfgpu.printers import STANDARD, Object, Printed, Printer
from dwarfgpu.service.frame.focus import contents
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.values import format_value
from tests.dwarf.builder import FIXTURES

INT = Base(BaseType("int", "signed", 32))
CHAR = Base(BaseType("char", "signed_char", 8))
TO_INT = Pointer(INT, kind="reference")
POINT = Struct("struct", "Point", 8, (Member("x", INT, 0), Member("y", INT, 32)))


def pair(value: Object) -> Printed:
    return Printed(None, (("first", value["first"]), ("second", value["second"])))


def pair_of(first: Type) -> Struct:
    return Struct("class", "Pair", 16, (Member("first", first, 0), Member("second", INT, 64)))


PAIR = pair_of(TO_INT)
INSIDE = Struct("struct", "Inside", 16, (Member("p", PAIR, 0),))
DERIVED = Struct("struct", "D", 16, (Member("Pair", PAIR, 0, is_base_class=True),))
PRINTERS = STANDARD.with_printers(Printer("pair", "Pair", pair))
BITS = Bits(7 << 64 | 0x10, 128)
"""A reference to 0x10, and 7."""


def text(kind: Type, max_depth: int = 20, *, is_listed: bool) -> str:
    def read(address: int, space: int, size_bytes: int) -> bytes:
        if address != 0x10:
            raise dg.Unavailable(f"{address:#x}")
        return bytes([5, 0, 0, 0, 6, 0, 0, 0]).ljust(size_bytes, b"\0")[:size_bytes]

    options = FormatOptions(
        printers=PRINTERS, is_listed=is_listed, max_depth=max_depth, cplusplus=True
    )
    return format_value(BITS, kind, options, read_memory=read)


@pytest.mark.parametrize(
    ("kind", "listed", "printed"),
    [
        (PAIR, "{first = @0x10: 5, second = 7}", "{first = @0x10, second = 7}"),
        (Array(PAIR, (1,)), "{{first = @0x10: 5, second = 7}}", None),
        (DERIVED, "{<Pair> = {first = @0x10: 5, second = 7}, <No data fields>}", None),
        (INSIDE, "{p = {first = @0x10, second = 7}}", None),
        (
            pair_of(Pointer(POINT, kind="rvalue_reference")),
            "{first = @0x10: {x = 5, y = 6}, second = 7}",
            "{first = @0x10, second = 7}",
        ),
        (
            pair_of(Pointer(Array(CHAR, (4,)), kind="reference")),
            '{first = @0x10: "\\005\\000\\000", second = 7}',
            "{first = @0x10, second = 7}",
        ),
        (
            pair_of(Pointer(Function(INT, ()), kind="reference")),
            "{first = @0x10: {int (void)} 0x10, second = 7}",
            "{first = @0x10, second = 7}",
        ),
    ],
)
def test_a_child_of_a_printer_has_its_target(kind: Type, listed: str, printed: str | None) -> None:
    """As in GDB: everywhere in a list of variables, except in members of structures; of what
    `print` shows only where no printer shows the whole."""
    assert text(kind, is_listed=True) == listed
    assert text(kind, is_listed=False) == (printed or listed)


def test_a_target_that_cannot_be_read() -> None:
    kind = pair_of(Pointer(pair_of(TO_INT), kind="rvalue_reference"))
    unread = "<error reading variable: Cannot access memory at address 0x600000005>"
    child = f"@0x10: {{first = {unread}, second = 0}}"
    assert text(kind, is_listed=True) == f"{{first = {child}, second = 7}}"


def test_levels_of_references() -> None:
    """`set print max-depth` counts the target, and then there is no address."""
    to_point = Pointer(POINT, kind="reference")
    assert text(to_point, 0, is_listed=True) == "(Point &) {...}"
    assert text(TO_INT, 0, is_listed=True) == "(int &) @0x10: 5"
    member = Struct("struct", "S", 8, (Member("r", to_point, 0), Member("i", TO_INT, 0)))
    assert text(member, 1, is_listed=True) == "{r = {...}, i = @0x10}"
    assert text(member, 2, is_listed=True) == "{r = @0x10, i = @0x10}"


def test_an_endless_chain_of_references_ends() -> None:
    chain: Struct = Struct(
        "struct", "C", 16, lambda: (Member("Pair", pair_of(to_chain), 0, is_base_class=True),)
    )
    to_chain = Pointer(chain, kind="reference")

    def read(address: int, space: int, size_bytes: int) -> bytes:
        return BITS.to_bytes("little")[:size_bytes]

    options = FormatOptions(printers=PRINTERS, max_depth=6)
    shown = format_value(BITS, chain, options, read_memory=read)
    assert shown.count("<Pair> = ") == 3 and "first = {...}" in shown
    shown = format_value(BITS, chain, evolve(options, max_depth=10**6), read_memory=read)
    assert len(shown) < 200_000


def test_a_list_of_variables_is_marked_as_one() -> None:
    program = FIXTURES / "core/values.x86_64.O0"
    core = dg.load_core(f"{program}.core", program)
    objects = tuple(dg.CodeObject.of(file.file, file.load_address) for file in core.files)
    session = dg.Session(core.architecture, objects, core.target, wave=1, pc=core.pc_of(1))
    main = list(dg.stack_frames(session))[3].session
    (derived,) = (one for one in main.local_variables() if one.name == "derived")

    def as_reference(value: Object) -> Printed:
        return Printed(None, (("child", value.part(TO_INT, 0)),))

    printers = STANDARD.with_printers(Printer("derived", "Derived", as_reference))
    shown = contents(main, main.read(derived), FormatOptions(printers=printers))
    assert shown == "{child = @0x402068: 0}"
