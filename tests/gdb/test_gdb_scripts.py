"""`import dwarfgpu.gdb as dg`: frames and values for scripts, and the scripts of docs/gdb.md."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.gdb.debugger import Debugger

STOPPED = ("break leaf", "run", "next")
HEAD = """
import json
def say(*values):
    print("\\n|" + json.dumps(values))
import dwarfgpu.gdb as dg
def tried(action):
    try:
        return action()
    except gdb.GdbError as error:
        return f"{error.__cause__.kind}: {error}"
"""


@pytest.fixture(scope="module")
def scripts(repository: Path) -> list[str]:
    text = (repository / "docs/gdb.md").read_text()
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def said(debugger: Debugger, file: Path, code: str, *before: str) -> list[Any]:
    """What the code says inside GDB."""
    out = debugger.python(HEAD + code, *(before or STOPPED), file=file)
    lines = [line[1:] for line in out.splitlines() if line.startswith("|")]
    return [load for line in lines for load in json.loads(line)]


LOOKED_AT = {
    "n.text": "'42'",
    "n.bytes": r"b'*\x00\x00\x00'",
    "n.bits.value": "42",
    "n.type": "'int'",
    "n.name": "'n'",
    "n.is_optimized_out": "False",
    "n.location.single_locations[0].byte_address == int(gdb.parse_and_eval('(long) &n'))": "True",
    "dg.variable('n').text": "'42'",
    "dg.frame(1).variable('n').text": "'41'",
    "dg.frame().level": "0",
    "[each.function for each in dg.frames()]": "['leaf', 'mid', 'main']",
    "dg.frame(1).older().function": "'main'",
    "dg.frame(2).older()": "None",
    "dg.frame(1).pc == gdb.selected_frame().older().pc()": "True",
    "[each.name for each in dg.frame(1).variables()][:2]": "['n', 'copy']",
    "str(sp['in'][1]['weight'])": "'-2.25'",
    "str(sp['color'])": "'GREEN'",
    "len(list(dg.variable('array')))": "4",
    "sp['in'].text == sp.dereference()['in'].text": "True",
    "sp['b2'].text": "'-3'",
    "sp['b2'].bits.size_bits": "5",
    "sp['x'].text": "'-1'",
    "sp[0]['a'].text": "'41'",
    "sp['in'][gdb.Value(1)]['weight'].text": "'-2.25'",
    "sp['in'][gdb.parse_and_eval('(unsigned char) 1')].name": "'sp.in[1]'",
    "sp['in'][-1].name": "'sp.in[-1]'",
    "dg.frame(gdb.Value(1)).level": "1",
    "dg.value('sp->in[1].count + 40').text": "'42'",
    "dg.value('n + 1').location": "None",
    "(n == 42, 42 == n, n == 41, n != 42, n != 41)": "(True, True, False, False, True)",
    "(n < 43, n <= 41, n > 41.5, n >= 42.5, 41 < n)": "(True, False, True, False, True)",
    "(n in (41, 42), n in (1, 2), int(sp['mat'][1][2]) in sp['mat'][1])": "(True, False, True)",
    "(n == gdb.Value(42), n < gdb.Value(1.5), n == n, n == dg.frame(1).variable('n'))": "(True, "
    "False, True, False)",
    "(n == None, n != None, [n].index(n))": "(False, True, 0)",
    "(bool(n), bool(dg.value('n - 42')), not dg.value('n - 42'))": "(True, False, True)",
    "(int(n), float(n), int(sp['b2']), sp['b2'] == -3)": "(42, 42.0, -3, True)",
    "(int(sp['in'][1]['weight']), float(sp['in'][1]['weight']))": "(-2, -2.25)",
    "(sp['in'][1]['weight'] == -2.25, sp['in'][1]['weight'] < -2)": "(True, True)",
    "(sp['color'] == 5, int(sp['color']), bool(sp['color']))": "(True, 5, True)",
    "(bool(sp), bool(sp['in'][1]['label']), sp['in'][1]['label'] == 0)": "(True, False, True)",
    "(sp == dg.value('&*sp'), sp != dg.value('sp + 1'), sp < dg.value('sp + 1'))": "(True, True, "
    "True)",
    "int(sp) == int(gdb.parse_and_eval('sp')), sp == gdb.parse_and_eval('sp')": "(True, True)",
    "(dg.frame() == dg.frame(0), dg.frame(1) == dg.frame(0).older())": "(True, True)",
    "(dg.frame() == dg.frame(1), dg.frame() != dg.frame(0), dg.frame() == 0)": "(False, False, "
    "False)",
    "dg.evaluate('lit5; lit6; plus').number": "11",
    "dg.evaluate('breg7 8; deref').number == word('$rsp + 8')": "True",
    "dg.evaluate('call_frame_cfa; lit8; minus; deref').number == dg.frame(1).pc": "True",
    "dg.evaluate('call_frame_cfa') == dg.frame().cfa": "True",
    "dg.frame(1).evaluate('call_frame_cfa') == dg.frame(1).cfa": "True",
}
"""What a script asks, and what it is."""
NO_NUMBER = " has no number: only arithmetic types, enumerations and pointers do"
ERRORS = {
    "dg.frame(99)": "UsageError: No frame at level 99.",
    "dg.frame(-1)": "UsageError: No frame at level -1.",
    "dg.variable('nope')": 'UsageError: No symbol "nope" in current context.',
    "dg.variable('sp')['nope']": "UsageError: There is no member named nope.",
    "dg.variable('n')['a']": "UsageError: Attempt to extract a component of a value that is not a "
    "structure.",
    "dg.variable('n').dereference()": "UsageError: Attempt to take contents of a non-pointer "
    "value.",
    "dg.value('n = 3')": "UsageError: assignments are not possible in an expression: use assign",
    "dg.value('n +')": "UsageError: A syntax error in expression, near `'.",
    "dg.value('*(int *) 0').bytes": "Unavailable: Cannot access memory at address 0x0",
    "dg.variable('n').assign('nope')": 'UsageError: No symbol "nope" in current context.',
    "dg.variable('n').assign(b'12345')": "UsageError: n has 32 bits, not 40",
    "dg.value('n + 1').assign(1)": "UsageError: Left operand of assignment is not an lvalue.",
    "bool(dg.variable('sp').dereference())": "UsageError: *sp" + NO_NUMBER,
    "dg.variable('array') == 1": "UsageError: array" + NO_NUMBER,
    "dg.variable('sp').dereference() == dg.variable('sp').dereference()": "UsageError: *sp"
    + NO_NUMBER,
    "dg.variable('n') == sp['in']": "UsageError: sp.in" + NO_NUMBER,
    "int(dg.value('*(int *) 0'))": "Unavailable: Cannot access memory at address 0x0",
    "dg.value('*(int *) 0') == 0": "Unavailable: Cannot access memory at address 0x0",
    "dg.variable('n') == 'x'": "UsageError: n ==: expected a number, not 'x'",
    "dg.variable('n') != dg.frame()": "UsageError: n !=: expected a number, not an object of Frame",
    "dg.variable('n') < 1j": "UsageError: n <: expected a number, not an object of complex",
    "dg.variable('n') in ('x',)": "UsageError: n ==: expected a number, not 'x'",
    "int(dg.value('0.0 / 0'))": "UsageError: 0.0 / 0 is nan: it is no integer",
    "iter(dg.variable('n'))": "UsageError: n is not an array of known length",
    "dg.evaluate('call_frame_cfaa')": "UsageError: 1:1: 'call_frame_cfaa': unknown operation; did "
    "you mean call_frame_cfa?",
    "dg.evaluate('deref')": "IllFormed: IllFormed: DW_OP_deref at offset 0x0: 1 stack entry "
    "needed, the stack has 0",
    "dg.variable('n').assign(None)": "UsageError: Value.assign: new: expected a number, a value, "
    "str or bytes, not None",
    "dg.variable('n').assign(gdb.parse_and_eval('*sp'))": "UsageError: Value.assign: new: expected "
    "a number, a value, str or bytes, not a gdb.Value of type outer_t",
    "dg.variable('n').assign(gdb.parse_and_eval('(long double) 1'))": "UsageError: Value.assign: "
    "new: expected a number, a value, str or bytes, not a gdb.Value of type long double",
    "dg.variable('n').assign(dg.value('*sp'))": "UsageError: Invalid cast.",
    "dg.variable('n').assign(dg.value('n + 0.5'))": "UsageError: n cannot hold 42.5",
    "dg.variable('n').assign(dg.value('1l << 40'))": "UsageError: n cannot hold 1099511627776",
    "sp['b2'].assign(dg.variable('n'))": "UsageError: sp.b2 cannot hold 42",
    "sp['color'].assign(dg.value('(char *) 0x7fff12345678'))": "UsageError: sp.color cannot hold "
    "140733498807928",
    "dg.variable('n').assign(dg.value('*(int *) 0'))": "Unavailable: Cannot access memory at "
    "address 0x0",
    "dg.variable('n') == gdb.parse_and_eval('*sp')": "UsageError: n ==: expected a number, not a "
    "gdb.Value of type outer_t",
    "dg.variable('n').assign(0.5)": "UsageError: n cannot hold 0.5",
    "dg.variable('n').assign(float('nan'))": "UsageError: n cannot hold nan",
    "dg.variable('n').assign(1e30)": "UsageError: n cannot hold 1e+30",
    "dg.variable('n').assign(1j)": "UsageError: n cannot hold 1j",
    "dg.variable('n').assign(2**32)": "UsageError: n cannot hold 4294967296",
    "dg.variable('n').assign(gdb.Value(2**40))": "UsageError: n cannot hold 1099511627776",
    "sp['b2'].assign(32)": "UsageError: sp.b2 cannot hold 32",
    "dg.variable('sp').dereference().assign(5)": "UsageError: Invalid cast.",
    "dg.frame().lane(0)": "UsageError: a thread of x86_64 has no lanes",
    "dg.frame('x')": "UsageError: frame: level: expected an integer or None, not 'x'",
    "dg.frame(1.0)": "UsageError: frame: level: expected an integer or None, not 1.0",
    "dg.frame(True)": "UsageError: frame: level: expected an integer or None, not True",
    "dg.frame().lane('x')": "UsageError: Frame.lane: number: expected an integer, not 'x'",
    "dg.variable(None)": "UsageError: Frame.variable: name: expected str, not None",
    "dg.variable([])": "UsageError: Frame.variable: name: expected str, not an object of list",
    "dg.value(5)": "UsageError: Frame.value: expression: expected str, not 5",
    "dg.evaluate(b'0')": "UsageError: Frame.evaluate: operations: expected str, not b'0'",
    "dg.location_text(None)": "UsageError: location_text: location: expected Location, not None",
    "sp['in'][1.5]": "UsageError: part of sp.in: expected a name or an integer, not 1.5",
    "sp['in'][1.0]": "UsageError: part of sp.in: expected a name or an integer, not 1.0",
    "sp['in'][True]": "UsageError: part of sp.in: expected a name or an integer, not True",
    "sp['in'][None]": "UsageError: part of sp.in: expected a name or an integer, not None",
    "sp['in'][1:2]": "UsageError: part of sp.in: expected a name or an integer, not an object of "
    "slice",
    "sp['in'][gdb.Value(1.5)]": "UsageError: part of sp.in: expected a name or an integer, not an "
    "object of Value",
    "sp['in'][2**70]": "UsageError: index of sp.in: expected an integer of 64 bits, not "
    "1180591620717411303424",
    "sp['in'][-2**63 - 1]": "UsageError: index of sp.in: expected an integer of 64 bits, not "
    "-9223372036854775809",
    "sp[2**70]": "UsageError: index of sp: expected an integer of 64 bits, not "
    "1180591620717411303424",
}
"""What a script asks for, and why it does not get it."""


@pytest.fixture(scope="module")
def looked_at(debugger: Debugger, demo: Path) -> dict[str, str]:
    """What each question is, of one stop."""
    code = f"""
