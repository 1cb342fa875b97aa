"""Elements in nodes: where they are, and walks that end.

The libraries keep an element right after the links of its node, where its alignment allows
(Itanium C++ ABI 2.2, 2.4); the types of the nodes are not always described.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Member,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    strip,
)
from dwarfgpu.errors import Malformed
from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout, size_bytes_of

_DEEPEST: Final = 64
_TREE_DEPTH: Final = 130
"""Nodes from the root to a leaf of a red-black tree that an address space could hold."""


def alignment(type_: Type | None, depth: int = 0) -> int:
    """Return the alignment of a type in bytes, by its members or DW_AT_alignment;
    `UnexpectedLayout` if it is unknown, or a structure is packed."""
    bare = strip(type_)
    if depth > _DEEPEST:
        raise UnexpectedLayout("types nested too deep")
    match bare:
        case Array():
            return alignment(bare.element, depth + 1)
        case Struct() if bare.size_bytes is not None and not bare.is_declaration:
            return _struct_alignment(bare, depth)
        case Base() | Pointer() | Enum():
            return _power(size_bytes_of(bare))
        case MemberPointer():
            return _power(min(size_bytes_of(bare), 8))
        case _:
            raise UnexpectedLayout("the alignment of a type is unknown")


def _struct_alignment(struct_type: Struct, depth: int) -> int:
    most = 1
    for member in struct_type.members:
        if member.is_static or member.bit_size is not None:
            continue
        if member.location is not None or member.bit_offset is None:  # a virtual base: a pointer
            most = max(most, 8)
            continue
        if _is_empty_base(struct_type, member):
            continue
        own = alignment(member.type, depth + 1)
        declared_alignment = None if member.die is None else member.die.integer(dw.AT_ALIGNMENT)
        own = max(own, declared_alignment or 1)
        if member.bit_offset % (8 * own):
            raise UnexpectedLayout(f"{struct_type.name} is packed")
        most = max(most, own)
    most = max(most, struct_type.declared.alignment or 1)
    if (struct_type.size_bytes or 0) % most:
        raise UnexpectedLayout(f"{struct_type.name} is packed")
    return most


def _is_empty_base(struct_type: Struct, base: Member) -> bool:
    """Return whether a base class that is only declared has no bytes: a member is where it is."""
    bare = strip(base.type)
    if not (base.is_base_class and isinstance(bare, Struct) and bare.is_declaration):
        return False
    return any(
        member.bit_offset == base.bit_offset and member.location is None
        for member in struct_type.members
        if not (member.is_base_class or member.is_static)
    )


def _power(size: int) -> int:
    """Return the size of a scalar as an alignment: x87's ten bytes take sixteen."""
    if size <= 0 or size > 64:
        raise UnexpectedLayout("the alignment of a scalar is unknown")
    return 1 << (size - 1).bit_length()


def aligned(offset: int, *kinds: Type | None) -> int:
    """Return the first aligned offset for objects of these types; `UnexpectedLayout` if their
    alignments are unknown and could matter: an alignment divides the size."""
    try:
        most = max(map(alignment, kinds))
    except UnexpectedLayout:
        if any(offset % (size & -size) for size in map(size_bytes_of, kinds) if size):
            raise
        return offset
    return -(-offset // most) * most


def pair_parts(
    first: Type | None, second: Type | None
) -> Callable[[Object], tuple[Object, Object]]:
    """Return a function that splits a `std::pair` of these types, placed as its first part."""
    offset = aligned(size_bytes_of(first), second)

    def parts(pair: Object) -> tuple[Object, Object]:
        return pair.cast(first), pair.part(second, 8 * offset)

    return parts


def chain(first: int, end: int, following: Callable[[int], int], noun: str) -> Iterator[int]:
    """Yield the addresses of the nodes of a list; `Malformed` if it returns to one of them."""
    visited: set[int] = set()
    node = first
    while node != end:
        if node in visited:
            raise Malformed(f"the {noun} comes back to its node at {node:#x}")
        visited.add(node)
        after = following(node)  # before its element: a node that is nowhere has none
        yield node
        node = after


def tree(
    first: int,
    end: int,
    count: int,
    links: Callable[[int], tuple[int, int, int]],
) -> Iterator[int]:
    """Yield the addresses of the nodes of a binary tree in order.

    `links`: a node to its left, right and parent. `end`: the node above the root. `Malformed`
    where there are fewer nodes than `count`, or the tree goes in a circle.
    """
    visited: set[int] = set()
    read: dict[int, tuple[int, int, int]] = {}

    def links_once(node: int) -> tuple[int, int, int]:
        if node not in read:
            read[node] = links(node)
        return read[node]

    node = first
    for index in range(count):
        if node == end:
            raise Malformed(f"the tree has {index} elements, not {count}")
        if node in visited:
            raise Malformed(f"the tree comes back to its node at {node:#x}")
        visited.add(node)
        links_once(node)
        yield node
        if index + 1 < count:
            node = _successor(node, links_once)


def _successor(node: int, links: Callable[[int], tuple[int, int, int]]) -> int:
    _, right, parent = links(node)
    if right:
        node = right
        for _ in range(_TREE_DEPTH):
            current = links(node)[0]
            if not current:
                return node
            node = current
    else:
        for _ in range(_TREE_DEPTH):
            above = links(parent)
            if above[1] != node:
                return parent
            node, parent = parent, above[2]
    raise Malformed(f"the tree goes in a circle at its node {node:#x}")
