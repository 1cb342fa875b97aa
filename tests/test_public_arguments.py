"""Every public function and method, each with every argument wrong in turn.

A wrong argument is a `UsageError` that names it, and a `TypeError`, too, if its type is wrong.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import islice, repeat
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import pytest

import dwarfgpu as dg
from dwarfgpu.base import records
from dwarfgpu.base.arguments import WrongType
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.quirk_names import QUIRK_NAMES
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.cfi_rows_by_pc import CallFrames
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.debug_names import NameIndex
from dwarfgpu.dwarf.index.string_index import StringIndex
from dwarfgpu.dwarf.line.line_table import LineTable, LineTables
from dwarfgpu.dwarf.location_lists import UnitLists
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.split.split_units import SplitFiles
from dwarfgpu.dwarf.types.builder import TypeBuilder
from dwarfgpu.dwarf.types.types import Base, Struct
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_tables import UnitTables
from dwarfgpu.expr.explicit_context import ExplicitAddress
from dwarfgpu.machine.topology import Wave
from dwarfgpu.model.storage import ImplicitPointer
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.printers import STANDARD, Characters, Object, Printed, Printer, Printers
from dwarfgpu.session.focused_frame import LaneLocation
from dwarfgpu.session.frame import SubprogramFrame
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.view.values import FormatOptions

DATA = Path(dg.__file__).parent / "data"
FIXTURES = Path(__file__).parents[1] / "fixtures"
CORE = FIXTURES / "core" / "crash.x86_64.O0.core"


class Indexable:
    """An object that Python takes for an index, as GDB's values are."""

    def __index__(self) -> int:
        return 1


