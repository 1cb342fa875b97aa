"""Parts of objects: each member keeps what is known of it; nothing is read that is not needed."""

from __future__ import annotations

import pytest

from dwarfgpu import language
from dwarfgpu.arch.model import NO_APERTURES, Apertures, Architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import define, evolve, field
from dwarfgpu.dwarf.types.types import Array, Base, Member, MemberPointer, Struct
from dwarfgpu.errors import DwarfGpuError, IllFormed, UndefinedBits
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.language import Options, TypedValue
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.machine.target import RegisterId, Target, WaveId
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, SingleLocation, composite
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Implicit, Memory, Part
from dwarfgpu.service.value.expression_answer import of_value
from dwarfgpu.service.value.value_history import reasons
from dwarfgpu.view.values import FormatOptions
from tests.language.sessions import demo, kind, stopped, text

INT = Base(BaseType("int", "signed", 32))
PAIR = Struct("struct", "pair", 8, (Member("a", INT, 0), Member("b", INT, 32)))
FIELDS = Struct(
    "struct",
    "fields",
    8,
    (
        Member("low", INT, 0, 3),
        Member("high", INT, 3, 5),
        Member(None, Struct("union", None, 4, (Member("u", INT, 0),)), 32),
        Member("base", PAIR, 0, is_base_class=True),
    ),
)


BEYOND = Struct("struct", "beyond", 8, (Member("a", INT, 0), Member("far", INT, 192)))
"""Damaged: a member is behind the end of its structure."""


def implicit(number: int, size_bits: int) -> Location:
    return Location((SingleLocation(Implicit(number, size_bits)),))


def given(value: TypedValue) -> Options:
    """An option by which `$x` is a value."""
    return Options(lambda name: value if name == "x" else None)


def printed(value: TypedValue, expression: str) -> str:
    session = stopped("locations.gfx942", 3)
    try:
        return language.format(language.evaluate(expression, session, given(value)), session)
    except DwarfGpuError as error:
        return error.message


def test_a_member_outside_of_its_structure_is_an_error() -> None:
    value = TypedValue(BEYOND, implicit(7, 64))
    why = "the member far is at bytes 24 to 27 of a struct of 8 bytes"
    assert printed(value, "$x") == f"{{a = 7, far = <error: {why}>}}"
    assert printed(value, "$x.far") == printed(value, "$x.far + 1") == why
    assert printed(value, "$x.a") == "7"


@pytest.mark.parametrize(
    ("second", "whole"),
    [
        ([Part(UNDEFINED_LOCATION, 32)], "{a = 7, b = <optimized out>}"),
        ([], "{a = 7, b = <optimized out>}"),  # the last pieces may be left out
    ],
)
def test_a_member_may_be_known_although_another_is_not(second: list[Part], whole: str) -> None:
    value = TypedValue(PAIR, composite([Part(implicit(7, 32), 32), *second]))
    assert printed(value, "$x") == whole
    assert printed(value, "$x.a + 1") == "8"
    assert printed(value, "$x.b") == "<optimized out>"
    assert printed(value, "$x.b + 1") == "value has been optimized out"
    assert printed(value, "$x == 1") == 'No symbol "operator==" in current context.'
    session = stopped("locations.gfx942", 3)
    read = language.evaluate("$x.b", session, given(value))
    why = "the location describes no bits of it"
    assert of_value(session, "x.b", read).notes == (f"x.b is optimized out: {why}",)
    assert reasons(read, session) == (why,)


