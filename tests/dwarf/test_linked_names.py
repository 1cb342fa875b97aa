"""Names of linkers that are demangled for types and variables."""

from __future__ import annotations

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.dwarf.names.demangle import demangled_name
from dwarfgpu.dwarf.scope.variable_names import may_name_instance
from dwarfgpu.dwarf.section_budget import LinkedNames
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.expr.operation_budget import budget_of_command


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


def test_each_command_may_read_as_many_names() -> None:
    names, limits = LinkedNames(), FileLimits(searched_names=2 * (12 + 8))
    for mangled in ("_Z1vIiE", "_Z1wIlE"):
        with budget_of_command():
            assert names.read(demangled_name, mangled, limits) is not None
            with pytest.raises(LimitExceeded):
                names.read(demangled_name, "_Z1uIcE", limits)


@pytest.mark.parametrize(
    ("mangled", "is_instance"),
    [
        ("_Z1vIiE", True),
        ("_ZSt1vIiE", True),
        ("_ZN1n1vIiEE", True),
        ("_ZN1n1vINS_1CEEE", True),
        ("_ZN7library8Internal11InterestingE", False),
        ("_ZN1CIiE5countE", False),
        ("_ZN1n5countE", False),
    ],
)
def test_which_names_are_of_instances(mangled: str, is_instance: bool) -> None:
    """Others cost nothing: a program has tens of thousands of them."""
    assert may_name_instance(mangled) == is_instance
