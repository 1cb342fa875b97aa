"""Kernels of a cubin: symbols, `.nv.info` (as cuobjdump -elf lists it), and the PTX that it keeps.

Law: what one of these does not say is None or absent, never assumed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, counted
from dwarfgpu.objfile.cuda_attributes import attributes
from dwarfgpu.objfile.cuda_target import CudaTarget, cuda_target
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHT_SYMTAB
from dwarfgpu.objfile.ptx_allocation import Allocation, allocations
from dwarfgpu.objfile.symbols import Symbol

PTX_SECTION: Final = ".nv_debug_ptx_txt"
"""The text of the PTX, its lines ended by a 0 byte."""
_INFO: Final = ".nv.info"
_ENTRY: Final = 0x10
"""STO_CUDA_ENTRY, in `st_other`."""
_REGISTER_COUNT: Final = 0x2F
_FRAME_SIZE: Final = 0x11
_PARAMETER: Final = 0x17
_LARGE_PARAMETER: Final = 0x45
_PARAMETER_BYTES: Final = 0x19
"""EIATTR_REGCOUNT, EIATTR_FRAME_SIZE, EIATTR_KPARAM_INFO, EIATTR_KPARAM_INFO_V2, which ptxas writes
for kernels with several KiB of parameters, and EIATTR_CBANK_PARAM_SIZE."""
MAX_PARAMETERS: Final = 1 << 18
"""Of all kernels of a file."""
_SIZE_SHIFT: Final = 18
_NO_OFFSET: Final = 0xFFFF
_ENTRY_TEXT: Final = re.compile(rb"\.entry\s+([\w$]+)\s*\(")


@frozen
class CudaParameter:
    """A parameter of a kernel."""

    offset_bytes: int
    """In the parameters."""
    size_bytes: int
    name: str | None = None
    """Its name in PTX."""

    @property
    def has_bytes(self) -> bool:
        """Whether it is in memory; references to textures, surfaces and samplers are not."""
        return self.size_bytes > 0 or self.offset_bytes != _NO_OFFSET

    @property
    def end(self) -> int:
        """Where the next one may begin."""
        return self.offset_bytes + self.size_bytes


@frozen
class CudaKernel:
    """A function that the host can launch."""

    name: str
    address: int
    size_bytes: int
    registers: int | None
    """Machine registers of a thread."""
    frame_bytes: int | None
    """Its frame in local memory."""
    parameters: tuple[CudaParameter, ...]


@frozen
class CudaCode:
    """What a cubin says of itself."""

    target: CudaTarget | None
    kernels: tuple[CudaKernel, ...]
    allocations: tuple[Allocation, ...]
    """Where registers of PTX are."""
    problems: tuple[DwarfGpuError, ...]
    """Why other parts could not be read."""


def read_cuda_code(file: ObjectFile) -> CudaCode:
    """Read all information about the machine code of a cubin."""
    problems: list[DwarfGpuError] = []
    target, kernels = None, []
    known_allocations: tuple[Allocation, ...] = ()
    try:
        target = cuda_target(file)
    except DwarfGpuError as error:
        problems.append(error)
    try:
        kernels = list(_kernels(file, problems))
    except DwarfGpuError as error:
        problems.append(error)
    try:
        known_allocations = allocations(file)
    except DwarfGpuError as error:
        problems.append(error)
    if file.entry_fault is not None:
        problems.append(file.entry_fault)
    return CudaCode(target, tuple(kernels), known_allocations, tuple(dict.fromkeys(problems)))


def _kernels(file: ObjectFile, problems: list[DwarfGpuError]) -> Iterator[CudaKernel]:
    registers, frames = _counts(file, _REGISTER_COUNT), _counts(file, _FRAME_SIZE)
    names = _parameter_names(file)
    parameters: dict[str, tuple[CudaParameter, ...]] = {}
    left = MAX_PARAMETERS
    for index, symbol in _entries(file):
        name = symbol.name
        if name not in parameters:
            parameters[name] = _parameters(file, name, names.get(name, ()), problems, left)
            left -= len(parameters[name])
        yield CudaKernel(
            name,
            symbol.address,
            symbol.size_bytes,
            registers.get(index),
            frames.get(index),
            parameters[name],
        )


def _parameters(
    file: ObjectFile,
    kernel: str,
    names: tuple[str, ...],
    problems: list[DwarfGpuError],
    most: int,
) -> tuple[CudaParameter, ...]:
    """Return the parameters of a kernel in their order, and add a problem if they contradict one
    another, or are more than `most`: then there are none."""
    out: list[tuple[int, CudaParameter]] = []
    total_bytes = None
    section = f"{_INFO}.{kernel}"
    for number, value in attributes(file, section):
        if number not in (_PARAMETER, _LARGE_PARAMETER, _PARAMETER_BYTES):
            continue
        reader = Reader(value, file.endian)
        if number == _PARAMETER_BYTES:
            total_bytes = reader.unsigned(2)
            continue
        if len(out) == most:
            text = f"{file.path}: {section}: the kernels have more than {MAX_PARAMETERS} parameters"
            problems.append(LimitExceeded(text))
            return ()
        reader.take(4)  # the symbol of a reference, else 0
        ordinal, offset = reader.unsigned(2), reader.unsigned(2)
        is_large = number == _LARGE_PARAMETER
        size_bytes = reader.unsigned(2) if is_large else reader.unsigned(4) >> _SIZE_SHIFT
        name = names[ordinal] if ordinal < len(names) else None
        out.append((ordinal, CudaParameter(offset, size_bytes, name)))
    out.sort(key=lambda one: one[0])
    fault = _fault(out, total_bytes)
    if fault is not None:
        text = f"{file.path}: {section}: the parameters contradict one another: {fault}"
        problems.append(Malformed(text))
    return tuple(parameter for _, parameter in out)


def _fault(parameters: list[tuple[int, CudaParameter]], total_bytes: int | None) -> str | None:
    """Return how parameters, with their ordinals, contradict one another, or the size of all."""
    for expected, (ordinal, _) in enumerate(parameters):
        if ordinal != expected:
            return (
                f"two are number {ordinal}" if ordinal < expected else f"none is number {expected}"
            )
    before = None
    for ordinal, parameter in sorted(parameters, key=lambda one: one[1].offset_bytes):
        if not parameter.has_bytes:
            continue
        text = (
            f"number {ordinal} has {counted(parameter.size_bytes, 'byte')} at "
            f"{parameter.offset_bytes}"
        )
        if before is not None and before[0] > parameter.offset_bytes:
            return f"{before[1]}, and {text}"
        if not parameter.size_bytes:
            return text
        if total_bytes is not None and parameter.end > total_bytes:
            return f"{text}, and all have {counted(total_bytes, 'byte')}"
        before = parameter.end, text
    return None


def _entries(file: ObjectFile) -> Iterator[tuple[int, Symbol]]:
    """Yield the symbols of kernels, with their index."""
    table = next((section for section in file.sections if section.type == SHT_SYMTAB), None)
    if table is None:
        return
    for index, symbol in enumerate(file.symbols_of(table)):
        if symbol.kind == "function" and symbol.is_in_section:
            fields = file.symbol_fields(table.offset + index * file.symbol_bytes)
            if fields.other & _ENTRY:
                yield index, symbol


def _counts(file: ObjectFile, number: int) -> dict[int, int]:
    """Return the values of an attribute of functions, by the index of the function's symbol."""
    out: dict[int, int] = {}
    for attribute, value in attributes(file, _INFO):
        if attribute == number:
            reader = Reader(value, file.endian)
            symbol = reader.unsigned(4)
            out[symbol] = reader.unsigned(4)
    return out


def _parameter_names(file: ObjectFile) -> Mapping[str, tuple[str, ...]]:
    """Return the names of the parameters in the text of the PTX, by kernel."""
    sections = (section for section in file.sections if section.name.startswith(PTX_SECTION))
    text = b"\n".join(map(file.data_of, sections)).replace(b"\0", b"\n")
    out: dict[str, tuple[str, ...]] = {}
    end = 0
    for entry in _ENTRY_TEXT.finditer(text):
        if entry.start() < end:
            continue
        end = text.find(b")", entry.end())
        if end < 0:
            break
        parameters = text[entry.end() : end].split(b",")
        words = [parameter.split(b"[")[0].split() for parameter in parameters]
        out[_text(entry[1])] = tuple(_text(word[-1]) for word in words if word)
    return out


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")
