"""Collect the facts about a file for `dwarfgpu info`.

Law: an unreadable part becomes a problem of the report; the others are still reported.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.scope.imports import type_sources
from dwarfgpu.dwarf.split.split_units import split_id, split_name
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, Unsupported, UsageError
from dwarfgpu.objfile.bundle import BundleEntry
from dwarfgpu.objfile.companions import shown_path
from dwarfgpu.objfile.container import open_container, open_object
from dwarfgpu.objfile.damaged_headers import header_damage
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import build_id, readable_notes
from dwarfgpu.objfile.gpu_code import GpuCode, read_gpu_code
from dwarfgpu.objfile.separate_debug import (
    MINI_DEBUG_INFO,
    DebugLink,
    debug_link,
    find_debug_file,
    has_debug_info,
    why_unusable,
)

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.cubin_lines import CubinLines
    from dwarfgpu.objfile.cuda_code import CudaCode

_DEBUG_SECTIONS: Final = (
    ".debug_", ".zdebug_", ".eh_frame", ".gdb_index", ".gnu_debugaltlink", ".nv_debug_",
)  # fmt: skip
FILE_TYPES: Final = {1: "relocatable", 2: "executable", 3: "shared object", 4: "core"}
"""Keyed by `e_type`."""
LANGUAGES: Final = {
    0x01: "C89", 0x02: "C", 0x03: "Ada83", 0x04: "C++", 0x05: "Cobol74", 0x06: "Cobol85",
    0x07: "Fortran77", 0x08: "Fortran90", 0x09: "Pascal83", 0x0A: "Modula2", 0x0B: "Java",
    0x0C: "C99", 0x0D: "Ada95", 0x0E: "Fortran95", 0x0F: "PLI", 0x10: "ObjC", 0x11: "ObjC++",
    0x12: "UPC", 0x13: "D", 0x14: "Python", 0x15: "OpenCL", 0x16: "Go", 0x17: "Modula3",
    0x18: "Haskell", 0x19: "C++03", 0x1A: "C++11", 0x1B: "OCaml", 0x1C: "Rust", 0x1D: "C11",
    0x1E: "Swift", 0x1F: "Julia", 0x20: "Dylan", 0x21: "C++14", 0x22: "Fortran03",
    0x23: "Fortran08", 0x24: "RenderScript", 0x25: "BLISS", 0x26: "Kotlin", 0x27: "Zig",
    0x28: "Crystal", 0x2A: "C++17", 0x2B: "C++20", 0x2C: "C17", 0x2D: "Fortran18",
    0x2E: "Ada2005", 0x2F: "Ada2012", 0x30: "HIP", 0x31: "Assembly",
    0x8001: "Mips Assembler", 0x8100: "HIP",
}  # fmt: skip
"""DW_LANG codes, without their prefix; 0x30 and 0x8100 are AMD's two numbers of HIP."""


@frozen
class SectionReport:
    """One section with debug information."""

    name: str
    size_bytes: int
    """In the file."""
    is_compressed: bool


@frozen
class SplitReport:
    """Where the entries of a skeleton are."""

    name: str | None
    """As the skeleton names the file."""
    id: int | None
    path: str | None
    """The path of the file that has them."""
    error: DwarfGpuError | None
    """Why they are not found."""


@frozen
class SupplementaryReport:
    """The file with which a file shares debug information."""

    section: str
    """The section that names it."""
    name: str
    id: bytes
    path: str | None
    """The path of the file that was found."""
    error: DwarfGpuError | None
    """Why it was not."""


@frozen
class UnitReport:
    """One unit; None for absent attributes. For a skeleton, those of its split unit."""

    section: str
    offset: int
    """In the section."""
    kind: int
    version: int
    offset_size: int
    address_size: int
    name: str | None = None
    producer: str | None = None
    language: int | None = None
    dialect: str | None = None
    augmentation: str | None = None
    is_partial: bool = False
    signature: int | None = None
    """The signature of a type unit."""
    split: SplitReport | None = None
    error: DwarfGpuError | None = None
    """Why the rest is unknown."""


