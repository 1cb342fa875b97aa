"""Find the machine registers that hold PTX registers in the code of a cubin, from the tables
`.nv_debug_info_reg_sass` and `.nv_debug_info_reg_type`.

For each function the first has its name, a count, and as many entries: which 32 bits of the
register, its name, the machine's register, and the offsets in the function of the first and of the
last instruction before which it is there (cuda-gdb, `cuda-regmap.c`, `cudadebugger.h`). The second
has the name, the count, and a byte for the type of each entry, as ptxas writes it for registers
that are declared with each type.

Law: bytes are read as they are; a table that ends early is `Malformed`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import LimitExceeded, Malformed
from dwarfgpu.objfile.cuda_target import cuda_target
from dwarfgpu.objfile.elf import ObjectFile

SECTION: Final = ".nv_debug_info_reg_sass"
_TYPE_SECTION: Final = ".nv_debug_info_reg_type"
_TYPES: Final = (
    "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16",
    "f16x2", "f32", "f64", "pred",
)  # fmt: skip
MAX_ALLOCATIONS: Final = 1000
"""Entries of one register that apply in one range; ptxas writes some dozens."""
_LEAST_WORK: Final = 1 << 20
_WORK_PER_ENTRY: Final = 64
_MAX_WORDS: Final = 4
"""Of 32 bits: the largest register of PTX has 128."""
_PART: Final = 3
_FIRST_LONG: Final = 70
_LONG_BYTES, _SHORT_BYTES = 16, 8
"""Bytes of an instruction, from `_FIRST_LONG` on and before (CUDA Binary Utilities)."""
_HALF, _LOCAL, _STACK, _UNIFORM_HALF = 4, 6, 7, 10
_REGISTERS: Final = {1: "CC", 2: "P", 5: "R", 9: "UP", 11: "UR"}
"""The machine's registers by class, in the highest byte: CUDBGRegClass."""


@frozen
class Allocation:
    """Where 32 bits of a register of PTX, or all of a smaller one, are in a range of code."""

    function: str
    name: str
    """`%rd10`."""
    part: int
    """Which of its words, the lowest first."""
    register: int
    """The class in the highest byte, and the number."""
    begin: int
    """An address of the file; so is the end, which is not in the range."""
    end: int
    type: str | None
    """As PTX declares it: `b64`; None if the file has no table of types, or a code that is unknown
    here."""

    @property
    def register_text(self) -> str:
        """`R4`, `P0`, `the low half of R4`, `local memory at R1+8`."""
        kind, number = self.register >> 24, self.register & 0xFFFFFF
        if kind in (_HALF, _UNIFORM_HALF):
            half = "high" if number & 1 else "low"
            return f"the {half} half of {'R' if kind == _HALF else 'UR'}{number >> 1}"
        if kind == _LOCAL:
            return f"local memory at {number:#x}"
        if kind == _STACK:
            return f"local memory at R{number >> 16}+{number & 0xFFFF:#x}"
        if kind not in _REGISTERS:
            return f"register {self.register:#x}"
        name = _REGISTERS[kind]
        return name if kind == 1 else f"{name}{number}"

    @property
    def word_count(self) -> int | None:
        """How many words the register has; None where its type is unknown."""
        return None if self.type is None else 2 if self.type.endswith("64") else 1


def allocations(file: ObjectFile) -> tuple[Allocation, ...]:
    """Return all of a file in the order of its tables; none for a file without such a table.

    `Malformed` for tables that end early or do not fit together.
    """
    reader = Reader(file.section_data(SECTION), file.endian)
    types = Reader(file.section_data(_TYPE_SECTION), file.endian)
    addresses = _addresses(file)
    step = _LONG_BYTES if cuda_target(file).sm >= _FIRST_LONG else _SHORT_BYTES
    out: list[Allocation] = []
    section = SECTION
    try:
        while reader:
            section = _TYPE_SECTION
            codes = _types(types)
            section = SECTION
            out += _of_function(reader, addresses, codes, step)
    except Malformed as error:
        error.context = error.context or f"{file.path}: {section}"
        raise
    return tuple(out)


