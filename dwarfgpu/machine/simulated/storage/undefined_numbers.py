"""Registers and memory defined neither by a rule of the ABI nor by an instruction since.

Law: what is undefined has the bytes of `FILL`, and debuggers show it as unavailable until it is
written (docs/decisions/0021-undefined-is-not-zero.md).
"""

from __future__ import annotations

from typing import Final, Self

FILL: Final = 0xFD
"""The byte of undefined registers and memory: NaN as f16, a large negative number as f32, f64 and
integer, and no address."""


class Undefined(int):
    """A scalar whose bits were not written, or not all of them.

    Arithmetic gives plain numbers: it is undefined until something is written over it.
    """

    known: int
    """The bits that were written."""

    def __new__(cls, value: int, known: int = 0) -> Self:
        out = super().__new__(cls, value)
        out.known = known
        return out


def undefined(size_bytes: int, fill: int | None) -> int:
    """Return an undefined number of equal bytes; without them, a defined zero."""
    if fill is None:
        return 0
    return Undefined(int.from_bytes(bytes([fill]) * size_bytes, "little"))


def filled(number: int, size_bytes: int, fill: int) -> int:
    """Return a number with a byte in place of the bytes that were not written."""
    if not isinstance(number, Undefined):
        return number
    contents = int.from_bytes(bytes([fill]) * size_bytes, "little")
    return Undefined(number & number.known | contents & ~number.known, number.known)


def replaced(number: int, bits: int, mask: int) -> int:
    """Return a number with other bits where the mask is set: what it leaves stays undefined."""
    out = number & ~mask | bits & mask
    return Undefined(out, number.known | mask) if isinstance(number, Undefined) else out


def known_bits(number: int) -> int:
    """Return the mask of the written bits of a scalar."""
    return number.known if isinstance(number, Undefined) else -1
