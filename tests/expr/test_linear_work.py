"""Every operation takes work that grows with how many of it there are, on its own and on results.

Nothing here lists operations: a new declaration is tested by being there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Final

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.decode import encode
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.operand_codec import Operand
from dwarfgpu.expr.operation import OPERATIONS, Operation
from dwarfgpu.expr.static_check.checker import check
from dwarfgpu.expr.text.assembly import readable_text
from tests.work import calls_of
from tools.worlds import World, likely_operand, random_context

_WORLD: Final = World.random(Random(1), AMD_PROVISIONAL, architecture("gfx942"))
_FEW, _MANY = 100, 400
"""Four times as many: nine times the calls, as short programs are not prepared for many steps, and
not sixteen times."""
_OF_AN_OPERATION: Final = 400
"""At most so many calls for one operation and for what pushes its operands."""
_REGISTER: Final = min(_WORLD.architecture.registers)
_TRIED: Final = [
    operation for code, operation in _WORLD.operations if operation.unsupported is None
]


def _bytes_of(operation: Operation, chance: Random) -> bytes:
    operands = [likely_operand(chance, info.codec, _WORLD, 9) for info in operation.operands]
    return _encoded(operation.name, *operands)


def _encoded(name: str, *operands: Operand) -> bytes:
    return encode(OPERATIONS[name], operands, AMD_PROVISIONAL, _WORLD.form)


def _programs(operation: Operation) -> Iterator[Callable[[int], bytes]]:
    """Yield how programs of many of an operation are made: each with operands of its own; and with
    the result of the last one as its deepest operand, or as the next one."""
    chance = Random(operation.name)
    own = _bytes_of(operation, chance)
    value, location = _bytes_of(OPERATIONS["lit4"], chance), _encoded("regx", _REGISTER)
    pushed = [location if popped.kind == "location" else value for popped in operation.pops]
    alone, swap = b"".join(pushed) + own, _bytes_of(OPERATIONS["swap"], chance)
    yield lambda times: alone * times
    if pushed:
        yield lambda times: alone + (b"".join(pushed[1:]) + own) * (times - 1)
    if len(pushed) > 1:
        again = pushed[0] + swap + b"".join(pushed[2:]) + own
        yield lambda times: alone + again * (times - 1)


def _context() -> Context:
    """Return a context that has every element."""
    made = (random_context(Random(seed), _WORLD, Limits()) for seed in count())
    return next(
        evolve(context, result_kind=None)
        for context in made
        if None not in (context.architecture, context.wave, context.lane, context.frame,
                        context.pc, context.unit, context.object, context.target)
    )  # fmt: skip


_CONTEXT: Final = _context()


def _evaluate(data: bytes) -> object:
    return evaluate(data, _CONTEXT)


def _check(data: bytes) -> object:
    return check(data, AMD_PROVISIONAL, _WORLD.form, _WORLD.architecture)


def _show(data: bytes) -> object:
    return readable_text(data, AMD_PROVISIONAL, _WORLD.form, _WORLD.architecture)


@pytest.mark.parametrize("ask", [_evaluate, _check, _show])
def test_each_operation_takes_linear_work(ask: Callable[[bytes], object]) -> None:
    """Where the same operands are pushed again, and where the results are operands."""

    def work(data: bytes) -> int:
        def answered() -> None:
            with contextlib.suppress(DwarfGpuError):
                ask(data)

        return calls_of(answered)

    for operation in _TRIED:
        for program in _programs(operation):
            few, many = work(program(_FEW)), work(program(_MANY))
            assert many <= 9 * few, (operation.name, few, many)
            assert many <= _OF_AN_OPERATION * _MANY, (operation.name, many)
