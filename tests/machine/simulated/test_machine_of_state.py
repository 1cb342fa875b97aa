"""A machine goes on from a state: in the middle of a kernel, with the same result."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.json_reader import Json
from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.machine.code_object_memory import LoadedSegment
from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.launch.machine_of_state import (
    machine_of_state,
    set_known,
    write_known,
)
from dwarfgpu.machine.simulated.launch.save_dispatch import saved
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory
from dwarfgpu.machine.simulated.storage.scalar_slots import FLAT_SCRATCH
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.unknown.unknown_contents import UnknownContents
from dwarfgpu.machine.sparse_memory import SparseMemory
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.register_bytes import RegisterBytes
from dwarfgpu.machine.state.state_document import LoadedFile
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.state.write import write
from dwarfgpu.machine.topology import StopReason
from dwarfgpu.options.opened_launch import Prepared
from dwarfgpu.service.run.state_of_run import state_of_run
from tests.cli.command import FIXTURES
from tests.machine.simulated import vectors
from tests.machine.simulated.kernels import KERNELS, Kernel
from tests.machine.simulated.test_kernels import begun, prepared
from tests.work import assert_linear, calls_of

NAMES = ("nest", "reduce", "histogram", "recursion", "through_pointer", "stack_array", "matmul")
COMPUTES_WITH_UNDEFINED = ("stack_array", "gfx942.O0"), ("stack_array", "gfx90a.O0")
"""A mask of lanes before the first iteration of a loop: what is undefined of it does not matter."""


def middle(kernel: Kernel, built: str, folder: Path, part: float) -> tuple[StateTarget, Path]:
    """The state after a part of the instructions of a kernel."""
    path = FIXTURES / "run" / f"{kernel.file}.{built}.v5.co"
    whole, _ = begun(path, kernel, folder)
    assert whole.run() is None
    machine, _ = begun(path, kernel, folder, tracks_writes=True)
    assert machine.run(most=int(whole.instructions * part)) is None
    target, _ = state_of_run(prepared(path, kernel, folder).launched, machine)
    return target, path


def require_result(machine: RunningMachine, made: Prepared, kernel: Kernel) -> None:
    """Run to the end, and compare the third buffer with the reference."""
    stopped = machine.run()
    assert stopped is None, stopped and (stopped.text, hex(stopped.wave.pc))
    expected = kernel.wanted()
    address = made.launched.kernarg.buffers[2][0]
    values = np.frombuffer(machine.global_memory.read(address, expected.nbytes), expected.dtype)
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize(
    ("name", "built"),
    [
        (name, built)
        for number, name in enumerate(NAMES)
        for at, built in enumerate(("gfx942.O0", "gfx1100.O2", "gfx90a.O0"))
        if (number + at) % 3  # two of three for each
    ],
)
def test_the_result_is_the_same(name: str, built: str, tmp_path: Path) -> None:
    """Two waves and their barriers, LDS, private memory and calls are what they were."""
    kernel = KERNELS[name]
    fill = 0x5A if (name, built) in COMPUTES_WITH_UNDEFINED else None
    state, path = middle(kernel, built, tmp_path, 0.3 if built == "gfx942.O0" else 0.7)
    made = prepared(path, kernel, tmp_path)
    machine = machine_of_state(state, made.code_object.loaded_segments(), fill=fill)
    machine.observe(*[] if fill else [UnknownContents(machine)])
    require_result(machine, made, kernel)


def require_result_of_saved(path: Path, kernel: Kernel, folder: Path) -> None:
    """Require the result of a dispatch that was saved and goes on with what the state knows."""
    made, state = prepared(path, kernel, folder), folder / "state.json"
    write(saved(made.launched, state, LoadedFile(path, made.launched.request.load_address)), state)
    machine = machine_of_state(load_state(state).target, made.code_object.loaded_segments())
    machine.observe(UnknownContents(machine))
    require_result(machine, made, kernel)


@pytest.mark.parametrize("name", ["nest", "recursion"])
def test_a_saved_dispatch_has_the_resource_of_its_scratch(name: str, tmp_path: Path) -> None:
    """Code of gfx90a at -O0 reaches private memory by s[0:3]."""
    kernel, path = KERNELS[name], FIXTURES / "run/integers.gfx90a.O0.v5.co"
    require_result_of_saved(path, kernel, tmp_path)


def test_a_flat_atomic_needs_no_flat_scratch(tmp_path: Path) -> None:
    """The apertures say where private memory is."""
    kernel, path = KERNELS["histogram"], FIXTURES / "run/integers.gfx1200.O0.v5.co"
    require_result_of_saved(path, kernel, tmp_path)


@pytest.mark.parametrize(
    ("name", "built"),
    [("stack_array", "gfx90a.O2"), ("stack_array", "gfx942.O2"), ("mandelbrot", "gfx942.O2")],
)
def test_a_saved_dispatch_computes_with_parts(name: str, built: str, tmp_path: Path) -> None:
    """Compilers add 32 bits by v_mad_u64_u32 with a high dword that nothing wrote, one number by
    v_pk_add_f32 beside another that nothing wrote."""
    kernel = KERNELS[name]
    path = FIXTURES / "run" / f"{kernel.file}.{built}.v5.co"
    require_result_of_saved(path, kernel, tmp_path)


FULL = 0xFFFFFFFF
DIVERGENT = FIXTURES / "states/divergent.gfx942.json"


def test_what_is_not_known_stops_the_wave() -> None:
    """A state for looking at it has no pc of all waves, no MODE."""
    state = load_state(DIVERGENT).target
    with pytest.raises(UsageError, match=r"wave \d+ cannot continue: its \w+ is not known; set \$"):
        machine_of_state(state, unread())


def unread() -> Iterator[LoadedSegment]:
    """Code objects that must not be copied: it takes seconds where they are large."""
    raise AssertionError
    yield


def with_register(name: str, data: str, known: str, built: str, folder: Path) -> SimulatedWave:
    """A wave that has nothing yet but these bits of a register."""
    state, path = middle(KERNELS["nest"], built, folder, 0.5)
    architecture = state.architecture
    registers = (*architecture.registers.values(), *architecture.other_registers)
    [register] = [item for item in registers if item.name == name]
    machine, _ = begun(path, KERNELS["nest"], folder, tracks_writes=True)
    stored = RegisterBytes(bytes.fromhex(data), bytes.fromhex(known))
    set_known(machine.waves[0], register, stored)
    return machine.waves[0]


@pytest.mark.parametrize(
    ("register", "data", "known", "built", "words"),
    [
        ("status", "00000000", "fe000000", "gfx90a.O0", {}),
        ("status", "01000000", "01000000", "gfx90a.O0", {"scc": (1, 1)}),
        ("flat_scratch", "3412000000000000", "ffff000000000000", "gfx90a.O0",
         {FLAT_SCRATCH: (0x1234, 0xFFFF), FLAT_SCRATCH + 1: (0, 0)}),
        ("flat_scratch", "3412000078560000", "ffffffffffffffff", "gfx90a.O0",
         {FLAT_SCRATCH: (0x1234, FULL), FLAT_SCRATCH + 1: (0x5678, FULL)}),
        ("vcc", "0000000078000000", "00000000ff000000", "gfx90a.O0",
         {"vcc": (0x78 << 32, 0xFF << 32)}),
        ("vcc_hi", "12000000", "ff000000", "gfx1100.O2", {"vcc": (0x12 << 32, 0xFF << 32)}),
        ("vcc", "12000000", "ff000000", "gfx1100.O2", {"vcc": (0x12, 0xFF)}),
        ("m0", "12000000", "ff000000", "gfx1100.O2", {124: (0x12, 0xFF)}),
        ("s40", "05000080", "0f000080", "gfx1100.O2", {40: (0x80000005, 0x8000000F)}),
    ],
)  # fmt: skip
def test_bits_that_a_state_leaves_out_are_undefined(
    register: str,
    data: str,
    known: str,
    built: str,
    words: dict[int | str, tuple[int, int]],
    tmp_path: Path,
) -> None:
    wave = with_register(register, data, known, built, tmp_path)
    if not words:
        assert known_bits(wave.scc) == 0
    masks = {"scc": 1, "vcc": FULL << 32 | FULL}
    for name, (value, bits) in words.items():
        number = wave.s[name] if isinstance(name, int) else getattr(wave, name)
        assert number & bits == value
        assert known_bits(number) & masks.get(str(name), FULL) == bits


def test_what_a_state_leaves_out_of_a_register_keeps_its_byte() -> None:
    """The wave goes on as it was in the run: nothing had written the other lanes."""
    machine = vectors.machine(b"", 32, tracks_writes=True)
    [wave] = machine.waves
    wave.v[5][:], wave.s[7] = 0xFDFDFDFD, Undefined(0xFDFDFDFD)
    wave.written[5] = 0
    for name, data, known in (
        ("v5", bytes(4) + b"\1\2\0\0" + bytes(120), b"\xff" * 6 + bytes(122)),
        ("s7", b"\1\2\0\0", b"\xff\xff\0\0"),
    ):
        register = architecture("gfx1100", 32).register_named(name)
        assert register is not None
        set_known(wave, register, RegisterBytes(data, known))
    assert wave.v[5].tolist() == [0, 0xFDFD0201, *[0xFDFDFDFD] * 30]
    assert wave.s[7] == 0xFDFD0201 and known_bits(wave.s[7]) & 0xFFFFFFFF == 0xFFFF
    assert wave.written[5] & ~2 == 1
    register = architecture("gfx1100", 32).register_named("v5")
    assert register is not None
    set_known(wave, register, RegisterBytes(bytes(128), b"\xff\x0f\0\x80" * 32))
    assert set(wave.known_bits(5).tolist()) == {0x80000FFF}


def test_writable_memory_of_a_code_object_that_the_state_lacks_is_unknown(tmp_path: Path) -> None:
    """The program may have changed what its file has."""
    state, _ = middle(KERNELS["nest"], "gfx942.O0", tmp_path, 0.5)
    segment = LoadedSegment(
        0x10000, 16, True, lambda offset, size: bytes(range(16))[offset : offset + size]
    )
    allocation = machine_of_state(state, [segment]).global_memory.at(0x10000)
    assert allocation is not None and allocation.written is not None
    assert not allocation.written.any()


def resumable(memory: list[Json], folder: Path, /, **members: Json) -> StateTarget:
    """A state of one wave with memory, read from a file."""
    registers = {"pc": 0, "exec": 1, "mode": 0xF0}
    document = {
        "schema": "dwarfgpu-state-2",
        "architecture": "gfx1100",
        "waves": [{"registers": registers, "memory": memory}],
        **members,
    }
    path = folder / "s.json"
    path.write_text(json.dumps(document))
    return load_state(path).target


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        (
            {"space": "local", "address": 65536, "bytes": "00"},
            "its memory at local#0x10000 needs 65537 bytes of LDS: a workgroup of gfx1100 has at "
            "most 65536",
        ),
        (
            {"space": "private_wave", "address": 0x3FFFFFF0, "bytes": "00"},
            "its memory at private_wave#0x3ffffff0 needs 33554432 bytes of scratch a lane: gfx1100 "
            "has at most 262136",
        ),
    ],
)
def test_memory_beyond_what_a_wave_has(memory: Json, message: str, tmp_path: Path) -> None:
    """The first address beyond it, and one that would take a gigabyte."""
    state = resumable([memory], tmp_path)
    with pytest.raises(UsageError) as raised:
        machine_of_state(state, [])
    assert raised.value.message == f"wave 0 cannot continue: {message}"


def zeros(address: int, size_bytes: int, *, is_writable: bool) -> LoadedSegment:
    """A segment without bytes in the file."""
    return LoadedSegment(address, size_bytes, is_writable, lambda _, size: bytes(size))


def test_the_memory_of_all_waves_is_bounded(tmp_path: Path) -> None:
    """With fills, and the writable memory of all code objects."""
    private = {"space": "private_wave", "address": 0, "bytes": "00"}
    fill = {"address": 1 << 40, "size": 1000, "fill": 1}
    state = resumable([private, {**private, "space": "local"}], tmp_path, memory=[fill])
    segments = [zeros(n << 32, 500, is_writable=True) for n in (1, 2)]
    needed = 128 + 1 + 1000 + 2 * 500  # a dword of each lane, LDS, the fill, the segments
    machine_of_state(state, segments, most_bytes=needed)
    with pytest.raises(LimitExceeded, match="of memory, more than 2128") as raised:
        machine_of_state(state, segments, most_bytes=needed - 1)
    assert raised.value.option == "--max-state-bytes"


def test_the_vector_registers_of_all_waves_are_bounded(tmp_path: Path) -> None:
    """A state has one lane of one register, and the machine makes all of the bank; scalar registers
    need no array."""
    registers = {"pc": 0, "exec": 1, "mode": 0xF0, "s0": 1}
    waves = [{"registers": {**registers, "v0": [1]}}] * 3 + [{"registers": registers}] * 5
    state, needed = resumable([], tmp_path, waves=waves), 3 * 256 * 32 * 4
    machine = machine_of_state(state, [], most_bytes=needed)
    assert [wave.has_registers for wave in machine.waves] == [True] * 3 + [False] * 5
    assert not any("accumulators" in vars(wave) for wave in machine.waves)
    with pytest.raises(LimitExceeded, match="registers of wave 2 has 32768 bytes") as raised:
        machine_of_state(state, [], most_bytes=needed - 1)
    assert raised.value.option == "--max-state-bytes"


def test_a_code_object_is_read_when_it_is_accessed(tmp_path: Path) -> None:
    """A process has loaded many, and few of them have code that waves execute."""
    read: list[int] = []

    def contents(offset: int, size: int) -> bytes:
        read.append(size)
        return bytes(range(offset, offset + size))

    segment = LoadedSegment(0x1000, 100, False, contents)
    memory = machine_of_state(resumable([], tmp_path), [segment], most_bytes=100).global_memory
    assert not read
    assert memory.read(0x1001, 3) == b"\1\2\3"
    assert memory.read(0x1063, 1) == b"c"
    assert read == [100]
    memory = machine_of_state(resumable([], tmp_path), [segment], most_bytes=99).global_memory
    with pytest.raises(LimitExceeded, match="--max-state-bytes"):
        memory.read(0x1001, 3)


def test_code_that_the_state_does_not_have_stops_the_wave(tmp_path: Path) -> None:
    state, _ = middle(KERNELS["nest"], "gfx942.O0", tmp_path, 0.5)
    stopped = machine_of_state(state, []).run()
    assert stopped is not None and stopped.reason is StopReason.UNAVAILABLE
    assert stopped.text == f"no code at {stopped.wave.pc:#x}: the state does not have it"


def test_ranges_of_a_state_are_not_compared_with_each_allocation() -> None:
    """Nor are arrays made of those that nothing accesses."""

    def write(count: int) -> Callable[[], object]:
        memory, store = GlobalMemory(), SparseMemory("global memory")
        for number in range(count):
            memory.add("scratch", 64 * number, bytes(4))
            store.add(64 * number + 16, b"\1")
        return lambda: write_known(memory, [store])

    assert_linear(write, 200)
    before = calls_of(write(1_000))
    assert before < 40 * 1_000, before


def test_known_memory_beside_and_in_allocations() -> None:
    memory, store = GlobalMemory(), SparseMemory("global memory")
    for start in (0x20, 0x10, 0x40):
        memory.add("scratch", start, bytes(8))
    store.add(0xC, bytes(range(1, 0x21)))
    write_known(memory, [store])
    assert [(item.name, item.start, item.end) for item in memory.allocations] == [
        ("memory of the state", 0xC, 0x10),
        ("scratch", 0x10, 0x18),
        ("memory of the state", 0x18, 0x20),
        ("scratch", 0x20, 0x28),
        ("memory of the state", 0x28, 0x2C),
        ("scratch", 0x40, 0x48),
    ]
    assert memory.read(0xC, 0x20) == bytes(range(1, 0x21))
