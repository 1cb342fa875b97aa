"""Every kernel of the fixtures on paper: ids and arguments of every lane of every wave, against a
little model that reads the bytes of the kernel descriptor itself (AMDGPU usage, "Kernel
Descriptor", "Initial Kernel Execution State").
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.objfile.metadata import Argument, KernelMetadata
from tests.cli.command import FIXTURES, run, run_json

GROUPS = ((26, 3, 2), (10, 3, 2))
"""Workgroups whose last wave is not full; the smaller one for kernels that allow 64 work-items."""
USER = ((0, 4), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 1))
"""Bit of KERNEL_CODE_PROPERTIES and SGPRs, in the order in which they are set up."""
DISPATCH, KERNARG = 1, 3
FILES = sorted(
    path for folder in ("hip", "opencl", "asm") for path in (FIXTURES / folder).glob("*.co")
)


@frozen
class Model:
    """What the bytes of a descriptor say."""

    users: dict[int, int]
    """First SGPR of each user SGPR field, by its bit."""
    ids: dict[int, int]
    """SGPR with the workgroup's id, by axis."""
    dimensions: int
    """Of work-item ids."""
    lanes: int
    is_packed: bool


def kernels(file: Path) -> list[KernelMetadata]:
    code = read_gpu_code(CodeObject.open(file).file)
    return [kernel.metadata for kernel in code.kernels if kernel.metadata is not None]


def model(state: State, file: Path) -> Model:
    address = state.machine.dispatches[1].kernel_descriptor
    assert address is not None
    opened = CodeObject.open(file, state.code_objects[0].load_address)
    [segment] = [
        e for e in opened.loaded_segments() if e.address <= address < e.address + e.size_bytes
    ]
    rsrc2, properties = struct.unpack("<IH", segment.read(address - segment.address + 52, 6))
    target = state.architecture.name
    users: dict[int, int] = {}
    number = 0
    for bit, count in USER:
        if properties >> bit & 1:
            users[bit] = number
            number += count
    ids: dict[int, int] = {}
    number = rsrc2 >> 1 & 0x1F
    for axis in range(3) if target < "gfx12" or target > "gfx13" else ():
        if rsrc2 >> 7 + axis & 1:
            ids[axis] = number
            number += 1
    return Model(
        users,
        ids,
        (rsrc2 >> 11 & 3) + 1,
        32 if properties >> 10 & 1 else 64,
        target in ("gfx90a", "gfx942") or target.startswith(("gfx11", "gfx12")),
    )


def given(arguments: tuple[Argument, ...], folder: Path) -> Iterator[tuple[Argument, str, bytes]]:
    """For each argument what the option says, and the bytes that a kernel then reads."""
    (folder / "buffer").write_bytes(bytes(range(200, 232)))
    for number, wave in enumerate(argument for argument in arguments if not argument.is_hidden):
        if wave.value_kind == "global_buffer":
            yield wave, f"@{folder / 'buffer'}", bytes(range(200, 232))
        elif wave.value_kind == "dynamic_shared_pointer":
            yield wave, "lds:264", bytes(4)  # the kernel has no LDS of its own
        else:
            data = bytes((17 * number + n) % 251 for n in range(wave.size_bytes))
            yield wave, f"bytes:{data.hex()}", data


def scalar(state: State, wave: int, name: str, size_bytes: int = 4) -> int:
    register = state.architecture.register_named(name)
    assert register is not None
    return int.from_bytes(state.target.read_register(wave, register, 0, size_bytes), "little")


