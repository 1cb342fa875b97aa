"""Records of Ada by name: a few names are searched for, for more of them all records are read."""

from __future__ import annotations

from random import Random

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.string_index import StringIndex
from dwarfgpu.dwarf.scope import ada_records
from dwarfgpu.dwarf.scope.ada_records import ada_record
from dwarfgpu.errors import LimitExceeded
from tests.dwarf.builder import Shape, abbreviations, debug_info, elf, unit

NAME = (dw.AT_NAME, dw.FORM_STRING)
SHAPES = (
    Shape(dw.TAG_COMPILE_UNIT, (NAME, (dw.AT_LANGUAGE, dw.FORM_DATA1)), True),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME,)),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_DECLARATION, dw.FORM_FLAG))),
    Shape(dw.TAG_VARIABLE, (NAME,)),
)
ADA, C = 0x0D, 0x0C


def unit_of(language: int, entries: bytes) -> bytes:
    return unit(b"\1u\0" + bytes([language]) + entries + b"\0")


def file_of(units: bytes) -> DebugInfo:
    return debug_info(elf({".debug_info": units, ".debug_abbrev": abbreviations(*SHAPES)}))


def expected(info: DebugInfo, name: str) -> Die | None:
    for end in ada_records._IN_BODY:
        for one in info.units:
            for die in one.root.children():
                is_record = die.tag == dw.TAG_STRUCTURE_TYPE and die.name == f"{name}{end}"
                if is_record and one.language == ADA and not die.flag(dw.AT_DECLARATION):
                    return die
    return None


@pytest.mark.parametrize("most", [0, 1, 5, 64])
def test_each_way_finds_the_same(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ada_records, "_MAX_SEARCHES", most)
    rng = Random(1)
    names = [f"p__{letter}" for letter in "abcdef"]
    spelled = [f"{name}{end}" for name in names for end in ("", "X", "Xb", "Xn", "Xz")]
    for _ in range(30):
        units = b""
        for _ in range(rng.randrange(1, 5)):
            entries = b""
            for name in rng.choices(spelled, k=rng.randrange(8)):
                code = rng.choice((2, 2, 3, 4))
                flag = bytes([rng.randrange(2)]) if code == 3 else b""
                entries += bytes([code]) + name.encode() + b"\0" + flag
            units += unit_of(rng.choice((ADA, ADA, C)), entries)
        info = file_of(units)
        for name in rng.sample(names, len(names)):
            assert ada_record(info, name) == expected(info, name), name


def test_a_file_is_not_searched_for_each_of_many_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor twice for one."""
    passes = []
    search = StringIndex._holding
    monkeypatch.setattr(
        StringIndex, "_holding", lambda self, *of: passes.append(of) or search(self, *of)
    )
    names = [f"p__t{number}" for number in range(500)]
    info = file_of(unit_of(ADA, b"".join(b"\2" + name.encode() + b"\0" for name in names)))
    for name in ["p__t7"] * 20 + names:
        die = ada_record(info, name)
        assert die is not None and die.name == name
    assert len(passes) == ada_records._MAX_SEARCHES


def test_units_that_only_mention_many_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not gone through for each."""
    asked = []
    named = ada_records.named
    monkeypatch.setattr(ada_records, "named", lambda *of: asked.append(of) or named(*of))
    names = [f"p__t{number}" for number in range(40)]
    declared = b"".join(b"\3" + name.encode() + b"\0\1" for name in names)
    last = unit_of(ADA, declared + b"\2p__t39\0")
    info = file_of(unit_of(ADA, declared) * 30 + last)
    results = [ada_record(info, name) for name in names]
    assert results[:-1] == [None] * 39 and results[-1] is not None
    assert len(asked) <= ada_records._MAX_SEARCHES


def test_records_that_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not known whether others are in the file, and they are not read again."""
    monkeypatch.setattr(ada_records, "_MAX_SEARCHES", 0)
    monkeypatch.setattr(ada_records, "_MAX_RECORDS", 2)
    info = file_of(unit_of(ADA, b"\2p__a\0\2p__b\0\2p__c\0"))
    assert ada_record(info, "p__b") is not None
    monkeypatch.setattr(ada_records, "_all_in", None)
    for name in ("p__c", "p__z", "p__c"):
        with pytest.raises(LimitExceeded, match="more than 2 records of Ada; no option"):
            ada_record(info, name)
    assert ada_record(info, "p__a") is not None
