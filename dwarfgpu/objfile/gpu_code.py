"""A whole AMD GPU code object: its target, version, and kernels, from header, notes, metadata,
symbols and descriptors (AMDGPU usage, "Code Object").

Law: an unreadable part is reported as a problem; the other parts stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from dwarfgpu.arch.processors import Processor
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, Unsupported, shortened
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import Note, readable_notes
from dwarfgpu.objfile.kernel_descriptor import (
    DESCRIPTOR_BYTES,
    ENTRY_ALIGNMENT,
    KERNEL_CODE_BYTES,
    KernelDescriptor,
    entry_offset_and_wave_size,
    is_kernel_code,
    read_descriptor,
    read_kernel_code,
)
from dwarfgpu.objfile.metadata import (
    CodeObjectMetadata,
    KernelMetadata,
    argument_fault,
)
from dwarfgpu.objfile.metadata_notes import JoinedMetadata, joined_metadata
from dwarfgpu.objfile.symbols import DESCRIPTOR_SUFFIX, Symbol
from dwarfgpu.objfile.target_id import (
    TargetId,
    code_object_version,
    has_mach,
    named_target,
    processor_of,
    target_of_flags,
    target_of_isa,
)

NT_AMD_HSA_CODE_OBJECT_VERSION: Final = 1
NT_AMD_HSA_ISA_VERSION: Final = 3
NT_AMD_HSA_ISA_NAME: Final = 11
NOTE_NAMES: Final[Mapping[tuple[str, int], str]] = {
    ("AMD", 1): "NT_AMD_HSA_CODE_OBJECT_VERSION",
    ("AMD", 2): "NT_AMD_HSA_HSAIL",
    ("AMD", 3): "NT_AMD_HSA_ISA_VERSION",
    ("AMD", 4): "NT_AMD_HSA_PRODUCER",
    ("AMD", 5): "NT_AMD_HSA_PRODUCER_OPTIONS",
    ("AMD", 6): "NT_AMD_HSA_EXTENSION",
    ("AMD", 10): "NT_AMD_HSA_METADATA",
    ("AMD", 11): "NT_AMD_HSA_ISA_NAME",
    ("AMD", 12): "NT_AMD_PAL_METADATA",
    ("AMDGPU", 32): "NT_AMDGPU_METADATA",
    ("AMDGPU", 33): "NT_AMDGPU_CORE_STATE",
    ("GNU", 3): "NT_GNU_BUILD_ID",
}


@frozen
class GpuKernel:
    """A kernel: at least one of metadata and descriptor is known."""

    name: str
    symbol: str
    """The symbol of the descriptor."""
    address: int | None = None
    """The address of the descriptor in the file."""
    entry: int | None = None
    """The address of its code in the file."""
    metadata: KernelMetadata | None = None
    descriptor: KernelDescriptor | None = None
    metadata_problem: DwarfGpuError | None = None
    """Why `metadata` is None, if a note that has it, or may have it, cannot be used."""

    @property
    def start(self) -> int | None:
        """The first instruction of its waves, an address of the file; None if the entry or the
        descriptor is unknown."""
        if self.entry is None or self.descriptor is None:
            return None
        return self.entry + self.descriptor.skipped_bytes

    @property
    def wave_size(self) -> int | None:
        """Lanes: of the descriptor, which the machine reads, else of the metadata."""
        if self.descriptor is not None:
            return self.descriptor.wave_size
        return None if self.metadata is None else self.metadata.wave_size

    @property
    def lds_bytes(self) -> int | None:
        if self.descriptor is not None:
            return self.descriptor.lds_bytes
        return None if self.metadata is None else self.metadata.lds_bytes

    @property
    def scratch_bytes(self) -> int | None:
        """The scratch memory of one lane."""
        if self.descriptor is not None:
            return self.descriptor.scratch_bytes
        return None if self.metadata is None else self.metadata.scratch_bytes

    @property
    def kernarg_bytes(self) -> int | None:
        """The size in the metadata, since compilers before LLVM 12 left it out of the
        descriptor."""
        if self.metadata is not None and self.metadata.kernarg_bytes is not None:
            return self.metadata.kernarg_bytes
        return None if self.descriptor is None else self.descriptor.kernarg_bytes

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Where the metadata contradict the descriptor, which the machine reads: the sizes that
        both have, and more VGPRs than are allocated (AMDGPU usage, "Code Object V3 Metadata",
        "Kernel Descriptor")."""
        metadata, descriptor = self.metadata, self.descriptor
        if metadata is None or descriptor is None:
            return ()
        sizes = (
            ("wave size", metadata.wave_size, descriptor.wave_size),
            ("bytes of LDS", metadata.lds_bytes, descriptor.lds_bytes),
            ("bytes of scratch", metadata.scratch_bytes, descriptor.scratch_bytes),
        )
        out = [f"{what} {said}, not {it}" for what, said, it in sizes if said not in (None, it)]
        if (metadata.vgpr_count or 0) > descriptor.allocated_vgprs:
            out.append(f"VGPRs {metadata.vgpr_count}, more than {descriptor.allocated_vgprs}")
        passed, described = metadata.kernarg_bytes, descriptor.kernarg_bytes
        if described and passed not in (None, described):  # 0: a compiler before LLVM 12
            out.append(f"bytes of arguments {passed}, which are passed, not {described}")
        # V2 metadata do not say where arguments are. LLVM 5 listed hidden ones without room in the
        # segment, which ended with the last element of a vector of three, though its size is four.
        segment_bytes = 0 if descriptor.version == 2 else self.kernarg_bytes or 0
        for number, argument in enumerate(metadata.arguments if segment_bytes else ()):
            if argument.end > segment_bytes:
                out.append(
                    f"bytes up to the end of argument {number} {argument.end}, "
                    f"more than {segment_bytes}"
                )
        return tuple(out)


