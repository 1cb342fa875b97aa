"""The registers before the first instruction: a table from the sentences of the documents
(AMDGPU usage, "Initial Kernel Execution State"; ROCm compute ABI, "Initial kernel register state").
"""

from __future__ import annotations

from typing import Any

import pytest

from dwarfgpu.arch.processors import PROCESSORS
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import IllFormed, Malformed, Unsupported
from dwarfgpu.machine.simulated.launch.dispatch import dispatched
from dwarfgpu.machine.simulated.launch.dispatch_request import Request
from dwarfgpu.machine.simulated.launch.initial_registers import (
    USER_SGPRS,
    UserValues,
    WaveValues,
    allocation,
    exec_mask,
    other_scalars,
    preloaded,
    system_sgprs,
    user_sgprs,
    work_item_ids,
)
from dwarfgpu.machine.topology import Geometry
from dwarfgpu.objfile.gpu_code import GpuKernel
from dwarfgpu.objfile.kernel_descriptor import KernelDescriptor, read_kernel_code
from dwarfgpu.objfile.kernel_descriptor_bits import CODE_PROPERTIES_V2, PROPERTIES, RSRC1, RSRC2
from dwarfgpu.objfile.metadata import KernelMetadata
from tests.objfile.build import KernelCode

FIELDS = {field.name: 0 for field in (*RSRC1, *RSRC2, *PROPERTIES, *CODE_PROPERTIES_V2)}


def descriptor(version: int = 3, wave_size: int = 64, **fields: int) -> KernelDescriptor:
    """A descriptor with those fields, the others 0; it counts the user SGPRs that it enables."""
    assert fields.keys() <= FIELDS.keys() | {"kernarg_preload_spec_length"}
    enabled = sum(count for name, count in USER_SGPRS if fields.get(f"enable_sgpr_{name}"))
    enabled += fields.get("kernarg_preload_spec_length", 0)
    sizes = {"group_segment_fixed_size": 0, "private_segment_fixed_size": 16, "kernarg_size": 0}
    made = {**FIELDS, **sizes, "user_sgpr_count": enabled, **fields}
    return KernelDescriptor(version, made, (), wave_size, 64, 32)


VALUES = UserValues(
    dispatch_ptr=0x1111_0000_1000,
    queue_ptr=0x2222_0000_2000,
    kernarg_segment_ptr=0x3333_0000_3000,
    dispatch_id=0x4444_0000_4000,
    scratch_address=0x5555_0000_5000,
    scratch_bytes=0x7_0000_0C00,
    private_bytes=27,
    geometry=Geometry((100, 30, 7), (48, 8, 2), 3),
    lane_count=64,
)
GFX9_SCRATCH = 0x00EA_4FAC
"""The last dword of the V# of scratch that ROCr makes (`AqlQueue::FillBufRsrcWord3`): DST_SEL_X to
DST_SEL_W (bit 0), NUM_FORMAT UINT (12), DATA_FORMAT 32 (15), ELEMENT_SIZE 1 (19), INDEX_STRIDE 3
(21), ADD_TID_ENABLE (23)."""
WAVE = WaveValues((3, 4, 5), (40, 2, 1), 1, 2, 0x2600, 0x5555_0000_7600)
BASE = 0x5555_0000_7600
"""Of the wave's scratch."""
ALL = [name for name, _ in USER_SGPRS]


def users(target: str, names: list[str], **fields: int) -> list[Any]:
    asked = descriptor(**{f"enable_sgpr_{name}": 1 for name in names}, **fields)
    result, _ = user_sgprs(asked, PROCESSORS[target], VALUES, [])
    assert [field.number for field in result] == list(range(len(result)))  # dense, from s0
    return [field.value for field in result]


