"""The operation that each encoding means in each dialect (`docs/dialects.md`).

Encodings moved over the years and collide. Two meanings of one encoding in one dialect fail at
import.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from dwarfgpu.base.records import field, frozen
from dwarfgpu.expr import ops  # noqa: F401 - importing declares the operations
from dwarfgpu.expr.dialect.dialect import (
    AMD,
    AMD_2020,
    AMD_DIRECT,
    AMD_DIRECT_16,
    AMD_PROVISIONAL,
    NVIDIA,
    UPSTREAM_CLANG,
    Dialect,
)
from dwarfgpu.expr.dialect.rocm_2020 import ADDED_OPERATIONS, CHANGED_OPERATIONS
from dwarfgpu.expr.operation import LLVM_USER, OPERATIONS, Code, Operation

ONE_BYTE: dict[Code, str] = {
    0xE1: "LLVM_form_aspace_address",
    0xE2: "LLVM_push_lane",
    0xE3: "LLVM_offset",
    0xE4: "LLVM_offset_uconst",
    0xE5: "LLVM_bit_offset",
    0xE6: "LLVM_call_frame_entry_reg",
    0xE7: "LLVM_undefined",
    0xE8: "LLVM_aspace_bregx",
    0xEA: "LLVM_piece_end",
    0xEB: "LLVM_extend",
    0xEC: "LLVM_select_bit_piece",
}
"""The one-byte numbering of AMD's compilers of about LLVM 12 to 18."""

PROVISIONAL: dict[Code, str] = {
    (LLVM_USER, 0x7C): "LLVM_aspace_implicit_pointer",
    (LLVM_USER, 0x7D): "LLVM_push_iteration",
    (LLVM_USER, 0x7E): "LLVM_overlay",
    (LLVM_USER, 0x7F): "LLVM_bit_overlay",
}
"""Our own numbers for operations that have none; no producer emits them."""


@frozen(eq=False)
class Encodings:
    """The encodings of one dialect."""

    by_code: Mapping[Code, Operation] = field(repr=False)
    codes: Mapping[str, Code] = field(init=False, repr=False)
    """The encoding of each operation by name; the one-byte encoding if it has two, because
    `_table` inserts that last."""

    @codes.default
    def _codes(self) -> dict[str, Code]:
        return {operation.name: code for code, operation in self.by_code.items()}


def _table(*extra: Mapping[Code, str], with_llvm_user: bool = True) -> dict[Code, Operation]:
    table: dict[Code, Operation] = {}
    for operation in OPERATIONS.values():
        code = operation.code
        if code is not None and (with_llvm_user or not isinstance(code, tuple)):
            assert code not in table, f"{code} means {table[code]} and {operation}"
            table[code] = operation
    for encodings in extra:
        for number, name in encodings.items():
            assert number not in table, f"{number} means {table[number]} and {name}"
            table[number] = OPERATIONS[name]
    return table


_CURRENT: Final = Encodings(_table())
_ENCODINGS: Final[Mapping[Dialect, Encodings]] = {
    AMD: _CURRENT,
    AMD_DIRECT: Encodings(_table(ONE_BYTE)),
    AMD_DIRECT_16: Encodings(
        _table(ONE_BYTE, {LLVM_USER: "LLVM_aspace_implicit_pointer"}, with_llvm_user=False)
    ),
    AMD_2020: Encodings({**_table(with_llvm_user=False), **ADDED_OPERATIONS, **CHANGED_OPERATIONS}),
    AMD_PROVISIONAL: Encodings(_table(PROVISIONAL)),
    UPSTREAM_CLANG: _CURRENT,
    NVIDIA: _CURRENT,
}


@lru_cache(maxsize=2)
def _dwarf6(dialect: Dialect) -> Encodings:
    from dwarfgpu.expr.dialect import dwarf6  # few units are of DWARF 6

    return Encodings(dwarf6.table(_CURRENT.by_code, provisional=dialect.provisional))


def encodings(dialect: Dialect) -> Encodings:
    """Return the encodings of a dialect and the operations that they mean."""
    return _dwarf6(dialect) if dialect.dwarf6 else _ENCODINGS[dialect]
