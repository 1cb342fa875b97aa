"""Part of an answer as text and as data, for front ends that show both."""

from __future__ import annotations

from dwarfgpu.base.records import frozen
from dwarfgpu.view.json_object import JsonObject


@frozen
class Output:
    """A part of an answer as text and as data, for `set output json`.

    The data are keys of the answer's object, named as in GDB's machine interface where it has them;
    with `list_of` they are one more element of the list of that name. An empty text is not printed.
    """

    text: str
    data: JsonObject
    list_of: str | None = None
    ends_line: bool = True


def heading(text: str) -> Output:
    """Return a line that other data make redundant: a title, or a message about an empty result."""
    return Output(text, {}) if text else Output("\n", {}, ends_line=False)
