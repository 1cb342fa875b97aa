"""Mangled names of C++ (Itanium C++ ABI 5.1) as people write them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.dwarf.names import demangle
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.names.demangle import (
    demangled,
    demangled_clone,
    demangled_function,
    demangled_last,
    demangled_name,
    last_of_path,
    shown_symbol,
)
from dwarfgpu.dwarf.names.type_names import canonical_in
from tests.work import calls_of

ACTOR = "_Z1fPZ1fvE11_Z1fv.Frame"


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
        ("_Z1fILi1EEv1AIXplT_Li1EEE", "void f<1>(A<(1)+(1)>)"),
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
        (
            "_ZZ4mainENKUlT_St6vectorIDtfp_ESaIS1_EEE_clIiEEDaS_S3_",
            "auto main::{lambda(auto:1, std::vector<decltype ({parm#1}), std::allocator<decltype "
            "({parm#1})> >)#1}::operator()<int>(int, std::vector<decltype ({parm#1}), "
            "std::allocator<decltype ({parm#1})> >) const",
        ),
        # By substitution; compilers write the argument for a parameter of the function around.
        (
            "_ZZ1fIiEiT_ENKUlS0_iE0_clIlEEDaS0_i",
            "auto f<int>(int)::{lambda(auto:1, int)#2}::operator()<long>(long, int) const",
        ),
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
        ("_ZN2nlMUlPKcE_3runES1_", None),  # nothing decides
        # What a pointer to a lambda without captures leads to, of gcc and clang.
        (
            "_ZN4Cart1pMUlRK1MS2_E_4_FUNES2_S2_",
            "Cart::p::{lambda(M const&, M const&)#1}::_FUN(M const&, M const&)",
        ),
        (
            "_ZN4Cart1pMUlRK1MS3_E_8__invokeES3_S3_",
            "Cart::p::{lambda(M const&, M const&)#1}::__invoke(M const&, M const&)",
        ),
        (
            "_ZN2nlMUlPKcP1MS2_E_4_FUNES0_S2_S2_",
            "nl::{lambda(char const*, M*, M*)#1}::_FUN(char const*, M*, M*)",
        ),
        (
            "_ZN4Cart1gMUlT_P1MT0_E_8__invokeIP1QIS2_ES3_EEDaS1_S3_S4_",
            "auto Cart::g::{lambda(auto:1, M*, auto:2)#1}::__invoke<Q<M>*, M*>(Q<M>*, M*, M*)",
        ),
        ("_ZTIN1a1bMUlPiS1_E_E", "typeinfo for a::b::{lambda(int*, int*)#1}"),
        ("_ZTIN1a1bMUlPiS2_E_E", None),  # no such substitution either way
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
            "_ZSt10__invoke_rIiRZ4mainEUliE2_JiEENSt9enable_ifIX16is_invocable_r_vIT_T0_DpT1_"
            "EES3_E4"
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
        ("_Z1fIN1AanEEvOT_", "void f<A::operator&>(A::operator&&&)"),
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
        ("_Z1fDTclEE", None),  # a call of nothing
        ("_Z1fIiEDTcpEET_", None),
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


def test_plain_functions_are_read_as_by_the_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of simple parts has a reader of its own, which is never of another opinion."""
    random = Random(1)
    types = ["v", "i", "PKc", "Rd", "RKi", "PPPc", "OPc", "y", "P", "K", "z", "S_", "E", "1A", "g"]

    def part() -> str:
        text = "_GLOBAL__N_1" if random.random() < 0.05 else "".join(random.choices("aC_1", k=3))
        return f"{len(text) + (random.random() < 0.05)}{text}"

    symbols = set[str]()
    for _ in range(2_000):
        scopes = "".join(part() for _ in range(random.randint(1, 3)))
        name = random.choice([part(), f"N{random.choice(['', 'K', 'V', 'KR'])}{scopes}E"])
        symbols.add(f"_Z{name}{''.join(random.choices(types, k=random.randint(0, 3)))}")
    plain = {symbol: text for symbol in symbols if (text := demangle._plain_function(symbol))}
    assert len(plain) > 150
    monkeypatch.setattr(demangle, "_plain_function", lambda symbol: None)
    for read in (demangled, demangled_function):
        read.cache_clear()
        assert {symbol: read(symbol) for symbol in plain} == plain
        read.cache_clear()


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("_Z1fIiEDTcl1gIiEfp_EET_", "decltype ((g<int>)({parm#1})) f<int>(int)"),
        ("_Z1fIiEDTcldtfp_1gEET_", "decltype (({parm#1}.g)()) f<int>(int)"),
        (
            "_Z1fIJicEEDTcl1gspcvT_fp_EEDpS0_",
            "decltype (g((int){parm#1}, (char){parm#1})) f<int, char>(int, char)",
        ),
        ("_Z1fIiEDTcvT__Li1ELi2EEES0_", "decltype ((int)(1, 2)) f<int>(int)"),
        ("_Z2f2IiEDtsr1AIT_E1BE1yES0_", "decltype (A<int>::B::y) f2<int>(int)"),
        ("_Z2f8IiEDTclsr2nsE2nffp_EET_", "decltype (ns::nf({parm#1})) f8<int>(int)"),
        ("_Z1fIiEDTsr1AIT_E1xES0_", "decltype (A<int>::x) f<int>(A)"),
        ("_Z3f12I1ZEDtsrNT_1AE1xES1_", "decltype (Z::A::x) f12<Z>(Z)"),
        ("_Z1fIiEv1AIXsr1BIT_E1gEE", "void f<int>(A<B<int>::g>)"),
        (
            "_Z3f17IiEDTcmgsnw_T_Egsdladfp_ES0_",
            "decltype ((::new int),(::delete (&{parm#1}))) f17<int>(int)",
        ),
        ("_Z1fIiEDTnwLi1E_T_piLi2EEES0_", "decltype (new (1) int(2)) f<int>(int)"),
        ("_Z1fIiEDTclonplfp_EET_", "decltype ((operator+)({parm#1})) f<int>(int)"),
        ("_Z1fIJicEEv1AIXsZT_EE", "void f<int, char>(A<2>)"),
        ("_Z1fIJicEEv1AIXsPLi1EicEEE", "void f<int, char>(A<3>)"),
        (
            "_Z5fold2IJLi1ELi2EEESt17integral_constantIiXfLplLi0ET_EEv",
            "std::integral_constant<int, ((0)+...+(1, 2))> fold2<1, 2>()",
        ),
        (
            "_Z5fold3IJLi1ELi2EEESt17integral_constantIiXflmlT_EEv",
            "std::integral_constant<int, (...*(1, 2))> fold3<1, 2>()",
        ),
        (
            "_Z5fold4IJLi1ELi2EEESt17integral_constantIbXfraagtT_Li0EEEv",
            "std::integral_constant<bool, ((((1, 2)>(0)))&&...)> fold4<1, 2>()",
        ),
        ("_Z1fIJicEEv1AIXfRplT_Li0EEE", "void f<int, char>(A<((int, char)+...+(0))>)"),
        ("_Z1fIiEDTpp_fp_ET_", "decltype (++{parm#1}) f<int>(int)"),
        ("_Z1fIiEDTquppfp_fp_Li1EET_", "decltype (({parm#1}++)?{parm#1} : (1)) f<int>(int)"),
        ("_Z1fIiEDTscT_ixfp_Li1EES0_", "decltype (static_cast<int>({parm#1}[1])) f<int>(int)"),
        ("_Z1fIiEDTtlT_Li1Eil1aEEES0_", "decltype (int{1, {a}}) f<int>(int)"),
        ("_Z1fIXtl1Bdi1adi1bLi1EdxLi2ELi3EEEEvv", "void f<B{.a.b=(1), [2]=(3)}>()"),
        ("_Z1fIXadL_ZN1A1gEvEEEvv", "void f<&A::g>()"),
        ("_Z1fIXadL_ZNK1A1gEvEEEvv", "void f<&(A::g() const)>()"),
        ("_Z1fIXadL_Z1gIiEvT_EEEvv", "void f<&(void g<int>(int))>()"),
        ("_Z1fIXadixL_Z3arrELl2EEEvv", "void f<&(arr[2l])>()"),
        (
            "_Z1fILDn0ELd4004000000000000EEvv",
            "void f<(decltype(nullptr))0, (double)[4004000000000000]>()",
        ),
        ("_Z1fIiEvAszT__c", "void f<int>(char [sizeof (int)])"),
        (
            "_Z1fPDoFvvEPDOLb1EEFvvEPDwicEFvvE",
            "f(void (*)() noexcept, void (*)() noexcept(true), void (*)() throw(int, char))",
        ),
        (
            "_Z1fM1AKDoFvvREM1BVKFvvOE",
            "f(void (A::*)() noexcept const &, void (B::*)() const volatile &&)",
        ),
        ("_Z1fIFvvEEvPKT_", "void f<void ()>(void ( const*)())"),
        ("_Z1fPFPA3_ivEPA3_PFvvE", "f(int (*(*)()) [3], void (* (*) [3])())"),
        ("_Z1fIVKiEvKT_", "void f<int const volatile>(int volatile const)"),
        ("_Z1fIA3_iEvM1AT_", "void f<int [3]>(int (A::*) [3])"),
        ("_Z1fPU3AS1IiEiPCdDv4_f", "f(int AS1<int>*, double _Complex*, float __vector(4))"),
        ("_Z1fDF16_DF16bDF32xDdDu", "f(_Float16, std::bfloat16_t, _Float32x, decimal64, char8_t)"),
        ("_ZN1AcvPFT_vEIiEEv", "A::operator int (*)()<int>()"),
        ("_ZN1AcvT_I1BIiEEEv", "A::operator B<int><B<int> >()"),
        ("_ZZ1fIiEvOT_E1gIcEvS1_", "void f<int>(int&&)::g<char>(int&&)"),
        ("_ZZ1fIiEvPT_E1gIcEvS1_", "void f<int>(int*)::g<char>(char*)"),
        (
            "_ZZ1fvENKUlTyTniTtTyETpTyT_T1_IS_ET3_DpT2_E_clIlLi3E1UJiEiEEDaS_S1_S2_S4_",
            "auto f()::{lambda<typename $T0, int $N1, template<typename> class $TT2, "
            "typename... $T3>($T0, $TT2<$T0>, auto:5, ($T3)...)#1}::operator()<long, 3, U, "
            "int, int>(long, U<long>, int, int) const",
        ),
        ("_ZZ1fvEs_0", "f()::string literal"),
        ("_ZTch0_h4_N1A1fEv", "covariant return thunk to A::f()"),
        ("_ZGTnN1A1fEv", "non-transaction clone for A::f()"),
        ("_ZN1AW3foo1BEv", "A::B@foo()"),
        ("_ZGIW3fooWP3bar", "initializer for module foo:bar"),
        ("_ZNSaB5cxx11IiEC1Ev", "std::allocator[abi:cxx11]<int>::allocator()"),
        ("_ZN1ADC1a1bEE", "A::[a, b]"),
        ("_ZplIJEiEvT0_DpT_", "void operator+<, int>(int)"),
        ("_Z1fIJEiEvDpT_T0_", "void f<, int>(, int)"),
        ("_ZTI1BI1AI1CEJEE", "typeinfo for B<A<C>>"),
        ("_ZTIKFvRKiE", "typeinfo for void (int const&) const"),
    ],
)
def test_what_compilers_write(symbol: str, text: str, tool: Callable[[str], str]) -> None:
    """Expressions, packs, declarators and conversions, of gcc 12 and clang 19, as c++filt has them.

    A pack without elements leaves its comma, and at the end of a list takes the space before `>`.
    """
    written = subprocess.run(
        [tool("c++filt"), symbol], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert demangled(symbol) == text
    assert text == written or written == symbol  # an older one does not know all


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("_Z1fIiEvT_Q1CIS0_E", "void f<int>(int) requires C<int>"),
        ("_ZN1SIiE1nEvQ1CIT_E", "S<int>::n() requires C<int>"),
        ("_ZN1SIiEF2frES0_Q1CIT_E", "S<int>::friend fr(S<int>) requires C<int>"),
        ("_Z1kIiQ1CIT_EEvS0_", "void k<int>(int)"),
        ("_Z1gITk1CiEvT_", "void g<int>(int)"),
        ("_Z2avITnDaLi1EEvv", "void av<1>()"),
        ("_Z2tvIiTpTnT_JLi1ELi2EEEvDp1AIXT0_EE", "void tv<int, 1, 2>(A<1>, A<2>)"),
        ("_Z1vITtTyE1UEvv", "void v<U>()"),
        (
            "_Z2rqIiEvT_QrQS0__Xplfp_Li1ENR1CQ1CIS0_EXplfp_Li2EE",
            "void rq<int>(int) requires requires (int) { {{parm#1}+(1)} noexcept -> C; "
            "requires C<int>; {parm#1}+(2); }",
        ),
        (
            "_ZZ3lamIiEvT_ENKUlTyS0_E_clIcEEDaS0_Q1CITL0__E",
            "auto lam<int>(int)::{lambda<typename $T0>($T0)#1}::operator()<char>(char) const "
            "requires C<char>",
        ),
        (
            "_ZZ3lamIiEvT_ENKUlTk1CS0_E_clIiEEDaS0_",
            "auto lam<int>(int)::{lambda<C $T0>($T0)#1}::operator()<int>(int) const",
        ),
        ("_Z1fDB8_DU16_", "f(_BitInt(8), unsigned _BitInt(16))"),
        ("_Z1fDk1C", "f(C auto)"),
        ("_Z1fu11__remove_cvIiE", "f(__remove_cv(int))"),
        ("_ZNH1A1fES_", "A::f(this A)"),
        ("_Z3ptrIXadsoKiL_Z2bbE4EEEvv", "void ptr<&bb.<int const at offset 4> >()"),
        ("_Z2dsIiEDTcldtfp_dnT_EES0_", "decltype (({parm#1}.(~int))()) ds<int>(int)"),
        ("_Z2nxIiE1AIXnxplfp_fp_EET_", "A<noexcept ({parm#1}+{parm#1})> nx<int>(int)"),
        ("_Z1fIiEDTteT_ES0_", "decltype (typeid (int)) f<int>(decltype (typeid (int)))"),
        ("_Z1fUa9enable_ifIXeqfL0p_Li1EEEi", "f(int) [enable_if:{parm#1}==(1)]"),
        ("_Z1fIJicEE1AIXsZfp_EEDpT_", "A<sizeof...({parm#1})> f<int, char>(int, char)"),
        ("_ZGR1x0_", "reference temporary #1 for x"),
        ("_ZN3DerCI14BaseIPKcEET_i", "Der::Base<char const*>(char const*, int)"),  # of gcc
        (
            "_ZZN2DA1fEiiEd_NKUlT_E_clIiEEDaS0_",
            "auto DA::f(int, int)::{default arg#1}::{lambda(auto:1)#1}::operator()<int>(int) const",
        ),
        (
            "_Z3f18I1ZEDTcmcvT_Li1EcldtfL0p_onpsIS1_EfL0p_EES1_",
            "decltype (((Z)(1)),(({parm#1}.(operator+<Z>))({parm#1}))) f18<Z>(Z)",
        ),
        ("_ZNK1AIiEcv1BIT_EIcEEv", "A<int>::operator B<char><char>() const"),
    ],
)
def test_what_gdb_13_does_not_read(symbol: str, text: str) -> None:
    """Names of C++20, and what the binutils 2.40 read in a wrong way: a pack of parameters has not
    0 elements, and in a default argument, the result of a function is no parameter."""
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
        ("_ZN3DerCI14BaseIPKcEET_i", "Der::Base<char const*>"),
        # Whether the variable of a lambda is a substitution matters to the parameters alone.
        ("_ZN7HandlerIN2f1MUliE_EE6manageER3AnyRKS3_", "Handler<f1::{lambda(int)#1}>::manage"),
        ("_ZN7HandlerIN2f1MUliE_EE2inIS1_E1fERKS2_", None),  # and here to the name
    ],
)
def test_names_without_parameters(symbol: str, text: str | None) -> None:
    assert demangled_name(symbol) == text


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("_Z1fv.cold", "f() [clone .cold]"),
        ("_Z1fv.isra.0.cold", "f() [clone .isra.0] [clone .cold]"),
        (f"{ACTOR}.actor", "f(f()::_Z1fv.Frame*) [clone .actor]"),
        (f"{ACTOR}.actor.cold", "f(f()::_Z1fv.Frame*) [clone .actor] [clone .cold]"),
        (ACTOR, "f(f()::_Z1fv.Frame*)"),
        ("_Z1fP21a.b.c.d.e.f.g.h.i.j.k", "f(a.b.c.d.e.f.g.h.i.j.k*)"),
        ("_Z1fP9a.b", None),
        ("_Z1fP3a.b.Cold", None),
        ("_ZN1a1bE.0", None),  # a variable
    ],
)
def test_clones(symbol: str, text: str | None) -> None:
    """A name in a symbol may have dots, as that of gcc's frame of a coroutine has."""
    assert demangled_clone(symbol) == text


