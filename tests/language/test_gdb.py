"""Expressions on the global variables of the demo program: our text against the installed GDB's."""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections.abc import Callable

import pytest

from tests.language.sessions import FIXTURES, demo, text

EXPRESSIONS = """
global_struct|&global_struct|global_struct.in[1]|global_struct.in[1].weight|global_struct.p->count
global_struct->a|global_struct.name|global_struct.name+1|&global_struct.name|global_struct.name[1]
global_struct.next->next->next->in[0].label|*global_struct.in[0].label@3|global_struct.un
global_struct.un.f|global_struct.b1|global_struct.b2|global_struct.b3|-global_struct.b2
global_struct.x|global_struct.y+1|global_struct.mat|global_struct.mat[1]|*global_struct.mat
&global_struct.mat[1]|global_struct.mat[1][2]|global_struct.fn|*global_struct.fn|global_struct.ok
!global_struct.ok|global_struct.color|global_struct.color == GREEN|&*global_struct.next
*global_struct.next->next->p|(*global_struct.p).label|&global_struct.in[1].weight
sizeof(global_struct)|sizeof global_struct.in|sizeof(struct outer)|sizeof(outer_t)|sizeof(int[4])
sizeof(struct outer *)|sizeof(int)|sizeof(long double)|sizeof(char)|sizeof('a')|sizeof("abc")
sizeof(1==1)|sizeof numbers|sizeof(short int)|sizeof(unsigned long long)|sizeof(void *)
numbers|numbers[0]@8|*numbers@3|&numbers|&numbers[2]|*(&numbers[12])|numbers[12]+numbers[13]
&numbers[5]-&numbers[2]|&numbers[5] > &numbers[2]|&numbers[2] == numbers+2|*(numbers+12)
numbers[10]@4|(long)&numbers|*(long *)&numbers|(char)numbers[12]|{int}&numbers[12]
(int(*)[4])numbers|*(int(*)[4])numbers|(int (*)(int))0|(char **)0|*&numbers[12]
message|message+1|*message@5|&message|message[1]|(char*)&message|*message|&message[3]
"abc"|"abc"[1]|"a" "b"|'a'|'a'+1|'\\n'|'\\''|'\\101'|"tab\\tquote\\"|(unsigned char)200|(char)65
main|&main|*main|twice|&twice|'demo.c'::pi|'demo.c'::numbers[12]|pi|pi*2|(float)pi|&pi
access|access|2|access & READ|(enum flags)6|(enum flags)9|(enum color)5
(enum color)7|GREEN|GREEN + 1
1+2*3|(1+2)*3|7/2|-7/2|-7%3|7%-3|7.0/2|1/3.0|(float)1/3|(long double)1/3|1.5f*2|1e10|1.0|.5|0x1p4
07|0b101|0x80000000|2147483648|4294967296|1ull<<40|-5>>1|-5u>>1|~0|~0u|!0|!5|+'a'|-1.5|10 > 3u
-1 < 1u|-1 < 1|1==1.0|1.5==1.5|1 && 0|1 || 0|0 || 0|1?2:3|0?2:3|1,2|1 ? numbers[12] : 0|5 & 3|5 ^ 3
(short)-1|(unsigned char)300|(unsigned)1|(unsigned long)-1|(long long)1|(long unsigned int)1
(signed char)200|(int)1.9|(int)-1.9|(_Bool)5|(void)1|(uint8_t)255|(outer_t*)&global_struct
(struct outer *)0|(struct inner *)&global_struct.in|*(struct inner *)&global_struct.in
((struct inner *)&global_struct.in)[1].count|(union word)global_struct.un|$nosuch|$v3
0 && nosuch|0 && global_struct.nope|0 && 7/0|0 && main.x|global_struct && 1|0 && (nosuch)1
nosuch|global_struct.nope|1 +|1 + )|(1|&&numbers|1 2|08|1x|7/0|7%0|1;|*1.5|1=2|&1|&(1+2)|1@2
-2>>-2|-2l>>-2|5>>-1|-2<<-1|-2>>40|1u<<40|-2<<40|-2u>>-2|-2>>31|-2>>32|1f|5F|1.f|1e3f
1.5 % 2|1 << 1.5|~1.5|(struct nosuch*)0|(nosuch)1|(struct inner)1|whatever(1)|numbers[0]@0
numbers[0]@-1|*(int*)0xfffffffffff0|*(struct outer *)0xfffffffffff0|global_struct.a.b
message.x|L'a'|sizeof(nosuch)|int|(int)|99999999999999999999999
*(long)&numbers[10]|*(unsigned long)&numbers[11]|*(long)&numbers[10] + 1|sizeof(*numbers[1])
sizeof *5|&*(long)&numbers|(char)*(long)&numbers[10]
"""
UNLIKE: dict[str, str] = {
    "sizeof('a')": "4",  # C 6.4.4.4p10
    # GDB's words here are about C++ operators, types and places that have names in its dialogue.
    "*1.5": "Attempt to take contents of a non-pointer value.",
    "global_struct.a.b": "Attempt to extract a component of a value that is not a structure.",
    "message.x": "Attempt to extract a component of a value that is not a structure.",
    "(int)": "A syntax error in expression, near `'.",
}


