"""A core around each kernel of the fixtures shows what its state shows: variables and frames.

Registers that a state does not know are 0 in a core; so what the state shows whole is compared.
"""

from __future__ import annotations

import json
import struct
import tracemalloc
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.machine.core.notes import read_core
from dwarfgpu.machine.core.write import LoadedRange, core_parts
from dwarfgpu.machine.sparse_memory import PIECE_BYTES, Fill
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import PT_NOTE
from dwarfgpu.objfile.elf_structures import PT_LOAD
from dwarfgpu.service.core.core_of_state import write_core_of_state
from dwarfgpu.service.waves.wave_rows import MAX_GROUPS
from tests.cli.command import FIXTURES, STATES, run, run_json, validate
from tests.machine.gpu_cores import Machine

NAMES = sorted(
    path.stem
    for path in STATES.glob("*.json")
    if json.loads(path.read_text("utf-8"))["architecture"].startswith("gfx")
)


def written(name: str, folder: Path) -> Path:
    state, path = load_state(STATES / f"{name}.json"), folder / f"{name}.core"
    objects = [
        CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    ]
    pcs = {wave.wave: wave.pc for wave in state.waves}
    write_core_of_state(path, state.target, pcs, objects)
    return path


def test_what_code_objects_have_is_bounded(tmp_path: Path) -> None:
    state, path = load_state(STATES / f"{NAMES[0]}.json"), tmp_path / "core"
    [loaded] = state.code_objects
    pcs = {wave.wave: wave.pc for wave in state.waves}

    def write(most: int) -> None:
        limits = FileLimits(state_bytes=most)
        code_object = CodeObject.open(loaded.path, loaded.load_address, limits=limits)
        write_core_of_state(path, state.target, pcs, [code_object])

    segments = CodeObject.open(loaded.path).loaded_segments()
    size = sum(segment.size_bytes for segment in segments if not segment.is_writable)
    with pytest.raises(LimitExceeded, match=f"have {size} bytes to write") as raised:
        write(size - 1)
    assert raised.value.option == "--max-state-bytes" and not path.exists()
    write(size)
    assert path.exists()


def is_whole(variable: dict[str, Any]) -> bool:
    return "error" not in variable and variable.get("unavailable_bits") == []


@pytest.mark.parametrize("name", NAMES)
def test_variables_and_frames(name: str, tmp_path: Path) -> None:
    path, state = written(name, tmp_path), load_state(STATES / f"{name}.json")
    compared = 0
    for number, wave in enumerate(state.waves[:2], 1):
        for lane in (0, 3):
            live, core = (
                run_json("eval", *given, "--lane", lane).json
                for given in (
                    ("--state", STATES / f"{name}.json", "--wave", wave.wave),
                    ("--core", path, "--wave", number),
                )
            )
            pairs = zip(live.get("variables", ()), core.get("variables", ()), strict=True)
            for variable, seen in pairs:
                if is_whole(variable):
                    assert seen["name"] == variable["name"]
                    assert (seen["type"], seen["bytes"]) == (variable["type"], variable["bytes"])
                    assert seen["text"] == variable["text"]
                    compared += 1
        live_frames, frames = (
            run("bt", *given).lines
            for given in (
                ("--state", STATES / f"{name}.json", "--wave", wave.wave),
                ("--core", path, "--wave", number),
            )
        )
        if wave.pc is not None and live_frames and "unavailable" not in live_frames[0]:
            first = next(line for line in frames if line.startswith("#0"))
            assert first == next(line for line in live_frames if line.startswith("#0"))
    assert compared, "nothing was compared"


def test_the_prompt_writes_a_core(tmp_path: Path) -> None:
    path = tmp_path / "k.core"
    state = STATES / "call.gfx942.O0.json"
    done = run(
        "debug", "--state", state, "--batch", "-ex", f"generate-core-file {path}",
        "-ex", f"core-file {path}", "-ex", "print table",
    )  # fmt: skip
    assert f"Saved corefile {path}" in done.lines
    live = run("debug", "--state", state, "--batch", "-ex", "print table").lines[-1]
    assert done.lines[-1].partition("=")[2] == live.partition("=")[2]


