"""Functions of the symbol table by the names that people write."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.functions_by_name import function_symbols, merged_function
from tests.cli.command import FIXTURES


@pytest.fixture(scope="module")
def shapes() -> CodeObject:
    return CodeObject.open(FIXTURES / "core/shapes.x86_64.O0")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("crash", ["crash(geo::Shape*, int)"]),  # not its lambda
        ("crash(geo::Shape *, int)", ["crash(geo::Shape*, int)"]),
        ("crash(int)", []),
        ("Square::area", ["geo::Square::area() const"]),
        ("area", [f"geo::{name}::area() const" for name in ("Shape", "Circle", "Square")]),
        ("::geo::Shape::area()", ["geo::Shape::area() const"]),
        ("Circle::Circle", ["geo::Circle::Circle(double)"]),
        ("_start", ["_start"]),
        ("rash", []),
        ("nosuch", []),
    ],
)
def test_names(shapes: CodeObject, text: str, names: list[str]) -> None:
    assert [symbol.name for symbol in function_symbols(shapes, text)] == names


def test_a_whole_name(shapes: CodeObject) -> None:
    """Only that, as an expression needs it, and only of one function."""
    [symbol] = function_symbols(shapes, "Square::area")
    assert merged_function([shapes], "geo::Square::area") == symbol.entry
    assert merged_function([shapes], "Square::area") is None
    assert merged_function([shapes], "area") is None


def test_split_parts_are_none(tmp_path: Path) -> None:
    """`crash` renamed to a part that a compiler has split off is not that function."""
    data = (FIXTURES / "core/shapes.x86_64.O0").read_bytes()
    name = b"\0_Z5crashPN3geo5ShapeEi\0"
    at = data.rindex(name)
    for suffix, count in ((b".part.0", 1), (b".cold", 0)):
        clone = (b"\0_Z5crashi" + suffix).ljust(len(name), b"\0")
        program = tmp_path / suffix.decode()
        program.write_bytes(data[:at] + clone + data[at + len(name) :])
        assert len(function_symbols(CodeObject.open(program), "crash")) == count


@pytest.mark.parametrize(
    ("mangled", "text", "name"),
    [
        ("_Znwm", "operator new", "operator new(unsigned long)"),
        ("_ZplRK1Ai", "operator+", "operator+(A const&, int)"),
        ("_ZplRK1Ai", "operator +(const A &, int)", "operator+(A const&, int)"),
        ("_ZN1nplE1Ai", "n::operator+", "n::operator+(A, int)"),
        ("_ZNK1AcvbEv", "operator bool", "A::operator bool() const"),
        ("_Zli2_ky", 'operator""_k', 'operator"" _k(unsigned long long)'),
        ("_ZmlRK1Ai", "operator *", "operator*(A const&, int)"),
        ("_ZN1AclEi", "A::operator()", "A::operator()(int)"),
        ("_Znwm", "operator new[]", None),
        ("_ZplRK1Ai", "operator+=", None),
    ],
)
def test_operators(mangled: str, text: str, name: str | None, tmp_path: Path) -> None:
    """The names are those of c++filt; GDB sets its breakpoints at the same ones."""
    data = (FIXTURES / "core/shapes.x86_64.O0").read_bytes()
    before = b"\0_Z5crashPN3geo5ShapeEi\0"
    at = data.rindex(before)
    program = tmp_path / "program"
    after = f"\0{mangled}".encode().ljust(len(before), b"\0")
    program.write_bytes(data[:at] + after + data[at + len(before) :])
    found = [symbol.name for symbol in function_symbols(CodeObject.open(program), text)]
    assert found == ([] if name is None else [name])
