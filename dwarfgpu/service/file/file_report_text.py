"""The report on a file as text, line by line; `file_report_json` produces it as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.printable import short_name
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import DwarfGpuError, MissingContext
from dwarfgpu.objfile.bundle import BundleEntry
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import ET_REL
from dwarfgpu.objfile.file_kinds import BUNDLE_MAGIC
from dwarfgpu.objfile.gpu_code import GpuCode, GpuKernel
from dwarfgpu.objfile.metadata import Argument
from dwarfgpu.objfile.object_data import placed_sections
from dwarfgpu.objfile.target_id import OS_ABIS
from dwarfgpu.service.error_text import error_line
from dwarfgpu.service.file.file_report import (
    FILE_TYPES,
    LANGUAGES,
    Report,
    SupplementaryReport,
    UnitReport,
)

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.cubin_lines import CubinLine
    from dwarfgpu.objfile.cuda_code import CudaCode
    from dwarfgpu.objfile.ptx_allocation import Allocation

_MAX_SECTIONS: Final = 20
"""Sections of an object that is not linked, listed without --all."""
_MAX_KINDS: Final = 20
"""Kinds of units listed without --all."""


def is_complete(report: Report) -> bool:
    """Return whether all of the file could be read, and of others what its units need."""
    return not report.problems and not any(_errors(report))


def _errors(report: Report) -> Iterator[DwarfGpuError]:
    """Return the units and other files that could not be read, with the errors."""
    for unit in report.units:
        if unit.error is not None:
            yield unit.error
        if unit.split is not None and unit.split.error is not None:
            yield unit.split.error
    supplementary = report.supplementary
    if supplementary is not None and supplementary.error is not None and not _is_unneeded(report):
        yield supplementary.error


def _is_unneeded(report: Report) -> bool:
    """Return whether the supplementary file is absent, and no unit could refer to it."""
    supplementary = report.supplementary
    return (
        not report.units
        and supplementary is not None
        and isinstance(supplementary.error, MissingContext)
    )


def report_lines(report: Report, *, everything: bool, is_mangled: bool) -> Iterator[str]:
    """Yield the lines of `dwarfgpu info`; without `everything`, long lists are cut or
    summarized."""
    if report.file is None:
        yield f"{report.path}: {report.container}"
        if not report.entries:
            yield "no code objects"
    else:
        yield from _file(report, report.file, everything)
    if report.gpu is not None:
        yield from _gpu(report.gpu, everything, is_mangled)
    if report.cuda is not None:
        yield from _cuda(report.cuda, everything, is_mangled)
    if report.entries:
        yield "code objects:"
        yield from (f"  {_entry(entry)}" for entry in report.entries)
        if report.gpu is None:
            yield "  (give one with --target to see what is in it)"
    if report.sections:
        yield "debug sections:"
        for section in report.sections:
            packed = "  compressed" if section.is_compressed else ""
            yield f"  {section.name:<24} {section.size_bytes:>10} bytes{packed}"
    if report.file is not None and not report.units and not report.problems:
        if report.cuda is not None and report.file.has_section(".debug_line"):
            yield "no debugging information entries; --lines lists the line tables"
        else:
            has_link = report.build_id is not None or report.link is not None
            missing = ", and no separate debug file is found" if has_link else ""
            yield f"no debug information{missing}"
    if report.units:
        yield f"units: {len(report.units)}"
        yield from _units(report.units, everything)
    yield from _type_units(report)
    yield from _split_units(report.units, everything)
    if report.supplementary is not None:
        yield from _supplementary(report.supplementary, is_needed=not _is_unneeded(report))
    if report.lines is not None:
        yield "lines of the machine code, of the source and of PTX:"
        yield from map(_line, report.lines.lines)
    for error in report.problems:
        yield f"problem: {error_line(error)}"


def _file(report: Report, file: ObjectFile, everything: bool) -> Iterator[str]:
    kind = FILE_TYPES.get(file.type, f"type {file.type}")
    machine = file.machine
    if machine == "AMDGPU":
        machine += f" for {OS_ABIS.get(file.os_abi, f'OS ABI {file.os_abi}')}"
    yield f"{file.path}: ELF {8 * file.address_bytes}-bit {file.endian}-endian {kind}, {machine}"
    if report.build_id is not None:
        yield f"build ID {short_name(report.build_id.hex())}"
    if report.link is not None:
        yield f"debug link {report.link.name}, CRC {report.link.crc:#010x}"
    if report.debug_path is not None:
        yield f"debug information in {report.debug_path}"
    yield from _section_lines(file, everything)


def _section_lines(file: ObjectFile, everything: bool) -> Iterator[str]:
    """Yield the sections of an object that is not linked."""
    sections = placed_sections(file)
    if sections:
        reason = "not linked" if file.type == ET_REL else "sections without addresses"
        yield f"{reason}: its sections are assumed to be loaded one after the other"
    shown = sections if everything else sections[:_MAX_SECTIONS]
    for unit in shown:
        end = unit.address + unit.size_bytes
        yield f"  {unit.name:<24} [{unit.address:#x},{end:#x})"
    if len(shown) < len(sections):
        yield f"  … {len(sections) - len(shown)} more; --all lists every one"


def _gpu(gpu: GpuCode, everything: bool, is_mangled: bool) -> Iterator[str]:
    target = gpu.target
    if target is not None:
        generic = f", generic version {target.generic_version}" if target.generic_version else ""
        yield f"target {target} (xnack {target.xnack}, sramecc {target.sramecc}{generic})"
    version = "of no version" if gpu.version is None else f"V{gpu.version}"
    named = ""
    if gpu.metadata is not None:
        named = ", metadata " + ".".join(map(str, gpu.metadata.version))
        named += "" if gpu.metadata.target is None else f" for {gpu.metadata.target}"
    yield f"code object {version}{named}"
    for kernel in gpu.kernels:
        yield from _kernel(kernel, everything, is_mangled)


def _cuda(cuda: CudaCode, everything: bool, is_mangled: bool) -> Iterator[str]:
    if cuda.target is not None:
        yield f"target {cuda.target}"
    for kernel in cuda.kernels:
        end = kernel.address + kernel.size_bytes
        name = shown_symbol(kernel.name, is_mangled=is_mangled)
        yield f"kernel {name} [{kernel.address:#x},{end:#x})"
        registers = "unknown" if kernel.registers is None else f"{kernel.registers}"
        yield f"  registers {registers}, frame {_bytes(kernel.frame_bytes)} in local memory"
        for parameter in kernel.parameters:
            name = "" if parameter.name is None else f" {parameter.name}"
            span = f"[{parameter.offset_bytes:>3},{parameter.end:>3})"
            yield f"  {span if parameter.has_bytes else 'reference'} parameter{name}"
    functions: dict[str, list[Allocation]] = {}
    for allocation in cuda.allocations:
        functions.setdefault(allocation.function, []).append(allocation)
    for function, own in functions.items():
        names = len({allocation.name for allocation in own})
        title = shown_symbol(function, is_mangled=is_mangled)
        yield f"registers of PTX in {title}: {names} in {len(own)} places"
        yield from map(_allocation, own if everything else ())


def _allocation(allocation: Allocation) -> str:
    type = "" if allocation.type is None else f" {allocation.type}"
    word = "" if allocation.word_count == 1 else f", word {allocation.part}"
    span = f"[{allocation.begin:#x},{allocation.end:#x})"
    return f"  {span} {allocation.name}{type}{word}: {allocation.register_text}"


def _line(line: CubinLine) -> str:
    source = "" if line.source is None else f"{line.source.file}:{line.source.number}"
    ptx = "" if line.ptx is None else f"{line.ptx.number}"
    span = f"[{line.begin:#x},{line.end:#x})"
    return f"  {span:<16} {source:<24} {ptx:>5}  {line.ptx_text or ''}".rstrip()


def _kernel(kernel: GpuKernel, everything: bool, is_mangled: bool) -> Iterator[str]:
    entry = "" if kernel.entry is None else f", entry {kernel.entry:#x}"
    descriptor_text = "" if kernel.address is None else f" (descriptor {kernel.address:#x}{entry})"
    yield f"kernel {shown_symbol(kernel.name, is_mangled=is_mangled)}{descriptor_text}"
    registers = ", ".join(_registers(kernel))
    if registers:
        yield f"  {registers}"
    yield (
        f"  LDS {_bytes(kernel.lds_bytes)}, scratch {_bytes(kernel.scratch_bytes)} a lane, "
        f"arguments {_bytes(kernel.kernarg_bytes)}"
    )
    yield from (f"  {line}" for line in _hints(kernel))
    metadata = kernel.metadata
    if metadata is not None:
        yield from (f"  {_argument(argument)}" for argument in metadata.arguments)
    descriptor = kernel.descriptor
    if descriptor is not None and descriptor.reserved_set:
        yield f"  reserved bits are set: {', '.join(descriptor.reserved_set)}"
    if kernel.contradictions:
        yield f"  the metadata contradict the descriptor: {'; '.join(kernel.contradictions)}"
    if descriptor is not None and everything:
        yield from (f"    {name:<44} {value}" for name, value in descriptor.fields.items())


def _registers(kernel: GpuKernel) -> Iterator[str]:
    if kernel.wave_size is not None:
        yield f"wave{kernel.wave_size}"
    metadata, descriptor = kernel.metadata, kernel.descriptor
    if metadata is not None:
        counts = (
            ("SGPRs", metadata.sgpr_count), ("VGPRs", metadata.vgpr_count),
            ("AGPRs", metadata.agpr_count), ("SGPR spills", metadata.sgpr_spill_count),
            ("VGPR spills", metadata.vgpr_spill_count),
        )  # fmt: skip
        yield from (f"{count} {label}" for label, count in counts if count is not None)
    if descriptor is not None:
        scalar = descriptor.allocated_sgprs
        also = "" if scalar is None else f" and {scalar} SGPRs"
        yield f"{descriptor.allocated_vgprs} VGPRs{also} allocated"
        if descriptor.accum_offset is not None:
            yield f"AGPRs from {descriptor.accum_offset}"


def _hints(kernel: GpuKernel) -> Iterator[str]:
    metadata = kernel.metadata
    if metadata is None:
        return
    if metadata.language is not None:
        version = ".".join(map(str, metadata.language_version or ()))
        yield f"language {metadata.language} {version}".rstrip()
    sizes = [
        f"{label} {'x'.join(map(str, size))}"
        for label, size in (
            ("required", metadata.required_workgroup_size),
            ("hint", metadata.workgroup_size_hint),
            ("clusters of", metadata.cluster_dims),
        )
        if size is not None
    ]
    if metadata.max_flat_workgroup_size is not None:
        sizes.append(f"at most {metadata.max_flat_workgroup_size}")
    if sizes:
        yield f"workgroup size: {', '.join(sizes)}"


def _argument(argument: Argument) -> str:
    words = [
        argument.type_name, argument.name, argument.address_space, argument.value_type,
        argument.access, *argument.qualifiers,
    ]  # fmt: skip
    text = " ".join(word for word in words if word)
    end = argument.offset_bytes + argument.size_bytes
    return f"[{argument.offset_bytes:>3},{end:>3}) {argument.value_kind} {text}".rstrip()


def _bytes(count: int | None) -> str:
    return "of unknown size" if count is None else f"{count} bytes"


def _entry(entry: BundleEntry) -> str:
    where = "" if entry.section is None else " in a section of its own"
    if entry.section is not None and not entry.section.startswith(BUNDLE_MAGIC.decode()):
        where = f" in {entry.section}"
    if entry.path is not None:
        where = f" in {entry.path}"
    packed = f", {entry.compression}" if entry.compression else ""
    return f"{entry.index}: {short_name(entry.id)} {len(entry.data)} bytes{where}{packed}"


def _units(units: tuple[UnitReport, ...], everything: bool) -> Iterator[str]:
    """Yield every unit, or the number of each kind."""
    if everything:
        for unit in units:
            yield f"  {unit.offset:#x} {unit.name or '(no name)'}: {_unit(unit)}"
        return
    kinds: dict[str, list[UnitReport]] = {}
    for unit in units:
        kinds.setdefault(_unit(unit), []).append(unit)
    for index, (text, same) in enumerate(kinds.items()):
        if index == _MAX_KINDS:
            yield f"  … {len(kinds) - index} more kinds; --all lists every unit"
            return
        named = same[0].name or "(no name)"
        yield f"  {named if len(same) == 1 else f'{len(same)} units'}: {text}"


def _type_units(report: Report) -> Iterator[str]:
    own = sum(unit.signature is not None for unit in report.units)
    if own or report.split_type_units:
        split = f", {report.split_type_units} in split files" if report.split_type_units else ""
        yield f"type units: {own} of the units{split}"


def _split_units(units: tuple[UnitReport, ...], everything: bool) -> Iterator[str]:
    """Return where the entries of skeletons are: every one, or how many there are in each file."""
    split = [unit.split for unit in units if unit.split is not None]
    if not split:
        return
    missing = [unit.error for unit in split if unit.error is not None]
    yield f"split units: {len(split)}" + (f", {len(missing)} not found" if missing else "")
    if everything:
        for unit in split:
            id = "" if unit.id is None else f" (ID {unit.id:#018x})"
            yield f"  {unit.name or '(no name)'}{id}: {unit.path or 'not found'}"
    else:
        for path, count in Counter(unit.path for unit in split if unit.path is not None).items():
            yield f"  {count} in {path}"
    for index, error in enumerate(missing):
        if index == _MAX_KINDS and not everything:
            yield f"  … {len(missing) - index} more; --all lists every one"
            return
        yield f"  problem: {error_line(error)}"


def _supplementary(report: SupplementaryReport, *, is_needed: bool) -> Iterator[str]:
    id = short_name(report.id.hex())
    yield f"supplementary file {report.name} ({id}), named by {report.section}"
    if report.error is None:
        yield f"  found at {report.path}"
    elif is_needed:
        yield f"  problem: {error_line(report.error)}"
    else:
        yield "  not found; no unit here needs it"


def _unit(unit: UnitReport) -> str:
    if unit.error is not None:
        return f"problem: {error_line(unit.error)}"
    form = f"DWARF {unit.version}, {8 * unit.offset_size}-bit"
    if unit.split is not None:
        form += ", split"
        if unit.split.error is not None:
            return f"{form}; not found"
    if unit.signature is not None:
        form += ", type unit"
    if unit.is_partial:
        form += ", partial"
    language = "no language"
    if unit.language is not None:
        language = LANGUAGES.get(unit.language, f"language {unit.language:#x}")
    words = [form, language, unit.producer or "no producer", f"dialect {unit.dialect}"]
    if unit.producer is None and (unit.is_partial or unit.signature is not None):
        words.remove("no producer")
    if unit.augmentation is not None:
        words.append(f"augmentation {unit.augmentation}")
    return "; ".join(words)
