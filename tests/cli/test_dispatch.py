"""`dwarfgpu dispatch` and `waves`: kernels of the fixtures on paper."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.npy import Npy, npy_bytes
from dwarfgpu.base.records import evolve
from dwarfgpu.base.writing import content_name
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.types.types import Base
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.gpu_code import GpuKernel, read_gpu_code
from dwarfgpu.options.numpy_types import integers_of
from dwarfgpu.options.opened_launch import chosen_kernel
from tests.cli.command import FIXTURES, STATES, run, run_json, validator

HIP, CL = FIXTURES / "hip", FIXTURES / "opencl"
NEST = ("--arg", "in=zeros:1024", "--arg", "out=buffer:4096", "--arg", "limit=10")
DIVERGE = ("diverge", "--arg", "in=zeros:256", "--arg", "out=buffer:4096", "--arg", "limit=10")
COMMITTED = STATES / "dispatch.gfx1100.json"
KERNELS = ("gfx90a", "gfx942", "gfx1100")


def dispatch(folder: Path, file: Path, *arguments: object) -> State:
    """The state that a dispatch saves, which follows its schema."""
    path = folder / "saved.json"
    done = run_json("dispatch", file, *arguments, "--save", path)
    assert done.status == 0, done.json
    assert done.json["saved"][0] == str(path)
    validator("state-2").validate(json.loads(path.read_text("utf-8")))
    return load_state(path)


def register(state: State, wave: int, name: str, offset_bytes: int = 0, size_bytes: int = 4) -> int:
    result = state.architecture.register_named(name)
    assert result is not None
    data = state.target.read_register(wave, result, offset_bytes, size_bytes)
    return int.from_bytes(data, "little")


def memory(state: State, address: int, size_bytes: int, space: int = 0, **where: int) -> bytes:
    place = Memory(state.architecture.address_space(space), **where)
    return state.target.read_memory(place, address, size_bytes)


def pointer(state: State, wave: int, first: int) -> int:
    return register(state, wave, f"s{first}") | register(state, wave, f"s{first + 1}") << 32


@pytest.mark.parametrize("target", KERNELS)
@pytest.mark.parametrize("level", ["O0", "O2"])
def test_a_person_reads_arguments_and_ids_of_every_lane(
    tmp_path: Path, target: str, level: str
) -> None:
    """Through the registers alone, as the kernel itself does."""
    file = HIP / f"nest.{target}.{level}.v5.co"
    report = run_json("dispatch", file, "--grid", "256", "--workgroup", "128", *NEST).json
    state = dispatch(tmp_path, file, "--grid", "256", "--workgroup", "128", *NEST)
    lanes = state.architecture.lane_count
    assert len(state.waves) == 256 // lanes
    field = {user_sgpr["field"]: user_sgpr["register"] for user_sgpr in report["user_sgprs"][::-1]}
    for wave in state.waves:
        group = state.machine.workgroup_of(wave.wave)
        assert group is not None and group.position is not None
        kernarg = pointer(state, wave.wave, int(field["kernarg_segment_ptr"][1:]))
        into, out, limit = struct.unpack("<QQi", memory(state, kernarg, 20))
        assert limit == 10
        assert memory(state, into, 1024) == bytes(1024)
        with pytest.raises(Unavailable, match="not in the state"):
            memory(state, out, 4)  # it was never written
        text = state.machine.waves[wave.wave]
        assert text.wave_in_group is not None
        for lane in range(lanes):
            ids = register(state, wave.wave, "v0", 4 * lane)
            assert ids == text.wave_in_group * lanes + lane
            assert state.machine.work_item(wave.wave, lane) == (ids, 0, 0)
        numbers = [int(user_sgpr["register"][1:]) for user_sgpr in report["user_sgprs"]]
        system = f"s{15 if target == 'gfx1100' and level == 'O2' else max(numbers) + 1}"
        if not (target == "gfx1100" and level == "O0"):
            assert register(state, wave.wave, system) == group.position[0]
        assert register(state, wave.wave, "exec", 0, lanes // 8) == (1 << lanes) - 1
        assert wave.pc == report["pc"]


def test_the_packet_is_where_the_dispatch_pointer_points(tmp_path: Path) -> None:
    state = dispatch(
        tmp_path, HIP / "call.gfx90a.O0.v5.co", "call", "--grid", 64, "--workgroup", 64,
        "--arg", "0=buffer:64",
    )  # fmt: skip
    packet = memory(state, pointer(state, 1, 4), 64)  # s[4:5]: behind the V# of the scratch
    text = state.machine.dispatches[1]
    assert struct.unpack_from("<HHHHH", packet) == (0x1402, 1, 64, 1, 1)
    assert struct.unpack_from("<QQ", packet, 32) == (text.kernel_descriptor, text.kernarg)
    assert pointer(state, 1, 6) == text.kernarg
    assert pointer(state, 1, 8) == 0  # the dispatch id
    # s[10:11] is the scratch of the queue, s15 where that of the wave begins
    assert pointer(state, 1, 10) + register(state, 1, "s15") == 0x7D00_0000_0000
    # so is s[0:3], beside SWIZZLE_ENABLE
    assert pointer(state, 1, 0) == 0x7D00_0000_0000 | 1 << 63
    with pytest.raises(Unavailable, match="register s33 of wave 1"):
        register(state, 1, "s33")


def test_scratch_is_one_memory(tmp_path: Path) -> None:
    state = dispatch(
        tmp_path, HIP / "nest.gfx942.O0.v5.co", "--grid", 128, "--workgroup", 64, *NEST
    )
    base = 0x7D00_0000_0000
    bytes_of_wave = -(-152 * 64 // 1024) * 1024
    assert register(state, 2, "flat_scratch", 0, 8) == base + bytes_of_wave
    result = run_json("convert", "private_lane#8", "--to", "global", "--lane", 3,
                     "--state", tmp_path / "saved.json", "--wave", 2).json  # fmt: skip
    assert result["conversions"][0]["address"] == base + bytes_of_wave + 2 * 256 + 12
    with pytest.raises(Unavailable, match="not in the state"):
        memory(state, 8, 4, 5, wave=2, lane=3)  # never written: not zero
    with pytest.raises(Unavailable, match="beyond the 10240 bytes of scratch memory of the wave"):
        memory(state, bytes_of_wave, 4, 6, wave=2)


def test_partial_workgroups(tmp_path: Path) -> None:
    state = dispatch(
        tmp_path, CL / "kernels.gfx1100.O0.v5.co", *DIVERGE, "--grid", "100,3",
        "--workgroup", "48,2",
    )  # fmt: skip
    masks = {wave.wave: register(state, wave.wave, "exec") for wave in state.waves}
    used = {wave: state.machine.used_lanes(wave) for wave in masks}
    assert all(mask == (1 << (used[wave] or 0)) - 1 for wave, mask in masks.items())
    assert sum(count or 0 for count in used.values()) == 300
    sizes = [workgroup.size for workgroup in state.machine.workgroups.values()]
    assert sizes == [(48, 2, 1), (48, 2, 1), (4, 2, 1), (48, 1, 1), (48, 1, 1), (4, 1, 1)]
    with pytest.raises(Unavailable, match="register v0 of wave 12 is not in the state, bytes 16"):
        register(state, 12, "v0", 0, 128)
    ids = register(state, 7, "v0", 4 * 5)  # packed: x 1, y 1
    assert ids == 1 | 1 << 10


def test_lds_ends_where_it_was_allocated(tmp_path: Path) -> None:
    state = dispatch(
        tmp_path, CL / "kernels.gfx942.O2.v5.co", "lds", "--grid", 128, "--workgroup", 64,
        "--arg", "0=buffer:1024",
    )  # fmt: skip
    assert state.machine.workgroups[1].local_bytes == 512  # 256, in granules of 512
    for wave in (1, 2):
        with pytest.raises(Unavailable, match="not in the state"):
            memory(state, 0x1FC, 4, 3, wave=wave)
        with pytest.raises(Unavailable, match="0x200 is beyond the 512 bytes of the workgroup"):
            memory(state, 0x200, 4, 3, wave=wave)


def test_fill_defines_memory_that_was_never_written(tmp_path: Path) -> None:
    """Buffers without contents, scratch and LDS; it is `Unavailable` otherwise."""
    arguments = ("--arg", "in=zeros:16", "--arg", "out=buffer:16", "--arg", "limit=1")
    file = HIP / "nest.gfx942.O0.v5.co"
    geometry = ("--grid", 128, "--workgroup", 128, "--dynamic-lds", 600)
    state = dispatch(tmp_path, file, *geometry, *arguments, "--fill", "0xcc")
    kernarg = state.machine.dispatches[1].kernarg
    assert kernarg is not None
    into, out = struct.unpack("<QQ", memory(state, kernarg, 16))
    assert (memory(state, into, 16), memory(state, out, 16)) == (bytes(16), b"\xcc" * 16)
    for wave in (1, 2):
        assert memory(state, 8, 4, 5, wave=wave, lane=63) == b"\xcc" * 4
        assert memory(state, 1020, 4, 3, wave=wave) == b"\xcc" * 4
        with pytest.raises(Unavailable, match="beyond the 1024 bytes of the workgroup"):
            memory(state, 1024, 4, 3, wave=wave)
    bare = dispatch(tmp_path, file, *geometry, *arguments)
    for place in ((out, 4, 0), (8, 4, 3)):
        with pytest.raises(Unavailable):
            memory(bare, *place, wave=1)
    message = "--fill 256: expected a byte, 0 to 255"
    saved = ("--save", tmp_path / "x.json")
    assert run("dispatch", file, *geometry, *arguments, "--fill", 256, *saved).error == message
    assert "give --save STATE" in run("dispatch", file, *geometry, *arguments, "--fill", 0).error


def test_more_scratch(tmp_path: Path) -> None:
    file, geometry = HIP / "nest.gfx942.O0.v5.co", ("--grid", 64, "--workgroup", 64)
    state = dispatch(tmp_path, file, *geometry, *NEST, "--scratch", 1000)
    text = state.machine.dispatches[1]
    assert (text.private_bytes, state.target.apertures_of(1).scratch_bytes) == (1000, 64512)
    queue = state.machine.queues[1].packets_address
    assert queue is not None
    assert struct.unpack("<I", memory(state, queue + 24, 4)) == (1000,)  # in the packet, too
    done = run("dispatch", file, *geometry, *NEST, "--scratch", 8)
    assert done.error == "--scratch 8: each lane of the kernel has at least 152 bytes"
    done = run("dispatch", file, *geometry, *NEST, "--scratch", 1 << 20)
    assert done.error == "1048576 bytes of scratch a lane: gfx942 has at most 131056"


def test_scratch_of_a_kernel_without_is_noted(tmp_path: Path) -> None:
    """So that one command line serves a kernel at -O0 and at -O2."""
    file, geometry = HIP / "nest.gfx942.O2.v5.co", ("--grid", 64, "--workgroup", 64)
    saved = ("--save", tmp_path / "x.json")
    done = run("dispatch", file, *geometry, *NEST, "--scratch", 8, *saved)
    assert "--scratch 8: nest has no scratch memory" in done.notes and done.status == 0
    state = dispatch(tmp_path, file, *geometry, *NEST, "--scratch", 8)
    assert state.machine.dispatches[1].private_bytes == 0


def test_a_code_object_of_a_bundle(tmp_path: Path) -> None:
    """The state names the code object itself, which is written beside it."""
    inside = (HIP / "nest.gfx942.O0.v5.co").read_bytes()
    other = (HIP / "nest.gfx90a.O0.v5.co").read_bytes()
    names = [f"hipv4-amdgcn-amd-amdhsa--{word}".encode() for word in ("gfx942", "gfx90a")]
    table_bytes = 32 + sum(24 + len(name) for name in names)
    start = -(-table_bytes // 4096) * 4096
    second = -(-(start + len(inside)) // 4096) * 4096
    bundle = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", 2)
    for name, at, data in zip(names, (start, second), (inside, other), strict=True):
        bundle += struct.pack("<QQQ", at, len(data), len(name)) + name
    bundle = (bundle.ljust(start, b"\0") + inside).ljust(second, b"\0") + other
    (tmp_path / "fat.hipfb").write_bytes(bundle)
    asked = (tmp_path / "fat.hipfb", "--grid", 64, "--workgroup", 64, *NEST)
    state = dispatch(tmp_path, *asked, "--target", "gfx942")
    [beside] = tmp_path.glob("saved.gfx942.*.co")
    assert state.code_objects[0].path == beside
    assert beside.name == content_name("saved.gfx942", inside, "co")
    assert beside.read_bytes() == inside
    assert "nest" in run("waves", "--state", tmp_path / "saved.json").lines[1]
    assert "give the target or the number of one (--target)" in run("dispatch", *asked).error


@pytest.mark.parametrize(
    ("number", "is_one"),
    [
        (2147483647, True),
        (-2147483648, True),
        (2147483648, False),
        (3000000000, False),
        (-2147483649, False),
        (1 << 70, False),
    ],
)
def test_numbers_that_the_declared_type_has(number: int, is_one: bool) -> None:
    given = ("--arg", "in=?", "--arg", "out=?", "--arg", f"limit={number}")
    done = run("dispatch", HIP / "nest.gfx942.O2.v5.co", "--grid", 64, "--workgroup", 64, *given)
    assert (done.status != 2) == is_one
    if not is_one:
        assert (
            f"{number} does not fit int, which is -2147483648 to 2147483647; bytes:HEX"
            in done.error
        )


@pytest.mark.parametrize(
    ("encoding", "bit_size", "expected"),
    [
        ("unsigned_char", 8, (0, 255)),
        ("signed_char", 8, (-128, 127)),
        ("boolean", 8, (0, 1)),
        ("unsigned", 64, (0, (1 << 64) - 1)),
        ("UTF", 16, (0, 0xFFFF)),  # char16_t
        ("UCS", 32, (0, 0xFFFF_FFFF)),  # character (kind=4) of Fortran
        ("float", 32, None),
        ("generic", 64, None),
    ],
)
def test_integers_of_a_type(encoding: str, bit_size: int, expected: tuple[int, int] | None) -> None:
    integers = integers_of(Base(BaseType("t", encoding, bit_size, "little")))
    assert (None if integers is None else (integers.least, integers.most)) == expected


def test_buffers_of_the_wrong_size(tmp_path: Path) -> None:
    """The debugging information has the type of a pointer's target."""
    (tmp_path / "wide.npy").write_bytes(npy_bytes(Npy("<f8", (4,), bytes(32))))
    (tmp_path / "float.npy").write_bytes(npy_bytes(Npy("<f4", (4,), bytes(16))))
    (tmp_path / "two.npz").write_bytes(b"PK\3\4" + bytes(12))
    (tmp_path / "good.npy").write_bytes(npy_bytes(Npy("<i4", (8,), bytes(32))))
    rest = ("--arg", "out=buffer:16", "--arg", "limit=1", "--grid", 64, "--workgroup", 64)
    file = HIP / "nest.gfx1100.O2.v5.co"
    for text, message in (
        (
            "buffer:30",
            "30 bytes, not a multiple of the size of int, which has 4 bytes (28 and 32 would be)",
        ),
        (f"@{tmp_path / 'wide.npy'}", "an array of numbers of 8 bytes, where int has 4; a raw"),
        (
            f"@{tmp_path / 'float.npy'}",
            "an array of floating point numbers, where the pointer is to int; a raw file gives",
        ),
    ):
        done = run("dispatch", file, "--arg", f"in={text}", *rest)
        assert done.status == 2
        assert f"in (global_buffer, 8 bytes at 0): {message}" in done.error
    archive = run("dispatch", file, "--arg", f"in=@{tmp_path / 'two.npz'}", *rest)
    assert archive.error.endswith("two.npz is an archive of arrays; save one of them as .npy")
    assert run("dispatch", file, "--arg", f"in=@{tmp_path / 'good.npy'}", *rest).status == 0