@pytest.mark.parametrize(
    ("target", "names", "expected"),
    [
        # "The register numbers used for enabled registers are dense starting at SGPR0"
        ("gfx90a", ["kernarg_segment_ptr"], [0x3000, 0x3333]),
        ("gfx90a", ["kernarg_segment_ptr", "dispatch_ptr"], [0x1000, 0x1111, 0x3000, 0x3333]),
        (
            "gfx90a",
            ["private_segment_buffer", "queue_ptr"],
            [0x5000, 0x8000_5555, 0xC00, GFX9_SCRATCH, 0x2000, 0x2222],
        ),
        ("gfx90a", ["dispatch_id"], [0x4000, 0x4444]),
        # GFX7, GFX8: an offset of 32 bits, and the size of a lane in whole dwords
        ("gfx701", ["flat_scratch_init"], [0x5000, 28]),
        ("gfx803", ["flat_scratch_init"], [0x5000, 28]),
        # GFX9, GFX10: the 64-bit address of the scratch
        ("gfx90a", ["flat_scratch_init"], [0x5000, 0x5555]),
        ("gfx1030", ["flat_scratch_init"], [0x5000, 0x5555]),
        # architected flat scratch has none
        ("gfx942", ["flat_scratch_init"], [None, None]),
        ("gfx600", ["flat_scratch_init"], [None, None]),
        # "rounded up by CP to a multiple of DWORD"
        ("gfx90a", ["private_segment_size"], [28]),
        # "(grid_size.x + workgroup_size.x - 1) / workgroup_size.x"
        (
            "gfx803",
            ["grid_workgroup_count_x", "grid_workgroup_count_y", "grid_workgroup_count_z"],
            [3, 4, 4],
        ),
        # "only the first 16 are actually initialized": count Y and Z come after them
        (
            "gfx803",
            ALL,
            [
                0x5000, 0x8000_5555, 0xC00, GFX9_SCRATCH, 0x1000, 0x1111, 0x2000, 0x2222,
                0x3000, 0x3333, 0x4000, 0x4444, 0x5000, 28, 28, 3,
            ],
        ),
    ],
)  # fmt: skip
def test_user_sgprs(target: str, names: list[str], expected: list[int | None]) -> None:
    assert users(target, names) == expected


@pytest.mark.parametrize(
    ("target", "lanes", "expected"),
    [
        # FORMAT 32_UINT (bit 12), INDEX_STRIDE by the packet processor (21), ADD_TID_ENABLE (23),
        # RESOURCE_LEVEL (24), OOB_SELECT 2 (28) (`AqlQueue::FillBufRsrcWord3_Gfx10`)
        ("gfx1030", 32, [0x5000, 0x8000_5555, 0xC00, 0x21C1_4FAC]),
        ("gfx1030", 64, [0x5000, 0x8000_5555, 0xC00, 0x21E1_4FAC]),
        # "If … Architected flat scratch then not supported and must be 0"
        ("gfx942", 64, [None] * 4),
        ("gfx1100", 32, [None] * 4),
    ],
)
def test_the_resource_of_scratch_is_that_of_the_runtime(
    target: str, lanes: int, expected: list[int | None]
) -> None:
    values = evolve(VALUES, lane_count=lanes)
    assert values.dwords("private_segment_buffer", 4, PROCESSORS[target]) == expected


def test_system_sgprs_follow_as_many_as_are_counted() -> None:
    """LLVM counts up to 16, where a processor wants so many initialized, and enables fewer."""
    asked = descriptor(enable_sgpr_kernarg_segment_ptr=1, user_sgpr_count=15)
    result, first = user_sgprs(asked, PROCESSORS["gfx1100"], VALUES, [])
    assert ([field.number for field in result], first) == ([0, 1], 15)


def test_preloaded_arguments_follow_the_other_user_sgprs() -> None:
    asked = descriptor(
        enable_sgpr_kernarg_segment_ptr=1,
        enable_sgpr_private_segment_size=1,
        kernarg_preload_spec_length=3,
    )
    result, first = user_sgprs(asked, PROCESSORS["gfx942"], VALUES, [7, None, 9])
    assert [(field.field, field.value) for field in result[2:]] == [
        ("private_segment_size", 28),
        ("kernarg_preload", 7),
        ("kernarg_preload", None),
        ("kernarg_preload", 9),
    ]
    assert (first, preloaded(asked)) == (6, (3, 0))


