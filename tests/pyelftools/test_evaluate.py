"""`evaluate`, `read`, `explain`, `dis` and `text` for DIEs of pyelftools."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import dwarfgpu as dg
from dwarfgpu import pyelftools
from dwarfgpu.arch.model import AddressSpace, Architecture, bank, registers_of_thread
from dwarfgpu.base.base_type import BaseType
from tests.dwarf.builder import elf as made_elf
from tests.pyelftools.scripts import FIXTURES, dies, elffile, named, opened

STACK = 0x7FFF_0000


def location_of(die: Any) -> Any:
    return die.attributes["DW_AT_location"]


def parents(die: Any) -> Iterator[Any]:
    while (die := die.get_parent()) is not None:
        yield die


def is_declaration(die: Any) -> bool:
    name = die.attributes.get("DW_AT_name")
    is_row = name is not None and name.value == b"constant_row"
    return is_row and "DW_AT_declaration" in die.attributes


def test_a_variable_of_the_file_has_its_place_and_its_initial_value() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "access")
    place = pyelftools.evaluate(location_of(die), die, code)
    assert isinstance(place, dg.Location)
    symbol = elf.get_section_by_name(".symtab").get_symbol_by_name("access")[0]
    assert place.single_locations[0].byte_address == symbol["st_value"]
    address = f"{symbol['st_value']:#x}"
    assert pyelftools.text(place, code) == f"{address} = <ELFFile>+{address}"
    reading = pyelftools.read(die, code)
    assert reading.text == "(READ | RUN)" and reading.is_complete
    assert reading.notes == ("no state is given: writable memory has its initial contents",)


def test_an_address_is_as_loaded() -> None:
    elf, _ = opened("x86_64/demo.gcc.O0.v5")
    code = dg.CodeObject.from_elffile(elf, 0x5555_0000_0000)
    die = named(elf, "access")
    place = pyelftools.evaluate(location_of(die), die, code)
    value = elf.get_section_by_name(".symtab").get_symbol_by_name("access")[0]["st_value"]
    assert isinstance(place, dg.Location)
    assert place.single_locations[0].byte_address == 0x5555_0000_0000 + value


def test_a_local_variable_needs_a_frame_by_name() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "here")  # DW_OP_fbreg -20, of a function with DW_OP_call_frame_cfa
    with pytest.raises(dg.MissingContext, match=r"the context has no canonical frame address"):
        pyelftools.evaluate(location_of(die), die, code)
    for frame in ({"cfa": STACK}, {"frame_base": STACK}):
        place = pyelftools.evaluate(location_of(die), die, code, **frame)
        assert pyelftools.text(place, code) == "0x7ffeffec"
    memory = {STACK - 20: (1234).to_bytes(4, "little")}
    assert pyelftools.read(die, code, cfa=STACK, memory=memory).value == 1234


def test_call_frame_information_gives_the_frame_at_a_program_location() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "here")
    pc = die.get_parent().attributes["DW_AT_low_pc"].value + 20  # behind the prologue
    with pytest.raises(dg.Unavailable, match="register rbp of wave 0 is not in the state"):
        pyelftools.evaluate(location_of(die), die, code, pc=pc)
    for key in ("rbp", "$RBP", 6):  # by name, and by DWARF number
        place = pyelftools.evaluate(location_of(die), die, code, pc=pc, registers={key: STACK})
        assert pyelftools.text(place, code) == "0x7ffefffc"  # the CFA is rbp + 16


def test_the_program_location_is_in_the_program_counter() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "here")
    pc = die.get_parent().attributes["DW_AT_low_pc"].value
    counter_of_one = bytes((0x80, 0))  # DW_OP_breg16 0: rip
    place = pyelftools.evaluate(counter_of_one, die, code, pc=pc)
    assert pyelftools.text(place, code).split(" ")[0] == f"{pc:#x}"


def test_a_location_list_is_read_at_the_program_location() -> None:
    elf, code = opened("x86_64/demo.gcc.O2.v5")
    die = named(elf, "here")
    with pytest.raises(dg.EvaluationError, match="a location list needs a program location"):
        pyelftools.evaluate(location_of(die), die, code)
    low = die.get_parent().attributes["DW_AT_low_pc"].value
    place = pyelftools.evaluate(location_of(die), die, code, pc=low)
    assert pyelftools.text(place, code) == "rdi"
    assert pyelftools.read(die, code, pc=low, registers={"rdi": 5}).text == "5"
    lost = pyelftools.read(die, code, pc=low + 0x30, registers={})
    assert isinstance(lost.error, (dg.UndefinedBits, dg.Unavailable))


def test_a_program_location_elsewhere_is_refused() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die, other = named(elf, "here"), named(elf, "argc", "DW_TAG_formal_parameter")
    pc = other.get_parent().attributes["DW_AT_low_pc"].value
    with pytest.raises(dg.InconsistentContext, match=r"disagree: factorial is at \[0x"):
        pyelftools.evaluate(location_of(die), die, code, pc=pc)


LAMBDA = """
int sink;
int outer(int a) {
  auto inner = [](int x) { int inside = x + 1; sink = inside; return inside; };
  return inner(a);
}
int main() { return outer(5); }
"""
NESTED = """
int sink;
int outer(int a) {
  int inner(int x) { int inside = x + a; sink = inside; return inside; }
  return inner(4);
}
int main() { return outer(5); }
"""


@pytest.mark.parametrize(
    "compiler, suffix, source", [("g++", "cc", LAMBDA), ("gcc", "c", NESTED)], ids=["c++", "c"]
)
def test_a_function_in_a_function_has_its_own_frame(
    compiler: str, suffix: str, source: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Its code is not in that of the function around it."""
    (tmp_path / f"a.{suffix}").write_text(source)
    command = [tool(compiler), "-g", "-O0", f"a.{suffix}", "-o", "a"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    elf = elffile.ELFFile(BytesIO((tmp_path / "a").read_bytes()))
    code = dg.CodeObject.from_elffile(elf)
    die = named(elf, "inside")
    functions = [around for around in parents(die) if around.tag == "DW_TAG_subprogram"]
    assert functions[-1].attributes["DW_AT_name"].value == b"outer" and len(functions) == 2
    pc = die.get_parent().attributes["DW_AT_low_pc"].value
    for where in (pyelftools.Machine(pc=pc), pyelftools.Machine()):
        where["cfa"] = STACK
        (place,) = pyelftools.evaluate(location_of(die), die, code, **where).single_locations
        where["memory"] = {place.byte_address: b"\7\0\0\0"}
        reading = pyelftools.read(die, code, **where)
        assert (reading.value, reading.error) == (7, None)
        assert "=> inside = 7" in pyelftools.explain(location_of(die), die, code, **where)
    wrong = functions[-1].attributes["DW_AT_low_pc"].value
    with pytest.raises(dg.InconsistentContext, match=r"disagree: .* is at \[0x"):
        pyelftools.evaluate(location_of(die), die, code, pc=wrong, cfa=STACK)


def test_writable_memory_of_a_machine_that_runs_is_not_that_of_the_file() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "access")
    (place,) = pyelftools.evaluate(location_of(die), die, code).single_locations
    assert isinstance(pyelftools.read(die, code, registers={}).error, dg.Unavailable)
    memory = {place.byte_address: b"\2\0\0\0"}
    assert pyelftools.read(die, code, memory=memory).text == "WRITE"
    elf, code = opened("x86_64/types.gcc.O0.v5")
    result = [
        pyelftools.read(die, code, registers={})
        for die in dies(elf)
        if die.tag == "DW_TAG_variable" and "DW_AT_specification" in die.attributes
    ]
    assert {"constant_row": "{1, 2, 3}"}.items() <= {
        item.variable.name: item.text
        for item in result  # constant_row is in .rodata
    }.items()
    declaration = next(die for die in dies(elf) if is_declaration(die))
    with pytest.raises(dg.UsageError, match="only declares constant_row: read the DIE that def"):
        pyelftools.read(declaration, code)


