"""The names of types, as C spells them and GDB prints them."""

from __future__ import annotations

from typing import Final, assert_never

from dwarfgpu.dwarf.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Enum,
    Function,
    MemberPointer,
    Method,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
    Unspecified,
    strip,
)
from dwarfgpu.errors import DwarfGpuError


def type_name(kind: Type | None, *, cplusplus: bool = False) -> str:
    """The type as C spells it and as GDB prints it: `struct s *`, `char (*)[4]`, `void (*)(int)`.

    `cplusplus`: structures are named without their tag. Never raises: a type that refers to
    itself by no name ends in `...`, one that refers to what cannot be read is `<error: …>`.
    """
    try:
        return _Speller(cplusplus).spelled(kind)
    except DwarfGpuError as error:
        return f"<error: {error.kind}: {error}>"


def method_name(container: Type | None, method: Method) -> str:
    """`Point::scaled(int) const`."""
    this, *others = (None, *method.type.parameters)
    if method.has_this and others:
        this, *others = others
    names = [type_name(each, cplusplus=True) for each in others[:_NAME_PARTS]]
    if method.type.is_variadic or len(others) > _NAME_PARTS:
        names.append("...")
    pointer = strip(this)
    target = pointer.target if isinstance(pointer, Pointer) else None
    suffix = " const" if isinstance(target, Qualified) and target.qualifier == "const" else ""
    where = type_name(container, cplusplus=True)
    return f"{where}::{method.name}({', '.join(names)}){suffix}"


_NAME_PARTS: Final = 100
"""Types in one name; those beyond it are `...`."""
_NAME_DIMENSIONS: Final = 32


class _Speller:
    """Spells one name; `parts_left` bounds its length and the depth of the recursion."""

    def __init__(self, cplusplus: bool) -> None:
        self.cplusplus = cplusplus
        self.parts_left = _NAME_PARTS

    def spelled(self, kind: Type | None) -> str:
        """A declarator is built from the name outwards: `*` to the left, `[3]` and `(…)` right."""
        declarator = words = ""
        after_pointer = False
        while self.parts_left > 0:
            self.parts_left -= 1
            if isinstance(kind, Qualified):
                kind, words = _qualified(kind, self.cplusplus)
                continue
            if isinstance(kind, MemberPointer) or (isinstance(kind, Pointer) and kind.name is None):
                if words:
                    declarator = f" {words} {declarator}" if declarator else f" {words}"
                    words = ""
                declarator = self.pointer_mark(kind) + declarator
                kind, after_pointer = kind.target, True
                continue
            if isinstance(kind, Dynamic | Absent):
                kind = kind.form
                continue
            if not _is_derived(kind):
                break
            declarator = f"({declarator})" if after_pointer else declarator
            after_pointer = False
            if isinstance(kind, Array):  # a qualified array is one of qualified elements: C 6.7.3
                declarator = _array_mark(kind, declarator)
                kind = kind.element
            elif isinstance(kind, Function):
                declarator += self.parameters(kind)
                kind = kind.result
        leaf = "..." if _is_derived(kind) else _leaf(kind, self.cplusplus)
        return " ".join(part for part in (words, leaf, declarator) if part)

    def pointer_mark(self, kind: Pointer | MemberPointer) -> str:
        if isinstance(kind, MemberPointer):
            return f"{self.spelled(kind.container)}::*"
        return {"pointer": "*", "reference": "&", "rvalue_reference": "&&"}[kind.kind]

    def parameters(self, kind: Function) -> str:
        names: list[str] = []
        parameters = kind.parameters
        for parameter in parameters:
            if self.parts_left <= 0:
                break
            names.append(self.spelled(parameter))
        if kind.is_variadic or len(names) < len(parameters):
            names.append("...")
        if not names and (kind.is_prototyped or self.cplusplus):
            names.append("void")
        return f"({', '.join(names)})"


def _is_derived(kind: Type | None) -> bool:
    """Whether the spelling of the type is that of another one and a mark."""
    if isinstance(kind, Pointer | Array | Function):
        return kind.name is None
    return isinstance(kind, MemberPointer)


def _array_mark(kind: Array, declarator: str) -> str:
    shown = kind.dimensions[:_NAME_DIMENSIONS]
    counts = ["" if count is None else str(count) if count < 1 << 64 else "..." for count in shown]
    if len(shown) < len(kind.dimensions):
        counts.append("...")
    if kind.is_vector:
        return f"__attribute__ ((vector_size({', '.join(counts)}))){declarator}"
    return declarator + "".join(f"[{count}]" for count in counts)


def _qualified(kind: Qualified, cplusplus: bool) -> tuple[Type | None, str]:
    """What is qualified, and all the qualifiers in GDB's order."""
    found: set[str] = set()
    inner: Type | None = kind
    for _ in range(_NAME_PARTS):
        if not isinstance(inner, Qualified):
            break
        found.add(inner.qualifier)
        inner = inner.target
    words = {
        "const": "const",
        "volatile": "volatile",
        "restrict": "__restrict__" if cplusplus else "restrict",
        "atomic": "_Atomic",
    }
    return inner, " ".join(word for qualifier, word in words.items() if qualifier in found)


def _leaf(kind: Type | None, cplusplus: bool) -> str:
    match kind:
        case None:
            return "void"
        case Struct() | Enum():
            tag = "enum" if isinstance(kind, Enum) else kind.kind
            if kind.name is None:
                return f"{tag} {{...}}"
            return kind.name if cplusplus or tag == "class" else f"{tag} {kind.name}"
        case Base() | Typedef() | Unspecified():
            return kind.name
        case Pointer() | Array() | Function():
            return kind.name or "..."
        case MemberPointer() | Qualified() | Dynamic() | Absent():
            return "..."
        case other:
            assert_never(other)