_AT_THE_END = re.compile(r"(?<= in expression, )near the end of `.*'\.$")
"""How GDB 16 says what GDB 13 says as "near `'"."""


def printed_by_gdb(
    gdb: str, program: str, expressions: list[str], before: tuple[str, ...] = ()
) -> list[str]:
    """What GDB prints for each, without `$1 = ` and warnings, after some commands."""
    command = [
        gdb,
        "-nx",
        "-q",
        "-batch",
        *(part for command in before for part in ("-ex", command)),
    ]
    for expression in expressions:
        command += ["-ex", "echo @@\\n", "-ex", f"print {expression}"]
    command.append(str(FIXTURES / "x86_64" / program))
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    out: list[str] = []
    for part in done.stdout.split("@@\n")[1:]:
        lines = [line for line in part.splitlines() if not line.startswith("warning: ")]
        answer = re.sub(r"^\$\d+ = ", "", "\n".join(lines))
        out.append(_AT_THE_END.sub("near `'.", answer))
    return out


def listed() -> list[str]:
    marked = EXPRESSIONS.replace("access|2", "access\0 2").replace("1 || 0", "1 \0\0 0")
    marked = marked.replace("0 || 0", "0 \0\0 0").strip().replace("\n", "|")
    return [word.replace("\0", "|") for word in marked.split("|")]


@pytest.mark.parametrize(
    "program", ["demo.gcc.O0.v5", "demo.gcc.O0.v4", "demo.gcc.O2.v5", "demo.clang.O0.v5"]
)
def test_expressions(tool: Callable[[str], str], program: str) -> None:
    left_out = {
        "demo.gcc.O2.v5": ("message",),  # optimized out
        # Its pointers are made when it is loaded: GDB, which does not relocate them, shows 0.
        "demo.clang.O0.v5": ("next", ".p", ".fn", "label", "struct inner *"),
    }.get(program, ())
    expressions = [item for item in listed() if not any(name in item for name in left_out)]
    if program == "demo.clang.O0.v5":
        expressions.remove("global_struct")  # which has them
    expected = printed_by_gdb(tool("gdb"), program, expressions)
    assert len(expected) == len(expressions)
    session = demo(program)
    different = [
        (expression, theirs, ours)
        for expression, theirs in zip(expressions, expected, strict=True)
        if (ours := text(session, expression)) != UNLIKE.get(expression, theirs)
    ]
    assert not different, "\n".join(map(repr, different))


