"""Code objects by address: the answers of a search of all of them, in few steps."""

from __future__ import annotations

from functools import partial
from random import Random
from types import SimpleNamespace
from typing import cast

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import (
    CodeObjects,
    as_code_objects,
    code_object_at,
    code_objects_at,
    split_by_machine,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES
from tests.work import calls_of


class Loaded:
    """What a search asks of a code object: where it is, and whether it has code there."""

    def __init__(self, extent: tuple[int, int], bias: int, machine: str = "X86_64") -> None:
        self.file = SimpleNamespace(extent=extent, machine=machine)
        self.load_address = bias

    def covers(self, pc: int) -> bool:
        low, high = self.file.extent
        return low <= pc - self.load_address < high and pc % 3 != 0


def _loaded(count: int, random: Random) -> list[CodeObject]:
    begins = [random.randrange(300) for _ in range(count)]
    extents = [(begin, begin + random.choice((1, 2, 50, 300))) for begin in begins]
    items = [Loaded(extent, random.randrange(-100, 100)) for extent in extents]
    return [cast(CodeObject, item) for item in items]


@pytest.mark.parametrize("count", [0, 1, 2, 200])
def test_an_address_is_in_the_same_ones_as_in_a_search_of_all(count: int) -> None:
    listed = _loaded(count, Random(count))
    found = CodeObjects(listed)
    for pc in range(-120, 720):
        expected = [one for one in listed if one.covers(pc)]
        assert list(code_objects_at(found, pc)) == list(code_objects_at(listed, pc)) == expected
        assert code_object_at(found, pc) is next(iter(expected), None)


def test_a_question_costs_the_same_among_many() -> None:
    work = []
    for count in (10, 1_000):
        listed = [Loaded((0, 16), 16 * index) for index in range(count)]
        found = CodeObjects(cast(CodeObject, item) for item in listed)
        for pc in (0, 16 * count + 1):
            list(code_objects_at(found, pc))
            work.append(calls_of(partial(list, found.around(pc))))
            work.append(calls_of(lambda found=found, pc=pc: list(code_objects_at(found, pc))))
    assert max(work) < 20, work


def test_a_session_keeps_them() -> None:
    """Sessions of other frames and threads are made from it."""
    from dwarfgpu.base.records import evolve

    session = Session(architecture("x86_64"))
    assert isinstance(session.code_objects, CodeObjects)
    assert evolve(session, pc=5).code_objects is session.code_objects
    assert as_code_objects(session.code_objects) is session.code_objects


def test_a_session_with_them_is_judged_by_their_types() -> None:
    """The types of its fields are right for a second session if they were for the first."""
    import dwarfgpu

    loaded = (CodeObject.open(FIXTURES / "x86_64/demo.gcc.O2.v5"),)
    arch = architecture("x86_64")
    work = [calls_of(lambda: dwarfgpu.Session(arch, loaded, pc=0x1180)) for _ in range(3)]
    assert min(work[1:]) < 300, work  # finalizers of other objects may run in one of them
    with pytest.raises(UsageError, match=r"Session.code_objects\[1\]: expected CodeObject, not 1"):
        dwarfgpu.Session(arch, (*loaded, 1))  # type: ignore[arg-type]


def test_those_of_a_machine_are_split_off_once() -> None:
    gpu, cpu = (cast(CodeObject, Loaded((0, 1), 0, machine)) for machine in ("AMDGPU", "X86_64"))
    loaded = CodeObjects((cpu, gpu, cpu))
    own, other = split_by_machine(loaded, architecture("gfx90a"))
    assert (own, other) == ((gpu,), (cpu, cpu))
    assert split_by_machine(loaded, architecture("gfx942"))[0] is own


def test_the_order_of_a_search_is_linear_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many libraries needs the others; the program needs the first."""
    from dwarfgpu.session import search_order as searched

    class File(SimpleNamespace):
        compared = 0

        def __eq__(self, other: object) -> bool:
            File.compared += 1
            return self is other

        __hash__ = object.__hash__

    monkeypatch.setattr(searched, "library_name", lambda file: file.name)
    monkeypatch.setattr(searched, "needed_libraries", lambda file: file.needs)
    work = []
    for count in (10, 100):
        names = [f"lib{number}" for number in range(count)]
        libraries = [
            File(name=name, file=SimpleNamespace(name=name, needs=names)) for name in names
        ]
        program = File(name="p", file=SimpleNamespace(name="p", needs=names[:1]))
        plugin = File(name="q", file=SimpleNamespace(name="q", needs=names))
        loaded = cast("tuple[CodeObject, ...]", (program, *libraries, plugin))
        File.compared = 0
        order = searched.search_order(loaded, cast(CodeObject, plugin))
        assert order == (plugin, program, *libraries)
        work.append(File.compared - count - 2)
    assert max(work) <= 0, work