def test_a_thread_local_variable_needs_the_thread_pointer_by_name() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "per_thread")
    with pytest.raises(dg.Unavailable, match="the thread pointer is unknown: register fs_base"):
        pyelftools.evaluate(location_of(die), die, code)
    place = pyelftools.evaluate(location_of(die), die, code, registers={"fs_base": 0x7F00_1000})
    assert pyelftools.text(place, code) == "0x7f000ffc"


def test_members_and_bounds_and_enumerators() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    result = {
        (die.tag, die.attributes["DW_AT_name"].value): die
        for die in dies(elf)
        if "DW_AT_name" in die.attributes
    }
    weight = result["DW_TAG_member", b"weight"]
    offset = weight.attributes["DW_AT_data_member_location"]
    with pytest.raises(dg.MissingContext, match="the context has no object"):
        pyelftools.evaluate(offset, weight, code)
    place = pyelftools.evaluate(offset, weight, code, object=0x7000)
    assert pyelftools.text(place, code) == "0x7008"
    green = result["DW_TAG_enumerator", b"GREEN"]
    value = pyelftools.evaluate(green.attributes["DW_AT_const_value"], green, code)
    assert isinstance(value, dg.Value) and value.bits == 5
    bounds = {
        item.bits
        for die in dies(elf)
        if "DW_AT_upper_bound" in die.attributes
        for item in [pyelftools.evaluate(die.attributes["DW_AT_upper_bound"], die, code)]
    }
    assert 299 in bounds
    name = weight.attributes["DW_AT_name"]
    with pytest.raises(
        dg.UsageError, match="DW_AT_name is not an expression, location list or const"
    ):
        pyelftools.evaluate(name, weight, code)


