"""The answer to a command as one line of JSON (`set output json`): docs/schema/repl.json.

The keys are those of GDB's machine interface where it has them: `result` is the class of its result
record, `msg` its error message, `console` what it would stream to the console.
"""

from __future__ import annotations

import json
from typing import Final

from dwarfgpu.cli.errors import error_json
from dwarfgpu.cli.repl.command import Group, Inside, Part
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.view.plain import Plain, Record

SCHEMA: Final = "dwarfgpu-repl-1"


class Answer:
    """What a command told so far."""

    def __init__(self, line: str) -> None:
        self.line = line
        self._data: Record = {}
        self._lists: dict[str, list[Plain]] = {}
        self._console: list[Plain] = []
        self._notes: list[Plain] = []
        self._error: Record | None = None
        self._groups: list[tuple[Group, Answer]] = []

    def add(self, part: Part) -> None:
        """One more part; of text alone, a line of the console."""
        if isinstance(part, Inside):
            if not self._groups or self._groups[-1][0] is not part.group:
                self._groups.append((part.group, Answer("")))
            self._groups[-1][1].add(part.part)
        elif isinstance(part, str):
            self._console += part.split("\n")
        elif part.list_of is not None:
            self._lists.setdefault(part.list_of, []).append(part.data)
        else:
            self._data |= part.data

    def note(self, text: str) -> None:
        self._notes.append(text)

    def fail(self, message: str, error: DwarfGpuError | None = None) -> None:
        """The command failed, after what it told before."""
        self._error = {"msg": message, **({} if error is None else error_json(error))}

    def text(self) -> str:
        """The line."""
        record: Record = {
            "schema": SCHEMA,
            "command": self.line,
            "result": "done" if self._error is None else "error",
            **(self._error or {}),
            **self._told(),
        }
        if self._notes:
            record["notes"] = self._notes
        return json.dumps(record)

    def _told(self) -> Record:
        """What was told, that of each group as an element of its list."""
        lists = {name: [*elements] for name, elements in self._lists.items()}
        for group, inner in self._groups:
            lists.setdefault(group.list_of, []).append({**group.data, **inner._told()})
        console: Record = {"console": self._console} if self._console else {}
        return {**self._data, **lists, **console}
