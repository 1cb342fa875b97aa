"""The README and documents: each command prints what they say, each link leads somewhere."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli import command as command_line

REPOSITORY = Path(__file__).resolve().parent.parent.parent
README = (REPOSITORY / "README.md").read_text("utf-8")


def blocks(language: str, document: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)


def commands(document: str = README) -> list[tuple[str, str]]:
    result: list[tuple[str, str]] = []
    for block in blocks("console", document):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            result.append((command, output))
    return result


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


def printed(command: str, output: str) -> str:
    """What a command prints, in this process where neither a shell nor the encoding of a terminal
    is part of what a document shows: most of a process is its start."""
    words = shlex.split(command)
    if words[0] != "tools/dwarfgpu" or " | " in command or not output.isascii():
        return run(command)
    with contextlib.chdir(REPOSITORY):
        return command_line.printed_in_order(*words[1:])


def run(command: str) -> str:
    """What a shell prints on a terminal, where results and notes are in the order in which they are
    written, with this interpreter in the place of the one of `.venv`."""
    here = f"{shlex.quote(sys.executable)} -P -m dwarfgpu"
    done = subprocess.run(
        ["sh", "-c", command.replace("tools/dwarfgpu", here)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize(("command", "output"), commands())
def test_a_command_prints_what_the_readme_shows(
    command: str, output: str, tool: Callable[[str], str]
) -> None:
    if command.startswith("gdb"):
        tool("gdb")
    else:
        assert "tools/dwarfgpu " in command
    text = printed(command, output)
    if "ptrace" in text:
        pytest.skip("debugging is not permitted here")
    assert re.fullmatch(as_pattern(output), text), text


@pytest.mark.parametrize(
    ("command", "output"),
    [
        shown
        for name in (
            "address-spaces.md",
            "core-files.md",
            "debug.md",
            "disas.md",
            "dispatch.md",
            "divergence.md",
            "dwarf6.md",
            "eval.md",
            "howto-ci.md",
            "howto-core.md",
            "howto-gpu-core.md",
            "howto-many-files.md",
            "howto-optimized-out.md",
            "howto-triton.md",
            "lanes.md",
            "language.md",
            "location.md",
            "run.md",
        )
        for shown in commands((REPOSITORY / "docs" / name).read_text("utf-8"))
        if not shown[0].startswith("pygmentize ")
    ],
)
def test_a_command_prints_what_a_document_shows(command: str, output: str) -> None:
    assert command.startswith("dwarfgpu ")
    text = printed(f"tools/{command}", output)
    assert re.fullmatch(as_pattern(output), text), text


def test_the_kernel_of_the_documentation_compiles(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """As OpenCL and as HIP, and both run."""
    document = (REPOSITORY / "docs/run.md").read_text("utf-8")
    [source], [opencl, hip] = blocks("c", document), blocks("sh", document)
    heading = "__kernel void scale(__global float *out, float by)"
    assert heading in source
    (tmp_path / "scale.cl").write_text(source)
    kernel = source.replace(heading, "__global__ void scale(float *out, float by)")
    defined = "#define __global__ __attribute__((global))\n"
    (tmp_path / "scale.hip").write_text(defined + kernel.replace("uint i", "unsigned i"))
    compiled, ran = opencl.splitlines()
    for command in (compiled, hip.strip()):
        program, *options = shlex.split(command)
        assert program == "clang"
        subprocess.run([tool("clang-19"), *options], cwd=tmp_path, check=True)
        _, _, _, *options = shlex.split(ran)
        done = command_line.run("run", tmp_path / "scale.co", *options)
        assert done.lines[-1] == "  out = float32[128] {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, …}"


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
