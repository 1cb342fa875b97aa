"""Booleans and numbers of Free Pascal whose DWARF says less than their names."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from struct import pack, unpack

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
program p;
type TRec = record w: WordBool; c: Currency; end;
var
  w: WordBool = true; b: ByteBool = true; l: LongBool = true; q: QWordBool = true;
  plain, bad: Boolean; five: WordBool; no: LongBool = false; r: TRec;
  c: Currency = 12.5; cent: Currency = -0.0001; most: Currency = 922337203685477.5807;
  whole: Comp = 7; d: Double = 12.5; tenth: Single = 0.1; t: Currency = 0.1; n: LongInt = 12;
  nowhere: ^LongInt = nil;
begin
  five := WordBool(5); plain := w; byte(bad) := 2; r.w := true; r.c := 1.25; nowhere^ := 1;
end.
"""
TRUTHS = {
    "w": "true", "b": "true", "l": "true", "q": "true", "five": "true", "no": "false",
    "plain": "true", "bad": "2", "/x five": "0x5", "/d w": "-1",
    "w = true": "true", "five = plain": "true", "w = five": "true", "w <> l": "false",
    "no = false": "true", "w > plain": "false", "no < w": "true", "not five": "false",
    "five xor plain": "true",
}  # fmt: skip
CURRENCIES = {
    "c": "12.5", "cent": "-0.0001", "most": "922337203685477.5807", "whole": "7", "r.c": "1.25",
    "/x c": "0xc", "/d c": "12", "/f c": "12.5", "c = 12.5": "true", "c = 12": "false",
    "c = d": "true", "12 < c": "true", "t = 0.1": "true", "t = tenth": "true", "t < 0.1": "false",
    "c = most": "false", "-cent": "0.0001", "c + n": "24.5", "c - cent": "12.5001",
    "c * 1.00001": "12.5", "c / 3": "4.1667", "2 * c": "25", "n / c": "0.96",
    "LongInt(c)": "12", "Double(cent)": "-0.0001", "Currency(3.14159)": "3.1416",
    "most + 1": "Currency does not have the number: it is too large.",
    "c / 0": "Division by zero",
    "c div 2": "Argument to arithmetic operation not a number or boolean.",
    "c := 13.25": "13.25", "c + 0": "13.25", "d := c": "13.25",
}  # fmt: skip


@pytest.fixture(scope="module", params=["-gw2", "-gw3"])
def files(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    tool: Callable[[str], str],
) -> list[str]:
    """A program of Free Pascal and its core file."""
    folder = tmp_path_factory.mktemp("pascal")
    build(folder, {"a.pas": SOURCE}, [[tool("fpc"), request.param, "a.pas"]])
    return with_core(tool, folder)


def shown(files: list[str], texts: list[str]) -> list[str]:
    commands = [f"output{'' if text.startswith('/') else ' '}{text}" for text in texts]
    return [answer.splitlines()[-1] for answer in answers(None, files, commands)]


def test_every_number_but_zero_is_true(files: list[str]) -> None:
    """Free Pascal writes -1; they were shown as 65535, 255 and so on, and not equal to `true`."""
    assert shown(files, [*TRUTHS]) == [*TRUTHS.values()]


def test_currency_has_four_decimal_places(files: list[str]) -> None:
    """It was a whole number, of ten-thousandths."""
    assert shown(files, [*CURRENCIES]) == [*CURRENCIES.values()]
    kinds = answers(None, files, ["whatis c * 2", "whatis c / 3", 'printf "%.2f %d\\n", c, c'])
    assert [kind.splitlines()[-1].lower() for kind in kinds] == [
        *["type = currency"] * 2, "12.50 12"
    ]  # fmt: skip
    data = json.loads(run("eval", "--json", "--core", files[1], files[0], "c").out)
    assert data["data"] == 12.5


