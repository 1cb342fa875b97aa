"""The compilers that wrote a checked file, and the number of findings about the output of
each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.check.file import Verdict
from dwarfgpu.check.finding import Finding, FindingPosition
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.service.check.report import position_text
from dwarfgpu.view.json_object import JsonObject

_GNU: Final = re.compile(r"GNU (?P<what>.+?) (?P<version>[0-9]+(?:\.[0-9]+)+\S*)")
_VERSION: Final = re.compile(r"(?P<name>\S.*?) version (?P<version>[\w.+~-]*[0-9][\w.+~-]*)")
_LONGEST: Final = 80
_ASSEMBLERS: Final = ("AS", "assembler")


@frozen
class Compiler:
    """A compiler as reports name it; None for what no unit says."""

    name: str | None = None
    version: str | None = None


def compiler_of(producer: str) -> Compiler:
    """Return the compiler and the version that DW_AT_producer names.

    Options and the languages of GCC are left out. A producer of another form is the name, without
    a version; of an empty one nothing is known.
    """
    gnu = _GNU.match(producer)
    if gnu is not None:
        return Compiler("GNU AS" if gnu["what"] in _ASSEMBLERS else "GCC", gnu["version"])
    version = _VERSION.match(producer)
    if version is not None:
        name = version["name"].rpartition("(")[2]  # clang LLVM (rustc version 1.95.0 (…))
        return Compiler(name[:_LONGEST], version["version"][:_LONGEST])
    return Compiler(producer[:_LONGEST] or None)


def compilers_json(file: CodeObject, verdict: Verdict) -> Iterator[JsonObject]:
    """Yield the compilers of a file in the order of its units: how many units each wrote, and how
    many of the kept findings of each rule and severity are about them, with one example."""
    units: Counter[Compiler] = Counter()
    findings: dict[Compiler, dict[tuple[str, str], list[Finding]]] = {}
    origins = _Origins(file)
    for _, compiler in origins.units:
        units[compiler] += 1
    for finding in verdict.findings.kept:
        alike = findings.setdefault(origins.of(finding.position), {})
        alike.setdefault((finding.rule, finding.severity), []).append(finding)
    for compiler in dict.fromkeys((*units, *findings)):
        yield {
            "compiler": compiler.name,
            "version": compiler.version,
            "units": units[compiler],
            "findings": [
                {
                    "rule": rule,
                    "severity": severity,
                    "count": len(alike),
                    "example": {
                        "message": alike[0].message,
                        "entry": position_text(alike[0].position),
                    },
                }
                for (rule, severity), alike in findings.get(compiler, {}).items()
            ],
        }


class _Origins:
    """The compilers of the parts of a file."""

    def __init__(self, file: CodeObject) -> None:
        self._file = file
        self.units = [*_units(file)]
        """The section and offset of each unit, and its compiler."""
        self._by_section: dict[_Section, tuple[list[int], list[Compiler]]] = {}
        for (section, offset), compiler in sorted(self.units, key=_offset_of):
            starts, compilers = self._by_section.setdefault(section, ([], []))
            starts.append(offset)
            compilers.append(compiler)
        self._all = {compiler for _, compiler in self.units}

    def of(self, position: FindingPosition) -> Compiler:
        """Return the compiler of the unit or the code at a position, or the only one of the
        file."""
        in_section = self._by_section.get((position.file, position.section))
        if in_section is not None:
            index = bisect_right(in_section[0], position.offset) - 1
            return in_section[1][index] if index >= 0 else Compiler()
        if position.span is not None and position.kind == "FDE":
            return self._at(position.span[0])
        return next(iter(self._all)) if len(self._all) == 1 else Compiler()

    def _at(self, address: int) -> Compiler:
        """Return the compiler of the code at an address of the file."""
        try:
            unit = self._file.scopes.linked_unit_at(address + self._file.load_address)
            return Compiler() if unit is None else compiler_of(unit.full.producer)
        except DwarfGpuError:
            return Compiler()


_Section = tuple[str | None, str]
"""A file, None for the main one, and a section of it."""


def _offset_of(unit: tuple[tuple[_Section, int], Compiler]) -> int:
    return unit[0][1]


def _units(file: CodeObject) -> Iterator[tuple[tuple[_Section, int], Compiler]]:
    """Yield position and compiler of the units of a file and of its split files."""
    visited: set[int] = set()
    try:
        for unit in file.info.units:
            yield _unit_start(unit), _compiler(unit)
            try:
                full = unit.full
            except DwarfGpuError:
                continue
            for split in () if full is unit else (full, *full.info.type_source.type_units):
                if id(split) not in visited:
                    visited.add(id(split))
                    yield _unit_start(split), _compiler(split)
    except DwarfGpuError:  # a section that cannot be read: the check has reported it
        return


def _unit_start(unit: CompilationUnit) -> tuple[_Section, int]:
    """Return the key of a unit, as in a `FindingPosition`: every unit of a package of split units
    is a file of its own."""
    path = unit.sections.path
    return (None if path == unit.info.main.sections.path else path, unit.section), unit.offset


def _compiler(unit: CompilationUnit) -> Compiler:
    try:
        return compiler_of(unit.full.producer or unit.info.common_producer)
    except DwarfGpuError:
        return Compiler()
