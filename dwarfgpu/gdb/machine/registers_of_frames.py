"""GDB's registers of one frame after the other, in a time that grows with their number.

GDB asks each newer frame for a register that a frame has not saved: of a deep recursion, thousands
of frames for each register.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

import gdb

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.gdb.machine.gdb_target import frame_register
from dwarfgpu.gdb.machine.gdb_values import said

Contents: TypeAlias = bytes | None | DwarfGpuError
"""Of a register; None if its value is lost, or why it is unknown."""
_SAVED: Final = re.compile(r"(\w+) at 0x")


class RegistersOfFrames:
    """The registers of frames, which are asked for from the newest outwards.

    Law: frames whose code is at the same pc save the same registers. What the second one has
    not saved, and has passed on unchanged, is that of the next frame for the others as well.
    """

    def __init__(self, program_counter: int | None) -> None:
        """`program_counter`: its DWARF number. A recursion returns to one pc again and again,
        and GDB may compute it from another register."""
        self._program_counter = program_counter
        self._newer: gdb.Frame | None = None
        self._of_newer: dict[RegisterInfo, Contents] = {}
        self._once: set[int] = set()
        """Program locations of one frame."""
        self._passed_on: dict[int, frozenset[RegisterInfo]] = {}
        """Registers that code passes on, by its program location."""

    def of(
        self, frame: gdb.Frame, registers: Sequence[RegisterInfo]
    ) -> dict[RegisterInfo, Contents]:
        """Return the contents of registers."""
        callee = self._newer if _called_by(frame) == self._newer else None
        pc = None if callee is None else int(callee.pc())
        passed_on = frozenset() if pc is None else self._passed_on.get(pc, frozenset())
        contents = {
            register: self._of_newer[register] if register in passed_on else _read(frame, register)
            for register in registers
        }
        if pc is not None and pc in self._once and pc not in self._passed_on:
            self._passed_on[pc] = self._unchanged(callee, contents)
        if pc is not None:
            self._once.add(pc)
        self._newer, self._of_newer = frame, contents
        return contents

    def _unchanged(
        self, callee: gdb.Frame, contents: dict[RegisterInfo, Contents]
    ) -> frozenset[RegisterInfo]:
        """Return the registers that a frame has not saved, and that its caller has unchanged."""
        try:
            saved = set(_SAVED.findall(said(f"info frame level {callee.level()}")))
        except gdb.error:
            return frozenset()
        return frozenset(
            register
            for register, data in contents.items()
            if register.name not in saved
            and register.number != self._program_counter
            and data == self._of_newer.get(register, ...)
        )


def _called_by(frame: gdb.Frame) -> gdb.Frame | None:
    """Return the frame that an ordinary frame called, if that is waiting for a call as well: their
    program locations are then both behind calls."""
    called = _newer_physical(frame)
    frames = (frame, called, None if called is None else _newer_physical(called))
    is_ordinary = all(one is not None and one.type() == gdb.NORMAL_FRAME for one in frames)
    return called if is_ordinary else None


def _newer_physical(frame: gdb.Frame) -> gdb.Frame | None:
    newer = frame.newer()
    while newer is not None and newer.type() == gdb.INLINE_FRAME:
        newer = newer.newer()
    return newer


def _read(frame: gdb.Frame, register: RegisterInfo) -> Contents:
    try:
        return frame_register(frame, register)
    except DwarfGpuError as error:
        return error
