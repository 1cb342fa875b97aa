"""Compare the names of types with GDB's `whatis` and `ptype`, for random declarations.

    tools/gdb_type_names.py [--seed N] [--count N] [--record FILE]

Makes declarations of C and C++ with pointers, arrays, functions, references, pointers to members
and qualifiers, compiles them, and asks GDB and `dwarfgpu debug`. Differences that
docs/gdb-differences.md does not explain ("types") are printed, and are the exit status. `--record`
writes the declarations with GDB's names, for the tests.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILERS = {"c": ["gcc", "-std=gnu11"], "cpp": ["g++", "-std=c++17"]}
HEADS = {
    "c": """struct S { int a; const char *const names[4]; int (*call)(int, char *);
int (*calls[3])(void); volatile int v; int *restrict r; unsigned bits : 3; struct { int x; } in; };
typedef int T; typedef char TA[5]; typedef int *TP; typedef const struct S *TCP;
enum E { A, B }; union U { int a; float b; };""",
    "cpp": """struct S { int a; const char *const names[4]; int m(int) const; };
typedef int T; typedef char TA[5]; typedef int *TP; typedef const S *TCP;
enum E { A, B }; union U { int a; float b; }; namespace ns { struct N { int x; }; }
template<class X> struct Box { X x; };""",
}
"""What the declarations use, on lines of its own."""
BASES = {
    "c": ["int", "char", "unsigned long", "struct S", "T", "enum E", "union U", "double", "TP",
          "TCP", "TA"],
    "cpp": ["int", "char", "unsigned long", "S", "T", "E", "U", "double", "ns::N", "Box<int>", "TP",
            "TCP", "TA", "bool"],
}  # fmt: skip
QUALIFIERS = {"c": ["const", "volatile", "_Atomic"], "cpp": ["const", "volatile"]}
RESTRICT = {"c": "restrict", "cpp": "__restrict"}
ARGUMENTS = ["int", "char *", "const char *", "int (*)(int)", "double", "TP"]
_NAME = re.compile(r"\bv[0-9]+\b")
_ERROR = re.compile(r"^\S+?:(\d+):\d+: (?:error|sorry)", re.MULTILINE)
_EXPLAINED = re.compile(r"S::\*|(?:const|volatile|_Atomic) TC?P\b|TA\b")
"""GDB loses qualifiers of member pointers and of typedefs."""
_MARK = re.compile(r"\n@@\n")


class Declarations:
    """Random declarations of one language; not all of them are valid."""

    def __init__(self, language: str, seed: int) -> None:
        self.language, self.random = language, random.Random(seed)

    def made(self, number: int) -> str:
        """`const int *(*v3)[2]`"""
        chosen = [q for q in QUALIFIERS[self.language] if self.random.random() < 0.2]
        base = self.random.choice(BASES[self.language])
        depth = self.random.choice([0, 1, 1, 2, 2, 3, 3, 4])
        return " ".join([*chosen, base, self._declarator(f"v{number}", depth, "")])

    def _declarator(self, inner: str, depth: int, last: str) -> str:
        if depth == 0:
            return inner
        marks = ["*", "*", "*", "[]", "()"] + (["&", "S::*"] if self.language == "cpp" else [])
        mark = self.random.choice(marks)
        if mark == "*" or (mark == "()" and last in ("[]", "()")) or (mark == "&" and last):
            words = (*QUALIFIERS[self.language], RESTRICT[self.language])
            chosen = [word for word in words if self.random.random() < 0.18]
            return self._declarator(" ".join(["*", *chosen, inner]), depth - 1, "*")
        if mark in ("&", "S::*"):
            return self._declarator(f"{mark}{inner}", depth - 1, mark)
        inner = f"({inner})" if last in ("*", "&", "S::*") else inner
        if mark == "[]":
            return self._declarator(f"{inner}[{self.random.choice([2, 3, 4])}]", depth - 1, mark)
        count = self.random.choice([0, 1, 1, 2])
        arguments = ", ".join(self.random.choice(ARGUMENTS) for _ in range(count))
        return self._declarator(f"{inner}({arguments or 'void'})", depth - 1, mark)


def compiled(language: str, declarations: list[str], folder: Path) -> tuple[Path, list[str]]:
    """A program with a typedef `t_vN` and a pointer `p_vN` for each declaration that is valid."""
    source, program = folder / f"names.{language}", folder / f"names.{language}.out"
    head = HEADS[language].splitlines()
    kept = declarations
    for last in (False, True):
        lines = [
            *head,
            *(_line(language, finding) for finding in kept),
            "int main(void) { return 0; }",
        ]
        source.write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            [*COMPILERS[language], "-w", "-g", "-O0", "-fmax-errors=0", "-o", program, source],
            capture_output=True, text=True, check=last,
        )  # fmt: skip
        wrong = {int(number) - 1 - len(head) for number in _ERROR.findall(done.stderr)}
        kept = [finding for index, finding in enumerate(kept) if index not in wrong]
    return program, kept


def _line(language: str, declaration: str) -> str:
    """A typedef, and an object that needs it; no pointer points to a reference."""
    name = declared_name(declaration)
    typedef = f"typedef {declaration.replace(name, f't_{name}')};"
    if language == "cpp" and "&" in declaration:
        return f"{typedef} struct H_{name} {{ t_{name} x; }} *p_{name};"
    return f"{typedef} t_{name} *p_{name};"


def declared_name(declaration: str) -> str:
    match = _NAME.search(declaration)
    assert match is not None
    return match[0]


def names(program: list[str], commands: list[str]) -> list[str]:
    """What a debugger answers to each command."""
    words = [word for command in commands for word in ("-ex", command, "-ex", "echo \\n@@\\n")]
    done = subprocess.run(
        [*program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return [part.removeprefix("type = ").strip() for part in _MARK.split(done.stdout)[:-1]]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150, help="declarations of each language")
    parser.add_argument("--record", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    different = total = 0
    records: list[str] = []
    for language in HEADS:
        made = Declarations(language, arguments.seed)
        declarations = [made.made(number) for number in range(arguments.count)]
        with tempfile.TemporaryDirectory() as folder:
            program, kept = compiled(language, declarations, Path(folder))
            verbs = ("whatis", "ptype")
            commands = [f"{verb} t_{declared_name(finding)}" for finding in kept for verb in verbs]
            begin = ["-ex", "list main", "-ex", "echo \\n@@\\n"]  # where the language is known
            gdb_command = ["gdb", "-q", "-nx", "-batch", *begin, str(program)]
            own_command = [sys.executable, "-m", "dwarfgpu", "debug", "--batch", "-q", *begin]
            theirs = names(gdb_command, commands)[1:]
            own = names([*own_command, str(program)], commands)[1:]
        for index, (command, gdb, ours) in enumerate(zip(commands, theirs, own, strict=True)):
            declaration = kept[index // len(verbs)]
            total += 1
            if gdb != ours and _EXPLAINED.search(declaration):
                continue
            if gdb != ours:
                different += 1
                print(f"{declaration}\n    {command}: {gdb}\n    dwarfgpu: {ours}")
            elif "\n" not in gdb:
                records.append(f"{language}\t{command.split()[0]}\t{declaration}\t{gdb}\n")
    print(f"{different} of {total} names differ")
    if arguments.record is not None:
        arguments.record.write_text("".join(records), "utf-8")
    return int(different > 0)


if __name__ == "__main__":
    raise SystemExit(main())
