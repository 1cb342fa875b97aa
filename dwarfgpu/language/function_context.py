"""The part of an evaluation that convenience functions of the debugger use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.language.number_rules import NumberRules


class FunctionContext(Protocol):
    """One focus and the rules of values there; `dwarfgpu.language.evaluator.Evaluator` is one."""

    @property
    def session(self) -> Session: ...

    @property
    def names(self) -> Names: ...

    @property
    def objects(self) -> ObjectAccess: ...

    @property
    def arithmetic(self) -> Arithmetic: ...

    @property
    def rules(self) -> NumberRules | None:
        """How the language in focus computes with numbers; None where it is C."""
        ...

    def truth(self, holds: bool) -> TypedValue:
        """Return the result of a comparison: bool in C++, otherwise int."""
        ...


DebuggerFunction: TypeAlias = Callable[[FunctionContext, list[TypedValue]], TypedValue]
"""A convenience function of the debugger, from its arguments to its value."""
