"""`dwarfgpu where`: text, JSON, exit statuses, and what happens with files that are broken."""

from __future__ import annotations

import json
import os
import random
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import Coverage
from dwarfgpu.objfile.container import open_object
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.service.code.disassembly import CodeLine, Disassembly
from dwarfgpu.service.where.code_beside import braces_for, code_beside
from tests.check.made import info_file
from tests.cli.command import FIXTURES, REPOSITORY, Json, run, run_json
from tests.cli.test_info import BINARIES, NEST
from tests.cli.test_readme import as_pattern, commands
from tests.cli.test_readme import run as run_shell
from tests.dwarf.builder import Shape, elf, read_fixture, unit
from tests.objfile.test_bundle import GFX942, HOST, ON, plain
from tests.objfile.test_separate_debug import ID_NOTE
from tests.work import at_most

DEMO = FIXTURES / "x86_64/demo.gcc.O2.v5"
PLAIN = FIXTURES / "x86_64/demo.gcc.O0.v5"
ASM = FIXTURES / "asm/locations.gfx942.v5.co"
DOCUMENT = (REPOSITORY / "docs/where.md").read_text("utf-8")


@pytest.mark.parametrize(("command", "output"), commands(DOCUMENT))
def test_a_command_prints_what_the_document_shows(command: str, output: str) -> None:
    printed = run_shell(command)
    assert re.fullmatch(as_pattern(output), printed), printed


@pytest.mark.parametrize("path", BINARIES, ids=lambda path: path.name)
def test_every_fixture(path: Path) -> None:
    answer = run_json("where", "--all", path)
    assert answer.status == 0 and not answer.json["problems"]
    variables, total = answer.json["variables"], answer.json["total"]
    assert total["variables"] + total["global_variables"] == len(variables)
    assert variables or path.parent.name == "triton"  # some of Triton's have line tables alone
    for variable in variables:
        assert variable["complete_bytes"] <= variable["described_bytes"] <= variable["scope_bytes"]
        assert size(variable["scope"]) == variable["scope_bytes"]
        assert size(variable["holes"]) == variable["scope_bytes"] - variable["described_bytes"]
    for name in ("scope_bytes", "described_bytes", "complete_bytes", "variables"):
        assert sum(function[name] for function in answer.json["functions"]) == total[name]
    assert not any("lines" in entry for variable in variables for entry in variable["entries"])
    text = run("where", "--all", path)
    assert text.status == 0 and text.err == ""
    listed = [line for line in text.lines if line[:2] == "  " and line[:8] != "  note: "]
    names = [variable["qualified_name"] for variable in variables]
    assert len(listed) == len(names)
    assert all(
        map(str.startswith, (line.strip() + " " for line in listed), (f"{n} " for n in names))
    )


def size(ranges: Json) -> int:
    return sum(variable["end"] - variable["begin"] for variable in ranges)


def test_names_of_a_fixture_agree_with_all_of_it() -> None:
    every = run_json("where", "--all", DEMO).json["variables"]
    for name in {variable["name"] for variable in every}:
        variables = run_json("where", "--file", DEMO, name).json["variables"]
        for variable in variables:
            for entry in (*variable["entries"], *variable["holes"]):
                if entry["begin"] is not None:
                    assert all(line["lines"] for line in entry.pop("lines"))
        assert variables == [variable for variable in every if variable["name"] == name]


@pytest.mark.parametrize("pc", [0x1600, 0x1618, 0x1690, 0x16FF, 0x1700, 0x1798, 0x17AB])
def test_eval_agrees(pc: int) -> None:
    """At a program location `eval` finds an entry where `where` says that there is one."""
    for variable in run_json("where", "--file", NEST, "--pc", pc, "t", "a", "r").json["variables"]:
        inside = any(one["begin"] <= pc < one["end"] for one in variable["entries"])
        asked = ["eval", "--file", NEST, "--pc", pc, "--lane", 0, variable["name"]]
        done = run(*asked)
        if "the frame above, into which this function is inlined" in done.err:
            done = run(*asked, "--frame", 1)
        expected = f"{variable['name']} is optimized out at this pc; described at [0x16"
        assert (expected in done.err) == (not inside)


