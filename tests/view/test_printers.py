"""Printers: containers of two libraries of C++ alike, damaged ones, and printers of users."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

import dwarfgpu as dg
from dwarfgpu import language
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian, insert
from dwarfgpu.base.records import evolve
from dwarfgpu.base.regexp import regexp
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.class_parts import Declarations, NestedTypedef, TemplateType
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Member, Pointer, Struct, Typedef, strip
from dwarfgpu.errors import DwarfGpuError, Malformed, UndefinedBits, UsageError
from dwarfgpu.language.containers import element_of, pointee_of
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory
from dwarfgpu.printers import STANDARD, Characters, Object, Printed, Printer, UnexpectedLayout
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.printers import common
from dwarfgpu.view.printers.nodes import chain, tree
from dwarfgpu.view.printers.printer import Printers
from dwarfgpu.view.printers.template_names import short_name, template_arguments, template_name
from dwarfgpu.view.value_data import value_data
from dwarfgpu.view.values import format_value
from tests.processes import finished
from tests.repl.side_by_side import answers, build
from tests.work import at_most, calls_of

CORES = Path(__file__).resolve().parents[2] / "fixtures/core"
VERSION = re.compile(r"std::(?:__cxx11|__1)::")
ADDRESS = re.compile(r"0x[0-9a-f]{5,}( <arena\+\d+>)?")
LAID_OUT_OTHERWISE = {"three", "zero", "bad_text", "circle", "cut_tree", "bad_tree", "entry",
                      "bad_hash", "bad_deque", "bad_shared", "bad_unique", "hashed", "made", "weak",
                      "expired", "packed", "packed_chain", "shared", "shared_too",
                      "choice"}  # fmt: skip
"""What is damaged differently, or whose order or counts are the library's own."""


def main_of(library: str) -> Session:
    program = CORES / f"containers.x86_64.{library}"
    core = dg.load_core(f"{program}.core", program, sysroot=str(CORES))
    objects = tuple(dg.CodeObject.of(file.file, file.load_address) for file in core.files)
    session = dg.Session(core.architecture, objects, core.target, wave=1, pc=core.pc_of(1))
    return list(dg.stack_frames(session))[1].session


@pytest.fixture(scope="module")
def gnu() -> Session:
    return main_of("libstdcxx")


@pytest.fixture(scope="module")
def llvm() -> Session:
    return main_of("libcxx")


def shown(session: Session, text: str, options: FormatOptions | None = None) -> str:
    value = dg.evaluate_source(text, session)
    return dg.format_source(value, session, options or FormatOptions())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("flags", "std::vector<bool> of length 4, capacity 64 = {1, 0, 1, 1}"),
        ("no_unique", "std::unique_ptr<struct Point> = {get() = 0x0}"),
    ],
)
def test_in_c_a_truth_is_an_int_and_classes_have_a_keyword(
    gnu: Session, name: str, expected: str
) -> None:
    assert shown(gnu, name, FormatOptions(language=(False, "c"))) == expected


def test_both_libraries_print_alike(gnu: Session, llvm: Session) -> None:
    names = [variable.name for variable in gnu.variables() if variable.kind == "local"]
    compared = 0
    for name in names:
        if name in LAID_OUT_OTHERWISE or name.startswith(("bad", "upside", "node", "wild")):
            continue
        first, second = (ADDRESS.sub("0x…", shown(item, name)) for item in (gnu, llvm))
        first, second = (
            re.sub(r"std::(?:__cxx11|__1)::", "std::", item) for item in (first, second)
        )
        assert first == second, name
        compared += 1
    assert compared > 70


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("made", "std::shared_ptr<int> (use count 1, weak count 0) = {get() = 0x…}"),
        ("shared", "std::shared_ptr<Point> (use count 2, weak count 1) = {get() = 0x…}"),
        ("expired", "std::weak_ptr<int> (expired, weak count 1) = {get() = 0x…}"),
        ("hashed", "std::unordered_map with 2 elements = {[2] = 20, [1] = 10}"),
        ("choice", 'std::variant<int, std::string, Point> [index 1] = {"chosen"}'),
        ("circle", "std::list = {[0] = 1<error reading variable: the list comes back to its node "
                   "at 0x…>...}"),
        ("cut_tree", "std::map with 1152921504606846975 elements = {[1] = 2, [3] = 4<error reading "
                     "variable: the tree has 2 elements, not 1152921504606846975>...}"),
        ("bad_tree", "std::map with 1 element<error reading variable: Cannot access memory at "
                     "address 0x10>"),
    ],
)  # fmt: skip
def test_libcxx(llvm: Session, name: str, expected: str) -> None:
    assert ADDRESS.sub("0x…", shown(llvm, name)) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("points[1].y", "4"), ("repeated[11]", '"same"'), ("both[199]", "5"), ("three[2]", "3"),
        ("constant[0] + constant[1]", "9"), ("fixed_span[1]", "2"), ("temporary[0]", "9"),
        ("(*pointer)[0]", "1"), ("long_text[0]", "97 'a'"), ("sizeof(points[0])", "8"),
        ("*closing", "{x = 3, y = 4}"), ("shared->y", "6"), ("shared->x", "5"), ("*made", "3"),
        ("&shared->y == &(*shared_too).y", "true"), ("closing->x", "3"),
    ],
)  # fmt: skip
def test_elements_and_pointees(gnu: Session, llvm: Session, expression: str, expected: str) -> None:
    assert shown(gnu, expression) == expected
    assert shown(llvm, expression) == expected


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("points[2]", "The container has no element 2."),
        ("points[-1]", "The container has no element -1."),
        ("three[3]", "The container has no element 3."),
        ("both[200]", "The container has no element 200."),
        ("points[18446744073709551615]", "The container has no element 18446744073709551615."),
        ("both[9223372036854775808]", "The container has no element 9223372036854775808."),
        ("hashed[1]", "functions of the program cannot be called"),
        ("by_name[1]", "functions of the program cannot be called"),
        ("chain[0]", 'No symbol "operator[]" in current context.'),
        ("no_unique->x", "Cannot access memory at address 0x0"),
        ("bad_vector[0]", "Cannot access memory at address 0x10"),
    ],
)
def test_elements_that_are_nowhere(
    gnu: Session, llvm: Session, expression: str, error: str
) -> None:
    for session in (gnu, llvm):
        with pytest.raises(DwarfGpuError) as caught:
            value = dg.evaluate_source(expression, session)
            if value.error is not None:
                raise value.error
        assert caught.value.message.startswith(error)


