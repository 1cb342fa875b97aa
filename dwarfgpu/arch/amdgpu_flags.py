"""Fields of the flag registers: mode, status and the like.

Names and bits are those of amd-dbgapi (`register_type` in `src/architecture.cpp` of ROCdbgapi,
ROCm/rocm-systems). Those of GFX11 and GFX12 agree with AMD's documents: "RDNA3" and "RDNA4"
Instruction Set Architecture, 3.4 "Wave State Registers", except for names (`IN_TG` is `IN_WG`
there, `COND_DBG_USER` is `CDBG_USER`, `UTC_ERROR` is missing), and the exception flags of GFX12 and
GFX12.5 with the trap handler of ROCr (`SQ_WAVE_EXCP_FLAG_PRIV_*`).

Law: a bit that no source names belongs to no field; it is printed as a number.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from dwarfgpu.arch.model import FlagField
from dwarfgpu.arch.processors import Processor

_ROUND: Final = ("NEAREST_EVEN", "PLUS_INF", "MINUS_INF", "ZERO")
_DENORM: Final = ("FLUSH_SRC_DST", "FLUSH_DST", "FLUSH_SRC", "FLUSH_NONE")
_MATH: Final = ("INVALID", "DENORM", "DIV0", "OVERFLOW", "UNDERFLOW", "INEXACT", "INT_DIV0")


def _bits(text: str) -> tuple[FlagField, ...]:
    """Return fields from words: `SCC@0`, `SPI_PRIO@1-2`."""
    out: list[FlagField] = []
    for word in text.split():
        name, _, bit_range = word.partition("@")
        first, _, last = bit_range.partition("-")
        out.append(FlagField(name, int(first), int(last or first) - int(first) + 1))
    return tuple(out)


def _math(prefix: str, first_bit: int) -> tuple[FlagField, ...]:
    return tuple(FlagField(f"{prefix}{name}", first_bit + n, 1) for n, name in enumerate(_MATH))


_FLOAT: Final = (
    FlagField("FP_ROUND.32", 0, 2, _ROUND),
    FlagField("FP_ROUND.64_16", 2, 2, _ROUND),
    FlagField("FP_DENORM.32", 4, 2, _DENORM),
    FlagField("FP_DENORM.64_16", 6, 2, _DENORM),
)
_DP_RATE: Final = FlagField("DP_RATE", 29, 3, ("NONE", "QUARTER", "", "", "FULL", "", "", ""))
_ALU: Final = _bits(
    "ALU_INVALID@0 ALU_INPUT_DENORM@1 ALU_FLOAT_DIV0@2 ALU_OVERFLOW@3 ALU_UNDERFLOW@4 "
    "ALU_INEXACT@5 ALU_INT_DIV0@6"
)
_MODE: Final = (
    *_FLOAT,
    *_bits("DX10_CLAMP@8 IEEE@9 LOD_CLAMPED@10"),
    *_math("EXCP_EN.", 12),
    *_bits("EXCP_EN.ADDR_WATCH@19 FP16_OVFL@23"),
)
_MODE_9: Final = (
    *_MODE,
    *_bits("DEBUG_EN@11 POPS_PACKER0@24 POPS_PACKER1@25 DISABLE_PERF@26 GPR_IDX_EN@27 VSKIP@28"),
    *_bits("CSP@29-31"),
)
_MODE_12: Final = (*_FLOAT, *_bits("FP16_OVFL@23 SCALAR_PREFETCH_EN@24 DISABLE_PERF@27"))
_STATUS: Final = _bits(
    "SCC@0 SPI_PRIO@1-2 USER_PRIO@3-4 PRIV@5 TRAP_EN@6 TTRACE_EN@7 EXPORT_RDY@8 EXECZ@9 VCCZ@10 "
    "IN_TG@11 IN_BARRIER@12 HALT@13 TRAP@14 VALID@16 ECC_ERR@17 SKIP_EXPORT@18 PERF_EN@19 "
    "COND_DBG_USER@20 COND_DBG_SYS@21 FATAL_HALT@23 MUST_EXPORT@27"
)
_STATUS_9: Final = (*_STATUS, *_bits("TTRACE_CU_EN@15 ALLOW_REPLAY@22"))
_STATUS_10: Final = (*_STATUS, *_bits("TTRACE_SIMD_EN@15"))
_STATUS_12: Final = _bits(
    "PRIV@5 TRAP_EN@6 EXPORT_RDY@8 EXECZ@9 VCCZ@10 IN_WG@11 TRAP@14 TRAP_BARRIER_COMPLETE@15 "
    "VALID@16 SKIP_EXPORT@18 OREO_CONFLICT@22 FATAL_HALT@23 NO_VGPRS@24 LDS_PARAM_RDY@25 "
    "MUST_GS_ALLOC@26 MUST_EXPORT@27 IDLE@28 WAVE64@29 DYN_VGPR_EN@30 WGP_TAKEOVER@31"
)
_TRAPSTS: Final = (
    *_math("EXCP.", 0),
    *_bits("EXCP.ADDR_WATCH@7 EXCP.MEM_VIOL@8 SAVE_CTX@10 ILLEGAL_INST@11"),
    *_bits("EXCP_HI.ADDR_WATCH1@12 EXCP_HI.ADDR_WATCH2@13 EXCP_HI.ADDR_WATCH3@14"),
)
_TRAPSTS_9: Final = (*_TRAPSTS, *_bits("EXCP_CYCLE@16-21 XNACK_ERROR@28"), _DP_RATE)
_STATE_PRIV: Final = _bits(
    "WG_RR_EN@0 SLEEP_WAKEUP@1 BARRIER_COMPLETE@2 NAMED_BARRIER_COMPLETE@3 NAMED_BARRIER_ID@4-8 "
    "SCC@9 SYS_PRIO@10-11 USER_PRIO@12-13 HALT@14 SCRATCH_EN@18 PERF_EN@19 TTRACE_EN@20"
)
_EXCP_FLAG_PRIV: Final = (
    *_bits("ADDR_WATCH0@0 ADDR_WATCH1@1 ADDR_WATCH2@2 ADDR_WATCH3@3 MEMVIOL@4 SAVE_CONTEXT@5"),
    *_bits("ILLEGAL_INST@6 HOST_TRAP@7 WAVE_START@8 WAVE_END@9 PERF_SNAPSHOT@10"),
    *_bits("TRAP_AFTER_INST@11 XNACK_ERROR@12"),
    FlagField("FIRST_MEMVIOL_SOURCE", 30, 2, ("INSTRUCTION", "SMEM", "LDS", "VMEM")),
)

_FIELDS: Final[dict[tuple[str, str], tuple[FlagField, ...]]] = {
    ("mode", "9"): _MODE_9,
    ("mode", "9.4"): (*_MODE_9, *_bits("TRAP_ON_END@21")),
    ("mode", "10"): (*_MODE, *_bits("DEBUG_EN@11 DISABLE_PERF@27")),
    ("mode", "11"): (*_MODE, *_bits("TRAP_AFTER_INST_EN@11 WAVE_END@21 DISABLE_PERF@27")),
    ("mode", "12"): _MODE_12,
    ("mode", "12.5"): (
        *_MODE_12,
        *_bits("DST_VGPR_MSB@12-13 SRC0_VGPR_MSB@14-15 SRC1_VGPR_MSB@16-17 SRC2_VGPR_MSB@18-19"),
        FlagField("REPLAY_MODE", 25, 1, ("SINGLE_VMEM_GROUP", "MULTI_VMEM_GROUP")),
        FlagField("FLAT_SCRATCH_IS_NV", 26, 1, ("USE_ISA_NV_BIT", "OVERRIDE_TO_NV")),
    ),
    ("status", "9"): _STATUS_9,
    ("status", "9.4"): (*_STATUS_9, *_bits("SCRATCH_EN@28 IDLE@31")),
    ("status", "10"): _STATUS_10,
    ("status", "11"): (
        *_STATUS_10,
        *_bits("OREO_CONFLICT@22 NO_VGPRS@24 LDS_PARAM_READY@25 MUST_GS_ALLOC@26 IDLE@28"),
        *_bits("SCRATCH_EN@29"),
    ),
    ("status", "12"): _STATUS_12,
    ("status", "12.5"): _STATUS_12,
    ("trapsts", "9"): _TRAPSTS_9,
    ("trapsts", "9.4"): (
        *_TRAPSTS_9,
        *_bits("HOST_TRAP@22 WAVE_BEGIN@23 WAVE_END@24 TRAP_AFTER_INST@25 PERF_SNAPSHOT@26"),
    ),
    ("trapsts", "10"): (
        *_TRAPSTS,
        *_bits("BUFFER_OOB@15 EXCP_CYCLE@16-19 EXCP_GROUP_MASK@20-23 EXCP_WAVE64HI@24"),
        *_bits("UTC_ERROR@28"),
        _DP_RATE,
    ),
    ("trapsts", "11"): (
        *_TRAPSTS,
        *_bits("BUFFER_OOB@15 HOST_TRAP@16 WAVE_START@17 WAVE_END@18 PERF_SNAPSHOT@19"),
        *_bits("TRAP_AFTER_INST@20 UTC_ERROR@28"),
    ),
    **{("state_priv", level): _STATE_PRIV for level in ("12", "12.5")},
    **{("excp_flag_priv", level): _EXCP_FLAG_PRIV for level in ("12", "12.5")},
    **{
        ("excp_flag_user", level): (*_ALU, *_bits("BUFFER_OOB@30 LOD_CLAMPED@31"))
        for level in ("12", "12.5")
    },
    **{
        ("trap_ctrl", level): (*_ALU, *_bits("ADDR_WATCH@7 WAVE_END@8 TRAP_AFTER_INST@9"))
        for level in ("12", "12.5")
    },
}
"""Keyed by register and GFX level. Levels before GFX9 have no table: they print as numbers."""


def _level(described: Processor) -> str:
    """Return the GFX level, with its minor number where that has flags of its own."""
    if described.has_1024_vgprs:
        return "12.5"
    if described.generation == 9 and described.has_architected_flat_scratch:
        return "9.4"
    return str(described.generation)


@cache
def flag_fields(described: Processor, register: str) -> tuple[FlagField, ...]:
    """Return the fields of a register of a processor, by first bit; empty for a register that is a
    number."""
    fields = _FIELDS.get((register, _level(described)), ())
    return tuple(sorted(fields, key=lambda flag: flag.first_bit))
