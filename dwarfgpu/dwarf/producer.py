"""Identify the compiler of a unit by DW_AT_producer, and what follows from it.

Numbers moved. AMD's compilers up to LLVM 18 wrote the operations of the AMD text as single bytes
from 0xe1 on, with 0xe9 as DW_OP_LLVM_aspace_implicit_pointer up to LLVM 16 and as DW_OP_LLVM_user
since, and their attributes from 0x3e0a on. Upstream clang describes AMDGPU variables without the
AMD text, in a way of its own, and frames not at all up to LLVM 22.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen

_CLANG: Final = pattern(r"(?:clang|flang) version ([0-9]{1,9})")
_TRITON: Final = pattern(r"triton\b")
_GCC: Final = pattern(r"GNU (?!AS\b)\S+ [0-9]")
_GNU_C: Final = pattern(r"GNU C[0-9]* ([0-9]{1,4})\.")
_DEBUG_LEVEL: Final = pattern(r" -g(?:dwarf(?:-[2-5])?|(?:gdb)?([0-3]?))(?= |$)")
_LEVEL: Final = pattern(r" -O(\w*)(?= |$)")
_AMD: Final = pattern(r"\bAMD (?:clang|flang)|\broc-[0-9]|RadeonOpenCompute|ROCm/llvm-project")
LAST_WITHOUT_USER: Final = 16
"""The last major version of LLVM whose AMD compilers did not write DW_OP_LLVM_user."""
LAST_DIRECT: Final = 18
"""The last one whose AMD compilers wrote DW_OP_LLVM operations as single bytes."""

LAST_WITHOUT_ROWS: Final = 22
"""The last major version of upstream LLVM that wrote FDEs without any rule for AMD GPUs."""


@frozen
class Producer:
    """What DW_AT_producer says."""

    is_clang: bool
    is_gcc: bool
    is_amd: bool
    is_upstream: bool
    """Whether it is known to use upstream LLVM."""
    is_triton: bool
    """Whether it is Triton, which uses upstream LLVM and does not name its version."""
    is_free_pascal: bool
    version: int | None
    """The major version of LLVM."""


@lru_cache(maxsize=64)
def parse_producer(text: str) -> Producer:
    """Return the compiler of a DW_AT_producer string."""
    match, is_amd = _CLANG.search(text), bool(_AMD.search(text))
    is_triton = bool(_TRITON.match(text))
    return Producer(
        is_clang=bool(match),
        is_gcc=bool(_GCC.match(text)),
        is_amd=is_amd,
        is_upstream=not is_amd and (bool(match) or is_triton),
        is_triton=is_triton,
        is_free_pascal=text.startswith("Free Pascal"),
        version=int(match[1]) if match else None,
    )


def tracks_calls(text: str) -> bool:
    """Return whether locations in a unit extend over a call only if it preserves their register.

    True for GCC with variable tracking (-fvar-tracking, with optimization), whose options are in
    DW_AT_producer; not for assemblers, nor for clang, whose locations extend to the end of the
    call.
    """
    if not _GCC.match(text) or "-fno-var-tracking" in text.split():
        return False
    levels = _LEVEL.findall(text)
    return bool(levels) and levels[-1] != "0"


def debug_level(text: str) -> int | None:
    """Return the level of the debugging information of GCC, by the last of its options for one
    (-g1, -ggdb3); those without a level (-g, -gdwarf-5) raise it to 2. None for another compiler,
    or where options are not recorded (-gno-record-gcc-switches)."""
    level = None
    for number in _DEBUG_LEVEL.findall(text) if _GCC.match(text) else ():
        level = int(number) if number else max(level or 0, 2)
    return level


def widens_enumerators(text: str) -> bool:
    """Return whether all enumerators of an enumeration of C have its type if int does not hold each
    of them, as in C23: so has GCC them from version 13 on; before it, only those beyond int."""
    version = _GNU_C.match(text)
    return version is not None and int(version[1]) >= 13


def has_legacy_attributes(text: str) -> bool:
    """Return whether the DW_AT_LLVM attributes may have the numbers of LLVM 18 and before."""
    who = parse_producer(text)
    return who.is_amd and who.version is not None and who.version <= LAST_DIRECT
