"""What the lines of `fixtures/asm/chain.inc` do to a wave, and the state in which it stops.

It knows nothing of call frame information: it stores, copies and overwrites as code would do.
`python -m tests.cfi.chain` writes the state files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.objfile.elf import open_object

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
VARIANTS = {
    "chain_mubuf.gfx90a": ("gfx90a", 64, False),
    "chain_flat.gfx942": ("gfx942", 64, True),
    "chain_wave32.gfx1100": ("gfx1100", 32, True),
}
"""By name of the file: processor, lanes, and whether SP and FP count the bytes of a lane."""
FIRST_FREE_BYTES = 64
"""For each lane: what the kernel itself uses."""


@frozen
class Line:
    """One thing that a function does."""

    action: str
    operands: tuple[int, ...]
    name: str = ""


def functions() -> dict[str, list[Line]]:
    """The lines of each function, the kernel first."""
    result: dict[str, list[Line]] = {}
    text = (FIXTURES / "asm/chain.inc").read_text().split(".macro chain")[1]
    for raw in text.splitlines():
        words = re.sub("//.*", "", raw).replace(",", " ").split()
        if not words or words[0] in (".endm", "end"):
            continue
        if words[0] == "function":
            current = result.setdefault(words[1], [])
        elif words[0] == "call":
            current.append(Line("call", (), words[1]))
        else:
            current.append(Line(words[0], tuple(int(word, 0) for word in words[1:])))
    return result


@define
class Registers:
    """What a frame has in its registers; vectors are lists with a value for each lane."""

    pc: int
    exec: int
    sgprs: dict[int, int]
    vgprs: dict[int, list[int]]
    agprs: dict[int, list[int]]
    lost: set[str] = field(factory=set)
    """Registers that the functions called from here have overwritten without saving them."""


@define
class Wave:
    """A wave that runs the functions."""

    lanes: int
    is_flat: bool
    addresses: dict[str, int]
    now: Registers = field(init=False)
    scratch: dict[int, int] = field(factory=dict)
    """Dwords by their address in private_wave memory."""
    frames: list[Registers] = field(factory=list)
    """At each call, the kernel's first; last, where the wave stopped."""

    @now.default
    def _now(self) -> Registers:
        def vector(base: int) -> list[int]:
            return [base + lane for lane in range(self.lanes)]

        scale = 1 if self.is_flat else self.lanes
        sgprs = {n: 0x5000 + n for n in range(64)}
        sgprs[32], sgprs[33] = FIRST_FREE_BYTES * scale, 0x3333
        all_lanes = (1 << self.lanes) - 1
        return Registers(
            0,
            all_lanes & 0x7FFF_FFFF_FFFF_FFFF,
            sgprs,
            {n: vector(0x10000 * n) for n in (0, 39, 40, 41, 42, 43, 44)},
            {n: vector(0x1000000 + 0x10000 * n) for n in range(4)},
        )

    def run(self) -> None:
        code = functions()
        name = "k"
        serial = 0
        while name:
            lost: set[str] = set()
            entry_exec, cfa = self.now.exec, self.now.sgprs[32]
            cfa *= self.lanes if self.is_flat else 1
            serial += 1
            following = ""
            for line in code[name]:
                if line.action == "call":
                    following = line.name
                else:
                    self._do(line, serial, entry_exec, cfa, lost)
            for outer in self.frames:
                outer.lost |= lost
            if following:
                self._call(following)
            name = following
        self.now.pc = self.addresses["stop_here"]
        self.frames.append(deepcopy(self.now))

    def _call(self, name: str) -> None:
        self.now.pc = self.addresses[f"after_{name}"]
        self.frames.append(deepcopy(self.now))
        self.now.sgprs[30], self.now.sgprs[31] = self.now.pc, 0
        for outer in self.frames[:-1]:
            outer.lost |= {"s30", "s31"}
        # The caller's own s30 and s31 are what the call overwrites.
        self.frames[-1].sgprs[30], self.frames[-1].sgprs[31] = self.now.pc, 0

    def _active(self, mask: int) -> Iterator[int]:
        return (lane for lane in range(self.lanes) if mask >> lane & 1)

    def _dwords(self, value: int) -> list[int]:
        """A mask as the registers of its size hold it."""
        return [value & 0xFFFFFFFF] + ([value >> 32] if self.lanes == 64 else [])

    def _holder(self, number: int) -> tuple[str, list[int]]:
        """The accumulator register, or what stands for it where there is none."""
        if self.lanes == 64:
            return f"a{number}", self.now.agprs[number]
        vector = self.now.vgprs.setdefault(number + 100, [0] * self.lanes)
        return f"v{number + 100}", vector

    def _do(self, line: Line, serial: int, entry: int, cfa: int, lost: set[str]) -> None:
        now, numbers = self.now, line.operands
        first = numbers[0] if numbers else 0
        match line.action:
            case "own_vgpr":
                for lane in self._active(now.exec):
                    now.vgprs[first][lane] = 1_000_000 * serial + 1000 * first + lane
            case "own_sgpr":
                now.sgprs[first] = 100 * serial + first
            case "grow":
                now.sgprs[32] += 4 * first * (1 if self.is_flat else self.lanes)
            case "narrow":
                now.exec &= first | first << 32
            case "set_fp":
                now.sgprs[33] = now.sgprs[32]
            case "fp_to_sgpr":
                self._to_sgprs(first, [now.sgprs[33]], lost)
            case "fp_to_lane":
                self._to_lanes(first, numbers[1], [now.sgprs[33]])
            case "pc_to_sgprs":
                self._to_sgprs(first, [now.sgprs[30], now.sgprs[31]], lost)
            case "pc_to_lanes":
                self._to_lanes(first, numbers[1], [now.sgprs[30], now.sgprs[31]])
            case "pc_to_memory":
                for index in range(2):
                    self.scratch[cfa + first * self.lanes + 4 * index] = now.sgprs[30 + index]
            case "exec_to_sgprs":
                self._to_sgprs(first, self._dwords(now.exec), lost)
            case "exec_to_lanes":
                self._to_lanes(first, numbers[1], self._dwords(now.exec))
            case "sgpr_to_lane":
                self._to_lanes(numbers[1], numbers[2], [now.sgprs[first]])
            case "spill_whole" | "spill_masked":
                mask = -1 if line.action == "spill_whole" else entry
                for lane in self._active(mask):
                    address = cfa + numbers[1] * self.lanes + 4 * lane
                    self.scratch[address] = now.vgprs[first][lane]
            case "spill_agpr" | "spill_agpr_masked":
                mask = -1 if line.action == "spill_agpr" else entry
                name, holder = self._holder(numbers[1])
                for lane in self._active(mask):
                    holder[lane] = now.vgprs[first][lane]
                lost.add(name)
            case "stop":
                pass
            case other:
                raise AssertionError(other)

    def _to_sgprs(self, first: int, values: list[int], lost: set[str]) -> None:
        for index, value in enumerate(values):
            self.now.sgprs[first + index] = value
            lost.add(f"s{first + index}")

    def _to_lanes(self, vector: int, first: int, values: list[int]) -> None:
        for index, value in enumerate(values):
            self.now.vgprs[vector][first + index] = value


