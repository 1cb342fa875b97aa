"""`dwarfgpu asm` and `dwarfgpu dis`, and every example of docs/expression-syntax.md."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from dwarfgpu.cli.main import main

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLES = [
    example
    for block in re.findall(
        r"```console\n(.*?)```", (DOCS / "expression-syntax.md").read_text(), re.S
    )
    for example in re.findall(r"^\$ dwarfgpu (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
]


@pytest.mark.parametrize(("command", "answer"), EXAMPLES)
def test_documented(command: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(shlex.split(command))
    captured = capsys.readouterr()
    assert captured.out + captured.err == answer


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) > 15


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("asm", "--json", "lit1"), 0),
        (("asm", "--json", ""), 0),
        (("asm", "--json", "lit99"), 2),
        (("asm", "--json", "--arch", "z80", "lit1"), 2),
        (("dis", "--json", "9031 e903 a30155 9e020102"), 0),
        (("dis", "--json", ""), 0),
        (("dis", "--json", "31 e90d"), 1),
        (("dis", "--json", "10" + "ff" * 20 + "01"), 0),
        (("dis", "--json", "0g"), 2),
        (("dis", "--json", "--file", "no such file"), 2),
    ],
)
def test_json(arguments: tuple[str, ...], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    result, out, err = run(capsys, *arguments)
    assert (result, err) == (status, "")
    schema = json.loads((DOCS / "schema" / f"{arguments[0]}.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(out))


def test_dis_json_has_every_member(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "dis", "--json", "9284017c", "e90d")
    first, rest = json.loads(out)["instructions"]
    assert first == {
        "offset": 0,
        "length": 4,
        "operation": "DW_OP_bregx",
        "operands": [132, -4],
        "hex": "9284017c",
        "text": "DW_OP_bregx 0x84 -4",
        "comment": None,
        "section": "A.2.5.4.4.3",
    }
    assert (rest["operation"], rest["operands"], rest["text"]) == (None, [], ".byte 0xe9, 0x0d")


@pytest.mark.parametrize(
    ("format", "answer"),
    [
        ("hex", "3132"),
        ("byte", ".byte 0x31, 0x32"),
        ("cfi_escape", ".cfi_escape 0x31, 0x32"),
        ("c", "{0x31, 0x32}"),
    ],
)
def test_formats(format: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "asm", "--format", format, "lit1", "lit2") == (0, answer + "\n", "")
    status, out, _ = run(capsys, "dis", answer)
    assert (status, len(out.splitlines())) == (0, 2)  # dis reads each of them


@pytest.mark.parametrize(
    ("options", "text", "answer"),
    [
        ((), "addr 0x10", "031000000000000000"),
        (("--address-size", "4"), "addr 0x10", "0310000000"),
        (("--arch", "i386"), "addr 0x10", "0310000000"),
        (("--big-endian", "--address-size", "2"), "addr 0x10", "030010"),
        (("--dwarf64",), "call_ref 1", "9a0100000000000000"),
        (("--dwarf32",), "call_ref 1", "9a01000000"),
        (("--dwarf64", "--dwarf-version", "2", "--address-size", "4"), "call_ref 1", "9a01000000"),
        (("--dialect", "amd-direct"), "LLVM_offset", "e3"),
        (("--unit-offset", "0x10"), "convert <0x12>", "a802"),
        (("--arch", "gfx1100", "--wave-size", "32"), "regx v0", "90800c"),
        (("--arch", "gfx1100", "--wave-size", "64"), "regx v0", "908014"),
    ],
)
def test_options(
    options: tuple[str, ...], text: str, answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "asm", *options, text) == (0, answer + "\n", "")


@pytest.mark.parametrize(
    ("options", "text", "answer", "is_noted"),
    [
        (("--arch", "gfx1100"), "regx v0", "90800c", True),
        (("--arch", "gfx1100"), "regx s0", "9020", False),
        (("--arch", "gfx1250"), "regx v0", "90800c", False),
        ((), "regx v0", "908014", False),
        (("--arch", "x86_64"), "reg0", "50", False),
    ],
)
def test_a_wave_size_that_is_assumed_is_noted_where_it_matters(
    options: tuple[str, ...], text: str, answer: str, is_noted: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    note = "gfx1100: wave size 32 assumed; with --wave-size 64 registers have other numbers"
    expected = f"note: {note}\n" if is_noted else ""
    assert run(capsys, "asm", *options, text) == (0, answer + "\n", expected)
    _, out, _ = run(capsys, "asm", "--json", *options, text)
    assert json.loads(out)["notes"] == ([note] if is_noted else [])


@pytest.mark.parametrize(
    "arguments",
    [
        ("asm", "--file", "FILE", "lit1"),
        ("asm", "--file", "/nowhere/at all"),
        ("asm", "--file", "a\0b"),
        ("asm", "--unit-offset", "x", "lit1"),
        ("asm", "--dialect", "klingon", "lit1"),
        ("asm", "--arch", "x86_64", "--wave-size", "64", "lit1"),
        ("dis", "--binary", "FILE", "31"),
        ("dis", "--binary", "FILE", "--file", "FILE"),
        ("dis", "--address-size", "3", "31"),
    ],
)
def test_usage(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "FILE"
    file.write_text("lit1")
    status, out, err = run(
        capsys, *(str(file) if argument == "FILE" else argument for argument in arguments)
    )
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


def test_files_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, binary = tmp_path / "text", tmp_path / "binary"
    text.write_text("lit1\nlit2\n")
    assert run(capsys, "asm", "--file", str(text))[1] == "3132\n"
    text.write_text("31 32\n")
    binary.write_bytes(b"\x31\x32")
    expected = "0x0000  31  DW_OP_lit1\n0x0001  32  DW_OP_lit2\n"
    assert run(capsys, "dis", "--file", str(text))[1] == expected
    assert run(capsys, "dis", "--binary", str(binary))[1] == expected
    for arguments in (("dis",), ("dis", "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"3132")))
        assert run(capsys, *arguments)[1] == expected
    text.write_text("\N{ZERO WIDTH NO-BREAK SPACE}31 32\n", "utf-8")  # as some editors begin a file
    assert run(capsys, "dis", "--file", str(text))[1] == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbflit1")))
    assert run(capsys, "asm", "-")[1] == "31\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"lit1 \xff")))
    status, _, err = run(capsys, "asm")
    assert (status, err) == (
        2,
        "dwarfgpu: 1:6: '\N{REPLACEMENT CHARACTER}': this character has no meaning here\n",
    )


@pytest.mark.parametrize(
    "data",
    [
        "908314e903341ee904",
        "280300312ff9ff9f",  # branches, one to inside an operation
        "a30270000d05",  # an expression within one, and an end that cannot be decoded
        f"9e20{bytes(range(32)).hex()}9304",  # more bytes than the column is wide
        "0c010203",
        "a8209910000000fa05000000a00100000003",
        "",
    ],
)
def test_what_dis_prints_is_read_again(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "listing"
    listing = run(capsys, "dis", data)[1]
    file.write_text(listing)
    assert run(capsys, "asm", "--file", str(file))[:2] == (0, f"{data}\n")
    file.write_text("".join(f"  {line}\n" for line in listing.splitlines()))
    assert run(capsys, "asm", "--file", str(file))[:2] == (0, f"{data}\n")
