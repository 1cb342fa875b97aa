"""Bytes to text, layer by layer, on every target; whatever the bytes are."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.isa.decode import Decoder, decoder
from dwarfgpu.isa.tables import GENERATIONS, isa_target, targets
from dwarfgpu.isa.unknown_instructions import size_of_unknown

ROWS = [
    tuple(line.split(" ", 2))
    for line in (Path(__file__).parent / "texts.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
ONE_OF_EACH = ("gfx803", "gfx906", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200")


@pytest.mark.parametrize("name, code, text", ROWS)
def test_text(name: str, code: str, text: str) -> None:
    instruction = decoder(name).decode(bytes.fromhex(code))
    assert instruction is not None
    assert (instruction.text, instruction.size) == (text, len(code) // 2)


@pytest.mark.parametrize("name, code, text", ROWS)
def test_truncated(name: str, code: str, text: str) -> None:
    whole = bytes.fromhex(code)
    instruction = decoder(name).decode(whole[: len(whole) - 1])
    assert instruction is None or (instruction.size < len(whole) and instruction.text)


UNDEFINED = (
    ("gfx906", "d10080be", "a source encoding that no generation has"),
    ("gfx906", "ff000010", "a literal that is not there"),
    ("gfx906", "000003d1ff000000ffffffff", "a literal after 64 bits, before gfx10"),
    ("gfx950", "da0093d2ff1c0300bc1db086", "the same"),
    ("gfx906", "ff0164d1ff030000", "a pair of VGPRs after v255"),
    ("gfx906", "f9060a0202072216", "a reserved select of SDWA"),
    ("gfx1030", "6d0180be", "the upper half of a pair"),
    ("gfx906", "", "nothing"),
    ("gfx906", "010203", "a part of a dword"),
)


@pytest.mark.parametrize("name, code", [row[:2] for row in UNDEFINED])
def test_undefined(name: str, code: str) -> None:
    assert decoder(name).decode(bytes.fromhex(code)) is None


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_encoding_of_every_target_has_text(generation: int) -> None:
    for target in targets(generation):
        if target.processor in ONE_OF_EACH:
            made = Decoder(target)
            for encoding in made.encodings:
                form = encoding.format
                word = encoding.value
                for kind, field in zip(form.kinds, form.fields, strict=True):
                    if kind.decoder == "dpp8_fi":
                        word |= 0xE9 << field.runs[0][0]
                instructions = made.decode(word.to_bytes(form.size, "little") + bytes(12))
                assert instructions is not None and instructions.text.startswith(
                    instructions.mnemonic
                )


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_any_bytes(name: str) -> None:
    """Each step goes on by at least a dword, and reads no more than one instruction has."""
    code = random.Random(name).randbytes(6002)
    offset = steps = 0
    decode = decoder(name)
    for instruction in decode.instructions(code, 0x1000):
        if instruction:
            assert instruction.address == 0x1000 + offset
            assert instruction.text and 4 <= instruction.size <= 20
        offset += instruction.size if instruction else decode.unknown_size(code, offset) or 4
        steps += 1
    assert len(code) <= offset < len(code) + 12 and steps <= 1501


@pytest.mark.parametrize(
    ("code", "size"),
    [
        ("0000ffd300000000", 8), ("0000ffdb", 8), ("0000fcdf", 8), ("0000fce3", 8),
        ("0000ffc3", 8), ("0000ebeb", 8), ("00e0007e", 4), ("ffe0007e", 8), ("f9e0007e", 8),
        ("00ff80be", 4), ("ffff80be", 8), ("00007f9f", 4), ("00ff7f9f", 8), ("00ff7fbf", 8),
        ("ffff00bb", 4), ("ffffffbf", 4), ("000000c4", None), ("ffffffff", None), ("", 4),
    ],
)  # fmt: skip
def test_sizes_of_unknown_instructions(code: str, size: int | None) -> None:
    """VOP3, DS, FLAT, MUBUF, SMEM, MTBUF; VOP1, SOP1, SOP2, SOPC, SOPK, SOPP; no encoding."""
    assert size_of_unknown(int.from_bytes(bytes.fromhex(code), "little"), 9) == size


@pytest.mark.parametrize(
    ("code", "generation", "size"),
    [
        ("040552cb010706ff", 11, 8),  # v_dual_dot2acc_f32_bf16 :: v_dual_cndmask_b32
        ("02079ac801050601", 11, 12),  # v_dual_fmamk_f32 0xaf :: v_dual_dot2acc_f32_bf16
        ("ff0452cb010706ff", 11, 12), ("040552cbff0006ff", 11, 12),
        ("85cd127e", 11, 4), ("85cd127e", 12, 4),  # v_swap_b16
        ("835380be", 12, 4), ("ff5380be34120000", 12, 8),  # s_alloc_vgpr
        ("000034db01020005", 12, 8),  # ds_bpermute_fi_b32
        ("000080db01020005", 12, 8), ("000084db01020005", 12, 8), ("000088db01020005", 12, 8),
        ("1000e0d30000000900030508", 12, 12),  # image_bvh_dual_intersect_ray
        ("1040e0d30000000900030508", 12, 12),  # image_bvh8_intersect_ray
        ("835380be", 11, None), ("0000ffd700000000", 11, None), ("ffffffff", 12, None),
    ],
)  # fmt: skip
def test_sizes_of_unknown_instructions_of_later_processors(
    code: str, generation: int, size: int | None
) -> None:
    assert size_of_unknown(int.from_bytes(bytes.fromhex(code)[:8], "little"), generation) == size


@pytest.mark.parametrize("name", ["gfx90a", "gfx942", "gfx950"])
def test_first_bits_say_how_long_every_known_instruction_is(name: str) -> None:
    """But those that always have a literal or a second instruction, and MIMG of gfx90a."""
    for encoding in decoder(name).encodings:
        form = encoding.format
        if re.search("imm32|fma[am]k_|mad[am]k_|mfma_scale", encoding.mnemonic):
            continue
        if "MIMG" not in form.flags:
            size = form.size + form.extra_bytes
            word = encoding.value & (1 << 64) - 1
            assert size_of_unknown(word, 9) == size, encoding.mnemonic


def test_an_unknown_instruction_is_one_step() -> None:
    """Where a table is incomplete: in others every dword that is not an instruction is one."""
    code = bytes.fromhex("0000ffd20002807e000080bf")
    for name, texts in (
        ("gfx950", [None, "s_nop 0"]),
        ("gfx942", [None, "v_mov_b32_e32 v64, s0", "s_nop 0"]),
    ):
        decoded = decoder(name).instructions(code)
        assert [item and item.text for item in decoded] == texts


@pytest.mark.parametrize("name", ["gfx1100", "gfx1200"])
@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("01089cd502010102", "v_mov_b16_e64 v1, v2"),  # v1.l, v2.h
        ("01009cd5ff00000034120000", "v_mov_b16_e64 v1, 0x1234"),
        ("01089cd5e90000000288c6fa", "v_mov_b16_e64_dpp v1, v2 dpp8:[0,1,2,3,4,5,6,7]"),
    ],
)
def test_halves_that_are_moved(name: str, code: str, text: str) -> None:
    data = bytes.fromhex(code)
    instructions = decoder(name).decode(data)
    assert instructions is not None
    assert (instructions.text, instructions.size) == (text, len(data))
    assert Decoder(isa_target(name), as_llvm_19=True).decode(data) is None


def test_every_dword_of_a_wave_size() -> None:
    assert isa_target("gfx1100").wave_size == 32
    code = bytes.fromhex("0105227c")
    texts = [decoder("gfx1100", size).decode(code) for size in (32, 64)]
    assert [item and item.text for item in texts] == [
        "v_cmp_lt_f32_e32 vcc_lo, v1, v2",
        "v_cmp_lt_f32_e32 vcc, v1, v2",
    ]


def test_branch_target() -> None:
    instruction = decoder("gfx906").decode(bytes.fromhex("fdff82bf"), 0, 0x2000)
    assert instruction is not None
    assert instruction.branch_target == 0x2000 + 4 - 12


def test_an_unused_source_of_later_compilers() -> None:
    code = bytes.fromhex("00003cd782040202")
    assert decoder("gfx1100").decode(code) is not None
    assert Decoder(isa_target("gfx1100"), as_llvm_19=True).decode(code) is None
    alone = bytes.fromhex("000085d500010102")  # and no second source either
    instructions = decoder("gfx1100").decode(alone)
    assert instructions is not None and instructions.text == "v_cvt_f32_i32_e64 v0, v0"
    assert Decoder(isa_target("gfx1100"), as_llvm_19=True).decode(alone) is None
    without_sources = decoder("gfx1100").decode(bytes.fromhex("000080d580000102"))
    assert without_sources is not None and without_sources.text.strip() == "v_nop"
    packed = bytes.fromhex("00400fcc0105021a")
    for name in ("gfx1030", "gfx1100", "gfx1200"):
        instructions = decoder(name).decode(packed)
        assert instructions is not None and instructions.text.startswith("v_pk_")
        assert Decoder(isa_target(name), as_llvm_19=True).decode(packed) is None
    with_source = bytes.fromhex("000013d600000a02")
    assert decoder("gfx1100").decode(with_source) is not None


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("80d7567e", "v_cvt_u32_u16_e32 v43, v0.h"),
        ("00d7567e", "v_cvt_u32_u16_e32 v43, v0"),
        ("85071264", "v_add_f16_e32 v9, v5.h, v3"),
        ("05071265", "v_add_f16_e32 v9.h, v5, v3"),
        ("8507037c", "v_cmp_lt_f16_e32 vcc_lo, v5.h, v3.h"),
    ],
)
def test_high_halves_of_later_compilers(code: str, text: str) -> None:
    """From v128 on a 16-bit operand is the high half of v0 and on; LLVM 19 does not know that."""
    data = bytes.fromhex(code)
    instructions = decoder("gfx1100").decode(data)
    assert instructions is not None and instructions.text == text
    old = Decoder(isa_target("gfx1100"), as_llvm_19=True).decode(data)
    assert old is None or ".h" not in old.text


def test_targets_without_tables() -> None:
    with pytest.raises(Unsupported, match="GFX7"):
        decoder("gfx700")
    with pytest.raises(Unsupported, match="instructions of gfx1250 are unknown"):
        decoder("gfx1250")
    with pytest.raises(Unsupported, match="gfx906 has no wave32"):
        decoder("gfx906", 32)
    with pytest.raises(UsageError, match="unknown AMD GPU processor gfx9999"):
        decoder("gfx9999")


def test_gfx950_has_what_gfx942_has_and_more() -> None:
    before, after = (
        {encoding.mnemonic for encoding in decoder(name).encodings} for name in ("gfx942", "gfx950")
    )
    assert before - after == {"v_mfma_f32_16x16x8_xf32", "v_mfma_f32_32x32x4_xf32"}
    assert len(after - before) == 39
