"""Operations: what an instruction reads and writes, whichever encoding it has.

`data/operations/` declares one a line; docs/decisions/0017-operations-declared.md has the notation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen

MEMORIES: Final = frozenset(
    {"lds", "gds", "global", "flat", "scratch", "buffer", "scalar", "image"}
)
"""Operands that are memory; the element type follows after a dot."""

REGISTERS: Final = frozenset({"scc", "vcc", "exec", "m0", "pc", "mode", "status", "hwreg"})
"""Registers that no field names; `hwreg` is the one that an immediate names."""

IMMEDIATES: Final = frozenset({"label", "imm", "imm16", "imm32"})
"""Operands that are a constant in the instruction."""

ALIASES: Final = frozenset({"a", "d", "address"})
"""Operands that are another operand once more: the first source or the address as a result, the
destination as a source."""

FLAGS: Final = frozenset(
    {
        *("lanes", "unmasked", "indexed", "branch", "call", "end", "barrier", "wait", "trap"),
        *("message", "cache", "export"),
    }
)
"""What an operation does beside its results; docs/decisions/0017-operations-declared.md has the
meanings."""
_SUFFIXES: Final = pattern(r"(_e32|_e64)?(_sdwa|_dpp)?$")
_TYPE: Final = pattern(r"(?:v(\d+))?(?:[buif]|bf|fp|xf)(\d+)")
ALL_GENERATIONS: Final = range(100)
_GENERATIONS: Final = pattern(r"(\d+)(-)?(\d+)?")


@frozen
class DeclaredOperand:
    """Something that an operation reads or writes."""

    name: str
    """Of a register, a memory, an immediate or an alias; empty for an operand with a type."""
    type: str = ""
    """Of an operand, or of one element of memory (`format` where a descriptor has it); empty for
    others."""

    @property
    def is_operand(self) -> bool:
        """Whether the instruction encodes it."""
        return not self.name or self.name in IMMEDIATES

    @property
    def is_memory(self) -> bool:
        return self.name in MEMORIES

    @property
    def name_or_type(self) -> str:
        """What the declarations write for it, without the element type of memory."""
        return self.name or self.type

    def __str__(self) -> str:
        return f"{self.name}.{self.type}" if self.is_memory else self.name_or_type


@frozen
class Operation:
    """One operation of the machine."""

    names: tuple[str, ...]
    """Mnemonics without suffixes of encodings, the canonical one first."""
    results: tuple[DeclaredOperand, ...]
    sources: tuple[DeclaredOperand, ...]
    flags: frozenset[str]
    expression: str
    """The expressions that it computes, one per result; empty if it is not simulated."""

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def is_scalar(self) -> bool:
        """Done once for a wave, not for each lane."""
        return self.name.startswith("s_")

    @property
    def is_masked(self) -> bool:
        """Whether EXEC says which lanes take part."""
        return not self.is_scalar and not self.flags & {"unmasked", "cache"}

    @property
    def memory(self) -> tuple[DeclaredOperand, ...]:
        """The memories that are touched; two where one is copied to the other."""
        memories = [operand for operand in (*self.sources, *self.results) if operand.is_memory]
        return tuple(dict.fromkeys(memories))

    @property
    def is_load(self) -> bool:
        return any(operand.is_memory for operand in self.sources)

    @property
    def is_store(self) -> bool:
        return any(operand.is_memory for operand in self.results)

    @property
    def is_atomic(self) -> bool:
        return any(operand.is_memory and operand in self.sources for operand in self.results)


def type_bits(type: str, wave_size: int) -> int:
    """Return the size in bits of a value of a type of the declarations: `u32`, `v2f16`, `mask`."""
    if type == "mask":
        return wave_size
    match = _TYPE.fullmatch(type)
    if match is None:
        raise ValueError(f"no type of operands: {type}")
    return int(match[1] or 1) * int(match[2])


def parse_line(line: str) -> Iterator[tuple[Operation, tuple[range, ...]]]:
    """Yield the operations of one line, each with the generations of its names.

    `ValueError` describes the error in the line.
    """
    columns = [column.strip() for column in re.split(r"\s:(?=\s)", f"{line} ", maxsplit=3)]
    if len(columns) < 2:
        raise ValueError(f"no columns: {line}")
    names, operands, flags, expression = (*columns, "", "")[:4]
    group = re.search(r"\{([^}]+)\}", names)
    for member in group[1].split(",") if group else [""]:
        expanded = names if group is None else names.replace(group[0], member).replace("{}", member)
        mnemonics = expanded.split()
        results, equals, sources = f" {operands.replace('{}', member)} ".partition(" = ")
        if not equals:
            raise ValueError(f"no = between results and sources: {line}")
        known_flags = frozenset(flags.split())
        if unknown := known_flags - FLAGS:
            raise ValueError(f"unknown flag {sorted(unknown)[0]}: {line}")
        operation = Operation(
            tuple(name.partition("@")[0] for name in mnemonics),
            tuple(map(_declared_operand, results.split())),
            tuple(map(_declared_operand, sources.split())),
            known_flags,
            expression.replace("{}", member),
        )
        yield operation, tuple(_generations(name.partition("@")[2]) for name in mnemonics)


def _declared_operand(text: str) -> DeclaredOperand:
    memory, dot, type = text.partition(".")
    if dot and memory in MEMORIES:
        if type != "format":
            type_bits(type, 64)
        return DeclaredOperand(memory, type)
    if text in REGISTERS or text in IMMEDIATES or text in ALIASES:
        return DeclaredOperand(text)
    type_bits(text.strip("[]"), 64)
    return DeclaredOperand("", text)


def _generations(text: str) -> range:
    """Parse `9`, `9-`, `9-10`; all generations if absent."""
    match = _GENERATIONS.fullmatch(text)
    if match is None:
        return ALL_GENERATIONS
    first = int(match[1])
    if match[3]:
        return range(first, int(match[3]) + 1)
    return range(first, ALL_GENERATIONS.stop if match[2] else first + 1)


@cache
def operations() -> tuple[tuple[Operation, tuple[range, ...]], ...]:
    """Return all declarations, with the generations of each name."""
    folder = files("dwarfgpu.isa") / "data" / "operations"
    out: list[tuple[Operation, tuple[range, ...]]] = []
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                out += parse_line(line)
    return tuple(out)


@cache
def operations_by_name(generation: int) -> Mapping[str, Operation]:
    """Return the operations by every mnemonic of a generation, without suffixes of encodings."""
    out: dict[str, Operation] = {}
    for operation, ranges in operations():
        for name, generations in zip(operation.names, ranges, strict=True):
            if generation in generations and out.setdefault(name, operation) is not operation:
                raise ValueError(f"{name} of GFX{generation} is declared twice")
    return out


def without_suffix(mnemonic: str) -> str:
    """Return `v_add_f32` for `v_add_f32_e64_dpp`."""
    return _SUFFIXES.sub("", mnemonic)


def operation_named(mnemonic: str, generation: int) -> Operation | None:
    """Return the operation of an instruction; None if it is not declared."""
    return operations_by_name(generation).get(without_suffix(mnemonic))
