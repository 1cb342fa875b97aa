"""DWARF 6 in the commands: names, numbers, which dialect a text has, and what the check says.

Its sentences are in `tests/spec/test_dwarf6.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.cfi.allowed_operations import forbidden
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import EXTENDED, decode
from dwarfgpu.expr.dialect.dialect import AMD, DIALECTS, DWARF6, DWARF6_PROVISIONAL
from dwarfgpu.expr.dialect.dwarf6 import ALIASES, CHANGED, OPERATIONS_6
from dwarfgpu.expr.dialect.dwarf6_names import StandardName, names
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.operation import LLVM_USER, OPERATIONS
from dwarfgpu.expr.static_check.checker import check
from dwarfgpu.expr.static_check.extent import extent_of
from dwarfgpu.expr.text.assembly import assemble, disassemble
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import FIXTURES, run
from tests.work import assert_linear

GFX = architecture("gfx942")
FORM = UnitFormat()
REGISTERS = ("--arch", "gfx942", "--reg", "s0=0x11223344", "--reg", "s1=0x55667788")
PRIVATE = "operations of DWARF 6 without a number in its public texts have provisional numbers"
EVERY = [pytest.param(entry, id=entry.name) for entry in names().operations.values()]


@pytest.mark.parametrize("entry", EVERY)
def test_a_number_is_public_or_none(entry: StandardName) -> None:
    """An encoding of `dwarf6` is the number of the data file; without one there is none."""
    code = encodings(DWARF6).codes.get(entry.bare)
    private = encodings(DWARF6_PROVISIONAL).codes.get(entry.bare)
    if entry.bare not in OPERATIONS_6:
        assert code is private is None
    elif entry.number is None:
        assert code is None
        assert not entry.final
        assert private == (LLVM_USER, entry.provisional)
    else:
        assert code == private == entry.number
        assert entry.provisional is None


def test_numbers_of_dwarf_5_are_final() -> None:
    for entry in names().operations.values():
        older = (entry.was or entry.also or "").removeprefix("DW_OP_")
        assert entry.final == (older in OPERATIONS)
        assert not older or OPERATIONS[older].code == entry.number


def test_a_number_after_llvm_user_has_one_meaning_in_all_dialects() -> None:
    """So that bytes with a provisional number are an error elsewhere, not something else."""
    meanings: dict[int, set[str]] = {}
    for dialect in DIALECTS.values():
        for code, operation in encodings(dialect).by_code.items():
            if isinstance(code, tuple):
                meanings.setdefault(code[1], set()).add(operation.name)
    assert all(len(meaning) == 1 for meaning in meanings.values())


def test_every_llvm_operation_has_a_successor_or_a_reason() -> None:
    mapped = {entry.llvm for entry in names().operations.values()} | {*names().without_successor}
    assert {f"DW_OP_{name}" for name in OPERATIONS if name.startswith("LLVM_")} <= mapped


@pytest.mark.parametrize("name", sorted({*OPERATIONS_6, *CHANGED}))
def test_what_it_changes_cites_issue_and_section(name: str) -> None:
    operation = OPERATIONS_6.get(name) or CHANGED[name]
    assert operation.section.startswith("DWARF 6 3.")
    assert any(f"(issue {issue.number})" in operation.section for issue in names().issues)


@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_other_names_have_the_same_encoding(alias: str) -> None:
    operand = {"xderef_size": " 4", "xderef_type": " 4 0x20"}.get(alias, "")
    data = assemble(f"DW_OP_{alias}{operand}", DWARF6)
    assert data == assemble(f"DW_OP_{ALIASES[alias]}{operand}", DWARF6)
    (line,) = disassemble(data, DWARF6)
    assert line.text.startswith(f"DW_OP_{ALIASES[alias]}")


# Which dialect a text has.


@pytest.mark.parametrize(
    ("arguments", "hexadecimal", "dialect"),
    [
        (("DW_OP_push_lane",), "e960", "dwarf6-provisional"),
        (("dw_op_push_lane; DW_OP_offset",), "e960e961", "dwarf6-provisional"),
        (("DW_OP_push_object_location",), "97", "dwarf6"),
        (("DW_OP_mod_floor",), "b0", "dwarf6"),
        (("DW_OP_push_object_address",), "97", "amd"),
        (("--dialect", "dwarf6", "push_object_location; lit1"), "9731", "dwarf6"),
        (("--dialect", "dwarf6-provisional", "composite; piece 4"), "e9639304",
         "dwarf6-provisional"),
        (("--dialect", "dwarf6", "LLVM_push_lane"), "e903", "dwarf6"),
    ],
)  # fmt: skip
def test_asm(arguments: tuple[str, ...], hexadecimal: str, dialect: str) -> None:
    answer = json.loads(run("asm", "--json", *arguments).out)
    assert (answer["hex"], answer["dialect"]) == (hexadecimal, dialect)
    assert any(PRIVATE in note for note in answer["notes"]) == ("provisional" in dialect)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--dialect", "dwarf6", "lit1; DW_OP_push_lane"),
         "1:7: 'DW_OP_push_lane': no public text of DWARF 6 gives it a number"),
        (("--dialect", "amd", "DW_OP_push_lane"),
         "no encoding in dialect amd; dwarf6-provisional has one"),
        (("lit1; offset",), "unknown operation; did you mean LLVM_offset"),
        (("DW_OP_extend 8 4",),
         "Vector composites, draft 015, is in progress; DW_OP_LLVM_extend is what it comes from"),
        (("DW_OP_extended 5",), "no operation that it would begin is defined"),
        (("DW_OP_user_extended 5",), "no operation that it would begin is defined"),
    ],
)  # fmt: skip
def test_asm_refuses(arguments: tuple[str, ...], why: str) -> None:
    done = run("asm", *arguments)
    assert done.status == 2
    assert why in done.error


@pytest.mark.parametrize(
    "options", [(), ("--dialect", "dwarf6"), ("--dialect", "dwarf6-provisional")]
)
def test_eval(options: tuple[str, ...]) -> None:
    text = "DW_OP_composite; regx s0; piece 4; regx s1; piece 2; lit3; DW_OP_offset; deref_size 2"
    done = run("eval", *REGISTERS, *options, "-e", text)
    assert done.out == "34833 (0x8811)\n"
    assert PRIVATE in done.err


def test_eval_of_names_without_a_prefix() -> None:
    done = run("eval", *REGISTERS, "--dialect", "dwarf6", "-e", "regx s0; lit1; offset")
    assert done.out == "s0 + byte 1 (wave 0)\n"


@pytest.mark.parametrize(
    "text", ["reg0 undefined", "reg0; undefined", "reg0 (undefined)", "DW_OP_reg0 DW_OP_undefined"]
)
def test_a_name_after_a_register_is_not_part_of_it(text: str) -> None:
    for name in (text, text.upper()):
        assert assemble(name, DWARF6_PROVISIONAL, arch=architecture("x86_64")).hex() == "50e964"


def test_eval_with_numbers_that_are_public() -> None:
    done = run("eval", *REGISTERS, "--dialect", "dwarf6", "-e", "regx s0; piece 4; piece 2")
    assert done.out == "{bytes 0-3: s0; bytes 4-5: <undefined>}\n"
    assert PRIVATE not in done.err


def test_explain_cites_the_draft() -> None:
    done = run("explain", *REGISTERS, "-e", "regx s0; lit4; DW_OP_offset")
    assert "DWARF 6 3.14 (issue 230524.1)" in done.out
    assert "AMD text" not in done.out


def test_dis() -> None:
    done = run("dis", "--dialect", "dwarf6", "--arch", "x86_64", "50 97 9b 1d b0 e9 60")
    lines = [line.split(maxsplit=2)[2] for line in done.out.splitlines()]
    assert lines[:5] == [
        "DW_OP_reg0 RAX", "DW_OP_push_object_location", "DW_OP_form_tls_location",
        "DW_OP_mod_trunc", "DW_OP_mod_floor",
    ]  # fmt: skip
    assert "unknown operation DW_OP_LLVM_user 0x60 in dialect dwarf6" in lines[5]


def test_dis_of_an_extended_operation() -> None:
    done = run("dis", "--dialect", "dwarf6", "de 85 01 30")
    assert "unknown operation DW_OP_extended 0x85 in dialect dwarf6" in done.out
    entry = names().operations["extended"]
    assert entry.number == EXTENDED
    assert "unknown operation 0xde in dialect amd" in run("dis", "de 85 01").out


# The check.


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("DW_OP_composite; DW_OP_reg0; DW_OP_piece 4; DW_OP_piece 4", set()),
        ("DW_OP_regx 32; DW_OP_regx 33; DW_OP_lit4; DW_OP_lit4; DW_OP_overlay", set()),
        ("DW_OP_lit5; DW_OP_lit16; DW_OP_mem", set()),
        ("DW_OP_undefined", set()),
        ("DW_OP_offset", {"stack-underflow"}),
        ("DW_OP_reg0; DW_OP_lit1; DW_OP_overlay", {"stack-underflow"}),
        ("DW_OP_lit1; DW_OP_addr 0x10; DW_OP_piece 4", {"wrong-kind"}),
        ("DW_OP_const2u 0x200; DW_OP_lit1; DW_OP_mem", {"unknown-address-space"}),
        ("DW_OP_lit1; DW_OP_lit0; DW_OP_mod_floor", {"division-by-zero"}),
        ("DW_OP_implicit_value 2 1 2; DW_OP_lit2; DW_OP_offset", {"outside-storage"}),
        ("DW_OP_implicit_value 2 1 2; DW_OP_implicit_value 1 1; DW_OP_lit0; DW_OP_lit2; "
         "DW_OP_overlay", {"outside-storage"}),
        ("composite; implicit_value 4 1 2 3 4; piece 8", {"outside-storage"}),
        ("composite; implicit_value 4 1 2 3 4; piece 4; piece 4", set()),
        ("regx 32; piece 8", {"outside-storage"}),
        ("piece 1; deref", {"outside-storage"}),
        ("piece 8; deref", {"undefined-read"}),
        ("implicit_value 4 1 2 3 4; piece 4; lit4; offset", {"outside-storage"}),
        ("implicit_value 4 1 2 3 4; piece 4; lit3; offset; deref_size 1", set()),
        ("implicit_value 4 1 2 3 4; lit1; piece 1", {"wrong-kind"}),
        ("regx 32; lit4; bit_offset; lit1; piece 1", {"wrong-kind"}),
        ("piece 0xffffffffffffffff; piece 2", {"large-composite"}),
        ("composite; addr 0x10; deref; piece 4; deref_size 4", set()),
    ],
)  # fmt: skip
def test_check(text: str, rules: set[str]) -> None:
    data = assemble(text, DWARF6_PROVISIONAL)
    findings = check(data, DWARF6_PROVISIONAL, FORM, GFX)
    assert {finding.rule for finding in findings if finding.severity != "note"} == rules


@pytest.mark.parametrize("part", ["piece 1; ", "lit5; stack_value; piece 1; dup; drop; "])
def test_the_check_of_many_pieces_is_linear(part: str) -> None:
    def made(count: int) -> Callable[[], object]:
        data = assemble("composite; " + count * part, DWARF6_PROVISIONAL)
        return partial(check, data, DWARF6_PROVISIONAL, FORM, GFX)

    assert_linear(made, 1000)


@pytest.mark.parametrize(
    ("text", "completeness", "undefined", "size_bits"),
    [
        ("reg0; lit1; plus", "whole", (), None),
        ("reg0; piece 4; piece 4", "partly", ((32, 32),), 64),
        ("composite; reg0; piece 4; reg1; piece 2", "whole", (), 48),
        ("reg0; piece 4; reg1; piece 2", "whole", (), 48),
        ("composite; piece 4; reg0; piece 4", "partly", ((0, 32),), 64),
        ("composite; reg0; piece 4; undefined; piece 4; piece 1", "partly", ((32, 40),), 72),
        ("reg0; bit_piece 3 0; bit_piece 5 0", "partly", ((3, 5),), 8),
        ("breg0 0; lit1; plus; piece 4; breg1 0; stack_value; piece 4", "whole", (), 64),
        ("piece 4", "nothing", ((0, 32),), 32),
        ("undefined", "nothing", (), None),
        # what becomes of a composite, or of undefined storage, is not followed
        ("reg0; piece 4; lit1; offset; piece 2", "depends", (), None),
        ("reg0; piece 4; dup; piece 2", "depends", (), None),
        ("lit1; reg0; piece 4; reg1; piece 2", "broken", (), None),
        ("undefined; reg0; lit0; lit4; overlay", "depends", (), None),
        ("undefined; lit1; offset", "depends", (), None),
        ("call2 0x10; piece 4", "depends", (), None),
    ],
)
def test_extent(
    text: str, completeness: str, undefined: tuple[tuple[int, int], ...], size_bits: int | None
) -> None:
    extent = extent_of(assemble(text, DWARF6_PROVISIONAL), DWARF6_PROVISIONAL, FORM)
    assert (extent.completeness, extent.undefined, extent.size_bits) == (
        completeness, undefined, size_bits,
    )  # fmt: skip


@pytest.mark.parametrize(("count", "options"), [(2000, ()), (4000, ("--max-total-bytes", 1 << 28))])
def test_many_pieces(count: int, options: tuple[object, ...]) -> None:
    text = "; ".join(["composite", *["piece 1"] * count])
    data = assemble(text, DWARF6_PROVISIONAL).hex()
    command = ("eval", "--arch", "gfx942", "--dialect", "dwarf6-provisional", *options)
    out = run(*command, "--hex", data).out
    assert out == f"{{bytes 0-{count - 1}: {count} x 1 byte of <undefined>}}\n"


@pytest.mark.parametrize(
    "text",
    [
        "; ".join(["composite", *["piece 1"] * 4000]),
        # each composite of a loop stays on the stack
        "composite; top: dup; undefined; piece 1; skip top",
        "piece 1; top: dup; undefined; piece 1; skip top",
    ],
    ids=lambda text: text[-30:],
)
def test_pieces_that_fill_memory_are_refused(text: str) -> None:
    """A piece copies the parts before it, and counts them as read."""
    data = assemble(text, DWARF6_PROVISIONAL).hex()
    done = run("eval", "--arch", "gfx942", "--dialect", "dwarf6-provisional", "--hex", data)
    assert "LimitExceeded" in done.error
    assert "--max-total-bytes" in done.error


def test_amd_is_as_before() -> None:
    assert assemble("lit1; DW_OP_mod; DW_OP_xderef", AMD).hex() == "311d18"
    assert disassemble(b"\x97", AMD)[0].text == "DW_OP_push_object_address"


@pytest.mark.parametrize(
    "text",
    ["DW_OP_push_lane", "DW_OP_push_object_location", "DW_OP_call2 0x10", "DW_OP_addr 0; "
     "DW_OP_deref_type 4 0x20", "DW_OP_fbreg 0"],
)  # fmt: skip
def test_call_frame_information_forbids_the_same(text: str) -> None:
    """241011.1, section 6.4.2: what needs a compilation unit; a lane is not the whole thread's."""
    expression = decode(assemble(text, DWARF6_PROVISIONAL), DWARF6_PROVISIONAL, FORM)
    assert [reason for _, reason in forbidden(expression)]


