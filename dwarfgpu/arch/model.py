"""What the engine knows of an architecture (AMD text A.2.5.1, "a current target architecture").

The terms are those of amd-dbgapi. All lookups by DWARF number go through `Architecture`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, Self, SupportsIndex, TypeAlias

from dwarfgpu.arch.abi import NO_ABI, Abi
from dwarfgpu.base.argument_types import names_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, integer, plain_integer
from dwarfgpu.base.base_type import BaseType, generic_type, unsigned_type
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import Factory, evolve, field, frozen, plain_fields
from dwarfgpu.errors import (
    EvaluationError,
    IllFormed,
    OutOfRange,
    Unavailable,
    UsageError,
    shortened,
)

Scope = Literal["process", "agent", "workgroup", "wave", "lane", "any"]
"""What the memory of an address space depends on; `any`: on what the address lowers to."""


_ADDRESS_BITS: Final = 1 << 16
"""Maximum size of an address in bits: the size of its space takes that much memory."""


@frozen
class FlagField:
    """One field of a register that is made of flags."""

    name: str
    first_bit: int
    size_bits: int
    values: tuple[str, ...] = ()
    """Meaning of each number of an enumeration field; empty for other fields."""

    @property
    def mask(self) -> int:
        """The bits of the field in the register."""
        return (1 << self.size_bits) - 1 << self.first_bit

    def of(self, number: int) -> int:
        """Return the field of the register's contents."""
        return (number & self.mask) >> self.first_bit


@frozen
class RegisterInfo:
    """One architecture register; its id selects it in targets."""

    name: str
    number: int | None
    """DWARF register number, None for a register that has none (m0, mode, ttmp …)."""
    type: BaseType
    """The register's own base type; its size is the size of the register storage."""
    register_class: str = "general"
    """amd-dbgapi's register class: general, scalar, vector, system or trap."""

    is_of_wave: bool = True
    """False for a register of a thread of a CPU."""
    flags: tuple[FlagField, ...] = field(default=(), repr=False, eq=False)
    """The fields of a register that is made of flags, by first bit."""

    is_widened: bool = field(default=False, repr=False)
    """Whether zeros extend it where it is the base of a wider address."""

    size_bits: int = field(init=False, repr=False, eq=False)

    @size_bits.default
    def _size_bits(self) -> int:
        return self.type.bit_size

    @property
    @names_wrong_arguments
    def classes(self) -> frozenset[str]:
        """The register's classes in amd-dbgapi; registers that programs name are also `general`."""
        general = {"general"} if self.register_class in ("scalar", "vector") else set()
        return frozenset({self.register_class, *general})

    def is_narrower(self, address_bits: int) -> bool:
        """Return whether it lacks bits of an address of that size (A.2.5.4.4.3)."""
        try:
            return self.size_bits < address_bits and not self.is_widened
        except FOREIGN:
            require_right_arguments(RegisterInfo.is_narrower, self, address_bits)
            raise

    def __str__(self) -> str:
        return self.name


@frozen
class RegisterPart:
    """A part of a register that has a name of its own: vcc_lo of vcc."""

    name: str
    register: RegisterInfo
    offset_bytes: int
    type: BaseType


@frozen
class PseudoRegister:
    """A register that is made of bits of others, as amd-dbgapi has them: `csp` of mode."""

    name: str
    type: BaseType
    pieces: tuple[tuple[RegisterInfo, int, int], ...] = ()
    """Register, first bit and size in bits, the lowest first; zeros fill up the type."""


