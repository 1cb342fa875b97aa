"""The fields of structured arrays of NumPy ("numpy.lib.format": `descr` is a list)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen

_PLAIN: Final = pattern(r"<[iu][248]|<f(?:2|4|8|16)|<c(?:8|16)|\|[biu]1|\|V[1-9][0-9]{0,9}")
MAX_DEPTH: Final = 64
"""Of structures in one another: Python reads headers with up to 200 brackets in one another."""
_MAX_BYTES: Final = 1 << 30
_MAX_TEXT: Final = 60
"""Characters of a part of a header in a message."""


@frozen
class Field:
    """A field of a structure, or padding, which has no name."""

    name: str
    descr: str
    """As NumPy writes it: `<f4`; `|V12` for a structure and for padding."""
    shape: tuple[int, ...] = ()
    """Of a field that is an array; empty for any other."""
    fields: tuple[Field, ...] = ()
    """Those of a structure."""
    is_text: bool = False
    """Whether it is an array of plain `char`; what NumPy writes does not say so."""

    @property
    def item_bytes(self) -> int:
        return int(self.descr[2:])

    @property
    def size_bytes(self) -> int:
        return self.item_bytes * math.prod(self.shape)


def descr_of(fields: tuple[Field, ...]) -> str:
    """Return the text of `descr`."""
    return f"[{', '.join(map(_text, fields))}]"


def _text(field: Field) -> str:
    kind = descr_of(field.fields) if field.fields else repr(field.descr)
    shape = f", {field.shape!r}" if field.shape else ""
    return f"({field.name!r}, {kind}{shape})"


def structure(fields: tuple[Field, ...]) -> str:
    """Return the type of the structure that fields make, as bytes: `|V12`."""
    return f"|V{sum(field.size_bytes for field in fields)}"


def parsed_fields(descr: object, outer: tuple[str, ...] = ()) -> tuple[Field, ...]:
    """Return the fields of a `descr` that is a list; `ValueError` for any other, for big-endian
    numbers and Python objects, with a text about the field that is at fault.

    `outer`: the names of the fields that have the structure.
    """
    if len(outer) == MAX_DEPTH:
        raise ValueError(f"in one another, more than {MAX_DEPTH} deep")
    if not isinstance(descr, list) or not descr:
        where = f" as the field {_path(outer)}" if outer else ""
        raise ValueError(f"with {_shortened(descr)} in place of fields{where}")
    fields = tuple(_parsed(item, outer) for item in descr)
    names: set[str] = set()
    for field in fields:
        if field.name and field.name in names:
            raise ValueError(f"with two fields {_path((*outer, field.name))}")
        names.add(field.name)
    if sum(field.size_bytes for field in fields) > _MAX_BYTES:
        raise ValueError(f"of more than {_MAX_BYTES} bytes")
    return fields


def _parsed(item: object, outer: tuple[str, ...]) -> Field:
    if not isinstance(item, tuple) or len(item) not in (2, 3) or not isinstance(item[0], str):
        raise ValueError(f"with {_shortened(item)} in place of a field")
    name, descr, *shapes = item
    inner = (*outer, name)
    shape = shapes[0] if shapes else ()
    if not isinstance(shape, tuple) or not all(type(n) is int and 0 < n < 1 << 31 for n in shape):
        raise ValueError(f"whose field {_path(inner)} has the shape {_shortened(shape)}")
    if isinstance(descr, str):
        if not _PLAIN.fullmatch(descr) or (not name and descr[1] != "V"):
            raise ValueError(f"whose field {_path(inner)} has the type {_shortened(descr)}")
        return Field(name, descr, shape)
    fields = parsed_fields(descr, inner)
    return Field(name, structure(fields), shape, fields)


def _path(names: tuple[str, ...]) -> str:
    return _shortened(".".join(names))


def _shortened(part: object) -> str:
    text = repr(part)
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"


def leaves(fields: tuple[Field, ...], offset_bytes: int = 0) -> Iterator[tuple[int, Field]]:
    """Yield the offsets of the fields in bytes, with the fields; no padding."""
    for field in fields:
        if field.name:
            yield offset_bytes, field
        offset_bytes += field.size_bytes
