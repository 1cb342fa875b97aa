"""Every declared instruction, and the rules of the text that decide how rows are made."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.base.limits import CfiLimits
from dwarfgpu.cfi import decode as decoding
from dwarfgpu.cfi.declaration import CFA_OPERATIONS, CfaOperation, CfiFormat, Operand, operations_of
from dwarfgpu.cfi.decode import decode_cfa
from dwarfgpu.cfi.eh_pointer import read_pointer
from dwarfgpu.cfi.rows import _repeated_change, initial_rules, iterate_rows, row_table, rows
from dwarfgpu.cfi.rule import (
    Architectural,
    ExpressionCfa,
    OffsetRule,
    RegisterCfa,
    RegisterRule,
    Row,
    UndefinedRule,
)
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.cfi.text import cfa_text, instruction_text, program_text, row_json, row_text
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, Unsupported
from tests.work import calls_of

FORM = CfiFormat(code_alignment=4, data_alignment=-8)
ARM = CfiFormat(machine="AARCH64")
AMD = CfiFormat(architecture=architecture("gfx90a"), code_alignment=4, data_alignment=4)
EVERY = sorted(CFA_OPERATIONS.values(), key=lambda operation: operation.name)


def run(cie: str, fde: str, form: CfiFormat = FORM, size: int = 0x100) -> tuple[Row, ...]:
    programs = (decode_cfa(bytes.fromhex(text), form) for text in (cie, fde))
    return rows(*programs, 0x1000, size)


def sample(operation: CfaOperation) -> list[Operand]:
    chosen: dict[str, Operand] = {"block": b"\x96", "sleb": -300, "packed": 0x3F, "u8": 0xFE}
    return [chosen.get(info.kind.name, 0x81) for info in operation.operands]


def encoded(operation: CfaOperation, operands: list[Operand], form: CfiFormat) -> bytes:
    """The bytes of an instruction, by the names of its operands' encodings (DWARF 5 7.24)."""
    code, out = operation.code, b""
    for info, operand in zip(operation.operands, operands, strict=True):
        match info.kind.name, operand:
            case "packed", int(number):
                code |= number
            case "uleb", int(number):
                out += encode_uleb(number)
            case "sleb", int(number):
                out += encode_sleb(number)
            case "block", bytes(data):
                out += encode_uleb(len(data)) + data
            case "address", int(number):
                out += number.to_bytes(form.address_size, form.endian)
            case fixed, int(number):
                out += number.to_bytes(int(fixed.removeprefix("u")) // 8, form.endian)
    return bytes((code,)) + out


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("operation", EVERY, ids=str)
def test_decoding(operation: CfaOperation, endian: str) -> None:
    form = CfiFormat(endian=endian, machine=operation.machine)  # type: ignore[arg-type]
    operands = sample(operation)
    data = encoded(operation, operands, form)
    program = decode_cfa(data, form)
    assert program.error is None
    assert [(i.operation, list(i.operands)) for i in program.instructions] == [
        (operation, operands)
    ]
    for length in range(1, len(data)):
        cut = decode_cfa(b"\x0a" + data[:length], form)
        assert isinstance(cut.error, Malformed) and cut.error.site is not None
        assert (cut.error.site.operation, len(cut.instructions)) == (operation.title, 1)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("def_cfa_offset", 0, (1 << 64) - 1),
        ("def_cfa_offset_sf", -1 << 63, (1 << 63) - 1),
    ],
)
def test_operands_have_64_bits(name: str, least: int, most: int) -> None:
    operation = next(item for item in EVERY if item.name == name)
    for operand in (least, most):
        program = decode_cfa(encoded(operation, [operand], FORM), FORM)
        assert [list(instruction.operands) for instruction in program.instructions] == [[operand]]
    for operand in (most + 1, *((least - 1,) if least else ())):
        program = decode_cfa(encoded(operation, [operand], FORM), FORM)
        assert isinstance(program.error, Malformed) and program.instructions == ()
        assert "does not fit 64 bits" in program.error.message


@pytest.mark.parametrize("operation", EVERY, ids=str)
def test_every_declaration_is_documented(operation: CfaOperation) -> None:
    assert operation.section and operation.summary.endswith((".", ":"))


def test_codes_that_vendors_share() -> None:
    assert operations_of("AARCH64")[0x2D].name == "AARCH64_negate_ra_state"
    assert operations_of(None)[0x2D].name == operations_of("X86_64")[0x2D].name == "GNU_window_save"


