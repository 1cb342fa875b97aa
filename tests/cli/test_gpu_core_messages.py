"""Errors of wrong requests about cores: what, where, and what to do."""

from __future__ import annotations

import lzma
import struct
from pathlib import Path
from shlex import quote

import pytest

from tests.cli.command import FIXTURES, STATES, run, run_json

CORE = FIXTURES / "core/loop.gfx942.core.xz"
ROOT = ("--sysroot", FIXTURES / "opencl")
STATE = STATES / "call.gfx942.O0.json"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("eval", CORE, "t"),
         "t: variables need the code object, which is not available: "
         "file:///opt/app/kernels.gfx942.O0.v5.co is not used: /opt/app/kernels.gfx942.O0.v5.co "
         "cannot be read: No such file or directory; "
         "name it with --code-object URI=FILE or --sysroot DIR"),
        (("run", CORE, "loop"),
         "KERNEL applies to a new dispatch, not to the resumed waves of a state or core file"),
        (("bt", CORE, "--wave", 9), "--wave 9: the core has no such wave; it has waves 1 to 4"),
        (("eval", CORE, *ROOT, "--lane", "63-60", "t"),
         "--lane 63-60: a range begins with its lower lane: 60-63"),
        (("eval", CORE, *ROOT, "--lane", "60-99", "t"),
         "--lane 60-99: the wave has 64 lanes, from 0"),
        (("eval", CORE, *ROOT, "--lane", "x", "t"),
         "--lane x: expected a lane, several as in 0-3,7, or active, inactive or all"),
        (("lanes", CORE, *ROOT, "--lane", "x", "t"),
         "--lane x: expected a lane, several as in 0-3,7, or active, inactive or all"),
        (("debug", STATE, "--batch"),
         f"{STATE} is not an ELF file; give a state with --state {quote(str(STATE))}"),
    ],
)  # fmt: skip
def test_wrong_requests(arguments: tuple[object, ...], message: str) -> None:
    done = run(*arguments)
    assert done.status == 2
    assert message in done.err


def test_a_code_object_that_was_compiled_anew(tmp_path: Path) -> None:
    """It is named once, and also where it was found if its folder is another one."""
    path, core, root = tmp_path / "k.co", tmp_path / "k.core", tmp_path / "root"
    uri = path.as_uri()
    path.write_bytes((FIXTURES / "hip/nest.gfx90a.O0.v5.co").read_bytes())
    buffers = ("--arg", "out=zeros:256", "--arg", "in=zeros:256", "--arg", "limit=1")
    stop = ("--break", "nest", "--stops", 1, "--core", core)
    assert run("run", path, "nest", "--grid", 64, "--workgroup", 64, *buffers, *stop).status == 0
    path.write_bytes((FIXTURES / "hip/nest.gfx90a.O2.v5.co").read_bytes())
    note = f"{uri} is not used: the memory at 0x7f0000000000 has other bytes"
    assert note in run("lanes", core, "--lane", 0, "$pc").notes
    moved = root / path.relative_to("/")
    moved.parent.mkdir(parents=True)
    path.rename(moved)
    note = f"{uri} is not used: {moved}: the memory at 0x7f0000000000 has other bytes"
    assert note in run("lanes", core, "--sysroot", root, "--lane", 0, "$pc").notes


def test_a_gpu_that_no_code_object_is_for(tmp_path: Path) -> None:
    """gfx_target_version of the only GPU is changed from gfx942 to gfx90a."""
    data, version = lzma.decompress(CORE.read_bytes()), struct.pack("<I", 90402)
    assert data.count(version) == 1
    (path := tmp_path / "loop.core").write_bytes(data.replace(version, struct.pack("<I", 90010)))
    note = (
        "GPU 1: the core file says that it is gfx90a, but all code objects are for gfx942: its "
        "waves are read as those of gfx90a, which is wrong unless HSA_OVERRIDE_GFX_VERSION was set"
    )
    assert note in run("waves", path, *ROOT).notes
    assert f"note: {note}" in run("info", path, *ROOT).out
    for silent in (run("waves", path), run("waves", CORE, *ROOT)):  # the first has none
        assert not any("HSA_OVERRIDE" in text for text in silent.notes)


@pytest.mark.parametrize(
    ("version", "name"), [(0x7FFFFFFF, "gfx214748242f"), (0, "gfx000"), (90403, "gfx943")]
)
def test_a_gpu_that_is_unknown(version: int, name: str, tmp_path: Path) -> None:
    """The file has it, not the request: waves are not read, and what else there is, is shown."""
    data = lzma.decompress(CORE.read_bytes()).replace(
        struct.pack("<I", 90402), struct.pack("<I", version)
    )
    (path := tmp_path / "loop.core").write_bytes(data)
    why = (
        f"queue 1: its waves are not read: by NT_AMDGPU_CORE_STATE, GPU 1 is the unknown {name} "
        f"(gfx_target_version {version})"
    )
    for command in ("waves", "info"):
        done = run(command, path, *ROOT)
        assert done.status == 1
        assert f"note: {why}" in done.out + done.err
        assert "HSA_OVERRIDE" not in done.out + done.err
    done = run("bt", "--core", path)
    assert (done.status, done.error) == (2, f"{path} has no waves: {why}")
    assert run_json("bt", "--core", path).json["error"]["kind"] == "Malformed"