def test_writable_memory_is_as_loaded(tmp_path: Path) -> None:
    file = HIP / "nest.gfx942.O0.v5.co"
    dispatch(tmp_path, file, "--grid", 64, "--workgroup", 64, *NEST)
    done = run("eval", "--state", tmp_path / "saved.json", "launches")
    assert (done.out, done.status) == ("launches = 3\n", 0)


def test_every_wave(tmp_path: Path) -> None:
    done = run("eval", "--state", COMMITTED, "--wave", "all", "$exec", "--lane", 0)
    assert done.lines[:4] == [
        "AMDGPU Wave 1:1:1:1 (0,0,0)/0:",
        "$exec = 4294967295",
        "AMDGPU Wave 1:1:1:2 (0,0,0)/1:",
        "$exec = 65535",
    ]
    result = run_json(
        "eval", "--state", COMMITTED, "--wave", "all", "$v0[$_lane]", "--lane", 3
    ).json
    assert [(wave["wave"], wave["data"]) for wave in result["waves"]] == [
        (1, 3), (2, 35), (3, 3), (4, 35), (5, 3),
    ]  # fmt: skip
    result = run_json("eval", "--state", COMMITTED, "--wave", "all", "--lane", "all", "$v0[$_lane]")
    assert len(result.json["waves"][4]["lanes"]) == 32
    result = run_json("eval", "--state", COMMITTED, "--wave", "all", "launches", "limit")
    assert {len(wave["variables"]) for wave in result.json["waves"]} == {2}
    assert "--wave all: only a state has waves" in run("eval", "--wave", "all", "$m0").error
    refused = run("eval", "--state", COMMITTED, "--wave", "all", "--reg", "m0=1", "$m0")
    assert refused.error == "--reg applies to one wave: it cannot be combined with --wave all"


