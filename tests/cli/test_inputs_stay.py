"""No command replaces a file that it reads: every writer, every kind of input, links to it too."""

from __future__ import annotations

import os
import shlex
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

from dwarfgpu.base.input_files import input_paths, record_input, recorded_inputs
from dwarfgpu.base.records import frozen
from dwarfgpu.base.writing import append_parts, write_file, write_set
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.core.notes import read_core
from dwarfgpu.machine.core.write import LoadedRange, core_parts
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import FIXTURES, run
from tests.cli.test_gpu_core_of_state import HOST, SYSROOT, parts_of, with_memory, written
from tests.dwarf.builder import Content, elf
from tests.objfile.build import note

REFUSED = "is an input: give another file"
NEST = FIXTURES / "hip/nest.gfx942.O2.v5.co"
LAUNCH = ("nest", "--grid", 64, "--workgroup", 64, "--arg", "0=zeros:4096", "--arg", "1=1")
LAST = ("--arg", "2=2")


@frozen
class Asked:
    """A debug session that opens files."""

    arguments: tuple[object, ...]
    """Of `debug`."""
    inputs: tuple[Path, ...]
    commands: tuple[str, ...] = ()
    """What opens them."""
    is_state: bool = False


def copied(folder: Path, *names: str) -> list[Path]:
    out = [folder / Path(name).name for name in names]
    for name, path in zip(names, out, strict=True):
        path.write_bytes((FIXTURES / name).read_bytes())
    return out


def of_state(folder: Path) -> Asked:
    code, state = folder / "k.co", folder / "s.json"
    code.write_bytes(NEST.read_bytes())
    assert run("dispatch", code, *LAUNCH, *LAST, "--save", state).status == 0
    arrays = tuple(folder.glob("*.npy"))
    assert arrays
    return Asked(("--state", state), (code, *arrays), is_state=True)


def of_loaded_state(folder: Path) -> Asked:
    asked = of_state(folder)
    return Asked((), asked.inputs, (f"load {asked.arguments[1]}",), is_state=True)


def of_core(folder: Path) -> Asked:
    program, core = copied(folder, "core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core")
    return Asked(("--core", core, "--file", program), (program, core))


def of_core_file(folder: Path) -> Asked:
    asked = of_core(folder)
    program, core = asked.inputs
    return Asked((), asked.inputs, (f"file {program}", f"core-file {core}"))


def of_split_units(folder: Path) -> Asked:
    program, *units = copied(
        folder, "split/clang5/prog", "split/clang5/a.dwo", "split/clang5/b.dwo"
    )
    return Asked(("--file", program), (program, *units), ("info functions",))


def of_a_package(folder: Path) -> Asked:
    files = copied(folder, "split/clang5/prog", "split/clang5/prog.dwp")
    return Asked(("--file", files[0]), tuple(files), ("info functions",))


def of_a_supplementary_file(folder: Path) -> Asked:
    files = copied(folder, "split/dwz5/prog", "split/dwz5/common.debug")
    return Asked(("--file", files[0]), tuple(files), ("info functions", "info types"))


def of_a_linked_debug_file(folder: Path) -> Asked:
    program, debug = folder / "a", folder / "a.debug"
    debug.write_bytes(elf({".debug_info": b""}, machine=62))
    crc = zlib.crc32(debug.read_bytes()).to_bytes(4, "little")
    program.write_bytes(elf({".gnu_debuglink": b"a.debug\0" + crc}, machine=62))
    return Asked(("--file", program), (program, debug))


def of_a_debug_file_by_build_id(folder: Path) -> Asked:
    identity = Content(note(b"GNU", 3, bytes.fromhex("abcdef0123456789")), 7)
    program, debug = folder / "a", folder / "root/.build-id/ab/cdef0123456789.debug"
    debug.parent.mkdir(parents=True)
    debug.write_bytes(elf({".debug_info": b"", ".note.gnu.build-id": identity}, machine=62))
    program.write_bytes(elf({".note.gnu.build-id": identity}, machine=62))
    return Asked(("--file", program, "--debug-dir", folder / "root"), (program, debug))


def of_sources(folder: Path) -> Asked:
    program, source = copied(folder, "x86_64/demo.gcc.O0.v5", "x86_64/demo.c")
    beside = f"directory {shlex.quote(str(folder))}"
    return Asked(("--file", program), (program, source), (beside, "list main"))


