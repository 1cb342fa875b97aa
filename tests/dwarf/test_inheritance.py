"""Members of base classes by the rule of C++ [class.member.lookup]; classes are letters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dwarfgpu.dwarf.types.inheritance import inherited
from dwarfgpu.errors import LimitExceeded


@pytest.mark.parametrize(
    ("classes", "holders", "expected"),
    [
        ("D:B", "D", ["D"]),
        ("D:B", "DB", ["D"]),  # its own hides
        ("D:B", "B", ["DB"]),
        ("D:B B:A", "A", ["DBA"]),
        ("D:B B:A", "BA", ["DB"]),
        ("D:BC", "BC", ["DB", "DC"]),  # ambiguous
        ("D:BC B:A C:A", "A", ["DBA", "DCA"]),  # two parts of one class
        ("D:BC B:a C:a", "A", ["DBA"]),  # a virtual base class is one part
        ("D:BC B:a C:a", "AC", ["DC"]),  # C's hides that of the part that B has too
        ("D:BC B:a C:a", "ABC", ["DB", "DC"]),
        ("D:BC B:a C:A", "A", ["DBA", "DCA"]),
        ("D:BC B:A", "AC", ["DC", "DBA"]),  # how far away they are does not matter
        ("D:BC", "", []),
    ],
)
def test_parts_with_a_member(classes: str, holders: str, expected: list[str]) -> None:
    """A small letter is a virtual base class."""
    below = dict(word.split(":") for word in classes.split())

    def bases(kind: str) -> Iterator[tuple[str, str, bool]]:
        for path in below.get(kind, ""):
            yield kind + path, path.upper(), path.islower()

    result = inherited("D", lambda kind: [kind] if kind in holders else [], bases)
    assert sorted("".join(path.classes) for path in result) == sorted(expected)
    assert all(path.members == (path.classes[-1],) for path in result)


def test_very_many_base_classes() -> None:
    def bases(kind: int) -> Iterator[tuple[int, int, bool]]:
        yield kind, kind + 1, False

    with pytest.raises(LimitExceeded, match="more than 1000 base classes"):
        inherited(0, lambda kind: [], bases)
