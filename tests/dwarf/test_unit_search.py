"""The definition of what a unit declares is in another unit, or in none."""

from __future__ import annotations

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope import unit_search
from dwarfgpu.dwarf.scope.named_entries import named
from dwarfgpu.dwarf.scope.unit_search import UnitSearch
from dwarfgpu.errors import LimitExceeded, Malformed
from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import Shape, abbreviations, elf, unit

NAME = (dw.AT_NAME, dw.FORM_STRING)
EXTERNAL = (dw.AT_EXTERNAL, dw.FORM_FLAG)
PLACE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
SHAPES = (
    Shape(dw.TAG_COMPILE_UNIT, (NAME,), True),
    Shape(dw.TAG_SUBPROGRAM, (NAME, EXTERNAL)),
    Shape(dw.TAG_SUBPROGRAM, (NAME, EXTERNAL, *PLACE)),
)


def declaring(is_external: int, name: bytes = b"f") -> bytes:
    return unit(b"\1u\0\2" + name + b"\0" + bytes([is_external]) + b"\0")


def defining(is_external: int) -> bytes:
    place = (0x1000).to_bytes(8, "little") + (16).to_bytes(4, "little")
    return unit(b"\1u\0\3f\0" + bytes([is_external]) + place + b"\0")


def file_of(units: bytes, limits: FileLimits | None = None) -> DebugInfo:
    data = elf({".debug_info": units, ".debug_abbrev": abbreviations(*SHAPES)})
    return DebugInfo.of(ObjectFile("made", data, limits or FileLimits()))


def functions(info: DebugInfo) -> list[Die]:
    return [die for one in info.units for die in named(one, "f")]


@pytest.mark.parametrize("place", [None, 0, 2])
def test_declarations_of_one_function(place: int | None) -> None:
    """The static function before is that of a static one."""
    info = file_of(declaring(1) + defining(0) + declaring(1) + declaring(0) + defining(1))
    first, static, second, third, external = functions(info)
    search = UnitSearch((info,), None if place is None else info.units[place])
    assert [*map(search.definition, (first, second, third))] == [external, external, static]


def test_errors_of_the_search_are_those_of_each_declaration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    info = file_of(declaring(1) * 8, FileLimits(namesakes=2))
    search = UnitSearch((info,), None)
    for die in functions(info):
        with pytest.raises(LimitExceeded, match="more than 4 units may have the name f"):
            search.definition(die)


def test_doubts_are_those_of_each_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """But of each declaration of one only once."""
    info = file_of(declaring(1) * 3)
    dies = functions(info)
    search = UnitSearch((info,), None)
    damage = Malformed("damaged")

    def fail(*_: object) -> None:
        raise damage

    monkeypatch.setattr(unit_search, "named", fail)
    for _ in range(2):
        search.doubts = []
        assert [*map(search.definition, dies)] == dies
        assert search.doubts == [damage] * 3
