"""Seeded random scenarios: expressions that mostly mean something, sometimes with a mistake.

Expressions are made from the result down: a location is made of locations and values, a value of
values and locations, so that most of them evaluate. Then a few are spoiled.
"""

from __future__ import annotations

from random import Random

from tests.model.expressions import Expressions
from tests.model.plain_code import BY_NAME
from tests.model.scenario import (
    SECOND_UNIT,
    Block,
    DieData,
    EntryData,
    FrameData,
    LocationData,
    PlaceData,
    RegisterData,
    Scenario,
    Step,
    Steps,
    To,
    TypeData,
    ValueData,
)
from tests.model.types_and_numbers import REGISTERS, SECOND_TYPES, TYPES

LANES = 4
PCS = (0x50, 0x60, 0x70)
RAW = (
    b"\xe9\0",  # the reserved sub-opcode
    b"\xe9\x20",
    b"\xff",
    b"\x0c\1",  # cut short, where it is the end
    b"\x10\x85\x80\0",  # LEB128 numbers that are longer than they need to be
    b"\x11\xff\xff\x7f",
    b"\xe9\x83\0",
    b"\x10" + b"\xff" * 30 + b"\1",
)


def scenario(seed: int) -> Scenario:
    """The scenario of a seed, always the same one."""
    return Maker(Random(seed)).scenario(seed)


