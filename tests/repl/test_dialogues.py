"""Every dialogue of tests/repl/dialogues, exactly: on a terminal, and as a script."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex

import pytest

from dwarfgpu.cli.main import main
from tests.repl.dialogues import FOLDER, REPOSITORY, Dialogue, dialogues, held

ALL = [
    pytest.param(dialogue, id=f"{path.stem}-{number}")
    for path in sorted(FOLDER.glob("*.txt"))
    for number, dialogue in enumerate(dialogues(path), 1)
]


@pytest.mark.parametrize("dialogue", ALL)
def test_on_a_terminal(dialogue: Dialogue) -> None:
    pytest.importorskip("pexpect")
    assert held(dialogue.options, dialogue.commands) == dialogue.text


@pytest.mark.parametrize("dialogue", ALL)
def test_as_a_script(dialogue: Dialogue, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty line, which repeats on a terminal, says nothing in a script."""
    if "" in dialogue.commands:
        pytest.skip("only someone who types repeats with an empty line")
    monkeypatch.chdir(REPOSITORY)
    script = [word for command in dialogue.commands for word in ("-ex", command)]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = main(["debug", *shlex.split(dialogue.options), "--batch", *script])
    assert unbroken(out.getvalue()) == unbroken(dialogue.answers)
    assert status == _failures(dialogue)


def unbroken(text: str) -> str:
    """Without what is written to terminals alone: breaks in lines of frames, "More stack frames",
    and what `ignore` has done."""
    text = re.sub(r"(?m)^Will ignore next .* breakpoint [0-9]+\.\n", "", text)
    text = text.replace("(More stack frames follow...)\n", "")
    return re.sub(r" ?\n    (?=at |\w+=)", " ", text)


def _failures(dialogue: Dialogue) -> int:
    """1 where an answer is an error, by the answers as JSON."""
    script = [word for command in dialogue.commands for word in ("-ex", command)]
    options = [*shlex.split(dialogue.options), "--interpreter=json"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(["debug", *options, "--batch", *script])
    return int(any(json.loads(line)["result"] == "error" for line in out.getvalue().splitlines()))


def test_there_are_enough() -> None:
    assert len(ALL) >= 60
