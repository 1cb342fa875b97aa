"""Printers of the containers and pointers of libc++ (LLVM 15 and newer), in libstdc++'s words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.view.printers import common
from dwarfgpu.view.printers.common import Elements, own_name, short_type, with_elements, word
from dwarfgpu.view.printers.nodes import aligned, chain, pair_parts, tree
from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout, size_bytes_of
from dwarfgpu.view.printers.printer import Collection, Printed, Printer, Show
from dwarfgpu.view.printers.template_names import short_name, template_arguments, template_name

_DEQUE_BYTES: Final = 4096
_FEWEST_IN_BLOCK: Final = 16
_LARGE_BYTES: Final = 256
"""Elements of at least this size are stored 16 per block."""
_MAX_ALTERNATIVES: Final = 1_000


def _first(value: Object, *names: str) -> Object:
    """Return a member; of a `__compressed_pair`, its first element.

    From LLVM 20 this element is a direct member.
    """
    member = value.find(*names)
    if member is None:
        raise UnexpectedLayout(f"{value.name} has no member {names[0]}")
    if template_name(member.name).endswith("__compressed_pair"):
        bases = member.bases()
        if not bases:
            raise UnexpectedLayout("a pair of another layout")
        return bases[0]["__value_"]
    return member


def _string(value: Object) -> Printed:
    rep = _first(value, "__r_", "__rep_")
    short, long = rep["__s"], rep["__l"]
    if short["__is_long_"].number:
        return common.string(long["__data_"].target(), long["__size_"].number)
    characters = short["__data_"]
    common.check_length(short["__size_"].number, characters.count() - 1)
    return common.string(characters.element(0), short["__size_"].number)


def _string_view(value: Object) -> Printed:
    first, count = _first(value, "__data_", "__data"), _first(value, "__size_", "__size")
    return common.string(first.target(), count.number)


def _vector(value: Object) -> Printed:
    start = value["__begin_"]
    if not common.is_bool(value.template_type(0)):
        return common.vector(value, start, value["__end_"], _first(value, "__end_cap_", "__cap_"))
    words, end = start.target(), _first(value, "__cap_alloc_", "__cap_")
    capacity = common.capacity_text(lambda: end.number * 8 * words.size_bytes)
    return common.bool_vector(words, 0, value["__size_"].number, capacity)


def _list(value: Object) -> Printed:
    end, kind = value["__end_"], value.template_type(0)
    if end.address is None:
        raise UnexpectedLayout(
            "the list head is not in memory, so the end of the list cannot be recognised"
        )
    return common.linked_list(own_name(value), _chained(end, end.address, 2, kind, "list"))


def _forward_list(value: Object) -> Printed:
    header = _first(value, "__before_begin_")
    return common.linked_list(
        own_name(value), _chained(header, 0, 1, value.template_type(0), "list")
    )


def _chained(
    header: Object, end: int, words: int, type_: Type | None, noun: str, *more: Type | None
) -> Iterator[Object]:
    """Yield the elements of nodes that begin with links; `words`: how many words are before
    them."""
    link = header["__next_"]
    link_offset = (
        0 if link.address is None or header.address is None else link.address - header.address
    )
    offset = aligned(words * header.pointer_bytes, type_, *more)

    def following(node: int) -> int:
        return header.at(node + link_offset, word(header)).number

    return (header.at(node + offset, type_) for node in chain(link.number, end, following, noun))


def _tree_nodes(value: Object, kinds: tuple[Type | None, ...]) -> tuple[int, Iterator[Object]]:
    inner = value["__tree_"]
    count = _first(inner, "__pair3_", "__size_").number
    end = _first(inner, "__pair1_", "__end_node_")
    first = inner["__begin_node_"]
    if end.address is None:
        raise UnexpectedLayout(
            "the tree header is not in memory, so the end of the tree cannot be recognised"
        )
    size, address = value.pointer_bytes, end.address
    # Left, right, parent and a bool: there is no padding before the element of the node.
    offset = aligned(3 * size + 1, *kinds)

    def links(node: int) -> tuple[int, int, int]:
        kind = word(value)
        if node == address:
            return value.at(node, kind).number, 0, 0
        data = value.at(node, kind).memory(3 * size)
        parts = (data[n * size : (n + 1) * size] for n in range(3))
        left_id, right, parent = (int.from_bytes(part, value.endian) for part in parts)
        return left_id, right, parent

    def nodes() -> Iterator[Object]:
        for node in tree(first.number, address, count, links):
            yield value.at(node + offset, kinds[0])

    return count, nodes()


def _map(value: Object) -> Printed:
    key, mapped = value.template_type(0), value.template_type(1)
    count, nodes = _tree_nodes(value, (key, mapped))
    children = common.mapped(map(pair_parts(key, mapped), nodes))
    return Printed(with_elements(own_name(value), count), children, "map")


def _set(value: Object) -> Printed:
    count, nodes = _tree_nodes(value, (value.template_type(0),))
    return Printed(with_elements(own_name(value), count), common.numbered(nodes))


def _hash_nodes(value: Object, kinds: tuple[Type | None, ...]) -> tuple[int, Iterator[Object]]:
    table = value["__table_"]
    count = _first(table, "__p2_", "__size_").number
    header = _first(table, "__p1_", "__first_node_")
    return count, _chained(header, 0, 2, kinds[0], "chain of the table", *kinds[1:])


def _unordered_map(value: Object) -> Printed:
    key, mapped = value.template_type(0), value.template_type(1)
    count, nodes = _hash_nodes(value, (key, mapped))
    children = common.mapped(map(pair_parts(key, mapped), nodes))
    return Printed(with_elements(own_name(value), count), children, "map")


def _unordered_set(value: Object) -> Printed:
    count, nodes = _hash_nodes(value, (value.template_type(0),))
    return Printed(with_elements(own_name(value), count), common.numbered(nodes))


def _deque(value: Object) -> Printed:
    kind = value.template_type(0)
    size, pointer = size_bytes_of(kind), value.pointer_bytes
    block_count = _DEQUE_BYTES // size if size and size < _LARGE_BYTES else _FEWEST_IN_BLOCK
    blocks = value["__map_"]["__begin_"].number
    start, count = value["__start_"].number, _first(value, "__size_").number

    def element(index: int) -> Object:
        block, inside = divmod(start + index, block_count)
        begin = value.at(blocks + block * pointer, word(value)).number
        return value.at(begin + inside * size, kind)

    return Printed(with_elements(own_name(value), count), Elements(count, element), "array")


def _tuple(value: Object) -> Printed:
    inner = value.find("__base_", "__base")
    elements: list[Object] = []
    for leaf in () if inner is None else inner.bases():
        own = leaf.find("__value_") if leaf.members() else next(iter(leaf.bases()), None)
        if own is None:
            raise UnexpectedLayout("a tuple of another layout")
        elements.append(own)
    return common.tuple_(elements)


def _optional(value: Object) -> Printed:
    title = f"{own_name(value)}<{short_type(value.template_type(0), value)}>"
    return common.optional(title, value["__val_"] if value["__engaged_"].number else None)


def _variant(value: Object) -> Printed:
    arguments = ", ".join(short_name(argument) for argument in template_arguments(value.name))
    title = f"{own_name(value)}<{arguments}>"
    impl = _first(value, "__impl_", "__impl")
    index, union = impl["__index"], impl["__data"]
    number = index.number & (1 << 8 * index.size_bytes) - 1
    for _ in range(min(number, _MAX_ALTERNATIVES)):
        tail = union.find("__tail")
        if tail is None:
            return common.variant(title, number, None)
        union = tail
    head = union.find("__head")
    return common.variant(title, number, None if head is None else head["__value"])


def _unique_ptr(value: Object) -> Printed:
    title = f"{own_name(value)}<{short_type(value.template_type(0), value)}>"
    return Printed(title, (("get()", _first(value, "__ptr_")),))


def _shared_ptr(value: Object) -> Printed:
    title = f"{own_name(value)}<{short_type(value.template_type(0), value)}>"
    control = value["__cntrl_"].number
    if not control:
        return common.shared(title, value["__ptr_"], None)
    # The counts are behind the pointer to the table of virtual functions, one less than they mean.
    size, kind = value.pointer_bytes, common.signed_word(value)
    owners, weak = (value.at(control + n * size, kind).number for n in (1, 2))
    use = owners + 1
    return common.shared(title, value["__ptr_"], (use, weak if use else weak + 1))


def _bitset(value: Object) -> Printed:
    return common.bitset(value, "__first_")


def _span(value: Object) -> Printed:
    size = value.find("__size_")
    count = common.number_argument(value, 1) if size is None else size.number
    return common.sequence(own_name(value), _first(value, "__data_", "__data").target(), count)


def _atomic(value: Object) -> Printed:
    inner = value["__a_"]
    return common.atomic(value, inner.find("__a_value") or inner)


def _iterator(value: Object) -> Printed:
    return common.pointed(value, _first(value, "__i_", "__i"), "std::vector")


def _bit_iterator(value: Object) -> Printed:
    return common.bit_iterator(value["__seg_"], value["__ctz_"].number)


def _bit_reference(value: Object) -> Printed:
    container = short_type(value.template_type(0), value)
    return common.bit_reference(container, value["__seg_"], value["__mask_"])


_SHOWS: Final[dict[str, Show]] = {
    "__bit_const_reference": _bit_reference, "__bit_iterator": _bit_iterator,
    "__bit_reference": _bit_reference, "__wrap_iter": _iterator, "atomic": _atomic,
    "basic_string": _string,
    "basic_string_view": _string_view, "bitset": _bitset, "deque": _deque,
    "forward_list": _forward_list, "list": _list,
    "map": _map, "multimap": _map, "multiset": _set, "optional": _optional, "pair": common.pair,
    "priority_queue": common.adapter, "queue": common.adapter, "set": _set,
    "shared_ptr": _shared_ptr, "span": _span, "stack": common.adapter, "tuple": _tuple,
    "unique_ptr": _unique_ptr, "unordered_map": _unordered_map,
    "unordered_multimap": _unordered_map, "unordered_multiset": _unordered_set,
    "unordered_set": _unordered_set, "variant": _variant, "vector": _vector,
    "weak_ptr": _shared_ptr,
}  # fmt: skip

LIBCXX: Final = Collection(
    "libc++",
    tuple(
        Printer(f"std::__1::{name}", rf"std::(?:__[0-79][0-9]*|__ndk1)::{name}", show)
        for name, show in sorted(_SHOWS.items())
    ),
)
