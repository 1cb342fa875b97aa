"""Signatures and documentation as `inspect` has them, without importing it."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from dwarfgpu.base.signature import WITHOUT_DOCUMENTATION, documentation_of, signature_of
from dwarfgpu.cfi.declaration import CFA_OPERATIONS
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.repl.lazy_commands import ALL_COMMANDS


def functions() -> list[Callable[..., Any]]:
    import dwarfgpu.cfi.instructions
    import dwarfgpu.expr.ops  # noqa: F401

    operations = [*OPERATIONS.values(), *CFA_OPERATIONS.values()]
    return [*{operation.function: None for operation in operations}]


def test_the_signature_is_that_of_inspect() -> None:
    assert len(functions()) > 100
    for function in functions():
        signature = signature_of(function)
        parameters = inspect.signature(function).parameters
        assert signature.annotations == inspect.get_annotations(function, eval_str=True)
        assert signature.parameters == tuple(parameters)
        assert signature.keywords == {
            name
            for name, parameter in parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }
        summary, _, details = (inspect.getdoc(function) or "").partition("\n")
        assert (signature.summary, signature.details) == (summary, " ".join(details.split()))


def test_documentation_has_no_indentation() -> None:
    for command in ALL_COMMANDS:
        assert documentation_of(command.run) == (inspect.getdoc(command.run) or ""), command.name


@pytest.mark.parametrize("text", ["", "One line.", "  Two\n\n    lines,\n      and more.\n    "])
def test_documentation_of_any_text(text: str) -> None:
    def function() -> None: ...

    function.__doc__ = text
    assert documentation_of(function) == inspect.getdoc(function)


def test_annotations_need_not_be_text() -> None:
    def function(a: object, *, b: object) -> None: ...

    function.__annotations__ = {"a": int, "b": "str", "return": None}
    signature = signature_of(function)
    assert signature.annotations == {"a": int, "b": str, "return": None}
    assert signature.keywords == {"b"}


def test_help_says_that_python_has_removed_it() -> None:
    words = ("-m", "dwarfgpu", "debug", "--demo", "--batch", "-ex", "help print")
    done = subprocess.run(
        [sys.executable, "-OO", *words], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.splitlines() == ["print, p, inspect", WITHOUT_DOCUMENTATION]