def check(
    state: State, file: Path, group: tuple[int, int, int], wanted: list[tuple[Argument, str, bytes]]
) -> None:
    text = model(state, file)
    items = group[0] * group[1] * group[2]
    assert state.architecture.lane_count == text.lanes
    groups = list(product(range(2), range(1), range(2)))  # z, y, x: x varies fastest
    waves_in_group = -(-items // text.lanes)
    assert len(state.waves) == len(groups) * waves_in_group
    default = Memory(state.architecture.address_space(0))
    vectors = [state.architecture.register_named(f"v{axis}") for axis in range(3)]
    for index, item in enumerate(state.waves):
        wave, position = item.wave, groups[index // waves_in_group][::-1]
        first = index % waves_in_group * text.lanes
        count = min(text.lanes, items - first)
        assert scalar(state, wave, "exec", text.lanes // 8) == (1 << count) - 1
        for axis, number in text.ids.items():
            assert scalar(state, wave, f"s{number}") == position[axis]
        if not text.ids:
            assert scalar(state, wave, "ttmp9") == position[0]
        for lane in range(count):
            x, y, z = (
                (first + lane) % group[0],
                (first + lane) // group[0] % group[1],
                (first + lane) // group[0] // group[1],
            )
            result = [
                int.from_bytes(state.target.read_register(wave, vector, 4 * lane, 4), "little")
                for vector in vectors[: 1 if text.is_packed else text.dimensions]
                if vector is not None
            ]
            ids = (x, y, z)[: text.dimensions]
            packed = [sum(part << 10 * axis for axis, part in enumerate(ids))]
            assert result == (packed if text.is_packed else list(ids))
        if count < text.lanes:
            assert vectors[0] is not None
            with pytest.raises(Unavailable):
                state.target.read_register(wave, vectors[0], 4 * count, 4)
        if KERNARG in text.users:
            low = text.users[KERNARG]
            kernarg = scalar(state, wave, f"s{low}") | scalar(state, wave, f"s{low + 1}") << 32
            for argument, _, data in wanted:
                at, size = kernarg + argument.offset_bytes, argument.size_bytes
                contents = state.target.read_memory(default, at, size)
                if argument.value_kind == "global_buffer":
                    pointer = int.from_bytes(contents, "little")
                    contents = state.target.read_memory(default, pointer, len(data))
                assert contents == data, argument
        if DISPATCH in text.users:
            low = text.users[DISPATCH]
            packet = scalar(state, wave, f"s{low}") | scalar(state, wave, f"s{low + 1}") << 32
            sizes = struct.unpack("<3HH3I", state.target.read_memory(default, packet + 4, 20))
            assert (sizes[:3], sizes[4:]) == (group, (2 * group[0], group[1], 2 * group[2]))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_kernel(tmp_path: Path, file: Path) -> None:
    for kernel in kernels(file):
        items = list(given(kernel.arguments, tmp_path))
        group = GROUPS[(kernel.max_flat_workgroup_size or 0) < 156]
        group = kernel.required_workgroup_size or group
        options = [
            word for n, (_, text, _) in enumerate(items) for word in ("--arg", f"{n}={text}")
        ]
        done = run(
            "dispatch", file, kernel.name, "--grid", f"{2 * group[0]},{group[1]},{2 * group[2]}",
            "--workgroup", ",".join(map(str, group)), *options, "--save", tmp_path / "state.json",
        )  # fmt: skip
        assert done.status == 0, done.err
        check(load_state(tmp_path / "state.json"), file, group, items)


SHOWN = [
    # file, kernel, SGPR of the kernarg pointer, of the workgroup's id, where x of the work-item is
    ("hip/nest.gfx90a.O2.v5.co", "nest", 4, 6, "$v0[$_lane] & 1023"),
    ("hip/nest.gfx942.O0.v5.co", "nest", 2, 6, "$v0[$_lane] & 1023"),
    ("hip/nest.gfx1100.O2.v4.co", "nest", 0, 15, "$v0[$_lane] & 1023"),
    ("opencl/kernels.gfx942.O2.v5.co", "diverge", 0, 2, "$v0[$_lane] & 1023"),
    ("opencl/kernels.gfx1100.O0.v4.co", "loop", 2, 13, "$v0[$_lane] & 1023"),
]


@pytest.mark.parametrize(("file", "kernel", "pointer", "group", "item"), SHOWN)
def test_at_the_command_line(
    tmp_path: Path, file: str, kernel: str, pointer: int, group: int, item: str
) -> None:
    """As a person does it: `lanes --wave all` with expressions of the source language."""
    (tmp_path / "in").write_bytes(struct.pack("<4i", 41, -42, 43, 44))
    names = [f"--arg={wave}" for wave in (f"0=@{tmp_path / 'in'}", "1=buffer:256", "2=-77")]
    state = tmp_path / "state.json"
    done = run("dispatch", FIXTURES / file, kernel, "--grid", 80, "--workgroup", 40, *names,
               "--save", state)  # fmt: skip
    assert done.status == 0, done.err
    segment = f"((unsigned long)(unsigned int)$s{pointer + 1} << 32 | (unsigned int)$s{pointer})"
    asked = (f"*(int *)({segment} + 16)", f"(*(int **){segment})[1]", f"$s{group}", item)
    json = run_json("lanes", "--state", state, "--wave", "all", *asked).json
    seen = []
    for wave in json["waves"]:
        for lane in wave["lanes"]:
            if lane["state"] == "A":
                seen.append(tuple(value["text"] for value in lane["values"]))
    assert seen == [("-77", "-42", str(number // 40), str(number % 40)) for number in range(80)]
