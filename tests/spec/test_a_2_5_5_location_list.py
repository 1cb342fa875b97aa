"""A.2.5.5 location list expressions; A.2.13, A.2.14 address and memory spaces."""

from __future__ import annotations

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import EvaluationError, IllFormed, MissingContext, OutOfRange
from dwarfgpu.expr.context import LocList
from dwarfgpu.expr.evaluate import evaluate_attribute
from tests.dwarf.builder import Shape, debug_info, file_of
from tests.spec.machine import (
    BIG_WORLD,
    CPU,
    GPU,
    Fact,
    breaks,
    facts,
    keeps,
    location_list,
    raises,
    shown,
)

C = "A.2.5.5/"
Entry = tuple[int | None, int | None, str]
PC = 0x1040
"""The program location of `GPU`."""
DEFAULT = (None, None)


def row(side: str, clauses: str, entries: list[Entry], expected: str, **more: object) -> object:
    marks = [pytest.mark.clause(C + word, side) for word in clauses.split()]
    name = "; ".join(
        ("default" if begin is None else f"[{begin:#x},{end:#x})") + f" {text}"
        for begin, end, text in entries
    )
    return pytest.param(entries, expected, marks=marks, id=name or "(empty)")


@pytest.mark.parametrize(("entries", "expected"), [
    row("keeps", "bounded", [(PC, PC + 1, "lit1")], "global#0x1"),
    row("keeps", "bounded", [(0x1000, PC + 1, "lit1")], "global#0x1"),
    row("breaks", "bounded", [(0x1000, PC, "lit1")], "undefined"),
    row("breaks", "bounded", [(PC + 1, 0x2000, "lit1")], "undefined"),
    row("breaks", "bounded", [(PC, PC, "lit1")], "undefined"),
    row("breaks", "bounded", [(0x2000, 0x1000, "lit1")], "undefined"),
    row("keeps", "default", [(*DEFAULT, "lit1")], "global#0x1"),
    row("keeps", "default", [(0, 5, "lit1"), (*DEFAULT, "lit2")], "global#0x2"),
    row("keeps", "default", [(*DEFAULT, "lit2"), (0, 5, "lit1")], "global#0x2"),
    row("keeps", "default overlap", [(*DEFAULT, "lit1"), (*DEFAULT, "lit2")],
        "global#0x1 | global#0x2"),
    row("breaks", "default", [(0, 0x2000, "lit1"), (*DEFAULT, "lit2")], "global#0x1"),
    row("breaks", "default", [(*DEFAULT, "lit2"), (0, 0x2000, "lit1")], "global#0x1"),
    row("breaks", "default", [(0, 0x2000, ""), (*DEFAULT, "lit2")], "undefined"),
    row("keeps", "overlap", [(0, 0x2000, "lit1"), (PC, PC + 4, "regx s0")], "global#0x1 | s0"),
    row("keeps", "overlap", [(0, 0x2000, "call2 0x108"), (PC, PC + 4, "lit1")],
        "global#0x1000 | s0 | global#0x1"),
    row("keeps", "overlap", [(0, 0x2000, "lit1"), (0, 0x3000, "lit1")], "global#0x1"),
    row("keeps", "overlap", [(0, 0x2000, ""), (0, 0x3000, "regx s0; piece 4")],
        "undefined | {32: s0}"),
    row("breaks", "overlap", [(0, 0x2000, "lit1"), (PC + 4, PC + 8, "regx s0")], "global#0x1"),
    row("keeps", "no-match", [], "undefined"),
    row("keeps", "no-match", [(0, 5, "lit1")], "undefined"),
    row("breaks", "no-match", [(0, 0x2000, "lit1")], "global#0x1"),
    row("keeps", "entry-kind", [(0, 0x2000, "lit5; stack_value")], "implicit 0000000000000005"),
    row("keeps", "entry-kind", [(0, 0x2000, "lit5")], "global#0x5"),
    row("keeps", "entry-stack", [(0, 0x2000, "lit5; lit6; swap")], "global#0x5"),
    row("keeps", "entry-error", [(0, 5, "lit1; lit0; div"), (0, 0x2000, "lit2")], "global#0x2"),
])  # fmt: skip
def test_matching(entries: list[Entry], expected: str) -> None:
    assert shown(GPU.loclist(*entries)) == expected


@pytest.mark.clause(C + "no-pc", "breaks")
@pytest.mark.parametrize("entries", [[], [(0, 0x2000, "lit1")], [(None, None, "lit1")]])
def test_without_program_location(entries: list[Entry]) -> None:
    made = GPU.changed(pc=None)
    raises(lambda: made.loclist(*entries), EvaluationError, "program location")


@pytest.mark.clause(C + "no-pc", "keeps")
def test_with_a_program_location() -> None:
    made = GPU.changed(pc=0)
    assert shown(made.loclist((0, 1, "lit1"))) == "global#0x1"


@pytest.mark.clause(C + "entry-kind", "breaks")
def test_an_entry_that_gives_no_location() -> None:
    raises(lambda: GPU.loclist((0, 0x2000, "const(i32,5)")), IllFormed, "i32")
    raises(lambda: GPU.loclist((0, 0x2000, "lit1"), (0, 0x2000, "const(i32,5)")), IllFormed)


