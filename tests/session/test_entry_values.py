"""What a call passes (DWARF 5 3.4.2) as the value of an expression on entry to its callee."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.calls.call_sites import CallSite, call_before
from dwarfgpu.dwarf.calls.reentry import may_tail_call_itself
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope import by_pc
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import IllFormed
from dwarfgpu.expr.context import Context
from dwarfgpu.session.call_site_values import (
    attributes_used,
    entry_value_from_call_site,
    register_from_call_site,
)
from dwarfgpu.view.location_text import location_text
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.work import assert_linear

STRING, ADDRESS, DATA1, DATA4, EXPRLOC, REF4, FLAG = 0x08, 0x01, 0x0B, 0x06, 0x18, 0x13, 0x0C
ADDRX = 0x1B
FUNCTION = ((0x03, STRING), (0x11, ADDRESS), (0x12, DATA4))
SHAPES = (
    Shape(0x11, (), True),
    Shape(0x2E, FUNCTION, True),
    Shape(0x48, ((0x7D, ADDRESS), (0x7F, REF4), (0x82, FLAG)), True),
    Shape(0x49, ((0x02, EXPRLOC), (0x7E, EXPRLOC))),
    Shape(0x49, ((0x02, EXPRLOC), (0x7E, EXPRLOC), (0x86, EXPRLOC))),
    Shape(0x48, ((0x7D, ADDRESS), (0x83, EXPRLOC)), True),
    Shape(0x24, ((0x03, STRING), (0x0B, DATA1), (0x3E, DATA1))),
    Shape(0x2E, ((0x03, STRING), (0x20, DATA1)), True),
    Shape(0x0B, (), True),
    Shape(0x48, ((0x7D, ADDRX),)),
    Shape(0x05, ((0x03, STRING), (0x02, EXPRLOC))),
    Shape(0x49, ((0x80, REF4), (0x7E, EXPRLOC))),
)
HEADER_BYTES = 12


def block(text: str) -> bytes:
    data = bytes.fromhex(text)
    return bytes((len(data),)) + data


def function(name: str, start: int, inside: bytes = b"", size: int = 0x100) -> bytes:
    at = start.to_bytes(8, "little") + size.to_bytes(4, "little")
    return b"\x02" + name.encode() + b"\0" + at + inside + b"\0"


def call(after: int, origin: int, is_jump: bool, parameters: bytes = b"") -> bytes:
    place = after.to_bytes(8, "little") + origin.to_bytes(4, "little")
    return b"\x03" + place + bytes((is_jump,)) + parameters + b"\0"


def call_through(after: int, target: bytes, parameters: bytes) -> bytes:
    return (
        b"\x06" + after.to_bytes(8, "little") + bytes((len(target),)) + target + parameters + b"\0"
    )


PARAMETERS = (
    b"\x04" + block("55") + block("37")  # reg5: 7
    + b"\x04" + block("7700") + block("39")  # breg7 0: 9
    + b"\x05" + block("54") + block("33") + block("3b")  # reg4: 3, what it refers to: 11
)  # fmt: skip


def made(
    folder: Path,
    *,
    jumps_to_itself: bool = False,
    through: bytes | None = None,
    is_in_abstract: bool = False,
) -> tuple[Subprogram, CallSite]:
    """`f`, and the call of it by `main` that returns to 0x1010, `through` a pointer or not.

    `is_in_abstract`: the entry is in a block of another function, which has no code, behind a call
    whose address is unreadable.
    """
    callee = HEADER_BYTES + 1
    inside = call(0x2020, callee, True) if jumps_to_itself else b""
    entries = b"\x01" + function("f", 0x2000, inside)
    made = call(0x1010, callee, False, PARAMETERS)
    if through is not None:
        made = call_through(0x1010, through, PARAMETERS)
    if is_in_abstract:
        entries += function("main", 0x1000) + b"\x08g\0\x01\x0a\x63\x09" + made + b"\0\0"
    else:
        entries += function("main", 0x1000, made)
    assert HEADER_BYTES + len(entries) < 0x80
    entries += LONG + b"\0"
    scopes = described(folder, entries)
    result, subprogram = call_before(scopes, 0x1010), scopes.subprogram_at(0x2000)
    assert result is not None and subprogram is not None
    return subprogram, result


def described(folder: Path, entries: bytes) -> Scopes:
    """The scopes of a program with these entries, of `SHAPES`."""
    path = folder / "made"
    text = Content(bytes(0x2000), flags=6, address=0x1000)
    sections = {".text": text, ".debug_abbrev": abbreviations(*SHAPES)}
    path.write_bytes(elf({**sections, ".debug_info": unit(entries)}, X86_64, 0))
    return CodeObject.open(path).scopes


LONG = b"\x07long\0\x08\x05"
CONTEXT = Context(architecture("x86_64"))
VALUES = {
    "a register": ("55", 7),
    "a register in the longer form": ("9005", 7),
    "another register": ("56", None),
    "a block that is the same": ("7700", 9),
    "a block that is another": ("7708", None),
    "what a pointer refers to": ("740006", 11),
    "in the longer form": ("92040006", 11),
    "some bytes of it": ("74009404", 11),
    "behind it": ("740806", None),
    "of a pointer for which that is not told": ("750006", None),
    "anything else": ("30", None),
}


@pytest.mark.parametrize(("expression", "expected"), VALUES.values(), ids=VALUES)
def test_values(tmp_path: Path, expression: str, expected: int | None) -> None:
    callee, result = made(tmp_path)
    value = entry_value_from_call_site(callee, result, bytes.fromhex(expression), CONTEXT)
    assert (None if value is None else value.bits) == expected


def test_a_call_in_the_abstract_instance_of_its_function(tmp_path: Path) -> None:
    """As gcc 12 writes where a recursive function is inlined into itself (DW_AT_inline); GDB 13
    has the value on entry. The unit has no DW_AT_addr_base: another entry of a call has no address,
    and says nothing about `main`."""
    callee, result = made(tmp_path, is_in_abstract=True)
    value = entry_value_from_call_site(callee, result, bytes.fromhex("55"), CONTEXT)
    assert value is not None and value.bits == 7


def test_calls_in_an_abstract_instance_are_read_once(tmp_path: Path) -> None:
    """Not for each function of a stack."""
    outside = call(0x4000, HEADER_BYTES + 1, False)

    def asked(count: int) -> Callable[[], list[CallSite | None]]:
        starts = [0x1000 + 0x10 * number for number in range(count)]
        functions = b"".join(function("f", start, size=0x10) for start in starts)
        inside = b"".join(call(start + 1, HEADER_BYTES + 1, False) for start in starts)
        entries = functions + b"\x08g\0\x01" + outside * count + inside + b"\0"
        scopes = described(tmp_path, b"\x01" + entries + b"\0")
        return lambda: [call_before(scopes, start + 1) for start in starts]

    assert all(asked(4)())
    assert_linear(asked, 30)


def test_frames_of_a_function_do_not_go_through_its_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each asks for the parameters and the blocks, which are among them."""
    monkeypatch.setattr(by_pc, "_MANY_ENTRIES", 1)

    def asked(count: int) -> Callable[[], list[list[Variable]]]:
        inside = b"".join(call(0x1001 + at, HEADER_BYTES + 1, False) for at in range(20 * count))
        x, y = b"\x0bx\0" + block("55"), b"\x0by\0" + block("54")
        entries = function("f", 0x1000, x + inside + y, size=0x1000)
        scopes = described(tmp_path, b"\x01" + entries + b"\0")
        return lambda: [scopes.parameters_at(0x1000 + at) for at in range(count)]

    names = [[variable.name for variable in frame] for frame in asked(40)()]
    assert names == [["x", "y"]] * 40
    assert_linear(asked, 40)