def test_an_expression_is_evaluated_in_the_unit_and_function_of_its_die() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "here")
    expression = location_of(die).value
    assert isinstance(expression, list)
    for same in (expression, bytes(expression)):
        place = pyelftools.evaluate(same, die, code, cfa=STACK)
        assert pyelftools.text(place, code) == "0x7ffeffec"
    product = dg.assemble("lit4; lit3; mul; stack_value")
    value = pyelftools.evaluate(product, die, code)
    assert pyelftools.text(value, code) == "implicit 0x0c (8 bytes)"


@pytest.mark.parametrize(
    "name", ["hip/nest.gfx942.O2.v5.co", "asm/divergent.gfx942.v5.co", "x86_64/demo.gcc.O0.v5"]
)
def test_a_target_is_read_as_by_a_session(name: str) -> None:
    """The same contents and errors as those of a session with the same focus."""
    states = {"hip": "nest.gfx942.O0", "asm": "divergent.gfx942", "x86_64": "demo.gcc.O0"}
    state = dg.load_state(FIXTURES / f"states/{states[name.partition('/')[0]]}.json")
    (loaded,) = state.code_objects
    with open(loaded.path, "rb") as file:
        elf = elffile.ELFFile(file)
        code = dg.CodeObject.from_elffile(elf, loaded.load_address)
        wave = state.waves[0]
        lane = 3 if state.architecture.is_simt else None
        session = dg.Session(
            state.architecture, (code,), state.target, wave=wave.id, lane=lane, pc=wave.pc
        )
        in_scope = {variable.die.offset: variable for variable in session.variables()}
        compared = 0
        for die in dies(elf):
            variable = in_scope.get(die.offset)
            if variable is None:
                continue
            mine = session.read(variable)
            other = pyelftools.read(
                die, code, target=state.target, wave=wave.id, pc=wave.pc,
                **({} if lane is None else {"lane": lane}),
            )  # fmt: skip
            assert (other.text, other.value, other.location, other.notes) == (
                mine.text, mine.value, mine.location, mine.notes,
            )  # fmt: skip
            compared += mine.error is None
    assert compared >= 3


def test_lanes_of_a_kernel_with_operations_that_pyelftools_does_not_know() -> None:
    elf, code = opened("asm/locations.gfx942.v5.co")
    dwarf_expr = pytest.importorskip("elftools.dwarf.dwarf_expr")
    arch, shown = code.info.architecture, 0
    assert arch is not None
    for die in dies(elf):
        attribute = die.attributes.get("DW_AT_location")
        if attribute is None or attribute.form != "DW_FORM_exprloc":
            continue
        text = pyelftools.dis(attribute.value, die, code)
        if text.startswith("DW_OP_regx VGPR0, DW_OP_LLVM_user DW_OP_LLVM_push_lane"):
            with pytest.raises(KeyError):
                dwarf_expr.DWARFExprParser(die.cu.structs).parse_expr(attribute.value)
            with pytest.raises(dg.MissingContext, match="the context has no lane"):
                pyelftools.evaluate(attribute, die, code)
            registers = {"v0": range(100, 164)}
            place = pyelftools.evaluate(attribute, die, code, lane=5, registers=registers)
            assert isinstance(place, dg.Location) and place.single_locations[0].bit_offset == 160
            shown += 1
    assert shown


