"""Mistakes of people who are new: every command answers with one line and exit status 2.

The line says what is wrong, where, and what to do.
"""

from __future__ import annotations

import gzip
import json
import lzma
import shutil
from pathlib import Path

import pytest

from dwarfgpu.cli.main import _WITHOUT_JSON, COMMANDS
from tests.cli.command import FIXTURES, REPOSITORY, STATES, run, run_json
from tests.dwarf.builder import elf


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with one file of each kind."""
    shutil.copy(FIXTURES / "hip/nest.gfx942.O2.v5.co", tmp_path / "k.co")
    shutil.copy(FIXTURES / "core/crash.x86_64.O0", tmp_path / "prog")
    shutil.copy(FIXTURES / "core/crash.x86_64.O0.core", tmp_path / "prog.core")
    shutil.copy(STATES / "wave32.gfx1100.json", tmp_path / "state.json")
    (tmp_path / "k.hip").write_text("int main() { }\n", "utf-8")
    (tmp_path / "k.bc").write_bytes(b"BC\xc0\xde5\x14\0\0")
    (tmp_path / "bare.co").write_bytes(elf({}))
    (tmp_path / "notes.txt").write_text("hello world\n", "utf-8")
    (tmp_path / "in.npz").write_bytes(b"PK")
    (tmp_path / "text.gz").write_bytes(gzip.compress(b"hello"))
    state = (STATES / "wave32.gfx1100.json").read_bytes()
    (tmp_path / "state.json.gz").write_bytes(gzip.compress(state))
    (tmp_path / "state.json.xz").write_bytes(lzma.compress(state))
    core = (FIXTURES / "core/crash.x86_64.O0.core").read_bytes()
    (tmp_path / "prog.core.xz").write_bytes(lzma.compress(core, preset=0))
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "dir").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)


READ_STATES = (
    "state.json is not an ELF file; give it as a state (--state state.json of eval, location, "
    "lanes, waves, bt, run and debug)"
)
PRIVATE = "gfx942 has no address space private; did you mean private_lane or private_wave? Known: "


@pytest.mark.parametrize(
    "path", ["/no folder/x", "./no folder/x", "../no folder/x", "no folder/x.O2", "no/such"]
)
@pytest.mark.parametrize("command", ["eval", "explain", "location", "check"])
def test_a_missing_file_below_a_folder_with_a_blank(command: str, path: str) -> None:
    done = run(command, path)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"dwarfgpu: {path} cannot be read: No such file or directory\n"


def test_a_comment_is_not_a_file() -> None:
    assert run("eval", "// two\nlit2").out == run("eval", "lit2").out


@pytest.mark.parametrize(
    ("words", "error"),
    [
        # options
        ("bt --cor prog.core", "unrecognized arguments: --cor; did you mean --core? See "),
        ("bt --cor=prog", "unrecognized arguments: --cor=prog; did you mean --core? See "),
        ("run k.co k --breek 3", "unrecognized arguments: --breek; did you mean --break? See "),
        ("convert 1 --size 4", "unrecognized arguments: --size; did you mean --wave-size or --"),
        ("where k.co x --nosuchthing", "unrecognized arguments: --nosuchthing; see "),
        ("bt k.co prog.core again", "again cannot be read: No such file or directory"),
        ("--verson", "unrecognized arguments: --verson; did you mean --version? See "),
        ("bt prog -core=prog.core", "unrecognized arguments: -core=prog.core; did you mean --c"),
        ("eval --demo a -a (float)a/3", "unrecognized arguments: -a; write '(-a)': an expression "
         "cannot begin with a hyphen; see "),
        ("eval --demo -lane 4 -t*2 t", "unrecognized arguments: -lane -t*2; write '(-t*2)': an "
         "expression cannot begin with a hyphen; did you mean --lane? See "),
        ("lanes --demo -t", "unrecognized arguments: -t; write '(-t)': an expression cannot "),
        ("run --demo --break 3 --print -v", "argument --print: expected one argument; if -v is "
         "meant, write --print=-v; see "),
        ("run --demo --break 3 --print -v>2", "argument --print: expected one argument; if -v>2 is "
         "meant, write '--print=-v>2'; see "),
        ("run --demo --print --break=3", "argument --print: expected one argument; see "),
        ("where --demo -t", "unrecognized arguments: -t; see "),
        ("where k.co t --debug-dir nosuch", "--debug-dir nosuch: there is no such folder"),
        ("waves state.json --debug-dir k.co", "--debug-dir k.co: there is no such folder"),
        ("frames k.co nest", "nest is not a file; give a place in one with --pc"),
        # lanes
        ("convert private_lane#0 --lane 70", "--lane 70: the wave has 64 lanes, from 0"),
        ("run --demo --break 12 --lane 70", "--lane 70: the wave has 64 lanes, from 0"),
        ("run --demo --break 12 --lane 0-70", "--lane 0-70: the wave has 64 lanes, from 0"),
        ("run --demo --break 12 --lane 3-1", "--lane 3-1: a range begins with its lower lane: 1-3"),
        ("run --demo --trace --lane 70", "--lane 70: the wave has 64 lanes, from 0"),
        ("lanes --demo --lane 70 t", "--lane 70: the wave has 64 lanes, from 0"),
        # addresses and places
        ("eval k.co --pc 1684 t", "--pc 1684: there is no code at 0x694; an address in hexadecimal "
         "is written 0x1684"),
        ("frames k.co --pc 16ac", '--pc 16ac: Function "16ac" not defined. An address in '
         "hexadecimal is written 0x16ac"),
        ("disas k.co 1660,1680", "PLACE 1660: there is no code at 0x67c; an address in "),
        ("disas k.co 0x1660-0x1680", "0x1660-0x1680: a range is written 0x1660,0x1680"),
        ("where k.co t --pc 0x10", "pc 0x10 is not in the code of any code object (k.co "),
        ("run --demo --break mandlebrot", '--break mandlebrot: Function "mandlebrot" not defined. '
         'Did you mean "mandelbrot"?'),
        # files in place of others
        ("waves k.co --state state.json", "k.co is for gfx942, but the state is of gfx1100"),
        ("asm --file nofile", "nofile cannot be read: No such file or directory"),
        ("conformance nofile", "nofile cannot be read: No such file or directory"),
        ("eval --state nofile", "nofile cannot be read: No such file or directory"),
        ("eval missing.json t", "missing.json cannot be read: No such file or directory"),
        ("eval build/app t", "build/app cannot be read: No such file or directory"),
        ("location build/app t", "build/app cannot be read: No such file or directory"),
        ("explain app.O2 t", "app.O2: No such file or directory, and no operation has that name; "
         "to evaluate a variable, give its FILE before it"),
        ("eval s.a", "s.a: No such file or directory, and no operation has that name; to evaluate"),
        ("location total", 'No symbol "total" in current context. No code object is given'),
        ("lanes total", 'No symbol "total" in current context. No code object is given'),
        ("lanes missing.json", "missing.json cannot be read: No such file or directory"),
        ("location core.4711 t", "core.4711 cannot be read: No such file or directory"),
        ("explain missing.core.xz t", "missing.core.xz cannot be read: No such file or directory"),
        ("eval lit1 --lane 70", "--lane 70: the wave has 64 lanes, from 0"),
        ("eval lit1 --arch x86_64 --reg rspp=1", "--reg rspp=1: x86_64 has no register rspp; did "
         "you mean rsp"),
        ("eval lit1 --reg =1", "--reg =1: expected NAME=VALUE"),
        ("eval lit1 --reg v3=1,2", "--reg v3=1,2: values of lanes are a list: v3=[1,2]"),
        ("eval lit1 --reg v3=1", "--reg v3=1: v3 has a value for each lane: [1] gives that of "),
        ("bt --demo --wave all", "--wave all: this command works on one wave; eval and lanes "),
        ("convert k.co nest", "k.co nest: give the file with --file: --file k.co nest"),
        ("check prog.core", "prog.core is a core file, without debug information: give the "),
        ("run prog.core", "the core file has no waves of GPUs; `dwarfgpu info` lists its threads"),
        ("waves prog.core", "the core file has no waves of GPUs; `dwarfgpu info` lists its "),
        ("run --demo --break 12 --print nosuch", '--print nosuch: No symbol "nosuch" in current '),
        ("where k.co t --load-address 0xffffffffffffffff", "--load-address: k.co at "),
        ("frames --demo nest", "nest is not a file; give a place in one with --pc"),
        ("where k.co nest.t", 'No symbol "nest.t" in k.co. Did you mean "nest::t"?'),
        ("check nosuch.co --notes", "nosuch.co cannot be read: No such file or directory"),
        ("where k.co r.x", 'No symbol "r.x" in k.co. "r" is a variable: give its name alone'),
        ("where k.co *in->x", 'No symbol "*in->x" in k.co. "in" is a variable: give its name '),
        ("where k.co nest:t", 'No symbol "nest:t" in k.co. Did you mean "nest::t"?'),
        ("debug --demo k.co --batch", "k.co: give FILE or --demo, not both"),
        ("where nofile t", "nofile is not a file: give the file before the names, or with "),
        # names that are not found
        ("eval k.co nosuch", 'No symbol "nosuch" in current context.'),
        ("eval k.co limti", 'No symbol "limti" in current context. Did you mean "limit"?'),
        ("location k.co t", 'No symbol "t" in current context. Without a program location, only '
         "global variables are in scope; give --pc ADDR: where k.co t lists addresses"),
        ("where bare.co t", "bare.co has no debugging information; compile with -g (nvcc -G), or "
         "give --debug-dir DIR where its debug file is"),
        ("eval bare.co t", 'No symbol "t" in current context. bare.co has no debugging information;'
         " compile with -g (nvcc -G), or give --debug-dir DIR where its debug file is"),
        # a file that is not what the command reads
        ("run nofile", "nofile cannot be read: No such file or directory"),
        ("run dir", "dir is a folder, without kernels of Triton (*.hsaco, *.cubin): give a file"),
        ("run notes.txt", "notes.txt is not an ELF file"),
        ("run k.co", "k.co: to run a kernel of it, give --grid and --workgroup too"),
        ("dis nofile.co", "nofile.co: dis reads bytes; give a file of them, as text, with "),
        ("dis k.co", "k.co: an object file, not bytes as text; info, where, frames, check and "),
        ("asm notes.txt", "notes.txt: asm reads operations; give a file of them with --file"),
        ("eval empty t", "empty is empty"),
        ("eval dir t", "dir is a folder, without kernels of Triton (*.hsaco, *.cubin): give a f"),
        ("eval text.gz t", "text.gz is "),
        ("where state.json", READ_STATES),
        ("where state.json t", READ_STATES),
        ("eval --core state.json t", READ_STATES),
        ("check state.json", READ_STATES),
        ("disas state.json", READ_STATES),
        ("eval state.json t", "state.json is not an ELF file; give a state with --state state."),
        ("lanes", "no wave: give --state FILE, a core file, --reg, or --demo"),
        ("lanes k.co", "no wave: give --state FILE, a core file, --reg, or --demo"),
        # names and numbers
        ("check --explain pieces", "--explain: there is no rule 'pieces'; did you mean "
         "pieces-exceed-type or pieces-short-of-type? See check --list-rules"),
        ("check --explain nosuch", "--explain: there is no rule 'nosuch'; see check --list-rules"),
        ("asm constu", "1:7: end of text: DW_OP_constu needs a number here"),
        ("asm plus_uconst", "1:12: end of text: DW_OP_plus_uconst needs a number (addend) here"),
        ("convert private 0x100", "private 0x100: a space and an address are one argument, such as "
         "private_lane#0x10"),
        ("convert private#0x100", f"private#0x100: {PRIVATE}"),
        ("convert private_lane#0x100 --to private", f"--to: {PRIVATE}"),
    ],
)  # fmt: skip
def test_the_line_names_the_remedy(words: str, error: str) -> None:
    done = run(*words.split())
    assert done.error.startswith(error), done.error
    assert (done.out, done.status, done.err.count("\n")) == ("", 2, 1)


@pytest.mark.parametrize(
    "words",
    """
    eval nofile.co t | eval notes.txt t | eval k.co --pc nosuch t | eval k.co --pc 0xzz t
    eval k.co --pc 0x0 t | eval k.co --state nofile.json t | eval k.co --state notes.txt t
    eval k.co --state prog.core t | eval --core k.co t | eval --core nofile t | eval --core dir t
    eval --core empty t | eval --lane t | eval --arch gfx9999 lit1 | eval lit99 | eval constu
    eval regx v9999 | eval --reg s4 lit1 | eval --mem 5 lit1
    explain nofile.co t | explain --demo nosuch | explain --demo --lane 99 t
    location nofile.co t | location --demo | location k.co t | location --demo nosuch
    asm consu 5 | asm --file nofile.txt | asm --file k.co | asm lit1 --format nosuch
    dis 0xzz | dis --file nofile | dis --file dir | dis --binary nofile | dis 256
    check nofile | check dir | check notes.txt | check empty | check --disable nosuch k.co | check
    check prog.core | check k.co --baseline nofile.json | check k.co --baseline notes.txt
    where nofile.co t | where k.co | where notes.txt t | where dir t | where t | where --all dir
    where k.co --pc zzz t | where --all k.co --min-coverage abc | where k.co --all t
    where --all k.co --against nofile.co | convert | convert private#zz | convert 0x1 --lane x
    convert private_lane#0x10 --wave 3 | convert private_lane#0x10 --arch gfx1
    dispatch nofile nest --grid 64 --workgroup 64 | dispatch k.co | dispatch k.co nest --grid 64
    dispatch k.co nosuch --grid 64 --workgroup 64 | dispatch k.co nest --grid 0 --workgroup 64
    dispatch k.co nest --grid 64 --workgroup 64 --arg foo=1 | dispatch notes.txt x
    dispatch k.co nest --grid 64 --workgroup 64 --arg in | dispatch state.json x --grid 1
    dispatch k.co nest --grid 64 --workgroup 64 --arg in=@nofile.npy
    run k.co nosuch --grid 64 --workgroup 64 | run state.json
    run k.co nest --grid 64 --workgroup x
    waves | waves nofile | waves k.co | waves state.json | waves --state k.co | waves notes.txt
    lanes --demo nosuch | lanes --demo --lane 99 t | lanes state.json t | lanes nofile.co t
    bt | bt nofile | bt k.co | bt --state nofile.json | bt prog | bt state.json
    bt prog.core --limit abc | bt prog.core --thread 99 | bt prog.core --frame 3
    disas | disas nofile | disas k.co nosuch | disas k.co 0x0 | disas notes.txt | disas dir
    disas k.co nest.hip:9999 | disas k.co nosuch.hip:3 | frames | frames nofile | frames notes.txt
    frames prog.core | frames k.co --pc zz | info | info nofile | info notes.txt | info empty
    info dir | info k.co --target nosuch | conformance | conformance nofile | conformance k.co
    conformance dir | conformance empty | conformance state.json | debug nofile --batch
    debug notes.txt --batch | debug dir --batch | debug --state nofile.json --batch
    debug --core nofile --batch | debug k.co --core k.co --batch | debug --state k.co --batch
    debug state.json --batch | debug --demo --lane 99 --batch | gdb-path foo | completion
    completion nosuch | evl t | help nosuch
    """.replace("\n", " | ").split(" | "),
)
def test_one_line(words: str) -> None:
    if words.strip():
        done = run(*words.split())
        assert (done.out, done.status) == ("", 2), done
        lines = [line for line in done.err.splitlines() if not line.startswith("note: ")]
        assert len(lines) == 1 and lines[0].startswith("dwarfgpu: "), done.err


# Several names: known ones are shown, unknown ones are named.


@pytest.mark.parametrize(
    ("words", "errors", "status"),
    [
        ("where --demo t zz", ['No symbol "zz" in demo.co.'], 1),
        ("where k.co nest::tt t", ['No symbol "nest::tt" in k.co. Did you mean "nest::t"?'], 1),
        ("where k.co t zz limt --function nest", [
            'No symbol "zz" in nest in k.co.',
            'No symbol "limt" in nest in k.co. Did you mean "limit"?',
        ], 1),
        ("where k.co t zz --against k.co", ['No symbol "zz" in k.co.'], 1),
        ("where k.co yy zz", ['No symbol "yy" or "zz" in k.co.'], 2),
        ("where k.co t t", [], 0),
        ("location --demo t zz", ['zz: No symbol "zz" in current context.'], 1),
        ("eval --demo --lane 1 t zz", ['zz: No symbol "zz" in current context.'], 1),
        ("eval --demo --lane 1-2 t zz", ['zz: No symbol "zz" in current context.'], 1),
        ("eval --demo --lane 1 yy zz", [
            'yy: No symbol "yy" in current context.', 'zz: No symbol "zz" in current context.',
        ], 2),
        ("eval --demo --lane 1-2 yy zz", [
            'yy: No symbol "yy" in current context.', 'zz: No symbol "zz" in current context.',
        ], 2),
        ("location --demo yy zz", [
            'yy: No symbol "yy" in current context.', 'zz: No symbol "zz" in current context.',
        ], 2),
    ],
)  # fmt: skip
def test_one_of_several_names_is_unknown(words: str, errors: list[str], status: int) -> None:
    done = run(*words.split())
    lines = done.err.splitlines()
    assert [line.removeprefix("dwarfgpu: ") for line in lines if line[:5] != "note:"] == errors
    assert done.status == status and bool(done.out) == (status != 2)


def test_unknown_names_are_problems_in_json() -> None:
    alone, several = (run_json("where", "k.co", *names) for names in (("t",), ("t", "zz")))
    assert (alone.status, several.status) == (0, 1)
    assert several.json["variables"] == alone.json["variables"]
    messages = [problem["message"] for problem in several.json["problems"]]
    assert messages == ['No symbol "zz" in k.co.']
    new = run_json("where", "k.co", "t", "zz", "--against", "k.co").json["new"]
    assert [problem["message"] for problem in new["problems"]] == messages


# The state is of another code object than the command line names.


def test_the_state_names_another_code_object() -> None:
    state = STATES / "chain_flat.gfx942.json"
    why = (
        "MissingContext: no variable is in scope at pc 0x1a7c, which is in no function that "
        f"{{}} describes; {state} names chain_flat.gfx942.v5.co: leave out {{}}"
    )
    for words in (("--demo",), ("--demo", "--lane", "1")):
        done = run("eval", *words, "--state", state)
        assert (done.out, done.error, done.status) == ("", why.format("demo.co", "--demo"), 1)
    done = run("eval", "k.co", "--state", state)
    assert (done.error, done.status) == (why.format("k.co", "k.co"), 1)


def test_a_file_in_place_of_that_of_a_state_is_loaded_where_the_state_says(tmp_path: Path) -> None:
    """A copy is loaded at the address of the state, and another build is refused with advice."""
    demo = REPOSITORY / "dwarfgpu/data"
    shutil.copy(demo / "demo.json", tmp_path / "demo.json")
    shutil.copy(demo / "demo.co", tmp_path / "copy.co")
    shutil.copy(FIXTURES / "hip/nest.gfx942.O0.v5.co", tmp_path / "O0.co")
    words = ("copy.co", "--state", "demo.json", "--lane", "4", "t")
    assert run("eval", *words).out == "t = 324\n"
    shutil.copy(demo / "demo.co", tmp_path / "demo.co")
    assert run("eval", *words).out == "t = 324\n"
    for command in ("eval", "lanes", "location", "explain", "bt"):
        done = run(command, "O0.co", "--state", "demo.json", *(["t"] if command != "bt" else []))
        assert (done.error, done.status) == (
            "pc 0x7f0000001690 is not in the code of any code object (O0.co loaded at 0x0); "
            "demo.json names demo.co, loaded at 0x7f0000000000: leave out O0.co, or give "
            "--load-address",
            2,
        )


def test_every_expression_says_that_the_file_is_not_where_the_wave_is(tmp_path: Path) -> None:
    """A state without code objects, as `waves --save` writes one where none can be read."""
    state = json.loads((STATES / "chain_flat.gfx942.json").read_text("utf-8"))
    del state["code_objects"]
    state["waves"][0]["pc"] = "0x7f0000001a7c"
    (tmp_path / "stopped.json").write_text(json.dumps(state))
    why = (
        "pc 0x7f0000001a7c is not in any code object; k.co is loaded at 0x0: give "
        "--load-address ADDR"
    )
    words = ("k.co", "--state", "stopped.json")
    for command in ("eval", "explain", "location", "lanes"):
        done = run(command, *words, "t+i")
        expected = f'No symbol "t" in current context. {why}'
        assert (done.error, done.status) == (expected, 2), command
    for name in ("(t)", "in[0]"):
        assert why in run("eval", *words, name).error
    assert run("eval", *words, "t").error == f"MissingContext: no variable is in scope: {why}"
    done = run("debug", *words, "--batch", "-ex", "print t+i")
    assert f'No symbol "t" in current context. {why}' in done.out + done.err
    assert why not in run("eval", *words, "--load-address", "0x7f0000000000", "t+i").error


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in _WITHOUT_JSON])
def test_an_error_has_the_schema_of_its_command(command: str) -> None:
    """`docs/schema/error.json`: that schema is for a command line that names no command."""
    schema = run_json(command, "--nosuch").json["schema"]
    assert schema.startswith(f"dwarfgpu-{command}-")


def test_a_host_file_names_its_code_objects() -> None:
    library = FIXTURES / "hip/liblibrary.so"
    advice = "; it holds 4 code objects: 1: gfx1100, 2: gfx90a:xnack-, 4: gfx1100, 5: gfx90a:xnack-"
    for words in (("where", library, "x"), ("eval", library, "x"), ("disas", library, "kernel"),
                  ("eval", library, "--pc", "kernel", "x"),
                  ("run", library, "k", "--grid", 64, "--workgroup", 64)):  # fmt: skip
        done = run(*words)
        assert (
            f"{advice}; give the target or the number of one (--target)" in done.error
            and done.status == 2
        )


# Lanes are those of waves: a thread of a CPU has none.


@pytest.mark.parametrize("lane", ["0", "3", "all"])
@pytest.mark.parametrize("words", ["bt", "eval", "eval n", "location n", "explain n", "lanes n"])
def test_a_thread_has_no_lanes(words: str, lane: str) -> None:
    command, *names = words.split()
    done = run(command, "prog", "prog.core", *names, "--lane", lane)
    assert (done.out, done.status) == ("", 2)
    assert done.error == "a thread of x86_64 has no lanes" or lane == "all"


def test_the_prompt_and_convert_have_the_same_rule() -> None:
    done = run("debug", "prog", "prog.core", "--lane", "3", "--batch")
    assert (done.error, done.status) == ("a thread of x86_64 has no lanes", 2)
    done = run("debug", "prog", "prog.core", "--batch", "-ex", "lane 3")
    assert done.err.endswith(
        "Lane 3 does not exist on this thread. A thread of x86_64 has no lanes.\n"
    )
    done = run("convert", "0x10", "--core", "prog.core", "--lane", "3")
    assert (done.error, done.status) == ("a thread of x86_64 has no lanes", 2)


# Messages that say what is wrong, where, and what to do.


@pytest.mark.parametrize(
    ("words", "error"),
    [
        # the order of words
        ("eval t k.co", "k.co: FILE comes before the names: give k.co t"),
        ("location t prog", "prog: FILE comes before the names: give prog t"),
        ("lanes --demo k.co t", "k.co: give FILE or --demo, not both"),
        ("eval --demo t k.co", "k.co: give FILE or --demo, not both"),
        ("bt --demo k.co", "k.co: give FILE or --demo, not both"),
        ("where --demo k.co t", "k.co: give FILE or --demo, not both"),
        ("where k.co t ./prog", "./prog: give one FILE, before the names"),
        ("check lit1 k.co", "k.co: give files or operations, not both: lit1 is not a file"),
        ("frames --demo k.co", "k.co: give FILE or --demo, not both"),
        ("disas --demo k.co", "k.co: give FILE or --demo, not both"),
        ("explain k.co ./prog t --pc 0x1660", "./prog: give one FILE, before the names"),
        ("dispatch nest k.co", "k.co: FILE comes before KERNEL: give k.co nest"),
        ("run nest k.co --grid 64", "k.co: FILE comes before KERNEL: give k.co nest"),
        ("disas nest k.co", "k.co: FILE comes before PLACE: give k.co nest"),
        ("run typo.core k.co", "typo.core cannot be read: No such file or directory"),
        ("dispatch ./typo k.co", "./typo cannot be read: No such file or directory"),
        ("disas typo.co k.co", "typo.co cannot be read: No such file or directory"),
        ("dispatch k.co nest", "k.co: to dispatch a kernel of it, give --grid and --workgroup too"),
        ("dispatch nofile nest", "nofile cannot be read: No such file or directory"),
        ("disas k.co 0x1660,0x1650", "0x1660,0x1650: the range ends before it begins"),
        ("disas k.co 0x1660,+0", "0x1660,0x1660: the range is empty: END is the address after it"),
        ("disas k.co 0x1660 0x20", "0x1660 0x20: PLACE is one word: 0x1660,+0x20 for a size, "
         "0x1660,0x20 for an end"),
        ("disas --demo 0x1660 +32", "0x1660 +32: PLACE is one word: 0x1660,+32 for a size, "),
        ("disas k.co nest twice", "nest twice: give one PLACE"),
        # options
        ("where k.co t --state state.json", "unrecognized arguments: --state; --state "
         "is an option of eval, explain, location, convert, run, waves, lanes, bt, debug; see "),
        ("run k.co --args n=1", "unrecognized arguments: --args; did you mean --arg?"),
        ("convert 0x10 --demo", "unrecognized arguments: --demo; --demo is an option of eval, "),
        ("check k.co --explain empty-fde", "--explain explains a rule and checks nothing: leave "
         "out k.co; --only RULE checks a file for one rule"),
        ("check k.co --list-rules", "--list-rules lists the rules and checks nothing: leave out "
         "k.co; --only RULE checks a file for one rule"),
        ("check --list-rules --explain x", "give --list-rules or --explain RULE, not both"),
        ("waves --state state.json --wave 0", "--wave chooses the wave that --save FILE writes: "
         "give --save FILE, too; bt, eval and lanes show one wave"),
        ("waves --state state.json --all", "--all is for the groups of a core file; a state has "
         "every wave listed: give --core FILE"),
        ("waves --state state.json --load-address 0", "--load-address is for a core file; a state "
         "has the address: give --core FILE"),
        ("waves prog.core --save w.json --faulty", "--faulty is for a list of waves, which --save "
         "FILE does not print"),
        ("waves prog.core --save w.json --all", "--all is for a list of waves, which --save "),
        ("check lit1 --mangled", "--mangled is for files"),
        ("bt --demo --frame 2", "unrecognized arguments: --frame; --frame is an option of eval, "
         "explain, location, lanes, debug; see "),
        *(
            (f"{command} --demo {option}", f"unrecognized arguments: {name}; {name} is an option "
             "of eval, explain")
            for command in ("bt", "lanes", "location t", "debug --batch")
            for option, name in (
                ("--push lit1", "--push"),
                ("--object lit1", "--object"),
                ("--want value", "--want"),
            )
        ),
        ("waves --wave 0", "no waves: give --state FILE or --core FILE"),
        ("waves prog.core --state state.json", "give --core or --state, not both"),
        ("eval --demo --wave 5", "--wave 5: the state has no such wave; it has only wave 0"),
        ("eval --demo -e t", "1:1: 't': unknown operation; -e takes DWARF operations; a variable "
         "is given without -e: t"),
        ("bt", "No stack: no program location is known; give --state, --core, --pc or --demo"),
        ("debug --demo step", "step is not a file: give a command of the prompt with -ex 'step'"),
        ("debug bt", "bt is not a file: give a command of the prompt with -ex 'bt'"),
        ("debug --demo nosuch", "nosuch cannot be read: No such file or directory"),
        ("eval --arch gfx999 lit1", "unknown architecture gfx999; did you mean gfx909? Known "
         "beginning with gfx9: gfx900, gfx902, gfx904, gfx906, gfx909, gfx90c, gfx9-generic, "),
        ("asm --arch mi300 lit1", "unknown architecture mi300; known: gfx600 to gfx1251, sm_50 "),
        ("eval --arch gfx942:xnack+ lit1", "unknown architecture gfx942:xnack+: give gfx942, "),
        ("eval --demo --pc nest.hip t", '--pc nest.hip: Function "nest.hip" not defined. A line '
         "is written nest.hip:LINE"),
        ("bt prog prog.core --sysroot nosuch", "--sysroot nosuch: there is no such folder"),
        ("bt prog prog.core --sysroot prog", "--sysroot prog: there is no such folder"),
        ("location --demo --lane 0-3 t", "--lane 0-3: this command works on one lane; eval and "
         "lanes take several"),
        ("explain --demo --lane active t", "--lane active: this command works on one lane; eval "),
        ("bt --demo --lane 1,5", "--lane 1,5: this command works on one lane; eval and lanes "),
        ("debug --demo --lane 0-3 --batch", "--lane 0-3: this command works on one lane; eval "),
        ("run k.co nest --grid 64 --workgroup 64 limit=1", "unrecognized arguments: limit=1; an "
         "argument of the kernel is one word: --arg NAME=VALUE; see "),
        ("dispatch k.co nest --grid 64 --workgroup 64 --arg in range:64", "unrecognized arguments: "
         "range:64; an argument of the kernel is one word: --arg NAME=VALUE; see "),
        ("run k.co nest --grid 64 --workgroup 64 --arg in=notes.txt --arg limit=1 --arg out=4",
         "--arg in: 'notes.txt' is a file: write @notes.txt for its bytes"),
        ("run k.co nest --grid 64 --workgroup 64 --arg in=in.npz --arg limit=1 --arg out=4",
         "--arg in: in.npz is an archive of arrays; save one of them as .npy"),
        ("where --all k.co --function nset", 'Function "nset" not defined in k.co. Did you mean '
         '"nest"?'),
        ("where k.co t --function zzzz", 'Function "zzzz" not defined in k.co.'),
        # files
        ("conformance dir", "dir is a folder: give files of cases, such as dir/*.json"),
        ("eval k.hip t", "k.hip is not an ELF file; it is named as source text: give the file "),
        ("eval k.bc t", "k.bc is not an ELF file but LLVM bitcode: give the file that the "),
        ("eval k.co --state prog.core t", "prog.core: not JSON: it is an ELF file; give it as a "
         "core file (--core prog.core)"),
        ("eval k.co --state prog.core.xz t", "prog.core.xz: not JSON: it is a compressed core "
         "file; give it as a core file (--core prog.core.xz)"),
        ("bt --state state.json.xz", "state.json.xz: not JSON: it is compressed (xz); decompress "
         "it"),
        ("bt --state state.json.gz", "state.json.gz: not JSON: it is compressed (gzip); decompress "
         "it"),
        ("disas bare.co main", 'PLACE main: Function "main" not defined. bare.co has neither '
         "symbols nor debugging information: give an address"),
        ("eval --file dir", "dir is a folder, without kernels of Triton (*.hsaco, *.cubin): give"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_what_to_do(words: str, error: str) -> None:
    done = run(*words.split())
    assert done.error.startswith(error), done.error
    assert (done.out, done.status, done.err.count("\n")) == ("", 2, 1)


@pytest.mark.parametrize("command", ["eval", "explain", "location"])
@pytest.mark.parametrize(
    ("expression", "error"),
    [
        # As GDB 15 and later say it.
        ("t +", "A syntax error in expression, near the end of `t +'."),
        ("(flot)t", 'No symbol "flot" in current context. Did you mean "float"?'),
        ("( flaot * ) t", 'No symbol "flaot" in current context. Did you mean "float"?'),
        (
            "print t",
            'No symbol "print" in current context. print is a command of the prompt: '
            "give the expression alone",
        ),
        (
            "p/x t",
            'No symbol "p" in current context. p is a command of the prompt: give '
            "it to debug, with -ex",
        ),
        (
            "ptype t",
            'No symbol "ptype" in current context. ptype is a command of the prompt: '
            "give it to debug, with -ex",
        ),
        (
            "lane 4",
            'No symbol "lane" in current context. lane is a command of the prompt: give --lane 4',
        ),
        (
            "thread 2",
            'No symbol "thread" in current context. thread is a command of the prompt: give '
            "--wave 2",
        ),
        ("p + t", 'No symbol "p" in current context.'),
        ("strct foo", 'No symbol "strct" in current context. Did you mean "struct"?'),
        ("(strct S *) in", 'No symbol "strct" in current context. Did you mean "struct"?'),
    ],
)
def test_an_expression_that_ends_early_or_is_misspelt(
    command: str, expression: str, error: str
) -> None:
    done = run(command, "--demo", "--lane", "1", expression)
    assert (done.out, done.error, done.status) == ("", error, 2)


def test_the_demo_of_machine_code_and_of_frames() -> None:
    assert run("disas", "--demo", "nest", "--no-source").lines[0] == "demo.co: gfx942, wave64"
    assert run("frames", "--demo").lines[0] == ".debug_frame:"
    assert run("bt", "--demo").lines[0].startswith("#0  ")


@pytest.mark.parametrize("command", ["eval", "location", "explain"])
def test_a_core_whose_program_is_missing(command: str) -> None:
    """The missing file is named, not the vDSO, which is there."""
    done = run(command, "--core", "prog.core", "sum")
    why = 'No symbol "sum" in current context. pc 0x'
    assert done.error.startswith(why) and "vdso" not in done.error
    assert done.error.endswith(
        " is not in any code object: /opt/crash/crash.x86_64.O0 cannot be read: No such file or "
        "directory; give FILE or --sysroot DIR"
    )


def test_the_kind_of_a_wrong_request_is_not_that_of_a_damaged_file(tmp_path: Path) -> None:
    """`Malformed` blames bytes: the file of a wrong request is fine."""
    (tmp_path / "cut").write_bytes((tmp_path / "k.co").read_bytes()[:40])
    for words, kind in (
        ("eval k.co nosuch", "UsageError"),
        ("eval --lane x lit1", "UsageError"),
        ("eval nofile.co t", "UsageError"),
        ("eval lit99", "UsageError"),
        ("where k.co nosuch", "UsageError"),
        ("info nofile", "UsageError"),
        ("eval cut t", "Malformed"),
        ("info cut", "Malformed"),
        ("eval k.co --state notes.txt t", "Malformed"),
    ):
        answer = run_json(*words.split())
        assert (answer.json["error"]["kind"], answer.status) == (kind, 2), words


def test_builds_for_different_machines_are_noted() -> None:
    old, new = (FIXTURES / f"core/crash.{machine}.O0" for machine in ("aarch64", "x86_64"))
    done = run("where", "--all", new, "--against", old)
    assert done.notes == ["crash.aarch64.O0 is for AARCH64, crash.x86_64.O0 for X86_64"]
    assert run("where", "--all", "k.co", "--against", "k.co").notes == []
