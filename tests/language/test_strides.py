"""Arrays with strides of 0 and below, and pointers without a size: seldom made.

DWARF 5 5.5 and 5.13: a stride is the distance of two neighbours. With 0 all elements are at one
place; with a negative one the first element has the highest address.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run, run_json
from tests.dwarf.builder import X86_64, Shape, abbreviations, elf, unit

HEADER_BYTES = 12
ADDRESS = 0x1000
REF4, DATA1, SDATA, STRING, EXPRLOC = 0x13, 0x0B, 0x0D, 0x08, 0x18
SHAPES = (
    Shape(0x11, ((0x03, STRING), (0x13, DATA1)), has_children=True),
    Shape(0x24, ((0x03, STRING), (0x0B, DATA1), (0x3E, DATA1))),
    Shape(0x01, ((0x49, REF4), (0x51, SDATA)), has_children=True),
    Shape(0x21, ((0x37, DATA1),)),
    Shape(0x34, ((0x03, STRING), (0x49, REF4), (0x02, EXPRLOC))),
    Shape(0x0F, ((0x49, REF4), (0x0B, DATA1))),
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`int zero[4]` with a stride of 0, `int back[4]` with one of -4, `int *thin` of 0 bytes."""
    entries = b"\x01made.c\0\x0c"
    number = HEADER_BYTES + len(entries)
    entries += b"\x02int\0\x04\x05"
    place = b"\x09\x03" + ADDRESS.to_bytes(8, "little")

    def variable(name: bytes, kind: int) -> bytes:
        return b"\x05" + name + b"\0" + kind.to_bytes(4, "little") + place

    for name, stride in ((b"zero", 0), (b"back", -4)):
        kind = HEADER_BYTES + len(entries)
        entries += b"\x03" + number.to_bytes(4, "little") + bytes((stride & 0x7F,))
        entries += b"\x04\x04\0" + variable(name, kind)
    kind = HEADER_BYTES + len(entries)
    entries += b"\x06" + number.to_bytes(4, "little") + b"\0" + variable(b"thin", kind) + b"\0"
    sections = {".debug_info": unit(entries), ".debug_abbrev": abbreviations(*SHAPES)}
    path = tmp_path_factory.mktemp("strides") / "made"
    path.write_bytes(elf(sections, X86_64, 0))
    return path


MEMORY = ("--mem", f"default#{ADDRESS:#x}=" + "".join(f"{n:02x}000000" for n in range(1, 5)))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("zero", "{1, 1, 1, 1}"),
        ("zero[3]", "1"),
        ("&zero[1]", f"(int *) {ADDRESS:#x}"),
        ("sizeof(zero)", "4"),
        ("back", "{4, 3, 2, 1}"),
        ("back[0]", "4"),
        ("&back[0]", f"(int *) {ADDRESS + 12:#x}"),
    ],
)
def test_elements(program: Path, text: str, value: str) -> None:
    assert run("eval", program, *MEMORY, text).out == f"{text} = {value}\n"


def test_elements_as_data(program: Path) -> None:
    answered = run_json("eval", program, *MEMORY, "zero", "back").json["variables"]
    assert [item["data"] for item in answered] == [
        {"elements": [1, 1, 1, 1]}, {"elements": [4, 3, 2, 1]},
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["thin", "thin + 1", "*thin"])
def test_a_pointer_without_a_size_is_ill_formed(program: Path, text: str) -> None:
    done = run("eval", program, *MEMORY, text)
    assert done.status == 1
    assert "IllFormed: pointer at 0x" in done.error
    assert "has a DW_AT_byte_size of 0" in done.error
