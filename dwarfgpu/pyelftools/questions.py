"""Evaluate, read and explain what DIEs of pyelftools describe."""

from __future__ import annotations

from typing import Final, Unpack, get_args

from dwarfgpu.base.arguments import integer, wrong_type
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import DATA, name_of
from dwarfgpu.dwarf.scope.variable import Variable, variable_of
from dwarfgpu.dwarf.types.dynamic_properties import Computed
from dwarfgpu.errors import DwarfGpuError, EvaluationError, MissingContext, UsageError
from dwarfgpu.expr.context import ConstValue, Context
from dwarfgpu.expr.evaluate import Observer, Result, evaluate_attribute
from dwarfgpu.expr.implicit_conversions import constant_location, memory_location
from dwarfgpu.language.presented_session import Session
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location
from dwarfgpu.model.value import Value
from dwarfgpu.pyelftools.attribute import (
    MEMBER_ATTRIBUTES,
    VARIABLE_ATTRIBUTES,
    Attribute,
    AttributeSource,
    described,
)
from dwarfgpu.pyelftools.entry_of_die import DIE, code_object, entry_of
from dwarfgpu.pyelftools.stopped_machine import Machine, address_of, scopes_around, session_of
from dwarfgpu.service.answer import of_result
from dwarfgpu.service.explain import explain_evaluation, explain_variable
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.type_attributes import LocatedObject, TypeAttributes

_KEYWORDS: Final = {
    "no lane": "lane=N",
    "no program location": "pc=ADDRESS",
    "needs a program location": "pc=ADDRESS",
    "no frame base": "frame_base=ADDRESS",
    "whose frame base": "frame_base=ADDRESS, or pc=ADDRESS",
    "(CFA)": "cfa=ADDRESS",
    "no object": "object=ADDRESS",
    "holds the value itself or its address": "quirks=frozenset({'vgpr-holds-value'})",
    "is not in the state": "it in registers=, or a machine with target=",
    "not in the state": "it in memory=, or a machine with target=",
}
"""What to give, by a piece of the message that says what is missing."""


def evaluate(
    attribute: Attribute,
    die: DIE,
    code: CodeObject,
    *,
    object: int | None = None,
    **machine: Unpack[Machine],
) -> Result:
    """Return the result of an attribute of a DIE: a `Location`, a `Value` or an
    `ImplicitPointerValue`.

    An attribute is an expression, a location list, whose entry for `pc` is used, a constant, or a
    reference to the variable that has the number, as the bounds of some arrays (DWARF 5 2.19). An
    expression in its place (`dis`) is evaluated in the unit and function of the DIE.
    `object`: the address of the object whose type the DIE describes, in bytes. `machine`: what is
    known of the machine (`Machine`).

    What is needed and absent is `MissingContext` or `Unavailable`, by its name; other errors as in
    `dwarfgpu.evaluate`. `UsageError` for a wrong request.
    """
    _require_known("evaluate", machine)
    entry = entry_of(die, code)
    subject = described(attribute, die, entry)
    session = session_of(subject.holder or entry, code, **machine)
    return _evaluated(subject, _context(subject, session, object), None)


def read(die: DIE, code: CodeObject, **machine: Unpack[Machine]) -> Reading:
    """Read a variable, parameter or constant: `text`, `value`, `location`, `type`, `notes` and
    `error` of a `Reading`.

    `machine` as in `evaluate`. `UsageError` for a DIE that is none of them, or has no name, and for
    a wrong request; an error in reading it is in the `Reading`.
    """
    _require_known("read", machine)
    entry = entry_of(die, code)
    variable = _variable(entry)
    if variable is None:
        why = "is not a variable with a name"
        if entry.tag in DATA and entry.flag(dw.AT_DECLARATION):
            why = f"only declares {name_of(entry)}: read the DIE that defines it"
        raise UsageError(f"the DIE at {entry.offset:#x} {why}")
    session = session_of(entry, code, **machine)
    reading = session.read(variable)
    return evolve(reading, notes=(*session.notes, *reading.notes)) if session.notes else reading


