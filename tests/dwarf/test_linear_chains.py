"""Every attribute as a reference from each of many entries to the next one: the work of commands
grows with how many there are. Nothing here lists attributes, nor what they may refer to."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.reference_targets import refused_targets
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.work import calls_of

_ATTRIBUTES: Final = sorted({
    number for name, number in vars(dw).items()
    if name.startswith("AT_") and isinstance(number, int)
})  # fmt: skip
_TAGS: Final = (
    dw.TAG_VARIABLE, dw.TAG_SUBPROGRAM, dw.TAG_STRUCTURE_TYPE, dw.TAG_TYPEDEF, dw.TAG_NAMESPACE,
    dw.TAG_SUBRANGE_TYPE, dw.TAG_ARRAY_TYPE, dw.TAG_INLINED_SUBROUTINE, dw.TAG_MEMBER,
    dw.TAG_LEXICAL_BLOCK, dw.TAG_POINTER_TYPE, dw.TAG_IMPORTED_DECLARATION,
    dw.TAG_IMPORTED_MODULE,
)  # fmt: skip
_HOLDER: Final = dw.TAG_STRUCTURE_TYPE
"""What the entries are whose children refer to the next one."""
_NAME: Final = (dw.AT_NAME, dw.FORM_STRING)
_PLACE: Final = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
_FEW: Final = 25
_OF_MORE: Final = 500
"""Calls: numbers of more digits, and lines of more text."""
_BASE: Final = b"\5int\0\5\4"
_HERE: Final = struct.pack("<QI", 0x1000, 16)
_COMMANDS: Final = (
    ("check", "bomb"),
    ("debug", "bomb", "--batch", "-ex", "print v0000", "-ex", "ptype object"),
)


def _links() -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield attributes with a tag: one attribute with each tag where its reference means something,
    and three, with any tag, where dwarfgpu does not know the targets."""
    chance = Random(1)
    known = {
        attribute: tags
        for attribute in _ATTRIBUTES
        if (tags := [tag for tag in _TAGS if refused_targets(attribute, tag)])
    }
    for attribute, tags in known.items():
        for tag in tags:
            if not {tag, _HOLDER} <= refused_targets(attribute, tag):
                yield (attribute,), tag
    unknown = [attribute for attribute in _ATTRIBUTES if attribute not in known]
    for first in range(0, len(unknown), 3):
        yield tuple(unknown[first : first + 3]), chance.choice(_TAGS)


def _chain(attributes: tuple[int, ...], tag: int, count: int) -> bytes:
    """Return a file whose entries `v0000` … refer to the next one, and the last one to a base type,
    or else to itself. Where an entry of the tag cannot refer to another one, it is the child of one
    that can be referred to. An object has the first one as its type.
    """
    refused = refused_targets(attributes[0], tag)
    held = tag in refused
    begin = b"\1a.c\0\x0c" + _HERE
    base, first = 12 + len(begin), 12 + len(begin) + len(_BASE)
    size_bytes = 1 + 6 + len(_HERE) + 4 * len(attributes) + (4 if held else 0)
    last = first + size_bytes * (count - 1) if dw.TAG_BASE_TYPE in refused else base
    targets = [*(first + size_bytes * number for number in range(1, count)), last]
    entries = b"".join(
        b"\2v%04d\0" % number + _HERE + (b"\3m\0" if held else b"")
        + struct.pack("<I", target) * len(attributes) + (b"\0" if held else b"")
        for number, target in enumerate(targets)
    )  # fmt: skip
    entries += b"\4object\0" + struct.pack("<I", first) + b"\x09\x03" + _HERE[:8]
    refers = tuple((attribute, dw.FORM_REF4) for attribute in attributes)
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, (_NAME, (dw.AT_LANGUAGE, dw.FORM_DATA1), *_PLACE), True),
        Shape(_HOLDER, (_NAME, *_PLACE), True) if held else Shape(tag, (_NAME, *_PLACE, *refers)),
        Shape(tag, (_NAME, *refers)),
        Shape(
            dw.TAG_VARIABLE,
            (_NAME, (dw.AT_TYPE, dw.FORM_REF4), (dw.AT_LOCATION, dw.FORM_EXPRLOC)),
        ),
        Shape(
            dw.TAG_BASE_TYPE,
            (_NAME, (dw.AT_ENCODING, dw.FORM_DATA1), (dw.AT_BYTE_SIZE, dw.FORM_DATA1)),
        ),
    )
    sections = {
        ".text": Content(bytes(16), flags=6, address=0x1000),
        ".debug_info": unit(begin + _BASE + entries + b"\0"),
        ".debug_abbrev": abbreviations(*shapes),
    }
    return elf(sections, machine=X86_64, flags=0)


@pytest.mark.parametrize("words", _COMMANDS)
def test_a_chain_takes_linear_work(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def write(attributes: tuple[int, ...], tag: int, count: int) -> None:
        Path("bomb").write_bytes(_chain(attributes, tag, count))

    def work(attributes: tuple[int, ...], tag: int, count: int) -> int:
        write(attributes, tag, count)
        return calls_of(lambda: run(*words))

    for attributes, tag in _links():
        write(attributes, tag, _FEW)
        run(*words)  # what is done once
        one, few, many = (work(attributes, tag, count) for count in (1, _FEW, 4 * _FEW))
        assert many - one <= 6 * (few - one) + _OF_MORE, (attributes, hex(tag), one, few, many)