def test_where_names_the_inlined_call() -> None:
    (result,) = run_json("where", "--file", DEMO, "clamp::value").json["variables"]
    assert (result["function"], result["kind"]) == ("leaf", "parameter")
    assert result["inlined"] == [{"function": "clamp", "call_line": 93}]
    text = run("where", "--file", DEMO, "value")
    assert text.lines[0].endswith(" of clamp, inlined into leaf at line 93")
    assert text.status == 0


def test_the_name_of_a_function() -> None:
    done = run("where", "--file", NEST, "nest")
    assert (done.status, done.out) == (2, "")
    assert done.error == (
        f'"nest" is a function in {NEST.name}; its variables are nest::in, nest::out, nest::limit, '
        "nest::t, …"
    )
    several = run("where", "--file", NEST, "t", "nest")
    assert several.status == 1 and several.error == done.error
    prompt = run("debug", NEST, "--batch", "-ex", "where nest")
    assert prompt.err.startswith('"nest" is a function in current context; its variables are nest')


def test_a_template_without_its_arguments_is_every_instance() -> None:
    library = FIXTURES / "hip/library.gfx90a.O2.v5.co"
    instances = ["reverse_kernel<16U, float>", "reverse_kernel<32U, double>"]
    every = run_json("where", "--all", library).json["variables"]
    expected = [
        variable
        for variable in every
        if variable["function"] in instances
        or any(call["function"] in instances for call in variable["inlined"])
    ]
    of_template = run_json("where", "--all", library, "--function", "reverse_kernel").json
    assert {variable["function"] for variable in expected} == {*instances}
    assert of_template["variables"] == expected
    of_two = run_json("where", library, "out", "--function", "reverse_kernel").json["variables"]
    assert [item["name"] for item in of_two] == ["out"] * 4
    (one,) = run_json("where", library, "--function", instances[0], "reverse_kernel::out").json[
        "variables"
    ]
    assert one["function"] == instances[0]
    wrong = run("where", library, "--all", "--function", "reverse_kerne")
    assert wrong.status == 2 and 'Did you mean "reverse_kernel"?' in wrong.error