def test_waves() -> None:
    lines = run("waves", "--state", COMMITTED).lines
    assert lines[0] == "  Id State Target Id                     Lanes Frame"
    assert lines[5] == (
        "  5  T     AMDGPU Wave 1:1:1:5 (2,0,0)/0 4/4   item () at opencl/kernels.cl:26"
    )
    waves = run_json("waves", "--state", COMMITTED).json["waves"]
    assert [wave["active_lanes"] for wave in waves] == [32, 16, 32, 16, 4]
    assert waves[3]["workgroup_coord"] == [1, 0, 0]
    assert (waves[3]["kernel"], waves[3]["wave_number_in_workgroup"]) == ("diverge", 1)


def test_waves_of_a_state_by_hand() -> None:
    lines = run("waves", "--state", STATES / "nest.gfx942.O0.json").lines
    assert re.fullmatch(
        r"  0  T     AMDGPU Wave \?:\?:\?:0 \(\?,\?,\?\)/\? \d+/64 +nest \(\.\.\.\) at .*",
        lines[1],
    )
    assert run("waves", "--state", STATES / "demo.gcc.O0.json").lines[1].split()[2:4] == [
        "Thread",
        "0",
    ]
    assert run_json("waves", "--state", STATES / "demo.gcc.O0.json").status == 0


def test_waves_in_another_build_than_the_states() -> None:
    file, state = FIXTURES / "hip/nest.gfx942.O2.v5.co", STATES / "nest.gfx942.O0.json"
    done = run("waves", file, "--state", state)
    assert (done.status, done.out) == (2, "")
    assert done.error == (
        "pc 0x2828 is not in the code of any code object (nest.gfx942.O2.v5.co loaded at 0x0); "
        f"{state} names nest.gfx942.O0.v5.co, loaded at 0x0: leave out {file}"
    )


def test_a_run_of_a_state_in_another_build() -> None:
    file, state = HIP / "nest.gfx942.O2.v5.co", STATES / "nest.gfx942.O0.json"
    done = run("run", "--state", state, file)
    assert (done.status, done.out) == (2, "")
    assert done.error == run("waves", file, "--state", state).error


def test_waves_in_a_copy_of_the_states_code_object(tmp_path: Path) -> None:
    copy, state = tmp_path / "copy.co", STATES / "nest.gfx942.O0.json"
    copy.write_bytes((FIXTURES / "hip/nest.gfx942.O0.v5.co").read_bytes())
    assert run("waves", copy, "--state", state).out == run("waves", "--state", state).out


def test_the_prompt_shows_ids_of_waves_and_lanes() -> None:
    script = ("-ex", "lane 3", "-ex", "info lanes", "-ex", "info lanes -all", "--batch")
    out = run("debug", "--state", COMMITTED, "--wave", 5, *script).lines
    assert out[0] == "[Switching to thread 5, lane 3 (AMDGPU Lane 1:1:1:5/3 (2,0,0)[3,0,0])]"
    assert len([line for line in out if line[6:10] == "A   "]) == 8
    assert len([line for line in out if line.endswith("(unused)")]) == 28


