"""SGPRs as bases of addresses: an error by the text, extended by zeros as compilers mean them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.made import frame_file
from tests.cli.command import run, run_json

NOTE = (
    "{} of s4 with 32 bits: extended by zeros to an address, as compilers mean it; --strict reads "
    "it by the letter"
)
BASES = [
    ("bregx s4 8", "0x80001008 (global)", "DW_OP_bregx"),
    ("lit1; LLVM_aspace_bregx s4, 8", "generic#0x80001008 (wave 0)", "DW_OP_LLVM_aspace_bregx"),
    ("lit0; LLVM_aspace_bregx s4, -8", "0x80000ff8 (global)", "DW_OP_LLVM_aspace_bregx"),
]
S4 = ("--reg", "s4=0x80001000")


@pytest.mark.parametrize(("text", "expected", "operation"), BASES)
@pytest.mark.parametrize("dialect", ["amd", "amd-direct", "amd-direct-16", "upstream-clang"])
def test_a_narrow_base_is_extended_by_zeros(
    text: str, expected: str, operation: str, dialect: str
) -> None:
    if dialect == "amd-direct-16" and "aspace" in text:
        text = text.replace("LLVM_", "DW_OP_LLVM_")
    done = run("eval", text, *S4, "--dialect", dialect)
    assert (done.out, done.err) == (f"{expected}\n", f"note: {NOTE.format(operation)}\n")


@pytest.mark.parametrize(("text", "expected", "operation"), BASES)
@pytest.mark.parametrize("options", [("--strict",), ("--dialect", "amd-provisional")])
def test_by_the_letter_it_is_an_error(
    text: str, expected: str, operation: str, options: tuple[str, ...]
) -> None:
    record = run_json("eval", text, *S4, *options)
    assert record.json["error"]["kind"] == "OutOfRange"
    assert "register s4 of 32 bits is narrower than the 64-bit" in record.json["error"]["message"]


def test_the_dialect_of_2020_has_no_compiler() -> None:
    done = run("eval", "bregx s4 8", *S4, "--dialect", "amd-2020")
    assert done.error is not None and done.error.startswith("OutOfRange: ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lit3; LLVM_aspace_bregx s4, 8", "local#0x80001008 (wave 0)"),  # an address of 32 bits
        ("bregx exec 8", "0x10000000f (global)"),
    ],
)
def test_a_base_that_is_wide_enough_has_no_note(text: str, expected: str) -> None:
    done = run("eval", text, *S4, "--reg", "exec=0x100000007")
    assert (done.out, done.err) == (f"{expected}\n", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bregx s33 8; lit5; swap; xderef", "private_lane#0x18 (wave 0, lane 1)"),
        ("bregx s33 8; lit1; swap; xderef", "private_lane#0x18 (wave 0, lane 1)"),
        ("bregx s32 8", "private_lane#0x28 (wave 0, lane 1)"),
        ("bregx s33 8; stack_value", "implicit 0x18 (8 bytes)"),
    ],
)
def test_clangs_frame_pointer_is_of_scratch_memory(text: str, expected: str) -> None:
    registers = ("--reg", "s32=32", "--reg", "s33=16", "--lane", 1)
    arguments = ("eval", "--dialect", "upstream-clang", *registers, text)
    assert run(*arguments).out == f"{expected}\n"
    done = run(*arguments, "--arch", "gfx90a")
    assert done.error is not None
    assert "on gfx90a counts the bytes of the whole wave" in done.error


@pytest.mark.parametrize(
    "rule",
    [
        b"\x0f\x03\x92\x40\x04",  # DW_CFA_def_cfa_expression (bregx s32 4)
        b"\x0c\x40\x04",  # DW_CFA_def_cfa s32, 4: its equivalent (A.6.4.2.2)
    ],
    ids=["expression", "register"],
)
@pytest.mark.parametrize("options", [(), ("--strict",)])
def test_call_frame_information_is_read_by_the_letter(
    rule: bytes, options: tuple[str, ...], tmp_path: Path
) -> None:
    """Nothing could say in `bt` that a CFA is extended."""
    (path := tmp_path / "a.co").write_bytes(frame_file(rule))
    done = run("eval", "--file", path, "--pc", "*0x1000", "--reg", "s32=0x100", *options,
               "-e", "call_frame_cfa")  # fmt: skip
    assert done.error is not None
    assert "register s32 of 32 bits is narrower than the 64-bit" in done.error
