"""The description of a variable in the debugging information, and what to make of a reading of
it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dwarfgpu.base.limits import MAX_OPERATION_BYTES
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import DATA, FUNCTIONS, name_of
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Dynamic, Type, strip
from dwarfgpu.errors import DwarfGpuError, UndefinedBits, counted
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocList, Unit
from dwarfgpu.expr.text.assembly import readable_text, shortened
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.view.explanation_text import StepView, fault, verdict, verdict_on_error
from dwarfgpu.view.lane_position import lane_position
from dwarfgpu.view.values import format_value

_ATTRIBUTES: Final = 32
"""Maximum number of attributes of a type to show."""


def description(session: Session, variable: Variable) -> Iterator[str]:
    """Return the declaration of the variable, and the description that applies at the program
    location."""
    try:
        kind = variable.type
        number = variable.decl_line
        line = "" if number is None else f", declared at line {number}"
        typed = f"{variable.type_text} " if kind is not None else ""
        name = f"{variable.name}{_of(session, variable)}"
        yield f"{variable.kind} {typed}{name}{line}{_lane(session)}"
        position = lane_position(session)
        if position is not None:
            yield position
        yield from _location(session, variable)
        yield from _shape(session, kind)
    except DwarfGpuError as error:
        yield f"its description cannot be read: {error}"


def _of(session: Session, variable: Variable) -> str:
    """Return ` of down`: the function of a variable that is not of the innermost one, or that is of
    another function than those of the frame (`down::x`)."""
    functions: Sequence[str | None] = ()
    if variable.kind != "global":
        try:
            functions = session.functions()
        except DwarfGpuError:  # as of a missing split file
            functions = (None,)
    if not functions:
        return ""
    owner = variable.die.parent()
    while owner is not None and owner.tag not in FUNCTIONS:
        owner = owner.parent()
    name = None if owner is None else name_of(owner)
    is_of_innermost = not (session.level or variable.inline_level) and name == functions[0]
    return "" if name is None or is_of_innermost else f" of {name}"


def _lane(session: Session) -> str:
    if session.lane is None:
        return ""
    return f", for lane {session.lane}"


def conclusion(
    reading: Reading, text: str, steps: Sequence[StepView], where: str | None = None
) -> list[str]:
    """Return the conclusion about a reading: `text` is its value as printed, `where` its
    location."""
    error = reading.failure
    if isinstance(error, UndefinedBits) and error.site is None:
        is_dropped = reading.variable.why_dropped is not None
        return [error.message] if is_dropped else [error.message, fault(error)]
    if error is not None:
        return verdict_on_error(error)
    assert reading.location is not None
    bits = reading.bits
    if bits is not None and reading.is_complete:
        bits = evolve(bits, undefined=0, unavailable=0)  # those of padding
    endian = reading.variable.unit.endian
    sentences = verdict(reading.location, steps, bits, where, endian)
    if reading.bits is None or not reading.location.is_undefined:
        sentences.insert(0, f"{reading.variable.name} = {text}")
    return sentences


def _location(session: Session, variable: Variable) -> Iterator[str]:
    attribute, unit = variable.location, variable.unit
    pc = None if session.is_absent else session.program_location
    suffix = "" if pc is None else f" at pc {_pc(session, pc)}"

    def shown(expression: bytes) -> str:
        return _expression(session, unit, expression)

    match attribute:
        case None:
            from dwarfgpu.dwarf.scope.thread_statics import why_not_known  # most have a location

            known = variable.why_dropped or f"{variable.why_without_location}{suffix}"
            yield why_not_known(variable) or known
        case ConstValue(data=data):
            yield f"DW_AT_const_value: {data.hex()}"
        case ExprLoc(expression=expression):
            yield f"DW_AT_location: {shown(expression)}"
        case LocList(entries=entries):
            matching = attribute.matching(pc)
            if not entries:
                yield "DW_AT_location: a location list whose ranges contain no code"
            elif not matching:
                yield f"DW_AT_location: none of {len(entries)} list entries applies{suffix}"
            for entry in matching:
                span = "by default"
                if entry.begin is not None and entry.end is not None:
                    span = f"[{entry.begin:#x},{entry.end:#x})"
                yield f"DW_AT_location, list entry {span}: {shown(entry.expression)}"


def _shape(session: Session, type_: Type | None) -> Iterator[str]:
    """Yield the attributes of the type that must be evaluated, one line each."""
    bare = strip(type_)
    attributes = bare.properties.computed() if isinstance(bare, Dynamic) else ()
    for attribute in attributes[:_ATTRIBUTES]:
        match attribute.source:
            case ExprLoc(expression=expression, unit=unit):
                yield f"its type has {attribute.name}: {_expression(session, unit, expression)}"
            case LocList(entries=entries):
                yield f"its type has {attribute.name}: a list of {len(entries)} entries"
            case die:
                yield f"its type has {attribute.name}: that is {_referenced(session, die)}"
    if len(attributes) > _ATTRIBUTES:
        yield f"and {len(attributes) - _ATTRIBUTES} more"


def _referenced(session: Session, die: Die) -> str:
    """Return `n, which is 7`, `the variable at 0x45c, which is 7`: of a variable its value, if
    known."""
    name = die.name
    if die.tag not in DATA:
        return name or f"the entry at {die.offset:#x}"
    name = name or f"the variable at {die.offset:#x}"
    reading = session.read(Variable(name, die, "local"))
    if reading.bits is None or not reading.bits.is_complete:
        return name
    text = format_value(reading.bits, reading.type, endian=session.architecture.endian)
    return f"{name}, which is {text}"


def _expression(session: Session, unit: Unit, expression: bytes) -> str:
    if len(expression) > MAX_OPERATION_BYTES:
        size = counted(len(expression), "byte")
        return f"{size}, not listed: more than {MAX_OPERATION_BYTES}; no option raises it"
    text = shortened(readable_text(expression, unit.dialect, unit.format, session.architecture))
    dialect = f" (dialect {unit.dialect})" if session.architecture.machine == "AMDGPU" else ""
    return f"{text or '(empty)'}{dialect}"


def _pc(session: Session, pc: int) -> str:
    code_object = session.code_object
    return f"{pc:#x}" if code_object is None else f"{pc:#x} = {code_object.offset_text(pc)}"