def explain(
    attribute: Attribute,
    die: DIE,
    code: CodeObject,
    *,
    object: int | None = None,
    depth: int = 0,
    **machine: Unpack[Machine],
) -> str:
    """Explain an evaluation: its steps, and why the result is as it is or missing, as lines of
    text.

    The attributes of a variable explain its contents. `depth`: how deep to show what operations
    used. Other arguments as in `evaluate`; an error in the evaluation is explained, not raised.
    """
    _require_known("explain", machine)
    entry = entry_of(die, code)
    subject = described(attribute, die, entry)
    session = session_of(subject.holder or entry, code, **machine)
    if object is not None:
        address_of(session.architecture, "object", object)
    depth = integer("depth", depth, 0)
    variable = _variable(entry) if subject.number in VARIABLE_ATTRIBUTES else None
    if variable is not None:
        return explain_variable(session, variable, advise=_advice).text(depth, "depth")

    def ask(observe: Observer) -> Result:
        return _evaluated(subject, _context(subject, session, object), observe)

    heading = subject.referred or f"in dialect {entry.unit.dialect}"
    return explain_evaluation(session, ask, heading, advise=_advice).text(depth, "depth")


def text(result: Result, code: CodeObject) -> str:
    """Return the result of `evaluate` in one line: a place, with its offset in the file, or a
    value."""
    code_object(code)
    if not isinstance(result, get_args(Result)):
        raise wrong_type("result", result, "a result of evaluate")
    return of_result(result, (), code.file.endian, (code,)).text


def _advice(error: DwarfGpuError) -> str | None:
    """Return the keyword that would help."""
    if isinstance(error, EvaluationError):
        for piece, keyword in _KEYWORDS.items():
            if piece in error.message:
                return f"give {keyword}"
    return None


def _require_known(function: str, machine: Machine) -> None:
    """Raise Python's own error for a keyword that no machine has."""
    for name in machine:
        if name not in Machine.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


def _variable(entry: Die) -> Variable | None:
    variable = variable_of(entry) if entry.tag in DATA else None
    is_local = any(scope.tag == dw.TAG_SUBPROGRAM for scope in scopes_around(entry))
    return variable if variable is None or is_local else evolve(variable, kind="global")


def _context(subject: AttributeSource, session: Session, object: int | None) -> Context:
    context = evolve(session.context(), result_kind=subject.result)
    if object is None:
        if subject.number in MEMBER_ATTRIBUTES:
            raise MissingContext("the context has no object, whose part the DIE describes")
        return context
    address = address_of(session.architecture, "object", object)
    location = memory_location(context, session.architecture.address_space(0), address)
    if subject.number in MEMBER_ATTRIBUTES:
        return evolve(context, initial_stack=(location,), object=location)
    return evolve(context, object=location)


def _evaluated(subject: AttributeSource, context: Context, observe: Observer | None) -> Result:
    match subject.source:
        case int(constant):
            if subject.number in MEMBER_ATTRIBUTES:
                (location,) = context.initial_stack
                assert isinstance(location, Location)
                return location.displaced(8 * constant)
            return Value.of(constant, context.generic)
        case ConstValue(data=data):
            return constant_location(data, context.endian)
        case Computed() as measured:
            return _referenced(measured, context, observe)
        case attribute:
            return evaluate_attribute(attribute, context, observe=observe)


def _referenced(measured: Computed, context: Context, observe: Observer | None) -> Value:
    """Return the value of the variable that an attribute refers to (DWARF 5 2.19)."""
    holder = measured.source
    assert isinstance(holder, Die)  # other sources are evaluated as they are
    location = holder.unit.location_attribute(holder)
    if observe is not None and location is not None and not isinstance(location, ConstValue):
        of_variable = evolve(context, unit=location.unit, result_kind="location")
        evaluate_attribute(location, of_variable, observe=observe)
    about = LocatedObject(UNDEFINED_LOCATION, None)
    number = TypeAttributes(lambda: context).number(measured, about)
    return Value.of(number, context.generic)