n, sp = dg.frame(0).variable("n"), dg.variable("sp")
word = lambda text: int(gdb.parse_and_eval(f"*(unsigned long *) ({{text}})"))
say({{each: repr(eval(each)) for each in {list(LOOKED_AT)!r}}})
"""
    result: dict[str, str] = said(debugger, demo, code)[0]
    return result


@pytest.fixture(scope="module")
def refused(debugger: Debugger, demo: Path) -> dict[str, str]:
    """Why each request is refused, all at one stop; GDB is where it was."""
    code = f"""
sp = dg.variable("sp")
sp["in"][1]  # a part that is known: neither 1.0 nor True is it
say({{each: tried(lambda: eval(each)) for each in {list(ERRORS)!r}}})
say(gdb.selected_frame().level(), gdb.parse_and_eval("n").format_string())
"""
    result, *where = said(debugger, demo, code)
    assert where == [0, "42"]
    return dict(result)


@pytest.mark.parametrize("question", LOOKED_AT)
def test_the_answers_about_objects(looked_at: dict[str, str], question: str) -> None:
    assert looked_at[question] == LOOKED_AT[question]


@pytest.mark.parametrize("request_", ERRORS)
def test_errors(refused: dict[str, str], request_: str) -> None:
    assert refused[request_] == ERRORS[request_]


def test_the_registers_of_another_frame(debugger: Debugger, demo: Path) -> None:
    """Also by the names that GDB has for every machine, whichever frame is selected."""
    code = """
