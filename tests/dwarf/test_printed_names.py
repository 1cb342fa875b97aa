"""Functions are found by the names that are printed, which may not be those of their entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.functions_by_name import described_function, functions_named
from dwarfgpu.dwarf.scope.required_word import mangled_words
from dwarfgpu.dwarf.scope.symbol_list import listed_symbols
from dwarfgpu.errors import LimitExceeded
from tests.cli.command import FIXTURES

LIBSTDCXX, LIBCXX = (
    FIXTURES / f"core/containers.x86_64.{name}" for name in ("libstdcxx", "libcxx")
)


@pytest.mark.parametrize("path", [LIBSTDCXX, LIBCXX], ids=["libstdcxx", "libcxx"])
def test_all_kinds_of_functions(path: Path) -> None:
    """Their symbols were removed: entries alone have the names."""
    program = CodeObject.open(path)
    listed = [*listed_symbols(program.info, "functions")]
    varied = [one for one in listed if "::__visit_invoke" in one.name or "_payload" in one.name]
    for symbol in (*listed[::75], *varied):
        function = described_function(symbol.die)
        assert function is not None
        named = functions_named(program, symbol.name)
        assert function.entry in [item.entry for item in named], symbol.name
        assert {item.name.removesuffix(" const") for item in named} == {
            symbol.name.removesuffix(" const")
        }


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("_Destroy<std::vector<int>*>", 1),  # as the entry has it
        ("_Destroy<std::vector<int, std::allocator<int> >*>", 1),  # as it is printed
        ("std::_Destroy<std::vector<int, std::allocator<int>>*>", 1),
        ("_Destroy<std::vector<long, std::allocator<long> >*>", 0),
        ("other::_Destroy<std::vector<int, std::allocator<int> >*>", 0),
        ("__uniq_ptr_data<int, std::default_delete<int []>, true, true>::__uniq_ptr_impl(int*)", 1),
        (
            "__uniq_ptr_data<int, std::default_delete<int []>, true, true>::__uniq_ptr_impl(long*)",
            0,
        ),
        ("operator std::basic_string_view<char, std::char_traits<char> >", 1),
        ("operator std::basic_string_view<int, std::char_traits<int> >", 0),
    ],
)
def test_names_of_instances(name: str, count: int) -> None:
    assert len(functions_named(CodeObject.open(LIBSTDCXX), name)) == count


def test_very_many_instances() -> None:
    """Each of those that may be meant takes as long as four namesakes."""
    program = CodeObject.open(LIBSTDCXX, limits=FileLimits(namesakes=8))
    with pytest.raises(LimitExceeded, match="may be printed as forward<std::string>"):
        functions_named(program, "forward<std::string>")
    assert functions_named(program, "construct_at<int, int>")  # as the entry has it


def test_words_of_mangled_names() -> None:
    text = "geo::f<std::string, 5ul, (anonymous namespace)::Point, operator new>::get[abi:cxx11]"
    assert mangled_words(text) == ("geo", "Point", "get", "cxx11")
