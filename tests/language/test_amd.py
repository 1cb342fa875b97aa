"""Expressions in stopped waves of AMD GPUs: lanes, address spaces, implicit pointers, writing.

What the states hold is told in fixtures/README.md.
"""

from __future__ import annotations

import pytest

from dwarfgpu import language
from dwarfgpu.arch.model import NOWHERE, Apertures
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Pointer
from dwarfgpu.errors import DwarfGpuError, IllFormed, Unavailable
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.session.session import Session
from dwarfgpu.view.location_text import location_text
from tests.language.sessions import kind, stopped, text


def where(session: Session, expression: str) -> str | None:
    location = language.evaluate(expression, session).location
    return None if location is None else location_text(location)


@pytest.fixture(scope="module")
def asm() -> Session:
    return stopped("locations.gfx942", 3)


@pytest.fixture(scope="module")
def data() -> Session:
    return stopped("data.gfx942.O0", 3)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("t", "3"),
        ("t * 2 + 1", "7"),
        ("wide", "4294969299"),
        ("real * 2", "7"),
        ("local_frame.at[1].x", "-3"),
        ("local_frame.high", "3"),
        ("local_frame.at[0].tag", '"Ab"'),
        ("&local_frame.at[1]", "(point *) private_lane#0x2c"),
        ("local_vector[1]", "3.5"),
        ("local_vector.z", "4"),
        ("local_array[1]@2", "{68003, 72003}"),
        ("vector_whole[5]@3", "{5, 6, 7}"),
        ("vector_whole[64]", "no such vector element"),
        ("pointer_lane", "(int *) private_lane#0x10"),
        ("*pointer_lane", "16003"),
        ("pointer_frame->id", "3"),
        ("*pointer_local", "-16"),
        ("*pointer_wave", "777"),
        ("pointer_generic", "(int *) generic#0x2000000000010 = private_lane#0x10"),
        ("*pointer_generic", "16003"),
        ("pointer_generic == pointer_lane", "true"),
        ("by_reference.id", "3"),
        ("&by_reference.at[0]", "(point *) generic#0x2000000000024 = private_lane#0x24"),
        ("pointer_implicit", "(long *) <synthetic pointer>"),
        ("*pointer_implicit", "4294969299"),
        ("*pointer_implicit_4", "1"),
        ("*(pointer_implicit_4 - 1)", "2003"),
        ("*pointer_implicit_constant", "-42"),
        ("!pointer_implicit", "false"),
        ("pointer_implicit == 0", "false"),
        ("pointer_implicit == pointer_implicit_4", "false"),
        ("*(char *)pointer_implicit_4", "1 '\\001'"),
        ("undefined", "<optimized out>"),
        ("undefined + 1", "value has been optimized out"),
        ("half_undefined", "<optimized out>"),
        ("&half_undefined", 'Can\'t take address of "half_undefined" which isn\'t an lvalue.'),
        ("&t", 'Address requested for identifier "t" which is in register $v0'),
        ("&local_vector[0] + &(t + 1)", "Attempt to take address of value not located in memory."),
        ("seven = 3", "an implicit value can only be read"),
        ("undefined = 3", "value has been optimized out"),
        ("$exec", "281470681743375"),
        ("$s8 + 1", "12346"),
        ("$v0[$_lane]", "3"),
        ("$v0[2]@2", "{2, 3}"),
        ("t@2", "Only values in memory can be extended with '@'."),
        ("vector_whole[63]@2", "Only values in memory can be extended with '@'."),
        ("$s8@1", "Only values in memory can be extended with '@'."),
        ("$pc == 0x1600", "true"),
        ("$nosuch", "void"),
        ("local#0x10", "(void *) local#0x10"),
        ("*(int *) local#0x10", "-16"),
        ("private_lane#16", "(void *) private_lane#0x10"),
        ("(long)local#0x10", "16"),
        ("(long)&*(int *)local#0x10", "16"),
        ("(long)pointer_lane", "16"),
        ("(long)&pointer_lane[1]", "20"),
        ("(long)&pointer_generic[1] == 0x2000000000014", "true"),
        ("!local#0", "true"),
        ("*(int *) private_lane#0x10", "16003"),
        ("*(int @private_lane *) 0x10", "16003"),
        ("*((int *) private_lane#0x10 + 0)", "16003"),
        ("private_lane#0x100000000",
         "0x100000000 is not an address of private_lane, which has 32 bits"),
        ("*(int *) local#0x7000", "Cannot access memory at address local#0x7000"),
        (
            "*(int *) region#8",
            "Cannot access memory at address region#0x8: address space region is not accessible: "
            "no debugger interface reaches GDS memory",
        ),
    ],
)  # fmt: skip
def test_in_a_lane(asm: Session, expression: str, expected: str) -> None:
    assert text(asm, expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("vec.x + vec[3]", "4"),
        ("matrix[1][2]", "5"),
        ("counters[0]@2", "{1, 2}"),
        ("&counters", "(int (*)[4]) 0x4d00 <counters>"),
        ("limits[2]", "1"),
        ("wide / 2", "2147483649"),
        ("half * 2.5", "-2.5"),
        ("1 == 1", "true"),
        ("!true", "false"),
        ("GREEN", "GREEN"),
        ("mode::on", "mode::on"),
        ("(color) 5", "GREEN"),
        ("sizeof(shape)", "72"),
        ("&s", "(shape *) private_lane#0x30"),
        # The apertures of gfx9: that of LDS at 1 << 48, that of private memory at 2 << 48.
        ("(long)&s == 0x2000000000030", "true"),
        ("(long)(void *)&d == 0x2000000000090", "true"),
        ("(long)&tile[1] == 0x1000000000004", "true"),
        ("(long)tile == 0x1000000000000", "true"),
        ("(long)(&tile[1] + 1) == 0x1000000000008", "true"),
        ("(long)(&tile[0] - 1) == 0xfffffffffffc", "true"),
        ("(long)&tile[-1] == 0xfffffffffffc", "true"),
        ("(long)&((char (&)[4])tile)[-1] == 0xffffffffffff", "true"),
        (
            "&tile[0x40000000]",
            "the element is at the generic address 0x1000100000000, where local has no memory",
        ),
        (
            "&((char (&)[4])s)[-0x32]",
            "the element is at the generic address 0x1fffffffffffe, where local has no memory",
        ),
        ("&tile[1] == 0x1000000000004", "true"),
        ("&tile[1] == 4", "false"),
        ("(int)&tile[1]", "4"),
        ("!tile", "false"),
        ("!&tile[0]", "false"),
        ("(bool)&tile[0]", "true"),
        ("&tile[0] == 0", "false"),
        ("(int)((long)&d - (long)&s)", "96"),
        ("(int @private_lane *)(long *)&d", "(int *) private_lane#0x90"),
        ("(int @generic *)&d", "(int *) generic#0x2000000000090 = private_lane#0x90"),
        ("(int @local *)&d", "generic address 0x2000000000090 is in private_lane, not in local"),
        ("shared_pointer", "(float *) 0x10000000000f0 = local#0xf0"),
        ("(int *) 0x200000000002c", "(int *) 0x200000000002c = private_lane#0x2c"),
        ("*(int *) 0x200000000002c", "3"),
        ("*(int *) 0x1000000000010", "104"),
        ("*(int *) 0x4d00", "1"),
        ("s.level", "Cannot access memory at address private_lane#0x60"),
        ("data", "{void (float *, const double *, int)} 0x1b00 <data(float*, double const*, int)>"),
        # 1.5 is 0x3ff8000000000000 in IEEE 754.
        ("(long &)d", "(long &) @private_lane#0x90: 4609434218613702656"),
        ("reinterpret_cast<long &>(d)", "(long &) @private_lane#0x90: 4609434218613702656"),
        ("reinterpret_cast<long &&>(d)", "(long &&) @private_lane#0x90: 4609434218613702656"),
        ("const_cast<double &>(d)", "(double &) @private_lane#0x90: 1.5"),
        ("static_cast<const double &>(d)", "(const double &) @private_lane#0x90: 1.5"),
        ("{long} &d", "4609434218613702656"),
        ("&reinterpret_cast<long &>(d)", "(long *) private_lane#0x90"),
        ("(int &)tile[1]", "(int &) @local#0x4: 101"),
        ("reinterpret_cast<int &>(tile[1])", "(int &) @local#0x4: 101"),
        ("reinterpret_cast<char &>(counters)", "(char &) @0x4d00: 1 '\\001'"),
        ("$pc", "(void (*)(void)) 0x2660 <data(float*, double const*, int)+2912>"),
        ("data(1)", "functions of the program cannot be called"),
    ],
)
def test_in_cplusplus(data: Session, expression: str, expected: str) -> None:
    assert text(data, expression) == expected


