"""The variables that the text of a class in a function sees, as that of a lambda.

Compilers describe such a class as a part of the function, and not of the block where it is written.
Law: where the block is unknown, no one of several variables is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

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

    `UsageError` where blocks declare the name, and which of them are around the class is unknown.
    """
    everything = list(variables_below(function))
    named = [
        variable
        for variable in everything
        if canonical(variable.name) == name
        and ordinary(variable.die)
        and _order(variable.die, written) != "after"
    ]
    whole = tuple(function.origins())
    if all(_block_of(variable) in whole for variable in named):
        return named[0] if named else None
    of_class = [variable for variable in everything if _has_type(variable, written)]
    orders = {_order(variable.die, written) for variable in named}
    if len(of_class) != 1 or orders != {"before"}:
        raise _unknown_block(function, named)
    # The only variable of the class, whose initializer is the lambda, is in the block of the class.
    around = _blocks(of_class[0], whole)
    return next((one for block in around for one in named if _block_of(one) == block), None)


def _unknown_block(function: Die, named: list[Variable]) -> UsageError:
    """Return the error that lists the variables of a name, some of them in blocks."""
    lines = sorted({decl_line(variable.die) or 0 for variable in named})
    blocks, which = "several blocks", "which one is"
    declare, where = "declare", f"lines {', '.join(map(str, lines))}"
    if len(named) == 1:
        blocks, which, declare, where = "a block", "whether it is", "declares", f"line {lines[0]}"
    return UsageError(
        f'{blocks} of "{joined(scope_path(function))}" {declare} "{named[0].name}", '
        f"at {where}: {which} around this function is unknown"
    )


def _order(die: Die, written: Die) -> Literal["before", "after", "unknown"]:
    """Return whether an entity is declared before or after a class."""
    for own, of_class in zip(_position(die), _position(written), strict=True):
        if own is None or of_class is None:
            return "unknown"
        if own != of_class:
            return "before" if own < of_class else "after"
    return "after"


def _position(die: Die) -> tuple[int | None, int | None]:
    """Return the line and the column of a declaration."""
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