@frozen
class Report:
    """What a file is."""

    path: str
    file: ObjectFile | None = None
    """None for a bundle without a selected code object."""
    entries: tuple[BundleEntry, ...] = ()
    gpu: GpuCode | None = None
    cuda: CudaCode | None = None
    """What a cubin says of itself."""
    lines: CubinLines | None = None
    """The lines of its machine code, where they were asked for."""
    build_id: bytes | None = None
    link: DebugLink | None = None
    debug_path: str | None = None
    """The path of the separate debug file."""
    sections: tuple[SectionReport, ...] = ()
    units: tuple[UnitReport, ...] = ()
    split_type_units: int = 0
    """Type units of split files."""
    supplementary: SupplementaryReport | None = None
    problems: tuple[DwarfGpuError, ...] = ()
    container: str = ""
    """What the file is where it is not an ELF file: `offload bundle`, `fat binary` …"""


def report_on(
    path: str,
    target: str | None,
    directories: Iterable[str | Path],
    dialect: str | None = None,
    limits: FileLimits = DEFAULT_FILE_LIMITS,
) -> Report:
    """Describe a file, or the code object of a target in it; `UsageError` for another kind of
    file."""
    if target is not None:
        return _of_file(Report(path), open_object(path, target, limits), directories, dialect)
    container = open_container(path, limits)
    devices = container.device_entries()
    is_read_below = len(devices) == 1 and container.file is None
    problems = () if is_read_below else _entry_faults(devices)
    report = Report(path, None, container.entries, container=container.form, problems=problems)
    if container.file is not None:
        return _of_file(report, container.file, directories, dialect)
    if len(devices) == 1:
        try:
            devices[0].require_code(path)
        except Unsupported:
            return report  # the entry is listed, and cannot be opened
        return _of_file(report, container.open_entry(devices[0]), directories, dialect)
    return report


def _entry_faults(entries: tuple[BundleEntry, ...]) -> tuple[DwarfGpuError, ...]:
    """Return which entries name another GPU than their code objects, or cannot be read, of those
    that need not be unpacked for it."""
    if not entries:
        return ()
    from dwarfgpu.objfile.entry_fault import entry_fault  # most files are no bundles

    faults: list[DwarfGpuError | None] = []
    for entry in entries:
        try:
            faults.append(None if entry.is_packed else entry_fault(entry, entry.data))
        except DwarfGpuError as error:
            faults.append(error)
    shown = {str(fault): fault for fault in faults if fault is not None}  # once for a bundle
    return tuple(shown.values())


def report_on_object(
    file: ObjectFile, directories: Iterable[str | Path], dialect: str | None = None
) -> Report:
    """Describe an object file that is open; of a host file without its code objects."""
    return _of_file(Report(file.path), file, directories, dialect)


def _of_file(
    report: Report, file: ObjectFile, directories: Iterable[str | Path], dialect: str | None
) -> Report:
    problems = [*report.problems]
    gpu = cuda = link = separate = None
    id = None
    if file.machine == "AMDGPU":
        gpu = read_gpu_code(file)
        problems += gpu.problems
    elif file.machine == "CUDA":
        from dwarfgpu.objfile.cuda_code import read_cuda_code  # few files are cubins

        cuda = read_cuda_code(file)
        problems += cuda.problems
    unread = None if gpu else readable_notes(file)[1]
    problems += [] if unread is None else [unread]
    try:
        id = build_id(file)
        link = debug_link(file)
        if not has_debug_info(file):
            reasons: list[str] = []
            separate = find_debug_file(file, directories, reasons)
            unusable = None if separate else why_unusable(file, reasons)
            problems += [] if unusable is None else [unusable]
            if not separate and file.has_section(MINI_DEBUG_INFO):
                # Few files have any.
                from dwarfgpu.objfile.mini_debug_info import damaged_mini_debug_info

                damage = damaged_mini_debug_info(file)
                problems += [] if damage is None else [damage]
    except DwarfGpuError as error:
        problems.append(error)
    described = separate or file
    of_files = [one.symbol_damage for one in dict.fromkeys((file, described))]
    of_files += [fault for one in dict.fromkeys((file, described)) for fault in header_damage(one)]
    problems += [fault for fault in of_files if fault is not None and fault not in problems]
    info = DebugInfo.of(described, 0, dialect, loaded=file, directories=directories)
    units: tuple[UnitReport, ...] = ()
    sections: tuple[SectionReport, ...] = ()
    supplementary = None
    try:
        sections = _sections(described)
        supplementary = _supplementary(info)
        units = tuple(_unit(unit) for unit in info.units)
        problems += info.problems
        problems += (problem for problem in info.split.problems() if problem not in problems)
    except DwarfGpuError as error:
        problems.append(error)
    return evolve(
        report,
        file=file,
        gpu=gpu,
        cuda=cuda,
        build_id=id,
        link=link,
        debug_path=None if separate is None else separate.path,
        sections=sections,
        units=units,
        split_type_units=_split_type_units(info) if units else 0,
        supplementary=supplementary,
        problems=tuple(problems),
    )


