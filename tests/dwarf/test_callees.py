"""Which code a call enters, where gcc splits `f.part.0` from `f` or `f` has another origin.

As in GDB, the addresses decide: that of an entry with code, else that of the function's symbol.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.calls.call_sites import call_before, call_sites
from dwarfgpu.dwarf.calls.callees import enters, instances, may_enter
from dwarfgpu.dwarf.calls.reentry import may_tail_call_itself
from dwarfgpu.dwarf.calls.tail_calls import CallChains
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import entry_of
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.work import assert_linear

STRING, ADDRESS, DATA1, DATA4, FLAG, REF4 = 0x08, 0x01, 0x0B, 0x06, 0x0C, 0x13
SHAPES = (
    Shape(0x11, (), True),
    Shape(0x2E, ((0x03, STRING), (0x3F, FLAG), (0x20, DATA1))),  # an abstract instance
    Shape(0x2E, ((0x31, REF4), (0x11, ADDRESS), (0x12, DATA4), (0x7A, FLAG)), True),
    Shape(0x48, ((0x7F, REF4), (0x7D, ADDRESS), (0x82, FLAG))),
    Shape(0x2E, ((0x03, STRING), (0x3F, FLAG), (0x3C, FLAG))),
    Shape(0x2E, ((0x03, STRING), (0x11, ADDRESS), (0x12, DATA4), (0x7A, FLAG)), True),
    Shape(0x2E, ((0x03, STRING), (0x6E, STRING), (0x3F, FLAG), (0x3C, FLAG))),
    Shape(0x2E, ((0x31, REF4), (0x6E, STRING), (0x11, ADDRESS), (0x12, DATA4))),
)
FIRST, SIZE = 0x1000, 0x100
PART, WHOLE, MAIN = FIRST, FIRST + SIZE, FIRST + 2 * SIZE
LOCAL, GLOBAL = 0x02, 0x12


def placed(code: int, first: bytes, start: int, *sites: tuple[int, int, bool]) -> bytes:
    entry = bytes((code,)) + first + struct.pack("<QIB", start, SIZE, 1)
    for origin, after, is_jump in sites:
        entry += b"\x04" + struct.pack("<IQB", origin, after, is_jump)
    return entry + b"\0"


def opened(
    folder: Path, *symbols: tuple[str, int, int], is_external: bool = True, back: bool = False
) -> tuple[CodeObject, dict[str, Die]]:
    """`f`, whose end is the jump to `f.part.0`, and another unit with a call of `f`.

    Both have one abstract origin. `symbols` have a name, address (0: of another file) and type;
    `back`: the part ends in a jump to `f`, too.
    """
    first = 12 + 1
    abstract = b"\x02f\0" + bytes((is_external, 1))
    of_first = first.to_bytes(4, "little")
    part = first + len(abstract)
    jumps = ((first, PART + 0x80, True),) if back else ()
    entries = b"\x01" + abstract + placed(3, of_first, PART, *jumps)
    entries += placed(3, of_first, WHOLE, (part, WHOLE + 0x80, True)) + b"\0"
    caller = (
        b"\x01\x05f\0\x01\x01" + placed(6, b"main\0", MAIN, (first, MAIN + 0x10, False)) + b"\0"
    )
    code_object = written(folder, unit(entries) + unit(caller), *symbols)
    entry_at = code_object.scopes.subprogram_at
    found = {"part": entry_at(PART), "whole": entry_at(WHOLE), "main": entry_at(MAIN)}
    dies = {name: subprogram.die for name, subprogram in found.items() if subprogram is not None}
    dies["abstract"] = list(dies["part"].origins())[-1]
    dies["declared"] = next(dies["main"].unit.root.children())
    return code_object, dies


def written(folder: Path, units: bytes, *symbols: tuple[str, int, int]) -> CodeObject:
    names = b"\0" + b"".join(name.encode() + b"\0" for name, _, _ in symbols)
    table = bytes(24)
    for name, address, kind in symbols:
        at = names.index(b"\0" + name.encode() + b"\0") + 1
        table += struct.pack("<IBBHQQ", at, kind, 0, address > 0, address, SIZE)
    path = folder / "made"
    sections: dict[str, bytes | Content] = {
        ".text": Content(bytes(3 * SIZE), flags=6, address=FIRST),
        ".debug_abbrev": abbreviations(*SHAPES),
        ".debug_info": units,
        ".strtab": Content(names, 3),
        ".symtab": Content(table, 2, link=4, entry_bytes=24),
    }
    path.write_bytes(elf(sections, X86_64, 0))
    return CodeObject.open(path)


F, AS_LOCAL, ALIAS = ("f", WHOLE, GLOBAL), ("f", WHOLE, LOCAL), ("f", MAIN, LOCAL)
TAKEN = "f", 0, GLOBAL
CALLS = {
    "code itself": ("part", [F], {"part"}, {"part"}),
    "code with the symbol": ("whole", [F], {"whole"}, {"whole"}),
    "the abstract instance: its symbol": ("abstract", [F], {"whole"}, {"whole"}),
    "or its local symbol": ("abstract", [AS_LOCAL], {"whole"}, {"whole"}),
    "from another unit: its symbol": ("declared", [F], {"whole"}, {"whole"}),
    "symbols of two static functions": ("abstract", [AS_LOCAL, ALIAS], {"whole"}, {"whole"}),
    "a hidden name of another function": ("declared", [ALIAS], {"main"}, {"main"}),
    "that may be a static function's": ("declared", [AS_LOCAL, ALIAS], {"whole"}, {"whole"}),
    "the global symbol, not a local one": ("declared", [F, ALIAS], {"whole"}, {"whole"}),
    "the symbol of another file": ("declared", [TAKEN, ALIAS], set(), {"part", "whole"}),
    "without symbols, one of two": ("abstract", [], set(), {"part", "whole"}),
    "that is known to be neither": ("declared", [("f", MAIN, GLOBAL)], {"main"}, {"main"}),
}  # fmt: skip


@pytest.mark.parametrize(("called", "symbols", "certain", "possible"), CALLS.values(), ids=CALLS)
def test_which_code_a_call_enters(
    tmp_path: Path,
    called: str,
    symbols: list[tuple[str, int, int]],
    certain: set[str],
    possible: set[str],
) -> None:
    _, dies = opened(tmp_path, *symbols)
    with_code = ("part", "whole", "main")
    assert {name for name in with_code if enters(dies[called], dies[name])} == certain
    assert {name for name in with_code if may_enter(dies[called], dies[name])} == possible


@pytest.mark.parametrize("symbols", [[AS_LOCAL], [AS_LOCAL, ALIAS], [AS_LOCAL, TAKEN], []])
def test_a_call_of_an_external_function_does_not_enter_a_static_one(
    tmp_path: Path, symbols: list[tuple[str, int, int]]
) -> None:
    _, dies = opened(tmp_path, *symbols, is_external=False)
    with_code = ("part", "whole", "main")
    assert not any(enters(dies["declared"], dies[name]) for name in with_code)


HIDDEN = """\
volatile int s;
__attribute__((noinline, noclone)) int f(int n) { s = n; __builtin_trap(); }
extern int g(int n) __attribute__((alias("f"), visibility("hidden")));
"""
CALLER = "extern volatile int s; int g(int); int main(void) { return g(s + 3) + s; }\n"
STATIC = """\
volatile int s;
__attribute__((noinline, noclone)) static int g(int n) { s = n; __builtin_trap(); }
__attribute__((noinline, noclone)) int f(int n) { return g(n + 1) + s; }
"""
JUMPING = "int f(int n); int g(int n) { return f(n * 2); }\n"


@pytest.mark.parametrize(
    ("sources", "is_callee", "jumps"),
    [((HIDDEN, CALLER), True, 0), ((STATIC, JUMPING, CALLER), False, 1)],
    ids=["hidden", "static"],
)
def test_local_symbols_that_gcc_and_the_linker_make(
    tool: Callable[[str], str],
    tmp_path: Path,
    sources: tuple[str, ...],
    is_callee: bool,
    jumps: int,
) -> None:
    """GDB 13: `f (n=n@entry=3)` below `main`; `f` below `g`, which jumped, below `main`."""
    for number, source in enumerate(sources):
        (tmp_path / f"{number}.c").write_text(source)
    names = [f"{number}.c" for number in range(len(sources))]
    words = [tool("gcc"), "-g", "-O2", *names, "-o", "made"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=60)
    code_object = CodeObject.open(tmp_path / "made")
    [main], [entered] = (code_object.file.symbols_named(name) for name in ("main", "f"))
    caller = code_object.scopes.subprogram_at(main.address)
    callee = code_object.scopes.subprogram_at(entered.address)
    assert caller is not None and callee is not None
    [call] = call_sites(caller.die)
    assert call.callee is not None and call.return_address is not None
    assert enters(call.callee, callee.die) == is_callee
    between = CallChains((code_object,)).between(entered.address, call.return_address)
    assert (len(between.inner), between.why_unknown) == (jumps, None)


@pytest.mark.parametrize("other", ["f.constprop.0", "f.constprop.1"])
def test_a_clone_in_another_unit_is_known_by_its_linkage_name(tmp_path: Path, other: str) -> None:
    """gcc's link-time optimization (-flto) gives the declaration of a clone no other name."""
    clone = b"f.constprop.0\0"
    entry = b"\x08" + struct.pack("<I", 12 + 1) + clone + struct.pack("<QI", PART, SIZE)
    units = unit(b"\x01\x02f\0\x01\x01" + entry + b"\0")
    units += unit(b"\x01\x07" + 2 * (other.encode() + b"\0") + b"\x01\x01\0")
    symbols = [("f.constprop.0", PART, LOCAL), ("f.constprop.1", WHOLE, LOCAL)]
    code_object = written(tmp_path, units, *symbols)
    found = code_object.scopes.subprogram_at(PART)
    assert found is not None
    declared = next(code_object.scopes.info.units[1].full.root.children())
    assert enters(declared, found.die) == (other == "f.constprop.0")