def of_two_cores(folder: Path) -> Asked:
    """As ROCr writes them: host memory in the core file of the process."""
    whole = written("call.gfx942.O0", folder)
    state_note, loads = parts_of(whole)
    state = read_core(ObjectFile("core", whole.read_bytes())).gpu
    assert state is not None
    own = {state.queues[0].ctx_save_restore_address, state.runtime.r_debug}
    of_host = [(at, data) for at, data in loads if own & set(range(at, at + len(data), 4096))]
    gpu, host, code = folder / "gpucore.1", folder / "host.core", folder / "call.co"
    ranges = [LoadedRange(at, data) for at, data in loads if (at, data) not in of_host]
    gpu.write_bytes(b"".join(core_parts([state_note], ranges)))
    host.write_bytes(with_memory(HOST, of_host))
    original = FIXTURES / "hip/call.gfx942.O0.v5.co"
    code.write_bytes(original.read_bytes())
    given = ("--code-object", f"file://{quote(str(original))}={code}", *SYSROOT)
    return Asked(("--core", host, "--gpu-core", gpu, *given), (host, gpu, code), ("bt",))


SESSIONS: tuple[Callable[[Path], Asked], ...] = (
    of_state, of_loaded_state, of_core, of_core_file, of_split_units, of_a_package,
    of_a_supplementary_file, of_a_linked_debug_file, of_a_debug_file_by_build_id, of_sources,
    of_two_cores,
)  # fmt: skip
WRITERS = (
    "dump value {quoted} 1", "dump binary value {quoted} 1", "append value {quoted} 1",
    "append binary value {quoted} 1", "save breakpoints {}",
)  # fmt: skip
WRITERS_OF_STATES = (
    "save {}",
    "gcore {}",
    "generate-core-file {}",
    "dump memory {quoted} $pc $pc+4",
)


def links(path: Path) -> list[Path]:
    """The file under its own path, by way of `..`, as a hard link, and as a symbolic one."""
    hard, symbolic = (path.with_name(f"{path.name}.{kind}") for kind in ("hard", "symbolic"))
    hard.hardlink_to(path)
    symbolic.symlink_to(path)
    return [path, path.parent / ".." / path.parent.name / path.name, hard, symbolic]


@pytest.mark.parametrize("session", SESSIONS)
def test_the_prompt_replaces_no_input(session: Callable[[Path], Asked], tmp_path: Path) -> None:
    asked = session(tmp_path)
    writers = WRITERS + (WRITERS_OF_STATES if asked.is_state else ())
    for path in asked.inputs:
        before, size = path.stat(), path.stat().st_size
        contents = path.read_bytes()
        for link in links(path):
            quoted = shlex.quote(str(link))
            commands = [*asked.commands, "break *0x1000"]
            commands += [text.format(link, quoted=quoted) for text in writers]
            commands += [
                f"set logging file {link}",
                "set logging enabled on",
                "show logging enabled",
            ]
            given = [word for command in commands for word in ("-ex", command)]
            done = run("debug", *asked.arguments, "--batch", *given)
            assert done.err.count(f"{link} {REFUSED}\n") == len(writers) + 1, (link, done.err)
            assert not link.is_symlink() or link.readlink() == path
        assert path.read_bytes() == contents
        assert (path.stat().st_ino, path.stat().st_size) == (before.st_ino, size)


def test_a_log_that_begins_before_its_file_is_opened(tmp_path: Path) -> None:
    """What is not an input yet may be written; what was closed is given another name."""
    program, other = copied(tmp_path, "core/shapes.x86_64.O0", "core/crash.x86_64.O0")
    first = shlex.quote(str(program))
    done = run(
        "debug", "--batch", "-ex", f"dump value {first} 1", "-ex", f"file {other}",
        "-ex", f"dump value {first} (char)2", "-ex", f"dump value {shlex.quote(str(other))} 3",
    )  # fmt: skip
    assert program.read_bytes() == b"\2"
    assert f"{other} {REFUSED}" in done.err and done.err.count(REFUSED) == 1


def test_waves_replace_neither_core_nor_code(tmp_path: Path) -> None:
    asked = of_two_cores(tmp_path)
    for path in asked.inputs:
        contents = path.read_bytes()
        for link in links(path):
            done = run("waves", *asked.arguments, "--save", link)
            assert (done.status, done.out) == (2, "")
            assert done.error.endswith(f"{link} {REFUSED}")
        assert path.read_bytes() == contents