@pytest.mark.parametrize(
    ("expression", "place"),
    [
        ("*(int *) 0x200000000002c", "private_lane#0x2c (wave 0, lane 3)"),
        ("*(int *) 0x1000000000010", "local#0x10 (wave 0)"),
        ("*(int *) 0x4d00", "0x4d00 (global)"),
        ("vec[2]", "private_lane#0x88 (wave 0, lane 3)"),
        ("1 + 1", None),
        ("byte + 0", None),
    ],
)
def test_results_keep_their_location(data: Session, expression: str, place: str | None) -> None:
    assert where(data, expression) == place


def test_a_generic_pointer_needs_the_lane() -> None:
    session = stopped("data.gfx942.O0")
    assert kind(session, "*(int *) 0x200000000002c") == "MissingContext"
    assert text(session, "(int *) 0x200000000002c").endswith(" = private_lane#0x2c")
    assert text(session, "*(int *) 0x4d00") == "1"
    assert text(session, "counters[1]") == "2"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(long)&tile[1]", "no debugger said"),
        ("(int)&tile[1]", "no debugger said"),
        ("&tile[1] == 4", "no debugger said"),
        ("(long)&s == 0x2000000000030", "true"),
        ("!&tile[0]", "false"),
        ("&tile[1] - &tile[0]", "1"),
        ("&tile[1]", "(float *) local#0x4"),
    ],
)
def test_a_pointer_is_no_integer_where_its_aperture_is_unknown(
    monkeypatch: pytest.MonkeyPatch, expression: str, expected: str
) -> None:
    session = stopped("data.gfx942.O0", 3)
    apertures = Apertures(local_base=NOWHERE, unknown="no debugger said")
    monkeypatch.setattr(ObjectAccess, "_apertures", lambda _: apertures)
    assert text(session, expression) == expected


