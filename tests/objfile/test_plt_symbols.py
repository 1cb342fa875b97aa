"""Entries of procedure linkage tables have the names that `objdump -d` of binutils 2.40 gives."""

from __future__ import annotations

import struct

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.cli.main import main
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.plt_symbols import PltSymbols, plt_symbols
from tests.dwarf.builder import FIXTURES

PROGRAM = FIXTURES / "x86_64/demo.gcc.O0.v5"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x86_64/demo.gcc.O0.v5", {0x1030: "abort@plt", 0x1040: "__cxa_finalize@plt"}),
        ("x86_64/demo.clang.O2.v5", {0x1A70: "__cxa_finalize@plt", 0x1A80: "abort@plt"}),
        ("core/crash.x86_64.O0", {}),
    ],
)
def test_names(name: str, expected: dict[int, str]) -> None:
    file = open_object(FIXTURES / name)
    assert {address: symbol.name for address, symbol in plt_symbols(file).items()} == expected


def test_the_entry_of_an_address() -> None:
    file = open_object(PROGRAM)
    table = file.sections_by_name[".plt"]
    symbols = PltSymbols(file)
    assert symbols.at(table.address) is None  # what the linker calls itself
    (name,) = [symbol.name for symbol in plt_symbols(file).values()][:1]
    (address, *_) = plt_symbols(file)
    for inside in range(address, address + 16):
        found = symbols.at(inside)
        assert found is not None and found.name == name


def test_tables_that_cannot_be_read_have_no_names() -> None:
    data = PROGRAM.read_bytes()
    file = ObjectFile("program", data)
    section = next(item for item in file.sections if item.name == ".rela.plt")
    at = section.offset + 12  # the symbol of the first relocation
    broken = data[:at] + b"\xff" * 4 + data[at + 4 :]
    symbols = PltSymbols(ObjectFile("program", broken))
    assert symbols.at(file.sections_by_name[".plt"].address + 16) is None


def test_tables_of_relocations_that_overlap_are_not_read_again_and_again() -> None:
    data = bytearray(PROGRAM.read_bytes())
    (headers_at,) = struct.unpack_from("<Q", data, 40)
    file = ObjectFile("program", bytes(data))
    one = next(item for item in file.sections if item.name == ".rela.plt")
    symbols = file.sections[one.link]
    header = struct.pack(
        "<IIQQQQIIQQ", 0, 4, 0, 0, symbols.offset, symbols.size_bytes, one.link, 0, 8, 24
    )
    # The headers make the file larger, too.
    count = 2 * file.size_bytes // (symbols.size_bytes - len(header))
    headers = data[headers_at : headers_at + 64 * len(file.sections)] + header * count
    struct.pack_into("<Q", data, 40, len(data))
    struct.pack_into("<H", data, 60, len(file.sections) + count)
    overlapping = ObjectFile("program", bytes(data + headers))
    with pytest.raises(LimitExceeded, match="its tables of relocations overlap"):
        plt_symbols(overlapping)
    assert not PltSymbols(overlapping).symbols


@pytest.mark.parametrize(("most", "subject"), [(30, ".plt of "), (100, ".rela.plt of ")])
def test_more_entries_than_are_read_have_no_names(
    most: int, subject: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each counts as 16 relocations, and so does one that sets a function; a note says so."""
    symbols = PltSymbols(open_object(PROGRAM, FileLimits(relocations=most)))
    assert not symbols.symbols
    assert symbols.limit is not None and subject in symbols.limit.message
    listing = ["debug", "--batch", str(PROGRAM), "-ex", "info functions @plt"]
    for options, is_limited in (([], False), (["--max-relocations", str(most)], True)):
        main([*listing, *options])
        text = "".join(capsys.readouterr())
        assert ("abort@plt" in text, "--max-relocations" in text) == (not is_limited, is_limited)


def test_names_of_entries_share_the_limit_of_searched_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    listing = ["debug", "--batch", str(PROGRAM), "-ex", "info functions abort@"]
    for most in range(1, 1_000):
        main([*listing, "--max-searched-names", str(most)])
        text = "".join(capsys.readouterr())
        if "abort@plt" in text:
            break
    assert "the search is incomplete" in text
