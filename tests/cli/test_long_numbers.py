"""Numbers of more digits than Python converts (`sys.get_int_max_str_digits`) are errors of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dwarfgpu.repl.command import every
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.shell import Shell
from tests.cli.command import STATES, run
from tests.repl.repl_shell import demo_shell, nest_shell, output_of

LONG = "9" * 5000
"""Python converts at most 4,300 decimal digits."""
LONG_HEX = "0x" + "f" * 9000
"""Python reads it, and does not print it in decimal."""
FLOAT = "1e4900L"
"""A number of GDB's `long double` of that many digits."""
LEFT_ALONE = frozenset(
    {"while", "shell", "make", "pipe", "source", "info vector", "info all-registers"}
)
"""They loop, run other programs, read files, or print all that there is."""
TAKERS = [
    name
    for name in sorted({command.name for command in every(COMMANDS)} - LEFT_ALONE)
    if not name.startswith(("set ", "show ")) or name in ("set listsize", "set var", "show values")
]


@pytest.fixture(scope="module")
def shell() -> Shell:
    return nest_shell()


@pytest.mark.parametrize("name", TAKERS)
def test_commands(name: str, shell: Shell) -> None:
    for line in (f"{name} {LONG}", f"{name} {FLOAT}", f"{name} 1, {LONG_HEX}", f"{name} 0-{LONG}"):
        output_of(shell, line)


@pytest.mark.parametrize("number", [LONG, LONG_HEX, FLOAT])
@pytest.mark.parametrize("command", ["print", "output", "frame", "x", "info symbol", "list"])
@pytest.mark.parametrize("letter", ["", "/d", "/x", "/t", "/c", "/a", "/f"])
def test_formats(command: str, letter: str, number: str, shell: Shell) -> None:
    assert output_of(shell, f"{command}{letter} {number}")


@pytest.mark.parametrize("option", ["--lane", "--max-steps", "--wave"])
def test_an_option_with_a_long_number_is_an_integer(option: str) -> None:
    done = run("eval", "lit0", f"{option}={LONG}")
    assert done.status == 2 and done.err.endswith("does not fit 64 bits\n"), done.err
    done = run("bt", "--demo", f"{option}=-{LONG}")
    assert done.status == 2 and done.err.endswith("does not fit 64 bits\n"), done.err
    done = run("bt", "--demo", f"{option}=0{LONG}")
    assert done.status == 2 and "does not fit" not in done.err, "a leading 0 is not decimal"


@pytest.mark.parametrize("part", [LONG, "0" * 5000, f".{LONG}", f"3.{LONG}"])
def test_width_of_printf(part: str) -> None:
    refused = f"A field of printf is wider than {10_000} characters.\n"
    expected = "3" if part.startswith("0") else refused
    assert output_of(demo_shell(), f'printf "%{part}d", 3') == expected


@pytest.mark.parametrize(
    "option",
    ["--lane", "--lanes", "--wave", "--frame", "--pc", "--cfa", "--max-steps", "--load-address"],
)
@pytest.mark.parametrize("number", [LONG, LONG_HEX, f"0-{LONG}"], ids=len)
def test_options(option: str, number: str) -> None:
    assert run("eval", "--demo", option, number, "t").status == 2


def places(value: object, *path: int | str) -> Iterator[tuple[int | str, ...]]:
    """The path of every part of a document, those of the first items of its lists."""
    yield path
    members = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value[:2] if isinstance(value, list) else ())
    )
    for key, part in members:
        yield from places(part, *path, key)


@pytest.mark.parametrize("number", ["1" * 4300, f'"{LONG_HEX}"', f'"{LONG}"', LONG], ids=len)
def test_states(number: str, tmp_path: Path) -> None:
    document = json.loads((STATES / "locations.gfx942.json").read_text("utf-8"))
    path = tmp_path / "s.json"
    for first, *rest in filter(None, places(document)):
        made = json.loads(json.dumps(document))
        part, keys = made, [first, *rest]
        for key in keys[:-1]:
            part = part[key]
        part[keys[-1]] = "@"
        path.write_text(json.dumps(made).replace('"@"', number), "utf-8")
        done = run("eval", "--state", path, "lit1")
        assert done.status == 2
        assert len(done.error) < 1000


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("constu 0x1ffffffffffffffff", ["a number of 65 bits: its low 64 bits are used"]),
        ("consts -0x18000000000000000", ["a number of 66 bits: its low 64 bits are used"]),
        ("constu 0xffffffffffffffff", []),
        ("consts -1", []),
    ],
)
def test_bits_that_the_generic_type_loses_are_noted(text: str, notes: list[str]) -> None:
    """A.2.5.4.3.1: a literal larger than the generic type is truncated to its size."""
    assert run("eval", text).notes == [
        f"DW_OP_{text.split()[0]} at offset 0x0: {note}" for note in notes
    ]


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("constu 0x100000001", "constu at offset 0x0"),
        ("const8u 0x100000001", "const8u at offset 0x0"),
        ("const8s -0x80000001", "const8s at offset 0x0"),
        ("const8s -0x100000000", "const8s at offset 0x0"),
        ("regx eax; constu 0x100000000; LLVM_offset", "constu at offset 0x2"),
        ("regx eax; LLVM_offset_uconst 0x100000000", "LLVM_offset_uconst at offset 0x2"),
        ("regx eax; bit_piece 8 0x100000000", "bit_piece at offset 0x2"),
        ("lit1; plus_uconst 0x100000001", "plus_uconst at offset 0x1"),
        ("const8u 0xffffffff", None),
        ("const8s -0x80000000", None),
        ("regx eax; LLVM_offset_uconst 3", None),
        ("regx eax; bit_piece 8 8", None),
        ("lit1; plus_uconst 0xffffffff", None),
    ],
)
def test_so_are_those_of_all_numbers_of_a_machine_of_32_bits(
    text: str, operation: str | None
) -> None:
    """DW_OP_LLVM_offset_uconst is DW_OP_constu and DW_OP_LLVM_offset (A.2.5.4.4.1)."""
    done = run("eval", "--arch", "i386", text)
    note = f"DW_OP_{operation}: a number of 33 bits: its low 32 bits are used"
    assert done.notes == ([] if operation is None else [note])