def test_the_committed_state_is_what_dispatch_makes(tmp_path: Path) -> None:
    made = tmp_path / COMMITTED.name
    file = CL / "kernels.gfx1100.O2.v5.co"
    run("dispatch", file, *DIVERGE, "--grid", 100, "--workgroup", 48, "--save", made)
    text = re.sub(r'"path": "[^"]*"', '"path": "../opencl/kernels.gfx1100.O2.v5.co"',
                  made.read_text("utf-8"))  # fmt: skip
    assert text == COMMITTED.read_text("utf-8")
    for path in tmp_path.glob("*.npy"):
        assert path.read_bytes() == (STATES / path.name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nest",), "--grid"),
        (("nets", *NEST), "has no kernel nets; it has nest; did you mean nest?"),
        (("nest", "--arg", "in=0", "--arg", "limit=1"), "not given: out (global_buffer, 8 bytes"),
        (("nest", *NEST, "--arg", "outt=1"), "the kernel has no argument outt; its arguments: "),
        (("nest", *NEST, "--arg", "in=1"), "argument in is given twice"),
        (("nest", *NEST, "--arg", "=1"), "--arg =1: expected NAME=VALUE"),
        (("nest", "--arg", "limit=z z"), "'z z' is not a number, @FILE, buffer:SIZE, zeros:SIZE,"),
        (("nest", "--arg", "in=buffer:0"), "--arg in: buffer:0: expected 1 to 1073741824 bytes"),
        (
            ("nest", "--arg", "in=@/nowhere.npy"),
            "--arg in: /nowhere.npy cannot be read: No such file",
        ),
        (
            ("nest", "--arg", "in=bytes:abc"),
            "--arg in: 'bytes:abc': expected bytes:HEX, two digits",
        ),
    ],
)
def test_refused_arguments(arguments: tuple[str, ...], message: str) -> None:
    geometry = () if message == "--grid" else ("--grid", 64, "--workgroup", 64)
    done = run("dispatch", HIP / "nest.gfx942.O2.v5.co", *arguments, *geometry)
    assert done.status == 2
    assert message in done.error


@pytest.mark.parametrize(
    ("grid", "workgroup", "message"),
    [
        (
            "100",
            "64",
            "--grid counts work-items: 100 in x is not a multiple of the workgroup's 64 (128 "
            "would be); the kernel was compiled for whole workgroups",
        ),
        ("2048", "2048", "--workgroup 2048,1,1: 2048 work-items; the kernel allows 1024"),
        ("64,2", "64,3", "2 in y is not a multiple"),
        (
            "0",
            "64",
            "--grid 0: '0' is not a size from 1 to 2^32 - 1; expected one to three, such as 64,2",
        ),
        ("64", "1,1,1,1", "--workgroup 1,1,1,1: expected one to three sizes, such as 64,2"),
        ("x", "64", "--grid x: 'x' is not a size from 1 to"),
        ("4294967296", "64", "--grid 4294967296: '4294967296' is not a size from 1"),
        ("8388608", "64", "131072 waves: at most 65536 are simulated (--max-waves)"),
    ],
)
def test_refused_geometry(grid: str, workgroup: str, message: str) -> None:
    file = HIP / "nest.gfx942.O2.v5.co"
    done = run("dispatch", file, "nest", "--grid", grid, "--workgroup", workgroup, *NEST)
    assert done.status in (1, 2)
    assert message in done.error
    assert (
        run_json("dispatch", file, "--grid", grid, "--workgroup", workgroup).status == done.status
    )


KINDS = (
    CL / "args.gfx906.O2.v5.co", "kinds", "--grid", 64, "--workgroup", 64,
    "--arg", "out=buffer:256", "--arg", "wide=-3",
    "--arg", "tile=lds:264", "--arg", "table=zeros:256", "--arg", "small=-3",
)  # fmt: skip


def test_arguments_of_each_kind(tmp_path: Path) -> None:
    others = ("--arg", f"pair=bytes:{bytes(range(24)).hex()}", "--arg", "four=[1,2,3.5,-4]")
    state = dispatch(tmp_path, *KINDS, *others, "--arg", "three=[1,2,255]", "--arg", "h=1.5")
    kernarg = state.machine.dispatches[1].kernarg
    assert kernarg is not None
    assert memory(state, kernarg + 8, 24) == bytes(range(24))
    assert struct.unpack("<e", memory(state, kernarg + 32, 2)) == (1.5,)
    assert struct.unpack("<4f", memory(state, kernarg + 48, 16)) == (1, 2, 3.5, -4)
    assert memory(state, kernarg + 64, 3) == b"\1\2\xff"
    with pytest.raises(Unavailable):
        memory(state, kernarg + 67, 1)  # the padding of the vector
    assert struct.unpack("<q", memory(state, kernarg + 72, 8)) == (-3,)
    assert memory(state, kernarg + 80, 4) == bytes(4)  # LDS from its beginning
    assert state.machine.workgroups[1].local_bytes == 512


def test_how_a_structure_is_given_is_in_the_first_message() -> None:
    rest = [word for name in ("four", "three", "h") for word in ("--arg", f"{name}=?")]
    assert run("dispatch", *KINDS, *rest).error == (
        "not given: pair (by_value, 24 bytes at 8); give --arg pair=VALUE, or pair=? for an "
        "unknown one: bytes:HEX or @FILE gives it, and --arg pair.first=VALUE a part"
    )


