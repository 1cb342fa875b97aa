"""Limits: how much one question may cost before the answer is `LimitExceeded`.

Those that a user may raise are here, and have options (`dwarfgpu.options.limit_options`), but for
`CfiLimits`. A bound that no good input comes near is a constant beside the loop that it ends. What
is left of a limit while something is read is a budget.

Law: a header's claim is refused before anything is unpacked; the error names the part of the file
and the option that raises the limit.
"""

from __future__ import annotations

from typing import Final, Literal

from dwarfgpu.base.argument_types import methods_name_wrong_arguments
from dwarfgpu.base.arguments import integer
from dwarfgpu.base.records import fields, frozen, plain_fields
from dwarfgpu.errors import LimitExceeded

UNJUDGED_BYTES: Final = 1 << 20
"""A compressed part that unpacks to no more may have any ratio: zeros compress a thousandfold."""
MAX_OPERATION_BYTES: Final = 1 << 18
"""Maximum size in bytes of one expression, or of call frame instructions, given as a file."""
MAX_TEXT_BYTES: Final = 1 << 19
"""Maximum size in bytes of operations as text: five seconds and 512 MiB are enough for them."""
MAX_FILES: Final = 100_000
"""Maximum number of files in an archive, and of files to examine in one request."""
MAX_JOBS: Final = 256
"""Maximum number of processes of one request."""


def _check(limits: Limits | FileLimits) -> None:
    """Raise `UsageError` for a limit that is no number: few inputs are compared with each. Those of
    NumPy become numbers of Python: sizes of any width are compared with them."""
    for limit in fields(type(limits)):
        value = getattr(limits, limit.name)
        if (type(value) is not int or value < 0) and type(value) is not bool:
            plain_fields(limits, limit.name)
            value = getattr(limits, limit.name)
            if type(value) is not bool:
                integer(f"{type(limits).__name__}.{limit.name}", value, 0)


@methods_name_wrong_arguments
@frozen
class Limits:
    """Limits of one evaluation; beyond them it is `LimitExceeded`.

    Reading and writing a location share them with the evaluation that does it.
    """

    steps: int = 100_000
    """Maximum number of operations and list entries, including those of nested expressions.

    It ends an endless loop within a second of processor time.
    """
    command_steps: int = 1_000_000
    """Operations of all expressions of one command, without the first 256 of each.

    They take a few seconds, however many variables are listed.
    """
    listed_characters: int = 2_000_000
    """Characters of the values of all variables of a frame that are listed, with their members, and
    one for each 1,024 of their bytes, and of all displays that are shown together: they take two to
    four seconds."""
    listed_instructions: int = 100_000
    """Instructions of an answer that is complete before its first line: of `disassemble /s` and
    `/m`, and in JSON. They take two to five seconds."""
    stack: int = 100_000
    """Stack entries."""
    places: int = 64
    """Places of one location description."""
    parts: int = 200_000
    """Parts of one composite location description that pieces make one by one."""
    depth: int = 4096
    """Composites inside one another: reading one takes as many steps."""
    calls: int = 256
    """DW_OP_call* inside one another."""
    nesting: int = 32
    """Separate evaluations (location lists, entry values, implicit pointers) in one another."""
    read_bytes: int = 1 << 20
    """Bytes of one object read or written."""
    total_bytes: int = 1 << 26
    """Bytes read in one evaluation, by nested expressions included."""
    runs: int = 200_000
    """Pieces of storage touched by one read or write."""
    frames: int = 600_000
    """Call frames of one stack: a stack of 8 MiB has fewer, of 16 bytes each."""

    def __attrs_post_init__(self) -> None:
        _check(self)

    def check_object(self, size_bits: int) -> None:
        """Raise `LimitExceeded` for a larger object than may be read, before it is made."""
        if size_bits > 8 * self.read_bytes:
            raise LimitExceeded(
                f"an object of {(size_bits + 7) // 8} bytes: more than {self.read_bytes}",
                "--max-bytes",
            )


