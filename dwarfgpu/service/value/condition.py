"""Conditions: whether the value of an expression is true."""

from __future__ import annotations

from contextlib import suppress

from dwarfgpu.dwarf.types.types import Struct, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.service.value.value_history import ValueHistory, evaluated
from dwarfgpu.session.session import Session


def holds(session: Session, history: ValueHistory, text: str) -> bool:
    """Return whether a value is not zero; of a structure, whether one of its bytes is not."""
    try:
        return not _is_set(evaluated(session, history, f"!({text})"))
    except UsageError:  # there is no `!` of a structure
        with suppress(UsageError):
            value = evaluated(session, history, text)
            if isinstance(strip(value.type), Struct):
                return _is_set(value)
        raise


def _is_set(value: TypedValue) -> bool:
    if value.bits is None or not value.bits.is_complete:
        raise UsageError("value has been optimized out")
    return bool(value.bits.value)
