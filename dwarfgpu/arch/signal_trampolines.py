"""The instructions to which signal handlers return on Linux, and where the kernel has saved the
registers of what the signal interrupted (`asm/sigcontext.h` and `asm/ucontext.h` of its interface).

Law: offsets are in bytes. Only what `rt_sigreturn` and `sigreturn` read is named here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.base.records import frozen


@frozen
class Trampoline:
    """Instructions that return from a signal handler."""

    instructions: tuple[bytes, ...]
    context_offset: int
    """From the stack pointer before the first of them to the `sigcontext`."""
    popped_bytes: int = 0
    """What the first of them takes from the stack."""


@frozen
class PointedState:
    """Floating-point and vector registers of x86, to which the `sigcontext` points."""

    pointer_offset: int
    offsets: Mapping[str, int]
    """By the names of registers, from where the pointer points to."""
    magic_offset: int | None = None
    """Of two bytes, which are 0 if the registers are saved there."""


@frozen
class StateRecord:
    """A record with vector registers, among those behind each other in the `sigcontext`."""

    first_offset: int
    """Of the first record in the `sigcontext`."""
    magic: int
    offsets: Mapping[str, int]
    """By the names of registers, from the begin of the record."""
    end_offset: int
    """The end of all records in the `sigcontext`."""


@frozen
class SignalFrames:
    """The frames that the kernel makes for the handlers of signals."""

    trampolines: tuple[Trampoline, ...]
    offsets: Mapping[str, int]
    """By the names of registers, in the `sigcontext`."""
    state: PointedState | StateRecord
    unchanged: frozenset[str] = frozenset()
    """The names of registers without a DWARF number that signals do not change."""


def _words(names: str, word_bytes: int) -> dict[str, int]:
    """Return the offsets of registers that follow one another; `-` is no register."""
    offsets = {name: word_bytes * n for n, name in enumerate(names.split())}
    offsets.pop("-", None)
    return offsets


def _numbered(count: int, prefix: str, first: int, size_bytes: int) -> dict[str, int]:
    return {f"{prefix}{n}": first + size_bytes * n for n in range(count)}


_MOV_8_139: Final = 0xD2801168
"""mov x8, #139"""
_SVC_0: Final = 0xD4000001
"""svc #0"""

SIGNAL_FRAMES: Final = {
    "x86_64": SignalFrames(
        trampolines=(  # mov $15,%rax; syscall
            Trampoline((b"\x48\xc7\xc0\x0f\0\0\0", b"\x0f\x05"), 40),
        ),
        offsets=_words(
            "r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx rsp rip eflags", 8
        ),
        state=PointedState(
            184, {"mxcsr": 24} | _numbered(8, "st", 32, 16) | _numbered(16, "xmm", 160, 16)
        ),
    ),
    "i386": SignalFrames(
        trampolines=(
            # pop %eax; mov $119,%eax; int $0x80
            Trampoline((b"\x58", b"\xb8\x77\0\0\0", b"\xcd\x80"), 4, 4),
            # mov $173,%eax; int $0x80
            Trampoline((b"\xb8\xad\0\0\0", b"\xcd\x80"), 160),
        ),
        offsets=_words(
            "gs fs es ds edi esi ebp esp ebx edx ecx eax - - eip cs eflags - ss", 4
        ),
        state=PointedState(
            76, {"mxcsr": 136} | _numbered(8, "st", 28, 10) | _numbered(8, "xmm", 272, 16), 110
        ),
        unchanged=frozenset(("gs_base",)),
    ),
}  # fmt: skip


def _of_aarch64(cpsr: int) -> SignalFrames:
    """Return the frames of AArch64; `cpsr`: the offset of the half of the word that it is in."""
    instructions = tuple(code.to_bytes(4, "little") for code in (_MOV_8_139, _SVC_0))
    vectors = {"fpsr": 8, "fpcr": 12} | _numbered(32, "v", 16, 16)
    return SignalFrames(
        trampolines=(Trampoline(instructions, 304),),
        offsets=_numbered(31, "x", 8, 8) | {"sp": 256, "pc": 264, "cpsr": cpsr},
        state=StateRecord(288, 0x46508001, vectors, 288 + 4096),
        unchanged=frozenset(("pauth_dmask", "pauth_cmask")),
    )


SIGNAL_FRAMES["aarch64"] = _of_aarch64(272)
SIGNAL_FRAMES["aarch64_be"] = _of_aarch64(276)
