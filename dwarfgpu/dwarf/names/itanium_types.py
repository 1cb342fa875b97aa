"""Types in the tree of a mangled name: pointers, functions, arrays, template parameters."""

from __future__ import annotations

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.names.itanium_tree import (
    UNDONE,
    Arguments,
    Declared,
    Node,
    NotSupported,
    Scope,
    Writer,
)


@frozen
class Type(Node):
    """A type that is written around a name; classes are names."""

    def text(self, write: Writer) -> str:
        return self.declared(write).whole


@frozen
class Marked(Type):
    """A pointer (`*`), or a type with a word of a vendor after it (` _Complex`)."""

    target: Node
    mark: str

    def declared(self, write: Writer) -> Declared:
        return write.declared(self.target).marked(self.mark)

    def parts(self) -> tuple[Node, ...]:
        return (self.target,)


@frozen
class VendorQualified(Type):
    """`U3AS1i`: `int AS1`."""

    target: Node
    name: Node

    def declared(self, write: Writer) -> Declared:
        return write.declared(self.target).marked(f" {write.text(self.name)}")

    def parts(self) -> tuple[Node, ...]:
        return (self.target,)


@frozen
class Reference(Type):
    """`&`, `&&`."""

    target: Node
    mark: str

    def declared(self, write: Writer) -> Declared:
        target = self.target
        if not isinstance(target, TemplateParameter) or write.is_in_lambda:
            return write.declared(target).referred(self.mark)
        scope = write.scopes.setdefault(id(target), write.scope)
        with write.within(scope):
            return write.declared(target).referred(self.mark)

    def parts(self) -> tuple[Node, ...]:
        return (self.target,)


@frozen
class Qualified(Type):
    """A type and ` const`, ` volatile` or ` restrict`."""

    target: Node
    word: str

    def declared(self, write: Writer) -> Declared:
        return write.declared(self.target).qualified(self.word)

    def parts(self) -> tuple[Node, ...]:
        return (self.target,)


@frozen
class MemberPointer(Type):
    """A pointer to a member of a class."""

    container: Node
    target: Node

    def declared(self, write: Writer) -> Declared:
        return write.declared(self.target).marked(f"{write.text(self.container)}::*")

    def parts(self) -> tuple[Node, ...]:
        return self.container, self.target


@frozen
class Array(Type):
    """An array; no bound is an empty name."""

    bound: Node
    element: Node

    def declared(self, write: Writer) -> Declared:
        element = write.declared(self.element)
        right = element.right[1:] if element.of == "array" else element.right
        bounds = f" [{write.text(self.bound)}]{right}"
        return Declared(element.left, bounds, element.qualifiers, "array")

    def parts(self) -> tuple[Node, ...]:
        return self.bound, self.element


@frozen
class Suffix(Node):
    """What is after the parameters of a function: ` const`, ` noexcept(true)`, ` throw(int)`."""

    word: str
    operands: tuple[Node, ...] = ()

    def text(self, write: Writer) -> str:
        return f"{self.word}({write.listed(self.operands)})" if self.operands else self.word

    def parts(self) -> tuple[Node, ...]:
        return self.operands


@frozen
class Function(Type):
    """The type of a function."""

    result: Node
    parameters: tuple[Node, ...]
    suffixes: tuple[Node, ...] = ()

    def declared(self, write: Writer) -> Declared:
        return write.kept(self, self._declared)

    def _declared(self, write: Writer) -> Declared:
        result = write.declared(self.result)
        left = result.prefix if result.right else f"{result.prefix} "
        right = parameters_text(self.parameters, write) + "".join(map(write.text, self.suffixes))
        return Declared(left, right + result.right, of="function")

    def parts(self) -> tuple[Node, ...]:
        return self.result, *self.parameters, *self.suffixes


def parameters_text(parameters: tuple[Node, ...], write: Writer) -> str:
    return f"({write.listed(parameters).replace(UNDONE, '')})"


@frozen
class Around(Node):
    """An operand between two texts: `decltype (` and `)`."""

    before: str
    operand: Node
    after: str = ""

    def text(self, write: Writer) -> str:
        return f"{self.before}{write.text(self.operand)}{self.after}"

    def parts(self) -> tuple[Node, ...]:
        return (self.operand,)


@frozen
class Vector(Node):
    """A vector of the GNU compilers."""

    size: Node
    element: Node

    def text(self, write: Writer) -> str:
        return f"{write.text(self.element)} __vector({write.text(self.size)})"

    def parts(self) -> tuple[Node, ...]:
        return self.size, self.element


@frozen
class HeadParameter(Node):
    """A template parameter in the head of a lambda, `[]<typename T>`; names have no `T`."""

    kind: str
    """`T` of a type, `N` of a value, `TT` of a template."""
    declarator: Node
    """What declares it: `typename`, or the type of a value."""
    is_pack: bool = False

    def name(self, index: int) -> str:
        return f"${self.kind}{index}"

    def text(self, write: Writer) -> str:
        return write.text(self.declarator) + ("..." if self.is_pack else "")

    def parts(self) -> tuple[Node, ...]:
        return (self.declarator,)


@frozen
class TemplateParameter(Type):
    """`T_`."""

    index: int
    level: int = 0
    """Of `TL0__` 1, in lambdas and `requires` clauses: how many templates are around its own."""

    def declared(self, write: Writer) -> Declared:
        scope, is_in_lambda = write.scope, write.is_in_lambda
        if is_in_lambda:
            head = scope.arguments if scope is not None and scope.is_head else ()
            own = head[self.index] if self.index < len(head) else None
            if isinstance(own, HeadParameter):
                return Declared(own.name(self.index))
            return Declared(f"auto:{self.index + 1}")
        if scope is None:
            raise NotSupported
        if self.level:
            if self.level >= len(scope.levels):
                raise NotSupported
            scope = Scope(scope.levels[self.level], scope.outer)
            with write.within(scope):
                return write.declared(TemplateParameter(self.index))
        argument = write.argument(self.index)
        with write.within(scope.outer):
            return write.declared(argument)

    def pack(self, write: Writer) -> Arguments | None:
        argument = write.argument_or_pack(self.index)
        return argument if isinstance(argument, Arguments) else None
