"""Many waves in one file: each asks in which function it is, and none goes through all ranges of a
function, nor through all symbols."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.calls.gpu_callers import _function_in, kernel_in
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.symbols import Symbol
from tests.dwarf.builder import Content, Shape, elf, file_of
from tests.work import assert_linear

BIAS = 0x7F0000000000


def _symbols(count: int, size: int = 8) -> dict[str, Content]:
    """The code and the symbols of so many functions, 8 bytes one after the other."""
    rows = bytes(24) + b"".join(
        struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0x1000 + 8 * number, size) for number in range(count)
    )
    return {
        ".text": Content(bytes(8 * count), flags=6, address=0x1000),
        ".strtab": Content(b"\0f\0", 3),
        ".symtab": Content(rows, 2, link=2, entry_bytes=24),
    }


def test_waves_in_a_function_of_many_ranges() -> None:
    def waves(count: int) -> Callable[[], object]:
        pairs = (b"\7" + struct.pack("<Q", 0x1000 + 16 * n) + encode_uleb(8) for n in range(count))
        body = struct.pack("<HBBI", 5, 8, 0, 0) + b"".join(pairs) + b"\0"
        lists = struct.pack("<I", len(body)) + body
        shapes = (
            Shape(dw.TAG_COMPILE_UNIT, (), has_children=True),
            Shape(dw.TAG_SUBPROGRAM, (
                (dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOW_PC, dw.FORM_ADDR),
                (dw.AT_RANGES, dw.FORM_SEC_OFFSET),
            )),
        )  # fmt: skip
        entries = b"\1\2k\0" + struct.pack("<QI", 0x1000, 12) + b"\0"
        text = Content(bytes(16 * count), flags=6, address=0x1000)
        data = file_of(entries, shapes, {".text": text, ".debug_rnglists": lists})
        code = CodeObject.of(ObjectFile("made.co", data), BIAS)
        return lambda: [kernel_in(code, BIAS + 0x1000 + 16 * n) for n in range(count)]

    assert_linear(waves, 50)


def test_waves_among_many_symbols() -> None:
    """The table is gone through once, whatever the number of waves."""
    asked: list[int] = []

    class Table(tuple[Symbol, ...]):
        __slots__ = ()

        def __iter__(self) -> Iterator[Symbol]:
            return (self[number] for number in range(len(self)))

        def __getitem__(self, number: int) -> Symbol:  # type: ignore[override]
            asked.append(number)
            return super().__getitem__(number)

    class Counted(ObjectFile):
        @property
        def symbols(self) -> Sequence[Symbol]:
            return Table(super().symbols)

    code = CodeObject.of(Counted("made.co", elf(_symbols(40))), BIAS)
    for number in range(40):
        assert kernel_in(code, BIAS + 0x1000 + 8 * number) is None
    assert len(asked) == 41 + 40  # all of them, and that of each wave


@pytest.mark.parametrize("size", (16, 1 << 40, (1 << 64) - 1))
def test_the_first_of_several_symbols_counts(size: int) -> None:
    """Also where they have more bytes than there are addresses behind them."""
    code = CodeObject.of(ObjectFile("made.co", elf(_symbols(3, size))), BIAS)
    for offset in (0, 8, 15):
        function = _function_in(code, BIAS + 0x1000 + offset)
        assert function is not None
        assert (function.entry, function.size_bytes) == (BIAS + 0x1000, size)
    assert _function_in(code, BIAS + 0xFFF) is None
