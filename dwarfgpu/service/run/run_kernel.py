"""Run a kernel on the simulated machine: its results, and where it stopped."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from dwarfgpu.base.float_format import BFLOAT16
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.npy import NUMBER_CODES, Npy
from dwarfgpu.base.npy_fields import structure
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_lookup import SourceLine
from dwarfgpu.errors import DwarfGpuError, Unsupported, UsageError
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.machine.code_object_memory import LoadedSegment
from dwarfgpu.machine.simulated.debugger.simulated_target import SimulatedTarget
from dwarfgpu.machine.simulated.launch.dispatch import (
    KERNARG_ALIGNMENT,
    Launched,
    NamedBuffer,
    name_of_buffer,
    named_buffers,
)
from dwarfgpu.machine.simulated.launch.kernarg import MAX_BYTES
from dwarfgpu.machine.simulated.launch.kernel_arguments import Parameter
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.service.run.barrier_waits import BarrierPosition, barrier_positions, source_of
from dwarfgpu.session.kernel_start import kernel_at

if TYPE_CHECKING:  # they import NumPy
    from dwarfgpu.machine.core.memory import CoreMemory
    from dwarfgpu.machine.simulated.execution.interpreter import Executor, RunningMachine, Stopped
    from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
    from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory

AtBreakpoint: TypeAlias = "Callable[[RunningMachine, SimulatedWave], tuple[int, ...] | None]"
"""Called when a wave is at a breakpoint; returns whether the run ends there."""
Attach: TypeAlias = "Callable[[RunningMachine], None]"
"""Called with a machine before its first instruction."""


@frozen
class StopPosition:
    """A wave that could not continue."""

    reason: str
    """amd-dbgapi's, or NOT_SIMULATED."""
    text: str
    wave: int
    target_id: str
    lanes: tuple[int, ...]
    """At fault, or in which the wave is at a breakpoint whose condition holds."""
    pc: int
    instruction: str | None
    source: SourceLine | None
    is_inserted: bool = False
    """A breakpoint of the user, not one of the program."""
    barrier: tuple[BarrierPosition, ...] = ()
    """Where waves are, if this one waits at a barrier that not all waves reach."""


@frozen
class Ending:
    """How waves ended, or where one of them stopped."""

    waves: int
    """The number of waves that have run."""
    instructions: int
    stop: StopPosition | None
    """None where all waves have ended."""


@frozen
class Result:
    """What became of a dispatch that ran."""

    machine: RunningMachine
    outputs: Mapping[str, Npy]
    """The memory that arguments point to, as arrays, by their names."""
    stop: StopPosition | None
    """None where all waves have ended."""
    texts: Mapping[str, str] = field(factory=dict)
    """Results of type `char` that are printable text, up to the first zero byte."""
    launches: tuple[Launched, ...] = ()
    """The dispatches that have run, the one of the machine last."""
    instructions: tuple[int, ...] = ()
    """How many instructions each of them has executed."""
    bfloats: frozenset[str] = frozenset()
    """The outputs that are the bits of bfloat16 numbers, a type that NumPy does not have."""
    order_notes: tuple[str, ...] = ()
    """Where dispatches have shown that their results may depend on the order of waves."""

    @property
    def ending(self) -> Ending:
        """How the last dispatch ended."""
        return Ending(len(self.machine.waves), self.machine.instructions, self.stop)


def run_kernel(
    code_object: CodeObject,
    launched: Launched,
    seed: int = 0,
    breakpoints: frozenset[int] = frozenset(),
    at_breakpoint: AtBreakpoint | None = None,
    attach: Attach | None = None,
    progress: Callable[[int], None] | None = None,
    *,
    tracks_writes: bool = False,
    earlier: Result | None = None,
    global_memory: GlobalMemory | None = None,
    executor: Executor = "lockstep",
) -> Result:
    """Run a dispatch to its end, to the first wave that cannot continue, or to a breakpoint where
    it is to end: that for which `at_breakpoint` returns lanes and not None, else the first.

    `attach` adds observers; `progress` is called with the number of executed instructions.
    `tracks_writes`: a stop shows what is undefined. `earlier` is the run of another dispatch of
    the code object, whose memory this one has; `global_memory`: memory that other waves have
    left, which may be known in parts only. `executor` is the most that is used where nothing needs
    less.

    `UsageError` for a buffer without contents, `Unsupported` for modes that are not simulated and
    without NumPy.
    """
    global_memory = global_memory if earlier is None else earlier.machine.global_memory
    is_partial = global_memory is not None and global_memory.is_partial
    machine = _started(
        launched,
        code_object.loaded_segments(),
        seed,
        tracks_writes=tracks_writes or is_partial,
        earlier=global_memory,
        executor=executor,
        progress=progress,
        keeps_ended=False,
        limits=code_object.file.limits,
    )
    if is_partial:
        from dwarfgpu.machine.simulated.unknown.unknown_contents import UnknownContents

        machine.observe(UnknownContents(machine))
    if attach is not None:
        attach(machine)
    stopped = machine.run(breakpoints=breakpoints)
    while stopped is not None and stopped.is_inserted and at_breakpoint is not None:
        lanes = at_breakpoint(machine, stopped.wave)
        if lanes is not None:
            stopped = evolve(stopped, lanes=lanes)
            break
        stopped.wave.reported_pc = stopped.wave.pc
        stopped = machine.run(breakpoints=breakpoints)
    launches = (*(() if earlier is None else earlier.launches), launched)
    outputs, texts = {}, {}
    bfloats: set[str] = set()
    for name, buffer in named_buffers(launches).items():
        allocation = machine.global_memory.at(buffer.address)
        assert allocation is not None
        data = allocation.data[: allocation.end - allocation.start].tobytes()
        outputs[name] = _array(data, buffer)
        if text := _text(data, buffer.parameter):
            texts[name] = text
        if outputs[name].item_bytes == 2 and buffer.parameter.declared.item_form is BFLOAT16:
            bfloats.add(name)
    stop = None
    if stopped is not None:
        if not stopped.is_inserted:
            stopped.wave.stop_reason = stopped.reason
        stopped.wave.stop_lanes = tuple(sorted(stopped.lanes))
        instruction = machine.program.instruction_at(stopped.wave.stop_pc)
        stop = stop_of_run(stopped, launched.machine.target_id, [code_object], instruction)
    counts = (*(() if earlier is None else earlier.instructions), machine.instructions)
    notes = () if earlier is None else earlier.order_notes
    if machine.unordered is not None and stop is None:  # else what was seen may not have happened
        from dwarfgpu.service.run.order_of_waves import order_note  # most kernels need none

        notes = (*notes, order_note(machine.unordered, code_object))
    return Result(machine, outputs, stop, texts, launches, counts, frozenset(bfloats), notes)


