"""`$_siginfo`: why a thread of a core file received its signal, as Linux's `siginfo_t`."""

from __future__ import annotations

from functools import cache
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf.types.types import Array, Base, Member, Pointer, Struct, Type, Typedef
from dwarfgpu.language import TypedValue
from dwarfgpu.model.object import Bits

SIGINFO_BYTES: Final = 128
_PAD_WORDS: Final = 28
_FIELDS_AT: Final = 16


@cache
def _type(endian: Endian) -> Struct:
    """Return `siginfo_t` of a 64-bit system (Linux, `asm-generic/siginfo.h`)."""
    int_ = Base(BaseType("int", "signed", 32, endian))
    unsigned = Base(BaseType("unsigned int", "unsigned", 32, endian))
    short = Base(BaseType("short", "signed", 16, endian))
    long = Base(BaseType("long", "signed", 64, endian))
    pointer = Pointer(None)
    pid, uid, clock = (
        Typedef("__pid_t", int_), Typedef("__uid_t", unsigned), Typedef("__clock_t", long),
    )  # fmt: skip
    value = _struct("union", "sigval_t", 8, ("sival_int", int_, 0), ("sival_ptr", pointer, 0))
    bounds = _struct("struct", None, 16, ("_lower", pointer, 0), ("_upper", pointer, 8))
    sender = ("si_pid", pid, 0), ("si_uid", uid, 4)
    kinds: tuple[tuple[str, Type, int], ...] = (
        ("_pad", Array(int_, (_PAD_WORDS,), is_vector=True), 0),
        ("_kill", _struct("struct", None, 8, *sender), 0),
        ("_timer", _struct("struct", None, 16, ("si_tid", int_, 0), ("si_overrun", int_, 4),
                         ("si_sigval", value, 8)), 0),
        ("_rt", _struct("struct", None, 16, *sender, ("si_sigval", value, 8)), 0),
        ("_sigchld", _struct("struct", None, 32, *sender, ("si_status", int_, 8),
                           ("si_utime", clock, 16), ("si_stime", clock, 24)), 0),
        ("_sigfault", _struct("struct", None, 32, ("si_addr", pointer, 0), ("_addr_lsb", short, 8),
                            ("_addr_bnd", bounds, 16)), 0),
        ("_sigpoll", _struct("struct", None, 16, ("si_band", long, 0), ("si_fd", int_, 8)), 0),
        ("_sigsys", _struct("struct", None, 16, ("_call_addr", pointer, 0), ("_syscall", int_, 8),
                          ("_arch", unsigned, 12)), 0),
    )  # fmt: skip
    fields = _struct("union", None, SIGINFO_BYTES - _FIELDS_AT, *kinds)
    return _struct(
        "struct", "siginfo", SIGINFO_BYTES,
        ("si_signo", int_, 0), ("si_errno", int_, 4), ("si_code", int_, 8),
        ("_sifields", fields, _FIELDS_AT),
    )  # fmt: skip


def _struct(
    kind: str, name: str | None, size_bytes: int, *members: tuple[str, Type, int]
) -> Struct:
    members_of = tuple(Member(name, of, 8 * offset) for name, of, offset in members)
    return Struct("union" if kind == "union" else "struct", name, size_bytes, members_of)


def siginfo_value(architecture: Architecture, data: bytes) -> TypedValue:
    """Return the value of the bytes of one."""
    kind = _type(architecture.endian)
    bits = Bits(int.from_bytes(data[:SIGINFO_BYTES], architecture.endian), 8 * SIGINFO_BYTES)
    return TypedValue(kind, bits=bits)
