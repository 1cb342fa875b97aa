"""Expressions as text: what is accepted, what is refused and how, and that nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.conformance.case import amdgpu_of_both_wave_sizes
from dwarfgpu.errors import Malformed, UsageError
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import encode_as
from dwarfgpu.expr.dialect.dialect import AMD, AMD_DIRECT, AMD_PROVISIONAL, DIALECTS, Dialect
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.operand_codec import Codec
from dwarfgpu.expr.text.assembly import (
    assemble,
    disassemble,
    expression_text,
    instruction_text,
    readable_text,
)
from dwarfgpu.expr.text.hex_input import parse_hex
from tests.work import calls_of

GFX942 = architecture("gfx942")
X86_64 = architecture("x86_64")
ARCHITECTURES = (None, GFX942, X86_64, *map(architecture, ("gfx1100", "aarch64", "i386")))


# What people write.


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", ""),
        (" \n;,;\n# nothing\n// at all", ""),
        ("regx s30; LLVM_push_lane; lit4; mul; LLVM_offset", "903ee903341ee904"),
        ("LIT1 Dw_Op_LiT2\tdw_op_lit3", "313233"),
        ("DW_OP_bregx VGPR0+0", "92801400"),
        ("bregx v0, -4", "9280147c"),
        ("bregx 2560 0x10", "92801410"),
        ("regx $s30; regx SGPR30_LO16; regx exec", "903e903e9011"),
        ("fbreg +16; fbreg -20; fbreg 0x10", "9110916c9110"),
        ("constu private_lane", "1005"),
        ("const1u DW_ASPACE_LLVM_local", "0803"),
        ("constu v1", "10811 4".replace(" ", "")),
        ("LLVM_user LLVM_offset_uconst 0x2", "e90502"),
        ("DW_OP_LLVM_user 0x3", "e903"),
        ("DW_OP_LLVM_user\nDW_OP_LLVM_push_lane", "e903"),  # a terminal wraps lines
        ("lit1 # a comment ; lit2\nlit3 // lit4", "3133"),
        ("(lit1, (lit2), lit3)", "313233"),
        (".byte 0x96, 150, .byte 1", "969601"),
        (".byte 1\nlit1", "0131"),
        ("implicit_value 0", "9e00"),
        ("implicit_value 2, 3, 0x4", "9e020304"),
        ("const_type 0x2a 2 1 255", "a42a0201ff"),
        ("entry_value(lit1; entry_value (lit2))", "a30431a30132"),
        ("skip end; lit1; end: lit2", "2f01003132"),
        ("top: dup; bra top", "1228fcff"),
        ("bra 0x10; skip -3", "2810002ffdff"),
        ("entry_value(skip a; a:); a: bra a", "a3032f000028fdff"),
        ("12ab: skip 12ab", "2ffdff"),  # a label may begin with a digit
    ],
)
def test_written(text: str, data: str) -> None:
    assert assemble(text, AMD, UnitFormat(), GFX942) == bytes.fromhex(data)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        # llvm-dwarfdump and LLDB
        ("(DW_OP_breg7 RSP+8, DW_OP_deref)", "770806"),
        ("DW_OP_entry_value(DW_OP_reg5 RDI), DW_OP_stack_value)", "a301559f"),
        ('DW_OP_convert (0x0000002a) "DW_ATE_unsigned_32"', "a82a"),
        ('DW_OP_convert (0x00000023 -> 0x00000047) "int"', "a823"),
        ('DW_OP_regval_type XMM0 (0x00000031) "double", DW_OP_convert 0x0', "a51131a800"),
        ("DW_OP_implicit_value 0x4 0x01 0x02 0xf3 0x04", "9e040102f304"),
        ("DW_OP_bregx 0x600 +0", "92800c00"),
        ("DW_AT_location\t(DW_OP_lit0, <decoding error> e9 0b 40)", "30e90b40"),
        # readelf and objdump
        ("(DW_OP_fbreg: -20; DW_OP_breg7 (rsp): 8; DW_OP_reg5 (rdi))", "916c770855"),
        ("DW_OP_addr: 4010; DW_OP_addr: 45a8", "031040000000000000" "03a845000000000000"),
        ("DW_OP_implicit_value: 4 byte block: 1 2 f3 4 ", "9e040102f304"),
        ("DW_OP_entry_value: (DW_OP_reg5 (rdi)); DW_OP_plus_uconst: 40", "a301552328"),
        ("DW_OP_deref_type: 8 bytes <0x2d>; DW_OP_deref_type: 4 <0x2d>", "a6082da6042d"),
        ("DW_OP_const_type: <0x2a>  4 byte block: 0 0 80 3e ; DW_OP_mul", "a42a040000803e1e"),
        ("DW_OP_regval_type: 18 (xmm1) <0x31>", "a51231"),
        ("DW_OP_bregx: 17 (xmm0) -20; DW_OP_regx: 17 (xmm0)", "92116c9011"),
        ("DW_OP_implicit_pointer: <0x1234> 0", "a03412000000"),
        ("DW_OP_bit_piece: size: 8 offset: 0 ", "9d0800"),
        ("DW_OP_bra: 3; DW_OP_convert <0x2a>", "280300a82a"),
        ("DW_OP_GNU_push_tls_address or DW_OP_HP_unknown", "e0"),
        ("2 byte block: 91 6c \t(DW_OP_fbreg: -20) [without DW_AT_frame_base]", "916c"),
        (" 2 byte block: 91 6c", "916c"),
        ("(DW_OP_reg0 (rax)) (start == end)", "50"),
        # GDB
        (
            "     0: DW_OP_breg5 0 [$rdi]\n     2: DW_OP_bra 6\n     5: DW_OP_deref\n"
            "     6: DW_OP_skip to 0\n",
            "7500280100062ff7ff",
        ),
        ("0: DW_OP_bregx register 17 [$xmm0] offset -20", "92116c"),
        ("0: DW_OP_piece 4 (bytes)\n2: DW_OP_bit_piece size 4 offset 3 (bits)", "93049d0403"),
        (
            "     0: DW_OP_convert<unsigned int [0x2a]>\n     2: DW_OP_convert<0>\n"
            "     4: DW_OP_const_type<float [0x2a]> 4 byte block: 00 00 80 3e\n"
            "    11: DW_OP_regval_type<double [0x31]> [$xmm1]\n"
            "    14: DW_OP_deref_type<int [0x2d]> 4-byte\n",
            "a82aa800a42a040000803ea51231a6042d",
        ),
        (
            "     0: DW_OP_entry_value\n       2: DW_OP_breg5 0 [$rdi]\n       4: DW_OP_deref\n"
            "     5: DW_OP_implicit_pointer DIE 35c offset 0\n",
            "a303750006a05c03000000",
        ),
        # eu-readelf
        ("[ 0] breg7 8\n[ 2] implicit_value: 2 byte block: 0b f3\n[ 6] dup", "77089e020bf312"),
        ("[ 0] entry_value:\n      [ 0] reg5\n[ 3] stack_value\n[ 4] bra 2", "a301559f28fbff"),
        ("[ 0] bit_piece 4, 5\n[ 3] regval_type 17 [    2a]", "9d0405a5112a"),
    ],
)  # fmt: skip
def test_pasted(text: str, data: str) -> None:
    assert assemble(text, AMD, UnitFormat(), X86_64).hex() == data


def test_references_in_brackets_count_from_the_section() -> None:
    text = "DW_OP_convert (0x62); DW_OP_call4: <0x70>; DW_OP_call_ref: <0x70>; convert 0x2"
    data = assemble(text, unit_offset=0x60)
    assert data.hex() == "a80299100000009a70000000a802"
    with pytest.raises(Malformed, match="before the unit at 0x60"):
        assemble("convert (0x10)", unit_offset=0x60)


@pytest.mark.parametrize(
    ("text", "dialect", "data"),
    [
        ("LLVM_push_lane", AMD_DIRECT, "e2"),
        ("LLVM_user LLVM_push_lane", AMD_DIRECT, "e903"),
        ("LLVM_user LLVM_push_lane", DIALECTS["amd-direct-16"], "e2"),
        ("LLVM_aspace_implicit_pointer 4 0", DIALECTS["amd-direct-16"], "e90400000000"),
        ("LLVM_overlay", AMD_PROVISIONAL, "e97e"),
    ],
)
def test_dialects(text: str, dialect: Dialect, data: str) -> None:
    assert assemble(text, dialect).hex() == data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lit1\n push_lan", "2:2: 'push_lan': unknown operation; did you mean LLVM_push_lane?"),
        ("DW_OP_plus_const", "1:1: 'DW_OP_plus_const': unknown operation; did you mean DW_OP_plus"),
        ("LLVM_overlay", "no encoding in dialect amd; amd-provisional has one"),
        ("LLVM_user lit1", "1:11: 'lit1': no operation of DW_OP_LLVM_user"),
        ("LLVM_user 13", "unknown operation DW_OP_LLVM_user 0xd in dialect amd"),
        ("regx s300", "1:6: 's300': DW_OP_regx needs a register here; gfx942 has no register"),
        ("regx m0", "register m0 has no DWARF number"),
        ("reg3 s35", "1:6: 's35': its DWARF number is 67, not 3"),
        ("plus_uconst; lit1", r"1:12: ';': DW_OP_plus_uconst needs a number \(addend\) here"),
        ("plus_uconst", "1:12: end of text: DW_OP_plus_uconst needs a number"),
        ("plus_uconst -1", "1:1: 'plus_uconst': unsigned operand is negative: -1"),
        ("const1u 256", "1:1: 'const1u': 256 does not fit"),
        ("lit1 5", "1:6: '5': an operation is expected here"),
        ("lit 5", "did you mean lit"),
        ("lit1 ?", r"1:6: '\?': this character has no meaning here"),
        ("lit1 \x1b", r"1:6: '\\x1b': this"),
        ("entry_value(lit1", r"1:17: end of text: \) expected"),
        ("0: entry_value\n2: lit1", "2:1: '2': the expression of DW_OP_entry_value is expected"),
        ("convert\n[ 2] mul", r"1:8: end of line: DW_OP_convert needs a number \(type\) here"),
        ("plus_uconst\n4", "1:12: end of line"),
        ("entry_value lit1", r"1:13: 'lit1': \( expected before the expression"),
        ("(lit1", r"1:6: end of text: a \) is missing"),
        ("lit1) lit2", r"1:5: '\)': no bracket is open here"),
        ("implicit_value 3 1 2", "byte 2 of the 3 of DW_OP_implicit_value"),
        ("implicit_value 3 byte block: 1 2", "1:16: '3': the block has 2 bytes"),
        ("implicit_value 1 256", "1:18: '256'"),
        (".byte 256", r"1:7: '256': a byte \(0 to 255\)"),
        (".word 1", "1:1: '.word': unknown operation"),
        ("skip ende; end:", "1:6: 'ende': no such label; did you mean end?"),
        ("end: end:", "1:6: 'end': this label is there twice"),
        ("(User defined location op 0xe9)", "readelf stops here"),
        ("constu " + "9" * 5000, "1:8: '9999999.*': a number of 5000 digits"),
        ("entry_value(" * 100, "nested more than 64 deep"),
        ("const_type 0x20 256 " + "1 " * 256, "a block of 256 bytes has no one-byte length"),
        ("bra far;" + "nop;" * 40000 + "far:", "1:5: 'far': a branch of 40000 bytes does not fit"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(Malformed, match=message) as caught:
        assemble(text, AMD, UnitFormat(), GFX942)
    assert "\n" not in str(caught.value)


# What is printed.


@pytest.mark.parametrize(
    ("data", "arch", "text"),
    [
        ("9010 9011 90800c".replace(" ", ""), GFX942,
         "DW_OP_regx PC_REG, DW_OP_regx EXEC, DW_OP_regx 0x600"),
        ("57770855", X86_64, "DW_OP_reg7 RSP, DW_OP_breg7 RSP+8, DW_OP_reg5 RDI"),
        ("57770855", None, "DW_OP_reg7, DW_OP_breg7 +8, DW_OP_reg5"),
        ("92800c7e", None, "DW_OP_bregx 0x600 -2"),
        ("09fb0b0500117f", None, "DW_OP_const1s -5, DW_OP_const2s +5, DW_OP_consts -1"),
        ("a00d0000006c", None, "DW_OP_implicit_pointer 0xd -20"),
        ("a303a30155", X86_64, "DW_OP_entry_value(DW_OP_entry_value(DW_OP_reg5 RDI))"),
        ("a30205e9", None, "DW_OP_entry_value(.byte 0x05, 0xe9)"),
        ("a42a020102", None, "DW_OP_const_type 0x2a 0x2 0x01 0x02"),
    ],
)  # fmt: skip
def test_printed(data: str, arch: Architecture | None, text: str) -> None:
    assert expression_text(bytes.fromhex(data), AMD, UnitFormat(), arch) == text


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ("10858000", [".byte 0x10, 0x85, 0x80, 0x00"
                      "  # DW_OP_constu 0x5, in 4 bytes where 2 are enough"]),
        ("e9830030", [".byte 0xe9, 0x83, 0x00"
                      "  # DW_OP_LLVM_user DW_OP_LLVM_push_lane, in 3 bytes where 2 are enough",
                      "DW_OP_lit0"]),
        ("2f0100230431", ["DW_OP_skip +1  # to 0x4, inside an operation",
                          "DW_OP_plus_uconst 0x4", "DW_OP_lit1"]),
        ("2f0200", ["DW_OP_skip +2  # to 0x5, outside"]),
        ("300c01", ["DW_OP_lit0", ".byte 0x0c, 0x01  # DW_OP_const4u at offset 0x1: "
                    "4 bytes needed at offset 0x2, 1 remain"]),
    ],
)  # fmt: skip
def test_lines(data: str, lines: list[str]) -> None:
    assert [str(line) for line in disassemble(bytes.fromhex(data))] == lines


def test_instruction_text_names_a_padded_number() -> None:
    (line,) = disassemble(bytes.fromhex("90c200"), AMD, UnitFormat(), GFX942)
    assert line.instruction is not None
    assert line.text == ".byte 0x90, 0xc2, 0x00"
    assert instruction_text(line.instruction, GFX942) == "DW_OP_regx SGPR34"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("90c200a8ab80808000", "DW_OP_regx SGPR34, DW_OP_convert 0x2b"),
        ("a30390c200", "DW_OP_entry_value(DW_OP_regx SGPR34)"),
        ("31e90d01", "DW_OP_lit1, .byte 0xe9, 0x0d, 0x01"),
        ("10" + "ff" * 2000 + "01", ".byte 0x10" + ", 0xff" * 2000 + ", 0x01"),
        ("", ""),
    ],
    ids=["padded", "padded inside", "unknown", "huge", "empty"],
)
def test_readable_text_names_every_operation(data: str, text: str) -> None:
    assert readable_text(bytes.fromhex(data), AMD, UnitFormat(), GFX942) == text


UNSIGNED_DISPLACEMENT = ("llvm22_syn.aspace_bregx",)
"""llvm-dwarfdump 22 prints the signed displacement of DW_OP_LLVM_aspace_bregx as unsigned."""


def test_conformance_cases_with_text(repository: Path) -> None:
    any_gpu = amdgpu_of_both_wave_sizes()  # a case does not name it
    machines = {"EM_AMDGPU": any_gpu, "EM_X86_64": X86_64, "EM_386": architecture("i386")}
    for path in sorted((repository / "fixtures").glob("**/*.json")):
        for case in json.loads(path.read_text()).get("cases", ()):
            both = {"text", "bytes_hex"} <= case.keys()  # a case of DWARF 6 has text alone
            if both and case["name"] not in UNSIGNED_DISPLACEMENT:
                form = UnitFormat(case["address_size"], case["dwarf_format"] // 8)
                data = assemble(case["text"], AMD, form, machines.get(case.get("machine", "")))
                assert data.hex() == case["bytes_hex"], case["name"]


# Nothing is lost.

FORMS = st.builds(
    UnitFormat,
    st.sampled_from((2, 4, 8)),
    st.sampled_from((4, 8)),
    st.sampled_from((2, 3, 4, 5)),
    st.sampled_from(("little", "big")),
)
DIALECT = st.sampled_from(tuple(DIALECTS.values()))
ARCH = st.sampled_from(ARCHITECTURES)
LIKELY = st.sampled_from((b"\xe9", b"\xa3", b"\x9e", b"\x10\x80", b"\x90", b"\x28", b"\x92"))
BYTES = st.lists(st.one_of(st.binary(max_size=3), LIKELY), max_size=12).map(b"".join)


def both_texts(
    data: bytes, dialect: Dialect, form: UnitFormat, arch: Architecture | None
) -> tuple[str, str]:
    lines = disassemble(data, dialect, form, arch)
    assert b"".join(line.data for line in lines) == data
    return "\n".join(map(str, lines)), expression_text(data, dialect, form, arch)


@given(BYTES, DIALECT, FORMS, ARCH)
@example(b"\xa3\x02\xa3", AMD, UnitFormat(), None)
@example(b"\x10" + b"\xff" * 3000 + b"\x01", AMD, UnitFormat(), None)
@example(b"\x11" + b"\xff" * 12 + b"\x01\x11" + b"\x80" * 12 + b"\x7f", AMD, UnitFormat(), None)
def test_any_bytes(
    data: bytes, dialect: Dialect, form: UnitFormat, arch: Architecture | None
) -> None:
    for text in both_texts(data, dialect, form, arch):
        assert assemble(text, dialect, form, arch) == data


def test_nested_beyond_all_limits() -> None:
    data = b"\x30"
    for _ in range(200):
        data = b"\xa3" + encode_uleb(len(data)) + data
    assert assemble(expression_text(data)) == data


@st.composite
def operand_of(draw: st.DrawFn, codec: Codec, form: UnitFormat) -> int | bytes:
    bits = {"address": 8 * form.address_size, "uleb": 64, "sleb": 64}.get(codec.name)
    if codec.name == "offset":
        bits = 8 * (form.address_size if form.version == 2 else form.offset_size)
    if codec.name == "encoded":
        return b"\x0b" + draw(st.binary(min_size=4, max_size=4))
    if codec.meaning in ("block", "expression"):
        return draw(st.binary(max_size=20))
    if bits is None:
        bits = int(codec.name[1:])
    if codec.name[0] == "s":
        return draw(st.integers(-1 << bits - 1, (1 << bits - 1) - 1))
    return draw(st.integers(0, (1 << bits) - 1))


@given(st.data(), DIALECT, FORMS, ARCH)
def test_every_operation(
    data: st.DataObject, dialect: Dialect, form: UnitFormat, arch: Architecture | None
) -> None:
    meanings = sorted(encodings(dialect).by_code.items(), key=repr)
    code, operation = data.draw(st.sampled_from(meanings))
    operands = [data.draw(operand_of(info.codec, form)) for info in operation.operands]
    encoded = encode_as(code, operation, operands, form)
    (line,) = disassemble(encoded, dialect, form, arch)
    assert ".byte" not in line.text.partition("(")[0]  # the shortest encoding has a text
    assert assemble(line.text, dialect, form, arch) == encoded


@given(st.text(max_size=40))
def test_any_text(text: str) -> None:
    try:
        assemble(text, AMD, UnitFormat(), GFX942)
    except Malformed as error:
        assert "\n" not in str(error)


TOKENS = st.sampled_from(
    ("lit1", "regx", "s30", "bregx", "entry_value", "implicit_value", "(", ")", "[", "]", "<", ">",
     ":", ",", ";", "\n", "-", "+", "->", "1", "0x2", "a", ".byte", "skip", "LLVM_user", "byte",
     "block", "convert", "<decoding error>", "0", "e9", "$rsp", "breg7", "m0")
)  # fmt: skip


@given(st.lists(TOKENS, max_size=20))
def test_any_words(words: list[str]) -> None:
    try:
        assemble(" ".join(words), AMD, UnitFormat(), GFX942)
    except Malformed as error:
        assert "\n" not in str(error)


# Bytes as people paste them.


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", ""),
        ("0f04", "0f04"),
        ("0F 04\n15", "0f0415"),
        ("0x0f, 0x04", "0f04"),
        ("0x0f, 15", "0f0f"),
        ("0x0f04 0X31", "0f0431"),
        (".cfi_escape 0x0f, 0x04, 48", "0f0430"),
        (".byte 15, 4  # fifteen\n\t.byte 0x30", "0f0430"),
        (r"\x0f\x04", "0f04"),
        (r'"\x0f\x4"', "0f04"),
        (r"b'\x0f\x04'", "0f04"),
        ("[0f, 4]", "0f04"),
        ("{0x0f, 4}", "0f04"),
        ("static const unsigned char e[2] = {\n 15, // a\n 0x4, /* b */\n};", "0f04"),
        ("3 byte block: 91 c 0", "910c00"),
        ("(0f 04)", "0f04"),
    ],
)
def test_bytes(text: str, data: str) -> None:
    assert parse_hex(text).hex() == data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0f 0g", "1:4: '0g': not a hexadecimal number"),
        ("0f\n 123", "2:2: '123': an odd number of hexadecimal digits"),
        ("0x0f, 0f", "1:7: '0f': not a byte"),
        (".byte 256", "1:7: '256': not a byte"),
        (".byte 010", "1:7: '010': not a byte"),  # eight to an assembler: too easily misread
        (".long 1", "1:1: '.long': only .byte"),
        (r"b'\x0fA'", r"1:7: 'A': among"),
        ("0f = 04", "1:4: '=': not part of a byte"),
        ("-1", "1:1: '-'"),
    ],
)
def test_no_bytes(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_hex(text)
    assert str(caught.value).startswith(message)


@given(st.text(alphabet="0123456789abfgxX\\x{}[]()=/*#'\", .\n", max_size=40))
def test_any_hex_text(text: str) -> None:
    try:
        parse_hex(text)
    except UsageError as error:
        assert "\n" not in str(error)


# Long texts.


@pytest.mark.parametrize("separator", ["\n", "; ", ", "])
def test_operations_that_repeat_are_read_once(separator: str) -> None:
    """A statement has the same bytes at its first and at later occurrences, wherever it stands."""
    pieces = ["lit1", "constu 5", "DW_OP_const1s -5", "breg7 (rsp): 8", "regx v3", "drop"]
    alone = [assemble(piece, arch=GFX942 if "v3" in piece else X86_64) for piece in pieces]
    for arch, parts in ((X86_64, [0, 1, 2, 3, 5]), (GFX942, [0, 1, 2, 4, 5])):
        order = parts * 3 + parts[::-1]
        text = separator.join(pieces[part] for part in order)
        assert assemble(text, arch=arch) == b"".join(alone[part] for part in order)
    assert calls_of(lambda: assemble(f"lit1{separator}drop{separator}" * 2000)) < 12 * 4000
    numbers = separator.join(f"constu {number}; const4s 0x{number:x}" for number in range(2000))
    assert calls_of(lambda: assemble(numbers)) < 40 * 4000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lit1\n" * 3 + " lit1 nope", "4:7: 'nope': "),
        ("constu 5; constu 5; constu; lit1", "1:27: ';': DW_OP_constu needs a number here"),
        ("lit1\nlit1\nlit1 é", "3:6: 'é': this character has no meaning here"),
        ("(lit1\n\n\nlit1\nlit1", "5:5: end of text: a ) is missing"),
        ("lit1\nLLVM_user\nlit1", "3:1: 'lit1': no operation of DW_OP_LLVM_user"),
        ("const1u 5\nconst1u 5\nconst1u 500", "3:1: 'const1u': "),
        ("constu 5\nconstu 0x5\nconstu 05f", "3:8: '05f': DW_OP_constu needs a number"),
    ],
)
def test_errors_after_repeated_operations(text: str, message: str) -> None:
    with pytest.raises(Malformed) as caught:
        assemble(text)
    assert str(caught.value).startswith(message)


def test_operands_across_commas_are_no_repetition() -> None:
    """`.byte 1` and `bregx 5` end where a comma follows or not: never as remembered."""
    assert assemble(".byte 1\n.byte 1, 2") == bytes.fromhex("01 01 02")
    assert assemble("bregx 5 0\nbregx 5, 0, lit1") == bytes.fromhex("92 05 00") * 2 + b"\x31"
    assert assemble("[0] lit1\n[1]\nlit1\n[2] bra 0") == bytes.fromhex("31 31 28 fb ff")
    assert assemble("entry_value (lit1), entry_value (lit1)") == bytes.fromhex("a3 01 31") * 2
