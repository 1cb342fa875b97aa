"""What the caller of an evaluation provides beside the session: `$names`, functions, warnings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from dwarfgpu.base.arguments import wrong_type
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import UsageError
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.session.session import Session


def _nothing(name: str) -> TypedValue | None:
    return None


@frozen
class Options:
    """What an expression may use beside the session."""

    dollar: Callable[[str], TypedValue | None] = _nothing
    """Returns the caller's `$name` (value history, convenience variables); consulted first."""
    keep: Callable[[str, TypedValue], None] | None = None
    """Stores an assignment to a convenience variable; None if there are none."""
    looked_at: Callable[[Variable, Session], None] | None = None
    """Called with each variable on which the value depends and the session of its frame, even if
    there is no value."""
    read_only: str | None = None
    """Why assignment is impossible; None if it is possible."""
    wrote: Callable[[], None] | None = None
    """Called after an assignment to the machine."""
    warn: Callable[[str], None] | None = None
    """Called with a warning about a doubtful assignment."""
    noted: Callable[[str], object] | None = None
    """Called with each note on the value: an assumption on which it rests."""
    functions: Mapping[str, Callable[..., TypedValue]] = field(factory=dict)
    """Functions `$_name(…)` of the caller, in addition to those of
    `dwarfgpu.language.convenience_functions`: each is a
    `dwarfgpu.language.function_context.DebuggerFunction`."""
    is_closed: bool = False
    """Whether an unknown `$name` is an error: it can never get a value."""
    real_types: bool = False
    """Whether `->` finds members of the class that the object was created as."""
    radix: int = 10
    """The base of integers without a prefix."""


def require_writable(options: Options) -> None:
    """Raise `UsageError` with the reason if assignments are impossible."""
    reason = options.read_only
    if reason is None:
        return
    if not isinstance(reason, str):
        raise wrong_type("SourceOptions.read_only", reason, "str, the reason, or None")
    raise UsageError(reason)


DEFAULT: Final = Options()
"""The services of the session only."""
