"""Call frame instructions, each declared once: `@cfa` turns a function into a table entry.

Keyword-only parameters are the encoded operands in order; the function receives them with the CIE's
factors applied. Positional parameters are the instruction's other inputs: `RegisterCfa` (the
current CFA rule, which must be of that kind), `Rules` (the current register rules), `CfiFormat`
(the CIE). The return value is the change to the row being built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, Final, Literal, TypeAlias, TypeVar, get_args

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import field, frozen
from dwarfgpu.base.signature import signature_of
from dwarfgpu.cfi.eh_pointer import ABSOLUTE, read_pointer
from dwarfgpu.cfi.rule import CfaRule, RegisterCfa, Rule, Rules
from dwarfgpu.errors import Malformed

Operand: TypeAlias = int | bytes
Meaning = Literal["register", "offset", "space", "expression", "advance", "address"]
Factor = Literal["code", "data", "negated data"]


@frozen(cache_hash=True)
class CfiFormat:
    """What reading and executing instructions needs to know of their CIE."""

    address_size: int = 8
    """Bytes of an address."""
    endian: Endian = "little"
    code_alignment: int = 1
    data_alignment: int = 1
    architecture: Architecture | None = field(default=None, repr=False)
    """Defines the address spaces; None accepts every number."""
    machine: str | None = field()
    """As `Architecture.machine`; decides what the codes mean that vendors share."""
    pointer_encoding: int = ABSOLUTE
    """The encoding of addresses in the instructions: the CIE's `R` in `.eh_frame`."""
    section_address: int = 0
    """Where the first byte of the section is loaded, for pointers relative to their own address."""

    @machine.default
    def _machine(self) -> str | None:
        return None if self.architecture is None else self.architecture.machine


@frozen
class OperandKind:
    """How an operand is read and interpreted."""

    name: str
    meaning: Meaning
    read: Callable[[Reader, int, CfiFormat], Operand]
    """Called with the reader after the opcode, the opcode, and the CIE."""
    factor: Factor | None = None
    """By which factor of the CIE the encoded number is multiplied."""

    @property
    def is_packed(self) -> bool:
        """Whether it is the low six bits of the opcode."""
        return self.name == "packed"

    def scaled(self, value: Operand, form: CfiFormat) -> Operand:
        """Return the operand with the CIE's factor applied."""
        if self.factor is None or isinstance(value, bytes):
            return value
        if self.factor == "code":
            return value * form.code_alignment
        return value * (form.data_alignment if self.factor == "data" else -form.data_alignment)


def _checked(value: int, signed: bool) -> int:
    low, high = (-1 << 63, 1 << 63) if signed else (0, 1 << 64)
    if not low <= value < high:
        bits = (~value if value < 0 else value).bit_length() + signed
        raise Malformed(f"operand of {bits} bits does not fit 64 bits")
    return value


def _uleb(meaning: Meaning, factor: Factor | None = None) -> OperandKind:
    return OperandKind(
        "uleb",
        meaning,
        lambda reader, opcode, form: _checked(reader.uleb(), False),
        factor,
    )


def _sleb(meaning: Meaning, factor: Factor | None = None) -> OperandKind:
    return OperandKind(
        "sleb",
        meaning,
        lambda reader, opcode, form: _checked(reader.sleb(), True),
        factor,
    )


def _packed(meaning: Meaning, factor: Factor | None = None) -> OperandKind:
    return OperandKind(
        "packed",
        meaning,
        lambda reader, opcode, form: opcode & 0x3F,
        factor,
    )


def _delta(size_bytes: int) -> OperandKind:
    return OperandKind(
        f"u{8 * size_bytes}",
        "advance",
        lambda reader, opcode, form: reader.unsigned(size_bytes),
        "code",
    )


Register: TypeAlias = Annotated[int, _uleb("register")]
PackedRegister: TypeAlias = Annotated[int, _packed("register")]
Bytes: TypeAlias = Annotated[int, _uleb("offset")]
"""An unsigned number of bytes, not factored."""
Factored: TypeAlias = Annotated[int, _uleb("offset", "data")]
NegatedFactored: TypeAlias = Annotated[int, _uleb("offset", "negated data")]
SignedFactored: TypeAlias = Annotated[int, _sleb("offset", "data")]
Space: TypeAlias = Annotated[int, _uleb("space")]
PackedDelta: TypeAlias = Annotated[int, _packed("advance", "code")]
Delta1: TypeAlias = Annotated[int, _delta(1)]
Delta2: TypeAlias = Annotated[int, _delta(2)]
Delta4: TypeAlias = Annotated[int, _delta(4)]
Delta8: TypeAlias = Annotated[int, _delta(8)]
Address: TypeAlias = Annotated[
    int,
    OperandKind(
        "address",
        "address",
        lambda reader, opcode, form: read_pointer(
            reader, form.pointer_encoding, form.address_size, form.section_address
        ),
    ),
]
ExpressionBlock: TypeAlias = Annotated[
    bytes,
    OperandKind("block", "expression", lambda reader, opcode, form: reader.block()),
]


