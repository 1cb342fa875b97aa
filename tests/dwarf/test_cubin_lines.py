"""The lines of cubins, against what nvdisasm of CUDA 13.1 says, and in damaged tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf.line.cubin_lines import CubinLine, cubin_lines
from dwarfgpu.errors import Malformed
from dwarfgpu.objfile.elf import open_object
from tests.cli.command import FIXTURES, run, run_json

NVIDIA = FIXTURES / "nvidia"
RECORDED = sorted(NVIDIA.glob("*.lines.txt"))
LINE_INFO = NVIDIA / "combine.sm_75.lineinfo.cubin"


def recorded(path: Path) -> dict[tuple[str, int], tuple[str, str]]:
    """Lines of source and PTX by section and offset."""
    rows = (line.split() for line in path.read_text().splitlines())
    return {(section, int(at, 16)): (source, ptx) for section, at, source, ptx in rows}


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_as_nvdisasm(path: Path) -> None:
    file = open_object(path.with_name(path.name.replace(".lines.txt", ".cubin")))
    answer = cubin_lines(file)
    assert answer.problems == ()
    known = recorded(path)
    assert len(known) > 20
    for (name, offset), (source, ptx) in known.items():
        section = file.sections_by_name[f".text.{name}"]
        here = [one for one in answer.lines if one.begin <= section.address + offset < one.end]
        assert [_shown(one) for one in here] == [(source, ptx)], (name, hex(offset))
    starts = {file.sections_by_name[f".text.{name}"].address + offset for name, offset in known}
    assert {one.begin for one in answer.lines} <= starts


def _shown(line: CubinLine) -> tuple[str, str]:
    source = "-" if line.source is None else f"{line.source.file}:{line.source.number}"
    return source, "-" if line.ptx is None else f"{line.ptx.number}"


def test_text_without_debug_info() -> None:
    lines = run("info", LINE_INFO, "--lines").lines
    assert "no debugging information entries; --lines lists the line tables" in lines
    shown = "  [0x10,0x20)      ./nvidia/combine.cu:31      38  mov.u32 %r3, %ctaid.x;"
    assert shown in lines
    first, *_ = run_json("info", LINE_INFO, "--lines").json["lines"]
    assert (first["begin"], first["end"]) == (0, 0x10)
    assert first["source"] == {"file": "./nvidia/combine.cu", "line": 30}
    assert first["ptx"] == {"section": ".nv_debug_ptx_txt", "line": 26, "text": "{"}
    assert run_json("info", LINE_INFO).json["lines"] is None


def test_ptx_of_an_object_that_is_not_linked() -> None:
    answer = run_json("info", NVIDIA / "combine.sm_80.relocatable.cubin", "--lines").json
    assert {line["ptx"]["section"] for line in answer["lines"]} == {".nv_debug_ptx_txt.601272108"}
    assert all(line["ptx"]["text"] for line in answer["lines"])


def test_what_has_no_such_lines() -> None:
    wrong = run("info", FIXTURES / "hip/nest.gfx942.O2.v5.co", "--lines")
    assert wrong.status == 2 and "--lines lists those of a cubin" in wrong.error
    nothing = run("where", LINE_INFO, "index")
    assert "no debugging information but line tables" in nothing.error


@pytest.mark.parametrize("section", [".debug_line", ".nv_debug_line_sass"])
def test_damaged(section: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that ends early is a problem; the other one is still there."""
    monkeypatch.setattr(
        "dwarfgpu.dwarf.line.cubin_lines.relocated_data",
        lambda file, name: file.section_data(name)[: 20 if name == section else None],
    )
    answer = cubin_lines(open_object(LINE_INFO))
    (problem,) = answer.problems
    assert isinstance(problem, Malformed) and f"{section} table 0x0" in str(problem)
    lacks = (section == ".debug_line", section != ".debug_line")
    assert {(one.source is None, one.ptx is None) for one in answer.lines} == {lacks}
