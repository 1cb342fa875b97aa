"""The instructions with which functions of x86-64 and i386 set up the frame pointer, and with which
they end (System V ABI, "The Stack Frame"; Intel SDM, volume 2).

Law: only what compilers write at the very beginning of a function is recognized. Nothing is
claimed of a function that begins in another way.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.records import frozen

_RESTORING: Final = (0xC9, 0x5D)
"""`leave`, and `pop` of the frame pointer."""
_RETURNS: Final = re.compile(
    rb"(?:[\x40-\x4f]?\x31[\xc0-\xff]"  # xor
    rb"|\x66[\x40-\x4f]?\x0f\xef[\xc0-\xff]"  # pxor
    rb"|[\x40-\x4f]?\x0f\x57[\xc0-\xff]"  # xorps
    rb"|\xd9\xee|\xdd\xd8)*"  # fldz, fstp %st(0)
    rb"[\xf2\xf3]?[\xc2\xc3]",
    re.DOTALL,
)
"""`ret` and `ret N`, with prefixes that processors ignore or without, also behind instructions that
clear registers (`-fzero-call-used-regs`)."""
MOST_RETURN_BYTES: Final = 128
"""All that such a compiler clears, and `ret`."""
MOST_CALL_BYTES: Final = 7
"""`call *disp32(base,index,scale)`, without a prefix before it."""


@frozen
class FramePointer:
    """The frame pointer of an architecture, and how a prologue sets it."""

    register: str
    prologues: tuple[bytes, ...]

    @property
    def prologue_text(self) -> str:
        """The prologue as assembly."""
        stack = self.register.replace("bp", "sp")
        return f"`push %{self.register}; mov %{stack},%{self.register}`"

    def is_set(self, executed: bytes, following: bytes, *, is_called: bool) -> bool:
        """Return whether the frame pointer is that of a function.

        `executed`: its code up to where it is; `following`: from there on. `is_called`: whether it
        waits for a function that it has called; else it may be where its epilogue has already
        restored the frame pointer.
        """
        if not executed.startswith(self.prologues):
            return False
        if is_called:
            return True
        return executed[-1] not in _RESTORING and _RETURNS.match(following) is None


FRAME_POINTERS: Final = {
    "x86_64": FramePointer(
        "rbp",
        tuple(
            landing + b"\x55" + move
            for landing in (b"", b"\xf3\x0f\x1e\xfa")  # endbr64
            for move in (b"\x48\x89\xe5", b"\x48\x8b\xec")  # both encodings of mov
        ),
    ),
    "i386": FramePointer(
        "ebp",
        tuple(
            landing + b"\x55" + move
            for landing in (b"", b"\xf3\x0f\x1e\xfb")  # endbr32
            for move in (b"\x89\xe5", b"\x8b\xec")
        ),
    ),
}
"""By the name of the architecture."""


def follows_call(code: bytes) -> bool:
    """Return whether code may end with a call: `call rel32`, or `call` through a register or
    memory (opcode FF /2)."""
    if code[-5:-4] == b"\xe8":
        return True
    return any(
        code[-size] == 0xFF and code[1 - size] & 0x38 == 0x10
        for size in range(2, min(len(code), MOST_CALL_BYTES) + 1)
    )
