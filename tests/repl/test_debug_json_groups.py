"""JSON answers of commands that run several: all of their output is kept."""

from __future__ import annotations

from pathlib import Path

from tests.repl.repl_shell import json_of, nest_shell, talked


def test_each_lane_has_its_own_values() -> None:
    document = json_of(nest_shell(), "lane apply 0-3 p t")
    result = [(item["lane"], item["number"], item["value"]) for item in document["applied"]]
    assert result == [(0, 1, "0"), (1, 2, "10"), (2, 3, "20"), (3, 4, "30")]
    assert "value" not in document and "console" not in document


def test_lists_are_not_joined() -> None:
    first, second = json_of(nest_shell(), "lane apply 0-1 info locals")["applied"]
    assert len(first["variables"]) == len(second["variables"])


def test_an_error_is_that_of_its_lane() -> None:
    (one,) = json_of(nest_shell(), "lane apply 3 -c p nosuch")["applied"]
    assert one == {
        "lane": 3, "result": "error", "msg": 'No symbol "nosuch" in current context.',
    }  # fmt: skip


def test_apply_inside_apply() -> None:
    (frame,) = json_of(nest_shell(), "frame apply 1 lane apply 0-1 output t")["applied"]
    assert [(item["lane"], item["value"]) for item in frame["applied"]] == [(0, "0"), (1, "10")]


def test_each_command_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("p 1\np 2\n", "utf-8")
    shell = nest_shell()
    document = json_of(shell, f"source {script}")
    result = [(command["command"], command["value"]) for command in document["commands"]]
    assert result == [("p 1", "1"), ("p 2", "2")]
    talked(shell, "define twice", "p 3", "p 4", "end")
    assert [command["value"] for command in json_of(shell, "twice")["commands"]] == ["3", "4"]


def test_an_error_that_stops_is_that_of_its_lane_too() -> None:
    document = json_of(nest_shell(), "lane apply 3-4 p nosuch")
    (one,) = document["applied"]
    assert (one["lane"], one["result"], one["msg"]) == (3, "error", document["msg"])
