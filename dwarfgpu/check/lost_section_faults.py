"""Sections that a damaged file loses (DWARF 5 7.3: consumers find sections by their names)."""

from __future__ import annotations

from collections.abc import Iterable

from dwarfgpu.check.finding import Finding, FindingPosition, Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, Unsupported
from dwarfgpu.expr.static_check.severity import Severity
from dwarfgpu.objfile.damaged_headers import header_damage, odd_layout
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import readable_notes
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.objfile.lost_sections import contradicted_tls, unnamed_sections


def check_lost_sections(code_object: CodeObject, findings: Findings) -> None:
    """Report sections of a file, and of the one with its debug information, that have no name, are
    not loaded or not those of PT_TLS, or have symbols, notes, metadata or kernel descriptors that
    are lost or contradict one another; without units, the first are among the problems of
    `info`."""
    file, info = code_object.file, code_object.info
    for odd in odd_layout(file):
        _report(odd, findings, "warning")  # objcopy and linker scripts can do it
    for contradiction in _of_kernels(file):
        _report(contradiction, findings, "warning")  # metadata may be written by hand
    files = dict.fromkeys((file, info.object))
    damages: list[DwarfGpuError | None] = [fault for one in files for fault in header_damage(one)]
    damages += [file.symbol_damage, info.object.symbol_damage, *_of_contents(file)]
    damages += [contradicted_tls(file), symbols_damage := code_object.mini_debug_damage]
    for damage in dict.fromkeys(damages):
        if isinstance(damage, Malformed | IllFormed):  # a limit is no fault of the file's
            _report(damage, findings)
    if isinstance(symbols_damage, LimitExceeded | Unsupported):
        findings.skip(symbols_damage)
    if info.units:
        for fault in map(unnamed_sections, files):
            if fault is not None:
                _report(fault, findings)


def _of_contents(file: ObjectFile) -> Iterable[DwarfGpuError | None]:
    """Return why notes and kernels of a file cannot be read."""
    if file.machine == "AMDGPU":
        return read_gpu_code(file).problems
    if file.machine == "CUDA":
        from dwarfgpu.objfile.cuda_code import read_cuda_code  # few files are cubins

        return (*read_cuda_code(file).problems, readable_notes(file)[1])
    return (readable_notes(file)[1],)


def _of_kernels(file: ObjectFile) -> Iterable[IllFormed]:
    """Return where the metadata of kernels contradict their descriptors."""
    for kernel in read_gpu_code(file).kernels if file.machine == "AMDGPU" else ():
        if kernel.contradictions:
            what = "; ".join(kernel.contradictions)
            yield IllFormed(
                f"the metadata of kernel {kernel.name} contradict its descriptor: {what}"
            )


def _report(fault: DwarfGpuError, findings: Findings, severity: Severity | None = None) -> None:
    rule, position = RULES["lost-section"], FindingPosition("section table", 0, "file")
    chosen = severity or rule.severity
    message = fault.message if fault.context is None else str(fault)
    findings.add(Finding(chosen, rule.name, message, rule.section, position))


__all__ = ["check_lost_sections"]