MEMBER_TEMPLATES = """\
namespace geo {
struct S {
  template<class T> static T sv;
  template<class T> inline static T iv = T(3);
  static int plain;
};
template<class T> T S::sv = T(2);
template<class T> T nsv = T(5);
template<class T, int N> T two = N;
template<class A> struct G { template<class B> static B gb; };
template<class A> template<class B> B G<A>::gb = B(6);
int S::plain = 7;
}
int main() {
  return geo::S::sv<int> + geo::S::sv<long> + geo::S::iv<long> + geo::nsv<int> + geo::S::plain +
         geo::G<int>::gb<char> + geo::two<int, 3>;
}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_instances_of_variable_templates(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """They have their arguments, also where only the linkage name has these and the scopes, and are
    named with or without them."""
    (tmp_path / "a.cpp").write_text(MEMBER_TEMPLATES)
    program = tmp_path / "a"
    command = [tool(compiler), "-g", "-std=c++17", "-o", program, tmp_path / "a.cpp"]
    subprocess.run(command, check=True)

    def names(*arguments: str) -> list[str]:
        done = run_json("where", program, *arguments or ("--all",))
        return sorted(item["qualified_name"] for item in done.json["variables"])

    instances = ["geo::S::sv<int>", "geo::S::sv<long>"]
    members = ["geo::G<int>::gb<char>", "geo::S::iv<long>", "geo::nsv<int>"]
    members.append("geo::two<int, 3>")
    assert names() == sorted([*members, *instances, "geo::S::plain"])
    for name in (*members, *instances, "geo::S::plain"):
        assert names(name) == [name] and names(name.rpartition("::")[2]) == [name]
    assert names("geo::S::sv") == names("sv") == instances
    assert names("geo::S::sv<long int>") == ["geo::S::sv<long>"]
    assert names("geo::two<int,3>") == names("two") == ["geo::two<int, 3>"]
    assert names("geo::nsv") == ["geo::nsv<int>"]
    for wrong in ("geo::S::sv<char>", "sv<short>", "geo::sv<int>", "geo::G<long>::gb<char>"):
        assert run("where", program, wrong).status == 2
    unknown = run("eval", program, "--pc", "main", "nsv<int>")
    assert 'Did you mean "geo::nsv<int>"?' in unknown.error
    same = run("where", "--all", program, "--against", program)
    assert same.out.startswith("no variable is described better or worse")


def test_several_names_in_a_file_whose_units_cannot_be_read(tmp_path: Path) -> None:
    data = bytearray(DEMO.read_bytes())
    (table,) = struct.unpack_from("<Q", data, 40)
    info = next(item for item in open_object(DEMO).sections if item.name == ".debug_info")
    struct.pack_into("<Q", data, table + 64 * info.index + 32, len(data))  # sh_size
    (tmp_path / "long").write_bytes(data)
    done = run_json("where", tmp_path / "long", "value", "nosuch")
    kinds = [problem["kind"] for problem in done.json["problems"]]
    assert (done.status, kinds) == (1, ["Malformed", "UsageError", "UsageError"])
    assert "Not searched: " in done.json["problems"][1]["message"]
    text = run("where", tmp_path / "long", "value", "nosuch")
    assert text.status == 1 and "problem: Malformed: " in text.out


def test_names_with_their_namespaces() -> None:
    names = FIXTURES / "x86_64/names.clang.O0.v5"
    every = run_json("where", "--all", names).json
    shared = [
        variable["qualified_name"]
        for variable in every["variables"]
        if variable["name"] == "shared"
    ]
    assert len(set(shared)) == 2
    for name in shared:
        (result,) = [
            variable
            for variable in run_json("where", "--file", names, name).json["variables"]
            if variable["qualified_name"] == name
        ]
        assert result["kind"] == "global"
    functions = [function["name"] for function in every["functions"]]
    assert any("::" in name for name in functions)
    text = run("where", "--all", names).out
    assert all(f"{name}: " in text for name in functions)


def test_a_program_location_picks_a_scope() -> None:
    assert len(run_json("where", "--file", DEMO, "local").json["variables"]) == 2
    variables = run_json("where", "--file", DEMO, "local", "--pc", "0x1210").json["variables"]
    assert [variable["line"] for variable in variables] == [82]


def test_addresses_are_as_loaded() -> None:
    low = run_json("where", "--file", NEST, "t").json["variables"][0]
    high = run_json("where", "--file", NEST, "t", "--load-address", 0x10000).json["variables"][0]
    assert high["scope"] == [{"begin": 0x11600, "end": 0x117AC}]
    for one, other in zip(low["entries"], high["entries"], strict=True):
        assert (one["begin"] + 0x10000, one["lines"]) == (other["begin"], other["lines"])
    demo = run_json("where", "--demo", "launches", "t").json["variables"]
    assert demo[0]["scope"][0]["begin"] == 0x7F0000001600


@pytest.mark.parametrize(
    ("name", "completeness", "text"),
    [
        ("half_undefined", "partly", "in 2 pieces, bits 0-31 optimized out"),
        ("empty", "nothing", "optimized out"),
        ("undefined", "nothing", "optimized out"),
        ("called", "depends", "how much of it depends on DW_OP_call2"),
        ("const_value", "whole", "the constant -42"),
        ("const_float", "whole", "the constant 1.5"),
        ("spilled", "whole", "in one of two places, by lane"),
        ("spilled_vector", "whole", "in two places, by lane"),
        ("by_reference", "whole", "in memory"),
        ("broadcast", "whole", "in s8, the same for every lane"),
        ("accumulated", "whole", "in a0, by lane"),
        ("half_high", "whole", ""),
        ("wide", "whole", "in 2 pieces"),
        ("fenced", "whole", "in pieces"),
    ],
)
def test_completeness_and_text_of_descriptions(name: str, completeness: str, text: str) -> None:
    (result,) = run_json("where", "--file", ASM, name).json["variables"]
    assert [entry["completeness"] for entry in result["entries"]] == [completeness]
    assert result["entries"][0]["text"] == text
    assert (result["described_bytes"] > 0) == (completeness != "nothing")
    assert (result["complete_bytes"] > 0) == (completeness == "whole")


def test_what_a_call_decides_is_perhaps_in_part() -> None:
    assert run("where", "--file", ASM, "called").lines[-1].endswith(", 132 of them perhaps in part")
    text = run("where", "--file", ASM, "half_undefined").lines[-1]
    assert text.endswith(", 132 of them in part")


def test_no_location_at_all() -> None:
    text = run("where", "--file", ASM, "no_location")
    assert text.status == 0 and text.lines[2].endswith("  optimized out")
    assert text.lines[-1].endswith(" 0.0% of 132 bytes")


def test_bars_where_the_output_is_not_utf_8() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dwarfgpu", "where", "--all", NEST],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.isascii() and " .+############+.......++" in done.stdout


@pytest.mark.parametrize(
    ("minimum", "status"), [("0", 0), ("27.3", 0), ("27.4", 1), ("55%", 1), ("100", 1)]
)
def test_minimum(minimum: str, status: int) -> None:
    done = run("where", "--all", NEST, "--min-coverage", minimum)
    assert done.status == status
    assert (done.err != "") == bool(status)
    answer = run_json("where", "--all", NEST, "--min-coverage", minimum)
    assert answer.status == status and answer.json["is_below_minimum"] == bool(status)
    assert answer.json["minimum"] == float(minimum.rstrip("%"))


def test_a_minimum_of_names() -> None:
    assert run("where", "--file", NEST, "t", "--min-coverage", 55).status == 0
    assert run("where", "--file", NEST, "in", "--min-coverage", 55).status == 1
    assert run("where", "--file", NEST, "launches", "--min-coverage", 100).status == 0


@pytest.mark.parametrize(
    ("old", "new", "status"), [(DEMO, DEMO, 0), (PLAIN, DEMO, 1), (DEMO, PLAIN, 0)]
)
def test_against(old: Path, new: Path, status: int) -> None:
    answer = run_json("where", "--all", new, "--against", old)
    assert answer.status == status
    counts = answer.json["counts"]
    assert (counts["worse"] + counts["lost"] > 0) == bool(status)
    assert sum(counts.values()) == len(answer.json["changes"])
    amounts = [abs(change["amount"]) for change in answer.json["changes"]]
    assert amounts == sorted(amounts, reverse=True)
    text = run("where", "--all", new, "--against", old)
    assert text.status == status and text.lines[-1].startswith("total: ")


def test_what_got_worse_one_way_got_better_the_other() -> None:
    there = run_json("where", "--all", DEMO, "--against", PLAIN).json["changes"]
    back = run_json("where", "--all", PLAIN, "--against", DEMO).json["changes"]
    opposite = {
        "worse": "better",
        "better": "worse",
        "appeared": "vanished",
        "vanished": "appeared",
    }
    assert sorted(
        (
            opposite[variable["change"]],
            variable["functions"],
            variable["name"],
            variable["ordinal"],
            -variable["amount"],
        )
        for variable in there
    ) == sorted(
        (
            variable["change"],
            variable["functions"],
            variable["name"],
            variable["ordinal"],
            variable["amount"],
        )
        for variable in back
    )


def test_against_for_some_names() -> None:
    arguments = ("--file", DEMO, "lost", "--against", PLAIN)
    (change,) = run_json("where", *arguments).json["changes"]
    assert (change["change"], change["functions"], change["amount"]) == ("worse", ["leaf"], -1)


def test_a_code_object_of_a_fat_binary(tmp_path: Path) -> None:
    path = tmp_path / "bundle"
    code = read_fixture("hip/nest.gfx942.O2.v5.co")
    other = read_fixture("hip/nest.gfx90a.O2.v5.co")
    path.write_bytes(plain({HOST: b"", GFX942: code, ON: other}))
    done = run("where", "--all", path)
    assert done.status == 2 and "--target" in done.error
    assert "27.3% described" in run("where", "--all", path, "--target", "gfx942").out


def test_a_separate_debug_file(tmp_path: Path) -> None:
    folder, data = tmp_path / "debug", read_fixture("x86_64/demo.gcc.O2.v5")
    (folder / ".build-id/ab").mkdir(parents=True)
    named = ObjectFile("demo", data)
    sections = {
        section.name: named.section_data(section.name)
        for section in named.sections
        if section.name.startswith(".debug_")
    }
    note = {".note.gnu.build-id": ID_NOTE}
    (folder / ".build-id/ab/cdef0123456789.debug").write_bytes(elf({**sections, **note}, 62))
    path = tmp_path / "demo"
    path.write_bytes(elf(note, 62))
    error = run("where", "--file", path, "sp").error
    assert error.startswith("demo has no debugging information; compile with -g")
    output = run("where", "--file", path, "sp", "--debug-dir", folder)
    assert (output.out, output.status) == (run("where", "--file", DEMO, "sp").out, 0)


WRONG = [
    ([], "nothing to look for: give names of variables, or --all"),
    (["t"], "give the file before the names, or with --file FILE"),
    (["--all"], "give one FILE or more, or folders"),
    (["--all", NEST, "t"], "--all takes files and no names: t is not a file"),
    (["--all", "--file", NEST, DEMO], "--all takes the file of --file or --core, and no names"),
    (["--file", NEST, "tt"], 'No symbol "tt" in nest.gfx942.O2.v5.co.'),
    (["--file", NEST, "limits"], 'in nest.gfx942.O2.v5.co. Did you mean "limit"?'),
    (["--file", NEST, "t", "--function", "g"], 'Function "g" not defined in nest'),
    (["--file", NEST, "t", "--pc", "0x10"], 'pc 0x10 is not in the code of any code object (nest'),
    (["--all", NEST, "--function", "g"], 'Function "g" not defined in nest'),
    (["--all", "/nonexistent"], "cannot be read"),
    (["--all", REPOSITORY / "LICENSE"], "is not an ELF file"),
    (["--all", NEST, "--target", "gfx90a"], "is for gfx942, not for gfx90a"),
    (["--all", NEST, "--min-coverage", "101"], "expected a number from 0 to 100"),
    (["--all", NEST, "--min-coverage", "1e999999"], "expected a number from 0 to 100"),
    (["--all", NEST, "--min-coverage", "50", "--against", NEST], "not both"),
    (["--all", NEST, "--against", "/nonexistent"], "cannot be read"),
    (["--all", NEST, "--against", DEMO], "nothing to compare: nest.gfx942.O2.v5.co of AMDGPU and "
     "demo.gcc.O2.v5 of X86_64 have no function and no variable in common"),
    (["--all", NEST, "--against", REPOSITORY / "dwarfgpu/data/mandelbrot.co"], "nothing to "
     "compare: nest.gfx942.O2.v5.co and mandelbrot.co have no function and no variable in common"),
    (["--all", NEST, "--pc", "x"], "--pc x: Function \"x\" not defined."),
    (["--all", NEST, "--dialect", "bogus"], "invalid choice"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_requests_that_are_wrong(arguments: list[object], message: str) -> None:
    done = run("where", *arguments)
    assert done.status == 2 and message in done.error, done
    assert run_json("where", *arguments).json["error"]["kind"] == "UsageError"


def test_a_file_without_debugging_information(tmp_path: Path) -> None:
    path = tmp_path / "bare.co"
    path.write_bytes(elf({}))
    error = run("where", "--all", path).error
    assert error.startswith("bare.co has no debugging information; compile with -g")


def test_broken_lists_are_problems_and_the_rest_is_shown(tmp_path: Path) -> None:
    data = bytearray(read_fixture("x86_64/demo.gcc.O2.v5"))
    lists = ObjectFile("demo", bytes(data)).section_data(".debug_loclists")
    at = data.index(lists)
    data[at + 0x20 : at + len(lists)] = b"\x7f" * (len(lists) - 0x20)  # unknown kinds
    path = tmp_path / "broken"
    path.write_bytes(data)
    answer = run_json("where", "--all", path)
    broken = [
        variable["name"] for variable in answer.json["variables"] if variable["error"] is not None
    ]
    assert answer.status == 1 and 0 < len(broken) == len(answer.json["problems"])
    assert len(answer.json["variables"]) > len(broken)
    text = run("where", "--all", path)
    assert text.status == 1
    assert len([line for line in text.lines if line.startswith("problem: ")]) == len(broken)
    against = run_json("where", "--all", path, "--against", DEMO)
    unread = [change for change in against.json["changes"] if change["change"] == "unreadable"]
    assert sorted(change["name"] for change in unread) == sorted(broken)
    assert not any(change["new"]["is_readable"] for change in unread)
    assert against.status == 1 and against.json["counts"]["lost"] == 0
    assert (
        f"cannot be read any more: {len(broken)}"
        in run("where", "--all", path, "--against", DEMO).lines
    )
    named = run("where", "--file", path, broken[0])
    assert named.status == 1 and "has kind 0x7f" in named.out


def test_a_broken_unit_is_a_problem_and_the_others_are_shown(tmp_path: Path) -> None:
    info = read_fixture("hip/nest.gfx942.O2.v5.co")
    named = ObjectFile("nest", info)
    sections = {
        section.name: named.section_data(section.name)
        for section in named.sections
        if section.name.startswith(".debug_")
    }
    unknown = unit(b"\xff\x7f")  # an abbreviation that no table has
    for first, second in ((sections[".debug_info"], unknown), (unknown, sections[".debug_info"])):
        path = tmp_path / "two.co"
        path.write_bytes(elf({**sections, ".debug_info": first + second}))
        done = run("where", "--all", path)
        assert done.status == 1
        (problem,) = [line for line in done.lines if line.startswith("problem: ")]
        assert "unknown abbreviation" in problem
        assert "total: 1 function, 9 variables, 27.3% described" in done.out


def test_a_damaged_section_is_one_problem_of_many_entries(tmp_path: Path) -> None:
    """The checksum at the end of compressed strings is wrong: no entry with a name is read."""
    data = bytearray(read_fixture("core/containers.x86_64.libcxx"))
    file = ObjectFile("containers", bytes(data))
    [strings] = [section for section in file.sections if section.name == ".debug_str"]
    data[strings.offset + strings.size_bytes - 1] ^= 0xFF
    path = tmp_path / "broken"
    path.write_bytes(data)
    why = f".debug_str of {path} cannot be decompressed"
    done = run("where", "--all", path)
    problems = [line for line in done.lines if line.startswith("problem: ")]
    assert done.status == 1 and sum(why in line for line in problems) == 1
    [line] = [line for line in problems if why in line]
    written = re.search(r" \(([0-9]+) times; this is the first\)$", line)
    assert written is not None and int(written[1]) > 1000
    answer = run_json("where", "--all", path)
    records = [record for record in answer.json["problems"] if why in record["message"]]
    assert [record["count"] for record in records] == [int(written[1])]
    against = run("where", "--all", path, "--against", path)
    assert sum(why in line for line in against.lines) == 2


@pytest.mark.parametrize("name", ["hip/nest.gfx942.O2.v5.co", "x86_64/demo.gcc.O2.v4"])
def test_mutated_files(tmp_path: Path, name: str) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    original = read_fixture(name)
    path = tmp_path / "mutated"
    for _ in range(40):
        data = bytearray(original)
        for _ in range(source.randint(1, 40)):
            data[source.randrange(len(data))] = source.choice((0, 1, 0xFF, source.randrange(256)))
        path.write_bytes(data)
        with at_most(10_000_000):
            assert run_json("where", "--all", path).status in (0, 1, 2)
            assert run("where", "--file", path, "t", "local", "n", "i").status in (0, 1, 2)
            against = run_json("where", "--all", path, "--against", FIXTURES / name)
        assert against.status in (0, 1, 2)


def test_names_move_no_cursor(tmp_path: Path) -> None:
    data = read_fixture("x86_64/demo.gcc.O2.v5").replace(b"extended\0", b"\x1b[2Jxxxx\0")
    path = tmp_path / "colourful"
    path.write_bytes(data)
    assert "\x1b" not in run("where", "--all", path).out


def test_a_large_file() -> None:
    path = Path("/usr/bin/python3.11d")
    if not path.exists():
        pytest.skip("python3-dbg is not installed")
    output = run("where", "--file", path, "PyObject_Call::callable", "--json")
    (variable,) = json.loads(output.out)["variables"]
    assert output.status == 0 and variable["described_bytes"] > 0


def test_the_file_may_come_first_without_its_option(tmp_path: Path) -> None:
    assert run("where", NEST, "t").out == run("where", "--file", NEST, "t").out
    text = tmp_path / "t"
    text.write_text("no object file")
    assert run("where", text, "t").error == f"{text} is not an ELF file"


def test_instructions_beside_location_ranges() -> None:
    done = run("where", NEST, "t", "--asm", "--load-address", "0x10000")
    lines = done.lines
    first = next(i for i, line in enumerate(lines) if "╭ in v6: DW_OP_regx VGPR6" in line)
    last = next(i for i, line in enumerate(lines) if line.endswith("╰"))
    assert lines[first].lstrip().startswith("11618  v_ashrrev_i32_e32")
    assert all(line.endswith("│") for line in lines[first + 1 : last])
    assert lines[last + 1].endswith("optimized out")
    assert lines[-1].endswith("55.1% of 428 bytes")
    alone = next(line for line in lines if line.lstrip().startswith("11798 "))
    assert "╶ in v6" in alone


def test_the_first_instructions_beside_location_ranges() -> None:
    """A scope may have millions of them: they are not read before the first line."""
    made = Disassembly(CodeObject.open(NEST))
    (item,) = made.ranges
    used: list[int] = []

    def instructions(begin: int, end: int) -> Iterator[CodeLine]:
        for line in Disassembly.instructions(made, begin, end):
            used.append(line.address)
            yield line

    made.instructions = instructions  # type: ignore[method-assign]
    scope = SimpleNamespace(scope=(item,))
    lines = code_beside(made, cast(Coverage, scope), [], braces_for(None))
    next(lines)
    assert len(used) == 2
    assert len(list(lines)) == len(used) - 1


def test_brackets_where_the_output_is_not_utf_8() -> None:
    assert braces_for("ascii").first.isascii() and braces_for(None).first == "╭"


@pytest.mark.parametrize("more", [["--all"], ["--json"], ["--against", NEST], []])
def test_instructions_are_those_of_variables_in_one_file(more: list[str]) -> None:
    names = [] if "--all" in more or not more else ["t"]
    done = run("where", NEST, *names, "--asm", *more)
    assert done.status == 2 and "--asm" in done.out + done.err


def test_a_file_that_describes_no_variables(tool: Callable[[str], str], tmp_path: Path) -> None:
    """As compilers write it for -gline-tables-only, and Triton by default."""
    source, path = tmp_path / "k.c", tmp_path / "k.o"
    source.write_text("int f(int a) { return a; }\n")
    options = ("--target=x86_64-linux-gnu", "-gline-tables-only", "-c", source, "-o", path)
    subprocess.run([tool("clang-19"), *options], check=True)
    done = run("where", path, "--all")
    assert (done.status, done.lines) == (0, ["k.o describes no variables"])


def test_functions_of_a_machine_without_registers_here(tmp_path: Path) -> None:
    """Functions have addresses whatever the registers of the machine are."""
    shapes = [
        Shape(0x11, (), True),
        Shape(0x2E, ((0x03, 0x08), (0x11, 0x01), (0x12, 0x06)), True),
        Shape(0x34, ((0x03, 0x08), (0x02, 0x18))),
    ]
    code = (0x1000).to_bytes(8, "little") + (0x40).to_bytes(4, "little")
    entries = b"\x01\x02f\0" + code + b"\x03x\0\x01\x5a\0\0"  # DW_OP_reg10
    path = tmp_path / "riscv"
    path.write_bytes(info_file(shapes, entries, machine=243))
    by_name = run("where", path, "x", "--pc", "f")
    assert by_name.status == 0 and by_name.notes == []
    assert "in register 10: DW_OP_reg10" in by_name.lines[2]
    assert run("where", path, "x", "--pc", "f+0x3f").lines == by_name.lines
    assert run("where", path, "x", "--pc", "0x1000").lines == by_name.lines
    computed = run("where", path, "x", "--pc", "*f")
    assert computed.status == 2
    assert "the machine of riscv is unknown; give an address, a function" in computed.error


@pytest.mark.parametrize(
    ("compiler", "options"),
    [
        ("gcc", ["-gsplit-dwarf", "-gdwarf-5"]),
        ("gcc", ["-gsplit-dwarf", "-gdwarf-4"]),
        ("clang-19", ["-gsplit-dwarf"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "".join(value),
)
def test_a_skeleton_has_the_variables_of_its_split_unit(
    tool: Callable[[str], str], tmp_path: Path, compiler: str, options: list[str]
) -> None:
    """Where the split unit is missing, nothing is known of its variables."""
    (tmp_path / "t.c").write_text(
        "int g = 4;\nint main(int argc, char **argv) { return argc + g; }\n"
    )
    command = [tool(compiler), "-g", *options, "t.c"]
    subprocess.run([*command, "-c", "-o", "t.o"], cwd=tmp_path, check=True)
    subprocess.run([tool(compiler), "t.o", "-o", "t"], cwd=tmp_path, check=True)
    assert run("where", tmp_path / "t", "g").status == 0
    for questions in (
        ["where", tmp_path / "t", "ax"],
        ["eval", tmp_path / "t", "ax", "--pc", "main"],
    ):
        done = run(*questions)
        assert (done.status, "No symbol" in done.error) == (2, True)
        assert "no variables" not in done.err
    (tmp_path / "t.dwo").unlink()
    assert "no variables" not in run("where", tmp_path / "t", "ax").err


def test_a_skeleton_without_a_split_file_is_complete(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """As clang writes it for -g1, with the ID 0: answers are those of -g1 alone."""
    (tmp_path / "t.c").write_text("int g = 4;\nint main(int n, char **v) { return n + g; }\n")
    said: list[list[str]] = []
    for options in (["-gsplit-dwarf"], []):
        command = [tool("clang-19"), "-gdwarf-5", "-g1", *options, "-c", "t.c", "-o", "t.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
        subprocess.run([tool("clang-19"), "t.o", "-o", "t"], cwd=tmp_path, check=True)
        path = tmp_path / "t"
        commands = ("info line main", "info scope main", "break main", "info address main")
        done = [
            *(run("where", path, *more) for more in (["ax"], ["main"], ["ax", "--pc", "main"])),
            run("where", path, "--all"),
            run("debug", path, "--batch", *(word for text in commands for word in ("-ex", text))),
        ]
        said.append([one.out + one.err for one in done])
    assert said[0] == said[1]
    assert "The unit t.c describes no variables, as with line tables only" in said[0][0]
    assert 'Line 2 of "t.c" starts at address' in said[0][-1]


@pytest.mark.parametrize("options", [[], ["--pc", "0x1004"]])
def test_a_unit_of_assembly_is_not_said_to_have_line_tables_only(
    options: list[str], tmp_path: Path
) -> None:
    """No option of a compiler makes it describe variables."""
    language = (dw.AT_LANGUAGE, dw.FORM_DATA2)
    code = ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, 6))
    shapes = [Shape(dw.TAG_COMPILE_UNIT, (language, *code), True), Shape(dw.TAG_SUBPROGRAM, code)]
    covers = (0x1000).to_bytes(8, "little") + (0x10).to_bytes(4, "little")
    path = tmp_path / "a.out"
    root = dw.LANG_MIPS_ASSEMBLER.to_bytes(2, "little") + b"a.S\0" + covers
    path.write_bytes(info_file(shapes, b"\1" + root + b"\2f\0" + covers + b"\0"))
    assert run("where", path, "ax", *options).error.endswith(" in a.out.")
    if options:
        assert run("eval", path, "ax", *options).error == 'No symbol "ax" in current context.'


def test_a_unit_with_line_tables_only(tmp_path: Path) -> None:
    """As gcc -g1 writes it: functions, but neither variables nor types."""
    code = ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, 6))
    shapes = [Shape(dw.TAG_COMPILE_UNIT, code, True), Shape(dw.TAG_SUBPROGRAM, code)]
    covers = (0x1000).to_bytes(8, "little") + (0x10).to_bytes(4, "little")
    path = tmp_path / "a.out"
    path.write_bytes(info_file(shapes, b"\1a.c\0" + covers + b"\2f\0" + covers + b"\0"))
    why = "The unit a.c describes no variables, as with line tables only; compile with -g"
    for options in ([], ["--pc", "0x1004"]):
        assert why in run("where", path, "ax", *options).error
    assert (
        f'No symbol "ax" in current context. {why}'
        in run("eval", path, "ax", "--pc", "0x1004").error
    )
    shapes.append(Shape(dw.TAG_BASE_TYPE))  # of a function that returns something
    path.write_bytes(info_file(shapes, b"\1a.c\0" + covers + b"\2f\0" + covers + b"\0"))
    assert run("where", path, "ax").error.endswith('No symbol "ax" in a.out.')
    shapes[0] = Shape(dw.TAG_COMPILE_UNIT, (*code, (0x79, dw.FORM_SEC_OFFSET)), True)
    macros = bytes(4)  # DW_AT_macros
    path.write_bytes(info_file(shapes, b"\1a.c\0" + covers + macros + b"\2f\0" + covers + b"\0"))
    error = run("eval", path, "ax", "--pc", "0x1004").error
    assert error.endswith('No symbol "ax" in current context. Macros of -g3 are not read')
