"""What an instruction must know of registers, and what it only copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.isa.binding import Operand, Use, effects, uses
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.modifiers import OP_SELECT
from dwarfgpu.isa.operands import Constant
from dwarfgpu.isa.operation import without_suffix
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.semantics.byte_influences import (
    are_of_halves,
    are_sums,
    has_influences,
)
from dwarfgpu.machine.simulated.semantics.instruction_operands import Bound, bound
from dwarfgpu.machine.simulated.semantics.scalar_bits import ScalarBits, scalar_bits
from dwarfgpu.machine.simulated.semantics.selected_influences import (
    DWORD,
    PlacedResult,
    SelectedSource,
)
from dwarfgpu.machine.simulated.semantics.source_statements import MOVES_BY_M0
from dwarfgpu.machine.simulated.semantics.vector_bytes import (
    HIGH,
    LOW,
    WHOLE,
    Dword,
    bytes_accumulated,
    bytes_read,
    bytes_written,
    reads_high_half,
)

COPIES_TO: Final = frozenset({"v", "a", "s", "vcc", "m0", "null"})
"""Registers that may be unknown: a copy to any other needs its source."""
_SCALAR_BANKS: Final = frozenset(
    {"s", "vcc", "exec", "m0", "ttmp", "flat_scratch", "xnack_mask", "null"}
)
"""Registers that are numbers of a wave; others are made of these, or the hardware provides them."""
_SCC: Final = Register("scc", 0, 1)
_FETCH_INACTIVE: Final = (1, 0xEA)
"""`fi` of dpp_ctrl and of dpp8."""
_MOVES: Final = ("v_mov_b", "v_movrel", "v_accvgpr_")
_SCALAR_COPIES: Final = ("s_mov_b", "s_movrel", "v_readlane", "v_readfirstlane", "v_writelane")
"""They copy one number, from and to a scalar register or a lane."""
_LANE_COPIES: Final = ("v_readlane", "v_writelane")
_SELECTIONS: Final = "v_cndmask_b"
"""They copy one of two sources, as a mask says for each lane."""
_MOVED_BY_M0: Final = {
    **MOVES_BY_M0,
    **{f"s_movrel{name}": indexed for name, indexed in (("s_b32", 1), ("s_b64", 1))},
    **{f"s_movrel{name}": indexed for name, indexed in (("d_b32", 8), ("d_b64", 8))},
    "s_movrelsd_2_b32": 9,
}
"""Which operands M0 moves, as bits of `Indexing.indexed`."""
_MOVES_BY_HALVES: Final = frozenset({"v_movrelsd_2_b32", "s_movrelsd_2_b32"})
"""Their source moves by the low half of M0, their destination by the high one."""
_INDEX_OF_MODE: Final = 0xF0FF
"""The bits of M0 that `s_set_gpr_idx_on` writes: the index, and which operands it moves."""
_KEPT_OF_M0: Final = {
    "s_set_gpr_idx_on": 0xFFFF0F00,
    "s_set_gpr_idx_idx": 0xFFFFFF00,
    "s_set_gpr_idx_mode": 0xFFFF0FFF,
}
"""The bits of M0 that stay as they are."""
_NEEDS_NO_M0: Final = frozenset({"s_sendmsg", *_KEPT_OF_M0})
_CHOICES: Final = ("s_cselect_b", "s_cmov")
"""They copy one of two scalar sources, as SCC says."""
_PERMUTES: Final = (
    *("v_permlane16_b", "v_permlanex16_b", "v_permlane16_var", "v_permlanex16_var"),
    "v_permlane64",
)
"""They read the first source in the lanes that numbers name."""
_KEEPS_OTHER_BITS: Final = (
    *("v_writelane", "v_mad_mixlo", "v_mad_mixhi", "v_fma_mixlo", "v_fma_mixhi"),
    *("v_cvt_pk_fp8", "v_cvt_pk_bf8", "v_cvt_sr_fp8", "v_cvt_sr_bf8"),
    *_PERMUTES,
)
"""They write a part of the destination, or some of its lanes; the rest stays. Loads do, too."""

Value: TypeAlias = "Register | Constant | int | None"
Choice: TypeAlias = tuple[Register | None, Register | None]
"""The source that is copied if SCC is 1, and the other; None for constants."""


class Selection(NamedTuple):
    """An operation that copies one of two sources in each lane."""

    first: Value
    """The source of lanes whose bit is 0."""
    second: Value
    mask: Value
    is_moved: bool
    """Whether DPP takes the first source from other lanes."""


class Influenced(NamedTuple):
    """An operation whose bytes of the result depend on some bits of the sources alone."""

    name: str
    values: tuple[Value, ...]
    """The sources, but for masks of lanes."""
    modifiers: tuple[int, ...]
    """Of the sources."""
    parts: tuple[SelectedSource, ...]
    """What is read of the sources."""
    placed: PlacedResult
    """Where the result is placed in its register."""
    result: Register
    masks: tuple[Register, ...]
    """Results with a bit for each lane, which depends on all."""
    selection: Selection | None
    """The choice of one of the two sources that it is."""
    is_copy: bool
    """Whether no byte of the result need be known."""


class Indexing(NamedTuple):
    """How M0 moves the registers of an instruction."""

    indexed: int = 0
    """Which operands, as in `StepMode.indexed`."""
    source: int = 0
    destination: int = 0
    """What is added to the numbers of registers."""
    bits: int = 0
    """The bits of M0 that say so."""


_NOT_INDEXED: Final = Indexing()


@frozen(eq=False)
class Needs:
    """What an instruction must know, and what it only copies."""

    name: str
    """The mnemonic without suffixes; empty where the suffixes change what is read."""
    values: tuple[Value, ...]
    """The sources."""
    influenced: tuple[Influenced, ...]
    """The operations whose bytes depend on some bits of the sources; the sources are in no other
    field."""
    needed: tuple[Register, ...]
    read: Mapping[Dword, int]
    """The bytes that are read of registers, where these are not all of the dword."""
    copied: tuple[Register, ...]
    """Registers, one after the other as the dwords of the results, or of memory."""
    results: tuple[Register, ...]
    written: Mapping[Dword, int]
    """The bytes that are written of vector registers, where these are not all of the dword."""
    is_aligned: bool
    """Whether each byte is copied to one of its own."""
    first_byte: int
    """The byte of a dword that the first one of memory is copied from or to."""
    is_pair: bool
    """Whether each access has a part of its own of the registers."""
    is_masked: bool
    reads_inactive: bool
    """Whether it reads vector registers of lanes that do not execute, too."""
    is_load: bool
    is_store: bool
    scalar: Use | None
    """The copy of one number that it is."""
    lane: Value
    """The number of the lane that it copies from or to."""
    choice: Choice | None
    """The two sources, if it copies one of them."""
    masks: tuple[Register, ...]
    """Registers with a bit for each lane, read in the lanes that execute."""
    selections: tuple[Selection, ...]
    permuted: Register | None
    """What is read in the lanes that numbers name."""
    kept_of_m0: int
    """The bits of M0 that it keeps, where it writes the others."""
    scalar_bits: ScalarBits | None
    """The scalar operation that it is, of whose result some bits may be known. Its sources are
    `values`."""
    whole: tuple[Register, ...]
    """Results that must be known: of EXEC, the lanes of the wave, of any other all bits."""


def indexing_of(instruction: Instruction, indexed: int, m0: int) -> Indexing:
    """Return how M0 moves registers; `indexed`: as `s_set_gpr_idx_on` has said."""
    if not indexed and not instruction.mnemonic.startswith(("v_movrel", "s_movrel")):
        return _NOT_INDEXED
    name = without_suffix(instruction.mnemonic)
    if name in _MOVES_BY_HALVES:
        return Indexing(_MOVED_BY_M0[name], m0 & 0x3FF, m0 >> 16 & 0x3FF, 0x3FF03FF)
    if name in _MOVED_BY_M0:
        return Indexing(_MOVED_BY_M0[name], m0, m0, 0xFFFFFFFF)
    if indexed and name.startswith("v_"):
        return Indexing(indexed, m0 & 0xFF, m0 & 0xFF, _INDEX_OF_MODE)
    return _NOT_INDEXED


def _moved(use: Use, indexing: Indexing) -> Use:
    """Return an operation with the registers that it has by M0."""
    banks = ("s",) if use.operation.is_scalar else ("v", "a")
    sources = tuple(
        _by_index(operand, indexing.source, banks) if indexing.indexed >> number & 1 else operand
        for number, operand in enumerate(use.sources[:3])
    )
    results = use.results
    if indexing.indexed & 8 and results:
        results = (_by_index(results[0], indexing.destination, banks), *results[1:])
    return evolve(use, sources=(*sources, *use.sources[3:]), results=results)


def _by_index(operand: Operand, offset: int, banks: tuple[str, ...]) -> Operand:
    value = operand.value
    if not isinstance(value, Register) or value.bank not in banks:
        return operand
    return operand._replace(value=value._replace(first=value.first + offset))


def needs_of(instruction: Instruction, indexing: Indexing = _NOT_INDEXED) -> Needs:
    """Return the needs; `WaveStop` for an instruction that is not simulated."""
    instruction_uses = uses(instruction)
    if indexing.indexed:
        instruction_uses = tuple(_moved(use, indexing) for use in instruction_uses)
    use = instruction_uses[0]
    is_single = len(instruction_uses) == 1
    fields = dict(_fields(instruction))
    is_dpp, is_sdwa = bool(fields.keys() & {"dpp_ctrl", "dpp8"}), "src0_sel" in fields
    influenced: tuple[Influenced | None, ...] = (None,) * len(instruction_uses)
    if not is_dpp and not (is_sdwa and indexing.indexed):
        target = instruction.encoding.format.target
        influenced = tuple(
            _influenced(one, item, target)
            for one, item in zip(instruction_uses, bound(instruction), strict=True)
        )
    if is_single and instruction.mnemonic.startswith(_MOVES) and not is_sdwa:
        influenced = (None,)
    rests = tuple(
        _without_masks(one, is_influenced=part is not None)
        for one, part in zip(instruction_uses, influenced, strict=True)
    )
    reads, writes = effects(instruction, rests)
    is_load, is_store = _memory_copies(use) if is_single else (False, False)
    lanes = [operand.value for operand in use.sources if _is_lane(use, operand)]
    is_scalar = is_single and instruction.mnemonic.startswith(_SCALAR_COPIES)
    if use.operation.name.startswith(_LANE_COPIES) and not lanes:
        is_scalar = False  # which lane it copies, no register says
    is_move = (
        is_single
        and instruction.mnemonic.startswith(_MOVES)
        and not is_dpp
        and influenced[0] is None
    )
    is_copied = all(register.bank in COPIES_TO for register in writes)
    copied = _copied(use, is_store=is_store, is_move=is_move, is_scalar=is_scalar)
    choice = _choice(use) if instruction.mnemonic.startswith(_CHOICES) else None
    permuted = use.sources[0].value if instruction.mnemonic.startswith(_PERMUTES) else None
    read, written = _bytes(instruction, instruction_uses, is_load=is_load)
    first_byte, is_aligned = _alignment(use, fields, written, is_move=is_move)
    values = tuple(operand.value for operand in use.sources)
    is_plain = is_single and not is_dpp and not is_sdwa
    name = without_suffix(instruction.mnemonic) if is_plain else ""
    bits = None
    if is_single and all(_has_bits(value) or value == _SCC for value in values):
        bits = scalar_bits(use.operation)
    is_done = frozenset(
        (*(copied if is_copied else ()), *(choice or ()), *(values if bits else ()))
    )
    if permuted not in values[1:]:
        is_done |= {permuted}
    return Needs(
        name,
        values,
        tuple(part for part in influenced if part is not None),
        _needed(instruction, use, reads, is_done, is_load=is_load),
        {dword: mask for dword, mask in read.items() if mask != WHOLE},
        copied if is_copied and not is_scalar else (),
        tuple(register for register in writes if register.bank in COPIES_TO),
        {dword: mask for dword, mask in written.items() if mask != WHOLE},
        is_aligned,
        first_byte,
        "offset0" in fields,
        any(part.operation.is_masked for part in instruction_uses),
        is_dpp
        and fields.get("fi") in _FETCH_INACTIVE
        or permuted is not None
        and bool(fields.get("src0_modifiers", 0) & OP_SELECT),
        is_load,
        is_store,
        use if is_scalar and is_copied else None,
        lanes[0] if lanes else None,
        choice,
        tuple(dict.fromkeys(_masks(instruction_uses))),
        tuple(
            selection
            for one, part in zip(instruction_uses, influenced, strict=True)
            if part is None and (selection := _selection(one, is_dpp=is_dpp)) is not None
        ),
        _register(permuted) if _is_vector(permuted) else None,
        _KEPT_OF_M0.get(instruction.mnemonic, 0),
        bits,
        tuple(register for register in writes if register.bank not in (*COPIES_TO, "scc")),
    )


def _has_bits(value: Value) -> bool:
    """Return whether `UnknownContents` has the bits of a scalar source."""
    return not isinstance(value, Register) or value.bank in _SCALAR_BANKS


def _influenced(use: Use, item: Bound, target: IsaTarget) -> Influenced | None:
    """Return an operation whose bytes depend on some bits of the sources; None for any other."""
    name = use.operation.name
    if not has_influences(name) or item.fields.get("clamp") and are_sums(name):
        return None  # what is out of range sets all bits
    values = tuple(
        operand.value
        for operand in use.sources
        if not _is_mask(use, operand) and not _keeps_rest(use, operand, is_load=False)
    )
    results = [operand.value for operand in use.results]
    registers = [value for value in results if isinstance(value, Register)]
    if not (
        registers
        and len(registers) == len(results)
        and _is_vector(registers[0])
        and all(register.bank in COPIES_TO for register in registers)
        and all(_is_vector(value) or _has_bits(value) for value in values)
    ):
        return None
    sources = item.sources[: len(values)]
    modifiers = tuple(operand.modifiers for operand in sources)
    if are_of_halves(name) and item.is_sdwa:
        modifiers = (0,) * (len(values) + 1)  # low halves of what is selected
    elif are_of_halves(name):
        are_high = [
            *(reads_high_half(item, target, source) for source in item.sources),
            HIGH in bytes_written(item, target).values(),
        ]
        modifiers = tuple(OP_SELECT if is_high else 0 for is_high in are_high)
    return Influenced(
        name,
        values,
        modifiers,
        tuple(SelectedSource(source.select, source.is_sign_extended) for source in sources),
        PlacedResult(item.fields.get("dst_sel", DWORD), item.fields.get("dst_unused", 0)),
        registers[0],
        tuple(register for register in registers[1:] if register.bank != "null"),
        _selection(use, is_dpp=False),
        name.startswith(_MOVES) or name == "v_pk_mov_b32",
    )


def _is_mask(use: Use, operand: Operand) -> bool:
    """Return whether a source has a bit for each lane, which the lane alone reads; False for one
    that is made of another register, as `src_vccz` is: each bit depends on all of that."""
    name_or_type = operand.declared.name_or_type
    is_made_of_lanes = name_or_type in ("mask", "vcc") and _has_bits(operand.value)
    return use.operation.is_masked and is_made_of_lanes


def _masks(instruction_uses: Iterable[Use]) -> Iterator[Register]:
    for use in instruction_uses:
        for operand in use.sources:
            if _is_mask(use, operand) and isinstance(operand.value, Register):
                yield operand.value


def _selection(use: Use, *, is_dpp: bool) -> Selection | None:
    if not use.operation.name.startswith(_SELECTIONS):
        return None
    first, second, mask = (operand.value for operand in use.sources[:3])
    if not _has_bits(mask):
        return None
    return Selection(first, second, mask, is_dpp)


def _is_index(use: Use, operand: Operand) -> bool:
    """Return whether a source is M0 as `Indexing` has it."""
    return operand.declared.name == "m0" and use.operation.name in _MOVED_BY_M0


def _is_lane(use: Use, operand: Operand) -> bool:
    """Return whether a source is the number of a lane, whose low bits are read."""
    is_second = use.operation.name.startswith(_LANE_COPIES) and operand is use.sources[1]
    return is_second and _has_bits(operand.value)


def _without_masks(use: Use, *, is_influenced: bool) -> Use:
    """Return an operation without sources that are a mask, the index in M0 or the number of a lane,
    and without two sources that a mask selects from; without any if it is influenced by some bits
    of them."""
    if is_influenced:
        return evolve(use, sources=())
    selected = use.sources[:2] if _selection(use, is_dpp=False) is not None else ()
    return evolve(
        use,
        sources=tuple(
            operand
            for operand in use.sources
            if not (
                _is_mask(use, operand)
                or _is_index(use, operand)
                or _is_lane(use, operand)
                or operand in selected
                and (_is_vector(operand.value) or _has_bits(operand.value))
            )
        ),
    )


def _is_vector(value: Value) -> bool:
    return isinstance(value, Register) and value.bank in ("v", "a")


def _memory_copies(use: Use) -> tuple[bool, bool]:
    """Return whether an operation is a load, and whether it is a store."""
    if any(declared in use.operation.sources for declared in use.operation.results):
        return False, False
    memory = use.operation.memory
    sources = {operand.declared for operand in use.sources}
    results = {operand.declared for operand in use.results}
    return any(one in sources for one in memory), any(one in results for one in memory)


def _copied(use: Use, *, is_store: bool, is_move: bool, is_scalar: bool) -> tuple[Register, ...]:
    """Return the registers that an operation copies."""
    if is_scalar:
        first = use.sources[0].value
        return (first,) if isinstance(first, Register) else ()
    if not (is_store or is_move):
        return ()
    return tuple(
        operand.value
        for operand in use.sources
        if isinstance(operand.value, Register)
        and (is_move or operand.value.bank in ("v", "a"))
        and operand.declared.name != "d"
        and not _is_index(use, operand)
    )


def _bytes(
    instruction: Instruction, instruction_uses: tuple[Use, ...], *, is_load: bool
) -> tuple[dict[Dword, int], dict[Dword, int]]:
    """Return the bytes of registers that are read, and those of vector registers that are
    written."""
    target = instruction.encoding.format.target
    read: dict[Dword, int] = {}
    written: dict[Dword, int] = {}
    for use, item in zip(instruction_uses, bound(instruction), strict=True):
        parts = [bytes_read(item, target)]
        if any(
            operand.declared.name == "d" and not _keeps_rest(use, operand, is_load=is_load)
            for operand in use.sources
        ):
            parts.append(bytes_accumulated(item, target))
        for part in parts:
            for dword, mask in part.items():
                read[dword] = read.get(dword, 0) | mask
        written |= bytes_written(item, target)
        whole = [
            operand.value
            for operand in use.sources
            if not operand.declared.is_operand
            and operand.declared.name != "d"
            and not _is_mask(use, operand)
        ]
        for register in filter(None, map(_register, (*whole, *use.addresses))):
            for number in range(register.size):
                read[register.bank, register.first + number] = WHOLE
    return read, written


def _alignment(
    use: Use, fields: Mapping[str, int], written: Mapping[Dword, int], *, is_move: bool
) -> tuple[int, bool]:
    """Return the byte of a register where memory begins, and whether each byte is copied to one of
    its own."""
    if not use.operation.memory:
        is_whole = all(mask == WHOLE for mask in written.values())
        return 0, is_move and is_whole and "src0_sel" not in fields
    is_high = use.operation.is_store and "_d16_hi" in use.operation.name
    masks = {mask for mask in written.values() if mask != WHOLE}
    if use.operation.is_store and not use.operation.is_load:
        return 2 if is_high else 0, True
    bits = use.operation.memory[0].type[1:]
    is_half = bits == "16" and bool(masks)
    return 2 if masks == {HIGH} else 0, bits in ("32", "64") or is_half and masks <= {LOW, HIGH}


def _needed(
    instruction: Instruction,
    use: Use,
    reads: tuple[Register, ...],
    is_done: frozenset[Value],
    *,
    is_load: bool,
) -> tuple[Register, ...]:
    """Return the registers that must be known. `is_done`: those that are looked at otherwise."""
    kept = {operand.value for operand in use.sources if _keeps_rest(use, operand, is_load=is_load)}
    used = {
        operand.value for operand in use.sources if not _keeps_rest(use, operand, is_load=is_load)
    }
    values = kept | used
    return tuple(
        register
        for register in reads
        if register in use.addresses
        or not (register.bank == "m0" and instruction.mnemonic in _NEEDS_NO_M0)
        and not (register.bank == "flat_scratch" and register not in values)  # by the apertures
        and register not in is_done
        and (register not in kept or register in used)
    )


def _fields(instruction: Instruction) -> Iterable[tuple[str, int]]:
    form = instruction.encoding.format
    return zip(form.names, form.values(instruction.word, instruction.extra), strict=True)


def _choice(use: Use) -> Choice:
    """Return the source that is copied if SCC is 1, and the other."""
    first, second = (operand.value for operand in use.sources if operand.declared.name != "scc")
    return _register(first), _register(second)


def _register(value: Value) -> Register | None:
    return value if isinstance(value, Register) else None


def _keeps_rest(use: Use, operand: Operand, *, is_load: bool) -> bool:
    """Return whether a source is the destination, and only the bits and lanes of it count that the
    instruction does not write."""
    if operand.declared.name != "d":
        return False
    is_computed_with = operand.declared in use.operation.sources  # unlike SDWA's dst_unused
    return is_load or not is_computed_with or use.operation.name.startswith(_KEEPS_OTHER_BITS)