@pytest.mark.parametrize(
    ("instruction", "text"),
    [  # as llvm-dwarfdump prints them
        ("00", "DW_CFA_nop:"),
        ("41", "DW_CFA_advance_loc: 4 to 0x1004"),
        ("0c0710", "DW_CFA_def_cfa: RSP +16"),
        ("30020506", "DW_CFA_LLVM_def_aspace_cfa: RCX +5 in addrspace6"),
        ("31027f06", "DW_CFA_LLVM_def_aspace_cfa_sf: RCX 8 in addrspace6"),
        ("137e", "DW_CFA_def_cfa_offset_sf: 16"),
        ("050302", "DW_CFA_offset_extended: RBX -16"),
        ("9001", "DW_CFA_offset: RIP -8"),
        ("15057e", "DW_CFA_val_offset_sf: RDI 16"),
        ("09030c", "DW_CFA_register: RBX R12"),
        ("0f027708", "DW_CFA_def_cfa_expression: 77 08"),
        ("2e10", "DW_CFA_GNU_args_size: +16"),
        ("07e001", "DW_CFA_undefined: reg224"),
        ("c3", "DW_CFA_restore: RBX"),
        ("2f0602", "DW_CFA_GNU_negative_offset_extended: RBP 16"),
    ],
)
def test_text(instruction: str, text: str) -> None:
    form = CfiFormat(architecture=architecture("x86_64"), code_alignment=4, data_alignment=-8)
    program = decode_cfa(bytes.fromhex(instruction), form)
    assert instruction_text(program.instructions[0], form, 0x1000) == text


@pytest.mark.parametrize(
    ("cie", "fde", "message"),
    [
        ("", "0d07", "no current CFA rule"),  # an FDE cannot begin with it
        ("", "0e07", "no current CFA rule"),
        ("0f0130", "0d07", "the current CFA rule is an expression"),
        ("0f0130", "0e07", "the current CFA rule is an expression"),
        ("0f0130", "1307", "the current CFA rule is an expression"),
        ("", "0b", "no state was remembered"),
        ("0a", "0b", "no state was remembered"),  # the CIE's states are its own
        ("c3", "", "initial instructions cannot restore register"),
        ("41", "", "cannot change the location"),
        ("", "010010000000000000", "not beyond the current"),  # set_loc to where it is
        ("", "01ffffffffffffffff41", "beyond the address space"),
    ],
)
def test_ill_formed(cie: str, fde: str, message: str) -> None:
    with pytest.raises(IllFormed, match=message) as caught:
        run(cie, fde)
    assert caught.value.site is not None


def test_an_address_space_stays_until_def_cfa() -> None:
    output = run("30400006", "410d41 410e08 41137f 410c4108 4130410006 41124101", AMD)
    assert [row.cfa for row in output] == [
        RegisterCfa(64, 0, 6),
        RegisterCfa(65, 0, 6),
        RegisterCfa(65, 8, 6),
        RegisterCfa(65, -4, 6),
        RegisterCfa(65, 8, 0),
        RegisterCfa(65, 0, 6),
        RegisterCfa(65, 4, 0),
    ]


def test_an_address_space_that_the_architecture_lacks() -> None:
    with pytest.raises(IllFormed, match="address space 7"):
        run("30400007", "", AMD)
    assert run("30400007", "")[0].cfa == RegisterCfa(64, 0, 7)


def test_states_hold_the_cfa_and_the_registers() -> None:
    first, second, third = run("0c0708", "8302 41 0a0f0130 0703 8604 41 0b")
    assert (first.cfa, first.rules) == (RegisterCfa(7, 8), {3: OffsetRule(-16)})
    assert second.cfa == ExpressionCfa(b"\x30")
    assert second.rules == {3: UndefinedRule(), 6: OffsetRule(-32)}
    assert (third.cfa, third.rules) == (first.cfa, first.rules)


def test_restore_is_to_the_rule_of_the_cie() -> None:
    output = run("8302", "0703 0705 41 c3c5")
    assert [row.rules for row in output] == [
        {3: UndefinedRule(), 5: UndefinedRule()},
        {3: OffsetRule(-16)},
    ]


def test_rows_stay_inside_the_range() -> None:
    output = run("0c0708", "4041 0e10 7f 0e18", size=0x20)
    assert [(row.start, row.end) for row in output] == [(0x1000, 0x1004), (0x1004, 0x1020)]
    assert run("0c0708", "", size=0) == ()


def test_an_fde_without_instructions_has_an_empty_row() -> None:
    (row,) = run("00", "0000")
    assert row.is_empty and row_json(row)["cfa"] is None


