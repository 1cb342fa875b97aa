"""What SDWA selects of the sources of an operation, and the part of its register that the result is
placed in: as influences.

Law: of a source, the bits below the top one of the part are bits of it; those above are zeros, or
with `sext` its top bit. The part of the result is its low bits; the rest of the register is zero,
above the part its top bit (`UNUSED_SEXT`), or stays.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from dwarfgpu.machine.simulated.semantics.byte_influences import Influences

DWORD: Final = 6
"""A selection of all."""
_SIGN: Final = 1
"""`dst_unused`: the top bit of the part."""
_FULL: Final = 0xFFFFFFFF


class SelectedSource(NamedTuple):
    """The part of a source that is read."""

    select: int = DWORD
    """0 to 3 a byte, 4 and 5 a half."""
    is_sign_extended: bool = False

    def bits(self, bits: int) -> int:
        """Return the bits of the register that are those of the source."""
        if self.select == DWORD:
            return bits
        width, first = _part(self.select)
        out = bits & (1 << width) - 1
        if bits >> width and self.is_sign_extended:
            out |= 1 << width - 1
        return out << first

    def number(self, register: int) -> int:
        """Return the source that is a part of a register."""
        if self.select == DWORD:
            return register
        width, first = _part(self.select)
        out = register >> first & (1 << width) - 1
        is_negative = self.is_sign_extended and out >> width - 1
        return out | _FULL & -1 << width if is_negative else out


class PlacedResult(NamedTuple):
    """The part of the register that the result is placed in."""

    select: int = DWORD
    unused: int = 0
    """What the rest is: zero, the sign (1), or what it was (2)."""

    def part(self, rows: Influences) -> Influences:
        """Return the influences of the bytes of a result that are placed."""
        return rows if self.select == DWORD else rows[: _part(self.select)[0] // 8]

    def placed(self, rows: Influences) -> Influences:
        """Return the influences of the bytes of the register; none of those that stay."""
        if self.select == DWORD:
            return rows
        part = self.part(rows)
        below = _part(self.select)[1] // 8
        constant = (0,) * len(part[0])
        above = part[-1] if self.unused == _SIGN else constant
        return [*[constant] * below, *part, *[above] * (4 - below - len(part))]


def _part(select: int) -> tuple[int, int]:
    """Return the width of a part and its first bit."""
    return (8, 8 * select) if select < 4 else (16, 16 * (select - 4))
