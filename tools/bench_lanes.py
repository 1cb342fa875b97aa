"""`tools/bench.py lanes`: a variable for 64 lanes of 1,000 waves in one pass, and otherwise."""

from __future__ import annotations

import shutil
import subprocess
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.evaluate_lanes import LaneBits, evaluate_lanes
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.lane_integers import Array
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Memory

ARCH = architecture("gfx942")
WAVES, LANES = range(1000), range(64)
COUNT = len(WAVES) * len(LANES)
LANE_OF = "LLVM_push_lane; lit4; mul; LLVM_offset"
ODD_OR_EVEN = f"lit1; and; bra odd; regx v3; skip end; odd: regx v4; end: {LANE_OF}"
TOGETHER = (
    ("VGPR of a lane", f"regx v3; {LANE_OF}"),
    ("two halves", f"regx v3; {LANE_OF}; piece 2; regx v4; {LANE_OF}; piece 2; LLVM_piece_end"),
    ("masked, of two VGPRs", "regx v3; regx v4; const8u 0x0f0f0f0f0f0f0f0f; "
     f"LLVM_select_bit_piece 32 64; {LANE_OF}"),
)  # fmt: skip
PARTED = (
    ("branch by lane", f"LLVM_push_lane; {ODD_OR_EVEN}"),
    ("branch by what a lane holds", f"regx v3; {LANE_OF}; deref_size 1; {ODD_OR_EVEN}"),
    ("masked by EXEC, of two VGPRs",
     f"regx v3; regx v4; regx exec; deref; LLVM_select_bit_piece 32 64; {LANE_OF}"),
    ("four ways", "LLVM_push_lane; lit3; and; dup; lit1; gt; bra upper; lit1; eq; bra one; "
     f"regx v3; {LANE_OF}; skip end; one: regx v4; {LANE_OF}; skip end; upper: lit2; eq; bra two; "
     "LLVM_push_lane; stack_value; skip end; two: lit5; stack_value; end: nop"),
    ("a loop, its length by lane", "LLVM_push_lane; again: dup; lit0; eq; bra end; lit1; minus; "
     "skip again; end: stack_value"),
    ("a loop, its length by what it holds", f"regx v3; {LANE_OF}; deref_size 1; lit15; and; "
     "again: dup; lit0; eq; bra end; lit1; minus; skip again; end: stack_value"),
    ("sixteen branches by what it holds", f"regx v3; {LANE_OF}; deref_size 2; "
     + "".join(f"dup; const2u {1 << n}; and; bra b{n}; lit1; plus; b{n}: " for n in range(16))
     + "stack_value"),
    ("known in half of the lanes", f"regx v5; {LANE_OF}"),
    ("known in no lane", f"regx v6; {LANE_OF}"),
)  # fmt: skip
SAMPLE = 10
"""The waves whose loop is timed; it is equally long for each."""
NATIVE_NS = 83
"""One evaluation by gimli, in Rust, of a variable in a register: the figure behind the goal."""
GDB_SCRIPT = """
import time, gdb
frame = gdb.selected_frame()
symbol = gdb.lookup_symbol("n")[0]
for name, action in (
    ("gdb, parse_and_eval", lambda: int(gdb.parse_and_eval("n"))),
    ("gdb, a symbol's value", lambda: int(symbol.value(frame))),
):
    rounds = []
    for _ in range(3):
        start = time.process_time()
        for _ in range(COUNT):
            action()
        rounds.append(time.process_time() - start)
    print(f"| {name} | {min(rounds)}")
"""


