"""The objects that renamings of Ada denote, which gnat says in names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.ada_renamings import Renaming, Subscript
from dwarfgpu.dwarf.names.fortran_ada import pointer_to_elements
from dwarfgpu.dwarf.scope.declarations import around
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS
from dwarfgpu.dwarf.scope.variable import Variable, declared_in
from dwarfgpu.dwarf.types.types import Array, Dynamic, Pointer, Struct, Type, strip
from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.language.ada.spellings import is_spelling
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue

_MOST_POINTERS: Final = 3
"""To an array that is indexed in place of what designates it."""
_MOST_DIGITS: Final = 40
"""Of a subscript; 128 bits have 39."""
_MOST_RENAMINGS: Final = 20
"""Objects that are renamed by one another."""
_MOST_FOLLOWED: Final = 1_000
"""Renamings that the evaluation of one expression follows: each may name several."""


class Evaluating(Protocol):
    """What evaluates expressions in a focus, or their types alone."""

    def value(self, node: ast.Node) -> TypedValue: ...

    def value_of_type(self, node: ast.Node) -> TypedValue: ...


def require_few(name: str, nested: Sequence[Variable], followed: Sequence[Variable]) -> None:
    """Raise `LimitExceeded` where a name leads through too many renamings: those that `nested` in
    one another, or those that one expression `followed`."""
    if len(nested) >= _MOST_RENAMINGS:
        raise LimitExceeded(
            f"more than {_MOST_RENAMINGS} objects that rename one another lead to {name}"
        )
    if len(followed) > _MOST_FOLLOWED:
        raise LimitExceeded(f"the expression leads through more than {_MOST_FOLLOWED} renamings")


def renamed_object(evaluator: Evaluating, renaming: Renaming) -> TypedValue:
    """Return the object that a renaming denotes."""
    node: ast.Node = ast.Name(renaming.renamed)
    subscripts: list[ast.Node] = []
    first_of_slice: ast.Node | None = None
    for selection in renaming.selections:
        if isinstance(selection, Subscript):
            subscript = _subscript(selection.text)
            if selection.is_first_of_slice:
                first_of_slice = subscript
            elif first_of_slice is not None:
                subscripts.append(ast.Triplet(first_of_slice, subscript, None))
                first_of_slice = None
            else:
                subscripts.append(subscript)
            continue
        node = _indexed(evaluator, node, subscripts)
        subscripts = []
        is_all = selection == "all"
        node = ast.Unary("*", node) if is_all else ast.Access(node, selection, is_arrow=False)
    if first_of_slice is not None:
        raise UsageError("the renaming of a slice has no upper bound")
    return evaluator.value(_indexed(evaluator, node, subscripts))


def declared_before(renaming: Variable, name: str) -> Variable | None:
    """Return the variable of a subprogram that a name in a renaming denotes where the renaming is
    declared; None if there is none.

    What its block declares after it is not visible to it (Ada 2012 8.2, 8.3).
    """
    for scope in _scopes_around(renaming.die):
        named = [
            variable
            for variable in declared_in(scope, is_named=lambda entry: is_spelling(entry, name))
            if is_spelling(variable.name, name)
            and (scope != renaming.die.parent() or _is_before(variable, renaming))
        ]
        if named:
            return min(named, key=lambda variable: len(variable.name))
    return None


def _scopes_around(die: Die) -> Iterator[Die]:
    """Yield the blocks and subprograms around an entry; those of an inlined call are of the call,
    and around them are those of the subprogram's text."""
    scope = die.parent()
    while scope is not None and scope.tag in BLOCKS | FUNCTIONS:
        yield scope
        if scope.tag in FUNCTIONS:
            break
        scope = scope.parent()
    for outer in () if scope is None else around(scope):
        if outer.tag in BLOCKS | FUNCTIONS:
            yield outer


def _is_before(variable: Variable, renaming: Variable) -> bool:
    """Return whether a variable of the same block is declared before a renaming, or nothing says
    where it is."""
    return variable.decl_line is None or _position(variable) < _position(renaming)


def _position(variable: Variable) -> tuple[int, int]:
    """Return where a variable is declared; parameters are before all others."""
    if variable.kind == "parameter":
        return 0, 0
    holder = variable.die.holder(dw.AT_DECL_COLUMN)
    column = None if holder is None else holder.integer(dw.AT_DECL_COLUMN)
    return variable.decl_line or 0, column or 0


def _subscript(text: str) -> ast.Node:
    if is_decimal(text.removeprefix("-")):
        if len(text) > _MOST_DIGITS:
            raise UsageError("Numeric constant too large.")
        number = ast.Integer(int(text.removeprefix("-")))
        return ast.Unary("-", number) if text.startswith("-") else number
    return ast.Name(text)


def _indexed(evaluator: Evaluating, node: ast.Node, subscripts: Sequence[ast.Node]) -> ast.Node:
    """Return elements of arrays: gnat does not say which subscripts are those of one array.

    The type of the whole is asked for once: those of the elements follow from it.
    """
    type_ = evaluator.value_of_type(node).type if len(subscripts) > 1 else None
    while subscripts:
        array = _array(type_)
        count = max(1, len(array.dimensions)) if array is not None else 1
        node = ast.Call(node, tuple(subscripts[:count]))
        if array is not None and not any(
            isinstance(one, ast.Triplet) for one in subscripts[:count]
        ):
            type_ = array.element
        subscripts = subscripts[count:]
    return node


def _array(type_: Type | None) -> Array | None:
    """Return the array that an object is, or designates; None for any other object, whose index is
    refused."""
    bare = strip(type_)
    for _ in range(_MOST_POINTERS):
        if isinstance(bare, Struct) and (pointer := pointer_to_elements(bare)) is not None:
            bare = pointer
        if isinstance(bare, Pointer):
            bare = strip(bare.target)
    form = bare.form if isinstance(bare, Dynamic) else bare
    return form if isinstance(form, Array) else None
