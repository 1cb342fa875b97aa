"""Where every bit lives, drawn: strips, pieces, registers, from locations made by hand."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.location import Location
from dwarfgpu.view.location_drawing import ASCII, LINES, drawing, glyphs_for, plain
from dwarfgpu.view.pieces import Layout, layout_json, layouts

ARCH = architecture("gfx942")


def of(text: str, size_bits: int, name: str = "gfx942") -> tuple[Layout, ...]:
    """The layouts of an expression, for lane 3."""
    arch = architecture(name)
    target = StateTarget(arch)
    target.add_wave(0)
    lane = 3 if arch.is_simt else None
    frame = ExplicitFrame(arch)
    context = Context(
        arch, 0, lane, frame=frame, target=target, lane_count=64, result_kind="location"
    )
    location = evaluate(assemble(text, arch=arch), context)
    assert isinstance(location, Location)
    return layouts(location, size_bits, context.access)


def drawn(text: str, size_bits: int, columns: int = 80) -> list[str]:
    return [plain(line) for line in drawing(of(text, size_bits), ASCII, columns)]


LANE = "LLVM_push_lane; lit4; mul; LLVM_offset"


@pytest.mark.parametrize(
    ("text", "size_bits", "pieces"),
    [
        (f"regx v6; {LANE}", 32, [(0, 32, 1, "register")]),
        ("regx s8", 16, [(0, 16, 1, "register")]),  # an object smaller than its register
        ("addr 0x10", 64, [(0, 64, 1, "memory")]),
        ("lit7; stack_value", 32, [(0, 32, 1, "implicit")]),
        ("LLVM_undefined", 32, [(0, 32, 1, "undefined")]),
        ("piece 4; regx s9; piece 4", 64, [(0, 32, 1, "undefined"), (32, 32, 1, "register")]),
        ("regx s8; piece 4; regx s8; piece 4", 64, [(0, 32, 2, "register")]),  # equal ones
        ("regx v2; piece 4; regx v2; lit4; LLVM_offset; piece 4", 64, [(0, 64, 1, "register")]),
        ("regx s8; piece 4", 64, [(0, 32, 1, "register"), (32, 32, 1, "undefined")]),  # too short
        ("regx s8; LLVM_extend 32, 64", 2048, [(0, 32, 64, "register")]),
        (
            "regx v2; regx v3; const1u 0xf0; LLVM_select_bit_piece 32, 64",
            2048,
            [(0, 128, 1, "register"), (128, 128, 1, "register"), (256, 1792, 1, "register")],
        ),
        ("regx s9; bit_piece 4, 8; regx s8; bit_piece 28, 0", 32,
         [(0, 4, 1, "register"), (4, 28, 1, "register")]),
    ],
)  # fmt: skip
def test_pieces(text: str, size_bits: int, pieces: list[tuple[int, int, int, str]]) -> None:
    [layout] = of(text, size_bits)
    result = [
        (piece.first_bit, piece.size_bits, piece.count, piece.kind) for piece in layout.pieces
    ]
    assert result == pieces
    assert sum(piece.total_bits for piece in layout.pieces) == size_bits


def test_a_dword_of_a_lane() -> None:
    assert drawn(f"regx v6; {LANE}", 32) == [
        "  byte 0                                4",
        "       +--------------------------------+",
        "       | v6 + byte 12                   |",
        "       +--------------------------------+",
        "  bits 0-31  v6, the dword of lane 3",
        "    ...#.... ........ ........ ........ ........ ........ ........ ........",
    ]


def test_bits_of_registers_have_a_ruler_of_bits() -> None:
    assert drawn("regx s9; bit_piece 4, 8; regx s8; bit_piece 28, 0", 32) == [
        "  bit 0          4                     32",
        "      +----------+---------------------+",
        "      | s9[11:8] | s8[27:0]            |",
        "      +----------+---------------------+",
        "  bits 0-3   s9, bits 8-11 of 32",
        "    ........ ####.... ........ ........",
        "  bits 4-31  s8, bits 0-27 of 32",
        "    ######## ######## ######## ####....",
    ]


def test_what_is_nowhere_is_hatched() -> None:
    lines = drawn("piece 4; regx s9; piece 4", 64)
    assert lines[2] == f"       |{'/' * 31}| s9                             |"
    assert lines[4:] == ["  bits 0-31   nowhere: optimized out", "  bits 32-63  s9, all of it"]


def test_part_of_a_dword_of_a_lane() -> None:
    lines = drawn(f"regx v1; {LANE}; lit16; LLVM_bit_offset", 16)
    assert lines[-2:] == [
        "  bits 0-15  v1, bits 16-31 of the dword of lane 3",
        "    ...+.... ........ ........ ........ ........ ........ ........ ........",
    ]


def test_lanes_of_a_vector() -> None:
    lines = drawn("regx v2; regx v3; const1u 0xf0; LLVM_select_bit_piece 32, 64", 2048)
    assert "  bits 128-255   v3, the dwords of lanes 4-7" in lines


def test_very_many_pieces_are_a_bar() -> None:
    text = "; ".join(f"regx s{number}; piece 4; addr {number}; piece 4" for number in range(8))
    lines = drawn(text, 512)
    assert lines[0] == "  bit  0" + " " * 64 + "512"
    assert lines[1] == "       |" + "####++++" * 8 + "|"


@pytest.mark.parametrize("columns", [0, 1, 20, 40, 79, 80, 81, 200, 1000])
@pytest.mark.parametrize("size_bits", [1, 7, 8, 32, 64, 4096])
@pytest.mark.parametrize(
    "text",
    ["addr 0x7fffffff0010", "LLVM_undefined", "regx s0; bit_piece 1, 0; regx s2; bit_piece 6, 0"],
)
def test_any_size_in_any_width(text: str, size_bits: int, columns: int) -> None:
    """Nothing fails, and where there is room nothing is wider than it."""
    lines = drawn(text, size_bits, columns)
    assert lines
    if columns >= 40:
        assert max(map(len, lines[:4])) <= columns


def test_an_error_replaces_the_drawing() -> None:
    [line] = drawn("addr 0", 8 << 40)
    assert line.startswith("  is unknown: an object of 1099511627776 bytes, at most ")


def test_what_is_beyond_a_register_is_not_described() -> None:
    assert drawn("regx s8", 64)[-1] == "  bits 32-63  not described"


@pytest.mark.parametrize(
    ("encoding", "glyphs"),
    [("utf-8", LINES), (None, LINES), ("ascii", ASCII), ("latin-1", ASCII), ("no such", ASCII)],
)
def test_glyphs(encoding: str | None, glyphs: object) -> None:
    assert glyphs_for(encoding) is glyphs


def test_json_of_an_undescribed_tail() -> None:
    [layout] = of("regx s8; piece 4", 64)
    record = layout_json(layout)
    assert record["problem"] is None
    assert record["pieces"] == [
        {
            "first_bit": 0, "bit_size": 32, "count": 1, "kind": "register", "text": "s8 (wave 0)",
            "places": [{
                "storage": "register", "register": "s8", "number": 40, "bit_offset": 0,
                "bit_size": 32, "wave": 0, "frame": 0,
            }],
        },
        {
            "first_bit": 32, "bit_size": 32, "count": 1, "kind": "undefined",
            "text": "<optimized out>", "places": [],
        },
    ]  # fmt: skip


def test_registers_of_a_cpu() -> None:
    lines = [plain(item) for item in drawing(of("reg0", 32, "x86_64"), ASCII)]
    assert lines[2].startswith("       | rax[31:0]")


def test_an_object_of_no_bits() -> None:
    """An empty structure of C has no bits to draw, but is somewhere."""
    assert drawn("regx s8", 0)[:2] == ["  the object has no bits", "  no bits  s8, no bits of 32"]
    assert drawn("addr 0x10", 0)[1:] == ["  no bits  0x10 (global)"]
