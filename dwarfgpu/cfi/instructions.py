"""The call frame instructions (AMD text A.6.4.2, A.7.24; DWARF 5 6.4.2; vendors' additions).

One declaration drives decoding, encoding, printing and execution.

Declares DW_CFA_nop, DW_CFA_set_loc, DW_CFA_advance_loc, DW_CFA_advance_loc1, DW_CFA_advance_loc2,
DW_CFA_advance_loc4, DW_CFA_MIPS_advance_loc8, DW_CFA_def_cfa, DW_CFA_def_cfa_sf,
DW_CFA_LLVM_def_aspace_cfa, DW_CFA_LLVM_def_aspace_cfa_sf, DW_CFA_def_cfa_register,
DW_CFA_def_cfa_offset, DW_CFA_def_cfa_offset_sf, DW_CFA_def_cfa_expression, DW_CFA_undefined,
DW_CFA_same_value, DW_CFA_offset, DW_CFA_offset_extended, DW_CFA_offset_extended_sf,
DW_CFA_GNU_negative_offset_extended, DW_CFA_val_offset, DW_CFA_val_offset_sf, DW_CFA_register,
DW_CFA_expression, DW_CFA_val_expression, DW_CFA_restore, DW_CFA_restore_extended,
DW_CFA_remember_state, DW_CFA_restore_state, DW_CFA_GNU_args_size, DW_CFA_GNU_window_save,
DW_CFA_AARCH64_negate_ra_state, DW_CFA_AARCH64_negate_ra_state_with_pc.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.cfi.declaration import (
    Address,
    Advance,
    ArgumentsSize,
    Assign,
    Bytes,
    CfiFormat,
    Delta1,
    Delta2,
    Delta4,
    Delta8,
    ExpressionBlock,
    Factored,
    MoveTo,
    NegatedFactored,
    PackedDelta,
    PackedRegister,
    Recall,
    Register,
    Remember,
    Restore,
    SignedFactored,
    Space,
    cfa,
)
from dwarfgpu.cfi.rule import (
    Architectural,
    ExpressionCfa,
    ExpressionRule,
    OffsetRule,
    RegisterCfa,
    RegisterRule,
    Rules,
    SameValueRule,
    UndefinedRule,
    ValExpressionRule,
    ValOffsetRule,
)
from dwarfgpu.errors import IllFormed

RA_SIGN_STATE: Final = 34
"""AArch64's pseudo-register that says whether the return address is signed."""


@cfa(0x00, spec="A.6.4.2.5")
def nop() -> None:
    """Do nothing: padding."""


@cfa(0x01, spec="A.6.4.2.1")
def set_loc(*, location: Address) -> MoveTo:
    """Start a row at an address, which must be beyond the current one."""
    return MoveTo(location)


@cfa(0x40, spec="A.6.4.2.1")
def advance_loc(*, delta_bytes: PackedDelta) -> Advance:
    """Start a row; the factored delta is in the opcode."""
    return Advance(delta_bytes)


@cfa(0x02, spec="A.6.4.2.1")
def advance_loc1(*, delta_bytes: Delta1) -> Advance:
    """Start a row; the factored delta has one byte."""
    return Advance(delta_bytes)


@cfa(0x03, spec="A.6.4.2.1")
def advance_loc2(*, delta_bytes: Delta2) -> Advance:
    """Start a row; the factored delta has two bytes."""
    return Advance(delta_bytes)


@cfa(0x04, spec="A.6.4.2.1")
def advance_loc4(*, delta_bytes: Delta4) -> Advance:
    """Start a row; the factored delta has four bytes."""
    return Advance(delta_bytes)


@cfa(0x1D, spec="GNU binutils include/dwarf2.def")
def MIPS_advance_loc8(*, delta_bytes: Delta8) -> Advance:
    """Start a row; the factored delta has eight bytes."""
    return Advance(delta_bytes)


