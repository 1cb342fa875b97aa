"""Every operation takes work that grows with how many of it there are, on its own and on results.

Nothing here lists operations: a new declaration is tested by being there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, count
from random import Random
from typing import Final, TypeAlias

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.decode import encode
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.evaluate import Step, evaluate
from dwarfgpu.expr.operation import OPERATIONS, Operation
from dwarfgpu.expr.static_check.checker import check
from dwarfgpu.expr.text.assembly import readable_text
from tests.work import calls_of
from tools.worlds import World, likely_operand, random_context, random_expression

_WORLD: Final = World.random(Random(1), AMD_PROVISIONAL, architecture("gfx942"))
_FEW, _MANY = 75, 300
"""Four times as many: five times the calls, and a few for each more, as short programs are not
prepared for many steps; not sixteen times."""
_OF_MORE: Final = 20
_OF_AN_OPERATION: Final = 600
"""At most so many calls for one operation and for what pushes its operands."""
_TRIES: Final = 300
"""Random operands among which those are sought that an operation accepts each time."""
_TRIED: Final = [
    operation
    for operation in encodings(AMD_PROVISIONAL).by_code.values()
    if operation.unsupported is None and operation.number in (None, 16)
]
"""One of each family: its register is as wide as an address."""
_PUSHING: Final = [
    operation
    for operation in _TRIED
    if not operation.pops
    and "stack" not in operation.leading
    and operation.pushes in ("value", "location")
]
_SWAP: Final = encode(OPERATIONS["swap"], (), AMD_PROVISIONAL, _WORLD.form)
_Program: TypeAlias = Callable[[int], bytes]
"""Returns the bytes of a program that has an operation so many times."""


def _bytes_of(operation: Operation, chance: Random) -> bytes:
    operands = [likely_operand(chance, info.codec, _WORLD, 2) for info in operation.operands]
    return encode(operation, operands, AMD_PROVISIONAL, _WORLD.form)


def _pushed(kind: str, chance: Random) -> bytes:
    """Return what pushes an entry; what an operation takes from the stack itself is any."""
    if kind == "stack":
        return random_expression(chance, _WORLD, chance.randrange(1, 4), 2)
    wanted = "value" if kind == "pointer" else kind
    pushing = [operation for operation in _PUSHING if wanted in (operation.pushes, "entry")]
    return _bytes_of(chance.choice(pushing), chance)


def _layouts(operation: Operation, chance: Random) -> Iterator[_Program]:
    """Yield how programs of many of an operation are made: each with operands of its own; and with
    the result of the last one as its deepest operand, or as the next one."""
    kinds = ["stack"] if "stack" in operation.leading else []
    kinds += [popped.kind for popped in operation.pops]
    pushed, own = [_pushed(kind, chance) for kind in kinds], _bytes_of(operation, chance)
    alone = b"".join(pushed) + own
    yield lambda times: alone * times
    if pushed:
        yield lambda times: alone + (b"".join(pushed[1:]) + own) * (times - 1)
    if len(pushed) > 1:
        again = pushed[0] + _SWAP + b"".join(pushed[2:]) + own
        yield lambda times: alone + again * (times - 1)


def _is_performed(operation: Operation, program: _Program, times: int) -> bool:
    """Return whether the evaluation goes on until an operation was performed so many times."""
    performed = 0

    def observe(step: Step) -> None:
        nonlocal performed
        if step.depth == 0 and step.error is None:
            performed += step.instruction.operation.name == operation.name

    with contextlib.suppress(DwarfGpuError):
        evaluate(program(times), _CONTEXT, observe=observe)
    return performed >= times


@cache
def _programs(operation: Operation) -> tuple[list[_Program], list[_Program]]:
    """Return a program of each layout: those in which the operation is performed each time, and
    those for which no operands were tried that it accepts."""
    chance = Random(operation.name)
    refused = dict(enumerate(_layouts(operation, chance)))
    performed: list[_Program] = []
    for _ in range(_TRIES):
        for layout, program in enumerate(_layouts(operation, chance)):
            if layout in refused and all(
                _is_performed(operation, program, times) for times in (2, _FEW - 1)
            ):
                performed.append(program)
                del refused[layout]
        if not refused:
            break
    return performed, list(refused.values())


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
        for program in chain(*_programs(operation)):
            few, many = work(program(_FEW)), work(program(_MANY))
            assert many <= 5 * few + _OF_MORE * _MANY, (operation.name, few, many)
            assert many <= _OF_AN_OPERATION * _MANY, (operation.name, many)


def test_most_operations_are_performed_many_times() -> None:
    """Otherwise the law above says little: a program ends where an operation is refused."""
    never = [operation.name for operation in _TRIED if not _programs(operation)[0]]
    assert not never
    all_programs = [_programs(operation) for operation in _TRIED]
    refused = sum(len(programs) for _, programs in all_programs)
    assert 8 * refused <= sum(len(programs) for programs, _ in all_programs)
