"""`$_siginfo`: why a thread of a core file received its signal, as Linux's `siginfo_t`."""

from __future__ import annotations

from functools import cache
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf.types.type_sizes import size_bytes as size_bytes_of
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Member,
    Pointer,
    Struct,
    Type,
    Typedef,
    without_typedefs,
)
from dwarfgpu.language import TypedValue
from dwarfgpu.model.object import Bits

SIGINFO_BYTES: Final = 128


@cache
def _type(endian: Endian, address_bytes: int) -> Struct:
    """Return `siginfo_t` of a system with addresses of 4 or 8 bytes (Linux,
    `asm-generic/siginfo.h`)."""
    int_ = Base(BaseType("int", "signed", 32, endian))
    unsigned = Base(BaseType("unsigned int", "unsigned", 32, endian))
    short = Base(BaseType("short", "signed", 16, endian))
    long = Base(BaseType("long", "signed", 8 * address_bytes, endian))
    pointer = Pointer(None, size_bytes=address_bytes)
    pid, uid, clock = (
        Typedef("__pid_t", int_), Typedef("__uid_t", unsigned), Typedef("__clock_t", long),
    )  # fmt: skip
    fields_at = -(-12 // address_bytes) * address_bytes
    value = _union("sigval_t", ("sival_int", int_), ("sival_ptr", pointer))
    bounds = _struct(None, ("_lower", pointer), ("_upper", pointer))
    sender = ("si_pid", pid), ("si_uid", uid)
    pad = Array(int_, ((SIGINFO_BYTES - fields_at) // 4,), is_vector=True)
    fields = _union(
        None,
        ("_pad", pad),
        ("_kill", _struct(None, *sender)),
        ("_timer", _struct(None, ("si_tid", int_), ("si_overrun", int_), ("si_sigval", value))),
        ("_rt", _struct(None, *sender, ("si_sigval", value))),
        ("_sigchld", _struct(None, *sender, ("si_status", int_), ("si_utime", clock),
                             ("si_stime", clock))),
        ("_sigfault", _struct(None, ("si_addr", pointer), ("_addr_lsb", short),
                              ("_addr_bnd", bounds))),
        ("_sigpoll", _struct(None, ("si_band", long), ("si_fd", int_))),
        ("_sigsys", _struct(None, ("_call_addr", pointer), ("_syscall", int_),
                            ("_arch", unsigned))),
    )  # fmt: skip
    words = ("si_signo", int_), ("si_errno", int_), ("si_code", int_)
    return _struct("siginfo", *words, ("_sifields", fields))


def _union(name: str | None, *members: tuple[str, Type]) -> Struct:
    size_bytes = max(_size_bytes(kind) for _, kind in members)
    return Struct("union", name, size_bytes, tuple(Member(*member) for member in members))


def _struct(name: str | None, *members: tuple[str, Type]) -> Struct:
    """Return a structure whose members are aligned as in C."""
    offset_bytes, alignment_bytes = 0, 1
    placed: list[Member] = []
    for member, kind in members:
        own = _alignment_bytes(kind)
        offset_bytes = -(-offset_bytes // own) * own
        placed.append(Member(member, kind, 8 * offset_bytes))
        offset_bytes += _size_bytes(kind)
        alignment_bytes = max(alignment_bytes, own)
    size_bytes = -(-offset_bytes // alignment_bytes) * alignment_bytes
    return Struct("struct", name, size_bytes, tuple(placed))


def _size_bytes(kind: Type) -> int:
    size = size_bytes_of(kind)
    assert size is not None
    return size


def _alignment_bytes(kind: Type | None) -> int:
    assert kind is not None
    bare = without_typedefs(kind)
    if isinstance(bare, Struct):
        return max(_alignment_bytes(member.type) for member in bare.members if member.type)
    if isinstance(bare, Array):
        return _alignment_bytes(bare.element)
    return _size_bytes(kind)


def siginfo_value(architecture: Architecture, data: bytes) -> TypedValue:
    """Return the value of the bytes of one."""
    kind = _type(architecture.endian, architecture.address_bits // 8)
    bits = Bits(int.from_bytes(data[:SIGINFO_BYTES], architecture.endian), 8 * SIGINFO_BYTES)
    return TypedValue(kind, bits=bits)