@pytest.mark.parametrize("name", ["both", "flags", "numbers", "points", "repeated", "span"])
def test_every_element_is_the_one_that_is_shown(gnu: Session, llvm: Session, name: str) -> None:
    """The blocks of a deque, and the words of bits, are found from an index, too."""
    for session in (gnu, llvm):
        head, _, text = shown(session, name).partition(" = {")
        count = int(re.findall(r"(?:length|with) ([0-9]+)", head)[0])
        each = [shown(session, f"{name}[{index}]") for index in range(count)]
        assert ", ".join(each) == text.removesuffix("}")


def test_an_element_takes_no_longer_the_further_it_is(gnu: Session) -> None:
    def work(index: int) -> int:
        return calls_of(lambda: dg.evaluate_source(f"bad_vector[{index}]", gnu))

    assert work(10**9) < 2 * work(10)


@pytest.mark.parametrize(
    ("name", "operator", "known", "expected"),
    [
        ("shared", "*", range(64), "{x = 5, y = 6}"),
        ("closing", "->", range(64, 128), "{x = 3, y = 4}"),
        ("points", "1", range(192), "{x = 3, y = 4}"),
        ("three", "2", range(64, 96), "3"),
    ],
)
def test_elements_and_pointees_of_objects_in_registers(
    gnu: Session, name: str, operator: str, known: range, expected: str
) -> None:
    """The bits that they need suffice; without them they are optimized out."""
    objects = ObjectAccess(gnu)
    read = objects.read(dg.evaluate_source(name, gnu))
    assert read.bits is not None

    def text(undefined: int) -> str:
        assert read.bits is not None
        whole = evolve(read, location=None, bits=evolve(read.bits, undefined=undefined))
        if operator.isdecimal():
            part = element_of(objects, whole, int(operator))
        else:
            part = pointee_of(objects, whole, operator)
        assert part is not None
        return dg.format_source(part, gnu)

    needed = sum(1 << bit for bit in known)
    assert text((1 << read.bits.size_bits) - 1 - needed) == expected
    try:
        assert text(needed) == "<optimized out>"
    except UndefinedBits as error:
        assert error.message == "value has been optimized out"


def test_the_pointee_of_a_smart_pointer_that_is_optimized_out(gnu: Session) -> None:
    value = dg.evaluate_source("shared", gnu)
    removed = TypedValue(value.type, error=UndefinedBits("shared is optimized out"))
    with pytest.raises(UndefinedBits, match="shared is optimized out"):
        pointee_of(ObjectAccess(gnu), removed, "*")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("*shared", "Point"),
        ("*no_unique", "Point"),
        ("shared->x", "int"),
        ("points[7]", "Point"),
        ("*some", "int"),
        ("by_name[1]", "std::vector<int, std::allocator<int> >"),
        ("constant[0]", "const int"),
    ],
)
def test_the_type_of_elements_and_pointees(gnu: Session, expression: str, expected: str) -> None:
    """Nothing is read for it."""
    nowhere = evolve(gnu, target=None)
    typed = language.type_of(expression, nowhere)
    assert type_name(typed.type, cplusplus=True) == expected


def test_elements_of_a_packed_structure(gnu: Session, llvm: Session) -> None:
    """libstdc++ describes the nodes; in libc++ the size of the structure, five bytes, leaves one
    alignment only."""
    for session in (gnu, llvm):
        assert "{[97 'a'] = {small = 1 '\\001', large = 2}}" in shown(session, "packed")


def test_raw_shows_members(gnu: Session) -> None:
    assert shown(gnu, "numbers", FormatOptions(letter="r")).startswith("{<std::_Vector_base<")
    assert shown(gnu, "numbers", FormatOptions(raw=True)).startswith("{<std::_Vector_base<")


def test_an_object_that_is_not_all_known_shows_its_members(gnu: Session) -> None:
    value = dg.evaluate_source("numbers", gnu)
    read = ObjectAccess(gnu).read(value)
    assert read.bits is not None
    holed = evolve(read, bits=evolve(read.bits, undefined=(1 << 64) - 1), location=None)
    text = dg.format_source(holed, gnu)
    assert "_M_start = <optimized out>" in text
    assert "std::vector of length" not in text


@pytest.mark.parametrize(
    ("name", "unknown", "text"),
    [
        ("couple", 0xFFFFFFFF << 32, '{first = 1, second = "one"}'),  # padding
        ("couple", 0xFFFFFFFF, '{first = <optimized out>, second = "one"}'),
    ],
)
def test_a_printer_needs_no_bits_that_it_does_not_show(
    gnu: Session, name: str, unknown: int, text: str
) -> None:
    read = ObjectAccess(gnu).read(dg.evaluate_source(name, gnu))
    assert read.bits is not None
    holed = evolve(read, bits=evolve(read.bits, undefined=unknown))
    assert dg.format_source(holed, gnu) == text


