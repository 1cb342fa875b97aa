"""The objects that renamings of Ada denote, which gnat says in names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.dwarf.names.ada_renamings import Renaming, Subscript
from dwarfgpu.dwarf.names.fortran_ada import pointer_to_elements
from dwarfgpu.dwarf.types.types import Array, Dynamic, Pointer, Struct, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue

_MOST_POINTERS: Final = 3
"""To an array that is indexed in place of what designates it."""


class Evaluating(Protocol):
    """What evaluates expressions in a focus, or their types alone."""

    def value(self, node: ast.Node) -> TypedValue: ...

    def value_of_type(self, node: ast.Node) -> TypedValue: ...


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


def _subscript(text: str) -> ast.Node:
    if is_decimal(text.removeprefix("-")):
        number = ast.Integer(int(text.removeprefix("-")))
        return ast.Unary("-", number) if text.startswith("-") else number
    return ast.Name(text)


def _indexed(evaluator: Evaluating, node: ast.Node, subscripts: Sequence[ast.Node]) -> ast.Node:
    """Return elements of arrays: gnat does not say which subscripts are those of one array."""
    while subscripts:
        count = 1
        if len(subscripts) > 1:
            count = _dimensions(evaluator.value_of_type(node).type)
        node = ast.Call(node, tuple(subscripts[:count]))
        subscripts = subscripts[count:]
    return node


def _dimensions(type_: Type | None) -> int:
    """Return how many subscripts the array has that an object is, or designates; 1 for any other
    object, whose index is refused."""
    bare = strip(type_)
    for _ in range(_MOST_POINTERS):
        if isinstance(bare, Struct) and (pointer := pointer_to_elements(bare)) is not None:
            bare = pointer
        if isinstance(bare, Pointer):
            bare = strip(bare.target)
    form = bare.form if isinstance(bare, Dynamic) else bare
    return max(1, len(form.dimensions)) if isinstance(form, Array) else 1