@methods_name_wrong_arguments
@frozen
class FileLimits:
    """Limits of each file that is read; beyond them it is `LimitExceeded`."""

    inflated_bytes: int = 1 << 28
    """Bytes of all its compressed parts together, when decompressed."""
    inflated_ratio: int = 64
    """How many times its compressed size a compressed part may have."""
    section_bytes: int = 3 << 27
    """Bytes of its sections that are read into memory, decompressed ones included.

    Of a section that is not compressed only the units in question are read; the others are read
    whole.
    """
    units: int = 200_000
    """Units of a section, and indexes of `.debug_names`."""
    dies: int = 4_000_000
    """Maximum number of debugging information entries in the units that are read, and eight times
    that of the imports of units that are followed; those of the units that indexes of
    `.debug_names` list, each time that one lists them, for `check`."""
    segments: int = 1 << 18
    """Maximum number of program headers. A core file has one for each mapping, as `mapped_files`;
    as many take some three seconds."""
    sections: int = 1 << 19
    """Maximum number of section headers: an object with a section for each function of a kernel has
    some hundred thousand."""
    symbols: int = 1 << 21
    """Entries of a symbol table: a library of a gigabyte has one or two million."""
    relocations: int = 1 << 24
    """Relocations of the tables that are read: as many as fill `section_bytes` in a 64-bit file.

    They take two to five seconds. One that is not added to the address of a section of the file, or
    is the first of its symbol and type, counts as several, and a dynamic one as two.
    """
    cfa_instructions: int = 1 << 16
    """Call frame instructions of a CIE or FDE; long functions have some thousands."""
    frame_entries: int = 1 << 21
    """Entries of a section of call frame information, each CIE counted as eight, and eight times
    those whose range cannot be read or has no fixed size: a browser has more than a million."""
    frame_rules: int = 1 << 22
    """Register rules of the rows that one answer lists, without the first 16 for each byte of an
    FDE: rows inherit those of the CIE. A check looks through 16 times as many, and counts an entry
    as some."""
    analyzed_bytes: int = 1 << 19
    """Bytes of its long expressions that one answer analyzes without performing them, without the
    first 256 of each: a second of processor time for each 200,000."""
    line_rows: int = 3_000_000
    """Maximum number of rows of a line table: the code of a unit with as many has tens of
    megabytes, and a hostile program has a row in each byte. All
    programs of the file that are read may take 16 times as many steps."""
    searched_names: int = 1 << 21
    """Names that one list is made of. One of C++ counts as 2, or as 8 and half the length of its
    mangled name and a 16th of the characters of its spelling if it must be spelled; a million take
    about two seconds. Twice the characters of linkage names that are demangled for types and for
    instances of variable templates. A sixth of the bytes of names in `.debug_names` that `check`
    compares. Names without hashes that one search there compares."""
    namesakes: int = 20_000
    """Variables of one name that a question lists, and symbols of one name."""
    variables: int = 10_000
    """Variables of a frame that are listed with their values, and symbols of a scope."""
    waves: int = 1 << 16
    """Maximum number of waves of a state or of a dispatch."""
    code_objects: int = 4096
    """Code objects of a state or of a core of a GPU: a process with a large library has a thousand
    or two. Each is opened before the first question, and many commands ask each."""
    state_bytes: int = 1 << 28
    """Memory for the registers, arrays and ranges of memory of a state, or for buffers, scratch and
    LDS of a dispatch."""
    mapped_files: int = 1 << 18
    """Maximum number of mapped files of a core file. A quarter as many, and at least 16,384,
    are looked for on disk; an ELF file in memory counts as 16, and 32 bytes of a name as one more.

    Linux writes a note of 4 MiB at most, which is fewer, and a process has 65,530 mappings unless
    an administrator allows more.
    """
    metadata_values: int = 2_000_000
    """Maximum number of keys and values of the metadata of an AMD GPU code object.

    A kernel with 70 arguments has 800; each may have 32 bytes on average. There may be a kernel for
    each 16 of them.
    """
    source_lines: int = 10_000
    """Source lines of one `disassemble /s`: a line table may give an instruction any line."""
    source_bytes: int = 1 << 30
    """Bytes of source files that one listing of code goes through to find its lines: two seconds. A
    byte of a long line that is shown counts as 128."""
    index_cache: bool = False
    """Whether names in the file may be kept in the user's folder, and be looked up there."""

    def __attrs_post_init__(self) -> None:
        _check(self)

    def check_inflated(
        self, subject: str, *, packed_bytes: int, size_bytes: int, other_bytes: int = 0
    ) -> None:
        """Raise `LimitExceeded` for a compressed part that is too large, before it is decompressed.

        `other_bytes`: what other compressed parts of the file have unpacked.
        """
        grown = f"{subject} has {size_bytes} bytes when decompressed"
        ratio = self.inflated_ratio
        if size_bytes > max(UNJUDGED_BYTES, ratio * packed_bytes):
            raise LimitExceeded(
                f"{grown}, {packed_bytes} compressed: more than {ratio} times as many",
                "--max-inflated-ratio",
            )
        if other_bytes + size_bytes > self.inflated_bytes:
            other_parts = f", other parts of the file {other_bytes}" if other_bytes else ""
            raise LimitExceeded(
                f"{grown}{other_parts}: more than {self.inflated_bytes}", "--max-inflated-bytes"
            )

    def check_read(self, subject: str, *, size_bytes: int, other_bytes: int = 0) -> None:
        """Raise `LimitExceeded` for a part of a file that is too large, before it is read.

        `other_bytes`: what was read of other parts of the file.
        """
        if other_bytes + size_bytes > self.section_bytes:
            other_parts = f", other parts of the file {other_bytes}" if other_bytes else ""
            raise LimitExceeded(
                f"{subject} has {size_bytes} bytes to read{other_parts}: "
                f"more than {self.section_bytes}",
                "--max-section-bytes",
            )

    def check_headers(self, path: str, kind: Literal["program", "section"], count: int) -> None:
        """Raise `LimitExceeded` for too many headers of segments or sections, before one is
        read."""
        if kind == "program" and count > self.segments:
            raise LimitExceeded(
                f"{path}: {count} program headers: more than {self.segments}", "--max-segments"
            )
        if kind == "section" and count > self.sections:
            raise LimitExceeded(
                f"{path}: {count} section headers: more than {self.sections}", "--max-sections"
            )

    def check_symbols(self, subject: str, count: int) -> None:
        """Raise `LimitExceeded` for a symbol table that is too large, before it is read."""
        if count > self.symbols:
            raise LimitExceeded(
                f"{subject} has {count} symbols: more than {self.symbols}", "--max-symbols"
            )

    def check_relocations(self, subject: str, count: int, other_count: int = 0) -> None:
        """Raise `LimitExceeded` for a table of too many relocations, with those of other tables of
        the file."""
        if count + other_count > self.relocations:
            other_tables = f", other tables of the file {other_count}" if other_count else ""
            raise LimitExceeded(
                f"{subject} has relocations that count as {count}{other_tables}: more than "
                f"{self.relocations}",
                "--max-relocations",
            )

    def check_listed(self, kind: str, count: int) -> None:
        """Raise `LimitExceeded` for more variables of a frame than are listed."""
        if count > self.variables:
            raise LimitExceeded(
                f"the frame has {count} {kind}s: more than {self.variables}", "--max-variables"
            )


DEFAULT_FILE_LIMITS: Final = FileLimits()


@frozen
class CfiLimits:
    """Limits of one FDE; beyond them it is `LimitExceeded`."""

    rows: int = 100_000
    states: int = 10_000
    """DW_CFA_remember_state inside one another."""
    rules: int = 2_000_000
    """Maximum number of register rules in all rows and states together; shared ones count once."""