def test_vendor_rules() -> None:
    (row,) = run("", "2f0302 2e20")
    assert (row.rules, row.args_size_bytes) == ({3: OffsetRule(16)}, 0x20)
    output = run("", "2d412d412d", ARM)
    states = [row.rules[34] for row in output]
    assert states == [Architectural("RA_SIGN_STATE", number) for number in (1, 0, 1)]
    output = run("", "2c412c412c", ARM)
    states = [row.rules[34] for row in output]
    assert states == [Architectural("RA_SIGN_STATE", number) for number in (3, 0, 3)]
    for mixed in ("2d 2c", "2c 2d", "142200 2d"):
        with pytest.raises(
            IllFormed, match="another instruction has set the rule of RA_SIGN_STATE"
        ):
            run("", mixed, ARM)
    (windows,) = run("", "2d")
    assert (windows.rules[8], windows.rules[17]) == (RegisterRule(24), OffsetRule(8))
    with pytest.raises(IllFormed, match="register windows"):
        run("", "2d", AMD)


@pytest.mark.parametrize(
    ("opcode", "kind", "message"),
    [
        (0x17, Malformed, "unknown call frame instruction 0x17"),
        (0x1B, Malformed, "unknown call frame instruction 0x1b"),
        (0x1C, Unsupported, "unknown vendor call frame instruction 0x1c"),
        (0x3E, Unsupported, "unknown vendor call frame instruction 0x3e"),
    ],
)
def test_an_unknown_instruction(opcode: int, kind: type[DwarfGpuError], message: str) -> None:
    """DWARF 5 7.24 reserves DW_CFA_lo_user, 0x1c, to DW_CFA_hi_user, 0x3f, for vendors."""
    program = decode_cfa(bytes([opcode]), FORM)
    assert type(program.error) is kind and program.error.message.startswith(message)


def test_a_cie_that_begins_with_the_register_of_the_cfa() -> None:
    """As GNU as for RISC-V writes it; readelf and llvm-dwarfdump show sp+0, sp+16, sp+0."""
    initial = initial_rules(decode_cfa(bytes.fromhex("0d02"), FORM))
    assert initial.offset_assumed_by is not None
    table = row_table(initial, decode_cfa(bytes.fromhex("41 0e10 41 0e00"), FORM), 0x1000, 0x100)
    assert [row.cfa for row in table.rows] == [RegisterCfa(2, n) for n in (0, 16, 0)]
    for defined in ("0c0208", "0c0208 0d03"):
        initial = initial_rules(decode_cfa(bytes.fromhex(defined), FORM))
        assert initial.offset_assumed_by is None


def test_rows_before_an_error_stay() -> None:
    initial = initial_rules(decode_cfa(b"\x0c\x07\x08", FORM))
    fde = decode_cfa(bytes.fromhex("41 0e10 41 0e18 17 00"), FORM)
    table = row_table(initial, fde, 0x1000, 0x100)
    assert [row.start for row in table.rows] == [0x1000, 0x1004]
    assert isinstance(table.error, Malformed) and "0x17" in str(table.error)
    # The row that is asked for is made without those behind it.
    assert next(iterate_rows(initial, fde, 0x1000, 0x100)).end == 0x1004


def test_limits() -> None:
    def error(fde: bytes, limits: CfiLimits) -> DwarfGpuError | None:
        initial = initial_rules(decode_cfa(b"", FORM))
        return row_table(initial, decode_cfa(fde, FORM), 0, 1 << 40, limits).error

    assert isinstance(error(b"\x41" * 9, CfiLimits(rows=8)), LimitExceeded)
    assert isinstance(error(b"\x0a" * 9, CfiLimits(states=8)), LimitExceeded)
    alternating = b"".join(bytes((0x80 | n, 1, 0x41)) for n in range(64))
    assert isinstance(error(alternating, CfiLimits(rules=1000)), LimitExceeded)
    assert error(alternating, CfiLimits(rules=3000)) is None
    assert isinstance(decode_cfa(b"\0" * 5, FORM, most=4).error, LimitExceeded)
    assert decode_cfa(b"\0" * 5, FORM, most=5).error is None


@pytest.mark.parametrize(
    ("encoding", "data", "expected"),
    [
        (0x00, "0100000000000080", 0x8000000000000001),
        (0x1B, "f0ffffff", 0x4FF0),
        (0x0B, "f0ffffff", 0xFFFFFFFFFFFFFFF0),
        (0x01, "8001", 0x80),
        (0x09, "7f", 0xFFFFFFFFFFFFFFFF),
        (0x1A, "0200", 0x5002),
        (0x9B, "00000000", 0x5000),
    ],
)
def test_pointer_encodings(encoding: int, data: str, expected: int) -> None:
    reader = decoding.Reader(bytes.fromhex(data))
    assert read_pointer(reader, encoding, 8, 0x5000) == expected


