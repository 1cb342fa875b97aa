"""Printers of the containers and pointers of libstdc++ (GCC 5 and newer; strings of older ones)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.types import Base, Pointer, Struct, Type, strip
from dwarfgpu.view.printers import common
from dwarfgpu.view.printers.common import EMPTY, Elements, own_name, short_type, with_elements
from dwarfgpu.view.printers.nodes import aligned, chain, pair_parts, tree
from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout, size_bytes_of
from dwarfgpu.view.printers.printer import Child, Collection, Printed, Printer, Show
from dwarfgpu.view.printers.template_names import short_name, template_arguments, template_name

_DEQUE_BYTES: Final = 512
"""The size of the elements that a deque keeps together."""
_PATH_KINDS: Final[Mapping[int, str]] = {1: "root-name", 2: "root-directory"}
"""Keyed by the lowest two bits of the pointer to the parts of a path."""
_CONTAINERS_OF_NODES: Final[Mapping[str, str]] = {
    "_Rb_tree_": "associative container",
    "_Fwd_list_": "std::forward_list",
    "_List_": "std::list",
}
"""The container of a node's iterator, keyed by a part of the name of the iterator's class."""
_MAX_ALTERNATIVES: Final = 1_000
"""Maximum number of alternatives of tuples and variants."""


def _string(value: Object) -> Printed:
    pointer = value["_M_dataplus"]["_M_p"]
    length = value.find("_M_string_length")
    if length is not None:
        count = length.number  # as GDB, before the pointer: an error names the first word read
        local = value["_M_local_buf"]
        is_local = local.address is not None and pointer.number == local.address
        capacity = local.count() - 1 if is_local else value["_M_allocated_capacity"].number
        common.check_length(count, capacity)
        return common.string(pointer.target(), count)
    # Before GCC 5 length, capacity and owners were before the characters, a word each.
    word, size = common.word(value), value.pointer_bytes
    return common.string(pointer.target(), value.at(pointer.number - 3 * size, word).number)


def _string_view(value: Object) -> Printed:
    count = value["_M_len"].number
    return common.string(value["_M_str"].target(), count)


def _vector(value: Object) -> Printed:
    impl = value["_M_impl"]
    start, finish, end = impl["_M_start"], impl["_M_finish"], impl["_M_end_of_storage"]
    if not common.is_bool(value.template_type(0)):
        return common.vector(value, start, finish, end)
    words, first = start["_M_p"], start["_M_offset"].number
    bits = 8 * words.target().size_bytes
    distance = (finish["_M_p"].number - words.number) * 8
    count = distance + finish["_M_offset"].number - first
    capacity = common.capacity_text(lambda: max(end.number - words.number, 0) * 8 // bits * bits)
    return common.bool_vector(words.target(), first, count, capacity)


ElementAt: TypeAlias = Callable[[int], Object]
"""The address of a node to its element."""


def _element_of(holder: Object, links_bytes: int, *kinds: Type | None) -> ElementAt:
    """Return where the element of a node is: according to the type of the nodes, which a typedef of
    `holder` names, else right after `links_bytes` of links; the element has the first of `kinds`,
    or is a pair of both."""
    node_type = holder.typedef("_Node", "_Link_type", "__node_type")
    bare = strip(node_type)
    node_type = bare.target if isinstance(bare, Pointer) else node_type
    if isinstance(strip(node_type), Struct):
        storage = holder.at(0, node_type).find("_M_storage")
        if storage is not None and storage.address is not None:
            offset, kind = storage.address, storage.template_type(0)
            return lambda node: holder.at(node + offset, kind)
    offset = aligned(links_bytes, *kinds)
    return lambda node: holder.at(node + offset, kinds[0])


def _list(value: Object) -> Printed:
    header = value["_M_impl"]["_M_node"]
    element_at = _element_of(value, 2 * value.pointer_bytes, value.template_type(0))
    nodes = _after(header, header, "_M_next", "list")
    return common.linked_list(own_name(value), map(element_at, nodes))


def _forward_list(value: Object) -> Printed:
    header = value["_M_impl"]["_M_head"]
    element_at = _element_of(value, value.pointer_bytes, value.template_type(0))
    return common.linked_list(
        own_name(value), map(element_at, _after(header, None, "_M_next", "list"))
    )


def _after(header: Object, end: Object | None, link: str, noun: str) -> Iterator[int]:
    """Yield the addresses of list nodes, starting with the node to which a header leads."""
    if end is not None and end.address is None:
        raise UnexpectedLayout(
            "the list head is not in memory, so the end of the list cannot be recognised"
        )
    node_type = header.type

    def following(node: int) -> int:
        return header.at(node, node_type, header.space)[link].number

    last = 0 if end is None or end.address is None else end.address
    return chain(header[link].number, last, following, noun)


def _tree_nodes(value: Object, *kinds: Type | None) -> tuple[int, Iterator[Object]]:
    """Return how many elements a tree has, and these."""
    impl = value["_M_t"]["_M_impl"]
    header, count = impl["_M_header"], impl["_M_node_count"].number
    base, element_at = header.type, _element_of(value["_M_t"], header.size_bytes, *kinds)

    def links(node: int) -> tuple[int, int, int]:
        position = header.at(node, base, header.space).read()
        return position["_M_left"].number, position["_M_right"].number, position["_M_parent"].number

    end, root = header.address, header["_M_parent"].number
    if end is None:  # of a copy: the root knows its header
        end = links(root)[2] if count else 0
    return count, map(element_at, tree(header["_M_left"].number, end, count, links))


def _pairs(elements: Iterator[Object], *kinds: Type | None) -> Iterator[Child]:
    """Yield keys and values of pairs, which the debugging information describes or not."""

    def parts(pair: Object) -> tuple[Object, Object]:
        first, second = pair.find("first"), pair.find("second")
        if first is None or second is None or own_name(pair) != "std::pair":
            return pair_parts(*kinds)(pair)
        return first, second

    return common.mapped(map(parts, elements))


def _map(value: Object) -> Printed:
    kinds = value.template_type(0), value.template_type(1)
    count, elements = _tree_nodes(value, *kinds)
    return Printed(with_elements(own_name(value), count), _pairs(elements, *kinds), "map")


def _set(value: Object) -> Printed:
    count, elements = _tree_nodes(value, value.template_type(0))
    return Printed(with_elements(own_name(value), count), common.numbered(elements))


def _hash_nodes(value: Object, *kinds: Type | None) -> tuple[int, Iterator[Object]]:
    table = value["_M_h"]
    header, count = table["_M_before_begin"], table["_M_element_count"].number
    element_at = _element_of(table, header.size_bytes, *kinds)
    return count, map(element_at, _after(header, None, "_M_nxt", "chain of the table"))


def _unordered_map(value: Object) -> Printed:
    kinds = value.template_type(0), value.template_type(1)
    count, elements = _hash_nodes(value, *kinds)
    return Printed(with_elements(own_name(value), count), _pairs(elements, *kinds), "map")


def _unordered_set(value: Object) -> Printed:
    count, elements = _hash_nodes(value, value.template_type(0))
    return Printed(with_elements(own_name(value), count), common.numbered(elements))


def _deque(value: Object) -> Printed:
    start, finish = value["_M_impl"]["_M_start"], value["_M_impl"]["_M_finish"]
    element = start["_M_cur"].target()
    size, pointer = element.size_bytes, start.pointer_bytes
    if not size:
        raise UnexpectedLayout("elements without a size")
    block_count = _DEQUE_BYTES // size if size < _DEQUE_BYTES else 1
    blocks = (finish["_M_node"].number - start["_M_node"].number) // pointer - 1
    count = block_count * blocks + (start["_M_last"].number - start["_M_cur"].number) // size
    count += (finish["_M_cur"].number - finish["_M_first"].number) // size

    def one(index: int) -> Object:
        before = (start["_M_cur"].number - start["_M_first"].number) // size
        block, inside = divmod(before + index, block_count)
        node = start["_M_node"].number + block * pointer
        begin = start["_M_node"].at(node, start["_M_cur"].type).number
        return element.at(begin + inside * size, element.type)

    def values() -> Iterator[Child]:
        node, position, last = (start[name].number for name in ("_M_node", "_M_cur", "_M_last"))
        end, index = finish["_M_cur"].number, 0
        while position != end:
            yield f"[{index}]", element.at(position, element.type)
            position, index = position + size, index + 1
            if position == last:
                node += pointer
                position = start["_M_node"].at(node, start["_M_cur"].type).number
                last = position + block_count * size

    return Printed(with_elements(own_name(value), count), Elements(count, one, values), "array")


def _tuple(value: Object) -> Printed:
    return common.tuple_(tuple_values(value))


def tuple_values(value: Object) -> list[Object]:
    """Return the elements of a `std::tuple`, whose classes are nested."""
    elements: list[Object] = []
    level = next(iter(value.bases()), None)
    for _ in range(_MAX_ALTERNATIVES):
        if level is None:
            return elements
        bases = {template_name(base.name).rpartition("::")[2]: base for base in level.bases()}
        head = bases.get("_Head_base")
        if head is not None:
            inside = head.members() or [("", base) for base in head.bases()]
            if len(inside) != 1:
                raise UnexpectedLayout("a tuple of another layout")
            elements.append(inside[0][1])
        level = bases.get("_Tuple_impl")
    raise UnexpectedLayout("a tuple of too many values")


def _optional(value: Object) -> Printed:
    title = f"{own_name(value)}<{short_type(value.template_type(0), value)}>"
    payload = value["_M_payload"]
    is_engaged = payload.find("_M_engaged") or value["_M_engaged"]
    if not is_engaged.number:
        return common.optional(title, None)
    inner = payload.find("_M_payload") or payload
    return common.optional(title, inner.find("_M_value") or inner)


def _any(value: Object) -> Printed:
    storage = value["_M_storage"]
    return common.any_(
        value,
        "_M_manager",
        {
            "std::any::_Manager_internal": storage["_M_buffer"],
            "std::any::_Manager_external": storage["_M_ptr"].target(),
        },
    )


def _path(value: Object) -> Printed:
    name = value["_M_pathname"]
    pointer = tuple_values(value["_M_cmpts"]["_M_impl"]["_M_t"]["_M_t"])[0].number
    summary, kind = ("filesystem::path ", name), _PATH_KINDS.get(pointer & 3)
    # libstdc++ compares the text of the kind, which a letter makes a number.
    without_kinds = Printed(summary, EMPTY if pointer & 3 else _path_parts(value, pointer, {}))
    parts = EMPTY if pointer & 3 else _path_parts(value, pointer, _PATH_KINDS)
    return Printed((*summary, f" [{kind}]" if kind else ""), parts, formatted=without_kinds)


def _path_parts(path: Object, address: int, kinds: Mapping[int, str]) -> Iterator[Child]:
    """Yield the parts of a path of several, which has them behind their number and the room for
    them: each is a path and its position. `kinds`: as `_PATH_KINDS`."""
    header = path.at(address, Base(BaseType("int", "signed", 32, path.endian)))
    size = path.size_bytes + path.pointer_bytes
    for index in range(header.number):
        part = path.at(address + 2 * header.size_bytes + index * size, path.type)
        values = tuple_values(part["_M_cmpts"]["_M_impl"]["_M_t"]["_M_t"])
        yield f"[{kinds.get(values[0].number & 3, index)}]", part["_M_pathname"]


def _ordering(value: Object) -> Printed:
    same = "equal" if "strong" in value.name else "equivalent"
    names = {-1: "less", 0: same, 1: "greater", 2: "unordered"}
    name = names.get(value["_M_value"].number)
    if name is None:
        raise UnexpectedLayout("a number that is not an ordering")
    return Printed(f"{own_name(value)}::{name}")


def _variant(value: Object) -> Printed:
    title = _variant_title(value)
    index = value["_M_index"]
    number = index.number & (1 << 8 * index.size_bytes) - 1
    union = value["_M_u"]
    for _ in range(min(number, _MAX_ALTERNATIVES)):
        tail = union.find("_M_rest")
        if tail is None:
            return common.variant(title, number, None)
        union = tail
    first = union.find("_M_first")
    if first is None:
        return common.variant(title, number, None)
    storage = first["_M_storage"]
    return common.variant(title, number, storage.cast(first.template_type(0)))


def _alternatives(value: Object) -> Iterator[Type | None]:
    """Yield the types of a variant, which its class has as text only."""
    union: Object | None = value["_M_u"]
    for _ in range(_MAX_ALTERNATIVES):
        first = None if union is None else union.find("_M_first")
        if union is None or first is None:
            return
        yield first.template_type(0)
        union = union.find("_M_rest")


def _variant_title(value: Object) -> str:
    arguments = [short_name(argument) for argument in template_arguments(value.name)]
    if value.is_in_c:
        arguments = [common.alternative_type(kind, value) for kind in _alternatives(value)]
    return f"{own_name(value)}<{', '.join(arguments)}>"


def _unique_ptr(value: Object) -> Printed:
    title = f"{own_name(value)}<{short_type(value.template_type(0), value)}>"
    inner = value["_M_t"]
    values = tuple_values(inner.find("_M_t") or inner)
    if not values:
        raise UnexpectedLayout("a pointer of another layout")
    return Printed(title, (("get()", values[0]),))


def _shared_ptr(value: Object) -> Printed:
    title = f"{own_name(value)}<{short_type(value.template_type(0), value)}>"
    control = value["_M_refcount"]["_M_pi"]
    if not control.number:
        return common.shared(title, value["_M_ptr"], None)
    counts = control.target()
    use, weak = counts["_M_use_count"].number, counts["_M_weak_count"].number
    # All owners together are one of those who keep the counts.
    return common.shared(title, value["_M_ptr"], (use, weak - 1 if use else weak))


def _bitset(value: Object) -> Printed:
    return common.bitset(value, "_M_w")


def _initializer_list(value: Object) -> Printed:
    first, count = value.find("_M_array", "__begin_"), value.find("_M_len", "__size_")
    if first is None or count is None:  # libc++'s is in the same namespace
        raise UnexpectedLayout("a list of another layout")
    return common.sequence(own_name(value), first.target(), count.number)


def _span(value: Object) -> Printed:
    extent = value["_M_extent"].find("_M_extent_value")
    count = common.number_argument(value, 1) if extent is None else extent.number
    return common.sequence(own_name(value), value["_M_ptr"].target(), count)


def _atomic(value: Object) -> Printed:
    base = value.find("_M_b", "_M_base") or value  # of a pointer, or bool
    inner = base.find("_M_i", "_M_fp", "_M_p")
    if inner is None:
        raise UnexpectedLayout("an atomic of another layout")
    return common.atomic(value, inner)


def _vector_iterator(value: Object) -> Printed:
    return common.pointed(value, value["_M_current"], "std::vector")


def _deque_iterator(value: Object) -> Printed:
    return common.pointed(value, value["_M_cur"], "std::deque")


def _bit_iterator(value: Object) -> Printed:
    return common.bit_iterator(value["_M_p"], value["_M_offset"].number)


def _bit_reference(value: Object) -> Printed:
    return common.bit_reference("std::vector<bool>", value["_M_p"], value["_M_mask"])


def _node_iterator(value: Object) -> Printed:
    """Return, for a list or a tree, the element of its node.

    GCC does not always describe the template parameter; the member `pointer` has its type too.
    """
    node = value["_M_node"]
    pointer = strip(value.typedef("pointer"))
    kind = pointer.target if isinstance(pointer, Pointer) else value.template_type(0)
    if not node.number:
        noun = next(noun for kind, noun in _CONTAINERS_OF_NODES.items() if kind in own_name(value))
        return Printed(f"non-dereferenceable iterator for {noun}")
    element_at = _element_of(value, size_bytes_of(node.target().type), kind)
    return Printed(element_at(node.number))


_CONTAINERS: Final[dict[str, Show]] = {
    "deque": _deque, "forward_list": _forward_list, "list": _list, "__cxx11::list": _list,
    "map": _map, "multimap": _map, "multiset": _set, "set": _set,
    "unordered_map": _unordered_map, "unordered_multimap": _unordered_map,
    "unordered_multiset": _unordered_set, "unordered_set": _unordered_set, "vector": _vector,
    "bitset": _bitset,
}  # fmt: skip
_OTHERS: Final[dict[str, Show]] = {
    "__cxx11::basic_string": _string, "basic_string": _string, "basic_string_view": _string_view,
    "pair": common.pair, "tuple": _tuple, "optional": _optional, "variant": _variant, "any": _any,
    "filesystem::path": _path, "filesystem::__cxx11::path": _path,
    "partial_ordering": _ordering, "strong_ordering": _ordering, "weak_ordering": _ordering,
    "unique_ptr": _unique_ptr, "shared_ptr": _shared_ptr, "weak_ptr": _shared_ptr,
    "stack": common.adapter, "queue": common.adapter, "priority_queue": common.adapter,
    "initializer_list": _initializer_list, "span": _span, "atomic": _atomic,
    "_Deque_iterator": _deque_iterator,
    "_Bit_iterator": _bit_iterator, "_Bit_const_iterator": _bit_iterator,
    "_Bit_reference": _bit_reference,
    "_Fwd_list_iterator": _node_iterator, "_Fwd_list_const_iterator": _node_iterator,
    "_List_iterator": _node_iterator, "_List_const_iterator": _node_iterator,
    "_Rb_tree_iterator": _node_iterator, "_Rb_tree_const_iterator": _node_iterator,
}  # fmt: skip

LIBSTDCXX: Final = Collection(
    "libstdc++-v6",
    tuple(
        sorted(
            (
                *(
                    Printer(f"std::{name}", rf"std::(?:__debug::|__cxx1998::|__8::)?{name}", show)
                    for name, show in _CONTAINERS.items()
                ),
                *(
                    Printer(f"std::{name}", rf"std::(?:__8::)?{name}", show)
                    for name, show in _OTHERS.items()
                ),
                Printer(
                    "__gnu_cxx::__normal_iterator",
                    r"__gnu_cxx::(?:__8::)?__normal_iterator",
                    _vector_iterator,
                ),
            ),
            key=lambda printer: printer.name,
        )
    ),
)