def test_a_file_of_version_6_is_not_read(tmp_path: Path) -> None:
    """No public text has its headers: the unit is named, and nothing of it is guessed."""
    data = bytearray((FIXTURES / "x86_64/demo.gcc.O0.v5").read_bytes())
    sections = ObjectFile("made", bytes(data)).sections
    offset = next(section.offset for section in sections if section.name == ".debug_info")
    data[offset + 4] = 6
    path = tmp_path / "six"
    path.write_bytes(data)
    done = run("info", path)
    assert (
        "DWARF version 6: no public text defines its headers and forms yet" in done.out + done.err
    )


def test_text_of_bytes_has_the_names_of_dwarf_6() -> None:
    lines = run("dis", "--dialect", "dwarf6", "97 1d 18 95 08").lines
    assert [line.split("DW_OP_")[1] for line in lines] == [
        "push_object_location", "mod_trunc", "aspace_deref", "aspace_deref_size 0x8",
    ]  # fmt: skip
    wrong = run("eval", "--dialect", "dwarf6", "DW_OP_aspace_deref")
    assert wrong.err.startswith("dwarfgpu: IllFormed: DW_OP_aspace_deref at offset 0x0: ")


@pytest.mark.parametrize("text", ["DW_OP_extend 8 4", "DW_OP_plu", "dw_op_foo"])
def test_an_error_about_an_operation_does_not_mention_expressions(text: str) -> None:
    for options in ((), ("--dialect", "dwarf6")):
        wrong = run("eval", *options, text).err
        assert text.split()[0] in wrong
        assert "variable" not in wrong and "source expression" not in wrong


