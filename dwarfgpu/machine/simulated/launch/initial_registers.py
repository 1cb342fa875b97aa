"""The registers of a wave before its first instruction (AMDGPU usage, "Initial Kernel Execution
State"; ROCm compute ABI, "Initial kernel register state"). The V# of scratch is "the value provided
by the runtime": that of ROCr (`AqlQueue::InitScratchSRD`).

`kernarg` has the arguments of the kernel; `dispatch` puts registers, arguments and memory together.

Law: a register that the documents do not define is in no result: it is unknown, never zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dwarfgpu.arch.amdgpu_flags import flag_fields
from dwarfgpu.arch.processors import PROCESSORS, Processor
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Malformed
from dwarfgpu.machine.topology import Geometry, Position, work_item
from dwarfgpu.objfile.kernel_descriptor import KernelDescriptor

USER_SGPRS: Final = (
    ("private_segment_buffer", 4),
    ("dispatch_ptr", 2),
    ("queue_ptr", 2),
    ("kernarg_segment_ptr", 2),
    ("dispatch_id", 2),
    ("flat_scratch_init", 2),
    ("private_segment_size", 1),
    ("grid_workgroup_count_x", 1),
    ("grid_workgroup_count_y", 1),
    ("grid_workgroup_count_z", 1),
)
"""Name after `enable_sgpr_`, and number of SGPRs, in the order of their set-up."""
_MASK: Final = 0xFFFFFFFF
_SWIZZLED: Final = 1 << 31
"""SWIZZLE_ENABLE, in the second dword of a V#: the dwords of lanes are interleaved."""
_COMPONENTS: Final = 4 | 5 << 3 | 6 << 6 | 7 << 9
"""DST_SEL_X to DST_SEL_W, in the last dword: X, Y, Z, W."""
_UINT_32: Final = 4 << 12 | 4 << 15
"""NUM_FORMAT and DATA_FORMAT before GFX10."""
_UINT_32_GFX10: Final = 20 << 12
"""FORMAT of GFX10."""
_ELEMENT_4: Final = 1 << 19
"""ELEMENT_SIZE before GFX10."""
_ADD_LANE: Final = 1 << 23
"""ADD_TID_ENABLE: each lane has an element of its own."""
_UNCHECKED_GFX10: Final = 1 << 24 | 2 << 28
"""RESOURCE_LEVEL, and OOB_SELECT for no bounds check."""


@frozen
class Sgpr:
    """An SGPR that the descriptor enables, the same in every wave of the dispatch."""

    number: int
    field: str
    """The item to which it belongs, named after `enable_sgpr_`, or `kernarg_preload`."""
    value: int | str | None
    """None if the documents do not define its contents; text, as of `other_scalars`, if they define
    some of its bytes: a preloaded argument of one byte or two."""


@frozen
class UserValues:
    """What user SGPRs are made of."""

    dispatch_ptr: int
    queue_ptr: int
    kernarg_segment_ptr: int
    dispatch_id: int
    scratch_address: int
    scratch_bytes: int
    """Of all waves."""
    private_bytes: int
    """Scratch of a lane, as in the packet."""
    geometry: Geometry
    lane_count: int

    def dwords(self, name: str, count: int, processor: Processor) -> list[int | None]:
        """Return the contents of the SGPRs of a field."""
        if name == "private_segment_buffer":
            return self._scratch_resource(processor)
        if name == "flat_scratch_init":
            return self._flat_scratch(processor)
        values = {
            "dispatch_ptr": self.dispatch_ptr,
            "queue_ptr": self.queue_ptr,
            "kernarg_segment_ptr": self.kernarg_segment_ptr,
            "dispatch_id": self.dispatch_id,
            "private_segment_size": _dword_multiple(self.private_bytes),
            "grid_workgroup_count_x": self.geometry.counts[0],
            "grid_workgroup_count_y": self.geometry.counts[1],
            "grid_workgroup_count_z": self.geometry.counts[2],
        }
        return [values[name] >> 32 * n & _MASK for n in range(count)]

    def _scratch_resource(self, processor: Processor) -> list[int | None]:
        """Return the V# of scratch, the same for all waves: the kernel adds the offset of each."""
        if processor.has_architected_flat_scratch:
            return [None] * 4
        is_gfx10 = processor.generation == 10
        format_bits = _UINT_32_GFX10 | _UNCHECKED_GFX10 if is_gfx10 else _UINT_32 | _ELEMENT_4
        index_stride = {32: 2, 64: 3}[self.lane_count]
        return [
            self.scratch_address & _MASK,
            self.scratch_address >> 32 & 0xFFFF | _SWIZZLED,
            self.scratch_bytes & _MASK,
            _COMPONENTS | format_bits | index_stride << 21 | _ADD_LANE,
        ]

    def _flat_scratch(self, processor: Processor) -> list[int | None]:
        """Return offset and size on GFX7 and GFX8, the 64-bit address of the scratch later."""
        if processor.generation in (7, 8):
            return [self.scratch_address & _MASK, _dword_multiple(self.private_bytes)]
        if processor.generation == 6 or processor.has_architected_flat_scratch:
            return [None, None]
        return [self.scratch_address & _MASK, self.scratch_address >> 32]


