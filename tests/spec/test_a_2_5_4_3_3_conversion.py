"""A.2.5.4.3.3 type conversion operations, as DWARF 5 section 2.5.1.6 defines them."""

from __future__ import annotations

from dwarfgpu.errors import EvaluationError, IllFormed, MissingContext, Unavailable, Unsupported
from tests.spec.machine import BIG_WORLD, GPU, Fact, breaks, facts, keeps

C = "A.2.5.4.3.3/"
NO_LANE = GPU.changed(lane=None)
LOCAL, PRIVATE = 1 << 48, 1 << 49
"""Where the generic address space shows local and private memory on gfx9 and later."""


def converted(source: str, number: object, to: str) -> str:
    return f"const({source},{number}); convert @{to}"


@facts("fact", [
    *(keeps(f"{C}convert {C}convert-range {C}convert-kind", converted(a, n, b), f"{b} {m}")
      for a, n, b, m in (
        ("i32", -1, "u8", 255), ("u8", 255, "i8", -1), ("i8", -1, "i128", -1),
        ("i8", -1, "u64", 2**64 - 1),
        ("u8", 200, "i32", 200), ("i128", 2**100 + 5, "u8", 5), ("u64", 300, "u12", 300),
        ("u64", 5000, "u12", 904), ("i32", 256, "bool", 0), ("bool", 3, "i32", 3),
        ("i32", -3, "f64", -3.0), ("u64", 2**64 - 1, "f64", 2.0**64),
        ("i128", -(2**120), "f32", -(2.0**120)),
        ("u32", 16777217, "f32", 16777216.0), ("u32", 16777219, "f32", 16777220.0),
        ("u32", 70000, "f16", "inf"), ("u32", 2049, "f16", 2048.0), ("u32", 2051, "f16", 2052.0),
        ("f64", 1.9, "i32", 1), ("f64", -1.9, "i32", -1), ("f64", -0.9, "u32", 0),
        ("f64", 255.9, "u8", 255),
        ("f32", 1.5, "f64", 1.5), ("f64", 0.1, "f16", 0.0999755859375),
        ("f64", 1e300, "f32", "inf"),
        ("f128", 1.25, "x87", 1.25), ("x87", 1.25, "f16", 1.25), ("f64", "nan", "f32", "nan"),
        ("f64", "-0", "f32", "-0.0"), ("f64", "inf", "f128", "inf"),
        ("i128", 2**127 - 1, "f128", 2.0**127),
        ("u32", 7, "swapped32", 7), ("char", -1, "uchar", 255), ("u64", 4096, "ptr", 4096),
        ("ptr", 4096, "i32", 4096), ("ptr", 2**63, "f64", 2.0**63))),
    *(breaks(f"{C}convert-range {C}convert", converted("f64", n, to), EvaluationError, to,
             "does not fit")
      for n, to in ((256, "u8"), (-1, "u8"), (128, "i8"), (-129, "i8"), (2**64, "u64"),
      (1e300, "i128"))),
    breaks(C + "convert-range", converted("f64", "inf", "i64"), EvaluationError, "inf", "i64"),
    breaks(C + "convert-range", converted("f64", "nan", "i64"), EvaluationError, "nan", "i64"),
    keeps(C + "convert-range", converted("f64", -128.9, "i8"), "i8 -128", note="truncated first"),
    keeps(C + "convert-generic", "const(i8,-1); convert 0", "0xffffffffffffffff"),
    keeps(C + "convert-generic", "const(u128,0x112233445566778899aabbccddeeff00); convert 0",
          "0x99aabbccddeeff00"),
    keeps(C + "convert-generic", "const(f64,-2); convert 0", "0xfffffffffffffffe"),
    keeps(C + "convert-generic", "const(f64,18446744073709549568); convert 0",
          "0xfffffffffffff800"),
    keeps(C + "convert-generic", "lit0; not; convert @f64", f"f64 {2.0**64}",
          note="the generic type is read unsigned"),
    keeps(C + "convert-generic", "lit5; convert 0", "5"),
    keeps(C + "convert-generic", "const(u64,0x100000005); convert 0", "5", at=BIG_WORLD),
    breaks(C + "convert-generic", "const(f64,18446744073709551616); convert 0", EvaluationError),
    breaks(C + "convert-generic", "const(f64,-9223372036854777856); convert 0", EvaluationError),
    *(breaks(C + "convert-kind", converted(a, 1, b), IllFormed, "utf")
      for a, b in (("utf", "i32"), ("i32", "utf"), ("f32", "utf"))),
    breaks(C + "convert-kind", converted("i32", 1, "complex"), Unsupported, "complex"),
    breaks(C + "convert-kind", converted("i32", 1, "vec4"), Unsupported, "vector type"),
    breaks(C + "convert-kind", converted("i32", 1, "__bf16"), Unsupported, "__bf16"),
    breaks(C + "convert-type", "lit1; convert 0x99", IllFormed, "0x99"),
    keeps(C + "convert-type", "lit1; convert @i8", "i8 1"),
    keeps(C + "convert-address", converted("local_ptr", 0x20, "generic_ptr"),
          f"generic_ptr {LOCAL + 0x20}"),
    keeps(C + "convert-address", converted("lane_ptr", 0x10, "generic_ptr"),
          f"generic_ptr {PRIVATE + 0x10}"),
    keeps(C + "convert-address", converted("generic_ptr", PRIVATE + 0x10, "lane_ptr"),
          "lane_ptr 16"),
    keeps(C + "convert-address", converted("generic_ptr", 0x1234, "ptr"), "ptr 4660"),
    keeps(C + "convert-address", converted("ptr", 0x1234, "ptr"), "ptr 4660"),
    keeps(C + "convert-address", converted("lane_ptr", 0xFFFFFFFF, "generic_ptr"), "generic_ptr 0",
          note="null stays null"),
    *(breaks(C + "convert-address", converted(source, number, to), MissingContext,
             "private_lane needs the lane", at=NO_LANE)
      for source, number, to in (("lane_ptr", 0x10, "generic_ptr"),
      ("generic_ptr", PRIVATE + 0x10, "lane_ptr"), ("lane_ptr", 0xFFFFFFFF, "generic_ptr"))),
    keeps(C + "convert-address", converted("local_ptr", 0x20, "generic_ptr"),
          f"generic_ptr {LOCAL + 0x20}", at=NO_LANE),
    breaks(C + "convert-address-pair", converted("local_ptr", 4, "lane_ptr"), EvaluationError,
           "cannot be converted", at=NO_LANE),
    breaks(C + "convert-address", converted("lane_ptr", 0x10, "u64"), "u64 16",
           note="to an integer: the number as it is"),
    breaks(f"{C}convert-address-pair {C}convert-address", converted("local_ptr", 4, "lane_ptr"),
           EvaluationError, "local", "private_lane", "cannot be converted"),
    breaks(C + "convert-address-pair", converted("local_ptr", 4, "ptr"), EvaluationError, "global"),
    breaks(C + "convert-address-pair", converted("generic_ptr", 0x1234, "local_ptr"),
           EvaluationError, "generic", "local"),
    keeps(C + "convert-address-pair", converted("generic_ptr", LOCAL + 4, "local_ptr"),
          "local_ptr 4"),
    keeps(f"{C}reinterpret {C}reinterpret-size {C}reinterpret-type",
          "const(f32,1); reinterpret @u32", "u32 1065353216"),
    keeps(C + "reinterpret", "const(i64,-1); reinterpret 0", "0xffffffffffffffff"),
    keeps(C + "reinterpret", "lit0; not; reinterpret @i64", "i64 -1"),
    keeps(C + "reinterpret", "const(f64,1); reinterpret 0", "0x3ff0000000000000"),
    keeps(C + "reinterpret", "const(i8,-1); reinterpret @bool", "bool 255"),
    keeps(C + "reinterpret", "const(i128,5); reinterpret @vec4", "vec4 0x5"),
    keeps(C + "reinterpret", "const(ptr,5); reinterpret @generic_ptr", "generic_ptr 5",
          note="the address is not mapped"),
    keeps(C + "reinterpret", "const(u32,0x11223344); reinterpret @swapped32",
          f"swapped32 {0x44332211}", note="the bits are the same, their order is another"),
    keeps(C + "reinterpret", "const(swapped32,0x11223344); reinterpret @f32; reinterpret @u32",
          f"u32 {0x44332211}"),
    keeps(C + "reinterpret", "const(u32,0x11223344); reinterpret @swapped32; stack_value",
          "implicit 11223344", note="as stored"),
    keeps(C + "reinterpret", "const(u32,0x11223344); reinterpret 0", "0x11223344", at=BIG_WORLD),
    breaks(f"{C}reinterpret-size {C}reinterpret", "const(f32,1); reinterpret @u64", IllFormed,
           "f32 of 32 bits", "u64 of 64 bits"),
    breaks(C + "reinterpret-size", "const(i32,1); reinterpret 0", IllFormed, "generic of 64 bits"),
    breaks(C + "reinterpret-size", "const(i5,1); reinterpret @u8", IllFormed, "5 bits"),
    breaks(C + "reinterpret-type", "lit1; reinterpret 0x99", IllFormed, "0x99"),
])  # fmt: skip
def test_conversion(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    breaks(C + "convert-address", converted("lane_ptr", 4, "ptr"), Unavailable, "scratch",
           note="where scratch is in global memory is unknown"),
    keeps(C + "convert-address", converted("lane_ptr", 0x11, "wave_ptr"),
          f"wave_ptr {4 * 256 + 3 * 4 + 1}", note="swizzled for the lane"),
    keeps(C + "convert-address", converted("wave_ptr", 4 * 256 + 3 * 4 + 1, "lane_ptr"),
          "lane_ptr 17"),
    breaks(C + "convert-address", converted("wave_ptr", 4 * 256 + 4 * 4, "lane_ptr"),
           EvaluationError, "lane 4", "lane 3", note="another lane's"),
    breaks(C + "convert-address", converted("lane_ptr", 4, "wave_ptr"), MissingContext, "lane",
           at=GPU.changed(lane=None), note="no lane"),
    breaks(C + "reinterpret", "const(swapped12,1); reinterpret @u12", Unsupported, "12 bits"),
])  # fmt: skip
def test_addresses_need_what_maps_them(fact: Fact) -> None:
    fact.check()