PAIRS, STORES, NESTED = 5, 3, 13
"""One in so many combinations is compared (`sampled`)."""
Combination = tuple[str, str, str]
"""The left operand, the operator and the right operand."""
BOOLEANS = {"bt": "Boolean = true", "bf": "Boolean = false", "bb": "ByteBool = true",
            "b5": "ByteBool = ByteBool(5)", "wb": "WordBool = true", "w5": "WordBool = WordBool(5)",
            "wf": "WordBool = false", "lb": "LongBool = true",
            "bu": "ByteBool = false", "qb": "QWordBool = true"}  # fmt: skip
MONEY = {"c": "Currency = 1.2345", "e": "Currency = -10.5", "f": "Currency = 0.0001",
         "g": "Currency = 100.0001", "s": "Single = 0.5", "d": "Double = 3.14159",
         "h": "Double = 0.1",
         "x": "Extended = 3.14159", "n": "LongInt = 2"}  # fmt: skip


def sampled(combinations: Sequence[Combination], step: int) -> list[str]:
    """Return the texts of every `step`th combination, and of those without which an operator would
    not meet an operand that some combination has with it on that side."""
    chosen = dict.fromkeys(combinations[::step])
    met = {meeting for one in chosen for meeting in _meetings(one)}
    for one in combinations:
        if not met.issuperset(_meetings(one)):
            chosen[one] = None
            met.update(_meetings(one))
    return [" ".join(one) for one in chosen]


def _meetings(combination: Combination) -> tuple[tuple[str, str, bool], ...]:
    left, operator, right = combination
    return (operator, left, False), (operator, right, True)


def of_program(tmp_path: Path, tool: Callable[[str], str], texts: list[str]) -> list[str]:
    """Return what dwarfgpu and the program answer, where they differ."""
    lines = [f"  {name}: {rest};\n" for name, rest in (BOOLEANS | MONEY).items() if "(" not in rest]
    lines += [f"  {name}: {rest.split()[0]};\n" for name, rest in BOOLEANS.items() if "(" in rest]
    source = "".join([
        "program p; {$mode objfpc}{$R-}{$Q-}\nvar\n", *lines,
        "  nowhere: ^LongInt = nil; r: Currency; k: Double;\nbegin\n",
        "  b5 := ByteBool(5); w5 := WordBool(5);\n",
        "  assign(output, 'printed'); rewrite(output);\n",
        *(f"  {text};\n" for text in texts), "  close(output); nowhere^ := 1;\nend.\n",
    ])  # fmt: skip
    build(tmp_path, {"a.pas": source}, [[tool("fpc"), "-gw3", "-v0", "a.pas"]])
    return with_core(tool, tmp_path)


def test_xor_is_of_the_numbers_of_booleans(tmp_path: Path, tool: Callable[[str], str]) -> None:
    sides = [*BOOLEANS, "true", "false"]
    texts = sampled([*product(sides, ("xor", "and", "or"), sides)], PAIRS)
    texts += [f"not {name}" for name in BOOLEANS] + ["not (bt xor bb)", "bt and (bt xor bb)"]
    files = of_program(tmp_path, tool, [f"writeln({text})" for text in texts])
    printed = (tmp_path / "printed").read_text().lower().split()
    assert dict(zip(texts, shown(files, texts), strict=True)) == dict(
        zip(texts, printed, strict=True)
    )
    assert shown(files, ["ord(bt xor bb)", "ord(w5 xor bt)"]) == ["-2", "-6"]


SIDES = ["bt", "bb", "b5", "w5", "lb", "(n < 5)", "(bt and bt)", "(bb and wb)", "(bb or bt)",
         "(not bb)", "(not wf)", "(not lb)", "(bt xor bf)", "(true and bt)", "(bt = true)",
         "(not not bt)", "ByteBool(bt)", "ByteBool(n < 5)", "WordBool(n)"]  # fmt: skip
CONVERTED = ["WordBool(5)", "ByteBool(n + 254)", "WordBool(70000)", "ByteBool(bt)", "WordBool(bt)",
             "ByteBool(w5)", "Boolean(b5)", "Boolean(w5)", "LongBool(n < 5)",
             "WordBool(not bf)"]  # fmt: skip


