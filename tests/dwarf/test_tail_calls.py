"""Chains of tail calls (DWARF 5 3.4.1): shown where nothing else can have happened."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from random import Random
from types import MappingProxyType

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.calls import tail_calls
from dwarfgpu.dwarf.calls.reentry import may_tail_call_itself
from dwarfgpu.dwarf.calls.tail_calls import AMBIGUOUS, CallChains
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.errors import Malformed
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.work import assert_linear

STRING, ADDRESS, DATA4, FLAG, REF4 = 0x08, 0x01, 0x06, 0x0C, 0x13
SHAPES = (
    Shape(0x11, (), True),
    Shape(0x2E, ((0x03, STRING), (0x11, ADDRESS), (0x12, DATA4), (0x7A, FLAG)), True),
    Shape(0x48, ((0x7F, REF4), (0x7D, ADDRESS), (0x82, FLAG))),
    Shape(0x48, ((0x7D, ADDRESS), (0x82, FLAG))),
    Shape(0x48, ((0x7F, REF4), (0x81, ADDRESS), (0x82, FLAG))),
    Shape(0x2E, ((0x03, STRING), (0x3C, FLAG))),
    Shape(0x2E, ()),
)
HEADER_BYTES = 12
FIRST, SIZE = 0x1000, 0x100
POINTER, DECLARED, EMPTY = "*", "elsewhere", "an entry without attributes"
GAP = "?"
NOT_DESCRIBED = "code behind that of the functions"
NO_SYMBOLS: Mapping[str, tuple[str, int]] = MappingProxyType({})


@frozen
class Function:
    calls: tuple[str, ...] = ()
    """Functions called, each returning 8 bytes further on."""
    jumps: tuple[str, ...] = ()
    """From 0x80 on; a name that ends with `@` gives only the address of the jump."""
    is_described: bool = True


def compiled(
    functions: dict[str, Function], symbols: Mapping[str, tuple[str, int]] = NO_SYMBOLS
) -> bytes:
    """An ELF file with the functions, each of 0x100 bytes, and a declaration.

    Symbols have a function of which they are the address, and a type.
    """
    names = [*functions, DECLARED, EMPTY]
    places = dict.fromkeys(names, 0)
    entries = b""
    for _ in range(2):  # the second time with the places that the first one found
        entries = b"\x01"
        for index, (name, function) in enumerate(functions.items()):
            places[name] = HEADER_BYTES + len(entries)
            start = FIRST + SIZE * index
            entries += b"\x02" + name.encode() + b"\0" + start.to_bytes(8, "little")
            entries += SIZE.to_bytes(4, "little") + bytes((function.is_described,))
            sites = [(call, start + 8 * n + 8, False) for n, call in enumerate(function.calls)]
            sites += [(jump, start + 0x88 + 8 * n, True) for n, jump in enumerate(function.jumps)]
            for called, after, is_jump in sites:
                origin = places.get(called.rstrip("@"), 0).to_bytes(4, "little")
                code = 4 if called == POINTER else 5 if called.endswith("@") else 3
                entries += encode_uleb(code) + (b"" if called == POINTER else origin)
                entries += (after - 4 * (code == 5)).to_bytes(8, "little") + bytes((is_jump,))
            entries += b"\0"
        places[DECLARED] = HEADER_BYTES + len(entries)
        entries += b"\x06" + DECLARED.encode() + b"\0\x01"
        places[EMPTY] = HEADER_BYTES + len(entries)
        entries += b"\x07" + b"\0"
    sections = {
        ".text": Content(bytes(SIZE * len(functions)), flags=6, address=FIRST),
        ".debug_abbrev": abbreviations(*SHAPES),
        ".debug_info": unit(entries),
        ".strtab": Content(b"\0" + b"".join(symbol.encode() + b"\0" for symbol in symbols), 3),
    }
    table, name_at = bytes(24), 1
    for name, (function, kind) in symbols.items():
        at = FIRST + SIZE * [*functions, NOT_DESCRIBED].index(function)
        table += struct.pack("<IBBHQQ", name_at, kind, 0, 1, at, SIZE)
        name_at += len(name) + 1
    sections[".symtab"] = Content(
        table, 2, link=list(sections).index(".strtab") + 1, entry_bytes=24
    )
    return elf(sections, X86_64, 0)


def chain(
    folder: Path,
    functions: dict[str, Function],
    to: str,
    call: int = 0,
    symbols: Mapping[str, tuple[str, int]] = NO_SYMBOLS,
) -> tuple[list[str], str | None]:
    """The functions whose frames are gone between a call of the first one and a function.

    Those that are unknown are a `GAP`.
    """
    path = folder / "made"
    path.write_bytes(compiled(functions, symbols))
    code_object = CodeObject.open(path, 0x40_0000)
    names = list(functions)
    location = 0x40_0000 + FIRST + SIZE * names.index(to) + 4
    between = CallChains((code_object,)).between(location, 0x40_0000 + FIRST + 8 * call + 8)
    gone = []
    for jump in (*between.inner, None, *between.outer):
        if jump is None:
            gone += [GAP] if between.why_unknown else []
            continue
        gone.append(names[(jump.location - 0x40_0000 - FIRST) // SIZE])
        assert jump.pc - jump.location in (0, 1)
    return gone, between.why_unknown


MAIN = Function(calls=("f",))
TO_G, TO_T = Function(jumps=("g",)), Function(jumps=("t",))
CHAINS = {
    "called": ({"main": MAIN, "f": Function()}, "f", [], None),
    "one jump": ({"main": MAIN, "f": TO_T, "t": Function()}, "t", ["f"], None),
    "two, the innermost first": (
        {"main": MAIN, "f": TO_G, "g": TO_T, "t": Function()}, "t", ["g", "f"], None
    ),
    "a jump of which only its own place is told": (
        {"main": MAIN, "f": Function(jumps=("t@",)), "t": Function()}, "t", ["f"], None
    ),
    "jumps that lead elsewhere do not matter": (
        {"main": MAIN, "f": Function(jumps=("t", "h")), "t": Function(), "h": Function()},
        "t", ["f"], None,
    ),
    "calls that are not jumps do not matter": (
        {"main": MAIN, "f": Function(("t", "*"), ("t",)), "t": Function(("f",))}, "t", ["f"], None
    ),
    "two ways": (
        {"main": MAIN, "f": Function(jumps=("g", "t")), "g": TO_T, "t": Function()},
        "t", [GAP], "ambiguous",
    ),
    "two jumps": (
        {"main": MAIN, "f": Function(jumps=("t", "t")), "t": Function()}, "t", [GAP], "ambiguous"
    ),
    "two ways that end alike": (
        {"main": MAIN, "f": Function(jumps=("g", "h")), "g": Function(jumps=("e",)),
         "h": Function(jumps=("e",)), "e": TO_T, "t": Function()},
        "t", ["e", GAP], "ambiguous",
    ),
    "two ways that begin alike": (
        {"main": MAIN, "f": TO_G, "g": Function(jumps=("h", "t")), "h": TO_T, "t": Function()},
        "t", [GAP, "f"], "ambiguous",
    ),
    "two ways that begin and end alike": (
        {"main": MAIN, "f": TO_G, "g": Function(jumps=("h", "i")), "h": Function(jumps=("e",)),
         "i": Function(jumps=("e",)), "e": TO_T, "t": Function()},
        "t", ["e", GAP, "f"], "ambiguous",
    ),
    "around and around": (
        {"main": MAIN, "f": TO_G, "g": Function(jumps=("f", "t")), "t": Function()},
        "t", ["g", "f", GAP], "ambiguous",
    ),
    "around further in, as often as not": (
        {"main": MAIN, "f": TO_G, "g": Function(jumps=("h",)), "h": Function(jumps=("t", "g")),
         "t": Function()},
        "t", ["h", "g", GAP, "f"], "ambiguous",
    ),
    "a function that jumps to itself": (
        {"main": MAIN, "f": Function(jumps=("f", "t")), "t": Function()},
        "t", ["f", GAP], "ambiguous",
    ),
    "the function that runs may jump to itself": (
        {"main": MAIN, "f": TO_T, "t": Function(jumps=("t",))}, "t", [GAP, "f"], "ambiguous"
    ),
    "and through others": (
        {"main": MAIN, "f": TO_T, "t": Function(jumps=("f",))}, "t", [GAP, "f"], "ambiguous"
    ),
    "through a pointer": (
        {"main": MAIN, "f": Function(jumps=("t", "*")), "t": Function()},
        "t", [GAP], "not all calls of f are described",
    ),
    "to code that is not described": (
        {"main": MAIN, "f": Function(jumps=("t", DECLARED)), "t": Function()},
        "t", [GAP], "not all calls of f are described",
    ),
    "in a function that leaves some out": (
        {"main": MAIN, "f": Function(jumps=("t",), is_described=False), "t": Function()},
        "t", [GAP], "not all calls of f are described",
    ),
    "none that lead there": (
        {"main": MAIN, "f": TO_G, "g": Function(), "t": Function()},
        "t", [GAP], "no described calls lead from f here",
    ),
    "a call of an entry that names nothing, as clang writes with -flto": (
        {"main": Function((EMPTY,)), "t": Function()}, "t", [], None
    ),
    "a call of what has no code, which gcc may have merged with another function": (
        {"main": Function((DECLARED,)), "t": Function()}, "t", [], None
    ),
    "a call through a pointer says nothing": (
        {"main": Function((POINTER,)), "f": TO_T, "t": Function()}, "t", [], None
    ),
}  # fmt: skip


@pytest.mark.parametrize(("functions", "to", "gone", "why"), CHAINS.values(), ids=CHAINS)
def test_chains(
    tmp_path: Path, functions: dict[str, Function], to: str, gone: list[str], why: str | None
) -> None:
    assert chain(tmp_path, functions, to) == (gone, why)


LOCAL_FUNCTION, GLOBAL_FUNCTION, INDIRECT_FUNCTION = 0x02, 0x12, 0x1A
BY_SYMBOL = {
    "a declaration is resolved": ({DECLARED: ("f", GLOBAL_FUNCTION)}, "t", ["f"], None),
    "a local symbol, too": ({DECLARED: ("f", LOCAL_FUNCTION)}, "t", ["f"], None),
    "and a default version": ({f"{DECLARED}@@V_1": ("f", GLOBAL_FUNCTION)}, "t", ["f"], None),
    "another name of what runs": ({DECLARED: ("t", GLOBAL_FUNCTION)}, "t", [], None),
    "what chooses says nothing": ({DECLARED: ("f", INDIRECT_FUNCTION)}, "t", [], None),
    "not the beginning of a longer name": (
        {f"{DECLARED}2": ("f", GLOBAL_FUNCTION)}, "t", [], None
    ),
    "of code that is not described": (
        {DECLARED: (NOT_DESCRIBED, GLOBAL_FUNCTION)},
        "t", [GAP], "elsewhere has no described code",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("symbols", "to", "gone", "why"), BY_SYMBOL.values(), ids=BY_SYMBOL)
def test_what_is_called_is_known_by_its_symbol(
    tmp_path: Path, symbols: dict[str, tuple[str, int]], to: str, gone: list[str], why: str | None
) -> None:
    functions = {"main": Function((DECLARED,)), "f": TO_T, "t": Function()}
    assert chain(tmp_path, functions, to, symbols=symbols) == (gone, why)


def test_a_place_that_no_call_returns_to(tmp_path: Path) -> None:
    functions = {"main": MAIN, "f": TO_T, "t": Function()}
    assert chain(tmp_path, functions, "t", call=3) == ([], None)


def test_functions_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_calls, "MAX_FUNCTIONS", 20)
    names = [f"f{n}" for n in range(40)]
    functions = {"main": Function((names[0],))}
    functions |= {a: Function(jumps=(b,)) for a, b in pairwise(names)}
    functions[names[-1]] = Function()
    assert chain(tmp_path, functions, names[-1]) == ([GAP], "more than 20 functions")


def test_tail_calls_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    functions = {"main": MAIN, "f": Function(jumps=("g", "t")), "g": TO_T, "t": Function()}
    for most, why in ((3, "ambiguous"), (2, "more than 2 tail calls")):
        monkeypatch.setattr(tail_calls, "MAX_JUMPS", most)
        assert chain(tmp_path, functions, "t") == ([GAP], why)


def jumping(count: int, first: str, back: int) -> dict[str, Function]:
    """Functions that jump to the next one, and to some before it; the last one to `t`."""
    names = [f"f{number}" for number in range(count)]
    functions = {"main": Function((first,))}
    for number, name in enumerate(names):
        jumps = names[number + 1 : number + 2] or ["t"]
        functions[name] = Function(jumps=(*jumps, *names[max(0, number - back) : number]))
    return functions | {"t": Function()}


@pytest.mark.parametrize("back", [0, 2])
def test_a_long_chain_is_gone_through_once(tmp_path: Path, back: int) -> None:
    """Also where each function jumps back: at each step of the chain, all were looked at."""

    def searched(count: int) -> Callable[[], object]:
        path, functions = tmp_path / "made", jumping(count, "f0", back)
        path.write_bytes(compiled(functions))
        chains = CallChains((CodeObject.open(path),))
        location = FIRST + SIZE * (count + 1)
        return lambda: chains.between(location, FIRST + 8)

    assert_linear(searched, 30)


def test_functions_that_jump_to_one_another_are_judged_together(tmp_path: Path) -> None:
    """Each one of a stack asks whether it may have been entered again."""

    def asked(count: int) -> Callable[[], list[bool]]:
        path = tmp_path / "made"
        names = [f"f{number}" for number in range(count)]
        path.write_bytes(
            compiled({a: Function(jumps=(*names[n + 1 : n + 3],)) for n, a in enumerate(names)})
        )
        dies = subprograms(path, count)
        return lambda: [may_tail_call_itself(die) for die in dies]

    assert asked(4)() == [False] * 4
    assert_linear(asked, 30)


@pytest.mark.parametrize("seed", range(20))
def test_functions_that_may_jump_to_themselves(tmp_path: Path, seed: int) -> None:
    """Whatever was asked before."""
    chance, path = Random(seed), tmp_path / "made"
    names = [f"f{number}" for number in range(12)]
    jumps = {name: [n for n in (*names, POINTER) if chance.random() < 0.08] for name in names}
    path.write_bytes(compiled({name: Function(jumps=(*jumps[name],)) for name in names}))
    for name, die in chance.sample([*zip(names, subprograms(path, 12), strict=True)], 12):
        reached, pending = set[str](), [name]
        while pending:
            more = {*jumps.get(pending.pop(), ())} - reached
            reached |= more
            pending += more
        assert may_tail_call_itself(die) == (name in reached or POINTER in reached)


def test_a_function_that_jumps_to_itself_by_another_name(tmp_path: Path) -> None:
    """`t` jumps to a declaration, whose symbol is that of `g`, which jumps to `t`."""
    functions = {"main": MAIN, "f": TO_T, "t": Function(jumps=(DECLARED,)), "g": TO_T}
    of_g = {DECLARED: ("g", GLOBAL_FUNCTION)}
    assert chain(tmp_path, functions, "t", symbols=of_g) == ([GAP, "f"], AMBIGUOUS)


def subprograms(path: Path, count: int) -> list[Die]:
    scopes = CodeObject.open(path).scopes
    found = [scopes.subprogram_at(FIRST + SIZE * number) for number in range(count)]
    return [function.die for function in found if function is not None]


def test_a_call_that_cannot_be_read_is_no_tail_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(scopes: object, return_pc: int) -> None:
        raise Malformed("the unit")

    monkeypatch.setattr(tail_calls, "call_before", unreadable)
    functions = {"main": MAIN, "f": TO_T, "t": Function()}
    assert chain(tmp_path, functions, "t") == ([], None)
