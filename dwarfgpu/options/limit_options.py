"""`--max-steps` and the other limits: of one evaluation, and of each file that is read."""

from __future__ import annotations

import argparse
from typing import Final

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits, Limits
from dwarfgpu.options.integer_options import natural

VARIABLE_STEPS: Final = 50_000
"""Operations for one variable and lane: a file cannot make a listing of many run for minutes."""

EVALUATION_LIMITS: Final = {
    "--max-steps": ("steps", "operations performed for one answer"),
    "--max-command-steps": (
        "command_steps",
        "operations of one command, without the first 256 of each expression",
    ),
    "--max-listed-characters": (
        "listed_characters",
        "characters of all displays, and of the values in a list of a frame's variables, each "
        "member or 1,024 bytes counted as one more, each array in another one as 20, and in JSON "
        "each text or number of their data counted as two, and 64 digits of their bytes as one",
    ),
    "--max-listed-instructions": (
        "listed_instructions",
        "instructions of `disassemble /s` and `/m`, of `x/-Ni`, and at the prompt in JSON",
    ),
    "--max-stack": ("stack", "stack entries"),
    "--max-calls": ("calls", "nested calls"),
    "--max-nesting": ("nesting", "nested evaluations"),
    "--max-parts": ("parts", "parts of a composite"),
    "--max-depth": ("depth", "nested composites"),
    "--max-places": ("places", "places of a location description"),
    "--max-bytes": ("read_bytes", "size of an object, in bytes"),
    "--max-total-bytes": ("total_bytes", "bytes read by one evaluation"),
    "--max-runs": ("runs", "pieces of storage that one read or write touches"),
    "--max-frames": ("frames", "call frames of a stack"),
}
"""Options, the field of `Limits` that each sets, and what it bounds."""

FILE_LIMITS: Final = {
    "--max-inflated-bytes": (
        "inflated_bytes",
        "total size of a file's compressed parts when decompressed, in bytes",
    ),
    "--max-inflated-ratio": ("inflated_ratio", "decompressed bytes for each compressed byte"),
    "--max-section-bytes": (
        "section_bytes",
        "total size of the parts of a file that are read into memory, in bytes",
    ),
    "--max-units": (
        "units",
        "units of a section, each of a .dwp package counted as four, and indexes of .debug_names",
    ),
    "--max-dies": (
        "dies",
        "debugging information entries that are read from a file, eight times its imports of "
        "units that are followed, and 16 times the lists of ranges among which the block of an "
        "address is sought; entries of the units that indexes of .debug_names list, for "
        "`check`",
    ),
    "--max-segments": (
        "segments",
        "program headers of a file, one for each mapping in a core file",
    ),
    "--max-sections": ("sections", "section headers of a file"),
    "--max-symbols": ("symbols", "symbols of a symbol table"),
    "--max-relocations": (
        "relocations",
        "relocations of the tables of a file that are read; a dynamic one, or a word of them, "
        "counts as 2, one of a sum or other rare kind as 4, the first of a symbol and type in a "
        "table as 7 more, and one of an unknown symbol or type or of a LEB128 number as 16",
    ),
    "--max-cfa-instructions": ("cfa_instructions", "call frame instructions of a CIE or FDE"),
    "--max-frame-entries": (
        "frame_entries",
        "entries of a section of call frame information, each CIE counted as eight, and eight "
        "times those whose range cannot be read or has no fixed size",
    ),
    "--max-frame-rules": (
        "frame_rules",
        "register rules of the rows that `frames` lists, or a sixteenth of those that `check` "
        "looks through, without the first 16 for each byte of an FDE",
    ),
    "--max-analyzed-bytes": (
        "analyzed_bytes",
        "size of the long expressions that `where` or `check` analyzes, in bytes, without the "
        "first 256 of each",
    ),
    "--max-line-rows": (
        "line_rows",
        "rows of a line table, each sequence counted as two more, and of all tables that a "
        "question for a line reads, each table counted as 200 more; a sixteenth of the steps "
        "that all line number programs of a file take, of each byte one or more",
    ),
    "--max-searched-names": (
        "searched_names",
        "names that a list of functions, variables or types is made of; one of C++ counts as 2, or "
        "as 8, half the length of its mangled name and a 16th of the characters of its spelling if "
        "it must be spelled, and more in many scopes; twice the characters of linkage names that "
        "are demangled for types and instances of variable templates; a sixth of the bytes of "
        "names in .debug_names that `check` compares, each name, and each entry of one but the "
        "first, counted as 12 more; names without hashes in .debug_names that one search compares, "
        "where one with a hash counts as 16, and a name that matches and each of its entries as "
        "32, or as 128 if it is followed",
    ),
    "--max-namesakes": (
        "namesakes",
        "variables that match the given names, functions of one name in a unit, and symbols, or "
        "variables and types in list and info line, of one name",
    ),
    "--max-variables": ("variables", "variables of a frame that are listed with their values"),
    "--max-waves": ("waves", "waves of a state or of a dispatch"),
    "--max-code-objects": ("code_objects", "code objects of a state or of a core file of a GPU"),
    "--max-state-bytes": (
        "state_bytes",
        "memory for the registers, arrays and ranges of a state, and for scratch, LDS, code "
        "objects and buffers of a dispatch or other memory of a state that runs",
    ),
    "--max-mapped-files": ("mapped_files", "mapped files of a core file"),
    "--max-metadata-values": (
        "metadata_values",
        "keys and values of the metadata of an AMD GPU code object, each note and each kernel at "
        "least 16",
    ),
    "--max-source-lines": ("source_lines", "source lines of one disassembly"),
    "--max-source-bytes": (
        "source_bytes",
        "size of the source files that one disassembly goes through, in bytes; a byte of a long "
        "line counts as 128",
    ),
}
"""Options, the field of `FileLimits` that each sets, and what it bounds."""
_EXCEEDED: Final = "Exceeding one is the error LimitExceeded."