def passing(folder: Path, passed: Callable[[int, int], bytes]) -> tuple[CallSite, list[Die]]:
    """A call of `f`, which has two formal parameters at offsets that `passed` makes the parameters
    of the call of."""
    formal = b"\x0bx\0" + block("55")
    entries = b"\x01" + function("f", 0x2000, formal * 2)
    first = HEADER_BYTES + len(b"\x01" + function("f", 0x2000)) - 1
    made = call(0x1010, HEADER_BYTES + 1, False, passed(first, first + len(formal)))
    scopes = described(folder, entries + function("main", 0x1000, made) + b"\0")
    result, subprogram = call_before(scopes, 0x1010), scopes.subprogram_at(0x2000)
    assert result is not None and subprogram is not None
    return result, list(subprogram.die.children())


def formal_passed(offset: int, value: str) -> bytes:
    return b"\x0c" + offset.to_bytes(4, "little") + block(value)


PASSED: dict[str, Callable[[CallSite, list[Die]], object]] = {
    "in a register": lambda made, _: made.passed_in(5),
    "at a location": lambda made, _: made.value(b"\x55"),
    "as a formal parameter": lambda made, formals: made.value_of(formals[1]),
}


@pytest.mark.parametrize("ask", PASSED.values(), ids=PASSED)
def test_frames_do_not_go_through_the_parameters_of_a_call(
    tmp_path: Path, ask: Callable[[CallSite, list[Die]], object]
) -> None:
    """Each frame of a recursion that waits for it asks for one."""

    def asked(count: int) -> Callable[[], list[object]]:
        def passed(first: int, second: int) -> bytes:
            one = b"\x04" + block("54") + block("33") + formal_passed(first, "33")
            other = b"\x04" + block("55") + block("37") + formal_passed(second, "37")
            return one * 20 * count + other

        made, formals = passing(tmp_path, passed)
        return lambda: [ask(CallSite(made.die), formals) for _ in range(count)]

    assert None not in asked(4)()
    assert_linear(asked, 20)