@frozen
class GpuCode:
    """What an AMD GPU code object says of itself."""

    version: int | None
    """1 to 6; None for an operating system that does not count so."""
    target: TargetId | None
    notes: tuple[Note, ...]
    metadata: CodeObjectMetadata | None
    kernels: tuple[GpuKernel, ...]
    problems: tuple[DwarfGpuError, ...]
    """Why other parts could not be read."""


@kept_with(first)  # it depends on the file alone; broken metadata are not read again either
def read_gpu_code(file: ObjectFile) -> GpuCode:
    """Read all information about the code of a code object; `Unsupported` for a file of another
    machine."""
    if file.machine != "AMDGPU":
        from dwarfgpu.objfile.container import code_inside  # most files are for one

        raise Unsupported(
            f"{file.path} is for {file.machine}, not for an AMD GPU{code_inside(file)}"
        )
    problems: list[DwarfGpuError] = []
    notes, problem = readable_notes(file)
    if problem is not None:
        problems.append(problem)
    version = target = None
    try:
        version = _version(file, notes)
        target = target_of(file)
    except DwarfGpuError as error:
        problems.append(_located(error, file.path))
    joined = joined_metadata(notes, file.limits, file.path)
    problems += joined.problems
    if joined.metadata is not None:
        problems += _metadata_faults(file, joined.metadata, target)
    processor = None if target is None else processor_of(target)
    if target is not None and processor is None:
        unknown = Unsupported(f"the AMD GPU processor {target.processor}")
        problems.append(_located(unknown, file.path))
    described = _described(file, processor, version, problems)
    if file.entry_fault is not None:
        problems.append(file.entry_fault)
    kernels = _merged(described, joined)
    return GpuCode(version, target, notes, joined.metadata, kernels, tuple(problems))


@kept_with(first)
def kernel_entries(file: ObjectFile) -> frozenset[int]:
    """Return where the kernels of a file begin: every wave asks.

    Where the descriptor of a kernel is damaged, the function with the name in the metadata is its
    code, as compilers write it (AMDGPU usage, "Code Object V3 Metadata", "Kernel Descriptor").
    """
    kernels = read_gpu_code(file).kernels
    entries = {kernel.entry for kernel in kernels if kernel.entry is not None}
    named = {kernel.name for kernel in kernels if kernel.metadata and not _has_code(file, kernel)}
    with suppress(DwarfGpuError):  # `info` says what is wrong with the symbols
        for symbol in file.symbols_called(named) if named else ():
            if symbol.kind == "function" and symbol.is_in_section:
                entries.add(symbol.address)
    return frozenset(entries)