def add_evaluation_limit_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that evaluate expressions."""
    group = parser.add_argument_group("limits", _EXCEEDED)
    for option, (name, help_text) in EVALUATION_LIMITS.items():
        default = str(getattr(Limits(), name))
        if option == "--max-steps":
            default += f", for a variable {VARIABLE_STEPS}"
        group.add_argument(option, metavar="N", help=f"{help_text}; default: {default}")


def add_file_limit_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that read object files or states."""
    group = parser.add_argument_group("limits for a file", _EXCEEDED)
    for option, (name, help_text) in FILE_LIMITS.items():
        default = getattr(DEFAULT_FILE_LIMITS, name)
        group.add_argument(option, metavar="N", help=f"{help_text}; default: {default}")
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="neither read nor write the index cache, where names of large files are kept",
    )


def limits_of(args: argparse.Namespace, steps: int) -> Limits:
    """Return the evaluation limits from the options; `steps` is the default.

    `UsageError` for invalid numbers.
    """
    return Limits(**{"steps": steps, **_given_limits(args, EVALUATION_LIMITS)})


def file_limits_of(args: argparse.Namespace) -> FileLimits:
    """Return the limits of a file from the options; `UsageError` for invalid numbers."""
    return FileLimits(**_given_limits(args, FILE_LIMITS), index_cache=not args.no_cache)


def given_file_limits(args: argparse.Namespace) -> dict[str, str | bool | None]:
    """Return the values of the options, by the names of the parsed arguments, for another
    command."""
    return {name: getattr(args, name) for name in (*map(_argument_of, FILE_LIMITS), "no_cache")}


def _given_limits(args: argparse.Namespace, options: dict[str, tuple[str, str]]) -> dict[str, int]:
    """Return the fields that options set."""
    limits = {
        name: natural(getattr(args, _argument_of(option)), option)
        for option, (name, _) in options.items()
    }
    return {name: bound for name, bound in limits.items() if bound is not None}


def _argument_of(option: str) -> str:
    """Return what the parsed arguments call an option."""
    return option[2:].replace("-", "_")