class Waves(StateTarget):
    """A machine whose vector registers are arrays; v5 is known in half of the lanes, v6 in none."""

    def __init__(self) -> None:
        super().__init__(ARCH)
        random = np.random.default_rng(1)
        shape = (len(WAVES), 4 * len(LANES))
        names = ("v3", "v4", "v5", "v6")
        self.held = {name: random.integers(0, 256, shape, dtype=np.uint8) for name in names}
        self.held["exec"] = random.integers(0, 256, (len(WAVES), 8), dtype=np.uint8)
        self.known = {name: np.ones(item.shape, bool) for name, item in self.held.items()}
        half = random.integers(0, 2, (len(WAVES), len(LANES)), dtype=np.uint8).astype(bool)
        self.known["v5"] = np.repeat(half, 4, axis=1)
        self.known["v6"][:] = False
        for wave in WAVES:
            self.add_wave(wave)
            for name in ("v5", "v6"):
                register = ARCH.by_name[name]
                for lane in np.flatnonzero(half[wave]) if name == "v5" else ():
                    data = self.held[name][wave, 4 * lane : 4 * lane + 4].tobytes()
                    self.set_register(wave, register, data, 4 * int(lane))

    def registers_of(self, waves: Sequence[WaveId], register: RegisterInfo) -> tuple[Array, Array]:
        return self.held[register.name], self.known[register.name]

    def read_register(
        self,
        wave: WaveId,
        register: RegisterInfo,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        if register.name in ("v5", "v6"):
            return super().read_register(wave, register, offset_bytes, size_bytes)
        end = None if size_bytes is None else offset_bytes + size_bytes
        return self.held[register.name][wave, offset_bytes:end].tobytes()


def bench_lanes() -> None:
    """The tables of docs/benchmarks.md."""
    target = Waves()
    print("| 64,000 lanes | ms | µs each |")
    print("|---|---|---|")
    copied = _best(target.held["v3"].copy)
    gdb = time_gdb()
    for name, seconds in (
        ("a copy of the bytes, NumPy", copied),
        (f"a native evaluator in a loop, {NATIVE_NS} ns each", COUNT * NATIVE_NS * 1e-9),
        *gdb,
    ):
        print(f"| {name} | {seconds * 1e3:.2f} | {seconds / COUNT * 1e6:.4f} |")
    theirs = gdb[0][1] if gdb else None
    print("\n| expression | one pass, ms | a loop, ms | times | times, native | times, gdb |")
    print("|---|---|---|---|---|---|")
    for name, text in TOGETHER + PARTED:
        together, apart = _timed(target, text)
        native = COUNT * NATIVE_NS * 1e-9 / together
        gdb_times = "" if theirs is None else f"{theirs / together:,.1f}"
        print(
            f"| {name} | {together * 1e3:.2f} | {apart * 1e3:,.0f} | {apart / together:,.1f} | "
            f"{native:,.1f} | {gdb_times} |"
        )
    print("\n| a wave of the state knows | bytes a wave |")
    print("|---|---|")
    for name, size in _memory():
        print(f"| {name} | {size:,.0f} |")


def _timed(target: Waves, text: str) -> tuple[float, float]:
    """Seconds of the pass, and of the loop over all lanes; their answers are compared."""
    base = Context(
        ARCH, 0, 0, frame=ExplicitFrame(ARCH), target=target, lane_count=64, result_kind="location"
    )

    def context_of(wave: WaveId, lane: int, target: Target | None) -> Context:
        return evolve(base, wave=wave, lane=lane, target=target)

    data = assemble(text, arch=ARCH)

    def one_pass() -> LaneBits:
        return evaluate_lanes(data, context_of, target, waves=WAVES, lanes=LANES, size_bits=32)

    def loop() -> list[bytes | None]:
        out: list[bytes | None] = []
        for wave in WAVES[:SAMPLE]:
            for lane in LANES:
                context = context_of(wave, lane, target)
                try:
                    location = evaluate(data, context)
                    assert isinstance(location, Location)
                    contents = context.access.read(location, 32)
                    known = contents.value.to_bytes(4, "little") if contents.is_complete else None
                except DwarfGpuError:
                    known = None
                out.append(known)
        return out

    result = one_pass()
    compared = zip(result.data[:SAMPLE].reshape(-1, 4), result.is_known[:SAMPLE].flat, strict=True)
    assert [item.tobytes() if known else None for item, known in compared] == loop()
    apart = _best(loop, 5) * len(WAVES) / SAMPLE
    return _best(one_pass, 15 if apart < 3 or len(text) < 200 else 5), apart


def time_gdb() -> list[tuple[str, float]]:
    """Seconds in which GDB evaluates a variable as many times; none without it, with the reason."""
    gdb = shutil.which("gdb")
    if gdb is None:
        print("| gdb is not installed | | |")
        return []
    core = Path(__file__).resolve().parent.parent / "fixtures/core/crash.x86_64.O0"
    script = GDB_SCRIPT.replace("COUNT", str(COUNT))
    command = [gdb, "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off"]
    done = subprocess.run(
        [*command, "-ex", f"python exec({script!r})", str(core), f"{core}.core"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    if len(rows) != 2:
        print(f"| gdb does not run it: {(done.stderr.strip() or done.stdout)[-200:]} | | |")
        return []
    return [(name.removeprefix("| "), float(seconds)) for name, seconds in rows]


def _memory() -> list[tuple[str, float]]:
    """Bytes of a wave, by what is known of it."""
    private = ARCH.address_space(5)

    def waves(vectors: int, scratch_bytes: int) -> float:
        tracemalloc.start()
        target = StateTarget(ARCH)
        for wave in WAVES:
            target.add_wave(wave)
            target.set_register(wave, ARCH.by_name["exec"], bytes(8))
            for number in range(vectors):
                target.set_register(wave, ARCH.by_name[f"v{number}"], bytes(256))
            for lane in LANES if scratch_bytes else ():
                target.set_memory(Memory(private, wave, lane), 0, bytes(scratch_bytes))
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return size / len(WAVES)

    return [
        ("its mask", waves(0, 0)),
        ("and a VGPR (256 bytes)", waves(1, 0)),
        ("and 64 VGPRs (16 KiB)", waves(64, 0)),
        ("and 64 VGPRs, 16 bytes of scratch in each lane (17 KiB)", waves(64, 16)),
    ]


def _best(action: Callable[[], object], rounds: int = 15) -> float:
    """Seconds of processor time of one call, the best of several."""
    seconds = []
    for _ in range(rounds):
        started = time.process_time()
        action()
        seconds.append(time.process_time() - started)
    return min(seconds)