@pytest.mark.parametrize("location", ["reg0", "regx 17", "lit5", "addr 0x100"])
@pytest.mark.parametrize("size", [0, 9, 16])
def test_check_finds_sizes_that_deref_size_may_not_have(location: str, size: int) -> None:
    """3.13: from any location, 1 to 8 bytes, the size of the generic type."""
    arguments = ("check", "--arch", "x86_64", "--dialect", "dwarf6")
    answered = run(*arguments, f"{location}; deref_size {size}")
    why = f"{size} bytes, more than the 8 of generic" if size else "0 bytes: no base type has it"
    assert answered.status == 1
    (line,) = answered.lines
    assert f"error: DW_OP_deref_size: a size of {why}" in line


def test_check_finds_no_mistake_in_a_size_of_the_generic_type() -> None:
    text = "reg0; deref_size 8; stack_value"
    assert run("check", "--arch", "x86_64", "--dialect", "dwarf6", text).out == ""


@pytest.mark.parametrize("command", ["eval", "explain", "check", "asm"])
def test_the_name_that_chose_the_dialect_is_noted(command: str) -> None:
    text = "lit5; lit3; DW_OP_mod_trunc"
    note = "note: dialect dwarf6, because of DW_OP_mod_trunc; --dialect names another\n"
    assert run(command, text).err == note
    assert run(command, "--dialect", "dwarf6", text).err == ""
    assert run(command, "lit5; lit3; mod").err == ""
