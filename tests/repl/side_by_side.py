"""The same commands in GDB and at the prompt, of a program that the test compiles."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from tests.repl.plain_gdb import NO_DEBUG_FILES, printed

VOLATILE_PACKAGE = """\
package Pk is
   Start, Sink : Integer := 3;
   pragma Volatile (Start);
   pragma Volatile (Sink);
end Pk;
"""
"""Variables of Ada that optimized code has to read and write."""


def build(folder: Path, sources: Mapping[str, str], commands: Iterable[list[str]]) -> None:
    """Write the sources into the folder and run the commands of compilers there."""
    for name, text in sources.items():
        (folder / name).write_text(text)
    for command in commands:
        subprocess.run(command, cwd=folder, check=True, timeout=60)


def build_with_library(
    folder: Path, suffix: str, library: str, program: str, command: list[str], *of_library: str
) -> Path:
    """Make the program `a` of a folder, with a library, and return it. `command`: the compiler and
    options for both; `of_library`: options for the library alone."""
    build(folder, {f"lib.{suffix}": library, f"a.{suffix}": program}, [
        [*command, "-g", "-fPIC", "-shared", *of_library, "-o", "libown.so", f"lib.{suffix}"],
        [*command, "-g", "-o", "a", f"a.{suffix}", f"{folder}/libown.so"],
    ])  # fmt: skip
    return folder / "a"


def with_core(tool: Callable[[str], str], folder: Path, **environment: str) -> list[str]:
    """Run the program `a` of the folder in GDB until it stops. Return it and its core file.

    The test is skipped where GDB writes no core file.
    """
    variables = [f"set environment {name} {value}" for name, value in environment.items()]
    if "LC_ALL" not in os.environ:
        variables.append("unset environment LC_ALL")  # which is for the words of GDB
    printed(tool("gdb"), folder, ["a"], [*variables, "run", f"gcore {folder}/core"])
    if not (folder / "core").exists():
        pytest.skip("GDB writes no core file here")
    return [str(folder / "a"), str(folder / "core")]


def ada_with_core(
    tool: Callable[[str], str], folder: Path, source: str | Mapping[str, str]
) -> list[str]:
    """Build the main procedure `example` of Ada at -O0. Return the program and its core file.

    `source`: its text, or the texts of all files.
    """
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O0", "example.adb", "-o", "a"]
    build(folder, {"example.adb": source} if isinstance(source, str) else source, [make])
    return with_core(tool, folder)


def fortran_with_core(tool: Callable[[str], str], folder: Path, source: str) -> list[str]:
    """Build a program of Fortran at -O0. Return the program and its core file."""
    build(folder, {"a.f90": source}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    return with_core(tool, folder)


def rust_with_core(tool: Callable[[str], str], folder: Path, source: str) -> list[str]:
    """Build the crate `a` of Rust at -O0. Return the program and its core file."""
    tool("gcc")  # which rustc links with
    make = [tool("rustc"), "-g", "--edition", "2021", "-Awarnings", "a.rs", "-o", "a"]
    build(folder, {"a.rs": source}, [make])
    return with_core(tool, folder)


def answers(gdb: str | None, files: list[str], commands: list[str]) -> list[str]:
    """Return the answer to each command: that of GDB, or that of dwarfgpu where `gdb` is None."""
    marked = [given for line in commands for given in (f"echo >>>{line}\\n", line)]
    if gdb is None:
        with contextlib.redirect_stderr(io.StringIO()) as both, contextlib.redirect_stdout(both):
            given = [word for line in marked for word in ("-ex", line)]
            main(["debug", *files, "-q", "--batch", "-iex", NO_DEBUG_FILES, *given])
        text = both.getvalue()
    else:
        text = printed(gdb, Path.cwd(), files, marked)
    return text.split(">>>")[1:]


def last_lines(files: list[str], commands: list[str]) -> list[str]:
    """Return the last line of the answer of dwarfgpu to each command, notes aside."""
    said = answers(None, files, commands)
    lines = [[line for line in text.splitlines() if not line.startswith("note: ")] for text in said]
    return [line[-1] for line in lines]