def test_preloaded_arguments_beyond_the_user_sgprs_are_not_initialized() -> None:
    asked = descriptor(enable_sgpr_kernarg_segment_ptr=1, kernarg_preload_spec_length=20)
    result, first = user_sgprs(asked, PROCESSORS["gfx942"], VALUES, list(range(20)))
    assert (len(result), first) == (16, 16)


@pytest.mark.parametrize(
    ("target", "fields", "expected"),
    [
        ("gfx90a", {}, {}),
        ("gfx90a", {"enable_sgpr_workgroup_id_x": 1}, {"s6": 3}),
        (
            "gfx90a",
            {
                "enable_sgpr_workgroup_id_x": 1,
                "enable_sgpr_workgroup_id_y": 1,
                "enable_sgpr_workgroup_id_z": 1,
                "enable_private_segment": 1,
            },
            {"s6": 3, "s7": 4, "s8": 5, "s9": 0x2600},
        ),
        # "any combination"
        ("gfx90a", {"enable_sgpr_workgroup_id_z": 1}, {"s6": 5}),
        # {first_wavefront, 14'b0000, ordered_append_term[10:0], threadgroup_size_in_wavefronts}
        ("gfx90a", {"enable_sgpr_workgroup_info": 1}, {"s6": 2}),
        # {first_wave, 6'h00, wave_id_in_group[4:0], 2'h0, ordered_append_term[11:0], …}
        ("gfx1100", {"enable_sgpr_workgroup_info": 1}, {"s6": 1 << 20 | 2}),
        # {14'h0, ordered_append_term[11:0], work_group_size_in_waves[5:0]}
        ("gfx1200", {"enable_sgpr_workgroup_info": 1}, {"s6": 2}),
        # architected flat scratch: no wave offset
        (
            "gfx942",
            {"enable_sgpr_workgroup_id_x": 1, "enable_private_segment": 1},
            {"s6": 3},
        ),
        # architected SGPRs: workgroup ids are in ttmps
        ("gfx1200", {"enable_sgpr_workgroup_id_x": 1, "enable_sgpr_workgroup_id_y": 1}, {}),
    ],
)
def test_system_sgprs(target: str, fields: dict[str, int], expected: dict[str, int]) -> None:
    assert system_sgprs(descriptor(**fields), PROCESSORS[target], 6, WAVE) == expected


def test_the_first_wave_of_a_group() -> None:
    asked = descriptor(enable_sgpr_workgroup_info=1)
    first = evolve(WAVE, wave_in_group=0)
    assert system_sgprs(asked, PROCESSORS["gfx90a"], 0, first) == {"s0": 1 << 31 | 2}


BY_BIT = {"ttmp6": "09 00 00 %???????0", "ttmp11": "%??000001 ?? ?? ??"}
"""The packet in 25 bits, the number of the wave in 6."""


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("gfx803", {}),
        # no document defines bits 31:25 of ttmp6 before a trap
        ("gfx90a", {"ttmp8": 3, "ttmp9": 4, "ttmp10": 5, **BY_BIT}),
        (
            "gfx942",
            {"ttmp8": 3, "ttmp9": 4, "ttmp10": 5, "ttmp11": 1 | 9 << 6, "flat_scratch": BASE},
        ),
        ("gfx1030", {"ttmp8": 3, "ttmp9": 4, "ttmp10": 5, **BY_BIT}),
        (
            "gfx1100",
            {"ttmp8": 3, "ttmp9": 4, "ttmp10": 5, **BY_BIT, "flat_scratch": BASE},
        ),
        # {DebugMark 0, GridYZvalid, waveIDinGroup[4:0], dispatchIndex[24:0]}
        ("gfx1200", {"ttmp9": 3, "ttmp8": 1 << 25 | 9, "scratch_base": BASE}),
        ("gfx1250", {"ttmp9": 3, "ttmp8": 1 << 25 | 9, "scratch_base": BASE}),
    ],
)
def test_other_scalars(target: str, expected: dict[str, int]) -> None:
    asked = descriptor(
        enable_private_segment=1,
        float_round_mode_32=1,
        float_round_mode_16_64=2,
        float_denorm_mode_32=3,
    )
    result = other_scalars(asked, PROCESSORS[target], 64, evolve(WAVE, packet=9))
    # No document defines the bits of mode that no field of the descriptor sets.
    assert str(result["mode"]).startswith("39 ")
    assert result == {"exec": 0xFFFF, "mode": result["mode"], **expected}


