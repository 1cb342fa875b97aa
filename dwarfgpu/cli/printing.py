"""What commands print besides their answers: one JSON object, and notes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dwarfgpu.service.error_text import one_line
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.session.session import Session

EVAL_SCHEMA = "dwarfgpu-eval-1"
"""The form of what `eval --json` prints."""


def print_json(record: JsonObject) -> None:
    """Print exactly one object on stdout."""
    import json

    print(json.dumps(record, allow_nan=False))


def context_notes(session: Session) -> JsonObject:
    """Return the notes on how the context was created, as a member of an answer in JSON."""
    notes = list(dict.fromkeys(session.notes))
    return {"context_notes": [*notes]} if notes else {}


def print_notes(notes: Iterable[str]) -> None:
    """Print the assumptions, once each, on stderr."""
    for note in dict.fromkeys(notes):
        print(one_line(f"note: {note}"), file=sys.stderr)
