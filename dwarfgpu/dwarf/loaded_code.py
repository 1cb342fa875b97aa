"""The code objects of a session, found by an address.

Law: a question costs a binary search, however many files are loaded: a debugger asks for each
thread, and for each frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import HashedOnce, KeptAnswers
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.target import PartlyKnown
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.separate_debug import is_debug_file

if TYPE_CHECKING:
    from dwarfgpu.dwarf.scope.unit_search import SearchedFiles

_FEW: Final = 4
"""Code objects that are asked one after the other as quickly as they are looked up."""
_MAX_SEARCHED: Final = 8
"""Code objects for which it is kept what is searched for a name in their code."""


class CodeObjects(HashedOnce[CodeObject]):
    """Code objects in the order in which they were loaded."""

    def around(self, address: int) -> Sequence[CodeObject]:
        """Return those that load something at an address, or below it and above it; all where they
        are few."""
        if len(self) <= _FEW:
            return self
        return [self[index] for index in sorted(self._extents.covering(address))]

    @cached_property
    def _extents(self) -> SpanIndex[int]:
        """Where each begins and ends, with its index."""
        extents = ((one.file.extent, one.load_address) for one in self)
        return SpanIndex(
            ((low + bias, high + bias), index) for index, ((low, high), bias) in enumerate(extents)
        )

    @cached_property
    def first_loads(self) -> tuple[CodeObject, ...]:
        """The first load of each file: the others declare the same names, and may be thousands."""
        loads: dict[tuple[ObjectFile, ObjectFile], CodeObject] = {}
        for one in self:
            loads.setdefault((one.file, one.info.object), one)
        return tuple(loads.values())

    def searched_from(self, here: CodeObject | None) -> CodeObjects:
        """Return those that are searched for a name in the code of one: that one, then two loads of
        each file. A third declares nothing else; the second shows that a name which only its own
        file sees has another meaning."""
        if here is None or here in self._two_loads[:1]:
            return self._two_loads
        if here not in self._searched:
            rest = (one for one in self._two_loads if one is not here)
            searched = CodeObjects((here, *rest))
            searched._loaded = self._two_loads
            searched.infos = self._two_loads.infos.beginning_with(here.info)
            self._searched[here] = searched
            return searched
        return self._searched[here]

    @cached_property
    def _two_loads(self) -> CodeObjects:
        """The first two loads of each file."""
        counts = Counter[tuple[ObjectFile, ObjectFile]]()
        loads: list[CodeObject] = []
        for one in self:
            file = one.file, one.info.object
            counts[file] += 1
            if counts[file] <= 2:
                loads.append(one)
        return CodeObjects(loads)  # never itself: that would be a cycle

    _loaded: CodeObjects | None = None

    @property
    def in_load_order(self) -> CodeObjects:
        """Themselves, or what `searched_from` returns for no code: whatever code they are searched
        from, the same files have a name."""
        return self if self._loaded is None else self._loaded

    @cached_property
    def _searched(self) -> KeptAnswers[CodeObject, CodeObjects]:
        """The answers of `searched_from` for the last code objects."""
        return KeptAnswers(_MAX_SEARCHED)

    @cached_property
    def infos(self) -> SearchedFiles:
        """Their debugging information."""
        from dwarfgpu.dwarf.scope.unit_search import SearchedFiles  # for names

        return SearchedFiles([one.info for one in self])

    @cached_property
    def program(self) -> CodeObject | None:
        """The program, which is loaded first; None where its file is missing or not known."""
        return next((one for one in self if not one.is_library), None)

    @cached_property
    def main_unit(self) -> CompilationUnit | None:
        """The unit of the main function, of the first that has one (`Scopes.main_unit`)."""
        units = (one.scopes.main_unit for one in self)
        return next((unit for unit in units if unit is not None), None)

    @cached_property
    def by_machine(self) -> dict[str, tuple[CodeObjects, CodeObjects]]:
        """The answers of `split_by_machine`, by the names of machines."""
        return {}


def as_code_objects(code_objects: Iterable[CodeObject]) -> CodeObjects:
    """Return them to be found by an address; themselves if they are already."""
    return code_objects if isinstance(code_objects, CodeObjects) else CodeObjects(code_objects)


def code_objects_at(code_objects: Iterable[CodeObject], location: int) -> Iterator[CodeObject]:
    """Yield those whose code covers a program location: a program and its debug file may."""
    if isinstance(code_objects, CodeObjects):
        code_objects = code_objects.around(location)
    return (one for one in code_objects if one.covers(location))


def code_object_at(code_objects: Iterable[CodeObject], location: int) -> CodeObject | None:
    """Return the first whose code covers a program location; None if there is none."""
    if isinstance(code_objects, CodeObjects):
        code_objects = code_objects.around(location)
    for one in code_objects:
        if one.covers(location):
            return one
    return None


def split_by_machine(
    code_objects: Iterable[CodeObject], arch: Architecture
) -> tuple[CodeObjects, CodeObjects]:
    """Return the code objects for the machine of an architecture, and those for another one."""
    loaded, machine = as_code_objects(code_objects), arch.machine
    if machine not in loaded.by_machine:
        own = CodeObjects(one for one in loaded if one.file.machine == machine)
        other = CodeObjects(one for one in loaded if one.file.machine != machine)
        loaded.by_machine[machine] = own, other
    return loaded.by_machine[machine]


def with_loaded_memory(
    machine: PartlyKnown, code_objects: Iterable[CodeObject], *, has_started: bool = True
) -> TargetWithCodeObjects:
    """Return a machine, completed by what code objects load. A debug file has nothing of it: its
    zeros would hide the contents of the program. `has_started`: whether it is a program that
    ran."""
    segments = (
        segment
        for code_object in code_objects
        if not is_debug_file(code_object.file)
        for segment in (
            code_object.loaded_segments() if has_started else code_object.loaded_sections()
        )
    )
    return TargetWithCodeObjects(machine, tuple(segments), has_started)
