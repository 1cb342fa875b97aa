"""Kernel descriptors of every generation: against the assembler's directives, and by hand."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.arch.processors import PROCESSORS, processor
from dwarfgpu.errors import Malformed
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.objfile.kernel_descriptor import read_descriptor, read_kernel_code
from dwarfgpu.objfile.kernel_descriptor_bits import (
    CODE_PROPERTIES_V2,
    PRELOAD,
    PROPERTIES,
    RSRC1,
    RSRC2,
    RSRC3,
    fields_of,
)
from tests.objfile.build import KernelCode, run

Tool = Callable[[str], str]

# Directive of the assembler, our field, largest value, and the processors that have it.
DIRECTIVES: list[tuple[str, str, int, Callable[[str], bool]]] = []


def _directives(text: str, has: Callable[[str], bool]) -> None:
    for line in text.split():
        directive, name, most = line.split(",")
        DIRECTIVES.append((directive, name or directive, int(most), has))


def _generation(first: int, last: int = 99) -> Callable[[str], bool]:
    return lambda name: first <= processor(name).generation <= last


_directives(
    """group_segment_fixed_size,,65536 private_segment_fixed_size,,100000 kernarg_size,,4096
    float_round_mode_32,,3 float_round_mode_16_64,,3 float_denorm_mode_32,,3
    float_denorm_mode_16_64,,3
    system_sgpr_workgroup_id_x,enable_sgpr_workgroup_id_x,1
    system_sgpr_workgroup_id_y,enable_sgpr_workgroup_id_y,1
    system_sgpr_workgroup_id_z,enable_sgpr_workgroup_id_z,1
    system_sgpr_workgroup_info,enable_sgpr_workgroup_info,1
    system_vgpr_workitem_id,enable_vgpr_workitem_id,2
    exception_fp_ieee_invalid_op,enable_exception_ieee_754_fp_invalid_operation,1
    exception_fp_denorm_src,enable_exception_fp_denormal_source,1
    exception_fp_ieee_div_zero,enable_exception_ieee_754_fp_division_by_zero,1
    exception_fp_ieee_overflow,enable_exception_ieee_754_fp_overflow,1
    exception_fp_ieee_underflow,enable_exception_ieee_754_fp_underflow,1
    exception_fp_ieee_inexact,enable_exception_ieee_754_fp_inexact,1
    exception_int_div_zero,enable_exception_int_divide_by_zero,1
    user_sgpr_dispatch_ptr,enable_sgpr_dispatch_ptr,1
    user_sgpr_queue_ptr,enable_sgpr_queue_ptr,1
    user_sgpr_kernarg_segment_ptr,enable_sgpr_kernarg_segment_ptr,1
    user_sgpr_dispatch_id,enable_sgpr_dispatch_id,1
    user_sgpr_private_segment_size,enable_sgpr_private_segment_size,1
    uses_dynamic_stack,,1""",
    lambda name: True,
)
_directives("dx10_clamp,enable_dx10_clamp,1 ieee_mode,enable_ieee_mode,1", _generation(6, 11))
_directives("round_robin_scheduling,enable_wg_rr_en,1", _generation(12))
_directives("fp16_overflow,fp16_ovfl,1", _generation(9))
_directives(
    "workgroup_processor_mode,wgp_mode,1 memory_ordered,mem_ordered,1 "
    "forward_progress,fwd_progress,1 wavefront_size32,enable_wavefront_size32,1",
    _generation(10),
)
_directives("tg_split,,1", lambda name: processor(name).has_unified_vgprs)
_directives(
    "system_sgpr_private_segment_wavefront_offset,enable_private_segment,1",
    lambda name: not processor(name).has_architected_flat_scratch,
)
_directives("enable_private_segment,,1", lambda name: processor(name).has_architected_flat_scratch)
_directives(
    "user_sgpr_private_segment_buffer,enable_sgpr_private_segment_buffer,1 "
    "user_sgpr_flat_scratch_init,enable_sgpr_flat_scratch_init,1",
    lambda name: not processor(name).has_architected_flat_scratch,
)
USER_SGPRS = {
    "private_segment_buffer": 4, "dispatch_ptr": 2, "queue_ptr": 2, "kernarg_segment_ptr": 2,
    "dispatch_id": 2, "flat_scratch_init": 2, "private_segment_size": 1,
}  # fmt: skip
NAMES = [
    "gfx600", "gfx700", "gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1010",
    "gfx1030", "gfx1100", "gfx1150", "gfx1200", "gfx9-generic", "gfx10-3-generic", "gfx11-generic",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_directive_of_the_assembler(tool: Tool, tmp_path: Path, name: str) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    kernels = [_random_kernel(source, name) for _ in range(12)]
    text = "".join(_text(f"k{index}", name, kernel) for index, kernel in enumerate(kernels))
    (tmp_path / "k.s").write_text(text)
    version = "6" if "generic" in name else "5"
    options = (f"-mcpu={name}", "-Wno-everything", f"-mcode-object-version={version}", "-c")
    target = "--target=amdgcn-amd-amdhsa"
    run(tool("clang-19"), target, *options, tmp_path / "k.s", "-o", tmp_path / "k.o")
    code = read_gpu_code(open_object(tmp_path / "k.o"))
    assert code.target is not None and code.target.processor == name
    assert len(code.kernels) == len(kernels)
    for index, given in enumerate(kernels):
        (kernel,) = [kernel for kernel in code.kernels if kernel.name == f"k{index}"]
        descriptor = kernel.descriptor
        assert descriptor is not None and descriptor.reserved_set == ()
        for directive, field, _, has in DIRECTIVES:
            if has(name):
                assert descriptor.fields[field] == given[directive], directive
        assert descriptor.wave_size == (32 if given.get("wavefront_size32") else 64)
        assert descriptor.fields["user_sgpr_count"] == sum(
            size for user, size in USER_SGPRS.items() if given.get(f"user_sgpr_{user}")
        )
        used = given["next_free_vgpr"]
        assert used <= descriptor.allocated_vgprs < used + 16
        assert descriptor.accum_offset == given.get("accum_offset")


def _random_kernel(source: random.Random, name: str) -> dict[str, int]:
    given = {
        directive: source.randint(0, most) for directive, _, most, has in DIRECTIVES if has(name)
    }
    given["next_free_vgpr"] = source.randint(1, 250)
    if processor(name).has_unified_vgprs:
        given["accum_offset"] = 4 * source.randint(1, 64)
        given["next_free_vgpr"] = given["accum_offset"] + source.randint(0, 200)
    if sum(size for user, size in USER_SGPRS.items() if given.get(f"user_sgpr_{user}")) > 15:
        given["user_sgpr_dispatch_id"] = 0
    return given


def _text(kernel: str, name: str, given: dict[str, int]) -> str:
    lines = [".text", f"{kernel}: s_endpgm", ".rodata", ".p2align 6", f".amdhsa_kernel {kernel}"]
    lines += [f".amdhsa_{directive} {value}" for directive, value in given.items()]
    return "\n".join([*lines, ".amdhsa_next_free_sgpr 20", ".end_amdhsa_kernel", ""])


TABLES = ((*RSRC1, *RSRC2, *RSRC3, *PROPERTIES, *PRELOAD), (*RSRC1, *RSRC2, *CODE_PROPERTIES_V2))


@pytest.mark.parametrize("version", [3, 2])
@pytest.mark.parametrize("name", PROCESSORS)
def test_no_two_fields_share_a_bit_or_a_name(name: str, version: int) -> None:
    fields = fields_of(TABLES[version == 2], processor(name))
    used: dict[str, int] = {}
    for field in fields:
        assert not used.get(field.word, 0) & field.mask, field
        used[field.word] = used.get(field.word, 0) | field.mask
    assert len({field.name for field in fields}) == len(fields)


@pytest.mark.parametrize(
    ("name", "at", "bit", "field"),
    [
        ("gfx90a", 44, 16, "tg_split"),
        ("gfx90a", 58, 7, "kernarg_preload_spec_offset"),
        ("gfx1030", 44, 0, "shared_vgpr_count"),
        ("gfx1100", 44, 4, "inst_pref_size"),
        ("gfx1100", 44, 10, "trap_on_start"),
        ("gfx1100", 44, 31, "image_op"),
        ("gfx1201", 44, 11, "inst_pref_size"),
        ("gfx1201", 44, 13, "glg_en"),
        ("gfx1201", 48, 23, "disable_perf"),
        ("gfx1201", 52, 6, "enable_dynamic_vgpr"),
        ("gfx1250", 44, 14, "named_bar_cnt"),
        ("gfx1250", 44, 17, "enable_dynamic_vgpr"),
        ("gfx1250", 44, 20, "tcp_split"),
        ("gfx1250", 44, 21, "enable_didt_throttle"),
        ("gfx1250", 48, 27, "flat_scratch_is_nv"),
        ("gfx1250", 52, 6, "user_sgpr_count"),
        ("gfx900", 48, 26, "fp16_ovfl"),
        ("gfx803", 48, 26, None),  # reserved before GFX9
        ("gfx900", 48, 29, None),
        ("gfx908", 44, 0, None),  # its AGPRs are apart
        ("gfx1201", 44, 14, None),
    ],
)
def test_bits(name: str, at: int, bit: int, field: str | None) -> None:
    data = bytearray(64)
    data[at + bit // 8] = 1 << bit % 8
    descriptor = read_descriptor(bytes(data), processor(name))
    # A granulated count of 0 stands for one granule, and is a field of every word.
    assert {key for key, value in descriptor.fields.items() if value} == (
        {field} if field else set()
    )
    assert len(descriptor.reserved_set) == (0 if field else 1)


@pytest.mark.parametrize(
    ("name", "at", "bit", "field"),
    [
        ("gfx1030", 48, 6, "granulated_wavefront_sgpr_count"),
        ("gfx1250", 48, 9, "granulated_wavefront_sgpr_count"),
        ("gfx900", 48, 10, "priority"),
        ("gfx1200", 48, 11, "priority"),
        ("gfx600", 48, 20, "priv"),
        ("gfx90a", 48, 22, "debug_mode"),
        ("gfx1100", 48, 24, "bulky"),
        ("gfx1100", 48, 25, "cdbg_user"),
        ("gfx900", 52, 6, "enable_trap_handler"),
        ("gfx900", 52, 13, "enable_exception_address_watch"),
        ("gfx900", 52, 14, "enable_exception_memory"),
        ("gfx1250", 52, 15, "granulated_lds_size"),
        ("gfx1250", 52, 23, "granulated_lds_size"),
    ],
)
def test_fields_that_must_be_zero(name: str, at: int, bit: int, field: str) -> None:
    data = bytearray(64)
    data[at + bit // 8] = 1 << bit % 8
    descriptor = read_descriptor(bytes(data), processor(name))
    assert descriptor.fields[field]
    word = {48: "rsrc1", 52: "rsrc2"}[at]
    assert descriptor.reserved_set == (f"{word} & {1 << bit:#x} ({field})",)


def test_a_field_that_must_be_zero_of_older_code_objects() -> None:
    """The ROCm Compute ABI leaves fewer fields to the command processor."""
    old = KernelCode(rsrc1=1 << 10 | 1 << 20, rsrc2=1 << 6 | 1 << 14).pack()
    assert read_kernel_code(old, processor("gfx801")).reserved_set == ("rsrc1 & 0x100000 (priv)",)


@pytest.mark.parametrize(
    "name",
    ["gfx803", "gfx900", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1150",
     "gfx1200"],
)  # fmt: skip
def test_every_bit_against_the_disassembler(tool: Tool, tmp_path: Path, name: str) -> None:
    """512 descriptors of one bit each: llvm-objdump reports the reserved ones and those that must
    be 0."""
    lines = [".amdhsa_code_object_version 5", ".rodata", ".p2align 6"]
    for bit in range(512):
        data = (1 << bit).to_bytes(64, "little")
        lines += [f".globl k{bit}.kd", f".type k{bit}.kd,@object", f".size k{bit}.kd,64",
                  f"k{bit}.kd: .byte " + ",".join(map(str, data))]  # fmt: skip
    source, made = tmp_path / "k.s", tmp_path / "k.o"
    source.write_text("\n".join([*lines, ""]))
    target = ("--target=amdgcn-amd-amdhsa", f"-mcpu={name}", "-c")
    run(tool("clang-19"), *target, source, "-o", made)
    listing = run(tool("llvm-objdump-19"), "-D", "-j", ".rodata", made)
    theirs = {int(bit) for bit in re.findall(r"error decoding k(\d+)\.kd", listing)}
    ours = {
        bit
        for bit in range(512)
        if read_descriptor((1 << bit).to_bytes(64, "little"), processor(name)).reserved_set
    }
    only_ours = set(range(464, 480))  # no preloaded arguments: "Reserved, must be 0"
    if processor(name).has_unified_vgprs:
        only_ours = set()
    if processor(name).generation < 12:
        only_ours |= {422}  # ENABLE_TRAP_HANDLER: "Must be 0"
    if name == "gfx803":
        only_ours |= {458}  # ENABLE_WAVEFRONT_SIZE32: "GFX6-9: Reserved, must be 0"
    assert theirs <= ours and ours - theirs == only_ours


@pytest.mark.parametrize(
    ("name", "wave32", "count", "vgprs"),
    [
        ("gfx600", False, 3, 16),
        ("gfx908", False, 3, 16),
        ("gfx90a", False, 3, 32),
        ("gfx1030", False, 3, 16),
        ("gfx1030", True, 3, 32),
        ("gfx1250", True, 3, 64),
    ],
)
def test_granules_of_vgprs(name: str, wave32: bool, count: int, vgprs: int) -> None:
    data = bytearray(64)
    data[48] = count
    data[57] = 4 if wave32 else 0
    assert read_descriptor(bytes(data), processor(name)).allocated_vgprs == vgprs


@pytest.mark.parametrize(
    ("name", "count", "sgprs"),
    [("gfx803", 2, 24), ("gfx900", 2, 32), ("gfx90a", 12, 112), ("gfx1030", 0, None)],
)
def test_granules_of_sgprs(name: str, count: int, sgprs: int | None) -> None:
    data = bytearray(64)
    data[48:50] = (count << 6).to_bytes(2, "little")
    assert read_descriptor(bytes(data), processor(name)).allocated_sgprs == sgprs


def test_reserved_bytes_that_are_set_are_listed() -> None:
    data = bytearray(64)
    data[13] = data[30] = data[63] = 1
    descriptor = read_descriptor(bytes(data), processor("gfx900"))
    assert descriptor.reserved_set == ("bytes 12 to 15", "bytes 24 to 43", "bytes 60 to 63")


def test_the_example_of_clrx() -> None:
    """Its values are those of the sample code in the documentation of the assembler."""
    kernel_code = read_kernel_code(KernelCode(lds=0).pack(), processor("gfx801"))
    expected = {
        "amd_kernel_code_version_major": 1, "amd_machine_kind": 1,
        "kernel_code_entry_byte_offset": 256, "kernarg_segment_byte_size": 8,
        "wavefront_sgpr_count": 15, "workitem_vgpr_count": 7, "kernarg_segment_alignment": 4,
        "wavefront_size": 6, "enable_sgpr_private_segment_buffer": 1, "enable_sgpr_dispatch_ptr": 1,
        "enable_sgpr_kernarg_segment_ptr": 1, "private_element_size": 1, "is_ptr64": 1,
        "enable_dx10_clamp": 1, "user_sgpr_count": 8, "enable_sgpr_workgroup_id_x": 1,
        "float_denorm_mode_16_64": 3,
    }  # fmt: skip
    assert {key: kernel_code.fields[key] for key in expected} == expected
    assert (kernel_code.wave_size, kernel_code.allocated_vgprs, kernel_code.allocated_sgprs) == (
        64,
        8,
        16,
    )
    assert (
        kernel_code.kernarg_bytes,
        kernel_code.entry_offset_bytes,
        kernel_code.reserved_set,
    ) == (8, 256, ())


def test_bytes_that_are_not_a_descriptor() -> None:
    with pytest.raises(Malformed, match="63 bytes"):
        read_descriptor(bytes(63), processor("gfx900"))
    for data in (bytes(256), KernelCode().pack()[:255]):
        with pytest.raises(Malformed, match="no amd_kernel_code_t"):
            read_kernel_code(data, processor("gfx900"))
    waves = bytearray(KernelCode().pack())
    waves[103] = 7
    with pytest.raises(Malformed, match="a wave size of 2 to the 7"):
        read_kernel_code(bytes(waves), processor("gfx900"))