@pytest.mark.clause(C + "entry-object", "breaks")
@pytest.mark.clause(C + "entry-object", "keeps")
@pytest.mark.clause(C + "entry-stack", "breaks")
def test_an_entry_has_neither_object_nor_stack() -> None:
    place = GPU.memory(0, 0x1010)
    made = GPU.changed(object=place, initial_stack=(place,))
    raises(lambda: made.loclist((0, 0x2000, "push_object_address")), MissingContext, "no object")
    raises(lambda: made.loclist((0, 0x2000, "dup")), IllFormed, "the stack has 0")
    assert shown(made.result("push_object_address")) == "global#0x1010"


@pytest.mark.clause(C + "entry-error", "breaks")
def test_the_error_of_any_matching_entry() -> None:
    entries = [(0, 0x2000, "lit1"), (0, 0x2000, "lit1; lit0; div")]
    raises(lambda: GPU.loclist(*entries), EvaluationError, "division by zero")


@pytest.mark.clause(C + "as-value", "keeps")
@pytest.mark.clause(C + "as-value", "breaks")
def test_a_list_where_a_value_is_required() -> None:
    context = evolve(GPU.context, result_kind="value")
    single = location_list(GPU, (0, 0x2000, "addr 0x1234"))
    assert shown(evaluate_attribute(single, context)) == "0x1234"
    for entries in ([(0, 5, "lit1")], [(0, 0x2000, "regx s0")],
                    [(0, 0x2000, "lit1"), (0, 0x2000, "lit2")]):  # fmt: skip
        several = location_list(GPU, *entries)
        raises(lambda: evaluate_attribute(several, context), IllFormed, "a value is required")  # noqa: B023


def _listed(data: bytes) -> LocList:
    """A variable's location list out of `.debug_loclists` of a unit whose code is at 0x1000."""
    shapes = [
        Shape(0x11, ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_UDATA)), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_LOCATION, dw.FORM_SEC_OFFSET),)),
    ]
    entries = b"\1" + (0x1000).to_bytes(8, "little") + b"\x80\x08" + b"\2\x0c\0\0\0" + b"\0"
    header = (len(data) + 8).to_bytes(4, "little") + b"\5\0\x08\0" + bytes(4)
    info = debug_info(file_of(entries, shapes, {".debug_loclists": header + data}))
    (unit,) = info.units
    variable = Variable("x", next(iter(unit.root.children())), "local")
    location = variable.location
    assert isinstance(location, LocList)
    return location


@pytest.mark.clause(C + "base", "keeps")
@pytest.mark.clause(C + "base", "breaks")
def test_base_addresses() -> None:
    """The reader resolves them: entries here are bounded by addresses, not by offsets."""
    pair, base, end, absolute = b"\4\x10\x20\1\x31", b"\6" + bytes(7) + b"\x80", b"\0", (
        b"\7" + (0x10).to_bytes(8, "little") + (0x20).to_bytes(8, "little") + b"\1\x31"
    )  # fmt: skip
    default = b"\5\1\x31"

    def bounds(data: bytes) -> list[tuple[int | None, int | None]]:
        return [(entry.begin, entry.end) for entry in _listed(data).entries]

    moved = 0x80 << 56
    assert bounds(pair + end) == [(0x1010, 0x1020)]
    assert bounds(pair + base + pair + end) == [(0x1010, 0x1020), (moved + 0x10, moved + 0x20)]
    assert bounds(base + absolute + default + end) == [(0x10, 0x20), (None, None)]


@facts("fact", [
    *(keeps("A.2.13/numbers", f"lit16; lit{n}; LLVM_form_aspace_address; drop; lit1", "1")
      for n in (0, 1, 2, 3, 5, 6)),
    *(breaks("A.2.13/numbers", f"lit16; lit{n}; LLVM_form_aspace_address", IllFormed,
             f"gfx942 defines no address space {n}") for n in (4, 7, 31)),
    keeps("A.2.13/numbers", "lit16; lit0; LLVM_form_aspace_address", "default#0x10", at=CPU),
    keeps("A.2.13/numbers", "lit16; lit1; LLVM_form_aspace_address", "small#0x10", at=BIG_WORLD),
    keeps("A.2.13/sizes", "lit0; not; lit3; LLVM_form_aspace_address", "local#0xffffffff"),
    keeps("A.2.13/sizes", "lit0; not; lit0; LLVM_form_aspace_address", "global#0xffffffffffffffff"),
    breaks("A.2.13/sizes", "lit0; not; lit3; LLVM_form_aspace_address; lit1; LLVM_offset",
           OutOfRange, "local memory"),
])  # fmt: skip
def test_address_spaces(fact: Fact) -> None:
    fact.check()


@pytest.mark.clause("A.2.14/unchanged", "keeps")
def test_a_memory_space_is_shown_and_changes_nothing() -> None:
    shapes = [
        Shape(0x11, (), True),
        Shape(
            dw.TAG_VARIABLE,
            ((dw.AT_LLVM_MEMORY_SPACE, 0x0B), (dw.AT_LOCATION, dw.FORM_EXPRLOC)),
        ),
    ]
    info = debug_info(file_of(b"\1\2\3\2\x35\x9f\0", shapes))
    (unit,) = info.units
    variable = Variable("x", next(iter(unit.root.children())), "local")
    assert variable.memory_space == 3
    location = variable.location
    assert location is not None and not isinstance(location, bytes)
    result = evaluate_attribute(location, evolve(GPU.context, unit=unit))  # type: ignore[arg-type]
    assert shown(result) == "implicit 0000000000000005"
