"""The same words mean the same on all commands: files, core files, dialects, exit statuses."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from shlex import quote

import pytest

from tests.cli.command import FIXTURES, STATES, run, run_json

NEST = FIXTURES / "hip/nest.gfx942.O2.v5.co"
PROGRAM = FIXTURES / "core/crash.x86_64.O2"
CORE = FIXTURES / "core/crash.x86_64.O2.core"
SYSROOT = ("--sysroot", FIXTURES / "core")
STATE = STATES / "chain_flat.gfx942.json"
CHAIN = FIXTURES / "asm/chain_flat.gfx942.v5.co"


@pytest.mark.parametrize(
    ("command", "file", "rest"),
    [
        ("eval", NEST, ["--pc", "0x1690", "--lane", "3", "t"]),
        ("eval", NEST, ["-e", "lit4"]),
        ("explain", NEST, ["--pc", "0x1690", "--lane", "3", "t"]),
        ("location", NEST, ["--pc", "0x1690", "--lane", "3", "t"]),
        ("lanes", NEST, ["--pc", "0x1690", "t"]),
        ("where", NEST, ["t"]),
        ("bt", NEST, ["--pc", "0x1690"]),
        ("bt", CHAIN, ["--state", STATE, "--lane", "1"]),
    ],
)
def test_a_file_may_come_first(command: str, file: Path, rest: list[object]) -> None:
    by_option, by_place = run(command, "--file", file, *rest), run(command, file, *rest)
    assert (by_place.out, by_place.err, by_place.status) == (
        by_option.out, by_option.err, by_option.status,
    )  # fmt: skip
    assert by_place.out or by_place.err


def test_waves_take_a_file_too() -> None:
    by_option = run("waves", "--state", STATE, "--file", CHAIN)
    assert run("waves", CHAIN, "--state", STATE) == by_option
    assert by_option.status == 0


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("eval", ["head"]),
        ("eval", []),
        ("explain", ["head"]),
        ("location", ["head"]),
        ("where", ["head"]),
        ("bt", []),
        ("info", []),
        ("debug", ["--batch", "-ex", "bt"]),
    ],
)
def test_a_core_is_recognised_by_its_type(command: str, rest: list[str]) -> None:
    option = run(command, "--core", CORE, *SYSROOT, *rest)
    assert run(command, CORE, *SYSROOT, *rest) == option
    if command != "info":  # there --file is the program
        assert run(command, "--file", CORE, *SYSROOT, *rest) == option


@pytest.mark.parametrize("command", ["eval", "bt", "info", "debug"])
def test_a_core_and_its_program_come_in_any_order(command: str) -> None:
    rest = ["--batch", "-ex", "bt"] if command == "debug" else []
    option = run(command, "--core", CORE, "--file", PROGRAM, *rest)
    assert run(command, PROGRAM, CORE, *rest) == option
    assert run(command, CORE, PROGRAM, *rest) == option


@pytest.mark.parametrize("command", ["frames", "check", "dispatch"])
def test_commands_without_a_machine_need_the_program(command: str) -> None:
    rest = ["--all"] if command == "where" else []
    rest += ["--grid", "64", "--workgroup", "64"] if command == "dispatch" else []
    done = run(command, CORE, *rest)
    assert done.status == 2
    assert "is a core file" in done.error and "give the program" in done.error


@pytest.mark.parametrize("command", ["frames", "check"])
@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_compressed_core_is_one(
    tmp_path: Path, command: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = tmp_path / "packed"
    packed.write_bytes(pack(CORE.read_bytes()))
    said = run(command, packed).error
    assert said == f"{packed} is a core file, without debug information: give the program"
    assert run(command, CORE).error == said.replace(str(packed), str(CORE))


def test_an_operation_and_a_variable_are_not_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plus").write_bytes(NEST.read_bytes())
    (tmp_path / "t").write_bytes(NEST.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert run("eval", "plus").error.startswith("IllFormed: DW_OP_plus")
    assert run("eval", "--demo", "--lane", "4", "t").out == "t = 324\n"
    assert run("eval", "--file", NEST, "--pc", "0x1690", "--lane", "4", "t").status == 1


@pytest.fixture(params=["absent", "folder", "empty", "text", "cut", "tail"])
def unreadable(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A path that names no readable object file."""
    path: Path = tmp_path / "k.co"
    match request.param:
        case "folder":
            path.mkdir()
        case "empty":
            path.touch()
        case "text":
            path.write_text("no object file")
        case "cut":
            path.write_bytes(NEST.read_bytes()[:40])
        case "tail":
            path.write_bytes(NEST.read_bytes()[:1000])
    return path


