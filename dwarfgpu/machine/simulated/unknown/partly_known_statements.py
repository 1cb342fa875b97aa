"""The statements of an instruction, compiled to execute on numbers that are known in part.

Law: they are those that execute the instruction, with the same functions. The functions of vector
operations are executed on such numbers too, as far as these decide what happens; others give a
number for each lane whose arguments are known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache, partial
from types import FunctionType
from typing import Any, Final

import numpy as np

from dwarfgpu.machine.simulated.semantics import lane_functions, lane_moves
from dwarfgpu.machine.simulated.semantics.compiled_instructions import NAMESPACE
from dwarfgpu.machine.simulated.semantics.float_atomics import FLOAT_ATOMICS
from dwarfgpu.machine.simulated.semantics.matrices import MATRICES
from dwarfgpu.machine.simulated.semantics.scalar_functions import SCALAR_FUNCTIONS, SCALAR_PREFIX
from dwarfgpu.machine.simulated.semantics.statements import PROLOGUE
from dwarfgpu.machine.simulated.storage.wave_registers import lanes_of, mask_of
from dwarfgpu.machine.simulated.unknown.partly_known import (
    Number,
    PartlyKnown,
    Undecided,
    choose,
    greatest,
    least,
    of_bits,
    opposite,
    partly_known,
    parts_of,
    tried,
)
from dwarfgpu.machine.simulated.unknown.partly_known_lanes import (
    NUMPY,
    Array,
    PartlyKnownLanes,
    elementwise,
    known,
    lanes_of_any,
)

_INDICES: Final = {"permuted_by_lane": 4, "read_lanes": 2, "write_lanes": 2}
"""Moves whose second argument says for each lane which lane it reads or writes, with the argument
that says which lanes execute."""

_BIT_BY_BIT: Final = ("reverse", "spread", "quads")
"""Functions of scalar operations whose bits are bits of the source, or whether one of some is
set."""


class _Decisions(ast.NodeTransformer):
    """Writes what Python decides as calls of functions, which know of undecided numbers."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return _call("choose", node.test, node.body, node.orelse)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return _call("opposite", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in lane_moves.TYPES:
            return _call("converted", node.func, *node.args)
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


@lru_cache(maxsize=1 << 12)
def compiled(lines: tuple[str, ...]) -> Callable[[Any], None]:
    """Return statements as a function of a wave whose registers are known in part."""
    prologue = ", ".join(PROLOGUE), ", ".join(f"w.{name}" for name in PROLOGUE.values())
    marks = ("w.written[", "w.write_bytes(")  # what is written is known in part
    lines = tuple(line for line in lines if not line.startswith(marks))
    body = "\n    ".join((" = ".join(prologue), *lines))
    tree = ast.fix_missing_locations(_Decisions().visit(ast.parse(f"def execute(w):\n    {body}")))
    names: dict[str, Any] = {}
    exec(compile(tree, "<known bits>", "exec"), _NAMESPACE, names)
    function: Callable[[Any], None] = names["execute"]
    return function


def _integer(number: Any, *base: int) -> Any:
    """Return `int(number)`, or the number that a text is."""
    if isinstance(number, PartlyKnownLanes):
        return number.item()
    return number if isinstance(number, PartlyKnown) else int(number, *base)


def _converted(kind: Any, number: Any) -> Any:
    """Return a number as one of a type."""
    if isinstance(number, (PartlyKnown, PartlyKnownLanes)):
        return lanes_of_any(number, kind)
    return kind(number)


def _constant(kind: Any, number: Number) -> Any:
    """Return a number that all lanes have."""
    if isinstance(number, PartlyKnown):
        return lanes_of_any(number, kind)
    return lane_moves.constant(kind, number)


def _lanes_of(mask: Number, lane_count: int) -> Any:
    """Return a mask as a boolean for each lane."""
    value, unknown = parts_of(mask)
    every = (1 << lane_count) - 1
    return PartlyKnownLanes(
        lanes_of(value & every, lane_count), lanes_of(unknown & every, lane_count)
    )


def _mask_of(lanes: Any) -> Number:
    """Return booleans as a mask."""
    if not isinstance(lanes, PartlyKnownLanes):
        return mask_of(lanes)
    return partly_known(mask_of(lanes.value), mask_of(lanes.unknown))


def _with_known_index(function: Callable[..., Any], position: int) -> Callable[..., Any]:
    """Return a move whose index must be known in the lanes that execute."""

    def moved(a: Any, index: Any, *arguments: Any) -> Any:
        active: Array = arguments[position - 2]
        if isinstance(index, PartlyKnownLanes):
            if not index.ndim:
                index = known(index)
            elif (index.unknown[active] != 0).any():
                raise Undecided
            else:
                index = np.where(active, index.value, index.dtype.type(0))
        return function(a, index, *arguments)

    return moved


def _with_lanes(function: Callable[..., Any], of_lanes: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is executed as far as its arguments decide what happens."""

    def executed(*arguments: Any) -> Any:
        try:
            return of_lanes(*arguments)
        except Undecided:
            return elementwise(function, *arguments)

    return executed


def _of_known(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that needs all of its arguments."""
    return lambda *arguments: function(*map(known, arguments))


def _put(row: Any, on: Array | None, values: Any) -> None:
    row.put(on, lanes_of_any(values, row.dtype))


def _namespace() -> dict[str, Any]:
    """Return what statements call."""
    own = {"int": _integer, "constant": _constant, "put": _put}
    of_lanes: dict[str, Any] = {**vars(lane_functions), **vars(lane_moves), **own, "np": NUMPY}
    functions = {
        name: function
        for module in (lane_functions, lane_moves)
        for name, function in vars(module).items()
        if isinstance(function, FunctionType) and function.__module__ == module.__name__
    }
    for name, function in functions.items():
        if name not in own:
            of_lanes[name] = FunctionType(
                function.__code__, of_lanes, name, function.__defaults__, function.__closure__
            )
    out: dict[str, Any] = {}
    for name, function in NAMESPACE.items():
        if name in _INDICES:
            out[name] = _with_known_index(of_lanes[name], _INDICES[name])
        elif name in lane_moves.MOVES:
            out[name] = of_lanes[name]
        elif name in SCALAR_FUNCTIONS:
            rule = of_bits if name.removeprefix(SCALAR_PREFIX) in _BIT_BY_BIT else tried
            out[name] = partial(rule, function)
        elif function is getattr(lane_functions, name, None):
            out[name] = _with_lanes(function, of_lanes[name])
        elif isinstance(function, (np.ufunc, type)) or function in (np.where, np.clip):
            out[name] = function
        elif name in MATRICES or name in FLOAT_ATOMICS:
            out[name] = _of_known(function)
        else:
            out[name] = partial(elementwise, function) if callable(function) else function
    return out | {
        **own,
        "choose": choose,
        "opposite": opposite,
        "converted": _converted,
        "min": least,
        "max": greatest,
        "lanes_of": _lanes_of,
        "mask_of": _mask_of,
    }


_NAMESPACE: Final = _namespace()
