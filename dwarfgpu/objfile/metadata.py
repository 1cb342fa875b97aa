"""Kernel metadata written by the compiler (AMDGPU usage, "Code Object Metadata").

V3 and later keep it as MessagePack under keys like `.sgpr_count`, V2 as YAML under keys like
`NumSGPRs`; both become the same nouns here. Law: a key of the documents with a value of the wrong
type is `Malformed`; a key that is not in the documents is kept under its own name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import Malformed, counted
from dwarfgpu.objfile.metadata_value import (
    Metadata,
    ValueBudget,
    as_list,
    as_map,
    as_number,
    as_numbers,
    as_text,
)
from dwarfgpu.objfile.msgpack import unpack

Dimensions = tuple[int, ...]


@frozen
class Argument:
    """One argument of a kernel, as laid out in the kernarg segment."""

    value_kind: str
    size_bytes: int
    offset_bytes: int
    """Offset; for V2, whose metadata has none, computed from sizes and alignments."""
    name: str | None = None
    type_name: str | None = None
    align_bytes: int | None = None
    value_type: str | None = None
    pointee_align_bytes: int | None = None
    address_space: str | None = None
    access: str | None = None
    actual_access: str | None = None
    qualifiers: tuple[str, ...] = ()
    """Some of `const`, `restrict`, `volatile` and `pipe`."""

    @property
    def is_hidden(self) -> bool:
        """The compiler made it, not the programmer."""
        return self.value_kind.startswith("hidden_")

    @property
    def end(self) -> int:
        """Where the next one may begin."""
        return self.offset_bytes + self.size_bytes

    @property
    def extent_text(self) -> str:
        """`limit has 4 bytes at 16`."""
        kind = self.name or self.value_kind
        return f"{kind} has {counted(self.size_bytes, 'byte')} at {self.offset_bytes}"


@frozen
class KernelMetadata:
    """What the metadata says of one kernel; None for what it does not say."""

    name: str
    symbol: str
    """The symbol of the descriptor: `k.kd`, or `k@kd` in V2."""
    language: str | None = None
    language_version: Dimensions | None = None
    kind: str | None = None
    """`normal`, `init` or `fini`."""
    required_workgroup_size: Dimensions | None = None
    workgroup_size_hint: Dimensions | None = None
    max_flat_workgroup_size: int | None = None
    cluster_dims: Dimensions | None = None
    vec_type_hint: str | None = None
    device_enqueue_symbol: str | None = None
    kernarg_bytes: int | None = None
    kernarg_align_bytes: int | None = None
    lds_bytes: int | None = None
    scratch_bytes: int | None = None
    wave_size: int | None = None
    sgpr_count: int | None = None
    vgpr_count: int | None = None
    agpr_count: int | None = None
    sgpr_spill_count: int | None = None
    vgpr_spill_count: int | None = None
    uses_dynamic_stack: bool | None = None
    workgroup_processor_mode: bool | None = None
    uniform_work_group_size: bool | None = None
    arguments: tuple[Argument, ...] = ()
    unknown_keys: Mapping[str, Metadata] = field(factory=dict)
    """Keys that the documents do not have."""

    @property
    def descriptor_symbol(self) -> str:
        """The name of the symbol of the descriptor; the metadata of LLVM 5 have none."""
        return self.symbol.removesuffix("@kd") or self.name


@frozen
class CodeObjectMetadata:
    """The metadata of a code object."""

    version: Dimensions
    target: str | None
    """As in `amdgcn-amd-amdhsa--gfx90a:xnack+`, since V4."""
    kernels: tuple[KernelMetadata, ...]
    printf: tuple[str, ...] = ()
    lost_keys: tuple[str, ...] = ()
    """Where a required key is missing beside an unknown one, which may be what is left of it."""


class _Keys:
    """The keys of one version: a table for each of the many kernels would take most of the time."""

    def __init__(self, rows: Mapping[str, tuple[str, str]], column: int) -> None:
        self.by_name = {name: row[column] for name, row in rows.items()}
        self.known = frozenset(self.by_name.values())
        self.groups = tuple({key.partition("/")[0] for key in self.known if "/" in key})


def _since_v3_and_v2(rows: Mapping[str, tuple[str, str]]) -> tuple[_Keys, _Keys]:
    """Return the keys since V3, and those of V2."""
    return _Keys(rows, 0), _Keys(rows, 1)


_KERNEL_KEYS: Final = _since_v3_and_v2({
    "name": (".name", "Name"),
    "symbol": (".symbol", "SymbolName"),
    "language": (".language", "Language"),
    "language_version": (".language_version", "LanguageVersion"),
    "kind": (".kind", ""),
    "required_workgroup_size": (".reqd_workgroup_size", "Attrs/ReqdWorkGroupSize"),
    "workgroup_size_hint": (".workgroup_size_hint", "Attrs/WorkGroupSizeHint"),
    "max_flat_workgroup_size": (".max_flat_workgroup_size", "CodeProps/MaxFlatWorkGroupSize"),
    "cluster_dims": (".cluster_dims", ""),
    "vec_type_hint": (".vec_type_hint", "Attrs/VecTypeHint"),
    "device_enqueue_symbol": (".device_enqueue_symbol", "Attrs/RuntimeHandle"),
    "kernarg_bytes": (".kernarg_segment_size", "CodeProps/KernargSegmentSize"),
    "kernarg_align_bytes": (".kernarg_segment_align", "CodeProps/KernargSegmentAlign"),
    "lds_bytes": (".group_segment_fixed_size", "CodeProps/GroupSegmentFixedSize"),
    "scratch_bytes": (".private_segment_fixed_size", "CodeProps/PrivateSegmentFixedSize"),
    "wave_size": (".wavefront_size", "CodeProps/WavefrontSize"),
    "sgpr_count": (".sgpr_count", "CodeProps/NumSGPRs"),
    "vgpr_count": (".vgpr_count", "CodeProps/NumVGPRs"),
    "agpr_count": (".agpr_count", ""),
    "sgpr_spill_count": (".sgpr_spill_count", "CodeProps/NumSpilledSGPRs"),
    "vgpr_spill_count": (".vgpr_spill_count", "CodeProps/NumSpilledVGPRs"),
    "uses_dynamic_stack": (".uses_dynamic_stack", "CodeProps/IsDynamicCallStack"),
    "workgroup_processor_mode": (".workgroup_processor_mode", ""),
    "uniform_work_group_size": (".uniform_work_group_size", ""),
    "arguments": (".args", "Args"),
})  # fmt: skip
"""Key of each attribute since V3, and in V2, where some are in a group; empty for none."""
_ARGUMENT_KEYS: Final = _since_v3_and_v2({
    "name": (".name", "Name"),
    "type_name": (".type_name", "TypeName"),
    "size_bytes": (".size", "Size"),
    "offset_bytes": (".offset", ""),
    "align_bytes": ("", "Align"),
    "value_kind": (".value_kind", "ValueKind"),
    "value_type": (".value_type", "ValueType"),
    "pointee_align_bytes": (".pointee_align", "PointeeAlign"),
    "address_space": (".address_space", "AddrSpaceQual"),
    "access": (".access", "AccQual"),
    "actual_access": (".actual_access", "ActualAccQual"),
    "const": (".is_const", "IsConst"),
    "restrict": (".is_restrict", "IsRestrict"),
    "volatile": (".is_volatile", "IsVolatile"),
    "pipe": (".is_pipe", "IsPipe"),
})  # fmt: skip
_REQUIRED: Final = frozenset({"amdhsa.version", "amdhsa.kernels"})
_KNOWN: Final = _REQUIRED | {"amdhsa.target", "amdhsa.printf"}
_REQUIRED_OF_KERNEL: Final = frozenset({
    ".name", ".symbol", ".kernarg_segment_size", ".group_segment_fixed_size",
    ".private_segment_fixed_size", ".kernarg_segment_align", ".wavefront_size", ".sgpr_count",
    ".vgpr_count", ".max_flat_workgroup_size",
})  # fmt: skip
_REQUIRED_OF_ARGUMENT: Final = frozenset({".size", ".offset", ".value_kind"})
"""The keys that every map has since V3; V2 requires few (AMDGPU usage, "Code Object V3
Metadata")."""
_QUALIFIERS: Final = ("const", "restrict", "volatile", "pipe")
_HUMP: Final = pattern(r"(?<=[a-z])(?=[A-Z])")
_LONGEST_ALIGNMENT_BYTES: Final = 1 << 16


def argument_fault(arguments: Sequence[Argument]) -> str | None:
    """Return how the arguments of a kernel contradict one another: two share bytes, or one that is
    no value has none. An empty structure of OpenCL C is a value of 0 bytes."""
    before = None
    for argument in sorted(arguments, key=lambda one: one.offset_bytes):
        if not argument.size_bytes:
            if argument.value_kind != "by_value":
                return argument.extent_text
            continue
        if before is not None and before.end > argument.offset_bytes:
            return f"{before.extent_text}, and {argument.extent_text}"
        before = argument
    return None


class _Table:
    """A map of the metadata, indexed by attribute names."""

    def __init__(
        self, value: Metadata, subject: str, keys: tuple[_Keys, _Keys], version: int
    ) -> None:
        self._values = dict(as_map(value, subject))
        of_version = keys[version < 3]
        self._keys, self._known = of_version.by_name, of_version.known
        for group in of_version.groups:
            inner = self._values.pop(group, None)
            if inner is not None:
                named = as_map(inner, group).items()
                self._values |= {f"{group}/{key}": member for key, member in named}

    def raw(self, name: str) -> Metadata:
        return self._values.get(self._keys[name])

    def unknown_keys(self) -> dict[str, Metadata]:
        return {key: value for key, value in self._values.items() if key not in self._known}

    def text(self, name: str) -> str | None:
        value = self.raw(name)
        # A plain scalar of YAML may look like a number and be a name.
        if isinstance(value, int) and "." not in self._keys[name]:
            return str(value)
        return None if value is None else as_text(value, self._keys[name])

    def word(self, name: str) -> str | None:
        """Return one of an enumeration: `ByValue` of V2 is `by_value`."""
        text = self.text(name)
        return None if text is None else _HUMP.sub("_", text).lower()

    def number(self, name: str) -> int | None:
        value = self.raw(name)
        return None if value is None else as_number(value, self._keys[name])

    def numbers(self, name: str) -> Dimensions | None:
        value = self.raw(name)
        return None if value is None else as_numbers(value, self._keys[name])

    def flag(self, name: str) -> bool | None:
        value = self.raw(name)
        # Compilers write some flags as 0 and 1.
        if value is None or isinstance(value, bool) or value in (0, 1):
            return None if value is None else bool(value)
        raise Malformed(f"{self._keys[name]} of the metadata is neither true nor false")


def metadata_v3(data: bytes, budget: ValueBudget | None = None) -> CodeObjectMetadata:
    """Return the content of NT_AMDGPU_METADATA; `Malformed`, `Unsupported` or `LimitExceeded` if it
    cannot be read."""
    budget = budget or ValueBudget()
    top = as_map(unpack(data, budget), "the metadata")
    metadata = _metadata(top, 3, "amdhsa.{}".format, budget)
    return evolve(metadata, lost_keys=tuple(_lost_keys(top, metadata)))


def metadata_v2(data: bytes, budget: ValueBudget | None = None) -> CodeObjectMetadata:
    """Return the content of NT_AMD_AMDGPU_HSA_METADATA; errors as those of `metadata_v3`."""
    from dwarfgpu.objfile.metadata_yaml import parse_yaml  # no compiler writes it today

    try:
        text = data.split(b"\0", 1)[0].decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("the metadata is not UTF-8") from None
    budget = budget or ValueBudget()
    top = as_map(parse_yaml(text, budget), "the metadata")
    return _metadata(top, 2, str.capitalize, budget)


def _metadata(
    top: dict[str, Metadata], version: int, key: Callable[[str], str], budget: ValueBudget
) -> CodeObjectMetadata:
    target, kernels = top.get(key("target")), as_list(top.get(key("kernels")), key("kernels"))
    budget.spend_kernels(len(kernels))
    return CodeObjectMetadata(
        as_numbers(top.get(key("version")) or [], key("version")),
        None if target is None else as_text(target, key("target")),
        tuple(_kernel(kernel, version) for kernel in kernels),
        tuple(as_text(text, "a printf") for text in as_list(top.get(key("printf")), "printf")),
    )


def _lost_keys(top: dict[str, Metadata], metadata: CodeObjectMetadata) -> Iterator[str]:
    """Yield the lost keys of metadata since V3.

    `metadata`: what has been read of them.
    """
    yield from _lost_in(top, _KNOWN, _REQUIRED, "the metadata")
    known, known_of_argument = _KERNEL_KEYS[0].known, _ARGUMENT_KEYS[0].known
    values = as_list(top.get("amdhsa.kernels"), "amdhsa.kernels")
    for value, named in zip(values, metadata.kernels, strict=True):
        kernel = as_map(value, "a kernel")
        subject = f"kernel {named.name or named.symbol} of the metadata"
        yield from _lost_in(kernel, known, _REQUIRED_OF_KERNEL, subject)
        for number, argument in enumerate(as_list(kernel.get(".args"), ".args")):
            keys = as_map(argument, "an argument")
            if not keys.keys() >= _REQUIRED_OF_ARGUMENT:
                whose = f"argument {number} of {subject}"
                yield from _lost_in(keys, known_of_argument, _REQUIRED_OF_ARGUMENT, whose)


def _lost_in(
    value: dict[str, Metadata], known: frozenset[str], required: frozenset[str], subject: str
) -> Iterator[str]:
    """Yield what a map lacks, if it has unknown keys: new ones alone are those of a later
    compiler, missing ones alone those of an earlier one."""
    missing, unknown = required - value.keys(), value.keys() - known
    if missing and unknown:
        names = ", ".join(map(repr, sorted(unknown)))
        yield f"{subject} has no {', '.join(sorted(missing))}, but unknown keys: {names}"


def _kernel(value: Metadata, version: int) -> KernelMetadata:
    table = _Table(value, "a kernel", _KERNEL_KEYS, version)
    kernel = KernelMetadata(
        name=table.text("name") or "",
        symbol=table.text("symbol") or "",
        language=table.text("language"),
        language_version=table.numbers("language_version"),
        kind=table.text("kind"),
        required_workgroup_size=table.numbers("required_workgroup_size"),
        workgroup_size_hint=table.numbers("workgroup_size_hint"),
        max_flat_workgroup_size=table.number("max_flat_workgroup_size"),
        cluster_dims=table.numbers("cluster_dims"),
        vec_type_hint=table.text("vec_type_hint"),
        device_enqueue_symbol=table.text("device_enqueue_symbol"),
        kernarg_bytes=table.number("kernarg_bytes"),
        kernarg_align_bytes=table.number("kernarg_align_bytes"),
        lds_bytes=table.number("lds_bytes"),
        scratch_bytes=table.number("scratch_bytes"),
        wave_size=table.number("wave_size"),
        sgpr_count=table.number("sgpr_count"),
        vgpr_count=table.number("vgpr_count"),
        agpr_count=table.number("agpr_count"),
        sgpr_spill_count=table.number("sgpr_spill_count"),
        vgpr_spill_count=table.number("vgpr_spill_count"),
        uses_dynamic_stack=table.flag("uses_dynamic_stack"),
        workgroup_processor_mode=table.flag("workgroup_processor_mode"),
        uniform_work_group_size=table.flag("uniform_work_group_size"),
        arguments=_arguments(table.raw("arguments"), version),
        unknown_keys=table.unknown_keys(),
    )
    if not kernel.name and not kernel.symbol:
        raise Malformed("a kernel of the metadata has no name")
    return kernel


def _arguments(value: Metadata, version: int) -> tuple[Argument, ...]:
    out: list[Argument] = []
    end = 0
    for argument in as_list(value, "the arguments of a kernel"):
        table = _Table(argument, "an argument", _ARGUMENT_KEYS, version)
        size_bytes, offset_bytes = table.number("size_bytes"), table.number("offset_bytes")
        kind, align_bytes = table.word("value_kind"), table.number("align_bytes")
        if size_bytes is None or kind is None:
            raise Malformed("an argument of the metadata has no size or no value kind")
        if offset_bytes is None:
            if not 0 < (align_bytes or 1) <= _LONGEST_ALIGNMENT_BYTES:
                raise Malformed(f"an argument of the metadata has alignment {align_bytes}")
            offset_bytes = end + -end % (align_bytes or 1)
        end = offset_bytes + size_bytes
        out.append(
            Argument(
                value_kind=kind,
                size_bytes=size_bytes,
                offset_bytes=offset_bytes,
                name=table.text("name"),
                type_name=table.text("type_name"),
                align_bytes=align_bytes,
                value_type=table.word("value_type"),
                pointee_align_bytes=table.number("pointee_align_bytes"),
                address_space=table.word("address_space"),
                access=table.word("access"),
                actual_access=table.word("actual_access"),
                qualifiers=tuple(name for name in _QUALIFIERS if table.flag(name)),
            )
        )
    return tuple(out)
