"""`dwarfgpu info`: the kind of a file, and its contents."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import DwarfGpuError, MissingContext, UsageError
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.objfile.bundle import SECTION, BundleEntry
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.gpu_code import GpuCode, GpuKernel
from dwarfgpu.objfile.metadata import Argument
from dwarfgpu.objfile.object_data import placed_sections
from dwarfgpu.objfile.target_id import OS_ABIS
from dwarfgpu.options.core_options import add_core_options, require_core
from dwarfgpu.options.dialects import DIALECT_HELP
from dwarfgpu.options.given_files import opening
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.options.mangled import add_mangled_option
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.service.error_text import error_line, one_line
from dwarfgpu.service.file.file_report import (
    LANGUAGES,
    Report,
    SupplementaryReport,
    UnitReport,
    report_on,
)
from dwarfgpu.service.file.file_report_json import FILE_TYPES, report_json

SCHEMA: Final = "dwarfgpu-info-1"
_MAX_PLACED: Final = 20
"""Sections of an object that is not linked, listed without --all."""
_MAX_KINDS: Final = 20
"""Kinds of units listed without --all."""


def configure(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "path", metavar="FILE", nargs="*",
        help="an ELF file, a host file with a fat binary, a bundle, or a core file, which may have "
        "its program beside it",
    )  # fmt: skip
    add_core_options(parser)
    parser.add_argument(
        "--file",
        metavar="FILE",
        help="for a core file: the program that ran, or the code of the GPUs",
    )
    parser.add_argument(
        "--load-address", metavar="ADDR", help="for a core file: the load address of --file"
    )
    parser.add_argument(
        "--target", metavar="GPU", help="the code object to describe: gfx90a:xnack+, or its number"
    )
    parser.add_argument(
        "--debug-dir", metavar="DIR", action="append",
        help="where separate, split and supplementary debug files are; "
        f"default: {DEBUG_DIRECTORIES[0]}",
    )  # fmt: skip
    parser.add_argument("--dialect", choices=tuple(DIALECTS), help=DIALECT_HELP)
    add_mangled_option(parser)
    add_file_limit_options(parser)
    parser.add_argument(
        "--all",
        action="store_true",
        help="show every unit, placed section and field of kernel descriptors",
    )


def run(arguments: Namespace) -> int:
    """Print the report; 1 where a part could not be read."""
    directories = arguments.debug_dir or DEBUG_DIRECTORIES
    path, is_core_file = _subject(arguments)
    if is_core_file:
        from dwarfgpu.cli.info_core import info_core

        return info_core(arguments, path)
    if arguments.file is not None or arguments.load_address is not None:
        raise UsageError(f"--file and --load-address are for a core file, which {path} is not")
    require_core(arguments)
    with opening():
        report = report_on(
            path, arguments.target, directories, arguments.dialect, file_limits_of(arguments)
        )
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, **report_json(report)}))
    else:
        for line in _lines(report, everything=arguments.all, is_mangled=arguments.mangled):
            print(one_line(line))
    return 1 if report.problems or any(_errors(report)) else 0


def _subject(arguments: Namespace) -> tuple[str, bool]:
    """Return the file to report on, and whether it is a core file; `arguments.file` becomes the
    program of a core file given with it."""
    paths = list(arguments.path)
    if "" in paths:
        raise UsageError("FILE is empty: leave it out, or give a value")
    cores = [arguments.core] if arguments.core is not None else list(filter(is_core, paths))
    if cores:
        others_ = [path for path in paths if path not in cores]
        programs = others_ + ([] if arguments.file is None else [arguments.file])
        if len(cores) > 1 or len(programs) > 1:
            raise UsageError("give one FILE, or one core file with or without its program")
        arguments.file = next(iter(programs), None)
        return cores[0], True
    if len(paths) != 1:
        raise UsageError("give one FILE" + (", with or without --core" if paths else ""))
    return paths[0], False


def _errors(report: Report) -> Iterator[DwarfGpuError]:
    """What could not be read of units and other files."""
    for unit in report.units:
        if unit.error is not None:
            yield unit.error
        if unit.split is not None and unit.split.error is not None:
            yield unit.split.error
    supplementary = report.supplementary
    if supplementary is not None and supplementary.error is not None and not _is_unneeded(report):
        yield supplementary.error


def _is_unneeded(report: Report) -> bool:
    """Whether the supplementary file is absent, and no unit could refer to it."""
    supplementary = report.supplementary
    return (
        not report.units
        and supplementary is not None
        and isinstance(supplementary.error, MissingContext)
    )


def _lines(report: Report, *, everything: bool, is_mangled: bool) -> Iterator[str]:
    if report.file is None:
        yield f"{report.path}: offload bundle"
    else:
        yield from _file(report, report.file, everything)
    if report.gpu is not None:
        yield from _gpu(report.gpu, everything, is_mangled)
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
        has_link = report.build_id is not None or report.link is not None
        yield "no debug information" + (", and no separate debug file is found" if has_link else "")
    if report.units:
        yield f"units: {len(report.units)}"
        yield from _units(report.units, everything)
    yield from _type_units(report)
    yield from _split_units(report.units, everything)
    if report.supplementary is not None:
        yield from _supplementary(report.supplementary, is_needed=not _is_unneeded(report))
    for error in report.problems:
        yield f"problem: {error_line(error)}"


def _file(report: Report, file: ObjectFile, everything: bool) -> Iterator[str]:
    kind = FILE_TYPES.get(file.type, f"type {file.type}")
    machine = file.machine
    if machine == "AMDGPU":
        machine += f" for {OS_ABIS.get(file.os_abi, f'OS ABI {file.os_abi}')}"
    yield f"{file.path}: ELF {8 * file.address_bytes}-bit {file.endian}-endian {kind}, {machine}"
    if report.build_id is not None:
        yield f"build ID {report.build_id.hex()}"
    if report.link is not None:
        yield f"debug link {report.link.name}, CRC {report.link.crc:#010x}"
    if report.debug_path is not None:
        yield f"debug information in {report.debug_path}"
    yield from _placed(file, everything)


def _placed(file: ObjectFile, everything: bool) -> Iterator[str]:
    """The sections of an object that is not linked."""
    sections = placed_sections(file)
    if sections:
        yield "not linked: its sections are assumed to be loaded one after the other"
    shown = sections if everything else sections[:_MAX_PLACED]
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


def _kernel(kernel: GpuKernel, everything: bool, is_mangled: bool) -> Iterator[str]:
    entry = "" if kernel.entry is None else f", entry {kernel.entry:#x}"
    place = "" if kernel.address is None else f" (descriptor {kernel.address:#x}{entry})"
    yield f"kernel {shown_symbol(kernel.name, is_mangled=is_mangled)}{place}"
    yield f"  {', '.join(_registers(kernel))}"
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
    if entry.section == SECTION:
        where = f" in {SECTION}"
    packed = f", {entry.compression}" if entry.compression else ""
    return f"{entry.index}: {entry.id} {len(entry.data)} bytes{where}{packed}"


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
    """Where the entries of skeletons are: every one, or how many there are in each file."""
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
    yield f"supplementary file {report.name} ({report.id.hex()}), named by {report.section}"
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