def test_a_strict_session_reads_global_memory() -> None:
    session = stopped("data.gfx942.O0", 3, strict=True)
    assert text(session, "(int *) 0x200000000002c") == "(int *) 0x200000000002c"
    message = "Cannot access memory at address 0x200000000002c"
    assert text(session, "*(int *) 0x200000000002c") == message
    assert kind(session, "*(int *) 0x200000000002c") == "Unavailable"


@pytest.mark.parametrize(
    ("assignment", "expected", "after"),
    [
        ("t = 99", "99", {"t": "99", "$v0[3]": "99", "$v0[2]": "2"}),
        ("t += 5", "8", {"t": "8"}),
        ("t++", "3", {"t": "4"}),
        ("--t", "2", {"t": "2"}),
        ("bit_pieces = 0x12345678", "305419896", {"bit_pieces": "305419896"}),
        ("local_frame.low = 7", "7", {"local_frame.low": "7", "local_frame.high": "3"}),
        ("local_frame.at[1].x -= 1", "-4", {"local_frame.at[1].x": "-4"}),
        ("local_frame.at[1] = local_frame.at[0]", None, {}),
        ("*pointer_lane = 1.9", "1", {"local_int": "1"}),
        ("wide = 1, wide", "1", {"wide": "1", "*pointer_implicit": "1"}),
        ("real = 1", "1", {"real * 3": "3"}),
        ("$s8 = 7", "7", {"limit": "7"}),
        ("$v0[$_lane] = 5", "5", {"t": "5"}),
        ("*(int *) local#0x10 = 4", "4", {"lds_word": "4"}),
        ("global_int = 43", "43", {"global_int": "43"}),
        ("half_high = -1", "-1", {"half_low": "1003"}),
    ],
)
def test_assignment(assignment: str, expected: str | None, after: dict[str, str]) -> None:
    session = stopped("locations.gfx942", 3)
    shown = text(session, assignment)
    assert expected is None or shown == expected
    for expression, value in after.items():
        assert text(session, expression) == value


@pytest.mark.parametrize("cast", ["(long &)d", "reinterpret_cast<long &>(d)", "*(long *)&d"])
def test_a_cast_keeps_the_address_space_of_what_is_assigned(cast: str) -> None:
    session = stopped("data.gfx942.O0", 3)
    text(session, f"{cast} = 0x4000000000000000")
    assert text(session, "d") == "2"


def test_assignment_writes_every_place() -> None:
    session = stopped("locations.gfx942", 3, pc=0x1624)
    assert text(session, "two_places = 77") == "77"
    value = language.evaluate("two_places", session)
    assert value.location is not None and len(value.location.single_locations) == 2
    for place in value.location.single_locations:
        location = type(value.location)((place,), value.location.stop)
        assert session.context().access.read(location, 32).value == 77


