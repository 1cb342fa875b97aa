"""Named arrays are no types of their own: compilers of Go write both, and gcc names vectors."""

from __future__ import annotations

from pathlib import Path

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Shape, abbreviations, elf, unit

NAME, TYPE = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
SHAPES = (
    Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1), NAME), True),
    Shape(
        dw.TAG_BASE_TYPE,
        (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, dw.FORM_DATA1)),
    ),
    Shape(dw.TAG_ARRAY_TYPE, (NAME, TYPE), True),
    Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
    Shape(dw.TAG_TYPEDEF, (NAME, TYPE)),
)


def test_only_the_typedef_is_listed(tmp_path: Path) -> None:
    """As in GDB: `[2]int` is spelled, and `main.Row` is the typedef."""
    first = 12 + len(b"\1\x16a.go\0")
    base = b"\2int\0\x08\5"
    array = first + len(base)
    arrays = b"".join(
        b"\3" + name + b"\0" + first.to_bytes(4, "little") + b"\4\2\0"
        for name in (b"main.Row", b"[2]int")
    )
    typedef = b"\5main.Row\0" + array.to_bytes(4, "little")
    info = unit(b"\1\x16a.go\0" + base + arrays + typedef + b"\0")
    sections = {".debug_info": info, ".debug_abbrev": abbreviations(*SHAPES)}
    (tmp_path / "a").write_bytes(elf(sections, X86_64))
    done = run("debug", tmp_path / "a", "-q", "--batch", "-ex", "info types [wn][t]*")
    listed = [line.strip() for line in done.lines if "Row" in line or "[2]" in line]
    assert listed == ["typedef main.Row main.Row;"]
