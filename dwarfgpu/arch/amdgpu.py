"""AMD GPUs: registers and memories (AMDGPU usage, "DWARF Debug Information"), relocations.

DW_ASPACE_LLVM_none is the `AddressSpace` named `global`. DW_ASPACE_LLVM_AMDGPU_generic,
DW_ASPACE_LLVM_AMDGPU_region, DW_ASPACE_LLVM_AMDGPU_local, DW_ASPACE_LLVM_AMDGPU_private_lane and
DW_ASPACE_LLVM_AMDGPU_private_wave are named by what follows the prefix: `generic`, `region`, ….

Law: only this module assigns DWARF numbers and apertures of AMD GPUs; others look them up in the
`Architecture` that it makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import Final

from dwarfgpu.arch.abi import Abi, relocations
from dwarfgpu.arch.amdgpu_flags import flag_fields
from dwarfgpu.arch.model import (
    APERTURE_BYTES,
    AddressSpace,
    Apertures,
    Architecture,
    Lowered,
    PseudoRegister,
    RegisterInfo,
    RegisterPart,
    bank,
)
from dwarfgpu.arch.processors import Processor, processor
from dwarfgpu.base.arguments import WrongValue, integer
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.errors import (
    EvaluationError,
    InconsistentContext,
    MissingContext,
    OutOfRange,
    Unavailable,
)

GLOBAL: Final = 0
GENERIC: Final = 1
REGION: Final = 2
LOCAL: Final = 3
PRIVATE_LANE: Final = 5
PRIVATE_WAVE: Final = 6

VECTOR_REGISTERS: Final = frozenset(
    [*range(1536, 2304), *range(2560, 2816), *range(3072, 3328), *range(3584, 4096)]
)
"""DWARF numbers of VGPRs and AGPRs, of both wave sizes."""

ABI: Final = Abi(
    is_loaded_by_runtime=True,
    relocations=relocations(
        "AMDGPU",
        (
            (0, "NONE", "none", 0), (1, "ABS32_LO", "absolute", 4),
            (2, "ABS32_HI", "absolute_high", 4), (3, "ABS64", "absolute", 8),
            (4, "REL32", "relative", 4), (5, "REL64", "relative", 8), (6, "ABS32", "absolute", 4),
            (10, "REL32_LO", "relative", 4), (11, "REL32_HI", "relative_high", 4),
            (13, "RELATIVE64", "base", 8),
        ),
    ),
    file_format="amdgcn",
    chains_register_rules=True,
)  # fmt: skip
"""AMDGPU usage, "Relocation Records"."""
_CALLS: Final = {
    8: (0xBE9E1E00, 0xBA9E0000),
    9: (0xBE9E1E00, 0xBA9E0000),
    10: (0xBE9E2100, 0xBB1E0000),
    11: (0xBE9E4900, 0xBA1E0000),
    12: (0xBE9E4900, 0xBA1E0000),
}
"""Keyed by the major number of the GFX level: s_swappc_b64 and s_call_b64 with s[30:31]."""


def is_call(architecture: Architecture, instruction: int) -> bool:
    """Return whether the four bytes are an instruction that calls, with s[30:31] as return
    address."""
    swap, call = _CALLS.get(processor(architecture.name).generation, (0, 0))
    return bool(swap) and (instruction & ~0xFF == swap or instruction & ~0xFFFF == call)


def amdgpu(name: str, wave_size: int | None = None) -> Architecture:
    """Return the architecture of a processor, in its default wave size or the given one.

    Raises `WrongValue` for an unknown processor or a wave size that it does not have.
    """
    described = processor(name)
    allowed = described.wave_sizes
    lanes = allowed[0] if wave_size is None else wave_size
    if lanes not in allowed:
        sizes = " or ".join(str(size) for size in allowed)
        raise WrongValue(f"{described.name} has no wave size {lanes}, only {sizes}")
    return _architecture(described, lanes)


@cache
def _architecture(described: Processor, lanes: int) -> Architecture:
    registers = {r.number: r for r in _numbered(described, lanes) if r.number is not None}
    names = {number: dwarf_name(number) for number in registers}
    unnumbered = tuple(_unnumbered(described, lanes))
    return Architecture(
        name=described.name,
        machine="AMDGPU",
        address_bits=64,
        registers=registers,
        address_spaces=_SPACES,
        spaces_of_lanes=0x20,
        lane_count=lanes,
        other_registers=unnumbered,
        return_address_register=16,
        program_counter=16,
        abi=ABI,
        register_aliases=_aliases(registers, names, lanes),
        register_parts=_parts((*registers.values(), *unnumbered)),
        pseudo_registers=_pseudo(described, {register.name: register for register in unnumbered}),
        dwarf_names=names,
        other_wave_register=partial(_other_wave_register, described, lanes),
        widens_bases=True,
        has_default_rules=True,
        lower=lower,
        convert=convert_address,
        made_by=(amdgpu, (described.name, lanes)),
    )


_UINT32: Final = BaseType("uint32_t", "unsigned", 32)
_UINT64: Final = BaseType("uint64_t", "unsigned", 64)
_INT32: Final = BaseType("int32_t", "signed", 32)
_PC: Final = BaseType("void (*)()", "address", 64)
_PC_32: Final = BaseType("void (*)()", "address", 32)


def _numbered(described: Processor, lanes: int) -> Iterator[RegisterInfo]:
    """Yield registers that have a DWARF number in code of that wave size ("Register Mapping").

    Numbers of the other wave size are not defined: naming them is the producer's error.
    """
    mask = _UINT32 if lanes == 32 else _UINT64
    vector = BaseType(f"int32_t[{lanes}]", "signed", 32 * lanes, vector_size=lanes)
    yield RegisterInfo("pc_32", 0, _PC_32)
    yield RegisterInfo("exec", 1 if lanes == 32 else 17, mask)
    yield RegisterInfo("pc", 16, _PC)
    yield from bank(32, (f"s{n}" for n in range(64)), _INT32, "scalar")
    yield RegisterInfo("status", 128, _UINT32, "system", flags=flag_fields(described, "status"))
    yield RegisterInfo("vcc", 512 if lanes == 32 else 768, mask)
    high = range(64, described.sgpr_count)
    yield from bank(1088, (f"s{n}" for n in high), _INT32, "scalar")
    if lanes == 32:
        # LLVM maps 1792-2047 and 3584-4095 for every target from 22 on (llvm-project#159447);
        # before, they were reserved, and only GFX12.5 has the registers.
        yield from bank(1536, (f"v{n}" for n in range(256)), vector, "vector")
        if described.has_1024_vgprs:
            yield from bank(1792, (f"v{n}" for n in range(256, 512)), vector, "vector")
            yield from bank(3584, (f"v{n}" for n in range(512, 1024)), vector, "vector")
    else:
        yield from bank(2560, (f"v{n}" for n in range(256)), vector, "vector")
    if described.has_accumulators:
        first = 2048 if lanes == 32 else 3072
        yield from bank(first, (f"a{n}" for n in range(256)), vector, "vector")


def _other_wave_register(described: Processor, lanes: int, number: int) -> tuple[str, int] | None:
    """Return what a number names only in waves of the other size, also where the processor has
    none."""
    if type(number) is not int:
        number = integer("number", number)
    is_only_there = number in _numbers(described, 96 - lanes) - _numbers(described, lanes)
    return (dwarf_name(number), 96 - lanes) if is_only_there else None


@cache
def _numbers(described: Processor, lanes: int) -> frozenset[int | None]:
    """Return the DWARF numbers of registers in waves of that size."""
    return frozenset(register.number for register in _numbered(described, lanes))


def _unnumbered(described: Processor, lanes: int) -> Iterator[RegisterInfo]:
    """Yield registers that expressions cannot name, as amd-dbgapi lists them."""
    generation = described.generation
    names = [("m0", _UINT32, "general"), ("mode", _UINT32, "system")]
    if lanes == 32:
        # In wave64 code these are the upper halves of exec and vcc, not registers of their own.
        names += [("exec_hi", _UINT32, "general"), ("vcc_hi", _UINT32, "general")]
    if generation >= 12:
        system = ("state_priv", "trap_ctrl", "excp_flag_priv", "excp_flag_user")
        names += [(name, _UINT32, "system") for name in system]
    else:
        names.append(("trapsts", _UINT32, "system"))
    if generation >= 7:
        names.append(("scratch_base" if generation >= 12 else "flat_scratch", _UINT64, "system"))
    if described.has_xnack_mask:
        names.append(("xnack_mask", _UINT32 if generation >= 10 else _UINT64, "system"))
    names += [(f"ttmp{n}", _UINT32, "trap") for n in (*range(4, 12), 13)]
    for name, base, register_class in names:
        flags = flag_fields(described, name)
        yield RegisterInfo(name, None, base, register_class, flags=flags)


def _aliases(
    registers: dict[int, RegisterInfo], names: dict[int, str], lanes: int
) -> dict[str, str]:
    """Return the names of the registers in LLVM's tools and AMD's documents."""
    aliases = {names[number].lower(): register.name for number, register in registers.items()}
    # LLVM before 22 names the low half of each 32-bit register where it means the register.
    aliases |= {f"{alias}_lo16": name for alias, name in aliases.items()}
    aliases |= {"pc_64": "pc", f"exec_{lanes}": "exec", f"exec_mask_{lanes}": "exec"}
    aliases |= {f"vcc_{lanes}": "vcc", "exec_mask": "exec"}
    if lanes == 32:
        aliases |= {"exec_lo": "exec", "vcc_lo": "vcc"}
    # What the descriptor, and so the instructions, of older and newer targets call it.
    return aliases | {"flat_scratch": "scratch_base"}


_HALVED: Final = frozenset({"exec", "vcc", "flat_scratch", "scratch_base", "xnack_mask"})


def _parts(registers: Iterable[RegisterInfo]) -> dict[str, RegisterPart]:
    """Return the halves of 64-bit registers, as instructions name them: vcc_lo, vcc_hi."""
    return {
        name: RegisterPart(name, register, offset_bytes, _UINT32)
        for register in registers
        if register.name in _HALVED and register.size_bits == 64
        for name, offset_bytes in ((f"{register.name}_lo", 0), (f"{register.name}_hi", 4))
    }


def _pseudo(described: Processor, unnumbered: dict[str, RegisterInfo]) -> dict[str, PseudoRegister]:
    """Return registers that amd-dbgapi makes of others: its own number of a wave, and fields of
    hardware.

    `null` is an operand of instructions of GFX10 and later: it reads as zero.
    """
    low, high = unnumbered["ttmp4"], unnumbered["ttmp5"]
    out = [PseudoRegister("wave_id", _UINT64, ((low, 0, 32), (high, 0, 32)))]
    if described.generation == 9:
        out.append(PseudoRegister("csp", _UINT32, ((unnumbered["mode"], 29, 3),)))
    if described.generation >= 10:
        out.append(PseudoRegister("null", _UINT32))
    return {pseudo.name: pseudo for pseudo in out}


_BLOCKS: Final = (
    (range(32, 96), "SGPR", 0),
    (range(1088, 1130), "SGPR", 64),
    (range(1536, 2048), "VGPR", 0),
    (range(2048, 2304), "AGPR", 0),
    (range(2560, 3072), "VGPR", 0),
    (range(3072, 3328), "AGPR", 0),
    (range(3584, 4096), "VGPR", 512),
)
_SINGLE: Final = {
    0: "PC_32",
    1: "EXEC_LO",
    16: "PC_REG",
    17: "EXEC",
    128: "STATUS",
    512: "VCC_32",
    768: "VCC_64",
}


def dwarf_name(number: int) -> str:
    """Return the name of a DWARF number in a listing, for any processor and wave size.

    As llvm-dwarfdump 22 prints it, except that it leaves wave32 vector registers, pc_32, status
    and vcc as numbers. A number without a name is itself, in hexadecimal.
    """
    for numbers, prefix, first in _BLOCKS:
        if number in numbers:
            return f"{prefix}{number - numbers.start + first}"
    return _SINGLE.get(number) or f"{number:#x}"


_NULL_SEGMENT: Final = 0xFFFFFFFF
"""The null of the 32-bit segments, as in amd-dbgapi: 0 is a valid address there."""
_SPACES: Final = {
    space.number: space
    for space in (
        AddressSpace(GLOBAL, "global", 64),
        AddressSpace(GENERIC, "generic", 64, "any"),
        AddressSpace(
            REGION, "region", 32, "agent", unavailable="no debugger interface reaches GDS memory"
        ),
        AddressSpace(LOCAL, "local", 32, "workgroup", _NULL_SEGMENT),
        AddressSpace(PRIVATE_LANE, "private_lane", 32, "lane", _NULL_SEGMENT),
        AddressSpace(PRIVATE_WAVE, "private_wave", 32, "wave", _NULL_SEGMENT),
    )
}
_SEGMENT_END: Final = 1 << 32


def swizzle(address: int, lane: int, wave_size: int, element_bytes: int = 4) -> int:
    """Return the private_wave address of a private_lane address ("Address Space Mapping")."""
    row_bytes = wave_size * element_bytes
    return address // element_bytes * row_bytes + lane * element_bytes + address % element_bytes


def unswizzle(offset: int, wave_size: int, element_bytes: int = 4) -> tuple[int, int]:
    """Return the lane and the private_lane address of a private_wave address."""
    element = offset // element_bytes
    address = element // wave_size * element_bytes + offset % element_bytes
    return element % wave_size, address


def lower(
    architecture: Architecture,
    space_number: int,
    address: int,
    lane: int | None,
    apertures: Apertures,
) -> Lowered:
    """Return the global, local or private_wave memory that backs an address of any space.

    If the apertures give the global address of the wave's scratch, scratch is stored there. Errors:
    see `Architecture.lower`.
    """
    space = architecture.address_space(space_number)
    if not 0 <= address < space.end:
        space.require_address(address)
    if space.unavailable is not None:
        raise Unavailable(f"address space {space} is not accessible: {space.unavailable}")
    if space_number == GENERIC:
        space_number, address, contiguous_bytes = _segment(address, apertures)
    else:
        contiguous_bytes = space.end - address
    if space_number == LOCAL and apertures.local_bytes is not None:
        contiguous_bytes = min(contiguous_bytes, apertures.local_bytes - address)
        if contiguous_bytes <= 0:
            raise Unavailable(
                f"local address {address:#x} is beyond the {apertures.local_bytes} bytes of the "
                "workgroup"
            )
    original = address
    if space_number == PRIVATE_LANE:
        address, contiguous_bytes = _to_wave(architecture, address, lane, apertures)
    elif space_number != PRIVATE_WAVE:
        return Lowered(architecture.address_spaces[space_number], address, contiguous_bytes)
    end = _scratch_end(apertures)
    if contiguous_bytes > end - address:
        contiguous_bytes = end - address
    if contiguous_bytes <= 0:
        lanes = architecture.lane_count
        of_lane = f", {end // lanes} a lane" if space_number == PRIVATE_LANE else ""
        raise Unavailable(
            f"{_SPACES[space_number]} address {original:#x} is beyond the {end} bytes of scratch "
            f"memory of the wave{of_lane}"
        )
    if apertures.scratch_base is None:
        return Lowered(architecture.address_spaces[PRIVATE_WAVE], address, contiguous_bytes)
    return Lowered(
        architecture.address_spaces[GLOBAL], apertures.scratch_base + address, contiguous_bytes
    )


def convert_address(
    architecture: Architecture,
    address: int,
    from_space: int,
    to_space: int,
    lane: int | None,
    apertures: Apertures,
) -> tuple[int, int]:
    """Convert to an address of another space; also return how many bytes that holds for.

    Null converts only to and from generic, and nothing else converts to null: the last generic
    address of an aperture has no conversion (docs/spec-notes.md). The pairs of spaces are those of
    amd-dbgapi: a segment and generic, private_lane and private_wave, scratch and global.
    """
    source, target = map(architecture.address_space, (from_space, to_space))
    source.require_address(address)
    if from_space == to_space:
        return address, source.end - address
    if (from_space, to_space) not in _CONVERTIBLE:
        raise EvaluationError(f"a {source} address cannot be converted to {target}")
    if address == source.null and GENERIC in (from_space, to_space):
        return target.null, 1
    if address == source.null and from_space != GLOBAL:
        raise EvaluationError(
            f"{source} address {address:#x} is null, which only generic has as well: it is not in "
            f"{target}"
        )
    if from_space == GENERIC:
        segment, offset, contiguous_bytes = _segment(address, apertures)
        converted = offset, contiguous_bytes
        if segment != to_space:
            if LOCAL in (segment, to_space):
                in_space = f"{_SPACES[segment]}, not in {target}"
                raise EvaluationError(f"generic address {address:#x} is in {in_space}")
            inner, more = convert_address(architecture, offset, segment, to_space, lane, apertures)
            converted = inner, min(contiguous_bytes, more)
    elif to_space == GENERIC:
        converted = _to_generic(address, from_space, apertures)
    elif GLOBAL in (from_space, to_space):
        converted = _through_scratch(architecture, address, from_space, to_space, lane, apertures)
    elif from_space == PRIVATE_LANE:
        converted = _to_wave(architecture, address, lane, apertures)
    else:
        converted = _to_lane(architecture, address, lane, apertures)
    if converted[0] == target.null and address != source.null:
        is_null = f"is in {target}, where {converted[0]:#x} is null"
        raise EvaluationError(f"{source} address {address:#x} {is_null}")
    return converted


_CONVERTIBLE: Final = frozenset(
    {
        *((GENERIC, space) for space in (GLOBAL, LOCAL, PRIVATE_LANE, PRIVATE_WAVE)),
        *((space, GENERIC) for space in (GLOBAL, LOCAL, PRIVATE_LANE)),
        *((GLOBAL, space) for space in (PRIVATE_LANE, PRIVATE_WAVE)),
        *((space, GLOBAL) for space in (PRIVATE_LANE, PRIVATE_WAVE)),
        (PRIVATE_LANE, PRIVATE_WAVE),
        (PRIVATE_WAVE, PRIVATE_LANE),
    }
)


def _segment(address: int, apertures: Apertures) -> tuple[int, int, int]:
    """Return space, address there and contiguous bytes of a generic address.

    Bits 63:48 choose the aperture and the low 32 bits are the address in it, as in amd-dbgapi.
    """
    bases = {LOCAL: apertures.local_base, PRIVATE_LANE: apertures.private_base}
    for space_number, base in bases.items():
        if 0 <= address - base < APERTURE_BYTES:
            offset = (address - base) % _SEGMENT_END
            return space_number, offset, _SEGMENT_END - offset
    return GLOBAL, address, apertures.end_of_global(address) - address


def _to_generic(address: int, from_space: int, apertures: Apertures) -> tuple[int, int]:
    if from_space == LOCAL:
        return apertures.known(apertures.local_base) + address, _SEGMENT_END - address
    if from_space == PRIVATE_LANE:
        return apertures.known(apertures.private_base) + address, _SEGMENT_END - address
    segment, _, contiguous_bytes = _segment(address, apertures)
    if segment != GLOBAL:
        name = _SPACES[segment].name
        raise EvaluationError(
            f"global address {address:#x} has no generic address: it is in the {name} aperture"
        )
    return address, contiguous_bytes


def _lane(architecture: Architecture, lane: int | None) -> int:
    if lane is None:
        raise MissingContext("the context has no lane")
    if not 0 <= lane < architecture.lane_count:
        raise InconsistentContext(
            f"lane {lane} is not one of the {architecture.lane_count} lanes of {architecture.name}"
        )
    return lane


def _to_wave(
    architecture: Architecture, address: int, lane: int | None, apertures: Apertures
) -> tuple[int, int]:
    element_bytes = apertures.element_bytes
    offset = swizzle(address, _lane(architecture, lane), architecture.lane_count, element_bytes)
    if offset >= _SEGMENT_END:
        raise OutOfRange(f"private_lane address {address:#x} is beyond any wave's scratch memory")
    return offset, element_bytes - address % element_bytes


def _to_lane(
    architecture: Architecture, address: int, lane: int | None, apertures: Apertures
) -> tuple[int, int]:
    lane_index, element_bytes = _lane(architecture, lane), apertures.element_bytes
    owner, offset = unswizzle(address, architecture.lane_count, element_bytes)
    if owner != lane_index:
        raise EvaluationError(
            f"private_wave address {address:#x} belongs to lane {owner}, not to lane {lane_index}"
        )
    return offset, element_bytes - address % element_bytes


def _scratch_end(apertures: Apertures) -> int:
    """Return the private_wave address after the last one: an address must fit, here and in
    global."""
    size_bytes, base = apertures.scratch_bytes, apertures.scratch_base or 0
    if size_bytes is None and not base:
        return _SEGMENT_END
    longest = min(_SEGMENT_END, (1 << 64) - base)
    return longest if size_bytes is None else min(size_bytes, longest)


def _through_scratch(
    architecture: Architecture,
    address: int,
    from_space: int,
    to_space: int,
    lane: int | None,
    apertures: Apertures,
) -> tuple[int, int]:
    """Convert between global and a private space: only inside the wave's scratch memory."""
    base, end = apertures.scratch_base, _scratch_end(apertures)
    if base is None:
        raise Unavailable("the global address of the wave's scratch memory")
    contiguous_bytes = end
    if from_space == GLOBAL:
        offset = address - base
    elif from_space == PRIVATE_LANE:
        offset, contiguous_bytes = _to_wave(architecture, address, lane, apertures)
    else:
        offset = address
    if not 0 <= offset < end:
        space = _SPACES[from_space].name
        raise EvaluationError(f"{space} address {address:#x} is outside the wave's scratch memory")
    if to_space == GLOBAL:
        return base + offset, min(contiguous_bytes, end - offset)
    if to_space == PRIVATE_LANE:
        return _to_lane(architecture, offset, lane, apertures)
    return offset, end - offset
