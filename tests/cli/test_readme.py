"""The README and documents: each command prints what they say, each link leads somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent.parent
README = (REPOSITORY / "README.md").read_text("utf-8")


def blocks(language: str, document: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)


def commands(document: str = README) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for block in blocks("console", document):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def as_pattern(output: str) -> str:
    """`...` on a line of its own stands for any lines, at the end of a line for its rest."""
    out = ""
    for line in output.splitlines():
        if line == "...":
            out += r"(?:.*\n)*?"
        elif line.endswith("..."):
            out += re.escape(line.removesuffix("...")) + ".*\n"
        else:
            out += re.escape(line) + "\n"
    return out


def run(command: str) -> str:
    """What a shell prints, with this interpreter in the place of the one of `.venv`."""
    here = f"{shlex.quote(sys.executable)} -P -m dwarfgpu"
    done = subprocess.run(
        ["sh", "-c", command.replace("tools/dwarfgpu", here)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(("command", "output"), commands())
def test_a_command_prints_what_the_readme_shows(
    command: str, output: str, tool: Callable[[str], str]
) -> None:
    if command.startswith("gdb"):
        tool("gdb")
    else:
        assert "tools/dwarfgpu " in command
    printed = run(command)
    if "ptrace" in printed:
        pytest.skip("debugging is not permitted here")
    assert re.fullmatch(as_pattern(output), printed), printed


@pytest.mark.parametrize(
    ("command", "output"),
    [
        each
        for name in (
            "address-spaces.md",
            "core-files.md",
            "debug.md",
            "disas.md",
            "dispatch.md",
            "divergence.md",
            "eval.md",
            "howto-ci.md",
            "howto-core.md",
            "howto-gpu-core.md",
            "howto-optimized-out.md",
            "lanes.md",
            "language.md",
            "location.md",
            "run.md",
        )
        for each in commands((REPOSITORY / "docs" / name).read_text("utf-8"))
        if not each[0].startswith("pygmentize ")
    ],
)
def test_a_command_prints_what_a_document_shows(command: str, output: str) -> None:
    assert command.startswith("dwarfgpu ")
    printed = run(f"tools/{command}")
    assert re.fullmatch(as_pattern(output), printed), printed


def test_the_library_example_prints_what_the_readme_shows() -> None:
    [program], [output] = blocks("python"), blocks("text")
    assert run(f"{shlex.quote(sys.executable)} -P -c {shlex.quote(program)}") == output


def test_the_two_commands_of_a_fresh_machine() -> None:
    [both] = blocks("sh")
    assert [line.split("#")[0].strip() for line in both.splitlines()] == [
        "tools/dwarfgpu eval --demo t",
        "tools/test",
    ]


@pytest.mark.parametrize("link", re.findall(r"\]\((?!https?:)([^)#]+)", README))
def test_links_lead_somewhere(link: str) -> None:
    assert (REPOSITORY / link).exists()