frames = [gdb.newest_frame(), gdb.newest_frame().older()]
for selected in frames:
    selected.select()
    for number, frame in enumerate(frames):
        for name in ("sp", "fp", "pc"):
            own = dg.frame(number).value(f"${name}").text
            frame.select()
            say(gdb.parse_and_eval(f"${name}").format_string() in own)
            selected.select()
"""
    assert said(debugger, demo, code) == [True] * 12


def test_optimized_out(debugger: Debugger, repository: Path) -> None:
    optimized = repository / "fixtures/x86_64/demo.gcc.O2.v5"
    code = """
v = dg.variable("lost")
say(v.is_optimized_out, v.text, v.location, tried(lambda: v.bytes).partition(":")[0])
say(*(tried(ask) for ask in (lambda: bool(v), lambda: v == 0, lambda: int(v), lambda: 1 < v)))
say(dg.frame(1).variable("n").text)
"""
    lines = said(debugger, optimized, code, "break leaf", "run")
    why = "UndefinedBits: value has been optimized out: lost is declared here but no location is "
    why += "given: it is optimized out"
    assert lines == [True, "<optimized out>", None, "UndefinedBits", *[why] * 4, "41"]


def test_assign(debugger: Debugger, demo: Path) -> None:
    code = """
n, sp = dg.variable("n"), dg.variable("sp")
for new in (77, "n + 1", b"\\1\\0\\0\\0", True, -1):
    n.assign(new)
    say(n.text, gdb.parse_and_eval("n").format_string())
