"""The base types, registers and numbers that random expressions use."""

from __future__ import annotations

from tests.model.scenario import TypeData

ENCODINGS = (
    TypeData("unsigned", 8),
    TypeData("signed", 8),
    TypeData("unsigned", 16),
    TypeData("signed", 16),
    TypeData("unsigned", 32),
    TypeData("signed", 32),
    TypeData("unsigned", 64),
    TypeData("signed", 64),
    TypeData("unsigned", 12),
    TypeData("signed", 12),
    TypeData("unsigned_char", 8),
    TypeData("signed_char", 8),
    TypeData("boolean", 8),
    TypeData("boolean", 1),
    TypeData("float", 32),
    TypeData("float", 64),
    TypeData("unsigned", 128),
    TypeData("float", 16),
    TypeData("UTF", 16),
    TypeData("UTF", 32),
    TypeData("address", 16),
    TypeData("address", 32),
)
TYPES = {0x10 + 2 * n: kind for n, kind in enumerate(ENCODINGS)}
SECOND_TYPES = {0x11 + 2 * n: kind for n, kind in enumerate(reversed(ENCODINGS))}
REGISTERS = (0, 1, 2, 3, 4, 5, 6, 7, 40)
FLOATS = {
    16: (0, 0x8000, 0x3C00, 0xBE00, 0x7BFF, 0x0001, 0x7C00),
    32: (0, 0x80000000, 0x3F800000, 0xBF800000, 0x40490FDB, 0x7F800000, 0x7F7FFFFF, 1),
    64: (0, 1 << 63, 0x3FF8000000000000, 0x4059000000000000, 0xC3E0000000000000, 0xFFF << 52),
}
ARITHMETIC = ("plus", "minus", "mul", "div", "mod", "and", "or", "xor", "shl", "shr", "shra")
