"""Names of template instances whose arguments are in their entries only."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Container
from itertools import pairwise
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.entry_tree import Tree
from dwarfgpu.dwarf.index.name_filter import mentions
from dwarfgpu.dwarf.names import template_arguments
from dwarfgpu.dwarf.names.comparable import _LITERAL, comparable
from dwarfgpu.dwarf.names.template_arguments import TemplateNames, _Speller
from dwarfgpu.dwarf.scope.functions_by_name import functions_named
from dwarfgpu.dwarf.scope.named_entries import NamedEntries
from dwarfgpu.dwarf.scope.scope_entries import UNKNOWN_NAME
from tests.cli.command import run
from tests.dwarf.builder import Shape, debug_info, file_of
from tools.bombs.damaged import damaged

SOURCE = r"""
namespace ns {
template <class D> struct Crtp { int base = 3; };
struct Own : Crtp<Own> { int v = 4; int f(int) const { return v; } };
template <class T, int N = 3> struct Box { T t[N]; template <class U> U as(U u) { return u; } };
enum Color { red, green = 5 };
enum class Byte : unsigned char { a = 1, b = 200 };
}
namespace { struct Local { int l; }; template <class T> struct Hidden { T t; }; }
template <class T> struct Of { int a; };
template <class T> struct Of<T *> { char b; };
template <class... T> struct Pack { int n; };
template <int... N> struct Numbers { int n; };
template <template <class, int> class TT> struct Template { TT<int, 2> m; };
template <class T> struct Outer { struct Inner { T t; template <class U> struct Deep { U u; }; }; };
template <auto V> struct Value { int v = 1; };
template <class T> union Either { T t; char c; };
struct Convert { template <class T> operator T() const { return T(2); } };
int global = 7;
template <class T, class U> T add(T t, U u) { return t + u; }
template <int N> int scaled(int x) { return x * N; }
template <class... T> int variadic(T... t) { return sizeof...(t); }
template <class T> bool operator<(Of<T>, Of<T>) { return true; }
template <class T> T scaled_pi = T(3);
typedef int Int;

