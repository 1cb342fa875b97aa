"""A.3.4.2 call site parameters, and the target of a call (DWARF 5 3.4.1)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.calls import call_sites as sites
from dwarfgpu.dwarf.calls.call_values import passed_location, passed_value, target_address
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    InconsistentContext,
    MissingContext,
    UndefinedBits,
)
from dwarfgpu.expr.context import Context, ExprLoc
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.session.session import Session
from tests.dwarf.builder import Content, Shape, abbreviations, elf, unit
from tests.spec.machine import GPU, raises, shown

C = "A.3.4.2/"


def attribute(text: str) -> ExprLoc:
    return ExprLoc(GPU.asm(text), GPU.unit)


def kept(clause: str, text: str, expected: object) -> object:
    return pytest.param(text, expected, marks=pytest.mark.clause(C + clause, "keeps"), id=text)


def broken(clause: str, text: str, error: type[DwarfGpuError]) -> object:
    mark = pytest.mark.clause(C + clause, "breaks")
    return pytest.param(text, error, marks=mark, id=text or "(empty)")


@pytest.mark.parametrize(("text", "expected"), [
    kept(clause, text, expected)
    for clause in ("call_value", "call_data_value")
    for text, expected in (("lit7", "7"), ("addr 0x1000", "0x1000"), ("regval_type s0 @i32",
                           f"i32 {0x11223344}"), ("bregx pc 0", "0x1040"))
])  # fmt: skip
def test_a_value_is_passed(text: str, expected: str) -> None:
    assert shown(passed_value(attribute(text), GPU.context)) == expected


@pytest.mark.parametrize(("text", "error"), [
    broken(clause, text, IllFormed)
    for clause in ("call_value", "call_data_value")
    for text in ("regx s0", "", "lit7; stack_value", "LLVM_undefined")
])  # fmt: skip
def test_no_value_is_passed(text: str, error: type[DwarfGpuError]) -> None:
    raises(lambda: passed_value(attribute(text), GPU.context), error, "value")


@pytest.mark.parametrize(("text", "expected"), [
    kept("call_data_location", "addr 0x1000", "global#0x1000"),
    kept("call_data_location", "lit7", "global#0x7"),
    kept("call_data_location", "regx s0", "s0"),
])  # fmt: skip
def test_where_what_is_referred_to_is(text: str, expected: str) -> None:
    assert shown(passed_location(attribute(text), GPU.context)) == expected


@pytest.mark.parametrize(("text", "error"), [
    broken("call_data_location", "const(u64,5)", IllFormed),
    broken("call_data_location", "LLVM_offset", IllFormed),
])  # fmt: skip
def test_an_expression_without_a_location_is_an_error(
    text: str, error: type[DwarfGpuError]
) -> None:
    raises(lambda: passed_location(attribute(text), GPU.context), error)


@pytest.mark.clause(C + "context", "keeps")
@pytest.mark.clause(C + "context", "breaks")
@pytest.mark.parametrize("evaluated", [passed_value, passed_location, target_address])
def test_neither_object_nor_stack_reaches_the_expression(
    evaluated: Callable[[ExprLoc, Context], object],
) -> None:
    place = GPU.memory(0, 0x1000)
    given = evolve(GPU.context, object=place, initial_stack=(place,))

    def call(text: str) -> object:
        return evaluated(attribute(text), given)

    raises(lambda: call("push_object_address"), MissingContext, "object")
    raises(lambda: call("dup"), IllFormed)
    assert call("lit7")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("addr 0x1000", 0x1000),
        ("bregx pc 8", 0x1048),
        ("constu 0x1234", 0x1234),
        ("regx pc", 0x1040),  # the register that is called through
        ("regx s0; piece 4; regx s1; piece 4", 0x5566_7788_1122_3344),
        ("regx s0; piece 4; regx s1; piece 4; LLVM_piece_end", 0x5566_7788_1122_3344),
        ("lit9; stack_value", 9),
    ],
)
def test_the_target_of_a_call(text: str, expected: int) -> None:
    assert target_address(attribute(text), GPU.context) == expected


def test_the_register_of_a_call_that_a_frame_below_saved() -> None:
    """Clang calls through a register that the callee saves in its frame."""
    saved = GPU.location("addr 0x1000")
    register = GPU.arch.register_named("s0")
    assert register is not None and register.number is not None
    frame = ExplicitFrame(GPU.arch, level=1, registers={register.number: saved})
    context = evolve(GPU.context, frame=frame)
    assert target_address(attribute("regx s0"), context) == 0x0706_0504_0302_0100


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", UndefinedBits),
        ("const(u64,5)", IllFormed),
        ("lit5; LLVM_aspace_bregx s32 0", IllFormed),  # no code is in private memory
        ("implicit_pointer 0x114 0", IllFormed),
    ],
)
def test_no_target_of_a_call(text: str, error: type[DwarfGpuError]) -> None:
    raises(lambda: target_address(attribute(text), GPU.context), error)


EXPRESSIONS = {
    sites.AT_CALL_TARGET: "regx pc",
    sites.AT_CALL_TARGET_CLOBBERED: "addr 0x2000",
}
PARAMETER = {
    dw.AT_LOCATION: "regx s4",
    sites.AT_CALL_VALUE: "lit7",
    sites.AT_CALL_DATA_LOCATION: "addr 0x1008",
    sites.AT_CALL_DATA_VALUE: "lit9",
}
CALL_PC, RETURN_PC = 0x1040, 0x1048


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A wave at 0x1040, where `f` at [0x1000,0x1100) calls `g` at [0x1100,0x1200)."""

    def blocks(expressions: dict[int, str]) -> bytes:
        data = [
            assemble(text, AMD_PROVISIONAL, GPU.unit.format, GPU.arch)
            for text in expressions.values()
        ]
        return b"".join(encode_uleb(len(byte)) + byte for byte in data)

    def address(value: int) -> bytes:
        return value.to_bytes(8, "little")

    def forms(expressions: dict[int, str]) -> tuple[tuple[int, int], ...]:
        return tuple((name, dw.FORM_EXPRLOC) for name in expressions)

    span = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_UDATA))
    named = (*span, (dw.AT_NAME, dw.FORM_STRING))
    call = (
        (sites.AT_CALL_PC, dw.FORM_ADDR),
        (sites.AT_CALL_RETURN_PC, dw.FORM_ADDR),
        (sites.AT_CALL_ORIGIN, dw.FORM_REF4),
    )
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, span, True),
        Shape(dw.TAG_SUBPROGRAM, named, True),
        Shape(dw.TAG_CALL_SITE, (*call, *forms(EXPRESSIONS)), True),
        Shape(dw.TAG_CALL_SITE_PARAMETER, forms(PARAMETER)),
    )
    root = b"\1" + address(0x1000) + encode_uleb(0x200)
    callee = b"\2" + address(0x1100) + encode_uleb(0x100) + b"g\0" + b"\0"
    caller = b"\2" + address(0x1000) + encode_uleb(0x100) + b"f\0"
    at_callee = 12 + len(root)
    origin = at_callee.to_bytes(4, "little")
    caller += b"\3" + address(CALL_PC) + address(RETURN_PC) + origin + blocks(EXPRESSIONS)
    caller += b"\4" + blocks(PARAMETER) + b"\0\0"
    path = tmp_path / "made.co"
    sections = {
        ".debug_info": unit(root + callee + caller + b"\0"),
        ".debug_abbrev": abbreviations(*shapes),
        ".text": Content(bytes(0x200), 1, 6, 0x1000),
    }
    path.write_bytes(elf(sections))
    code_object = CodeObject.open(path, dialect="amd-provisional")
    return Session(GPU.arch, (code_object,), GPU.target, wave=0, lane=3, pc=CALL_PC)


