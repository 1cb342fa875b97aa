"""The report of `dwarfgpu info` as plain data (`docs/schema/info.json`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.bundle import BundleEntry
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.gpu_code import NOTE_NAMES, GpuCode, GpuKernel
from dwarfgpu.objfile.kernel_descriptor import KernelDescriptor
from dwarfgpu.objfile.metadata import Argument, KernelMetadata
from dwarfgpu.objfile.object_data import placed_sections
from dwarfgpu.service.error_text import error_json
from dwarfgpu.service.file.file_report import (
    FILE_TYPES,
    LANGUAGES,
    Report,
    SectionReport,
    SplitReport,
    SupplementaryReport,
    UnitReport,
)
from dwarfgpu.view.json_object import JsonObject, Plain, StreamedObject, whole

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.cubin_lines import CubinLine
    from dwarfgpu.objfile.cuda_code import CudaCode

SCHEMA: Final = "dwarfgpu-info-1"


def report_json(report: Report) -> JsonObject:
    """Return everything in a report."""
    return whole(streamed_report(report))


def streamed_report(report: Report) -> StreamedObject:
    """Return everything in a report, whose units and kernels are made as they are written:
    hundreds of thousands of them may share one long name."""
    return {
        "file": report.path,
        "elf": None if report.file is None else _elf(report, report.file),
        "gpu": None if report.gpu is None else _gpu(report.gpu),
        "cuda": None if report.cuda is None else _cuda(report.cuda),
        "lines": None if report.lines is None else map(_line, report.lines.lines),
        "code_objects": map(_entry, report.entries),
        "sections": map(_section, report.sections),
        "units": map(_unit, report.units),
        "type_units": {
            "own": sum(unit.signature is not None for unit in report.units),
            "split": report.split_type_units,
        },
        "supplementary": _supplementary(report.supplementary),
        "problems": map(_problem, report.problems),
    }


def _elf(report: Report, file: ObjectFile) -> JsonObject:
    link = report.link
    return {
        "bits": 8 * file.address_bytes,
        "endian": file.endian,
        "type": FILE_TYPES.get(file.type, f"type {file.type}"),
        "machine": file.machine,
        "os_abi": file.os_abi,
        "abi_version": file.abi_version,
        "flags": file.flags,
        "build_id": None if report.build_id is None else report.build_id.hex(),
        "debug_link": None if link is None else {"name": link.name, "crc": link.crc},
        "debug_file": report.debug_path,
        "placed_sections": [
            {"name": section.name, "address": section.address, "size": section.size_bytes}
            for section in placed_sections(file)
        ],
    }


def _cuda(cuda: CudaCode) -> StreamedObject:
    return {
        "target": None if cuda.target is None else str(cuda.target),
        "kernels": (
            {
                "name": kernel.name,
                "address": kernel.address,
                "size": kernel.size_bytes,
                "registers": kernel.registers,
                "frame_size": kernel.frame_bytes,
                "parameters": [
                    {
                        "offset": parameter.offset_bytes,
                        "size": parameter.size_bytes,
                        "name": parameter.name,
                    }
                    for parameter in kernel.parameters
                ],
            }
            for kernel in cuda.kernels
        ),
        "ptx_registers": (
            {
                "function": one.function,
                "name": one.name,
                "type": one.type,
                "word": one.part,
                "begin": one.begin,
                "end": one.end,
                "register": one.register,
                "machine_register": one.register_text,
            }
            for one in cuda.allocations
        ),
    }


def _line(line: CubinLine) -> JsonObject:
    source, ptx = line.source, line.ptx
    return {
        "begin": line.begin,
        "end": line.end,
        "source": None if source is None else {"file": source.file, "line": source.number},
        "ptx": None
        if ptx is None
        else {"section": ptx.file, "line": ptx.number, "text": line.ptx_text},
    }


def _gpu(gpu: GpuCode) -> StreamedObject:
    target, metadata = gpu.target, gpu.metadata
    return {
        "target": None if target is None else str(target),
        "processor": None if target is None else target.processor,
        "xnack": None if target is None else target.xnack,
        "sramecc": None if target is None else target.sramecc,
        "generic_version": None if target is None else target.generic_version,
        "code_object_version": gpu.version,
        "metadata_version": None if metadata is None else list(metadata.version),
        "metadata_target": None if metadata is None else metadata.target,
        "printf": [] if metadata is None else list(metadata.printf),
        "notes": [
            {
                "owner": note.owner,
                "type": note.type,
                "name": NOTE_NAMES.get((note.owner, note.type)),
                "size": len(note.content),
            }
            for note in gpu.notes
        ],
        "kernels": map(_kernel, gpu.kernels),
    }


def _kernel(kernel: GpuKernel) -> JsonObject:
    descriptor = kernel.descriptor
    return {
        "name": kernel.name,
        "symbol": kernel.symbol,
        "address": kernel.address,
        "entry": kernel.entry,
        "wave_size": kernel.wave_size,
        "lds_size": kernel.lds_bytes,
        "scratch_size": kernel.scratch_bytes,
        "kernarg_size": kernel.kernarg_bytes,
        **_metadata(kernel.metadata or KernelMetadata(kernel.name, kernel.symbol)),
        "descriptor": None if descriptor is None else _descriptor(descriptor),
        "contradictions": list(kernel.contradictions),
    }


def _metadata(metadata: KernelMetadata) -> JsonObject:
    unknown: list[Plain] = []
    unknown += sorted(metadata.unknown_keys)
    return {
        "language": metadata.language,
        "language_version": _numbers(metadata.language_version),
        "kind": metadata.kind,
        "sgpr_count": metadata.sgpr_count,
        "vgpr_count": metadata.vgpr_count,
        "agpr_count": metadata.agpr_count,
        "sgpr_spill_count": metadata.sgpr_spill_count,
        "vgpr_spill_count": metadata.vgpr_spill_count,
        "kernarg_align": metadata.kernarg_align_bytes,
        "max_flat_workgroup_size": metadata.max_flat_workgroup_size,
        "required_workgroup_size": _numbers(metadata.required_workgroup_size),
        "workgroup_size_hint": _numbers(metadata.workgroup_size_hint),
        "cluster_dims": _numbers(metadata.cluster_dims),
        "vec_type_hint": metadata.vec_type_hint,
        "device_enqueue_symbol": metadata.device_enqueue_symbol,
        "uses_dynamic_stack": metadata.uses_dynamic_stack,
        "workgroup_processor_mode": metadata.workgroup_processor_mode,
        "uniform_work_group_size": metadata.uniform_work_group_size,
        "arguments": [_argument(argument) for argument in metadata.arguments],
        "unknown_keys": unknown,
    }


def _argument(argument: Argument) -> JsonObject:
    return {
        "offset": argument.offset_bytes,
        "size": argument.size_bytes,
        "align": argument.align_bytes,
        "kind": argument.value_kind,
        "name": argument.name,
        "type": argument.type_name,
        "value_type": argument.value_type,
        "pointee_align": argument.pointee_align_bytes,
        "address_space": argument.address_space,
        "access": argument.access,
        "actual_access": argument.actual_access,
        "qualifiers": list(argument.qualifiers),
    }


def _descriptor(descriptor: KernelDescriptor) -> JsonObject:
    return {
        "version": descriptor.version,
        "allocated_sgprs": descriptor.allocated_sgprs,
        "allocated_vgprs": descriptor.allocated_vgprs,
        "accum_offset": descriptor.accum_offset,
        "fields": dict(descriptor.fields),
        "reserved_set": list(descriptor.reserved_set),
    }


def _entry(entry: BundleEntry) -> JsonObject:
    return {
        "index": entry.index,
        "id": entry.id,
        "kind": entry.kind,
        "triple": entry.triple,
        "target": entry.target_name,
        "size": len(entry.data),
        "section": entry.section,
        "bundle": entry.bundle,
        "compression": entry.compression,
        "path": entry.path,
    }


def _section(section: SectionReport) -> JsonObject:
    return {
        "name": section.name, "size": section.size_bytes, "compressed": section.is_compressed,
    }  # fmt: skip


def _unit(unit: UnitReport) -> JsonObject:
    language = unit.language
    return {
        "section": unit.section,
        "offset": unit.offset,
        "kind": unit.kind,
        "version": unit.version,
        "format": 8 * unit.offset_size,
        "address_size": unit.address_size,
        "name": unit.name,
        "producer": unit.producer,
        "language": language,
        "language_name": None if language is None else LANGUAGES.get(language),
        "dialect": unit.dialect,
        "augmentation": unit.augmentation,
        "partial": unit.is_partial,
        "signature": _hex(unit.signature),
        "split": _split(unit.split),
        "error": _problem(unit.error),
    }


def _split(split: SplitReport | None) -> Plain:
    if split is None:
        return None
    return {
        "name": split.name,
        "id": _hex(split.id),
        "file": split.path,
        "error": _problem(split.error),
    }


def _supplementary(report: SupplementaryReport | None) -> Plain:
    if report is None:
        return None
    return {
        "section": report.section,
        "name": report.name,
        "id": report.id.hex(),
        "file": report.path,
        "error": _problem(report.error),
    }


def _hex(number: int | None) -> str | None:
    """Return a number of 64 bits, which not every reader of JSON keeps."""
    return None if number is None else f"{number:#018x}"


def _problem(error: DwarfGpuError | None) -> Plain:
    return None if error is None else error_json(error)["error"]


def _numbers(numbers: Iterable[int] | None) -> Plain:
    return None if numbers is None else list(numbers)