def test_suffixes_stay() -> None:
    assert shown_symbol("_Z1fv.kd") == "f().kd"
    assert shown_symbol(f"{ACTOR}.actor") == "f(f()::_Z1fv.Frame*).actor"
    assert shown_symbol("_Z1fP3a.b.Cold") == "f(a.b*).Cold"
    assert shown_symbol("_Z1fP9a.b") == "_Z1fP9a.b"


def test_what_doubles_is_bounded() -> None:
    """Substitutions make a name of n letters 2**n long."""
    pairs = "".join(f"3BoxIS{index}_S{index}_E" for index in "13579BDFHJLNPRTVXZ")
    assert demangled(f"_Z1f1A3BoxIS_S_E{pairs[:24]}") is not None
    assert demangled(f"_Z1f1A3BoxIS_S_E{pairs}") is None


@pytest.mark.parametrize(
    "symbol",
    [
        "_Z1fIiEDT" + "ng" * 1500 + "fp_ET_",
        "_Z1fIiEDT" + "il" * 1500 + "E" * 1500 + "ET_",
        "_Z1fIXtl1B" + "di1a" * 900 + "Li1EEEEvv",
        "_Z1fIiEDT" + "plfp_" * 700 + "fp_ET_",
        "_Z1fIiEDTrq" + "Xrq" * 1000 + "E" * 1000 + "ET_",
        "_Z1fI" + "Tt" * 1500,
        "_Z1fI" + "Tp" * 1500,
        "_Z1f" + "DT" * 1500,
        "_Z1f" + "Dp" * 1500 + "i",
        "_Z1f" + "DO" * 1500,
        "_Z1f" + "A_" * 1500 + "i",
        "_Z1f" + "U1a" * 1200 + "i",
        "_ZN1Acv" + "T_I" * 1000,
        "_ZZ1fvENKUl" + "Ul" * 1500,
        "_Z1fI" + "JEiEvDpT_" * 300,
        "_Z" + "TA" * 1500,
        # Each pack of four in a pack of four: 4**12 elements.
        "_Z1fIJiiiiEEvDp" + "1AIJDp" * 12 + "T_" + "EE" * 12,
    ],
)
def test_what_nests_is_bounded(symbol: str) -> None:
    """Neither the depth of the reader nor that of the writer follows that of a name."""
    text = demangled(symbol)
    assert text is None or len(text) <= 20_000