ns::Own own; ns::Crtp<ns::Own> *crtp = &own;
ns::Box<int> box{{1, 2, 3}}; ns::Box<const char *, 2> words; Hidden<Local> hidden;
Outer<ns::Box<Int>>::Inner::Deep<unsigned char> deep; Either<double> either;
Of<int> o1; Of<int *> o2; Of<void> o3; Of<int (*)(char)> o4; Of<int(char)> o5; Of<int[3][4]> o6;
Of<const volatile int *const> o7; Of<int &> o8; Of<int &&> o9; Of<int (&)[2]> o10; Of<void()> o11;
Of<int ns::Own::*> o12; Of<int (ns::Own::*)(int) const> o13; Of<void (*(int))(float, ...)> o14;
Of<decltype(nullptr)> o15; Of<ns::Box<Of<Local>, 1>> o16; Of<void *const *> o17; Of<int[]> *o18;
Of<const int[2]> *o19; Of<long double> o20; Of<int (ns::Own::*)() volatile &&> o21;
Pack<> p0; Pack<int, char, Of<int>> p3; Numbers<1, -2, 3> n3; Numbers<> n0; Template<ns::Box> tt;
Value<-5> v1; Value<(short)-2> v2; Value<3000000000u> v3; Value<-1L> v4; Value<~0ull> v5;
Value<'x'> v6; Value<'\n'> v7; Value<'\''> v8; Value<(unsigned char)200> v9; Value<'\xff'> v10;
Value<L'w'> v11; Value<u'\u1234'> v12; Value<U'\U0001F600'> v13; Value<true> v14; Value<false> v15;
Value<ns::green> v16; Value<(ns::Color)2> v17; Value<ns::Byte::b> v18; Value<&global> v19;
Value<(signed char)-3> v20; Value<(unsigned short)9> v21; Value<7ul> v22; Value<8ll> v23;
int main() {
  Convert convert;
  return add(1, 2.5) + scaled<3>(2) + scaled<-3>(2) + variadic(1, 2.0f, (short)3) + variadic() +
         (o1 < o1) + box.as('c') + (int)convert + scaled_pi<int>;
}
"""
BUILDS = [
    ("-gdwarf-4",),
    ("-gdwarf-5",),
    ("-gdwarf-4", "-fdebug-types-section"),
    ("-gdwarf-5", "-fdebug-types-section"),
    ("-gdwarf-5", "-O2"),
]


@pytest.fixture(scope="module", params=BUILDS, ids=" ".join)
def builds(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    tool: Callable[[str], str],
) -> tuple[Path, Path]:
    """A program with the names of templates alone, and the same one with their arguments."""
    folder = tmp_path_factory.mktemp("templates")
    (folder / "t.cc").write_text(SOURCE)
    paths = folder / "simple", folder / "full"
    for path, option in zip(paths, (["-gsimple-template-names"], []), strict=True):
        subprocess.run(
            [tool("clang++-19"), "-std=c++17", "-g", *request.param, *option, "t.cc", "-o", path],
            cwd=folder,
            check=True,
        )
    return paths


def names_in(path: Path) -> set[tuple[int, str]]:
    """Return the tags and names of the classes and functions of a file."""
    info = CodeObject.open(path).info
    found: set[tuple[int, str]] = set()
    for unit in [*info.units, *info.type_units]:
        for index in unit.tree.with_tags(dw.TEMPLATE_INSTANCES):
            die = unit.die(index)
            found.add((die.tag, die.name or ""))
    return found


def test_all_names_are_those_of_a_build_with_arguments(builds: tuple[Path, Path]) -> None:
    simple, full = map(names_in, builds)
    assert simple == full and sum(name.endswith(">") for _, name in simple) > 50
    templates = {name.partition("<")[0] for _, name in simple}
    assert {"Of", "Box", "Value", "Pack", "Deep"} <= templates


def test_all_names_are_found(builds: tuple[Path, Path]) -> None:
    """By name, and in units that may have a name."""
    info = CodeObject.open(builds[0]).info
    found = 0
    for unit in info.units:
        tree = unit.tree
        for index, abbreviation in enumerate(tree.abbreviations):
            name = unit.die(index).name if abbreviation.tag in dw.TEMPLATE_INSTANCES else None
            if name is not None and unit.die(index).has(dw.AT_NAME):
                own = NamedEntries(unit).name_at(index)
                assert own is not None and index in NamedEntries(unit).with_name(own)
                assert mentions(info, name)(unit)
                template = name.partition("<")[0]
                if name.endswith(">") and template.isidentifier():
                    assert own in NamedEntries(unit).templates(template)
                    found += 1
    assert found > 10


@pytest.mark.parametrize(
    "name, instances",
    [
        ("scaled", ["scaled<-3>(int)", "scaled<3>(int)"]),
        ("scaled<3>", ["scaled<3>(int)"]),
        ("add<int,double>", ["add<int, double>(int, double)"]),
        ("variadic", ["variadic<>()", "variadic<int, float, short>(int, float, short)"]),
        ("variadic<int, float, short>(int, float, short)",
         ["variadic<int, float, short>(int, float, short)"]),
    ],
)  # fmt: skip
def test_functions(builds: tuple[Path, Path], name: str, instances: list[str]) -> None:
    functions = functions_named(CodeObject.open(builds[0]), name)
    if functions:  # with -O2 all are inlined, and constants
        assert sorted({function.name for function in functions}) == instances


def test_the_prompt_shows_and_accepts_full_names(builds: tuple[Path, Path]) -> None:
    commands = [
        "whatis box", "ptype crtp", "p *crtp", "p sizeof(ns::Box<int, 3>)", "whatis words",
        "p *(ns::Box<int,3>*)&box", "ptype ns::Crtp<ns::Own>", "info types Box", "info types Pack",
        "whatis deep", "ptype Either<double>", "whatis n3", "p ns::Box", "info functions scaled",
    ]  # fmt: skip
    words = ["--batch", *(word for command in commands for word in ("-ex", command))]
    shown = []
    for path in builds:
        result = run("debug", str(path), *words)
        shown.append((result.out, result.err))
    assert shown[0] == shown[1]
    assert "type = ns::Box<int, 3>" in shown[0][0] and "{t = {1, 2, 3}}" in shown[0][0]


@pytest.mark.parametrize("option", ["-gdwarf-4", "-gdwarf-5"])
def test_a_class_is_defined_in_another_unit(
    tmp_path: Path, tool: Callable[[str], str], option: str
) -> None:
    (tmp_path / "a.cc").write_text(
        "struct S; template <class T, int N> struct Box; Box<S, 2> *get();\n"
        "int main() { Box<S, 2> *box = get(); return box != 0; }\n"
    )
    (tmp_path / "b.cc").write_text(
        "struct S { int q; }; template <class T, int N> struct Box { T t[N]; };\n"
        "Box<S, 2> b; Box<S, 2> *get() { return &b; }\n"
    )
    names = ["-gsimple-template-names", "a.cc", "b.cc", "-o", "ab"]
    subprocess.run([tool("clang++-19"), "-g", option, *names], cwd=tmp_path, check=True)
    info = CodeObject.open(tmp_path / "ab").info
    declared, defined = (
        next(die for die in unit.root.children({dw.TAG_STRUCTURE_TYPE}) if die.name == "Box<S, 2>")
        for unit in info.units
    )
    assert info.class_definition(declared) == defined


# Hostile units


_INSTANCES = (
    Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
    Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_NAME, dw.FORM_STRING),), True),
    Shape(dw.TAG_TEMPLATE_TYPE_PARAMETER, ((dw.AT_TYPE, dw.FORM_REF4),)),
    Shape(
        dw.TAG_TEMPLATE_VALUE_PARAMETER,
        ((dw.AT_TYPE, dw.FORM_REF4), (dw.AT_CONST_VALUE, dw.FORM_SDATA)),
    ),
)
"""A unit, its classes, and their arguments: types and values."""


def _unit(*instances: tuple[str, list[int] | int | None]) -> list[Die]:
    """Classes with a name, and the numbers of the classes that are their arguments, a value of type
    `int`, or a pointer without a value."""
    shapes = (
        *_INSTANCES,
        Shape(dw.TAG_BASE_TYPE, ((dw.AT_NAME, dw.FORM_STRING),)),
        Shape(dw.TAG_POINTER_TYPE),
    )
    header, number, pointer = 12, 12 + 2, 12 + 2 + 5
    starts = [pointer + 1]
    for name, arguments in instances:
        size = 5 * len(arguments) if isinstance(arguments, list) else 5
        size += 0 if isinstance(arguments, list) else len(encode_sleb(arguments or 0))
        starts.append(starts[-1] + len(name) + 3 + size)
    assert header == 12
    body = b"\1\x21" + b"\5int\0" + b"\6"
    for name, arguments in instances:
        body += b"\2" + name.encode() + b"\0"
        if isinstance(arguments, list):
            body += b"".join(b"\3" + starts[one].to_bytes(4, "little") for one in arguments)
        else:
            kind = pointer if arguments is None else number
            body += b"\4" + kind.to_bytes(4, "little") + encode_sleb(arguments or 0)
        body += b"\0"
    (unit,) = debug_info(file_of(body + b"\0", shapes)).units
    dies = [*unit.root.children({dw.TAG_STRUCTURE_TYPE})]
    assert [die.offset for die in dies] == starts[:-1]
    return dies


@pytest.mark.parametrize(("name", "is_instance"), [("y", False), ("x<", False), ("x<int>", True)])
def test_numbers_that_look_like_names_are_none(name: str, is_instance: bool) -> None:
    """A size of 0x3c78, which is `x<`, makes no table of all names."""
    sized = ((dw.AT_BYTE_SIZE, dw.FORM_DATA4), (dw.AT_NAME, dw.FORM_STRING))
    body = b"\1\x21" + b"\2" + 0x3C78.to_bytes(4, "little") + name.encode() + b"\0" + b"\0"
    shapes = (_INSTANCES[0], Shape(dw.TAG_STRUCTURE_TYPE, sized))
    (unit,) = debug_info(file_of(body, shapes)).units
    entries = NamedEntries(unit)
    assert not unit.has_bare_templates
    assert entries.templates("x") == ([name] if is_instance else [])
    assert ("by_name" in vars(entries)) == is_instance


def test_an_instance_inside_itself_keeps_its_name() -> None:
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        dies = _unit(("A", [1]), ("B", [0]), ("C", [0, 3]), ("D", 4))
        names = {index: dies[index].name for index in order}
        assert names == {0: "A", 1: "B", 2: "C", 3: "D<4>"}


def test_an_argument_without_a_spelling() -> None:
    dies = _unit(("A", None), ("B", [0]), ("C", [3]), ("D<1>", 1), ("operator<", 2))
    assert [die.name for die in dies] == ["A", "B", "C<D<1> >", "D<1>", "operator<"]


def test_names_are_not_longer_than_the_limit() -> None:
    """Each instance has the one before it twice."""
    dies = _unit(("T", 1), *(("T", [index, index]) for index in range(60)))
    names = [die.name or "" for die in reversed(dies)][::-1]
    full = [name for name in names if name != "T"]
    assert all(2 * len(one) < len(two) for one, two in pairwise(full))
    assert 10 < len(full) < 20 and names[: len(full)] == full and len(full[-1]) <= 1 << 16


def test_long_names_of_many_instances_are_bounded() -> None:
    dies = _unit(("N" * 3_000, [1]), ("M" * 3_000, 1), *(("T", [0] * 10) for _ in range(1_200)))
    names = [die.name or "" for die in dies]
    assert names[2].startswith("T<N") and set(names[-10:]) == {"T"}
    assert sum(map(len, names)) <= 1 << 26
    assert UNKNOWN_NAME not in NamedEntries(dies[0].unit).by_name


_ARGUMENTS = (
    *_INSTANCES,
    Shape(dw.TAG_BASE_TYPE, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_BYTE_SIZE, dw.FORM_UDATA))),
    Shape(dw.TAG_SUBROUTINE_TYPE, (), True),
    Shape(dw.TAG_FORMAL_PARAMETER, ((dw.AT_TYPE, dw.FORM_REF4),)),
    Shape(dw.TAG_UNSPECIFIED_PARAMETERS),
    Shape(dw.TAG_ARRAY_TYPE, ((dw.AT_TYPE, dw.FORM_REF4),), True),
    Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
)
_FIRST = 12 + 2
"""The offset of the first entry."""


def _instances_of(first: bytes, parameter: bytes, count: int = 1) -> list[Die]:
    """Classes with one argument, after the entry at `_FIRST`, which it refers to."""
    body = b"\1\x21" + first + (b"\2B\0" + parameter + b"\0") * count + b"\0"
    info = debug_info(file_of(body, _ARGUMENTS))
    return list(info.units[0].root.children({dw.TAG_STRUCTURE_TYPE}))


@pytest.mark.parametrize("size_bytes", [0, 17, 3_000, 1 << 28, 1 << 60])
def test_values_of_wide_types_are_not_spelled(size_bytes: int) -> None:
    base = b"\5unsigned int\0" + encode_uleb(size_bytes)
    for value in (-1, -5):
        parameter = b"\4" + _FIRST.to_bytes(4, "little") + encode_sleb(value)
        (instance,) = _instances_of(base, parameter)
        assert instance.name == "B"
    (instance,) = _instances_of(b"\5unsigned int\0\4", parameter[:5] + encode_sleb(-1))
    assert instance.name == "B<4294967295U>"


@pytest.mark.parametrize(
    "argument",
    [
        b"\6" + b"\x08" * 20_000 + b"\0",  # ( ..., ..., ... )
        b"\x09" + _FIRST.to_bytes(4, "little") + b"\x0a\1" * 20_000 + b"\0",  # [1][1][1]
    ],
    ids=["parameters", "dimensions"],
)
def test_large_arguments_are_not_read_for_each_instance(
    argument: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: list[str] = []
    count = _Speller.count

    def counted(self: _Speller, text: str) -> None:
        parts.append(text)
        count(self, text)

    monkeypatch.setattr(_Speller, "count", counted)
    monkeypatch.setattr(template_arguments, "_MAX_PARTS", 100_000)
    instances = _instances_of(argument, b"\3" + _FIRST.to_bytes(4, "little"), 2_000)
    assert {instance.name for instance in instances} == {"B"}
    assert len(parts) < 150_000


def test_a_limit_on_names_is_said(
    builds: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`where` and the prompt list instances without their arguments; looking for one fails."""
    monkeypatch.setattr(template_arguments, "_MAX_PARTS", 2)
    said = "its templates are too long: instances after the limit have names without arguments"
    done = run("where", builds[0], "deep", "either")
    assert said in done.out and done.out.count(said) == 1 and done.status == 1
    done = run("where", "--json", builds[0], "deep", "either")
    assert said in json.loads(done.out)["problems"][-1]["message"]
    shown = run("debug", "--batch", "-ex", "whatis deep", "-ex", "whatis either", builds[0])
    assert said in shown.err and shown.err.count(said) == 1
    missing = run("debug", "--batch", "-ex", "whatis either", "-ex", "p Hidden<int>", builds[0])
    assert "Not searched: LimitExceeded: unit at 0x" in missing.err and said in missing.err