sp["in"][1]["weight"].assign(0.5)
sp["b2"].assign(-7)
say(*(gdb.parse_and_eval(each).format_string() for each in ("sp->in[1].weight", "sp->b2")))
caller = dg.frame(1).variable("n")
caller.assign(12)
say(gdb.selected_frame().older().read_var("n").format_string(), caller.text)
say(gdb.selected_frame().level())
"""
    assert said(debugger, demo, code) == [
        "77", "77", "78", "78", "1", "1", "1", "1", "-1", "-1", "0.5", "-7", "12", "12", 0,
    ]  # fmt: skip


def test_values_are_assigned(debugger: Debugger, demo: Path) -> None:
    """Pointers of GDB's Python, and values of dwarfgpu: numbers, pointers and structures."""
    code = """
n, sp = dg.variable("n"), dg.variable("sp")
sp["p"].assign(gdb.parse_and_eval("&sp->in[0]"))
say(int(gdb.parse_and_eval("sp->p == &sp->in[0]")))
sp["p"].assign(dg.value("&sp->in[1]"))
say(int(gdb.parse_and_eval("sp->p == &sp->in[1]")))
sp["b3"].assign(gdb.parse_and_eval("(char *) 0x1234"))
say(sp["b3"] == 0x1234)
n.assign(sp["in"][1]["count"])
say(n.text, sp["in"][1]["count"].text)
n.assign(dg.frame(1).variable("n"))
say(n.text)
sp["in"][0].assign(sp["in"][1])
say(*(gdb.parse_and_eval(f"sp->in[0].{each}").format_string() for each in ("count", "weight")))
sp["in"][0]["weight"].assign(n)
sp["color"].assign(sp["in"][1]["count"])
say(sp["in"][0]["weight"].text, sp["color"] == 2)
"""
    assert said(debugger, demo, code) == [1, 1, True, "2", "2", "41", "2", "-2.25", "41", True]


CLASSES = """\
struct First { int a = 1; }; struct Second { int b = 2; }; struct Both : First, Second {} both;
Both *whole = &both; Second *second = &both; float _Complex c = 1.5f;
int main() { return whole->a + second->b; }
"""


