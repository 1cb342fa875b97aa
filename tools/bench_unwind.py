"""`tools/bench.py unwind`: frames of x86-64, and of a GPU wave with masked spills."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dwarfgpu.arch.registry import architecture
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.rule import ExpressionRule, OffsetRule, RegisterCfa, Rule, UndefinedRule
from dwarfgpu.expr.context import Context, UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FRAMES = 12
MASKED = range(40, 64)
"""The VGPRs that every frame has spilled under its mask."""
DEPTH = 1000


class Rows:
    """One row for every location but the last frame's."""

    def __init__(self, row: FrameRow, outermost: FrameRow, last: int) -> None:
        self.row, self.outermost, self.last = row, outermost, last

    def row_at(self, location: int) -> FrameRow:
        return self.outermost if location == self.last else self.row

    def file_text(self, location: int) -> str:
        return ""


def best(action: Callable[[], None], repeats: int = 15) -> float:
    """Seconds of the processor, the best of some."""
    rounds = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        rounds.append(time.process_time() - start)
    return min(rounds)


def gpu() -> tuple[Context, Rows]:
    """A wave of gfx942 with known contents."""
    arch = architecture("gfx942")
    target = StateTarget(arch)
    target.add_wave(0)
    for register in arch.registers.values():
        target.set_register(0, register, bytes(register.size_bits // 8))
    exec_ = arch.by_name["exec"]
    target.set_register(0, exec_, (0x0FF0_FFFF_3FFF_00FF).to_bytes(8, "little"))
    scratch = bytearray(1 << 20)
    scratch[:8] = (0x1001).to_bytes(8, "little")
    rules: dict[int, Rule] = {16: ExpressionRule(_asm("lit0; lit6; LLVM_form_aspace_address"))}
    rules[64] = ExpressionRule(_asm("regx s33"))
    for index, vector in enumerate(MASKED):
        text = (
            f"regx v{vector}; swap; LLVM_offset_uconst {256 * index + 256};"
            "LLVM_call_frame_entry_reg exec; deref_size 8; LLVM_select_bit_piece 32, 64"
        )
        rules[2560 + vector] = ExpressionRule(_asm(text))
    # The CFA moves, so that no frame repeats another: it is read from a slot of the callee.
    rules[65] = OffsetRule(8)
    for level in range(FRAMES):
        address = 0x2000 * (level + 1) + 8
        scratch[address : address + 4] = (0x2000 * (level + 2)).to_bytes(4, "little")
    target.set_memory(Memory(arch.address_space(6), 0), 0, bytes(scratch))
    target.set_register(0, arch.by_name["s33"], (0x2000).to_bytes(4, "little"))
    row = FrameRow(RegisterCfa(65, 0, 6), rules, 16)
    return Context(arch, 0, target=target), Rows(row, row, -1)


def _asm(text: str) -> bytes:
    return assemble(text, AMD, UnitFormat(), architecture("gfx942"))


def cpu() -> tuple[Context, Rows]:
    """A thread of x86-64 that is `DEPTH` calls deep, with two saved registers in each frame."""
    arch = architecture("x86_64")
    target = StateTarget(arch)
    target.add_wave(0)
    stack = bytearray()
    for level in range(DEPTH):
        for value in (level, level, 0x2001 if level < DEPTH - 2 else 0x3001):
            stack += value.to_bytes(8, "little")
    target.set_memory(Memory(arch.address_space(0)), 0x7000_0000, bytes(stack))
    for name in ("rbx", "rbp", "rip"):
        target.set_register(0, arch.by_name[name], bytes(8))
    target.set_register(0, arch.by_name["rsp"], (0x7000_0000).to_bytes(8, "little"))
    rules: dict[int, Rule] = {16: OffsetRule(-8), 6: OffsetRule(-16), 3: OffsetRule(-24)}
    row = FrameRow(RegisterCfa(7, 24), rules, 16)
    outermost = FrameRow(RegisterCfa(7, 8), {16: UndefinedRule()}, 16)
    return Context(arch, 0, target=target), Rows(row, outermost, 0x3000)


def bench_unwind() -> None:
    """The table of docs/benchmarks.md."""
    context, rows = gpu()
    arch = context.architecture
    assert arch is not None
    numbers = [2560 + vector for vector in MASKED]

    def frames(registers: list[int]) -> None:
        stack = CallStack(context, 0x1000, rows, limit=FRAMES)
        assert stack.frame(FRAMES - 1) is not None
        for level in range(FRAMES):
            frame = stack.frame(level)
            assert frame is not None
            for number in registers:
                assert frame.contents(number).is_complete

    deep, cpu_rows = cpu()

    def walk() -> None:
        stack = CallStack(deep, 0x2000, cpu_rows)
        assert stack.end.is_outermost, stack.end

    print("| what | time |")
    print("|---|---|")
    print(f"| {FRAMES} frames of a wave, no registers | {best(lambda: frames([])) * 1e3:.1f} ms |")
    text = f"{FRAMES} frames, {len(numbers)} masked VGPRs of each"
    print(f"| {text} | {best(lambda: frames(numbers)) * 1e3:.1f} ms |")
    every = list(arch.registers)
    text = f"{FRAMES} frames, all {len(every)} registers of each"
    print(f"| {text} | {best(lambda: frames(every)) * 1e3:.1f} ms |")
    print(f"| a frame of x86-64, {DEPTH} deep | {best(walk) / DEPTH * 1e6:.1f} µs |")
    print()
    beside_gdb()


def beside_gdb() -> None:
    """Frames of a live recursion, by GDB and by us, in one run of GDB."""
    gdb = shutil.which("gdb")
    if gdb is None:
        print("gdb is not installed: its frames are not timed")
        return
    root = FIXTURES.parent
    located = [sys.executable, "-m", "dwarfgpu", "gdb-path"]
    run = subprocess.run(located, cwd=root, capture_output=True, text=True, check=True)
    commands = (
        "set debuginfod enabled off",
        f"source {run.stdout.strip()}",
        "break factorial",
        "run",
        f"set var n = {DEPTH}",
        "delete",
        "break factorial if n == 1",
        "continue",
        "set backtrace past-main on",
        f"source {root / 'tools/bench_unwind_gdb.py'}",
    )
    options = [piece for line in commands for piece in ("-ex", line)]
    program = str(FIXTURES / "x86_64/demo.gcc.O0.v5")
    done = subprocess.run(
        [gdb, "-nx", "-q", "-batch", *options, program],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    if not rows:
        print(f"gdb does not run the comparison: {(done.stderr.strip() or done.stdout)[-300:]}")
        return
    print("| frames of x86-64, live | frames | µs each | frames/s | of GDB's time |")
    print("|---|---|---|---|---|")
    print("\n".join(rows))
