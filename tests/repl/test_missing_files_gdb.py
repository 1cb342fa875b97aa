"""Core files of processes whose program or library is missing, against the installed GDB.

GDB reads no symbols of libraries without the program, so that it says that they have none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.command import run, validate
from tests.repl.side_by_side import answers, build, build_with_library, with_core

LIBRARY = """
int of_library = 3;
void stop(int *at) { *at = of_library; __builtin_trap(); }
"""
PROGRAM = """
void stop(int *);
int of_program;
int main(void) { stop(&of_program); return 0; }
"""

FOOTER = "(*): Shared library is missing debugging information."


@pytest.fixture
def files(tmp_path: Path, tool: Callable[[str], str]) -> list[str]:
    """Return a program with a library, and its core file."""
    build_with_library(tmp_path, "c", LIBRARY, PROGRAM, [tool("gcc")])
    return with_core(tool, tmp_path)


def both(tool: Callable[[str], str], files: Sequence[str], command: str) -> list[str]:
    """Return the answers of GDB and of dwarfgpu, without warnings; without a program, do not say
    whether symbols of libraries are read."""
    loading = [f"file {path}" for path in files[:-1]] + [f"core-file {files[-1]}"]
    given = [
        *answers(tool("gdb"), [], [*loading, command])[-1:],
        *answers(None, [*files], [command]),
    ]
    left_out = r"^(note: |warning: |Do you need )"
    said = [
        "".join(f"{line.rstrip()}\n" for line in text.splitlines() if not re.match(left_out, line))
        for text in given
    ]
    if len(files) > 1:
        return said
    said = [re.sub(r"^(0x.{38})(No|Yes|Yes \(\*\)) +(?=/)", r"\1", it, flags=re.M) for it in said]
    return [it.removesuffix(f"{FOOTER}\n") for it in said]


@pytest.mark.parametrize("has_program", [True, False])
@pytest.mark.parametrize(
    "command", ["info sharedlibrary", "info sharedlibrary own", "info dll none"]
)
def test_a_missing_library_is_listed_without_addresses(
    tool: Callable[[str], str], files: list[str], command: str, has_program: bool
) -> None:
    program, core = files
    Path(program).with_name("libown.so").unlink()
    if not has_program:
        Path(program).unlink()
    of_gdb, own = both(tool, files if has_program else [core], command)
    assert own == of_gdb


def test_a_replaced_library_is_listed_with_the_reason(
    tmp_path: Path, tool: Callable[[str], str], files: list[str]
) -> None:
    """GDB takes its addresses from the file that is there now."""
    command = [tool("gcc"), "-g", "-fPIC", "-shared", "-o", "libown.so", "lib.c"]
    build(tmp_path, {"lib.c": LIBRARY.replace("3", "4")}, [[*command, "-Wl,--build-id=0xabcd"]])
    (said,) = answers(None, files, ["info sharedlibrary own"])
    _, _, row, note = said.splitlines()
    assert row == f"{'':40}No          {tmp_path}/libown.so"
    reason = "it has build ID abcd, what was mapped has "
    assert note.startswith(f"note: {tmp_path}/libown.so is not used: {reason}")
    given = ("debug", "--batch", "-q", "--interpreter=json", *files, "-ex", "info dll own")
    answer = json.loads(run(*given).lines[-1])
    validate(answer)
    [library] = answer["shared-libraries"]
    assert library.pop("why").startswith(reason)
    assert library == {"id": f"{tmp_path}/libown.so", "symbols-loaded": False, "ranges": []}


@pytest.mark.parametrize(
    "command",
    ["info sharedlibrary", "info inferiors", "inferior", "compare-sections .text"],
)
def test_no_library_is_taken_for_a_missing_program(
    tool: Callable[[str], str], files: list[str], command: str
) -> None:
    program, core = files
    Path(program).rename(f"{program}.moved")
    of_gdb, own = both(tool, [core], command)
    assert own == of_gdb


def test_the_executable_of_a_missing_program_is_none(files: list[str]) -> None:
    """GDB shows `<no file loaded>` once it has listed the libraries."""
    program, core = files
    Path(program).rename(f"{program}.moved")
    commands = ["info files", "maint info sections", f"core-file {core}"]
    of_files, of_sections, again = answers(None, [core], commands)
    assert "Symbols from" not in of_files
    assert "\nLocal exec file:\n\t<no file loaded>\n\t0x" in of_files
    assert " is .text in " in of_files and " is .text\n" not in of_files
    assert "Exec file" not in of_sections
    assert "may not match" not in again


def test_no_file_of_a_library_is_listed_for_a_missing_program(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    program = PROGRAM.replace("stop(&", "if (!of_program) __builtin_trap(); stop(&")
    build_with_library(tmp_path, "c", LIBRARY, program, [tool("gcc")])
    path, core = with_core(tool, tmp_path)
    Path(path).rename(f"{path}.moved")
    (said,) = answers(None, [core], ["list"])
    assert said.splitlines()[1:] == ["No source line is known for the frame."]


ADVICE = {
    ("a",): ["FILE names the program"],
    ("libown.so",): ["--sysroot DIR names the root folder of the libraries"],
    ("a", "libown.so"): [
        "FILE names the program, and --sysroot DIR the root folder of its libraries"
    ],
}


@pytest.mark.parametrize("missing", ADVICE, ids="+".join)
def test_advice_is_for_what_is_missing(files: list[str], missing: tuple[str, ...]) -> None:
    program, core = files
    for name in missing:
        Path(program).with_name(name).rename(f"{program}.{name}")
    given = [core] if "a" in missing else files
    said = [note for note in run("bt", *given).notes if "names the " in note]
    assert said == ADVICE[missing]
    if "libown.so" in missing:
        option = "FILE or --sysroot DIR" if "a" in missing else "--sysroot DIR"
        assert run("eval", *given, "nothing").err.endswith(f"; give {option}\n")
    if "a" in missing:
        given = [f"{program}.a", core]
        assert ADVICE["a",][0] not in run("bt", *given).err


def test_files_of_nasm_are_listed_where_they_are(
    tmp_path: Path, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NASM takes the folder of the source for that of the compilation. GDB finds the text in the
    working folder, and lists files in another order."""
    (tmp_path / "sub").mkdir()
    sources = {
        "sub/x.asm": 'global _start\n_start:\n  nop\n%include "sub/i.asm"\n',
        "sub/i.asm": "  ret\n",
    }
    build(tmp_path, sources, [
        [tool("nasm"), "-f", "elf64", "-g", "-F", "dwarf", "sub/x.asm", "-o", "x.o"],
        [tool("ld"), "x.o", "-o", "a"],
    ])  # fmt: skip
    monkeypatch.chdir(tmp_path)
    commands = ["list _start", "info sources", "info sources i.asm", "info sources -d sub$"]
    given, expected = (
        [text.rstrip().splitlines()[-1].split(", ") for text in answers(gdb, ["a"], commands)[1:]]
        for gdb in (None, tool("gdb"))
    )
    folder = tmp_path.resolve() / "sub"
    assert given == [[f"{folder}/i.asm", f"{folder}/x.asm"], [f"{folder}/i.asm"], given[0]]
    assert [sorted(paths) for paths in expected] == given
    (tmp_path / "sub/i.asm").unlink()
    [listed] = answers(None, ["a"], ["info sources i.asm"])
    assert listed.rstrip().splitlines()[-1] == f"{folder}/sub/i.asm"