@frozen
class Assign:
    """The register gets a rule."""

    register: int
    rule: Rule


@frozen
class Restore:
    """The register gets back the rule that the CIE gave it."""

    register: int


@frozen
class Advance:
    """The row ends; the next starts that many bytes later."""

    delta_bytes: int


@frozen
class MoveTo:
    """The row ends; the next starts at that program location."""

    location: int


@frozen
class Remember:
    """The CFA rule and all register rules are pushed."""


@frozen
class Recall:
    """The CFA rule and all register rules are popped."""


@frozen
class ArgumentsSize:
    """The bytes of arguments pushed change."""

    size_bytes: int


Change: TypeAlias = (
    CfaRule | Assign | tuple[Assign, ...] | Restore | Advance | MoveTo | Remember | Recall
    | ArgumentsSize | None
)  # fmt: skip
Leading = Literal["cfa", "rules", "format"]
_LEADING: Final[dict[object, Leading]] = {RegisterCfa: "cfa", Rules: "rules", CfiFormat: "format"}


@frozen
class OperandInfo:
    name: str
    kind: OperandKind


@frozen(eq=False)
class CfaOperation:
    """All that is known of one call frame instruction; declared once, so equal to itself alone."""

    name: str
    """Without DW_CFA_."""
    code: int
    """Its first byte; where an operand is packed into it, with the low six bits clear."""
    function: Callable[..., Change] = field(repr=False)
    operands: tuple[OperandInfo, ...]
    leading: tuple[Leading, ...]
    section: str
    """Section of the AMD text, or else of DWARF 5, that defines it."""
    summary: str
    machine: str | None = None
    """The only machine on which the code has this meaning; None for all."""

    @property
    def title(self) -> str:
        """The name as in the AMD text."""
        return f"DW_CFA_{self.name}"

    @property
    def is_packed(self) -> bool:
        return bool(self.operands) and self.operands[0].kind.is_packed

    def arguments(self, operands: tuple[Operand, ...], form: CfiFormat) -> dict[str, Operand]:
        """Return encoded operands with the factors of the CIE applied, by name."""
        return {
            info.name: info.kind.scaled(operand, form)
            for info, operand in zip(self.operands, operands, strict=True)
        }

    def __str__(self) -> str:
        return self.title


F = TypeVar("F", bound=Callable[..., Change])

CFA_OPERATIONS: dict[str, CfaOperation] = {}
"""Every declared instruction by name; filled by importing `dwarfgpu.cfi.instructions`."""


def cfa(code: int, *, spec: str, machine: str | None = None) -> Callable[[F], F]:
    """Declare a call frame instruction."""

    def declare(function: F) -> F:
        name = function.__name__
        assert name not in CFA_OPERATIONS, f"{name} is declared twice"
        hints, parameters, keywords, summary, _ = signature_of(function)
        leading: list[Leading] = []
        operands: list[OperandInfo] = []
        for parameter in parameters:
            hint = hints[parameter]
            if parameter in keywords:
                operands.append(OperandInfo(parameter, get_args(hint)[1]))
            else:
                leading.append(_LEADING[hint])
        CFA_OPERATIONS[name] = CfaOperation(
            name, code, function, tuple(operands), tuple(leading), spec, summary, machine
        )
        return function

    return declare


@lru_cache(maxsize=64)
def operations_of(machine: str | None) -> Mapping[int, CfaOperation]:
    """Map every first byte to its meaning on a machine; some pack an operand into the low bits.

    A machine's own meaning takes precedence over the general one.
    """
    table: dict[int, CfaOperation] = {}
    for operation in CFA_OPERATIONS.values():
        if operation.machine in (None, machine):
            handler = table.get(operation.code)
            assert handler is None or handler.machine != operation.machine, (
                f"{handler} and {operation}"
            )
            if handler is None or operation.machine is not None:
                table[operation.code] = operation
    return table
