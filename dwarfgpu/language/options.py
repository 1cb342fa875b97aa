"""What whoever evaluates an expression gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from attrs import field

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.dwarf.scope.entities import Variable
from dwarfgpu.language.evaluation import DebuggerFunction
from dwarfgpu.language.value import TypedValue


def _nothing(name: str) -> TypedValue | None:
    return None


@frozen
class Options:
    """What an expression may use beside the session."""

    dollar: Callable[[str], TypedValue | None] = _nothing
    """What `$name` means to the caller (value history, convenience variables): asked first."""
    keep: Callable[[str, TypedValue], None] | None = None
    """Takes what is assigned to a convenience variable; None where there are none."""
    looked_at: Callable[[Variable], None] | None = None
    """Told of each variable that the value depends on, also where there is no value."""
    read_only: str | None = None
    """Why nothing can be assigned; None where it can."""
    wrote: Callable[[], None] | None = None
    """Told when something of the machine is assigned to."""
    warn: Callable[[str], None] | None = None
    """Told what is doubtful about an assignment that is made nevertheless."""
    functions: Mapping[str, DebuggerFunction] = field(factory=dict)
    """Functions `$_name(…)` of the caller, beside those of `dwarfgpu.language.functions`."""
    is_closed: bool = False
    """Whether a `$name` that means nothing is a mistake: nobody gave it a value, or will."""


DEFAULT: Final = Options()
"""Nothing beside the session."""
