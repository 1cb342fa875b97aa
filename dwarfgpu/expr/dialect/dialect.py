"""Dialects: the meanings that encodings have had over the years (`docs/dialects.md`).

Law: a dialect is a name and facts about it, so that a unit can have one without knowing an
operation. `dwarfgpu.expr.dialect.encodings` has the operations of each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, Literal, Self, TypeAlias

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import WrongValue
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import UsageError


@frozen(eq=False)
class Dialect:
    """One meaning of the encodings."""

    name: str
    summary: str
    provisional: bool = False
    """Whether some encodings are dwarfgpu's own."""
    upstream_clang: bool = False
    """Whether a final `litN, swap, xderef` means an address space of upstream clang."""
    dwarf6: bool = False
    """Whether it is DWARF 6 as far as its texts are public."""
    is_of_compilers: bool = True
    """Whether compilers write it; their habits count unless the text is followed strictly."""

    def __str__(self) -> str:
        return self.name

    def __copy__(self) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[str], Dialect], tuple[str]]:
        """Make copies and pickles the one object of that name: tables are keyed by it."""
        return dialect, (self.name,)


AMD = Dialect("amd", "DW_OP_LLVM_user with sub-opcodes: current AMD and LLVM compilers")
AMD_DIRECT = Dialect(
    "amd-direct",
    "one-byte DW_OP_LLVM_* operations besides DW_OP_LLVM_user: AMD compilers of LLVM 17 and 18",
)
AMD_DIRECT_16 = Dialect(
    "amd-direct-16",
    "one-byte DW_OP_LLVM_* operations, 0xe9 is aspace_implicit_pointer: AMD LLVM 12 to 16",
)
AMD_2020 = Dialect(
    "amd-2020",
    "the document of 2020: three one-byte operations, and an address space for each lane",
    is_of_compilers=False,
)
AMD_PROVISIONAL = Dialect(
    "amd-provisional",
    "amd, with provisional numbers of dwarfgpu's own for operations that have none today",
    provisional=True,
    is_of_compilers=False,
)
UPSTREAM_CLANG = Dialect(
    "upstream-clang",
    "what upstream clang emits for AMDGPU: a final litN, swap, xderef names an address space",
    upstream_clang=True,
)
NVIDIA = Dialect(
    "nvidia",
    "what CUDA's compilers write: a register's number is its name in PTX, as ASCII",
)
DWARF6 = Dialect(
    "dwarf6",
    "DWARF 6 as far as it is public, with the numbers that are public",
    dwarf6=True,
    is_of_compilers=False,
)
DWARF6_PROVISIONAL = Dialect(
    "dwarf6-provisional",
    "dwarf6, with provisional numbers of dwarfgpu's own for operations that have none yet",
    provisional=True,
    dwarf6=True,
    is_of_compilers=False,
)
DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        AMD,
        AMD_DIRECT,
        AMD_DIRECT_16,
        AMD_2020,
        AMD_PROVISIONAL,
        UPSTREAM_CLANG,
        NVIDIA,
        DWARF6,
        DWARF6_PROVISIONAL,
    )
}

VgprContents: TypeAlias = Literal["value", "address"]
"""What a vector register has that a location of upstream clang's names."""
VGPR_HOLDS: Final[Mapping[str, VgprContents]] = {
    "vgpr-holds-value": "value",
    "vgpr-holds-address": "address",
}
"""The quirks that say what it is where upstream clang does not, by their names."""


def vgpr_contents(quirks: Collection[str]) -> VgprContents | None:
    """Return what quirks say that vector registers hold; `UsageError` for both."""
    chosen = [contents for name, contents in VGPR_HOLDS.items() if name in quirks]
    if len(chosen) > 1:
        raise UsageError(f"the quirks {' and '.join(VGPR_HOLDS)} exclude each other: give one")
    return chosen[0] if chosen else None


@names_wrong_arguments
def dialect(name: str) -> Dialect:
    """Return the dialect of a name; `WrongValue` lists the existing ones."""
    try:
        return DIALECTS[name]
    except KeyError:
        raise WrongValue(f"unknown dialect {name}; known: {', '.join(DIALECTS)}") from None