@cfa(0x0C, spec="A.6.4.2.2")
def def_cfa(*, register: Register, offset_bytes: Bytes) -> RegisterCfa:
    """The CFA is a register and an offset, in the default address space."""
    return RegisterCfa(register, offset_bytes)


@cfa(0x12, spec="A.6.4.2.2")
def def_cfa_sf(*, register: Register, offset_bytes: SignedFactored) -> RegisterCfa:
    """Define the CFA as DW_CFA_def_cfa does, with a signed factored offset."""
    return RegisterCfa(register, offset_bytes)


@cfa(0x30, spec="A.6.4.2.2")
def LLVM_def_aspace_cfa(
    form: CfiFormat, *, register: Register, offset_bytes: Bytes, address_space: Space
) -> RegisterCfa:
    """The CFA is a register and an offset, in an address space."""
    _require_space(form, address_space)
    return RegisterCfa(register, offset_bytes, address_space)


@cfa(0x31, spec="A.6.4.2.2")
def LLVM_def_aspace_cfa_sf(
    form: CfiFormat, *, register: Register, offset_bytes: SignedFactored, address_space: Space
) -> RegisterCfa:
    """Define the CFA as DW_CFA_LLVM_def_aspace_cfa does, with a signed factored offset."""
    _require_space(form, address_space)
    return RegisterCfa(register, offset_bytes, address_space)


def _require_space(form: CfiFormat, address_space: int) -> None:
    """Raise `IllFormed` if the architecture is known and has no such address space."""
    if form.architecture is not None:
        form.architecture.address_space(address_space)


@cfa(0x0D, spec="A.6.4.2.2")
def def_cfa_register(old: RegisterCfa, *, register: Register) -> RegisterCfa:
    """Change the register of the CFA; offset and address space stay."""
    return evolve(old, register=register)


@cfa(0x0E, spec="A.6.4.2.2")
def def_cfa_offset(old: RegisterCfa, *, offset_bytes: Bytes) -> RegisterCfa:
    """Change the offset of the CFA; register and address space stay."""
    return evolve(old, offset_bytes=offset_bytes)


@cfa(0x13, spec="A.6.4.2.2")
def def_cfa_offset_sf(old: RegisterCfa, *, offset_bytes: SignedFactored) -> RegisterCfa:
    """Define the offset of the CFA as DW_CFA_def_cfa_offset does, signed and factored."""
    return evolve(old, offset_bytes=offset_bytes)


@cfa(0x0F, spec="A.6.4.2.2")
def def_cfa_expression(*, expression: ExpressionBlock) -> ExpressionCfa:
    """The CFA is what an expression gives."""
    return ExpressionCfa(expression)


@cfa(0x07, spec="A.6.4.2.3")
def undefined(*, register: Register) -> Assign:
    """The register cannot be recovered."""
    return Assign(register, UndefinedRule())


@cfa(0x08, spec="A.6.4.2.3")
def same_value(*, register: Register) -> Assign:
    """The register is unchanged."""
    return Assign(register, SameValueRule())


@cfa(0x80, spec="A.6.4.2.3")
def offset(*, register: PackedRegister, offset_bytes: Factored) -> Assign:
    """The register, in the opcode, is saved at an offset from the CFA."""
    return Assign(register, OffsetRule(offset_bytes))


@cfa(0x05, spec="A.6.4.2.3")
def offset_extended(*, register: Register, offset_bytes: Factored) -> Assign:
    """The register is saved at an offset from the CFA."""
    return Assign(register, OffsetRule(offset_bytes))


@cfa(0x11, spec="A.6.4.2.3")
def offset_extended_sf(*, register: Register, offset_bytes: SignedFactored) -> Assign:
    """Save a register as DW_CFA_offset_extended does, with a signed factored offset."""
    return Assign(register, OffsetRule(offset_bytes))


@cfa(0x2F, spec="Linux Standard Base Core, 10.6.1.3")
def GNU_negative_offset_extended(*, register: Register, offset_bytes: NegatedFactored) -> Assign:
    """Save a register as DW_CFA_offset_extended does, with the offset subtracted."""
    return Assign(register, OffsetRule(offset_bytes))