@pytest.mark.parametrize("option", ["--save", "--core", "--out"])
def test_a_run_replaces_no_file_of_debug_information(option: str, tmp_path: Path) -> None:
    names = ("split/gfx942-5/nest.co", "split/gfx942-5/nest.co-nest_gfx942.dwo")
    code, unit = copied(tmp_path, *names)
    array = tmp_path / "in.npy"
    np.save(array, np.arange(1024, dtype=np.int32))
    for path in (code, unit, array):
        contents = path.read_bytes()
        for link in links(path):
            value = f"out={link}" if option == "--out" else link
            launch = ("nest", "--grid", 64, "--workgroup", 64, "--arg", f"0=@{array}")
            launch += ("--arg", "1=zeros:4096", *LAST)
            done = run("run", code, *launch, "--break", "nest.hip:12", option, value)
            assert f"{link} {REFUSED}" in done.err, (link, done.err)
        assert path.read_bytes() == contents


def test_a_report_replaces_no_file_that_it_is_about(tmp_path: Path) -> None:
    [code] = copied(tmp_path, "hip/nest.gfx942.O2.v5.co")
    report, contents = tmp_path / "r.html", code.read_bytes()
    report.hardlink_to(code)
    done = run("check", code, "--report", report)
    assert (done.status, done.error) == (2, f"--report {report}: {report} {REFUSED}")
    assert code.read_bytes() == contents


@pytest.mark.parametrize("form", ["png", "svg"])
def test_a_picture_replaces_no_input(form: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    asked = of_state(tmp_path)
    for path in (asked.arguments[1], *asked.inputs):
        assert isinstance(path, Path)
        contents = path.read_bytes()
        for link in links(path):
            done = run("lanes", *asked.arguments, f"--{form}", link, "$v0[$_lane]")
            assert f"{link} {REFUSED}" in done.err
        assert path.read_bytes() == contents


def array_of(state: Path) -> Path:
    """The array of v0 in all waves."""
    [array] = state.parent.glob(f"{state.stem}.v0.*.npy")
    return array


@pytest.mark.parametrize("kind", ["path", "hard", "symbolic"])
@pytest.mark.parametrize("command", ["dispatch", "run"])
def test_an_old_array_that_is_an_argument_stays(command: str, kind: str, tmp_path: Path) -> None:
    """The state that is saved no longer names it: v0 has other lanes, and a buffer is of bytes."""
    state, other = tmp_path / "s.json", tmp_path / "other.npy"
    first = (*LAUNCH, *LAST)
    assert run("dispatch", NEST, *first, "--save", state).status == 0
    old = array_of(state)
    given = old
    if kind != "path":
        given = other
        getattr(given, "hardlink_to" if kind == "hard" else "symlink_to")(old)
    contents = old.read_bytes()
    again = (
        "nest",
        "--grid",
        32,
        "--workgroup",
        32,
        "--arg",
        f"0=@{given}",
        "--arg",
        "1=zeros:4096",
    )
    stops = ("--break", "nest.hip:12") if command == "run" else ()
    done = run(command, NEST, *again, *LAST, *stops, "--save", state)
    assert old.name not in state.read_text(), done.err
    assert old.read_bytes() == contents


def test_an_array_of_a_replaced_state_is_removed(tmp_path: Path) -> None:
    """It is no input of its own, even if the session has read it with the state."""
    state = tmp_path / "s.json"
    assert run("dispatch", NEST, *LAUNCH, *LAST, "--save", state).status == 0
    old = array_of(state)
    done = run(
        "debug", "--state", state, "--batch", "-ex", "set var $v0[3]=77", "-ex", f"save {state}"
    )
    assert old.name not in state.read_text(), done.err
    assert not old.exists()


def test_outside_of_a_command_nothing_is_recorded(tmp_path: Path) -> None:
    """A Python program that opens and writes many files decides itself what it may replace."""
    path, other = tmp_path / "a", tmp_path / "b"
    record_input(path)
    assert input_paths() == []
    write_file(path, b"1")
    with recorded_inputs([str(path)]):
        record_input(other, "state")
        record_input(other)  # opened as another kind of file: it stays a state
        for refused in (path, other):
            with pytest.raises(UsageError, match=REFUSED):
                write_file(refused, b"2")
            with pytest.raises(UsageError, match=REFUSED):
                append_parts(refused, [b"2"])
        with pytest.raises(UsageError, match=REFUSED):
            write_set(path, b"{}", {})
        with pytest.raises(UsageError, match=REFUSED):
            write_set(tmp_path / "c", b"{}", {"a": b"2"})
        write_set(other, b"{}", {})
        with recorded_inputs():
            write_file(path, b"3")
        with pytest.raises(UsageError, match=REFUSED):
            write_file(path, b"4")
    assert (path.read_bytes(), other.read_bytes()) == (b"3", b"{}")
    assert not os.path.exists(tmp_path / "c")
    write_file(path, b"5")
