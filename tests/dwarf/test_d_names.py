"""Linkage names of D (https://dlang.org/spec/abi.html, "Name Mangling"), as gdc and ldc2 write
them; the paths are those of c++filt."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from random import Random

import pytest

from dwarfgpu.dwarf.names.d_names import Step, d_name
from dwarfgpu.dwarf.names.d_spellings import d_spellings, instance_end
from dwarfgpu.dwarf.names.shown_d_names import shown_d_name

ROWS = {
    "_D2st4madei": "st.made",
    "_D7counterQii": "counter.counter",
    "_D7counter1SQki": "counter.S.counter",
    "_D7counter5Twice6Twice2Qni": "counter.Twice.Twice2.Twice",
    "_D2st3funFZ4madei": "st.fun().made",
    "_D2pk2ne1S1hMFiZ6nestedMFNbNiiZi": "pk.ne.S.h(int).nested(int)",
    "_D2pk2ne1S1hMFiZ6nestedMFiZ4__S15twicei": "pk.ne.S.h(int).nested(int).twice",
    "_D2rt3aaA10allocEntryFMxPSQyQx4ImplMxPvZPv": "rt.aaA.allocEntry()",
    "_D2rt6dmain215formatThrowableFC6object9ThrowableMDFNbIAaZvZv": "rt.dmain2.formatThrowable()",
    "_D3std8encoding8bomTableyASQz8typecons__T5TupleTEQBvQBu3BOMVAyaa6_736368656d61TAhVQwa8_"
    "73657175656e6365ZQCl": "std.encoding.bomTable",
}


@pytest.mark.parametrize(("mangled", "path"), ROWS.items())
def test_paths(mangled: str, path: str) -> None:
    name = d_name(mangled)
    assert name is not None
    written = ".".join(f"{step.word}{'()' * step.is_function}" for step in name.steps)
    assert written == path.replace("(int)", "()")


def test_functions_with_other_attributes_and_references_are_the_same() -> None:
    """A variable's name has those of its function without attributes, so that the references are
    others: `auto f(S a, S* b, S* c)` of the module m."""
    of_function = d_name("_D1m1fFNbNiSQk1SPQgQdZi")
    of_variable = d_name("_D1m1fFSQg1SPQgQdZ4madei")
    assert of_function is not None and of_variable is not None
    assert of_function.steps == of_variable.steps[:-1]
    assert of_function.steps[-1] == Step("f", "FSm.S;PSm.S;PSm.S;Z")
    assert of_function.beginning == "_D1m1fF"


def test_texts_before_steps() -> None:
    """Names of what is beside a step begin so; `__S1` only distinguishes blocks."""
    name = d_name("_D2pk1hFS2pk1TZ4__S1__T2TTVii5Z2tfFZi")
    assert name is not None
    assert [step.word for step in name.steps] == ["pk", "h", "TT!Vii5.", "tf"]
    of_function = "_D2pk1hFS2pk1TZ"
    assert name.before == ("_D", "_D2pk", of_function, f"{of_function}4__S1__T2TTVii5Z")


def test_instances_have_their_arguments() -> None:
    names = [d_name("_D2st__T1TTiZQf4madei"), d_name("_D2st__T1TTlZQf4madel")]
    words = [[step.word for step in name.steps] for name in names if name is not None]
    assert words == [["st", "T!Ti", "T", "made"], ["st", "T!Tl", "T", "made"]]


@pytest.mark.parametrize(
    "mangled",
    [
        *["", "_D", "_Dmain", "_ZN3Cpp2cmE", "_D9st", "_DQb", "_D1aQz", "_D1a__T1bT", "_D1aFQ"],
        *["_D1aFi", "_D1a__T1bTAHQcQcZ1ci", "_D" + "1aFS" * 900 + "1a"],
        *["_D1m4__S1i", "_D1mFDxiZv"],
    ],
)
def test_names_that_say_nothing(mangled: str) -> None:
    assert d_name(mangled) is None


def test_damaged_names_end() -> None:
    random = Random(5)
    for mangled in ROWS:
        for _ in range(300):
            place = random.randrange(2, len(mangled))
            d_name(mangled[:place] + random.choice("QZMFSTA_09xi") + mangled[place + 1 :])


def test_paths_are_those_of_binutils(tool: Callable[[str], str]) -> None:
    command = [tool("c++filt"), "-s", "dlang", *ROWS]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    for text, path in zip(shown, ROWS.values(), strict=True):
        assert text.startswith(path.removesuffix(")"))


@pytest.mark.parametrize(
    ("typed", "spelled"),
    [
        ("core.counter", "core::counter"),
        ("app.core.main", "app.core::D main"),
        ("tp.two!(int,7)", "tp::two!(int, 7)"),
        ('em.str!"a.b, c"', 'em::str!"a.b, c"'),
        ("em.dec!1.5", "em::dec!1.5"),
        ("em.en!(E.b)", "em::en!E.b"),
        ("em.Outer!E.b.inner", "em::Outer!E.b::inner"),
        ("em.Outer!E.inner", "em::Outer!(E)::inner"),
        ("Box!(S, E.b).get!E", "Box!(S, E.b)::get!(E)"),
        ("wrap!S", "wrap!(S)"),
    ],
)
def test_spellings_of_typed_names(typed: str, spelled: str) -> None:
    assert spelled in d_spellings(typed)


@pytest.mark.parametrize("name", ["", "x", "a..b", "(anonymous namespace)", "operator!", "a."])
def test_names_of_one_spelling(name: str) -> None:
    assert d_spellings(name) == ()


def test_spellings_are_few() -> None:
    assert len(d_spellings(".".join(["a!b", "c"] * 2_000))) <= 64


def test_end_of_an_instance() -> None:
    for text in ("gen!int", "two!(int, f(7))", 'str!"a)"', "dec!1.5e-3", "lst!([1, 2], ')')"):
        assert instance_end(f"{text} + 1", 0) == len(text)
    for text in ("a != b", "a!=b", "a !is b", "a!is b", "two!(int", "x"):
        assert instance_end(text, 0) is None


SHOWN = {
    "_D1m1xi": "m.x",
    "_D1m1fFiZ1xHiAi": "m.f(int).x",
    "_D1m1C6__ctorMFiZC1m1C": "m.C.this(int)",
    "_D1m1xDFZi": "m.x",
    "_D1m1xZ": "m.x",
    "_D1m1C6__vtblZ": "vtable for m.C",
    "_D3fooi": "foo",
    "_D2pk1S10__postblitMFZv": "pk.S.this(this)",
    "_D2pk1S10__postblitMFNaNbZv": "pk.S.__postblit()",
    "_D2fk1fFiZ4__S11xi": "fk.f(int).x",
    "_D2fk4__S11fFiZ4__S14__S21xi": "fk.f(int).x",
    "_D2pk2em__T1TVii1ZQh2tsi": "pk.em.T!(1).T.ts",
    "_D2pk2em__T1TVii1ZQh1fMFZv": "pk.em.T!(1).T.f()",
    "_D2pk1q__T1VVbi1Vki3Vmi4VlN5Vgi6ZQx2vsi": "pk.q.V!(true, 3u, 4uL, -5L, 6).V.vs",
    "_D2pk1q__T1TTiTCQoQn1KZQn2tsi": "pk.q.T!(int, pk.q.K).T.ts",
    "_D1m__T1LVAiA2i1i2ZQm3getMxFNaZi": "m.L!([1, 2]).L.get() const",
    "_D1m__T1SVSQj1PS2i7N8ZQp1xi": "m.S!(m.P(7, -8)).S.x",
    "_D1m__T1AVHAyaiA2a1_6bi1a1_6ci2ZQz1xi": 'm.A!(["k":1, "l":2]).A.x',
    "_D1m__T1WVAyaa3_610a01Vwi233Vai99Z1xi": r"""m.W!("a\n\x01", '\U000000e9', 'c').x""",
    "_D1m__T1DVdeCPN3VdeNINFVqc8P1c8P0Z1xi": "m.D!(0xC.p-3, -Inf, 0x8.p1+0x8.p0i).x",
    "_D1m__T1TTAiTG3iTHiPxaTNhG4fZ1xi": "m.T!(int[], int[3], const(char)*[int], "
    "__vector(float[4])).x",
    "_D1m__T1TTS1m__T1TTiZ1TZ1xi": "m.T!(m.T!(int).T).x",
    "_D1m__T2AlS_D1m1fFKiZvX3abcZ1xi": "m.Al!(m.f(ref int), abc).x",
    "_D1m1fMxFMNkKiLAxaXv": "m.f(scope return ref int, lazy const(char)[]...) const",
    "_D1m1fFiYv": "m.f(int, ...)",
    **{
        symbol: symbol
        for symbol in (
            *["_D2id_table", "_D3log_level", "_D1x_init", "_D3abcd_", "_D1m1x", "_D1m1fFiZ"],
            *["_D1m1xiGARB", "_D1m1xi_copy", "_D1m1fFiZi_backup", "_D1m1xi2", "_D1m1xii"],
            *[
                "_D1m4__S1i",
                "_D1m1fFNkMAiZv",
                "_D1m1fFBiaZZv",
                "_D1m1xS1m4__S1",
                "_D1m1xDxi",
                "_D1m1C6__vtblZi",
            ],
        )
    },
}
"""What symbols are shown as: where more or less than one type is behind the path, themselves."""


def test_shown_names_are_those_of_binutils(tool: Callable[[str], str]) -> None:
    assert {symbol: shown_d_name(symbol) or symbol for symbol in SHOWN} == SHOWN
    command = [tool("c++filt"), "-s", "dlang", *SHOWN]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert shown == [*SHOWN.values()]
