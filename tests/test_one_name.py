"""Answers about many entries that share one long name are written as they are made: memory grows
with the file, not with the answer."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from dwarfgpu.view.json_object import Streamed, whole
from dwarfgpu.view.json_pieces import json_pieces
from tests.cli.command import run_json
from tools.bombs.measure import arguments_of
from tools.bombs.model import Files, write_files
from tools.bombs.one_name import (
    NAME_BYTES,
    enumerators_of_one_name,
    findings_of_one_name,
    parameters_of_one_name,
    units_of_one_name,
    waves_of_one_name,
)

_MEBIBYTE = 1 << 20


class _Sink(io.TextIOBase):
    """A stream that keeps how much was written."""

    def __init__(self) -> None:
        self.characters = 0
        self.longest = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.characters += len(text)
        self.longest = max(self.longest, len(text))
        return len(text)


def _written(command: str) -> _Sink:
    sink = _Sink()
    with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(io.StringIO()):
        assert main(arguments_of(command)) in (0, 1)
    return sink


@pytest.mark.parametrize(
    ("make", "commands"),
    [
        (
            findings_of_one_name,
            ("check bomb --json", "check bomb bomb --json", "check bomb --json-lines",
             "check bomb --sarif", "check bomb --all"),
        ),
        (
            units_of_one_name,
            ("info bomb --json", "info bomb --all", "info bomb bomb --json-lines"),
        ),
        (waves_of_one_name,
            ("waves --state bomb", "waves --state bomb --json",
             "eval --state bomb --wave all --json $pc", "eval --state bomb --wave all $pc"),
),
    ],
)  # fmt: skip
def test_an_answer_is_written_as_it_is_made(
    make: Callable[[int], Files],
    commands: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a thousand entries, it has more characters than the process may have bytes."""
    monkeypatch.chdir(tmp_path)
    count, thresholds = 1_000, gc.get_threshold()
    for command in commands:
        write_files(make(1), tmp_path)
        _written(command)  # what is done once
        write_files(make(count), tmp_path)
        gc.collect()
        gc.set_threshold(200, 5, 5)  # what is in cycles is freed soon
        tracemalloc.start()
        try:
            sink = _written(command)
            peak_bytes = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            gc.set_threshold(*thresholds)
        assert sink.characters > 0.9 * count * NAME_BYTES, command
        assert peak_bytes < 10 * _MEBIBYTE, (command, peak_bytes)


def test_a_long_name_is_completed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each enumerator had a text and a candidate of its own."""
    monkeypatch.chdir(tmp_path)
    write_files(enumerators_of_one_name(1_000), tmp_path)
    _written("debug bomb <<< complete p N")  # what is done once
    tracemalloc.start()
    try:
        sink = _written("debug bomb <<< complete p N")
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 16_000 < sink.characters < 16_500
    assert peak_bytes < 5 * _MEBIBYTE, peak_bytes


@pytest.mark.parametrize("count", [100, 1_000])
def test_arguments_with_long_names_are_a_list(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where structures among them are `...`: up to a hundred are all shown."""
    monkeypatch.chdir(tmp_path)
    write_files(parameters_of_one_name(count), tmp_path)
    arguments = run_json("bt", "bomb", "--pc", "0x1000").json["frames"][0]["args"]
    assert arguments[0]["value"] == "1" and len(arguments) == min(count, 123)
    is_cut = "--max-listed-characters" in arguments[-1]["value"]
    assert is_cut == (count > 100)


def _record() -> dict[str, Streamed]:
    def inner() -> Iterator[Streamed]:
        yield {"a": iter([1, None, "ä\ud800"]), "b": {"c": iter([])}}
        yield {"d": [1, {"e": "f"}], "": {}}
        yield iter([iter([]), 2.5])

    return {"first": 1, "é": inner(), "last": {"x": {"y": inner()}}, "none": iter([])}


def test_pieces_are_the_text_of_the_whole_record() -> None:
    record = whole(_record())
    assert record["last"] == {"x": {"y": record["é"]}}
    assert "".join(json_pieces(_record())) == json.dumps(record)


def test_an_element_is_written_before_the_next_is_made() -> None:
    made: list[int] = []

    def elements() -> Iterator[Streamed]:
        for number in range(3):
            made.append(number)
            yield {"number": number}

    pieces = json_pieces({"all": elements()})
    assert next(pieces) == '{"all": ' and made == []
    assert [next(pieces), next(pieces)] == ["[", '{"number": 0}'] and made == [0]
    assert "".join(pieces) == ', {"number": 1}, {"number": 2}]}'
