"""Compile an expression without branches to one Python function of its context.

The function is for one architecture, limits and kind of result. It computes with integers, and
makes locations only of what it returns.

Law: it gives what the operations one by one give, or None. It gives None wherever they would raise,
and wherever it was not made for the context: then they are performed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Any, Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import generic_type
from dwarfgpu.base.limits import Limits
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.bind import CompiledForm, Evaluated, Program, constant_arguments, performed
from dwarfgpu.expr.context import Context, ResultKind, require
from dwarfgpu.expr.function_text import FunctionText, Item, Made, NotCompiled, Number, Parts, Single
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operation import Operation
from dwarfgpu.expr.ops import (
    arithmetic,
    composite,
    general,
    implicit,
    literal,
    memory,
    register,
    special_value,
    stack,
)
from dwarfgpu.expr.steps import Call, call_of
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location
from dwarfgpu.model.storage import Part
from dwarfgpu.model.value import Value

MAX_INSTRUCTIONS: Final = 64
"""Maximum length of an expression that is compiled; compilers write a handful of operations."""


def compiled(program: Program, ctx: Context) -> CompiledForm:
    """Return a program as one function, for contexts with the architecture, the limits and the kind
    of result of this one."""
    architecture = require(ctx.architecture, "target architecture")
    compiler = Compiler(program, architecture, ctx.limits)
    try:
        function = compiler.function(ctx.result_kind)
    except (NotCompiled, DwarfGpuError):  # performing the operations gives the reason
        function = None
    return CompiledForm(architecture, ctx.limits, ctx.result_kind, function)


_NOUNS: Final[dict[str, type]] = {"value": Value, "pointer": Value, "location": Location}
_NUMBERS: Final = {
    arithmetic.plus: "{0} + {1} & {mask}",
    arithmetic.minus: "{0} - {1} & {mask}",
    arithmetic.mul: "{0} * {1} & {mask}",
    arithmetic.and_: "{0} & {1}",
    arithmetic.or_: "{0} | {1}",
    arithmetic.xor: "{0} ^ {1}",
}
"""Operations on two numbers of the generic type, as text about their bits."""
_SHIFTS: Final = {arithmetic.shl: "{0} << {1} & {mask}", arithmetic.shr: "{0} >> {1}"}
"""The same, where the second is a constant below the size of the type."""
_IN_CONTEXT: Final = frozenset(
    {
        implicit.stack_value,
        composite.LLVM_extend,
        composite.LLVM_overlay,
        composite.LLVM_bit_overlay,
        general.LLVM_offset_uconst,
    }
)
"""Operations that use no more of a context than its architecture, its access and its limits."""


class Compiler:
    """Performs the operations of a program on texts in place of entries."""

    def __init__(self, program: Program, architecture: Architecture, limits: Limits) -> None:
        self._program = program
        self._ctx = Context(architecture, limits=limits)
        """What the operations `_IN_CONTEXT` need."""
        self._text = FunctionText(architecture)
        self._stack: list[Item] = []
        self.bits_read = 0

    def function(self, result_kind: ResultKind | None) -> Evaluated:
        """Return the function; raises `NotCompiled`, or what its first operations would raise."""
        program, limits = self._program, self._ctx.limits
        form, count = program.expression.format, len(program.instructions)
        if (
            not program.is_straight
            or count > min(MAX_INSTRUCTIONS, limits.steps, limits.stack // 3)
            or generic_type(form.address_size * 8, form.endian) != self._text.generic
        ):
            raise NotCompiled
        for instruction in program.instructions:
            self._perform(instruction)
        result = self._result(result_kind)
        if self.bits_read > 8 * limits.total_bytes:
            raise NotCompiled
        return self._text.function(result, limits, result_kind)

    def _result(self, kind: ResultKind | None) -> str:
        """Return the text of the result, by the rules of A.2.5.4."""
        top = self._pop()
        self._text.needs.add("target")
        if isinstance(top, Parts):
            top = self._completed(top)
        if kind != "location" and self._text.is_value(top):
            return self._text.valued(top)
        if kind == "value":
            raise NotCompiled
        if isinstance(top, Location):
            return f"Location({self._text.constant(top.single_locations)}, stop)"
        if isinstance(top, Made):
            return f"dated({self._text.located(top)}, ctx)"
        return self._text.located(top, is_result=True)

    def _perform(self, instruction: Instruction) -> None:
        operation, items = instruction.operation, self._stack
        if operation.unsupported is not None:
            raise NotCompiled
        call = call_of(instruction, self._program.expression.format)
        count = len(call.kinds)
        if operation.function in _IN_CONTEXT:
            call = Call(partial(call.function, self._ctx), (), call.kinds)
        if not call.leading and count <= len(items):
            arguments = items[len(items) - count :]
            constants = [item for item in arguments if isinstance(item, Value | Location)]
            is_constant = constant_arguments(call, constants) == count
            pushed = performed(call, constants) if is_constant else None
            if pushed is not None:
                items[len(items) - count :] = pushed
                return
        own = _OWN.get(operation.function)
        if own is not None:
            own(self, *instruction.operands)
        elif operation.function is register.reg and operation.number is not None:
            self._register(operation.number)
        else:
            self._call(operation, call)

    def _call(self, operation: Operation, call: Call) -> None:
        """Call the function of an operation that needs no more than the entries that it pops."""
        function, pops = operation.function, [self._pop() for _ in call.kinds][::-1]
        template = _NUMBERS.get(function)
        if template is None and function in _SHIFTS and self._text.is_shift(pops[1]):
            template = _SHIFTS[function]
        if template is not None and all(self._text.is_number(item) for item in pops):
            self._compute(template, *pops)
            return
        pushed, nouns = _NOUNS.get(operation.pushes), [_NOUNS.get(kind) for kind in call.kinds]
        if pushed is None or None in nouns or call.leading:
            raise NotCompiled
        texts = [
            self._text.valued(item) if noun is Value else self._text.located(item)
            for noun, item in zip(nouns, pops, strict=True)
        ]
        text = f"{self._text.constant(call.function)}({', '.join(texts)})"
        self._stack.append(Made(self._text.variable(text), pushed))

    def _compute(self, template: str, *items: Item) -> None:
        texts = [self._text.number(item) for item in items]
        text = template.format(*texts, mask=self._text.constant(self._text.mask))
        self._stack.append(Number(self._text.variable(text)))

    def _plus_uconst(self, addend: int) -> None:
        self._compute("{0} + {1} & {mask}", self._pop(), Value.of(addend, self._text.generic))

    def _push_lane(self) -> None:
        self._text.needs.add("lane")
        self._stack.append(
            Number(self._text.variable(f"lane & {self._text.constant(self._text.mask)}"))
        )

    def _register(self, number: int) -> None:
        self._stack.append(self._text.in_register(number))

    def _offset(self) -> None:
        displacement, item = self._pop(), self._pop()
        single = self._text.single(item)
        if isinstance(displacement, Value):
            self._stack.append(self._moved(single, displacement.displacement * 8))
            return
        number = self._text.number(displacement)
        if single.size_bits > 4 << self._text.generic.bit_size:  # a negative one would be within it
            self._text.unless(f"{number} >> {self._text.constant(self._text.generic.bit_size - 1)}")
        before = "" if single.variable is None else f"{single.variable} + "
        moved = self._text.variable(f"{before}{number} * 8")
        self._text.unless(f"{moved} >= {self._text.constant(single.size_bits - single.bit_offset)}")
        self._stack.append(single._replace(variable=moved))

    def _moved(self, single: Single, bits: int) -> Single:
        """Return a single location moved by a constant."""
        bit_offset = single.bit_offset + bits
        if not 0 <= bit_offset < single.size_bits:
            raise NotCompiled
        moved = single._replace(bit_offset=bit_offset)
        self._text.require_bits(moved, 1)
        return moved

    def _offset_uconst(self, displacement: int) -> None:
        moved = Value.of(displacement, self._text.generic).as_signed * 8
        self._stack.append(self._moved(self._text.single(self._pop()), moved))

    def _form_aspace_address(self) -> None:
        space, address = self._pop(), self._pop()
        if not isinstance(space, Value):
            raise NotCompiled
        space.require_integral()
        self._stack.append(
            self._text.in_memory(self._text.architecture.address_space(space.bits), address)
        )

    def _deref(self) -> None:
        self._retrieve(self._text.generic.bit_size)

    def _deref_size(self, size: int) -> None:
        if not size:
            raise NotCompiled
        self._retrieve(min(8 * size, self._text.generic.bit_size))

    def _retrieve(self, size_bits: int) -> None:
        single = self._text.single(self._pop())
        if (
            single.loading is None
            or single.bit_offset % 8
            or size_bits > 8 * self._ctx.limits.read_bytes
        ):
            raise NotCompiled
        self._text.require_bits(single, size_bits)
        self._text.needs |= {"access", "budget"}
        self.bits_read += size_bits
        first, size = f"({self._text.at(single)}) >> 3", self._text.constant(size_bits // 8)
        endian = self._text.constant(self._text.architecture.endian)
        data = self._text.variable(single.loading.format(first=first, size=size))
        self._text.unless(f"type({data}) is not bytes or len({data}) != {size}")
        self._stack.append(Number(self._text.variable(f"int.from_bytes({data}, {endian})")))

    def _piece(self, size: int) -> None:
        self._append(size * 8, None)

    def _bit_piece(self, size: int, displacement: int) -> None:
        self._append(size, Value.of(displacement, self._text.generic).as_signed)

    def _append(self, size_bits: int, displacement_bits: int | None) -> None:
        items, text, is_plain = self._stack, self._text.constant(size_bits), True
        if not items or isinstance(items[-1], Parts):
            part = self._text.constant(Part(UNDEFINED_LOCATION, size_bits))
        else:
            top = items.pop()
            if isinstance(top, Location | Made):
                if displacement_bits is not None:
                    raise NotCompiled
                part, is_plain = f"part_of(ctx, {self._text.located(top)}, {text})", False
            else:
                single = self._text.single(top)
                if displacement_bits is not None:
                    single = self._moved(single, displacement_bits)
                located = self._text.located(single)
                if single.is_plain:
                    self._text.require_bits(single, size_bits)
                    part = f"Part({located}, {text})"
                else:
                    part, is_plain = f"part_of(ctx, {located}, {text})", False
        before = items.pop() if items and isinstance(items[-1], Parts) else Parts((), (), True)
        assert isinstance(before, Parts)
        composite_parts = Parts(
            (*before.texts, self._text.variable(part)),
            (*before.sizes_bits, size_bits),
            before.are_plain and is_plain,
        )
        is_large = sum(composite_parts.sizes_bits) > self._text.architecture.largest_space_bits
        if len(composite_parts.texts) > self._ctx.limits.parts or is_large:
            raise NotCompiled
        items.append(composite_parts)

    def _piece_end(self) -> None:
        top = self._pop()
        if not isinstance(top, Parts):
            raise NotCompiled
        self._stack.append(self._completed(top))

    def _completed(self, parts: Parts) -> Single:
        """Return a complete composite, as `model.location.composite` does."""
        *starts, size_bits = accumulate(parts.sizes_bits, initial=0)
        texts = [
            f"({', '.join(parts.texts)},)",
            *map(self._text.constant, (tuple(starts), size_bits)),
        ]
        if parts.are_plain:
            texts.append("1")  # the depth
        return Single(self._text.variable(f"Composite({', '.join(texts)})"), size_bits)

    def _select_bit_piece(self, element_bits: int, count: int) -> None:
        mask = self._pop()
        one, zero = self._text.single(self._pop()), self._text.single(self._pop())
        size_bits = element_bits * count
        if (
            not size_bits
            or size_bits > self._text.architecture.largest_space_bits
            or count > self._text.generic.bit_size
            or self._ctx.limits.depth < 1
        ):
            raise NotCompiled
        for single in (one, zero):
            is_within = single.bit_offset + size_bits <= single.size_bits
            if not single.is_plain or single.variable is not None or not is_within:
                raise NotCompiled
        chosen = f"{self._text.number(mask)} & {self._text.constant((1 << count) - 1)}"
        sizes = f"{self._text.constant(element_bits)}, {self._text.constant(count)}"
        storage = (
            f"Selected({chosen}, {self._text.located(one)}, {self._text.located(zero)}, {sizes}, 1)"
        )
        self._stack.append(Single(self._text.variable(storage), size_bits))

    def _pick(self, index: int) -> None:
        if index >= len(self._stack) or isinstance(self._stack[-1 - index], Parts):
            raise NotCompiled
        self._stack.append(self._stack[-1 - index])

    def _move(self, order: tuple[int, ...], count: int) -> None:
        """Replace the topmost entries by some of them, in a new order."""
        items = [self._pop() for _ in range(count)][::-1]
        if any(isinstance(item, Parts) for item in items):
            raise NotCompiled
        self._stack += [items[position] for position in order]

    def _pop(self) -> Item:
        if not self._stack:
            raise NotCompiled
        return self._stack.pop()


_OWN: Final[dict[Callable[..., Any], Callable[..., None]]] = {
    arithmetic.plus_uconst: Compiler._plus_uconst,
    literal.LLVM_push_lane: Compiler._push_lane,
    register.regx: Compiler._register,
    general.LLVM_offset: Compiler._offset,
    general.LLVM_offset_uconst: Compiler._offset_uconst,
    memory.LLVM_form_aspace_address: Compiler._form_aspace_address,
    special_value.deref: Compiler._deref,
    special_value.deref_size: Compiler._deref_size,
    composite.piece: Compiler._piece,
    composite.bit_piece: Compiler._bit_piece,
    composite.LLVM_piece_end: Compiler._piece_end,
    composite.LLVM_select_bit_piece: Compiler._select_bit_piece,
    stack.pick: Compiler._pick,
    stack.over: partial(Compiler._pick, index=1),
    stack.dup: partial(Compiler._move, order=(0, 0), count=1),
    stack.drop: partial(Compiler._move, order=(), count=1),
    stack.swap: partial(Compiler._move, order=(1, 0), count=2),
    stack.rot: partial(Compiler._move, order=(2, 0, 1), count=3),
}
"""How the operations are written that are not calls of their functions."""
