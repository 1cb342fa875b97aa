"""Conditions: whether the value of an expression is true."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from dwarfgpu import language
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Struct, strip
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.language.c_numbers import NOT_A_NUMBER
from dwarfgpu.service.value.value_history import ValueHistory, evaluated, options_of
from dwarfgpu.session.session import Session


def holds(session: Session, history: ValueHistory, text: str) -> bool:
    """Return whether a value is not zero; of a structure, whether one of its bytes is not. Of lanes
    the answer decides when it is used."""
    try:
        return _known(evaluated(session, history, f"!({text})")) == 0
    except UsageError:  # there is no `!` of a structure
        with suppress(UsageError):
            value = evaluated(session, history, text)
            if isinstance(strip(value.type), Struct):
                return _known(value) != 0
        raise


def has_assignment(session: Session, history: ValueHistory, text: str) -> bool:
    """Return whether the evaluation of a condition changes something."""
    return language.has_assignment(text, session, options_of(session, history))


class InvalidThere(UsageError):
    """A condition that is invalid for code whose names are not those in focus."""

    def __init__(self, error: UsageError, session: Session) -> None:
        """`session`: what that code sees."""
        super().__init__(error.text)
        self.remarks = error.remarks
        self.session = session

    @property
    def kind(self) -> str:
        return "UsageError"


def error_of(
    session: Session, address: int | None, text: str, history: ValueHistory
) -> UsageError | None:
    """Return why a condition is invalid at an address: an unknown name, a mistake of syntax or of
    types. None checks it in the session."""
    at_address = session if address is None else _at_address(session, address)
    try:
        language.type_of(text, at_address, options_of(at_address, history))
    except UsageError as error:
        if error.message == NOT_A_NUMBER and "$" in text:
            return None  # a variable without a value may be set later
        return error if address is None else InvalidThere(error, at_address)
    except DwarfGpuError:
        pass  # it depends on the machine: it is evaluated when the location is reached
    return None


def require_valid_condition(
    session: Session, addresses: Iterable[int], text: str, history: ValueHistory
) -> None:
    """Raise `UsageError` for a condition that is invalid at all addresses. Without addresses, it is
    checked in the session."""
    wanted: tuple[int | None, ...] = (*addresses,) or (None,)
    errors = [error_of(session, address, text, history) for address in wanted]
    if errors[0] is not None and None not in errors:
        raise errors[0]


def _at_address(session: Session, address: int) -> Session:
    """Return what code at an address sees by names and types alone."""
    top = session.top or session
    return evolve(top, pc=address, top=None, level=0, inline_level=0)


def _known(value: TypedValue) -> int:
    if value.bits is None or not value.bits.is_complete:
        raise UsageError("value has been optimized out")
    return value.bits.value
