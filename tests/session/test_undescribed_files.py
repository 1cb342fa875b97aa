"""What a session says of files without debugging information."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.session.unknown_name import undescribed
from tests.cli.command import run
from tests.dwarf.builder import elf
from tests.repl.side_by_side import build


def _opened(path: Path) -> CodeObject:
    link = b"k.debug\0" + bytes(4)
    path.write_bytes(elf({".gnu_debuglink": link}, machine=62))
    return CodeObject.open(path, debug_directories=[])


def test_their_number(tmp_path: Path) -> None:
    files = [_opened(tmp_path / "a.co"), _opened(tmp_path / "b.co")]
    assert undescribed(files[:1]) == "a.co has no debugging information"
    assert undescribed(files) == "a.co, b.co have no debugging information"


def test_a_debug_file_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "k.debug").write_bytes(elf({".debug_info": b""}, machine=62))
    file = _opened(tmp_path / "a.co")
    message = undescribed([file])
    assert message == f"a.co has no debugging information; {file.unusable_debug_file}"
    assert file.opening_notes == [str(file.unusable_debug_file)]
    assert str(file.unusable_debug_file).startswith(
        f"the debug file of {tmp_path}/a.co cannot be used: {tmp_path}/k.debug has the checksum 0x"
    )


def test_a_function_of_it_that_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "k.debug").write_bytes(elf({".debug_info": b""}, machine=62))
    file = _opened(tmp_path / "a.co")
    done = run("disas", tmp_path / "a.co", "leaf")
    assert f"debugging information: give an address; {file.unusable_debug_file}" in done.error


def test_a_debug_file_of_another_build_costs_the_debug_information_only(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The program can be used, as without a debug file, and each command says why."""
    source = "int g = 7; int f(int a) { return a + g; } int main() { return f(2); }"
    build(
        tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-Wl,--build-id=0x1234", "a.c", "-o", "a"]]
    )
    objcopy, path, debug = tool("objcopy"), tmp_path / "b", tmp_path / "a.debug"
    for arguments in (
        ["--only-keep-debug", tmp_path / "a", debug],
        ["--strip-debug", f"--add-gnu-debuglink={debug}", tmp_path / "a", path],
    ):
        subprocess.run([objcopy, *arguments], check=True, timeout=60)
    assert run("eval", path, "g").out == "g = 7\n"
    data = path.read_bytes()
    assert data.count(b"GNU\0\x12\x34") == 1
    path.write_bytes(data.replace(b"GNU\0\x12\x34", b"GNU\0\x12\x35"))
    why = f"the debug file of {path} cannot be used: {debug} is from another build: "
    why += "build ID 1234, not 1235"
    done = run("eval", path, "(int)g")
    assert (done.status, done.out) == (0, "(int)g = 7\n")
    assert done.err.count(f"note: {why}\n") == 1
    for words in (("where", path, "g"), ("frames", path), ("info", path), ("disas", path, "f"),
                  ("check", path), ("location", path, "main"), ("explain", path, "(int)g"),
                  ("debug", path, "-batch", "-ex", "print (int)g")):  # fmt: skip
        done = run(*words)
        assert why in done.out + done.err, words