@pytest.mark.parametrize(
    ("symbols", "jumps", "why"),
    [([F], [WHOLE + 0x80], None), ([], [], "f is not known by a symbol")],
)
def test_the_frame_of_the_function_that_jumped_to_its_part(
    tmp_path: Path, symbols: list[tuple[str, int, int]], jumps: list[int], why: str | None
) -> None:
    """GDB 13 shows two frames of `f`, and `flag=flag@entry=77` in the outer one."""
    code_object, _ = opened(tmp_path, *symbols)
    between = CallChains((code_object,)).between(PART + 4, MAIN + 0x10)
    assert ([jump.pc for jump in between.inner], between.why_unknown) == (jumps, why)
    call = call_before(code_object.scopes, MAIN + 0x10)
    assert call is not None and call.callee is not None
    direct = CallChains((code_object,)).between(WHOLE + 4, MAIN + 0x10)
    assert not direct.inner and direct.why_unknown == (None if symbols else why)


@pytest.mark.parametrize("symbols", [[F], []])
def test_a_jump_to_a_part_is_no_jump_to_the_function(
    tmp_path: Path, symbols: list[tuple[str, int, int]]
) -> None:
    """Unless the part jumps back."""
    _, dies = opened(tmp_path, *symbols)
    assert not may_tail_call_itself(dies["whole"]) and not may_tail_call_itself(dies["part"])
    _, dies = opened(tmp_path, *symbols, back=True)
    assert may_tail_call_itself(dies["whole"]) and may_tail_call_itself(dies["part"])