def _addresses(file: ObjectFile) -> dict[str, int]:
    """Return the addresses of functions by name, without those whose name is not theirs alone."""
    addresses: dict[str, set[int]] = {}
    for symbol in file.symbols:
        if symbol.kind == "function" and symbol.is_in_section:
            addresses.setdefault(symbol.name, set()).add(symbol.address)
    return {
        name: min(register_texts)
        for name, register_texts in addresses.items()
        if len(register_texts) == 1
    }


def _types(types: Reader) -> tuple[str, bytes] | None:
    """Return the function and its codes; None where there is no table."""
    if not types:
        return None
    function = _name(types)
    return function, types.take(types.unsigned(4))


def _of_function(
    reader: Reader, addresses: Mapping[str, int], types: tuple[str, bytes] | None, step: int
) -> Iterator[Allocation]:
    function = _name(reader)
    count = reader.unsigned(4)
    if types is not None and types[0] != function:
        raise Malformed(f"the types of {types[0]} are at the place of those of {function}")
    codes = b"" if types is None else types[1]
    base = addresses.get(function)
    for index in range(count):
        part = reader.unsigned(4) & _PART
        name = _name(reader)
        register, begin, last = (reader.unsigned(4) for _ in range(3))
        code = codes[index] if index < len(codes) else len(_TYPES)
        if base is not None:
            type_ = _TYPES[code] if code < len(_TYPES) else None
            yield Allocation(
                function, name, part, register, base + begin, base + last + step, type_
            )


def _name(reader: Reader) -> str:
    """Return a name that ends with a 0 byte."""
    end = reader.data.find(b"\0", reader.position)
    if end < 0:
        raise Malformed(f"the name at offset {reader.position:#x} has no end")
    name = reader.take(end - reader.position)
    reader.take(1)
    return name.decode("utf-8", "replace")


@frozen
class AllocatedRange:
    """A range of code in which a register of PTX stays where it is."""

    begin: int
    """Addresses of the file."""
    end: int
    register_texts: tuple[str, ...]
    """Of each word, the lowest first: `R4`, of copies `R4 or R8`, `?` for one that the table lacks;
    empty if no machine register has any part of it."""


class PtxRegisters:
    """The tables of a file, by the names of registers."""

    def __init__(self, file: ObjectFile) -> None:
        self.allocations = allocations(file)
        """All in the order of the tables."""
        self._by_name: dict[str, list[Allocation]] = {}
        self._remaining_entries = _LEAST_WORK + _WORK_PER_ENTRY * len(self.allocations)
        """How many more entries questions may look at."""
        for allocation in self.allocations:
            self._by_name.setdefault(allocation.name, []).append(allocation)

    def ranges(self, name: str, begin: int, end: int) -> tuple[AllocatedRange, ...]:
        """Return where a register is in a range of code, by address; none without a table.

        `LimitExceeded` for more than `MAX_PLACES` entries that apply there, and where many
        questions look at long tables.
        """
        if not self.allocations:
            return ()
        rows = self._by_name.get(name, ())
        self._remaining_entries -= len(rows)
        if self._remaining_entries < 0:
            raise LimitExceeded(f"many variables share the long table of {name}")
        own = [one for one in rows if one.begin < end and one.end > begin]
        if len(own) > MAX_ALLOCATIONS:
            raise LimitExceeded(f"{name} has {len(own)} places in [{begin:#x},{end:#x})")
        cuts = {begin, end}
        for one in own:
            cuts |= {max(one.begin, begin), min(one.end, end)}
        out: list[AllocatedRange] = []
        for start, stop in pairwise(sorted(cuts)):
            register_texts = _register_texts(
                [one for one in own if one.begin <= start and stop <= one.end]
            )
            if out and out[-1].register_texts == register_texts:
                out[-1] = AllocatedRange(out[-1].begin, stop, register_texts)
            else:
                out.append(AllocatedRange(start, stop, register_texts))
        return tuple(out)


def _register_texts(here: list[Allocation]) -> tuple[str, ...]:
    if not here:
        return ()
    words = max(allocation.word_count or allocation.part + 1 for allocation in here)
    return tuple(
        " or ".join(dict.fromkeys(one.register_text for one in here if one.part == part)) or "?"
        for part in range(min(words, _MAX_WORDS))
    )
