"""Every attribute as a reference from each of many entries to the next one: the work of commands
grows with how many there are. Nothing here lists attributes."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random
from typing import Final

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.work import calls_of

_ATTRIBUTES: Final = sorted({
    number for name, number in vars(dw).items()
    if name.startswith("AT_") and isinstance(number, int)
})  # fmt: skip
_TAGS: Final = (
    dw.TAG_VARIABLE, dw.TAG_SUBPROGRAM, dw.TAG_STRUCTURE_TYPE, dw.TAG_TYPEDEF, dw.TAG_NAMESPACE,
    dw.TAG_SUBRANGE_TYPE, dw.TAG_ARRAY_TYPE, dw.TAG_BASE_TYPE, dw.TAG_INLINED_SUBROUTINE,
    dw.TAG_MEMBER, dw.TAG_LEXICAL_BLOCK, dw.TAG_POINTER_TYPE, dw.TAG_IMPORTED_MODULE,
)  # fmt: skip
_NAME: Final = (dw.AT_NAME, dw.FORM_STRING)
_PLACE: Final = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
_HERE: Final = struct.pack("<QI", 0x1000, 16)


def _chain(attribute: int, tag: int, count: int) -> bytes:
    """Return a file whose entries `v0000` … refer to the next one; the last one to itself."""
    begin = b"\1a.c\0\x0c" + _HERE
    first, size_bytes = 12 + len(begin), 1 + 6 + len(_HERE) + 4
    entries = b"".join(
        b"\2v%04d\0" % number + _HERE
        + struct.pack("<I", first + size_bytes * min(number + 1, count - 1))
        for number in range(count)
    )  # fmt: skip
    language = (dw.AT_LANGUAGE, dw.FORM_DATA1)
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, (_NAME, language, *_PLACE), True),
        Shape(tag, (_NAME, *_PLACE, (attribute, dw.FORM_REF4))),
    )
    sections = {
        ".text": Content(bytes(16), flags=6, address=0x1000),
        ".debug_info": unit(begin + entries + b"\0"),
        ".debug_abbrev": abbreviations(*shapes),
    }
    return elf(sections, machine=X86_64, flags=0)


@pytest.mark.parametrize(
    "words", [("check", "bomb"), ("debug", "bomb", "--batch", "-ex", "print v0000")]
)
def test_a_chain_takes_linear_work(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chance = Random(len(words))

    def work(attribute: int, tag: int, count: int) -> int:
        Path("bomb").write_bytes(_chain(attribute, tag, count))
        return calls_of(lambda: run(*words))

    for attribute in _ATTRIBUTES:
        tag = chance.choice(_TAGS)
        work(attribute, tag, 1)  # what is done once
        few, many = work(attribute, tag, 75), work(attribute, tag, 300)
        assert many <= 6 * few, (hex(attribute), hex(tag), few, many)