def test_a_core_whose_type_is_another(tmp_path: Path) -> None:
    data = bytearray(lzma.decompress(CORE.read_bytes()))
    data[16] = 2  # ET_EXEC
    (path := tmp_path / "loop.core").write_bytes(data)
    done = run("waves", path)
    assert done.error == f"{path} has no waves: give --state FILE or --core FILE"


def test_operations_need_no_code_object() -> None:
    assert run("eval", CORE, "lit5; lit2; plus").lines == ["7"]
    assert run("eval", CORE, "$_lane").status == 0


def prompt(*commands: str) -> tuple[str, str]:
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", CORE, *ROOT, "--batch", *words)
    return done.out, done.err


def test_messages_of_the_prompt() -> None:
    out, err = prompt("info queue packets")
    assert "kernel dispatch" in out, "the only queue"
    _, err = prompt("info signal 0x10")
    assert "0x10 is not a signal: signal numbers are 1 to 15, and addresses of HSA signals" in err
    assert "are 0x1000 or higher." in err
    out, err = prompt("lane apply 62-99 print t")
    assert "$2 = 255" in out
    assert "warning: lanes above 63 are skipped: the wave does not have them" in out + err


def test_an_address_out_of_bounds_has_one_reason() -> None:
    """The core omits nothing, and its contents show that."""
    _, err = prompt("print *(int *) 0x7e00000076b0")
    assert err.endswith("Cannot access memory at address 0x7e00000076b0: nothing is mapped there\n")


def test_a_core_of_threads_speaks_of_threads() -> None:
    done = run("bt", Path(FIXTURES / "core/crash.x86_64.O0.core"), "--thread", 9)
    assert "--thread 9: the core has no such thread; it has threads 1 to 2\n" in done.err
    done = run("bt", Path(FIXTURES / "core/crash.x86_64.O0.core"), "--wave", 9)
    assert "--wave 9: the core has no such thread; it has threads 1 to 2\n" in done.err
    done = run("bt", Path(FIXTURES / "core/crash.x86_64.O0.core"), "--thread", -1)
    assert done.err == "dwarfgpu: --thread: expected an integer of at least 0, not -1\n"


def test_disas_of_a_core() -> None:
    """The code object of the wave that failed, where it was loaded."""
    done = run("disas", CORE, *ROOT)
    assert ".amdhsa_kernel loop" in done.out and "; " in done.out
    assert "00007f0000003b98" in done.out or "7f0000003b98" in done.out
    assert ".amdhsa_kernel nest" not in done.out
    other = run("disas", "--core", CORE, *ROOT, "nest")
    assert other.status == 2 and "nest: it is in no available code object of the core" in other.err
    assert run("disas", "--core", CORE, *ROOT, "walk").out.count("s_setpc_b64") == 1
    assert "no file is available for the code at" in run("disas", CORE).err
    assert "give PLACE alone" in run("disas", "--core", CORE, "x", "y").err
    assert run("disas").error == "give FILE, or a core file"


def test_a_saved_wave_replaces_no_input(tmp_path: Path) -> None:
    core, code = tmp_path / "loop.core.xz", tmp_path / "kernels.gfx942.O0.v5.co"
    core.write_bytes(CORE.read_bytes())
    code.write_bytes((FIXTURES / "opencl" / code.name).read_bytes())
    files = {path: path.read_bytes() for path in (core, code)}
    for path in files:
        done = run("waves", core, "--sysroot", tmp_path, "--save", path)
        assert (done.status, done.out) == (2, "")
        assert done.error == f"--save: {path} is an input: give another file"
    assert files == {path: path.read_bytes() for path in files}


@pytest.mark.parametrize("command", ["bt", "info"])
def test_the_failed_access_in_json(command: str) -> None:
    """The text's `Lane 63 loads 4 bytes at 0x7e00000076b0 …`, as `waves --json` has it."""
    failed = run_json(command, CORE, *ROOT).json["core"]["failed_wave"]
    waves = run_json("waves", CORE, *ROOT).json["waves"]
    (wave,) = (wave for wave in waves if wave["is_faulty"])
    assert failed["failed_access"] == wave["failed_access"]
    assert failed["failed_access"]["lanes"][0]["lane"] == 63
    assert (failed["thread"], failed["stop_reasons"]) == (wave["id"], wave["stop_reasons"])
    assert failed["signals"] == ["SIGSEGV"] and not failed["is_pending"]
