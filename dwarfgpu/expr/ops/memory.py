"""Memory location description operations (AMD text A.2.5.4.4.3).

Declares DW_OP_addr, DW_OP_addrx, DW_OP_LLVM_form_aspace_address, DW_OP_form_tls_address,
DW_OP_call_frame_cfa, DW_OP_fbreg, DW_OP_breg0 to DW_OP_breg31, DW_OP_bregx,
DW_OP_LLVM_aspace_bregx, DW_OP_GNU_push_tls_address, DW_OP_GNU_addr_index.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.access.access_protocol import Access
from dwarfgpu.arch.model import AddressSpace, RegisterInfo
from dwarfgpu.errors import EvaluationError, OutOfRange
from dwarfgpu.expr.context import Context, require, require_frame
from dwarfgpu.expr.control_flow import Nested
from dwarfgpu.expr.implicit_conversions import memory_location, pointee
from dwarfgpu.expr.operand_codec import SLEB, Address, AddressIndex, RegisterNumber
from dwarfgpu.expr.operation import LLVM_USER, Number, op
from dwarfgpu.expr.ops.register import regx
from dwarfgpu.model.location import ImplicitPointerValue, Location
from dwarfgpu.model.storage import ImplicitPointer
from dwarfgpu.model.value import Value

TLS_ADDRESSES: Final = frozenset({"form_tls_address", "form_tls_location", "GNU_push_tls_address"})
"""The operations, in all dialects, that make a location in thread-local storage."""


@op(0x03, spec="A.2.5.4.4.3")
def addr(ctx: Context, *, address: Address) -> Location:
    """Make a memory location in the default address space from a relocated address."""
    return _relocated(ctx, address)


@op(0xA1, spec="A.2.5.4.4.3")
def addrx(ctx: Context, *, index: AddressIndex) -> Location:
    """Make a memory location in the default address space from an entry of `.debug_addr`."""
    return _relocated(ctx, require(ctx.unit, "compilation unit").address(index))


@op((LLVM_USER, 0x02), spec="A.2.5.4.4.3")
def LLVM_form_aspace_address(
    ctx: Context, address: Value | ImplicitPointerValue, space: Value
) -> Location | Nested:
    """Make a memory location from an address and an address space.

    The address is taken as unsigned, in the address size of the space. Memory of a wave or of a
    lane is that of the current one, also in later accesses.
    """
    space.require_integral()  # the number itself is unsigned
    chosen = require(ctx.architecture, "target architecture").address_space(space.bits)
    if isinstance(address, ImplicitPointerValue):
        if address.storage.space.number != chosen.number:
            raise EvaluationError(
                f"an implicit pointer to {address.storage.space} used in {chosen}"
            )
        return pointee(ctx, address)
    address.require_integral()  # it is zero extended, whatever its sign
    return memory_location(ctx, chosen, address.bits)


@op(0x9B, spec="A.2.5.4.4.3")
def form_tls_address(ctx: Context, offset: Value) -> Location:
    """Make a memory location from an offset in the thread-local storage of this module."""
    offset.require_integral()
    unit, wave = require(ctx.unit, "compilation unit"), require(ctx.wave, "thread")
    return _default_location(ctx, unit.tls_address(offset.bits, wave, ctx.target))


@op(0x9C, spec="A.2.5.4.4.3")
def call_frame_cfa(ctx: Context) -> Location:
    """Push the Canonical Frame Address of the current subprogram."""
    return require_frame(ctx.frame).cfa()


@op(0x91, spec="A.2.5.4.4.3")
def fbreg(ctx: Context, *, displacement: SLEB) -> Location:
    """Push the frame base of the current subprogram, moved by a signed number of bytes."""
    return require_frame(ctx.frame).frame_base().displaced(displacement * 8)


@op(range(0x70, 0x90), spec="A.2.5.4.4.3", equals="DW_OP_bregx {number}, {displacement}")
def breg(ctx: Context, *, number: Number, displacement: SLEB) -> Location:
    """Make a memory location from the register in the name and a displacement."""
    return bregx(ctx, register=number, displacement=displacement)


@op(0x92, spec="A.2.5.4.4.3")
def bregx(ctx: Context, *, register: RegisterNumber, displacement: SLEB) -> Location:
    """Make a memory location from a register and a displacement, modulo the address size.

    The register is read as an unsigned address of the default address space: one that is narrower
    is an evaluation error, of one that is wider the low bits count. Where the context widens bases,
    a narrower scalar register is extended by zeros.
    """
    space = require(ctx.architecture, "target architecture").address_space(0)
    return _based(ctx, space, register, displacement)


@op((LLVM_USER, 0x09), spec="A.2.5.4.4.3")
def LLVM_aspace_bregx(
    ctx: Context, space: Value, *, register: RegisterNumber, displacement: SLEB
) -> Location:
    """Make a memory location from a register, a displacement and an address space."""
    space.require_integral()  # the number itself is unsigned
    chosen = require(ctx.architecture, "target architecture").address_space(space.bits)
    return _based(ctx, chosen, register, displacement)


def _based(ctx: Context, space: AddressSpace, register: int, displacement: int) -> Location:
    location = regx(ctx, register=register)
    info = require(ctx.architecture, "target architecture").register(register)
    if _widens(ctx, info, space):
        contents = ctx.access.retrieve(location, info.size_bits)
        if isinstance(contents, ImplicitPointer):
            raise _no_base()
        return memory_location(ctx, space, contents + displacement)
    return memory_location(
        ctx, space, base_address(ctx.access, info, location, space) + displacement
    )


def is_narrow_base(register: RegisterInfo, address_bits: int) -> bool:
    """Return whether compilers take a register for an address although it lacks the upper bits."""
    return register.register_class == "scalar" and register.size_bits < address_bits


def _widens(ctx: Context, register: RegisterInfo, space: AddressSpace) -> bool:
    """Return whether a register is read as a base although it is narrower than an address."""
    if not ctx.widens_bases or not is_narrow_base(register, space.address_bits):
        return False
    return ctx.unit is None or ctx.unit.dialect.is_of_compilers


def _no_base() -> EvaluationError:
    return EvaluationError("an implicit pointer cannot be the base of an address")


def base_address(
    access: Access, info: RegisterInfo, location: Location, space: AddressSpace
) -> int:
    """Return the contents of a register at a location as an address of a space."""
    if info.is_narrower(space.address_bits):
        raise OutOfRange(
            f"register {info} of {info.size_bits} bits is narrower than "
            f"the {space.address_bits}-bit addresses of {space}"
        )
    size_bits = min(info.size_bits, space.address_bits)
    excess_bits = info.size_bits - size_bits
    if excess_bits and access.endian == "big":
        location = location.displaced(excess_bits)  # the low bits come last
    base = access.retrieve(location, size_bits)
    if isinstance(base, ImplicitPointer):
        raise _no_base()
    return base


def _relocated(ctx: Context, address: int) -> Location:
    unit = ctx.unit
    return _default_location(ctx, address if unit is None else unit.relocate(address))


def _default_location(ctx: Context, address: int) -> Location:
    arch = require(ctx.architecture, "target architecture")
    return memory_location(ctx, arch.address_space(0), address)