@frozen
class AddressSpace:
    """One target architecture specific address space (AMD text A.2.13)."""

    number: int
    name: str
    address_bits: int
    scope: Scope = "process"
    null: int = 0
    """The null address."""
    unavailable: str | None = None
    """Why memory of this space can never be accessed, for spaces that are only declared."""

    size_bits: int = field(init=False, eq=False, repr=False)
    """Size of the memory location storage: the range of addresses, in bits."""
    end: int = field(init=False, eq=False, repr=False)
    """The address after the last one."""

    @size_bits.default
    def _size_bits(self) -> int:
        if type(self.address_bits) is not int:
            plain_fields(self, "address_bits")
        if not 0 <= self.address_bits <= _ADDRESS_BITS:
            integer("AddressSpace.address_bits", self.address_bits, 0, _ADDRESS_BITS)
        return 8 << self.address_bits

    @end.default
    def _end(self) -> int:
        return 1 << self.address_bits

    def require_address(self, address: int) -> None:
        """Raise `OutOfRange` unless the space has that address."""
        try:
            if not 0 <= address < self.end:
                raise OutOfRange(
                    f"{address:#x} is not an address of {self}, which has {self.address_bits} bits"
                )
        except FOREIGN:
            require_right_arguments(AddressSpace.require_address, self, address)
            raise

    def __str__(self) -> str:
        return self.name


APERTURE_BYTES: Final = 1 << 48
"""Of the aperture of a memory: bits 63:48 of a generic address choose it, as in amd-dbgapi."""
NOWHERE: Final = 1 << 64
"""The base of an aperture whose place is unknown: after every address."""


@frozen
class Apertures:
    """Where the generic address space maps the other memories of a wave.

    The defaults are the fixed apertures of gfx9 and later; a core dump has those of its agent.
    """

    local_base: int = 0x1_0000_0000_0000
    private_base: int = 0x2_0000_0000_0000
    scratch_base: int | None = None
    """Global address of the wave's scratch; None if scratch is a separate store."""
    scratch_bytes: int | None = None
    """Size of the wave's scratch; None if only the address size bounds it."""
    element_bytes: int = 4
    """How many bytes of a lane lie together in the wave's scratch: the interleave, which in the
    older compute ABI may also be 2, 8 or 16 ("Scratch memory swizzling")."""
    local_bytes: int | None = None
    """Size of the workgroup's LDS; None if only the address size bounds it."""
    unknown: str = ""
    """Why a base is `NOWHERE`; empty if none is."""

    def __attrs_post_init__(self) -> None:
        plain_fields(
            self,
            "local_base",
            "private_base",
            "scratch_base",
            "scratch_bytes",
            "element_bytes",
            "local_bytes",
        )

    def may_lack(self, address: int) -> bool:
        """Return whether a generic address may be in an aperture whose base is unknown.

        The first `APERTURE_BYTES` are global memory in every GPU.
        """
        bases = (self.local_base, self.private_base)
        return (
            self.unknown != ""
            and address >= APERTURE_BYTES
            and not any(0 <= address - base < APERTURE_BYTES for base in bases)
        )

    def require_known(self) -> Apertures:
        """Return the apertures; `Unavailable` if it is not known where one is."""
        for base in (self.local_base, self.private_base):
            self.known(base)
        return self

    def known(self, base: int) -> int:
        """Return one of the bases; `Unavailable` if it is not known."""
        if base == NOWHERE:
            raise Unavailable(self.unknown)
        return base

    def end_of_global(self, address: int) -> int:
        """Return the end of the global memory at a generic address that is in no aperture;
        `Unavailable` if it may be in one whose base is unknown."""
        if self.may_lack(address):
            self.require_known()
        bases = (APERTURE_BYTES if self.unknown else 1 << 64, self.local_base, self.private_base)
        return min(base for base in bases if base > address)


NO_APERTURES: Final = Apertures()
"""The defaults, for callers that do not know the agent."""


class Lowered(NamedTuple):
    """The address in the store that backs an address of some space."""

    space: AddressSpace
    address: int
    contiguous_bytes: int
    """The number of bytes, starting there, that back consecutive bytes of the requested address."""


Lower: TypeAlias = "Callable[[Architecture, int, int, int | None, Apertures], Lowered]"
"""Maps architecture, space number, address, lane and apertures to the backing store."""
Convert: TypeAlias = (
    "Callable[[Architecture, int, int, int, int | None, Apertures], tuple[int, int]]"
)
"""Architecture, address, from space, to space, lane, apertures to (address, contiguous bytes)."""


