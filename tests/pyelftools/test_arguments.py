"""Wrong arguments of `dwarfgpu.pyelftools` are one `UsageError` line that names them."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import pytest

import dwarfgpu as dg
from dwarfgpu import pyelftools
from tests.pyelftools.scripts import FIXTURES, dies, elffile, named, opened

STACK = 0x7FFF_0000
PLACE = STACK - 20


def refused(line: str, ask: Any, *arguments: Any, **keywords: Any) -> None:
    with pytest.raises(dg.UsageError, match=rf"\A{re.escape(line)}\Z"):
        ask(*arguments, **keywords)


@pytest.mark.parametrize(
    ("contents", "shown"),
    [
        (7, "7"),
        (True, "True"),
        (1 << 20, "1048576"),
        (1 << 20_000, "of 20001 bits"),
        ("abc", "'abc'"),
        ([7, 0, 0, 0], "an object of list"),
        (None, "None"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_memory_is_bytes_never_zeros_of_a_number(contents: Any, shown: str) -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    line = f"memory[{PLACE:#x}]: expected bytes, not {shown}"
    refused(line, pyelftools.read, named(elf, "here"), code, cfa=STACK, memory={PLACE: contents})


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_memory_is_any_kind_of_bytes(kind: Any) -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    memory = {PLACE: kind(b"\7\0\0\0")}
    assert pyelftools.read(named(elf, "here"), code, cfa=STACK, memory=memory).value == 7


ADDRESS = "an integer from 0 to 0xffffffffffffffff"
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"pc": "0x1158"}, f"pc: expected {ADDRESS}, not '0x1158'"),
    ({"pc": True}, f"pc: expected {ADDRESS}, not True"),
    ({"cfa": "x"}, f"cfa: expected {ADDRESS}, not 'x'"),
    ({"cfa": 1.0}, f"cfa: expected {ADDRESS}, not 1.0"),
    ({"cfa": -1}, f"cfa: expected {ADDRESS}, not -1"),
    ({"frame_base": 1 << 64}, f"frame_base: expected {ADDRESS}, not 18446744073709551616"),
    ({"object": "x"}, f"object: expected {ADDRESS}, not 'x'"),
    ({"lane": "3"}, "lane: expected an integer, not '3'"),
    ({"lane": 1.0}, "lane: expected an integer, not 1.0"),
    ({"lane": -3}, "lane -3: a thread of x86_64 has no lanes"),
    ({"lane": 3}, "lane 3: a thread of x86_64 has no lanes"),
    ({"wave": "x"}, "wave: expected an integer of at least 0, not 'x'"),
    ({"wave": -1}, "wave: expected an integer of at least 0, not -1"),
    ({"registers": [1]}, "registers: expected a dict, not an object of list"),
    ({"registers": {1.0: 1}}, "registers: expected names and DWARF numbers as keys, not 1.0"),
    ({"registers": {True: 1}}, "registers: expected names and DWARF numbers as keys, not True"),
    (
        {"registers": {"rbp": 1.5}},
        "registers['rbp']: expected an integer, bytes or a list with an integer or None for each "
        "lane, not 1.5",
    ),
    (
        {"registers": {"rbp": "1"}},
        "registers['rbp']: expected an integer, bytes or a list with an integer or None for each "
        "lane, not '1'",
    ),
    (
        {"registers": {"rbp": [1.5]}},
        "registers['rbp'][0]: expected an integer, not 1.5",
    ),
    (
        {"registers": {"rbp": 1 << 20_000}},
        "registers['rbp']: value: expected an integer of at least -0x8000000000000000 and at most "
        "0xffffffffffffffff, not a number that large",
    ),
    (
        {"registers": {1 << 20_000: 1}},
        "registers[of 20001 bits]: x86_64 has no such register.",
    ),
    ({"memory": [1]}, "memory: expected a dict, not an object of list"),
    ({"memory": {"a": b"1"}}, f"address in memory: expected {ADDRESS}, not 'a'"),
    ({"memory": {-1: b"1"}}, f"address in memory: expected {ADDRESS}, not -1"),
    ({"target": 5}, "target: expected a Target, not 5"),
    ({"architecture": "x86_64"}, "architecture: expected an Architecture, not 'x86_64'"),
]


@pytest.mark.parametrize(("wrong", "line"), WRONG)
def test_a_wrong_keyword_is_one_line_that_names_it(wrong: dict[str, Any], line: str) -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "here")
    location = die.attributes["DW_AT_location"]
    refused(line, pyelftools.evaluate, location, die, code, **wrong)
    refused(line, pyelftools.explain, location, die, code, **wrong)
    if "object" not in wrong:
        refused(line, pyelftools.read, die, code, **wrong)


class Parsed:
    """What pyelftools gives for a location, with something else in it."""

    def __init__(self, loc_expr: object) -> None:
        self.loc_expr = loc_expr


def test_a_wrong_type_is_a_type_error_and_a_wrong_value_a_value_error() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "here")
    location: Any = die.attributes["DW_AT_location"]
    ask: Any = pyelftools.evaluate
    types: list[dict[str, Any]] = [
        {"pc": "0x1158"}, {"registers": [1]}, {"registers": {1.0: 1}}, {"registers": {"rbp": 1.5}},
        {"memory": [1]}, {"memory": {1: 5}}, {"target": 5}, {"architecture": "x86_64"},
    ]  # fmt: skip
    values: list[dict[str, Any]] = [
        {"pc": -1}, {"cfa": 1 << 64}, {"lane": -3}, {"object": -1}, {"memory": {-1: b"1"}},
    ]  # fmt: skip
    expressions = [(5, TypeError), ("ab", TypeError), ({}, TypeError), ([None], TypeError),
        ([True], TypeError), ([300], ValueError), ([-1], ValueError), (Parsed(5), TypeError),
        (Parsed("ab"), TypeError), (Parsed([300]), ValueError)]  # fmt: skip
    calls: list[tuple[Any, type[Exception]]] = [
        *((lambda each=each: ask(location, die, code, **each), TypeError) for each in types),
        *((lambda each=each: ask(location, die, code, **each), ValueError) for each in values),
        *((lambda each=each: ask(each, die, code), kind) for each, kind in expressions),
        *((lambda each=each: pyelftools.dis(each), kind) for each, kind in expressions),
        (lambda: ask(location, 5, code), TypeError),
        (lambda: ask(location, die, elf), TypeError),
        (lambda: pyelftools.text(5, code), TypeError),  # type: ignore[arg-type]
        (lambda: pyelftools.explain(location, die, code, depth=-1), ValueError),
    ]
    for number, (call, kind) in enumerate(calls):
        with pytest.raises(dg.UsageError) as caught:
            call()
        found = [each for each in (TypeError, ValueError) if isinstance(caught.value, each)]
        assert (found, caught.value.kind) == ([kind], "UsageError"), number


def test_an_unknown_keyword_is_the_error_of_python_with_the_function_that_was_called() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die: Any = named(elf, "here")
    location: Any = die.attributes["DW_AT_location"]
    line = r"\A{}\(\) got an unexpected keyword argument 'rip'\Z"
    with pytest.raises(TypeError, match=line.format("read")):
        pyelftools.read(die, code, rip=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=line.format("evaluate")):
        pyelftools.evaluate(location, die, code, rip=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=line.format("explain")):
        pyelftools.explain(location, die, code, rip=1)  # type: ignore[call-arg]


def test_a_lane_is_one_of_the_architecture() -> None:
    elf, code = opened("asm/locations.gfx942.v5.co")
    die = named(elf, "t")
    line = "lane: expected an integer from 0 to 0x3f, not 64"
    refused(line, pyelftools.evaluate, die.attributes["DW_AT_location"], die, code, lane=64)


def test_a_wrong_expression_is_called_by_its_type() -> None:
    expressions: tuple[Any, ...] = object(), [object()]
    for wrong in expressions:
        with pytest.raises(dg.UsageError, match="not an object of (object|list)$"):
            pyelftools.dis(wrong)


def test_the_code_object_is_not_the_elffile() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "here")
    location = die.attributes["DW_AT_location"]
    value = pyelftools.evaluate([0x30, 0x9F], die, code)
    give = ": give CodeObject.from_elffile(elffile)"
    for wrong, shown in ((elf, "an object of ELFFile"), (None, "None")):
        line = f"code: expected a CodeObject, not {shown}{give}"
        refused(line, pyelftools.read, die, wrong)
        refused(line, pyelftools.evaluate, location, die, wrong)
        refused(line, pyelftools.explain, location, die, wrong)
        refused(line, pyelftools.text, value, wrong)
    refused(f"code: expected a CodeObject, not an object of ELFFile{give}",
            pyelftools.dis, location, die, elf)  # fmt: skip
    refused("result: expected a result of evaluate, not 5", pyelftools.text, 5, code)
    refused("depth: expected an integer of at least 0, not '2'",
            pyelftools.explain, location, die, code, depth="2")  # fmt: skip
    refused("a DIE of pyelftools is needed, not an object of int", pyelftools.dis, [0x30], 5)


@pytest.mark.parametrize(
    ("load_address", "shown"), [("0x1000", "'0x1000'"), (-5, "-5"), (1 << 70, str(1 << 70))]
)
def test_a_load_address_is_an_address(load_address: Any, shown: str) -> None:
    elf, _ = opened("x86_64/demo.gcc.O0.v5")
    line = f"load_address: expected {ADDRESS}, not {shown}"
    refused(line, dg.CodeObject.from_elffile, elf, load_address)


def test_an_attribute_is_one_of_the_die() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die, other = named(elf, "here"), named(elf, "access")
    own = die.attributes["DW_AT_location"]
    same_bytes = next(
        item.attributes["DW_AT_location"]
        for item in dies(elf)
        if item.offset != die.offset
        and item.attributes.get("DW_AT_location", own).value == own.value
        and "DW_AT_location" in item.attributes
    )
    for wrong in (
        other.attributes["DW_AT_location"],
        same_bytes,
        own._replace(value=[0x91, 0x68]),
        own._replace(value=[0x91, 0x68], raw_value=[0x91, 0x68]),
        own._replace(form="DW_FORM_block1"),
        own._replace(offset=own.offset + 1),
    ):
        line = (
            f"this DW_AT_location is not that of the DIE at {die.offset:#x}: "
            "give die.attributes['DW_AT_location']"
        )
        refused(line, pyelftools.evaluate, wrong, die, code, cfa=STACK)
        refused(line, pyelftools.explain, wrong, die, code, cfa=STACK)
        refused(line, pyelftools.dis, wrong, die, code)
    elf, code = opened("x86_64/demo.gcc.O2.v5")
    die = named(elf, "here")
    listed = die.attributes["DW_AT_location"]
    with pytest.raises(dg.UsageError, match="this DW_AT_location is not that of the DIE at 0x"):
        pyelftools.dis(listed._replace(value=listed.value + 1), die, code)


def test_a_die_of_another_build_with_the_same_offsets_is_refused() -> None:
    """One byte differs: `here` is at DW_OP_fbreg -24 there."""
    data = bytearray((FIXTURES / "x86_64/demo.gcc.O0.v5").read_bytes())
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    own = named(elf, "here").attributes["DW_AT_location"]
    start = elf.get_section_by_name(".debug_info")["sh_offset"] + own.offset
    assert data[start : start + 3] == b"\x02\x91\x6c"
    data[start + 2] = 0x68
    other = elffile.ELFFile(BytesIO(data))
    die = named(other, "here")
    location = die.attributes["DW_AT_location"]
    line = (
        f"the DIE at {die.offset:#x} of the unit at {die.cu.cu_offset:#x} is not one of <ELFFile>: "
        "DW_AT_location differs"
    )
    refused(line, pyelftools.read, die, code, cfa=STACK)
    refused(line, pyelftools.evaluate, location, die, code, cfa=STACK)
    refused(line, pyelftools.dis, location, die, code)
    mine = dg.CodeObject.from_elffile(other)
    assert (
        pyelftools.text(pyelftools.evaluate(location, die, mine, cfa=STACK), mine) == "0x7ffeffe8"
    )


def test_an_attribute_that_a_script_has_changed_in_its_die_is_refused() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "here")
    own = die.attributes["DW_AT_location"]
    for changed in (
        own._replace(value=[0x91, 0x68]),
        own._replace(form="DW_FORM_block1"),
        own._replace(value=None),
        own._replace(value=[300, -1]),
    ):
        die.attributes["DW_AT_location"] = changed
        with pytest.raises(dg.UsageError, match=r"is not one of <ELFFile>: DW_AT_location differs"):
            pyelftools.evaluate(changed, die, code, cfa=STACK)
