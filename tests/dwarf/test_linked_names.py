"""Names of linkers that are demangled for types and variables."""

from __future__ import annotations

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.dwarf.names.demangle import demangled_name
from dwarfgpu.dwarf.section_budget import LinkedNames
from dwarfgpu.errors import LimitExceeded


def test_a_name_of_many_units_is_read_and_counted_once() -> None:
    """Each unit that uses a variable of a header has an entry for it."""
    names, limits, asked = LinkedNames(), FileLimits(searched_names=2 * (2 * 12 + 16)), list[str]()

    def read(name: str) -> str | None:
        asked.append(name)
        return demangled_name(name)

    for _ in range(100):
        assert names.read(read, "_Z1vIiE", limits) == "v<int>"
        assert names.read(read, "_Z1wIlE", limits) == "w<long>"
    assert asked == ["_Z1vIiE", "_Z1wIlE"]
    with pytest.raises(LimitExceeded, match="have more than 40 characters") as caught:
        names.read(read, "_Z1uIcE", limits)
    assert caught.value.option == "--max-searched-names"
    assert names.read(read, "_Z1vIiE", limits) == "v<int>"