class Array:
    """An object that compares as the arrays of NumPy: with each element, and is no truth value."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> Any:
        return Array()

    def __bool__(self) -> bool:
        raise ValueError("the truth value of an array is ambiguous")


class Unknown:
    """An object of no type that is expected."""


def session_of(path: Path) -> dg.Session:
    state = dg.load_state(path)
    objects = tuple(dg.CodeObject.open(each.path, each.load_address) for each in state.code_objects)
    wave = state.waves[0]
    return dg.Session(state.architecture, objects, state.target, wave=wave.id, lane=3, pc=wave.pc)


class World(NamedTuple):
    """What the calls are made on, and with."""

    objects: Mapping[str, Any]
    """An object of each class, by the name of the class."""
    right: Mapping[str, Any]
    """An argument of each type, by its annotation, and of each parameter, by its name."""
    other: dg.Session
    """A session of another state."""


@pytest.fixture(scope="module")
def world() -> World:
    state = dg.load_state(DATA / "demo.json")
    session = session_of(DATA / "demo.json")
    arch, target, code, pc = (
        state.architecture, state.target, session.code_objects[0], session.pc or 0,
    )  # fmt: skip
    variable = session.variable("t")
    [unit] = dg.find_variables(code.scopes, dg.Wanted(names=("t",)))
    [(_, scope)] = unit.groups[0].declared
    memory = dg.Memory(arch.address_spaces[0])
    register = arch.by_name["v6"]
    location = dg.Location((dg.SingleLocation(dg.Register(register)),))
    steps: list[dg.Step] = []
    dg.evaluate(b"\x34", session.context(), observe=steps.append)
    place = dg.place_at(code, pc)
    assert place is not None
    pointer = ImplicitPointer(variable.die, 0, memory.space)
    objects: dict[str, Any] = {
        "AddressSpace": memory.space, "Architecture": arch, "BaseType": arch.generic,
        "Bits": dg.Bits(5, 16), "CodeObject": code, "CodePosition": place,
        "Context": session.context(), "Core": dg.load_core(CORE, CORE.with_suffix("")),
        "Coverage": dg.coverage_of(variable, scope), "DebugInfo": code.info,
        "Dialect": dg.dialect("amd"), "ExplicitFrame": dg.ExplicitFrame(arch),
        "ExplicitUnit": dg.ExplicitUnit(), "FileLimits": dg.FileLimits(),
        "FloatFormat": dg.BINARY32,
        "ImplicitPointerValue": dg.ImplicitPointerValue.of(pointer, arch.generic),
        "LaneAnswers": dg.read_lanes([session], variable, range(4)), "Limits": dg.Limits(),
        "LineEntry": next(dg.line_entries(code)), "Location": location, "Memory": memory,
        "Reading": session.read(variable), "Register": dg.Register(register),
        "RegisterInfo": register, "ScalarAccess": session.context().access, "Scopes": code.scopes,
        "Session": session, "SingleLocation": location.single_locations[0],
        "SourceOptions": dg.SourceOptions(), "SourcePosition": place.positions[0],
        "StackFrame": next(dg.stack_frames(session)), "State": state, "StateTarget": target,
        "Step": steps[0], "TypedValue": dg.evaluate_source("t", session),
        "UnitFormat": dg.UnitFormat(), "Value": dg.Value.of(4, arch.generic),
        "Variable": variable, "Wanted": dg.Wanted(names=("t",)), "WaveState": state.waves[0],
    }  # fmt: skip
    right: dict[str, Any] = {
        **objects,
        "str": "t", "int": 3, "int | str": 3, "bool": False, "bytes": b"\x34", "Endian": "little",
        "bytes | bytearray": b"\x34", "Fraction": Fraction(5, 2),
        "WaveId": session.wave, "Target": target, "Iterable[int]": [1, 2],
        "Sequence[WaveId]": [session.wave], "Sequence[int | None]": [1, None],
        "Sequence[Session]": [session], "Iterable[WaveState]": state.waves, "RegisterId": register,
        "Memory | Register": memory, "Wave": Wave(7), "Data": b"abcd", "CodeScope": scope,
        "ObjectFile": code.file, "ExprLoc | LocList": variable.location,
        "LocationAttribute": variable.location, "Options": dg.SourceOptions(),
        "FormatOptions": FormatOptions(), "Unit": session.context().unit, "Frame": session.frame,
        "SubprogramFrame": session.frame, "ImplicitPointer": pointer, "Die": variable.die,
        "CompilationUnit": variable.unit, "Sections": variable.unit.sections,
        "Path | str": DATA / "demo.json", "str | Path": DATA / "demo.co",
        "pc": pc, "row": 0, "level": 0, "inline_level": 0, "size_bits": 32, "size_bytes": 4,
        "offset_bytes": 0, "address": 0x1000, "section_offset": variable.die.offset,
        "load_address": 0, "from_space": 0, "to_space": 0, "space_number": 0, "first_bit": 0,
        "load_core.path": CORE, "architecture.name": "gfx942", "dialect.name": "amd",
        "assemble.text": "lit4", "code_places.text": "nest.hip:12", "unit_at.section_offset": 0,
        "check_headers.kind": "program",
        "Value.shift_right_arithmetic.count": objects["Value"], "Bits.slice.count": 8,
    }  # fmt: skip
    reached = reached_objects(session)
    right |= {type(value).__name__: value for value in reached.values()}
    right |= right_arguments(session)
    return World(
        objects | reached, right, session_of(FIXTURES / "states" / "locations.gfx942.json")
    )


def reached_objects(session: dg.Session) -> dict[str, Any]:
    """Return an object of each class that scripts reach from public objects."""
    unit, info = session.unit, session.code_object.info
    found = (
        unit, unit.root, unit.lists, unit.tables, unit.line_table, info.sections,
        info.line_tables, info.call_frames, info.names, info.strings, info.split, info.types,
        info.object, session.call_stack, session.frame, session.lane_states([3])[0],
        VALUE, STANDARD,
    )  # fmt: skip
    return {type(value).__name__: value for value in found}


def right_arguments(session: dg.Session) -> dict[str, Any]:
    """Return an argument of each type of their methods."""
    unit, info = session.unit, session.code_object.info
    section, fde = next(info.call_frames.entries_at(info.in_file(session.pc)))
    name = unit.root.attribute(0x03)
    location = session.variable("t").die.attribute(0x02)
    return {
        "Attribute": name, "Attribute | None": name, "LineUnit": unit, "SourceFile":
        unit.line_table.files[0], "LineHeader": unit.line_table.header, "Range": Range(0, 8),
        "Symbol": info.object.symbols[-1], "Section": info.object.sections_by_name[".text"],
        "FrameSection": section, "Fde": fde, "Cie": fde.cie, "Container[int] | None": [5],
        "Collection[int]": [5], "Collection[bytes]": [b"t"], "Collection[str]": ["t"],
        "Iterable[Symbol]": info.object.symbols[-1:],
        "Iterable[str]": ["t"], "tuple[int, ...]": (0x72,),
        "tuple[tuple[int, int], ...]": ((0x1000, 0x1004),),
        "Type": VALUE.type, "Base": VALUE.type, "Struct": Struct("struct", "S", 0),
        "Object.of_number.number": 3, "Object.part.bit_offset": 0,
        "DwarfGpuError": dg.IllFormed("no"), "ExplicitAddress": ExplicitAddress(0, 0x1000),
        "LaneLocation": LaneLocation(1),
        "Callable[[str], bool]": "t".__eq__, "Container[int]": (0x34,),
        "LocList": unit.lists.locations_of(location),
        "index": 0, "string_offset.index": 0,
        "list_offset.section": ".debug_loclists",
    }  # fmt: skip


REACHED: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        CallFrames, CallStack, CompilationUnit, DebugInfo, Die, LaneState, LineTable,
        LineTables, NameIndex, Object, ObjectFile, Printers, Scopes, Sections, SplitFiles,
        StringIndex, SubprogramFrame, TypeBuilder, UnitLists, UnitTables,
    )
}  # fmt: skip
"""Classes that scripts reach from public objects, as `session.unit` and `variable.die`, and those
of `dwarfgpu.printers` with methods."""
REASONS = {
    "CodeObject.from_elffile": "tests/pyelftools has objects of pyelftools",
    "StateTarget.replace_memory": "it moves the memory of the state that the others read",
    "StateTarget.share_global_memory": "the same",
    "Object.element": "a right call raises `UnexpectedLayout`, which is no error of dwarfgpu",
    "Object.template_type": "the same",
    "NameIndex.die_of": "the program has no .debug_names",
    "NameIndex.unit_of": "the same",
    "SubprogramFrame.at_call": "no function of the program is called",
    "SubprogramFrame.is_preserved_by_callees": "the same",
    "SubprogramFrame.nested_context": "the same",
}
"""Why some are not called."""
LATE = frozenset(
    {
        "AddressSpace.require_address", "Architecture.address_space", "Architecture.lower",
        "Architecture.register", "Bits.slice", "Bits.to_bytes", "CodeObject.covers",
        "CodeObject.offset_text", "Context.nested", "ExplicitFrame.lane_was_active",
        "ExplicitFrame.program_location", "Location.displaced", "Location.of_object",
        "RegisterInfo.is_narrower", "ScalarAccess.load", "ScalarAccess.pointer",
        "ScalarAccess.read", "ScalarAccess.read_bytes", "ScalarAccess.read_run_by_run",
        "ScalarAccess.retrieve", "ScalarAccess.runs", "Scopes.chain_at", "Scopes.linked_unit_at",
        "Scopes.meanings_at", "Scopes.unit_at", "SingleLocation.displaced", "SingleLocation.low",
        "StateTarget.apertures_of", "StateTarget.architecture_of",
        "StateTarget.forget_register", "StateTarget.is_unreadable", "StateTarget.known_memory",
        "StateTarget.lowered", "StateTarget.read_memory", "StateTarget.read_register",
        "StateTarget.write_memory", "Value.of", "Variable.why_optimized_out_at", "evaluate",
    }
)  # fmt: skip
"""What evaluations call most: arguments are judged only where a call fails."""
LATE_CLASSES = (
    "CallFrames", "CallStack", "CompilationUnit", "Die", "LaneState", "LineTable",
    "LineTables", "ObjectFile", "Sections", "SubprogramFrame", "UnitTables",
)  # fmt: skip
"""Classes with such methods."""
WRONG: dict[str, Any] = {
    "None": None, "object": Unknown(), "text": "x", "bytes": b"x", "fraction": 1.5, "negative": -1,
    "wide": 1 << 70, "list": [], "list of lists": [[]], "nan": math.nan, "infinity": math.inf,
    "truth value": True, "index": Indexable(), "class": Unknown, "complex": 2j, "dict": {"x": 1},
    "digit": "3", "NUL": "a\0b", "surrogate": "\ud800", "empty": "",
    "end of line": "a\nb", "escape": "\x1b[31m\u202e", "long": "x" * 50_000,
    "huge": 1 << 200_000, "decimal": Decimal(3), "signaling": Decimal("snan"),
    "ratio": Fraction(1, 3), "words": memoryview(b"abcd").cast("H"), "array": Array(),
}  # fmt: skip
KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,), "WaveId": (int,), "str": (str,), "bytes": (bytes, memoryview), "bool": (bool,),
    "Endian": (str,), "Data": (bytes, memoryview), "str | Path": (str, Path),
    "Path | str": (str, Path), "Kind": (str,), "ResultKind": (str,),
    "bytes | bytearray": (bytes, bytearray, memoryview), "int | str": (int, str),
    "Fraction": (Fraction,),
}  # fmt: skip
"""What is of a type that is no class of dwarfgpu; a truth value is no integer."""


UNJUDGED = ("Observer", "Symbolize", "ClassDefinitionLookup", "Unit", "Package")
"""Functions and protocols, which any object may be, and a class that is imported only when used."""


def functions() -> Iterator[tuple[str, str | None, list[inspect.Parameter]]]:
    """Yield the name of each function, the class that has it, and its parameters."""
    for name in sorted({*dg.__all__, *REACHED}):
        kind = REACHED[name] if name in REACHED else getattr(dg, name)
        if isinstance(kind, FunctionType):
            yield name, None, list(inspect.signature(kind).parameters.values())
        if not isinstance(kind, type) or issubclass(kind, Exception):
            continue
        if getattr(kind, "_is_protocol", False):  # others implement it
            continue
        for method in sorted(dir(kind)):
            value = inspect.getattr_static(kind, method)
            function = value.__func__ if isinstance(value, classmethod) else value
            if not method.startswith("_") and isinstance(function, FunctionType):
                parameters = list(inspect.signature(function).parameters.values())[1:]
                if parameters:
                    yield f"{name}.{method}", name, parameters


def argument(world: World, label: str, parameter: inspect.Parameter) -> Any:
    """Return a right argument."""
    optional = str(parameter.annotation).removesuffix(" | None")
    method = label.rpartition(".")[2]
    for key in (f"{label}.{parameter.name}", f"{method}.{parameter.name}"):
        if key in world.right:
            return world.right[key]
    if optional in ("int", "str") and parameter.name in world.right:
        return world.right[parameter.name]
    if optional in world.right and parameter.default is inspect.Parameter.empty:
        return world.right[optional]
    assert parameter.default is not inspect.Parameter.empty, f"{label}: {parameter}"
    return parameter.default


def is_wrong_type(value: object, annotation: str) -> bool:
    """Return whether an argument is certainly of another type than the annotated one."""
    *parts, last = annotation.split(" | ")
    if last == "None" and not annotation.endswith("]"):
        if value is None:
            return False
        annotation = " | ".join(parts)
    if annotation in KINDS:
        kinds = KINDS[annotation]
        return not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
    if "[" in annotation or annotation == "Extents":  # an empty one has no wrong element
        is_empty = isinstance(value, Collection) and not value
        return not is_empty and not isinstance(value, Collection)
    return annotation not in UNJUDGED


def outcome(call: Callable[[], object]) -> Exception | None:
    """Return the error of a call, also of one that answers one by one; None for an answer."""
    try:
        result = call()
        if isinstance(result, Iterator):
            list(islice(result, 50))
    except dg.DwarfGpuError as error:
        return error
    return None  # any other exception is a failure of the test


ALL = [pytest.param(*each, id=each[0]) for each in functions() if each[0] not in REASONS]


@pytest.mark.parametrize(("label", "owner", "parameters"), ALL)
def test_an_argument_that_is_wrong(
    world: World, label: str, owner: str | None, parameters: list[inspect.Parameter]
) -> None:
    named = [each for each in parameters if each.kind is not inspect.Parameter.VAR_POSITIONAL]
    function = getattr(dg if owner is None else world.objects[owner], label.rpartition(".")[2])
    right = {each.name: argument(world, label, each) for each in named}
    for parameter in named:
        annotation = str(parameter.annotation)
        pointer = world.objects["ImplicitPointerValue"]
        wrong = {
            **WRONG,
            "pointer": pointer,
            "session": world.objects["Session"],
            "other session": world.other,
        }
        for kind, value in wrong.items():
            if parameter.name in ("observe", "is_named") and value is Unknown:  # it is called
                continue
            given = {**right, parameter.name: value}
            error = outcome(lambda given=given: function(**given))
            if isinstance(error, WrongType):
                assert re.search(rf"\b{parameter.name}\b", str(error)), (kind, str(error))
            if error is not None:
                assert str(error).isprintable() and len(str(error)) <= 5000
                assert " object at 0x" not in str(error)
            is_session = isinstance(value, dg.Session) and "Session" in annotation
            if (
                label in LATE
                or owner in LATE_CLASSES
                or is_session
                or not is_wrong_type(value, annotation)
            ):
                continue
            assert isinstance(error, WrongType), (parameter.name, kind, error)


def test_every_public_function_is_called() -> None:
    labels = {each[0] for each in functions()}
    assert REASONS.keys() <= labels
    assert labels >= LATE


def test_numbers_and_truth_values_of_numpy_are_those_of_python(world: World) -> None:
    np = pytest.importorskip("numpy")
    session = world.objects["Session"]
    variable = session.variable("t")
    for integer in (np.int64, np.uint8):
        assert session.focused(integer(3)).read(variable) == session.focused(3).read(variable)
        assert session.is_active(integer(3)) is session.is_active(3)
        assert session.at_level(integer(0)).level == 0
        answers = dg.read_lanes([session], variable, [integer(3)], batch=np.bool_(False))
        assert answers.of(integer(0), integer(3)).value == 323
    path = session.code_objects[0].file.path
    assert dg.CodeObject.open(path, strict=np.bool_(True)).file.path == path
    for wrong in (np.bool_(True), np.float64(3), np.arange(3)):
        with pytest.raises(WrongType, match="lane: expected int or None, not"):
            session.focused(wrong)
        with pytest.raises(WrongType, match="level: expected int, not"):
            session.at_level(wrong)


MADE_BY_SCRIPTS = (
    "AddressSpace", "BaseType", "Bits", "Context", "Dialect", "ExplicitFrame", "ExplicitUnit",
    "FileLimits", "ImplicitPointerValue", "Limits", "Location", "Memory", "Register",
    "RegisterInfo", "Session", "SingleLocation", "SourceOptions", "UnitFormat", "Value", "Wanted",
    "WaveState",
)  # fmt: skip
SPECIAL = ("__repr__", "__str__", "__bool__", "__neg__", "__abs__", "__invert__")


def used(thing: object, name: str) -> object:
    """Return a property, or the answer of a method without arguments."""
    value = getattr(thing, name)
    if not inspect.ismethod(value) or inspect.signature(value).parameters:
        return value
    return value()


@pytest.mark.parametrize("name", MADE_BY_SCRIPTS)
def test_a_field_that_is_wrong(world: World, name: str) -> None:
    """It is an error when the object is made, or when the field is used."""
    kind = getattr(dg, name)
    annotations = {
        name: annotation
        for base in kind.__mro__
        for name, annotation in vars(base).get("__annotations__", {}).items()
    }
    for field in records.fields(kind):
        for value in WRONG.values() if field.init else ():
            if not is_wrong_type(value, annotations[field.name]):
                continue
            if field.name == "presenter" and value is Unknown:  # a function that can be called
                continue
            try:
                changed = records.evolve(world.objects[name], **{field.alias: value})
            except dg.UsageError as error:
                assert field.alias in str(error)
                continue
            except dg.InconsistentContext:  # a lane that the wave does not have
                continue
            for member in dir(kind):
                if not member.startswith("_") or (member in SPECIAL and hasattr(kind, member)):
                    error = outcome(lambda changed=changed, member=member: used(changed, member))
                    assert error is None or (str(error).isprintable() and len(str(error)) <= 5000)


def test_the_session_of_a_script_refuses_wrong_fields() -> None:
    arch = dg.architecture("gfx942")
    for field, value, expected in (
        ("pc", "main", "int or None, not 'main'"),
        ("code_objects", ["a.co"], "tuple of CodeObject, not an object of list"),
        ("code_objects", ("a.co",), "CodeObject, not 'a.co'"),
        ("target", arch, "Target or None, not an object of Architecture"),
        ("strict", "no", "bool, not 'no'"),
        ("wave", True, "int, not True"),
    ):
        with pytest.raises(WrongType, match=rf"^Session\.{field}(\[0\])?: expected {expected}$"):
            dg.Session(arch, **{field: value})


def test_the_session_of_a_script_refuses_numbers_that_nothing_has() -> None:
    """At once: a script that keeps the session learned it from each variable that it read."""
    session = session_of(DATA / "demo.json")
    for field, value, expected in (
        ("pc", -5, "an integer from 0 to 0xffffffffffffffff"),
        ("pc", 1 << 64, "an integer from 0 to 0xffffffffffffffff"),
        ("iteration", -1, "an integer of at least 0"),
        ("given_lanes", 0, "an integer of at least 1"),
        ("quirks", frozenset({"none"}), " or ".join(QUIRK_NAMES)),
    ):
        with pytest.raises(dg.UsageError, match=rf"^Session\.{field}: expected {expected}, not "):
            records.evolve(session, **{field: value})
    with pytest.raises(dg.UsageError, match="to 0xffffffff, not"):
        dg.Session(dg.architecture("i386"), pc=1 << 32)


def test_the_session_of_a_script_refuses_files_and_waves_of_another_machine() -> None:
    session = session_of(DATA / "demo.json")
    arch, code, target = dg.architecture("x86_64"), session.code_objects, session.target
    with pytest.raises(dg.InconsistentContext, match="^target architecture x86_64 and the code"):
        dg.Session(arch, code)
    host = dg.CodeObject.open(FIXTURES / "core" / "crash.x86_64.O0")
    assert dg.Session(arch, (*code, host)).code_objects[1] is host  # as of a process with GPUs
    for other in ("x86_64", "gfx1100"):
        with pytest.raises(dg.InconsistentContext, match=f"^target architecture {other} and the a"):
            dg.Session(dg.architecture(other), (), target, wave=session.wave)


def test_an_endless_argument_ends_where_it_is_wrong() -> None:
    """It took all memory first."""
    session = session_of(DATA / "demo.json")
    with pytest.raises(dg.UsageError, match="^lanes: expected at most 65536 lanes of a wave"):
        session.lane_states(repeat(1))
    with pytest.raises(WrongType, match="debug_directories: expected str or Path, not 1$"):
        dg.CodeObject.open(DATA / "demo.co", debug_directories=repeat(1))  # type: ignore[arg-type]


def test_an_empty_name_is_no_file() -> None:
    for load in (dg.load_state, dg.load_core, dg.CodeObject.open):
        with pytest.raises(dg.UsageError, match="^an empty name is not a name of a file$"):
            load("")


def test_an_empty_name_is_no_dialect(world: World) -> None:
    with pytest.raises(WrongType, match="^evaluate: dialect: expected Dialect or None, not ''$"):
        dg.evaluate(b"\x34", world.objects["Context"], dialect="")  # type: ignore[arg-type]
    with pytest.raises(WrongType, match="^evaluate: dialect: expected Dialect or None, not ''$"):
        dg.evaluate(b"\x34", dg.Context(), dialect="")  # type: ignore[arg-type]


def test_the_question_of_one_lane_names_its_argument(world: World) -> None:
    answers = world.objects["LaneAnswers"]
    with pytest.raises(WrongType, match="^alone: session: expected Session, not None$"):
        answers.alone(None)
    with pytest.raises(WrongType, match="^LaneAnswers.of: lane: expected int, not True$"):
        answers.of(0, True)


def test_what_scripts_reach_refuses_arguments_under_which_nothing_is_found() -> None:
    session = session_of(DATA / "demo.json")
    unit, file = session.unit, session.code_object.file
    for question, message in (
        (lambda: unit.root.string("name"), "Die.attribute: name: expected int, not 'name'"),
        (lambda: unit.root.has("name"), "Die.has: name: expected int, not 'name'"),
        (lambda: unit.root.flag(None), "Die.flag: name: expected int, not None"),
        (lambda: unit.die(1 << 20), f"index: expected an index below {len(unit.tree.offsets)}"),
        (lambda: file.symbols_named("nest", 3), "ObjectFile.symbols_named: beginnings: expected"),
        (lambda: file.section_data(4), "ObjectFile.section_data: name: expected str, not 4"),
        (lambda: session.call_stack.frame("0"), "CallStack.frame: level: expected int, not '0'"),
    ):
        with pytest.raises(dg.UsageError, match=f"^{re.escape(message)}"):
            question()
    assert [symbol.name for symbol in file.symbols_named("nest", "ne")] == ["nest", "nest.kd"]
    with pytest.raises(dg.Malformed, match="outside the"):
        file.file_bytes(-4, 4, "header")


def test_an_attribute_without_an_earlier_number_is_read_by_its_own() -> None:
    """Files of AMD's compilers up to LLVM 18 have other numbers for five attributes only."""
    code_object = dg.CodeObject.open(DATA / "demo.co", dialect="amd-direct")
    unit = code_object.scopes.unit_at(0x1600)
    assert unit is not None and unit.has_legacy_attributes
    assert unit.root.llvm_integer(0x13) == unit.root.integer(0x13) is not None  # DW_AT_language


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"addresses": {0: "x"}}, "ExplicitUnit.addresses[0]: expected int, not 'x'"),
        ({"addresses": 5}, "ExplicitUnit.addresses: expected Mapping, not 5"),
        ({"addresses": {"x": 1, 1: None}}, "key of ExplicitUnit.addresses: expected int, not 'x'"),
        (
            {"entry_values": {b"\x73\0": 2}},
            "ExplicitFrame.entry_values[b's\\x00']: expected Value, not 2",
        ),
        ({"given_cfa": 5}, "ExplicitFrame.given_cfa: expected Location or None, not 5"),
        (
            {"given_frame_base": 5},
            "ExplicitFrame.given_frame_base: expected Location or None, not 5",
        ),
    ],
)
def test_a_wrong_fact_of_an_explicit_context_is_named(facts: dict[str, Any], message: str) -> None:
    """When the object is made: an evaluation may not use it, or return it."""
    with pytest.raises(TypeError) as caught:
        (dg.ExplicitUnit if "addresses" in facts else dg.ExplicitFrame)(**facts)
    assert isinstance(caught.value, dg.UsageError)
    assert caught.value.message == message


