"""What commands print besides their answers: one JSON object, and notes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from dwarfgpu.service.error_text import one_line
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.session.session import Session

EVAL_SCHEMA = "dwarfgpu-eval-1"
"""The form of what `eval --json` prints."""


def print_json(record: JsonObject) -> None:
    """Exactly one object, on stdout."""
    print(json.dumps(record, allow_nan=False))


def context_notes(session: Session) -> JsonObject:
    """What the user should know of how the context was made, as a member of an answer in JSON."""
    notes = list(dict.fromkeys(session.notes))
    return {"context_notes": [*notes]} if notes else {}


def print_notes(notes: Iterable[str]) -> None:
    """What was assumed, once each, on stderr."""
    for note in dict.fromkeys(notes):
        print(one_line(f"note: {note}"), file=sys.stderr)


class Headings:
    """The titles of waves, each before the first line of its wave.

    What is the same for all waves is printed once, before every title: `shared` says whether the
    waves have such lines.
    """

    def __init__(self, *, shared: bool) -> None:
        self.shared = shared
        self._printed: set[str] = set()
        self._title: str | None = None

    def start(self, title: str) -> None:
        """The next wave."""
        self._title = title

    def show(self) -> None:
        """Print the title of the wave, unless it is printed already."""
        if self._title is not None:
            print(self._title)
            self._title = None

    def line(self, text: str, out: TextIO) -> None:
        """A line that may be the same for all waves."""
        if not self.shared:
            self.show()
        elif text in self._printed:
            return
        self._printed.add(text)
        print(one_line(text), file=out)
