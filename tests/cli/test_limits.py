"""Each limit of the command line: reached by one less than an expression needs, kept by that."""

from __future__ import annotations

import json
import re

import pytest

from dwarfgpu.options.limit_options import EVALUATION_LIMITS, FILE_LIMITS
from tests.cli.command import FIXTURES, REPOSITORY, STATES, run

LOCATIONS = FIXTURES / "asm/locations.gfx942.v5.co"
STATE = STATES / "locations.gfx942.json"
MEMORY = ("--mem", "0=0001020304050607")
LOOK = ("--file", LOCATIONS, "--state", STATE, "--lane", 3)


@pytest.mark.parametrize(
    ("option", "needed", "arguments", "message"),
    [
        ("--max-steps", 3, ("lit1; lit2; plus",), "more than 2 operations performed"),
        (
            "--max-command-steps",
            94,  # of 350 operations, the first 256 are free
            ("lit3; const1u 87; lit1; minus; dup; bra -6",),
            "more than 93 operations in one command",
        ),
        ("--max-stack", 2, ("lit1; lit2; plus",), "more than 1 stack entries"),
        (
            "--max-parts",
            3,
            ("regx s1; piece 1; regx s2; piece 1; piece 2",),
            "a composite of more than 2 parts",
        ),
        (
            "--max-depth",
            3,
            (
                "regx s1; piece 1; regx s2; piece 1; LLVM_piece_end; piece 2; regx s3; piece 1; "
                "LLVM_piece_end; LLVM_extend 24 2",
            ),
            "composites nested more than 2 deep",
        ),
        ("--max-calls", 1, (*LOOK, "called"), "calls more than 0 deep"),
        ("--max-nesting", 1, (*LOOK, "by_frame_base"), "evaluations nested more than 0 deep"),
        (
            "--max-places",
            2,
            (*LOOK, "--pc", 0x1620, "two_places"),
            "2 expressions of the list apply, at most 1",
        ),
        ("--max-bytes", 8, (*MEMORY, "lit0; deref"), "an object of 8 bytes, at most 7"),
        ("--max-bytes", 4, ("--reg", "s4=1", "regx s4; deref_size 4"), "an object of 4 bytes"),
        ("--max-bytes", 8, ("implicit_value 8 1 2 3 4 5 6 7 8; deref",), "an object of 8 bytes"),
        (
            "--max-total-bytes",
            12,
            (*MEMORY, "lit0; deref; lit4; deref_size 4"),
            "more than 11 bytes read in one evaluation",
        ),
        ("--max-bytes", 24, (*LOOK, "local_frame"), "an object of 24 bytes, at most 23"),
        ("--max-bytes", 6, (*LOOK, "(char[6]){1}"), "an object of 6 bytes: more than 5"),
        ("--max-bytes", 8, (*LOOK, "{1, 2}"), "an object of 8 bytes: more than 7"),
        (
            "--max-runs",
            3,
            (
                *("--reg", "s1=1", "--reg", "s2=2"),
                "regx s1; piece 2; regx s2; piece 2; LLVM_piece_end; deref_size 4",
            ),
            "more than 2 pieces of storage",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("--") else None,
)
def test_limit(option: str, needed: int, arguments: tuple[object, ...], message: str) -> None:
    kept = run("eval", option, needed, *arguments)
    assert "LimitExceeded" not in kept.out + kept.err
    assert kept.out
    broken = run("eval", option, needed - 1, *arguments)
    assert "LimitExceeded" in broken.out + broken.err
    assert message in broken.out + broken.err
    assert f"({option})" in broken.out + broken.err
    assert broken.status == 1


def test_a_limit_is_a_count() -> None:
    done = run("eval", "--max-parts", -1, "lit1")
    assert (done.status, done.error) == (
        2,
        "--max-parts: expected an integer of at least 0, not -1",
    )


def test_of_an_array_beyond_it_the_first_elements_are_read() -> None:
    whole = run("eval", "--max-bytes", 256, *LOOK, "vector_whole")
    assert (whole.out[-8:], whole.status) == ("62, 63}\n", 0)
    cut = run("eval", "--max-bytes", 255, *LOOK, "vector_whole")
    assert cut.out.endswith(", 61, 62...}\n")
    assert cut.notes == ["vector_whole has 256 bytes: the first 255 are read"]
    assert cut.status == 1


def test_the_document_has_each_limit_with_its_default() -> None:
    """As the help does."""
    shown = " ".join(run("eval", "--help").out.split())
    rows = (REPOSITORY / "docs/eval.md").read_text("utf-8")
    for option, (_, bounds) in {**EVALUATION_LIMITS, **FILE_LIMITS}.items():
        line = rf"^\| `{option}` \| ([^|]*) \| {re.escape(bounds)} \|$"
        [default] = re.findall(line, rows, re.MULTILINE)
        assert f"{option} N {bounds}; default: {default} " in shown


@pytest.mark.parametrize("arguments", [("asm", "lit1"), ("asm", "lit1", "--json")])
@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (MemoryError, "the command needs more memory than is available"),
        (RecursionError, "the input is nested deeper than this command follows"),
    ],
)
def test_what_a_command_lacks_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    problem: type[Exception],
    message: str,
) -> None:
    def without_it(_: object) -> int:
        raise problem

    monkeypatch.setattr("dwarfgpu.cli.asm.run", without_it)
    done = run(*arguments)
    assert done.status == 1
    if "--json" in arguments:
        assert json.loads(done.out)["error"]["kind"] == "LimitExceeded"
        assert json.loads(done.out)["error"]["message"] == message
    else:
        assert done.err == f"dwarfgpu: LimitExceeded: {message}\n"