def test_a_wave_is_saved_as_a_state(tmp_path: Path) -> None:
    core, path = written("dispatch.gfx1100", tmp_path), tmp_path / "one.json"
    done = run("waves", "--core", core, "--save", path, "--wave", 2)
    assert done.status == 0 and done.lines == [f"saved wave 2 in {path}"]
    [row] = run_json("waves", "--state", path).json["waves"]
    of_core = run_json("waves", "--core", core).json["waves"][1]
    for name in ("pc", "kernel", "workgroup_coord", "wave_number_in_workgroup", "active_lanes"):
        assert row[name] == of_core[name]
    for register in ("$v0", "$exec", "$s0", "$ttmp8"):
        asked = (register, "--wave", 2)
        assert run("eval", "--state", path, *asked).out == run("eval", "--core", core, *asked).out
    document = json.loads(path.read_text("utf-8"))
    assert not document["memory"], "nothing of the rest of the memory"
    done = run("waves", core, "--save", path, "--wave", 2, "--memory", "0x7e0000002080,8")
    assert done.status == 0
    assert len(json.loads(path.read_text("utf-8"))["memory"]) == 1


def test_every_command_looks_at_the_first_active_lane_of_a_core(tmp_path: Path) -> None:
    core = written("call.gfx942.O0", tmp_path)
    lane = "thread 1, lane 0 (AMDGPU Lane 1:1:?:1/0 (?,?,?)[?,?,?]): the first active lane"
    done = run("eval", core, "n")
    assert done.lines == ["n = 5"] and lane in done.err
    assert run("explain", core, "n").lines[-2] == "=> n = 5"
    assert run("location", core, "n").lines[-1].endswith("(wave 1, lane 0)")
    done = run("bt", core)
    assert "[Current thread is 1, lane 0 (AMDGPU Lane 1:1:?:1/0 (?,?,?)[?,?,?])]" in done.lines
    assert any(line.startswith("#0  inner (cell=") and "n=5)" in line for line in done.lines)
    assert run("eval", core, "--lane", "3", "n").err.count("first active") == 0