@pytest.mark.parametrize(
    ("operations", "offset", "is_strict", "expected"),
    [
        ("plus", 0, False, "7"),  # what gcc writes: the object may have no address
        ("plus", 4, False, "<optimized out>"),
        ("plus", 0, True, "DW_OP_plus at offset 0x0: a value is required"),
        ("swap; LLVM_offset", 0, False, "7"),
        ("swap; LLVM_offset", 0, True, "7"),
    ],
)
def test_a_pointer_to_a_member_of_an_object_that_is_not_in_memory(
    operations: str, offset: int, is_strict: bool, expected: str
) -> None:
    session = stopped("locations.gfx942", 3, strict=is_strict)
    unit = session.unit
    assert unit is not None
    use_location = ExprLoc(assemble(operations, dialect=AMD), unit)
    member = TypedValue(MemberPointer(INT, PAIR, 8, use_location), bits=Bits(offset, 64))
    where = composite([Part(implicit(7, 32), 32), Part(UNDEFINED_LOCATION, 32)])
    values = {"x": TypedValue(PAIR, where), "m": member}
    try:
        value = language.evaluate("$x.*$m", session, Options(values.get))
        shown = language.format(value, session)
    except IllFormed as error:
        shown = str(error)
    assert shown.startswith(expected)


def test_bit_fields_anonymous_members_and_base_classes() -> None:
    value = TypedValue(FIELDS, implicit(0x0000_0009_0000_00FD, 64))
    assert printed(value, "$x.low") == "-3"
    assert printed(value, "$x.high") == "-1"
    assert printed(value, "$x.u") == "9"
    assert printed(value, "$x.b") == "9"
    assert printed(value, "$x.nope") == "There is no member named nope."
    session = stopped("locations.gfx942", 3)
    shown = language.evaluate("$x.low", session, given(value))
    assert language.format(shown, session, FormatOptions("x")) == "0xfffffffd"


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ("lit4; LLVM_offset", "9"),
        ("LLVM_offset_uconst 0", "253"),
        ("drop; LLVM_undefined", "<optimized out>"),
        ("LLVM_push_lane; drop; lit4; LLVM_offset", "9"),
        ("push_object_address", "253"),
        ("push_object_address [strict]", "DW_OP_push_object_address"),
    ],
)
def test_a_member_with_an_expression(operations: str, expected: str) -> None:
    """A.5.7.3: the container's location is the initial stack; by the letter there is no object, for
    GNAT and GDB it is the container."""
    operations, _, strict = operations.partition(" [")
    session = stopped("locations.gfx942", 3, strict=bool(strict))
    (unit, *_) = session.code_objects[0].info.units
    data = assemble(operations, AMD, unit.format, session.architecture)
    kind = Struct("struct", "s", 8, (Member("m", INT, 0, None, ExprLoc(data, unit)),))
    value = TypedValue(kind, implicit(0x0000_0009_0000_00FD, 64), unit=unit)
    try:
        result = language.evaluate("$x.m", session, given(value))
        assert language.format(result, session) == expected
    except DwarfGpuError as error:
        assert expected in str(error)


def test_elements_outside_memory_have_bounds() -> None:
    value = TypedValue(Array(INT, (2,)), implicit(0x2_0000_0001, 64))
    assert [printed(value, f"$x[{index}]") for index in (0, 1, 2, -1)] == [
        "1", "2", "no such vector element", "no such vector element",
    ]  # fmt: skip


@define
class Recording:
    """A target that remembers which memory was read."""

    machine: Target
    read: list[tuple[int, int]] = field(factory=list)

    @property
    def stop(self) -> int:
        return self.machine.stop

    def apertures_of(self, wave: int) -> Apertures:
        return NO_APERTURES

    def architecture_of(self, wave: WaveId) -> Architecture:
        return self.machine.architecture_of(wave)

    def read_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int = 0, size: int | None = None
    ) -> bytes:
        return self.machine.read_register(wave, register, offset_bytes, size)

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        self.machine.write_register(wave, register, data, offset_bytes)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        self.read.append((address, size_bytes))
        return self.machine.read_memory(where, address, size_bytes)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        self.machine.write_memory(where, address, data)


