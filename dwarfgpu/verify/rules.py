"""The rules of the check: one name for each thing that can be found (`docs/check.md`).

Law: an error is certain from the text of the section; a warning is legal, or sure only on some
path, and almost never meant; a note could be said better.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from dwarfgpu.expr.abstract import Severity


@frozen
class Rule:
    """One kind of finding."""

    name: str
    severity: Severity
    """The worst that a finding of it can have."""
    section: str
    """Of the AMD text, where an operation does not bring its own; else of DWARF 5."""
    summary: str


_EXPRESSIONS: Final = (
    Rule("stack-underflow", "error", "A.2.5.4", "an operation pops more than the stack has"),
    Rule("wrong-kind", "error", "A.2.5.4.4.3", "an entry that is not of the kind needed"),
    Rule("mixed-types", "error", "A.2.5.4.3.2", "arithmetic on values of different types"),
    Rule("wrong-result", "error", "A.2.5.4", "the result is not of the kind that is required"),
    Rule("branch-target", "error", "A.2.5.4.2", "a branch into an operation, or outside"),
    Rule("endless-loop", "error", "A.2.5.4", "a loop that nothing leaves"),
    Rule("unreachable", "warning", "A.2.5.4.2", "operations to which no path leads"),
    Rule("unknown-operation", "error", "A.2.5.4", "an encoding that the dialect does not define"),
    Rule("cut-short", "error", "A.2.5.4", "the expression ends inside an operation"),
    Rule("unknown-register", "error", "A.2.5.4.4.4", "no register has the number"),
    Rule("narrow-base-register", "error", "A.2.5.4.4.3", "a base narrower than an address"),
    Rule("wide-base-register", "warning", "A.2.5.4.4.3", "the first lanes of a register as base"),
    Rule("unknown-address-space", "error", "A.2.5.4.4.3", "no address space has the number"),
    Rule("narrow-select-mask", "error", "A.2.5.4.4.6", "a mask of fewer bits than parts"),
    Rule("division-by-zero", "error", "A.2.5.4.3.2", "the divisor is 0"),
    Rule("undefined-read", "error", "A.2.5.4.3.4", "a value of bits that are undefined"),
    Rule("outside-storage", "error", "A.2.5.4.4.6", "bits that the storage does not have"),
    Rule("implicit-pointer", "error", "A.2.5.4.4.5", "an implicit pointer used as it may not be"),
    Rule("no-entry-value", "warning", "A.2.5.4.3.4", "an entry value of what gives none"),
    Rule("empty-read", "error", "A.2.5.4.3.4", "zero bytes are read"),
    Rule("empty-composite", "error", "A.2.5.4.4.6", "elements of no size, or none of them"),
    Rule("large-composite", "error", "A.2.5.4.4.6", "more than the largest address space"),
    Rule("empty-piece", "warning", "A.2.5.4.4.6", "a piece of size 0"),
    Rule("upstream-address-space", "warning", "A.2.5.4.3.4", "clang's swap, xderef, by the letter"),
    Rule("unsupported-operation", "note", "A.2.5.4", "an operation that is not evaluated"),
    Rule("padded-number", "note", "A.2.5.4", "a LEB128 number in more bytes than needed"),
    Rule("older-form", "note", "A.2.5.4", "an encoding for which there is a standard one"),
    Rule("entries-left", "note", "A.2.5.4", "entries below the result that nothing uses"),
)  # fmt: skip
_ENTRIES: Final = (
    Rule("fbreg-in-frame-base", "error", "A.3.3.5", "a frame base that needs the frame base"),
    Rule("lanes-missing", "warning", "A.3.3.5", "push_lane in a function that has one lane"),
    Rule("bad-lane-count", "error", "A.3.3.5", "DW_AT_LLVM_lanes of 0 or less"),
    Rule("bad-iteration-count", "error", "A.3.3.5", "DW_AT_LLVM_iterations of 0 or less"),
    Rule("bad-vector-size", "error", "A.5.1", "DW_AT_LLVM_vector_size of 0 or less"),
    Rule("unknown-memory-space", "warning", "A.2.14", "no memory space has the number"),
    Rule("vendor-attribute", "warning", "A.2.2", "an attribute on a tag that has none"),
    Rule("pieces-exceed-type", "warning", "A.2.5.4.4.6", "more bits in pieces than in the type"),
    Rule("pieces-short-of-type", "warning", "A.2.5.4.4.6", "fewer bits in pieces than in the type"),
    Rule("inverted-range", "error", "A.2.5.5", "a range that ends before it begins"),
    Rule("range-outside-function", "warning", "A.2.5.5", "a location outside its function"),
    Rule("ill-formed-list", "error", "A.2.5.5", "a location list that means nothing"),
    Rule("unreadable-list", "error", "A.2.5.5", "a location list that cannot be read"),
    Rule("unreadable-unit", "error", "A.7.5", "a unit that cannot be read to its end"),
    Rule("address-size", "error", "A.2.5.1", "headers that disagree on the size of an address"),
)  # fmt: skip
_FRAMES: Final = (
    Rule("not-allowed-in-cfi", "error", "A.6.4.2", "an operation that CFI must not use"),
    Rule("lost-cfa", "error", "A.6.4.2.2", "a row without a CFA that is needed"),
    Rule("cfa-not-memory", "error", "A.6.4.2.2", "a CFA expression that gives no memory location"),
    Rule("unbalanced-state", "error", "A.6.4.2.4", "restore_state without remember_state"),
    Rule("location-order", "error", "A.6.4.2.1", "a row that does not start after the one before"),
    Rule("register-cycle", "error", "A.6.4.1", "registers whose rules need each other"),
    Rule("register-size", "error", "A.6.4.1", "a rule that gives a register another size"),
    Rule("empty-fde", "warning", "A.6.4.1", "code of which nothing is told"),
    Rule("overlapping-fdes", "warning", "A.6.4.1", "code that two FDEs describe"),
    Rule("search-table", "warning", "A.6.4.1", "a search table that is not of its section"),
    Rule("ill-formed-cfi", "error", "A.6.4.2", "an instruction that cannot be executed"),
    Rule("unreadable-cfi", "error", "A.6.4.1", "an entry or instruction that cannot be read"),
)  # fmt: skip

RULES: Final[Mapping[str, Rule]] = {
    rule.name: rule for rule in (*_EXPRESSIONS, *_ENTRIES, *_FRAMES)
}
"""Every rule by its name."""
