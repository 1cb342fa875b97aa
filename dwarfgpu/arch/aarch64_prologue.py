"""What the first instructions of a function of AArch64 do with its frame: the register from which
GDB counts in the frame, `x29` or `sp`, is the one that they leave at a known distance from the
stack pointer on entry (Arm Architecture Reference Manual, C4.1).

Law: as in GDB, instructions that no compiler puts into a prologue end the analysis, which what was
known before them then decides.
"""

from __future__ import annotations

from typing import Final

_FP: Final = 29
_SP: Final = 31
_SIGNING: Final = frozenset((0xD503233F, 0xD503237F, 0xD50323BF, 0xD50323FF))
"""PACIASP, PACIBSP, AUTIASP, AUTIBSP."""


def frame_register(code: bytes | None) -> str | None:
    """Return the register; None if neither is at a known distance.

    `code`: what of the prologue has executed; None where the beginning of the function is not
    known: then the frame pointer is taken to be set.
    """
    if code is None:
        return "x29"
    prologue = _Prologue()
    for offset in range(0, len(code) - 3, 4):
        if not prologue.execute(int.from_bytes(code[offset : offset + 4], "little")):
            break
    if prologue.is_from_sp(_FP):
        return "x29"
    return "sp" if prologue.is_from_sp(_SP) else None


class _Prologue:
    """Which register each register is at a known distance from: its contents on entry."""

    def __init__(self) -> None:
        self._origin: dict[int, int | None] = {}
        """None for contents that no register had; what is not in it has its own."""
        self._has_set_stack = False

    def is_from_sp(self, register: int) -> bool:
        return self._of(register) == _SP

    def _of(self, register: int) -> int | None:
        return self._origin.get(register, register)

    def execute(self, word: int) -> bool:
        """Follow an instruction; False if it ends the analysis."""
        target, base = word & 31, word >> 5 & 31
        if word & 0x3F800000 == 0x11000000:  # ADD or SUB of an immediate
            self._origin[target] = self._of(base)
            self._has_set_stack |= base == _SP and target == _FP
            return True
        if word & 0x9F000000 == 0x90000000:  # ADRP
            self._origin[target] = None
            return True
        if word & 0x7F800000 == 0x52800000:  # MOVZ
            self._origin[target] = None
            return not self._has_set_stack
        if word & 0x7F20FFE0 == 0x2A0003E0:  # MOV of a register
            self._origin[target] = self._of(word >> 16 & 31)
            return True
        if word & 0xBFE00C00 == 0xB8000000:  # STUR
            self._has_set_stack |= base == _SP
            return True
        if word & 0x3B400000 == 0x29000000:  # STP with an offset, before or without writeback
            return self._store(base, is_frame=not word >> 23 & 1)
        if word & 0xBFE00400 == 0xB8000400 or word & 0x3F600400 == 0x3C000400:  # STR, writeback
            return self._store(base, is_frame=True)
        if word & 0xBFC00000 == 0xB9000000 or word & 0x3F400000 == 0x3D000000:  # STR
            return self._store(base, is_frame=True)
        return word in _SIGNING

    def _store(self, base: int, *, is_frame: bool) -> bool:
        """Follow a store; `is_frame`: a part of the frame, whose place is set by then."""
        if not self.is_from_sp(base):
            return False
        self._has_set_stack |= is_frame and base == _SP
        return True