def test_an_unreadable_parameter_of_a_call_ends_what_is_known(tmp_path: Path) -> None:
    made, formals = passing(
        tmp_path,
        lambda first, second: (
            formal_passed(first, "33")
            + formal_passed(first + 1, "34")
            + formal_passed(second, "37")
        ),
    )
    value = made.value_of(formals[0])
    assert value is not None and value.expression == b"\x33"
    for _ in range(2):
        with pytest.raises(IllFormed, match="no entry of the unit at 0x0 starts at offset"):
            made.value_of(formals[1])


def test_the_first_parameter_of_a_call_in_a_register_counts(tmp_path: Path) -> None:
    """In both forms of its location; what is more than a register is in none."""
    more, long = b"\x04" + block("5555") + block("31"), b"\x04" + block("9005") + block("32")
    made, _ = passing(tmp_path, lambda *_: more + long + b"\x04" + block("55") + block("33"))
    parameter = made.passed_in(5)
    assert parameter is not None and parameter.value is not None
    assert parameter.value.expression == b"\x32"
    value = made.value(b"\x55")
    assert value is not None and value.expression == b"\x33"


def test_what_a_value_is_computed_from_is_known_before(tmp_path: Path) -> None:
    """So that a chain of calls is followed by a loop; a typed register is the register there."""
    callee, result = made(tmp_path)
    (entry,) = (die for die in callee.die.unit.root.children() if die.name == "long")
    typed = b"\xa5\x05" + bytes((entry.offset - callee.die.unit.offset,))
    value = entry_value_from_call_site(callee, result, typed, CONTEXT)
    assert value is not None and (value.bits, value.type.name) == (7, "long")
    for expression in (typed, b"\x55"):
        (attribute,) = attributes_used(callee, result, expression)
        assert attribute.expression == bytes.fromhex("37")


def test_registers_at_the_call(tmp_path: Path) -> None:
    """For other expressions, which are evaluated in the calling frame (A.2.5.4.3.4)."""
    callee, result = made(tmp_path)
    location = register_from_call_site(callee, result, 5, CONTEXT)
    assert location is not None and location_text(location) == "implicit 0x07 (8 bytes)"
    assert register_from_call_site(callee, result, 6, CONTEXT) is None
    assert register_from_call_site(callee, result, 7, CONTEXT) is None, (
        "memory at a register is not in it"
    )


