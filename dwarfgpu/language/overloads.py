"""Operators on objects of a class, which are functions of the program: they are not called."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.types.types import Struct, strip
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.value import TypedValue

NO_CALLS: Final = "functions of the program cannot be called"


def refuse_overloaded(operator: str, *operands: TypedValue, cplusplus: bool) -> None:
    """`Unsupported` for an operator that a class has; `UsageError`, in GDB's words, for others."""
    kinds = [strip(each.type) for each in operands]
    found = [each for each in kinds if isinstance(each, Struct)]
    if not found:
        return
    name = f"operator{operator}"
    if any(method.name == name for each in found for method in each.declared.methods):
        raise Unsupported(NO_CALLS)
    if not cplusplus:
        raise UsageError(f"Structure has no component named {name}.")
    raise UsageError(f'No symbol "{name}" in current context.')