def test_the_steps_are_explained() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die = named(elf, "here")
    shown = pyelftools.explain(location_of(die), die, code, cfa=STACK, depth=2)
    lines = shown.splitlines()
    assert lines[0] == "local int here, declared at line 60"
    assert any(line.startswith("0x0000  DW_OP_fbreg -20") for line in lines)
    assert "cannot access memory at address 0x7ffeffec" in lines[-1]
    missing = pyelftools.explain(location_of(die), die, code)
    assert "the context has no canonical frame address" in missing
    member = next(die for die in dies(elf) if "DW_AT_data_member_location" in die.attributes)
    offset = member.attributes["DW_AT_data_member_location"]
    assert "=> " in pyelftools.explain(offset, member, code, object=16)
    assert "the context has no object" in pyelftools.explain(offset, member, code)


def test_advice_names_keywords_and_no_options_of_the_command_line() -> None:
    elf, code = opened("x86_64/demo.gcc.O2.v5")
    here = named(elf, "here")
    read_memory = [0x0C, 0, 0, 0, 0x70, 0x06]  # const4u 0x70000000; deref
    read_register = [0x73, 0]  # breg3 0
    shown = [
        pyelftools.explain(location_of(here), here, code),
        pyelftools.explain(read_memory, here, code),
        pyelftools.explain(read_register, here, code),
    ]
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    here = named(elf, "here")
    shown.append(pyelftools.explain(location_of(here), here, code))
    elf, code = opened("asm/locations.gfx942.v5.co")
    lanes = named(elf, "t")
    shown.append(pyelftools.explain(location_of(lanes), lanes, code))
    assert [text.splitlines()[-1].strip() for text in shown] == [
        "give pc=ADDRESS",
        "give it in memory=, or a machine with target=",
        "give it in registers=, or a machine with target=",
        "give cfa=ADDRESS",
        "give lane=N",
    ]


def test_an_unknown_machine_needs_an_architecture() -> None:
    """An ELF file of a machine for which dwarfgpu has no registers."""
    source, _ = opened("x86_64/demo.gcc.O0.v5")
    sections = (section for section in source.iter_sections() if section.name.startswith(".debug"))
    contents = {section.name: section.data() for section in sections}
    data = made_elf(contents, machine=243, flags=0)  # EM_RISCV
    elf = elffile.ELFFile(BytesIO(data))
    code = dg.CodeObject.from_elffile(elf)
    die = named(elf, "here")
    with pytest.raises(dg.UsageError, match="is for RISCV, whose registers"):
        pyelftools.evaluate(location_of(die), die, code, cfa=STACK)
    word = BaseType("uint64_t", "unsigned", 64)
    riscv = Architecture(
        name="riscv64",
        machine="RISCV",
        address_bits=64,
        registers=registers_of_thread(bank(0, (f"x{n}" for n in range(32)), word)),
        address_spaces={0: AddressSpace(0, "default", 64)},
        program_counter=1,
        stack_pointer=2,
    )
    place = pyelftools.evaluate(location_of(die), die, code, cfa=STACK, architecture=riscv)
    assert pyelftools.text(place, code) == "0x7ffeffec"


def test_wrong_requests_have_specific_errors() -> None:
    elf, code = opened("x86_64/demo.gcc.O0.v5")
    die, attribute = named(elf, "here"), location_of(named(elf, "here"))

    def refused(pattern: str, **machine: Any) -> None:
        with pytest.raises(dg.UsageError, match=pattern):
            pyelftools.evaluate(attribute, die, code, **machine)

    refused(r"registers\['rpb'\]: x86_64 has no such register. Did you mean \"rbp\"\?",
            registers={"rpb": 1})  # fmt: skip
    refused(r"registers\[999\]: x86_64 has no such register", registers={999: 1})
    refused(r"registers\['rbp'\]: value: expected an integer", registers={"rbp": 1 << 64})
    refused("8 bytes for register rbp", registers={"rbp": b"1234"})
    target = dg.StateTarget(dg.architecture("x86_64"))
    refused("target= is a machine", target=target, memory={1: b""})
    with pytest.raises(TypeError, match="unexpected keyword argument 'regs'"):
        pyelftools.evaluate(attribute, die, code, regs={})
    other_elf, other = opened("x86_64/demo.gcc.O2.v5")
    with pytest.raises(dg.UsageError, match=r"the DIE at 0x\w+ of the unit at 0x0 is not one"):
        pyelftools.evaluate(attribute, die, other)
    with pytest.raises(dg.UsageError, match="a DIE of pyelftools is needed, not an object"):
        pyelftools.evaluate(attribute, "here", code)
    with pytest.raises(dg.UsageError, match="takes an ELFFile of pyelftools, not an object"):
        dg.CodeObject.from_elffile("demo")
    with pytest.raises(dg.UsageError, match="an expression is bytes, a list of bytes"):
        pyelftools.dis([1, "a"])
    unit = die.cu.get_top_DIE()
    with pytest.raises(dg.UsageError, match="the DIE at 0x[0-9a-f]+ is not a variable with a name"):
        pyelftools.read(unit, code)
    assert other_elf is not elf


