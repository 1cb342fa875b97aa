"""The units of a package `FILE.dwp`, whose sections `dwp` reads (DWARF 5 7.3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

from dwarfgpu.base.cached import cached_property
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.sections import Program, Sections
from dwarfgpu.dwarf.split.dwp import Contents, PackageRow, PackageSections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, FilePosition, LimitExceeded, Malformed, counted
from dwarfgpu.objfile.elf import ObjectFile

_Rows: TypeAlias = tuple[tuple[CompilationUnit, ...], tuple[DwarfGpuError, ...]]
_UNITS_OF_A_ROW: Final = 4
"""How many units of one section take as much memory as a row, which has sections of its own."""


class NoteUnread(Protocol):
    """Remembers why a unit cannot be used, for a note of what was asked."""

    def __call__(self, error: DwarfGpuError) -> object: ...


class SplitPart(Protocol):
    """A split file or the row of a package: the units of one set of sections `.dwo`."""

    @property
    def sections(self) -> Sections: ...

    @property
    def units(self) -> Sequence[CompilationUnit]: ...

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]: ...

    @property
    def split_units(self) -> dict[int, CompilationUnit]:
        """The split units by their IDs."""
        ...

    def own_type_unit(self, signature: int) -> CompilationUnit | None: ...


class MakePart(Protocol):
    """Makes a part of the program that sections belong to."""

    def __call__(self, sections: Sections, package: Package | None = None) -> SplitPart: ...


class Package:
    """The units of a package; each row of its indexes is a part of its own."""

    def __init__(
        self, file: ObjectFile, program: Program, make_part: MakePart, note_unread: NoteUnread
    ) -> None:
        self.file = file
        self._note_unread = note_unread
        self._program = program
        self._make_part = make_part
        self._sections = PackageSections(file)
        self._parts: dict[tuple[str, int], SplitPart | None] = {}
        self._parts_by_content: dict[tuple[str, Contents], SplitPart] = {}
        self._known_rows: dict[str, _Rows] = {}

    def _part(self, index: str, signature: int) -> SplitPart | None:
        key = (index, signature)
        if key not in self._parts:
            row = self._sections.row(index, signature)
            self._parts[key] = None if row is None else self._part_of(index, signature, row)
        return self._parts[key]

    def _part_of(self, index: str, signature: int, row: PackageRow) -> SplitPart:
        """Return the part that a row is: the same one for rows of the same contributions, which
        has the path of the first."""
        key = (index, row.contents)
        if key not in self._parts_by_content:
            read = len(self._parts_by_content)
            if _UNITS_OF_A_ROW * read >= self.file.limits.units:
                raise self._too_many(index, f"{counted(read, 'row')} are read before this one")
            path = f"{self.file.path}[{signature:#018x}]"
            sections = Sections(self.file, self._program, suffix=dw.DWO_SUFFIX, path=path, row=row)
            self._parts_by_content[key] = self._make_part(sections, self)
        return self._parts_by_content[key]

    def unit(self, id: int) -> CompilationUnit | None:
        """Return the split unit with an ID; None if the package has none."""
        part = self._part(dw.CU_INDEX, id)
        return None if part is None else part.split_units.get(id)

    def type_unit(self, signature: int) -> CompilationUnit | None:
        """Return the type unit with a signature; None if the package has none."""
        try:
            part = self._part(dw.TU_INDEX, signature)
        except DwarfGpuError as error:
            self._note_unread(error)
            raise
        unit = None if part is None else part.own_type_unit(signature)
        if unit is None and self._faults:  # it may be in what no row has
            self._note_unread(self._faults[0])
        return unit

    def _rows(self, section: str) -> _Rows:
        """Return the units of the rows of an index, and why others could not be read.

        Rows of the same contributions have the same units, which are listed once.
        """
        if section not in self._known_rows:
            units: list[CompilationUnit] = []
            problems: list[DwarfGpuError] = []
            known: set[int] = set()
            fault: Malformed | None = None  # of several the first: a column may be lost
            for signature in self._signatures(section, problems):
                if _UNITS_OF_A_ROW * (len(units) + len(problems)) >= self.file.limits.units:
                    read = f"{counted(len(units), 'unit')} and {len(problems)} that cannot be used"
                    problems.append(self._too_many(section, f"{read} are before other rows"))
                    break
                try:
                    part = self._part(section, signature)
                    if part is not None and id(part) not in known:
                        known.add(id(part))
                        units += part.units
                        problems += part.problems
                    fault = fault or self._signature_fault(section, signature, part)
                except DwarfGpuError as error:
                    error.position = error.position or FilePosition(self.file.path, section, 0)
                    problems.append(error.with_traceback(None))
            problems += [] if fault is None else [fault]
            for problem in (*problems, *self._faults)[:1]:
                self._note_unread(problem)
            self._known_rows[section] = tuple(units), tuple(problems)
        return self._known_rows[section]

    def _signature_fault(
        self, section: str, signature: int, part: SplitPart | None
    ) -> Malformed | None:
        """Return that the unit of a row is not found by the signature of the row."""
        if part is None:
            fault = Malformed(
                f"the slot of the signature {signature:#018x} is not where its hash is"
            )
        elif not part.units:
            if part.problems or self._faults:
                return None
            fault = Malformed(f"the row of the signature {signature:#018x} has no unit")
        elif section == dw.TU_INDEX and part.own_type_unit(signature) is None:
            fault = Malformed(f"the row of {signature:#018x} has no type unit of that signature")
        elif section == dw.CU_INDEX and signature not in part.split_units:
            fault = Malformed(f"the row of {signature:#018x} has no unit of that ID")
        else:
            return None
        fault.context = f"{self.file.path}: {section}"
        fault.position = FilePosition(self.file.path, section, 0)
        return fault

    @cached_property
    def _faults(self) -> tuple[Malformed, ...]:
        return tuple(self._sections.faults())

    def _too_many(self, section: str, read: str) -> LimitExceeded:
        error = LimitExceeded(read, "--max-units")
        error.context = f"{self.file.path}: {section}"
        return error

    def _signatures(self, section: str, problems: list[DwarfGpuError]) -> tuple[int, ...]:
        try:
            index = self._sections.index(section)
            return () if index is None else tuple(index.signatures())
        except DwarfGpuError as error:
            error.context = error.context or self.file.path
            problems.append(error)
            return ()

    @property
    def units(self) -> tuple[CompilationUnit, ...]:
        """The units of all rows, type units last."""
        return self._rows(dw.CU_INDEX)[0] + self.type_units

    @property
    def type_units(self) -> tuple[CompilationUnit, ...]:
        """The type units of all rows."""
        return self._rows(dw.TU_INDEX)[0]

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]:
        """How the indexes contradict themselves, and why other rows could not be read."""
        return self._faults + self._rows(dw.CU_INDEX)[1] + self._rows(dw.TU_INDEX)[1]
