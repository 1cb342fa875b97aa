"""`.debug_frame` and `.eh_frame` are read as llvm-dwarfdump and readelf print them, row by row.

`tools/frame_rows.py` takes whole packages.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.cfi.entry import Fde
from dwarfgpu.cfi.rows import RowTable
from dwarfgpu.cfi.rule import OffsetRule, RegisterCfa
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.objfile.elf import open_object
from tests.tool_output import BINARIES, FIXTURES, printed_of_each
from tools.frame_rows import DUMP, READELF, SECTIONS, Totals, differences, has_frames

LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
WHOLE = [*BINARIES, LIBRARIES / "libgcc_s.so.1"]
LARGE = {
    "libc6": LIBRARIES / "libc.so.6",
    "python3.11-dbg": Path("/usr/bin/python3.11d"),
    "libpython3.11-dbg": LIBRARIES / "libpython3.11d.so.1.0",
}
"""Files of Debian packages. Those of libc6-dbg have no call frame information: it is in libc6."""
SAMPLE = 200
SEED = 20


@pytest.fixture
def readers(tool: Callable[[str], str]) -> None:
    """Both, or a skip with the reason."""
    tool(DUMP)
    tool(READELF)


def compared(path: Path, most: int | None = None) -> tuple[list[str], Totals]:
    """The differences, and what was compared."""
    dump = printed_of_each((DUMP, *SECTIONS), BINARIES)[path] if path in BINARIES else None
    comparison, result = differences(path, most, SEED, dump), []
    while True:
        try:
            result.append(next(comparison))
        except StopIteration as done:
            return result, done.value


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)
def test_every_row(path: Path) -> None:
    if not path.exists():
        pytest.skip(f"{path} is not there")
    result, totals = compared(path)
    assert result == []
    assert bool(totals.entries) == has_frames(open_object(path))
    assert bool(totals.cells) == (path.suffix != ".co")


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize("package", LARGE)
def test_rows_of_large_files(package: str) -> None:
    path = LARGE[package]
    if not path.exists():
        pytest.skip(f"{path} of {package} is not there")
    result, totals = compared(path, SAMPLE)
    assert result == []
    assert totals.entries == SAMPLE and totals.rows > SAMPLE and totals.cells > totals.rows


def shifted(table: RowTable) -> RowTable:
    """With the last row beginning a byte later."""
    *rows, last = table.rows
    return RowTable((*rows, evolve(last, start=last.start + 1)))


def other_cfa(table: RowTable) -> RowTable:
    first, *rows = table.rows
    assert isinstance(first.cfa, RegisterCfa)
    cfa = evolve(first.cfa, offset_bytes=first.cfa.offset_bytes + 8)
    return RowTable((evolve(first, cfa=cfa), *rows))


def other_rule(table: RowTable) -> RowTable:
    first, *rows = table.rows
    return RowTable((evolve(first, rules={**first.rules, 3: OffsetRule(-64)}), *rows))


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize("wrong", [shifted, other_cfa, other_rule])
def test_a_wrong_row_is_found_by_both(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[RowTable], RowTable]
) -> None:
    right = Fde.table
    monkeypatch.setattr(Fde, "table", lambda fde: wrong(right(fde)))
    result, _ = compared(FIXTURES / "x86_64/demo.gcc.O2.v5")
    assert sum(f"\n  {DUMP} " in difference for difference in result) > 4
    assert sum(f"\n  {READELF} " in difference for difference in result) > 4


@pytest.mark.usefixtures("readers")
def test_an_entry_that_is_not_seen_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = FrameSection.entries.func
    monkeypatch.setattr(FrameSection, "entries", property(lambda section: whole(section)[:-1]))
    result, _ = compared(FIXTURES / "x86_64/demo.gcc.O2.v5")
    assert [
        difference for difference in result if f"only {DUMP} has an entry .eh_frame" in difference
    ]
