"""Expressions in `dwarfgpu print` inside GDB against GDB's own `print`, on a live program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

LEAF = """sp->a|*sp|sp->in[1].weight * 2|sp->in[1]|&sp->in[1].count|*&sp->in[1].count|sp->name
sp->name[1]|&sp->name|*sp->in@2|sp->in[0].label|*sp->in[0].label|sp->p->count|sp->p - sp->in
sp->next->next->color|sp->b2|-sp->b2 << 3|sp->b1 + sp->b3|sp->fn|*sp->fn|sp->un.f|sp->mat[1]
sp->mat[1][2]|(long) sp|(char *) sp->name|*(int (*)[4]) numbers|sp == &global_struct|sp->next
array[1]@2|array[n & 3]|array|&array[2]|array[-1 + 2]|*array|into|*into|into[0]@2|&local|local + n
local == sp->a + n|leaf::ratio|ratio * 4|precise / pi|extended + 1|(float) precise|text|text + 1
text[0]|sizeof text|sizeof(outer_t)|sizeof *sp|'demo.c'::message|message[7]|&message|numbers[12]
numbers[10]@4|*numbers@3|&numbers[12]|twice|&twice|main|GREEN|(enum color) 5|access|access & READ
$rip|$sp|$fp|$rsp|$rax == $rax|$pc == $rip|*(long *) $sp == *(long *) $rsp|$eflags & 0x200
$xmm0.v4_int32 == 0 ? 1 : 1|{int} &local|{short} array|n ? sp->a : sp->b1|n++, n|n = 42|n--|n
local = 7, local|ratio = 2.5|ratio|array[1] = -9|array|sp->b2 = 3|sp->b2|sp->in[0].count = 6|sp->in
text[0] = 'q'|text|sp->color = BLUE|sp->color|sp->p = sp->in|sp->p|(void) n|nosuch|sp->nope|n.x
*n.x|1 +|*(int *) 0|&n + 1|&*sp|!sp|sp && n|~n|$1|$1 + 1|$|$$|$nosuch|1 / 0|1 % (n - n)
"""
MID = """n|n * 2|copy|copy.in[1]|&copy|copy.un|copy.a == n|$pc|$rip|$sp|$rbp|copy.name|mid
$pc == $rip|copy.mat[1]@1|*copy.p|copy.in[0].weight / 3|global_struct.in|sizeof copy|copy.next->a"""
UNLIKE = ("$xmm0", "*n.x", "n.x", "n++", "n--")
"""Views of vector registers are GDB's own; for the others see tests/language/test_gdb.py."""

FUNCTIONS = ("*sp->fn", "twice", "main", "mid")
"""With /x GDB prints the first byte of their code."""


def shown(expression: str) -> int:
    """How many formats are compared."""
    return 1 if expression in FUNCTIONS else 2


COMPARE = """
import json
out = []
for each in {expressions!r}:
    theirs, ours = [], []
    for letter in ("", "/x"):
        theirs.append(contents(said("print" + letter + " " + each)))
        second = said("dwarfgpu print" + letter + " " + each).split("\\nnote:")[0]
        # DWARF says `short int`; GDB spells such names in its own way.
        ours.append(second.removeprefix(each + " = ").replace("short int", "short"))
    out.append([each, theirs, ours])
print(json.dumps(out))
"""


def listed(text: str) -> list[str]:
    table = text.strip().replace("sp && n", "sp \0 n").replace("\n", "|").split("|")
    return [each.replace("\0", "&&") for each in table if not each.startswith(UNLIKE)]


@pytest.mark.parametrize("name", ["gcc.O0.v5", "gcc.O0.v4", "clang.O0.v5"])
def test_expressions(debugger: Debugger, repository: Path, name: str) -> None:
    program = repository / f"fixtures/x86_64/demo.{name}"
    stop = ("break leaf", "run", "next", "next", "next")
    for table, before in ((LEAF, stop), (MID, (*stop, "up"))):
        code = COMPARE.format(expressions=listed(table))
        found = json.loads(debugger.python(code, *before, file=program))
        assert len(found) > 15
        different = [
            each for each in found if each[1][: shown(each[0])] != each[2][: shown(each[0])]
        ]
        assert different == [], "\n".join(map(repr, different))