@pytest.mark.clause(C + "frame", "keeps")
@pytest.mark.clause(C + "location", "keeps")
@pytest.mark.parametrize("pc", [CALL_PC, RETURN_PC, RETURN_PC - 1])
def test_entry_values_at_the_call(session: Session, pc: int) -> None:
    session = evolve(session, pc=pc)
    call = session.frame.call_site()
    assert call is not None
    assert call.callee is not None
    assert call.callee.name == "g"
    context = session.frame.at_call(call)
    assert (call.target, call.clobbered_target) != (None, None)
    assert call.target is not None
    assert target_address(call.target, context) == 0x1040
    assert call.clobbered_target is not None
    assert target_address(call.clobbered_target, context, is_clobbered=True) == 0x2000
    [passed] = call.parameters()
    assert passed.location is not None
    assert shown(passed_location(passed.location, context)) == "s4"
    assert passed.value is not None
    assert shown(passed_value(passed.value, context)) == "7"
    assert passed.data_location is not None
    assert shown(passed_location(passed.data_location, context)) == "global#0x1008"
    assert passed.data_value is not None
    assert shown(passed_value(passed.data_value, context)) == "9"
    assert call.value(passed.location.expression) == passed.value


@pytest.mark.clause(C + "location", "breaks")
@pytest.mark.parametrize("pc", [CALL_PC + 4, 0x1000, RETURN_PC + 1])
def test_a_call_gives_no_values_at_other_locations(session: Session, pc: int) -> None:
    call = session.frame.call_site()
    assert call is not None
    elsewhere = evolve(session, pc=pc).frame
    assert elsewhere.call_site() is None
    raises(lambda: elsewhere.at_call(call), InconsistentContext, "program location", f"{pc:#x}")


@pytest.mark.clause(C + "frame", "breaks")
def test_a_call_gives_no_values_in_another_frame(session: Session) -> None:
    call = session.frame.call_site()
    assert call is not None
    inside = evolve(session, pc=0x1140).frame
    assert inside.call_site() is None
    raises(lambda: inside.at_call(call), InconsistentContext, "not of the subprogram")
    nowhere = evolve(session, code_objects=()).frame
    raises(lambda: nowhere.at_call(call), InconsistentContext, "not of the subprogram")


def test_the_calls_of_the_fixtures(repository: Path) -> None:
    code_object = CodeObject.open(repository / "fixtures/asm/locations.gfx942.v5.co")
    kernel = code_object.scopes.subprogram_at(0x1600)
    assert kernel is not None
    [call] = sites.call_sites(kernel.die)
    assert (call.return_address, call.address) == (0x1670, None)
    assert call.callee is not None
    assert call.callee.name == "helper"
    assert [parameter.value is not None for parameter in call.parameters()] == [True]
