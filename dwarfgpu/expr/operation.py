"""Operations, each declared once: `@op` turns a plain function into an `Operation`.

Positional parameters are popped stack entries, deepest first; the annotation is the required kind.
Keyword-only parameters are the encoded operands in order. A leading parameter annotated `Context`,
`BaseType` (the generic type) or `Stack` is the operation's other input. The return value is pushed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import field, frozen
from dwarfgpu.base.signature import signature_of
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.control_flow import Enter, Jump
from dwarfgpu.expr.operand_codec import Codec
from dwarfgpu.model.location import Entry, ImplicitPointerValue, Location
from dwarfgpu.model.value import Value

Stack: TypeAlias = list[Entry]
"""The whole DWARF stack, its top last; the few operations that take it may pop from it."""

Kind = Literal["value", "location", "entry", "pointer"]
"""What a popped entry must be; `pointer`: a value or an implicit pointer value."""

Number: TypeAlias = Annotated[int, "number of the operation within its family"]

LLVM_USER = 0xE9
"""DW_OP_LLVM_user: its ULEB128 operand selects the vendor operation (A.2.5.4.0)."""

Code: TypeAlias = int | tuple[int, int]
"""An opcode, or an opcode and a sub-opcode."""


@frozen
class OperandInfo:
    name: str
    codec: Codec


@frozen
class PopInfo:
    name: str
    kind: Kind


@frozen
class Operation:
    """An operation: its encoding, operands, documentation and the function that performs it."""

    name: str
    """Without DW_OP_."""
    code: Code | None
    """Encoding in the current dialect; None if it has no number today."""
    function: Callable[..., Any] = field(repr=False, eq=False)
    operands: tuple[OperandInfo, ...]
    pops: tuple[PopInfo, ...]
    leading: tuple[Literal["context", "generic", "stack"], ...]
    section: str
    """Section of the AMD text that defines it."""
    summary: str
    equals: str | None = None
    """The operations to which the AMD text says it is equivalent."""
    unsupported: str | None = None
    """Why dwarfgpu does not evaluate it."""
    number: int | None = None
    """Its number within its family (reg3: 3)."""
    pushes: Literal["value", "location", "entry", "entries", "control", "none"] = "entry"
    """The kind of result that it pushes by its declaration, for the static check."""
    details: str = ""
    """The rest of its documentation."""
    interpretation: str | None = None
    """What a dialect means by it, where that is not what the AMD text says."""
    transfers: bool = False
    """Whether it may transfer control, within the expression or to another."""

    @property
    def is_of_one_type(self) -> bool:
        """Whether its two operands must have one type (DWARF 5 2.5.1.4, 2.5.1.5): arithmetic and
        comparisons."""
        kinds = [info.kind for info in self.pops]
        is_of_two = kinds == ["value", "value"] and self.pushes == "value"
        return is_of_two and "context" not in self.leading

    @property
    def title(self) -> str:
        """The name as in the AMD text."""
        return f"DW_OP_{self.name}"

    def __str__(self) -> str:
        return self.title


F = TypeVar("F", bound=Callable[..., Any])

OPERATIONS: dict[str, Operation] = {}
"""Every declared operation by name; filled by importing `dwarfgpu.expr.ops`."""

_KINDS: dict[Any, Kind] = {
    Value: "value",
    Location: "location",
    Entry: "entry",
    Value | ImplicitPointerValue: "pointer",
}
_PUSHES: dict[Any, str] = {Value: "value", Location: "location", Entry: "entry"}


def op(
    code: Code | Iterable[Code] | None,
    *,
    spec: str,
    name: str | None = None,
    equals: str | None = None,
    unsupported: str | None = None,
) -> Callable[[F], F]:
    """Declare an operation, or a numbered family of them when `code` is a range."""

    def declare(function: F) -> F:
        family = isinstance(code, range)
        codes: list[Any] = list(code) if isinstance(code, range) else [code]
        for number, one in enumerate(codes):
            title = (name or function.__name__) + (str(number) if family else "")
            assert title not in OPERATIONS, f"{title} is declared twice"
            OPERATIONS[title] = _declared(
                title, one, function, spec, equals, unsupported, number if family else None
            )
        return function

    return declare


def standalone(function: Callable[..., Any], name: str, *, spec: str) -> Operation:
    """Declare an operation that one dialect has: it is not among `OPERATIONS`, and has no code."""
    return _declared(name, None, function, spec, None, None, None)


def alias(code: int, name: str, of: str) -> None:
    """Declare an older or vendor name and encoding of an operation."""
    original = OPERATIONS[of]
    OPERATIONS[name] = Operation(
        name,
        code,
        original.function,
        original.operands,
        original.pops,
        original.leading,
        original.section,
        original.summary,
        equals=None,
        unsupported=original.unsupported,
        pushes=original.pushes,
        details=original.details,
        transfers=original.transfers,
    )


_signature = lru_cache(maxsize=1)(signature_of)
"""That of a family is read once."""


def _declared(
    name: str,
    code: Code | None,
    function: Callable[..., Any],
    section: str,
    equals: str | None,
    unsupported: str | None,
    number: int | None,
) -> Operation:
    hints, parameters, keywords, summary, details = _signature(function)
    operands: list[OperandInfo] = []
    pops: list[PopInfo] = []
    leading: list[Any] = []
    for parameter in parameters:
        hint = hints[parameter]
        if hint is Context:
            leading.append("context")
        elif hint is BaseType:
            leading.append("generic")
        elif hint == Stack:
            leading.append("stack")
        elif parameter not in keywords:
            pops.append(PopInfo(parameter, _KINDS[hint]))
        elif hint != Number:
            assert get_origin(hint) is Annotated, f"{name}: {parameter} has no codec"
            operands.append(OperandInfo(parameter, get_args(hint)[1]))
    if number is not None and equals is not None:
        equals = equals.replace("{number}", str(number))
    returned = hints.get("return")
    pushes: Any = "none" if returned in (None, type(None)) else _PUSHES.get(returned, "control")
    if get_origin(returned) is tuple:
        pushes = "entries"
    return Operation(
        name,
        code,
        function,
        tuple(operands),
        tuple(pops),
        tuple(leading),
        section,
        summary,
        equals,
        unsupported,
        number,
        pushes,
        details=details,
        transfers=any(kind in (Jump, Enter) for kind in (returned, *get_args(returned))),
    )
