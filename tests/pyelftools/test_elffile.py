"""`CodeObject.from_elffile`: the streams that an `ELFFile` may read, and the files in them."""

from __future__ import annotations

import mmap
import struct
import zlib
from io import BytesIO
from typing import Any

import pytest

import dwarfgpu as dg
from dwarfgpu import pyelftools
from dwarfgpu.objfile import file_bytes
from tests.dwarf.builder import Content
from tests.dwarf.builder import elf as made_elf
from tests.pyelftools.scripts import FIXTURES, dies, elffile, named

DEMO = FIXTURES / "x86_64/demo.gcc.O0.v5"
X86_64 = 62


def numbers_in(stream: Any) -> str:
    """What `access` has, by an `ELFFile` of a stream."""
    elf = elffile.ELFFile(stream)
    code = dg.CodeObject.from_elffile(elf)
    return pyelftools.read(named(elf, "access"), code).text


@pytest.mark.parametrize("small_bytes", [1 << 20, 0], ids=["at once", "on demand"])
def test_every_kind_of_stream(small_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_bytes, "_SMALL_FILE_BYTES", small_bytes)
    assert numbers_in(BytesIO(DEMO.read_bytes())) == "(READ | RUN)"
    with DEMO.open("rb") as file, DEMO.open("rb", buffering=0) as unbuffered:
        assert numbers_in(file) == numbers_in(unbuffered) == "(READ | RUN)"
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            assert numbers_in(mapped) == "(READ | RUN)"


def test_the_position_of_the_stream_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_bytes, "_SMALL_FILE_BYTES", 0)
    stream = BytesIO(DEMO.read_bytes())
    elf = elffile.ELFFile(stream)
    stream.seek(77)
    code = dg.CodeObject.from_elffile(elf)
    assert code.info.units and stream.tell() == 77


def test_the_name_is_that_of_the_stream() -> None:
    with DEMO.open("rb") as file:
        assert dg.CodeObject.from_elffile(elffile.ELFFile(file)).file.path == str(DEMO)
    memory = elffile.ELFFile(BytesIO(DEMO.read_bytes()))
    assert dg.CodeObject.from_elffile(memory).file.path == "<ELFFile>"


def test_a_closed_stream_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_bytes, "_SMALL_FILE_BYTES", 0)
    with DEMO.open("rb") as file:
        elf = elffile.ELFFile(file)
        code = dg.CodeObject.from_elffile(elf)
    with pytest.raises(dg.UsageError, match=rf"{DEMO.name} cannot be read: .* closed file"):
        _ = code.info.units
    with pytest.raises(dg.UsageError, match=rf"{DEMO.name} cannot be read: .* closed file"):
        dg.CodeObject.from_elffile(elf)


def test_a_stream_that_becomes_shorter_is_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_bytes, "_SMALL_FILE_BYTES", 0)
    stream = BytesIO(DEMO.read_bytes())
    code = dg.CodeObject.from_elffile(elffile.ELFFile(stream))
    stream.truncate(100)
    with pytest.raises(dg.Malformed, match="<ELFFile> became shorter while it was read"):
        _ = code.info.units


def test_compressed_sections() -> None:
    source = elffile.ELFFile(BytesIO(DEMO.read_bytes()))
    sections: dict[str, bytes | Content] = {}
    for section in source.iter_sections():
        if section.name.startswith(".debug"):
            data = section.data()
            header = struct.pack("<IIQQ", 1, 0, len(data), 1)
            sections[section.name] = Content(header + zlib.compress(data), 1, 0x800)
    elf = elffile.ELFFile(BytesIO(made_elf(sections, machine=X86_64, flags=0)))
    code = dg.CodeObject.from_elffile(elf)
    die = named(elf, "here")
    place = pyelftools.evaluate(die.attributes["DW_AT_location"], die, code, cfa=0x1000)
    assert pyelftools.text(place, code) == "0xfec"


def test_a_die_of_the_supplementary_file() -> None:
    """`ELFFile.load_from_path` opens it, too."""
    elf = elffile.ELFFile.load_from_path(str(FIXTURES / "split/dwz5/prog"))
    with elf:
        code = dg.CodeObject.from_elffile(elf)
        other = elf.get_dwarf_info().supplementary_dwarfinfo
        assert other is not None
        members = [
            die
            for unit in other.iter_CUs()
            for die in unit.iter_DIEs()
            if "DW_AT_data_member_location" in die.attributes
        ]
        for die in members:
            offset = die.attributes["DW_AT_data_member_location"]
            place = pyelftools.evaluate(offset, die, code, object=0x9000)
            assert pyelftools.text(place, code) == f"{0x9000 + offset.value:#x}"
        assert members


@pytest.mark.parametrize("name", ["split/types-gcc4/prog", "split/types-clang5/prog"])
def test_dies_of_type_units(name: str) -> None:
    with elffile.ELFFile.load_from_path(str(FIXTURES / name)) as elf:
        code, result = dg.CodeObject.from_elffile(elf), 0
        for die in dies(elf):
            offset = die.attributes.get("DW_AT_data_member_location")
            top = die.cu.get_top_DIE().tag
            if top == "DW_TAG_type_unit" and offset is not None and isinstance(offset.value, int):
                place = pyelftools.evaluate(offset, die, code, object=0x9000)
                assert pyelftools.text(place, code) == f"{0x9000 + offset.value:#x}"
                result += 1
        assert result


def test_an_unlinked_object_has_its_sections_one_after_the_other() -> None:
    elf = elffile.ELFFile(BytesIO((FIXTURES / "objects/placed.gcc.o").read_bytes()))
    code = dg.CodeObject.from_elffile(elf)
    assert code.placement_note is not None
    texts = {name: pyelftools.read(named(elf, name), code) for name in ("counter", "corner")}
    assert [texts[name].text for name in texts] == ["41", "{x = 5, y = 6}"]
    places = {reading.location.single_locations[0].byte_address for reading in texts.values()}
    assert len(places) == 2  # each has a section of its own