def test_numbers_for_a_pointer_are_no_buffer() -> None:
    kinds = ["out=[1,2,3]" if word == "out=buffer:256" else word for word in KINDS]
    rest = [word for name in ("pair", "four", "three", "h") for word in ("--arg", f"{name}=?")]
    done = run("dispatch", *kinds, *rest)
    assert (done.status, done.error) == (
        2, "out (global_buffer, 8 bytes at 0) is a pointer, not a vector; @FILE, zeros:SIZE or "
        "range:COUNT makes a buffer for it",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("four=1", "four (by_value, 16 bytes at 48): float4 is not a number; [1,2] gives elements"),
        ("four=[1,2]", "four (by_value, 16 bytes at 48): 2 elements, not 4"),
        ("four=[1]", "four (by_value, 16 bytes at 48): 1 element, not 4"),
        ("four=[1,2,3,x]", "--arg four: 'x' is not a number"),
        (
            "three=[1,2,256]",
            "three (by_value, 4 bytes at 64): 256 does not fit unsigned char, which is 0 to 255",
        ),
        ("three=[1,2,1.5]", "1.5 is a floating point number, not an integer; bytes:HEX"),
        (
            "pair=7",
            "pair (by_value, 24 bytes at 8): struct pair is not a number; bytes:HEX or @FILE "
            "gives it, and --arg pair.first=VALUE a part",
        ),
        ("pair=[7]", "pair (by_value, 24 bytes at 8) is not a list of numbers"),
        (
            "pair=bytes:00",
            "pair (by_value, 24 bytes at 8): a value of 1 byte does not fit: the "
            "argument has 24 bytes",
        ),
        (
            "h=70000",
            "h (by_value, 2 bytes at 32): the number 70000 does not fit binary16, "
            "whose largest number is 65504; bytes:HEX gives any bits",
        ),
        ("h=65520", "the number 65520 does not fit binary16, whose largest number is 65504"),
        ("h=-65520.0", "h (by_value, 2 bytes at 32): the number -65520.0 does not fit"),
        pytest.param(
            f"h={10**400}",
            "h (by_value, 2 bytes at 32): the number of 1329 bits does not fit",
            id="half-10**400",
        ),
        pytest.param(
            f"four=[1,2,3,{10**40}]",
            "four (by_value, 16 bytes at 48): the number of 133 bits does not fit",
            id="float-10**40",
        ),
        ("h=017", "--arg h: '017' is octal in C: give a decimal number, or 0o and its digits"),
        ("four=[1,2,3,-08]", "--arg four: '-08' is octal in C: give a decimal number"),
        ("h=1e400", "--arg h: '1e400' is beyond the largest number of a double"),
        ("four=[1,2,3,-1e400]", "--arg four: '-1e400' is beyond the largest number of a double"),
        pytest.param(
            f"h={'9' * 5000}", "is beyond the largest number of a double", id="half-5000-digits"
        ),
    ],
)
def test_arguments_that_are_not_of_their_kind(given: str, message: str) -> None:
    names = {"pair", "h", "four", "three"} - {given.partition("=")[0]}
    rest = [word for name in sorted(names) for word in ("--arg", f"{name}=?")]
    done = run("dispatch", *KINDS, *rest, "--arg", given)
    assert message in done.error
    assert done.status == 2


def test_a_range_beyond_the_largest_half() -> None:
    file = FIXTURES / "run" / "floats.gfx942.O2.v5.co"
    others = ("--arg", "b=zeros:128", "--arg", "out=zeros:128", "--arg", "a=range:65521")
    done = run("dispatch", file, "halfs", "--grid", 64, "--workgroup", 64, *others)
    assert "a (global_buffer, 8 bytes at 0): 65520 does not fit _Float16" in done.error
    assert done.status == 2


def test_bytes_take_numbers_of_one_byte(tmp_path: Path) -> None:
    (tmp_path / "wide.npy").write_bytes(npy_bytes(Npy("<i8", (4,), bytes(32))))
    file = FIXTURES / "run" / "integers.gfx942.O2.v5.co"
    for a, b, message in (
        ("range:256", "range:129", "b (global_buffer, 8 bytes at 8): 128 does not fit"),
        ("range:257", "range:128", "a (global_buffer, 8 bytes at 0): 256 does not fit"),
        (f"@{tmp_path / 'wide.npy'}", "range:4", "an array of numbers of 8 bytes, where "),
    ):
        buffers = ("--arg", f"a={a}", "--arg", f"b={b}", "--arg", "out=zeros:128")
        done = run("dispatch", file, "bytes", "--grid", 64, "--workgroup", 64, *buffers)
        assert message in done.error
        assert done.status == 2


def test_a_load_address_behind_all_addresses() -> None:
    file = HIP / "nest.gfx942.O0.v5.co"
    asked = ("--grid", 64, "--workgroup", 64, *NEST, "--load-address", (1 << 64) - 256)
    done = run("dispatch", file, *asked)
    assert "kernel nest has no address where the code object is loaded at 0x" in done.error
    assert done.status == 2


@pytest.mark.parametrize(
    ("address", "what"),
    [
        (0x7E0000000000, "the memory of the dispatch, [0x7e0000000000,"),
        (0x7E0000000000 - 0x1000, "the memory of the dispatch"),  # its end
        (0x7D0000000000, "the scratch of the dispatch, [0x7d0000000000,"),
        (0x1000000000000, "the aperture of LDS, [0x1000000000000,0x2000000000000)"),
        (0x1FFFFFFFFF000, "the aperture of LDS"),
        (0x2000000000000, "the aperture of scratch"),
        (0x123, "the code object is loaded at a multiple of 0x1000"),
        ((1 << 64) - 0x3000, "beyond the 64-bit address space"),
    ],
)
def test_a_load_address_where_there_is_no_room(address: int, what: str) -> None:
    file = HIP / "nest.gfx942.O0.v5.co"
    asked = ("--grid", 64, "--workgroup", 64, *NEST, "--load-address", f"{address:#x}")
    done = run("dispatch", file, *asked)
    assert done.error.startswith(f"--load-address {address:#x}: ")
    assert what in done.error
    assert done.status == 2


@pytest.mark.parametrize("address", [0, 0x1000, 0x7C0000000000, 0x7E0000100000, 3 << 48])
def test_a_load_address_where_there_is_room(address: int) -> None:
    file = HIP / "nest.gfx942.O0.v5.co"
    asked = ("--grid", 64, "--workgroup", 64, *NEST, "--load-address", f"{address:#x}")
    assert run("dispatch", file, *asked).status == 0


def test_a_state_in_another_folder_has_its_own_arrays(tmp_path: Path) -> None:
    """Saving the state before removes those that it no longer names."""
    code = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    launch = ("dispatch", code, "nest", "--grid", 64, "--workgroup", 64, "--arg", "1=zeros:4096")
    one, both = tmp_path / "one.json", tmp_path / "folder/both.json"
    both.parent.mkdir()
    first = ("--arg", "0=range:1024", "--arg", "2=2")
    assert run(*launch, *first, "--save", one).status == 0
    assert run(*launch, *first, "--beside", one, "--save", both).status == 0
    before = set(tmp_path.glob("*.npy"))
    asked = ("eval", "--state", both, "--wave", "all", "--lane", 3, "$_kernarg.in[5]", "$v0")
    answer = run(*asked)
    assert answer.status == 0
    assert run(*launch, "--arg", "0=zeros:512", "--arg", "2=3", "--save", one).status == 0
    assert before - set(tmp_path.glob("*.npy"))
    assert run(*asked) == answer
    assert "../" not in re.sub(r'"path": "[^"]*"', "", both.read_text())


def test_a_load_address_beside_what_a_state_has(tmp_path: Path) -> None:
    file, other = HIP / "nest.gfx942.O0.v5.co", HIP / "nest.gfx942.O2.v5.co"
    asked = ("--grid", 64, "--workgroup", 64, *NEST)
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    assert run("dispatch", file, *asked, "--save", first).status == 0
    beside = ("dispatch", other, *asked, "--beside", first, "--save", second, "--load-address")
    for address, what in (
        ("0x7f0000001000", "nest.gfx942.O0.v5.co, [0x7f000000"),
        ("0x7e0000000000", "the memory of the state, [0x7e0000000000,"),
        ("0x7d0000000000", "the scratch of wave 1, [0x7d0000000000,"),
    ):
        done = run(*beside, address)
        assert (done.status, what in done.error) == (2, True), done.error
    assert run(*beside, "0x7f0000100000").status == 0


