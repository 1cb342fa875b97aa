"""A.2.5.4.0 vendor operations, A.2.5.4.1 stack operations."""

from __future__ import annotations

import pytest

from dwarfgpu.errors import IllFormed, Malformed
from tests.spec.machine import Fact, breaks, facts, keeps, shown, world

S = "A.2.5.4.1/"
WORLD = world()
PIECE = "regx s0; piece 4"
POINTER = "implicit_pointer 0x100 0; deref"
POINTED = "value: pointer to 0x100+0 in global"


def stack_row(clauses: str, text: str, *entries: str) -> object:
    marks = [pytest.mark.clause(S + word, "keeps") for word in clauses.split()]
    return pytest.param(text, entries, marks=marks, id=text)


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        stack_row("dup", "lit1; lit2; dup", "1", "2", "2"),
        stack_row("drop", "lit1; lit2; drop", "1"),
        stack_row("drop", "lit1; drop"),
        stack_row("pick", "lit1; lit2; lit3; pick 0", "1", "2", "3", "3"),
        stack_row("pick", "lit1; lit2; lit3; pick 2", "1", "2", "3", "1"),
        stack_row("over", "lit1; lit2; over", "1", "2", "1"),
        stack_row("swap", "lit1; lit2; lit3; swap", "1", "3", "2"),
        stack_row("rot", "lit9; lit1; lit2; lit3; rot", "9", "3", "1", "2"),
        # Neither conversion nor change of what is moved: every kind of entry comes out as it went
        # in, the incomplete composite apart.
        stack_row("any-kind dup", "addr 0x10; dup", "global#0x10", "global#0x10"),
        stack_row("any-kind dup", "const(i8,-1); dup", "i8 -1", "i8 -1"),
        stack_row("any-kind swap", "regx s0; lit1; swap", "1", "s0"),
        stack_row("any-kind rot", "lit1; LLVM_undefined; lit2; rot", "2", "1", "undefined"),
        stack_row("any-kind over", "lit5; stack_value; lit1; over",
                  "implicit 0000000000000005", "1", "implicit 0000000000000005"),
        stack_row("any-kind pick", "regx s0; piece 4; LLVM_piece_end; lit1; pick 1",
                  "{32: s0}", "1", "{32: s0}"),
        stack_row("any-kind dup swap", f"{POINTER}; dup; lit1; swap",
                  POINTED, "1", POINTED),
        stack_row("any-kind drop", f"lit1; {POINTER}; drop", "1"),
        # An incomplete composite that is not reached does no harm.
        stack_row("incomplete dup", f"{PIECE}; lit1; dup", "incomplete {32: s0}", "1", "1"),
        stack_row("incomplete swap", f"{PIECE}; lit1; lit2; swap", "incomplete {32: s0}", "2", "1"),
        stack_row("incomplete pick", f"{PIECE}; lit1; pick 0", "incomplete {32: s0}", "1", "1"),
        # A copy accesses what is copied, not what is above it.
        stack_row("incomplete over", f"lit7; {PIECE}; over", "7", "incomplete {32: s0}", "7"),
        stack_row("incomplete pick", f"lit7; {PIECE}; pick 1", "7", "incomplete {32: s0}", "7"),
    ],
)  # fmt: skip
def test_stack(text: str, entries: tuple[str, ...]) -> None:
    assert tuple(map(shown, WORLD.stack(text))) == entries


@facts("fact", [
    breaks(S + "dup", "dup", IllFormed, "DW_OP_dup", "1 stack entry needed", "has 0"),
    breaks(S + "drop", "drop", IllFormed, "1 stack entry needed"),
    breaks(S + "pick", "lit1; lit2; pick 2", IllFormed, "3 stack entries needed, the stack has 2"),
    breaks(S + "pick", "pick 0", IllFormed, "1 stack entry needed, the stack has 0"),
    breaks(S + "over", "lit1; over", IllFormed, "2 stack entries needed, the stack has 1"),
    breaks(S + "swap", "lit1; swap", IllFormed, "2 stack entries needed"),
    breaks(S + "rot", "lit1; lit2; rot", IllFormed, "3 stack entries needed, the stack has 2"),
    breaks(S + "any-kind", "regx s0; regx s1; plus", IllFormed, "a value is required",
           note="other operations ask for a kind"),
    *(
        breaks(S + "incomplete", f"{text}", IllFormed, "incomplete composite")
        for text in (
            f"{PIECE}; dup",
            f"{PIECE}; drop",
            f"{PIECE}; pick 0",
            f"{PIECE}; lit1; pick 1",
            f"{PIECE}; lit1; over",
            f"{PIECE}; lit1; swap",
            f"lit1; {PIECE}; swap",
            f"{PIECE}; lit1; lit2; rot",
            f"lit0; {PIECE}; lit2; rot",
            f"lit1; lit2; {PIECE}; rot",
        )
    ),
    keeps("A.2.5.4.0/user-0", ".byte 0xe9, 0x01; lit1", "1", note="1 is LLVM's no-op"),
    keeps("A.2.5.4.0/user-0", ".byte 0xe9, 0x81, 0x80, 0; lit1", "1", note="padded LEB128"),
    breaks("A.2.5.4.0/user-0", "lit1; .byte 0xe9, 0, 0x31", Malformed, "0x00 (reserved)"),
    breaks("A.2.5.4.0/user-0", ".byte 0xe9, 0x0d, 0x31", Malformed, "0x0d", "length is unknown"),
])  # fmt: skip
def test_facts(fact: Fact) -> None:
    fact.check()