@cfa(0x14, spec="A.6.4.2.3")
def val_offset(*, register: Register, offset_bytes: Factored) -> Assign:
    """The register is the CFA and an offset."""
    return Assign(register, ValOffsetRule(offset_bytes))


@cfa(0x15, spec="A.6.4.2.3")
def val_offset_sf(*, register: Register, offset_bytes: SignedFactored) -> Assign:
    """Give a register's value as DW_CFA_val_offset does, with a signed factored offset."""
    return Assign(register, ValOffsetRule(offset_bytes))


@cfa(0x09, spec="A.6.4.2.3")
def register(*, register: Register, source_register: Register) -> Assign:
    """The register is stored in another register."""
    return Assign(register, RegisterRule(source_register))


@cfa(0x10, spec="A.6.4.2.3")
def expression(*, register: Register, expression: ExpressionBlock) -> Assign:
    """The register is at the location that an expression gives."""
    return Assign(register, ExpressionRule(expression))


@cfa(0x16, spec="A.6.4.2.3")
def val_expression(*, register: Register, expression: ExpressionBlock) -> Assign:
    """The register is the value that an expression gives."""
    return Assign(register, ValExpressionRule(expression))


@cfa(0xC0, spec="A.6.4.2.3")
def restore(*, register: PackedRegister) -> Restore:
    """The register, in the opcode, gets the rule of the CIE."""
    return Restore(register)


@cfa(0x06, spec="A.6.4.2.3")
def restore_extended(*, register: Register) -> Restore:
    """The register gets the rule of the CIE."""
    return Restore(register)


@cfa(0x0A, spec="A.6.4.2.4")
def remember_state() -> Remember:
    """Push the CFA and all register rules."""
    return Remember()


@cfa(0x0B, spec="A.6.4.2.4")
def restore_state() -> Recall:
    """Pop the CFA and all register rules."""
    return Recall()


@cfa(0x2E, spec="Linux Standard Base Core, 10.6.1.3")
def GNU_args_size(*, size_bytes: Bytes) -> ArgumentsSize:
    """Record the size of the arguments pushed so far."""
    return ArgumentsSize(size_bytes)


@cfa(0x2D, spec="GNU binutils include/dwarf2.def")
def GNU_window_save(form: CfiFormat) -> tuple[Assign, ...]:
    """SPARC: the out registers are in the in registers, local and in registers at the CFA."""
    if form.architecture is not None:  # SPARC is not among the known architectures.
        raise IllFormed(f"{form.architecture.name} has no register windows")
    outs = (Assign(number, RegisterRule(number + 16)) for number in range(8, 16))
    saved = (
        Assign(number, OffsetRule((number - 16) * form.address_size)) for number in range(16, 32)
    )
    return (*outs, *saved)


@cfa(0x2D, spec="DWARF for the Arm 64-bit Architecture, 4.4", machine="AARCH64")
def AARCH64_negate_ra_state(rules: Rules) -> Assign:
    """Toggle whether the return address is signed, by the stack pointer."""
    return _toggled(rules, 1)


@cfa(0x2C, spec="DWARF for the Arm 64-bit Architecture, 4.4", machine="AARCH64")
def AARCH64_negate_ra_state_with_pc(rules: Rules) -> Assign:
    """Toggle whether the return address is signed, by stack pointer and program counter."""
    return _toggled(rules, 3)


def _toggled(rules: Rules, signed: int) -> Assign:
    old = rules.get(RA_SIGN_STATE, Architectural("RA_SIGN_STATE", 0))
    if not isinstance(old, Architectural) or old.value not in (0, signed):
        raise IllFormed("another instruction has set the rule of RA_SIGN_STATE")
    return Assign(RA_SIGN_STATE, Architectural("RA_SIGN_STATE", signed - old.value))
