"""Paths and names that GDB's Python cannot decode: they are no text in the locale."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.gdb.debugger import SETTINGS, Debugger, indexed

SAME = "16 variables of 3 frames: 16 are the same, "
LATIN_1 = os.fsdecode(b"caf\xe9")
NAMES = (b"leaf", b"precise", b"copy", b"weight", b"inner", b"color", b"outer_t", b"demo.c")
"""Of a function, local variables, a member, a structure, an enumeration, a typedef and the source
file."""


def run(debugger: Debugger, program: Path, locale: str, *commands: str) -> str:
    """What a GDB in a locale prints: that of the other tests is in C.UTF-8."""
    lines = (*SETTINGS, *indexed(), f"source {debugger.source}", "break 91", "run")
    options = [piece for line in (*lines, *commands) for piece in ("-ex", line)]
    done = subprocess.run(
        [debugger.program, "-nx", "-q", "-batch", *options, os.fsencode(program)],
        capture_output=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": locale},
    )  # fmt: skip
    said = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    assert "Unicode" not in said and "Python" not in said, said
    return said


@pytest.mark.parametrize(
    ("folder", "locale"),
    [(LATIN_1, "C"), (LATIN_1, "C.UTF-8"), ("café", "C")],
    ids=["latin-1-C", "latin-1-C.UTF-8", "utf-8-C"],
)
def test_path_of_the_program(
    debugger: Debugger, demo: Path, tmp_path: Path, folder: str, locale: str
) -> None:
    """In a container, the locale is often C."""
    program, state = tmp_path / folder / "demo", tmp_path / "state.json"
    program.parent.mkdir()
    program.write_bytes(demo.read_bytes())
    program.chmod(0o700)
    said = run(
        debugger, program, locale,
        "dwarfgpu bt", "dwarfgpu compare -all-frames", "dwarfgpu where local",
        f"dwarfgpu save-state {state}",
    )  # fmt: skip
    assert " in mid (n=41) at" in said, said
    assert SAME in said, said
    loaded = json.loads(state.read_bytes())["code_objects"]
    assert program in [tmp_path / file["path"] for file in loaded]


@pytest.mark.parametrize(
    ("letter", "locale"),
    [("\xe9".encode("latin-1"), "C"), (b"\x80", "C.UTF-8")],
    ids=["latin-1-C", "0x80-C.UTF-8"],
)
def test_names_of_the_program(
    debugger: Debugger, demo: Path, tmp_path: Path, letter: bytes, locale: str
) -> None:
    data = demo.read_bytes()
    for name in NAMES:
        assert data.count(name + b"\0")
        data = data.replace(name + b"\0", letter + name[1:] + b"\0")
    program = tmp_path / "demo"
    program.write_bytes(data)
    program.chmod(0o700)
    said = run(
        debugger, program, locale,
        "dwarfgpu bt -compare", "dwarfgpu info-locals", "dwarfgpu compare -all-frames", "up",
        "dwarfgpu explain n", "python import dwarfgpu.gdb as dg; print(dg.frame(0).function)",
    )  # fmt: skip
    assert SAME in said, said
    assert re.search(r" ([0-9]+) of \1 facts are the same", said), said
