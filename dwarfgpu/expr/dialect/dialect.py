"""Dialects: which operation an encoding means (`docs/dialects.md`).

Encodings moved over the years and collide. A dialect is a table from encodings to operations;
two meanings of one encoding in one dialect are a build error.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from dwarfgpu.base.lazy_attrs import frozen
from dwarfgpu.errors import UsageError
from dwarfgpu.expr import ops  # noqa: F401 - importing declares the operations
from dwarfgpu.expr.dialect.rocm_2020 import NEW, OTHERWISE
from dwarfgpu.expr.operation import LLVM_USER, OPERATIONS, Code, Operation

DIRECT: dict[Code, str] = {
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
class Dialect:
    """One meaning of the encodings."""

    name: str
    summary: str
    by_code: Mapping[Code, Operation] = field(repr=False)
    provisional: bool = False
    """Whether some encodings are dwarfgpu's own."""
    upstream_clang: bool = False
    """Whether a final `litN, swap, xderef` means an address space of upstream clang."""
    is_of_compilers: bool = True
    """Whether compilers write it, whose habits count where the text is not strictly followed."""
    codes: Mapping[str, Code] = field(init=False, repr=False)
    """The encoding of each operation, by its name; the one-byte encoding where it has two."""

    @codes.default
    def _codes(self) -> dict[str, Code]:
        return {operation.name: code for code, operation in self.by_code.items()}

    def __str__(self) -> str:
        return self.name


def _table(*extra: Mapping[Code, str], user: bool = True) -> dict[Code, Operation]:
    table: dict[Code, Operation] = {}
    for operation in OPERATIONS.values():
        code = operation.code
        if code is not None and (user or not isinstance(code, tuple)):
            assert code not in table, f"{code} means {table[code]} and {operation}"
            table[code] = operation
    for more in extra:
        for number, name in more.items():
            assert number not in table, f"{number} means {table[number]} and {name}"
            table[number] = OPERATIONS[name]
    return table


AMD = Dialect("amd", "DW_OP_LLVM_user with sub-opcodes: current AMD and LLVM compilers", _table())
AMD_DIRECT = Dialect(
    "amd-direct",
    "one-byte DW_OP_LLVM_* operations besides DW_OP_LLVM_user: AMD compilers of LLVM 17 and 18",
    _table(DIRECT),
)
AMD_DIRECT_16 = Dialect(
    "amd-direct-16",
    "one-byte DW_OP_LLVM_* operations, 0xe9 is aspace_implicit_pointer: AMD LLVM 12 to 16",
    _table(DIRECT, {LLVM_USER: "LLVM_aspace_implicit_pointer"}, user=False),
)
AMD_2020 = Dialect(
    "amd-2020",
    "the document of 2020: three one-byte operations, and an address space for each lane",
    {**_table(user=False), **NEW, **OTHERWISE},
    is_of_compilers=False,
)
AMD_PROVISIONAL = Dialect(
    "amd-provisional",
    "amd, with provisional numbers of dwarfgpu's own for operations that have none today",
    _table(PROVISIONAL),
    provisional=True,
    is_of_compilers=False,
)
UPSTREAM_CLANG = Dialect(
    "upstream-clang",
    "what upstream clang emits for AMDGPU: a final litN, swap, xderef names an address space",
    AMD.by_code,
    upstream_clang=True,
)
DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect
    for dialect in (AMD, AMD_DIRECT, AMD_DIRECT_16, AMD_2020, AMD_PROVISIONAL, UPSTREAM_CLANG)
}


def dialect(name: str) -> Dialect:
    """The dialect of that name; `UsageError` names those that exist."""
    try:
        return DIALECTS[name]
    except KeyError:
        raise UsageError(f"unknown dialect {name}; known: {', '.join(DIALECTS)}") from None