@pytest.mark.parametrize(
    ("target", "mode"),
    [
        ("gfx803", "f0 ?? ?? ??"),  # no document names its bits
        ("gfx942", "f0 %0101??01 %1????001 ??"),
        ("gfx1030", "f0 %0101??01 %1????001 ??"),
        ("gfx1100", "f0 %0101??01 %1????001 ??"),
        ("gfx1200", "f0 ?? %1??????? ??"),
    ],
)
def test_mode_has_the_bits_of_the_descriptor(target: str, mode: str) -> None:
    """ "Wavefront starts execution with": DX10_CLAMP, the exceptions and FP16_OVFL, not IEEE."""
    fields = {
        "enable_dx10_clamp": 1,
        "fp16_ovfl": 1,
        "enable_exception_ieee_754_fp_invalid_operation": 1,
        "enable_exception_ieee_754_fp_division_by_zero": 1,
        "enable_exception_ieee_754_fp_underflow": 1,
    }
    asked = descriptor(float_denorm_mode_32=3, float_denorm_mode_16_64=3, **fields)
    if target == "gfx1200":  # those of GFX12 have no such fields
        known = asked.fields.keys() - {"enable_dx10_clamp", "enable_ieee_mode"}
        asked = evolve(asked, fields={name: asked.fields[name] for name in known})
    assert other_scalars(asked, PROCESSORS[target], 64, WAVE)["mode"] == mode


@pytest.mark.parametrize("axis", ["y", "z"])
def test_gfx12_has_y_and_z_if_either_is_enabled(axis: str) -> None:
    asked = descriptor(**{f"enable_sgpr_workgroup_id_{axis}": 1})
    result = other_scalars(asked, PROCESSORS["gfx1200"], 32, WAVE)
    assert (result["ttmp7"], result["ttmp8"]) == (4 | 5 << 16, 1 << 30 | 1 << 25)


def test_without_scratch() -> None:
    """ "Waves without scratch have this initialized to zero": a sentence of GFX11 and GFX12."""
    result = {name: other_scalars(descriptor(), PROCESSORS[name], 64, WAVE)
             for name in ("gfx942", "gfx1100", "gfx1200")}  # fmt: skip
    assert "flat_scratch" not in result["gfx942"]
    assert (result["gfx1100"]["flat_scratch"], result["gfx1200"]["scratch_base"]) == (0, 0)


@pytest.mark.parametrize(
    ("target", "vgprs", "sgprs", "accum_offset", "expected"),
    [
        ("gfx803", 24, 32, None, (32, 24, 0)),
        ("gfx803", 256, 112, None, (102, 256, 0)),  # s102 and later are other registers
        ("gfx906", 24, 48, None, (48, 24, 0)),
        ("gfx908", 24, 48, None, (48, 24, 24)),
        ("gfx90a", 32, 48, 20, (48, 20, 12)),
        ("gfx942", 512, 112, 256, (102, 256, 256)),
        ("gfx942", 8, 112, 256, (102, 8, 0)),
        ("gfx1030", 48, None, None, (106, 48, 0)),
        ("gfx1250", 1024, None, None, (106, 1024, 0)),
    ],
)
def test_allocation(
    target: str, vgprs: int, sgprs: int | None, accum_offset: int | None,
    expected: tuple[int, int, int],
) -> None:  # fmt: skip
    asked = evolve(
        descriptor(), allocated_vgprs=vgprs, allocated_sgprs=sgprs, accum_offset=accum_offset
    )
    assert allocation(asked, PROCESSORS[target]) == expected


