"""What `eval` and `explain` are asked for in the source language: variables and expressions.

Law: the language is imported only where something else than the name of a variable is given, so
that a variable costs no more than its lookup.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.dwarf.scope.entities import Variable
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.service.answer import Answer
from dwarfgpu.service.error_text import error_line, one_line
from dwarfgpu.service.reading_answer import of_reading
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject, Plain

if TYPE_CHECKING:
    from dwarfgpu.service.manner import Manner

_PART: Final = r"[^\W\d][\w$]*+(?><[\w:, *&<>]*>)?+"
_NAME: Final = re.compile(rf"{_PART}(?:::{_PART})*|[^'\"\\]*\\[^'\"]*")
"""A name, also of a template; and what has a backslash, as names with odd characters are shown."""
_UNKNOWN: Final = "No symbol "
"""How the error begins that a name means nothing."""


@frozen
class Expression:
    """An expression of the source language."""

    name: str
    """Its text, by which it is called in answers."""


Subject: TypeAlias = Variable | Expression


def subject(session: Session, text: str) -> Subject:
    """The variable of a name; of anything else, an expression, which may still mean nothing."""
    if _NAME.fullmatch(text) is None:
        return Expression(text)
    try:
        return session.variable(text)
    except UsageError as error:
        if not error.message.startswith(_UNKNOWN):
            raise
        return Expression(text)


def answer(session: Session, wanted: Subject, manner: Manner | None = None) -> Answer:
    """What is known of a variable or an expression for the focus; `UsageError` for no meaning.

    `manner`: of an expression, where it is not that of the command line.
    """
    if isinstance(wanted, Variable):
        return of_reading(session.read(wanted), session)
    from dwarfgpu.service.expression import of_expression

    try:
        return of_expression(session, wanted.name, manner=manner)
    except UsageError as error:
        wrong = misspelt(session, wanted.name, error)
        raise (or_operations(wanted.name, wrong) if manner is None else wrong) from None


def misspelt(session: Session, text: str, error: UsageError) -> UsageError:
    """An error about an expression; of an unknown name the session's, which may know a near one."""
    told = f'{_UNKNOWN}"{text}" in current context.' if "::" in text else _UNKNOWN
    if _NAME.fullmatch(text) and error.message.startswith(told):
        try:
            session.variable(text)
        except UsageError as unknown:
            return unknown
    return error


def or_operations(text: str, error: UsageError) -> UsageError:
    """An error about an expression, with advice where operations were given in its place."""
    first = re.split(r"[\s;,]", text, maxsplit=1)[0].removeprefix("DW_OP_")
    if first not in OPERATIONS:
        return error
    return UsageError(f"{error.message.rstrip('.')}; give operations with -e")


def named(wanted: Subject, record: JsonObject) -> JsonObject:
    """The answer as one of several: with the name, and what the declaration says."""
    out: JsonObject = {"name": wanted.name, "type": None, "line": None, "kind": "expression"}
    if isinstance(wanted, Expression):
        return out | record
    out["kind"] = wanted.kind
    notes: list[Plain] = []
    try:
        out["type"] = wanted.type_text
    except DwarfGpuError as error:
        notes.append(f"the type of {wanted.name}: {error_line(error)}")
    try:
        out["line"] = wanted.decl_line
    except DwarfGpuError as error:
        notes.append(f"the line of {wanted.name}: {error_line(error)}")
    out |= record
    if notes:
        known = record.get("notes")
        out["notes"] = [*known, *notes] if isinstance(known, list) else notes
    return out


def line(wanted: Subject, found: Answer, *, is_listing: bool) -> str:
    """One line of text: in a listing also type and place."""
    if not is_listing:
        return f"{wanted.name} = {found.text}"
    where = f"  @ {found.where}" if found.where else ""
    typed = typed_name(wanted)
    if found.error is not None and typed.startswith(f"<error: {error_line(found.error)}>"):
        typed = wanted.name  # the value has the error of the type
    return one_line(f"{typed} = {found.text}{where}")


def typed_name(wanted: Subject) -> str:
    """`int t`; an expression as it is."""
    if isinstance(wanted, Expression):
        return wanted.name
    try:
        kind = wanted.type_text
    except DwarfGpuError as error:
        return f"<error: {error_line(error)}> {wanted.name}"
    return wanted.name if kind is None else f"{kind} {wanted.name}"


def distinguishing(session: Session, variables: list[Variable]) -> dict[Subject, str]:
    """What tells variables of one name apart: line, inlined function, whether one hides it."""
    counts = Counter(variable.name for variable in variables)
    functions = session.functions()
    out: dict[Subject, str] = {}
    for variable in variables:
        if counts[variable.name] > 1:
            words = _line_words(variable)
            if variable.kind != "global" and variable.inline_level < len(functions):
                words.append(f"of {functions[variable.inline_level]}")
            words += ["hidden by a nearer one"] if variable.is_shadowed else []
            if words:
                out[variable] = one_line(f"  ({', '.join(words)})")
    return out


def _line_words(variable: Variable) -> list[str]:
    try:
        return [] if variable.decl_line is None else [f"line {variable.decl_line}"]
    except DwarfGpuError as error:
        return [f"line <error: {error_line(error)}>"]
