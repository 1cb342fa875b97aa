"""The output of commands, part by part: lines, and records that are text and data.

Law: what a part prints and what it adds to the JSON of an answer are made together.
"""

from __future__ import annotations

from typing import TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.service import output
from dwarfgpu.view.json_object import JsonObject

Output: TypeAlias = output.Output
heading = output.heading

Part: TypeAlias = "str | Output | NestedOutput"


class Painted(str):
    """A line with escape codes of ours: whatever else it says has none."""

    __slots__ = ()


class Raw(str):
    """A text that is sent as it is, control characters too; halves of surrogate pairs from U+DC80
    on are bytes that are no UTF-8."""

    __slots__ = ()


@frozen(eq=False)
class Group:
    """The output of one of several commands that a command runs: an element of a list of its
    data."""

    list_of: str
    data: JsonObject
    """Data about the nested command itself, such as the lane for which it runs."""


@frozen
class NestedOutput:
    """A part of the output of one of several commands."""

    group: Group
    part: Part


def printed(part: Part) -> str:
    """Return the printed text of a part of an answer: a string is a line."""
    if isinstance(part, NestedOutput):
        return printed(part.part)
    if isinstance(part, str):
        return Painted(f"{part}\n") if isinstance(part, Painted) else f"{part}\n"
    text = f"{part.text}\n" if part.text and part.ends_line else part.text
    kind = type(part.text)
    return kind(text) if kind in (Painted, Raw) else text