CLASSES = [
    ("kernels.gfx942.O0", None, {1: "private_lane", 2: "local", 5: None, 9: None}),
    ("kernels.gfx942.O0", "clang version 22.1.8",
     {1: "generic", 2: "region", 3: "local", 5: "private_lane", 6: None}),
    ("kernels.gfx942.O0", "triton",
     {1: "global", 2: "region", 3: "local", 4: "global", 5: "private_lane", 6: None}),
    ("locations.gfx942", "AMD clang version 13.0.0 (roc-5.0)",
     {1: "global", 2: "region", 3: "local", 4: "global", 5: "private_lane", 9: None}),
    ("locations.gfx942", "AMD clang version 20.0.0 (roc-7.0)",
     {1: "global", 2: "global", 3: "local", 4: "private_lane", 0x8000: "region", 5: None}),
]  # fmt: skip


@pytest.mark.parametrize(("state", "producer", "spaces"), CLASSES)
def test_address_classes_are_the_producers(
    state: str, producer: str | None, spaces: dict[int, str | None]
) -> None:
    session = stopped(state, 3)
    (unit, *_) = session.code_objects[0].info.units
    if producer is not None:
        unit.__dict__["producer"] = producer
    places = ObjectAccess(session)
    for number, name in spaces.items():
        pointer = Pointer(None, address_class=number)
        if name is None:
            with pytest.raises(IllFormed, match=f"DW_AT_address_class {number} is no"):
                places.space_of(pointer, unit)
        else:
            assert places.space_of(pointer, unit).name == name


def test_address_classes_of_an_unknown_producer() -> None:
    """Upstream LLVM's 1 and 2 changed their meanings, 3 and 5 did not have any before."""
    session = stopped("kernels.gfx942.O0", 3)
    (unit, *_) = session.code_objects[0].info.units
    unit.__dict__["producer"] = ""
    places = ObjectAccess(session)
    for number in (1, 2):
        with pytest.raises(Unavailable, match="changed its numbers after version 21"):
            places.space_of(Pointer(None, address_class=number), unit)
    assert places.space_of(Pointer(None, address_class=3), unit).name == "local"
    assert places.space_of(Pointer(None, address_class=5), unit).name == "private_lane"
    # What upstream LLVM is to write instead has one meaning.
    both = Pointer(None, address_space=3, address_class=1)
    assert places.space_of(both, unit).name == "local"


@pytest.mark.parametrize(
    ("pointer", "space", "strict_space"),
    [
        (Pointer(None), "generic", "global"),
        (Pointer(None, memory_space=1), "global", "global"),
        (Pointer(None, address_space=3), "local", "local"),
        (Pointer(None, address_space=5, memory_space=4), "private_lane", "private_lane"),
    ],
)
def test_address_spaces_of_pointers(
    asm: Session, pointer: Pointer, space: str, strict_space: str
) -> None:
    assert ObjectAccess(asm).space_of(pointer, None).name == space
    assert ObjectAccess(evolve(asm, strict=True)).space_of(pointer, None).name == strict_space


@pytest.mark.parametrize("state", ["kernels.gfx942.O0", "nest.gfx942.O0", "call.gfx1100.O0"])
def test_every_variable_is_what_the_session_reads(state: str) -> None:
    session = stopped(state, 3)
    compared = 0
    for variable in session.variables():
        if variable.is_shadowed or variable.inline_level:
            continue
        reading = session.read(variable)
        try:
            value = language.evaluate(variable.name, session)
        except DwarfGpuError as error:
            assert reading.error is not None and str(error) == str(reading.error)
            continue
        assert value.bits == reading.bits
        compared += reading.bits is not None
    assert compared


@pytest.mark.parametrize("address", ["0", "4", "0x3c", "global#0", "generic#0"])
def test_the_headers_of_a_file_at_0_are_not_memory(address: str) -> None:
    session = stopped("divergent.gfx942", 3)
    shown = text(session, f"*(int *) {address}")
    number = address.rpartition("#")[2]
    assert shown.startswith(f"Cannot access memory at address {int(number, 0):#x}")


def test_what_follows_the_headers_is_memory() -> None:
    session = stopped("divergent.gfx942", 3)
    code_object = session.code_objects[0]
    (first,) = [
        loaded_segment
        for loaded_segment in code_object.loaded_segments()
        if loaded_segment.address < 0x400
    ]
    note = code_object.file.sections_named(".note")[0]
    assert first.address == code_object.file.headers_bytes <= note.address
    assert first.read(note.address - first.address, 4) == code_object.file.file_bytes(
        note.offset, 4, "note"
    )
    assert text(session, f"*(int *) {note.address:#x}") == "7"
