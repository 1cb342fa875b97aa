"""Registers that are made of flags: mode, status and their like, field by field.

The fields are those of AMD's instruction set documents, by the names that amd-dbgapi gives them.
Law: a bit that no document names here is in no field; whoever prints the register tells it as a
number.
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
    """Fields from words: `SCC@0`, `SPI_PRIO@1-2`."""
    out: list[FlagField] = []
    for word in text.split():
        name, _, place = word.partition("@")
        first, _, last = place.partition("-")
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
_EXCEPTIONS: Final = (*_math("EXCP_EN.", 12), *_bits("EXCP_EN.ADDR_WATCH@19"))
_WATCHES: Final = _bits("ADDR_WATCH0@7 ADDR_WATCH1@12 ADDR_WATCH2@13 ADDR_WATCH3@14")
_TRAPSTS: Final = (
    *_math("EXCP.", 0),
    *_WATCHES,
    *_bits("MEM_VIOL@8 SAVECTX@10 ILLEGAL_INST@11 XNACK_ERROR@28"),
)
_STATUS: Final = _bits(
    "SCC@0 SPI_PRIO@1-2 USER_PRIO@3-4 PRIV@5 TRAP_EN@6 TTRACE_EN@7 EXPORT_RDY@8 EXECZ@9 VCCZ@10 "
    "IN_WG@11 IN_BARRIER@12 HALT@13 TRAP@14 VALID@16 SKIP_EXPORT@18 PERF_EN@19 COND_DBG_USER@20 "
    "COND_DBG_SYS@21 FATAL_HALT@23 MUST_EXPORT@27"
)
_HOST_GFX94: Final = _bits("HOST_TRAP@22 WAVE_BEGIN@23 WAVE_END@24 TRAP_AFTER_INST@25")

_FIELDS: Final[dict[tuple[str, int], tuple[FlagField, ...]]] = {
    ("mode", 9): (
        *_FLOAT,
        *_bits("DX10_CLAMP@8 IEEE@9 LOD_CLAMPED@10 DEBUG_EN@11"),
        *_EXCEPTIONS,
        *_bits("FP16_OVFL@23 POPS_PACKER0@24 POPS_PACKER1@25 DISABLE_PERF@26"),
        *_bits("GPR_IDX_EN@27 VSKIP@28 CSP@29-31"),
    ),
    ("mode", 10): (
        *_FLOAT,
        *_bits("DX10_CLAMP@8 IEEE@9 LOD_CLAMPED@10 DEBUG_EN@11"),
        *_EXCEPTIONS,
        *_bits("FP16_OVFL@23 DISABLE_PERF@27"),
    ),
    ("mode", 11): (
        *_FLOAT,
        *_bits("DX10_CLAMP@8 IEEE@9 LOD_CLAMPED@10 TRAP_AFTER_INST_EN@11"),
        *_EXCEPTIONS,
        *_bits("EXCP_EN.WAVE_END@21 FP16_OVFL@23 DISABLE_PERF@27"),
    ),
    ("mode", 12): (*_FLOAT, *_bits("FP16_OVFL@23 SCALAR_PREFETCH_EN@24 DISABLE_PERF@27")),
    ("status", 9): (*_STATUS, *_bits("ECC_ERR@17 ALLOW_REPLAY@22")),
    ("status", 10): (*_STATUS, *_bits("ECC_ERR@17")),
    ("status", 11): (*_STATUS, *_bits("NO_VGPRS@24 LDS_PARAM_RDY@25 MUST_GS_ALLOC@26 IDLE@28")),
    ("status", 12): _bits(
        "PRIV@5 TRAP_EN@6 EXPORT_RDY@8 EXECZ@9 VCCZ@10 IN_WG@11 TRAP@14 VALID@16 SKIP_EXPORT@18 "
        "FATAL_HALT@23 NO_VGPRS@24 LDS_PARAM_RDY@25 MUST_GS_ALLOC@26 MUST_EXPORT@27 IDLE@28 "
        "WAVE64@29"
    ),
    ("trapsts", 9): (*_TRAPSTS, *_bits("DP_RATE@29-31")),
    ("trapsts", 10): (*_TRAPSTS, *_bits("DP_RATE@29-31")),
    ("trapsts", 11): (
        *_TRAPSTS,
        *_bits("HOST_TRAP@16 WAVE_BEGIN@17 WAVE_END@18 PERF_SNAPSHOT@19 TRAP_AFTER_INST@20"),
    ),
    ("state_priv", 12): _bits(
        "BARRIER_COMPLETE@2 SCC@9 SYS_PRIO@10-11 USER_PRIO@12-13 HALT@14 POISON_ERR@15"
    ),
    ("excp_flag_priv", 12): _bits(
        "ADDR_WATCH0@0 ADDR_WATCH1@1 ADDR_WATCH2@2 ADDR_WATCH3@3 MEM_VIOL@4 SAVECTX@5 "
        "ILLEGAL_INST@6 HOST_TRAP@7 WAVE_START@8 WAVE_END@9 PERF_SNAPSHOT@10 TRAP_AFTER_INST@11 "
        "XNACK_ERROR@12"
    ),
    ("excp_flag_user", 12): _math("EXCP.", 0),
    ("trap_ctrl", 12): (
        *_math("EXCP_EN.", 0),
        *_bits("EXCP_EN.ADDR_WATCH@7 WAVE_END@8 TRAP_AFTER_INST@9"),
    ),
}
"""By register and generation. Generations before GFX9 have no table: they print as numbers."""


@cache
def flag_fields(described: Processor, register: str) -> tuple[FlagField, ...]:
    """The fields of a register of a processor, by first bit; none for one that is a number."""
    found = _FIELDS.get((register, described.generation), ())
    if (
        register == "trapsts"
        and described.generation == 9
        and described.has_architected_flat_scratch
    ):
        found = (*found, *_HOST_GFX94)
    return tuple(sorted(found, key=lambda each: each.first_bit))
