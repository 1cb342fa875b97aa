"""References of entries: the entry and the attribute of each."""

from __future__ import annotations

import pytest

from dwarfgpu.check.entry_references import EntryReferences, _bad


@pytest.mark.parametrize("number", [0x49, 0xFFFF, 0x10000, 0x1FFFFF, (1 << 64) - 1])
def test_attributes_of_any_number(number: int) -> None:
    """A number above 16 bits was read as a part of the entry's index: IndexError."""
    targets: dict[int, int] = {}
    EntryReferences.add(None, targets, 0x20, 13, number)  # type: ignore[arg-type]
    bad = _bad(targets[0x20], "")
    assert bad.index == 13
    assert bad.attribute == ("DW_AT_type" if number == 0x49 else f"DW_AT_{number:#x}")
