"""Random arithmetic, bit-fields and enumerations included: gcc gives the values and the types."""

from __future__ import annotations

import os
import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu import language
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.session.session import Session
from tests.language.sessions import program

SOURCE = """
enum U {UA, UB = 5}; enum N {NA = -2, NB = 7}; enum L {LA = 1, LB = 0x80000000u};
enum W {WA = 1, WB = 0x100000000l};
struct bits {
  int a:3; unsigned b:5; long i:31; unsigned long j:20; unsigned f:32; unsigned long k:40;
  long l:32; unsigned long m:32; bool t:1; enum U e:4; unsigned char h:7;
} bf = {-3, 29, -5, 77, 4000000000u, 0xff00000001, -9, 4000000000u, 1, UB, 100};
enum U eu = UB; enum N en = NA; enum L el = LB; enum W ew = WB;
bool bo = 1; char ch = 'x'; signed char sc = -3; unsigned char uc = 200; short sh = -300;
unsigned short us = 65535; int in = -7; unsigned ui = 4000000000u; long lo = -5;
unsigned long ul = 0xfffffffffffffffa; float fl = 2.5f; double dd = -1.25;
"""
BARE = """UA|UB|NA|NB|LA|LB|WA|WB|eu|en|el|ew|bo|ch|sc|uc|sh|us|in|ui|lo|ul|0|1|-1|7u|'a'|'\\377'
2147483647|4294967295|0xffffffff|-9l|3ul""".replace("\n", "|").split("|")
FIELDS = [f"bf.{name}" for name in "abijflmteh"]
"""Without k: gcc has C's arithmetic in 40 bits, which clang, and C++, do not."""
TYPES = ("char", "signed char", "unsigned short", "int", "unsigned", "long", "unsigned long")
NAMES = {"long int": "long", "long unsigned int": "unsigned long"}
"""The names in DWARF of types that an operand alone has."""
PRINTERS = {
    "c": r"""
#define NAME(x) _Generic((x), int: "int", unsigned: "unsigned int", long: "long", \
  unsigned long: "unsigned long", float: "float", double: "double", default: "?")
""",
    "c++": """
#define P(T, name) const char *NAME(T) { return name; }
P(int, "int") P(unsigned, "unsigned int") P(long, "long") P(unsigned long, "unsigned long")
P(float, "float") P(double, "double")
#define printf __builtin_printf
""",
}
PRINT = """
#define SHOW(x) (sizeof NAME(x), NAME(x)[0] == 'f' || NAME(x)[0] == 'd' \\
  ? printf("%s %.17g\\n", NAME(x), (double) (x)) : NAME(x)[0] == 'u' \\
  ? printf("%s %lu\\n", NAME(x), (unsigned long) (x)) : printf("%s %ld\\n", NAME(x), (long) (x)))
"""


class Growing:
    """Random expressions that C defines with -fwrapv."""

    def __init__(self, choose: random.Random, language: str) -> None:
        self.choose = choose
        self.is_c = language == "c"

    def integer(self, depth: int, *, as_arm: bool = False) -> str:
        """An integer; in C++ an arm of `?:` is not a bit-field, as g++ and clang++ differ there."""
        one = self.choose.choice
        kind = self.choose.random()
        if depth == 0 or kind < 0.15:
            return one([*BARE] if as_arm and not self.is_c else [*BARE, *FIELDS, *FIELDS])
        inner = self.integer(depth - 1)
        if kind < 0.3:
            return f"({one('-~!+')} {inner})"
        if kind < 0.4:
            return f"(({one(TYPES)}){inner})"
        if kind < 0.6:
            arms = [self.integer(depth - 1, as_arm=True) for _ in range(2)]
            return f"({inner} ? {arms[0]} : {arms[1]})"
        if kind < 0.65:
            arms = [one(BARE) for _ in range(2)]
            return f"sizeof({inner} ? {arms[0]} : {arms[1]})"
        other = self.integer(depth - 1)
        if kind < 0.7:
            return f"({inner} {one(('/', '%'))} ({other} & 7 | 1))"
        if kind < 0.75:
            return f"({inner} {one(('<<', '>>'))} ({other} & 15))"
        if kind < 0.8:
            operator = one(("<", "==", ">="))
            return f"({self.floating(depth - 1)} {operator} {other})"
        operator = one(("+", "-", "*", "&", "|", "^", "<", ">", "<=", "==", "!=", "&&", "||"))
        return f"({inner} {operator} {other})"

    def floating(self, depth: int) -> str:
        inner = self.integer(depth)
        number = self.choose.choice(("fl", "dd", "0.5", "1.5f"))
        if self.choose.random() < 0.5:
            return f"({inner} ? {number} : {self.integer(depth, as_arm=True)})"
        return f"({number} {self.choose.choice('+-*')} {inner})"

    def whole(self) -> str:
        grow = self.floating if self.choose.random() < 0.2 else self.integer
        return f"+{grow(3)}"


def ours(session: Session, expression: str) -> str:
    try:
        value = language.evaluate(expression, session)
        shown = language.format(value, session)
    except DwarfGpuError as error:
        return error.message
    name = NAMES.get(type_name(value.type), type_name(value.type))
    if name not in ("float", "double"):
        return f"{name} {shown}"
    (number,) = struct.unpack(name[0], struct.pack(name[0], float(shown)))
    return f"{name} {number:.17g}"


def theirs(compiler: str, name: str, folder: Path, expressions: list[str]) -> list[str]:
    shows = "".join(f"  SHOW({expression});\n" for expression in expressions)
    header = "#include <stdbool.h>\n#include <stdio.h>\n" if name == "c" else ""
    body = f"{PRINTERS[name]}{PRINT}int main(void) {{\n{shows}}}\n"
    (folder / "source").write_text(f"{header}{SOURCE}{body}")
    flags = ["-w", "-g", "-O0", "-fwrapv", "-no-pie", "-fno-pie"]
    command = [compiler, "-x", name, *flags, "source", "-o", "program"]
    subprocess.run(command, cwd=folder, check=True)
    done = subprocess.run([folder / "program"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize(("compiler", "name"), [("gcc", "c"), ("g++", "c++")])
def test_random_arithmetic(
    tool: Callable[[str], str], tmp_path: Path, compiler: str, name: str
) -> None:
    seed = int(os.environ.get("DWARFGPU_SEED", "20240607"))
    count = int(os.environ.get("DWARFGPU_COUNT", "150"))
    growing = Growing(random.Random(seed), name)
    expressions = [growing.whole() for _ in range(count)]
    expected = theirs(tool(compiler), name, tmp_path, expressions)
    assert len(expected) == count
    session = program(tmp_path / "program")
    different = [
        (expression, want, got)
        for expression, want in zip(expressions, expected, strict=True)
        if (got := ours(session, expression)) != want
    ]
    assert not different, f"seed {seed}\n" + "\n".join(map(repr, different))