def test_pointers_that_cannot_be_read() -> None:
    for encoding, error in ((0xFF, Malformed), (0x0D, Malformed), (0x30, Unsupported)):
        with pytest.raises(error):
            read_pointer(decoding.Reader(bytes(8)), encoding, 8)
    form = CfiFormat(pointer_encoding=0x1B, section_address=0x2000)
    (row, _) = rows(decode_cfa(b"", form), decode_cfa(bytes.fromhex("0110000000"), form), 1, 0x3000)
    assert row.end == 0x2011


@given(st.binary(max_size=60), st.binary(max_size=60), st.sampled_from([FORM, ARM, AMD]))
def test_any_bytes(cie: bytes, fde: bytes, form: CfiFormat) -> None:
    program = decode_cfa(fde, form)
    list(program_text(program, 0))
    try:
        initial = initial_rules(decode_cfa(cie, form))
    except DwarfGpuError:
        return
    end = 0
    for row in row_table(initial, program, 0, 1 << 30).rows:
        assert end == row.start < row.end
        end = row.end
        row_text(row, form.architecture)
        cfa_text(row.cfa, None)


ENTRY = st.tuples(st.sampled_from([b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x14\0\0\0"]), st.binary())


@given(st.lists(ENTRY, max_size=6), st.sampled_from([".debug_frame", ".eh_frame"]))
def test_any_section(entries: list[tuple[bytes, bytes]], kind: str) -> None:
    data = b"".join((len(b) + 4).to_bytes(4, "little") + a + b for a, b in entries)
    section = FrameSection(kind, data)  # type: ignore[arg-type]
    assert len(section.entries) == len(entries)
    for fde in section.fdes:
        fde.table()
        section.find(fde.initial_location)


def test_equal_instructions_change_other_rows_in_other_ways() -> None:
    """The same bytes after another CFA, and with other factors of the CIE."""
    fde = "410e08830141"
    for form in (FORM, CfiFormat(data_alignment=-4), AMD, FORM):
        for register in (6, 7):
            _, row, _ = run(f"0c{register:02x}10", fde, form)
            assert row.start == 0x1000 + form.code_alignment
            assert row.cfa == RegisterCfa(register, 8)
            assert row.rules == {3: OffsetRule(form.data_alignment)}


def test_unknown_address_spaces_are_found_where_others_accept_them() -> None:
    """The same bytes, and one of the architectures has no such address space."""
    unknown = CfiFormat(code_alignment=4, data_alignment=4)
    for form in (unknown, AMD, unknown, AMD):
        initial = initial_rules(decode_cfa(b"", form))
        table = row_table(initial, decode_cfa(bytes.fromhex("30080063"), form), 0, 4)
        assert isinstance(table.error, IllFormed) is (form is AMD)


def test_equal_instructions_are_performed_once() -> None:
    """What is the same for all FDEs of a file is made for one of them."""
    form = CfiFormat(code_alignment=3, data_alignment=-5)  # of no other test
    initial = initial_rules(decode_cfa(bytes.fromhex("0c0710"), form))
    fde = decode_cfa(bytes.fromhex("410e108302" * 20), form)
    before = _repeated_change.cache_info().misses
    tables = [row_table(initial, fde, start, 0x100).rows for start in range(0, 0x1000, 0x100)]
    assert [len(table) for table in tables] == [21] * 16
    assert _repeated_change.cache_info().misses - before == 3


@pytest.mark.parametrize("operation", EVERY, ids=str)
def test_each_instruction_takes_linear_work(operation: CfaOperation) -> None:
    """Alone, and before each of many rows."""
    form = CfiFormat(machine=operation.machine)
    one = encoded(operation, sample(operation), form)
    defined, advance = b"\x0c\7\x08", b"\x41"

    def work(repeated: bytes, count: int) -> int:
        def made() -> None:
            with contextlib.suppress(DwarfGpuError):
                program = decode_cfa(repeated * count, form)
                rows(decode_cfa(defined, form), program, 0x1000, 0x10000)
                list(program_text(program, 0x1000))

        return calls_of(made)

    for repeated in (one, advance + one):
        few, many = work(repeated, 100), work(repeated, 400)
        assert many <= 5 * few, (few, many)
        assert many <= 400 * 200, many
