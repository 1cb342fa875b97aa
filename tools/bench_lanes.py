"""`tools/bench.py lanes`: an expression for 64 lanes of 1,000 waves in one pass, and otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from attrs import evolve

from dwarfgpu.arch import architecture
from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.backends.state import StateTarget
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.given import GivenFrame
from dwarfgpu.expr.lanes import evaluate_lanes
from dwarfgpu.expr.text import assemble
from dwarfgpu.model.lanes import Array
from dwarfgpu.model.location import Location
from dwarfgpu.target import Target, WaveId

ARCH = architecture("gfx942")
WAVES, LANES = range(1000), range(64)
EXPRESSIONS = (
    ("VGPR of a lane", "regx v3; LLVM_push_lane; lit4; mul; LLVM_offset"),
    ("two halves", "regx v3; LLVM_push_lane; lit4; mul; LLVM_offset; piece 2; regx v4; "
     "LLVM_push_lane; lit4; mul; LLVM_offset; piece 2; LLVM_piece_end"),
    ("masked, of two VGPRs", "regx v3; regx v4; const8u 0x0f0f0f0f0f0f0f0f; "
     "LLVM_select_bit_piece 32 64; LLVM_push_lane; lit4; mul; LLVM_offset"),
    ("branch by lane", "LLVM_push_lane; lit1; and; bra odd; regx v3; skip end; odd: regx v4; "
     "end: LLVM_push_lane; lit4; mul; LLVM_offset"),
)  # fmt: skip
SAMPLE = 10
"""Waves of which the loop is timed; it is as long for each."""


class Waves(StateTarget):
    """A machine whose vector registers are arrays."""

    def __init__(self) -> None:
        super().__init__(ARCH)
        random = np.random.default_rng(1)
        shape = (len(WAVES), 4 * len(LANES))
        self.held = {name: random.integers(0, 256, shape, dtype=np.uint8) for name in ("v3", "v4")}
        self.known = np.ones(shape, bool)
        for wave in WAVES:
            self.add_wave(wave)

    def registers_of(self, waves: Sequence[WaveId], register: RegisterInfo) -> tuple[Array, Array]:
        return self.held[register.name], self.known

    def read_register(
        self,
        wave: WaveId,
        register: RegisterInfo,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        end = None if size_bytes is None else offset_bytes + size_bytes
        return self.held[register.name][wave, offset_bytes:end].tobytes()


def bench_lanes() -> None:
    """One pass, the loop, and what only copies as many bytes."""
    target = Waves()
    base = Context(
        ARCH, 0, 0, frame=GivenFrame(ARCH), target=target, lane_count=64, result_kind="location"
    )

    def context_of(wave: WaveId, lane: int, target: Target | None) -> Context:
        return evolve(base, wave=wave, lane=lane, target=target)

    print("| expression | one pass, ms | a loop, ms | times |")
    print("|---|---|---|---|")
    for name, text in EXPRESSIONS:
        data = assemble(text, arch=ARCH)

        def one_pass(data: bytes = data) -> Array:
            return evaluate_lanes(
                data, context_of, target, waves=WAVES, lanes=LANES, size_bits=32
            ).data

        def loop(data: bytes = data) -> bytes:
            out = []
            for wave in WAVES[:SAMPLE]:
                for lane in LANES:
                    context = context_of(wave, lane, target)
                    location = evaluate(data, context)
                    assert isinstance(location, Location)
                    out.append(context.access.read_bytes(location, 4))
            return b"".join(out)

        assert one_pass()[:SAMPLE].tobytes() == loop()
        together, apart = _best(one_pass), _best(loop) * len(WAVES) / SAMPLE
        print(f"| {name} | {together * 1e3:.2f} | {apart * 1e3:,.0f} | {apart / together:,.0f} |")
    print(f"| a copy of the bytes | {_best(target.held['v3'].copy) * 1e3:.2f} | | |")


def _best(action: Callable[[], object], rounds: int = 15) -> float:
    """Seconds of processor time of one call, the best of several."""
    seconds = []
    for _ in range(rounds):
        started = time.process_time()
        action()
        seconds.append(time.process_time() - started)
    return min(seconds)