@kept_with(first)
def shared_entries(file: ObjectFile) -> frozenset[int]:
    """Return where several kernels of a file begin: a linker folds equal code (--icf=all), and one
    without instructions begins where the next function does."""
    counts = Counter(kernel.entry for kernel in read_gpu_code(file).kernels)
    return frozenset(entry for entry, count in counts.items() if entry is not None and count > 1)


def _has_code(file: ObjectFile, kernel: GpuKernel) -> bool:
    """Return whether the descriptor of a kernel leads to code."""
    return kernel.entry is not None and file.is_code(kernel.entry)


def _located(error: DwarfGpuError, context: str) -> DwarfGpuError:
    error.context = error.context or context
    return error


def _version(file: ObjectFile, notes: tuple[Note, ...]) -> int | None:
    version = code_object_version(file)
    if version == 2:
        for note in notes:
            if (note.owner, note.type) == ("AMD", NT_AMD_HSA_CODE_OBJECT_VERSION):
                return Reader(note.content, file.endian).unsigned(4)
    return version


def target_of(file: ObjectFile) -> TargetId:
    """Return the target of a code object, from `e_flags` or, in V2, from its notes if they name
    one."""
    if code_object_version(file) == 2:
        for note in readable_notes(file)[0]:
            if note.owner == "AMD" and note.type == NT_AMD_HSA_ISA_NAME:
                return named_target(note.content)
            if note.owner == "AMD" and note.type == NT_AMD_HSA_ISA_VERSION:
                reader = Reader(note.content, file.endian, 4)
                numbers = [reader.unsigned(4) for _ in range(3)]
                flags = file.flags & 0x100 if has_mach(file) else file.flags & 1
                return target_of_isa(numbers[0], numbers[1], numbers[2], flags)
    return target_of_flags(file)


def _described(
    file: ObjectFile,
    processor: Processor | None,
    version: int | None,
    problems: list[DwarfGpuError],
) -> list[GpuKernel]:
    """Return the kernels with a descriptor in the file, in the order of the symbol table."""
    out: list[GpuKernel] = []
    is_v2 = version is not None and version <= 2
    symbols = _symbols(file, problems)
    functions: dict[str, set[int]] = {}
    if not is_v2:
        symbols = tuple(file.symbols_ending(DESCRIPTOR_SUFFIX)) if symbols else ()
        names = {symbol.name.removesuffix(DESCRIPTOR_SUFFIX) for symbol in symbols}
        for symbol in file.symbols_called(names) if names and not file.is_relocatable else ():
            if symbol.kind == "function" and symbol.is_in_section:
                functions.setdefault(symbol.name, set()).add(symbol.address)
    for symbol in symbols:
        if is_v2 and symbol.kind != "function" or not symbol.section:
            continue
        size_bytes = KERNEL_CODE_BYTES if is_v2 else DESCRIPTOR_BYTES
        try:
            data = file.bytes_of(symbol, size_bytes)
            if is_v2 and (data is None or not is_kernel_code(data)):
                continue
            kernel = _kernel(symbol, data, processor, is_v2)
            if file.is_relocatable:  # the linker writes the way from the descriptor to the code
                kernel = evolve(kernel, entry=None)
            elif kernel.entry is not None and not file.is_code(kernel.entry):
                problems.append(_without_code(file, kernel))
            else:
                problems += _wrong_entry(file, kernel, functions.get(kernel.name, ()))
            out.append(kernel)
        except DwarfGpuError as error:
            problems.append(_located(error, f"{file.path}: {symbol.name}"))
    return out


