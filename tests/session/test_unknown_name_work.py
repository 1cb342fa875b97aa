"""Why a name is unknown: how much work that is where one file is loaded many times."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.loaded_code import CodeObjects
from dwarfgpu.errors import UsageError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.service.value.subject import answer, subject
from dwarfgpu.session.session import Session
from dwarfgpu.session.unknown_name import why_unknown
from tests.cli.command import FIXTURES, run
from tests.dwarf.builder import AMDGPU, Content, Shape, abbreviations, elf, file_of, unit
from tests.work import assert_linear, calls_of

NEST = FIXTURES / "hip" / "nest.gfx942.O2.v5.co"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("nothing", ""), ("limits", ' Did you mean "limit"?'), ("nesd", ' Did you mean "nest"?')],
)
def test_loads_of_a_file_are_not_searched_anew(name: str, expected: str) -> None:
    """Each of thousands of waves may ask, and each may be in another load of the file."""
    file = ObjectFile(str(NEST), NEST.read_bytes())
    loads = tuple(CodeObject.of(file, number * 0x10000) for number in range(60))
    each = []
    for count in (20, 60):
        architecture = loads[0].architecture
        assert architecture is not None
        session = Session(architecture, loads[:count], pc=0x1690)
        assert why_unknown(session, name) == expected
        each.append(calls_of(partial(why_unknown, session, name)))
    assert each[1] < each[0] + 10 * 40, each


def _nest(numbers: Iterable[int]) -> list[CodeObject]:
    file = ObjectFile(str(NEST), NEST.read_bytes())
    return [CodeObject.of(file, number * 0x10000) for number in numbers]


def _unknown(session: Session) -> str:
    """Return the message that a name is unknown, as the command line has it."""
    return str(answer(session, subject(session, "nothing")).error)


def _work_of_waves(count: int, all_loads: CodeObjects) -> int:
    """Return how much work ten waves are, each in another one of the first code objects, that ask
    for an unknown name once one has asked for it."""
    architecture = all_loads[0].architecture
    assert architecture is not None
    session = Session(architecture, CodeObjects(all_loads[:count]), pc=0x1690)
    messages = []

    def of_waves(loads: Iterable[int]) -> None:
        for load in loads:
            with pytest.raises(UsageError) as error:
                _unknown(evolve(session, pc=load * 0x10000 + 0x1690))
            messages.append(str(error.value))

    of_waves((0,))
    work = calls_of(partial(of_waves, range(1, count, count // 10)))
    assert set(messages) == {'No symbol "nothing" in current context.'}
    return work


def test_a_name_is_searched_in_two_loads_of_a_file() -> None:
    """Whichever load each of thousands of waves is in."""
    loads = CodeObjects(_nest(range(60)))
    each = [_work_of_waves(count, loads) for count in (20, 60)]
    assert each[1] < 1.1 * each[0], each


def test_a_name_is_searched_once_in_each_file() -> None:
    """Whichever file each of thousands of waves is in."""
    data = NEST.read_bytes()
    files = [ObjectFile(f"{number}.co", data) for number in range(60)]
    loads = CodeObjects(CodeObject.of(one, at * 0x10000) for at, one in enumerate(files))
    each = [_work_of_waves(count, loads) for count in (20, 60)]
    assert each[1] < each[0] + 10 * 40, each  # no call for each wave and file


def test_the_loads_that_are_searched() -> None:
    first, second, third, fourth = _nest(range(4))
    loads = CodeObjects((first, second, third, fourth))
    assert loads.searched_from(None) == loads.searched_from(first) == (first, second)
    assert loads.searched_from(second) == (second, first)
    assert loads.searched_from(fourth) == (fourth, first, second)


def test_the_hash_of_many_files_is_calculated_once() -> None:
    """Each of thousands of waves asks questions of all files."""
    loads = CodeObjects(_nest(range(60)))
    plain = tuple(loads)
    assert loads == plain and hash(loads) == hash(plain)
    assert hash(loads.infos) == hash(tuple(loads.infos))
    assert "_hash" in vars(loads) and "_hash" in vars(loads.infos)


def _state_of_loads(folder: Path, count: int) -> Path:
    """Write a state of as many loads of a file, with a wave in each."""
    loads = [{"path": str(NEST), "load_address": number * 0x10000} for number in range(count)]
    waves = [{"pc": number * 0x10000 + 0x1690} for number in range(count)]
    state = folder / "loads.json"
    record = {"schema": "dwarfgpu-state-1", "architecture": "gfx942"}
    state.write_text(json.dumps({**record, "waves": waves, "code_objects": loads}))
    return state


@pytest.mark.parametrize("options", [(), ("--json",), ("--lane", "all")])
def test_each_load_is_asked_once_for_its_damage(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[DebugInfo] = []

    def damage(info: DebugInfo) -> list[str]:
        asked.append(info)
        return ["something is damaged"]

    monkeypatch.setattr(DebugInfo, "damage", property(damage))
    done = run("eval", "--state", _state_of_loads(tmp_path, 20), "--wave", "all", *options, "limit")
    assert len(asked) == len(set(asked)) == 20
    assert (done.out if "--json" in options else done.err).count("something is damaged") == 1


def test_waves_in_the_same_code_of_a_file_share_the_search(tmp_path: Path) -> None:
    """The code of a file sees the same names wherever it is loaded."""
    works = []
    for count in (1, 10, 20):
        state = _state_of_loads(tmp_path, count)
        asked = partial(run, "eval", "--state", state, "--wave", "all", "nothing")
        assert asked().error == 'No symbol "nothing" in current context.'
        works.append(calls_of(asked))
    alone, few, many = works
    assert many - few < 2 * alone, works


def _function_of_variables(folder: Path, count: int) -> Path:
    """Write a state of as many waves, each at an address of its own of one function, which has as
    many variables."""
    code = (dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4)
    name = (dw.AT_NAME, dw.FORM_STRING)
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1), *code), has_children=True),
        Shape(dw.TAG_SUBPROGRAM, (name, *code), has_children=True),
        Shape(dw.TAG_VARIABLE, (name,)),
    )
    begin = struct.pack("<QI", 0x1000, 8 * count)
    entries = b"\1\x0c" + begin + b"\2f\0" + begin
    entries += b"".join(b"\3variable%04d\0" % number for number in range(count)) + b"\0\0"
    text = Content(bytes(8 * count), flags=6, address=0x1000)
    (folder / f"{count}.co").write_bytes(file_of(entries, shapes, {".text": text}))
    record = {
        "schema": "dwarfgpu-state-1",
        "architecture": "gfx942",
        "waves": [{"pc": 0x1000 + 8 * number} for number in range(count)],
        "code_objects": [{"path": f"{count}.co", "load_address": 0}],
    }
    state = folder / f"{count}.json"
    state.write_text(json.dumps(record))
    return state


@pytest.mark.parametrize("options", [(), ("--lane", 3)])
def test_a_scope_is_searched_once_for_all_its_waves(
    options: tuple[str | int, ...], tmp_path: Path
) -> None:
    """Whatever their addresses: the names in scope, and so those to suggest, are the same."""

    def asked(count: int) -> Callable[[], object]:
        state = _function_of_variables(tmp_path, count)

        def ask() -> None:
            done = run("eval", "--state", state, "--wave", "all", *options, "variable000x")
            assert 'Did you mean "variable0000"?' in done.error

        return ask

    assert_linear(asked, 40)


def _skeletons(count: int, begin: int) -> bytes:
    """A file with as many units whose entries are in split files that are missing."""
    attributes = (
        (dw.AT_DWO_NAME, dw.FORM_STRING),
        (dw.AT_LOW_PC, dw.FORM_ADDR),
        (dw.AT_HIGH_PC, dw.FORM_DATA4),
    )
    info = (
        struct.pack("<QB", address, 1) + b"none.dwo\0" + struct.pack("<QI", address, 16)
        for address in range(begin, begin + 16 * count, 16)
    )
    sections = {
        ".debug_info": b"".join(unit(entries, kind=dw.UT_SKELETON) for entries in info),
        ".debug_abbrev": abbreviations(Shape(dw.TAG_SKELETON_UNIT, attributes)),
        ".text": Content(bytes(16 * count), flags=6, address=begin),
    }
    return elf(sections, AMDGPU)


@pytest.mark.parametrize("in_one_file", [True, False])
def test_missing_split_files_are_asked_once_for_a_name(in_one_file: bool, tmp_path: Path) -> None:
    """Not by each wave, of thousands in as many units."""

    def asked(count: int) -> Callable[[], object]:
        units = (count,) if in_one_file else (1,) * count
        for number, in_file in enumerate(units):
            (tmp_path / f"{number}.co").write_bytes(_skeletons(in_file, 0x1000 + 16 * number))
        record = {
            "schema": "dwarfgpu-state-1",
            "architecture": "gfx942",
            "waves": [{"pc": 0x1000 + 16 * number} for number in range(count)],
            "code_objects": [{"path": f"{number}.co"} for number in range(len(units))],
        }
        state = tmp_path / f"{count}.json"
        state.write_text(json.dumps(record))

        def ask() -> None:
            done = run("eval", "--state", state, "--wave", "all", "nothing")
            assert done.err.count("split file none.dwo with the entries of the unit") == count

        return ask

    assert_linear(asked, 40)
