"""GDB's groups of the registers of x86-64 and i386, in its order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from dwarfgpu.arch.model import RegisterGroups

_SEGMENTS: Final = ("cs", "ss", "ds", "es", "fs", "gs")
_INTEGER: Final = (
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15", "rip", "eflags", *_SEGMENTS,
)  # fmt: skip
_INTEGER_OF_I386: Final = (
    "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags", *_SEGMENTS,
)  # fmt: skip
_FLOAT: Final = (
    *(f"st{n}" for n in range(8)),
    "fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop",
)  # fmt: skip
_SYSTEM: Final = ("fs_base", "gs_base", "orig_rax")


def _names(group: str, has: Callable[[str], bool]) -> Iterator[str]:
    """Yield the registers of a group that the processor has, according to `has`."""
    masks = [f"k{n}" for n in range(8)] if has("k0") else []
    if group == "general":
        yield from (*_INTEGER, *masks)
    elif group == "float":
        yield from _FLOAT
    elif group == "system":
        yield from _SYSTEM
    elif group == "vector":
        yield from _vectors(has)
    elif group == "sse":
        yield from (*_named("xmm", 16), "mxcsr", *(_named("xmm", 32)[16:] if masks else ()))
    elif group == "all":
        first, *rest = _vectors(has)
        yield from (*_INTEGER, *_FLOAT, first, *masks, *_keys(has), *rest)
    elif group != "mmx":
        yield from _kept(has, masks)


def _vectors(has: Callable[[str], bool]) -> list[str]:
    """Return the largest vectors that there are."""
    if has("k0"):
        return ["mxcsr", *_named("zmm", 32)]
    return ["mxcsr", *_named("ymm" if has("ymm0h") else "xmm", 16)]


def _kept(has: Callable[[str], bool], masks: list[str]) -> Iterator[str]:
    """Yield all that are not made of others."""
    yield from (*_INTEGER, *_FLOAT, *_named("xmm", 16), "mxcsr")
    if has("ymm0h"):
        yield from (f"ymm{n}h" for n in range(16))
    if masks:
        yield from (*_named("xmm", 32)[16:], *(f"ymm{n}h" for n in range(16, 32)), *masks)
        yield from (f"zmm{n}h" for n in range(32))
    yield from (*_keys(has), *_SYSTEM)


def _keys(has: Callable[[str], bool]) -> tuple[str, ...]:
    return ("pkru",) if has("pkru") else ()


def _names_of_i386(group: str, has: Callable[[str], bool]) -> Iterator[str]:
    """Yield the same for i386, with vectors up to number 7; those of MMX are vectors."""
    masks = _named("k", 8) if has("k0") else []
    sse = [*_named("xmm", 8), "mxcsr"]
    has_avx = bool(masks) or has("ymm0h")
    wide = _named("zmm" if masks else "ymm", 8) if has_avx else []
    if group == "mmx":
        yield from _named("mm", 8)
    elif group == "system":
        yield "orig_eax"
    elif group == "sse":
        yield from sse
    elif group == "vector":
        yield from (*(["mxcsr", *wide] if wide else sse), *_named("mm", 8))
    elif group == "float":
        yield from _FLOAT
    elif group == "general":
        yield from (*_INTEGER_OF_I386, *masks)
    elif group == "all":
        yield from (*_INTEGER_OF_I386, *_FLOAT, *(["mxcsr"] if wide else sse))
        yield from (*masks, *_keys(has), *wide, *_named("mm", 8))
    else:
        yield from (*_INTEGER_OF_I386, *_FLOAT, *sse)
        yield from (f"ymm{n}h" for n in range(8 if has_avx else 0))
        yield from (*masks, *(f"zmm{n}h" for n in range(len(masks))))
        yield from (*_keys(has), "orig_eax")


def _named(kind: str, count: int) -> list[str]:
    return [f"{kind}{n}" for n in range(count)]


_GROUPS: Final = (
    "general", "float", "system", "vector", "all", "save", "restore", "mmx", "sse",
)  # fmt: skip
GROUPS: Final = RegisterGroups(_GROUPS, _names)
GROUPS_OF_I386: Final = RegisterGroups(_GROUPS, _names_of_i386)