def identity_lower(
    architecture: Architecture,
    space_number: int,
    address: int,
    lane: int | None,
    apertures: Apertures,
) -> Lowered:
    """Return the address itself: the mapping of architectures without views, in which every space
    is separate."""
    space = architecture.address_space(space_number)
    space.require_address(address)
    if space.unavailable is not None:
        raise Unavailable(f"address space {space} is not accessible: {space.unavailable}")
    return Lowered(space, address, space.end - address)


def identity_convert(
    architecture: Architecture,
    address: int,
    from_space: int,
    to_space: int,
    lane: int | None,
    apertures: Apertures,
) -> tuple[int, int]:
    """Return the address in its own space; `EvaluationError` for another space."""
    source, target = map(architecture.address_space, (from_space, to_space))
    source.require_address(address)
    if source is not target:
        raise EvaluationError(f"a {source} address cannot be converted to {target}")
    return address, source.end - address


@frozen
class RegisterGroups:
    """GDB's groups of registers, for `info registers GROUP`."""

    names: tuple[str, ...]
    """In the order of precedence of abbreviations; the default is `general`."""
    members: Callable[[str, Callable[[str], bool]], Iterator[str]]
    """Yields the registers of a group, in order; the function says whether the processor has
    one."""


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
    """Keyed by DWARF number."""
    address_spaces: Mapping[int, AddressSpace] = field(repr=False)
    """Keyed by DWARF number; 0 is the default address space."""
    spaces_of_lanes: int | None = None
    """First of the numbers that the document of 2020 gives to the private memory of each lane."""
    endian: Endian = "little"
    lane_count: int = 1
    """Lanes of a wave; 1 where the architecture is not SIMT."""
    other_registers: tuple[RegisterInfo, ...] = field(default=(), repr=False)
    """Registers without a DWARF number."""
    return_address_register: int | None = None
    program_counter: int | None = None
    """DWARF number of the register with the program location."""
    stack_pointer: int | None = None
    """DWARF number of the register that is the CFA after a return; None if the ABI has none."""
    pushed_bytes: int = 0
    """Bytes that a call pushes: on entry the stack pointer is this far below the CFA."""
    preserved: frozenset[int] | None = None
    """DWARF numbers of the registers that a call leaves as they are; None: it is so for all."""
    preserved_by_go: frozenset[int] | None = None
    """Those of them that functions of Go leave as they are, too; None if it is not known."""
    set_for_signals: frozenset[int] = frozenset()
    """Those of `preserved` that the operating system sets anew for the handler of a signal."""
    preserved_bits: Mapping[int, int] = field(default=Factory(dict), repr=False)
    """Registers that a call preserves only in their low bits: the number of bits, by register."""
    code_mask: str | None = None
    """Name of the register with the mask of address bits that can sign a code address."""
    abi: Abi = field(default=NO_ABI, repr=False)
    """What files of the machine have in common."""
    has_every_register: bool = True
    """Whether a number without a register here has none at all."""
    register_groups: RegisterGroups | None = field(default=None, repr=False)
    """GDB's groups of registers; None: amd-dbgapi's register classes."""
    register_aliases: Mapping[str, str] = field(default=Factory(dict), repr=False)
    """Other spellings of register names, lower case, to the name in use here."""
    register_parts: Mapping[str, RegisterPart] = field(default=Factory(dict), repr=False)
    """Parts of registers that have names of their own, lower case, to these."""
    pseudo_registers: Mapping[str, PseudoRegister] = field(default=Factory(dict), repr=False)
    """Keyed by name, lower case; no operation can name them."""
    dwarf_names: Mapping[int, str] = field(default=Factory(dict), repr=False)
    """What llvm-dwarfdump prints for a DWARF number, where it is not the name in capitals."""
    are_dwarf_names_narrow: bool = False
    """Whether these name the narrowest view of a register, although calls save more of it."""
    no_return_register: int | None = None
    """The return address column of call frame information that says that there is none."""
    no_machine: str | None = None
    """Why there is no machine to read values from, for architectures whose files alone are
    read."""
    widens_bases: bool = False
    """Whether compilers mean registers that are narrower than an address, as bases of addresses,
    extended by zeros."""
    has_default_rules: bool = False
    """Whether the ABI's default rules hold where no call frame information is (A.2.5.4.4.1)."""
    virtual_register: Callable[[str], int | None] | None = None
    """The DWARF number of a register that is declared by code, from its name with `%`."""
    other_wave_register: Callable[[int], tuple[str, int] | None] | None = None
    """The register that a DWARF number names only in waves of the other size, and their number of
    lanes."""
    made_by: tuple[Callable[..., Architecture], tuple[object, ...]] | None = field(
        default=None, repr=False
    )
    """The function that returns this object whenever it is called, and its arguments."""
    _lower: Lower = field(default=identity_lower, repr=False)
    _convert: Convert = field(default=identity_convert, repr=False)
    by_name: Mapping[str, RegisterInfo] = field(init=False, repr=False)
    """Every register by its lower-case name and aliases."""
    generic: BaseType = field(init=False, repr=False)
    """The generic type."""
    address_type: BaseType = field(init=False, repr=False)
    """The unsigned base type of the size of a default address."""

    largest_space_bits: int = field(init=False, repr=False)
    """Size in bits of the largest memory storage: the bound of a composite (A.2.5.4.4.6)."""

    @largest_space_bits.default
    def _largest_space_bits(self) -> int:
        return max((space.size_bits for space in self.address_spaces.values()), default=0)

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

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Make pickles the one object of that name: architectures are compared by identity."""
        made_by = self.made_by
        if made_by is not None and made_by[0](*made_by[1]) is self:
            return made_by
        return super().__reduce_ex__(protocol)

    @property
    def is_simt(self) -> bool:
        """Whether a wave has lanes, as on a GPU."""
        return self.lane_count > 1

    def register(self, number: int | str) -> RegisterInfo:
        """Return a register by its DWARF number or its name, as in `register_named`.

        Raises `IllFormed` where the architecture defines no such number, and `UsageError` where
        it has no such name.
        """
        try:
            return self.registers[number]  # type: ignore[index]  # a name is in no such table
        except FOREIGN as error:
            if not _is_unknown(number, error):
                require_right_arguments(Architecture.register, self, number)
            if not isinstance(error, KeyError):
                raise
            if not isinstance(number, str):
                raise IllFormed(self.undefined_registers(number)) from None
        named = self.register_named(number)
        if named is None:
            raise UsageError(f"{self.name} has no register {shortened(number)}")
        return named

    @names_wrong_arguments
    def undefined_registers(self, *numbers: int, more: int = 0) -> str:
        """Return the message that no register has these DWARF numbers, and how many more; and the
        first of them that is one in waves of the other size."""
        rest = f" and {more} more" if more else ""
        message = f"{self.name} defines no DWARF register {', '.join(map(str, numbers))}{rest}"
        if self.other_wave_register is None:
            return message
        for number in numbers:
            named = self.other_wave_register(number)
            if named is not None:
                which = "it" if len(numbers) == 1 else f"{number}"
                other = f"{which} is {named[0]} in wave{named[1]}"
                return f"{message}: {other}, and the wave has {self.lane_count} lanes"
        return message

    @names_wrong_arguments
    def dwarf_name(self, number: int) -> str:
        """Return how a listing names a DWARF register: `register_named` finds it again by that
        name.

        A number that is not defined here is itself, in hexadecimal, as llvm-dwarfdump prints it.
        """
        if number not in self.registers:
            return f"{number:#x}"
        name = self.registers[number].name
        if name.startswith("%"):
            return name
        return self.dwarf_names.get(number) or name.upper()

    @names_wrong_arguments
    def register_named(self, name: str) -> RegisterInfo | None:
        """Return the register with that name or alias, in any letter case, with or without `$` or
        `%`.

        With `%`, the one that code declares by that name, where the architecture has such.
        """
        if self.virtual_register is not None and name.startswith("%"):
            number = self.virtual_register(name)
            return None if number is None else self.registers.get(number)
        return self.by_name.get(name.lower().lstrip("$%"))

    @names_wrong_arguments
    def part_named(self, name: str) -> RegisterPart | None:
        """Return the part of a register with that name; no operation can name it."""
        return self.register_parts.get(name.lower().lstrip("$%"))

    @names_wrong_arguments
    def pseudo_named(self, name: str) -> PseudoRegister | None:
        """Return the pseudo register with that name; no operation can name it."""
        return self.pseudo_registers.get(name.lower().lstrip("$%"))

    def address_space(self, number: int) -> AddressSpace:
        """Return the address space of a DWARF number; `IllFormed` where none is defined
        (A.2.5.4.4.3)."""
        try:
            return self.address_spaces[number]
        except FOREIGN as error:
            if not _is_unknown(number, error):
                require_right_arguments(Architecture.address_space, self, number)
            if not isinstance(error, KeyError):
                raise
            raise IllFormed(f"{self.name} defines no address space {number}") from None

    @names_wrong_arguments
    def space_of_lane(self, number: int) -> tuple[AddressSpace, int] | None:
        """Return the space and lane that a number meant in 2020; None for any other number."""
        if self.spaces_of_lanes is None:
            return None
        lane = number - self.spaces_of_lanes
        if not 0 <= lane < self.lane_count:
            return None
        [space] = (
            candidate for candidate in self.address_spaces.values() if candidate.scope == "lane"
        )
        return space, lane

    @names_wrong_arguments
    def address_space_named(self, name: str) -> AddressSpace | None:
        """Return the address space with that name, in any letter case, with or without
        `DW_ASPACE_LLVM_`."""
        bare = name.lower()
        if bare.startswith("dw_aspace_"):
            bare = bare.removeprefix("dw_aspace_").removeprefix("llvm_").removeprefix("amdgpu_")
        if bare == "none":
            return self.address_spaces[0]
        for space in self.address_spaces.values():
            if space.name == bare:
                return space
        return None

    def lower(
        self,
        space_number: int,
        address: int,
        lane: int | None = None,
        apertures: Apertures = NO_APERTURES,
    ) -> Lowered:
        """Return the store that backs an address, so that all views of a memory share one store.

        Raises `IllFormed` for an unknown space, `OutOfRange` for an address beyond the space,
        `MissingContext` if the address needs a lane and there is none, `Unavailable` for memory
        that can never be accessed.
        """
        try:
            if type(address) is not int:
                address = plain_integer(address)
            if type(lane) is not int and lane is not None:
                lane = plain_integer(lane)
            return self._lower(self, space_number, address, lane, apertures)
        except FOREIGN:
            require_right_arguments(
                Architecture.lower, self, space_number, address, lane, apertures
            )
            raise

    @names_wrong_arguments
    def convert(
        self,
        address: int,
        from_space: int,
        to_space: int,
        lane: int | None = None,
        apertures: Apertures = NO_APERTURES,
    ) -> tuple[int, int]:
        """Convert to an address of another space; also return how many bytes that holds for.

        Raises `EvaluationError` for a pair of spaces, or an address, without a conversion;
        otherwise as `lower`.
        """
        return self._convert(self, address, from_space, to_space, lane, apertures)


def bank(
    first_number: int, names: Iterable[str], base: BaseType, register_class: str = "general"
) -> Iterator[RegisterInfo]:
    """Return registers of one type with consecutive DWARF numbers."""
    for number, name in enumerate(names, first_number):
        yield RegisterInfo(name, number, base, register_class)


def registers_of_thread(registers: Iterable[RegisterInfo]) -> dict[int, RegisterInfo]:
    """Return the registers of a thread of a CPU, by DWARF number."""
    return {
        register.number: evolve(register, is_of_wave=False)
        for register in registers
        if register.number is not None
    }


def _is_unknown(number: object, error: Exception) -> bool:
    """Return whether the only fault of a number or name is that a table does not have it: what
    files ask for must not cost a look at every field of an architecture."""
    is_plain = type(number) is str or (type(number) is int and not number >> 64)
    return is_plain and isinstance(error, KeyError)