def test_expansions_that_multiply_are_bounded() -> None:
    """A parameter whose argument has two of the next one has 2**n texts."""
    nested = "_Z1fI" + "1BIJ" * 10 + "i" + "EE" * 10 + "EvT_" + "S_" * 100
    assert demangled(nested) is None or len(demangled(nested) or "") <= 20_000


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
    assert [item for item in read if item[2] is None and item[0] != item[1]] == []


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


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        (
            "_ZN41_$LT$r..P$LT$i32$GT$$u20$as$u20$r..Tr$GT$2go17hfa21d846a4698cddE",
            "<r::P<i32> as r::Tr>::go::hfa21d846a4698cdd",
        ),
        (
            "_ZN9hashbrown3raw21RawTable$LT$T$C$A$GT$14reserve_rehash17hf16a85f56acd5d73E.llvm.39",
            "hashbrown::raw::RawTable<T,A>::reserve_rehash::hf16a85f56acd5d73",
        ),
        (
            "_ZN9call_once31$u7b$$u7b$vtable.shim$u7d$$u7d$17h42e08618e5619cfaE",
            "call_once::{{vtable.shim}}::h42e08618e5619cfa",
        ),
        ("_ZN3std2rt10lang_start17ha86af84d9cc65291E", "std::rt::lang_start::ha86af84d9cc65291"),
        ("_ZN12$u20ac$$BP$c17h0123456789abcdefE", "\u20ac*c::h0123456789abcdef"),
        ("_ZN10a$XX$b$LT$17h0123456789abcdefE", "a$XX$b$LT$::h0123456789abcdef"),  # no such escape
        ("_ZN6$u7f$a17h0123456789abcdefE", "$u7f$a::h0123456789abcdef"),
        # these are C++'s
        ("_ZN2f.3foo17h0000000000000000E", "f.::foo::h0000000000000000"),
        ("_ZN3foo17h0123456789abcdefEv", "foo::h0123456789abcdef()"),
        ("_ZN3foo17h0123456789abcdeE", None),
    ],
)
def test_legacy_names_of_rust(symbol: str, text: str | None) -> None:
    """The rustc book, "Symbol Mangling": the legacy scheme, as `info symbol` of GDB shows it."""
    assert demangled(symbol) == demangled_clone(symbol) == demangled_function(symbol) == text
    assert shown_symbol(symbol) == (text or symbol)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("5Named", "Named"),
        ("N2ns5NamedE", "Named"),
        ("N2ns3a1bE", "a1b"),
        ("N3_ZN1EE", "E"),
        ("5Named1a", None),
        ("N5Named", None),
        ("N5NamedX", None),
        ("5Name", None),
        ("N1AIiE5NamedE", None),
        ("N2ns12_GLOBAL__N_1E", None),
        ("N3stdSaE", None),
        ("NE", None),
        ("", None),
    ],
)
def test_the_last_of_simple_names(path: str, name: str | None) -> None:
    assert last_of_path(path) == name
    if name is not None:
        assert demangled_last(f"_Z{path}") == name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN1AIiE5NamedE", "Named"),
        ("_ZZ1fvEN5NamedE", "Named"),
        ("_ZN2ns5NamedB3abcE", "Named[abi:abc]"),
        ("_ZN2ns1AIiEE", None),
        ("_ZTV5Named", None),
        ("_ZN5Named", None),
    ],
)
def test_the_simple_name_at_the_end(symbol: str, name: str | None) -> None:
    assert demangled_last(symbol) == name


