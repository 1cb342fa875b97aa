"""The rules of the check: one name for each kind of finding (`docs/check.md`).

`rule_details` explains each in full. Other modules apply them and report findings by these names:

- operations: `checker`, `abstract_stack` and `abstract_value` of `expr/static_check/`, and
  `expressions` where the role of the expression matters;
- entries, their attributes and location lists: `entries`; units: `file` and `headers`;
- call frame information: `call_frame_info`, and `rows` for the rows of an FDE.

Law: an error is certain from the text of the section; a warning is legal, or certain only on some
path, and almost never intended; a note suggests a better encoding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.expr.static_check.abstract_stack import Severity


@frozen
class Rule:
    """A kind of finding."""

    name: str
    severity: Severity
    """The worst severity of its findings."""
    section: str
    """The section of the AMD text, where an operation does not bring its own; else of DWARF 5."""
    summary: str
    advice: str | None = None
    """What follows, or what to write instead."""


_EXPRESSIONS: Final = (
    Rule("stack-underflow", "error", "A.2.5.4", "an operation pops more than the stack has",
         "put the operand before the operation; what it was to pop is missing or was "
         "popped earlier"),
    Rule("wrong-kind", "error", "A.2.5.4.4.3", "an entry that is not of the kind needed",
         "read a place with deref* or regval_type, make an address a place with "
         "LLVM_form_aspace_address"),
    Rule("mixed-types", "error", "A.2.5.4.3.2", "arithmetic on values of different types",
         "convert one of the operands: literals, addresses and comparisons have the "
         "generic type (convert 0)"),
    Rule("wrong-result", "error", "A.2.5.4", "the result is not of the kind that is required",
         "end a value with stack_value where a location is wanted, read a location with "
         "deref* where a value is"),
    Rule("branch-target", "error", "A.2.5.4.2", "a branch into an operation, or outside",
         "the operand counts bytes from the end of the branch to the start of an "
         "operation, or to the end"),
    Rule("endless-loop", "error", "A.2.5.4", "a loop without an exit",
         "no condition leaves the loop; a consumer gives up"),
    Rule("unreachable", "warning", "A.2.5.4.2", "operations to which no path leads",
         "remove it, or branch there"),
    Rule("unknown-operation", "error", "A.2.5.4", "an encoding that the dialect does not define",
         "its length is unknown, so that nothing after it can be read; give --dialect if it is "
         "known"),
    Rule("cut-short", "error", "A.2.5.4", "the expression ends inside an operation",
         "the length before the expression is too small, or an operand is of another size"),
    Rule("unknown-register", "error", "A.2.5.4.4.4", "no register has the number",
         "use the DWARF number, which is not the number in the instruction's encoding"),
    Rule("narrow-base-register", "error", "A.2.5.4.4.3", "a base narrower than an address",
         "give the address space with LLVM_aspace_bregx or DW_CFA_LLVM_def_aspace_cfa, or "
         "read the register and extend it"),
    Rule("wide-base-register", "warning", "A.2.5.4.4.3", "the first lanes of a register as base",
         "for the value of a lane: regx vN; LLVM_push_lane; lit4; mul; LLVM_offset"),
    Rule("unknown-address-space", "error", "A.2.5.4.4.3", "no address space has the number",
         "use the DWARF number of the address space, which differs from that of LLVM or the "
         "source language"),
    Rule("narrow-select-mask", "error", "A.2.5.4.4.6", "a mask of fewer bits than parts",
         "make the mask of a type with a bit for each part"),
    Rule("division-by-zero", "error", "A.2.5.4.3.2", "the divisor is 0",
         "the divisor is 0 whatever the machine holds"),
    Rule("undefined-read", "error", "A.2.5.4.3.4", "a value of bits that are undefined",
         "leave the location undefined: a value of nothing cannot be computed with"),
    Rule("outside-storage", "error", "A.2.5.4.4.6", "bits that the storage does not have",
         "make the part or offset no larger than the storage, or the storage as large"),
    Rule("implicit-pointer", "error", "A.2.5.4.4.5", "an implicit pointer used as it may not be",
         "read the pointer whole, and dereference it in its own address space"),
    Rule("no-entry-value", "warning", "A.2.5.4.3.4", "an entry value of what gives none",
         "end with reg*, or read the location with deref*"),
    Rule("empty-read", "error", "A.2.5.4.3.4", "zero bytes are read",
         "give the size of what is read"),
    Rule("empty-composite", "error", "A.2.5.4.4.6", "elements of no size, or none of them",
         "give the size and the number of the elements"),
    Rule("large-composite", "error", "A.2.5.4.4.6", "more than the largest address space",
         "sizes of piece and deref are bytes, of the others bits"),
    Rule("empty-piece", "warning", "A.2.5.4.4.6", "a piece of size 0",
         "leave it out"),
    Rule("wide-number", "warning", "A.2.5.4.3.1", "a constant that the generic type cannot hold",
         "write DW_OP_const_type with a base type of its size"),
    Rule("upstream-address-space", "warning", "A.2.5.4.3.4", "clang's swap, xderef, by the letter",
         "write LLVM_form_aspace_address in place of swap, xderef"),
    Rule("unsupported-operation", "note", "A.2.5.4", "an operation that is not evaluated"),
    Rule("padded-number", "note", "A.2.5.4", "a LEB128 number in more bytes than needed"),
    Rule("older-form", "note", "A.2.5.4", "an encoding for which there is a standard one"),
    Rule("entries-left", "note", "A.2.5.4", "unused entries below the result"),
)  # fmt: skip
_ENTRIES: Final = (
    Rule("bad-reference", "error", "A.2.5.4.3.4", "an operand that leads to no type or entry",
         "types count from the start of the unit, call_ref and implicit_pointer from .debug_info"),
    Rule("fbreg-in-frame-base", "error", "A.3.3.5", "a frame base that needs the frame base",
         "use call_frame_cfa or a register"),
    Rule("lanes-missing", "warning", "A.3.3.5", "push_lane in a function that has one lane",
         "give the function DW_AT_LLVM_lanes, the wave size: without it no lane but 0 exists"),
    Rule("bad-lane-count", "error", "A.3.3.5", "DW_AT_LLVM_lanes of 0 or less",
         "it is the number of lanes onto which the threads of the source are mapped, 32 or 64"),
    Rule("bad-iteration-count", "error", "A.3.3.5", "DW_AT_LLVM_iterations of 0 or less",
         "it is the number of iterations at a time, at least 1"),
    Rule("bad-vector-size", "error", "A.5.1", "DW_AT_LLVM_vector_size of 0 or less",
         "it is the number of elements, at least 1"),
    Rule("unknown-memory-space", "warning", "A.2.14", "no memory space has the number",
         "0 to 4 are none, global, constant, group and private; vendors' begin at 0x8000"),
    Rule("vendor-attribute", "warning", "A.2.2", "an attribute on a tag that has none",
         "consumers ignore it there"),
    Rule("pieces-exceed-type", "warning", "A.2.5.4.4.6", "more bits in pieces than in the type",
         "consumers show the first bits; the pieces are in the wrong order or of the wrong size"),
    Rule("pieces-short-of-type", "warning", "A.2.5.4.4.6", "fewer bits in pieces than in the type",
         "end with pieces without location for the rest: it is optimized out"),
    Rule("inverted-range", "error", "A.2.5.5", "a range that ends before it begins",
         "labels are swapped, or the base address is another one"),
    Rule("range-outside-function", "warning", "A.2.5.5", "a location outside its function",
         "no pc of the function is there; the base address is another one, or the range too long"),
    Rule("ill-formed-list", "error", "A.2.5.5", "an invalid location list",
         "give the unit DW_AT_low_pc or the list a base address"),
    Rule("unreadable-list", "error", "A.2.5.5", "a location list that cannot be read",
         "the offset leads elsewhere, or the list has no end"),
    Rule("unreadable-unit", "error", "A.7.5", "a unit that cannot be read to its end",
         "everything after that place is unreadable"),
    Rule("address-size", "error", "A.2.5.1", "headers that disagree on the size of an address",
         "write the same size into all headers: readers step over the section by it"),
)  # fmt: skip
_FRAMES: Final = (
    Rule("not-allowed-in-cfi", "error", "A.6.4.2", "an operation that CFI must not use",
         "a frame is the same for all lanes and has no unit: use registers, the CFA and literals"),
    Rule("lost-cfa", "error", "A.6.4.2.2", "a row without a CFA that is needed",
         "without a CFA the caller's registers are not found here: restore it with the "
         "registers, or save by DW_CFA_expression"),
    Rule("cfa-not-memory", "error", "A.6.4.2.2", "a CFA expression that gives no memory location",
         "the CFA is an address: end with the address, or with LLVM_form_aspace_address"),
    Rule("unbalanced-state", "error", "A.6.4.2.4", "restore_state without remember_state",
         "each restore_state needs a remember_state before it in the same FDE"),
    Rule("location-order", "error", "A.6.4.2.1", "a row that does not start after the one before",
         "rows are in the order of their addresses; an advance counts from the row before"),
    Rule("register-cycle", "error", "A.6.4.1", "registers whose rules depend on each other",
         "where a register was is found by the other's rule in the same row: say "
         "DW_CFA_expression (regx R) for R as it is"),
    Rule("register-size", "error", "A.6.4.1", "a rule that gives a register another size",
         "make a composite of registers of the right size, or use DW_CFA_expression"),
    Rule("empty-fde", "warning", "A.6.4.1", "an FDE without any rule",
         "no debugger can leave this function: describe the CFA and the return address, "
         "or leave out the FDE"),
    Rule("unknown-augmentation", "warning", "A.6.4.1", "a CIE whose augmentation is unknown",
         "a consumer that does not know the augmentation must ignore the rules of all FDEs of "
         "this CIE"),
    Rule("overlapping-fdes", "warning", "A.6.4.1", "code that two FDEs describe",
         "which of them is found is chance: end the first where the second begins"),
    Rule("search-table", "warning", "A.6.4.1", "a search table that is not of its section"),
    Rule("ill-formed-cfi", "error", "A.6.4.2", "an instruction that cannot be executed",
         "consumers stop there: later rows of the function are lost"),
    Rule("unreadable-cfi", "error", "A.6.4.1", "an entry or instruction that cannot be read",
         "consumers stop there: later rows of the function are lost"),
)  # fmt: skip

RULES: Final[Mapping[str, Rule]] = {
    rule.name: rule for rule in (*_EXPRESSIONS, *_ENTRIES, *_FRAMES)
}
"""Every rule by its name."""