@pytest.mark.parametrize(
    ("size", "wave_in_group", "lanes", "mask"),
    [
        ((64, 1, 1), 0, 64, (1 << 64) - 1),
        ((64, 1, 1), 1, 32, (1 << 32) - 1),
        ((40, 2, 1), 1, 64, 0xFFFF),
        ((40, 2, 1), 2, 32, 0xFFFF),
        ((3, 1, 1), 0, 64, 7),
    ],
)
def test_exec(size: tuple[int, int, int], wave_in_group: int, lanes: int, mask: int) -> None:
    wave = evolve(WAVE, size=size, wave_in_group=wave_in_group)
    assert exec_mask(wave, lanes) == mask


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize(
    ("target", "packed"),
    [
        ("gfx803", False), ("gfx900", False), ("gfx906", False), ("gfx908", False),
        ("gfx90a", True), ("gfx942", True), ("gfx950", True), ("gfx1010", False),
        ("gfx1030", False), ("gfx1100", True), ("gfx1150", True), ("gfx1200", True),
        ("gfx1250", True),
    ],
)  # fmt: skip
def test_work_item_ids(target: str, packed: bool, dimensions: int) -> None:
    """ "enable_vgpr_workitem_id > 0": Y; "> 1": Z; packed: ten bits each, "otherwise set to 0"."""
    wave = evolve(WAVE, size=(5, 4, 6), wave_in_group=1)
    asked = descriptor(enable_vgpr_workitem_id=dimensions - 1)
    result = work_item_ids(asked, PROCESSORS[target], 64, wave)
    lane = 30  # flat id 94: 4, 2, 4
    if packed:
        expected = 4 | (2 << 10 if dimensions > 1 else 0) | (4 << 20 if dimensions > 2 else 0)
        assert {name: values[lane] for name, values in result.items()} == {"v0": expected}
    else:
        expected_ids = dict(zip(("v0", "v1", "v2"), (4, 2, 4)[:dimensions], strict=False))
        assert {name: values[lane] for name, values in result.items()} == expected_ids
    # Lanes without a work-item have no id.
    assert {len(values) for values in result.values()} == {120 - 64}


def test_an_undefined_number_of_ids() -> None:
    with pytest.raises(Malformed, match="enable_vgpr_workitem_id 3"):
        work_item_ids(descriptor(enable_vgpr_workitem_id=3), PROCESSORS["gfx90a"], 64, WAVE)


def test_v2_descriptors_have_the_same_order() -> None:
    """The bits of `code_properties` are in the order in which the SGPRs are set up."""
    names = [f"enable_sgpr_{name}" for name, _ in USER_SGPRS]
    bits = {field.name: field.first_bit for field in CODE_PROPERTIES_V2}
    assert [bits[name] for name in names] == list(range(len(names)))
    later = {field.name: field.first_bit for field in PROPERTIES}
    assert [later[name] for name in names[:7]] == list(range(7))


