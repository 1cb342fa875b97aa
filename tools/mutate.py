"""Sample one-token mutations of the engine and see whether the tests kill them.

`python tools/mutate.py [--seed N] [--count N] [--only PATH]` runs one mutant at a time, in a copy
of the checkout, with the tests of the folder that the mutated file belongs to. It prints a line
per mutant and the share killed; docs/mutation.md has the last results and explains each survivor.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("model", "access", "expr", "cfi")
TESTS = {
    "model": ("tests/spec", "tests/model", "tests/access", "tests/expr", "tests/view"),
    "access": (
        "tests/spec",
        "tests/access",
        "tests/model",
        "tests/expr",
        "tests/test_lane_property.py",
    ),
    "expr": ("tests/spec", "tests/expr", "tests/model", "tests/cfi", "tests/test_lane_property.py"),
    "cfi": ("tests/cfi", "tests/check", "tests/session"),
}
"""The tests of a mutated folder, the quickest to kill first."""

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
SYMBOLS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.And: "and",
    ast.Or: "or", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|",
}  # fmt: skip


class Mutant(NamedTuple):
    """One replacement in one file; offsets count bytes of its UTF-8 text."""

    path: Path
    line: int
    begin: int
    end: int
    text: str

    def __str__(self) -> str:
        source = (ROOT / self.path).read_bytes()
        before = source[self.begin : self.end].decode()
        return f"{self.path}:{self.line}: {before.strip()!r} -> {self.text.strip()!r}"


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of a file, those of annotations and of raised messages left out."""
    source = (ROOT / path).read_bytes()
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    def between(left: ast.expr, right: ast.expr, old: type[ast.AST]) -> Iterator[Mutant]:
        begin = at(left.end_lineno or 0, left.end_col_offset or 0)
        end = at(right.lineno, right.col_offset)
        gap = source[begin:end].decode()
        symbol = SYMBOLS[old]
        if gap.count(symbol) == 1 and "#" not in gap:
            changed = gap.replace(symbol, SYMBOLS[SWAPS[old]])
            yield Mutant(path, left.end_lineno or 0, begin, end, changed)

    def visit(node: ast.AST) -> Iterator[Mutant]:
        match node:
            case ast.Raise() | ast.Assert() | ast.AnnAssign(simple=1, value=None) | ast.Import():
                return
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                if type(operator) in SWAPS:
                    yield from between(left, right, type(operator))
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in SWAPS:
                yield from between(left, right, type(operator))
            case ast.BoolOp(op=operator, values=[left, right]):
                yield from between(left, right, type(operator))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                begin = at(node.lineno, node.col_offset)
                yield Mutant(path, node.lineno, begin, at(operand.lineno, operand.col_offset), "")
            case ast.Call(func=ast.Name(id=("max" | "min") as name) as function):
                begin = at(function.lineno, function.col_offset)
                swapped = "min" if name == "max" else "max"
                yield Mutant(path, node.lineno, begin, begin + 3, swapped)
            case ast.Constant(value=bool(value)):
                begin, end = (
                    at(node.lineno, node.col_offset),
                    at(node.lineno, node.end_col_offset or 0),
                )
                yield Mutant(path, node.lineno, begin, end, str(not value))
            case ast.Constant(value=int(value)):
                begin, end = (
                    at(node.lineno, node.col_offset),
                    at(node.lineno, node.end_col_offset or 0),
                )
                yield Mutant(path, node.lineno, begin, end, str(value + 1))
        for name, child in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "args") and not isinstance(
                node, ast.Call
            ):
                continue
            for item in child if isinstance(child, list) else [child]:
                if isinstance(item, ast.AST):
                    yield from visit(item)

    yield from visit(ast.parse(source))


def is_killed(mutant: Mutant, copy: Path, seconds: int) -> bool:
    """Whether a test fails, or takes longer than `seconds`, with the mutant in the code."""
    path = copy / mutant.path
    source = path.read_bytes()
    try:
        path.write_bytes(source[: mutant.begin] + mutant.text.encode() + source[mutant.end :])
        room = mutant.path.parts[1]
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            *TESTS[room],
        ]
        done = subprocess.run(command, cwd=copy, capture_output=True, timeout=seconds, check=False)
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_bytes(source)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=600, help="of one mutant's tests")
    parser.add_argument("--only", help="mutate only files whose path starts with this")
    args = parser.parse_args()
    paths = [
        path.relative_to(ROOT)
        for folder in FOLDERS
        for path in sorted((ROOT / "dwarfgpu" / folder).rglob("*.py"))
    ]
    paths = [path for path in paths if str(path).startswith(args.only or "dwarfgpu/")]
    population = [mutant for path in paths for mutant in mutants(path)]
    sample = random.Random(args.seed).sample(population, min(args.count, len(population)))
    print(f"seed {args.seed}: {len(sample)} of {len(population)} mutants", flush=True)
    killed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        ignore = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, copy, ignore=ignore)
        for mutant in sample:
            dead = is_killed(mutant, copy, args.seconds)
            killed += dead
            print(f"{'killed  ' if dead else 'SURVIVED'} {mutant}", flush=True)
    print(f"{killed} of {len(sample)} killed: {100 * killed / max(len(sample), 1):.0f} %")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