def test_where_and_convert_take_a_core(tmp_path: Path) -> None:
    core = written("call.gfx942.O0", tmp_path)
    done = run("where", core, "n")
    assert done.lines[0] == "parameter int n, declared at line 6 of inner"
    assert "note: in the scopes at 0x1f98, where thread 1 is" in done.err
    of_outer = run("where", "--core", core, "--function", "outer", "n")
    assert of_outer.lines[0] == "parameter int n, declared at line 15 of outer"
    assert run("where", "--all", core).lines[0].startswith("inner: ")
    assert run("where", core, "--wave", 9, "n").error.startswith("--wave 9: the core has no such")
    result = run_json("convert", "--core", core, "private_lane#0x10", "--lane", 3).json
    validate(result)
    by_space = {
        conversion["space"]: conversion.get("address") for conversion in result["conversions"]
    }
    assert by_space["private_wave"] == 0x40C
    assert by_space["global"] == result["apertures"]["scratch_base"] + 0x40C
    refused = run("convert", "local#0", "--core", core, "--wave", 7).error
    assert refused == "--wave 7: the core has no such wave; it has only wave 1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--save", "X", "--wave", 9), "--wave 9: the core has no such wave"),
        (
            ("--wave", 1),
            "--wave chooses the wave that --save FILE writes: give --save FILE, too; "
            "bt, eval and lanes show one wave",
        ),
        (("--save", "X", "--memory", "5"), "--memory 5: expected ADDRESS,SIZE"),
        (("--kernel", "x"), "--kernel x: the waves are of diverge"),
    ],
)
def test_wrong_requests_about_waves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[object, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("waves", "--core", written("dispatch.gfx1100", tmp_path), *arguments)
    assert message in done.error


def test_the_first_screen_is_short(tmp_path: Path) -> None:
    """However many places waves are at: those that failed are first."""
    made = Machine(Random(2))
    for _ in range(3):
        made.add_queue(made.add_agent("9.4", num_xcc=4), groups_per_xcc=3)
    path = tmp_path / "many.core"
    path.write_bytes(made.made().data)
    assert len(made.waves) > 40
    lines = run("waves", path).lines
    assert len(lines) == 1 + MAX_GROUPS + 1
    assert lines[-1].endswith(
        f"at {len(made.waves) - MAX_GROUPS} other locations; waves --all lists every wave"
    )
    assert lines[-1] in run("info", path).lines
    every = run("waves", path, "--all").lines
    assert len(every) == 1 + len(made.waves)
    assert len({line.index("0x") for line in every[1:]}) == 1, "frames are in one column"


def test_waves_of_a_kernel_and_those_that_failed(tmp_path: Path) -> None:
    core = written("dispatch.gfx1100", tmp_path)
    assert len(run("waves", core, "--kernel", "diverge").lines) == 6
    assert len(run("waves", core, "--faulty").lines) == 1
    lines = run("waves", core).lines
    assert lines[0] == "5 waves on gfx1100, none faulty"
    assert lines[1] == "  5 waves of diverge in item () at opencl/kernels.cl:26, threads 1-5"


HOST = FIXTURES / "core/crash.x86_64.O0.core"
SYSROOT = ("--sysroot", FIXTURES / "core")


def parts_of(core: Path) -> tuple[bytes, list[tuple[int, bytes]]]:
    """The note of a core of GPUs, and its memory."""
    file = ObjectFile(str(core), core.read_bytes())
    [note] = [segment for segment in file.segments if segment.type == PT_NOTE]
    loads = [
        (segment.address, file.file_bytes(segment.offset, segment.file_bytes, "segment"))
        for segment in file.segments
        if segment.type == PT_LOAD
    ]
    return file.file_bytes(note.offset, note.file_bytes, "note"), loads


@pytest.mark.parametrize("more", range(0, 16, 4))
def test_a_dump_that_a_pipe_took(tmp_path: Path, more: int) -> None:
    """ROCr rounds the offsets of memory up to 16, and writes no padding to a pipe."""
    core = written("call.gfx942.O0", tmp_path)
    note, loads = parts_of(core)
    note += struct.pack("<III", 4, more, 99) + b"XYZ\0" + bytes(more)
    header, path = bytearray(core.read_bytes()[:64]), tmp_path / "piped.core"
    offset = 64 + 56 * (1 + len(loads))
    rows = [struct.pack("<IIQQQQQQ", PT_NOTE, 0, offset, 0, 0, len(note), 0, 2)]
    offset = -(-(offset + len(note)) // 16) * 16
    for address, data in loads:
        rows.append(
            struct.pack("<IIQQQQQQ", PT_LOAD, 7, offset, address, 0, len(data), len(data), 4)
        )
        offset += -(-len(data) // 16) * 16
    memory = b"".join(data.ljust(-(-len(data) // 16) * 16, b"\0") for _, data in loads)
    path.write_bytes(bytes(header) + b"".join(rows) + note + memory)
    shift = -(64 + 56 * (1 + len(loads)) + len(note)) % 16
    done = run("eval", path, "n", "table")
    assert done.lines == run("eval", core, "n", "table").lines
    text = f"its memory is {shift} bytes before the offsets in its headers"
    assert (text in done.err) == bool(shift)
    assert "cut short" not in done.err


def test_the_core_file_of_the_process_has_what_that_of_the_gpus_lacks(tmp_path: Path) -> None:
    """As ROCr writes them: the save areas and the list of code objects are in host memory."""
    core = written("call.gfx942.O0", tmp_path)
    note, loads = parts_of(core)
    state = read_core(ObjectFile("core", core.read_bytes())).gpu
    assert state is not None
    own = {state.queues[0].ctx_save_restore_address, state.runtime.r_debug}
    of_host = [(at, data) for at, data in loads if own & set(range(at, at + len(data), 4096))]
    assert of_host and len(of_host) < len(loads)
    gpu = tmp_path / "gpucore.1"
    ranges = [LoadedRange(at, data) for at, data in loads if (at, data) not in of_host]
    gpu.write_bytes(b"".join(core_parts([note], ranges)))
    alone = run("bt", gpu)
    assert alone.status == 2
    assert "its waves are not read: the context save area" in alone.error
    assert "in the core file of the process: give --core PROCESS --gpu-core FILE" in alone.error
    assert "…" not in alone.error
    assert run("bt", gpu, "--wave", 1).error == alone.error
    assert run("info", gpu).lines[1] == "waves: no waves are read; see the notes"
    host = tmp_path / "host.core"
    host.write_bytes(with_memory(HOST, of_host))
    both = ("--core", host, "--gpu-core", gpu, *SYSROOT)
    file = FIXTURES / "hip/call.gfx942.O0.v5.co"
    given = ("--code-object", f"file://{quote(str(file))}={file}")
    done = run("eval", *both, *given, "--wave", 3, "n", "table")
    assert done.lines == run("eval", core, "n", "table").lines
    assert run("eval", *both, *given, "sum").lines == ["sum = 74"]
    lost = run("eval", *both, *given, "--wave", 3, "*(int *) 0x123456")
    assert "neither core file has it" in lost.out + lost.err


def with_memory(core: Path, more: list[tuple[int, bytes]]) -> bytes:
    """A core file with more memory: its program headers are moved behind the rest."""
    data = bytearray(core.read_bytes())
    [at] = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    table = data[at : at + size * count]
    for address, content in more:
        row = (PT_LOAD, 6, len(data), address, 0, len(content), len(content), 1)
        table += struct.pack("<IIQQQQQQ", *row)
        data += content
    struct.pack_into("<Q", data, 32, len(data))
    struct.pack_into("<H", data, 56, count + len(more))
    return bytes(data + table)


def merged_core(host: Path, gpu: Path) -> bytes:
    """One file of both halves, as ROCgdb's gcore and merge tool write it."""
    note, loads = parts_of(gpu)
    data = bytearray(with_memory(host, loads))
    [count] = struct.unpack_from("<H", data, 56)
    data += struct.pack("<IIQQQQQQ", PT_NOTE, 0, len(data) + 56, 0, 0, len(note), 0, 4) + note
    struct.pack_into("<H", data, 56, count + 1)
    return bytes(data)


def test_a_merged_core(tmp_path: Path) -> None:
    core, merged = written("call.gfx942.O0", tmp_path), tmp_path / "merged.core"
    merged.write_bytes(merged_core(HOST, core))
    file = FIXTURES / "hip/call.gfx942.O0.v5.co"
    given = (*SYSROOT, "--code-object", f"file://{quote(str(file))}={file}")
    lines = run("info", merged, *given).lines
    assert lines[0] == f"{merged}: core file of x86_64, process 19189, with AMD GPUs"
    assert [line[:4] for line in lines[5:7]] == ["* 1 ", "  2 "]
    assert "  1 wave in inner (...) at hip/call.hip:12, thread 3" in lines
    [loaded] = [line for line in lines if file.name in line]
    assert loaded.endswith(f"{file}: 1 kernel, DWARF 5, dialect upstream-clang")
    assert run("eval", merged, *given, "--wave", 3, "n").lines == ["n = 5"]
    assert run("eval", merged, *given, "--wave", "all", "n").lines[-1] == "n = 5"
    dialogue = run(
        "debug", merged, *given, "--batch", "-ex", "info threads", "-ex", "thread 3",
        "-ex", "print n", "-ex", "thread 1", "-ex", "print sum",
    ).lines  # fmt: skip
    assert "$1 = 5" in dialogue and "$2 = 74" in dialogue
    assert any("AMDGPU Wave 1:1:?:1" in line for line in dialogue)


def test_a_dump_whose_later_headers_are_empty(tmp_path: Path) -> None:
    """ROCr of 2025 leaves the program headers zero that come after a limit."""
    core = written("call.gfx942.O0", tmp_path)
    data, path = bytearray(core.read_bytes()), tmp_path / "cut.core"
    count = int.from_bytes(data[56:58], "little")
    data[64 + 56 * 2 : 64 + 56 * count] = bytes(56 * (count - 2))
    path.write_bytes(data)
    done = run("info", path)
    assert f"note: {path} is cut short: {count - 2} of its program headers are empty" in done.lines
    assert f"{path} is cut short" in run("bt", path).error
    done = run("waves", path)
    assert (done.status, done.lines) == (1, ["no waves are read; see the notes"])
    assert "its waves are not read: the context save area" in done.err
    assert run("waves", path, "--all").status == run("waves", path, "--json").status == 1
    failed = run("waves", path, "--faulty")
    assert (failed.status, failed.lines) == (1, ["No wave that is read has failed."])


def test_a_core_says_how_it_numbers_waves(tmp_path: Path) -> None:
    """amd-dbgapi numbers the waves of a core in the order of the save areas, from 1 on."""
    core, file = tmp_path / "x.core", FIXTURES / "opencl/kernels.gfx942.O0.v5.co"
    asked = ("run", file, "loop", "--grid", 256, "--workgroup", 64, "--arg", "out=zeros:1024")
    done = run(*asked, "--arg", "in=zeros:1020", "--arg", "n=1", "--core", core)
    assert "AMDGPU Lane 1:1:1:4/63 (3,0,0)[63,0,0] stopped" in done.out
    assert "without those that have ended: wave 4 is wave 1 there" in done.err
    assert "Thread 1 (AMDGPU Wave 1:1:1:1 (3,0,0)/0)" in run("bt", core).out
    whole = run(*asked, "--arg", "in=zeros:1200", "--arg", "n=100", "--core", core)
    assert "not counted" not in whole.err


def test_large_fills_are_written_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state of a few bytes may have a gigabyte of memory."""
    made: list[int] = []
    to_bytes = Fill.to_bytes

    def counted(fill: Fill) -> bytes:
        made.append(len(fill))
        return to_bytes(fill)

    monkeypatch.setattr(Fill, "to_bytes", counted)
    size = 8 * PIECE_BYTES + 5
    memory: list[dict[str, Any]] = [
        {"address": (1 << 20) - 2, "bytes": "0102"},
        {"address": 1 << 20, "fill": 7, "size": size},
        {"address": (1 << 20) + size, "bytes": "0304"},
        {"address": 1 << 28, "fill": 9, "size": 2},
    ]
    memory += [
        {"address": (2 + number) << 28, "fill": number, "size": PIECE_BYTES} for number in range(30)
    ]
    state, core = tmp_path / "s.json", tmp_path / "c.core"
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-2", "architecture": "gfx942", "memory": memory,
        "waves": [{"pc": 0, "registers": {"exec": "0xffff"}}],
    }))  # fmt: skip
    tracemalloc.start()
    try:
        done = run("debug", "-q", "--state", state, "--batch", "-ex", f"generate-core-file {core}")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert done.status == 0
    assert sum(made) <= 31 * PIECE_BYTES + 2
    assert most < 20 * PIECE_BYTES
    words = [f"x/4xb {address:#x}" for address in ((1 << 20) - 2, (1 << 20) + size - 2)]
    words += [f"x/2xb {1 << 28:#x}"]
    done = run("debug", "-q", core, "--batch", *(part for word in words for part in ("-ex", word)))
    assert [line.split("\t")[1:] for line in done.lines[-3:]] == [
        ["0x01", "0x02", "0x07", "0x07"], ["0x07", "0x07", "0x03", "0x04"], ["0x09", "0x09"]
    ]  # fmt: skip
    assert dict(parts_of(core)[1])[1 << 20] == b"\7" * size