class Maker(Expressions):
    """Makes one scenario."""

    # The machine and the context.

    def scenario(self, seed: int) -> Scenario:
        r = self.random
        lane = r.choice((0, 1, 3, 3, 3, None)) if r.random() < 0.4 else 2
        self.make_dies()
        frame = None if r.random() < 0.04 else self.frame(r.choice((0, 0, 0, 0, 1)), 2)
        spare = r.random() < 0.15
        return Scenario(
            seed=seed,
            endian=self.endian,
            address_bytes=self.bits // 8,
            offset_size=r.choice((4, 4, 8)),
            version=r.choice((5, 5, 4, 2)),
            direct=r.random() < 0.1,
            registers={number: self.register(number) for number in REGISTERS},
            memory=self.memory(),
            types=TYPES,
            second_types=SECOND_TYPES,
            addresses={n: self.address() for n in range(3)},
            tls={n: self.address() for n in range(0, 32, 4)},
            bias=r.choice((0, 0, 4)),
            dies=self.dies,
            frame=frame,
            has_thread=not spare or r.random() < 0.7,
            has_unit=not spare or r.random() < 0.7,
            lane=lane,
            iteration=None if r.random() < 0.06 else r.randrange(2),
            pc=None if spare and r.random() < 0.3 else r.choice(PCS),
            object=self.location_data() if r.random() < 0.9 else None,
            stack=tuple(self.entry_data() for _ in range(r.choice((0, 0, 0, 1, 2, 3)))),
            kind=r.choice((None, "value", "location", "location")),
            steps=self.expression(),
            attribute=self.attribute(),
            written=r.getrandbits(128),
        )

    def memory(self) -> tuple[tuple[int, int | None, int, bytes], ...]:
        r = self.random
        end = 1 << self.bits
        out: list[tuple[int, int | None, int, bytes]] = [
            (0, None, 0, r.randbytes(8)),
            (0, None, 0x100, self.twin + r.randbytes(0x38)),
            (0, None, end - 16, r.randbytes(16)),
            (3, None, 0x10, self.twin + r.randbytes(0x28)),
        ]
        for lane in range(LANES):
            out.append((5, lane, 0x20, r.randbytes(0x30)))
            out.append((5, lane, 0xF8, r.randbytes(8)))
        return tuple(out)

    def register(self, number: int) -> RegisterData:
        r = self.random
        kinds = {
            0: TypeData("unsigned", self.bits),
            1: TypeData("unsigned", 32),
            2: TypeData("unsigned", 8),
            3: TypeData("unsigned", 64),
            4: TypeData("unsigned", 12),
            5: TypeData("float", 64),
            6: TypeData("signed", 32),
            7: TypeData("signed", 16),
            40: TypeData("unsigned", 128),
        }
        kind = kinds[number]
        contents: int | None = r.getrandbits(kind.bits)
        if number in (0, 1, 3):
            contents = self.address() & (1 << kind.bits) - 1
        if number == 40:
            contents = int.from_bytes(self.twin + r.randbytes(8), self.endian)
        return RegisterData(kind, None if number == 6 and r.random() < 0.5 else contents)

    def place_data(self, depth: int = 1) -> PlaceData:
        r = self.random
        offset = r.choice((0, 0, 0, 8, 3))
        match r.choice(("memory", "memory", "register", "implicit", "other")):
            case "memory":
                space, address = self.space_and_address()
                space = space if space in (0, 3, 5) else 0
                address = min(address, (1 << self.bits) - 8)
                lane = r.randrange(LANES) if space == 5 else None
                return PlaceData("memory", space, lane, bit_offset=8 * address + offset)
            case "register":
                return PlaceData("register", r.choice((0, 1, 3, 40, 7)), bit_offset=offset)
            case "implicit":
                return PlaceData("implicit", data=r.randbytes(8), bit_offset=offset)
            case _ if depth and r.random() < 0.6:
                inner = [self.place_data(depth - 1) for _ in range(3)]
                sizes = [8 if p.storage == "register" else r.choice((8, 16, 5)) for p in inner]
                parts = tuple(((place,), bits) for place, bits in zip(inner, sizes, strict=True))
                return PlaceData("composite", parts=parts, bit_offset=offset)
            case _ if self.dies and r.random() < 0.5:
                die = r.choice(list(self.dies))
                return PlaceData("pointer", die, displacement=r.choice((0, 1)))
            case _:
                return PlaceData("undefined")

    def location_data(self) -> LocationData:
        r = self.random
        if r.random() < 0.15:
            offset = r.choice((0, 0, 3, 16))
            twins = [
                PlaceData("memory", 0, bit_offset=8 * 0x100 + offset),
                PlaceData("memory", 3, bit_offset=8 * 0x10 + offset),
                PlaceData("register", 40, bit_offset=offset),
                PlaceData("implicit", data=self.twin, bit_offset=offset),
                self.place_data(),
            ]
            return tuple(r.sample(twins[: r.choice((3, 4, 4, 5))], 2))
        return (self.place_data(),)

    def entry_data(self) -> EntryData:
        r = self.random
        match r.choice(("location", "address", "typed", "number", "pointer")):
            case "pointer" if self.dies and r.random() < 0.5:
                space = r.choice((0, 0, 5))
                return PlaceData("pointer", r.choice(list(self.dies)), space=space)
            case "location" | "pointer":
                return self.location_data()
            case "address":
                return ValueData(0, self.address())
            case "typed":
                number = r.choice(list(TYPES))
                return ValueData(number, self.typed_bits(TYPES[number]))
            case _:
                return ValueData(0, r.getrandbits(self.bits))

    def frame(self, level: int, callers: int) -> FrameData:
        r = self.random
        caller = None
        if callers and r.random() < 0.9:
            caller = (self.frame(level + 1, callers - 1), r.choice(PCS))
        entries = tuple(
            ((Step(f"reg{n}"),), ValueData(0, self.address())) for n in (2, 7) if r.random() < 0.4
        )
        return FrameData(
            level,
            {number: self.location_data() for number in REGISTERS if r.random() < 0.97},
            {number: self.location_data() for number in REGISTERS if r.random() < 0.97},
            self.memory_data() if r.random() < 0.97 else None,
            self.memory_data() if r.random() < 0.97 else None,
            entries,
            caller,
        )

    def memory_data(self) -> LocationData:
        if self.random.random() < 0.1:
            return self.location_data()
        return (PlaceData("memory", 0, bit_offset=8 * 0x110),)

    # Debugging information entries.

    def make_dies(self) -> None:
        """Later ones first, so that those before them may refer to them."""
        for number in range(7, -1, -1):
            self.second = number >= 5
            self.types = SECOND_TYPES if self.second else TYPES
            offset = (SECOND_UNIT if self.second else 0) + 0x40 + 8 * number
            die = self.twins() if number in (4, 7) else self.die()
            self.dies = {offset: die, **self.dies}
        self.second, self.types = False, TYPES

    def die(self) -> DieData:
        r = self.random
        match r.choice(("value", "location", "location", "list", "list", "constant", "nothing")):
            case "value":
                made = self.made(lambda: self.generic(1))
                return DieData(made, second_unit=self.second, effect="value")
            case "location":
                made = self.made(lambda: self.location(1))
                return DieData(made, second_unit=self.second, effect="location")
            case "list":
                return DieData(entries=self.entries(), second_unit=self.second, effect="location")
            case "constant":
                data = r.randbytes(r.choice((0, 1, 4, 8)))
                return DieData(constant=data, second_unit=self.second, effect="location")
            case _:
                return DieData(second_unit=self.second)

    def attribute(self) -> int | None:
        r = self.random
        items = [n for n, die in self.dies.items() if (die.steps, die.entries) != (None, None)]
        return r.choice(items) if items and r.random() < 0.1 else None

    def twins(self) -> DieData:
        """An object that is in several places at most program locations."""
        r = self.random
        offset = r.choice((0, 1, 4))
        entries = [
            (r.choice((0x40, 0x50, 0x60)), 0x80, self.made(lambda: self.twin_place(offset)))
            for _ in range(r.choice((2, 2, 3)))
        ]
        if r.random() < 0.1:
            entries.append((0x40, 0x80, self.made(lambda: self.location(1))))
        return DieData(entries=tuple(entries), second_unit=self.second, effect="twins")

    def entries(self) -> tuple[tuple[int | None, int | None, Steps], ...]:
        r = self.random
        out: list[tuple[int | None, int | None, Steps]] = []
        for _ in range(r.randrange(4)):
            made = self.made(lambda: self.location(1)) if r.random() < 0.9 else ()
            if r.random() < 0.15:
                out.append((None, None, made))
            else:
                begin = r.choice((0x40, 0x50, 0x58, 0x60))
                out.append((begin, begin + r.choice((0, 8, 0x20, 0x40)), made))
        return tuple(out)

    # Mistakes.

    def expression(self) -> Steps:
        r = self.random
        if r.random() < 0.05:
            return (Step("raw", (self.any_bytes(),)),)
        return self.spoiled(self.made(self.whole))

    def any_bytes(self) -> bytes:
        """Bytes of random operations."""
        r = self.random
        out = b""
        for _ in range(r.randrange(1, 9)):
            first = r.choice((r.randrange(256), r.randrange(0x30, 0x50), 0xE9, r.randrange(0x98)))
            out += bytes([first]) + (r.randbytes(r.randrange(3)) if r.random() < 0.5 else b"")
        return out

    def spoiled(self, steps: Steps) -> Steps:
        r = self.random
        out = list(steps)
        while r.random() < 0.12:
            at = r.randrange(len(out) + 1)
            match r.randrange(7):
                case 5 | 6 if at < len(out):
                    out[at] = self.with_other_operand(out[at])
                case 0 | 1:
                    out.insert(at, self.any_step(len(out)))
                case 2 if at < len(out):
                    del out[at]
                case 3 if at < len(out):
                    out[at] = self.any_step(len(out))
                case _ if r.random() < 0.3:
                    out.insert(at, Step("raw", (r.choice(RAW),)))
        return tuple(out)

    def with_other_operand(self, step: Step) -> Step:
        """The same operation with one of its numbers changed."""
        r = self.random
        numbers = [n for n, operand in enumerate(step.operands) if isinstance(operand, int)]
        if not numbers:
            return step
        at = r.choice(numbers)
        kind = BY_NAME[step.name][1][at]
        other = r.choice((0, 1, 2, 3, 8, 0x7FFF, 0x8000, 0xFFFF, 1 << 31, 1 << 63, *self.types))
        if kind == "sleb" and r.random() < 0.5:
            other = -other
        operands = (*step.operands[:at], other, *step.operands[at + 1 :])
        return Step(step.name, operands)

    def any_step(self, steps: int) -> Step:
        """Any operation with any operands."""
        r = self.random
        name = r.choice(list(BY_NAME))
        operands: list[int | bytes | To | Block] = []
        for kind in BY_NAME[name][1]:
            if kind.startswith("block"):
                operands.append(r.randbytes(r.randrange(4)))
            elif name in ("bra", "skip"):
                to = To(r.randrange(steps + 1)) if r.random() < 0.8 else r.randrange(-9, 9)
                operands.append(to)
            elif r.random() < 0.5:
                operands.append(r.choice((0, 1, 2, 4, 8, *self.types)))
            else:
                operands.append(r.getrandbits(r.choice((3, 8, 16, 64))))
        return Step(name, tuple(operands))