def test_numbers_of_computed_booleans(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A comparison, `not`, `and` or `or` is 1 in its own type, and -1 where it becomes a ByteBool,
    as all does that is assigned to one."""
    pairs = sampled([*product(SIDES, ["xor"], SIDES)], PAIRS)
    texts = [f"ord({text})" for text in pairs]
    texts += [f"ord({text})" for text in [*SIDES, *CONVERTED]]
    stores = sampled([*product(("bf", "wf", "bu", "qb"), [":="], SIDES)], STORES)
    variables = [text.split()[0] for text in stores]
    files = of_program(tmp_path, tool, [
        *(f"writeln({text})" for text in texts),
        *(f"{text}; writeln(ord({text.split()[0]})); bf := false; wf := false" for text in stores),
    ])  # fmt: skip
    printed = (tmp_path / "printed").read_text().split()
    stored = [text for store, name in zip(stores, variables, strict=True)
              for text in (store, f"ord({name})", "bf := false", "wf := false")]  # fmt: skip
    own = shown(files, texts) + shown(files, stored)[1::4]
    asked = [*texts, *stores]
    assert dict(zip(asked, own, strict=True)) == dict(zip(asked, printed, strict=True))
    kinds = answers(None, files, ["whatis n < 5", "whatis true", "whatis not wb"])
    assert [kind.splitlines()[-1] for kind in kinds] == [
        "type = Boolean", "type = Boolean", "type = WordBool",
    ]  # fmt: skip


def test_currency_is_rounded_as_in_the_program(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Halves to the even number; a constant becomes a Currency first, a variable does not."""
    sides = [*MONEY, "0.5", "2.5", "1.00001", "0.1", "3"]
    made = [one for one in product(sides, "+-*/", sides) if {*one} & set("cefg")]
    texts = sampled(made, PAIRS)
    files = of_program(tmp_path, tool, [f"r := {text}; writeln(r:0:4)" for text in texts])
    printed = [float(text) for text in (tmp_path / "printed").read_text().split()]
    numbers = [float(text) for text in shown(files, texts)]
    assert dict(zip(texts, numbers, strict=True)) == dict(zip(texts, printed, strict=True))


def test_currency_keeps_its_digits_between_operators(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Free Pascal rounds what an object gets, not each result in it."""
    sides = ["c", "f", "g", "s", "d", "h", "x", "n", "0.1", "3"]
    pairs = [("c", a) for a in sides] + [("n", "g"), ("h", "f"), ("g", "x"), ("g", "0.1")]
    inner = [f"({a} {operator} {b})" for operator in "+-*/" for a, b in pairs]
    made = [*product(inner, "+*/", sides), *product(sides, "/", inner)]
    made += [
        (f"-{one}", "*", f"Currency{other}") for one, other in product(inner[:24], inner[-12:])
    ]
    texts = sampled([one for one in made if "(c - c)" not in "".join(one)], NESTED)
    compared = product(inner, "=<", [*sides, "0.0002", "c / 3 * 3"])
    signs = sampled([*compared], NESTED)
    reals = [f"Double{one}" for one in inner]
    files = of_program(tmp_path, tool, [
        *(f"r := {text}; writeln(r:0:4)" for text in texts),
        *(f"writeln({text})" for text in signs),
        *(f"k := {text}; writeln(PInt64(@k)^)" for text in reals),
    ])  # fmt: skip
    printed = (tmp_path / "printed").read_text().lower().split()
    texts += [*signs, *reals]
    own = shown(files, texts)
    own[-len(reals) :] = [str(*unpack("<q", pack("<d", float(k)))) for k in own[-len(reals) :]]
    differing = [
        (text, one, other)
        for text, one, other in zip(texts, own, printed, strict=True)
        if one != other and (one in ("true", "false") or float(one) != float(other))
    ]
    assert not differing
    assert len(texts) > 400
    assert shown(files, ["k := c * c", "k"]) == [shown(files, ["Double(c * c)"])[0]] * 2
