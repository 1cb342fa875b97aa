"""Names in the tree of a mangled name: templates, lambdas, local names, functions."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.names.itanium_tree import (
    UNDONE,
    Arguments,
    Declared,
    Name,
    Nested,
    Node,
    Scope,
    Writer,
)
from dwarfgpu.dwarf.names.itanium_types import HeadParameter, parameters_text


@frozen
class Template(Node):
    """A name with arguments."""

    name: Node
    arguments: Arguments

    def text(self, write: Writer) -> str:
        return write.kept(self, self._declared).left

    def _declared(self, write: Writer) -> Declared:
        before, write.template = write.template, self.arguments.items
        name, inside = write.text(self.name), write.text(self.arguments)
        write.template = before
        space = " " if inside.endswith(">") else ""  # not after an empty pack: GDB
        opening = " <" if name.endswith("<") else "<"
        return Declared(f"{name}{opening}{inside.replace(UNDONE, '')}{space}>")

    def parts(self) -> tuple[Node, ...]:
        return self.name, self.arguments


@frozen
class Conversion(Node):
    """`operator int`: its type has the arguments of the template that it names."""

    target: Node

    def text(self, write: Writer) -> str:
        scope = write.scope
        if write.template is not None:
            scope = Scope(write.template, scope)
        with write.within(scope):
            return f"operator {write.text(self.target)}"

    def parts(self) -> tuple[Node, ...]:
        return (self.target,)


@frozen
class Operator(Node):
    """`operator+`; in expressions, it is in parentheses."""

    word: str

    def text(self, write: Writer) -> str:
        return self.word


@frozen
class Constructor(Node):
    """A constructor, or a destructor with its `~`."""

    word: str

    def text(self, write: Writer) -> str:
        return self.word


@frozen
class Tagged(Node):
    """A name with an ABI tag, `[abi:cxx11]`, or with its module, `@module`."""

    name: Node
    tag: str

    def text(self, write: Writer) -> str:
        return write.text(self.name) + self.tag

    def parts(self) -> tuple[Node, ...]:
        return (self.name,)


@frozen
class Lambda(Node):
    """`{lambda(int)#1}`; its `T_`, also of substitutions, are parameters of its own."""

    head: tuple[HeadParameter, ...]
    parameters: tuple[Node, ...]
    constraints: tuple[Node | None, Node | None]
    """After the head, and after the parameters."""
    number: int

    def text(self, write: Writer) -> str:
        with write.within(Scope(self.head, write.scope, is_head=True), is_in_lambda=True):
            head = head_text(self.head, write) if self.head else ""
            parameters = parameters_text(self.parameters, write)
            before, after = (
                "" if item is None else f" requires {write.text(item)}" for item in self.constraints
            )
        space = " " if before else ""
        return f"{{lambda{head}{before}{space}{parameters}{after}#{self.number}}}"


@frozen
class TemplateHead(Node):
    """`template<typename> class`, which declares a parameter of a head."""

    head: tuple[HeadParameter, ...]

    def text(self, write: Writer) -> str:
        return f"template<{', '.join(map(write.text, self.head))}> class"


def head_text(head: tuple[HeadParameter, ...], write: Writer) -> str:
    texts = [f"{write.text(item)} {item.name(index)}" for index, item in enumerate(head)]
    return f"<{', '.join(texts)}>"


@frozen
class Local(Node):
    """`f(int)::x`, also in the default argument of a parameter, which is counted from the last."""

    function: Node
    entity: Node
    default_argument: int | None = None

    def text(self, write: Writer) -> str:
        number = self.default_argument
        default = "" if number is None else f"{{default arg#{number}}}::"
        return f"{write.text(self.function)}::{default}{write.text(self.entity)}"

    def parts(self) -> tuple[Node, ...]:
        return self.function, self.entity


@frozen
class FunctionName(Node):
    """A function with its parameters, and its result type if the name has it and it is shown."""

    name: Node
    parameters: tuple[Node, ...]
    suffixes: tuple[Node, ...]
    """Qualifiers and a `requires` clause."""
    result: Node | None

    def text(self, write: Writer) -> str:
        name = write.text(self.name)
        entity = local_entity(self.name)
        scope = write.scope
        if isinstance(entity, Template):
            scope = Scope(entity.arguments.items, scope)
        with write.within(scope):
            parameters = parameters_text(self.parameters, write)
            function = f"{name}{parameters}{''.join(map(write.text, self.suffixes))}"
            if self.result is None:
                return function
            result = write.declared(self.result)
        space = "" if result.right else " "
        return f"{result.prefix}{space}{function}{result.right}"

    def parts(self) -> tuple[Node, ...]:
        return (self.name, *self.parameters)


@frozen
class Constraint(Node):
    """The `requires` clause of a function: it is not instantiated, thus `T_` is a parameter of the
    outermost template, and not of the function."""

    expression: Node
    levels: tuple[tuple[Node, ...], ...]

    def text(self, write: Writer) -> str:
        if not self.levels:
            return f" requires {write.text(self.expression)}"
        with write.within(Scope(self.levels[0], None, levels=self.levels)):
            return f" requires {write.text(self.expression)}"


@frozen
class Special(Node):
    """What the compiler makes: `vtable for X`."""

    kind: str
    entity: Node
    after: tuple[Node, ...] = ()
    """The class in which the vtable is."""

    def text(self, write: Writer) -> str:
        after = "".join(f"-in-{write.text(item)}" for item in self.after)
        return f"{self.kind}{write.text(self.entity)}{after}"


def local_entity(node: Node) -> Node:
    """Return what a local name names in its function; another name itself."""
    while isinstance(node, Local):
        node = node.entity
    return node


def ending(node: Node) -> Node:
    """Return the last name of nested ones, without arguments and tags."""
    while True:
        match node:
            case Template() | Nested() | Tagged():
                node = node.name
            case Local():
                node = node.entity
            case _:
                return node


def last_word(node: Node) -> str:
    """Return the name of the constructors of a class; empty if it has none."""
    last = ending(node)
    return (last.last or last.word) if isinstance(last, Name) else ""


def template_levels(node: Node) -> Iterator[tuple[Node, ...]]:
    """Yield the arguments of the templates of a name, from the outermost."""
    match node:
        case Local():
            yield from template_levels(node.function)
            yield from template_levels(node.entity)
        case Nested():
            yield from template_levels(node.outer)
            yield from template_levels(node.name)
        case FunctionName() | Tagged():
            yield from template_levels(node.name)
        case Template():
            yield from template_levels(node.name)
            yield node.arguments.items


def has_result(name: Node) -> bool:
    """Return whether the type of a function is mangled with its result."""
    is_without = isinstance(ending(name), (Constructor, Conversion))
    return isinstance(local_entity(name), Template) and not is_without


def without_result(node: Node) -> Node:
    """Return a function that shows no result type, also in a thunk."""
    if isinstance(node, FunctionName):
        return node if node.result is None else evolve(node, result=None)
    return evolve(node, entity=without_result(node.entity)) if isinstance(node, Special) else node


def name_alone(node: Node) -> Node | None:
    """Return the name of a function or variable; None for what the compiler makes."""
    if isinstance(node, Special):
        return None
    return node.name if isinstance(node, FunctionName) else node


def last_part(node: Node) -> Node | None:
    """Return the simple name at the end of the name of a class or variable; None for one with
    arguments, and for what is not named, as a lambda."""
    last = name_alone(node)
    while isinstance(last, (Nested, Local)):
        last = last.name if isinstance(last, Nested) else last.entity
    return last if isinstance(last, (Name, Tagged)) else None
