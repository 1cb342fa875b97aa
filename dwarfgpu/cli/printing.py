"""What commands print besides their answers: one JSON object, and notes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError
from dwarfgpu.service.error_text import error_line, one_line
from dwarfgpu.view.json_object import JsonObject, StreamedObject

if TYPE_CHECKING:
    from dwarfgpu.session.session import Session

EVAL_SCHEMA = "dwarfgpu-eval-1"
"""The form of what `eval --json` prints."""
_NUMBER: Final = pattern(r"(?<= bytes are )[0-9a-f?]+(?!\S)|\b(?:0x[0-9a-f]+|[0-9]+)\b")
"""A number, or bytes in hexadecimal digits; unknown ones are `?`."""
_MOST_ALIKE: Final = 10
"""Maximum number of notes that differ in numbers only and are all printed."""
_SHOWN_ALIKE: Final = 3
"""How many of more are printed."""


def print_json(record: JsonObject) -> None:
    """Print exactly one object on stdout."""
    import json

    print(json.dumps(record, allow_nan=False))


def print_streamed(record: StreamedObject) -> None:
    """Print exactly one object on stdout, whose long lists are made as they are printed."""
    from dwarfgpu.view.json_pieces import json_pieces

    sys.stdout.writelines(json_pieces(record))
    print()


def context_notes(session: Session, more: Iterable[str] = ()) -> JsonObject:
    """Return the notes on how the context was created, as a member of an answer in JSON; and more
    that belong to no single answer."""
    notes = list(dict.fromkeys((*session.notes, *more)))
    return {"context_notes": [*notes]} if notes else {}


def refuse_each(messages: Sequence[str], *, is_json: bool) -> NoReturn:
    """Raise `UsageError` with the last of several messages, after a line for each of the others
    before it; with all in one for JSON."""
    if is_json:
        raise UsageError("; ".join(message.removesuffix(".") for message in messages))
    for message in messages[:-1]:
        print(f"dwarfgpu: {error_line(UsageError(message))}", file=sys.stderr)
    raise UsageError(messages[-1])


def print_notes(notes: Iterable[str]) -> None:
    """Print the assumptions and reasons, once each, on stderr.

    Of many that differ in numbers only, as those of a thousand waves do, the first are printed.
    """
    unique = dict.fromkeys(notes)
    is_few = len(unique) <= _MOST_ALIKE
    words_by_note = {note: note if is_few else _NUMBER.sub("#", note) for note in unique}
    totals, printed = Counter(words_by_note.values()), Counter[str]()
    for note, words in words_by_note.items():
        printed[words] += 1
        if totals[words] <= _MOST_ALIKE or printed[words] <= _SHOWN_ALIKE:
            print(one_line(f"note: {note}"), file=sys.stderr)
        elif printed[words] == _SHOWN_ALIKE + 1:
            remaining = totals[words] - _SHOWN_ALIKE
            print(f"note: … and {remaining} more with other numbers: see --json", file=sys.stderr)
