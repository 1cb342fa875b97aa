"""A case as the machine, unit, frame and context that it describes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from dwarfgpu.arch.model import AddressSpace, Architecture, RegisterInfo
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base import json_reader
from dwarfgpu.base.base_type import ENCODINGS, BaseType, float_format, unsigned_type
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.json_reader import Field
from dwarfgpu.base.limits import MAX_OPERATION_BYTES, MAX_TEXT_BYTES, Limits
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import Malformed, UsageError
from dwarfgpu.expr.context import Context, ExprLoc, LocationAttribute, ResultKind, UnitFormat
from dwarfgpu.expr.dialect.dialect import DWARF6_PROVISIONAL, Dialect, dialect
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.location import Entry, Location, SingleLocation
from dwarfgpu.model.storage import Implicit, Memory
from dwarfgpu.model.value import Value

FORMAT = "dwarfgpu-conformance-1"
SECTION_BASE = 1 << 40
"""Where the unit starts in `.debug_info`: distinguishes offsets in the unit from those in the
section."""
MAX_LANES = 64
MAX_TYPE_BYTES = 1 << 10
"""Maximum size in bytes of a base type; the widest vector register has a fourth of that."""
DIALECTS = {
    None: "amd",
    "amd-direct": "amd-direct",
    "upstream-clang": "upstream-clang",
    "dwarf6": "dwarf6",
}
ERROR_CLASSES = (
    "Malformed", "IllFormed", "EvaluationError", "MissingContext", "InconsistentContext",
    "OutOfRange", "UndefinedBits", "Unavailable", "StaleLocation", "LimitExceeded",
)  # fmt: skip


@frozen
class Case:
    """One conformance case."""

    name: str
    field: Field
    data: bytes
    form: UnitFormat

    @property
    def expected(self) -> Field:
        return self.field["expected"]

    @property
    def is_cfi(self) -> bool:
        """Whether it is about call frame instructions."""
        marks = (
            "cie_bytes_hex",
            "code_alignment",
            "data_alignment",
            "return_register",
            "initial_location",
            "address_range",
        )
        kind = self.expected["kind"].text()
        return kind.startswith("cfi_") or any(self.field.has(mark) for mark in marks)

    @property
    def dialect(self) -> Dialect:
        return _dialect(self.field)


def load_cases(path: Path) -> list[Case]:
    """Load the cases of a file; `UsageError` names a field that does not follow the format."""
    document = json_reader.load(path)
    document["format"].text(FORMAT)
    cases: dict[str, Case] = {}
    for entry in document["cases"].items():
        case = _case(entry)
        if case.name in cases:
            raise entry["name"].expected("a name that no other case has")
        cases[case.name] = case
    return list(cases.values())


def _case(field: Field) -> Case:
    version, offset_bits = field.get("dwarf_version"), field.get("dwarf_format")
    form = UnitFormat(
        address_size=_one_of(field["address_size"], 2, 4, 8),
        offset_size=4 if offset_bits is None else _one_of(offset_bits, 32, 64) // 8,
        version=5 if version is None else version.integer(2, 5),
        endian="big" if field["endian"].text("little", "big") == "big" else "little",
    )
    case = Case(field["name"].text(), field, _expression(field, form), form)
    error_class = case.expected.get("class")
    if error_class is not None and case.expected["kind"].text() == "error":
        error_class.text(*ERROR_CLASSES)
    return case


def _dialect(field: Field) -> Dialect:
    named = field.get("dialect")
    name = None if named is None else named.text()
    if name not in DIALECTS:
        assert named is not None
        raise named.expected(f"one of {', '.join(name for name in DIALECTS if name)}")
    if name == "dwarf6" and not field.has("bytes_hex"):
        return DWARF6_PROVISIONAL  # its operations are text: whatever number they get
    return dialect(DIALECTS[name])


def _expression(field: Field, form: UnitFormat) -> bytes:
    """Return the bytes of a case; of DWARF 6, whose operations lack numbers, its text may be
    assembled."""
    data, text = field.get("bytes_hex"), field.get("text")
    if data is None and text is not None and _dialect(field).dwarf6:
        return _assembled(text, _dialect(field), form)
    if data is None:
        return b""
    if isinstance(data.value, str) and len(data.value) > 3 * MAX_OPERATION_BYTES:
        raise data.expected(f"at most {MAX_OPERATION_BYTES >> 10} KiB of operations")
    return data.hexadecimal()


def operations_of(text: Field) -> str:
    """Return operations as text; `UsageError` if they are more than a command reads."""
    operations = text.text()
    if len(operations) > MAX_TEXT_BYTES:
        raise text.expected(f"at most {MAX_TEXT_BYTES >> 10} KiB of text")
    return operations


def _assembled(text: Field, dialect: Dialect, form: UnitFormat) -> bytes:
    operations = operations_of(text)
    try:
        return assemble(operations, dialect, form)
    except Malformed as error:
        raise UsageError(f"{text.source}: {text.path}: {error.message}") from None


def _one_of(field: Field, *choices: int) -> int:
    number = field.integer()
    if number not in choices:
        raise field.expected(f"one of {', '.join(map(str, choices))}")
    return number


def bits_of(field: Field, size_bits: int) -> int:
    """Return the bits of a signed or unsigned integer of that size; `UsageError` if it is
    larger."""
    least = -(1 << size_bits - 1) if size_bits else 0
    return field.integer(least, (1 << size_bits) - 1) & (1 << size_bits) - 1


@frozen
class Machine:
    """All that an expression case is evaluated with."""

    context: Context
    target: StateTarget
    unit: ExplicitUnit


def machine_of(case: Case, result_kind: ResultKind | None) -> Machine:
    """Return the context that a case describes."""
    state = case.field["state"]
    widths = _register_widths(state, case.form)
    arch = _architecture(case, widths)
    target = StateTarget(arch)
    target.add_wave(0)
    _fill(target, arch, state, case.form.endian)
    unit = _unit(case, state, arch)
    default = arch.address_space(0)

    def address(field: Field | None) -> Location | None:
        return None if field is None else _memory(default, field.integer())

    frame = ExplicitFrame(
        architecture=arch,
        entry_registers=_entry_registers(state, arch),
        given_cfa=address(state.get("cfa")),
        given_frame_base=address(state.get("frame_base")),
        entry_values={
            _named(key, value).hexadecimal(): _generic(value, arch)
            for key, value in _members(state, "entry_values")
        },
    )
    lane, steps = state.get("lane"), state.get("max_steps")
    stack = state.get("initial_stack")
    context = Context(
        architecture=arch,
        wave=0,
        lane=None if lane is None else lane.integer(0, MAX_LANES - 1),
        frame=frame,
        unit=unit,
        object=address(state.get("object_address")),
        result_kind=result_kind,
        target=target,
        limits=Limits() if steps is None else Limits(steps=min(steps.integer(1), Limits().steps)),
    )
    entries = () if stack is None else tuple(_entry(item, context) for item in stack.items())
    return Machine(evolve(context, initial_stack=entries), target, unit)


def _members(state: Field, name: str) -> Iterable[tuple[str, Field]]:
    field = state.get(name)
    return () if field is None else field.members()


def _memory(space: AddressSpace, address: int) -> Location:
    single = SingleLocation(Memory(space), (address & (1 << space.address_bits) - 1) * 8)
    return Location((single,))


def _generic(field: Field, arch: Architecture) -> Value:
    return Value(bits_of(field, arch.generic.bit_size), arch.generic)


def _entry(field: Field, context: Context) -> Entry:
    """Return an entry of the initial stack; a location is in the memory of the current thread and
    lane."""
    arch = context.architecture
    assert arch is not None
    if not isinstance(field.value, dict):
        return _generic(field, arch)
    field["kind"].text("memory")
    space = arch.address_space(field["aspace"].integer(0))
    return memory_location(context, space, field["address"].integer(0), bind_lane=False)


class _AnyRegister(dict[int, RegisterInfo]):
    """Registers that are plain numbers, each as wide as its value needs."""

    def __init__(self, widths: dict[int, int], form: UnitFormat) -> None:
        self.widths, self.form = widths, form

    def __missing__(self, number: int) -> RegisterInfo:
        size_bytes = self.widths.get(number, self.form.address_size)
        base = unsigned_type(8 * size_bytes, self.form.endian)
        return self.setdefault(number, RegisterInfo(f"r{number}", number, base))


class _AnySpace(dict[int, AddressSpace]):
    """Every number is an address space of its own."""

    def __init__(self, form: UnitFormat) -> None:
        self.form = form
        self[0]

    def __missing__(self, number: int) -> AddressSpace:
        name = "default" if number == 0 else f"aspace{number}"
        return self.setdefault(number, AddressSpace(number, name, 8 * self.form.address_size))


def _architecture(case: Case, widths: dict[int, int]) -> Architecture:
    machine = case.field.get("machine")
    match None if machine is None else machine.text("EM_AMDGPU", "EM_X86_64", "EM_386"):
        case "EM_AMDGPU":
            return amdgpu_of_both_wave_sizes()
        case "EM_X86_64":
            return architecture("x86_64")
        case "EM_386":
            return architecture("i386")
    return Architecture(
        "numbers",
        "NONE",
        8 * case.form.address_size,
        _AnyRegister(widths, case.form),
        _AnySpace(case.form),
        endian=case.form.endian,
    )


@cache
def amdgpu_of_both_wave_sizes() -> Architecture:
    """Return the register numbers of wave32 and wave64 together, because a case has no wave
    size."""
    wave64, wave32 = architecture("gfx90a"), architecture("gfx1250")
    scalar = {n: info for n, info in wave32.registers.items() if info.register_class == "scalar"}
    registers = {
        number: evolve(info, name=f"{info.name}_wave32")
        for number, info in wave32.registers.items()
        if number not in wave64.registers and number not in scalar
    }
    registers |= {**scalar, **wave64.registers}
    names = {number: wave32.dwarf_name(number) for number in scalar}
    names |= {number: wave64.dwarf_name(number) for number in wave64.registers}
    called = {member.name for member in scalar.values()}
    aliases = {alias: name for alias, name in wave32.register_aliases.items() if name in called}
    return evolve(
        wave64,
        name="amdgpu",
        registers=registers,
        dwarf_names=names,
        register_aliases={**aliases, **wave64.register_aliases},
    )


def _named(key: str, field: Field) -> Field:
    """Return the name of a member as a value, for complaints about it."""
    return Field(field.source, field.path, key)


def _number(key: str, field: Field) -> int:
    """Return the number that is the name of a member."""
    return _named(key, field).integer(0)


def _contents(field: Field, text: str) -> bytes:
    """Return `bytes:…`, the contents of a register."""
    return _named(text.removeprefix("bytes:"), field).hexadecimal()


def _register_widths(state: Field, form: UnitFormat) -> dict[int, int]:
    """Return bytes of each register that has a value."""
    widths: dict[int, int] = {}
    for key, field in _members(state, "registers"):
        if isinstance(field.value, str):
            widths[_number(key, field)] = len(_contents(field, field.value))
        else:
            fits = field.integer(0) < 1 << 8 * form.address_size
            widths[_number(key, field)] = form.address_size if fits else 8
    return widths


def _fill(target: StateTarget, arch: Architecture, state: Field, endian: Endian) -> None:
    for key, field in _members(state, "registers"):
        register = arch.register(_number(key, field))
        if isinstance(field.value, str):
            data = _contents(field, field.value)
        else:
            size_bytes = register.size_bits // 8
            data = bits_of(field, register.size_bits).to_bytes(size_bytes, endian)
        target.set_register(0, register, data)
    memory = state.get("memory")
    for item in [] if memory is None else memory.items():
        number = item.get("aspace")
        space = arch.address_space(0 if number is None else number.integer(0))
        lane = state.get("lane")
        where = Memory(space, 0, None if lane is None else lane.integer(0, MAX_LANES - 1))
        target.set_memory(where, item["address"].integer(0), item["bytes_hex"].hexadecimal())


def _entry_registers(state: Field, arch: Architecture) -> dict[int, Location]:
    out: dict[int, Location] = {}
    for key, field in _members(state, "entry_registers"):
        size_bits = arch.register(_number(key, field)).size_bits
        if isinstance(field.value, str):
            data = _contents(field, field.value)
            storage = Implicit(int.from_bytes(data, arch.endian), 8 * len(data))
        else:
            storage = Implicit(bits_of(field, size_bits), size_bits)
        out[_number(key, field)] = Location((SingleLocation(storage),))
    return out


def _unit(case: Case, state: Field, arch: Architecture) -> ExplicitUnit:
    modulo = 1 << 8 * case.form.address_size
    locations: dict[int, LocationAttribute | None] = {}
    unit = ExplicitUnit(
        format=case.form,
        dialect=case.dialect,
        base_types=_base_types(state, case, arch),
        addresses={
            _number(key, number): number.integer() for key, number in _members(state, "debug_addr")
        },
        offset=SECTION_BASE,
        locations=locations,
        variable_values={
            _number(key, number): number.integer()
            for key, number in _members(state, "variable_values")
        },
        tls={
            _number(key, offset): offset.integer() % modulo
            for key, offset in _members(state, "tls")
        },
    )
    calls = state.get("calls")
    for call in [] if calls is None else calls.items():
        base = SECTION_BASE if call["ref"].text("unit", "debug_info") == "unit" else 0
        expression = _location(call, "bytes_hex", case)
        locations[base + call["offset"].integer(0)] = (
            ExprLoc(expression, unit) if expression else None
        )
    for key, die in _members(state, "dies"):
        locations[_number(key, die)] = ExprLoc(_location(die, "location_hex", case), unit)
    return unit


def _location(entry: Field, name: str, case: Case) -> bytes:
    """Return the expression of a called or referenced entry: its bytes, or of DWARF 6 its text."""
    text = entry.get("text") if case.dialect.dwarf6 else None
    return entry[name].hexadecimal() if text is None else _assembled(text, case.dialect, case.form)


def _base_types(state: Field, case: Case, arch: Architecture) -> dict[int, BaseType]:
    out: dict[int, BaseType] = {}
    for key, field in _members(state, "base_types"):
        encoding = field["encoding"].text(*ENCODINGS.values())
        bits = 8 * field["byte_size"].integer(1, MAX_TYPE_BYTES)
        form = float_format(encoding, bits, x87=arch.abi.has_x87) if encoding == "float" else None
        name = f"{encoding} {bits}-bit"
        out[_number(key, field)] = BaseType(
            name, encoding, bits, case.form.endian, float_format=form
        )
    return out