VALUES: tuple[Callable[[], object], ...] = (
    lambda: dg.architecture("gfx9999"),
    lambda: dg.architecture("gfx942", 32),
    lambda: dg.architecture("x86_64", 64),
    lambda: dg.dialect("nosuch"),
    lambda: dg.Bits(5, 16).slice(0, -1, "little"),
    lambda: dg.Bits(5, 16).slice(0, 1, "middle"),  # type: ignore[arg-type]
    lambda: dg.Bits(5, 16).to_bytes("middle"),  # type: ignore[arg-type]
    lambda: dg.Bits(-1, 16).to_bytes("little"),
    lambda: dg.BINARY32.decode(-1),
    lambda: dg.Value(1 << 40, dg.BaseType("int", "signed", 32)).number,
    lambda: dg.Value(1 << 40, dg.BaseType("float", "float", 32)).number,
    lambda: dg.Value(-1, dg.BaseType("int", "signed", 32)).number,
    lambda: dg.BaseType("int", "signed", -1),
    lambda: dg.BaseType("int", "signed", 32, "middle"),  # type: ignore[arg-type]
    lambda: dg.UnitFormat(endian="middle"),  # type: ignore[arg-type]
    lambda: dg.UnitFormat(address_size=-1),
)


@pytest.mark.parametrize("call", VALUES)
def test_a_value_that_is_never_accepted_is_a_value_error(call: Callable[[], object]) -> None:
    with pytest.raises(dg.UsageError) as caught:
        call()
    assert isinstance(caught.value, ValueError) and not isinstance(caught.value, TypeError)
    assert caught.value.kind == "UsageError"


