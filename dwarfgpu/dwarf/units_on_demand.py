"""The units of a section of a file, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Final, overload

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_file_protocol import UnitFile
from dwarfgpu.dwarf.unit_header import UnitHeader
from dwarfgpu.errors import DwarfGpuError

_REPORT: Final[ContextVar[Callable[[str, int, int], object] | None]] = ContextVar(
    "_REPORT", default=None
)


class reporting_units:
    """Within the block, call `report` while all units of a file are read: with the path of the
    file, the number of units that were read, and the number of all."""

    __slots__ = ("_report", "_token")

    def __init__(self, report: Callable[[str, int, int], object]) -> None:
        self._report = report

    def __enter__(self) -> None:
        self._token = _REPORT.set(self._report)

    def __exit__(self, *error: object) -> None:
        _REPORT.reset(self._token)


@frozen(eq=False, slots=False)
class UnitHeaders:
    """The usable headers of units of a section, and why those at other offsets are not usable."""

    headers: Sequence[UnitHeader]
    problems: dict[int, DwarfGpuError]


class Units(Sequence[CompilationUnit]):
    """The units of a section, each made when it is asked for: a session may load a file of many
    units thousands of times."""

    def __init__(self, info: UnitFile, read: UnitHeaders) -> None:
        self._info = info
        self._read = read  # the other loads have it as long as one keeps it
        self.headers = read.headers
        self.ready: dict[int, CompilationUnit] = {}
        self._every: tuple[CompilationUnit, ...] | None = None
        """All of them, once all are made."""

    def __len__(self) -> int:
        return len(self.headers)

    @overload
    def __getitem__(self, index: int) -> CompilationUnit: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[CompilationUnit, ...]: ...

    def __getitem__(self, index: int | slice) -> CompilationUnit | tuple[CompilationUnit, ...]:
        numbers = range(len(self.headers))[index]
        return self._unit(numbers) if isinstance(numbers, int) else (*map(self._unit, numbers),)

    def __iter__(self) -> Iterator[CompilationUnit]:
        if self._every is None:
            units = map(self._unit, range(len(self.headers)))
            if len(self.ready) < len(self.headers):
                return units
            self._every = tuple(units)
        return iter(self._every)

    def _unit(self, number: int) -> CompilationUnit:
        unit = self.ready.get(number)
        if unit is None:  # another thread may ask for it at the same time
            new = CompilationUnit(self._info, self.headers[number])
            unit = self.ready.setdefault(number, new)
        return unit


def reported(path: str, units: Sequence[CompilationUnit]) -> Iterator[CompilationUnit]:
    """Yield the units of a file, with a report before each (`reporting_units`)."""
    report = _REPORT.get()
    for count, unit in enumerate(units):
        if report is not None:
            report(path, count, len(units))
        yield unit