def test_a_function_that_may_have_jumped_to_itself(tmp_path: Path) -> None:
    callee, result = made(tmp_path, jumps_to_itself=True)
    assert entry_value_from_call_site(callee, result, bytes.fromhex("55"), CONTEXT) is None
    assert register_from_call_site(callee, result, 5, CONTEXT) is None
    assert entry_value_from_call_site(callee, None, bytes.fromhex("55"), CONTEXT) is None


def test_the_calls_of_a_function_that_several_jump_to_are_read_once(tmp_path: Path) -> None:
    """Each function of a stack that may have jumped there asks where they lead."""

    def asked(count: int) -> Callable[[], list[bool]]:
        starts = [0x1000 + 0x10 * number for number in range(count)]
        common = HEADER_BYTES + 1
        inside = b"".join(call(0x2800, common, False) for _ in range(count))
        entries = function("common", 0x2000, inside, size=0x1000)
        entries += b"".join(
            function("f", start, call(start + 1, common, True), size=0x10) for start in starts
        )
        scopes = described(tmp_path, b"\x01" + entries + b"\0")
        functions = [scopes.subprogram_at(start) for start in starts]
        return lambda: [may_tail_call_itself(one.die) for one in functions if one is not None]

    assert asked(4)() == [False] * 4
    assert_linear(asked, 30)


TARGETS = {
    "the function": (b"\x03" + (0x2000).to_bytes(8, "little"), 7),
    "another function, which may have jumped to it": (
        b"\x03" + (0x1000).to_bytes(8, "little"),
        None,
    ),
    "the middle of the function": (b"\x03" + (0x2008).to_bytes(8, "little"), None),
    "what is not known any more": (b"\x53", None),
    "nothing": (b"", None),
}


@pytest.mark.parametrize(("target", "expected"), TARGETS.values(), ids=TARGETS)
def test_a_call_through_a_pointer(tmp_path: Path, target: bytes, expected: int | None) -> None:
    """It must show that it led to the function: its callee could have made a tail call."""
    callee, result = made(tmp_path, through=target)
    value = entry_value_from_call_site(callee, result, bytes.fromhex("55"), CONTEXT)
    assert (None if value is None else value.bits) == expected


PARAMETER_SHAPES = (
    *SHAPES[:6],
    Shape(0x05, ((0x03, STRING),)),
    Shape(0x05, ((0x31, REF4),)),
)
CALL_PARAMETER = Shape(0x49, ((0x80, REF4), (0x7E, EXPRLOC)))
GNU_CALL_PARAMETER = Shape(0x410A, ((0x31, REF4), (0x2111, EXPRLOC)))


@pytest.mark.parametrize("shape", [CALL_PARAMETER, GNU_CALL_PARAMETER], ids=["5", "GNU"])
def test_a_formal_parameter_by_its_entry(tmp_path: Path, shape: Shape) -> None:
    """DW_OP_GNU_parameter_ref: the call names the parameter, or one with the same origin. Before
    DWARF 5, GCC names it by DW_AT_abstract_origin."""
    formal = HEADER_BYTES + 1
    clone = formal + 3
    entries = b"\x01" + b"\x07" + b"p\0" + b"\x08" + formal.to_bytes(4, "little") + b"\x07" + b"q\0"
    callee = HEADER_BYTES + len(entries)
    other = callee - 3
    parameter = b"\x09" + clone.to_bytes(4, "little") + block("41")
    entries += function("f", 0x2000)
    entries += function("main", 0x1000, call(0x1010, callee, False, parameter)) + b"\0"
    path = tmp_path / "made"
    text = Content(bytes(0x2000), flags=6, address=0x1000)
    sections = {".text": text, ".debug_abbrev": abbreviations(*PARAMETER_SHAPES, shape)}
    path.write_bytes(elf({**sections, ".debug_info": unit(entries)}, X86_64, 0))
    scopes = CodeObject.open(path).scopes
    result, subprogram = call_before(scopes, 0x1010), scopes.subprogram_at(0x2000)
    assert result is not None and subprogram is not None
    for offset, expected in ((clone, 17), (formal, 17), (other, None)):
        die = scopes.info.die_at(offset)
        value = entry_value_from_call_site(subprogram, result, die, CONTEXT)
        assert (None if value is None else value.bits) == expected