def _dword_multiple(size_bytes: int) -> int:
    return -(-size_bytes // 4) * 4


def user_sgprs(
    descriptor: KernelDescriptor,
    processor: Processor,
    values: UserValues,
    preload: Sequence[int | str | None],
) -> tuple[list[Sgpr], int]:
    """Return the initialized user SGPRs, and the number of the first system SGPR.

    `preload`: the dwords of the kernarg segment that the descriptor preloads; None: unknown, text:
    known in part. The system SGPRs follow the number of user SGPRs in the descriptor, which may
    exceed the enabled ones (in LLVM, for a processor that initializes 16).
    """
    limit = min(descriptor.fields["user_sgpr_count"], processor.most_user_sgprs)
    out: list[Sgpr] = []
    for name, count in USER_SGPRS:
        if not descriptor.fields.get(f"enable_sgpr_{name}"):
            continue
        for dword in values.dwords(name, count, processor):
            out.append(Sgpr(len(out), name, dword))
    out += [Sgpr(len(out) + n, "kernarg_preload", dword) for n, dword in enumerate(preload)]
    return [register for register in out if register.number < limit], limit


@frozen
class WaveValues:
    """What the registers of one wave are made of."""

    position: Position
    """The position of its workgroup."""
    size: Position
    """The size of its workgroup, in work-items."""
    wave_in_group: int
    waves_in_group: int
    scratch_offset: int
    """From the scratch of the queue to that of the wave, in bytes."""
    scratch_address: int
    packet: int = 0
    """Number of the dispatch packet in the queue."""


def system_sgprs(
    descriptor: KernelDescriptor, processor: Processor, first: int, wave: WaveValues
) -> dict[str, int]:
    """Return the system SGPRs, from the first one on; from GFX12 on, workgroup ids are in ttmps."""
    fields = descriptor.fields
    sgprs: list[int] = []
    if not processor.has_architected_sgprs:
        for axis, number in zip("xyz", wave.position, strict=True):
            if fields.get(f"enable_sgpr_workgroup_id_{axis}"):
                sgprs.append(number)
    if fields.get("enable_sgpr_workgroup_info"):
        sgprs.append(_workgroup_info(processor, wave))
    if fields.get("enable_private_segment") and not processor.has_architected_flat_scratch:
        sgprs.append(wave.scratch_offset)
    return {f"s{first + n}": number & _MASK for n, number in enumerate(sgprs)}


def _workgroup_info(processor: Processor, wave: WaveValues) -> int:
    """Return {first_wavefront, …, threadgroup_size_in_wavefronts}; GFX11 has the wave's number
    besides, GFX12 only the size ("RDNA3", "RDNA4" Instruction Set Architecture, "Compute Shader
    (CS)")."""
    size = wave.waves_in_group & 0x3F
    if processor.generation >= 12:
        return size
    number = wave.wave_in_group << 20 if processor.generation == 11 else 0
    return (wave.wave_in_group == 0) << 31 | number | size


def other_scalars(
    descriptor: KernelDescriptor, processor: Processor, lanes: int, wave: WaveValues
) -> dict[str, int | str]:
    """Return exec, flat_scratch, mode and the trap handler's registers; text: bytes as in state
    files, with `??` and `%????0011` for unknown ones."""
    out: dict[str, int | str] = {
        "exec": exec_mask(wave, lanes),
        "mode": _mode(descriptor.fields, processor),
    }
    name = "scratch_base" if processor.generation >= 12 else "flat_scratch"
    if not processor.has_architected_flat_scratch:
        pass  # the prolog of the kernel sets it up
    elif descriptor.fields.get("enable_private_segment"):
        out[name] = wave.scratch_address
    elif processor.generation >= 11:
        out[name] = 0  # "Waves without scratch have this initialized to zero"
    return out | _ttmps(descriptor, processor, wave)


def _ttmps(
    descriptor: KernelDescriptor, processor: Processor, wave: WaveValues
) -> dict[str, int | str]:
    """Return the ttmps that identify the wave, before any trap handler has run.

    amd-dbgapi, `dispatch_packet_id`, `group_ids` and `position_in_group`; for GFX12 "RDNA4"
    Instruction Set Architecture, "Compute Shader (CS)". Bits without a source are unknown.
    """
    x, y, z = wave.position
    packet = wave.packet & 0x1FFFFFF
    if processor.has_architected_sgprs:
        fields = descriptor.fields
        has_more = fields.get("enable_sgpr_workgroup_id_y") or fields.get(
            "enable_sgpr_workgroup_id_z"
        )
        has_yz = bool(has_more)
        out: dict[str, int | str] = {
            "ttmp8": has_yz << 30 | (wave.wave_in_group & 0x1F) << 25 | packet,
            "ttmp9": x,
        }
        return {**out, "ttmp7": y & 0xFFFF | (z & 0xFFFF) << 16} if has_yz else out
    if processor.generation < 9:
        return {}
    out = {"ttmp8": x, "ttmp9": y, "ttmp10": z}
    if processor.has_architected_flat_scratch and processor.generation == 9:
        return {**out, "ttmp11": wave.wave_in_group & 0x3F | packet << 6}
    number = wave.wave_in_group & 0x3F
    return {**out, "ttmp6": _by_bit(packet, 0x1FFFFFF), "ttmp11": _by_bit(number, 0x3F)}


_MODE_FIELDS: Final = {
    "FP_ROUND.32": "float_round_mode_32",
    "FP_ROUND.64_16": "float_round_mode_16_64",
    "FP_DENORM.32": "float_denorm_mode_32",
    "FP_DENORM.64_16": "float_denorm_mode_16_64",
    "DX10_CLAMP": "enable_dx10_clamp",
    "IEEE": "enable_ieee_mode",
    "FP16_OVFL": "fp16_ovfl",
    "EXCP_EN.INVALID": "enable_exception_ieee_754_fp_invalid_operation",
    "EXCP_EN.DENORM": "enable_exception_fp_denormal_source",
    "EXCP_EN.DIV0": "enable_exception_ieee_754_fp_division_by_zero",
    "EXCP_EN.OVERFLOW": "enable_exception_ieee_754_fp_overflow",
    "EXCP_EN.UNDERFLOW": "enable_exception_ieee_754_fp_underflow",
    "EXCP_EN.INEXACT": "enable_exception_ieee_754_fp_inexact",
    "EXCP_EN.INT_DIV0": "enable_exception_int_divide_by_zero",
}
"""With which modes "wavefront starts execution": fields of `mode`, and those of the descriptor."""


def _mode(fields: Mapping[str, int], processor: Processor) -> str:
    """Return the mode from the descriptor; from GFX12 on it excludes the exceptions."""
    value = known_mask = 0
    for field in flag_fields(processor, "mode") or flag_fields(PROCESSORS["gfx900"], "mode")[:4]:
        name = _MODE_FIELDS.get(field.name, "")
        if name in fields:
            value |= fields[name] << field.first_bit
            known_mask |= field.mask
    return _by_bit(value, known_mask)


def _by_bit(value: int, known_mask: int) -> str:
    """Return the four bytes of a partly known register, as in a state file."""
    words = []
    for shift in range(0, 32, 8):
        byte, mask = value >> shift & 0xFF, known_mask >> shift & 0xFF
        digits = zip(f"{byte:08b}", f"{mask:08b}", strict=True)
        partly = "%" + "".join(bit if is_known == "1" else "?" for bit, is_known in digits)
        words.append({0: "??", 0xFF: f"{byte:02x}"}.get(mask, partly))
    return " ".join(words)


def exec_mask(wave: WaveValues, lanes: int) -> int:
    """Return a mask with a bit for each lane that has a work-item."""
    x, y, z = wave.size
    remaining = max(0, min(lanes, x * y * z - wave.wave_in_group * lanes))
    return (1 << remaining) - 1


def work_item_ids(
    descriptor: KernelDescriptor, processor: Processor, lanes: int, wave: WaveValues
) -> dict[str, list[int]]:
    """Return the VGPRs with the ids of the work-items, a value for each lane that has one.

    `Malformed` for the value of the descriptor that is undefined.
    """
    dimensions = descriptor.fields["enable_vgpr_workitem_id"] + 1
    if dimensions > 3:
        raise Malformed("enable_vgpr_workitem_id 3 of the kernel descriptor is undefined")
    first = wave.wave_in_group * lanes
    count = exec_mask(wave, lanes).bit_length()
    items = [work_item(first + lane, wave.size) for lane in range(count)]
    if processor.has_packed_work_item_ids:
        shown = [item[:dimensions] for item in items]
        return {"v0": [sum(part << 10 * n for n, part in enumerate(item)) for item in shown]}
    return {f"v{n}": [item[n] for item in items] for n in range(dimensions)}


def allocation(descriptor: KernelDescriptor, processor: Processor) -> tuple[int, int, int]:
    """Return the SGPRs, VGPRs and AGPRs of a wave: from GFX10 on, all SGPRs. AGPRs are the VGPRs
    from accum_offset on or, if they are separate registers, as many as VGPRs."""
    vgprs, agprs = descriptor.allocated_vgprs, 0
    if descriptor.accum_offset is not None:
        total, vgprs = vgprs, min(vgprs, descriptor.accum_offset)
        agprs = total - vgprs
    elif processor.has_accumulators:
        agprs = vgprs
    sgprs = processor.sgpr_count
    return min(sgprs, descriptor.allocated_sgprs or sgprs), vgprs, agprs


def preloaded(descriptor: KernelDescriptor) -> tuple[int, int]:
    """Return how many dwords of the kernarg segment are preloaded, and which is the first."""
    fields = descriptor.fields
    length = fields.get("kernarg_preload_spec_length", 0)
    return length, fields.get("kernarg_preload_spec_offset", 0)
