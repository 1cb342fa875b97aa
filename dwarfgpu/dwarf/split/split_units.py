"""Split units, whose entries are in other sections or files (DWARF 5 3.1.2, 3.1.3, 7.3.2; GNU
Fission before).

A skeleton in the file itself has the parts that a linker changes: addresses, the line table. It
names a split file and an ID; the split unit with that ID is in sections `.dwo` of the file itself,
in a package `FILE.dwp` beside it, or in the split file.

Law: a unit with another ID is rejected. Files are opened on first access to a skeleton's entries,
each once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import (
    DwarfGpuError,
    FailedReads,
    IllFormed,
    LimitExceeded,
    MissingContext,
)
from dwarfgpu.objfile.companions import (
    Companions,
    Search,
    candidate_paths,
    joined,
    open_companion,
    shown_path,
)
from dwarfgpu.objfile.elf import ObjectFile

if TYPE_CHECKING:
    from dwarfgpu.dwarf.split.dwp_units import MakePart, NoteUnread, Package, SplitPart

_MAX_DETAILED_ERRORS: Final = 1_000
"""Maximum number of units of one file whose errors list every place that was tried; each is
kept."""
_MAX_FAILURES: Final = 20_000
"""Split files of one file that are looked for in vain: each search asks the file system several
times."""


def split_id(unit: CompilationUnit) -> int | None:
    """Return the ID that a skeleton and its split unit share."""
    if unit.header.signature is not None:
        return unit.header.signature
    return unit.root.integer(dw.AT_GNU_DWO_ID)


def split_name(skeleton: CompilationUnit) -> str | None:
    """Return the path of the split file that a skeleton names."""
    return _path(skeleton, *dw.SPLIT_NAMES)


def _path(unit: CompilationUnit, *names: int) -> str | None:
    for name in names:
        attribute = unit.root.attribute(name)
        if attribute is not None:
            return os.fsdecode(unit.string_of(attribute))
    return None


@frozen
class _Wanted:
    """What is searched for in all parts and packages in turn."""

    subject: str
    """What it is, for the error."""
    in_part: Callable[[SplitPart], CompilationUnit | str]
    """Returns it, or why a part does not have it."""
    in_package: Callable[[Package], CompilationUnit | str]


@methods_name_wrong_arguments
class SplitFiles:
    """The split units of the skeletons of one file."""

    def __init__(
        self, sections: Sections, make_part: MakePart, note_unread: NoteUnread, *, is_main: bool
    ) -> None:
        """`is_main`: whether the file has the code, or describes that which has it."""
        self._sections = sections
        self._program = sections.program
        self._make_part = make_part
        self._note_unread = note_unread
        self._is_main = is_main
        self._files: Companions[SplitPart] = Companions()
        self._packages: Companions[Package] = Companions()
        self._failures = 0
        self._missing = sections.for_all_loads.once("missing split units", FailedReads)
        """Each of thousands of loads of a file has the same units."""

    @cached_property
    def own_package(self) -> Package | None:
        """The file itself, if it is a package."""
        file = self._sections.object
        is_package = self._is_main and self._sections.suffix and file.has_section(dw.CU_INDEX)
        return self._package(file) if is_package else None

    @cached_property
    def _inside(self) -> SplitPart | None:
        """The part that sections `.dwo` of the file itself are."""
        file = self._sections.object
        inside = not self._sections.suffix and file.has_section(f".debug_info{dw.DWO_SUFFIX}")
        return self._part(file) if inside else None

    def _package(self, file: ObjectFile) -> Package:
        from dwarfgpu.dwarf.split.dwp_units import Package  # few programs have one

        return Package(file, self._program, self._make_part, self._note_unread)

    def _part(self, file: ObjectFile) -> SplitPart:
        return self._make_part(Sections(file, self._program, suffix=dw.DWO_SUFFIX))

    def unit_of(self, skeleton: CompilationUnit) -> CompilationUnit:
        """Return the split unit of a skeleton.

        `MissingContext` if it is not found, `InconsistentContext` if the file of that name has
        another ID or is for another machine.
        """
        id = split_id(skeleton)
        if id is None:
            raise IllFormed("the unit names a split file, but has no ID of its split unit")
        wanted = _Wanted(
            f"the entries of the unit (ID {id:#018x})",
            lambda part: part.split_units.get(id) or _why_not(part),
            lambda package: package.unit(id) or "has no unit with that ID",
        )
        package = self._searched(skeleton, wanted)
        if package.skeleton not in (None, skeleton):
            raise IllFormed(f"two skeleton units have the ID {id:#018x}")
        if package.format.address_size != skeleton.format.address_size:
            raise IllFormed(
                f"address size {package.format.address_size} of the split unit and address size "
                f"{skeleton.format.address_size} of its skeleton disagree"
            )
        package.skeleton = skeleton
        return package

    def problems(self) -> Iterator[DwarfGpuError]:
        """Yield why units of the split files and packages that were opened cannot be used."""
        inside = () if self._inside is None else (self._inside,)
        for part in (*inside, *self._files, *self._packages):
            yield from part.problems

    def type_unit_of(self, skeleton: CompilationUnit, signature: int) -> CompilationUnit:
        """Return the type unit of a skeleton, as in early GNU Fission."""
        none = "has no type unit with that signature"
        wanted = _Wanted(
            f"the type unit {signature:#018x}",
            lambda part: part.own_type_unit(signature) or none,
            lambda package: package.type_unit(signature) or none,
        )
        return self._searched(skeleton, wanted)

    def _searched(self, skeleton: CompilationUnit, wanted: _Wanted) -> CompilationUnit:
        """Return what is wanted, or raise why it is missing: that is found out once for all loads
        of the file."""
        key = skeleton.header.section, skeleton.offset, wanted.subject, self._program.directories
        return self._missing.read(key, lambda: self._on_disk(skeleton, wanted))

    def _on_disk(self, skeleton: CompilationUnit, wanted: _Wanted) -> CompilationUnit:
        """Return what is found on disk, or raise why it is missing."""
        if self._inside is not None:
            inside = wanted.in_part(self._inside)
            if not isinstance(inside, str):
                return inside

        limits = self._program.loaded.limits

        def look_in_package(path: str) -> CompilationUnit | str:
            package = self._packages.read(path, lambda: self._package(open_companion(path, limits)))
            return self._other_machine(package.file) or wanted.in_package(package)

        def look_in_file(path: str) -> CompilationUnit | str:
            part = self._files.read(path, lambda: self._part(open_companion(path, limits)))
            return self._other_machine(part.sections.object) or wanted.in_part(part)

        if self._failures >= _MAX_FAILURES:
            raise LimitExceeded(
                f"{wanted.subject}: not looked for, after {_MAX_FAILURES} split files that are not "
                "found"
            )
        search = Search()
        package_path = search.first(self._package_paths(), look_in_package) or search.first(
            _split_paths(skeleton), look_in_file
        )
        if package_path is None:
            self._failures += 1
            name = split_name(skeleton)  # without one, only packages are searched
            which = "package" if name is None else f"split file {shown_path(name)}"
            is_reported = self._failures <= _MAX_DETAILED_ERRORS
            error = search.failure(f"{which} with {wanted.subject}", lists_paths=is_reported)
            is_missing = isinstance(error, MissingContext)
            error.brief = f"{which} {'is not found' if is_missing else 'cannot be used'}"
            raise error
        return package_path

    def _other_machine(self, file: ObjectFile) -> str | None:
        main = self._program.loaded
        if (file.machine, file.endian) == (main.machine, main.endian):
            return None
        return f"is for {file.machine}, not for {main.machine}"

    def _package_paths(self) -> Iterator[str]:
        for path in dict.fromkeys((self._program.loaded.path, self._sections.object.path)):
            yield f"{path}.dwp"
            stem, extension = os.path.splitext(path)
            if extension == ".debug":
                yield f"{stem}.dwp"
            for folder in map(str, self._program.directories):
                yield os.path.join(folder, f"{os.path.basename(path)}.dwp")


def _why_not(part: SplitPart) -> str:
    for id in part.split_units:
        return f"its ID is {id:#018x}"
    return "has no split unit"


def _split_paths(skeleton: CompilationUnit) -> Iterator[str]:
    """Return where a split file may be: in the folder of the compilation (DWARF 5 3.1.2), beside
    the file, and under the directories for debug files."""
    sections, program = skeleton.sections, skeleton.sections.program
    name = split_name(skeleton)
    if not name:
        return
    beside = dict.fromkeys(
        os.path.dirname(path) or "." for path in (program.loaded.path, sections.object.path)
    )
    folder = _path(skeleton, dw.AT_COMP_DIR)
    folders: Iterable[str] = (
        *((joined(path, folder) for path in beside) if folder else ()),
        *beside,
    )
    yield from candidate_paths(name, folders, tuple(map(str, program.directories)))
