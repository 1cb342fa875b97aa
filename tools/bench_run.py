"""Wave-instructions a second of `dwarfgpu run`, by executor, on one core."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from dwarfgpu.machine.run_control import Watch, WatchKind
from dwarfgpu.machine.simulated.execution.interpreter import Executor, RunningMachine
from dwarfgpu.machine.simulated.execution.watchpoints import WatchedRange, Watching, Watchpoints
from dwarfgpu.machine.simulated.launch.machine_of_dispatch import machine_of_dispatch
from dwarfgpu.options.opened_launch import prepare_run

_FILE = "fixtures/run/speed.{}.v5.co"
_FOLDER = Path(__file__).resolve().parent.parent
_BUILDS = ("gfx942.O0", "gfx942.O2", "gfx1100.O0", "gfx1100.O2")
_KERNELS = {
    "arithmetic": "a loop of integers",
    "divergent": "a divergent loop",
    "memory": "loads, 32 for each work-item",
    "matmul64": "64×64 matrices of f32, through LDS",
}
_SHORT = 64
"""Work-items of a wave, or of two."""
_ALL = 4096
_SOME = 512
"""Of the table of what is armed."""
_REPEATS = 3
_NEVER = frozenset({8})
"""A breakpoint that no wave reaches."""
_Arm = Callable[[RunningMachine], frozenset[int]]
"""Arms a machine; the breakpoints to run it with."""


class _Options(Namespace):
    """Options that are not given are None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def bench_run() -> None:
    """Print three tables: the best of some runs, decoded before; slow ones run once."""
    executors = get_args(Executor)
    print(f"| one wave of 64 work-items | target | instructions | {' | '.join(executors[:2])} |")
    print("|---|---|---|---|---|")
    for kernel, what in _KERNELS.items():
        for built in _BUILDS:
            if kernel == "matmul64":
                continue  # its workgroups have four waves
            start = _dispatch(kernel, built, _SHORT)
            machines = [_timed(start, executor) for executor in executors[:2]]
            rates = [f"{machine.instructions / best / 1000:.0f}" for machine, best in machines]
            count = machines[0][0].instructions
            print(f"| {kernel}: {what} | {built} | {count} | {' | '.join(rates)} |")
    print()
    print(
        f"| {_ALL} work-items | target | instructions | {' | '.join(executors)} | "
        "breakpoint armed | milliseconds |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for kernel, what in _KERNELS.items():
        for built in _BUILDS:
            _row(kernel, what, built)
    print()
    armed = " | ".join(_ARMED)
    print(f"| {_SOME} work-items | target | executor | instructions | nothing | {armed} |")
    print("|---|---|---|---|---|" + "---|" * len(_ARMED))
    for kernel in _KERNELS:
        for built in _BUILDS[:2]:
            _armed_rows(kernel, built)


def _row(kernel: str, what: str, built: str) -> None:
    start = _dispatch(kernel, built, _ALL)
    slow: list[Executor] = ["precise", "block"]
    machines = [_timed(start, executor, repeats=1) for executor in slow]
    machines.append(_timed(start, "lockstep"))
    armed = _timed(start, "lockstep", _breakpoint, repeats=1)
    rates = [f"{machine.instructions / best / 1000:.0f}" for machine, best in [*machines, armed]]
    count, best = machines[-1][0].instructions, machines[-1][1]
    print(f"| {kernel}: {what} | {built} | {count} | {' | '.join(rates)} | {1000 * best:.1f} |")


def _armed_rows(kernel: str, built: str) -> None:
    """What it costs to wait for what does not happen: times the time with nothing armed."""
    start = _dispatch(kernel, built, _SOME)
    for executor in get_args(Executor):
        arms: list[_Arm] = [_nothing, *_ARMED.values()]
        best = [float("inf")] * len(arms)
        for _ in range(_REPEATS):  # in turn
            for number, arm in enumerate(arms):
                machine, seconds = _timed(start, executor, arm, repeats=1)
                best[number] = min(best[number], seconds)
        rate = f"{machine.instructions / best[0] / 1000:.0f}"
        factors = [f"{seconds / best[0]:.2f}" for seconds in best[1:]]
        row = [kernel, built, executor, str(machine.instructions), rate, *factors]
        print(f"| {' | '.join(row)} |")


def _nothing(machine: RunningMachine) -> frozenset[int]:
    return frozenset()


def _breakpoint(machine: RunningMachine) -> frozenset[int]:
    return _NEVER


def _watching(kind: WatchKind, name: str) -> _Arm:
    """Watch the first dword of an allocation."""

    def arm(machine: RunningMachine) -> frozenset[int]:
        global_memory = machine.global_memory
        at = next(item.start for item in global_memory.allocations if item.name == name)
        ranges = (WatchedRange(None, at, at + 4),)
        watching = Watching(
            Watch(1, kind, ()), lambda: global_memory.read(at, 4), bytes, ranges, None, []
        )
        machine.observe(Watchpoints([watching], lambda wave: 0))
        return frozenset()

    return arm


_ARMED: dict[str, _Arm] = {
    "`break`": _breakpoint,
    "`watch`": _watching("write", "buffer a"),
    "`rwatch`": _watching("read", "buffer out"),
}
"""Of what no kernel does: no wave is at address 8, writes `a` or reads `out`."""


def _dispatch(kernel: str, built: str, count: int) -> Callable[[], RunningMachine]:
    """What makes the machine before the first instruction."""
    options = _Options(
        file=str(_FOLDER / _FILE.format(built)),
        kernel=kernel,
        grid=str(count),
        workgroup=str(min(count, 256)),
        arg=[f"a=range:{_ALL}", f"b=range:{_ALL}", f"out=zeros:{4 * _ALL}"],
    )
    prepared = prepare_run(options)
    return lambda: machine_of_dispatch(prepared.launched, prepared.code_object.loaded_segments())


def _timed(
    start: Callable[[], RunningMachine],
    executor: Executor,
    arm: _Arm = _nothing,
    repeats: int = _REPEATS,
) -> tuple[RunningMachine, float]:
    """A machine at its end, and seconds of the processor."""
    best = float("inf")
    for _ in range(repeats):
        machine = start()
        machine.executor = executor
        breakpoints = arm(machine)
        before = time.process_time()
        stopped = machine.run(breakpoints=breakpoints)
        best = min(best, time.process_time() - before)
        assert stopped is None, stopped
    return machine, best
