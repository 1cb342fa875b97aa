"""The programs of `fixtures/split`: one source, its debug information kept in different places."""

from __future__ import annotations

import shutil
from pathlib import Path

from dwarfgpu.dwarf.code_object import CodeObject
from tests.dwarf.builder import FIXTURES

SPLIT = FIXTURES / "split"
IN_SPLIT_FILES = ("gcc4", "gcc5", "clang4", "clang5")
ALL = (
    *IN_SPLIT_FILES, "single", "named", "types-gcc4", "types-gcc5", "types-clang4",
    "types-clang5", "dwz4", "dwz5",
)  # fmt: skip


def copied(kind: str, folder: Path, *left_out: str) -> Path:
    """A program in a folder of its own, with its files but those that are left out."""
    for file in (SPLIT / kind).iterdir():
        if file.name not in left_out:
            shutil.copyfile(file, folder / file.name)  # the copy can be written
    return folder / "prog"


def opened(path: Path, *directories: Path) -> CodeObject:
    """A program whose other files are looked for in these directories only."""
    return CodeObject.open(path, debug_directories=directories)


def address_of(program: CodeObject, name: str) -> int:
    """Of a function, by its mangled name."""
    (result,) = (symbol.address for symbol in program.file.symbols if symbol.name == name)
    return result


AREA = "_Z4areaPN3geo4lineEi"
