"""A kernel descriptor as the assembler directives that produce it (AMDGPU usage, "AMDHSA Kernel
Directives").

The order and the selection are those of `llvm-objdump`. The counts of registers are chosen so that
the assembler produces the same granulated counts; they include the registers reserved for VCC, flat
scratch and the XNACK mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.arch.processors import Processor
from dwarfgpu.objfile.kernel_descriptor import KernelDescriptor

_FLOAT: Final = (
    ("float_round_mode_32", "float_round_mode_32"),
    ("float_round_mode_16_64", "float_round_mode_16_64"),
    ("float_denorm_mode_32", "float_denorm_mode_32"),
    ("float_denorm_mode_16_64", "float_denorm_mode_16_64"),
    ("dx10_clamp", "enable_dx10_clamp"),
    ("ieee_mode", "enable_ieee_mode"),
    ("fp16_overflow", "fp16_ovfl"),
    ("workgroup_processor_mode", "wgp_mode"),
    ("memory_ordered", "mem_ordered"),
    ("forward_progress", "fwd_progress"),
    ("round_robin_scheduling", "enable_wg_rr_en"),
)
_SYSTEM: Final = (
    ("system_sgpr_workgroup_id_x", "enable_sgpr_workgroup_id_x"),
    ("system_sgpr_workgroup_id_y", "enable_sgpr_workgroup_id_y"),
    ("system_sgpr_workgroup_id_z", "enable_sgpr_workgroup_id_z"),
    ("system_sgpr_workgroup_info", "enable_sgpr_workgroup_info"),
    ("system_vgpr_workitem_id", "enable_vgpr_workitem_id"),
    (
        "exception_fp_ieee_invalid_op",
        "enable_exception_ieee_754_fp_invalid_operation",
    ),
    ("exception_fp_denorm_src", "enable_exception_fp_denormal_source"),
    ("exception_fp_ieee_div_zero", "enable_exception_ieee_754_fp_division_by_zero"),
    ("exception_fp_ieee_overflow", "enable_exception_ieee_754_fp_overflow"),
    ("exception_fp_ieee_underflow", "enable_exception_ieee_754_fp_underflow"),
    ("exception_fp_ieee_inexact", "enable_exception_ieee_754_fp_inexact"),
    ("exception_int_div_zero", "enable_exception_int_divide_by_zero"),
)
_PROPERTIES: Final = (
    ("user_sgpr_private_segment_buffer", "enable_sgpr_private_segment_buffer"),
    ("user_sgpr_dispatch_ptr", "enable_sgpr_dispatch_ptr"),
    ("user_sgpr_queue_ptr", "enable_sgpr_queue_ptr"),
    ("user_sgpr_kernarg_segment_ptr", "enable_sgpr_kernarg_segment_ptr"),
    ("user_sgpr_dispatch_id", "enable_sgpr_dispatch_id"),
    ("user_sgpr_flat_scratch_init", "enable_sgpr_flat_scratch_init"),
    ("user_sgpr_private_segment_size", "enable_sgpr_private_segment_size"),
    ("wavefront_size32", "enable_wavefront_size32"),
    ("uses_dynamic_stack", "uses_dynamic_stack"),
)
_OF_ARCHITECTED: Final = frozenset(
    {"user_sgpr_private_segment_buffer", "user_sgpr_flat_scratch_init"}
)
"""Fields that processors with architected flat scratch do not have."""


def directives(
    name: str, descriptor: KernelDescriptor, processor: Processor, version: int | None
) -> Iterator[str]:
    """Yield the lines for a kernel of code object V3 and later; `version` is that of the code
    object.

    Reserved bits that are set, which no directive produces, are comments.
    """
    fields = descriptor.fields
    has_architected = processor.has_architected_flat_scratch

    def some(pairs: tuple[tuple[str, str], ...]) -> Iterator[str]:
        for directive, field in pairs:
            if field not in fields or (has_architected and directive in _OF_ARCHITECTED):
                continue
            if directive == "uses_dynamic_stack" and (version or 0) < 5:
                continue
            yield f"\t.amdhsa_{directive} {fields[field]}"

    yield f".amdhsa_kernel {name}"
    for number in ("group_segment_fixed_size", "private_segment_fixed_size", "kernarg_size"):
        yield f"\t.amdhsa_{number} {fields[number]}"
    if descriptor.accum_offset is not None:
        yield f"\t.amdhsa_accum_offset {descriptor.accum_offset}"
        yield f"\t.amdhsa_tg_split {fields['tg_split']}"
    if "shared_vgpr_count" in fields:
        mark = "; SHARED_VGPR_COUNT" if descriptor.wave_size == 32 else ".amdhsa_shared_vgpr_count"
        yield f"\t{mark} {fields['shared_vgpr_count']}"
    for field in ("inst_pref_size", "trap_on_start", "trap_on_end", "glg_en", "image_op"):
        if field in fields:
            yield f"\t; {field.upper()} {fields[field]}"
    yield f"\t.amdhsa_next_free_vgpr {descriptor.allocated_vgprs}"
    yield "\t.amdhsa_reserve_vcc 0"
    if not has_architected:
        yield "\t.amdhsa_reserve_flat_scratch 0"
    yield "\t.amdhsa_reserve_xnack_mask 0"
    yield f"\t.amdhsa_next_free_sgpr {8 * (fields['granulated_wavefront_sgpr_count'] + 1)}"
    yield from some(_FLOAT)
    scratch = "enable_private_segment"
    if not has_architected:
        scratch = "system_sgpr_private_segment_wavefront_offset"
    yield f"\t.amdhsa_{scratch} {fields['enable_private_segment']}"
    yield from some(_SYSTEM)
    yield from some(_PROPERTIES)
    for field in ("length", "offset"):
        if value := fields.get(f"kernarg_preload_spec_{field}"):
            yield f"\t.amdhsa_user_sgpr_kernarg_preload_{field} {value}"
    for reserved in descriptor.reserved_set:
        yield f"\t; reserved bits that are set: {reserved}"
    yield ".end_amdhsa_kernel"