@pytest.mark.parametrize("program", ["demo.gcc.O0.v5", "demo.gcc.O2.v5"])
def test_why_a_bit_field_is_refused(program: str) -> None:
    """C 6.5.3.2p1, 6.5.3.4p1: wherever the structure is, here in memory. GDB takes the size of its
    type, and says of its address that it is not in memory."""
    session = demo(program)
    reasons = {
        "&global_struct.b2": "A bit-field has no address.",
        "sizeof(&global_struct.b2)": "A bit-field has no address.",
        "sizeof(global_struct.b2)": "A bit-field has no size in bytes.",
        "global_struct.b2@2": "A bit-field cannot be extended with '@'.",
    }
    assert {expression: text(session, expression) for expression in reasons} == reasons


@pytest.mark.parametrize(
    ("letter", "expression"),
    [
        ("x", "global_struct.b2"),
        ("x", "numbers[10]@4"),
        ("x", "global_struct.name"),
        ("d", "'a'"),
        ("o", "8+1"),
        ("t", "5"),
        ("c", "65"),
        ("a", "&numbers[2]"),
        ("z", "(short)5"),
        ("f", "global_struct.un.i"),
        ("x", "-1"),
        ("u", "(char)-1"),
        ("d", "access"),
        ("x", "&message"),
    ],
)
def test_letters(tool: Callable[[str], str], letter: str, expression: str) -> None:
    command = [tool("gdb"), "-nx", "-q", "-batch", "-ex", f"print/{letter} {expression}"]
    command.append(str(FIXTURES / "x86_64/demo.gcc.O0.v5"))
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"$1 = {text(demo(), expression, letter)}\n" == done.stdout


OPERANDS = """0|1|2|3|7|100|255|-1|0x7fffffff|0xffffffff|2147483648|1u|4000000000u|5l|7ul|-9l
1.5|2.25f|-0.5|1e10|3.0L|'a'|(char)200|(unsigned char)200|(short)-5
(unsigned short)65535|numbers[12]|global_struct.b2|(int)global_struct.b1|global_struct.b3
global_struct.color|pi|access|BLUE|global_struct.x|global_struct.in[1].weight
global_struct.mat[1][2]|(float)pi|(long double)1.25""".replace("\n", "|").split("|")
OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "==", "!=", "<", ">", "<=", ">=")
TYPES = ("int", "char", "unsigned", "long", "unsigned long", "short", "float", "double")

INTEGER_ONLY = "Integer-only operation on floating point number."
"""C refuses this also in an arm that is not taken."""


def grown(choose: random.Random, depth: int) -> str:
    """A random expression of numbers."""
    if depth == 0 or choose.random() < 0.2:
        return choose.choice(OPERANDS)
    kind = choose.random()
    inner = grown(choose, depth - 1)
    if kind < 0.15:
        return f"{choose.choice('-~!+')}({inner})"
    if kind < 0.3:
        return f"({choose.choice(TYPES)})({inner})"
    if kind < 0.4:  # GDB gives a shift of an enumeration by too much the type of that
        return f"((0 + {inner}) {choose.choice(('<<', '>>'))} {choose.randrange(32)})"
    other = grown(choose, depth - 1)
    if kind < 0.45:
        # In C both arms have a type, and the result has one of both; in GDB that of the one taken.
        arms = [f"(long)({item})" for item in (other, grown(choose, depth - 1))]
        return f"({inner} ? {arms[0]} : {arms[1]})"
    operator = choose.choice(OPERATORS)
    return f"({inner} {operator} {other})"


def test_random_arithmetic(tool: Callable[[str], str]) -> None:
    seed = int(os.environ.get("DWARFGPU_SEED", "20240607"))
    choose = random.Random(seed)
    expressions = [grown(choose, 3) for _ in range(250)]
    expected = printed_by_gdb(tool("gdb"), "demo.gcc.O0.v5", expressions)
    assert len(expected) == len(expressions)
    different = [
        (expression, theirs, ours)
        for expression, theirs in zip(expressions, expected, strict=True)
        if (ours := text(demo(), expression)) != theirs
        and "nan" not in theirs
        and not ("?" in expression and ours == INTEGER_ONLY)
    ]
    assert not different, f"seed {seed}\n" + "\n".join(map(repr, different))
