"""The answer to a command as one line of JSON (`set output json`): docs/schema/repl.json.

The keys are those of GDB's machine interface where it has them: `token` precedes the command,
`result` is the class of its result record, `msg` its error message, `console` its console stream.

Law: a line is ASCII that every JSON reader accepts: no NaN, no half of a surrogate pair.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.repl.output import Group, NestedOutput, Part, SourceLines
from dwarfgpu.service.error_text import error_json
from dwarfgpu.view.json_object import JsonObject, Plain

SCHEMA: Final = "dwarfgpu-repl-1"
_TOKEN: Final = pattern(r"(?P<token>[0-9]{1,15})(?![0-9])\s*")
"""The most digits of a token: every JSON reader accepts integers of that length."""
_HALF: Final = pattern(r"[\ud800-\udfff]")


def without_token(line: str) -> tuple[int | None, str]:
    """Return the number with which a line begins, and the command: no command begins with a
    digit."""
    match = _TOKEN.match(line)
    return (None, line) if match is None else (int(match["token"]), line[match.end() :])


class Answer:
    """The output of a command so far."""

    def __init__(self, line: str, token: int | None = None) -> None:
        self.line = line
        self.token = token
        self._data: JsonObject = {}
        self._lists: dict[str, list[Plain]] = {}
        self._console: list[Plain] = []
        self._notes: list[Plain] = []
        self._error: JsonObject | None = None
        self._groups: list[tuple[Group, Answer]] = []

    def add(self, part: Part) -> None:
        """Add a part; a part without data is a line of the console."""
        if isinstance(part, NestedOutput):
            self._of(part.group).add(part.part)
        elif isinstance(part, str):
            self._console += part.split("\n")
        elif isinstance(part, SourceLines):
            for output in part.outputs():
                self.add(output)
        elif part.list_of is not None:
            self._lists.setdefault(part.list_of, []).append(part.data)
        else:
            self._data |= part.data

    def note(self, text: str, groups: Sequence[Group] = ()) -> None:
        """Record a message besides the answer; `groups` lead to the nested command that printed
        it."""
        if groups:
            self._of(groups[0]).note(text, groups[1:])
        elif text not in self._notes:
            self._notes.append(text)

    def _of(self, group: Group) -> Answer:
        """Return the output of a group's command, after earlier output."""
        if not self._groups or self._groups[-1][0] is not group:
            self._groups.append((group, Answer("")))
        return self._groups[-1][1]

    def fail(self, message: str, error: DwarfGpuError | None = None) -> None:
        """Record that the command failed, after its earlier output."""
        is_engines = not isinstance(error, UsageError)
        self._error = {"msg": message, **(error_json(error) if error and is_engines else {})}

    def text(self, *, is_last: bool) -> str:
        """Return the line; `is_last`: the session ends with it."""
        result = "exit" if is_last else "done"
        record: JsonObject = {
            "schema": SCHEMA,
            **({} if self.token is None else {"token": self.token}),
            "command": self.line,
            "result": result if self._error is None else "error",
            **(self._error or {}),
            **self._record_of(),
        }
        return json.dumps(_readable(record), allow_nan=False)

    def _record_of(self) -> JsonObject:
        """Return the output, with each group as an element of its list."""
        lists = {name: [*elements] for name, elements in self._lists.items()}
        for group, inner in self._groups:
            lists.setdefault(group.list_of, []).append({**group.data, **inner._record_of()})
        console: JsonObject = {"console": self._console} if self._console else {}
        notes: JsonObject = {"notes": self._notes} if self._notes else {}
        return {**self._data, **lists, **console, **notes}


def _readable(data: Plain) -> Plain:
    """Return a value with the bytes of names that are not text as `\\xff`."""
    match data:
        case str():
            return _HALF.sub(_spelt, data)
        case list():
            return [_readable(item) for item in data]
        case dict():
            return {_HALF.sub(_spelt, key): _readable(value) for key, value in data.items()}
        case _:
            return data


def _spelt(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
