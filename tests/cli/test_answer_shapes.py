"""Shapes of documents: the schemas accept an example of a shape exactly where they accept all."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.answer_shapes import Shapes
from tests.cli.command import of_examples, run, shapes, validator

Json = Any
CHANGED: tuple[Json, ...] = (
    None, True, False, 0, 1, -1, -2, 7, 8, 2**70, 0.5, 3.0, "", "zz", "0", "0x1f", "1F", "inf",
    "memory", "value", [], [1], [1, 1, 1, 1], {}, {"more": 1},
)  # fmt: skip


def places(value: Json) -> Iterator[tuple[Json, Any]]:
    """Each container of a document with each of its keys."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "--demo", "--lane", "3"),
        ("eval", "--demo", "--lane", "3", "t"),
        ("explain", "regx s4; piece 4; piece 4; regx s6; piece 4"),
        ("lanes", "--demo", "t"),
        ("bt", "--demo"),
        ("where", "--demo", "t"),
    ],
    ids=" ".join,
)
def test_an_example_is_valid_where_the_document_is(arguments: tuple[str, ...]) -> None:
    """Also of documents in which something was put in the place of another thing, or taken away."""
    document = json.loads(run(*arguments, "--json").out)
    name = document["schema"].removeprefix("dwarfgpu-").removesuffix("-1")
    schema, decides = validator(name), of_examples(name)
    example = shapes().of(document).example
    assert schema.is_valid(document) and schema.is_valid(example) and decides.is_valid(example)
    chance = random.Random(1)
    verdicts = set()
    for _ in range(40):
        changed = copy.deepcopy(example)
        holder, key = chance.choice([*places(changed)])
        if chance.random() < 0.2:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(chance.choice(CHANGED))
        verdict = schema.is_valid(changed)
        assert decides.is_valid(shapes().of(changed).example) == verdict, changed
        verdicts.add(verdict)
    assert verdicts == {True, False}


def test_what_is_alike_is_one_shape() -> None:
    schema = {
        "properties": {"name": {"pattern": "^[a-z]+$"}, "size": {"minimum": 0}},
        "items": {"enum": ["one", 2]},
        "minItems": 2,
        "maxItems": 5,
    }
    shape = Shapes.of_schemas([schema]).of
    assert shape({"name": "a", "size": 1}) == shape({"size": 3, "name": "bc"})
    assert shape([8, 9, 9]) == shape([7, 7, 7, 9])
    assert len(shape([9, 9, 9, 9]).example) == 3
    different: list[Json] = [
        "a", "A", "", "one", 0, 1, -1, 2, 1.5, 1.0, True, False, None, {}, {"name": 1}, [], [1],
        [1, 1], [1, 1, 1], [1] * 5, [1] * 6, [1, -1, 1], [1, None, 1],
    ]  # fmt: skip
    assert len({shape(item).number for item in different}) == len(different)


@pytest.mark.parametrize(
    "schema", [{"uniqueItems": True}, {"minLength": 2}, {"const": [1]}, {"contains": {}}]
)
def test_a_keyword_that_is_not_accounted_for_is_an_error(schema: Json) -> None:
    with pytest.raises(ValueError, match="no shapes with"):
        Shapes.of_schemas([{"items": [schema]}])