VALUE = Object(Base(dg.BaseType("int", "signed", 32)), "little", 8)
"""What a printer gets."""


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Printed, "Printed.summary: expected str, Characters or Object"),
        (lambda wrong: Printed(("a", wrong)), "Printed.summary: expected str, Characters or "),
        (lambda wrong: Printed("a", wrong), "Printed.children: expected Iterable of "),
        (lambda wrong: Printed("a", (), wrong), "Printed.form: expected 'members' or 'array' or "),
        (lambda wrong: Printed(wrapped=wrong), "Printed.wrapped: expected Object or None"),
        (lambda wrong: Printed(lead=wrong), "Printed.lead: expected str"),
        (lambda wrong: Printed(formatted=wrong), "Printed.formatted: expected Printed or None"),
        (lambda wrong: Characters(wrong, 3), "Characters.first: expected Object"),
        (lambda wrong: Characters(VALUE, 0.5 + wrong), "Characters.count: expected int"),
        (lambda wrong: Printer(wrong, "b", len), "Printer.name: expected str"),
        (lambda wrong: Printer("a", wrong, len), "Printer.pattern: expected str"),
        (lambda wrong: Printer("a", "b", wrong), "Printer.show: expected "),
        (Printers, "Printers.collections: expected tuple of Collection"),
        (STANDARD.with_printers, "Printers.with_printers: printers: expecte"),
        (lambda wrong: VALUE[wrong], "Object.find: names: expected str"),
        (lambda wrong: VALUE.element(wrong + 0.5), "Object.element: index: expected int"),
        (lambda wrong: VALUE.template_type(wrong + 0.5), "Object.template_type: index: expected "),
    ],
)
def test_what_a_printer_gives_is_checked_when_it_is_made(
    make: Callable[[object], object], message: str
) -> None:
    """It is read and shown much later."""
    with pytest.raises(WrongType, match=f"^{re.escape(message)}"):
        make(3)