def buffers_not_made(launches: Sequence[Launched], result: Result) -> list[str]:
    """Return the names of the buffers of dispatches that did not run, because an earlier one
    stopped."""
    return [name for name in named_buffers(launches) if name not in result.outputs]


def able_to_run(
    launched: Launched, state: StateTarget, code_objects: Sequence[CodeObject]
) -> SimulatedTarget:
    """Return the state before the first instruction of a dispatch, with the power to run."""

    def begin() -> RunningMachine:
        segments, limits = _loaded_segments(code_objects), code_objects[0].file.limits
        return _started(launched, segments, 0, tracks_writes=True, limits=limits)

    def adopt(edited: StateTarget) -> RunningMachine:
        machine = begin()
        from dwarfgpu.machine.simulated.launch.machine_of_state import take_over  # it imports NumPy

        take_over(machine, edited)
        return machine

    return SimulatedTarget(state, begin, adopt, launched.request.fill)


def machine_of_state(
    state: StateTarget,
    code_objects: Sequence[CodeObject],
    seed: int = 0,
    fill: int | None = None,
    most_bytes: int = DEFAULT_FILE_LIMITS.state_bytes,
) -> RunningMachine:
    """Return the waves of a state as a machine that runs.

    `fill`: the byte of what the state leaves out; None: what needs it stops its wave, unless the
    state says that nothing has written it. `most_bytes`: the most memory of the machine.
    Errors as of `dwarfgpu.machine.simulated.launch.machine_of_state.machine_of_state`;
    `Unsupported` without NumPy.
    """
    require_numpy()
    from dwarfgpu.machine.simulated.launch.machine_of_state import machine_of_state

    segments, kernargs = _loaded_segments(code_objects), _kernarg_segments(state, code_objects)
    return machine_of_state(state, segments, seed, fill, kernargs=kernargs, most_bytes=most_bytes)