def test_text_needs_no_file() -> None:
    assert pyelftools.dis([0x91, 0x6C]) == "DW_OP_fbreg -20"
    elf, _ = opened("aarch64_be/fields.clang.O0.v5")
    die = next(dies(elf))
    address = [3, *(0x1234).to_bytes(8, "big")]
    assert pyelftools.dis(address, die) == "DW_OP_addr 0x1234"
    assert pyelftools.dis(address) == "DW_OP_addr 0x3412000000000000"


def test_pyelftools_is_not_imported() -> None:
    script = (
        "import sys; sys.modules['elftools'] = None\n"
        "from dwarfgpu import pyelftools\n"
        "assert pyelftools.dis([0x30]) == 'DW_OP_lit0'"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_text_of_an_attribute_is_that_of_its_expression_or_of_each_entry() -> None:
    elf, code = opened("x86_64/demo.gcc.O2.v5")
    die = named(elf, "here")
    listed = location_of(die)
    lines = pyelftools.dis(listed, die, code).splitlines()
    assert lines[0] == "[0x11d0,0x11e2) DW_OP_reg5 RDI" and len(lines) == 4
    with pytest.raises(dg.UsageError, match="needs its DIE and the code object"):
        pyelftools.dis(listed, die)
    member = next(die for die in dies(elf) if "DW_AT_data_member_location" in die.attributes)
    with pytest.raises(dg.UsageError, match="a constant has no operations"):
        pyelftools.dis(member.attributes["DW_AT_data_member_location"], member, code)


def test_the_text_of_a_list_has_the_entries_without_code() -> None:
    elf, code = opened("x86_64/meanings.gcc.O2.v4")
    die = elf.get_dwarf_info().get_DIE_from_refaddr(6717)
    assert pyelftools.dis(location_of(die), die, code) == (
        "[0x4003e0,0x4003e0) DW_OP_addr 0x402110, DW_OP_stack_value"
    )


def test_an_entry_of_a_parsed_location_list_is_an_expression() -> None:
    elf, code = opened("x86_64/demo.gcc.O2.v5")
    die = named(elf, "here")
    lists = pytest.importorskip("elftools.dwarf.locationlists")
    parser = lists.LocationParser(elf.get_dwarf_info().location_lists())
    entries = parser.parse_from_attribute(location_of(die), die.cu["version"], die)
    first = next(entry for entry in entries if hasattr(entry, "loc_expr"))
    assert pyelftools.dis(first, die, code) == "DW_OP_reg5 RDI"
    assert pyelftools.text(pyelftools.evaluate(first, die, code), code) == "rdi"


def bounds_of(elf: Any, tag: str) -> list[tuple[Any, Any]]:
    """Subranges with an upper bound that refers to a DIE of a tag, and these."""
    subranges = (die for die in dies(elf) if die.tag == "DW_TAG_subrange_type")
    referring = (
        die
        for die in subranges
        if "DW_AT_upper_bound" in die.attributes
        and die.attributes["DW_AT_upper_bound"].form == "DW_FORM_ref4"
    )
    pairs = ((die, die.get_DIE_from_attribute("DW_AT_upper_bound")) for die in referring)
    return [(die, holder) for die, holder in pairs if holder.tag == tag]


def test_a_bound_that_refers_to_a_variable_is_its_value() -> None:
    """DWARF 5 2.19."""
    elf, code = opened("ada/shapes.gcc.O0.v5")
    die, holder = bounds_of(elf, "DW_TAG_variable")[0]
    bound, name = (
        die.attributes["DW_AT_upper_bound"],
        holder.attributes["DW_AT_name"].value.decode(),
    )
    place = pyelftools.evaluate(holder.attributes["DW_AT_location"], holder, code, cfa=STACK)
    assert isinstance(place, dg.Location)
    address = place.single_locations[0].byte_address
    assert address is not None
    known: dict[str, Any] = {
        "cfa": STACK,
        "memory": {address: (-7).to_bytes(8, "little", signed=True)},
    }
    value = pyelftools.evaluate(bound, die, code, **known)
    assert isinstance(value, dg.Value) and value.displacement == -7
    explained = pyelftools.explain(bound, die, code, **known).splitlines()
    assert explained[0] == f"DW_AT_upper_bound refers to {name}"
    assert explained[1].startswith("0x0000  DW_OP_fbreg ")
    assert explained[-1].startswith("=> the result is the value -7")
    with pytest.raises(dg.Unavailable, match=f"^DW_AT_upper_bound refers to {name}: cannot access"):
        pyelftools.evaluate(bound, die, code, cfa=STACK)
    with pytest.raises(dg.UsageError, match="refers to another DIE: it has no operations"):
        pyelftools.dis(bound, die, code)
    with pytest.raises(dg.UsageError, match="DW_AT_type is not an expression"):
        pyelftools.evaluate(die.attributes["DW_AT_type"], die, code)


def test_a_bound_that_refers_to_a_member_needs_the_structure() -> None:
    elf, code = opened("ada/shapes.gcc.O0.v5")
    die, holder = bounds_of(elf, "DW_TAG_member")[0]
    name = holder.attributes["DW_AT_name"].value.decode()
    with pytest.raises(dg.MissingContext, match=f"refers to {name}, a member of a structure that"):
        pyelftools.evaluate(die.attributes["DW_AT_upper_bound"], die, code, cfa=STACK)


def test_a_vector_register_holds_what_the_script_says() -> None:
    elf, code = opened("opencl/kernels.gfx942.O2.v5.co")

    def is_of(die: Any, name: bytes) -> bool:
        own = die.attributes.get("DW_AT_name")
        return own is not None and own.value == name

    ns = (die for die in dies(elf) if is_of(die, b"n"))
    [die] = [die for die in ns if is_of(die.get_parent(), b"walk")]
    at: pyelftools.Machine = {"pc": 0x2340, "lane": 3, "registers": {"v2": [10, 11, 12, 13]}}
    refused = pyelftools.read(die, code, **at)
    assert "v2 holds the value itself or its address" in str(refused.error)
    assert "quirks=frozenset({'vgpr-holds-value'})" in pyelftools.explain(
        location_of(die), die, code, **at
    )
    held: pyelftools.Machine = {**at, "quirks": frozenset({"vgpr-holds-value"})}
    assert pyelftools.read(die, code, **held).value == 13
    place = pyelftools.evaluate(location_of(die), die, code, **held)
    assert pyelftools.text(place, code) == "v2 + byte 12 (wave 0)"


def test_a_program_location_at_which_the_thread_is_not_has_a_note() -> None:
    """The registers of a machine are those of where it stopped, as with --pc on a core file."""
    path = FIXTURES / "core/crash.x86_64.O0"
    core = dg.load_core(path.with_suffix(".O0.core"), path)
    elf, _ = opened("core/crash.x86_64.O0")
    code = dg.CodeObject.from_elffile(elf, core.files[0].load_address)
    die, stopped = named(elf, "sum"), core.pc_of(1)
    assert stopped is not None
    thread: pyelftools.Machine = {"target": core.target, "wave": 1}
    at_stop = pyelftools.read(die, code, pc=stopped, **thread)
    assert at_stop.value == 74 and not at_stop.notes
    elsewhere = stopped + 1
    reading = pyelftools.read(die, code, pc=elsewhere, **thread)
    note = (
        f"pc={elsewhere:#x}: the thread is at {stopped:#x}: its registers are those of there; the "
        "sessions of dwarfgpu.stack_frames read in its callers"
    )
    assert reading.notes[0] == note
    made = pyelftools.read(die, code, pc=elsewhere, registers={"rbp": STACK})
    assert not any("its registers" in one for one in made.notes)  # they are those of `pc`
