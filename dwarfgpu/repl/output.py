"""The output of commands, part by part: lines, and records that are text and data.

Law: what a part prints and what it adds to the JSON of an answer are made together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.service import output
from dwarfgpu.view.json_object import JsonObject

Output: TypeAlias = output.Output
heading = output.heading

Part: TypeAlias = "str | Output | NestedOutput | SourceLines"


class Painted(str):
    """A line with escape codes of ours: whatever else it says has none."""

    __slots__ = ()


class Raw(str):
    """A text that is sent as it is, control characters too; halves of surrogate pairs from U+DC80
    on are bytes that are not UTF-8."""

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


@frozen
class SourceLines:
    """Lines of source text, one after the other, each the output that `outputs` has for it."""

    first: int
    """The number of the first one."""
    texts: Sequence[str]
    data: JsonObject | None = None
    """What names their file in JSON."""

    def outputs(self) -> Iterator[Output]:
        """Yield each line with its number."""
        if self.data is not None:
            yield Output("", self.data)
        for number, text in enumerate(self.texts, self.first):
            yield Output(f"{number}\t{text}", {"line": number, "text": text}, "source")

    def text(self) -> str:
        """Return all of them as text."""
        return "".join([f"{n}\t{text}\n" for n, text in enumerate(self.texts, self.first)])


def single_parts(part: Part) -> Iterable[Part]:
    """Return the parts that are shown one by one: to page, to paint, and in JSON."""
    if isinstance(part, SourceLines):
        return part.outputs()
    if isinstance(part, NestedOutput) and isinstance(part.part, SourceLines):
        return (NestedOutput(part.group, output) for output in part.part.outputs())
    return (part,)


def printed(part: Part) -> str:
    """Return the printed text of a part of an answer: a string is a line."""
    if isinstance(part, NestedOutput):
        return printed(part.part)
    if isinstance(part, SourceLines):
        return part.text()
    if isinstance(part, str):
        return Painted(f"{part}\n") if isinstance(part, Painted) else f"{part}\n"
    text = f"{part.text}\n" if part.text and part.ends_line else part.text
    kind = type(part.text)
    return kind(text) if kind in (Painted, Raw) else text
