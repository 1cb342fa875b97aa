"""Source lines as a library: compared with llvm-symbolizer, which reads the same tables."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import dwarfgpu as dg
from tests.cli.command import FIXTURES

SYMBOLIZER = "llvm-symbolizer-19"
FILES = (
    "hip/nest.gfx942.O2.v5.co",
    "hip/data.gfx942.O0.v5.co",
    "opencl/kernels.gfx1100.O2.v4.co",
    "opencl/kernels.gfx90a.O2.v5.co",
)

Line = tuple[str, int, int]


def symbolized(path: Path, pcs: list[int]) -> list[list[Line]]:
    """File, line and column of each address, the innermost inlined function first."""
    command = [SYMBOLIZER, f"--obj={path}", "--inlines", "--output-style=JSON"]
    text = "\n".join(map(hex, pcs))
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    answers = (json.loads(line)["Symbol"] for line in done.stdout.splitlines())
    return [
        [(part["FileName"].removeprefix("./"), part["Line"], part["Column"]) for part in answer]
        for answer in answers
    ]


@pytest.mark.skipif(shutil.which(SYMBOLIZER) is None, reason=f"no {SYMBOLIZER}")
@pytest.mark.parametrize("name", FILES)
def test_every_row_agrees_with_llvm_symbolizer(name: str) -> None:
    path = FIXTURES / name
    code_object = dg.CodeObject.open(path)
    rows = Counter(
        line_entry.address for line_entry in dg.line_entries(code_object) if not line_entry.is_end
    )
    pcs = sorted(pc for pc, count in rows.items() if count == 1)  # of several, readers choose
    chains = symbolized(path, pcs)
    compared = 0
    for pc, chain in zip(pcs, chains, strict=True):
        place = dg.place_at(code_object, pc)
        assert place is not None
        result = [
            (position.file, position.line, position.column or 0) for position in place.positions
        ]
        if chain[0][1]:
            assert result == chain, hex(pc)
            compared += 1
        else:
            assert place.line is None and place.file is None  # code of no line
            assert result[1:] == chain[1:]
    assert compared > 20


def test_an_inlined_function_has_its_call() -> None:
    code_object = dg.CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co")
    place = dg.place_at(code_object, 0x1600)
    assert place is not None and place.span is not None
    assert [(position.function, position.file, position.line) for position in place.positions] == [
        ("block_x", "hip/device.h", 15),
        ("nest", "hip/nest.hip", 9),
    ]
    assert (place.function, place.file, place.line, place.column) == (
        "block_x", "hip/device.h", 15, 10,
    )  # fmt: skip
    assert place.span.begin <= 0x1600 < place.span.end


def test_place_at_is_none_outside_code() -> None:
    code_object = dg.CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co")
    assert dg.place_at(code_object, 0x10) is None


def test_a_session_in_no_code_object_has_no_place() -> None:
    code_object = dg.CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co")
    nowhere = dg.Session(dg.architecture("gfx942"))
    assert dg.place_at(nowhere.code_object, 0x1600) is None
    assert dg.place_at(code_object, nowhere.pc) is None


def test_addresses_are_as_loaded() -> None:
    path = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    base = 0x7F0000000000
    linked = list(dg.line_entries(dg.CodeObject.open(path)))
    loaded = list(dg.line_entries(dg.CodeObject.open(path, base)))
    assert [row.address + base for row in linked] == [row.address for row in loaded]
    assert [row for row in linked if row.is_end][-1].file is None
    place = dg.place_at(dg.CodeObject.open(path, base), base + 0x1600)
    assert place is not None and place.line == 15


def session_of(path: Path) -> dg.Session:
    code_object = dg.CodeObject.open(path)
    assert code_object.info.architecture is not None
    return dg.Session(code_object.info.architecture, (code_object,))


def test_a_line_has_places() -> None:
    session = session_of(FIXTURES / "hip/nest.gfx942.O2.v5.co")
    assert [code_place.pc for code_place in dg.code_places(session, "nest.hip:12")] == [0x165C]
    assert [code_place.pc for code_place in dg.code_places(session, "nest")] == [0x1600]
    assert [code_place.pc for code_place in dg.code_places(session, "nest+0x20")] == [0x1620]
    assert [code_place.pc for code_place in dg.code_places(session, "*nest + 4")] == [0x1604]
    assert dg.code_places(session, "nest.hip:1") == ()
    with pytest.raises(dg.UsageError, match=r"No source file named none\.hip"):
        dg.code_places(session, "none.hip:1")


def test_an_inlined_function_has_a_place_for_each_call() -> None:
    session = session_of(FIXTURES / "hip/nest.gfx942.O2.v5.co")
    places = dg.code_places(session, "block_x")
    assert places and all(place.function == "block_x" for place in places)
    assert all(place.positions[-1].function == "nest" for place in places)
