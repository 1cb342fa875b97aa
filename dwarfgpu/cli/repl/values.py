"""What `print` can be asked for: variables in scope, `$registers`, and values shown before."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from attrs import frozen

from dwarfgpu.basetype import BaseType
from dwarfgpu.cli.answers import value_text
from dwarfgpu.cli.repl.frames import lane_numbers
from dwarfgpu.cli.repl.registers import read_register, register_named
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.dwarf.type_names import type_name
from dwarfgpu.dwarf.types import Base
from dwarfgpu.errors import DwarfGpuError, UndefinedBits, UsageError
from dwarfgpu.model.object import Bits
from dwarfgpu.session import Reading, Session
from dwarfgpu.view.values import OPTIMIZED_OUT, FormatOptions

Render: TypeAlias = Callable[[FormatOptions], str]

_NAME = re.compile(r"(?:::)?[^\W\d]\w*(?:::~?[^\W\d]\w*)*")
_HISTORY = re.compile(r"\$(?:(?P<back>\$)(?P<count>[0-9]*)|(?P<number>[0-9]*))")
_MOST_DIGITS = 18
_INT = Base(BaseType("int", "signed", 32))


@frozen
class Shown:
    """A value as it was when it was asked for; it can be shown again in another format."""

    render: Render
    assumed: tuple[str, ...] = ()
    """What the value rests on."""
    reasons: tuple[str, ...] = ()
    """Why it is not, or not all, known."""


class ValueHistory:
    """`$1`, `$2` …, as GDB numbers them."""

    def __init__(self) -> None:
        self._values: list[Shown] = []

    def keep(self, value: Shown) -> int:
        """The number of a new value."""
        self._values.append(value)
        return len(self._values)

    def absolute(self, number: int) -> Shown:
        if not 1 <= number <= len(self._values):
            raise UsageError(f"History has not yet reached ${number}.")
        return self._values[number - 1]

    def back(self, count: int) -> Shown:
        """The last value for 0, the one before it for 1."""
        if not self._values:
            raise UsageError("The history is empty.")
        if count >= len(self._values):
            raise UsageError(f"History does not go back to $${count}.")
        return self._values[-1 - count]


def shown(session: Session, history: ValueHistory, text: str) -> Shown:
    """The value that a text means; nothing means the last value."""
    if not text:
        return history.back(0)
    if text.startswith("$"):
        return _dollar(session, history, text)
    return of_reading(session, session.read(variable_named(session, text)))


def variable_named(session: Session, text: str) -> Variable:
    """The variable of a name; an error suggests the nearest one."""
    if not _NAME.fullmatch(text):
        raise UsageError(
            f'"{text}" is an expression: only names, $registers and the value history are '
            "understood so far."
        )
    return session.variable(text)


def names_in_scope(session: Session) -> list[str]:
    """Names of the variables at the program location; none where there is no location."""
    try:
        return [each.name for each in session.variables() if not each.is_shadowed]
    except DwarfGpuError:
        return []


def of_reading(session: Session, reading: Reading) -> Shown:
    """A variable; an error other than that it is optimized out is raised."""
    error, notes = reading.error, reading.notes
    if isinstance(error, UndefinedBits):
        return Shown(lambda _: OPTIMIZED_OUT, notes, (error.message,))
    if error is not None:
        raise error
    if reading.pointer is not None:
        text = f"({type_name(reading.type)}) <synthetic pointer>"
        return Shown(lambda _: text, notes)
    bits = reading.bits
    assert bits is not None
    if bits.size_bits and bits.unavailable.bit_count() == bits.size_bits and bits.reasons:
        raise UsageError(sentence(bits.reasons[0]))
    return Shown(
        lambda options: value_text(bits, reading.type, session, reading.location, options),
        notes,
        bits.reasons[:1],
    )


def sentence(text: str) -> str:
    """A reason as an error of its own."""
    return text[:1].upper() + text[1:]


def _dollar(session: Session, history: ValueHistory, text: str) -> Shown:
    match = _HISTORY.fullmatch(text)
    if match is not None:
        if match["back"]:
            return history.back(_small(match["count"] or "1"))
        return history.absolute(_small(match["number"])) if match["number"] else history.back(0)
    convenience = _convenience(session, text)
    if convenience is not None:
        return convenience
    register = read_register(session, register_named(session, text))
    return Shown(register.text, (), register.bits.reasons[:1])


def _small(digits: str) -> int:
    """The number of a value; no history has one of many digits."""
    if len(digits) > _MOST_DIGITS:
        raise UsageError("Numeric constant too large.")
    return int(digits)


def _convenience(session: Session, text: str) -> Shown | None:
    """ROCgdb's `$_lane` and `$_lane_count`; the latter is 0 where there are no lanes."""
    if text == "$_lane" and session.lane is not None:
        number = session.lane
    elif text == "$_lane_count":
        number = len(lane_numbers(session))
    else:
        return None
    bits = Bits(number, 32)
    return Shown(lambda options: value_text(bits, _INT, session, None, options))
