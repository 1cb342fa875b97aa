"""Tables of strings that were overwritten with zeros."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.check.file import verify
from dwarfgpu.objfile.elf import ObjectFile
from tests.check.made import findings, verdict_on
from tests.dwarf.builder import read_fixture
from tests.dwarf.programs import copied, opened

HEADER_BYTES = {"v5.co": 8, "v5.dw64.co": 16}


def zeroed(suffix: str, count: int, first: int = 6) -> bytes:
    """A file with entries of its table that are 0."""
    data = bytearray(read_fixture(f"hip/nest.gfx942.O2.{suffix}"))
    section = ObjectFile("", bytes(data)).sections_by_name[".debug_str_offsets"]
    size_bytes = HEADER_BYTES[suffix] // 2
    start = section.offset + HEADER_BYTES[suffix] + first * size_bytes
    data[start : start + count * size_bytes] = bytes(count * size_bytes)
    return bytes(data)


def repeated(data: bytes) -> list[tuple[str, str]]:
    kept = findings(verdict_on(data))
    return [(one.severity, one.message) for one in kept if one.rule == "repeated-string"]


@pytest.mark.parametrize("suffix", HEADER_BYTES)
def test_a_table_with_zeros(suffix: str) -> None:
    """One index may lead to the string at 0; here a table begins with another one."""
    assert not repeated(zeroed(suffix, 0))
    [(severity, message)] = repeated(zeroed(suffix, 7))
    assert severity == "warning"
    base = HEADER_BYTES[suffix]
    assert f"entries of .debug_str_offsets+{base:#x} are 0, which is the offset of" in message
    assert "names may be damaged" in message


def test_zeros_that_lead_to_an_empty_string() -> None:
    """Producers that keep an empty string there may name entries by it."""
    data = bytearray(zeroed("v5.co", 7))
    section = ObjectFile("", bytes(data)).sections_by_name[".debug_str"]
    data[section.offset] = 0
    assert not repeated(bytes(data))


@pytest.mark.parametrize("section", [".debug_str", ".debug_line_str"])
def test_zeros_between_strings(section: str) -> None:
    """Fewer may be empty strings of several files."""
    original = read_fixture("hip/nest.gfx942.O2.v5.co")
    place = ObjectFile("", original).sections_by_name[section]
    for first, count, is_reported in (
        (3, 9, True),
        (3, 6, False),
        (place.size_bytes - 12, 12, True),
    ):
        data = bytearray(original)
        data[place.offset + first : place.offset + first + count] = bytes(count)
        messages = [message for _, message in repeated(bytes(data))]
        assert any(f"bytes of strings at {section}+" in text for text in messages) is is_reported


@pytest.mark.parametrize("kind", ["dwz4", "dwz5"])
def test_zeros_between_strings_of_a_supplementary_file(tmp_path: Path, kind: str) -> None:
    """They are names of several units, and reported once."""
    program = copied(kind, tmp_path)
    shared = tmp_path / "common.debug"
    data = bytearray(shared.read_bytes())
    start = data.index(b"\0_Z4areaPN3geo4lineEi\0")
    data[start : start + 16] = bytes(16)
    for contents, count in ((shared.read_bytes(), 0), (bytes(data), 1)):
        shared.write_bytes(contents)
        kept = [one for one in findings(verify(opened(program))) if one.rule == "repeated-string"]
        assert len(kept) == count
    assert kept[0].message.startswith(f"{shared}: 16 bytes of strings at .debug_str+")
