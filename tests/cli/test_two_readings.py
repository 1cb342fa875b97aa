"""Pointers that upstream clang describes at s32 or s33: in memory, or the address itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.dwarf.builder import Content, Shape, file_of

STRING, ADDRESS, DATA1, DATA4, EXPRLOC, REF4 = 0x08, 0x01, 0x0B, 0x06, 0x18, 0x13
SHAPES = (
    Shape(0x11, ((0x25, STRING), (0x11, ADDRESS), (0x12, DATA4), (0x13, DATA1)), True),
    Shape(0x24, ((0x03, STRING), (0x0B, DATA1), (0x3E, DATA1))),
    Shape(0x0F, ((0x49, REF4), (0x33, DATA1))),
    Shape(0x2E, ((0x03, STRING), (0x11, ADDRESS), (0x12, DATA4)), True),
    Shape(0x34, ((0x03, STRING), (0x49, REF4), (0x02, EXPRLOC))),
)
HEADER_BYTES = 12
AT = (0x1000).to_bytes(8, "little") + (16).to_bytes(4, "little")
IN_PRIVATE = b"\x31\x16\x18"  # lit1, swap, xderef
AT_S33 = b"\x92\x41\x08" + IN_PRIVATE  # bregx SGPR33 8
WHY = (
    "upstream clang writes DW_OP_bregx of the stack or frame pointer for both, and nothing says "
    "which"
)


def variable(name: str, kind: int, expression: bytes) -> bytes:
    block = bytes((len(expression),)) + expression
    return b"\x05" + name.encode() + b"\0" + kind.to_bytes(4, "little") + block


@pytest.fixture
def state(tmp_path: Path) -> Path:
    body = b"\x01clang version 19.1.7\0" + AT + b"\x0c"
    integer = HEADER_BYTES + len(body)
    body += b"\x02int\0\x04\x05"
    pointer = HEADER_BYTES + len(body)
    body += b"\x03" + integer.to_bytes(4, "little") + b"\x01"
    body += b"\x04f\0" + AT
    body += variable("p", pointer, AT_S33) + variable("n", integer, AT_S33)
    body += variable("returned", integer, b"\x92\x41\x08\x06")  # bregx SGPR33 8, deref
    body += variable("sure", pointer, AT_S33 + b"\x9f")  # with stack_value it is the address
    code = Content(bytes(16), flags=6, address=0x1000)
    data = file_of(body + b"\0\0", SHAPES, {".text": code})
    (tmp_path / "a.co").write_bytes(data)
    path = tmp_path / "a.json"
    path.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "gfx942",
        "code_objects": [{"path": "a.co"}],
        "waves": [{"pc": 0x1004, "registers": {"s33": 16, "exec": 0xFF}}],
    }))  # fmt: skip
    return path


def test_a_pointer_has_two_readings(state: Path) -> None:
    """LLVM writes DW_OP_bregx with this suffix for a spilled variable, and for the address of an
    array that a pointer holds: `docs/dialects.md`."""
    for expression in ("p", "*p", "&p"):
        done = run("eval", "--state", state, "--lane", 3, expression)
        assert done.status == 1
        assert f"p is private_lane#0x18 itself or lies there: {WHY}" in done.err
    done = run("lanes", "--state", state, "p")
    assert "p is private_lane#0x18 itself or lies there" in done.out + done.err
    done = run("where", "--file", state.with_name("a.co"), "p")
    assert "in memory, or the address there" in done.out


def test_others_have_one(state: Path) -> None:
    done = run("eval", "--state", state, "--lane", 3, "&n")
    assert done.out == "&n = (int *) private_lane#0x18\n"
    done = run("eval", "--state", state, "--lane", 3, "sure")
    assert (done.status, done.out) == (0, "sure = (int *) private_lane#0x18\n")
    done = run("where", "--file", state.with_name("a.co"), "n")
    assert "in memory" in done.out and "or the address" not in done.out


def test_an_object_behind_a_spilled_pointer_has_two_readings(state: Path) -> None:
    """LLVM describes so an object that the caller has memory for, at -O0: the slot has a private
    pointer of 32 bits. It describes one behind a generic pointer of 64 bits in the same way."""
    done = run("eval", "--state", state, "--lane", 3, "returned")
    assert done.status == 1
    assert "the pointer 8 bytes after s33 leads to private memory or to global memory" in done.err
    assert (
        "the DWARF can be read in two ways"
        in run("explain", "--state", state, "--lane", 3, "returned").out
    )