COMMANDS = [
    ("eval", ["t"]),
    ("explain", ["t"]),
    ("location", ["t"]),
    ("lanes", ["t"]),
    ("where", ["t"]),
    ("where", ["--all"]),
    ("bt", ["--pc", "0"]),
    ("frames", []),
    ("info", []),
    ("check", []),
    ("debug", ["--batch"]),
    ("dispatch", ["--grid", "64", "--workgroup", "64"]),
]


@pytest.mark.parametrize(("command", "rest"), COMMANDS)
def test_a_file_that_cannot_be_read_is_status_2(
    command: str, rest: list[str], unreadable: Path
) -> None:
    done = run(command, unreadable, *rest)
    assert (done.status, done.out) == (2, "")
    assert str(unreadable) in done.error
    if command != "debug":
        answer = run_json(command, unreadable, *rest)
        is_cut = unreadable.is_file() and unreadable.read_bytes().startswith(b"\x7fELF")
        kind = "Malformed" if is_cut else "UsageError"  # of a wrong file the request is to blame
        assert answer.status == 2 and answer.json["error"]["kind"] == kind


@pytest.mark.parametrize("command", ["eval", "bt", "info", "debug"])
def test_a_core_that_is_cut_short_is_status_2(command: str, tmp_path: Path) -> None:
    path = tmp_path / "cut.core"
    path.write_bytes(CORE.read_bytes()[:5000])
    assert run(command, path).status == 2
    assert run(command, "--core", path).status == 2


def test_a_state_is_not_an_object_file() -> None:
    for command in ("eval", "bt", "lanes"):
        assert run(command, STATE).error.endswith(f"give a state with --state {quote(str(STATE))}")


class Terminal(io.StringIO):
    """Standard input where a person sits who has typed nothing."""

    def isatty(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> str:
        raise AssertionError("nothing is read")


@pytest.mark.parametrize("command", ["dis", "asm"])
def test_on_a_terminal_the_usage_is_shown(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal())
    done = run(command)
    assert (done.status, done.out) == (2, "")
    assert done.error.startswith(f"no input; usage: dwarfgpu {command} ")


OVERLAY = "LLVM_overlay"
"""An operation that has a number in amd-provisional alone."""


def test_one_rule_finds_the_dialect() -> None:
    assert run_json("asm", OVERLAY).json["dialect"] == "amd-provisional"
    assert run_json("asm", "lit1").json["dialect"] == "amd"
    assert run("check", OVERLAY).lines[0].startswith("0x0000  error: DW_OP_LLVM_overlay: 4 stack")
    assert "amd-provisional" in run("eval", OVERLAY).err
    assert "amd-provisional" in run("asm", OVERLAY).err


@pytest.mark.parametrize("command", ["asm", "check", "eval", "explain"])
def test_a_dialect_that_is_asked_for_is_used(command: str) -> None:
    done = run(command, "--dialect", "amd", OVERLAY)
    assert done.status == 2
    assert done.error == "1:1: 'LLVM_overlay': no encoding in dialect amd; amd-provisional has one"
    unknown = run(command, "--dialect", "klingon", "lit1").error
    assert unknown.startswith("argument --dialect: invalid choice: 'klingon' (choose from amd, ")
    near = run(command, "--dialect", "amdd", "lit1").error
    assert near.startswith("argument --dialect: invalid choice: 'amdd' (choose from amd, ")
    assert "); did you mean amd? See " in near


@pytest.mark.parametrize("command", ["asm", "check", "eval"])
def test_a_provisional_number_is_noted_by_every_command(command: str) -> None:
    done = run(command, OVERLAY)
    assert [note for note in done.notes if "dialect amd-provisional" in note] == list(done.notes)
    assert len(done.notes) == 1
    assert run_json(command, OVERLAY).json["notes"] == list(done.notes)


def test_eval_and_check_refuse_an_operand_in_the_same_words() -> None:
    text = "regx v6; lit4; mul"
    words = "not a register location description"
    assert f"a value is required, {words}" in run("eval", "--lane", 4, text).error
    assert f"a value is required as the second entry, {words}" in run("check", text).out


@pytest.mark.parametrize(
    "command",
    ["bt", "check", "disas", "dispatch", "eval", "explain", "frames", "info", "lanes", "where"],
)
def test_a_link_that_leads_nowhere_is_a_file_that_cannot_be_read(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("again")
    (tmp_path / "again").symlink_to("loop")
    (tmp_path / "gone").symlink_to("missing")
    for name, why in (("loop", errno.ELOOP), ("gone", errno.ENOENT)):
        done = run(command, name)
        assert (done.error, done.status) == (f"{name} cannot be read: {os.strerror(why)}", 2)
