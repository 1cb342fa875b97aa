"""Thread-local variables of split units: `.debug_addr` has offsets in the storage of a thread, or,
as gcc -gsplit-dwarf with GNU ld and mold writes it, addresses in PT_TLS."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.elf_structures import PT_TLS
from tests.cli.command import run

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="needs x86-64")
POINTER = 0x7FFF_F7DD_1740
SMALL = "__thread int pad = 3, own = 17; int main(void) { return own + pad; }"
LARGE = """
__thread int own = 17;
__thread char buffer[0x10000];
__thread int behind;
int main(void) { static __thread int inner = 5; return own + buffer[1] + behind + inner; }
"""
"""The storage is larger than its own address in the file: each address there is an offset, too."""
MANY = """
#define A(n) __thread long v##n = n;
#define B(n) A(n##0) A(n##1) A(n##2) A(n##3) A(n##4) A(n##5) A(n##6) A(n##7) A(n##8) A(n##9)
#define C(n) B(n##0) B(n##1) B(n##2) B(n##3) B(n##4) B(n##5) B(n##6) B(n##7) B(n##8) B(n##9)
#define D(n) C(n##0) C(n##1) C(n##2) C(n##3) C(n##4) C(n##5) C(n##6) C(n##7) C(n##8) C(n##9)
__thread int own = 17;
D(1) D(2) D(3)
int main(void) { static __thread int inner = 5; return own + v1000 + v3999 + inner; }
"""
"""At the offset that the number of one variable may be, another one begins."""


def built(folder: Path, tool: Callable[[str], str], text: str, linker: str, *options: str) -> Path:
    tool("ld.gold" if linker == "gold" else "mold" if linker == "mold" else "ld")
    (folder / "a.c").write_text(text)
    made = [tool("gcc"), "-g", "-w", f"-fuse-ld={linker}", *options, "-o", "a", "a.c"]
    subprocess.run(made, cwd=folder, check=True)
    return folder / "a"


def check(file: Path, *names: str) -> None:
    """Assert that variables are where their symbols say."""
    object_file = open_object(file)
    [segment] = [segment for segment in object_file.segments if segment.type == PT_TLS]
    for name in names:
        simple = name.removeprefix("main::")
        [symbol, *_] = object_file.symbols_named(simple, f"{simple}.")
        size_bytes = -(-segment.memory_bytes // segment.alignment) * segment.alignment
        done = run("eval", "--file", file, "--reg", f"fs_base={POINTER:#x}", f"&{name}")
        assert done.out.rpartition(" ")[2] == f"{POINTER - size_bytes + symbol.address:#x}\n", done
        done = run("debug", "--batch", "-q", file, "-ex", f"info address {name}")
        assert f"at offset {symbol.address:#x} in the thread-local" in done.out


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("linker", ["bfd", "gold", "mold"])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        (SMALL, ("own", "pad")),
        (LARGE, ("own", "buffer", "behind")),
        (MANY, ("own", "v1000", "v2500", "v3999")),
    ],
    ids=["small", "large", "many"],
)
def test_symbols_say_what_the_numbers_are(
    tmp_path: Path,
    tool: Callable[[str], str],
    text: str,
    names: tuple[str, ...],
    linker: str,
    version: int,
) -> None:
    options = f"-gdwarf-{version}", "-gsplit-dwarf"
    check(built(tmp_path, tool, text, linker, *options), *names)


def test_a_variable_of_a_function(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Its symbol is `inner.0`."""
    check(built(tmp_path, tool, MANY, "bfd", "-gsplit-dwarf"), "main::inner")


@pytest.mark.parametrize("linker", ["bfd", "mold"])
def test_without_a_symbol_a_number_that_may_be_both_is_an_error(
    tmp_path: Path, tool: Callable[[str], str], linker: str
) -> None:
    file = built(tmp_path, tool, LARGE, linker, "-gsplit-dwarf")
    without_own = [tool("objcopy"), "-N", "own"]
    subprocess.run([*without_own, file], check=True)
    done = run("eval", "--file", file, "--reg", f"fs_base={POINTER:#x}", "own")
    expected = (
        "in .debug_addr may be an offset in the thread-local storage of a, or the address of "
        "offset 0x0 there, as gcc -gsplit-dwarf has it written: no symbol says which"
    )
    assert done.status and expected in done.err
    done = run("debug", "--batch", "-q", file, "-ex", "info address own")
    assert expected in done.err
    file = built(tmp_path, tool, SMALL, linker, "-gsplit-dwarf")
    subprocess.run([*without_own, file], check=True)
    done = run("eval", "--file", file, "--reg", f"fs_base={POINTER:#x}", "&own")
    assert done.out.endswith(f" {POINTER - 4:#x}\n")


def test_clang_writes_offsets(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """No symbol is needed to know that."""
    (tmp_path / "a.c").write_text(LARGE)
    made = [tool("clang-19"), "-g", "-gsplit-dwarf", "-o", "a", "a.c"]
    subprocess.run(made, cwd=tmp_path, check=True)
    check(tmp_path / "a", "own", "buffer", "behind")
    expected = run("debug", "--batch", "-q", tmp_path / "a", "-ex", "info address behind").out
    subprocess.run([tool("objcopy"), "-N", "behind", tmp_path / "a"], check=True)
    done = run("debug", "--batch", "-q", tmp_path / "a", "-ex", "info address behind")
    assert (done.out, done.err) == (expected, "")


def test_operations_of_a_unit_that_is_not_split_have_offsets(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    file = built(tmp_path, tool, MANY, "bfd")
    check(file, "own", "v2500", "v3999")
