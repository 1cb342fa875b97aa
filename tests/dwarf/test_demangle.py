"""Mangled names of C++ (Itanium C++ ABI 5.1) as people write them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.names.demangle import demangled, demangled_name
from dwarfgpu.dwarf.names.type_names import canonical_in


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("_Z1fv", "f()"),
        ("_Z1fi", "f(int)"),
        ("_Z7größePf", "größe(float*)"),  # lengths count the bytes of UTF-8, as c++filt takes them
        ("_ZN7größe1fIiEEvi", "void größe::f<int>(int)"),
        ("_Z2größePf", None),  # the name ends inside a character
        ("_Z1fS\xc3_", None),
        ("_Z1\udcff", None),
        ("_Z3foo3bar", "foo(bar)"),
        ("_Zrm1XS_", "operator%(X, X)"),
        ("_ZplR1XS0_", "operator+(X&, X&)"),
        ("_ZlsRK1XS1_", "operator<<(X const&, X const&)"),
        ("_ZN3FooC1Ev", "Foo::Foo()"),
        ("_ZN2ns3FooD2Ev", "ns::Foo::~Foo()"),
        ("_ZN3FoocvNS_3BarEEv", "Foo::operator Foo::Bar()"),
        ("_ZNK1A1fEv", "A::f() const"),
        ("_ZNKR1A1fEz", "A::f(...) const &"),
        ("_ZNVK1A1fEv", "A::f() const volatile"),
        ("_ZNK1AdeB2abEv", "A::operator*[abi:ab]() const"),
        ("_ZNK1AcvbB2abEv", "A::operator bool[abi:ab]() const"),
        ("_ZN1AC1B2abEv", "A::A[abi:ab]()"),
        ("_ZN1A1fI1BEEvPA_i", "void A::f<B>(int (*) [])"),
        ("_Z1fIiERA4_KcOT_", "char const (&f<int>(int&&)) [4]"),
        ("_Z1fIiEPFviEv", "void (*f<int>())(int)"),
        ("_Z1fI1BIPFvvEEEiv", "int f<B<void (*)()> >()"),
        ("_ZZ4mainENKUlOT_T0_E_clIiiEEii",
         "int main::{lambda(auto:1&&, auto:2)#1}::operator()<int, int>(int) const"),
        ("_Z1fILi1EEv1AIXT_EE", "void f<1>(A<1>)"),
        ("_Z1fILi1EEv1AIXplT_Li1EEE", None),  # an expression
        ("_Z1fIiEvi", "void f<int>(int)"),
        ("_ZN5StackIiiE5levelE", "Stack<int, int>::level"),
        ("_Z5firstI3DuoEvS0_", "void first<Duo>(Duo)"),
        ("_Z1fILb1ELj3ELm4ELin5EEvv", "void f<true, 3u, 4ul, -5>()"),
        ("_Z1fPFvvEM1AFivE", "f(void (*)(), int (A::*)())"),
        ("_Z1fRA3_KiPA2_A4_d", "f(int const (&) [3], double (*) [2][4])"),
        ("_ZN2ns1fESt6vectorIiSaIiEE", "ns::f(std::vector<int, std::allocator<int> >)"),
        ("_ZNSsC1EPKc", "std::basic_string<char, std::char_traits<char>, "
         "std::allocator<char> >::basic_string(char const*)"),
        ("_ZN12_GLOBAL__N_11xE", "(anonymous namespace)::x"),
        ("_ZL5local", "local"),
        ("_ZZ4mainE1x_0", "main::x"),
        ("_ZZ4mainE1x__12_", "main::x"),
        ("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const"),
        ("_ZZZ4mainENUliE_clEiE2st", "main::{lambda(int)#1}::operator()(int)::st"),
        ("_ZZ4mainENKUlRiE11_clES_", "main::{lambda(int&)#13}::operator()(int&) const"),
        ("_ZZ4mainEN3$_0clEi", "main::$_0::operator()(int)"),
        ("_ZZ1fIiEiT_EN1SC1Ev", "f<int>(int)::S::S()"),
        ("_ZN3FooUt0_1mEv", "Foo::{unnamed type#2}::m()"),
        ("_ZZ4mainENKUlT_E_clIiEEDaS_",  # its own template parameter, then the argument
         "auto main::{lambda(auto:1)#1}::operator()<int>(int) const"),
        ("_ZZ1fvENKUlT_T0_E0_clIidEEDaS_S0_",
         "auto f()::{lambda(auto:1, auto:2)#2}::operator()<int, double>(int, double) const"),
        ("_ZZ1fvENKUlRKT_E_clIiEEDaS1_",
         "auto f()::{lambda(auto:1 const&)#1}::operator()<int>(int const&) const"),
        ("_ZZ1fvENKUlDpT_E_clIJidEEEDaS0_",
         "auto f()::{lambda((auto:1)...)#1}::operator()<int, double>(int, double) const"),
        ("_ZZ1fvENKUlOT_DpOT0_E_clIiJdEEEDaS0_S3_",
         "auto f()::{lambda(auto:1&&, (auto:2&&)...)#1}::operator()<int, double>(int&&, double&&) "
         "const"),
        ("_ZZZN5plainIiE3runEiENKUlT_E_clIiEEDaS1_ENKUliE_clEi",
         "plain<int>::run(int)::{lambda(auto:1)#1}::operator()<int>(int) const::"
         "{lambda(int)#1}::operator()(int) const"),
        ("_ZZZ4mainENKUlT_E2_clIiEEDaS_ENKUlS_E_clIiEEDaS_",
         "auto main::{lambda(auto:1)#4}::operator()<int>(int) const::{lambda(auto:1)#1}::"
         "operator()<int>(int) const"),
        ("_Z3runIZN1Q1mIlEEiT_EUlOS2_DpT0_E_EiS2_",
         "int run<Q::m<long>(long)::{lambda(auto:1&&, (auto:2)...)#1}>"
         "(Q::m<long>(long)::{lambda(auto:1&&, (auto:2)...)#1})"),
        ("_ZZN1Q1mIlEEiT_ENKUlOS1_DpT0_E_clIiJdcEEEDaS2_S4_",
         "auto Q::m<long>(long)::{lambda(auto:1&&, (auto:2)...)#1}::"
         "operator()<int, double, char>(int&&, double, char) const"),
        ("_ZZ4mainENKUlT_St6vectorIDtfp_ESaIS1_EEE_clIiEEDaS_S3_", None),  # an expression
        ("_ZZ1fIiEiT_ENKUlS0_E_clEi", None),  # the same, by substitution
        ("_ZZ4mainE1x_", None),
        ("_ZZ4mainENUli_clEi", None),
        ("_ZNK3lam3addMUliE_clEi", "lam::add::{lambda(int)#1}::operator()(int) const"),
        ("_ZNK1S1xMUlvE0_clEv", "S::x::{lambda()#2}::operator()() const"),
        # Of a lambda that initializes a variable, the parameters are those of the lambda: for gcc
        # 12, the variable is no substitution, for clang it is (ABI 5.1.8). GDB and the binutils
        # count one way: gl2 as the type of a parameter.
        (
            "_ZNK6lambdaMUliRK5NamedE_clEiS1_",
            "lambda::{lambda(int, Named const&)#1}::operator()(int, Named const&) const",
        ),
        (
            "_ZNK2ns2nlMUlPKc3BoxIiEE_clES1_S3_",
            "ns::nl::{lambda(char const*, Box<int>)#1}::operator()(char const*, Box<int>) const",
        ),
        (
            "_ZNK2ns2nlMUlPKc3BoxIiEE_clES2_S4_",
            "ns::nl::{lambda(char const*, Box<int>)#1}::operator()(char const*, Box<int>) const",
        ),
        (
            "_ZNK3gl2MUlT_E_clIlEEDaS_",
            "auto gl2::{lambda(auto:1)#1}::operator()<long>(long) const",
        ),
        (
            "_ZNK3recILi3EEMUlT_E_clIiEEDaS1_",
            "auto rec<3>::{lambda(auto:1)#1}::operator()<int>(int) const",
        ),
        (
            "_ZNKL3sl2MUlDpT_E_clIJilcEEEDaS0_",
            "auto sl2::{lambda((auto:1)...)#1}::operator()<int, long, char>(int, long, char) const",
        ),
        ("_ZN2nlMUlPKcE_4_FUNES1_", None),  # nothing decides
        (
            "_ZZN2ns1S3defEiiEd0_NKUliE_clEi",
            "ns::S::def(int, int)::{default arg#2}::{lambda(int)#1}::operator()(int) const",
        ),
        (
            "_ZZN1GC4EiEd_NKUlvE_clEv",
            "G::G(int)::{default arg#1}::{lambda()#1}::operator()() const",
        ),
        ("_Z4callIXtlZ4mainEUliE_EEEii", "int call<main::{lambda(int)#1}{}>(int)"),
        (
            "_ZTAXtlZ4mainEUlT_E0_EE",
            "template parameter object for main::{lambda(auto:1)#2}{}",
        ),
        (
            "_ZSt10__invoke_rIiRZ4mainEUliE2_JiEENSt9enable_ifIX16is_invocable_r_vIT_T0_DpT1_EES3_E4"
            "typeEOS4_DpOS5_",
            "std::enable_if<is_invocable_r_v<int, main::{lambda(int)#4}&, int>, int>::type "
            "std::__invoke_r<int, main::{lambda(int)#4}&, int>(main::{lambda(int)#4}&, int&&)",
        ),
        ("_ZTV1X", "vtable for X"),
        ("_ZTC2VD0_2VL", "construction vtable for VL-in-VD"),
        ("_ZTIN2ns3BoxIiLi2EEE", "typeinfo for ns::Box<int, 2>"),
        ("_ZTSi", "typeinfo name for int"),
        ("_ZTT1X", "VTT for X"),
        ("_ZGVZ1fiE1x", "guard variable for f(int)::x"),
        ("_ZTWN1R2tlE", "TLS wrapper function for R::tl"),
        ("_ZTH1a", "TLS init function for a"),
        ("_ZThn8_N1A1fEv", "non-virtual thunk to A::f()"),
        ("_ZTv0_n24_N1AD1Ev", "virtual thunk to A::~A()"),
        ("_Z1fB5cxx11v", "f[abi:cxx11]()"),
        ("_Z1fIJidEEvDpT_", "void f<int, double>(int, double)"),
        ("_Z1gIJEEvDpT_", "void g<>()"),
        ("_Z1gIJicEEv1TIJDpT_EE", "void g<int, char>(T<int, char>)"),
        ("_Z1hIJLi1ELi2EEEv1NIJXspT_EEE", "void h<1, 2>(N<1, 2>)"),
        ("_Z1mIcJidEEvT_DpRKT0_", "void m<char, int, double>(char, int const&, double const&)"),
        ("_Z1kIJidEEvDpOT_DpS0_", "void k<int, double>(int&&, double&&, int, double)"),
        ("_Z1kIJidEEvDpOT_S1_", None),  # the same pack in another place
        ("_Z1kIJidEEvT_", None),
        ("_Z1kIJidEJcEEvDp1AIT_T0_E", None),  # packs of two sizes
        ("_Z1nRA3_KiRKPFvvE", "n(int const (&) [3], void (* const&)())"),
        ("_Z1rISt5ratioILl1ELl1000000000EEEvv", "void r<std::ratio<1l, 1000000000l> >()"),
        ("main", None),
        ("_Z", None),
        ("_Z5f", None),
        ("_Z\u00b2ab", None),
        ("_Z1fIiES\u00b2_", None),
        ("_Z1fS_", None),
        ("_Z1fT_", None),
        ("_ZN1fEE", None),
        ("_Z" + "N1a" * 2000, None),
        ("_Z1f" + "P" * 3000 + "i", None),
        ("_Z1f" + "1AI" * 1000, None),
        ("_Z1fI" + "J" * 3000, None),
        ("_Z" + "GTt" * 1300, None),
        ("_Z" + "Z" * 3000, None),
    ],
)  # fmt: skip
def test_demangled(symbol: str, text: str | None) -> None:
    assert demangled(symbol) == text


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("_ZN2ns1fEi", "ns::f"),
        ("_ZNK1a1b1T3getIlEET_S3_", "a::b::T::get<long>"),
        ("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()"),
        ("_ZTV1X", None),
        ("_ZN2ns1fEi?", None),
        ("main", None),
        # Inherited constructors: the name is that of the base.
        ("_ZN2ns1BCI1NS_1AEEi", "ns::B::A"),
        ("_ZN2ns1BIiECI2NS_1AIiEEEi", "ns::B<int>::A"),
        ("_ZN2ns1BIiECI2NS_1AIiEEIJlEEEDpT_", "ns::B<int>::A<long>"),
    ],
)
def test_names_without_parameters(symbol: str, text: str | None) -> None:
    assert demangled_name(symbol) == text


def test_what_doubles_is_bounded() -> None:
    """Substitutions make a name of n letters 2**n long."""
    pairs = "".join(f"3BoxIS{index}_S{index}_E" for index in "13579BDFHJLNPRTVXZ")
    assert demangled(f"_Z1f1A3BoxIS_S_E{pairs[:24]}") is not None
    assert demangled(f"_Z1f1A3BoxIS_S_E{pairs}") is None


def test_against_the_binutils(tool: Callable[[str], str]) -> None:
    """What is read of the symbols of libstdc++ is what c++filt writes."""
    libraries = sorted(Path("/usr/lib").glob("*/libstdc++.so.6"))
    if not libraries:
        pytest.skip("there is no libstdc++")
    listed = subprocess.run(
        [tool("nm"), "-D", "--defined-only", "--format=posix", str(libraries[0])],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    symbols = sorted({line.split()[0].split("@")[0] for line in listed.stdout.splitlines()})
    symbols = [symbol for symbol in symbols if symbol.startswith("_Z")]
    written = subprocess.run(
        [tool("c++filt")],
        input="\n".join(symbols), capture_output=True, text=True, check=True,
    )  # fmt: skip
    pairs = [*zip(symbols, written.stdout.splitlines(), strict=True)]
    read = [(symbol, theirs, demangled(symbol)) for symbol, theirs in pairs]
    different = [item for item in read if item[2] is not None and item[1] != item[2]]
    assert different == []
    assert sum(item[2] is not None for item in read) > 0.98 * len(read)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("int", "int"),
        ("long unsigned int", "unsigned long"),
        ("short int", "short"),
        ("long long int", "long long"),
        ("__int128 unsigned", "unsigned __int128"),
        ("long double", "long double"),
        ("complex double", "complex double"),
        ("Box<const char*, 3>", "Box<char const*, 3>"),
        ("Box<const volatile long unsigned int *>", "Box<unsigned long const volatile*>"),
        ("Box<Box<int>>", "Box<Box<int> >"),
        ("Box<ns::E (*)(ns::P &, Box<int>)>", "Box<ns::E (*)(ns::P&, Box<int>)>"),
        ("Box<int [3]>", "Box<int [3]>"),
        ("Box<long int (C::*)(short int) const>", "Box<long (C::*)(short) const>"),
        ("Box<a::V<short int> (a::P<long int>::*)()>", "Box<a::V<short> (a::P<long>::*)()>"),
        ("Box<const long int C::*const *>", "Box<long const C::* const*>"),
        ("Box<int (C::*)[3]>", "Box<int (C::*) [3]>"),
        ("Box<int (*(C::*)(long int))[2]>", "Box<int (* (C::*)(long)) [2]>"),
        ("Box<long int (* (*)(long int))(short int)>", "Box<long (*(*)(long))(short)>"),
        ("Box<long int (*)(long int, ...)>", "Box<long (*)(long, ...)>"),
        ("Box<int (C::)(long int)>", "Box<int (C::)(long int)>"),
        ("Box<long int C>", "Box<long int C>"),
        ("Box<" + "(a::" * 3000, "Box<" + "(a::" * 3000),
        ("Box<5UL, -3, (unsigned char)'a'>", "Box<5ul, -3, (unsigned char)'a'>"),
        ("Box<(anonymous namespace)::X>", "Box<(anonymous namespace)::X>"),
        ("Box<>", "Box<>"),
        ("Box<lambda(int)#1>", "Box<lambda(int)#1>"),
        ("Box<", "Box<"),
        ("Box<" * 500, "Box<" * 500),
        ("Box<int,", "Box<int,"),
        ("Box<" + "(a)" * 3000, "Box<" + "(a)" * 3000),
        ("Box<a" + "(*" * 4000, "Box<a" + "(*" * 4000),
        ("Box<" + "a<" * 4000, "Box<" + "a<" * 4000),
        ("operator<", "operator<"),
        ("Box<short int, 4>::operator[]", "Box<short, 4>::operator[]"),
        ("Box<long int>::operator()", "Box<long>::operator()"),
        ("Box<long int>::operator(", "Box<long int>::operator("),
    ],
)
def test_canonical(name: str, text: str) -> None:
    """One spelling for all compilers; what is not understood stays as it is."""
    assert canonical(name) == text


@pytest.mark.parametrize(
    ("scope", "name", "text"),
    [
        ("Box<long int>::", "run", "Box<long>::run"),
        (
            "Box<long int>::",
            "run<f()::<lambda(long int)> >",
            "Box<long>::run<f()::<lambda(long int)> >",
        ),
        ("Box<long int>::In<<lambda()> >::", "run", "Box<long>::In<<lambda()> >::run"),
        ("Box<<lambda()> >::", "run<long int>", "Box<<lambda()> >::run<long int>"),
        ("", "run<<lambda()> >", "run<<lambda()> >"),
        (
            "Box<long int>::",
            "Of<int (C::*)(long int) &&>",
            "Box<long>::Of<int (C::*)(long int) &&>",
        ),
    ],
)
def test_classes_around_what_is_not_understood(scope: str, name: str, text: str) -> None:
    """GDB 13 reads the name of each class on its own: `Outer<unsigned long>::run<<lambda()> >`."""
    assert canonical_in(scope, name) == text


def test_types_have_other_names_inside() -> None:
    replaced = {"int": "T", "ns::Point": "U"}
    assert canonical("Box<int, ns::Point *, char>", replaced) == "Box<T, U*, char>"
