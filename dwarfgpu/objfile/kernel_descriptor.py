"""Kernel descriptors: the 64 bytes of V3 and later, and `amd_kernel_code_t` of V2 and CLRX (AMDGPU
usage, "Kernel Descriptor"; ROCm Compute ABI; CLRX, "ROCm handling").

Law: the tables of `bit_fields` define the fields of each processor; bits outside of all fields are
reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.arch.processors import Processor
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Malformed, counted
from dwarfgpu.objfile.kernel_descriptor_bits import (
    CODE_PROPERTIES_V2,
    PRELOAD,
    PROPERTIES,
    RSRC1,
    RSRC2,
    RSRC3,
    BitField,
    Word,
    fields_of,
    gfx_level,
    must_be_zero,
)

DESCRIPTOR_BYTES: Final = 64
KERNEL_CODE_BYTES: Final = 256
ENTRY_ALIGNMENT: Final = 256
"""Of the first instruction, in bytes: waves start at an address whose low 8 bits are 0."""
AMD_MACHINE_KIND_AMDGPU: Final = 1

_V3_WORDS: Final[Mapping[Word, tuple[int, int]]] = {
    "rsrc3": (44, 4), "rsrc1": (48, 4), "rsrc2": (52, 4), "properties": (56, 2),
    "preload": (58, 2),
}  # fmt: skip
_V2_WORDS: Final[Mapping[Word, tuple[int, int]]] = {
    "rsrc1": (48, 4), "rsrc2": (52, 4), "properties": (56, 4),
}  # fmt: skip
"""Offset and size of a word, in bytes."""
_ENTRY_OFFSET: Final = ("kernel_code_entry_byte_offset", 16, -8)
_V3_NUMBERS: Final = (
    ("group_segment_fixed_size", 0, 4),
    ("private_segment_fixed_size", 4, 4),
    ("kernarg_size", 8, 4),
    _ENTRY_OFFSET,
)
"""Name, offset and size in bytes; a negative size marks a signed number."""
_WAVE32: Final = next(field for field in PROPERTIES if field.name == "enable_wavefront_size32")
_V3_RESERVED: Final = ((12, 4), (24, 20), (60, 4))
_V2_NUMBERS: Final = (
    ("amd_kernel_code_version_major", 0, 4),
    ("amd_kernel_code_version_minor", 4, 4),
    ("amd_machine_kind", 8, 2),
    ("amd_machine_version_major", 10, 2),
    ("amd_machine_version_minor", 12, 2),
    ("amd_machine_version_stepping", 14, 2),
    _ENTRY_OFFSET,
    ("kernel_code_prefetch_byte_offset", 24, -8),
    ("kernel_code_prefetch_byte_size", 32, 8),
    ("max_scratch_backing_memory_byte_size", 40, 8),
    ("workitem_private_segment_byte_size", 60, 4),
    ("workgroup_group_segment_byte_size", 64, 4),
    ("gds_segment_byte_size", 68, 4),
    ("kernarg_segment_byte_size", 72, 8),
    ("workgroup_fbarrier_count", 80, 4),
    ("wavefront_sgpr_count", 84, 2),
    ("workitem_vgpr_count", 86, 2),
    ("reserved_vgpr_first", 88, 2),
    ("reserved_vgpr_count", 90, 2),
    ("reserved_sgpr_first", 92, 2),
    ("reserved_sgpr_count", 94, 2),
    ("debug_wavefront_private_segment_offset_sgpr", 96, 2),
    ("debug_private_segment_buffer_sgpr", 98, 2),
    ("kernarg_segment_alignment", 100, 1),
    ("group_segment_alignment", 101, 1),
    ("private_segment_alignment", 102, 1),
    ("wavefront_size", 103, 1),
    ("call_convention", 104, -4),
    ("runtime_loader_kernel_symbol", 120, 8),
)
_V2_RESERVED: Final = ((108, 12),)
_PRELOAD_BYTES: Final = 256


@frozen
class KernelDescriptor:
    """What the command processor needs to start a kernel."""

    version: int
    """2 for `amd_kernel_code_t`, 3 for the 64 bytes of V3 and later."""
    fields: Mapping[str, int]
    """Every field that the processor has, named as in the documents, in lower case."""
    reserved_set: tuple[str, ...]
    """Reserved bits that are set, as `rsrc1 & 0x8000000`; with its name a field that must be 0, as
    `rsrc1 & 0xc00 (priority)`."""
    wave_size: int
    """Lanes."""
    allocated_vgprs: int
    """Number of registers that the granulated count denotes, including AGPRs if unified."""
    allocated_sgprs: int | None
    """The same for SGPRs; None for GFX10 and later, where every wave has all of them."""
    accum_offset: int | None = None
    """The VGPR with which AGPRs begin (gfx90a and later of GFX9)."""

    @property
    def entry_offset_bytes(self) -> int:
        """The distance from the descriptor to the first instruction."""
        return self.fields["kernel_code_entry_byte_offset"]

    @property
    def skipped_bytes(self) -> int:
        """How much code at the entry waves skip: it loads the arguments that are preloaded, for
        firmware that cannot (AMDGPU usage, "Preloaded Kernel Arguments")."""
        return _PRELOAD_BYTES if self.fields.get("kernarg_preload_spec_length", 0) else 0

    @property
    def lds_bytes(self) -> int:
        if self.version == 2:
            return self.fields["workgroup_group_segment_byte_size"]
        return self.fields["group_segment_fixed_size"]

    @property
    def scratch_bytes(self) -> int:
        """The scratch memory of one lane."""
        if self.version == 2:
            return self.fields["workitem_private_segment_byte_size"]
        return self.fields["private_segment_fixed_size"]

    @property
    def kernarg_bytes(self) -> int:
        """0 also where a compiler before LLVM 12 left it to the metadata."""
        if self.version == 2:
            return self.fields["kernarg_segment_byte_size"]
        return self.fields["kernarg_size"]


def read_descriptor(data: bytes, processor: Processor) -> KernelDescriptor:
    """Read the 64 bytes of V3 and later; `Malformed` for fewer."""
    if len(data) < DESCRIPTOR_BYTES:
        raise Malformed(f"a kernel descriptor of {counted(len(data), 'byte')}")
    numbers = _numbers(data, _V3_NUMBERS)
    table = (*RSRC1, *RSRC2, *RSRC3, *PROPERTIES, *PRELOAD)
    fields, reserved = _words(data, _V3_WORDS, fields_of(table, processor), processor, 3)
    reserved += _reserved_bytes(data, _V3_RESERVED)
    is_wave32 = bool(fields.get("enable_wavefront_size32"))
    accum_offset = fields.get("accum_offset")
    return KernelDescriptor(
        3,
        numbers | fields,
        reserved,
        32 if is_wave32 else 64,
        _vgprs(fields, processor, is_wave32),
        _sgprs(fields, processor),
        None if accum_offset is None else 4 * (accum_offset + 1),
    )


def entry_offset_and_wave_size(data: bytes) -> tuple[int, int]:
    """Return what every processor reads alike of V3 and later: the distance from the descriptor to
    the first instruction in bytes, and the lanes of a wave. `Malformed` for fewer than 64 bytes."""
    if len(data) < DESCRIPTOR_BYTES:
        raise Malformed(f"a kernel descriptor of {counted(len(data), 'byte')}")
    name, *_ = _ENTRY_OFFSET
    first, size = _V3_WORDS[_WAVE32.word]
    properties = int.from_bytes(data[first : first + size], "little")
    return _numbers(data, (_ENTRY_OFFSET,))[name], 32 if _WAVE32.of(properties) else 64


def read_kernel_code(data: bytes, processor: Processor) -> KernelDescriptor:
    """Read an `amd_kernel_code_t`; `Malformed` if the bytes are not one."""
    if len(data) < KERNEL_CODE_BYTES or not is_kernel_code(data):
        raise Malformed("there is no amd_kernel_code_t of version 1")
    numbers = _numbers(data, _V2_NUMBERS)
    table = (*RSRC1, *RSRC2, *CODE_PROPERTIES_V2)
    fields, reserved = _words(data, _V2_WORDS, fields_of(table, processor), processor, 2)
    reserved += _reserved_bytes(data, _V2_RESERVED)
    if numbers["wavefront_size"] > 6:
        raise Malformed(f"a wave size of 2 to the {numbers['wavefront_size']}")
    wave_size = 1 << numbers["wavefront_size"]
    return KernelDescriptor(
        2,
        numbers | fields,
        reserved,
        wave_size,
        _vgprs(fields, processor, wave_size == 32),
        _sgprs(fields, processor),
    )


def is_kernel_code(data: bytes) -> bool:
    """Return whether bytes begin as `amd_kernel_code_t` does: version 1, the machine AMDGPU."""
    reader = Reader(data)
    if len(data) < 16:
        return False
    major, _, kind = reader.unsigned(4), reader.unsigned(4), reader.unsigned(2)
    return (major, kind) == (1, AMD_MACHINE_KIND_AMDGPU)


def _numbers(data: bytes, table: tuple[tuple[str, int, int], ...]) -> dict[str, int]:
    return {
        name: int.from_bytes(data[offset : offset + abs(size)], "little", signed=size < 0)
        for name, offset, size in table
    }


def _words(
    data: bytes,
    spans: Mapping[Word, tuple[int, int]],
    table: tuple[BitField, ...],
    processor: Processor,
    version: int,
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the fields of a descriptor of V2 or V3, and which bits are set that must be 0."""
    words = {
        word: int.from_bytes(data[offset : offset + size], "little")
        for word, (offset, size) in spans.items()
    }
    fields = {field.name: field.of(words[field.word]) for field in table}
    remaining = dict(words)
    for field in table:
        remaining[field.word] &= ~field.mask
    reserved = [f"{word} & {bits:#x}" for word, bits in remaining.items() if bits]
    reserved += [
        f"{field.word} & {field.mask & words[field.word]:#x} ({field.name})"
        for field in table
        if fields[field.name] and must_be_zero(field, processor, version)
    ]
    return fields, tuple(reserved)


def _reserved_bytes(data: bytes, spans: tuple[tuple[int, int], ...]) -> tuple[str, ...]:
    return tuple(
        f"bytes {offset} to {offset + size - 1}"
        for offset, size in spans
        if any(data[offset : offset + size])
    )


def _vgprs(fields: Mapping[str, int], processor: Processor, is_wave32: bool) -> int:
    granule = 8 if processor.has_unified_vgprs or is_wave32 else 4
    if processor.has_1024_vgprs:
        granule *= 2
    return granule * (fields["granulated_workitem_vgpr_count"] + 1)


def _sgprs(fields: Mapping[str, int], processor: Processor) -> int | None:
    count = fields["granulated_wavefront_sgpr_count"]
    if gfx_level(processor) >= 100:
        return None
    return 16 * (count // 2 + 1) if processor.generation == 9 else 8 * (count + 1)
