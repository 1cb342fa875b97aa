"""The rules of the check: one name for each kind of finding (`docs/check.md`).

`rule_details` explains each in full. Other modules apply them and report findings by these names:

- operations: `checker`, `abstract_stack`, `operand_kinds` and `abstract_value` of
  `expr/static_check/`, and `expressions` where the role of the expression matters;
- entries, their attributes and location lists: `entries`, `layout`, `contained_types` and
  `vendor_attributes`; units: `file` and `headers`; sections: `lost_section_faults`
  and `string_tables`;
- call frame information: `call_frame_info`, and `rows` for the rows of an FDE.

Law: an error is certain from the text of the section; a warning is legal, or certain only on some
path, and almost never intended; a note suggests a better encoding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.expr.static_check.severity import Severity


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
         "push the operand before the operation: it is missing, or an earlier operation "
         "popped it"),
    Rule("wrong-kind", "error", "A.2.5.4.4.3", "an operand of the wrong kind",
         "read a location with deref* or regval_type; make a location of an address with "
         "LLVM_form_aspace_address; convert a value whose type is wrong"),
    Rule("mixed-types", "error", "A.2.5.4.3.2", "arithmetic on values of different types",
         "convert one of the operands: literals, addresses and comparisons have the "
         "generic type (convert 0)"),
    Rule("wrong-result", "error", "A.2.5.4", "the result is of the wrong kind",
         "end with stack_value if the result is a value and a location is required; read "
         "the location with deref* if a value is required"),
    Rule("branch-target", "error", "A.2.5.4.2", "a branch into an operation, or outside",
         "the operand counts bytes from the end of the branch to the start of an "
         "operation, or to the end"),
    Rule("endless-loop", "error", "A.2.5.4", "a loop without an exit",
         "no branch leaves the loop: the evaluation never ends, and consumers give up"),
    Rule("unreachable", "warning", "A.2.5.4.2", "operations that no path reaches",
         "remove the operations, or branch to them"),
    Rule("unknown-operation", "error", "A.2.5.4", "an encoding that the dialect does not define",
         "its length is unknown, so nothing after it can be read: select the dialect that defines "
         "it with --dialect"),
    Rule("cut-short", "error", "A.2.5.4", "the expression ends inside an operation",
         "the length of the expression is too small, or an operand has the wrong size"),
    Rule("unknown-register", "error", "A.2.5.4.4.4", "no register has this number",
         "use the DWARF register number, which differs from the number in instructions"),
    Rule("narrow-base-register", "error", "A.2.5.4.4.3", "a base register narrower than an address",
         "give the address space with LLVM_aspace_bregx or DW_CFA_LLVM_def_aspace_cfa, or "
         "read the register and extend it"),
    Rule("wide-base-register", "warning", "A.2.5.4.4.3", "a vector register as a base",
         "for the register of one lane write regx vN; LLVM_push_lane; lit4; mul; LLVM_offset"),
    Rule("unknown-address-space", "error", "A.2.5.4.4.3", "no address space has this number",
         "use the DWARF number of the address space, which differs from the numbers of LLVM "
         "and of the source language"),
    Rule("narrow-select-mask", "error", "A.2.5.4.4.6", "a mask with fewer bits than parts",
         "give the mask a type that has a bit for each part"),
    Rule("division-by-zero", "error", "A.2.5.4.3.2", "the divisor is 0",
         "the divisor is a constant, so every evaluation fails"),
    Rule("undefined-read", "error", "A.2.5.4.3.4", "a value of bits that are undefined",
         "leave the location undefined: no value can be computed from undefined bits"),
    Rule("outside-storage", "error", "A.2.5.4.4.6", "an access outside the storage",
         "reduce the part or the offset, or enlarge the storage"),
    Rule("implicit-pointer", "error", "A.2.5.4.4.5", "an invalid use of an implicit pointer",
         "read the whole pointer, and dereference it in its own address space"),
    Rule("no-entry-value", "warning", "A.2.5.4.3.4", "an entry value without a value",
         "end with reg*, or read the location with deref*"),
    Rule("empty-read", "error", "A.2.5.4.3.4", "zero bytes are read",
         "give the number of bytes to read"),
    Rule("empty-composite", "error", "A.2.5.4.4.6", "no elements, or elements of size 0",
         "give a size and a number of elements above 0"),
    Rule("large-composite", "error", "A.2.5.4.4.6", "a composite larger than any address space",
         "check the unit: piece and deref take bytes, the other operations take bits"),
    Rule("empty-piece", "warning", "A.2.5.4.4.6", "a piece of size 0",
         "remove the operation: it describes no bits"),
    Rule("wide-number", "warning", "A.2.5.4.3.1", "a number that its type cannot hold",
         "use DW_OP_const_type with a base type that can hold it"),
    Rule("upstream-address-space", "warning", "A.2.5.4.3.4", "clang's swap, xderef, read literally",
         "use LLVM_form_aspace_address instead of swap, xderef"),
    Rule("upstream-virtual-base", "warning", "A.2.5.4.3.2",
         "the place of a virtual base class, in global memory alone",
         "use LLVM_offset instead of the final plus"),
    Rule("upstream-lds-offset", "warning", "A.2.5.4.4.3", "a place in LDS that may be another's",
         "compile with a compiler that describes LDS, as AMD's, or declare one array or structure "
         "in LDS for each kernel"),
    Rule("unsupported-operation", "note", "A.2.5.4", "an operation that cannot be evaluated"),
    Rule("padded-number", "note", "A.2.5.4", "a LEB128 number that takes more bytes than needed"),
    Rule("older-form", "note", "A.2.5.4", "a GNU encoding of a standard operation"),
    Rule("entries-left", "note", "A.2.5.4", "unused entries below the result"),
)  # fmt: skip
_ENTRIES: Final = (
    Rule("bad-reference", "error", "A.2.5.4.3.4", "an operand that refers to no type or entry",
         "offsets of types are relative to the unit, those of call_ref and implicit_pointer to "
         ".debug_info"),
    Rule("dangling-reference", "error", "A.2.7", "an attribute that refers to no entry, or no type",
         "debuggers lose what the entry describes, as the type of a variable: the offset is wrong, "
         "or the entry that it named was removed"),
    Rule("wrong-layout", "error", "A.5.1", "sizes and offsets that contradict one another",
         "DW_AT_bit_size is at most the bits of DW_AT_byte_size, DW_AT_data_bit_offset begins "
         "within them, a member has it or DW_AT_data_member_location, within the structure, and "
         "pointers have bytes, bit-fields bits; DW_AT_count is that of the bounds, and each value "
         "of a discriminant chooses one variant"),
    Rule("fbreg-in-frame-base", "error", "A.3.3.5", "a frame base that depends on itself",
         "use DW_OP_call_frame_cfa or a register"),
    Rule("no-object", "warning", "A.2.5.4.4.1", "push_object_address where there is no object",
         "the attribute itself says where the object is: use its frame base, registers or address"),
    Rule("no-frame-base", "error", "A.3.3.5", "fbreg in a function without a frame base",
         "give the function DW_AT_frame_base, or use another base: read literally, every "
         "evaluation fails"),
    Rule("lanes-missing", "warning", "A.3.3.5", "push_lane in a function that has one lane",
         "give the function DW_AT_LLVM_lanes, the wave size: without it only lane 0 exists"),
    Rule("bad-lane-count", "error", "A.3.3.5", "DW_AT_LLVM_lanes of 0 or less",
         "give the number of lanes onto which source threads are mapped: 32 or 64"),
    Rule("few-lanes", "error", "A.3.3.5", "a description of fewer lanes than the function has",
         "describe every lane of DW_AT_LLVM_lanes: lane_pc has an address for each, active_lane a "
         "bit"),
    Rule("bad-iteration-count", "error", "A.3.3.5", "DW_AT_LLVM_iterations of no number above 0",
         "give the number of iterations that execute concurrently, at least 1"),
    Rule("bad-vector-size", "error", "A.5.1", "DW_AT_LLVM_vector_size of 0 or less",
         "give the number of elements, at least 1"),
    Rule("unknown-memory-space", "warning", "A.2.14", "no memory space has this number",
         "use 0 to 4 for none, global, constant, group and private, or a vendor's number from "
         "0x8000"),
    Rule("vendor-attribute", "warning", "A.2.2", "an attribute on the wrong tag",
         "remove the attribute: consumers ignore it there"),
    Rule("pieces-exceed-type", "warning", "A.2.5.4.4.6", "pieces with more bits than the type",
         "consumers show the first bits: check the order and the sizes of the pieces"),
    Rule("pieces-short-of-type", "warning", "A.2.5.4.4.6", "pieces with fewer bits than the type",
         "append pieces without a location for the remaining bits: they are optimized out"),
    Rule("value-short-of-type", "warning", "A.2.5.4.4.5", "a value shorter than its object",
         "give all bytes of the object: a read of the whole object is outside the value"),
    Rule("value-exceeds-type", "warning", "A.2.5.4.4.5", "a value longer than its object",
         "consumers show the first bytes, or the lowest bits: check the type, and the value"),
    Rule("inverted-range", "error", "A.2.5.5", "a range that ends before it begins",
         "swap the labels, or check the base address"),
    Rule("range-outside-function", "warning", "A.2.5.5", "a range outside its function",
         "check the base address and the length: no pc of the function is in the range"),
    Rule("call-outside-function", "warning", "3.4.1", "a call site outside its function",
         "check the label: debuggers find no values on entry, and no tail calls, of this call"),
    Rule("range-outside-parent", "warning", "2.17", "code outside the entry that contains it",
         "give the entry around it the code of all that it contains: debuggers that look for a pc "
         "from the unit downwards do not find what is outside"),
    Rule("overlapping-code", "warning", "2.17", "two entries beside each other with the same code",
         "end the code of the one where that of the other begins: a debugger may use either for a "
         "pc in both"),
    Rule("wrong-sibling", "error", "2.3", "DW_AT_sibling that leads to no sibling",
         "give the offset of the next entry that has the same parent: readers that skip children "
         "by it lose entries, or read what is none"),
    Rule("overlapping-units", "warning", "3.1.1", "two units that cover the same code",
         "end the code of the one where that of the other begins: a debugger may use either"),
    Rule("wrong-index", "warning", "6.1", "an index that contradicts the units",
         "make the index again: debuggers that use it miss code and names that the units have"),
    Rule("ill-formed-list", "error", "A.2.5.5", "an invalid location list",
         "where ranges overlap, list the addresses that they share once; else give the unit "
         "DW_AT_low_pc or the list a base address, and let each range end before the last address"),
    Rule("unreadable-list", "error", "A.2.5.5", "a location list that cannot be read",
         "check the offset, and that the list has an end-of-list entry"),
    Rule("unreadable-unit", "error", "A.7.5", "a unit that cannot be read to its end",
         "nothing after that offset can be read"),
    Rule("lost-section", "error", "7.3", "a section without a name, not loaded, or overwritten",
         "consumers find sections by their names, memory by the program headers, code by symbols, "
         "and the code object of a bundle by the ID of its entry"),
    Rule("unbalanced-entries", "error", "2.3", "entries that do not end where their unit ends",
         "end the children of every entry of an abbreviation with DW_CHILDREN_yes, and of no "
         "other, with a null entry"),
    Rule("wrong-unit", "error", "7.5.1", "a unit whose header and entries contradict one another",
         "the type of the unit in its header says which tag its first entry has, and type_offset "
         "which entry the signature names"),
    Rule("type-signature", "warning", "7.32", "two type units of one signature and different types",
         "give different types different signatures: linkers keep one of the units, and debuggers "
         "use it for both"),
    Rule("table-header", "error", "7.26", "a table without a header of DWARF 5",
         "the attribute gives the offset behind the header, whose version is 5"),
    Rule("repeated-string", "warning", "7.26", "strings, or a table of them, with several zeros",
         "give each entry its own string: entries have the name of another one, or none"),
    Rule("unreadable-line-table", "error", "6.2", "a line table that cannot be read to its end",
         "the code has no lines from there on"),
    Rule("wrong-line-table", "error", "6.2", "a line table that contradicts itself",
         "debuggers find other lines or files, or none, for the code"),
    Rule("outside-table", "error", "7.5.5", "an attribute that leads outside its table",
         "count the strings, addresses and files of the table that the unit names"),
    Rule("negative-line", "error", "2.14", "a line or a column below 0",
         "write an unsigned number: consumers take it as a huge one, or as no line"),
    Rule("unassigned-number", "warning", "7.8",
         "an encoding, byte order or language without a meaning",
         "use a number that DWARF defines, or one of those of vendors: consumers do not know how "
         "to show the values"),
    Rule("wrong-class", "error", "7.5.4", "an attribute in a form that it cannot have",
         "use a form of a class that DWARF gives the attribute: consumers ignore the value"),
    Rule("newer-form", "warning", "7.5.4", "a form that the version of the unit does not have",
         "write the version in which the form is: other consumers cannot skip the value"),
    Rule("reserved-tag", "error", "7.5.3", "an entry with a tag of no meaning",
         "give the abbreviation the tag of its entries: LLVM refuses the whole table"),
    Rule("missing-attribute", "warning", "4.1", "an entry without an attribute that it needs",
         "write the attribute: consumers take the type as void, or ignore the entry"),
    Rule("repeated-attribute", "error", "2.2", "an entry with two attributes of one meaning",
         "write one of them: which of the two counts depends on the consumer"),
    Rule("address-size", "error", "A.2.5.1", "headers that disagree on the size of an address",
         "write the same size into all headers: readers step through the sections by it"),
)  # fmt: skip
_FRAMES: Final = (
    Rule("not-allowed-in-cfi", "error", "A.6.4.2", "an operation that CFI must not use",
         "use registers, the CFA and literals: a call frame has no unit, and all lanes share it"),
    Rule("lost-cfa", "error", "A.6.4.2.2", "a row that needs a CFA and has none",
         "without a CFA, debuggers cannot recover the caller's registers here: define the CFA, or "
         "use DW_CFA_expression for the register"),
    Rule("cfa-not-memory", "error", "A.6.4.2.2", "a CFA expression that gives no memory location",
         "end with an address, or with LLVM_form_aspace_address"),
    Rule("unbalanced-state", "error", "A.6.4.2.4", "restore_state without remember_state",
         "each restore_state needs a remember_state before it in the same FDE"),
    Rule("location-order", "error", "A.6.4.2.1", "a row that does not start after the previous one",
         "order the rows by address; an advance is relative to the previous row"),
    Rule("register-cycle", "error", "A.6.4.1", "registers whose rules depend on each other",
         "DW_OP_LLVM_call_frame_entry_reg R and, on AMD GPUs, register(R) are where R's rule in "
         "the same row puts R: for R itself write DW_CFA_expression (regx R)"),
    Rule("register-size", "error", "A.6.4.1", "a rule that gives a register the wrong size",
         "use a composite of registers of the right size, or DW_CFA_expression"),
    Rule("shared-place", "warning", "A.6.4.1", "two registers that are saved at one place",
         "a push changes the offset of the CFA too, and data_alignment_factor multiplies offsets: "
         "one of the registers is not saved there"),
    Rule("return-column", "error", "A.6.4.1", "a return address column without a return address",
         "name the register that has the return address: without it, debuggers find no caller"),
    Rule("empty-fde", "warning", "A.6.4.1", "an FDE without any rule",
         "no debugger can unwind through this function: describe the CFA and the return "
         "address, or remove the FDE"),
    Rule("unknown-augmentation", "warning", "A.6.4.1", "a CIE whose augmentation is unknown",
         "use an augmentation that consumers know: all others must ignore the FDEs of this CIE"),
    Rule("overlapping-fdes", "warning", "A.6.4.1", "two FDEs that describe the same code",
         "end the first FDE where the second begins: a debugger may use either"),
    Rule("fde-outside-file", "warning", "A.6.4.1", "an FDE for addresses outside of the file",
         "give the FDE the addresses of its function: debuggers unwind by them alone"),
    Rule("early-end", "error", "A.6.4.1", "a section that ends before its last FDE",
         "remove the zeros, or put the object that has them (crtend.o) last: exceptions that pass "
         "functions behind them end the program"),
    Rule("search-table", "warning", "A.6.4.1", "a search table that does not match its section"),
    Rule("ill-formed-cfi", "error", "A.6.4.2", "an instruction that cannot be executed",
         "consumers stop there and lose the later rows of the function"),
    Rule("unreadable-cfi", "error", "A.6.4.1", "an entry or instruction that cannot be read",
         "consumers lose the later rows of the function, or take wrong ones"),
)  # fmt: skip

RULES: Final[Mapping[str, Rule]] = {
    rule.name: rule for rule in (*_EXPRESSIONS, *_ENTRIES, *_FRAMES)
}
"""Every rule by its name."""
