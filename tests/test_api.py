"""The public names of the package."""

from __future__ import annotations

import ast
import copy
import csv
import doctest
import inspect
import io
import json
import pickle
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dwarfgpu
from dwarfgpu import api, errors
from dwarfgpu.base import records
from dwarfgpu.session.session import Session as SilentSession


@pytest.mark.parametrize("name", api.__all__)
def test_a_public_name_is_an_attribute_of_the_package(name: str) -> None:
    assert getattr(dwarfgpu, name) is getattr(api, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        dwarfgpu.nothing  # noqa: B018


@pytest.mark.parametrize(
    "statement",
    [
        "from dwarfgpu import base",  # a module, not a public name
        "from dwarfgpu.machine.state.load import load_state",
        "from dwarfgpu import evaluate",
        "import dwarfgpu; dwarfgpu.Session",
    ],
)
def test_imports_in_any_order(statement: str) -> None:
    subprocess.run([sys.executable, "-c", statement], check=True)


def test_importing_the_package_loads_no_more_than_itself() -> None:
    script = "import sys, dwarfgpu; print([n for n in sys.modules if n.startswith('dwarfgpu.')])"
    output = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert output.stdout.strip() == "[]"


def test_the_examples_of_the_documentation_run() -> None:
    root = Path(__file__).resolve().parents[1]
    text = (root / "docs/library.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(examples) >= 4
    names: dict[str, object] = {"DEMO": root / "dwarfgpu/data", "CORES": root / "fixtures/core"}
    for example in examples:
        exec(example, names)


def test_the_examples_of_printers_run() -> None:
    root = Path(__file__).resolve().parents[1]
    text = (root / "docs/printers.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(examples) == 2
    names: dict[str, object] = {"CORES": root / "fixtures/core"}
    for example in examples:
        exec(example, names)


def test_the_script_of_the_documentation_writes_csv(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[1]
    text = (root / "docs/library.md").read_text("utf-8")
    [script] = [match for match in re.findall(r"```python\n(.*?)```", text, re.S) if "csv" in match]
    assert len(script.splitlines()) <= 33
    path = tmp_path / "lanes_to_csv.py"
    path.write_text(script, encoding="utf-8")
    command = [sys.executable, path, root / "dwarfgpu/data/demo.json", "nest.hip:14"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    header = "wave,lane,frame,function,name,type,value,error"
    names = ["in", "out", "limit", "t", "a", "r", "sum"]
    assert list(dict.fromkeys(row["name"] for row in rows)) == names
    result = [row for row in rows if row["name"] == "t"]
    assert result and {row["type"] for row in result} == {"int"}
    assert all(row["value"] == str(320 + int(row["lane"])) for row in result if not row["error"])
    assert {row["value"] for row in rows if row["name"] == "in"} == {"<optimized out>"}
    assert {(row["frame"], row["function"]) for row in rows} == {("0", "nest")}
    state = json.loads((root / "dwarfgpu/data/demo.json").read_text("utf-8"))
    [wave] = state["waves"]
    inlined = tmp_path / "inlined.json"
    wave["pc"] = "0x7f0000001600"  # in `block_x`, which is inlined into `nest`
    for listed in state["code_objects"]:
        listed["path"] = str(root / "dwarfgpu/data" / listed["path"])
    inlined.write_text(json.dumps(state), encoding="utf-8")
    command_inlined = [*command[:2], inlined, "device.h:15"]
    done = subprocess.run(command_inlined, check=True, capture_output=True, text=True, cwd=root)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {(row["frame"], row["function"]) for row in rows} == {("1", "nest")}
    assert list(dict.fromkeys(row["name"] for row in rows)) == names
    in_library = [*command[:2], root / "fixtures/states/stack.gcc.O2.json", "demo.c:82"]
    done = subprocess.run(in_library, check=True, capture_output=True, text=True, cwd=root)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))  # not of those that called `main`
    assert {row["function"] for row in rows} == {"leaf", "mid", "main"}
    wave["pc"] = "0x10"
    lost = tmp_path / "lost.json"
    lost.write_text(json.dumps(state), encoding="utf-8")
    in_no_code = [*command[:2], lost, "nest.hip:14"]
    done = subprocess.run(in_no_code, check=True, capture_output=True, text=True, cwd=root)
    assert done.stdout.splitlines() == [header]
    elsewhere = [*command[:-1], "nest.hip:1"]
    done = subprocess.run(elsewhere, check=True, capture_output=True, text=True, cwd=root)
    assert done.stdout.splitlines() == [header]


def test_what_public_classes_have_is_documented() -> None:
    """In the class itself: `help` and editors show no text of a protocol that it follows."""
    missing = []
    for name in api.__all__:
        kind = getattr(api, name)
        for member in dir(kind) if isinstance(kind, type) else ():
            found = inspect.getattr_static(kind, member)
            function = getattr(found, "fget", None) or getattr(found, "__func__", found)
            if inspect.isfunction(function) and not member.startswith("_") and not function.__doc__:
                missing.append(f"{name}.{member}")
    assert not missing


def test_the_example_of_help_is_true() -> None:
    assert doctest.testmod(dwarfgpu) == doctest.TestResults(0, 9)


def test_help_names_what_is_public() -> None:
    text = pydoc.render_doc(dwarfgpu, renderer=pydoc.plaintext)
    assert text.index(">>> import dwarfgpu as dg") < text.index("CLASSES")
    classes = [name for name in api.__all__ if isinstance(getattr(api, name), type)]
    assert all(name in text[text.index("CLASSES") :] for name in classes)
    for line in text[text.index("Where to start:") :].splitlines()[2:12]:
        assert line.split()[0] in api.__all__


def test_a_star_imports_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from dwarfgpu import *", names)
    assert names.keys() - {"__builtins__"} == set(api.__all__)


SIGNATURES = """
import inspect, dwarfgpu
for name in dwarfgpu.__all__:
    kind = getattr(dwarfgpu, name)
    if isinstance(kind, type):
        print(name, inspect.signature(kind), sep="|")
"""


def test_the_signature_of_a_public_class_is_the_real_one() -> None:
    """In a fresh process, where no object of any class has been made."""
    done = subprocess.run(
        [sys.executable, "-c", SIGNATURES], check=True, capture_output=True, text=True
    )
    signatures = dict(line.split("|", 1) for line in done.stdout.splitlines())
    for name, text in signatures.items():
        kind = getattr(api, name)
        if getattr(kind, "_is_protocol", False):
            continue
        assert "*values" not in text and "*args" not in text, name
        if records.has(kind):
            fields = [field.alias for field in records.fields(kind) if field.init]
            assert sorted(inspect.signature(kind).parameters) == sorted(filter(None, fields))
    assert signatures["Bits"].startswith("(value: int, size_bits: int, undefined: int = 0,")
    assert signatures["IllFormed"] == "(message: 'str' = '') -> 'None'"


STATES = Path(__file__).resolve().parents[1] / "fixtures/states"


def session_of(name: str, lane: int = 3) -> dwarfgpu.Session:
    state = dwarfgpu.load_state(STATES / f"{name}.json")
    objects = tuple(
        dwarfgpu.CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    )
    wave = state.waves[0]
    assert wave.id == wave.wave
    return dwarfgpu.Session(
        state.architecture, objects, state.target, wave=wave.id, lane=lane, pc=wave.pc
    )


@pytest.mark.parametrize(
    ("name", "text", "value", "error"),
    [
        ("t", "3", 3, None),
        ("undefined", "<optimized out>", None, dwarfgpu.UndefinedBits),
        ("no_location", "<optimized out>", None, dwarfgpu.UndefinedBits),
    ],
)
def test_a_reading(name: str, text: str, value: object, error: type | None) -> None:
    session = session_of("locations.gfx942")
    reading = session.read(session.variable(name))
    assert (reading.text, reading.value) == (text, value)
    assert (reading.error is None) == (error is None) == reading.is_complete
    assert error is None or isinstance(reading.error, error)
    lanes = dwarfgpu.read_lanes([session], session.variable(name))
    assert lanes.of(0, 3).text == text
    assert lanes.of(0, 3) == reading == session.read(reading.variable)  # an error, too
    assert len({lanes.of(0, 3), reading}) == 1


def test_a_reading_of_what_the_machine_does_not_have() -> None:
    """Its value was a dictionary."""
    state = dwarfgpu.load_state(Path(dwarfgpu.__file__).parent / "data/demo.json")
    objects = [
        dwarfgpu.CodeObject.open(each.path, each.load_address) for each in state.code_objects
    ]
    empty = dwarfgpu.StateTarget(state.architecture)
    empty.add_wave(0)
    pc = state.waves[0].pc
    session = dwarfgpu.Session(state.architecture, tuple(objects), empty, lane=3, pc=pc)
    variable = session.variable("t")
    for reading in session.read(variable), dwarfgpu.read_lanes([session], variable).of(0, 3):
        assert (reading.text, reading.value) == ("<unavailable>", None)
        assert isinstance(reading.error, dwarfgpu.Unavailable)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("t", "3"),
        ("no_location", "<optimized out>"),
        ("*(int *)16", "<error: Cannot access memory at address 0x10>"),
        ("*(int (*)[3])16", "<error: Cannot access memory at address 0x10>"),
    ],
)
def test_the_text_of_a_value(expression: str, expected: str) -> None:
    """As that of a reading, it is a text where there are no contents, too."""
    session = session_of("locations.gfx942")
    value = dwarfgpu.evaluate_source(expression, session)
    assert dwarfgpu.format_source(value, session) == expected
    assert (value.error is None) == (not expected.startswith("<"))


def test_a_reading_has_an_error_where_bits_are_missing() -> None:
    session = session_of("locations.gfx942")
    missing = 0
    for variable in session.variables():
        reading = session.read(variable)
        assert (reading.error is None) == reading.is_complete, variable.name
        assert reading.text
        if reading.failure is None and reading.error is not None:
            missing += 1
            assert f"bits of {variable.name} are " in reading.error.message
    assert missing
    half = session.read(session.variable("half_undefined"))
    assert isinstance(half.error, dwarfgpu.UndefinedBits)
    assert "bits of half_undefined are optimized out" in half.error.message


def test_what_scripts_annotate_is_public() -> None:
    state = dwarfgpu.load_state(STATES / "locations.gfx942.json")
    session = session_of("locations.gfx942")
    variable = session.variable("t")
    assert isinstance(state, dwarfgpu.State)
    assert isinstance(state.waves[0], dwarfgpu.WaveState)
    assert isinstance(variable, dwarfgpu.Variable)
    assert isinstance(variable.type, dwarfgpu.Type)


def test_a_type_checker_knows_the_names_of_the_package() -> None:
    """`__getattr__` is not for it: it would accept any misspelt name."""
    tree = ast.parse(Path(dwarfgpu.__file__).read_text("utf-8"))
    functions = [item.name for item in tree.body if isinstance(item, ast.FunctionDef)]
    assert functions == ["__dir__"]


@pytest.mark.parametrize(
    "error",
    [
        errors.PartlyUnavailable("register v1", 3, 7),
        errors.LimitExceeded("too many", "--max-steps"),
        errors.UnknownAugmentation.of("eh"),
        errors.MissingContext("no lane"),
    ],
)
def test_an_error_can_be_copied_and_pickled(error: errors.DwarfGpuError) -> None:
    error.site = errors.Site(3, "DW_OP_swap")
    error.context = "k.co"
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is type(error)
        assert (str(other), other.args, vars(other)) == (str(error), error.args, vars(error))


def test_every_type_has_a_name() -> None:
    session = session_of("shapes.gfx942")
    kinds = [variable.type for variable in session.variables()]
    assert kinds
    assert all(kind.name for kind in kinds if kind is not None)
    demo = session_of("nest.gfx942.O0")
    names = {
        variable.name: variable.type.name
        for variable in demo.variables()
        if variable.type is not None
    }
    assert (names["in"], names["t"]) == ("const int *", "int")


def test_the_text_of_a_reading_needs_dwarfgpus_session() -> None:
    session = session_of("locations.gfx942")
    plain = SilentSession(
        session.architecture, session.code_objects, session.target, lane=3, pc=session.pc
    )
    with pytest.raises(dwarfgpu.UsageError, match=r"use dwarfgpu\.Session"):
        _ = plain.read(plain.variable("t")).text
