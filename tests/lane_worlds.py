"""Seeded random waves and expressions whose lanes diverge (docs/decisions/0008).

Expressions are made from the result down, so that most of them evaluate; a few are spoiled. What
they are made of differs by lane: vector registers, private memory, the lane itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from random import Random

from dwarfgpu.arch.model import Apertures, Architecture
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType, float_format
from dwarfgpu.base.limits import Limits
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL
from dwarfgpu.expr.explicit_context import ExplicitUnit
from dwarfgpu.machine.code_object_memory import LoadedSegment, TargetWithCodeObjects
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.session import Session

WAVES = 3
TYPES = {
    0x21: BaseType("int", "signed", 32),
    0x22: BaseType("unsigned char", "unsigned", 8),
    0x23: BaseType("long", "signed", 64),
    0x24: BaseType("float", "float", 32, float_format=float_format("float", 32)),
    0x25: BaseType("short", "signed", 16),
    0x26: BaseType("__int128", "signed", 128),
    0x27: BaseType("double", "float", 64, float_format=float_format("double", 64)),
}
UNIT = ExplicitUnit(UnitFormat(), AMD_PROVISIONAL, TYPES, {0: 0x1000, 1: 0x1040})
LOCAL, PRIVATE, SCRATCH = 1 << 48, 2 << 48, 0x7D00_0000_0000
PLACES = {  # numbers of address spaces, and partly known addresses
    0: (0x1000, 0x1030, SCRATCH + 0x100),
    1: (0x1000, LOCAL + 8, PRIVATE + 0x10, PRIVATE + 0x3E, SCRATCH + 0x104),
    3: (0, 8, 0x3C, 0xFC),
    5: (0, 0x10, 0x3D),
    6: (0, 0x100, 0x410),
}


def machine(rng: Random) -> list[Session]:
    """Sessions of a few waves, of whose registers and memories nine tenths are known."""
    arch = architecture(rng.choice(("gfx942", "gfx1100")))
    state = StateTarget(arch, Apertures(LOCAL, PRIVATE))
    for wave in range(1, WAVES + 1):
        state.add_wave(wave, min(wave, 2))
        if rng.random() < 0.5:
            state.wave_apertures[wave] = Apertures(
                LOCAL, PRIVATE, SCRATCH + 0x8000 * wave, 0x4000, local_bytes=0x100
            )
        _registers(rng, state, wave)
        _memories(rng, state, wave)
    segment = LoadedSegment(0x1020, 0x30, False, lambda at, size: bytes(range(at, at + size)))
    target = TargetWithCodeObjects(state, (segment,), has_started=True)
    limits = Limits(steps=1000)
    return [Session(arch, (), target, wave=n, limits=limits) for n in range(1, WAVES + 1)]


def _registers(rng: Random, state: StateTarget, wave: int) -> None:
    lanes = state.architecture.lane_count
    for name in ("v1", "v2", "v3", "v40"):
        numbers = [_number(rng) if rng.random() < 0.97 else None for _ in range(lanes)]
        if rng.random() < 0.3:
            numbers = [7] * lanes
        if rng.random() < 0.9:
            state.set_lanes(wave, state.architecture.by_name[name], numbers)
    for name in ("s0", "s1", "s2"):
        if rng.random() < 0.95:
            data = rng.choice((bytes(4), rng.randbytes(4)))
            state.set_register(wave, state.architecture.by_name[name], data)
    mask = rng.choice((rng.getrandbits(lanes), (1 << lanes) - 1, 0))
    exec_ = state.architecture.by_name["exec"]
    state.set_register(wave, exec_, mask.to_bytes((exec_.size_bits + 7) // 8, "little"))


def _memories(rng: Random, state: StateTarget, wave: int) -> None:
    for number, addresses in PLACES.items():
        space = state.architecture.address_space(number)
        if number == 1:
            continue  # it shows the others
        lanes = range(state.architecture.lane_count) if number == 5 else (None,)
        for lane in lanes:
            for address in addresses:
                if rng.random() < 0.9:
                    data = rng.randbytes(rng.choice((4, 12, 16)))
                    with contextlib.suppress(
                        UsageError, Unavailable
                    ):  # given before, or not allocated
                        state.set_memory(Memory(space, wave, lane), address & ~3, data)


def _number(rng: Random) -> int:
    return rng.choice((0, 1, 2, 3, rng.randrange(64), rng.getrandbits(32)))


class Expression:
    """Makes the text of one expression."""

    def __init__(self, rng: Random, arch: Architecture) -> None:
        self.rng, self.arch, self.labels = rng, arch, 0

    def text(self) -> str:
        rng = self.rng
        made = rng.choice((self.location, self.location, self.value))(rng.randrange(1, 5))
        words = made.split("; ")
        at = rng.randrange(len(words))
        if rng.random() < 0.05 and ":" not in words[at]:  # spoiled
            del words[at]
        made = "; ".join(words)
        return made

    def _one_of(self, *makers: Callable[[int], str], depth: int) -> str:
        return self.rng.choice(makers)(depth - 1)

    # Values

    def value(self, depth: int) -> str:
        if depth <= 0:
            return self._leaf()
        return self._one_of(
            *(self._binary, self._binary, self._unary, self._branch, self._branch, self._loop),
            *(self._read, self._read, self._typed, self._juggled),
            depth=depth,
        )

    def _leaf(self) -> str:
        rng = self.rng
        return rng.choice(
            (
                *("LLVM_push_lane", "LLVM_push_lane", f"lit{rng.randrange(32)}"),
                f"const1s {rng.randrange(-128, 128)}",
                f"constu {rng.getrandbits(rng.choice((8, 33, 64)))}",
                f"regx {self._vgpr()}; LLVM_push_lane; lit4; mul; LLVM_offset; deref_size 4",
                f"regval_type {rng.choice(('s0', 's1'))}, 0x21; convert 0",
                "regx s0; deref_size 4",
            )
        )

    def _vgpr(self) -> str:
        return self.rng.choice(("v1", "v2", "v3", "v40"))

    def _binary(self, depth: int) -> str:
        operators = ("plus", "minus", "mul", "and", "or", "xor", "div", "mod", "shl", "shr",
                     "shra", "eq", "ne", "lt", "le", "gt", "ge")  # fmt: skip
        operator = self.rng.choice(operators)
        return f"{self.value(depth)}; {self.value(depth)}; {operator}"

    def _unary(self, depth: int) -> str:
        return f"{self.value(depth)}; {self.rng.choice(('abs', 'neg', 'not', 'plus_uconst 3'))}"

    def _branch(self, depth: int) -> str:
        self.labels += 1
        this = self.labels
        return (
            f"{self.value(depth)}; lit3; and; bra a{this}; {self.value(depth)}; skip b{this}; "
            f"a{this}: {self.value(depth)}; b{this}: nop"
        )

    def _loop(self, depth: int) -> str:
        """As often as two bits of a value give."""
        self.labels += 1
        this = self.labels
        return (
            f"lit0; {self.value(depth)}; lit3; and; a{this}: dup; lit0; eq; bra b{this}; lit1; "
            f"minus; swap; plus_uconst 5; swap; skip a{this}; b{this}: drop"
        )

    def _read(self, depth: int) -> str:
        size = self.rng.choice(("deref_size 1", "deref_size 2", "deref_size 4", "deref"))
        return f"{self.location(depth)}; {size}"

    def _typed(self, depth: int) -> str:
        rng = self.rng
        kind = rng.choice(list(TYPES))
        size = TYPES[kind].bit_size // 8
        two = rng.choice(("plus", "minus", "mul", "div", "lt", "eq"))
        first = rng.choice(
            (
                f"{self.value(depth)}; convert {kind:#x}",
                f"{self.location(depth)}; deref_type {size}, {kind:#x}",
            )
        )
        then = rng.choice(
            ("", f"dup; {two}; ", "neg; ", f"{self.value(0)}; convert {kind:#x}; {two}; ")
        )
        return f"{first}; {then}convert 0"

    def _juggled(self, depth: int) -> str:
        a, b = self.value(depth), self.value(0)
        return self.rng.choice(
            (
                f"{a}; {b}; swap; drop",
                f"{a}; dup; plus",
                f"{b}; {a}; over; xor; swap; drop",
                f"{b}; {a}; {b}; rot; drop; plus",
                f"{b}; {a}; pick 1; minus; swap; drop",
            )
        )

    # Locations

    def location(self, depth: int) -> str:
        if depth <= 0:
            return self._place()
        return self._one_of(
            *(self._moved, self._pieces, self._selected, self._overlay, self._extended),
            *(self._computed, self._in_memory, self._either, lambda _: self._place()),
            depth=depth,
        )

    def _place(self) -> str:
        rng = self.rng
        space = rng.choice(list(PLACES))
        address = rng.choice(PLACES[space])
        return rng.choice(
            (
                f"regx {self._vgpr()}; LLVM_push_lane; lit4; mul; LLVM_offset",
                f"regx {self._vgpr()}; LLVM_push_lane; lit4; mul; LLVM_offset",
                f"regx {rng.choice(('s0', 's1', 's2', self._vgpr()))}",
                f"constu {address}; lit{space}; LLVM_form_aspace_address",
                f"constu {address}; lit{space}; LLVM_form_aspace_address",
                f"addr {rng.choice(PLACES[0])}",
                "LLVM_undefined",
                "implicit_value 8 1 2 3 4 5 6 7 8",
            )
        )

    def _computed(self, depth: int) -> str:
        return f"{self.value(depth)}; stack_value"

    def _in_memory(self, depth: int) -> str:
        """At an address that differs by lane."""
        space = self.rng.choice(list(PLACES))
        address = self.rng.choice(PLACES[space])
        return (
            f"{self.value(depth)}; lit{self.rng.choice((3, 7, 12))}; and; constu {address}; plus; "
            f"lit{space}; LLVM_form_aspace_address"
        )

    def _moved(self, depth: int) -> str:
        by = f"{self.value(depth)}; lit{self.rng.choice((1, 3, 7))}; and"
        return (
            f"{self.location(depth)}; {by}; {self.rng.choice(('LLVM_offset', 'LLVM_bit_offset'))}"
        )

    def _pieces(self, depth: int) -> str:
        parts = []
        for _ in range(self.rng.randrange(1, 4)):
            piece = self.rng.choice(
                ("piece 2", "piece 1", "piece 4", "bit_piece 12, 0", "bit_piece 4, 3")
            )
            place = self.location(depth) + "; " if self.rng.random() < 0.9 else ""
            parts.append(place + piece)
        return "; ".join([*parts, "LLVM_piece_end"])

    def _selected(self, depth: int) -> str:
        count = self.arch.lane_count
        mask = self.rng.choice(("regx exec; deref", self.value(depth), "constu 0xa5a5a5a5"))
        size = self.rng.choice((32, 32, 8))
        one, zero = f"regx {self._vgpr()}", f"regx {self._vgpr()}"
        lane = f"LLVM_push_lane; const1u {size // 8}; mul; LLVM_offset"
        return f"{zero}; {one}; {mask}; LLVM_select_bit_piece {size}, {count}; {lane}"

    def _overlay(self, depth: int) -> str:
        at, size = f"{self.value(0)}; lit3; and", self.rng.choice(("lit1", "lit2", "lit4"))
        name = self.rng.choice(("LLVM_overlay", "LLVM_bit_overlay"))
        return f"{self.location(depth)}; {self.location(depth)}; {at}; {size}; {name}"

    def _extended(self, depth: int) -> str:
        lane = "LLVM_push_lane; LLVM_offset"
        return f"{self.location(depth)}; LLVM_extend {self.rng.choice((8, 16))}, 64; {lane}"

    def _either(self, depth: int) -> str:
        self.labels += 1
        this = self.labels
        return (
            f"{self.value(depth)}; lit1; and; bra a{this}; {self.location(depth)}; skip b{this}; "
            f"a{this}: {self.location(depth)}; b{this}: nop"
        )
