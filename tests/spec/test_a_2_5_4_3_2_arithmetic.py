"""A.2.5.4.3.2 arithmetic and logical operations, as DWARF 5 section 2.5.1.4 defines them."""

from __future__ import annotations

from dwarfgpu.errors import EvaluationError, IllFormed, Unsupported
from tests.spec.machine import BIG_WORLD, Fact, breaks, facts, keeps

C = "A.2.5.4.3.2/"
LEAST = {"i8": -128, "i64": -(2**63), "i128": -(2**127)}
BINARY = ("and", "div", "minus", "mod", "mul", "or", "plus", "shl", "shr", "shra", "xor")
INTEGRAL_ONLY = ("and", "mod", "or", "shl", "shr", "shra", "xor")
MAX = "0xffffffffffffffff"


def two(kind: str, a: float, b: float, name: str) -> str:
    if kind == "generic":
        return f"consts {a}; consts {b}; {name}"
    return f"const({kind},{a}); const({kind},{b}); {name}"


def generic(number: int) -> str:
    bits = number & (1 << 64) - 1
    return str(bits) if bits < 0x100 else f"{bits:#x}"


def rows(name: str, *table: tuple[str, float, float, float]) -> list[object]:
    return [
        keeps(C + name, two(kind, a, b, name),
              generic(int(c)) if kind == "generic" else f"{kind} {c}")
        for kind, a, b, c in table
    ]  # fmt: skip