def _sections(file: ObjectFile) -> tuple[SectionReport, ...]:
    return tuple(
        SectionReport(
            section.name,
            section.size_bytes,
            file.is_compressed(section),
        )
        for section in file.sections
        if section.name.startswith(_DEBUG_SECTIONS)
    )


def _supplementary(info: DebugInfo) -> SupplementaryReport | None:
    link = info.supplementary_link
    if link is None:
        return None
    path = problem = None
    try:
        path = info.supplementary.path
    except DwarfGpuError as error:
        problem = error
    return SupplementaryReport(link.section, link.shown_name, link.id, path, problem)


def _split_type_units(info: DebugInfo) -> int:
    """Return how many type units are in the split files that were found."""
    return sum(len(source.type_units) for source in type_sources(info))


def _unit(unit: CompilationUnit) -> UnitReport:
    form, header = unit.format, unit.header
    report = UnitReport(
        unit.section,
        unit.offset + unit.sections.start_of(header.section),
        header.kind,
        form.version,
        form.offset_size,
        form.address_size,
        signature=header.signature if header.is_type_unit else None,
    )
    try:
        full = unit
        if unit.is_skeleton:
            full, split = _split(unit)
            report = evolve(report, split=split)
            if split.error is not None:
                return report
        return evolve(
            report,
            name=full.root.string(dw.AT_NAME),
            producer=full.root.string(dw.AT_PRODUCER),
            language=full.root.integer(dw.AT_LANGUAGE),
            augmentation=_augmentation(full),
            dialect=full.dialect.name,
            is_partial=full.root.tag == dw.TAG_PARTIAL_UNIT,
        )
    except DwarfGpuError as error:
        # Every unit may have one: what its frames hold is many times its size.
        return evolve(report, error=error.with_traceback(None))


def _split(skeleton: CompilationUnit) -> tuple[CompilationUnit, SplitReport]:
    name = split_name(skeleton)
    shown = None if name is None else shown_path(name)
    try:
        full = skeleton.full
    except DwarfGpuError as error:
        return skeleton, SplitReport(shown, split_id(skeleton), None, error.with_traceback(None))
    return full, SplitReport(shown, split_id(skeleton), full.sections.object.path, None)


def _augmentation(unit: CompilationUnit) -> str | None:
    attribute = unit.root.attribute(dw.AT_LLVM_AUGMENTATION)
    if attribute is None or attribute.kind in ("flag", "constant"):
        return None
    return unit.root.string(dw.AT_LLVM_AUGMENTATION)


def with_lines(report: Report) -> Report:
    """Return the report of a cubin with the lines of its machine code; `UsageError` for another
    file."""
    if report.file is None or report.cuda is None:
        raise UsageError(
            f"--lines lists those of a cubin, which {report.path} is not: `dwarfgpu disas` shows "
            "lines beside instructions"
        )
    from dwarfgpu.dwarf.line.cubin_lines import cubin_lines

    lines = cubin_lines(report.file)
    return evolve(report, lines=lines, problems=(*report.problems, *lines.problems))