def _kernarg_segments(state: StateTarget, code_objects: Sequence[CodeObject]) -> dict[int, int]:
    """Return the addresses and sizes of the kernarg segments of dispatches, as far as their kernels
    are known."""
    out: dict[int, int] = {}
    for dispatch in state.machine.dispatches.values():
        for code_object in code_objects if dispatch.kernarg else ():
            if dispatch.kernel_descriptor is None:
                continue
            address = dispatch.kernel_descriptor - code_object.load_address
            with suppress(DwarfGpuError):  # then the state alone says what is there
                kernel = kernel_at(code_object, address)
                size = 0 if kernel is None else kernel.kernarg_bytes or 0
                if dispatch.kernarg and 0 < size <= MAX_BYTES:
                    out[dispatch.kernarg] = -(-size // KERNARG_ALIGNMENT) * KERNARG_ALIGNMENT
    return out


def machines_of_core(
    states: Sequence[StateTarget],
    code_objects: Sequence[CodeObject],
    seed: int,
    fill: int | None,
    memory: CoreMemory,
    most_bytes: int = DEFAULT_FILE_LIMITS.state_bytes,
) -> list[RunningMachine]:
    """Return the states of one process as running machines; global memory is read when it is
    accessed."""
    require_numpy()
    from dwarfgpu.machine.core.gpu.lazy_memory import CoreSource
    from dwarfgpu.machine.simulated.launch.machine_of_state import machines_of_process

    return machines_of_process(
        states,
        _loaded_segments(code_objects),
        seed,
        fill,
        CoreSource(memory),
        most_bytes=most_bytes,
    )


def _loaded_segments(code_objects: Sequence[CodeObject]) -> list[LoadedSegment]:
    return [segment for code_object in code_objects for segment in code_object.loaded_segments()]


def _started(
    launched: Launched,
    segments: Iterable[LoadedSegment],
    seed: int,
    *,
    tracks_writes: bool = False,
    earlier: GlobalMemory | None = None,
    executor: Executor = "lockstep",
    progress: Callable[[int], None] | None = None,
    keeps_ended: bool = True,
    limits: FileLimits,
) -> RunningMachine:
    require_numpy()
    from dwarfgpu.machine.simulated.launch.machine_of_dispatch import machine_of_dispatch

    return machine_of_dispatch(
        launched,
        segments,
        seed,
        tracks_writes=tracks_writes,
        earlier=earlier,
        executor=executor,
        progress=progress,
        keeps_ended=keeps_ended,
        most_bytes=limits.state_bytes,
    )


def why_not_simulated(instruction: Instruction) -> str | None:
    """Return the part of an instruction that is not simulated; None if all is. `Unsupported`
    without NumPy."""
    require_numpy()
    from dwarfgpu.machine.simulated.semantics import compiled_instructions

    return compiled_instructions.why_not_simulated(instruction)


def require_numpy() -> None:
    """Raise `Unsupported` where NumPy is missing or cannot be loaded."""
    try:
        import dwarfgpu.machine.simulated.storage.wave_registers  # noqa: F401 - the first that needs it
    except ImportError as error:
        from dwarfgpu.base.optional_packages import install_command, python_command

        if error.name == "numpy":
            raise Unsupported(f"running kernels needs NumPy: {install_command('numpy')}") from None
        if sys.modules.get("numpy"):  # the mistake is our own
            raise
        message = "running kernels needs NumPy, which cannot be loaded"
        raise Unsupported(f"{message}: {python_command()} -c 'import numpy' shows why") from error


def _array(data: bytes, buffer: NamedBuffer) -> Npy:
    """Return memory as the numbers that the pointer points to, vectors of them in rows; without a
    declaration as the array that the user gave; else as bytes. An array of these numbers that the
    user gave keeps its shape."""
    declared, kind = buffer.parameter.declared, buffer.buffer.numpy
    lanes = declared.item_lanes
    if declared.item is None and kind in NUMBER_CODES:
        return Npy(kind, buffer.buffer.shape or (1,), data)
    if declared.item is None and buffer.buffer.fields and kind is not None:
        return Npy(kind, buffer.buffer.shape or (1,), data, buffer.buffer.fields)
    if declared.item_fields and declared.item_bytes and not len(data) % declared.item_bytes:
        count = len(data) // declared.item_bytes
        return Npy(structure(declared.item_fields), (count,), data, declared.item_fields)
    kind = declared.item_numpy
    if kind is None or len(data) % (int(kind[2:]) * lanes):
        kind, lanes = "|u1", 1
    count = len(data) // (int(kind[2:]) * lanes)
    shape: tuple[int, ...] = (count,) if lanes == 1 else (count, lanes)
    of_file = buffer.buffer.shape
    is_same = buffer.buffer.numpy == kind and math.prod(of_file) == math.prod(shape)
    if is_same and of_file and (lanes == 1 or of_file[-1] == lanes):
        shape = of_file
    return Npy(kind, shape, data)


def _text(data: bytes, parameter: Parameter) -> str:
    """Return what a pointer to `char` points to, if it is printable ASCII; else nothing."""
    integers = parameter.declared.item_integers
    if integers is None or integers.name != "char" or parameter.declared.item_lanes > 1:
        return ""
    return printable_text(data.partition(b"\0")[0]) or ""


def printable_text(data: bytes) -> str | None:
    """Return printable ASCII in lines as text; None for anything else."""
    text = data.decode("latin-1")
    return text if text.isascii() and text.replace("\n", "").isprintable() else None


def stop_of_run(
    stopped: Stopped,
    target_id: Callable[[WaveId, int | None], str],
    code_objects: Sequence[CodeObject],
    instruction: Instruction | None,
) -> StopPosition:
    """Return where a wave has stopped, and why. `instruction`: the next one of the wave."""
    wave = stopped.wave
    return StopPosition(
        stopped.reason.value,
        stopped.text,
        wave.wave.id,
        target_id(wave.wave.id, stopped.lanes[0] if stopped.lanes else None),
        stopped.lanes,
        wave.stop_pc,
        None if instruction is None else instruction.text.strip(),
        source_of(code_objects, wave.stop_pc),
        stopped.is_inserted,
        barrier_positions(stopped.barriers, code_objects),
    )


def buffer_names(launches: Sequence[Launched], names: Iterable[str]) -> list[str]:
    """Return the names of buffers of some dispatches, which may be given by the numbers of their
    arguments; `UsageError` for a name that none of them has."""
    buffers = named_buffers(launches)
    out = [name_of_buffer(buffers, name) for name in names]
    for name in out:
        if name not in buffers:
            known_names = ", ".join(buffers) or "none"
            raise UsageError(f"--out {name}: no buffer was created for it; buffers: {known_names}")
    return out