def test_a_pointer_to_a_class_becomes_one_to_its_base(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Its address is another one, as `set var` has it."""
    source, program = tmp_path / "c.cc", tmp_path / "c"
    source.write_text(CLASSES)
    subprocess.run([tool("g++"), "-g", source, "-o", program], check=True)
    code = """
for name, new in (("second", "whole"), ("second", "&both"), ("whole", "second")):
    value = dg.variable(name)
    gdb.execute(f"set var {name} = {new}")
    right = int(value)
    for given in (gdb.parse_and_eval(new), dg.value(new)):
        value.assign(0)
        value.assign(given)
        say(int(gdb.parse_and_eval(name)) == right)
dg.variable("c").assign(dg.variable("c"))
say(dg.variable("c").text)
"""
    lines = said(debugger, program, code, "break main", "run")
    assert lines == [*[True] * 6, "1.5 + 0i"]


def test_assignments_where_one_sign_compares(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """`=` compares in Ada: nothing was written."""
    source = tmp_path / "m.adb"
    source.write_text("""\
procedure M is
   N : Integer := 3; F : Float := 1.5;
begin
   N := N + 1;
   F := F + Float (N);
end M;
""")
    tool("gcc")  # which gnatmake calls
    subprocess.run([tool("gnatmake"), "-q", "-g", source], check=True, cwd=tmp_path)
    code = """
n, f = dg.variable("n"), dg.variable("f")
for new in (5, "n + 1", b"\\7\\0\\0\\0", f):
    say(tried(lambda: n.assign(new)) or int(gdb.parse_and_eval("n")))
f.assign(n)
say(f == 7, float(gdb.parse_and_eval("f")))
"""
    assert said(debugger, tmp_path / "m", code, "break m.adb:5", "run") == [
        5, 6, 7, "UsageError: n cannot hold 1.5", True, 7.0,
    ]  # fmt: skip


NUMBERS = """\
unsigned __int128 wide; float f; double d; _Complex double c; _Complex float half; _Bool ok;
unsigned char byte; enum { RED, BLUE = 200 } color; long double extended; char *text;
int main(void) { return 0; }
"""


def test_numbers_are_assigned_as_numbers(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """No text of them is made: it would be a name, or no number of the language."""
    source, program = tmp_path / "n.c", tmp_path / "n"
    source.write_text(NUMBERS)
    subprocess.run([tool("gcc"), "-g", source, "-o", program], check=True)
    code = """
for name, *numbers in (
    ("wide", 2**64, 2**128 - 1, gdb.Value(7), 2**128),
    ("f", float("inf"), float("-inf"), gdb.Value(0.25), -0.0, 2**64, 1e300, 2**128),
    ("d", 1e300, gdb.Value(3), 1 + 0j, 1j),
    ("c", 1 + 2j, 3, 0.5), ("half", 1 + 2j, 1e300 + 0j), ("ok", True, 0, 2),
    ("byte", 255, -1, 8.0, bytearray(b"A"), 256), ("color", 200, gdb.parse_and_eval("RED")),
    ("extended", 2**63 + 1), ("text", 0),
):
    for number in numbers:
        value = dg.variable(name)
        say(tried(lambda: value.assign(number)) or value.text)
dg.variable("d").assign(float("nan"))
say(dg.variable("d").text[:3])
"""
    assert said(debugger, program, code, "break main", "run") == [
        "18446744073709551616", f"{2**128 - 1}", "7",
        "UsageError: wide cannot hold a number of 129 bits",
        "inf", "-inf", "0.25", "-0", "1.84467441e+19", "UsageError: f cannot hold 1e+300",
        "UsageError: f cannot hold a number of 129 bits",
        "1.0000000000000001e+300", "3", "1", "UsageError: d cannot hold 1j",
        "1 + 2i", "3 + 0i", "0.5 + 0i",
        "1 + 2i", "UsageError: half cannot hold (1e+300+0j)",
        "true", "false", "UsageError: ok cannot hold 2",
        "255 '\\377'", "255 '\\377'", "8 '\\b'", "65 'A'", "UsageError: byte cannot hold 256",
        "BLUE", "RED", "9223372036854775809", "0x0", "nan",
    ]  # fmt: skip


def test_numbers_are_compared_exactly(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Not by the conversions of C: no number is taken for another one."""
    source, program = tmp_path / "n.cc", tmp_path / "n"
    source.write_text("""\
unsigned u = -1; int i = -1; unsigned long wide = -1, odd = (1ul << 53) + 1; char c = 'A';
unsigned __int128 most = -1; bool yes = true, no; float tenth = 0.1f;
double none = __builtin_nan(""); long double tiny = 0x1p-16000L, third = 1 / 3.0L;
char32_t rune = U'\\x1F600'; double zero = -0.0;
struct Base { int b; }; struct Other { int o; }; struct Derived : Other, Base { } d;
Derived *derived = &d; Base *base = &d; int &r = i; struct { int m : 3; } bits = {-2};
enum class E : unsigned char { A = 200 } e = E::A; int Base::*member = &Base::b;
decltype(nullptr) null = nullptr;
int main() {}
""")
    subprocess.run([tool("g++"), "-g", source, "-o", program], check=True)
    code = """
for name in "u i wide odd c most yes no tenth none tiny third rune zero derived base r e".split():
    globals()[name] = dg.variable(name)
null, member = dg.variable("null"), dg.variable("member")
say(u == -1, u == i, wide == -1, wide == 2**64 - 1, i == -1, odd == float(2**53))
say(most == 2**128 - 1)
say(c == 65, yes == True, yes == 1, no == False, tenth == 0.1, tenth > 0.1, none == none, none != 1)
say(tiny == 0, bool(tiny), float(tiny), third == 1 / 3, third == third, rune == 0x1f600)
say(zero == 0, str(float(zero)), derived == base, int(derived) == int(base), r == i, r == -1)
say(dg.value("bits.m") == -2, e == 200, null == 0, bool(null), tried(lambda: bool(member)))
say({u: 1} if u.__hash__ else "no key")
"""
    assert said(debugger, program, code, "break main", "run") == [
        False, False, False, True, True, False, True,
        True, True, True, True, False, True, False, True,
        False, True, 0.0, False, True, True,
        True, "-0.0", True, False, True, True,
        True, True, True, False, "UsageError: member" + NO_NUMBER,
        "no key",
    ]  # fmt: skip


def test_a_breakpoint_on_a_number(debugger: Debugger, demo: Path) -> None:
    """The condition of a script decides, and an error in it stops the program."""
    code = """
class Stop(gdb.Breakpoint):
    def stop(self):
        return dg.variable("n") == self.wanted
stop = Stop("leaf")
for stop.wanted in (41, 42, "x"):
    gdb.execute("run", to_string=True)
    say(gdb.selected_thread() is not None)
"""
    assert said(debugger, demo, code, "set confirm off") == [False, True, True]


def test_numbers_of_what_references_refer_to(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    source, program = tmp_path / "r.cc", tmp_path / "r"
    source.write_text(
        "int n; float f; bool b; int &rn = n; float &rf = f; bool &rb = b;\nint main() {}\n"
    )
    subprocess.run([tool("g++"), "-g", source, "-o", program], check=True)
    code = """
for name, *numbers in ("rn", 7, 2**32, 1.5), ("rf", 2.5, 1e300, 1j), ("rb", 1, 2):
    for number in numbers:
        value = dg.value(name)
        say(tried(lambda: value.assign(number)) or value.text.partition(": ")[2])
"""
    assert said(debugger, program, code, "break main", "run") == [
        "7", "UsageError: rn cannot hold 4294967296", "UsageError: rn cannot hold 1.5",
        "2.5", "UsageError: rf cannot hold 1e+300", "UsageError: rf cannot hold 1j",
        "true", "UsageError: rb cannot hold 2",
    ]  # fmt: skip


def test_elements_of_what_a_reference_refers_to(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """And of a container by their index."""
    source, program = tmp_path / "e.cc", tmp_path / "e"
    source.write_text(
        "#include <vector>\nint a[3] = {1, 2, 3}; int (&ra)[3] = a;\n"
        "std::vector<double> v = {0.5, 1.5}, none; std::vector<double> &rv = v;\n"
        "struct S { int n; } s, &rs = s;\n"
        "int main() { return v.size(); }\n"
    )
    subprocess.run([tool("g++"), "-g", source, "-o", program], check=True)
    code = """
say(*([each.text for each in dg.value(name)] for name in ("a", "ra")))
say(*(dg.value(name)[1].text for name in ("v", "rv")))
say(*(tried(lambda: iter(dg.value(name))) for name in ("v", "rv", "none", "s", "rs")))
"""
    plain = "UsageError: {} is not an array of known length"
    refused = f"{plain}: take its elements by their index"
    assert said(debugger, program, code, "break main", "run") == [
        ["1", "2", "3"], ["1", "2", "3"], "1.5", "1.5",
        refused.format("v"), refused.format("rv"), refused.format("none"),
        plain.format("s"), plain.format("rs"),
    ]  # fmt: skip


NESTED = """\
int hidden = 1;
int main(int argc, char **argv) {
  int captured = 55, hidden = 7; double unused = 2;
  int outer(int depth) {
    int own = depth;
    int inner(int n) {
      captured += n;
      return captured + own + hidden;
    }
    return depth ? outer(depth - 1) + own : inner(3);
  }
  return outer(2) + (int)unused;
}
"""


def test_variables_of_enclosing_functions(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Nested functions of C: they are in the frames to which static links lead, and hide those
    outside of functions, as for `read_var` of GDB."""
    source, program = tmp_path / "n.c", tmp_path / "n"
    source.write_text(NESTED)
    subprocess.run([tool("gcc"), "-g", source, "-o", program], check=True)
    code = """
captured, own, hidden, unused = (
    dg.variable(name) for name in ("captured", "own", "hidden", "unused"))
say(captured.text, own.text, hidden.text, captured == 58, captured.type)
say(captured is dg.variable("captured"), dg.value("captured").location == captured.location)
read_var = gdb.selected_frame().read_var
say(*(int(read_var(name)) == int(dg.variable(name)) for name in ("captured", "own", "hidden")))
captured.assign(60)
say(captured.text, dg.frame(4).variable("captured").text, int(read_var("captured")))
say([each.name for each in dg.frame().variables()])
say(tried(lambda: dg.variable("nope")), unused.text)
say(dg.frame(1).variable("captured").text, dg.frame(2).variable("own").text)
"""
    assert said(debugger, program, code, "break 8", "run") == [
        "58", "0", "7", True, "int",
        True, True,
        True, True, True,
        "60", "60", 60,
        ["n", "hidden"],
        'UsageError: No symbol "nope" in current context.', "2",
        "60", "1",
    ]  # fmt: skip


def test_what_is_written_is_seen(debugger: Debugger, demo: Path) -> None:
    """By the user and by GDB's Python, into memory and into registers; settings too."""
    code = """
n, numbers = dg.variable("n"), dg.variable("numbers")
address = lambda: int(gdb.parse_and_eval("(long) &n"))
say(n.text)
gdb.execute("set var n = 5")
say(n.text)
gdb.selected_inferior().write_memory(address(), b"\\7")
say(n.text)
rax = dg.value("$rax")
before = rax.bits.value
gdb.execute(f"set var $rax = {before + 1}")
say(rax.bits.value - before)
gdb.execute("set var $rbp = $rbp - 16")
say(dg.variable("n").location.single_locations[0].byte_address == address())
gdb.execute("set var $rbp = $rbp + 16")
say(n.text, numbers.text[:16])
gdb.execute("set print repeats 1000")
say(numbers.text[:7])
"""
    lines = said(debugger, demo, code)
    assert lines == ["42", "5", "7", 1, True, "7", "{1 <repeats 12 t", "{1, 1, "]


def test_memory_that_changes_unseen_is_read_again(debugger: Debugger, demo: Path) -> None:
    """No event shows it, as for memory that is shared with another process."""
    code = """
import os
numbers, sink = dg.variable("numbers"), dg.variable("sink")
def poke(number):
    with open(f"/proc/{gdb.selected_inferior().pid}/mem", "r+b", buffering=0) as memory:
        os.pwrite(memory.fileno(), bytes([number]), sink.location.single_locations[0].byte_address)
poke(3)
say(sink.text)
poke(4)
say(sink.text)
"""
    assert said(debugger, demo, code) == ["3", "4"]


def test_all_memory_that_a_text_depends_on_is_read_again(debugger: Debugger, demo: Path) -> None:
    """The object, what its pointers show, and the pointer by which it was found."""
    code = """
import os
whole, part = dg.variable("sp").dereference(), dg.variable("sp")["in"][0]["label"]
char = dg.value("sp->in[0].label")
def poke(address, data):
    with open(f"/proc/{gdb.selected_inferior().pid}/mem", "r+b", buffering=0) as memory:
        os.pwrite(memory.fileno(), data, address)
say(whole.text[:6], part.text[-5:], char.text[-5:])
say(*(each.text[-5:] for each in (part, char)))
poke(int(gdb.parse_and_eval("(long) sp->in[0].label")), b"two")
say(part.text[-5:], char.text[-5:], '"two"' in whole.text)
poke(int(gdb.parse_and_eval("(long) &sp->a")), b"\\5")
say(whole.text[:6])
poke(int(gdb.parse_and_eval("(long) &sp")), int(gdb.parse_and_eval("(long) &global_struct"))
     .to_bytes(8, "little"))
say(whole.text[:6], whole["a"].bytes[0], dg.variable("sp").text)
"""
    lines = said(debugger, demo, code)
    assert lines[:5] == ["{a = 41"[:6], '"one"', '"one"', '"one"', '"one"']
    assert lines[5:10] == ['"two"', '"two"', True, "{a = 5", "{a = 7"]
    assert lines[10] == 7 and lines[11].endswith(" <global_struct>")


def test_the_same_value_until_something_changes(debugger: Debugger, demo: Path) -> None:
    code = """
n = dg.variable("n")
say(dg.variable("n") is n, dg.frame(0).variable("n") is n, dg.frame(1).variable("n") is n)
gdb.execute("set var n = 3")
say(dg.variable("n") is n, n.text)
gdb.execute("next", to_string=True)
say(dg.variable("n") is n, dg.variable("n").text)
"""
    assert said(debugger, demo, code) == [True, True, False, False, "3", False, "3"]


def test_another_inferior(debugger: Debugger, demo: Path) -> None:
    """Of the same program, with the same addresses: what is known is of one of them, and is still
    known when this one is selected again, which has not run. For GDB the frame is there in both."""
    code = """
n, frame = dg.variable("n"), dg.frame()
n.assign(77)
gdb.execute(f"add-inferior -exec '{gdb.current_progspace().filename}'", to_string=True)
gdb.execute("inferior 2", to_string=True)
say(tried(lambda: dg.frame(0)))
gdb.execute("run", to_string=True)
other = dg.variable("n")
say(other.text, tried(lambda: n.text), frame.gdb_frame.is_valid(), frame.is_valid())
say(*(tried(ask) for ask in (lambda: frame.variable("n"), lambda: frame.level, frame.older)))
gdb.execute("inferior 1", to_string=True)
gdb.execute("frame 0", to_string=True)
say(dg.variable("n").text, frame.variable("n").text, tried(lambda: other.text))
n = dg.variable("n")
gdb.execute("inferior 2", to_string=True)
say(other.text, tried(lambda: n.text))
gdb.execute("inferior 1", to_string=True)
say(n.text)
"""
    stale = (
        "StaleLocation: StaleLocation: the frame no longer exists, or another thread is selected: "
        "request the frame again"
    )
    lines = said(debugger, demo, code)
    assert lines[:5] == ["UsageError: No stack.", "42", stale, True, False]
    assert lines[5:8] == [stale] * 3
    assert lines[8:] == ["77", "77", stale, "42", stale, "77"]


def test_a_checkpoint(debugger: Debugger, demo: Path) -> None:
    """GDB's `restart` selects another process of the inferior, and reports no event. Here a process
    is only pretended: for a checkpoint GDB calls `fork` in the program, which not every machine
    lets it do."""
    code = """
from types import SimpleNamespace
target, own = dg.Debugger().target, gdb.selected_inferior
stop = target.stop
gdb.selected_inferior = lambda: SimpleNamespace(num=own().num, pid=own().pid + 1)
say(target.stop == stop)
gdb.selected_inferior = own
say(target.stop == stop)
"""
    assert said(debugger, demo, code) == [False, True]


def test_values_and_frames_go_stale(debugger: Debugger, demo: Path) -> None:
    code = """
n, leaf, mid = dg.variable("n"), dg.frame(), dg.frame(1)
say(n.text, mid.variable("n").text)
gdb.execute("next", to_string=True)
say(tried(lambda: n.text))
say(leaf.variable("n").text, mid.variable("n").text)
gdb.execute("finish", to_string=True)
say(tried(lambda: leaf.variable("n")))
say(mid.variable("n").text)
gdb.execute("kill", to_string=True)
say(tried(lambda: mid.variable("n")))
say(tried(lambda: dg.frame(0)), tried(dg.frames))
say(dg.variable("access").text)
"""
    gone = (
        "StaleLocation: StaleLocation: the frame no longer exists, or another thread is selected: "
    )
    assert said(debugger, demo, code) == [
        "42", "41",
        "StaleLocation: StaleLocation: n is from an earlier stop: request it from its frame again",
        "42", "41",
        gone + "request the frame again",
        "41",
        gone + "request the frame again",
        "UsageError: No stack.", "UsageError: No stack.",
        "(READ | RUN)",
    ]  # fmt: skip


def test_script_where_everything_is(debugger: Debugger, demo: Path, scripts: list[str]) -> None:
    lines = debugger.python(scripts[0], *STOPPED, file=demo).splitlines()
    assert lines[0] == "#0 leaf" and "#2 main" in lines
    assert any(re.fullmatch(r"  int n = 42  @ 0x7[0-9a-f]+", item) for item in lines)


def test_script_with_a_breakpoint(debugger: Debugger, demo: Path, scripts: list[str]) -> None:
    code = "gdb.execute('run', to_string=True); print(Wrong.seen, gdb.selected_thread())"
    lines = debugger.python(scripts[1] + code, file=demo).splitlines()
    assert lines[-1] == "1 None"


def test_script_with_a_command(debugger: Debugger, demo: Path, scripts: list[str]) -> None:
    code = """
gdb.execute("set var n = 3")
gdb.execute("mend")
print(hex(gdb.selected_frame().older().pc()))
"""
    first, pc = debugger.python(scripts[2] + code, *STOPPED, file=demo).splitlines()[-2:]
    assert first == f"n = 41, on the way back to {pc}"
    assert len(scripts) == 3


def test_every_variable_of_a_program_with_namespaces(
    debugger: Debugger, tool: Callable[[str], str], scripts: list[str], tmp_path: Path
) -> None:
    """A variable of a namespace is in scope by its qualified name, and one of an unnamed one too:
    headers of libstdc++ declare some in every program."""
    source, program = tmp_path / "s.cpp", tmp_path / "s"
    source.write_text("""\
namespace deep { int count = 7; namespace { int hidden = 42; } }
namespace other { int count = 8; struct Thing { static int made; }; int Thing::made = 9; }
int plain = 3;
void stop(int n) { plain += n; }
int main() { stop(deep::hidden + deep::count + other::count + other::Thing::made); return 0; }
""")
    subprocess.run([tool("g++"), "-g", source, "-o", program], check=True)
    code = """
variables = dg.frame().variables()
say([(each.name, each.text) for each in variables])
say([tried(lambda: dg.variable(each.name).text) for each in variables if "(" not in each.name])
"""
    listed, found = said(debugger, program, code, "break stop", "run")
    assert listed[0] == ["n", "66"]
    assert dict(listed[1:]) == {
        "deep::count": "7", "deep::(anonymous namespace)::hidden": "42", "other::count": "8",
        "other::Thing::made": "9", "plain": "3",
    }  # fmt: skip
    assert found == [text for name, text in listed if "(" not in name]
    assert "  int deep::count = 7  @ 0x" in debugger.python(
        scripts[0], "break stop", "run", file=program
    )


def test_every_variable_where_some_cannot_be_evaluated(
    debugger: Debugger, scripts: list[str], demo: Path
) -> None:
    """The script of the page goes on after a variable in error, as clang's description of a
    std::function, whose piece is larger than its value."""
    out = debugger.python(scripts[0], *STOPPED, "set dwarfgpu max-bytes 4", file=demo)
    assert "#0 leaf\n" in out and "#2 main\n" in out
    assert re.search(r"^  int n = [0-9]+  @ ", out, re.MULTILINE)
    assert re.search(r"^  \w+: LimitExceeded: ", out, re.MULTILINE), out


def test_the_function_of_a_caller_of_an_inlined_one(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Its frame has the code of the inlined one, and GDB names the caller."""
    source, program = tmp_path / "s.c", tmp_path / "s"
    source.write_text("""\
int plain;
__attribute__((noinline)) void stop(int n) { plain += n; }
static inline __attribute__((always_inline)) void inner(int n) { stop(n); plain++; }
static inline __attribute__((always_inline)) void outer(int n) { inner(n); plain++; }
int main(void) { outer(4); return 0; }
""")
    subprocess.run([tool("gcc"), "-g", "-O1", source, "-o", program], check=True)
    code = "say([each.function for each in dg.frames()]); say(gdb.selected_frame().name())"
    names, selected = said(debugger, program, code, "break stop", "run", "frame 2")
    assert names == ["stop", "inner", "outer", "main"] and selected == names[2]
    for level in (1, 2):
        out, _ = debugger.run(
            "break stop", "run", f"frame {level}", "dwarfgpu explain n", file=program
        )
        assert f"parameter int n of {names[level]}, declared at line" in out
