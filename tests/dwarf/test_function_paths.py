"""Names of functions as they are typed: scopes, arguments of templates, tags and parameters."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf.names import function_paths as paths


@pytest.mark.parametrize(
    ("name", "path", "parameters"),
    [
        ("m", "m", None),
        ("K::m(int) const", "K::m", "(int) const"),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::f", "(int)"),
        ("call<&(id(int))>()", "call<&(id(int))>", "()"),
        ("f<void (*)(int)>", "f<void (*)(int)>", None),
        ("K::operator()(int)", "K::operator()", "(int)"),
        ("operator< <K>(K)", "operator< <K>", "(K)"),
        ("operator->*(K)", "operator->*", "(K)"),
        ("K::operator int (*)()", "K::operator int", "(*)()"),
        ("{lambda(int)#1}::operator()(int) const", "{lambda(int)#1}::operator()", "(int) const"),
        ("f(int)::L::m()", "f", "(int)::L::m()"),
        ("tp::two!(int, f(7))::m(int)", "tp::two!(int, f(7))::m", "(int)"),
        ("tp::gen!int", "tp::gen!int", None),
        ("K::operator!(K)", "K::operator!", "(K)"),
        ("K::operator !(K)", "K::operator !", "(K)"),
    ],
)
def test_parameters(name: str, path: str, parameters: str | None) -> None:
    assert paths.split(name) == (path, parameters)


@pytest.mark.parametrize(
    ("path", "components"),
    [
        ("m", ["m"]),
        ("ns::Box<a::b, c>::m<d::e>", ["ns", "Box<a::b, c>", "m<d::e>"]),
        ("f(a::b)::{lambda(c::d)#1}::operator()", ["f(a::b)", "{lambda(c::d)#1}", "operator()"]),
        ("K::operator ns::T", ["K", "operator ns::T"]),
        ("K::operator ns::Box<a::b>*", ["K", "operator ns::Box<a::b>*"]),
        ("K::operator new", ["K", "operator new"]),
        ("operator ns::T() const::L::m", ["operator ns::T() const", "L", "m"]),
        ("K::operator<<ns::T>", ["K", "operator<<ns::T>"]),
        ("K::operator<< <ns::T>", ["K", "operator<< <ns::T>"]),
        ("ns::operator==::m", ["ns", "operator==", "m"]),
    ],
)
def test_components(path: str, components: list[str]) -> None:
    assert paths.components(path) == components


@pytest.mark.parametrize(
    ("name", "outer", "inner"),
    [
        ("f(int)::L::m(char) const", "f(int)", "L::m(char) const"),
        ("K::f() const::{lambda(int)#1}::operator()(int)", "K::f() const",
         "{lambda(int)#1}::operator()(int)"),
    ],
)  # fmt: skip
def test_functions_in_functions(name: str, outer: str, inner: str) -> None:
    assert paths.nested(name) == (outer, inner)
    assert paths.nested(outer) is paths.nested(inner) is None
    [typed] = {paths.split(inner)[1]}
    assert typed is not None and paths.has_parameters(name, typed)
    assert not paths.has_parameters(name, "(long)")


@pytest.mark.parametrize(
    ("name", "template", "bare"),
    [
        ("g", None, "g"),
        ("g<int>", "g", "g<int>"),
        ("operator<", None, "operator<"),
        ("operator< <int>", "operator<", "operator< <int>"),
        ("operator<<int>", "operator<", "operator<<int>"),
        ("operator<<-1>", "operator<", "operator<<-1>"),
        ("operator<<(anonymous namespace)::X>", "operator<", "operator<<(anonymous namespace)::X>"),
        ("operator<<", None, "operator<<"),
        ("operator<<<int>", "operator<<", "operator<<<int>"),
        ("operator<<=<int>", "operator<<=", "operator<<=<int>"),
        ("operator<=<int>", "operator<=", "operator<=<int>"),
        ("operator<=><int>", "operator<=>", "operator<=><int>"),
        ("operator()<int>", "operator()", "operator()<int>"),
        ("get[abi:cxx11]", None, "get"),
        ("get[abi:one][abi:two]<int>", "get[abi:one][abi:two]", "get<int>"),
    ],
)
def test_arguments_and_tags(name: str, template: str | None, bare: str) -> None:
    assert paths.without_arguments(name) == template
    assert paths.without_tags(name) == bare


@pytest.mark.parametrize(
    ("own", "typed", "is_end", "is_whole"),
    [
        ("ns::K::get[abi:cxx11]", "ns::K::get", True, True),
        ("ns::K::get[abi:cxx11]", "K::get", True, False),
        ("ns::K::get[abi:cxx11]", "ns::K::get[abi:cxx11]", True, True),
        ("ns::K::get", "ns::K::get[abi:cxx11]", False, False),
        ("K[abi:one]<int>::get[abi:two]<long>", "K::get", True, False),
        ("K[abi:one]<int>::get[abi:two]<long>", "K<int>::get<long>", True, True),
        ("K::g<char const*, unsigned long>", "g<const char *, unsigned long int>", True, False),
        ("K::operator ns::T", "operator ns::T", True, False),
        ("K::get", "ns::K::get", False, False),
    ],
)
def test_ends_of_paths(own: str, typed: str, is_end: bool, is_whole: bool) -> None:
    assert paths.TypedPath(typed).ends(paths.components(own)) is is_end
    assert paths.is_full_name(own, typed) is is_whole


@pytest.mark.parametrize("name", ["operator int", "operator ns::T*", " operator  K"])
def test_conversions(name: str) -> None:
    assert paths.is_conversion(name)


@pytest.mark.parametrize(
    "name", ["operator new", "operator delete[]", "operator co_await", 'operator"" _x', "operator+"]
)
def test_other_operators(name: str) -> None:
    assert not paths.is_conversion(name)
