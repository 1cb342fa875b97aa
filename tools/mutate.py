"""Sample one-token mutations of the engine and see whether the tests kill them.

`python -m tools.mutate [--seed N] [--count N] [--only PATH]` samples mutants of each folder and
runs those tests that call the mutated function, the quickest first. It prints a line for each
mutant and how many were killed; docs/mutation.md has the last results and explains each survivor.

Nothing is written: tests are collected once, and each mutant is a new `__code__` of the functions
of its file, in a forked process of its own. Therefore only code in functions is mutated.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import pickle
import random
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from time import process_time
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple, TypeAlias, TypeVar

import pytest

T = TypeVar("T")
Function: TypeAlias = tuple[str, int]
"""Of a file, the line on which a function begins, with its decorators."""

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("model", "access", "expr", "cfi")
SUITES = (
    "tests/spec",
    "tests/access",
    "tests/model",
    "tests/expr",
    "tests/test_lane_property.py",
    "tests/cfi",
    "--ignore=tests/expr/test_hostile.py",
)
"""The tests that say what the four folders do, without those of hostile sizes, which take long."""
MEMORY = 4 << 30
"""Bytes of address space that the tests of a mutant may use."""
SECONDS = 20
"""Of the processor, for one test: a mutant that takes longer is endless, and so killed."""

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
    function: Function
    line: int
    begin: int
    end: int
    text: str

    def __str__(self) -> str:
        before = (ROOT / self.path).read_bytes()[self.begin : self.end].decode()
        return f"{self.path}:{self.line}: {before.strip()!r} -> {self.text.strip()!r}"


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of the functions of a file, those of annotations and of messages left out."""
    source = (ROOT / path).read_bytes()
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))

    def at(line: int | None, column: int | None) -> int:
        return starts[(line or 1) - 1] + (column or 0)

    def visit(node: ast.AST, function: Function | None) -> Iterator[Mutant]:
        def mutant(begin: int, end: int, text: str) -> Iterator[Mutant]:
            if function is not None:
                yield Mutant(path, function, source.count(b"\n", 0, begin) + 1, begin, end, text)

        def swapped(left: ast.expr, operator: ast.AST, right: ast.expr) -> Iterator[Mutant]:
            old = SYMBOLS.get(type(operator), "")
            begin, end = (
                at(left.end_lineno, left.end_col_offset),
                at(right.lineno, right.col_offset),
            )
            gap = source[begin:end].decode()
            if old and gap.count(old) == 1 and "#" not in gap:
                new = SYMBOLS[SWAPS[type(operator)]]
                yield from mutant(begin, end, gap.replace(old, new))

        match node:
            case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.arguments():
                return
            case ast.FunctionDef(decorator_list=decorators):
                first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
                function = str(ROOT / path), first
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                yield from swapped(left, operator, right)
            case ast.BinOp(left=left, op=operator, right=right):
                yield from swapped(left, operator, right)
            case ast.BoolOp(op=operator, values=[left, right]):
                yield from swapped(left, operator, right)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                begin = at(node.lineno, node.col_offset)
                yield from mutant(begin, at(operand.lineno, operand.col_offset), "")
            case ast.Call(func=ast.Name(id=("max" | "min") as bound)):
                begin = at(node.lineno, node.col_offset)
                yield from mutant(begin, begin + 3, "min" if bound == "max" else "max")
            case ast.Constant(value=int(value)):
                begin, end = at(node.lineno, node.col_offset), at(node.lineno, node.end_col_offset)
                changed = not value if isinstance(value, bool) else value + 1
                yield from mutant(begin, end, str(changed))
        for name, child in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list"):
                for item in child if isinstance(child, list) else [child]:
                    if isinstance(item, ast.AST):
                        yield from visit(item, function)

    yield from visit(ast.parse(source), None)


def functions_of(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """The functions in a code object, by name and first line."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield (constant.co_qualname, constant.co_firstlineno), constant
            yield from functions_of(constant)


def apply(mutant: Mutant) -> None:
    """Put the mutant into all functions of its file that exist in this process."""
    path = ROOT / mutant.path
    source = path.read_bytes()
    changed = source[: mutant.begin] + mutant.text.encode() + source[mutant.end :]
    codes = dict(functions_of(compile(changed, str(path), "exec", dont_inherit=True)))
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == str(path):
            code = function.__code__
            function.__code__ = codes.get((code.co_qualname, code.co_firstlineno), code)


def in_child(act: Callable[[], T]) -> T | None:
    """What `act` returns in a forked process; None where that process was ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(act(), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(answer) if answer else None


class Mutations:
    """A plugin of pytest that runs mutants in place of the tests."""

    def __init__(self, seed: int, count: int, only: str) -> None:
        self.seed, self.count, self.only = seed, count, only
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.unfreeze()  # `apply` looks for functions among the objects of the collector
        for folder in FOLDERS:
            for path in (ROOT / "dwarfgpu" / folder).rglob("*.py"):
                import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        items = session.items
        callers = in_child(partial(self.callers, items))
        if callers is None:
            raise pytest.UsageError("a test fails without a mutant: repair it first")
        print(f"\n{len(items)} tests, seed {self.seed}", flush=True)
        for folder in FOLDERS:
            population = [
                mutant
                for path in sorted((ROOT / "dwarfgpu" / folder).rglob("*.py"))
                if str(path.relative_to(ROOT)).startswith(self.only)
                for mutant in mutants(path.relative_to(ROOT))
            ]
            size = min(self.count, len(population))
            killed = 0
            for mutant in random.Random(self.seed).sample(population, size):
                tests = callers.get(mutant.function, [])
                survives = in_child(partial(self.survives, mutant, items, tests))
                killed += not survives
                print(
                    f"{'SURVIVED' if survives else 'killed  '} {mutant} ({len(tests)} tests)",
                    flush=True,
                )
            print(f"{folder}: {killed} of {size} killed, of {len(population)} mutants", flush=True)
        return True

    def callers(self, items: list[pytest.Item]) -> dict[Function, list[int]] | None:
        """The indices of the tests that call each function, the quickest first.

        None where a test fails.
        """
        package = str(ROOT / "dwarfgpu")
        reached: dict[Function, list[tuple[float, int]]] = {}
        called: set[Function] = set()

        def note(frame: FrameType, event: str, argument: Any) -> None:
            if frame.f_code.co_filename.startswith(package):
                called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

        for index in range(len(items)):
            called.clear()
            began = process_time()
            sys.settrace(note)
            self.run(items, index)
            sys.settrace(None)
            for function in called:
                reached.setdefault(function, []).append((process_time() - began, index))
        if self.failed:
            return None
        return {key: [index for _, index in sorted(tests)] for key, tests in reached.items()}

    def run(self, items: list[pytest.Item], index: int) -> None:
        following = items[index + 1] if index + 1 < len(items) else None
        items[index].config.hook.pytest_runtest_protocol(item=items[index], nextitem=following)

    def survives(self, mutant: Mutant, items: list[pytest.Item], tests: list[int]) -> bool:
        """Whether all of the tests pass with a mutant; an endless one ends the process."""
        apply(mutant)
        selected = [items[index] for index in tests]
        for index in range(len(selected)):
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            self.run(selected, index)
            if self.failed:
                return False
        return True


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=25, help="mutants of each folder")
    parser.add_argument("--only", default="", help="mutate only files whose path starts with this")
    args = parser.parse_args()
    os.chdir(ROOT)
    plugin = Mutations(args.seed, args.count, args.only)
    return pytest.main(["-q", "-s", "-p", "no:cacheprovider", *SUITES], [plugin])


if __name__ == "__main__":
    raise SystemExit(main())
