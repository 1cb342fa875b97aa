"""`dwarfgpu dispatch` and states of version 2 with changed bytes: one clear error, or an answer."""

from __future__ import annotations

import json
import random
import re
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dwarfgpu.base import json_reader
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.simulated.launch import save_dispatch
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.gpu_code import read_gpu_code
from tests.cli.command import FIXTURES, STATES, run

FILE = FIXTURES / "hip/nest.gfx942.O0.v5.co"
NEST = ("--grid", 128, "--workgroup", 64, "--arg", "0=zeros:64", "--arg", "1=1", "--arg", "2=2")
SEED = 20261120


def places() -> list[range]:
    """Where the descriptor and the metadata are in the file."""
    file = open_object(FILE)
    [kernel] = read_gpu_code(file).kernels
    data = FILE.read_bytes()
    assert kernel.address is not None
    note = data.index(b"amdhsa.kernels")
    return [range(kernel.address, kernel.address + 64), range(note, note + 0x5C0)]


@pytest.mark.parametrize("number", range(120))
def test_changed_bytes(tmp_path: Path, number: int) -> None:
    source = random.Random(SEED + number)
    data = bytearray(FILE.read_bytes())
    where = places()[number % 2]
    for _ in range(source.choice((1, 1, 3, 20))):
        data[source.choice(where)] = source.choice((0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)))
    path = tmp_path / "changed.co"
    path.write_bytes(data)
    done = run("dispatch", path, "nest", *NEST, "--save", tmp_path / "s.json")
    assert done.status in (0, 1, 2), f"seed {SEED + number}"
    if done.status == 0:
        assert load_state(tmp_path / "s.json").waves
    else:
        assert done.error.count("\n") == 0 and len(done.error) < 2000


def mutated(source: random.Random, value: Any) -> Any:
    """The document with one thing changed somewhere."""
    odd = (None, -1, 1 << 70, "", "x", [], {}, True, 1.5, "0x10", ["x"], {"npy": "x"})
    if isinstance(value, dict) and value and source.random() < 0.9:
        key = source.choice(list(value))
        if source.random() < 0.1:
            return {name: wave for name, wave in value.items() if name != key}
        return {**value, key: mutated(source, value[key])}
    if isinstance(value, list) and value and source.random() < 0.9:
        at = source.randrange(len(value))
        return [*value[:at], mutated(source, value[at]), *value[at + 1 :]]
    return source.choice(odd)


@pytest.mark.parametrize("number", range(200))
def test_changed_states(tmp_path: Path, number: int) -> None:
    source = random.Random(SEED + number)
    document = json.loads((STATES / "dispatch.gfx1100.json").read_text("utf-8"))
    for item in STATES.glob("dispatch.gfx1100.*.npy"):
        (tmp_path / item.name).write_bytes(item.read_bytes())
    path = tmp_path / "s.json"
    path.write_text(json.dumps(mutated(source, document)), "utf-8")
    try:
        state = load_state(path)
    except DwarfGpuError as error:
        assert str(error).startswith(str(path)), f"seed {SEED + number}"
        return
    for wave in state.waves:
        state.target.target_id(wave.wave, 3)


def test_hostile_sizes_in_a_file_allocate_no_memory(tmp_path: Path) -> None:
    data = FILE.read_bytes()
    # the size of the first argument: 8, as a fixed integer
    at = data.index(b".size\x08") + 5
    assert data[at] == 8
    huge = data[:at] + b"\x7f" + data[at + 1 :]
    (tmp_path / "k.co").write_bytes(huge)
    done = run("dispatch", tmp_path / "k.co", *NEST)
    assert done.status in (0, 1, 2)


@pytest.mark.parametrize(
    ("offset", "says"),
    [
        (12, "global_buffer has 8 bytes at 8, and by_value has 4 bytes at 12"),
        (0x7F, "by_value has 4 bytes at 127, and the kernarg segment has 20 bytes"),
    ],
)
@pytest.mark.parametrize("command", ["dispatch", "run"])
def test_arguments_that_share_bytes(tmp_path: Path, command: str, offset: int, says: str) -> None:
    """The bytes of one would change another, or the memory that another points to."""
    data = bytearray((FIXTURES / "hip/nest.gfx942.O2.v5.co").read_bytes())
    at = data.index(b".offset\x10") + 7
    data[at] = offset
    path = tmp_path / "k.co"
    path.write_bytes(data)
    done = run(command, path, *NEST)
    assert (done.status, done.out) == (1, "")
    assert done.error == f"Malformed: the metadata contradict themselves: {says}"


@pytest.mark.parametrize("command", ["dispatch", "run"])
def test_metadata_that_cannot_be_read_is_named(tmp_path: Path, command: str) -> None:
    """They are there: that there are none would be wrong."""
    data, path = bytearray(FILE.read_bytes()), tmp_path / "k.co"
    at = data.index(b".args") + 5
    data[at : at + 3] = b"\xdc\xff\xff"  # an array of 65,535 elements
    path.write_bytes(data)
    why = f"the metadata cannot be used: Malformed: {path}: metadata: 65535 elements in "
    done = run(command, path, *NEST)
    assert done.status == 2
    assert done.error.startswith(f"--arg: the arguments of nest are not known: {why}")
    if command == "dispatch":
        done = run(command, path, *NEST[:4])
        assert done.status == 0
        assert done.notes[0].startswith(why)


