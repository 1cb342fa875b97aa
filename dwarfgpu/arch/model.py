"""What an architecture is to the engine (AMD text A.2.5.1, "a current target architecture").

The words are those of amd-dbgapi; DWARF numbers are mapped here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attrs import Factory, field, frozen

from dwarfgpu.basetype import BaseType, generic_type, unsigned_type
from dwarfgpu.bits import Endian
from dwarfgpu.errors import IllFormed

Scope = Literal["process", "agent", "workgroup", "wave", "lane", "any"]
"""What the memory of an address space depends on; `any`: on what the address lowers to."""


@frozen
class RegisterInfo:
    """One architecture register; the id by which targets are asked for it."""

    name: str
    number: int | None
    """DWARF register number, None for a register that has none (m0, mode, ttmp …)."""
    type: BaseType
    """The register's own base type: its size is that of the register storage."""
    register_class: str = "general"
    """amd-dbgapi's register class: general, scalar, vector, system or trap."""

    @property
    def size_bits(self) -> int:
        return self.type.bit_size

    def __str__(self) -> str:
        return self.name


@frozen
class AddressSpace:
    """One target architecture specific address space (AMD text A.2.13)."""

    number: int
    name: str
    address_bits: int
    scope: Scope = "process"
    null: int = 0
    """The address that points to nothing."""
    unavailable: str | None = None
    """Why memory of this space can never be accessed, for spaces that are only declared."""

    @property
    def size_bits(self) -> int:
        """Size of the memory location storage: the range of addresses, in bits."""
        return 8 << self.address_bits

    def __str__(self) -> str:
        return self.name


@frozen(eq=False)
class Architecture:
    """A target architecture: what numbers in an expression mean there."""

    name: str
    """As the user writes it: gfx942, x86_64 …"""
    machine: str
    """ELF machine without its prefix: AMDGPU, X86_64, AARCH64, 386."""
    address_bits: int
    """Size of an address in the default address space, and of the generic type."""
    registers: Mapping[int, RegisterInfo] = field(repr=False)
    """By DWARF number."""
    address_spaces: Mapping[int, AddressSpace] = field(repr=False)
    """By DWARF number; 0 is the default address space."""
    endian: Endian = "little"
    lane_count: int = 1
    """Lanes of a wave; 1 where the architecture is not SIMT."""
    other_registers: tuple[RegisterInfo, ...] = field(default=(), repr=False)
    """Registers without a DWARF number."""
    return_address_register: int | None = None
    register_aliases: Mapping[str, str] = field(default=Factory(dict), repr=False)
    """Other spellings of register names, lower case, to the name in use here."""
    by_name: Mapping[str, RegisterInfo] = field(init=False, repr=False)
    """Every register by its lower-case name and aliases."""
    generic: BaseType = field(init=False, repr=False)
    """The generic type."""
    address_type: BaseType = field(init=False, repr=False)
    """The unsigned base type of the size of a default address."""

    @by_name.default
    def _by_name(self) -> dict[str, RegisterInfo]:
        named = {r.name.lower(): r for r in (*self.registers.values(), *self.other_registers)}
        for alias, name in self.register_aliases.items():
            if name in named:
                named.setdefault(alias, named[name])
        return named

    @generic.default
    def _generic(self) -> BaseType:
        return generic_type(self.address_bits, self.endian)

    @address_type.default
    def _address_type(self) -> BaseType:
        return unsigned_type(self.address_bits, self.endian)

    @property
    def is_simt(self) -> bool:
        return self.lane_count > 1

    def register(self, number: int) -> RegisterInfo:
        """The register of a DWARF number; `IllFormed` where the architecture defines none."""
        try:
            return self.registers[number]
        except KeyError:
            raise IllFormed(f"{self.name} defines no DWARF register {number}") from None

    def register_named(self, name: str) -> RegisterInfo | None:
        """The register of that name or alias in any letter case, with or without `$` or `%`."""
        return self.by_name.get(name.lower().lstrip("$%"))

    def address_space(self, number: int) -> AddressSpace:
        """The address space of a DWARF number; `IllFormed` where none is defined (A.2.5.4.4.3)."""
        try:
            return self.address_spaces[number]
        except KeyError:
            raise IllFormed(f"{self.name} defines no address space {number}") from None

    def address_space_named(self, name: str) -> AddressSpace | None:
        for space in self.address_spaces.values():
            if space.name == name:
                return space
        return None

    @property
    def largest_space_bits(self) -> int:
        """Size in bits of the largest memory storage: the bound of a composite (A.2.5.4.4.6)."""
        return max(space.size_bits for space in self.address_spaces.values())
