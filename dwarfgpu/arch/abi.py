"""How files, compilers and debuggers use a machine: its supplement of the System V ABI.

Law: these are facts of the ELF machine, whatever the processor; registers and address spaces are
in `Architecture`. Each module of a family has its own as `ABI`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias

from dwarfgpu.base.records import Factory, field, frozen

RelocationKind: TypeAlias = Literal[
    "none", "absolute", "absolute_high", "relative", "relative_high", "size", "tls_offset",
    "add", "subtract", "set_6_bits", "add_6_bits", "subtract_6_bits",
    "set_uleb", "add_uleb", "subtract_uleb",
    "base", "symbol", "symbol_addend", "copy", "linker",
]  # fmt: skip
"""How the value is calculated, in the terms of the psABIs: `absolute` S + A, `relative` S + A - P,
`_high` their upper half, `size` Z + A, `tls_offset` the offset in the thread's block; `add` V + S +
A and `subtract` V - S - A, where V is what relocations before have left in the field, `_6_bits` in
its lowest bits, `_uleb` in a ULEB128 number of the same bytes, as `set_`; and what only dynamic
linkers apply: `base` B + A, `symbol` S, `symbol_addend` S + A, `copy`; `linker`: what depends on
other files, on time, or on tables that linkers make."""


@frozen
class Relocation:
    """One type of relocation."""

    name: str
    """As in the psABI: R_X86_64_64."""
    kind: RelocationKind
    size_bytes: int


def relocations(
    prefix: str, rows: Iterable[tuple[int, str, RelocationKind, int]]
) -> dict[int, Relocation]:
    """Return types of relocation by number, from rows of number, name, kind and size in bytes."""
    return {row[0]: Relocation(f"R_{prefix}_{row[1]}", row[2], row[3]) for row in rows}


@frozen
class Prologue:
    """Instructions at the begin of functions that set a frame pointer
    (`dwarfgpu.arch.x86_prologue`)."""

    base: str
    """The register that they set."""
    landing: bytes
    """An instruction that may precede them."""
    push: bytes
    """Saves the frame pointer of the caller."""
    moves: tuple[bytes, ...]
    """The instructions that set it."""
    is_of_i386: bool = False
    """Whether GDB also skips what may come before these instructions and between them, follows a
    jump to them, counts other registers that the function pushes, in code of no function takes the
    frame pointer to be set, and has no base for a frame in which that is 0."""

    @property
    def text(self) -> str:
        """The instructions as assembly."""
        return f"`push %{self.base}; mov %{self.base.replace('bp', 'sp')},%{self.base}`"


@frozen(eq=False)
class Abi:
    """The processor supplement of one ELF machine; by default it defines nothing."""

    relocations: Mapping[int, Relocation] = field(default=Factory(dict), repr=False)
    """Types of relocation by number."""
    dtv_offset: int = 0
    """What a relocation `tls_offset` subtracts, and compilers add."""
    has_three_relocation_types: bool = False
    """Whether a relocation of a 64-bit file has a byte for each of three types, the last in the
    order of calculation first, after the number of its symbol: whatever the order of bytes."""
    file_format: str | None = None
    """BFD's name of its ELF files after `elf64-`, with `{endian}` where it has the byte order."""
    thread_pointer: str | None = None
    """The register with the thread pointer; None: thread-local storage is not supported."""
    thread_control_bytes: int | None = None
    """Bytes between the thread pointer and the program's block after it (variant I of
    thread-local storage); None: the block ends at the thread pointer (variant II)."""
    describes_thread_locals: bool = True
    """Whether compilers describe where thread-local variables are."""
    has_symbol_kinds: bool = True
    """Whether it defines types or bindings of symbols of its own (STT_LOPROC, STB_LOPROC), or that
    is not known."""
    is_loaded_by_runtime: bool = False
    """Whether a runtime of the host loads its files, each by itself, in place of a dynamic linker:
    they have no entry point, and no symbol of another file comes first."""
    long_double_bits: int = 64
    """Size of C's `long double`, in bits."""
    most_number_alignment_bytes: int | None = None
    """The most that an integer or a binary floating-point number of up to the size of a `long
    double` is aligned to; None: to its size."""
    has_x87: bool = False
    """Whether a `long double` of 96 or 128 bits is one of the x87, padded."""
    has_binary_decimals: bool = False
    """Whether decimal floating-point numbers have the binary encoding of IEEE 754, in which the
    coefficient is an integer."""
    is_char_signed: bool = True
    """Whether `char` and `wchar_t` of C are signed."""
    marks_virtual_in_second: bool = False
    """Whether the second half of a pointer to a member function marks a virtual one, as in the
    C++ ABI of Arm; elsewhere the first does."""
    chains_register_rules: bool = False
    """Whether DW_CFA_register means where the rules put the other register (A.6.4.1), rather than
    that register itself (DWARF 5 6.4.1)."""
    capstone_mode: tuple[str, str] | None = None
    """Capstone's names of the architecture and the mode that decode its code."""
    instruction_bytes: int = 1
    """Alignment of its instructions."""
    prologue: Prologue | None = None
    """How functions set a frame pointer; None: not known here."""
    frame_register: Callable[[bytes | None], str | None] | None = None
    """Returns from which register GDB counts in a frame, given what of the first line of the
    function has executed, or None where that is not known; None: the prologue above decides."""

    def is_null_function(self, first: int, second: int) -> bool:
        """Return whether the halves of a pointer to a member function are those of a null one, with
        any adjustment of `this` (Itanium C++ ABI 2.3; C++ ABI of Arm 3.2.1)."""
        return not (first or (self.marks_virtual_in_second and second & 1))


NO_ABI: Final = Abi()
"""Of a machine that is not known."""
