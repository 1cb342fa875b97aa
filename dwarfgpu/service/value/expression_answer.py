"""Source expressions on the command line: answers, and the assumptions they depend on."""

from __future__ import annotations

from functools import cache
from typing import Final

from dwarfgpu import language
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Base, Enum, Pointer, Type, strip
from dwarfgpu.errors import DwarfGpuError, UndefinedBits, UsageError
from dwarfgpu.language import Options, TypedValue
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax.expression_language import language_of
from dwarfgpu.language.value_text import widened
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import REASON_UNDEFINED
from dwarfgpu.model.storage import Implicit
from dwarfgpu.model.value import Value
from dwarfgpu.service.answer import Answer, machine_interface, of_error, without_value
from dwarfgpu.service.value.expression_settings import ExpressionSettings
from dwarfgpu.service.value.reading_answer import (
    Contents,
    is_reference,
    of_contents,
)
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import DEFAULT_OPTIONS
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.location_json import implicit_pointer_json, location_json, stack_value_json

READ_ONLY: Final = "assignments are not possible here: use set var at the prompt of dwarfgpu debug"
DEFAULT: Final = Options(read_only=READ_ONLY, is_closed=True)
NOT_DESCRIBED: Final = "the location describes no bits of it"
"""Why an object is optimized out that `is_undescribed`."""


def options_for(session: Session, settings: ExpressionSettings | None) -> Options:
    """Return the options of an expression; without settings, as on the command line."""
    return DEFAULT if settings is None else settings.options_of(session)


def of_expression(
    session: Session,
    text: str,
    variables: dict[Variable, Session] | None = None,
    settings: ExpressionSettings | None = None,
) -> Answer:
    """Return the value of an expression for the focus; `UsageError` for an invalid expression.

    `variables` takes the variables that the value depends on, and the session of each.
    """
    depends: dict[Variable, Session] = {} if variables is None else variables
    options = options_for(session, settings)
    notes: dict[str, None] = {}
    options = evolve(
        options,
        looked_at=lambda variable, frame: depends.update({variable: frame}),
        noted=notes.setdefault,
    )
    try:
        return of_value(session, text, language.evaluate(text, session, options), settings)
    except UsageError:
        raise
    except DwarfGpuError as error:
        answer = of_error(error, tuple(notes))
        return evolve(answer, text=without_value(error))


def of_value(
    session: Session, name: str, value: TypedValue, settings: ExpressionSettings | None = None
) -> Answer:
    """Return the answer for a value of the language; `name` is its name in notes."""
    shown = DEFAULT_OPTIONS if settings is None else settings.format
    symbolize = None if settings is None else settings.symbolize
    endian = session.architecture.endian
    contents = Contents(
        name,
        value.type,
        value.location,
        value.bits,
        value.notes,
        value.error,
        value.pointer is not None,
    )
    answer = of_contents(
        contents,
        session,
        text=lambda report: language.format(
            evolve(value, error=None), session, evolve(shown, report=report), symbolize
        ),
        type_text=lambda: type_text(value),
        result=lambda: _result(value, type_text(value), endian),
        shown_bits=lambda bits: widened(value, bits, endian),
    )
    if is_reference(value.type):
        return with_referent(answer, session, name, value, settings)
    if not is_undescribed(value):
        return answer
    return answer.with_notes((*answer.notes, f"{name} is optimized out: {NOT_DESCRIBED}"))


def with_referent(
    answer: Answer,
    session: Session,
    name: str,
    value: TypedValue,
    settings: ExpressionSettings | None = None,
) -> Answer:
    """Return the answer for a reference, which leads to that for what it refers to."""

    def referent() -> Answer:
        objects = ObjectAccess(session)
        try:
            return of_value(session, name, objects.read(objects.referred(value)), settings)
        except DwarfGpuError as error:
            return of_error(error, ())

    return answer if answer.error is not None else evolve(answer, referent=cache(referent))


def is_undescribed(value: TypedValue) -> bool:
    """Return whether a value is optimized out because the location of the object describes no bits
    of it: they are in a piece without a location, for example."""
    if not isinstance(value.error, UndefinedBits) or value.bits is None:
        return False
    return value.location is not None and value.bits.reasons == (REASON_UNDEFINED,)


def type_text(value: TypedValue) -> str:
    """Return the name of a value's type in its language."""
    style = "c" if value.unit is None else value.unit.style
    return type_name(value.type, cplusplus=language_of(value.unit).is_cplusplus, style=style)


def value_record(value: TypedValue, text: str) -> JsonObject:
    """Return a value with the keys of GDB's machine interface; void has no type."""
    name = None if value.type is None else type_text(value)
    return machine_interface(text, name, value.location)


def _result(value: TypedValue, type_text: str, endian: Endian) -> JsonObject:
    """Return the object R of `dwarfgpu-eval-1` for a value without a location."""
    if value.pointer is not None:
        return implicit_pointer_json(value.pointer)
    bits = value.bits
    assert bits is not None
    base = _base_type(value.type, type_text, bits.size_bits, endian)
    if base is not None:
        return stack_value_json(Value(bits.value, base))
    single = SingleLocation(Implicit(bits.value, bits.size_bits))
    return location_json(Location((single,)), endian)


def _base_type(type_: Type | None, name: str, bit_size: int, endian: Endian) -> BaseType | None:
    """Return what a scalar is as a value; None for a type of parts."""
    match strip(type_):
        case None:
            return BaseType(name, "void", 0, endian)
        case Base(base=base):
            return evolve(base, name=name, bit_size=bit_size)
        case Enum(is_signed=is_signed):
            return BaseType(name, "signed" if is_signed else "unsigned", bit_size, endian)
        case Pointer():
            return BaseType(name, "address", bit_size, endian)
        case _:
            return None