def test_a_kernel_of_v2() -> None:
    """`amd_kernel_code_t` from its bytes: order, grid counts, and the interleave of its scratch."""
    properties = 0b11_1100_1011 | 3 << 17 | 1 << 19
    rsrc2 = 1 | 16 << 1 | 1 << 7 | 1 << 11
    packed = KernelCode(properties=properties, rsrc2=rsrc2, scratch=40, lds=512).pack()
    kernel_code = read_kernel_code(packed, PROCESSORS["gfx803"])
    kernel = GpuKernel("k", "k", 0x1000, 0x1100, None, kernel_code)
    geometry = Geometry((100, 4, 1), (64, 2, 1), 2)
    launched = dispatched(Request(kernel, PROCESSORS["gfx803"], 0x10000, geometry, (), {}))
    fields = [user_sgpr.field for user_sgpr in launched.user_sgprs]
    assert fields == [
        *["private_segment_buffer"] * 4, *["dispatch_ptr"] * 2, *["kernarg_segment_ptr"] * 2,
        "private_segment_size",
        "grid_workgroup_count_x", "grid_workgroup_count_y", "grid_workgroup_count_z",
    ]  # fmt: skip
    assert [user_sgpr.value for user_sgpr in launched.user_sgprs[8:]] == [40, 2, 2, 1]
    wave = launched.waves[3]
    assert (launched.pc, wave.element_bytes, wave.scratch_bytes) == (0x11100, 16, 3072)
    # behind as many user SGPRs as it counts: workgroup id x, and the wave's scratch
    assert {name: wave.scalars[name] for name in ("s16", "s17")} == {"s16": 1, "s17": 3 * 3072}
    assert list(wave.vectors) == ["v0", "v1"]
    assert launched.kernarg.unknown == ("the complete kernarg segment of 8 bytes",)


def clustered(dims: tuple[int, int, int] | None) -> Request:
    """A kernel of gfx1250, perhaps one for workgroup clusters."""
    asked = descriptor(
        wave_size=32,
        enable_sgpr_kernarg_segment_ptr=1,
        enable_sgpr_workgroup_id_x=1,
        enable_sgpr_workgroup_id_y=1,
        enable_private_segment=1,
        enable_vgpr_workitem_id=1,
    )
    metadata = KernelMetadata("k", "k.kd", kernarg_bytes=0, cluster_dims=dims)
    kernel = GpuKernel("k", "k.kd", 0x1000, 0x1100, metadata, asked)
    geometry = Geometry((128, 4, 1), (64, 2, 1), 2)
    return Request(kernel, PROCESSORS["gfx1250"], 0x10000, geometry, (), {})


def test_gfx1250() -> None:
    launched = dispatched(clustered(None))
    assert [wave.wave.wave_in_group for wave in launched.waves] == [0, 1, 2, 3] * 4
    last = launched.waves[-1]
    # ids as in GFX12; ten bits each in v0; no system SGPR
    assert (last.scalars["ttmp9"], last.scalars["ttmp7"]) == (1, 1)
    assert last.scalars["ttmp8"] == 1 << 30 | 3 << 25
    assert last.vectors["v0"][31] == 63 | 1 << 10
    assert last.scalars["exec"] == 0xFFFFFFFF
    assert last.scalars["scratch_base"] == last.scratch_address
    assert {name for name in last.scalars if name.startswith("s")} == {"s0", "s1", "scratch_base"}
    assert dispatched(clustered((0, 0, 0))).waves == launched.waves  # "0,0,0": no clusters


def test_the_kernarg_segment_is_aligned_as_the_metadata_asks() -> None:
    request = clustered(None)

    def aligned_to(size_bytes: int) -> Request:
        metadata = evolve(request.kernel.metadata, kernarg_align_bytes=size_bytes)
        return evolve(request, kernel=evolve(request.kernel, metadata=metadata))

    usual = dispatched(aligned_to(8)).machine.dispatches[1].kernarg
    assert usual == dispatched(request).machine.dispatches[1].kernarg
    for size_bytes in (256, 65536):
        address = dispatched(aligned_to(size_bytes)).machine.dispatches[1].kernarg
        assert address is not None and address % size_bytes == 0
    for size_bytes in (0, 24, 1 << 17):
        with pytest.raises(IllFormed, match=f"aligned to {size_bytes} bytes: expected a power of"):
            dispatched(aligned_to(size_bytes))


def test_workgroup_clusters_are_refused() -> None:
    with pytest.raises(Unsupported, match="workgroup clusters: kernel k is for clusters of 2,1,1"):
        dispatched(clustered((2, 1, 1)))