MERGED = """\
volatile int s; int *volatile bad;
__attribute__((noinline)) void leaf(int v) { s = v; *bad = 1; s = 2; }
template <class F> __attribute__((noinline)) void walk(F &&f, int n) { leaf(n); f(n); s = n; }
int main(int argc, char **) {
  int total = argc; auto g = [&](int i) { total += i; };
  if (argc > 9) walk(static_cast<decltype(g) &&>(g), argc + 5);
  walk(g, argc + 7); return total;
}
"""


def test_merged_instances_of_a_template(tool: Callable[[str], str], tmp_path: Path) -> None:
    """The entry of the instance that `main` calls has neither code nor a linkage name; GDB 13
    shows no frame between `walk` and `main`."""
    (tmp_path / "made.cpp").write_text(MERGED)
    words = [tool("g++"), "-g", "-O2", "made.cpp", "-o", "made"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=60)
    code_object = CodeObject.open(tmp_path / "made")
    [main] = code_object.file.symbols_named("main")
    caller = code_object.scopes.subprogram_at(main.address)
    assert caller is not None
    calls = [call for call in call_sites(caller.die) if call.callee is not None]
    callees = [call.callee.name for call in calls if call.callee is not None]
    assert [name.split("<")[0] for name in callees if name is not None] == ["walk", "walk"]
    [merged] = {symbol.address for symbol in code_object.file.symbols if "4walk" in symbol.name}
    for call in calls:
        assert call.return_address is not None
        between = CallChains((code_object,)).between(merged, call.return_address)
        assert (between.inner, between.outer, between.why_unknown) == ((), (), None)


def test_the_functions_of_a_unit_are_gone_through_once(tmp_path: Path) -> None:
    """Each call of an entry without code asks which of them it may enter."""

    def asked(count: int) -> Callable[[], list[list[int]]]:
        entries, abstract = b"\x01", []
        for number in range(count):
            abstract.append(12 + len(entries))
            entries += b"\x02f%d\0\1\1" % number
        for number, origin in enumerate(abstract):
            entries += placed(3, origin.to_bytes(4, "little"), FIRST + SIZE * number)
        path = tmp_path / "made"
        path.write_bytes(
            elf(
                {
                    ".text": Content(bytes(SIZE * count), flags=6, address=FIRST),
                    ".debug_abbrev": abbreviations(*SHAPES),
                    ".debug_info": unit(entries + b"\0"),
                },
                X86_64,
            )
        )
        (of_file,) = CodeObject.open(path).info.units
        called = [of_file.info.die_at(offset) for offset in abstract]
        return lambda: [
            [entry_of(entry) or 0 for entry in instances(one, of_file)] for one in called
        ]

    assert asked(3)() == [[FIRST], [FIRST + SIZE], [FIRST + 2 * SIZE]]
    assert_linear(asked, 30)