def test_too_much_lds() -> None:
    file = CL / "kernels.gfx942.O2.v5.co"
    asked = ("lds", "--grid", 64, "--workgroup", 64, "--arg", "0=0", "--dynamic-lds", 65536)
    done = run("dispatch", file, *asked)
    assert done.error == "65792 bytes of LDS: a workgroup of gfx942 has at most 65536"


def test_several_kernels_and_none() -> None:
    geometry = ("--grid", 64, "--workgroup", 64)
    done = run("dispatch", CL / "kernels.gfx942.O2.v5.co", *geometry)
    assert "has several kernels; name one after it: diverge, loop, call, lds, data" in done.error
    assert "is for X86_64" in run("dispatch", FIXTURES / "x86_64/demo.gcc.O2.v5", *geometry).error
    assert "is not an ELF file" in run("dispatch", FIXTURES / "README.md", *geometry).error


def test_floats_and_files(tmp_path: Path) -> None:
    (tmp_path / "raw.bin").write_bytes(bytes(range(64)))
    state = dispatch(
        tmp_path, CL / "kernels.gfx942.O2.v5.co", "data", "--grid", 64, "--workgroup", 64,
        "--arg", f"0=@{tmp_path / 'raw.bin'}", "--arg", "f=1.5", "--arg", "2=-2",
    )  # fmt: skip
    kernarg = state.machine.dispatches[1].kernarg
    assert kernarg is not None
    [out] = struct.unpack("<Q", memory(state, kernarg, 8))
    assert struct.unpack("<f", memory(state, kernarg + 8, 4)) == (1.5,)
    assert struct.unpack("<d", memory(state, kernarg + 16, 8)) == (-2.0,)
    assert memory(state, out, 64) == bytes(range(64))