def test_a_long_path_takes_a_few_calls_for_each_name() -> None:
    """The name of a class may have thousands; all but one of them are passed."""
    path = f"N{'3n_s' * 900}5NamedE"
    last_of_path(path)
    assert calls_of(lambda: last_of_path(path)) < 6 * 900


def test_types_of_functions_that_substitutions_repeat_are_written_once() -> None:
    """Each one has the one before it three times; in another template it is written again."""
    symbol = "_Z1fPFviiiEPFvS0_S0_S0_EPFvS2_S2_S2_EPFvS4_S4_S4_EPFvS6_S6_S6_E"
    read = demangled.__wrapped__
    text = read(symbol)
    assert text is not None and text.count("int, int, int") == 1 + 3 + 9 + 27 + 81
    assert calls_of(lambda: read(symbol)) < 2_000
    local = "void f<int>(void (*)(int))::L::h<char>(void (*)(char))"
    assert demangled("_ZZ1fIiEvPFvT_EEN1L1hIcEEvS2_") == local


_DOUBLED = "1AIiiE" + "".join(f"S_IS{n:X}_S{n:X}_E" for n in range(16))


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        (f"_Z1f{_DOUBLED}", "f(...)"),
        (f"_Z1f{_DOUBLED}.cold.1", "f(...)"),
        (f"_ZNK2ns1BIiE1fE{_DOUBLED.replace('S_', 'S9_')}", None),  # no such substitution
        ("_ZN2ns1BIiE1fEv", None),
        ("_Z1f", None),
        ("f", None),
    ],
)
def test_a_function_whose_parameters_are_too_long_has_a_name(symbol: str, text: str | None) -> None:
    assert demangle.abridged(symbol) == text
    assert text is None or demangle.demangled(symbol) is None


@pytest.mark.parametrize(
    ("symbol", "word", "may_be"),
    [
        ("_Z1fv", "f", True), ("_Z1fv", "g", False), ("_ZN1f1gEv", "f", False),
        ("_ZN1f1gEv", "g", True), ("_Z1fIiEvT_", "f", True), ("_Z1gB1f1fv", "f", False),
        ("_ZN1KC1Ev", "K", True), ("_ZN1KD2Ev", "K", True), ("_ZZ1fvE1g", "g", True),
        ("_ZZ1fvE1g", "f", False), ("_ZL1fv", "f", True), ("_ZTh8_N1K1mEv", "m", True),
        ("_ZNSt6vectorIiE1fEv", "f", True), ("_ZN1AplEi", "A", True), ("_Z", "f", True),
    ],
)  # fmt: skip
def test_the_last_name_alone_is_read(symbol: str, word: str, may_be: bool) -> None:
    assert demangle.may_end_in(symbol, word) == may_be
