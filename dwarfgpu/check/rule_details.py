"""What each rule of the check finds, in full: the tables of `docs/check.md`, for `--explain`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DETAILS: Final[Mapping[str, str]] = {
    "stack-underflow": (
        "an operation pops more entries than the stack has, on every path; on some path: warning"
    ),
    "wrong-kind": (
        "an entry neither is nor converts to the kind that is needed. A register where a value is "
        "needed is a warning: in a frame that is not the top one its value may be in memory"
    ),
    "mixed-types": "arithmetic on the generic type and a base type",
    "wrong-result": (
        "the result neither is nor converts to what the attribute needs; a frame base, return "
        "address or static link that is not in memory (A.3.3.5)"
    ),
    "branch-target": (
        "a branch into an operation or outside the expression; one that may not be taken: warning"
    ),
    "endless-loop": (
        "a loop without an exit: no rule calls it ill-formed, but an evaluation ends at the "
        "end of the expression or with an error, and comes to neither"
    ),
    "unreachable": "operations to which no path leads",
    "unknown-operation": (
        "an encoding that the dialect does not define; in the range of vendors (from 0xe0): warning"
    ),
    "cut-short": "the expression ends inside an operation",
    "unknown-register": (
        "the architecture has no register of that number. Where a file does not say the wave "
        "size, the registers of both sizes count; not for AArch64, whose scalable registers have "
        "no fixed size"
    ),
    "narrow-base-register": (
        "the base of an address (`breg`, `bregx`, `aspace_bregx`, a CFA, a frame base) has fewer "
        "bits than an address of its space"
    ),
    "wide-base-register": (
        "the base is a whole vector register of a GPU: legal, reads the first lanes. On a CPU a "
        "scalar in a vector register is common, and no finding"
    ),
    "unknown-address-space": (
        "the architecture has no address space of that number: in expressions, "
        "`DW_AT_LLVM_address_space`, `DW_CFA_LLVM_def_aspace_cfa`"
    ),
    "narrow-select-mask": "`select_bit_piece` with more parts than its mask has bits",
    "division-by-zero": "`div` or `mod` by a constant 0",
    "undefined-read": "a value retrieved from bits that are undefined",
    "outside-storage": (
        "a part, a read or an offset beyond the storage: `implicit_value` of 2 bytes as a piece "
        "of 4, an offset of 8 into a `stack_value`. Of a register it is a warning, as for `wrong-"
        "kind`"
    ),
    "implicit-pointer": "an implicit pointer read in part, or used in another address space",
    "no-entry-value": (
        "the expression of `entry_value` gives a location and does not end in `reg*`: ill-formed, "
        "unless a call-site parameter gives the value"
    ),
    "empty-read": "a read of 0 bytes",
    "empty-composite": "`extend` or `select_bit_piece` with a size or count of 0",
    "large-composite": "parts larger than the largest address space",
    "empty-piece": "a piece of size 0",
    "wide-number": "a `constu` or `consts` of more bits than the generic type: it is truncated",
    "upstream-address-space": (
        "upstream clang's final `litN, swap, xderef`, where it is read by the letter"
    ),
    "unsupported-operation": "an operation that dwarfgpu does not evaluate",
    "padded-number": "a LEB128 number in more bytes than needed",
    "older-form": "a GNU encoding of an operation that has a standard one",
    "entries-left": "entries below the result, other than the CFA in call frame information",
    "bad-reference": (
        "an operand that leads to no base type of the unit, or to one of another size than the "
        "operation says; to no entry (`call*`; `implicit_pointer`: warning, since only following "
        "it fails); to no address of `.debug_addr`"
    ),
    "fbreg-in-frame-base": "`DW_OP_fbreg` in `DW_AT_frame_base`",
    "lanes-missing": (
        "`push_lane` in a function without `DW_AT_LLVM_lanes`, which has one lane; once for each "
        "function. Functions with inlined calls that have lanes of their own are excluded"
    ),
    "bad-lane-count": "`DW_AT_LLVM_lanes` of 0 or less; of more lanes than a wave has: warning",
    "bad-iteration-count": "`DW_AT_LLVM_iterations` of 0 or less",
    "bad-vector-size": "`DW_AT_LLVM_vector_size` of 0 or less",
    "unknown-memory-space": (
        "a `DW_AT_LLVM_memory_space` that is none of the common or vendors' ones"
    ),
    "vendor-attribute": (
        "an attribute of the AMD text on a tag to which it does not apply, an address space on "
        "a base type that is not an address"
    ),
    "pieces-exceed-type": "pieces with more bits than the variable's type",
    "pieces-short-of-type": (
        "pieces with fewer: the rest lies outside the storage. clang leaves out the last pieces "
        "so, on every target"
    ),
    "inverted-range": "a list entry that ends before it begins",
    "range-outside-function": (
        "a list entry that is not within the code of the function around it"
    ),
    "ill-formed-list": "a list of offsets without a base, an index without a table",
    "unreadable-list": "a list that is cut short or has an unknown kind of entry",
    "unreadable-unit": "a unit that cannot be read to its end",
    "address-size": (
        "the address_size of a unit and that of its line table, address or list table, "
        "`.debug_aranges` set, of a CIE, or of the architecture disagree"
    ),
    "not-allowed-in-cfi": "an operation that call frame information may not use",
    "lost-cfa": (
        "a register is saved at an offset from a CFA that no rule gives; the register or the "
        "offset of a CFA is changed that is absent or an expression. A row without a CFA where "
        "other rows have one, unless the return address is undefined: warning; at the start of a "
        "kernel, before LLVM's first rules, a note"
    ),
    "cfa-not-memory": "a CFA expression whose result is a value of its own or a composite",
    "unbalanced-state": "`restore_state` without `remember_state`",
    "location-order": "a row that does not start after the one before; an advance in a CIE",
    "register-cycle": "registers, or the CFA, whose rules depend on each other",
    "register-size": (
        "`register(R)`, `val_offset` or `val_expression` give a register of another size"
    ),
    "empty-fde": (
        "an FDE that gives neither a CFA nor a register: unwinding stops there. Of an AMD GPU "
        "kernel, which has no caller, and of code for AMD GPUs from upstream LLVM up to 22, which "
        "writes no rules at all, it is a note"
    ),
    "unknown-augmentation": (
        "a CIE with an augmentation string that dwarfgpu does not know: everything after it is "
        "unreadable, so that the rules of its FDEs are unknown. `bt` stops there, and "
        "operations that "
        "need the frame fail"
    ),
    "overlapping-fdes": (
        "code that two FDEs describe. Not reported in relocatable objects, where every section "
        "begins at 0"
    ),
    "search-table": (
        "`.eh_frame_hdr` (Linux Standard Base Core, 10.6.2) cannot be read, is not sorted, leads "
        "to something else than the FDE of its address, or leaves an FDE out"
    ),
    "ill-formed-cfi": "another instruction that cannot be executed",
    "unreadable-cfi": "an entry or instruction that cannot be read",
}
"""Keyed by the name of the rule; code is between backticks."""
