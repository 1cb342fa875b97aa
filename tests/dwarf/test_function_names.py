"""The names of functions in frames."""

from __future__ import annotations

import gc
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.ada_names import ada_function
from dwarfgpu.dwarf.names.demangle import demangled_function, demangled_name
from dwarfgpu.dwarf.names.function_names import (
    bare_name,
    full_function_name,
    is_read_by_gdb,
    name_in_frames,
    name_of_nameless,
    resolved_function_name,
)
from dwarfgpu.dwarf.scope.functions_by_name import function_symbols, functions_named
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.parameters import parameter_types
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_text
from dwarfgpu.dwarf.scope.symbol_list import listed_symbols
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Function
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.service.symbol import symbol_listing
from dwarfgpu.view.type_text import type_text
from tests.dwarf.builder import Shape, debug_info, file_of
from tests.language.sessions import FIXTURES, demo
from tests.work import calls_of

LAMBDAS = """\
struct Any {}; enum Op { REMOVE };
struct Manager { bool (*manages)(Any &, const Any &, Op); template <class F> Manager(F); };
template <class R, class F> struct Handler {
  static bool manage(Any &, const Any &, Op) { return true; }
};
template <class F> Manager::Manager(F) : manages(&Handler<int(int), F>::manage) {}
Manager f1 = [](int x) { return x; };
namespace ns { Manager f2 = [](int x) { return x + 1; }; }
int main() { return f1.manages == ns::f2.manages; }
"""


