"""The metadata of a code object, joined from its notes: a linker keeps the note of each object
(AMDGPU usage, "Note Records").

Law: what cannot be joined is left out, with the reason. As AMD's code object manager does it, notes
have one version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, shortened
from dwarfgpu.objfile.elf_notes import Note
from dwarfgpu.objfile.metadata import (
    CodeObjectMetadata,
    KernelMetadata,
    metadata_v2,
    metadata_v3,
)
from dwarfgpu.objfile.metadata_value import ValueBudget
from dwarfgpu.objfile.target_id import TargetId, named_target

NT_AMD_HSA_METADATA: Final = 10
NT_AMDGPU_METADATA: Final = 32
_READERS: Final = {
    ("AMDGPU", NT_AMDGPU_METADATA): metadata_v3,
    ("AMD", NT_AMD_HSA_METADATA): metadata_v2,
}


@frozen
class JoinedMetadata:
    """The metadata of all notes, and what is wrong with them."""

    metadata: CodeObjectMetadata | None
    """None if there is none that can be read."""
    problems: tuple[DwarfGpuError, ...]
    left_out: Mapping[str, DwarfGpuError]
    """Why a kernel is not in the metadata, by the symbol of its descriptor."""
    unread: DwarfGpuError | None
    """Why a note cannot be read, which may have any kernel; it is one of the problems."""


def joined_metadata(notes: Sequence[Note], limits: FileLimits, path: str) -> JoinedMetadata:
    """Return the metadata in the notes of a file."""
    described = [note for note in notes if (note.owner, note.type) in _READERS]
    return _Joining(ValueBudget(limits.metadata_values), path, len(described)).of(described)


class _Joining:
    """The notes that are joined so far; the first that can be read decides what others must be."""

    def __init__(self, budget: ValueBudget, path: str, count: int) -> None:
        self._budget, self._path, self._count = budget, path, count
        self._first: tuple[CodeObjectMetadata, Note] | None = None
        self._kernels: list[KernelMetadata] = []
        self._by_symbol: dict[str, KernelMetadata] = {}
        self._counts: Counter[str] = Counter()
        """How many kernels of all notes have a symbol."""
        self._repeated: dict[str, None] = {}
        """The symbols that several kernels of one note have, or kernels that differ."""
        self._differing: set[str] = set()
        self._printf: dict[str, None] = {}
        self._lost_keys: list[str] = []
        self._unread: DwarfGpuError | None = None
        self._unread_notes: list[int] = []
        self._refused: dict[str, list[int]] = {}
        """The numbers of notes that are not joined, by the reason."""
        self._refused_kernels: dict[str, str] = {}
        """The reason why a kernel is not joined."""

    def of(self, notes: Sequence[Note]) -> JoinedMetadata:
        for number, note in enumerate(notes, 1):
            try:
                self._budget.spend_note()
                metadata = _READERS[note.owner, note.type](note.content, self._budget)
            except DwarfGpuError as error:
                self._unread = self._unread or error
                if isinstance(error, LimitExceeded):  # there is no room for those behind it
                    self._unread_notes += range(number, len(notes) + 1)
                    break
                self._unread_notes.append(number)
                continue
            reason = self._refusal(metadata, note)
            if reason is None:
                self._join(metadata)
                continue
            self._refused.setdefault(reason, []).append(number)
            for kernel in metadata.kernels:
                self._refused_kernels.setdefault(kernel.descriptor_symbol, reason)
        return self._joined()

    def _refusal(self, metadata: CodeObjectMetadata, note: Note) -> str | None:
        """Return why metadata cannot be joined with those of the first note."""
        if self._first is None:
            self._first = metadata, note
        first, first_note = self._first
        if (note.owner, note.type) != (first_note.owner, first_note.type):
            return (
                f"of type {note.type} of {note.owner}, not {first_note.type} of {first_note.owner}"
            )
        if metadata.version != first.version:
            return f"version {_version(metadata)}, not {_version(first)} as before"
        if metadata.target != first.target and _target(metadata) != _target(first):
            return f"for {_quoted(metadata.target)}, not {_quoted(first.target)} as before"
        return None

    def _join(self, metadata: CodeObjectMetadata) -> None:
        own = set()
        for kernel in metadata.kernels:
            symbol = kernel.descriptor_symbol
            before = self._by_symbol.setdefault(symbol, kernel)
            if before != kernel:
                self._differing.add(symbol)
            self._counts[symbol] += 1
            if symbol in own or before != kernel:
                self._repeated[symbol] = None
            if symbol in own or before is kernel:  # several objects may have that of a template
                self._kernels.append(kernel)
            own.add(symbol)
        self._printf |= dict.fromkeys(metadata.printf)
        self._lost_keys += metadata.lost_keys

    def _joined(self) -> JoinedMetadata:
        problems: list[DwarfGpuError] = []
        left_out: dict[str, DwarfGpuError] = {}
        unread = self._unread
        if unread is not None:
            unread.context = self._origin(self._unread_notes)
            problems.append(unread)
        refusals: dict[str, DwarfGpuError] = {}
        for reason, numbers in self._refused.items():
            refusals[reason] = IllFormed(reason)
            refusals[reason].context = self._origin(numbers)
        left_out |= {symbol: refusals[why] for symbol, why in self._refused_kernels.items()}
        problems += refusals.values()
        for symbol in self._repeated:
            differ = ", which differ" if symbol in self._differing else ""
            count = self._counts[symbol]
            problem = Malformed(f"{self._path}: the metadata have {count} kernels {symbol}{differ}")
            problems.append(problem)
            if differ:
                left_out[symbol] = problem
        problems += self._printf_faults()
        if self._first is None:
            return JoinedMetadata(None, tuple(problems), left_out, unread)
        metadata = evolve(
            self._first[0],
            kernels=tuple(
                kernel
                for kernel in self._kernels
                if kernel.descriptor_symbol not in self._differing
            ),
            printf=tuple(self._printf),
            lost_keys=tuple(self._lost_keys),
        )
        return JoinedMetadata(metadata, tuple(problems), left_out, unread)

    def _printf_faults(self) -> list[DwarfGpuError]:
        """Return which numbers of calls of printf, which are unique, have several records."""
        counts = Counter(record.partition(":")[0] for record in self._printf)
        return [
            Malformed(f"{self._path}: the metadata have {count} printf records {shortened(number)}")
            for number, count in counts.items()
            if count > 1
        ]

    def _origin(self, numbers: list[int]) -> str:
        """Return which notes have such numbers, for an error."""
        if self._count == 1:
            return f"{self._path}: metadata"
        more = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
        return f"{self._path}: metadata, note {numbers[0]}{more}"


def _version(metadata: CodeObjectMetadata) -> str:
    return ".".join(map(str, metadata.version)) or "unknown"


def _quoted(target: str | None) -> str:
    return "no target" if target is None else repr(shortened(target))


def _target(metadata: CodeObjectMetadata) -> TargetId | str | None:
    """Return the target, which compilers write with several names of the system."""
    try:
        return None if metadata.target is None else named_target(metadata.target.encode())
    except DwarfGpuError:
        return metadata.target
