"""Named bits in the words of kernel descriptors, with the GPU generations that have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from dwarfgpu.arch.processors import Processor
from dwarfgpu.base.records import frozen

Word = Literal["rsrc1", "rsrc2", "rsrc3", "properties", "preload"]

EVERY: Final = (60, 125)


@frozen
class BitField:
    """One field of a word."""

    name: str
    word: Word
    first_bit: int
    size_bits: int
    levels: tuple[int, int]
    """First and last GFX level that has it, times ten."""
    accumulators: bool | None = None
    """Only for processors with unified VGPRs, or only for those without."""

    @property
    def mask(self) -> int:
        return (1 << self.size_bits) - 1 << self.first_bit

    def of(self, word: int) -> int:
        return (word & self.mask) >> self.first_bit

    def applies(self, processor: Processor) -> bool:
        level = gfx_level(processor)
        if not self.levels[0] <= level <= self.levels[1]:
            return False
        return self.accumulators in (None, processor.has_unified_vgprs)


def gfx_level(processor: Processor) -> int:
    """Return the GFX level times ten: 90 for gfx90a, 125 for gfx1250."""
    return processor.generation * 10 + (5 if processor.has_1024_vgprs else 0)


def fields_of(table: Iterable[BitField], processor: Processor) -> tuple[BitField, ...]:
    """Return the fields for a processor."""
    return tuple(field for field in table if field.applies(processor))


def _fields(word: Word, text: str, levels: tuple[int, int] = EVERY) -> tuple[BitField, ...]:
    """Return fields from words in threes: name, first bit, bits."""
    words = iter(text.split())
    return tuple(
        BitField(name, word, int(first), int(size), levels)
        for name, first, size in zip(words, words, words, strict=True)
    )


RSRC1: Final = (
    *_fields(
        "rsrc1",
        "granulated_workitem_vgpr_count 0 6 granulated_wavefront_sgpr_count 6 4 priority 10 2 "
        "float_round_mode_32 12 2 float_round_mode_16_64 14 2 "
        "float_denorm_mode_32 16 2 float_denorm_mode_16_64 18 2 priv 20 1 debug_mode 22 1 "
        "bulky 24 1 cdbg_user 25 1",
    ),
    *_fields("rsrc1", "enable_dx10_clamp 21 1 enable_ieee_mode 23 1", (60, 110)),
    *_fields("rsrc1", "enable_wg_rr_en 21 1 disable_perf 23 1", (120, 125)),
    *_fields("rsrc1", "fp16_ovfl 26 1", (90, 125)),
    *_fields("rsrc1", "flat_scratch_is_nv 27 1", (125, 125)),
    *_fields("rsrc1", "wgp_mode 29 1 mem_ordered 30 1 fwd_progress 31 1", (100, 125)),
)
"""COMPUTE_PGM_RSRC1 (AMDGPU usage, "compute_pgm_rsrc1")."""

RSRC2: Final = (
    *_fields(
        "rsrc2",
        "enable_private_segment 0 1 "
        "enable_sgpr_workgroup_id_x 7 1 enable_sgpr_workgroup_id_y 8 1 "
        "enable_sgpr_workgroup_id_z 9 1 enable_sgpr_workgroup_info 10 1 "
        "enable_vgpr_workitem_id 11 2 enable_exception_address_watch 13 1 "
        "enable_exception_memory 14 1 granulated_lds_size 15 9 "
        "enable_exception_ieee_754_fp_invalid_operation 24 1 "
        "enable_exception_fp_denormal_source 25 1 "
        "enable_exception_ieee_754_fp_division_by_zero 26 1 "
        "enable_exception_ieee_754_fp_overflow 27 1 enable_exception_ieee_754_fp_underflow 28 1 "
        "enable_exception_ieee_754_fp_inexact 29 1 enable_exception_int_divide_by_zero 30 1",
    ),
    *_fields("rsrc2", "user_sgpr_count 1 5", (60, 120)),
    *_fields("rsrc2", "user_sgpr_count 1 6", (125, 125)),
    *_fields("rsrc2", "enable_trap_handler 6 1", (60, 110)),
    *_fields("rsrc2", "enable_dynamic_vgpr 6 1", (120, 120)),
)
"""COMPUTE_PGM_RSRC2 (AMDGPU usage, "compute_pgm_rsrc2")."""

RSRC3: Final = (
    BitField("accum_offset", "rsrc3", 0, 6, (90, 90), True),
    BitField("tg_split", "rsrc3", 16, 1, (90, 90), True),
    *_fields("rsrc3", "shared_vgpr_count 0 4", (100, 110)),
    *_fields("rsrc3", "inst_pref_size 4 6 trap_on_start 10 1 trap_on_end 11 1", (110, 110)),
    *_fields("rsrc3", "inst_pref_size 4 8 glg_en 13 1", (120, 125)),
    *_fields(
        "rsrc3",
        "named_bar_cnt 14 3 enable_dynamic_vgpr 17 1 tcp_split 18 3 enable_didt_throttle 21 1",
        (125, 125),
    ),
    *_fields("rsrc3", "image_op 31 1", (110, 125)),
)
"""COMPUTE_PGM_RSRC3 (AMDGPU usage, "compute_pgm_rsrc3")."""

PROPERTIES: Final = (
    *_fields(
        "properties",
        "enable_sgpr_private_segment_buffer 0 1 enable_sgpr_dispatch_ptr 1 1 "
        "enable_sgpr_queue_ptr 2 1 enable_sgpr_kernarg_segment_ptr 3 1 "
        "enable_sgpr_dispatch_id 4 1 enable_sgpr_flat_scratch_init 5 1 "
        "enable_sgpr_private_segment_size 6 1 uses_dynamic_stack 11 1",
    ),
    *_fields("properties", "enable_wavefront_size32 10 1", (100, 125)),
)
"""KERNEL_CODE_PROPERTIES of the descriptor of V3 and later."""

PRELOAD: Final = (
    BitField("kernarg_preload_spec_length", "preload", 0, 7, (90, 90), True),
    BitField("kernarg_preload_spec_offset", "preload", 7, 9, (90, 90), True),
    *_fields(
        "preload", "kernarg_preload_spec_length 0 7 kernarg_preload_spec_offset 7 9", (125, 125)
    ),
)
"""Arguments that are in SGPRs when the kernel starts."""

MUST_BE_ZERO_V2: Final = frozenset(
    {"priv", "debug_mode", "bulky", "cdbg_user", "granulated_lds_size"}
)
"""Fields that compilers leave to the command processor (ROCm Compute ABI: "set to 0 by the
Finalizer")."""
MUST_BE_ZERO: Final = MUST_BE_ZERO_V2 | {
    "priority", "enable_trap_handler", "enable_exception_address_watch", "enable_exception_memory",
}  # fmt: skip
"""The same for V3 and later (AMDGPU usage: "Must be 0")."""
MUST_BE_ZERO_FROM_GFX10: Final = frozenset({"granulated_wavefront_sgpr_count"})
"""Fields that are reserved there: every wave has all SGPRs."""


def must_be_zero(field: BitField, processor: Processor, version: int) -> bool:
    """Return whether the documents say that a field of a descriptor of V2 or V3 is 0."""
    if field.name in MUST_BE_ZERO_FROM_GFX10:
        return gfx_level(processor) >= 100
    return field.name in (MUST_BE_ZERO_V2 if version == 2 else MUST_BE_ZERO)


CODE_PROPERTIES_V2: Final = _fields(
    "properties",
    "enable_sgpr_private_segment_buffer 0 1 enable_sgpr_dispatch_ptr 1 1 "
    "enable_sgpr_queue_ptr 2 1 enable_sgpr_kernarg_segment_ptr 3 1 "
    "enable_sgpr_dispatch_id 4 1 enable_sgpr_flat_scratch_init 5 1 "
    "enable_sgpr_private_segment_size 6 1 enable_sgpr_grid_workgroup_count_x 7 1 "
    "enable_sgpr_grid_workgroup_count_y 8 1 enable_sgpr_grid_workgroup_count_z 9 1 "
    "enable_wavefront_size32 10 1 "
    "enable_ordered_append_gds 16 1 private_element_size 17 2 is_ptr64 19 1 "
    "is_dynamic_callstack 20 1 is_debug_supported 21 1 is_xnack_supported 22 1",
)
"""`code_properties` of `amd_kernel_code_t`."""