def _without_code(file: ObjectFile, kernel: GpuKernel) -> Malformed:
    """Return the error about a descriptor that does not lead to code, as zeros lead to itself."""
    return Malformed(
        f"{file.path}: there is no code at {kernel.entry:#x}, the entry of kernel {kernel.name} "
        f"by its descriptor at {kernel.address:#x}, which may be damaged"
    )


def _wrong_entry(
    file: ObjectFile, kernel: GpuKernel, functions: Collection[int]
) -> Iterator[Malformed]:
    """Yield the error about an entry where no wave can start, or that is not the function with the
    kernel's name, whose address compilers write there.

    `functions`: the addresses of the functions of that name.
    """
    entry, reasons = kernel.entry, []
    if entry is None:
        return
    if entry % ENTRY_ALIGNMENT:
        reasons.append(f"entries are multiples of {ENTRY_ALIGNMENT}")
    if functions and entry not in functions:
        reasons.append(f"the function {kernel.name} is at {min(functions):#x}")
    if reasons:
        yield Malformed(
            f"{file.path}: kernel {kernel.name} begins at {entry:#x} by its descriptor at "
            f"{kernel.address:#x}, which may be damaged: {', and '.join(reasons)}"
        )


def _metadata_faults(
    file: ObjectFile, metadata: CodeObjectMetadata, target: TargetId | None
) -> Iterator[DwarfGpuError]:
    """Yield what is wrong with metadata that can be read: keys that are lost, arguments that
    contradict one another, and a target that is not the one of the code object."""
    yield from (Malformed(f"{file.path}: {fault}") for fault in metadata.lost_keys)
    for kernel in metadata.kernels:
        fault = argument_fault(kernel.arguments)
        if fault is not None:
            yield Malformed(
                f"{file.path}: the metadata of kernel {kernel.name or kernel.symbol} contradict "
                f"themselves: {fault}"
            )
    if metadata.target is None or target is None:
        return
    try:
        named: TargetId | None = named_target(metadata.target.encode())
    except DwarfGpuError:
        named = None
    if named is None or not named.accepts(target):
        yield IllFormed(
            f"{file.path}: the metadata are for {shortened(metadata.target)!r}, the code object is "
            f"for {target}"
        )


def _symbols(file: ObjectFile, problems: list[DwarfGpuError]) -> Sequence[Symbol]:
    try:
        symbols = file.symbols
    except DwarfGpuError as error:
        problems.append(_located(error, file.path))
        return ()
    damage = file.symbol_damage
    if damage is not None:
        problems.append(damage)
    return symbols


def _kernel(
    symbol: Symbol, data: bytes | None, processor: Processor | None, is_v2: bool
) -> GpuKernel:
    kernel = GpuKernel(symbol.name.removesuffix(DESCRIPTOR_SUFFIX), symbol.name, symbol.address)
    if data is None or processor is None and is_v2:
        return kernel
    if processor is None:  # the entry has one offset in the descriptors of every processor
        return evolve(kernel, entry=symbol.address + entry_offset_and_wave_size(data)[0])
    read = read_kernel_code if is_v2 else read_descriptor
    descriptor = read(data, processor)
    entry = symbol.address + descriptor.entry_offset_bytes
    return evolve(kernel, descriptor=descriptor, entry=entry)


def _merged(described: list[GpuKernel], joined: JoinedMetadata) -> tuple[GpuKernel, ...]:
    """Return the kernels of the metadata in its order, then those with descriptors only."""
    unmatched = {kernel.symbol: kernel for kernel in described}
    out: list[GpuKernel] = []
    for described_kernel in () if joined.metadata is None else joined.metadata.kernels:
        symbol = described_kernel.descriptor_symbol
        kernel = unmatched.pop(symbol, None) or unmatched.pop(f"{described_kernel.name}.kd", None)
        kernel = kernel or GpuKernel(described_kernel.name or symbol, described_kernel.symbol)
        out.append(evolve(kernel, metadata=described_kernel))
    for kernel in unmatched.values():
        problem = joined.left_out.get(kernel.symbol) or joined.left_out.get(kernel.name)
        out.append(evolve(kernel, metadata_problem=problem or joined.unread))
    return tuple(out)