def test_no_saved_state_replaces_an_input(tmp_path: Path) -> None:
    code, array, state = tmp_path / "k.co", tmp_path / "in.npy", tmp_path / "s.json"
    code.write_bytes(FILE.read_bytes())
    np.save(array, np.arange(16, dtype=np.int32))
    arguments = ("nest", *NEST[:4], "--arg", f"0=@{array}", *NEST[6:], "--save")
    assert run("dispatch", code, *arguments, state).status == 0
    files = {path: path.read_bytes() for path in (code, array, state)}
    for path in (code, array):
        for beside in ((), ("--beside", state)):
            done = run("dispatch", code, *beside, *arguments, path)
            assert (done.status, done.out) == (2, "")
            assert done.error == f"--save: {path} is an input: give another file"
    assert files == {path: path.read_bytes() for path in files}
    assert run("dispatch", code, "--beside", state, *arguments, state).status == 0
    assert state.read_bytes() != files[state]


def test_scratch_beyond_a_limit_allocates_no_memory(tmp_path: Path) -> None:
    """The descriptor says how much a lane has, and the user how many there are."""
    data, path = bytearray(FILE.read_bytes()), tmp_path / "k.co"
    at = places()[0].start + 4  # private_segment_fixed_size
    data[at : at + 4] = (65536).to_bytes(4, "little")
    path.write_bytes(data)
    grid = ("--grid", 1 << 16, *NEST[2:])
    done = run("run", path, "nest", *grid)
    assert done.status == 1
    assert done.error == (
        "LimitExceeded: 1024 waves with 4294967296 bytes of scratch and 0 bytes of LDS: at most "
        "268435456 bytes are simulated (--max-state-bytes)"
    )
    done = run("run", path, "nest", *NEST, "--max-state-bytes", 8388607)
    assert done.error.startswith("LimitExceeded: 2 waves with 8388608 bytes of scratch")


def test_an_argument_has_room_before_its_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bytes are in memory as they were given, and as the kernel changes them."""
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1_000)
    program = (FIXTURES / "opencl/kernels.gfx942.O2.v5.co", "call", "--grid", 64)
    given = ("run", *program, "--workgroup", 64, "--arg", f"out=@{path}", "--max-state-bytes")
    image = 0x1014 + 0xCC0 + 0x240 + 4  # of segments, as readelf -l prints them
    assert run(*given, 3_024 + image).status == 0  # LDS has 1,024 bytes
    refused = run(*given, 3_023)
    message = (
        "buffers of 1000 bytes, as given and as the kernel changes them: 2000 bytes of memory, "
        "more than 1999 (--max-state-bytes)"
    )
    monkeypatch.setattr("dwarfgpu.options.kernel_argument_options.read_array_or_bytes", None)
    done = run(*given, 1_999)
    assert (done.status, message in done.err) == (1, True)
    zeros = ("run", *program, "--workgroup", 64, "--arg", "out=zeros:1000", "--max-state-bytes")
    assert message in run(*zeros, 1_999).err
    assert refused.status == 1
    assert "scratch and LDS: 3024 bytes of memory, more than 3023" in refused.err


@pytest.mark.parametrize("name", ["debug", "run"])
def test_segments_beyond_a_limit_allocate_no_memory(tmp_path: Path, name: str) -> None:
    """Behind what the file has of a segment are zeros; each has less than the limit."""
    data, path = bytearray(FILE.read_bytes()), tmp_path / "k.co"
    headers = struct.unpack_from("<Q", data, 0x20)[0]
    loaded = [at for at in range(headers, headers + 56 * 9, 56) if data[at : at + 4] == b"\1\0\0\0"]
    for number, at in enumerate(loaded[-2:]):
        struct.pack_into("<Q", data, at + 16, (number + 1) << 32)
        struct.pack_into("<Q", data, at + 40, 200 << 20)  # p_memsz
    path.write_bytes(data)
    tracemalloc.start()
    try:
        if name == "run":
            done = run("run", path, "nest", *NEST)
        else:
            done = run("debug", path, "--dispatch", "nest", *NEST, "--batch", "-ex", "stepi")
        assert tracemalloc.get_traced_memory()[1] < 256 << 20
    finally:
        tracemalloc.stop()
    assert done.status == 1
    assert "a segment of a code object at 0x7f0200000000 has 209715200 bytes" in done.err
    assert "bytes of memory, more than 268435456 (--max-state-bytes)" in done.err


def test_the_buffers_of_earlier_dispatches_are_counted() -> None:
    program = FIXTURES / "opencl/kernels.gfx942.O2.v5.co"
    once = ("call", "--grid", 64, "--workgroup", 64, "--arg", "out=zeros:100000")
    limit = ("--max-state-bytes", 350_000)
    assert run("run", program, *once, *limit).status == 0
    done = run("run", program, *once, *limit, "--then", *once)
    assert done.status == 1
    assert "of earlier dispatches" in done.err and "(--max-state-bytes)" in done.err


def test_more_waves_than_the_prompt_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said before anything is written, with as many as there may be."""

    def shown(waves: int) -> Any:
        grid = ("--grid", 64 * waves, *NEST[2:])
        return run("debug", FILE, "--dispatch", "nest", *grid, "--batch", "-ex", "info threads")

    monkeypatch.setattr(json_reader, "MAX_VALUES", 1200)
    monkeypatch.setattr(save_dispatch, "MAX_VALUES", 1200)
    monkeypatch.setattr(save_dispatch, "_OTHER_VALUES", 100)
    done = shown(1000)
    match = re.fullmatch(
        "LimitExceeded: --dispatch: 1000 waves: the prompt shows at most ([0-9]+) of this kernel; "
        "give a smaller --grid, or execute all of them with `run`, whose --break and --print show "
        "waves",
        done.error,
    )
    assert match is not None and done.status == 1
    most = int(match[1])
    assert shown(most).status == 0
    assert f"{most + 1} waves: the prompt shows at most {most} of" in shown(most + 1).error
