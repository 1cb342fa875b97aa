"""Random expressions, made from the result down.

A location is made of locations and values, a value of values and locations, so that most
expressions evaluate. Then a few are spoiled.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Literal

from tests.model.scenario import SECOND_UNIT, Block, DieData, Step, Steps, To, TypeData
from tests.model.types_and_numbers import ARITHMETIC, FLOATS, REGISTERS, TYPES


class Expressions:
    """Makes the expressions of one scenario."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.bits = random.choice((16, 16, 16, 32, 64))
        self.twin = random.randbytes(8)
        """Bytes that several storages hold, so that a location may have several places."""
        self.endian: Literal["little", "big"] = random.choice(("little", "big"))
        self.types = TYPES
        self.second = False
        self.dies: dict[int, DieData] = {}
        self.steps: list[Step] = []

    def address(self) -> int:
        """Mostly one that can be read."""
        r = self.random
        if r.random() < 0.05:
            return r.getrandbits(self.bits)
        return r.choice((0, 1, 0x100, 0x101, 0x110, 0x120, 0x13E, (1 << self.bits) - 8))

    def space_and_address(self) -> tuple[int, int]:
        r = self.random
        space = r.choice((0, 3, 5, 5))
        if r.random() < 0.05:
            return r.choice((1, 4, 9)), 0x10
        if space == 0:
            return 0, self.address()
        return space, r.choice((0x20, 0x21, 0x30, 0x3C, 0xF8))

    # Expressions.

    def made(self, make: Callable[[], None]) -> Steps:
        """What `make` emits, with branches relative to its own first operation."""
        saved, self.steps = self.steps, []
        make()
        out, self.steps = tuple(self.steps), saved
        return out

    def emit(self, name: str, *operands: int | bytes | To | Block) -> None:
        self.steps.append(Step(name, operands))

    def whole(self) -> None:
        r = self.random
        if r.random() < 0.02:
            return
        make = r.choice((self.location, self.location, self.anything))
        make(5 if r.random() < 0.05 else r.choice((1, 2, 2, 3, 3, 4)))
        if r.random() < 0.1:
            self.emit("piece", r.choice((1, 2, 4)))

    def anything(self, depth: int) -> None:
        r = self.random
        match r.randrange(3):
            case 0:
                self.location(depth)
            case 1:
                self.generic(depth)
            case _:
                self.typed(r.choice(list(self.types)), depth)

    def number(self, number: int) -> None:
        """A constant of the generic type, in one of its encodings."""
        r = self.random
        if number < 0:
            self.emit(r.choice(("consts", "const8s")), number)
        elif number < 32 and r.random() < 0.7:
            self.emit(f"lit{number}")
        elif number < 0x80 and r.random() < 0.5:
            self.emit(r.choice(("const1u", "const1s", "const2s")), number)
        elif number < 1 << 16:
            self.emit(r.choice(("const2u", "constu", "const4s", "consts")), number)
        else:
            self.emit(r.choice(("constu", "const8u")), number)

    def small(self, *numbers: int) -> None:
        """One of the numbers, mostly generic, as operations that take a displacement want it."""
        r = self.random
        number = r.choice(numbers)
        if r.random() < 0.85:
            self.number(number)
        else:
            self.const(r.choice(list(self.types)), number)

    def typed_bits(self, kind: TypeData) -> int:
        r = self.random
        if kind.encoding == "float" and r.random() < 0.8:
            choices = FLOATS[kind.bits]
            return r.choice(choices)
        near = r.choice((0, 1, 2, 7, 8, -1, -2, 1 << kind.bits - 1, r.getrandbits(kind.bits)))
        return near & (1 << kind.bits) - 1

    def const(self, offset: int, number: int | None = None) -> None:
        kind = self.types[offset]
        bits = self.typed_bits(kind) if number is None else number & (1 << kind.bits) - 1
        size = (kind.bits + 7) // 8
        self.emit("const_type", offset, bits.to_bytes(size, self.endian))

    def generic(self, depth: int) -> None:
        """Operations that push a generic value."""
        r = self.random
        if depth <= 0:
            self.leaf_value()
            return
        make: Callable[[], None] = r.choice(
            (
                lambda: self.binary(depth),
                lambda: self.binary(depth),
                lambda: self.unary(depth),
                lambda: self.comparison(depth),
                lambda: self.dereferenced(depth),
                lambda: self.converted(depth),
                lambda: self.juggled(depth),
                lambda: self.branched(depth),
                lambda: self.entry_value(0, depth),
                self.xderef,
            )
        )
        make()

    def leaf_value(self) -> None:
        r = self.random
        match r.randrange(9):
            case 0 | 1:
                self.number(r.choice((0, 1, 2, 3, 4, 8, 31, -1, -8)))
            case 2:
                self.number(r.getrandbits(r.choice((8, 16, 32, 63))))
            case 3 | 4:
                self.number(self.address())
            case 5:
                self.emit("LLVM_push_lane")
            case 6:
                self.emit("LLVM_push_iteration")
            case 7:
                self.emit("constx", r.randrange(3))
            case _:
                if not self.call("value"):
                    self.number(r.randrange(32))

    def call(self, effect: str) -> bool:
        """A call of a DIE that does this, if there is one."""
        r = self.random
        items = [offset for offset, die in self.dies.items() if die.effect == effect]
        if not items:
            return False
        offset = r.choice(items)
        base = SECOND_UNIT if self.second else 0
        name = r.choice(("call_ref", "call2", "call4"))
        if (offset >= SECOND_UNIT) != self.second:
            name = "call_ref"
        self.emit(name, offset if name == "call_ref" else offset - base)
        return True

    def binary(self, depth: int) -> None:
        self.generic(depth - 1)
        self.generic(depth - 2)
        self.emit(self.random.choice(ARITHMETIC))

    def unary(self, depth: int) -> None:
        self.generic(depth - 1)
        if self.random.random() < 0.4:
            self.emit("plus_uconst", self.random.choice((0, 1, 4, 300, 1 << 40)))
        else:
            self.emit(self.random.choice(("abs", "neg", "not")))

    def comparison(self, depth: int) -> None:
        kind = self.random.choice((0, *self.types))
        for _ in range(2):
            self.value(kind, depth - 2)
        self.emit(self.random.choice(("eq", "ge", "gt", "le", "lt", "ne")))

    def value(self, kind: int, depth: int) -> None:
        if kind:
            self.typed(kind, depth)
        else:
            self.generic(depth)

    def dereferenced(self, depth: int) -> None:
        self.location(depth - 1)
        if self.random.random() < 0.5:
            self.emit("deref")
        else:
            self.emit("deref_size", self.random.choice((1, 1, 2, 2, 3, 4, 8, 0)))

    def converted(self, depth: int) -> None:
        r = self.random
        if r.random() < 0.5:
            same = [n for n, kind in self.types.items() if kind.bits == self.bits]
            self.typed(r.choice(same), depth - 1)
            self.emit("reinterpret", 0)
        else:
            self.typed(r.choice(list(self.types)), depth - 1)
            self.emit("convert", 0)

    def juggled(self, depth: int) -> None:
        """Something else on the stack, moved out of the way again."""
        r = self.random
        match r.randrange(5):
            case 0:
                self.anything(depth - 2)
                self.generic(depth - 1)
                self.emit("swap")
                self.emit("drop")
            case 1:
                self.generic(depth - 1)
                self.emit("dup")
                self.emit(r.choice(ARITHMETIC))
            case 2:
                self.generic(depth - 1)
                self.anything(depth - 2)
                self.emit("over") if r.random() < 0.5 else self.emit("pick", 1)
            case 3:
                for _ in range(2):
                    self.generic(depth - 2)
                self.anything(depth - 2)
                self.emit("rot")
                self.emit("drop")
            case _:
                self.generic(depth - 1)
                self.emit(r.choice(("nop", "LLVM_nop")))

    def branched(self, depth: int) -> None:
        """A choice between two values."""
        self.generic(depth - 2)
        at = len(self.steps)
        self.emit("bra", To(0))
        self.generic(depth - 1)
        middle = len(self.steps)
        self.emit("skip", To(0))
        self.generic(depth - 1)
        self.steps[at] = Step("bra", (To(middle + 1),))
        self.steps[middle] = Step("skip", (To(len(self.steps)),))

    def entry_value(self, kind: int, depth: int) -> None:
        r = self.random
        match r.randrange(4):
            case 0:
                inner: Steps = (Step(f"reg{r.choice((0, 2, 2, 7))}"),)
            case 1:
                inner = (Step("regx", (r.choice(REGISTERS),)),)
            case _:
                inner = self.made(lambda: self.value(kind, depth - 2))
        self.emit("entry_value", Block(inner))

    def xderef(self) -> None:
        r = self.random
        space, address = self.space_and_address()
        self.number(space)
        self.number(address)
        match r.randrange(3):
            case 0:
                self.emit("xderef")
            case 1:
                self.emit("xderef_size", r.choice((1, 2, 4)))
            case _:
                offset = r.choice(list(self.types))
                self.emit("xderef_type", (self.types[offset].bits + 7) // 8, offset)
                self.emit("convert", 0)

    def typed(self, offset: int, depth: int) -> None:
        """Operations that push a value of a base type."""
        r = self.random
        kind = self.types[offset]
        match r.randrange(10) if depth > 0 else 0:
            case 0 | 1:
                self.const(offset)
            case 2:
                self.value(r.choice((0, *self.types)), depth - 1)
                self.emit("convert", offset)
            case 3:
                same = [n for n, other in self.types.items() if other.bits == kind.bits]
                self.typed(r.choice(same), depth - 1)
                self.emit("reinterpret", offset)
            case 4:
                self.emit("regval_type", r.choice(REGISTERS), offset)
            case 5:
                self.location(depth - 1)
                self.emit("deref_type", (kind.bits + 7) // 8, offset)
            case 6 | 7 | 8:
                for _ in range(2):
                    self.typed(offset, depth - 2)
                floating = kind.encoding == "float"
                self.emit(r.choice(ARITHMETIC[:4] if floating else ARITHMETIC))
            case _:
                self.typed(offset, depth - 1)
                self.emit(r.choice(("abs", "neg", "neg" if kind.encoding == "float" else "not")))

    def location(self, depth: int) -> None:
        """Operations that push a location description."""
        r = self.random
        if depth <= 0 or r.random() < 0.15:
            self.leaf_location()
            return
        make = r.choice(
            (
                self.leaf_location,
                self.placed,
                self.placed,
                self.offset,
                self.offset,
                self.pieces,
                self.pieces,
                self.overlapping,
                self.extended,
                self.selected,
                self.overlaid,
                self.overlaid,
                self.pointed,
                self.computed,
                self.stacked,
            )
        )
        make(depth)

    def leaf_location(self, depth: int = 0) -> None:
        r = self.random
        number = r.choice(REGISTERS)
        space, address = self.space_and_address()
        match r.randrange(17):
            case 0 | 1:
                self.emit("addr", self.address())
            case 2:
                self.number(self.address())
            case 3:
                self.emit("addrx", r.randrange(3))
            case 4 | 5:
                self.number(address)
                self.number(space)
                self.emit("LLVM_form_aspace_address")
            case 6 | 7 if number < 32:
                self.emit(f"reg{number}")
            case 6 | 7 | 8:
                self.emit("regx", number)
            case 9:
                name, more = r.choice((("breg0", ()), ("bregx", (r.choice((0, 1, 3)),))))
                self.emit(name, *more, r.choice((0, 4, -4, 1)))
            case 10:
                self.number(space)
                self.emit("LLVM_aspace_bregx", r.choice((0, 1, 3)), r.choice((0, 4, 0x20)))
            case 11:
                self.emit("fbreg", r.choice((0, 4, -4, 8, -0x20)))
            case 12:
                self.emit(r.choice(("call_frame_cfa", "push_object_address", "LLVM_undefined")))
            case 13:
                self.emit("LLVM_call_frame_entry_reg", number)
            case 14:
                self.emit("implicit_value", r.randbytes(r.choice((0, 1, 2, 4, 8, 8))))
            case 15:
                self.number(r.randrange(0, 32, 4))
                self.emit("form_tls_address")
            case _:
                if not self.call("location"):
                    self.emit("regx", number)

    def twin_place(self, offset: int) -> None:
        """One of the places that hold the same bytes."""
        r = self.random
        match r.randrange(7):
            case 0 | 4:
                self.emit("const2u", 0x100)
            case 1 | 5:
                self.emit("lit16")
                self.emit("lit3")
                self.emit("LLVM_form_aspace_address")
            case 2 | 6:
                self.emit("regx", 40)
            case _:
                self.emit("implicit_value", self.twin)
        self.emit("LLVM_offset_uconst", offset)
        if r.random() < 0.15:  # known in parts only
            for size in r.sample((1, 2), 2):
                self.emit("piece", size)
            self.emit("LLVM_piece_end")
        elif r.random() < 0.1:
            self.emit("drop")
            self.emit(r.choice(("LLVM_undefined", "lit31")))

    def offset(self, depth: int) -> None:
        r = self.random
        self.location(depth - 1)
        match r.randrange(3):
            case 0:
                self.small(0, 1, 1, 2, 3, -1, 8)
                self.emit("LLVM_offset")
            case 1:
                self.small(0, 1, 3, 8, 12, -1, -8, 40)
                self.emit("LLVM_bit_offset")
            case _:
                self.emit("LLVM_offset_uconst", r.choice((0, 1, 1, 2, 4, 0x8000)))

    def placed(self, depth: int) -> None:
        """An object in several places."""
        if not self.call("twins"):
            self.leaf_location()

    def pieces(self, depth: int) -> None:
        r = self.random
        for _ in range(r.choice((1, 2, 2, 3))):
            if r.random() < 0.9:
                self.location(depth - 1)
            elif r.random() < 0.1:
                self.emit("piece", r.choice((0x2000, 0xFFFF, 0x10000, 1 << 32, 1 << 62)))
            if r.random() < 0.6:
                self.emit("piece", r.choice((1, 1, 1, 1, 2, 4, 0)))
            else:
                self.emit("bit_piece", r.choice((1, 3, 5, 8, 12)), r.choice((0, 0, 1, 4, 8)))
        self.emit("LLVM_piece_end")

    def extended(self, depth: int) -> None:
        r = self.random
        self.location(depth - 1)
        self.emit("LLVM_extend", r.choice((1, 3, 8, 16)), r.choice((1, 2, 3, 5, 0x10000)))

    def selected(self, depth: int) -> None:
        r = self.random
        self.location(depth - 1)
        self.location(depth - 1)
        self.value(r.choice((0, 0, *self.types)), depth - 2)
        self.emit("LLVM_select_bit_piece", r.choice((1, 4, 8)), r.choice((1, 2, 3, 4, 8)))
        if r.random() < 0.3:  # into an element: what is read then runs over its end
            self.small(1, 2, 3, 5)
            self.emit("LLVM_bit_offset")

    def overlapping(self, depth: int) -> None:
        """Pieces of one storage, a later one shorter and inside an earlier one."""
        r = self.random
        wide, inner = r.choice((4, 6, 8)), r.choice((0, 1, 2))
        steps = self.made(self.leaf_location)
        for offset, size in ((0, wide), (inner, r.choice((1, 2))), *r.choice(((), ((1, 3),)))):
            for step in steps:
                self.emit(step.name, *step.operands)
            self.emit("LLVM_offset_uconst", offset)
            self.emit("piece", size)
        self.emit("LLVM_piece_end")

    def overlaid(self, depth: int) -> None:
        r = self.random
        self.location(depth - 1)
        self.location(depth - 1)
        if r.random() < 0.5:
            self.small(0, 0, 1, 2, 4)
            self.small(0, 1, 1, 2, 4, 8)
            self.emit("LLVM_overlay")
        else:
            self.small(0, 0, 1, 3, 8, 12)
            self.small(0, 1, 3, 4, 8, 16)
            self.emit("LLVM_bit_overlay")

    def pointed(self, depth: int) -> None:
        """An implicit pointer, perhaps read and followed."""
        r = self.random
        if not self.dies:
            self.leaf_location()
            return
        operands = (r.choice(list(self.dies)), r.choice((0, 0, 1, 2, -1)))
        space = r.choice((0, 0, 3, 5))
        bits = 8 if space else self.bits
        self.pointer(space, operands)
        if r.random() < 0.3:
            self.emit("bit_piece", bits // 2, 0)
            self.pointer(space, operands)
            self.emit("bit_piece", bits // 2, r.choice((bits // 2, bits // 2, bits // 2, 0)))
            self.emit("LLVM_piece_end")
        if r.random() < 0.8:
            types = [n for n, kind in self.types.items() if kind.bits == bits]
            self.emit("deref_type", bits // 8, r.choice(types))
            if space or r.random() < 0.4:
                self.number(space)
                self.emit("LLVM_form_aspace_address")
            elif r.random() < 0.2:
                self.emit("stack_value")

    def pointer(self, space: int, operands: tuple[int, int]) -> None:
        if space == 0 and self.random.random() < 0.7:
            self.emit("implicit_pointer", *operands)
        else:
            self.number(space)
            self.emit("LLVM_aspace_implicit_pointer", *operands)

    def computed(self, depth: int) -> None:
        self.anything(depth - 1) if self.random.random() < 0.2 else self.value(
            self.random.choice((0, *self.types)), depth - 1
        )
        self.emit("stack_value")

    def stacked(self, depth: int) -> None:
        """A location that was moved about on the stack."""
        self.location(depth - 1)
        self.anything(depth - 2)
        self.emit(self.random.choice(("drop", "over", "swap")))
