"""Registers that call frame information has lost: undefined storage that says why."""

from __future__ import annotations

from functools import partial

from dwarfgpu.cfi.rule import SameValueRule, UndefinedRule
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import REASON_LOST
from dwarfgpu.model.storage import Undefined


def lost_register(frame: CfiFrame, number: int, *, on_entry: bool) -> Location:
    """Return undefined storage for a register of a frame, or for its value on entry."""
    why = partial(_why, frame, number, on_entry)
    return Location((SingleLocation(Undefined(why=why)),))


def assumed_preserved(name: str) -> str:
    """Return the note that a register of an outer frame is taken to have the value of the inner
    one (`dwarfgpu.session.ipa_ra`)."""
    return (
        f"{name} is assumed to be preserved by the functions within the call: gcc keeps a "
        "location across a call only if the callee preserves the register (-fipa-ra)"
    )


def _why(frame: CfiFrame, number: int, on_entry: bool) -> str | None:
    """Return the register, its frame, and the rule that lost it; None where that is unknown."""
    try:
        name = frame.architecture.register(number).name
        preposition = "on entry to" if on_entry else "of"
        what = f"{name} {preposition} the frame at {frame.pc:#x}"
        losing = frame if on_entry else frame.callee
        while losing is not None and isinstance(losing.rule(number), SameValueRule):
            losing = losing.callee
        if losing is None or not isinstance(losing.rule(number), UndefinedRule):
            return None
    except DwarfGpuError:
        return None
    if losing.convention is not None:
        return f"{REASON_LOST}the calling convention does not preserve {what}"
    if losing.lacks_rule(number):
        is_set = number in frame.architecture.set_for_signals
        why = "set for the handler of a signal" if is_set else "caller-saved"
        return f"{REASON_LOST}{what} is {why} and has no CFI rule"
    return f"{REASON_LOST}by its CFI rule, {what} is undefined"
