"""Expressions in `dwarfgpu print` inside GDB against GDB's own `print`, on a live program."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

LEAF = """sp->a|*sp|sp->in[1].weight * 2|sp->in[1]|&sp->in[1].count|*&sp->in[1].count|sp->name
sp->name[1]|&sp->name|*sp->in@2|sp->in[0].label|*sp->in[0].label|sp->p->count|sp->p - sp->in
sp->next->next->color|sp->b2|-sp->b2 << 3|sp->b1 + sp->b3|sp->fn|*sp->fn|sp->un.f|sp->mat[1]
sp->mat[1][2]|(long) sp|(char *) sp->name|*(int (*)[4]) numbers|sp == &global_struct|sp->next
array[1]@2|array[n & 3]|array|&array[2]|array[-1 + 2]|*array|into|*into|into[0]@2|&local|local + n
local == sp->a + n|leaf::ratio|ratio * 4|precise / pi|extended + 1|(float) precise|text|text + 1
mid::n|&mid::copy|mid::copy.a
text[0]|sizeof text|sizeof(outer_t)|sizeof *sp|'demo.c'::message|message[7]|&message|numbers[12]
numbers[10]@4|*numbers@3|&numbers[12]|twice|&twice|main|GREEN|(enum color) 5|access|access & READ
$rip|$sp|$fp|$rsp|$rax == $rax|$pc == $rip|*(long *) $sp == *(long *) $rsp|$eflags & 0x200
$xmm0.v4_int32 == 0 ? 1 : 1|{int} &local|{short} array|n ? sp->a : sp->b1|n++, n|n = 42|n--|n
local = 7, local|ratio = 2.5|ratio|array[1] = -9|array|sp->b2 = 3|sp->b2|sp->in[0].count = 6|sp->in
text[0] = 'q'|text|sp->color = BLUE|sp->color|sp->p = sp->in|sp->p|(void) n|nosuch|sp->nope|n.x
*n.x|1 +|*(int *) 0|&n + 1|&*sp|!sp|sp && n|~n|$1|$1 + 1|$|$$|$nosuch|1 / 0|1 % (n - n)
"""
MID = """n|n * 2|copy|copy.in[1]|&copy|copy.un|copy.a == n|$pc|$rip|$sp|$rbp|copy.name|mid|mid::n
leaf::n|$pc == $rip|copy.mat[1]@1|*copy.p|copy.in[0].weight / 3|global_struct.in|sizeof copy
copy.next->a"""
UNLIKE = ("$xmm0", "*n.x", "n.x", "n++", "n--")
"""Views of vector registers are GDB's own; for the others see tests/language/test_gdb.py."""

IMPLICIT = ("n = ", "ratio = ", "text[0] = ")
"""In optimized code these are in no place: GDB has other words for that."""
FUNCTIONS = ("*sp->fn", "twice", "main", "mid")
"""With /x GDB prints the first byte of their code."""


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
    return [item.replace("\0", "&&") for item in table if not item.startswith(UNLIKE)]


PROGRAMS = ["gcc.O0.v5", "gcc.O0.v4", "clang.O0.v5", "gcc.O2.v5", "clang.O2.v5"]


def is_same(expression: str, theirs: list[str], ours: list[str], *, optimized: bool) -> bool:
    if optimized and expression.startswith(IMPLICIT):
        return True
    lost = "optimized out"
    if theirs[0].endswith(lost) and ours[0].startswith(f"error: value has been {lost}"):
        return True  # we say why
    count = 1 if expression in FUNCTIONS else 2
    # Newer GDBs name the end of an expression.
    words = [re.sub(r"near the end of `.*'", "near `'", text) for text in theirs]
    return words[:count] == ours[:count]


@pytest.mark.parametrize("name", PROGRAMS)
def test_expressions(debugger: Debugger, repository: Path, name: str) -> None:
    program = repository / f"fixtures/x86_64/demo.{name}"
    stop = ("break demo.c:95", "run")  # all local variables have their values
    for table, before in ((LEAF, stop), (MID, (*stop, "up"))):
        code = COMPARE.format(expressions=listed(table))
        document = json.loads(debugger.python(code, *before, file=program))
        assert len(document) > 15
        different = [item for item in document if not is_same(*item, optimized="O2" in name)]
        assert different == [], "\n".join(map(repr, different))