def stopped(variant: str) -> Wave:
    """The wave of a variant where it stops."""
    _, lanes, is_flat = VARIANTS[variant]
    file = open_object(FIXTURES / f"asm/{variant}.v5.co")
    wave = Wave(lanes, is_flat, {symbol.name: symbol.address for symbol in file.symbols})
    wave.run()
    return wave


def state(variant: str) -> dict[str, object]:
    """The state file of a variant."""
    wave = stopped(variant)
    now = wave.now
    registers: dict[str, object] = {"exec": hex(now.exec)}
    registers |= {f"s{n}": value for n, value in sorted(now.sgprs.items())}
    registers |= {f"v{n}": values for n, values in sorted(now.vgprs.items())}
    if wave.lanes == 64:
        registers |= {f"a{n}": values for n, values in sorted(now.agprs.items())}
    memory: list[dict[str, object]] = []
    end = 0
    for address in sorted(wave.scratch):
        data = wave.scratch[address].to_bytes(4, "little").hex()
        if memory and address == end:
            memory[-1]["bytes"] = f"{memory[-1]['bytes']}{data}"
        else:
            memory.append({"space": "private_wave", "address": hex(address), "bytes": data})
        end = address + 4
    return {
        "schema": "dwarfgpu-state-1",
        "note": f"the end of the chain of calls in {variant}; written by tests/cfi/chain.py",
        "architecture": VARIANTS[variant][0],
        "code_objects": [{"path": f"../asm/{variant}.v5.co"}],
        "waves": [{"pc": hex(now.pc), "registers": registers, "memory": memory}],
    }


def state_text(variant: str) -> str:
    return json.dumps(state(variant)) + "\n"


if __name__ == "__main__":
    for item in VARIANTS:
        (FIXTURES / f"states/{item}.json").write_text(state_text(item))
