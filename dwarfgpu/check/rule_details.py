"""What each rule of the check finds, in full: the tables of `docs/check.md`, for `--explain`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DETAILS: Final[Mapping[str, str]] = {
    "stack-underflow": (
        "an operation pops more entries than the stack has: an error on every path, a warning on "
        "some paths"
    ),
    "wrong-kind": (
        "an operand neither has nor converts to the kind that the operation requires, or it is a "
        "value of a type that the operation does not take. A register where a value is required "
        "is a warning: in an outer frame, memory may hold its value. In call frame information "
        "the CFA that is on the stack at first counts as what it is in the row: one in private "
        "memory converts to no value"
    ),
    "mixed-types": (
        "arithmetic on, or a comparison of, values of two types: the generic type and a base type, "
        "or two base types that differ in more than their names"
    ),
    "wrong-result": (
        "the result neither has nor converts to the kind that the attribute requires, or a frame "
        "base, return address or static link is not in memory (A.3.3.5). A register as return "
        "address or static link is a warning: in an outer frame, memory may hold it"
    ),
    "branch-target": (
        "a branch into the middle of an operation or outside the expression; a warning if the "
        "branch may not be taken"
    ),
    "endless-loop": (
        "a loop without an exit: the text does not call it ill-formed, but its evaluation reaches "
        "neither the end of the expression nor an error"
    ),
    "unreachable": (
        "operations that no path reaches, also behind a branch whose condition is a known constant"
        "; not those that a wrong branch may be meant to reach, or that follow an endless loop"
    ),
    "unknown-operation": (
        "an encoding that the dialect does not define; a warning in the vendor range (from 0xe0)"
    ),
    "cut-short": "the expression ends inside an operation",
    "unknown-register": (
        "the architecture has no register with that number. If a file does not specify the wave "
        "size, the registers of both wave sizes are accepted. AArch64 is not checked: its "
        "scalable registers have no fixed size"
    ),
    "narrow-base-register": (
        "the base of an address (`breg`, `bregx`, `aspace_bregx`, a CFA, a frame base) has fewer "
        "bits than an address of its space"
    ),
    "wide-base-register": (
        "the base of an address, or the frame base, is a whole vector register of a GPU, which is "
        "legal and reads its first lanes. CPUs are excluded: there a vector register often holds a "
        "scalar"
    ),
    "unknown-address-space": (
        "the architecture has no address space with that number: in expressions, "
        "`DW_AT_LLVM_address_space`, `DW_CFA_LLVM_def_aspace_cfa`, and in `DW_AT_address_class` of "
        "pointers for AMD GPUs, by the numbers of their producer"
    ),
    "narrow-select-mask": "`select_bit_piece` with more parts than its mask has bits",
    "division-by-zero": "`div` or `mod` by a constant 0",
    "undefined-read": "a value retrieved from bits that are undefined",
    "outside-storage": (
        "a part, a read or an offset outside the storage, as a piece of 4 bytes of an "
        "`implicit_value` of 2, or an offset of 8 into a `stack_value`. For a register it is a "
        "warning, as for `wrong-kind`. So is a register of a GPU without pieces whose object has "
        "more bits, such as 8 bytes in a scalar register; where upstream clang writes one, a "
        "vector register has the 32 bits of a lane. A piece of the size of `long double` of an x87 "
        "register is excluded: the rest is padding. On CPUs debuggers read on in the next register"
    ),
    "implicit-pointer": "an implicit pointer read in part, or used in another address space",
    "no-entry-value": (
        "the expression of `entry_value` gives a location and does not end with `reg*`: it is "
        "ill-formed unless a call-site parameter gives the value"
    ),
    "empty-read": "a read of 0 bytes",
    "empty-composite": "`extend` or `select_bit_piece` with a size or count of 0",
    "large-composite": "parts that are together larger than the largest address space",
    "empty-piece": "a piece of size 0",
    "wide-number": (
        "a constant, a displacement of `LLVM_offset_uconst` or `bit_piece` with more bits than the "
        "generic type, or one of `plus_uconst` than the type of its entry: it is truncated"
    ),
    "upstream-address-space": (
        "upstream clang's final `litN, swap, xderef`, in a dialect that reads it literally"
    ),
    "upstream-virtual-base": (
        "LLVM's `DW_AT_data_member_location` of a virtual base class, in a dialect that reads it "
        "literally: its final `plus` takes the object for an address of the default address space, "
        "so that it is ill-formed for one in private memory or LDS, where `LLVM_offset` moves the "
        "location"
    ),
    "upstream-lds-offset": (
        "upstream clang's location of a variable in LDS, which has the offset 0 whatever the place "
        "of the variable: another one of the kernel may be there. One that is declared by its "
        "kernel, alone, and has all of the LDS that the kernel asks for, is at offset 0"
    ),
    "unsupported-operation": "an operation that dwarfgpu does not evaluate",
    "padded-number": "a LEB128 number that takes more bytes than needed",
    "older-form": "a GNU encoding of an operation that has a standard encoding",
    "entries-left": "entries below the result, other than the CFA in call frame information",
    "bad-reference": (
        "an operand that refers to no base type of the unit, to a base type whose size differs "
        "from that in the operation, to no entry (`call*`; a warning for `implicit_pointer`, "
        "which fails only when it is dereferenced), to one that is no object, as a base type "
        "(`implicit_pointer`; DWARF 5 2.6.1.1.4), or to no address of `.debug_addr`"
    ),
    "dangling-reference": (
        "an attribute that refers to an offset where no entry starts, or to an entry of a tag "
        "that cannot be meant: `DW_AT_type` to one that describes no type, the origin, "
        "specification or `DW_AT_call_origin` of a function or call to none, the origin or "
        "specification of any other entry to one of another kind, `DW_AT_import`, "
        "`DW_AT_object_pointer` and the bounds of arrays likewise; origins, specifications, "
        "extensions, imported declarations, and through "
        "other units types, that lead back to where they started; a warning for a "
        "signature that no type unit has. References into a supplementary file are looked up where "
        "it is found"
    ),
    "wrong-layout": (
        "a base type without an encoding or size, or whose bits are not within its storage, a "
        "`float`, `double` or `long double` with the size of no format (on machines that dwarfgpu "
        "knows), an enumerator without a value, a `DW_AT_const_value` that is a number where the "
        "object is larger than one, a member with `DW_AT_data_bit_offset` and also "
        "`DW_AT_data_member_location` or `DW_AT_bit_offset`, or that ends after its structure (but "
        "what is measured at run time: Rust's last field without a size, components of GNAT's "
        "`___XVE`), a bit-field whose `DW_AT_bit_offset` (before DWARF 4) is outside its storage "
        "unit, a "
        "pointer of 0 bytes, an enumeration of 0 bytes with several enumerators, a bit-field of 0 "
        "bits that has a name (but in Ada), a subrange whose `DW_AT_count` is not the number of "
        "elements between its bounds (5.13), two variants with one value or none, a list of their "
        "values that cannot be read or has an empty range (but in Ada; 5.7.10), or a type that "
        "contains itself, also through types of other units"
    ),
    "fbreg-in-frame-base": "`DW_OP_fbreg` in `DW_AT_frame_base`",
    "no-object": (
        "`DW_OP_push_object_address` in `DW_AT_location` (but of a DWARF procedure) or in an "
        "attribute of a function that A.3.3.5 evaluates without an object: only a call from an "
        "expression that has one gives a result"
    ),
    "no-frame-base": (
        "`DW_OP_fbreg` in a function with code and without `DW_AT_frame_base`; a warning in a "
        "kernel of upstream clang, which means the start of private memory. Reported once for "
        "each function"
    ),
    "lanes-missing": (
        "`push_lane` in a function without `DW_AT_LLVM_lanes`, which has one lane. Reported once "
        "for each function. Functions with inlined calls that have their own lanes are excluded"
    ),
    "bad-lane-count": "`DW_AT_LLVM_lanes` of 0 or less; a warning if it is larger than a wave",
    "few-lanes": (
        "`DW_AT_LLVM_lane_pc` that describes fewer addresses, or `DW_AT_LLVM_active_lane` fewer "
        "bits, than `DW_AT_LLVM_lanes`; a warning for registers, which may be elsewhere in an "
        "outer frame"
    ),
    "bad-iteration-count": (
        "`DW_AT_LLVM_iterations` of 0 or less, or that describes anything else than an implicit "
        "value; a warning for a register"
    ),
    "bad-vector-size": "`DW_AT_LLVM_vector_size` of 0 or less",
    "unknown-memory-space": (
        "a `DW_AT_LLVM_memory_space` that is neither a common nor a vendor's memory space"
    ),
    "vendor-attribute": (
        "an attribute of the AMD text on a tag to which it does not apply, or an address space on "
        "a base type that is not an address"
    ),
    "pieces-exceed-type": "pieces with more bits than the variable's type",
    "pieces-short-of-type": (
        "pieces with fewer bits than the variable's type: the remaining bits are outside the "
        "storage. clang omits the last pieces in this way on every target"
    ),
    "value-short-of-type": (
        "`DW_OP_implicit_value` alone, or a value of the generic type by `DW_OP_stack_value`, with "
        "fewer bytes than the variable's type, or an offset that leaves fewer bits of a value or a "
        "composite: the remaining bits are outside the storage. The padding of x86's `long double` "
        "is excluded. A block of `DW_AT_const_value` likewise (DWARF 5 4.1)"
    ),
    "value-exceeds-type": (
        "`DW_OP_implicit_value` alone with more bytes than the variable's type, or a "
        "`DW_AT_const_value` that needs more bits than the object, or the enumeration, has (DWARF "
        "5 4.1): a number fits if it is one of the signed or of the unsigned ones"
    ),
    "inverted-range": (
        "a list entry, or the code of an entry or an FDE, that ends before it begins or beyond the "
        "address space"
    ),
    "range-outside-function": (
        "a list entry whose range is not within the code of the enclosing function, or "
        "`DW_AT_entry_pc` of a function, a block or an inlined call that is an address outside of "
        "it (DWARF 5 2.18)"
    ),
    "call-outside-function": (
        "the address of a call, or the one to which it returns, is not one of a call in the code "
        "of the function around the call site (DWARF 5 3.4.1)"
    ),
    "range-outside-parent": (
        "the code of a function is not within that of its unit, or the code of a block or an "
        "inlined call not within that of the entry around it (DWARF 5 2.17). A function in a "
        "function has code of its own"
    ),
    "overlapping-code": (
        "two functions of a unit, or two blocks or inlined calls in the same entry, that share a "
        "part of their code, so that a pc is in both. Entries with the same code are not reported: "
        "linkers fold equal functions. Assembler sources are excluded"
    ),
    "wrong-sibling": (
        "`DW_AT_sibling` refers neither to the next entry with the same parent nor, for the last "
        "one, to the null entry that ends them (DWARF 5 2.3)"
    ),
    "overlapping-units": (
        "two units cover the same addresses (DWARF 5 3.1.1). Equal ranges are not reported: "
        "linkers fold equal functions"
    ),
    "wrong-index": (
        "`.debug_aranges` or `.gdb_index` omits code of a unit that it indexes, gives it code of "
        "another one, or addresses of no section behind some of one, or refers to no unit; a set "
        "of `.debug_aranges` has no terminator; an entry of `.debug_names` refers to no unit or "
        "entry, or to one with another tag or name, or to a parent without it, the hash of "
        "a name is another one, or no entry leads to a type or a function with a name in the unit "
        "or its namespaces; an index cannot be read (DWARF 5 6.1). What an index omits whole is "
        "not reported"
    ),
    "ill-formed-list": (
        "offsets without a base address, an index without a table, a length that passes the last "
        "address, or ranges of `DW_AT_ranges` that overlap"
    ),
    "unreadable-list": (
        "a list that is truncated, has an unknown kind of entry, is overwritten with zeros, is at "
        "the offset of a header or of a table of offsets, or has fewer entries than "
        "`DW_AT_GNU_locviews` has pairs of views"
    ),
    "unreadable-unit": (
        "a unit that cannot be read to its end, or that the indexes of a package do not lead to: a "
        "row without a slot or a unit, a signature that is not that of its unit or not in the slot "
        "of its hash, a section that no row has a part of, or units that no row has "
        "(DWARF 5 7.3.5.3)"
    ),
    "lost-section": (
        "sections without a name, or allocated sections of a linked file that no PT_LOAD segment "
        "has, or has with other bytes of the file (System V ABI): the section names or a program "
        "header are damaged. Without a section for units, the former is `unreadable-unit`; the "
        "latter is a warning, as objcopy and linker scripts can leave sections out, and so are "
        "sections of a relocatable object, and segments, with the same addresses. Also "
        "headers that contradict one another: two sections, or a section and a header, with the "
        "same bytes of the file, headers of zeros, sections without a type or SHF_ALLOC that must "
        "have it, relocations of another section than the one in their name, sections outside the "
        "file, a type of the file that is none. Also a "
        "PT_TLS segment that has not the addresses, the size or the alignment of the thread-local "
        "sections; a symbol table as no linker writes one: names outside of its string table, or "
        "that are 0 there, entries that are 0, local symbols behind the index of the "
        "first one that is not (sh_info), types or bindings to which neither the System V ABI nor "
        "the supplement of the machine gives a meaning, or with a size and no name, sections that "
        "the file does not have, functions at 0 whose section begins behind it, functions behind "
        "the end of their section, or a `.gnu_debugdata` "
        "that cannot be read; notes that cannot be read or begin with zeros, a kernel "
        "descriptor whose entry is not code, not a multiple of "
        "256 or not the function with the name of the kernel (AMDGPU usage, "
        '"Kernel Descriptor"), metadata for another GPU than the ELF header names, or whose map '
        "lacks a required key and has an unknown one, or that have several kernels of a name or "
        "several printf records of a number, notes of metadata that cannot be joined, or "
        "arguments that share bytes, or have none and are not `by_value`, a cubin that cannot be "
        "read, or whose `.nv.info` has parameters of a kernel that share bytes or their number, "
        "lack one, or are behind the last byte, an entry of a bundle or fat binary that names "
        "another GPU than its code object, and a compressed bundle whose contents do not have the "
        "hash in its header. Metadata of a kernel that contradict its descriptor are a warning"
    ),
    "unbalanced-entries": (
        "entries of a unit that are followed by other bytes than zeros, which no consumer reads, "
        "or by more than 16 zeros, which replaced entries, where the linker leaves no room as "
        "Zig's does (its name is in `.comment`); a warning if null entries are missing at the end "
        "of the unit, as consumers accept that"
    ),
    "wrong-unit": (
        "a unit has no entries, and is not what gold fills holes with when it links "
        "incrementally, or its first entry has another tag than the type of the unit in its header "
        "demands, or the type_offset of a type unit leads to no entry, or to one that describes no "
        "type (DWARF 5 3.1, 7.5.1)"
    ),
    "type-signature": (
        "two type units have one signature, and types with different tags, names, sizes, members, "
        "base classes or enumerators (DWARF 5 7.32). Functions and nested types are not compared: "
        "clang describes those that a source file uses, and makes the signature from the name"
    ),
    "table-header": (
        "what `DW_AT_str_offsets_base`, `DW_AT_addr_base`, `DW_AT_loclists_base` or "
        "`DW_AT_rnglists_base` refers to has no header of version 5 before it, or one whose "
        "length is less than the header or reaches beyond the section (DWARF 5 7.26 to 7.29); the "
        "same of every table in `.debug_loclists` and `.debug_rnglists`, also where attributes "
        "lead to lists by offsets, and an offset_entry_count that is more than fit"
    ),
    "repeated-string": (
        "several entries of the table of a unit in `.debug_str_offsets` that are 0, and the string "
        "there is not empty (DWARF 5 7.26), or eight zeros in a row in `.debug_str` or "
        "`.debug_line_str`, that of a supplementary file included: legal, but producers write each "
        "string once, so the section is damaged, and entries have the names of others, or none"
    ),
    "unreadable-line-table": (
        "the header of a line table cannot be read, or its program to the end, as with an extended "
        "opcode whose length is not that of its operands, or one of length 0 within a sequence, or "
        "before one that has no address (behind one it is padding), or rows are of a file that it "
        "does not have, as file 0 before DWARF 5, or in a sequence without an end (DWARF 5 6.2)"
    ),
    "wrong-line-table": (
        "addresses that decrease within a sequence of a line table (DWARF 5 6.2.5), as those that "
        "begin again at 0 after the largest address, a line beyond 32 bits, a sequence that "
        "begins in no code where the unit has code, or a file in a "
        "directory that the table does not have (6.2.4); a warning for a "
        "minimum_instruction_length, "
        "maximum_operations_per_instruction or opcode_base of 0, for standard_opcode_lengths "
        "that give a standard opcode other operands than it has, and for a header_length that "
        "leaves bytes between the tables and the program. Code that the linker dropped is not "
        "compared"
    ),
    "outside-table": (
        "a string by an offset outside its section, also of the supplementary file where it is "
        "found, or by an index outside `.debug_str_offsets`, also one that names a directory "
        "or file of a line table, an "
        "address by an index outside `.debug_addr`, or the number of a file that the line table "
        "does not have"
    ),
    "negative-line": (
        "`DW_AT_decl_line`, `DW_AT_decl_column`, `DW_AT_call_line` or `DW_AT_call_column` below 0: "
        "they are unsigned (DWARF 5 2.14, 3.3.8); or a row of a line table whose line is, by "
        "DW_LNS_advance_line or a special opcode (6.2.2), reported once for each table"
    ),
    "unassigned-number": (
        "`DW_AT_encoding` of a number to which DWARF gives no meaning and that is no vendor's "
        "(from 0x80 to 0xff; DWARF 5 7.8), or such a `DW_AT_endianity` (from 0x40 to 0xff) or "
        "`DW_AT_language` (from 0x8000 to 0xffff; 7.12). The numbers that DWARF has published "
        "after version 5 have a meaning"
    ),
    "wrong-class": (
        "an attribute of DWARF 5 in a form of a class that it cannot have (7.5.4), reported once "
        "for each abbreviation, or one of the AMD text (A.7.5.4), reported for each entry; a flag "
        "in place of a constant only from DWARF 5 on. Those that producers write in several ways, "
        "as DW_AT_const_value, and those of other vendors are not checked"
    ),
    "newer-form": (
        "an attribute with a form of DWARF 4 in a unit of version 2 or 3, or of DWARF 5 in one of "
        "version 2 to 4 (DWARF 5 7.5.4, table 7.6), reported once for each abbreviation; the value "
        "is read. Forms of vendors are not checked"
    ),
    "reserved-tag": (
        "an abbreviation of an entry has tag 0 (DWARF 5 7.5.3), reported once for each "
        "abbreviation; a warning for a tag below 0x4b to which DWARF 5 gives no meaning (table 7.3)"
    ),
    "missing-attribute": (
        "a variable, parameter or member that the source declares, an array or a base class "
        "without `DW_AT_type`, an imported declaration without `DW_AT_import`, a call-site "
        "parameter that names no place, or `DW_AT_high_pc` without `DW_AT_low_pc` (DWARF 5 4.1, "
        "5.7, 5.5, 3.2.3, 3.4.2, 2.17.2), reported once for each abbreviation; not a variable in a "
        "unit for which GCC wrote no types (`-g1`)"
    ),
    "repeated-attribute": (
        "an entry that has an attribute of one name twice (DWARF 5 2.2), or a data object with "
        "both `DW_AT_location` and `DW_AT_const_value` (4.1), reported once for each abbreviation"
    ),
    "address-size": (
        "the address_size of a unit differs from that of its line table, address or list table, "
        "`.debug_aranges` set, of a CIE, or of the architecture"
    ),
    "not-allowed-in-cfi": "an operation that call frame information must not use",
    "lost-cfa": (
        "a register is saved at an offset from the CFA, but no rule defines the CFA; or an "
        "instruction changes the register or the offset of a CFA that is undefined or an "
        "expression. A row without a CFA in an FDE that has rules is a warning, "
        "unless the return address is undefined; at the start of a kernel, before LLVM's first "
        "rules, it is a note. `DW_CFA_def_cfa_register` at the start of a CIE, as GNU as for "
        "RISC-V and LLVM for MIPS write it, is a warning: debuggers take the offset as 0"
    ),
    "cfa-not-memory": (
        "a CFA expression without operations, or whose result is an undefined location, as that "
        "of an empty stack, an implicit location, a composite or a position within a byte; a "
        "warning for a register, which memory may hold in an outer frame"
    ),
    "unbalanced-state": "`restore_state` without `remember_state`",
    "location-order": (
        "a row that does not start after the previous one, or an advance in a CIE; a warning for a "
        "row that starts after the end of its FDE"
    ),
    "register-cycle": "registers, or the CFA, whose rules depend on each other",
    "register-size": (
        "`register(R)`, `val_offset` or `val_expression` gives a register a value of another size; "
        "a warning for an `expression` that describes fewer bits than the register has"
    ),
    "shared-place": (
        "two registers that are saved at the same offset from the CFA: unwinding gives both the "
        "value of one, as where hand-written code pushes a register and does not adjust the CFA. "
        "Likewise a register that begins within the bytes of another, which has the size of an "
        "address. Only on CPUs whose registers dwarfgpu knows"
    ),
    "return-column": (
        "a CIE whose return address column is a register too small for an address, or as a warning "
        "one that functions may change, for which an FDE has no rule in any row, while it has one "
        "for the column of the machine"
    ),
    "empty-fde": (
        "an FDE that defines neither the CFA nor a register: unwinding stops there. It is a note "
        "for an AMD GPU kernel, which has no caller, and for code for AMD GPUs from upstream LLVM "
        "up to 22, which writes no rules at all"
    ),
    "unknown-augmentation": (
        "a CIE with an augmentation string that dwarfgpu does not know, such as `[llvm:v1.0]`: "
        "nothing after the string can be read, so the rules of its FDEs are unknown. `bt` stops "
        "there, and operations that need the frame fail. After `z`, which gives the size of the "
        "data, the letters L, P, R, S, B and G are known"
    ),
    "overlapping-fdes": (
        "two FDEs that describe the same code. Not reported for relocatable objects, where every "
        "section begins at 0"
    ),
    "fde-outside-file": (
        "an FDE whose addresses are behind all that the file loads, or begin in its code and end "
        "in none"
    ),
    "early-end": (
        "an entry of length 0 in `.eh_frame` before an FDE: it ends the section (Linux Standard "
        "Base Core, 10.6.1), so unwinders that go through it do not find what is behind; a "
        "warning where `.eh_frame_hdr` has a table. That of an object that is linked last, as "
        "crtend.o, is right, and so is the room that Zig's linker leaves"
    ),
    "search-table": (
        "`.eh_frame_hdr` (Linux Standard Base Core, 10.6.2) cannot be read, is not for the "
        "section, has entries where that has no contents, is not sorted, leads to something else "
        "than the FDE of its address, or omits an FDE with code, as lld does where an FDE without "
        "code begins at the same address"
    ),
    "ill-formed-cfi": (
        "any other instruction that cannot be executed, an offset that has more bits than an "
        "address, or a code_alignment_factor of 0 in a CIE that FDEs use"
    ),
    "unreadable-cfi": (
        "an entry or instruction that cannot be read, or 16 or more zeros in `.debug_frame`, "
        "which replaced entries; a warning about eight or more `DW_CFA_nop` in a row, except up"
        " to 11 that linkers leave at the end of an entry of a multiple of 8 bytes, more in a "
        "section of a larger alignment, and those of Go's linker at the end of a CIE of 36 bytes: "
        "legal, but producers only align entries with them, so zeros replaced instructions. Where "
        "Zig's linker leaves room (its name is in `.comment`), they are no finding"
    ),
}
"""Keyed by the name of the rule; code is between backticks."""
