"""Shapes of JSON documents: what is of one shape, the schemas of docs/schema all accept or refuse.

Validating is most of the work of running a command, and the 64 lanes of an answer are alike. A
document is therefore validated once for its shape, by a small example of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from dwarfgpu.base.records import field, frozen

Json = Any
_PER_KEY = ("properties", "patternProperties", "$defs")
"""Keywords that hold a schema for each of some names."""
_LITERAL = ("enum", "const", "required", "dependentRequired", "type", "examples", "default")
"""Keywords whose contents are not a schema."""


def keywords(schema: Json) -> Iterator[tuple[str, Json]]:
    """Each keyword of a schema and of the schemas in it, with its value."""
    if isinstance(schema, list):
        for part in schema:
            yield from keywords(part)
    elif isinstance(schema, dict):
        for keyword, value in schema.items():
            yield keyword, value
            if keyword in _PER_KEY:
                yield from keywords([*value.values()])
            elif keyword not in _LITERAL:
                yield from keywords(value)


@frozen
class Shape:
    """`number`: equal for documents of one shape; `example`: a small document of this shape."""

    number: int
    example: Json


@frozen
class Shapes:
    """All that some schemas can distinguish. It knows the keywords of `KEYWORDS`, no others.

    Order in arrays is not a difference, nor is how many items are alike, but where a bound of
    `minItems` and `maxItems` lies between. Strings and numbers differ as patterns, bounds and
    words do; objects by their names and the shapes of what these hold.
    """

    KEYWORDS = frozenset({
        "$schema", "$id", "$ref", "$defs", "title", "description", "type", "enum", "const",
        "oneOf", "anyOf", "allOf", "not", "if", "then", "else", "properties",
        "patternProperties", "required", "additionalProperties", "unevaluatedProperties",
        "dependentRequired", "items", "minItems", "maxItems", "pattern", "minLength",
        "minimum", "maximum",
    })  # fmt: skip
    words: frozenset[Json]
    patterns: tuple[re.Pattern[str], ...]
    bounds: tuple[float, ...]
    """`minimum` and `maximum`."""
    lengths: tuple[int, ...]
    """`minItems` and `maxItems`."""
    _known: dict[object, Shape] = field(factory=dict, init=False)

    @classmethod
    def of_schemas(cls, schemas: list[Json]) -> Shapes:
        """`ValueError` for a keyword, or a use of one, that is not accounted for."""
        values: dict[str, list[Json]] = {}
        for keyword, value in keywords(schemas):
            values.setdefault(keyword, []).append(value)
        if unknown := values.keys() - cls.KEYWORDS:
            raise ValueError(f"no shapes with the keywords {sorted(unknown)}")
        if set(values.get("minLength", ())) - {1}:
            raise ValueError("no shapes with a minLength but 1")
        enums = [word for words in values.get("enum", ()) for word in words]
        words = [*enums, *values.get("const", ())]
        if any(isinstance(word, list | dict) for word in words):
            raise ValueError("no shapes with an array or an object as a constant")
        return cls(
            frozenset(words),
            tuple(re.compile(item) for item in sorted({*values.get("pattern", ())})),
            tuple(sorted({*values.get("minimum", ()), *values.get("maximum", ())})),
            tuple(sorted({*values.get("minItems", ()), *values.get("maxItems", ())})),
        )

    def of(self, document: Json) -> Shape:
        if isinstance(document, dict):
            parts = {name: self.of(value) for name, value in document.items()}
            key: object = frozenset((name, part.number) for name, part in parts.items())
            return self._shape(("object", key), lambda: {n: p.example for n, p in parts.items()})
        if isinstance(document, list):
            return self._of_array(document)
        return self._shape(self._scalar(document), lambda: document)

    def _of_array(self, items: list[Json]) -> Shape:
        shapes = [self.of(item) for item in items]
        different = {shape.number: shape.example for shape in shapes}
        least = max((n + (n < len(items)) for n in self.lengths if n <= len(items)), default=0)

        def example() -> Json:
            padding = [shape.example for shape in shapes[:1]] * (least - len(different))
            return [*different.values(), *padding]

        return self._shape(("array", least, frozenset(different)), example)

    def _scalar(self, value: Json) -> object:
        kind = type(value)
        if value is None or kind is bool:
            return kind, value
        if value in self.words:
            return kind, "word", value
        if kind is str:
            return (
                kind,
                bool(value),
                tuple(bool(pattern.search(value)) for pattern in self.patterns),
            )
        position = bisect_left(self.bounds, value), bisect_right(self.bounds, value)
        return kind, position, kind is float and value.is_integer()

    def _shape(self, key: object, example: Any) -> Shape:
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Shape(len(self._known), example())
        return known
