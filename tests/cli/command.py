"""Running dwarfgpu in a test, and its JSON validated against the schemas of docs/schema."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from dwarfgpu.base.records import frozen
from dwarfgpu.cli.main import main
from tests.cli.answer_shapes import Shapes

REPOSITORY = Path(__file__).resolve().parent.parent.parent
SCHEMAS = REPOSITORY / "docs/schema"
FIXTURES = REPOSITORY / "fixtures"
STATES = FIXTURES / "states"

Json = Any
"""JSON is looked into by its schema, not by the type checker."""


_SOURCE_MISSING = re.compile(r"[0-9]+\t(in |.*: No such file or directory\.$)")


@frozen
class Done:
    """What a run printed and its exit status."""

    out: str
    err: str
    status: int

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def without_sources(self) -> list[str]:
        """The lines, but for those under a frame whose source text is missing."""
        return [line for line in self.lines if not _SOURCE_MISSING.match(line)]

    @property
    def notes(self) -> list[str]:
        prefix = "note: "
        return [
            line.removeprefix(prefix) for line in self.err.splitlines() if line.startswith(prefix)
        ]

    @property
    def error(self) -> str:
        """The one line of an error."""
        [line] = [line for line in self.err.splitlines() if not line.startswith("note: ")]
        assert line.startswith("dwarfgpu: "), line
        return line.removeprefix("dwarfgpu: ")


def run(*arguments: object) -> Done:
    """Run a command in this process; argparse's own exits count as statuses."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as leaving:
            status = int(leaving.code or 0)
    return Done(out.getvalue(), err.getvalue(), status)


def printed_in_order(*arguments: object) -> str:
    """Return what a command prints on a terminal: both streams, in the order of writing."""
    both = io.StringIO()
    with (
        contextlib.redirect_stdout(both),
        contextlib.redirect_stderr(both),
        contextlib.suppress(SystemExit),
    ):
        main([str(argument) for argument in arguments])
    return both.getvalue()


@frozen
class Answered:
    """The object of a `--json` run and the exit status."""

    json: Json
    status: int


def run_json(*arguments: object) -> Answered:
    """Run a command with `--json`: one valid object on standard output, nothing on the other."""
    done = run(*arguments, "--json")
    assert done.err == ""
    assert done.out.endswith("}\n") and done.out.count("\n") == 1
    document = json.loads(done.out, parse_constant=refuse)
    validate(document)
    return Answered(document, done.status)


def refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def validate(document: Json) -> None:
    """Check a document against the schema that it names: the first one of its shape."""
    name = document["schema"].removeprefix("dwarfgpu-").removesuffix("-1")
    shape = shapes().of(document)
    if (name, shape.number) not in _VALID:
        if not of_examples(name).is_valid(shape.example):
            validator(name).validate(document)
            raise AssertionError(f"{name} refuses what is of the shape of a valid document")
        _VALID.add((name, shape.number))


@cache
def shapes() -> Shapes:
    """What the schemas of dwarfgpu distinguish; SARIF's schema is not ours."""
    paths = sorted({*SCHEMAS.glob("*.json")} - {SCHEMAS / "check-sarif.json"})
    return Shapes.of_schemas([schema(path.stem) for path in paths])


_VALID: set[tuple[str, int]] = set()
"""Names of schemas and numbers of shapes that follow them."""


_KEYWORDS = ("$ref", "oneOf", "anyOf", "allOf", "properties", "items", "unevaluatedProperties")
"""What looks into parts of a document."""
Check = Callable[..., Iterator[ValidationError]]


def _once(keyword: str) -> Check:
    """A keyword that decides once about each example: those of `Shapes` have their parts in common,
    and are never freed, nor are schemas."""
    check = Draft202012Validator.VALIDATORS[keyword]
    decided: dict[tuple[int, int], bool] = {}

    def errors(
        checking: Draft202012Validator, value: Json, example: Json, within: Json
    ) -> Iterator[ValidationError]:
        key = id(within), id(example)
        if key not in decided:
            decided[key] = next(check(checking, value, example, within), None) is None
        if not decided[key]:
            yield ValidationError(keyword)

    return errors


_OfExamples = extend(Draft202012Validator, {keyword: _once(keyword) for keyword in _KEYWORDS})


@cache
def of_examples(name: str) -> Draft202012Validator:
    """The validator for examples of shapes only: it says whether, not why."""
    return _OfExamples(schema(name), registry=_registry())


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name), registry=_registry())


def schema(name: str) -> Json:
    return json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))


@cache
def _registry() -> Registry[Json]:
    resources = [
        (path.name, Resource.from_contents(schema(path.stem), default_specification=DRAFT202012))
        for path in SCHEMAS.glob("*.json")
    ]
    return Registry().with_resources(resources)
