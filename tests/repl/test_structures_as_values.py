"""Values that are whole structures: what is unreadable or deep in them, and how much is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Shape, file_of
from tests.language.made_units import HEADER_BYTES
from tests.work import calls_of

C, ADA = 0x0C, 0x0D
NAME = (dw.AT_NAME, dw.FORM_STRING)
TYPE = (dw.AT_TYPE, dw.FORM_REF4)
SIZE = (dw.AT_BYTE_SIZE, dw.FORM_DATA2)
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
    Shape(dw.TAG_BASE_TYPE, (NAME, (dw.AT_BYTE_SIZE, 11), (dw.AT_ENCODING, 11))),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, SIZE), True),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA2))),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
]
FIRST = HEADER_BYTES + 2
"""The offset of the first entry in a unit, behind its header and its root."""
UNREADABLE = 0x6FFF
DATA = b"".join(bytes([n % 100, 0, 0, 0]) for n in range(1, 1_001))


class Unit:
    """A unit of structures of integers of four bytes."""

    def __init__(self, language: int) -> None:
        self.entries = b"\1" + bytes([language])
        self.integer = self._add(b"\2int\0\4\5")

    def _add(self, entry: bytes) -> int:
        at = FIRST + len(self.entries) - 2
        self.entries += entry
        return at

    def structure(self, size: int, *members: tuple[str, int, int]) -> int:
        """Add a structure of members: name, type and place."""
        parts = b"".join(
            b"\4" + name.encode() + b"\0" + kind.to_bytes(4, "little") + place.to_bytes(2, "little")
            for name, kind, place in members
        )
        return self._add(b"\3s\0" + size.to_bytes(2, "little") + parts + b"\0")

    def file(self, folder: Path, kind: int) -> str:
        """Write a file with the variable `v` of a type: 1, 2, 3 …"""
        value = b"\x9e" + encode_uleb(len(DATA)) + DATA  # DW_OP_implicit_value
        variable = b"\5v\0" + kind.to_bytes(4, "little") + encode_uleb(len(value)) + value
        contents = file_of(self.entries + variable + b"\0", SHAPES, machine=X86_64)
        (folder / "a").write_bytes(contents)
        return str(folder / "a")


def shown(file: str, *commands: str) -> list[str]:
    words = [word for command in commands for word in ("-ex", command)]
    return run("debug", "-q", "--batch", file, *words).out.splitlines()


@pytest.mark.parametrize("language", [C, ADA])
def test_an_unreadable_member_has_its_error(tmp_path: Path, language: int) -> None:
    unit = Unit(language)
    inner = ("m", unit.integer, 0), ("i", UNREADABLE, 4), ("n", unit.integer, 8)
    middle = unit.structure(12, *inner)
    members = ("a", unit.integer, 0), ("mid", middle, 4), ("b", unit.integer, 16)
    file = unit.file(tmp_path, unit.structure(20, *members))
    equal, assign = ("=", "set $x = v") if language == C else ("=>", "set $x := v")
    whole, kept, b, mid = shown(
        file, "output v", "echo \\n", assign, "output $x", "echo \\n",
        "output $x.b", "echo \\n", "output v.mid",
    )  # fmt: skip
    assert whole == kept
    assert f"a {equal} 1, mid {equal} {mid}, b {equal} 5" in whole
    assert "<error: no entry of the unit at 0x0 starts at offset 0x6fff>" in mid
    if language == C:
        assert mid.startswith("{m = 2, i = <error") and mid.endswith(", n = 4}")
    assert b == "5"


@pytest.mark.parametrize("language", [C, ADA])
def test_structures_deep_in_one_another(tmp_path: Path, language: int) -> None:
    unit = Unit(language)
    kind = unit.structure(4, ("x", unit.integer, 0))
    for depth in range(450):
        kind = unit.structure(8 + 4 * depth, ("x", unit.integer, 0), ("in", kind, 4))
    assign = "set $x = v" if language == C else "set $x := v"
    file = unit.file(tmp_path, kind)
    lines = shown(file, "output v", "echo \\n", assign, "output $x", "echo \\n", "output $x.x")
    assert lines[0] == lines[1]
    assert "..." in lines[0]
    assert lines[2] == "1"


def test_types_below_a_structure_are_not_all_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in C, where none depends on the object, nor many in another language."""
    monkeypatch.setattr("dwarfgpu.language.settled_values._MOST_PARTS", 2_000)
    work: dict[tuple[int, int], int] = {}
    for language, counts in ((C, (100, 2_000)), (ADA, (2_000, 6_000))):
        for count in counts:
            unit = Unit(language)
            kinds = [unit.structure(4, ("x", unit.integer, 0)) for _ in range(count)]
            big = unit.structure(4, *((f"f{n}", kind, 0) for n, kind in enumerate(kinds)))
            file = unit.file(tmp_path, unit.structure(8, ("a", unit.integer, 0), ("b", big, 4)))
            assign = "set $x = v" if language == C else "set $x := v"
            work[language, count] = calls_of(lambda: shown(file, assign))  # noqa: B023
    assert work[C, 2_000] < work[C, 100] + 50 * 1_900, work
    assert work[ADA, 6_000] < 2.5 * work[ADA, 2_000], work