PARTS = """$al|$ah|$ax|$eax|$r8d|$al + 1|$eax >> 4|sizeof($ax)|$al == $ax|(char) $al|-$eax|$bl|$k0
*(long *) &local + $al|$k7|$k0 + 1|$k0 == $k1|sizeof($k0)|sizeof($xmm31)|$tr|$mm0|$r31|$r16 + 1"""
"""Processors without AVX-512 have no $k0 and no $xmm31, those without APX no $r31: void."""


def test_parts_of_registers(debugger: Debugger, repository: Path) -> None:
    program = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    code = COMPARE.format(expressions=listed(PARTS))
    document = json.loads(debugger.python(code, "break leaf", "run", "next", file=program))
    assert [item for item in document if item[1] != item[2]] == [] and len(document) > 12
    stop = ("break leaf", "run")
    has_ymm = "= void" not in debugger.run(*stop, "print $ymm0", file=program)[0]
    out, err = debugger.run(*stop, "dwarfgpu print $ymm0", file=program)
    if has_ymm:
        assert "Unsupported: " in err and "of $ymm0" in err, out
    else:
        assert out.endswith("$ymm0 = void\n"), err


INVALID = (
    "extended", "extended + 1", "1 + extended", "-extended", "extended * 2", "extended > 1",
    "extended == extended", "(double) extended", "(long double) extended", "(int) extended",
    "!extended", "extended && 1", "extended ? 1 : 2", "(_Bool) extended", "+extended",
    "ratio = extended", "extended++", "extended", "extended = extended", "extended = 1.5",
)  # fmt: skip


def test_bits_that_are_no_long_double(debugger: Debugger, repository: Path) -> None:
    """An exponent without the integer bit: neither the processor nor GDB has such a number."""
    program = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    stop = ("break demo.c:95", "run")
    bits = ("set {long} &extended = 0x50", "set {short} ((char *) &extended + 8) = 0x7000")
    code = COMPARE.format(expressions=list(INVALID))
    document = json.loads(debugger.python(code, *stop, *bits, file=program))
    assert [item for item in document if item[1][0] != item[2][0]] == []
    refused = [item for item in document if item[1][0].startswith("error: Invalid floating")]
    assert len(refused) > 10


SCRIPT = """
from dwarfgpu.gdb import Debugger
session = Debugger().session()
value = session.evaluate("sp->in[1].count + 40")
print(value.bits.value, value.location, session.evaluate("*sp->in@2").bits.size_bits // 8)
print(session.evaluate("&sp->in[1]").bits.value == int(gdb.parse_and_eval("&sp->in[1]")))
session.evaluate("local = 1234")
print(gdb.parse_and_eval("local"))
session.evaluate("$rax = 77")
print(gdb.parse_and_eval("$rax"))
gdb.execute("set $mine = sp->p", to_string=True)
theirs = int(gdb.parse_and_eval("$mine->count"))
print(session.evaluate("$mine->count").bits.value == theirs)
try:
    gdb.execute("print *sp", to_string=True)
    session.evaluate("$.a")
except Exception as error:
    print(type(error).__name__, error)
"""


def test_scripts(debugger: Debugger, repository: Path) -> None:
    program = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    out = debugger.python(SCRIPT, "break leaf", "run", "next", file=program)
    assert out.splitlines()[-6:] == [
        "42 None 48",
        "True",
        "1234",
        "77",
        "True",
        "Unsupported GDB does not give the bytes of $, a outer_t",
    ]


def test_explain(debugger: Debugger, repository: Path) -> None:
    program = repository / "fixtures/x86_64/demo.gcc.O2.v5"
    stop = ("break leaf", "run")
    out, _ = debugger.run(*stop, "dwarfgpu explain sp->a + n", file=program)
    assert "parameter outer_t * sp, declared" in out and "parameter int n, declared" in out
    assert out.splitlines()[-2:] == ["expression sp->a + n", "=> sp->a + n = 83"]
    out, _ = debugger.run(*stop, "dwarfgpu explain lost * 2", file=program)
    assert "=> lost is declared here but" in out and "\nexpression lost * 2\n=> " in out
