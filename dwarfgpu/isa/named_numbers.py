"""Named numbers in instructions: hardware registers, messages, data formats, targets.

The names are LLVM's (`llvm/lib/Target/AMDGPU/Utils/AMDGPUAsmUtils.cpp`), the numbers those of AMD's
ISA documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from dwarfgpu.isa.isa_target import IsaTarget

_HARDWARE_REGISTERS: Final = (
    ("8-12", "MODE@1 STATUS@2 GPR_ALLOC@5 LDS_ALLOC@6 IB_STS@7"),
    ("8-11", "TRAPSTS@3"),
    ("8-9", "HW_ID@4"),
    ("9-11", "SH_MEM_BASES@15"),
    ("9-10", "TBA_LO@16 TBA_HI@17 TMA_LO@18 TMA_HI@19"),
    ("10-11", "FLAT_SCR_LO@20 FLAT_SCR_HI@21"),
    ("10-12", "HW_ID1@23 HW_ID2@24"),
    ("10-10", "POPS_PACKER@25"),
    ("11-11", "PERF_SNAPSHOT_PC_LO@18 PERF_SNAPSHOT_PC_HI@19 PERF_SNAPSHOT_DATA@27"),
    ("11-11", "SHADER_CYCLES@29"),
    ("12-12", "STATE_PRIV@4 PERF_SNAPSHOT_DATA@10 PERF_SNAPSHOT_PC_LO@11 PERF_SNAPSHOT_PC_HI@12"),
    ("12-12", "PERF_SNAPSHOT_DATA1@15 PERF_SNAPSHOT_DATA2@16 EXCP_FLAG_PRIV@17"),
    ("12-12", "EXCP_FLAG_USER@18 TRAP_CTRL@19 SCRATCH_BASE_LO@20 SCRATCH_BASE_HI@21"),
    ("12-12", "SHADER_CYCLES_LO@29 SHADER_CYCLES_HI@30 DVGPR_ALLOC_LO@31 DVGPR_ALLOC_HI@32"),
)
_GFX940_REGISTERS: Final = (
    "XCC_ID@20 SQ_PERF_SNAPSHOT_DATA@21 SQ_PERF_SNAPSHOT_DATA1@22 SQ_PERF_SNAPSHOT_PC_LO@23 "
    "SQ_PERF_SNAPSHOT_PC_HI@24"
)
_MESSAGES: Final = (
    ("8-12", "INTERRUPT@1 SYSMSG@15"),
    ("8-10", "GS@2 GS_DONE@3 SAVEWAVE@4"),
    ("9-11", "STALL_WAVE_GEN@5 HALT_WAVES@6"),
    ("9-10", "ORDERED_PS_DONE@7 EARLY_PRIM_DEALLOC@8 GET_DOORBELL@10"),
    ("9-12", "GS_ALLOC_REQ@9"),
    ("10-10", "GET_DDID@11"),
    ("11-12", "HS_TESSFACTOR@2 DEALLOC_VGPRS@3 RTN_GET_DOORBELL@128 RTN_GET_DDID@129"),
    ("11-12", "RTN_GET_TMA@130 RTN_GET_REALTIME@131 RTN_SAVE_WAVE@132 RTN_GET_TBA@133"),
    ("11-12", "RTN_GET_TBA_TO_PC@134"),
    ("12-12", "RTN_GET_SE_AID_ID@135"),
)
_GS: Final = 2
_GS_DONE: Final = 3
_SYSTEM: Final = 15
_GS_OPERATIONS: Final = ("NOP", "CUT", "EMIT", "EMIT_CUT")
_SYSTEM_OPERATIONS: Final = {
    1: "ECC_ERR_INTERRUPT",
    2: "REG_RD",
    3: "HOST_TRAP_ACK",
    4: "TTRACE_PC",
}


def _of_generation(rows: tuple[tuple[str, str], ...], generation: int) -> dict[int, str]:
    out: dict[int, str] = {}
    for span, words in rows:
        first, last = map(int, span.split("-"))
        if first <= generation <= last:
            out |= _numbered(words)
    return out


def _numbered(words: str) -> dict[int, str]:
    pairs = (word.split("@") for word in words.split())
    return {int(number): name for name, number in pairs}


@cache
def hardware_registers(target: IsaTarget) -> Mapping[int, str]:
    """Return the names of `s_getreg_b32` and `s_setreg_b32` by number, without `HW_REG_`."""
    out = _of_generation(_HARDWARE_REGISTERS, target.generation)
    if "gfx940" in target.features:
        out |= _numbered(_GFX940_REGISTERS)
    if target.generation == 10:
        out |= {29: "SHADER_CYCLES"} if "gfx10_3" in target.features else {22: "XNACK_MASK"}
    return out


def hardware_register_text(field: int, target: IsaTarget) -> str:
    """Return `hwreg(HW_REG_MODE, 0, 2)`: the register, the lowest bit and the number of bits."""
    number, offset, width = field & 63, field >> 6 & 31, (field >> 11 & 31) + 1
    name = hardware_registers(target).get(number)
    words = f"HW_REG_{name}" if name else str(number)
    if offset or width != 32:
        words += f", {offset}, {width}"
    return f"hwreg({words})"


@cache
def _messages(generation: int) -> Mapping[int, str]:
    return _of_generation(_MESSAGES, generation)


def message_names(target: IsaTarget) -> Mapping[int, str]:
    """Return the names of messages by number, without `MSG_`."""
    return _messages(target.generation)


def message_text(field: int, target: IsaTarget) -> str:
    """Return `sendmsg(MSG_GS, GS_OP_EMIT, 0)`; the number if it has undefined bits."""
    is_new = target.generation >= 11
    number = field & (0xFF if is_new else 0xF)
    operation, stream = (0, 0) if is_new else (field >> 4 & 7, field >> 8 & 3)
    name = _messages(target.generation).get(number)
    is_shader = not is_new and number in (_GS, _GS_DONE)
    takes_stream = is_shader and operation != 0
    operation_name = ""
    if number == _SYSTEM:
        if operation != 3 or target.generation == 8:
            operation_name = "SYSMSG_OP_" + _SYSTEM_OPERATIONS.get(operation, "")
        is_valid = operation_name not in ("", "SYSMSG_OP_") and stream == 0
    elif is_shader:
        is_valid = operation < 4 and not (number == _GS and operation == 0)
        is_valid = is_valid and (takes_stream or stream == 0)
        operation_name = "GS_OP_" + _GS_OPERATIONS[operation] if operation < 4 else ""
    else:
        is_valid = operation == stream == 0
    if name and is_valid:
        words = f"MSG_{name}"
        if operation_name:
            words += f", {operation_name}"
        if takes_stream:
            words += f", {stream}"
        return f"sendmsg({words})"
    if number | operation << 4 | stream << 8 == field:
        return f"sendmsg({number}, {operation}, {stream})"
    return str(field)


_DATA_FORMATS: Final = (
    *("INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2"),
    *("2_10_10_10", "8_8_8_8", "32_32", "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"),
)
_NUMBER_FORMATS: Final = (
    *("UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"),
)
_UNIFIED: Final = {
    10: (
        "8:6 16:7 8_8:6 32:3 16_16:7 10_11_11:7 11_11_10:7 10_10_10_2:6 2_10_10_10:6 8_8_8_8:6 "
        "32_32:3 16_16_16_16:7 32_32_32:3 32_32_32_32:3"
    ),
    11: (
        "8:6 16:7 8_8:6 32:3 16_16:7 10_11_11:1 11_11_10:1 10_10_10_2:4 2_10_10_10:6 8_8_8_8:6 "
        "32_32:3 16_16_16_16:7 32_32_32:3 32_32_32_32:3"
    ),
}
_NUMBERS_OF: Final = {
    1: ("FLOAT",),
    3: ("UINT", "SINT", "FLOAT"),
    4: ("UNORM", "SNORM", "UINT", "SINT"),
    6: _NUMBER_FORMATS[:6],
    7: (*_NUMBER_FORMATS[:6], "FLOAT"),
}
"""Number formats that the unified formats of one layout have, by their count."""


@cache
def _unified_formats(generation: int) -> tuple[str, ...]:
    pairs = (word.split(":") for word in _UNIFIED[min(generation, 11)].split())
    named = (
        f"BUF_FMT_{layout}_{number}"
        for layout, count in pairs
        for number in _NUMBERS_OF[int(count)]
    )
    return ("BUF_FMT_INVALID", *named)


def buffer_format_text(field: int, target: IsaTarget) -> str:
    """Return the format of a typed buffer access; empty for the default."""
    if target.generation >= 10:
        if field == 1:
            return ""
        formats = _unified_formats(target.generation)
        return f" format:[{formats[field]}]" if field < len(formats) else f" format:{field}"
    data, number = field & 15, field >> 4 & 7
    words = [f"BUF_DATA_FORMAT_{_DATA_FORMATS[data]}"] if data != 1 else []
    if number:
        words.append(f"BUF_NUM_FORMAT_{_NUMBER_FORMATS[number]}")
    return f" format:[{','.join(words)}]" if words else ""


def export_target_text(field: int, target: IsaTarget) -> str:
    """Return where an export goes: `mrt0`, `pos1`, `param31` …"""
    generation = target.generation
    if field < 8:
        return f" mrt{field}"
    if field == 8:
        return " mrtz"
    if field == 9 and generation < 11:
        return " null"
    if 12 <= field < 16 or field == 16 and generation >= 10:
        return f" pos{field - 12}"
    if field == 20 and generation >= 10:
        return " prim"
    if field in (21, 22) and generation >= 11:
        return f" dual_src_blend{field - 21}"
    if field >= 32 and generation < 11:
        return f" param{field - 32}"
    return f" invalid_target_{field}"


_COUNTERS_OF_DEPENDENCIES: Final = (
    ("hold_cnt", 7, 1),
    ("sa_sdst", 0, 1),
    ("va_vdst", 12, 4),
    ("va_sdst", 9, 3),
    ("va_ssrc", 8, 1),
    ("va_vcc", 1, 1),
    ("vm_vsrc", 2, 3),
)


def dependency_counters_text(field: int, target: IsaTarget) -> str:
    """Return the counters of `s_waitcnt_depctr` that are not at their maximum, or all if none
    is."""
    used = 0
    values = []
    for name, shift, width in _COUNTERS_OF_DEPENDENCIES:
        if name == "hold_cnt" and "gfx10_b" not in target.features:
            continue
        most = (1 << width) - 1
        used |= most << shift
        values.append((name, field >> shift & most, most))
    if field & ~used:
        return hex(field)
    chosen = [item for item in values if item[1] != item[2]] or values
    return " ".join(f"depctr_{name}({value})" for name, value, _ in chosen)


def wait_counts(field: int, generation: int) -> tuple[tuple[str, int, int], ...]:
    """Return the counters of `s_waitcnt`: name, the count to wait for, and the maximum, for which
    it does not wait."""
    if generation >= 11:
        memory, memory_most = field >> 10 & 63, 63
        exports, scalars, scalars_most = field & 7, field >> 4 & 63, 63
    else:
        high = field >> 14 & 3 if generation >= 9 else 0
        memory, memory_most = field & 15 | high << 4, 63 if generation >= 9 else 15
        exports, scalars_most = field >> 4 & 7, 63 if generation == 10 else 15
        scalars = field >> 8 & scalars_most
    return (
        ("vmcnt", memory, memory_most),
        ("expcnt", exports, 7),
        ("lgkmcnt", scalars, scalars_most),
    )


def wait_counters_text(field: int, target: IsaTarget) -> str:
    """Return the counters of `s_waitcnt` that are not at their maximum, or all if none is."""
    values = wait_counts(field, target.generation)
    chosen = [item for item in values if item[1] != item[2]] or values
    return " ".join(f"{name}({value})" for name, value, _ in chosen)


_DELAYS: Final = (
    *("NO_DEP", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4", "TRANS32_DEP_1"),
    *("TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1", "SALU_CYCLE_2"),
    "SALU_CYCLE_3",
)
_SKIPS: Final = ("SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4")


def delay_text(field: int) -> str:
    """Return the operand of `s_delay_alu`."""
    words = []
    for name, shift, width, values in (
        ("instid0", 0, 4, _DELAYS),
        ("instskip", 4, 3, _SKIPS),
        ("instid1", 7, 4, _DELAYS),
    ):
        if value := field >> shift & (1 << width) - 1:
            kind = "instid" if name != "instskip" else name
            bad = f"/* invalid {kind} value */"
            words.append(f"{name}({values[value] if value < len(values) else bad})")
    return " | ".join(words) or "0"


_INDEX_MODES: Final = ("SRC0", "SRC1", "SRC2", "DST")


def index_mode_text(field: int) -> str:
    """Return the operand of `s_set_gpr_idx_on`."""
    if field & ~15:
        return hex(field)
    names = [name for bit, name in enumerate(_INDEX_MODES) if field >> bit & 1]
    return f"gpr_idx({','.join(names)})"


def swizzle_text(field: int) -> str:
    """Return the offset of `ds_swizzle_b32`, which is a pattern of lanes."""
    if field == 0:
        return ""
    if field & 0xFF00 == 0x8000:
        lanes = ",".join(str(field >> 2 * lane & 3) for lane in range(4))
        return f" offset:swizzle(QUAD_PERM,{lanes})"
    if field & 0x8000:
        return f" offset:{field}"
    kept, ored, xored = field & 31, field >> 5 & 31, field >> 10 & 31
    if kept == 31 and ored == 0 and xored.bit_count() == 1:
        return f" offset:swizzle(SWAP,{xored})"
    if kept == 31 and ored == 0 and xored and xored & xored + 1 == 0:
        return f" offset:swizzle(REVERSE,{xored + 1})"
    group = 32 - kept
    if group > 1 and group & group - 1 == 0 and ored < group and xored == 0:
        return f" offset:swizzle(BROADCAST,{group},{ored})"
    low, high = ored ^ xored, (kept | ored) ^ xored
    pattern = "".join(
        "01pi"[(low >> bit & 1) | ((low ^ high) >> bit & 1) << 1] for bit in range(4, -1, -1)
    )
    return f' offset:swizzle(BITMASK_PERM,"{pattern}")'


_VERSIONS: Final = {0: "GFX7", 4: "GFX10", 6: "GFX11", 9: "GFX12"}
_VERSION_BITS: Final = ((13, "W64"), (14, "W32"), (15, "MDP"))


def version_text(field: int) -> str:
    """Return the operand of `s_version`."""
    number = field & 0xFF
    if field & 0x1F00:
        return hex(field)
    text = f"UC_VERSION_{_VERSIONS[number]}" if number in _VERSIONS else str(number)
    is_sum = False
    for bit, name in _VERSION_BITS:
        if field >> bit & 1:
            text = f"{f'({text})' if is_sum else text}|UC_VERSION_{name}_BIT"
            is_sum = True
    return text