@facts("fact", [
    *rows("plus", ("generic", 2, 3, 5), ("i8", -3, 1, -2), ("u8", 250, 5, 255),
    ("f32", 0.5, 1, 1.5),
          ("f64", 0.1, 0.2, 0.30000000000000004), ("f16", 2048, 1, 2048.0),
          ("x87", 0.5, 0.25, 0.75),
          ("f128", 1, 2, 3.0), ("i128", 2**100, 1, 2**100 + 1), ("bool", 1, 1, 2),
          ("i5", 7, 8, 15)),
    *rows("minus", ("generic", 3, 2, 1), ("i8", -3, 1, -4), ("u8", 5, 5, 0), ("f64", 1, 0.5, 0.5)),
    *rows("mul", ("generic", 6, 7, 42), ("i8", -3, 5, -15), ("u128", 2**64, 2**63, 2**127),
          ("f32", 0.1, 10, 1.0)),
    *rows("plus", ("generic", -1, 1, 0)),
    *(keeps(C + "wrap", two(kind, a, b, name), expected) for kind, a, b, name, expected in (
        ("generic", -1, 2, "plus", "1"), ("generic", 0, 1, "minus", MAX),
        ("generic", -(2**63), 2, "mul", "0"), ("i8", 127, 1, "plus", "i8 -128"),
        ("i8", -128, 1, "minus", "i8 127"), ("i8", 64, 2, "mul", "i8 -128"),
        ("u8", 255, 1, "plus", "u8 0"), ("u8", 0, 1, "minus", "u8 255"),
        ("u12", 4095, 1, "plus", "u12 0"), ("i5", 15, 1, "plus", "i5 -16"),
        ("u128", 2**128 - 1, 1, "plus", "u128 0"), ("bool", 255, 1, "plus", "bool 0"))),
    *(keeps(C + "wrap", two(kind, least, -1, "div"), f"{kind} {least}", note="least / -1")
      for kind, least in LEAST.items()),
    keeps(C + "wrap", two("generic", -(2**63), -1, "div"), "0x8000000000000000", note="least / -1"),
    *(keeps(C + "wrap", two(kind, least, -1, "mod"), f"{kind} 0", note="least mod -1")
      for kind, least in LEAST.items()),
    *(keeps(C + "wrap", f"const({kind},{least}); {name}", f"{kind} {least}", note="of the least")
      for kind, least in LEAST.items() for name in ("abs", "neg")),
    breaks(C + "wrap", two("f32", 3e38, 3e38, "plus"), "f32 inf",
           note="floats overflow to infinity"),
    keeps(C + "wrap", "lit0; lit1; minus", "0xffffffff", at=BIG_WORLD, note="32-bit generic"),
    *rows("div", ("generic", 7, 2, 3), ("generic", -7, 2, -3), ("generic", 7, -2, -3),
          ("generic", -1, 2, 0), ("i8", -7, 2, -3), ("i8", 7, -2, -3), ("u8", 249, 2, 124),
          ("f64", 1, 4, 0.25), ("u64", 2**64 - 1, 2, 2**63 - 1)),
    keeps(C + "div", "const(f64,1); const(f64,0); div", "f64 inf", note="IEEE 754"),
    keeps(C + "div", "const(f64,-1); const(f64,0); div", "f64 -inf", note="IEEE 754"),
    keeps(C + "div", "const(f64,0); const(f64,0); div", "f64 nan", note="IEEE 754"),
    *(breaks(f"{C}div-zero {C}div", two(kind, 1, 0, "div"), EvaluationError, "division by zero")
      for kind in ("generic", "i8", "u128", "bool")),
    keeps(C + "div-zero", "lit0; lit1; div", "0"),
    *rows("mod", ("generic", 7, 3, 1), ("generic", -7, 3, (2**64 - 7) % 3), ("generic", 7, -3, 7),
          ("i8", -7, 3, -1), ("i8", 7, -3, 1), ("i8", -7, -3, -1), ("u8", 249, 10, 9)),
    *(breaks(f"{C}mod-zero {C}mod", two(kind, 1, 0, "mod"), EvaluationError, "modulo by zero")
      for kind in ("generic", "i8", "u128")),
    keeps(C + "mod-zero", "lit0; lit1; mod", "0"),
    *rows("and", ("generic", 12, 10, 8), ("generic", -1, 12, 12), ("i8", -1, 12, 12)),
    *rows("or", ("generic", 12, 10, 14), ("i8", -128, 1, -127)),
    *rows("xor", ("generic", 12, 10, 6), ("i8", -1, 1, -2)),
    *rows("shl", ("generic", 1, 4, 16), ("generic", 1, 63, -(2**63)), ("generic", 1, 64, 0),
          ("generic", 1, -1, 0), ("i8", 1, 7, -128), ("u8", 255, 8, 0), ("i8", -1, -1, 0),
          ("u12", 4095, 11, 2048)),
    *rows("shr", ("generic", -1, 60, 15), ("generic", -1, 64, 0), ("generic", -1, -1, 0),
          ("i8", -1, 4, 15), ("i8", -1, 8, 0), ("u8", 255, 200, 0)),
    *rows("shra", ("generic", -16, 2, -4), ("generic", -16, 64, -1), ("generic", 16, 64, 0),
          ("generic", -16, -1, -1), ("i8", -128, 7, -1), ("u8", 128, 7, 255), ("u8", 127, 9, 0)),
    keeps(C + "abs", "consts -5; abs", "5"),
    keeps(C + "abs", "const(i8,-5); abs", "i8 5"),
    keeps(C + "abs", "const(u8,251); abs", "u8 5", note="taken as signed, unsigned or not"),
    keeps(C + "abs", "const(f64,-1.5); abs", "f64 1.5"),
    keeps(C + "abs", "const(f64,-0); abs", "f64 0.0"),
    keeps(C + "neg", "lit5; neg", generic(-5)),
    keeps(C + "neg", "const(u8,5); neg", "u8 251", note="on the bits"),
    keeps(C + "neg", "const(f32,1.5); neg", "f32 -1.5"),
    keeps(C + "neg", "const(f64,0); neg", "f64 -0.0"),
    keeps(C + "not", "lit5; not", generic(~5)),
    keeps(C + "not", "const(u12,5); not", "u12 4090"),
    keeps(C + "not", "const(bool,0); not", "bool 255"),
    keeps(C + "plus_uconst", "lit5; plus_uconst 10", "15"),
    keeps(C + "plus_uconst", "lit5; neg; plus_uconst 10", "5"),
    keeps(C + "plus_uconst", "const(u8,250); plus_uconst 10", "u8 4"),
    keeps(C + "plus_uconst", "lit1; plus_uconst 0x1ffffffffffffffff", "0"),
    *(breaks(C + name, f"lit1; {name}", IllFormed, "2 stack entries needed")
      for name in BINARY if name not in ("div", "mod")),
    *(breaks(C + name, name, IllFormed, "1 stack entry needed") for name in ("abs", "neg", "not")),
    breaks(C + "plus_uconst", "plus_uconst 1", IllFormed, "1 stack entry needed"),
])  # fmt: skip
def test_arithmetic(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    *(breaks(C + "same-type", f"lit4; const(u64,2); {name}", IllFormed, "generic", "u64",
             "same type") for name in BINARY),
    *(breaks(C + "same-type", f"const(i32,4); const(u32,2); {name}", IllFormed, "i32", "u32")
      for name in BINARY),
    breaks(C + "same-type", "const(f64,1); const(f32,1); plus", IllFormed, "f64", "f32"),
    breaks(C + "same-type", "const(u32,1); const(swapped32,1); plus", IllFormed, "swapped32",
           note="the byte order is part of the type"),
    *(keeps(C + "same-type", f"const(u32,4); const(u32,2); {name}", f"u32 {value}")
      for name, value in zip(BINARY, (0, 2, 2, 0, 8, 6, 6, 16, 1, 1, 6), strict=True)),
    *(keeps(C + "integral-only", f"const(bool,4); const(bool,2); {name}", f"bool {value}")
      for name, value in zip(INTEGRAL_ONLY, (0, 0, 6, 16, 1, 1, 6), strict=True)),
    *(breaks(C + "integral-only", f"const({kind},4); const({kind},2); {name}", IllFormed,
             "integral", kind) for name in INTEGRAL_ONLY for kind in ("f64", "ptr")),
    breaks(C + "integral-only", "const(f64,4); not", IllFormed, "integral", "f64"),
    breaks(C + "integral-only", "const(f64,4); plus_uconst 1", IllFormed, "integral", "f64"),
    breaks(C + "integral-only", "const(ptr,4); plus_uconst 1", IllFormed, "integral", "ptr"),
    keeps(C + "numeric-only", "const(f64,4); const(f64,2); minus", "f64 2.0"),
    keeps(C + "numeric-only", "const(bool,4); const(bool,2); minus", "bool 2"),
    *(breaks(C + "numeric-only", f"const({kind},4); const({kind},2); {name}", IllFormed, kind)
      for kind in ("ptr", "utf") for name in ("plus", "minus", "mul", "div")),
    *(breaks(C + "numeric-only", f"const({kind},4); {name}", IllFormed, kind)
      for kind in ("ptr", "utf") for name in ("abs", "neg")),
    breaks(C + "numeric-only", "const(__bf16,1); const(__bf16,1); plus", Unsupported, "__bf16",
           note="a float that dwarfgpu does not compute with"),
    breaks(C + "numeric-only", "const(vec4,1); const(vec4,1); plus", Unsupported, "vector type"),
    *(breaks(C + "numeric-only", f"const({kind},1); const({kind},1); {name}", Unsupported, kind)
      for kind in ("complex", "fixed", "decimal") for name in ("plus", "minus", "mul", "div")),
    *(breaks(C + "numeric-only", f"const({kind},1); {name}", Unsupported, kind)
      for kind in ("complex", "vec4") for name in ("abs", "neg")),
    *(breaks(C + "integral-only", f"const(complex,1); const(complex,1); {name}", IllFormed,
             "complex", note="the text asks for integral types")
      for name in ("and", "mod", "shl")),
    breaks(C + "numeric-only", "regx s0; lit1; plus", IllFormed, "a value is required"),
])  # fmt: skip
def test_types(fact: Fact) -> None:
    fact.check()
