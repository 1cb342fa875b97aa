"""Benchmarks: `tools/bench.py WHAT` prints tables for the documents; WHAT is batch, cores, disas,
expr, files, gdb, journeys, lanes, names, reader, repl, run or unwind.

Figures are for orientation on one machine; nothing in the tests depends on them, except that
`tests/session/test_journeys.py` guards the counts of `journeys`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.expr.bind import prepare_cached
from dwarfgpu.expr.context import Context, UnitFormat
from dwarfgpu.expr.decode import decode_cached
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Memory
from tools.bench_batch import bench_batch
from tools.bench_cores import bench_cores
from tools.bench_disas import bench_disas
from tools.bench_files import bench_files
from tools.bench_gdb import bench_gdb
from tools.bench_journeys import bench_journeys
from tools.bench_lanes import COUNT, bench_lanes, time_gdb
from tools.bench_names import bench_names
from tools.bench_reader import bench_reader
from tools.bench_repl import bench_repl
from tools.bench_run import bench_run
from tools.bench_unwind import bench_unwind

EXPRESSIONS = (
    ("SGPR", "regx s4", 4),
    ("VGPR of a lane", "regx v3; LLVM_push_lane; lit4; mul; LLVM_offset", 4),
    ("64-bit VGPR pair", "regx v3; LLVM_push_lane; lit4; mul; LLVM_offset; piece 4; "
     "regx v4; LLVM_push_lane; lit4; mul; LLVM_offset; piece 4; LLVM_piece_end", 8),
    ("kernel local", "lit0; lit6; shr; const1u 16; plus; lit5; LLVM_form_aspace_address", 4),
    ("function local", "regx s33; deref_size 4; const1u 8; plus; lit5; LLVM_form_aspace_address",
     4),
    ("LDS", "lit16; lit3; LLVM_form_aspace_address", 4),
    ("constant", "const2s -300; stack_value", 8),
    ("SGPR pair", "regx s4; piece 4; regx s5; piece 4", 8),
    ("spilled VGPR, masked", "regx v3; const2u 0x4000; lit6; LLVM_form_aspace_address; "
     "regx exec; deref; LLVM_select_bit_piece 32, 64; LLVM_push_lane; lit4; mul; LLVM_offset", 4),
    ("branches", "lit0; lit10; back: swap; lit1; plus; swap; lit1; minus; dup; bra back; drop; "
     "stack_value", 8),
)  # fmt: skip
"""Name, operations, bytes of the object read."""


def context() -> Context:
    """A wave of gfx942 with everything known that the expressions read."""
    arch = architecture("gfx942")
    target = StateTarget(arch)
    target.add_wave(0)
    for name in ("s4", "s5", "v3", "v4", "exec"):
        register = arch.registers[arch.by_name[name].number or 0]
        target.set_register(0, register, bytes(register.size_bits // 8))
    target.set_register(0, arch.by_name["s33"], bytes(4))
    private_wave, local = arch.address_space(6), arch.address_space(3)
    target.set_memory(Memory(private_wave, 0), 0, bytes(0x5000))
    target.set_memory(Memory(local, 0), 0, bytes(64))
    return Context(
        architecture=arch,
        wave=0,
        lane=3,
        lane_count=64,
        frame=ExplicitFrame(arch),
        pc=0,
        target=target,
    )


def best(action: Callable[[], object], seconds: float = 0.02, repeats: int = 40) -> float:
    """Seconds of the processor of one call, the best of several rounds."""
    start = time.process_time()
    action()
    count = max(1, int(seconds / max(time.process_time() - start, 1e-5)))
    rounds = []
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(count):
            action()
        rounds.append((time.process_time() - start) / count)
    return min(rounds)


def bench_expr() -> None:
    """Evaluations and operations a second, first and repeated, and all lanes in a loop; GDB's."""
    ctx = context()
    arch = ctx.architecture
    lanes = [evolve(ctx, lane=lane) for lane in range(64)]
    print("| expression | operations | first, µs | repeated, µs | evaluations/s | operations/s |"
          " 64 lanes, µs |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    for name, text, size_bytes in EXPRESSIONS:
        data = assemble(text, AMD, UnitFormat(), arch)
        performed = [0]

        def count(step: object, performed: list[int] = performed) -> None:
            performed[0] += 1

        evaluate(data, ctx, observe=count)

        def one(context: Context = ctx, data: bytes = data, size_bytes: int = size_bytes) -> bytes:
            location = evaluate(data, context)
            assert isinstance(location, Location)
            return context.access.read_bytes(location, size_bytes)

        def first(one: Callable[[], bytes] = one) -> None:
            prepare_cached.cache_clear()
            decode_cached.cache_clear()
            one()

        def every(one: Callable[[Context], bytes] = one) -> None:
            for lane in lanes:
                one(lane)

        once, cold, all_lanes = best(one), best(first), best(every)
        print(
            f"| {name} | {performed[0]} | {cold * 1e6:.1f} | {once * 1e6:.1f} | {1 / once:,.0f} | "
            f"{performed[0] / once:,.0f} | {all_lanes * 1e6:.0f} |"
        )
    for name, seconds in time_gdb():
        print(f"| {name} | | | {seconds / COUNT * 1e6:.1f} | {COUNT / seconds:,.0f} | | |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    benches = {
        "batch": bench_batch,
        "expr": bench_expr,
        "files": bench_files,
        "gdb": bench_gdb,
        "cores": bench_cores,
        "disas": bench_disas,
        "journeys": bench_journeys,
        "lanes": bench_lanes,
        "reader": bench_reader,
        "names": bench_names,
        "repl": bench_repl,
        "run": bench_run,
        "unwind": bench_unwind,
    }
    parser.add_argument("what", choices=benches)
    benches[parser.parse_args().what]()


if __name__ == "__main__":
    main()