@pytest.mark.parametrize(
    ("expression", "sizes"),
    [
        ("numbers[3]", [4]),
        ("global_struct.in[1].weight", [8]),
        ("global_struct.p->count", [8, 4]),
        ("global_struct.next->next->a", [8, 8, 4]),
        ("&global_struct.next", []),
        ("&numbers[5]", []),
        ("sizeof(numbers)", []),
        ("sizeof(*global_struct.p)", []),
        ("sizeof(global_struct.next->in[1].weight + numbers[0]++)", []),
        ("numbers + 2", []),
        ("global_struct.b2", [1]),
        ("0 && numbers[0]", []),
        ("1 ? numbers[1] : numbers[2]", [4]),
    ],
)
def test_only_what_is_needed_is_read(expression: str, sizes: list[int]) -> None:
    session = demo()
    assert session.target is not None
    target = Recording(session.target)
    language.evaluate(expression, evolve(session, target=target))
    assert [size for _, size in target.read] == sizes


@pytest.mark.parametrize(
    ("expression", "kind_of_error"),
    [
        ("nosuch", "UsageError"),
        ("1 +", "UsageError"),
        ("global_struct.nope", "UsageError"),
        ("1 / 0", "EvaluationError"),
        ("*(int *) 0xfffffffffff0", "Unavailable"),
        ("numbers[0]@100000000000", "UsageError"),
        ("numbers[0]@1000000000", "none"),  # what can be shown is read
        ("global_struct@100000000000 = 1", "UsageError"),
        ("numbers[0x7fffffffffffffff] == numbers[-1]", "none"),  # addresses wrap, as in GDB
        ("&numbers[0xffffffffffffffff] == &numbers[-1]", "none"),
        ("main()", "Unsupported"),
        ("(float)1.0 + 1", "none"),
    ],
)
def test_kinds_of_errors(expression: str, kind_of_error: str) -> None:
    assert kind(demo(), expression) == kind_of_error


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("local", "-5"),  # the inner one
        ("sp", "(outer_t *) 0x555555558520 <global_struct>"),
        ("sp->a", "Cannot access memory at address 0x555555558520"),
        ("array[1]", "-2"),
        ("array[n & 3]", "-2"),
        ("text", "\"leaf\", '\\000' <repeats 11 times>"),
        ("text[0]", "108 'l'"),
        ("precise * 2", "18.849540000000001"),
        ("factorial::depth", "Cannot access memory"),
        ("factorial::here", "No frame is currently executing in block factorial."),
        ("leaf::ratio", "3"),
        ("'demo.c'::message", '"hello, dwarf\\n"'),
        ("'nosuch.c'::pi", 'No symbol "nosuch.c" in current context.'),
        ("'demo.c'::nosuch", 'No symbol "nosuch" in specified context.'),
        ("$rbp", "(void *) 0x7fffffffe0f0"),
        ("$sp", "register rsp"),
        ("ratio = 1.5, ratio / 2", "0.75"),
        ("array[2] += n", "10"),
        ("text[0] = 'x', text", '"xeaf"'),
    ],
)
def test_in_a_frame(expression: str, expected: str) -> None:
    assert text(stopped("demo.gcc.O0"), expression).startswith(expected)


def test_a_register_that_is_only_computed_cannot_be_assigned() -> None:
    outer = stopped("fortran.gcc.O0").at_level(1)
    assert text(outer, "$sp = 0") == "Attempt to assign to an unmodifiable value."
    assert text(outer, "$rsp = 0") == "Attempt to assign to an unmodifiable value."


def test_an_error_of_the_result_is_kept() -> None:
    session = stopped("locations.gfx942", 3)
    value = language.evaluate("no_location", session)
    assert isinstance(value.error, UndefinedBits) and value.bits is None
    assert language.format(value, session) == "<optimized out>"
    assert ObjectAccess(session).read(value) is value


@pytest.mark.parametrize("encoding", ["numeric_string", "edited", "packed_decimal"])
def test_a_number_that_is_not_decoded_takes_no_part_in_arithmetic(encoding: str) -> None:
    value = TypedValue(Base(BaseType("n", encoding, 32)), bits=Bits(5, 32))
    for expression in ("$x + 1", "(int)$x", "$x == 5", "-$x"):
        assert printed(value, expression) == "arithmetic on the type n"