@pytest.mark.parametrize(
    ("name", "elements"),
    [("numbers", "{1, 2, 3}"), ("flags", "{true, false, true, true}")],
)
def test_elements_do_not_depend_on_the_capacity(gnu: Session, name: str, elements: str) -> None:
    """GDB computes it with 0 for the end of the storage that is optimized out."""
    value = dg.evaluate_source(name, gnu)
    read = ObjectAccess(gnu).read(value)
    assert read.bits is not None
    undefined = (1 << 64) - 1 << read.bits.size_bits - 64  # the last member
    holed = evolve(read, bits=evolve(read.bits, undefined=undefined), location=None)
    text = dg.format_source(holed, gnu)
    assert text.endswith(f"capacity <optimized out> = {elements}")


def test_an_endless_list_is_read_as_far_as_it_is_shown(gnu: Session) -> None:
    read = 0
    target = gnu.target
    assert target is not None

    class Counting:
        def __getattr__(self, name: str) -> object:
            return getattr(target, name)

        def read_memory(self, *args: object) -> bytes:
            nonlocal read
            read += 1
            return target.read_memory(*args)  # type: ignore[arg-type]

    counting = evolve(gnu, target=Counting())
    assert shown(counting, "large", FormatOptions(elements=3)).endswith("{7, 7, 7...}")
    assert read < 20
    read = 0
    assert "<error reading variable: Cannot access" in shown(counting, "bad_vector")
    assert read < 10


@pytest.mark.parametrize("name", ["text", "long_text"])
def test_an_unconstructed_string_shows_no_memory_of_others(name: str) -> None:
    session = main_of("libstdcxx")
    capacity = 15 if name == "text" else 55
    dg.evaluate_source(f"{name}._M_string_length = {capacity}", session)
    assert shown(session, name).startswith('"a ')
    dg.evaluate_source(f"{name}._M_string_length = {capacity + 1}", session)
    why = f"the length of the string, {capacity + 1}, is beyond its capacity, {capacity}"
    assert shown(session, name) == f"<error reading variable: {why}>"


def test_an_unreadable_string_names_its_length(gnu: Session) -> None:
    """GDB's printer asks for a lazy string with a length, which is read first: 8 bytes on."""
    answer = shown(gnu, "(std::string &) *(std::string *) 0x10")
    assert answer == "<error reading variable: Cannot access memory at address 0x18>"


def test_chains_end() -> None:
    with pytest.raises(Malformed, match="comes back to its node at 0x1"):
        list(chain(1, 0, {1: 2, 2: 1}.__getitem__, "list"))
    assert list(chain(1, 0, {1: 2, 2: 0}.__getitem__, "list")) == [1, 2]


@pytest.mark.parametrize(
    ("links", "count", "why"),
    [
        ({1: (0, 2, 9), 2: (0, 0, 1), 9: (1, 0, 0)}, 3, "the tree has 2 elements, not 3"),
        ({1: (0, 2, 9), 2: (2, 0, 1), 9: (1, 0, 0)}, 3, "in a circle"),
        ({1: (0, 1, 1), 9: (1, 0, 0)}, 3, "comes back|in a circle"),
        ({1: (0, 0, 1), 9: (1, 1, 1)}, 5, "comes back|in a circle"),
    ],
)
def test_trees_end(links: dict[int, tuple[int, int, int]], count: int, why: str) -> None:
    with pytest.raises(Malformed, match=why):
        list(tree(1, 9, count, links.__getitem__))


CHAR = Base(BaseType("signed char", "signed", 8))
POINTER = Pointer(None)


def made(name: str, *members: Member, size: int = 8) -> Struct:
    return Struct("class", name, size, members)


def printed(kind: Struct, data: bytes, classes: dict[int, Struct] | None = None) -> str:
    return format_value(
        Bits(int.from_bytes(data, "little"), 8 * len(data)),
        kind,
        FormatOptions(),
        class_of_method=None if classes is None else classes.get,
    )


@pytest.mark.parametrize(
    ("name", "number", "expected"),
    [
        ("std::strong_ordering", -1, "std::strong_ordering::less"),
        ("std::strong_ordering", 0, "std::strong_ordering::equal"),
        ("std::weak_ordering", 0, "std::weak_ordering::equivalent"),
        ("std::partial_ordering", 1, "std::partial_ordering::greater"),
        ("std::partial_ordering", 2, "std::partial_ordering::unordered"),
        ("std::partial_ordering", 3, "{_M_value = 3 '\\003'}"),
    ],
)
def test_orderings(name: str, number: int, expected: str) -> None:
    kind = made(name, Member("_M_value", CHAR), size=1)
    assert printed(kind, number.to_bytes(1, "little", signed=True)) == expected


def test_any() -> None:
    storage = made("_Storage", Member("_M_ptr", POINTER), Member("_M_buffer", CHAR))
    kind = made("std::any", Member("_M_manager", POINTER), Member("_M_storage", storage, 64),
                size=16)  # fmt: skip
    argument = Declarations(template_types=(TemplateType("T", CHAR),))
    inside = Struct("struct", "std::any::_Manager_internal<signed char>", 1, declared=argument)
    other = Struct("struct", "mine::_Manager<signed char>", 1, declared=argument)
    classes = {0x10: inside, 0x20: other}
    data = bytes([0x10, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0])
    expected = "std::any containing signed char = {[contained value] = 7 '\\a'}"
    assert printed(kind, data, classes) == expected
    assert printed(kind, bytes(16), classes) == "std::any [no contained value]"
    for manager in (0x20, 0x30):
        assert printed(kind, bytes([manager]) + data[1:], classes).startswith("{_M_manager = ")
    assert printed(kind, data).startswith("{_M_manager = 0x10")