@pytest.mark.parametrize("name", [f"hip/nest.{target}.O0.v5.co" for target in KERNELS[:2]])
def test_user_sgprs_are_those_that_llvm_objdump_reads(
    name: str, tool: Callable[[str], str]
) -> None:
    command = [tool("llvm-objdump-19"), "-d", "-j", ".rodata", str(FIXTURES / name)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    matches = dict(re.findall(r"\.amdhsa_user_sgpr_(\w+) (\d)", text))
    report: Any = run_json("dispatch", FIXTURES / name, "--grid", 64, "--workgroup", 64, *NEST).json
    ours = {user_sgpr["field"] for user_sgpr in report["user_sgprs"]}
    assert ours == {field for field, enabled in matches.items() if enabled == "1"}
    ids = re.search(r"\.amdhsa_system_vgpr_workitem_id (\d)", text)
    assert ids is not None and ids[1] == "2"


@pytest.mark.parametrize("name", ["hip/nest.gfx942.O0.v5.co", "opencl/kernels.gfx1100.O2.v5.co"])
def test_arguments_are_those_that_llvm_readelf_reads(name: str, tool: Callable[[str], str]) -> None:
    command = [tool("llvm-readelf-19"), "--notes", str(FIXTURES / name)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    first = text.split(".group_segment_fixed_size")[0]
    matches = re.findall(
        r"\.offset: +(\d+)\s+\.size: +(\d+)\s+(?:\.type_name.*\s+)?\.value_kind: +(\w+)", first
    )
    kernel = ("diverge",) if "opencl" in name else ()
    report = run_json("dispatch", FIXTURES / name, *kernel, "--grid", 64, "--workgroup", 64, *NEST)
    ours = [
        (argument["offset"], argument["size"], argument["kind"])
        for argument in report.json["arguments"]
    ]
    assert ours == [
        (int(at), int(size), kind) for at, size, kind in matches if not kind.startswith("hidden_")
    ]


def test_preloaded_arguments(tmp_path: Path) -> None:
    """The kernel reads in from s[2:3], out from s[4:5], limit from s6, its workgroup from s7."""
    file = HIP / "nest.gfx942.O2.v5.preload.co"
    state = dispatch(tmp_path, file, "--grid", 128, "--workgroup", 64, *NEST)
    kernarg = pointer(state, 2, 0)
    into, out, limit = struct.unpack("<QQi", memory(state, kernarg, 20))
    assert (pointer(state, 2, 2), pointer(state, 2, 4), register(state, 2, "s6")) == (
        into, out, limit,
    )  # fmt: skip
    assert register(state, 2, "s7") == 1
    # "an additional 256 bytes", behind what stops on older firmware
    assert state.waves[0].pc == 0x7F00_0000_1600 + 256
    unknown = run_json("dispatch", file, "--grid", 64, "--workgroup", 64, *NEST[:4],
                       "--arg", "limit=?").json  # fmt: skip
    assert unknown["user_sgprs"][6] == {"register": "s6", "field": "kernarg_preload", "value": None}
    assert "unknown: s6 (kernarg_preload): not given" in unknown["notes"]
    shown = run("dispatch", file, "--grid", 64, "--workgroup", 64, *NEST[:4], "--arg", "limit=?")
    lines = [line.split() for line in shown.lines if "kernarg_preload" in line]
    value = into | out << 64
    assert lines == [
        ["s[2:5]", f"{value:#x}", "kernarg_preload"],
        ["s6", "unknown", "kernarg_preload"],
    ]


def test_gfx12_has_workgroups_in_ttmps(tmp_path: Path) -> None:
    file = HIP / "nest.gfx1200.O0.v5.co"
    state = dispatch(tmp_path, file, "--grid", "128,6,4", "--workgroup", "64,2,2", *NEST)
    last = state.waves[-1].wave
    assert register(state, last, "ttmp9") == 1
    assert register(state, last, "ttmp7") == 2 | 1 << 16
    assert register(state, last, "scratch_base", 0, 8) % 256 == 0
    with pytest.raises(Unavailable):
        register(state, last, "s6")  # behind dispatch pointer, kernarg pointer and dispatch id


def test_waves_at_the_prompt() -> None:
    script = [word for text in (
        "info threads", "thread 4", "thread", "info agents", "info queues", "info dispatches",
        "thread 9", "print $v0[$_lane]",
    ) for word in ("-ex", text)]  # fmt: skip
    done = run("debug", "--state", COMMITTED, "--batch", *script)
    assert done.lines == [
        "  Id   Target Id                     Lanes Frame",
        "* 1    AMDGPU Wave 1:1:1:1 (0,0,0)/0 32/32 item () at opencl/kernels.cl:26",
        "  2    AMDGPU Wave 1:1:1:2 (0,0,0)/1 16/16 item () at opencl/kernels.cl:26",
        "  3    AMDGPU Wave 1:1:1:3 (1,0,0)/0 32/32 item () at opencl/kernels.cl:26",
        "  4    AMDGPU Wave 1:1:1:4 (1,0,0)/1 16/16 item () at opencl/kernels.cl:26",
        "  5    AMDGPU Wave 1:1:1:5 (2,0,0)/0 4/4   item () at opencl/kernels.cl:26",
        "[Switching to thread 4, lane 0 (AMDGPU Lane 1:1:1:4/0 (1,0,0)[32,0,0])]",
        "#0  item () at opencl/kernels.cl:26",
        "26\topencl/kernels.cl: No such file or directory.",
        "[Current thread is 4, lane 0 (AMDGPU Lane 1:1:1:4/0 (1,0,0)[32,0,0])]",
        "  Id State Target Id              Architecture Device Name Cores Threads Location",
        "* 1  A     AMDGPU Agent (GPUID 1) gfx1100      ?           ?     ?       ?",
        "  Id Target Id                Type Read Write Size Address            "
        "Doorbell           Scratch",
        "* 1  AMDGPU Queue 1:1 (QID 1) HSA  0    1     4096 0x00007e0000001000 "
        "0x00007e0000002000 0x00007d0000000000",
        "  Id Target Id                      Grid      Workgroup Fence Kernel Function",
        "* 1  AMDGPU Dispatch 1:1:1 (PKID 0) [100,1,1] [48,1,1]  As|Rs diverge",
        "$1 = 32",
    ]
    assert done.err.splitlines() == ["Unknown thread 9."]


def test_a_state_by_hand_at_the_prompt() -> None:
    script = ("-ex", "info agents", "-ex", "info queues", "-ex", "info dispatches")
    lines = run("debug", "--demo", "--batch", *script, "-ex", "info threads").lines
    assert lines[:3] == [
        "No agents.",
        "No queues are currently active.",
        "No dispatches are currently active.",
    ]
    assert lines[4].startswith(
        "* 0    AMDGPU Wave ?:?:?:0 (?,?,?)/? 34/64 0x00007f0000001690 in nest"
    )


def test_memory_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(b"\x2a\0\0\0")
    done = run("eval", "--arch", "gfx942", "--mem", f"0x1000=@{tmp_path / 'raw'}",
               "addr 0x1000; deref_size 4")  # fmt: skip
    assert done.out == "42\n"
    assert "cannot be read" in run("eval", "--mem", "0x1000=@/nowhere", "lit0").error


def test_a_kernel_by_its_name_in_the_source() -> None:
    opened = CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co")
    code = read_gpu_code(opened.file)
    [nest] = code.kernels
    mangled = ("_Z4kernPi", "_Z4kernPf", "_ZN2ns5otherEi")
    kernels = [GpuKernel(wave, f"{wave}.kd") for wave in mangled]
    kernels.append(evolve(nest, name="_Zodd", symbol="_Zodd.kd"))
    code = evolve(code, kernels=tuple(kernels))

    def chosen(name: str) -> str:
        return chosen_kernel(opened, code, name, "k.co").name

    assert chosen("nest") == "_Zodd"  # by debugging information
    assert chosen("kern(int*)") == "_Z4kernPi" and chosen("kern(float*)") == "_Z4kernPf"
    assert chosen("ns::other") == chosen("_ZN2ns5otherEi.kd") == "_ZN2ns5otherEi"
    with pytest.raises(UsageError, match=r"several kernels kern: kern\(int\*\), kern\(float\*\)"):
        chosen("kern")
    with pytest.raises(
        UsageError, match="k.co has no kernel other; it has .*; did you mean ns::other"
    ):
        chosen("other")
    made = evolve(code, kernels=tuple(GpuKernel(f"_ZN2ns1tI{c}EEvv", "") for c in "if"))
    with pytest.raises(UsageError, match=r"it has void ns::t<int>\(\), void ns::t<float>\(\)"):
        chosen_kernel(opened, made, "t", "k.co")
    names = ("ns::t<int>", "ns::t<int>()", "ns :: t< int >", "void ns::t<int>()", "_ZN2ns1tIiEEvv")
    for name in names:  # its symbol has the result type, which is no part of the name
        assert chosen_kernel(opened, made, name, "k.co").name == "_ZN2ns1tIiEEvv"
    with pytest.raises(UsageError, match="several kernels ns::t: void ns::t<int>"):
        chosen_kernel(opened, made, "ns::t", "k.co")


FOLDED = """
#define __global__ __attribute__((global))
#define lane __builtin_amdgcn_workitem_id_x()
__global__ void never(long *none) { __builtin_unreachable(); }
__global__ void one(int *p) {
  __attribute__((shared)) int first[64], second[64];
  first[lane] = 1, second[lane] = 2;
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
  p[lane] = first[63 - lane] + second[63 - lane];
}
namespace ns {
__global__ void fill_a(int *a) { a[lane] = 7; }
__global__ void fill_b(unsigned *b) { b[lane] = 7; }
template <typename T> __global__ void fill(T *t) { t[lane] = 7; }
template __global__ void fill<float>(float *);
template __global__ void fill<int>(int *);
template __global__ void fill<unsigned>(unsigned *);
}
extern "C" __global__ void plain(unsigned *r) { r[lane] = 7; }
"""


def test_kernels_that_begin_at_one_address(tool: Callable[[str], str], tmp_path: Path) -> None:
    """One without instructions, and equal ones, which the linker folds: each has its own names and
    arguments."""
    tool("ld.lld")
    source, file = tmp_path / "folded.hip", tmp_path / "folded.co"
    source.write_text(FOLDED)
    options = "--offload-arch=gfx942 --cuda-device-only --no-gpu-bundle-output -nogpulib -nogpuinc"
    subprocess.run(
        [
            tool("clang"), "-x", "hip", *options.split(), "-g", "-O2", "-w", "-ffunction-sections",
            "-Xoffload-linker", "--icf=all", source, "-o", file,
        ],
        check=True,
    )  # fmt: skip
    entries = {kernel.entry for kernel in read_gpu_code(CodeObject.open(file).file).kernels}
    assert len(entries) == 3  # of `one`, `fill<float>`, and the rest
    size = ("--grid", 64, "--workgroup", 64)
    arguments = {
        "one": "p", "ns::fill_a": "a", "fill_b": "b", "ns::fill<int>": "t",
        "ns::fill<unsigned int>": "t", "plain": "r",
    }  # fmt: skip
    for kernel, name in arguments.items():
        done = run("run", file, kernel, *size, "--arg", f"{name}=zeros:256")
        assert done.status == 0, kernel
    done = run("dispatch", file, "never", *size, "--arg", "p=zeros:256")  # not that of `one`
    assert done.error.endswith("no argument p; its arguments: 0, whose names are not known")
    done = run("dispatch", file, "ns::fill", *size)
    assert "has several kernels ns::fill: void ns::fill<float>" in done.error
    words = ("--dispatch", "one", *size, "--arg", "p=zeros:256", "-ex", "print first", "-batch")
    done = run("debug", file, *words)
    assert "for every LDS variable: in a kernel with several of them" in done.err  # never has none


def test_preloaded_arguments_of_less_than_a_dword(tmp_path: Path) -> None:
    """A `short` or `char` is in an SGPR with padding, which no document defines: only the padding
    is unknown."""
    original = HIP / "nest.gfx942.O2.v5.preload.co"
    before, after = (b"\xa7.offset\x10\xa5.size" + size for size in (b"\x04", b"\x02"))
    data = original.read_bytes()
    assert data.count(before) == 1
    file = tmp_path / "short.co"
    file.write_bytes(data.replace(before, after))
    launch = ("nest", "--grid", 64, "--workgroup", 64, "--arg", "in=range:128")
    launch += ("--arg", "out=zeros:8192", "--arg", "limit=30")
    record = run_json("dispatch", file, *launch).json
    assert record["user_sgprs"][6]["value"] == "1e 00 ?? ??"
    assert not any("kernarg_preload" in note for note in record["notes"])
    shown = run("dispatch", file, *launch).lines
    assert ["s6", "1e", "00", "??", "??", "kernarg_preload"] in map(str.split, shown)
    out, expected = (
        run_json("run", path, *launch, "--fill", 0).json["buffers"] for path in (file, original)
    )
    assert out == expected


def test_padding_of_preloaded_arguments_is_no_missing_argument() -> None:
    """Dword 5 of this kernarg segment is between `columns` and a pointer."""
    file = HIP.parent / "triton/softmax.gfx942.co"
    arguments = [f"{name}=null" for name in ("x", "y", "global_scratch", "profile_scratch")]
    given = [word for text in (*arguments, "columns=?") for word in ("--arg", text)]
    notes = run_json("dispatch", file, "--grid", 256, "--workgroup", 256, *given).json["notes"]
    assert [note for note in notes if "preload" in note] == [
        "unknown: s6 (kernarg_preload): not given"
    ]


def test_padding_of_arguments_is_no_missing_memory(tmp_path: Path) -> None:
    """A kernel loads arguments together with the padding between them, which a saved dispatch does
    not contain, and computes with the arguments alone: it needs no contents of the padding, which
    `--fill` gives."""
    others = ("--arg", f"pair=bytes:{bytes(range(24)).hex()}", "--arg", "four=[1,2,3.5,-4]")
    path = tmp_path / "state.json"
    kinds = ["out=zeros:256" if word == "out=buffer:256" else word for word in KINDS]
    three = ("--arg", "three=[1,2,255]", "--arg", "h=1.5")
    assert not run("dispatch", *kinds, *others, *three, "--save", path).status
    for fill in (), ("--fill", 0):
        assert run_json("run", "--state", path, KINDS[0], *fill).json["stop"] is None
    size = 128  # of the segment, a multiple of 64
    for fill in (), ("--fill", "0xcc"):
        state = dispatch(tmp_path, *kinds, *others, *three, *fill)
        kernarg = state.machine.dispatches[1].kernarg
        assert kernarg is not None
        if fill:
            assert memory(state, kernarg, size).endswith(b"\xcc" * 8)
        else:
            with pytest.raises(Unavailable):
                memory(state, kernarg, size)


@pytest.mark.parametrize("command", ["run", "dispatch"])
def test_an_object_that_is_not_linked(command: str, tmp_path: Path) -> None:
    """`clang -c` makes one: the descriptors of its kernels have no addresses yet."""
    data = bytearray((HIP / "nest.gfx942.O2.v5.co").read_bytes())
    struct.pack_into("<H", data, 16, 1)  # ET_REL
    (file := tmp_path / "nest.o").write_bytes(data)
    done = run(command, file, "nest", "--grid", 64, "--workgroup", 64, *NEST)
    assert done.status == 2
    assert f"{file} is not linked: compile without -c" in done.error


def test_a_state_notes_that_its_code_object_has_changed(tmp_path: Path) -> None:
    """As GDB says of a core file and another executable."""
    file, state = tmp_path / "nest.co", tmp_path / "state.json"
    file.write_bytes((HIP / "nest.gfx942.O2.v5.co").read_bytes())
    saved = run("dispatch", file, "nest", "--grid", 64, "--workgroup", 64, *NEST, "--save", state)
    assert saved.status == 0
    commands = (["bt"], ["waves"], ["eval", "limit"], ["debug", "--batch"])
    same = [run(name, "--state", state, *rest).err for name, *rest in commands]
    file.write_bytes((HIP / "nest.gfx942.O0.v5.co").read_bytes())
    other = [run(name, "--state", state, *rest).err for name, *rest in commands]
    note = "note: nest.co has changed since the state was saved"
    assert [note in text for text in same] == [False] * 4
    assert [note in text for text in other] == [True] * 4
    original = HIP / "nest.gfx942.O2.v5.co"
    assert note not in run("bt", "--state", state, "--file", original).err


def test_the_arguments_of_a_kernel_of_triton_have_their_names(tmp_path: Path) -> None:
    """Also where it is passed two pointers more than the source declares."""
    given = ("x=zeros:64", "y=zeros:64", "n=16", "a=2.0", "global_scratch=0", "profile_scratch=0")
    dispatch(
        tmp_path, HIP.parent / "triton/axpy.gfx942.co", "axpy", "--grid", 256, "--workgroup", 256,
        *(word for text in given for word in ("--arg", text)),
    )  # fmt: skip
    done = run("eval", "--state", tmp_path / "saved.json", "$_kernarg", "$_kernarg.a")
    pointers = "x = 0x7e0000002100, y = 0x7e0000002200"
    scratch = "global_scratch = 0, profile_scratch = 0"
    assert done.lines == [
        f"$_kernarg = {{{pointers}, n = 16, a = 2, {scratch}}}",
        "$_kernarg.a = 2",
    ]


def test_why_names_of_arguments_are_not_known(tmp_path: Path) -> None:
    """The unit that names them has an unknown version; numbers name them, too."""
    data = bytearray((FIXTURES / "hip/nest.gfx942.O2.v5.co").read_bytes())
    data[ObjectFile("", bytes(data)).sections_by_name[".debug_info"].offset + 4] = 9
    (path := tmp_path / "a.co").write_bytes(data)
    words = ("run", path, "nest", "--grid", 64, "--workgroup", 64)
    named = run(*words, "--arg", "in=range:64", "--arg", "out=zeros:4096", "--arg", "limit=10")
    unread = f"Unsupported: {path}: .debug_info unit 0x0: DWARF version 9"
    why = f"the names of the parameters are not known: {unread}"
    assert named.status == 2
    assert f"whose names are not known; {why}" in named.err
    numbered = run(*words, "--arg", "0=zeros:256", "--arg", "1=zeros:4096", "--arg", "2=10")
    assert f"note: {why}" in numbered.err