def test_lambdas_that_initialize_variables(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Whether the variable is a substitution does not matter for the class: its name says which
    lambda it is of, as that of an entry does not. The parameters are those of the entry: for GDB
    the second one is the lambda."""
    (tmp_path / "l.cpp").write_text(LAMBDAS)
    subprocess.run([tool("g++"), "-g", "l.cpp", "-o", "l"], cwd=tmp_path, check=True)
    code_object = CodeObject.open(tmp_path / "l")
    names = {
        symbol_text((code_object,), symbol.address)
        for symbol in code_object.file.symbols
        if "6manage" in symbol.name
    }
    parameters = "manage(Any&, Any const&, Op)"
    assert names == {
        f"Handler<int (int), {path}::{{lambda(int)#1}}>::{parameters}" for path in ("f1", "ns::f2")
    }
    shown = {name_in_frames(item.die) for item in functions_named(code_object, "manage")}
    assert shown == names


@pytest.mark.parametrize("program", ["types.gcc.O0.v5", "types.clang.O0.v5", "meanings.gcc.O0.v5"])
def test_names_in_frames(program: str) -> None:
    """As the symbols of the same functions have them."""
    session = demo(program)
    (code_object,) = session.code_objects
    different, compared = [], 0
    for symbol in code_object.file.symbols:
        expected = demangled_name(symbol.name)
        if expected is not None and "{lambda" in expected:  # as in GDB, with its parameters
            expected = demangled_function(symbol.name)
        if symbol.kind != "function" or expected is None:
            continue
        subprogram = code_object.scopes.subprogram_at(symbol.address)
        if subprogram is not None:
            compared += 1
            ours = name_in_frames(subprogram.die)
            if ours != expected:
                different.append((ours, expected))
    assert different == [] and compared > 10


def test_of_equal_functions_at_an_address_the_described_one_gives_the_name() -> None:
    """gcc puts several equal functions at one address, and describes one: as in GDB, that is the
    name of the address."""
    data = (FIXTURES / "x86_64/meanings.gcc.O0.v5").read_bytes()
    before, found, after = data.rpartition(b"\0_ZN2ns6insideEi\0")  # of the symbol table
    assert found
    renamed = CodeObject.of(ObjectFile("renamed", before + b"\0_ZN2ns6equal1Ei\0" + after))
    (symbol,) = renamed.file.symbols_named("_ZN2ns6equal1Ei")
    for offset, name in ((0, "ns::inside(int)"), (1, "ns::inside(int)+1")):
        assert symbol_text([renamed], symbol.address + offset) == name


def test_functions_of_ada() -> None:
    """The names that GDB finds, whatever code is in focus; GNAT writes `shapes__stop`."""
    code_object = CodeObject.open(FIXTURES / "ada/shapes.gcc.O0.v5")
    for name in ("shapes.stop", "Shapes.STOP", "stop", "shapes__stop"):
        entries = [function.entry for function in functions_named(code_object, name)]
        assert entries == [0x4626], name
    (function,) = functions_named(code_object, "stop")
    assert name_in_frames(function.die) == "shapes.stop"
    for written, shown in (
        ("_ada_s", "s"),
        ("p__q__2", "p.q"),
        ("p__q__r__2_1", "p.q.r"),
        ("p__q.7", "p.q"),
        ("p__q2", "p.q2"),
        ("p__pushX__2", "p.push"),
        ("p__pushXnb", "p.push"),
        ("p__Xpush", "<p__Xpush>"),
        ("lib__ttTB", "lib.tt"),
        ("lib__oneTKB", "lib.one"),
        ("lib__oneTK__w__show", "lib.one.w.show"),
        ("lib__tt__B_1__bk__show", "lib.tt.bk.show"),
        ("tt__pr__bumpN", "tt.pr.bump"),
        ("tt__pr__bumpP", "<tt__pr__bumpP>"),
        ("tt__prT__bump__v__show", "<tt__prT__bump__v__show>"),
        ("tt__pr__wait_E7s", "tt.pr.wait"),
        ("tt__pr__wait_E7b__v", "tt.pr.wait.v"),
        ("p__Oadd", 'p."+"'),
        ("p__Oadd__2", 'p."+"'),
        ("p__Oadder", "<p__Oadder>"),
        ("p__t___XDLU_0__9", "p.t"),
        ("p__t___foo", "<p__t___foo>"),
        ("___ghost_p__q", "p.q"),
        ("_p", "<_p>"),
        ("<p>", "<p>"),
    ):
        assert ada_function(written) == shown
    for name in ("op", "shape.stop", "shapes.stop.stop", "shapes..stop", "shapes.st"):
        assert functions_named(code_object, name) == (), name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("f(int)", True),
        ("f<int (*)(int)>(int (*)(int))", True),
        ("h<int (&) [3]>(int (&) [3])", True),
        ("m<int (S::*)(int) const>(int (S::*)(int) const)", True),
        ("g((anonymous namespace)::T<(char)97>)", True),
        ("operator<(A const&, B<int> const&)", True),
        ("std::operator<< <char>(A<B>&, char const*)", True),
        ("x::operator()<int>(int) const", True),
        ("applied(std::function<int (int)> const&, int)", False),
        ("std::_Function_handler<int(int), T>::_M_invoke(const std::_Any_data &)", False),
        ("k<void ()>::run()", False),
        ("main::{lambda(int)#1}::operator()(int) const", False),
        ("std::__invoke<main()::<lambda(int)>&, int>(int)", False),
        ("$_0::operator()(int) const", True),
        ("deep(int)::$_0::operator()(int, int) const", False),
        ("deep(int)::L::m(int)", False),
        ("S::m(int) const::L::f()", False),
        ("nul(decltype(nullptr))", False),
        ("any(...)", False),
        ("some(int, ...)", True),
        ("vector(int __vector(4))", False),
        ("complex(int _Complex)", False),
    ],
)
def test_names_that_gdb_reads(name: str, expected: bool) -> None:
    """From the others it does not remove the parameters, in frames."""
    assert is_read_by_gdb(name) is expected


def test_only_the_brackets_of_a_long_name_are_looked_at() -> None:
    is_read_by_gdb("f(C*)")  # what is done once
    assert calls_of(lambda: is_read_by_gdb(f"f({'C' * 10_000}*)")) < 100


THUNKS = """struct A { virtual ~A() {} virtual int f() { return 1; } int a; };
struct B : virtual A { virtual ~B() {} int f() override { return 2; } int b; };
struct C { virtual ~C() {} int c; };
struct D : C, B { ~D() override {} int f() override { return 3; } };
int main() { D d; return d.f(); }
"""


def test_thunks_of_clang_have_the_names_of_their_symbols(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """They are what GDB 13 lists for `info functions thunk`."""
    source, object_file = tmp_path / "thunks.cc", tmp_path / "thunks.o"
    source.write_text(THUNKS)
    command = [tool("clang-19"), "-g", "-O0", "-c", str(source), "-o", str(object_file)]
    subprocess.run(command, check=True, capture_output=True)
    info = CodeObject.open(object_file).info
    names = {symbol.name for symbol in listed_symbols(info, "functions")}
    assert {name for name in names if "thunk" in name} == {
        "non-virtual thunk to D::f()",
        "non-virtual thunk to D::~D()",
        "virtual thunk to B::f()",
        "virtual thunk to B::~B()",
        "virtual thunk to D::f()",
        "virtual thunk to D::~D()",
    }


def test_a_function_with_only_a_linkage_name() -> None:
    """Clang has such in coroutines; the names are those of GDB 13 and of `c++filt`."""
    mangled = b"_Z2goi.__await_suspend_wrapper__await"
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, 0x0B),), True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_LINKAGE_NAME, 0x08),)),
        Shape(dw.TAG_SUBPROGRAM, ()),
    ]
    info = debug_info(file_of(b"\x01\x04\x02" + mangled + b"\0\x03\0", shapes))
    function, nameless = list(info.die_at(0xC).children())
    assert name_of_nameless(function) == "go(int) [clone .__await_suspend_wrapper__await]"
    assert full_function_name(function) == name_of_nameless(function)
    assert name_of_nameless(nameless) == f"function {nameless.offset:#x}"


def test_functions_in_functions_of_cplusplus_are_listed_if_they_are_external() -> None:
    """So GDB 13 lists the lambdas of inline functions, not those of `main`."""
    code = (dw.AT_LOW_PC, 0x01), (dw.AT_HIGH_PC, 0x0B)
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, 0x0B),), True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, 0x08), *code), True),
        Shape(dw.TAG_LEXICAL_BLOCK, (), True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_LINKAGE_NAME, 0x08), (dw.AT_EXTERNAL, 0x19), *code)),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_LINKAGE_NAME, 0x08), *code)),
    ]
    at = b"\x10" + bytes(7) + b"\x01"
    languages: dict[int, set[str]] = {0x04: {"f(int)::L::m()"}, 0x0C: set()}  # C++ and C
    for language, inner in languages.items():
        body = b"".join(
            (
                bytes((1, language)),
                b"\x02f\0" + at + b"\x03",
                b"\x04_ZZ1fiEN1L1mEv\0" + at,
                b"\x05_ZZ1fiEN1L1nEv\0" + at,
                bytes(3),
            )
        )
        info = debug_info(file_of(body, shapes))
        names = {symbol.name for symbol in listed_symbols(info, "functions")}
        assert names - {"f", "f()", "f(void)"} == inner


def test_string_literals_of_clang_are_no_variables() -> None:
    """They have no names; GDB lists none."""
    info = CodeObject.open(FIXTURES / "x86_64/demo.clang.O0.v5").info
    listed = [*listed_symbols(info, "variables")]
    assert listed and all(symbol.die.name for symbol in listed)


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_functions_with_packs_and_several_template_arguments(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GCC puts the parameters of a pack below an entry of their own."""
    (tmp_path / "pack.cc").write_text(
        "template <class... T> int several(T... t) { return sizeof...(t); }\n"
        "template <class T, class U> U both(T t, U u) { return t + u; }\n"
        "struct S { template <class... T> int own(char c, T... t) const { return c; } };\n"
        "int main() { return several(1, 2.5f, (short)3) + several() + both(1, 2l)\n"
        "  + S().own(1, 2); }\n"
    )
    command = [tool(compiler), "-g", "pack.cc", "-o", "pack"]
    subprocess.run(command, cwd=tmp_path, check=True)
    program = CodeObject.open(tmp_path / "pack")
    names = {
        "several<int, float, short>(int, float, short)",
        "several<>()",
        "both<int, long>(int, long)",
        "S::own<int>(char, int) const",
    }
    for name in names:
        for text in (name.removesuffix(" const"), name.partition("(")[0]):
            (function,) = functions_named(program, text)
            assert function.name == name == resolved_function_name(function.die)
            assert parameter_types(function.die) == [
                item for item in name.split("(")[1].partition(")")[0].split(", ") if item
            ]
    assert functions_named(program, "several<int, float, short>(int, float)") == ()


def _built(folder: Path, compiler: str, source: str) -> CodeObject:
    """Build a program from C++ without optimization."""
    (folder / "a.cc").write_text(source)
    command = [compiler, "-g", "-O0", "a.cc", "-o", "a"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return CodeObject.open(folder / "a")


def test_the_dots_of_reordered_parameters_are_the_last(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GCC describes the parameter that it removed behind `...`. The name is that of GDB 13."""
    (tmp_path / "a.cc").write_text(
        "template <class F> [[gnu::noinline]] static int crash(int d, int &c, F &&fn, ...) {\n"
        "  if (c > 0) __builtin_abort(); return fn(2.5); }\n"
        "int main(int argc, char **) { int loc = argc;\n"
        "  return crash(3, loc, [loc](double q) { return (int)q + loc; }, 5) + 1; }\n"
    )
    command = [tool("g++"), "-g", "-O2", "a.cc", "-o", "a"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    program = CodeObject.open(tmp_path / "a")
    symbols = program.file.mangled_functions("crash")
    found = [program.scopes.subprogram_at(symbol.address) for symbol in symbols]
    names = {resolved_function_name(function.die) for function in found if function is not None}
    shown = "crash<main(int, char**)::<lambda(double)> >(int &, struct {...} &&, int, ...)"
    assert names == {shown.replace("int &", "int&")}


def test_functions_that_gcc_makes_for_a_local_class_are_not_shown(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GCC puts their code into the class: an entry whose origin says that the compiler made it."""
    program = _built(
        tmp_path,
        tool("g++"),
        "struct Held { int k; ~Held() {} };\n"
        "int main() { struct Local { Held held; int n; }; Local l{{1}, 2}; return l.n; }\n",
    )
    (function,) = functions_named(program, "main")
    (local,) = (die for die in function.die.children() if die.name == "Local")
    kind = types_of(local.unit).build(local)
    assert type_text(kind, cplusplus=True) == "struct Local {\n    Held held;\n    int n;\n}"


def test_names_inside_a_function_with_its_parameters(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """As in GDB, `g(int)::nosuch` is nothing: it was the function itself, also for `break`."""
    program = _built(
        tmp_path,
        tool("g++"),
        "int g(int n) { struct A { int k; int twice() { return 2 * k; } } a{n};\n"
        "  return a.twice(); }\n"
        "int g(char c) { struct A { char k[8]; } a{}; return a.k[0] + c; }\n"
        "int main() { return g(1) + g('c'); }\n",
    )
    (method,) = functions_named(program, "g(int)::A::twice")
    assert bare_name(method.die) == "A::twice"
    for name in ("g(int)::nosuch", "g(int)::A", "g(char)::A::twice", "g(long)::A::twice"):
        assert functions_named(program, name) == ()
        assert function_symbols(program, name) == ()
    for function, size_bytes in (("g(int)", 4), ("g(char)", 8)):
        lookup = NameLookup((program.info,), program.info.units[0])
        (kind,) = lookup.of(f"{function}::A")
        assert isinstance(kind, Die) and kind.integer(dw.AT_BYTE_SIZE) == size_bytes
        assert lookup.of(f"{function}::nosuch") == ()


def test_functions_of_one_name_are_bounded() -> None:
    at = (0x1000).to_bytes(8, "little") + (16).to_bytes(4, "little")
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOW_PC, dw.FORM_ADDR),
                                  (dw.AT_HIGH_PC, dw.FORM_DATA4))),
    )  # fmt: skip
    data = file_of(b"\1\x21" + (b"\2f\0" + at) * 30 + b"\0", shapes)
    limits = FileLimits(namesakes=20)
    program = CodeObject.of(ObjectFile("many", data, limits))
    with pytest.raises(LimitExceeded, match="more than 20 functions of a unit are named f"):
        functions_named(program, "f")
    assert functions_named(program, "g") == ()