def test_a_function_that_takes_itself_is_not_spelled() -> None:
    itself = _FIRST.to_bytes(4, "little")
    (instance,) = _instances_of(b"\6\7" + itself + b"\0", b"\3" + itself)
    assert instance.name == "B"


def test_many_arguments_are_not_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """An instance with long names as its arguments has no more of them spelled than fit."""
    spelled: list[int] = []
    name = _Speller.name

    def watched(self: _Speller, die: Die) -> str:
        spelled.append(die.offset)
        return name(self, die)

    monkeypatch.setattr(_Speller, "name", watched)
    dies = _unit(("N" * 3_000, 1), ("T", [0] * 5_000))
    assert dies[1].name == "T" and len(spelled) == 65_536 // 3_004 + 1


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The offsets of the instances that are spelled, or are tried to be."""
    offsets: list[int] = []
    spelled = TemplateNames.spelled

    def watched(self: TemplateNames, die: Die, name: str, level: int = 0) -> tuple[str, int]:
        offsets.append(die.offset)
        return spelled(self, die, name, level)

    monkeypatch.setattr(TemplateNames, "spelled", watched)
    return offsets


@pytest.mark.parametrize("is_reversed", [False, True])
def test_instances_are_not_deeper_than_the_limit(is_reversed: bool, counted: list[int]) -> None:
    dies = _unit(("T", 1), *(("T", [index]) for index in range(3_000)))
    names = [die.name or "" for die in (reversed(dies) if is_reversed else dies)]
    names = names[::-1] if is_reversed else names
    assert [name.count("<") for name in names] == [*range(1, 101), *([0] * 2_901)]
    assert len(counted) < 5 * len(dies)


def test_a_long_circle_of_instances(counted: list[int]) -> None:
    dies = _unit(*(("T", [(index + 1) % 1_000]) for index in range(1_000)), ("T", 1))
    assert [die.name for die in dies] == ["T"] * 1_000 + ["T<1>"]
    assert len(counted) < 5 * len(dies)


def test_each_instance_is_spelled_once(counted: list[int]) -> None:
    dies = _unit(("T", 1), *(("T", [index, index]) for index in range(8)))
    for _ in range(3):
        assert all((die.name or "").endswith(">") for die in reversed(dies))
    assert len(counted) < 6 * len(dies)


@pytest.mark.parametrize("others", [[], ["B"], ["B<int>"]])
def test_unreadable_names_are_searched_once(
    others: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of most instances are in a `.debug_str` that cannot be decompressed."""
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_NAME, dw.FORM_STRP),), True),
        Shape(dw.TAG_TEMPLATE_TYPE_PARAMETER, ((dw.AT_NAME, dw.FORM_STRING),)),
        Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_NAME, dw.FORM_STRING),), True),
    )
    parameter = b"\3T\0\0"
    body = b"\1\x21" + (b"\2" + bytes(4) + parameter) * 40
    body += b"".join(b"\4" + name.encode() + b"\0" + parameter for name in others)
    strings = damaged(b"Box\0", "end")
    (unit,) = debug_info(file_of(body + b"\0", shapes, {".debug_str": strings})).units
    searches: list[Container[int]] = []
    search = Tree.with_tags

    def counted(tree: Tree, tags: Container[int]) -> list[int]:
        searches.append(tags)
        return search(tree, tags)

    monkeypatch.setattr(Tree, "with_tags", counted)
    names = NamedEntries(unit)
    assert len(names.by_name[UNKNOWN_NAME]) == 40
    expected = [name if "<" in name else f"{name}<void>" for name in others]
    assert [name for name in names.by_name if name != UNKNOWN_NAME] == expected
    assert unit.has_bare_templates is ("B" in others)
    assert len(searches) == 1


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("f< 9u>", "f<9>"),
        ("f<(int) 9>", "f<9>"),
        ("f<a,  'x'>", "f<a,(char)120>"),
        ("f<a,  (char) 120>", "f<a,(char)120>"),
        (f"f<{'9' * 5_000}u>", f"f<{'9' * 5_000}u>"),  # no number of a program
    ],
)
def test_a_value_has_one_spelling(name: str, same: str) -> None:
    assert comparable(name) == same


def test_blanks_in_a_name_are_gone_through_once() -> None:
    """The search for a value begins at the first of them alone: one from each of 30,000 blanks to
    their end took 9 s."""
    name = "f<   9u>"
    assert [_LITERAL.match(name, at) is not None for at in range(2, 6)] == [
        True,
        False,
        False,
        True,
    ]