@pytest.mark.parametrize("name", ["_Rb_tree_iterator", "_Rb_tree_const_iterator"])
def test_an_iterator_takes_the_place_of_its_element_from_the_type_of_the_nodes(name: str) -> None:
    """As `operator->` has it: clang only declares `std::allocator<char>`, the base class of a part
    of a string, so that the alignment of a string is unknown."""
    allocator = Struct("class", "std::allocator<char>", None, is_declaration=True)
    key = made("mine::Key", Member(None, allocator, is_base_class=True), Member("code", CHAR))
    element = made("mine::Pair", Member("first", key), Member("second", CHAR, 64), size=16)
    argument = Declarations(template_types=(TemplateType("T", element),))
    buffer = Struct("struct", "Buffer", 16, declared=argument)
    node = made("std::_Rb_tree_node", Member("_M_storage", buffer, 256), size=48)
    links = Struct("struct", "std::_Rb_tree_node_base", 32)
    typedefs = (NestedTypedef(Typedef("_Link_type", Pointer(node))),)
    declared = Declarations(typedefs=typedefs, template_types=argument.template_types)
    member = (Member("_M_node", Pointer(links)),)
    iterator = Struct("struct", f"std::{name}<mine::Pair>", 8, member, declared=declared)

    def memory(address: int, space: int, size: int) -> bytes:
        return bytes(at - 0x1000 for at in range(address, address + size))

    shown = format_value(Bits(0x1000, 64), iterator, read_memory=memory)
    assert shown.endswith("code = 32 ' '}, second = 40 '('}")


@pytest.mark.parametrize(
    ("code_at", "shown_behind"),
    [
        (32, ("code = 656811300", "_M_node = 0x1000")),
        (0, ("code = 589439264", "code = 454695192")),
    ],
)
def test_an_unknown_alignment_matters_only_where_it_could_move_the_element(
    code_at: int, shown_behind: tuple[str, str]
) -> None:
    """clang omits `_Link_type`. An alignment divides the size: 16 bytes behind 32 of links are at
    32, and 16 behind 24 may be at 24 or 32. A base class that a member shares its place with is
    empty: then the alignment is that of the members."""
    allocator = Struct("class", "std::allocator<char>", None, is_declaration=True)
    element = made(
        "mine::Key",
        Member(None, allocator, is_base_class=True),
        Member("code", Base(BaseType("int", "signed", 32)), code_at),
    )
    element = evolve(element, size_bytes=16)
    argument = Declarations(template_types=(TemplateType("T", element),))

    def memory(address: int, space: int, size: int) -> bytes:
        return bytes(at - 0x1000 for at in range(address, address + size))

    for links_bytes, shown in ((32, shown_behind[0]), (24, shown_behind[1])):
        links = Struct("struct", "std::_Rb_tree_node_base", links_bytes)
        member = (Member("_M_node", Pointer(links)),)
        name = "std::_Rb_tree_iterator<mine::Key>"
        iterator = Struct("struct", name, 8, member, declared=argument)
        assert shown in format_value(Bits(0x1000, 64), iterator, read_memory=memory)


@pytest.mark.parametrize(
    ("kind", "number", "expected"),
    [
        ("__bit_reference<std::__1::vector<bool>, true>", 1 << 9, "true"),
        ("__bit_const_reference<std::__1::vector<bool> >", 1 << 10, "false"),
        ("__bit_iterator<std::__1::vector<bool>, false, 0>", 9, "true"),
        ("__bit_iterator<std::__1::vector<bool>, true, 0>", 10, "false"),
    ],
)
def test_bits_of_libcxx(kind: str, number: int, expected: str) -> None:
    """In the layout of LLVM's include/__bit_reference."""
    word = Base(BaseType("size_t", "unsigned", 64))
    is_iterator = "iterator" in kind
    members = Member("__seg_", Pointer(word)), Member("__ctz_" if is_iterator else "__mask_", word)
    vector = Struct("class", "std::__1::vector<bool>", None, is_declaration=True)
    bit = made(f"std::__1::{kind}", members[0], evolve(members[1], bit_offset=64), size=16)
    bit = evolve(bit, declared=Declarations(template_types=(TemplateType("_Cp", vector),)))

    def memory(address: int, space: int, size: int) -> bytes:
        return (1 << 9).to_bytes(size, "little")

    shown = format_value(Bits(number << 64 | 0x1000, 128), bit, read_memory=memory)
    assert shown == expected
    noun = "non-dereferenceable iterator for " if is_iterator else "invalid "
    shown = format_value(Bits(0, 128), bit, read_memory=memory)
    assert shown == f"{noun}std::vector<bool>{'' if is_iterator else '::reference'}"


def test_what_a_printer_points_to_is_shown_with_its_addresses() -> None:
    """As in GDB with the printers of GCC 12, whose iterators and atomics are `str(VALUE)`."""
    number = Pointer(Base(BaseType("int", "signed", 32)))
    argument = Declarations(template_types=(TemplateType("T", number),))
    base = made("std::__atomic_base<int *>", Member("_M_p", number))
    atomic = Struct("struct", "std::atomic<int *>", 8, (Member("_M_b", base),), declared=argument)
    assert printed(atomic, (16).to_bytes(8, "little")) == "std::atomic<int *> = { 0x10 }"

    smart = made("mine::Smart", Member("get", number))
    iterator = made("mine::Iterator", Member("at", smart))
    own = STANDARD.with_printers(
        Printer("Smart", "mine::Smart", lambda value: Printed("smart", (("get()", value["get"]),))),
        Printer("Iterator", "mine::Iterator", lambda value: Printed(value["at"])),
        Printer("Bare", "mine::Bare", lambda value: Printed(value["at"])),
    )
    bare = made("mine::Bare", Member("at", number))
    options = FormatOptions(printers=own)
    assert format_value(Bits(16, 64), iterator, options) == "smart = {get() = 0x10}"
    assert format_value(Bits(16, 64), bare, options) == "0x10"