def test_types_of_listed_functions_are_not_kept() -> None:
    """A list may have millions of them."""
    program = CodeObject.open(FIXTURES / "x86_64/bodies.gcc.O2.v5")
    before = _functions_in_memory()
    rows = [*listed_symbols(program.info, "functions")]
    texts = [symbol_listing.symbol_text(row) for row in rows]
    assert len(texts) > 3 and all(text.endswith(");") for text in texts)
    assert _functions_in_memory() == before


@pytest.mark.parametrize("language", [dw.LANG_RUST, dw.LANG_GO])
def test_parentheses_in_a_listed_name_are_no_parameters(language: int) -> None:
    """Only C++ has parameters in names."""
    at = (0x1000).to_bytes(8, "little") + (16).to_bytes(4, "little")
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOW_PC, dw.FORM_ADDR),
                                  (dw.AT_HIGH_PC, dw.FORM_DATA4)), True),
        Shape(dw.TAG_UNSPECIFIED_PARAMETERS),
    )  # fmt: skip
    name = "drop<(i32, &str)>"
    data = file_of(bytes((1, language, 2)) + name.encode() + b"\0" + at + b"\3\0\0", shapes)
    (row,) = listed_symbols(CodeObject.of(ObjectFile("listed", data)).info, "functions")
    assert symbol_listing.symbol_text(row) == f"static void {name}(...);"


def _functions_in_memory() -> int:
    gc.collect()
    return sum(isinstance(each, Function) for each in gc.get_objects())
