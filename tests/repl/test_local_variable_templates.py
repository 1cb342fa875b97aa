"""Instances of variable templates that are local to a file, at the prompt."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.repl.side_by_side import answers, build

SOURCE = """\
#include <stdlib.h>
namespace { template <int I> int tv = I * 2; template <class T> T ty = 3; }
template <int I> int gv = I * 3; template <int I> static int st = I * 5;
namespace n { namespace { template <int I> int in = I; } }
int main() {
  static int st = 99;
  int sum = tv<4> + tv<6> + gv<5> + ty<short> + ty<long> + ::st<2> + ::st<3> + n::in<7> + st;
  if (sum) abort(); }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_an_instance_is_named_with_its_arguments(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """The values are those that the source initializes. g++ describes each as `tv`, and does not
    say which is `tv<4>`: its symbol does."""
    build(tmp_path, {"a.cpp": SOURCE}, [[tool(compiler), "-g", "-O0", "-o", "a", "a.cpp"]])
    expected = {
        "tv<4>": "8", "tv<6>": "12", "gv<5>": "15", "ty<short>": "3", "sizeof(ty<short>)": "2",
        "sizeof(ty<long>)": "8", "st<2>": "10", "st<3>": "15", "n::in<7>": "7",
        "(anonymous namespace)::tv<6>": "12", "::st<3>": "15", "tv<4> + tv<6>": "20",
    }  # fmt: skip
    commands = [f"print {name}" for name in expected]
    given = answers(None, [str(tmp_path / "a")], commands)
    shown = [answer.partition(" = ")[2].split("\n")[0] for answer in given]
    assert dict(zip(expected, shown, strict=True)) == expected
    for name in ("tv<5>", "tv", "ty<int>", "st<4>", "gv<6>"):
        (answer,) = answers(None, [str(tmp_path / "a")], [f"print {name}"])
        assert f'No symbol "{name}" in current context.' in answer


CONSTANTS = """\
namespace geo { template <class T> constexpr T tau = T(6.5); }
namespace one { template <class T> constexpr T same = T(7); }
namespace other { template <class T> constexpr T tau = T(8); }
template <class T> constexpr T pi = T(3.25);
int main() {
  const double &r = geo::tau<double>, &p = pi<double>;
  const int &i = geo::tau<int>, &s = one::same<int>, &o = other::tau<int>;
  const unsigned &u = one::same<unsigned>;
  return r + i + geo::tau<float> + s + o + u + p + pi<int>; }
"""


def test_a_constant_has_the_arguments_of_the_only_symbol_with_its_contents(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """g++ gives constants in a namespace no address: the symbols of the file have their values,
    each that of one constant. Two with one size and value cannot be distinguished."""
    program = [str(tmp_path / "a")]
    build(tmp_path, {"a.cpp": CONSTANTS}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    expected = {
        "print geo::tau<double>": "$1 = 6.5", "whatis geo::tau<double>": "type = const double",
        "print geo::tau<float>": "$2 = 6.5", "print geo::tau<int>": "$3 = 6",
        "whatis geo::tau<int>": "type = const int", "print other::tau<int>": "$4 = 8",
        "print one::same<int>":
            "'one::same<int>' has unknown type; cast it to its declared type",
    }  # fmt: skip
    given = answers(None, program, [*expected])
    shown = [answer.partition("\n")[2].rstrip("\n") for answer in given]
    assert dict(zip(expected, shown, strict=True)) == expected
    several, unknown = answers(None, program, ["print geo::tau", "print one::same"])
    before, _, names = several.rstrip("\n").partition(" Instances of a template of that name: ")
    assert before.endswith('No symbol "tau" in namespace "geo".')
    assert sorted(names.split(", ")) == ["geo::tau<double>", "geo::tau<float>", "geo::tau<int>"]
    assert 'No symbol "same" in namespace "one".' in unknown


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_the_address_of_a_constant_is_that_of_its_symbol(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """GDB does not know the names. The references in `main` refer to the same objects."""
    build(tmp_path, {"a.cpp": CONSTANTS}, [[tool(compiler), "-g", "-O0", "-o", "a", "a.cpp"]])
    expected = {
        "print *&geo::tau<double>": "$1 = 6.5", "whatis &geo::tau<double>": "type = const double *",
        "info symbol &geo::tau<double>": "geo::tau<double> in section .rodata",
        "print *&other::tau<int>": "$2 = 8", "info symbol &pi<double>":
            "pi<double> in section .rodata",
    }  # fmt: skip
    if compiler == "g++":  # clang has no object of it: no reference refers to it
        expected["print *&geo::tau<float>"] = "$3 = 6.5"
    given = answers(None, [str(tmp_path / "a")], [*expected])
    shown = [answer.partition("\n")[2].partition("\n")[0] for answer in given]
    assert dict(zip(expected, shown, strict=True)) == expected
    begun = ("output &", "info address", "info line")
    commands = [f"{command} geo::tau<double>" for command in begun]
    pointer, described, declared = answers(None, [str(tmp_path / "a")], commands)
    (address,) = re.findall(r"\) (0x[0-9a-f]+)", pointer)
    assert f'Symbol "geo::tau<double>" is static storage at address {address}.' in described
    assert f"is at address {address} <geo::tau<double>> but contains no code." in declared


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_an_instance_has_its_arguments_in_info_address(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    text = (
        "namespace n { template <class T> T v = T(6.5); template <class T, int N> T a[N] = {1}; }\n"
        "template <class T> T g = T(9);\n"
        "int main() { return n::v<double> + n::v<int> + g<unsigned char> + n::a<int, 3>[0]; }\n"
    )
    build(tmp_path, {"a.cpp": text}, [[tool(compiler), "-g", "-O0", "-o", "a", "a.cpp"]])
    names = ("n::v<double>", "n::v<int>", "g<unsigned char>")
    commands = [f"{command}{name}" for name in names for command in ("info address ", "print &")]
    commands += ["info address g<char unsigned>", "info address n::a<int,3>"]
    files = [str(tmp_path / "a")]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    for answer in answers(None, files, ["print n::v", "print &n::v"]):
        assert answer.splitlines()[1].startswith('No symbol "v" in namespace "n".')
        assert "Did you mean" not in answer


def test_a_suggested_name_of_a_namespace_can_be_typed(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    text = (
        "namespace geo { int yearly = 7; template <class T> T pie = T(3);\n"
        "int inside() { return yearly + pie<int>; } }\n"
        "int main() { return geo::inside() + geo::yearly; }\n"
    )
    build(tmp_path, {"a.cpp": text}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    expected = {
        "main": {"pif<int>": [], "pie<int>": ["geo::pie<int>"], "yearlx": []},
        "geo::inside": {"pif<int>": ["pie<int>"], "yearlx": ["yearly"]},
    }
    for function, suggested in expected.items():
        (line,) = answers(None, [str(tmp_path / "a")], [f"info line {function}"])
        (pc,) = re.findall("starts at address (0x[0-9a-f]+)", line)
        for name, names in suggested.items():
            done = run("eval", tmp_path / "a", "--pc", pc, name)
            assert re.findall('Did you mean "(.*)"', done.error) == names


def test_a_suggested_name_can_be_typed_without_a_program_location(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    text = (
        "namespace geo { struct S { static int counter; }; int S::counter = 1;\n"
        "template <class T> T pie = T(3); static int hidden = 2; }\n"
        "static int hidden = 4;\n"
        "int main() { return geo::S::counter + geo::pie<int> + geo::hidden + hidden; }\n"
    )
    build(tmp_path, {"a.cpp": text}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    for name, suggested in (
        ("coutner", "geo::S::counter"),
        ("pei", "geo::pie<int>"),
        ("hiddne", "hidden"),
    ):
        done = run("eval", tmp_path / "a", name)
        assert re.findall('Did you mean "(.*)"', done.error) == [suggested]
        assert run("eval", tmp_path / "a", suggested).status == 0


def test_constants_of_two_files_of_one_name_are_not_distinguished(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Neither symbols nor entries say which of the two folders they are of."""
    (tmp_path / "b").mkdir()
    source = "namespace n { template <class T> constexpr T v = T(6.5); }\n"
    sources = {
        "a.cpp": source + "int f(); int main() { return f() + n::v<int>; }\n",
        "b/a.cpp": source + "int f() { const int &r = n::v<int>; return r + n::v<char>; }\n",
    }
    build(tmp_path, sources, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp", "b/a.cpp"]])
    (answer,) = answers(None, [str(tmp_path / "a")], ["print n::v<int>"])
    assert "'n::v<int>' has unknown type" in answer


LARGE = """\
struct A { int a[SIZE]; };
namespace n { template <class T> constexpr A v = {{sizeof(T)}}; }
const A *all[] = {&n::v<int>, &n::v<unsigned>, &n::v<char>};
int main() { return all[0]->a[0]; }
"""


def test_constants_of_several_sizes_are_each_that_of_a_symbol(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """One that is large does not hide those that are small. The values are those of the source."""
    source = (
        "template <int N> struct Big { int d[N]; };\n"
        "namespace { template <int N> constexpr Big<N> tab = {{N, 9}}; }\n"
        "int use(const void *p) { return p != 0; }\n"
        "int main() { return use(&tab<4>) + use(&tab<8>) + use(&tab<30000>); }\n"
    )
    build(tmp_path, {"a.cpp": source}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    counts = (4, 8, 30_000)
    given = answers(None, [str(tmp_path / "a")], [f"print tab<{n}>.d[0]" for n in counts])
    shown = [int(answer.partition(" = ")[2]) for answer in given]
    assert shown == [*counts]


@pytest.mark.parametrize("count", [0, 1_000])
def test_symbols_of_one_large_section_are_not_all_compared(
    tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """A file may have any number of them. Each would be that of an entry: they are of none."""
    sizes: list[int] = []
    bytes_at = ObjectFile.memory_bytes

    def counted(file: ObjectFile, address: int, size_bytes: int) -> bytes | None:
        sizes.append(size_bytes)
        return bytes_at(file, address, size_bytes)

    monkeypatch.setattr(ObjectFile, "memory_bytes", counted)
    names = [f"_ZN1n1vIA{number}_iEE" for number in range(1, count + 1)]
    aliases = "".join(
        f".set {name}, _ZN1n1vIiEE\n.type {name}, %object\n.size {name}, 40000\n" for name in names
    )
    sources = {"a.cpp": LARGE + f'asm(R"(\n{aliases})");\n'}
    build_line = [tool("g++"), "-DSIZE=10000", "-g", "-O0", "-o", "a", "a.cpp"]
    build(tmp_path, sources, [build_line])
    (answer,) = answers(None, [str(tmp_path / "a")], ["print n::v<char>.a[0]"])
    assert answer.endswith(" = 1\n") == (not count)
    assert 3 <= sizes.count(40_000) < 6


def test_instances_without_symbols_have_no_known_arguments(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """An optimizer leaves no symbols: the entries alone do not say which is `tau<double>`."""
    build(tmp_path, {"a.cpp": CONSTANTS}, [[tool("g++"), "-g", "-O2", "-o", "a", "a.cpp"]])
    (answer,) = answers(None, [str(tmp_path / "a")], ["print geo::tau"])
    assert '"geo::tau" is a template of 3 variables' in answer


def test_a_template_of_the_own_file_hides_a_static_variable_of_another(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Each name that libm has for itself was that of glibc; `pi<int>` had a note on it."""
    sources = {
        "a.cpp": "template <class T> constexpr T pi = T(3.25);\n"
        "const int *f(), *g(); int main() { return *f() + *g() + pi<int>; }\n",
        "b.cpp": "static const int pi = 77; const int *f() { return &pi; }\n",
        "c.cpp": "static const int pi = 78; const int *g() { return &pi; }\n",
    }
    build(tmp_path, sources, [[tool("g++"), "-g", "-O0", "-o", "a", *sources]])
    commands = ["list main", "print pi<int>", "print pi", "print 'a.cpp'::pi", "print 'b.cpp'::pi"]
    given = answers(None, [str(tmp_path / "a"), "--pc", "main"], commands)
    shown = [answer.partition("\n")[2] for answer in given[1:]]
    names = " Instances of a template of that name: pi<int>\n"
    assert shown == [
        "$1 = 3\n",
        'No symbol "pi" in current context.' + names,
        'No symbol "pi" in specified context.' + names,
        "$2 = 77\n",
    ]


MEMBERS = """\
namespace ab {
struct K { int v; template<class T> static T w; struct In { template<class T> static T deep; }; };
template<class T> T K::w = T(7); template<class T> T K::In::deep = T(9);
template<class T> T plain = T(3);
}
template <class U> struct Tm { int v; template<class T> static T w; };
template<class U> template<class T> T Tm<U>::w = T(5);
int main() {
  ab::K k; ab::K::In in; Tm<int> tm; k.v = tm.v = 1;
  return ab::K::w<char> + ab::K::w<int> + ab::K::In::deep<long> + ab::plain<int> + Tm<int>::w<long>;
}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_static_member_templates(tmp_path: Path, tool: Callable[[str], str], compiler: str) -> None:
    """gcc has their instances outside of the classes, clang without arguments inside of them."""
    command = [tool(compiler), "-g", "-O0", "-w", "-o", "a", "a.cpp"]
    build(tmp_path, {"a.cpp": MEMBERS}, [command])
    files = [str(tmp_path / "a")]
    names = ("ab::K::w<char>", "ab::K::w<int>", "ab::K::In::deep<long>", "ab::plain<int>")
    commands = [f"{word} {name}" for word in ("whatis", "info address") for name in names]
    commands += [f"output {name}" for name in names] + [
        "print &ab::K::w<int>",
        "list ab::K::w<int>",
    ]
    commands += [
        "info variables w<",
        "info variables ^w",
        "info variables K::",
        "info variables deep",
    ]
    shown = answers(None, files, commands)
    note = "note: no state is given: writable memory has its initial contents\n"
    assert [text.replace(note, "") for text in shown] == answers(tool("gdb"), files, commands)


INLINE_MEMBERS = """\
struct K {
  template<class T> inline static T iw = T(3);
  template<class T> static constexpr T sc = T(7);
  static int plain;
};
namespace ns { template<class A> struct G { template<class B> static B gb; }; }
template<class A> template<class B> B ns::G<A>::gb = B(6);
int K::plain = 1;
const void *volatile sink;
int main() { sink = &K::sc<int>; return K::iw<long> + K::plain + ns::G<int>::gb<char>; }
"""


def test_inline_members_of_gcc(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """It describes instances of inline templates as declarations with a location or a value; that
    of a class template in a namespace was a symbol alone, as nothing has the name of the class."""
    command = [tool("g++"), "-g", "-O0", "-w", "-std=c++17", "-o", "a", "a.cpp"]
    build(tmp_path, {"a.cpp": INLINE_MEMBERS}, [command])
    files = [str(tmp_path / "a")]
    words = ("whatis", "output", "list", "info address")
    commands = [f"{word} K::{name}" for word in words for name in ("iw<long>", "sc<int>")]
    commands += ["info address ns::G<int>::gb<char>", "print &K::iw<long>"]
    commands += ["info variables iw", "info variables sc", "info variables plain"]
    shown = answers(None, files, commands)
    note = "note: no state is given: writable memory has its initial contents\n"
    assert [text.replace(note, "") for text in shown] == answers(tool("gdb"), files, commands)


SHARED = """\
struct K {
  template<class T> static inline T iw = T(17);
  template<class T> static inline const T cw = T(18);
};
namespace n { template<class A> struct G { template<class T> static inline T gw = T(19); }; }
inline int used() { return K::iw<long> + n::G<int>::gw<short> + K::cw<int>; }
inline const int *address() { return &K::cw<int>; }
"""


@pytest.mark.parametrize("options", [(), ("-O2",), ("-fPIC", "-shared")])
def test_inline_members_of_several_units(
    options: tuple[str, ...], tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Each unit of gcc that uses one has an entry of it, so that it was none of theirs; a constant
    that is optimized has no symbol."""
    include = '#include "h.h"\n'
    sources = {
        "h.h": SHARED,
        "a.cc": f"{include}int other();\nint main() {{ return used() + other() + *address(); }}\n",
        "b.cc": f"{include}int other() {{ return used() + *address(); }}\n",
    }
    compile_ = [tool("g++"), "-g", "-w", "-std=c++17", *options, "a.cc", "b.cc", "-o", "a"]
    build(tmp_path, sources, [compile_])
    files = [str(tmp_path / "a")]
    names = ["K::iw<long>", "n::G<int>::gw<short>", "K::cw<int>", "::K::iw< long >"]
    commands = [f"{word} {name}" for word in ("output", "whatis", "info address") for name in names]
    commands += ["output _ZN1K2iwIlEE", "output _ZN1K2cwIiEE", "output sizeof(K::iw<long>)"]
    shown = answers(None, files, commands)
    note = "note: no state is given: writable memory has its initial contents\n"
    assert [text.replace(note, "") for text in shown] == answers(tool("gdb"), files, commands)
