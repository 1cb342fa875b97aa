"""Numbers have ASCII digits: the source looks at no others."""

from __future__ import annotations

from pathlib import Path

import pytest

import dwarfgpu
from dwarfgpu.base.json_reader import is_decimal
from tests.cli.command import FIXTURES, run

PACKAGE = Path(dwarfgpu.__file__).parent
OF_BYTES = {"objfile/collection/tar.py", "objfile/collection/ar.py"}
"""Where texts are decoded from ASCII first."""
OF_ALL_TEXTS = {"base/json_reader.py", "base/regexp.py"}


@pytest.mark.parametrize(
    ("text", "expected"), [("", False), ("0", True), ("10", True), ("-1", False), ("٣", False),
                           ("²", False), ("1 ", False)],
)  # fmt: skip
def test_is_decimal(text: str, expected: bool) -> None:
    assert is_decimal(text) is expected


def test_no_other_way_is_used() -> None:
    r"""`\d` and `isdecimal` take every digit of Unicode; `[^\W\d]` begins a name."""
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name in OF_BYTES | OF_ALL_TEXTS or name.startswith("isa/") or "/semantics/" in name:
            continue
        text = path.read_text("utf-8").replace(r"[^\W\d]", "")
        wrong += [
            (name, word)
            for word in (r"\d", ".isdecimal(", ".isdigit(", ".isnumeric(")
            if word in text and not (name == "gdb/save_state.py" and word == ".isdigit(")
        ]
    assert wrong == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("info", FIXTURES / "hip/liblibrary.so", "--target", "٣"),
        ("convert", "global#0", "--wave-size", "٣٢"),
        ("convert", "global#٣"),
        ("eval", "lit1", "--mem", "private_lane[٣]#0=00"),
        ("disas", FIXTURES / "hip/nest.gfx942.O2.v5.co", "nest.hip:٣"),
        ("dispatch", FIXTURES / "hip/nest.gfx942.O2.v5.co", "--grid", "٣"),
        ("lanes", "lit1", "--lane", "٣-٤"),
    ],
    ids=lambda value: None,
)
def test_digits_of_other_scripts_are_not_numbers(arguments: tuple[object, ...]) -> None:
    done = run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