@pytest.mark.parametrize(
    ("name", "template", "arguments", "short"),
    [
        ("int", "int", [], "int"),
        ("std::vector<int, std::allocator<int> >", "std::vector",
         ["int", "std::allocator<int>"], "std::vector<int>"),
        ("std::__1::vector<int, mine::Pool<int> >", "std::__1::vector",
         ["int", "mine::Pool<int>"], "std::vector<int, mine::Pool<int> >"),
        ("std::__cxx11::basic_string<wchar_t, std::char_traits<wchar_t> >",
         "std::__cxx11::basic_string", ["wchar_t", "std::char_traits<wchar_t>"], "std::wstring"),
        ("Box<int>::Inner", "Box::Inner", [], "Box<int>::Inner"),
        ("F<int (*)(int, char)>", "F", ["int (*)(int, char)"], "F<int (*)(int, char)>"),
    ],
)  # fmt: skip
def test_names(name: str, template: str, arguments: list[str], short: str) -> None:
    assert template_name(name) == template
    assert template_arguments(name) == arguments
    assert short_name(name) == short


def test_printers_of_ones_own_come_first(gnu: Session) -> None:
    def fixed(value: Object) -> Printed:
        return Printed(f"{value['raw'].number / 256}")

    def text(value: Object) -> Printed:
        pointer = value["_M_dataplus"]["_M_p"]
        return Printed(("s:", Characters(pointer.target(), 3)))

    def unfit(value: Object) -> Printed:
        raise UnexpectedLayout("not this one")

    own = STANDARD.with_printers(
        Printer("Fixed", "mine::Fixed", fixed),
        Printer("string", r"std::__cxx11::basic_string", text),
        Printer("dim3", "dim3", unfit),
    )
    options = FormatOptions(printers=own)
    assert shown(gnu, "fixed", options) == "1.5"
    assert shown(gnu, "text", options) == 's:"a s"'
    assert shown(gnu, "grid", options) == "{x = 64, y = 2, z = 1}"
    with pytest.raises(dg.UsageError, match="the pattern of printer x"):
        STANDARD.with_printers(Printer("x", "(", fixed))


def repeating(session: Session, name: str, count: int) -> FormatOptions:
    """The object `matrix` is shown as so many copies of a variable, and `fixed` of `matrix`."""

    def copies_of(name: str) -> Callable[[Object], Printed]:
        pointer = strip(dg.evaluate_source(f"&{name}", session).type)
        assert isinstance(pointer, Pointer)
        address = int(shown(session, f"(unsigned long) &{name}"))
        kind = pointer.target

        def show(value: Object) -> Printed:
            item = value.at(address, kind)
            return Printed("copies", ((f"[{index}]", item) for index in range(count)), "array")

        return show

    own = STANDARD.with_printers(
        Printer("Matrix", "mine::Matrix", copies_of(name)),
        Printer("Fixed", "mine::Fixed", copies_of("matrix")),
    )
    return FormatOptions(printers=own)


def test_what_depends_on_the_class_alone_is_worked_out_once(gnu: Session) -> None:
    """Another map of three elements costs some calls for each number that is read."""
    few, many = repeating(gnu, "by_number", 20), repeating(gnu, "by_number", 120)
    shown(gnu, "matrix", few)
    small = calls_of(lambda: shown(gnu, "matrix", few))
    assert calls_of(lambda: shown(gnu, "matrix", many)) - small < 100 * 4_500


