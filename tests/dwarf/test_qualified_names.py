"""Qualified names as text: their parts, and the form in which they are compared."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf.names.qualified import canonical, parts, split_last

STRING = "basic_string<char, std::char_traits<char>, std::allocator<char> >"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Box<int, 1>", "Box< int,1 >"),
        ("Box<Box<int, 1>, 2>", "Box<Box<int,1> ,2>"),
        ("Box<Box<int> >", "Box<Box<int>>"),
        ("unsigned long", "long unsigned int"),
        ("f(unsigned, short int)", "f(unsigned int,short)"),
        ("const char *", "const char*"),
        ("signed char", "signed  char"),
        (f"Box<std::__cxx11::{STRING}>", "Box<std::string>"),
        (f"Box<const std::__cxx11::{STRING}&, 2>", "Box<std::string const&,2>"),
        (f"Box<std::__1::{STRING.replace('std::', 'std::__1::')}>", "Box<std::string>"),
        (
            "Box<std::basic_string_view<char8_t,std::char_traits<char8_t>>>",
            "Box<std::u8string_view>",
        ),
        ("Box<std::basic_ostream<wchar_t, std::char_traits<wchar_t> >&>", "Box<std::wostream&>"),
    ],
)
def test_spellings_of_one_name(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Box<int, 1>", "Box<int, 11>"),
        ("unsigned char", "char"),
        ("signed char", "char"),
        ("long long", "long"),
        ("const T", "constT"),
        ("unsigned", "unsignedint"),
        (f"Box<std::{STRING}>", "Box<std::string>"),  # that of before C++11
        (f"Box<my::std::__cxx11::{STRING}>", "Box<my::std::string>"),
        (f"Box<std::__cxx11::{STRING.replace('<char>', '<int>')}>", "Box<std::string>"),
        (f"Box<std::__cxx11::{STRING}>", "Box<std::wstring>"),
    ],
)
def test_spellings_of_two_names(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x", [("x", None)]),
        ("::x", [("x", None)]),
        ("a::b::x", [("a", None), ("b", None), ("x", None)]),
        ("ns::Box<a::b, 2>::made", [("ns", None), ("Box<a::b,2>", None), ("made", None)]),
        ("f(a::b, int)::n", [("f", "a::b,int"), ("n", None)]),
        ("f()::n", [("f", ""), ("n", None)]),
        ("f(void)", [("f", "")]),
        ("P::m(char) const", [("P", None), ("m", "char")]),
        ("(anonymous namespace)::x", [("(anonymousnamespace)", None), ("x", None)]),
        ("Box<(3>2)>", [("Box<(3>2)>", None)]),
        ("", []),
        ("::", []),
    ],
)
def test_parts(name: str, expected: list[tuple[str, str | None]]) -> None:
    result = [(part.name.replace(" ", ""), part.parameters) for part in parts(name)]
    assert result == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("x", ("", "x")), ("a::Box<b::c>::x", ("a::Box<b::c>", "x")), ("::x", ("", "x"))],
)
def test_the_last_part(name: str, expected: tuple[str, str]) -> None:
    assert split_last(name) == expected
