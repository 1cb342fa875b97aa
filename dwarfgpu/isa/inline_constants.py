"""Inline constants and literals of source operands, and their text.

Encodings 128 to 208 are integers, 240 to 248 floating point numbers (AMD's ISA documents, "SRC0").
What bits these are depends on the type of the operand; what text they have, too.
"""

from __future__ import annotations

from typing import Final

INTEGERS: Final = range(128, 209)
FLOATS: Final = range(240, 249)
LITERAL: Final = 255
_NUMBERS: Final = ("0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494")
_BITS: Final[dict[str, tuple[int, ...]]] = {
    "f16": (0x3800, 0xB800, 0x3C00, 0xBC00, 0x4000, 0xC000, 0x4400, 0xC400, 0x3118),
    "bf16": (0x3F00, 0xBF00, 0x3F80, 0xBF80, 0x4000, 0xC000, 0x4080, 0xC080, 0x3E22),
    "f32": (
        *(0x3F000000, 0xBF000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000),
        *(0x40800000, 0xC0800000, 0x3E22F983),
    ),
    "f64": (
        *(0x3FE0000000000000, 0xBFE0000000000000, 0x3FF0000000000000, 0xBFF0000000000000),
        *(0x4000000000000000, 0xC000000000000000, 0x4010000000000000, 0xC010000000000000),
        0x3FC45F306DC9C882,
    ),
}
_NAMED: Final = {
    kind: dict(zip(bits, _NUMBERS, strict=True)) | ({0: "0.0"} if kind in ("f32", "f64") else {})
    for kind, bits in _BITS.items()
}
_NAMED["f64"][0x3FC45F306DC9C882] = "0.15915494309189532"


def inline_integer(code: int) -> int:
    """Return the value of an encoding of `INTEGERS`: 0 to 64, then -1 to -16."""
    return code - 128 if code <= 192 else 192 - code


def inline_float(code: int, form: str) -> int:
    """Return the bits of an encoding of `FLOATS` in a format: `f16`, `bf16`, `f32`, `f64`."""
    return _BITS[form][code - 240]


def constant_text(value: int, kind: str) -> str:
    """Return the text of a constant for an operand of a type of the tables (`fp32`, `v2int16` …).

    `value` is a signed integer or the bits of the constant.
    """
    match kind:
        case "fp16" | "bf16":
            short = (value & 0xFFFF ^ 0x8000) - 0x8000
            named = _NAMED["f16" if kind == "fp16" else "bf16"].get(value & 0xFFFF)
            if -16 <= short <= 64:
                return str(short)
            return named or hex(value & (0xFFFF if kind == "fp16" else 0xFFFFFFFF))
        case "v2fp16" | "v2bf16":
            number = _signed32(value)
            named = _NAMED["f16" if kind == "v2fp16" else "bf16"].get(value)
            return str(number) if -16 <= number <= 64 else named or hex(value & 0xFFFFFFFF)
        case "int16":
            number = _signed32(value)
            if -16 <= number <= 64:
                return str(number)
            return _NAMED["f32"].get(value & 0xFFFFFFFF) or hex(value & 0xFFFF)
        case "int64" | "fp64":
            number = (value & (1 << 64) - 1 ^ 1 << 63) - (1 << 63)
            if -16 <= number <= 64:
                return str(number)
            if named := _NAMED["f64"].get(value):
                return named
            return hex(value >> 32 if kind == "fp64" else value)
    number = _signed32(value)
    if -16 <= number <= 64:
        return str(number)
    return _NAMED["f32"].get(value & 0xFFFFFFFF) or hex(value & 0xFFFFFFFF)


def _signed32(value: int) -> int:
    return (value & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)
