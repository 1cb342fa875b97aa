"""Who wrote a unit, and so what its vendor encodings mean (`docs/dialects.md`).

Law: the producer's name decides where it is known, the operations used where it is not.

Numbers moved. AMD's compilers up to LLVM 18 wrote the operations of the AMD text as single bytes
from 0xe1 on, with 0xe9 as DW_OP_LLVM_aspace_implicit_pointer up to LLVM 16 and as DW_OP_LLVM_user
since, and their attributes from 0x3e0a on. Upstream clang describes AMDGPU variables without the
AMD text, in a way of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.dialect import AMD, AMD_DIRECT
from dwarfgpu.expr.dialect.encodings import DIRECT
from dwarfgpu.expr.dialect.upstream_clang import has_suffix
from dwarfgpu.expr.operation import LLVM_USER

_CLANG: Final = re.compile(r"(?:clang|flang) version (\d{1,9})")
_UPSTREAM: Final = re.compile(r"triton\b")
"""Compilers other than clang that use upstream LLVM for AMD GPUs."""
_GCC: Final = re.compile(r"GNU (?!AS\b)\S+ \d")
_LEVEL: Final = re.compile(r" -O(\w*)(?= |$)")
_AMD: Final = re.compile(r"\bAMD (?:clang|flang)|\broc-\d|RadeonOpenCompute|ROCm/llvm-project")
_VENDOR_BYTES: Final = re.compile(rb"[\xe1-\xec]")
"""An expression without any of these has no DW_OP_LLVM operation in any dialect."""
_UPSTREAM_BYTES: Final = re.compile(rb"[\x90\x92\xa5]|\x16\x18")
"""An expression without any of these has no form of upstream LLVM's."""
_LAST_WITHOUT_USER: Final = 16
_LAST_DIRECT: Final = 18


@frozen
class Producer:
    """What DW_AT_producer says."""

    is_clang: bool
    is_amd: bool
    is_upstream: bool
    """Whether it is known to use upstream LLVM."""
    version: int | None
    """The major version of LLVM."""


def parse_producer(text: str) -> Producer:
    """The compiler of a DW_AT_producer string."""
    match, is_amd = _CLANG.search(text), bool(_AMD.search(text))
    is_upstream = not is_amd and bool(match or _UPSTREAM.match(text))
    return Producer(bool(match), is_amd, is_upstream, int(match[1]) if match else None)


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


def has_legacy_attributes(text: str) -> bool:
    """Whether the DW_AT_LLVM attributes may have the numbers of LLVM 18 and before."""
    who = parse_producer(text)
    return who.is_amd and who.version is not None and who.version <= _LAST_DIRECT


def vendor_operations(expressions: Iterable[bytes], format: UnitFormat) -> frozenset[str]:
    """Which forms of DW_OP_LLVM operations occur: `direct`, `user`; `other` for an unclear 0xe9."""
    names: set[str] = set()
    for expression in expressions:
        if not _VENDOR_BYTES.search(expression):
            continue
        decoded = decode(expression, AMD_DIRECT, format)
        for instruction in decoded.instructions:
            opcode = instruction.encoding[0]
            if opcode == LLVM_USER:
                names.add("user")
            elif opcode in DIRECT:
                names.add("direct")
        if decoded.error is not None and decoded.undecoded[:1] == bytes((LLVM_USER,)):
            names.add("other")
    return frozenset(names)


def detect_dialect(
    producer: str, expressions: Iterable[bytes], machine: str, format: UnitFormat
) -> str:
    """Return the name of the dialect of a unit; reads its expressions only if they decide."""
    if machine != "AMDGPU":
        return "amd"
    who = parse_producer(producer)
    if who.is_amd and who.version is not None:
        if who.version <= _LAST_WITHOUT_USER:
            return "amd-direct-16"
        if who.version > _LAST_DIRECT:
            return "amd"
    is_gcc = bool(_GCC.match(producer))
    if not who.is_amd and not who.is_upstream and not is_gcc:
        expressions = list(expressions)
    used = vendor_operations(expressions, format)
    if who.is_amd:
        return "amd-direct" if "direct" in used else "amd"
    if "other" in used and "user" not in used:
        return "amd-direct-16"
    if "direct" in used:
        return "amd-direct"
    if used or is_gcc:
        return "amd"
    if who.is_upstream or _has_upstream_forms(expressions, format):
        return "upstream-clang"
    return "amd"


def _has_upstream_forms(expressions: Iterable[bytes], format: UnitFormat) -> bool:
    """Whether an expression without DW_OP_LLVM operations is as upstream LLVM writes them.

    Either it uses a vector register, or it ends in `litN, swap, xderef`.
    """
    for expression in expressions:
        if not _UPSTREAM_BYTES.search(expression):
            continue
        instructions = decode(expression, AMD, format).instructions
        if has_suffix(instructions) or any(
            instruction.operands and instruction.operands[0] in VECTOR_REGISTERS
            for instruction in instructions.distinct
            if instruction.operation.name in ("regx", "bregx", "regval_type")
        ):
            return True
    return False