def test_containers_in_containers_are_shown_as_far_as_printers_may_show_them(
    gnu: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """10,000 maps, each of three elements: the limit of `print elements` is that of each alone."""
    monkeypatch.setattr("dwarfgpu.view.values.MOST_PRINTED", 2_500)  # before that of characters
    options = repeating(gnu, "by_number", 101)
    texts: list[str] = []
    with at_most(2_500_000):
        texts.append(shown(gnu, "fixed", options))
    [text] = texts
    assert text.startswith('copies = {copies = {std::map with 3 elements = {[1] = "one", ')
    assert text.endswith("...") and not text.endswith("...}")
    assert len(text) < 90_000
    assert len(shown(gnu, "fixed", evolve(options, elements=1_500))) > len(text)


@pytest.mark.parametrize(("count", "is_whole"), [(98, True), (103, False)])
def test_printers_show_20000_objects_and_children(gnu: Session, count: int, is_whole: bool) -> None:
    """Each string counts as two, beyond the elements of one container."""
    text = shown(gnu, "fixed", repeating(gnu, "empty_text", count))
    assert text.endswith("}") is is_whole and (text.count('""') == count * count) is is_whole
    assert len(text) < 50_000  # the limit of characters is far


def test_one_container_is_shown_as_far_as_its_elements(gnu: Session) -> None:
    options = evolve(repeating(gnu, "empty_text", 12_000), elements=12_000)
    assert shown(gnu, "matrix", options).count('""') == 12_000


@pytest.mark.parametrize(
    ("value", "letter", "text"),
    [(0x20, None, "0x20"), (0, None, "0x0"), (0x20, "x", "0x20")],
)
def test_a_pointer_in_place_of_an_object_shows_its_address(
    value: int, letter: str | None, text: str
) -> None:
    """As GDB shows an iterator of `std::vector<P *>`: the address without a type."""
    pointer = Pointer(Struct("struct", "P", 4))
    kind = Struct("struct", "Iterator", 8, (Member("at", pointer, 0),))
    own = Printers().with_printers(Printer("i", "Iterator", lambda own: Printed(own["at"])))
    options = FormatOptions(letter, printers=own)
    assert format_value(Bits(value, 64), kind, options) == text


def test_a_part_behind_the_bytes_that_were_read() -> None:
    """It is read where the object is in memory; nothing is called optimized out that was never
    asked for."""
    base = Base(BaseType("int", "signed", 32))
    cells = Array(base, (None,), 0)
    kind = Struct("struct", "Row", 4, (Member("n", base, 0), Member("cells", cells, 32)))
    data = struct.pack("<4i", 3, 10, 20, 30)

    def read(address: int, space: int, size_bytes: int) -> bytes:
        assert 0x10 <= address <= 0x20 - size_bytes
        return data[address - 0x10 :][:size_bytes]

    def row(value: Object) -> Printed:
        numbers = [value["cells"].element(n) for n in range(value["n"].number)]
        return Printed(str(sum(number.number for number in numbers)), common.numbered(numbers))

    options = FormatOptions(printers=Printers().with_printers(Printer("r", "Row", row)))
    contents = Bits(3, 32)
    memory = Memory(architecture("x86_64").address_space(0))
    location = Location((SingleLocation(memory, 8 * 0x10),))
    assert format_value(contents, kind, options, read_memory=read, location=location) == (
        "60 = {[0] = 10, [1] = 20, [2] = 30}"
    )
    why = "it is not in the 4 bytes that were read of the object"
    assert format_value(contents, kind, options, read_memory=read) == (
        f"<error reading variable: {why}>"
    )


FIELDS = {
    "a": ("unsigned", 3, 6),
    "c": ("signed", 4, -3),
    "d": ("boolean", 1, 1),
    "e": (None, 2, 1),
}
"""Bit-fields, one after the other: the encoding of the type, the size, the number."""


def with_bit_fields(order: Endian, other: Endian) -> tuple[Struct, Bits]:
    """Return a structure of bit-fields behind a pointer, the last in another byte order."""
    members: list[Member] = []
    contents, start = insert(0, 128, 0, 64, 0x10, order), 67
    for name, (encoding, size, number) in FIELDS.items():
        kind: Base | Enum = Enum("Color", 4, (("RED", 0), ("GREEN", 1)))
        if encoding is not None:
            kind = Base(BaseType("T", encoding, 8 if encoding == "boolean" else 32, order))
        members.append(Member(name, kind, start, size))
        contents = insert(contents, 128, start, size, number, order)
        start += size
    members.append(Member("w", Base(BaseType("T", "signed", 32, order)), 82, 12))
    contents = insert(contents, 128, 82, 12, -5, order)
    turned = Base(BaseType("T", "signed", 32, other))
    members.append(Member("t", turned, 112, 8))
    contents = insert(contents, 128, 112, 8, -2, order)
    kind = Struct("struct", "S", 16, tuple(members))
    itself = Member("self", Pointer(kind, 64), 0)
    return evolve(kind, members=(itself, *members)), Bits(contents, 128)


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("has_all", [True, False])
def test_a_bit_field_that_a_printer_returns_has_its_own_bits(order: Endian, has_all: bool) -> None:
    """As in GDB, however it is returned; the bits around it were shown, too."""
    other: Endian = "big" if order == "little" else "little"
    struct_type, contents = with_bit_fields(order, other)
    data = contents.to_bytes(order)
    if not has_all:
        contents = evolve(contents, unavailable=insert(0, 128, 96, 8, 0xFF, order))

    def read(address: int, space: int, size_bytes: int) -> bytes:
        assert 0x10 <= address <= 0x20 - size_bytes
        return data[address - 0x10 :][:size_bytes]

    def printers(show: Callable[[Object], Printed]) -> Printers:
        return Printers().with_printers(Printer("s", "S", show))

    def text(show: Callable[[Object], Printed], letter: str | None = None) -> str:
        options = FormatOptions(printers=printers(show), letter=letter)
        return format_value(contents, struct_type, options, endian=order, read_memory=read)

    names = [*FIELDS, "t"]

    def fields(value: Object) -> list[tuple[str, Object | str]]:
        return [(name, value[name]) for name in names]

    def target(value: Object) -> Object:
        return value["self"].at(0x10, value.type)

    as_members = "{a = 6, c = -3, d = true, e = GREEN, t = -2}"
    assert text(lambda value: Printed(None, fields(value))) == as_members
    assert text(lambda value: Printed(None, fields(target(value)))) == as_members
    assert text(lambda value: Printed("s", fields(value), "array"), "x") == (
        "s = {0x6, 0xfffffffd, 0x1, 0x1, 0xfffffffe}"
    )
    assert (
        text(lambda value: Printed(None, fields(value)[:4], "map")) == "{[6] = -3, [true] = GREEN}"
    )
    assert text(lambda value: Printed(("c ", value["c"], " t ", value["t"]))) == "c -3 t -2"
    assert text(lambda value: Printed(value["c"].cast(value["a"].type))) == "13"
    assert text(lambda value: Printed(target(value)["c"].cast(value["a"].type))) == "13"
    assert text(lambda value: Printed(target(value)["c"].part(value["d"].type, 4))) == (
        "3" if order == "little" else "160"  # 8 bits, beginning with those of d and e
    )
    assert text(lambda value: Printed(str(value["c"].cast(value.type)))).startswith("{self = ")
    byte = Base(BaseType("unsigned char", "unsigned", 8, order))
    assert text(lambda value: Printed(value["w"].cast(byte))) == "251 '\\373'"
    assert text(lambda value: Printed(target(value)["w"].cast(byte))) == "251 '\\373'"
    if has_all:
        assert text(lambda value: Printed(str(value["w"].memory(1)))) == (
            "<error reading variable: the object does not begin at a byte>"
        )

    def plain(show: Callable[[Object], Printed]) -> object:
        answer = value_data(
            contents, struct_type, endian=order, read_memory=read, printers=printers(show)
        )
        assert isinstance(answer, dict)
        return answer.get("printed")

    if has_all:
        printed = plain(lambda value: Printed(value["c"], fields(value)))
        assert printed == {
            "summary": [-3],
            "children": [
                {"name": "a", "value": 6},
                {"name": "c", "value": -3},
                {"name": "d", "value": True},
                {"name": "e", "value": {"enumerator": "GREEN", "value": 1}},
                {"name": "t", "value": -2},
            ],
        }


def test_a_part_that_is_not_available_is_not_optimized_out() -> None:
    base = Base(BaseType("int", "signed", 32))
    kind = Struct("struct", "Row", 8, (Member("n", base, 0), Member("m", base, 32)))
    errors: list[str] = []

    def row(value: Object) -> Printed:
        for name in ("n", "m"):
            for read in (lambda part: part.number, lambda part: part.memory(4)):
                with pytest.raises(DwarfGpuError) as failed:
                    read(value[name])
                errors.append(failed.value.message)
        return Printed("row")

    options = FormatOptions(printers=Printers().with_printers(Printer("r", "Row", row)))
    format_value(Bits(0, 64, 0xFF, 0xFF << 32), kind, options)
    assert errors == ["value has been optimized out"] * 2 + ["value is not available"] * 2


BYTE = Base(BaseType("uint8", "unsigned", 8))
GO_STRING = Struct("struct", "string", 16, (
    Member("str", Pointer(BYTE, own_name="*uint8"), 0),
    Member("len", Base(BaseType("int", "signed", 64)), 64),
))  # fmt: skip


@pytest.mark.parametrize(
    ("address", "length", "text"),
    [
        (0x10, 5, '"hello"'),
        (0, 0, '""'),
        (0x13, 2, '"lo"'),
        (0x13, 2**64 - 1, "<error reading variable: the length of the string is -1>"),
    ],
)
def test_a_string_of_go_ends_at_its_length(address: int, length: int, text: str) -> None:
    """Go puts the strings of a program behind each other, without a NUL."""
    data = b"helloinit int16"

    def read(at: int, space: int, size_bytes: int) -> bytes:
        return data[at - 0x10 :][:size_bytes]

    assert format_value(Bits(address | length << 64, 128), GO_STRING, read_memory=read) == text
    members = Struct("struct", "string", 16, GO_STRING.members[1:])  # another language's
    assert format_value(Bits(5 << 64, 128), members) == "{len = 5}"


def ran(*commands: str, json_answers: bool = False) -> str:
    program = CORES / "containers.x86_64.libstdcxx"
    words = [word for command in ("up", *commands) for word in ("-ex", command)]
    words += ["--interpreter", "json"] if json_answers else []
    done = finished(
        "debug", str(program), "--core", f"{program}.core", "--sysroot", str(CORES), "--batch",
        *words,
    )  # fmt: skip
    return done.stdout


def test_python_code_adds_printers(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "def fixed(value):\n    return Printed(str(value['raw'].number // 256))\n"
        "add_printer('Fixed', 'mine::Fixed', fixed)\n"
        "add_printer('Bad', 'dim3', lambda value: 1 // 0)\n"
    )
    lines = ran(f"source {script}", "p fixed", "p grid", "p/r fixed").splitlines()
    assert lines[-3] == "$1 = 1"
    assert "printer Bad: ZeroDivisionError" in lines[-2]
    assert lines[-1] == "$3 = {raw = 384}"


BAD = """
class Text(str):
    def __len__(self): return -1
    def __eq__(self, other): raise RuntimeError("equal")
    def __str__(self): return 3
    __hash__ = str.__hash__
class Error(Exception):
    def __str__(self): raise RuntimeError
class Left:
    def __iter__(self): return self
    def __next__(self): raise GeneratorExit
def leave(value): raise GeneratorExit
def end(value): raise SystemExit(7)
def fail(value): raise Error
def start(value): return value["_M_impl"]["_M_start"]
def bad(show): add_printer("V", "std::vector", show)
def child(of): bad(lambda value: Printed("a", [("x", "y"), ("z", of(value))]))
from dwarfgpu.dwarf.types.types import Base
"""
"""What the printers below use."""
TYPE = "expected Base or Pointer or .* or None, not 5"


@pytest.mark.parametrize("is_json", [False, True])
def test_a_wrong_result_of_a_printer_is_shown_in_its_place(tmp_path: Path, is_json: bool) -> None:
    """And the session goes on: it ended with a traceback."""
    wrong = "<error reading variable: printer V: {}>"
    summary, begun = "Printed.summary: expected str, Characters or Object, not ", r"a = \{x = y"
    cases = {
        "bad(lambda v: Printed(3))": wrong.format(summary + "3"),
        "bad(lambda v: Printed(1.5))": wrong.format(summary + "1.5"),
        "bad(lambda v: Printed(b'ab'))": wrong.format(summary + "b'ab'"),
        "bad(lambda v: Printed(['a', 'b']))": wrong.format(summary + "an object of list"),
        "bad(lambda v: Printed(('a', 1)))": wrong.format(summary + "1"),
        "bad(lambda v: None)": wrong.format("its result: expected Printed, not None"),
        "bad(lambda v: Printed('a', 5))": wrong.format("Printed.children: expected Iterable .*"),
        "bad(lambda v: Printed('a', wrapped=5))": wrong.format("Printed.wrapped: expected .*"),
        "bad(lambda v: Printed('a', form='b'))": wrong.format("Printed.form: .*, not 'b'"),
        "bad(lambda v: Printed('a', form=Text('map')))": wrong.format("RuntimeError: equal"),
        "bad(lambda v: Printed(Text('abc')))": "abc",
        "bad(lambda v: Characters(v, 1.5))": wrong.format("Characters.count: expected .* not 1.5"),
        "bad(leave)": wrong.format("GeneratorExit: "),
        "bad(end)": wrong.format("SystemExit: 7"),
        "bad(fail)": wrong.format("Error: its message cannot be formatted"),
        "bad(lambda v: Printed('a', Left()))": "a" + wrong.format("GeneratorExit: "),
        "child(lambda v: 5)": begun
        + wrong.format("Printed.children: value: expected Object or str, not 5")
        + r"\.\.\.\}",
        "child(lambda v: Text('z'))": begun + r", z = z\}",
        "child(lambda v: v.cast(5))": wrong.format("Object.cast: type_: " + TYPE),
        "child(lambda v: v.part(5, 0))": wrong.format("Object.part: type_: " + TYPE),
        "child(lambda v: v.at(5, 5))": wrong.format("Object.at: type_: " + TYPE),
        "child(lambda v: v.part(v.type, 1.5))": wrong.format("Object.part: bit_offset: .*"),
        "child(lambda v: start(v).element(1.5))": wrong.format("Object.element: index: .*"),
        "child(lambda v: v.cast(Base(5)))": begun + ".*" + wrong.format(".*Error: .*") + ".*",
    }
    script = tmp_path / "bad.py"
    script.write_text(BAD)
    commands = [part for case in cases for part in (f"python {case}", "p numbers")]
    answered = ran(f"source {script}", *commands, json_answers=is_json).splitlines()
    if is_json:
        answers = [json.loads(line) for line in answered]
        values = [answer["value"] for answer in answers if answer["command"] == "p numbers"]
    else:
        values = [line.partition(" = ")[2] for line in answered if line.startswith("$")]
    for case, value in zip(cases, values, strict=True):
        assert re.fullmatch(cases[case], value), (case, value)


@pytest.mark.parametrize(("result", "named"), [(None, "None"), ("a", "'a'"), (3, "3")])
def test_a_script_whose_printer_returns_no_printed_sees_why(
    gnu: Session, result: object, named: str
) -> None:
    """It ended with an `AttributeError` in dwarfgpu."""

    def show(value: Object) -> Printed:
        return result  # type: ignore[return-value]

    options = FormatOptions(printers=Printers().with_printers(Printer("F", "mine::Fixed", show)))
    assert shown(gnu, "fixed", options) == (
        f"<error reading variable: printer F: its result: expected Printed, not {named}>"
    )


def test_add_printer_refuses_wrong_arguments() -> None:
    """They were accepted, and `info pretty-printer` ended with a traceback."""
    answers = ran(
        "python add_printer(None, 'x', len)",
        "python add_printer('a', None, len)",
        "python add_printer('a', 'b', None)",
        "info pretty-printer global user",
        json_answers=True,
    ).splitlines()[1:]
    *refusals, listed = map(json.loads, answers)
    for answer, expected in zip(refusals, ("name", "pattern", "show"), strict=True):
        assert f"add_printer: {expected}: expected " in answer["msg"]
    assert listed["result"] == "done"


def test_a_copy_of_a_tree_has_the_elements() -> None:
    """A convenience variable has the bits of the header, not its address, which the root knows."""
    tree = ran("output by_number")
    assert "std::map with 3 elements = {[1] = " in tree
    assert ran("set var $copy = by_number", "output $copy") == tree


def test_answers_as_json() -> None:
    answers = [
        json.loads(line)
        for line in ran(
            "p numbers",
            "disable pretty-printer global libstdc.*;std::vector$",
            "info pretty-printer global libstdc.*;std::vector$",
            json_answers=True,
        ).splitlines()
    ]
    assert answers[1]["value"] == "std::vector of length 3, capacity 4 = {1, 2, 3}"
    assert answers[2]["changed"] == 1
    [vector] = answers[3]["pretty-printers"]
    assert vector == {"object": "global", "collection": "libstdc++-v6", "name": "std::vector",
                      "enabled": False}  # fmt: skip


def test_data_of_eval_has_the_output_of_a_printer() -> None:
    program = CORES / "containers.x86_64.libstdcxx"
    done = finished(
        "eval", "--file", str(program), "--core", f"{program}.core", "--sysroot", str(CORES),
        "--frame", "1", "--json", "by_number",
    )  # fmt: skip
    record = json.loads(done.stdout)
    [answer] = record.get("variables", [record])
    printed = answer["data"]["printed"]
    assert printed["summary"] == ["std::map with 3 elements"]
    values = [child["value"] for child in printed["children"]]
    assert values[0] == 1
    assert values[1]["printed"]["summary"] == [{"characters": "one"}]
    assert "members" in answer["data"]


@pytest.mark.parametrize(
    ("pattern", "name", "is_of"),
    [
        ("ns::Fixed", "ns::Fixed", True),
        ("ns::Fixed", "ns::Fix", False),
        ("ns::Fixed?", "ns::Fixe", True),
        ("ns::Fixed*", "ns::Fixe", True),
        ("ns::Fixed{0}", "ns::Fixe", True),
        ("ns::Fixed+", "ns::Fixedd", True),
        ("ns::A|B", "B", True),
        ("ns::(A|B)", "ns::B", True),
        ("ns::(A|B)|C", "C", True),
        (r"ns::\(|C", "C", True),
        ("ns::[(]|C", "C", True),
        (r"\w+", "B", True),
        ("?", "B", None),
    ],
)
def test_a_pattern_is_a_regular_expression(pattern: str, name: str, is_of: bool | None) -> None:
    printer = Printer("p", pattern, lambda _: Printed("p"))
    if is_of is None:
        with pytest.raises(UsageError, match="the pattern of printer p"):
            Printers().with_printers(printer)
        return
    printers = Printers().with_printers(printer)
    assert (printers.of(Struct("struct", name, 4)) is printer) == is_of


def test_only_patterns_that_begin_like_the_name_are_compiled() -> None:
    regexp.cache_clear()
    assert STANDARD.of(Struct("struct", "_object", 16)) is None
    assert regexp.cache_info().misses == 0
    assert STANDARD.of(Struct("struct", "std::unknown", 16)) is None
    assert regexp.cache_info().misses > 50


def test_a_static_member_is_shown_by_its_printer(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """It is an object of its class; GDB uses the printer where it is printed alone."""
    source = (
        "#include <string_view>\n"
        'struct S { int a; static inline std::string_view name = "text"; } s = {1};\n'
        "int main() { return s.a + (int)S::name.size(); }\n"
    )
    command = [tool("g++"), "-g", "-std=c++17", "a.cpp", "-o", "a"]
    build(tmp_path, {"a.cpp": source}, [command])
    shown, alone = answers(None, [str(tmp_path / "a")], ["print s", "print S::name"])
    assert "= {a = 1, static name = " in shown and shown.count('"text"') == 1
    assert "_M_len" not in shown + alone
