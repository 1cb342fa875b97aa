"""The variables that the text of a class in a function sees, as that of a lambda.

Compilers describe such a class as a part of the function, and not of the block where it is written.
Law: where the block is unknown, no one of several variables is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import canonical, joined
from dwarfgpu.dwarf.scope.declarations import declaration_of, scope_path
from dwarfgpu.dwarf.scope.meaning import ordinary
from dwarfgpu.dwarf.scope.scope_entries import decl_line
from dwarfgpu.dwarf.scope.variable import Variable, variables_below
from dwarfgpu.dwarf.types.type_entries import QUALIFIERS
from dwarfgpu.errors import UsageError

_MAX_SCOPES: Final = 1_000


def seen_by_class(function: Die, written: Die, name: str) -> Variable | None:
    """Return the variable of a canonical simple name in a function, or in its blocks, that the text
    of a class in it sees; None if there is none.

    The block is that of the only variable of the class, whose initializer is the lambda.
    `UsageError` where several variables of the name may be meant.
    """
    everything = list(variables_below(function))
    named = [
        variable
        for variable in everything
        if canonical(variable.name) == name
        and ordinary(variable.die)
        and _is_before(variable.die, written) is not False
    ]
    whole = tuple(function.origins())
    own = [variable for variable in named if _block_of(variable) in whole]
    if own == named:
        return own[0] if own else None
    of_class = [variable for variable in everything if _has_type(variable, written)]
    if len(of_class) == 1 and all(_is_before(variable.die, written) for variable in named):
        for block in _blocks(of_class[0], whole):
            for variable in named:
                if _block_of(variable) == block:
                    return variable
        return None
    if not own:
        return None
    lines = sorted({decl_line(variable.die) or 0 for variable in named})
    raise UsageError(
        f'several blocks of "{joined(scope_path(function))}" declare "{own[0].name}", '
        f"at lines {', '.join(map(str, lines))}: which one is around this function is unknown"
    )


def _is_before(die: Die, written: Die) -> bool | None:
    """Return whether an entity is declared before a class; None if that is unknown."""
    line, column = _position(die)
    last_line, last_column = _position(written)
    if line is None or last_line is None:
        return None
    if line != last_line or column is None or last_column is None:
        return None if line == last_line else line < last_line
    return column < last_column


def _position(die: Die) -> tuple[int | None, int | None]:
    holder = die.holder(dw.AT_DECL_COLUMN)
    column = None if holder is None else holder.integer(dw.AT_DECL_COLUMN)
    return decl_line(die), column


def _has_type(variable: Variable, written: Die) -> bool:
    """Return whether a variable is an object of a class, perhaps a constant one."""
    holder = variable.die.holder(dw.AT_TYPE)
    kind = None if holder is None else holder.reference(dw.AT_TYPE)
    for _ in range(_MAX_SCOPES):
        if kind is None or kind.tag not in QUALIFIERS:
            break
        kind = kind.reference(dw.AT_TYPE)
    return kind == written


def _block_of(variable: Variable) -> Die | None:
    """Return the block or function that declares a variable, as its abstract instance."""
    return declaration_of(variable.die).parent()


def _blocks(variable: Variable, function: tuple[Die, ...]) -> Iterator[Die]:
    """Yield the blocks around a variable of a function, the innermost first, and the function."""
    block = _block_of(variable)
    for _ in range(_MAX_SCOPES):
        if block is None:
            return
        yield block
        if block in function:
            return
        block = block.parent()