def test_values_that_printers_never_accept() -> None:
    with pytest.raises(ValueError, match="^Printed.form: expected 'members' or 'array' or 'map', "):
        Printed("a", form="table")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^size_bytes: expected at least 0, not -1$"):
        VALUE.memory(-1)


def test_the_kind_of_a_wrong_type_is_that_of_a_usage_error() -> None:
    with pytest.raises(TypeError) as caught:
        dg.architecture(5)  # type: ignore[arg-type]
    assert isinstance(caught.value, dg.UsageError) and caught.value.kind == "UsageError"


def test_the_facts_of_a_frame_are_checked_when_it_is_made() -> None:
    """A register at a number gave that number, and a wrong key was a register that is not known."""
    arch = dg.architecture("x86_64")
    place = dg.Location((dg.SingleLocation(dg.Memory(arch.address_spaces[0])),))
    value = dg.Value.of(5, arch.generic)
    wrong: list[tuple[dict[str, Any], type[Exception] | None, str]] = [
        ({"registers": {5: 5}}, TypeError, "registers[5]"),
        ({"registers": {"rdi": place}}, TypeError, "key of ExplicitFrame.registers"),
        ({"registers": {-1: place}}, ValueError, "key of ExplicitFrame.registers"),
        ({"entry_registers": [place]}, TypeError, "entry_registers"),
        ({"entry_registers": {5: value}}, TypeError, "entry_registers[5]"),
        ({"given_cfa": 0x1000}, TypeError, "given_cfa"),
        ({"given_frame_base": 0x1000}, TypeError, "given_frame_base"),
        ({"given_cfa": dg.Location(())}, None, "Location.single_locations"),
        ({"registers": {5: dg.Location(())}}, None, "Location.single_locations"),
        ({"entry_values": {5: value}}, TypeError, "key of ExplicitFrame.entry_values"),
        ({"parameter_values": {0x10: 5}}, TypeError, "parameter_values[16]"),
        ({"given_program_location": "main"}, TypeError, "given_program_location"),
        ({"given_program_location": -5}, ValueError, "given_program_location"),
        ({"given_caller": ("main", 0x1000)}, TypeError, "given_caller"),
        ({"given_caller": (dg.ExplicitFrame(arch),)}, TypeError, "given_caller"),
        ({"inactive_lanes": frozenset({"x"})}, TypeError, "inactive_lanes"),
        ({"level": -1}, ValueError, "level"),
        ({"architecture": "x86_64"}, TypeError, "architecture"),
    ]
    for given, kind, named in wrong:
        with pytest.raises(dg.UsageError, match=re.escape(named)) as caught:
            dg.ExplicitFrame(**given)
        assert kind is None or isinstance(caught.value, kind), given
    for given in ({"base_types": {4: 5}}, {"tls": [5]}, {"offset": "x"}, {"dialect": "amd"}):
        with pytest.raises(TypeError, match=f"^ExplicitUnit.{next(iter(given))}"):
            dg.ExplicitUnit(**given)


@pytest.mark.parametrize("reason", [True, 3])
def test_read_only_is_a_reason(world: World, reason: Any) -> None:
    """Not whether: the text is that of the error."""
    options = dg.SourceOptions(read_only=reason)
    with pytest.raises(TypeError, match="read_only: expected str"):
        dg.evaluate_source("t = 4", world.objects["Session"], options)


def test_classes_that_are_called(world: World) -> None:
    """A class of the library is called as a function is: with one argument, here too few."""
    context = world.objects["Context"]
    with pytest.raises(TypeError, match="Missing required argument 'type'"):
        dg.evaluate(b"\x30", context, observe=dg.Value)
