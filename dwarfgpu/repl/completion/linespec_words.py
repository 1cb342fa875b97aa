"""Complete linespecs: functions, source files, functions of a file, and explicit locations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.language.syntax.words import PATHS
from dwarfgpu.repl.command import ArgumentCompleter, Candidate, Completions
from dwarfgpu.repl.completion.expression_words import (
    OPERANDS,
    candidates_of,
    filled_up,
    names_of_ada,
    of_scopes,
    offer_operands,
    source_files,
)
from dwarfgpu.repl.files.symbol_index import CODE_KINDS
from dwarfgpu.repl.shell import Shell

_LINESPEC_IN_FILE = pattern(
    r"(?<![^\s:])(?P<file>'[^']*'|\"[^\"]*\"|[^\s:'\"]*\.\w+)\s*:\s*"
    r"(?:(?P<quote>['\"])(?P<quoted>[^'\"]*)"
    r"|(?P<word>(?:\(anonymous namespace\)|<[^<>()'\"]*>|[\w:~])*(?:\([a-z ]*)?))$"
)
_OPEN_QUOTE = pattern(r"\s*(?P<quoted>(?P<quote>['\"])(?P<word>(?:(?!(?P=quote)).)*))$")
_IN_BRACES = pattern(r"(?<!\S)[^\s{]*::\{\S*$")
"""What rustc calls a closure or an implementation, no operator."""
_PART_NAME = pattern(r"(?<!\S)-[a-z]*$")
_PART = pattern(r"(?<!\S)-(?P<name>[a-z]+)\s+(?P<value>(?:(?!\s-).)*)$")
_SOURCE = pattern(r"(?<!\S)-so?u?r?c?e?\s+(?P<file>\S+)\s")
_CONDITION = pattern(r"\S\s+if(?:\s+|(?=\())")
_KEYWORD = pattern(r"(?<=\S)\s+(?P<word>[-a-z]*)$")
_PARTS: Final = ("source", "function", "qualified", "line", "label")
_KEYWORDS: Final = ("-force-condition", "if", "lane", "task", "thread", "wave")


def _of_symbol(shell: Shell, text: str) -> Completions:
    in_file = _in_file(shell, text)
    if in_file is not None:
        return in_file
    match = _OPEN_QUOTE.match(text)
    if match is not None:
        symbols = shell.symbols.starting_with(match["word"], OPERANDS)
        return match.start("quoted"), _in_quotes(candidates_of(symbols), match["quote"])
    match = _IN_BRACES.search(text)
    if match is not None:
        return match.start(), candidates_of(shell.symbols.starting_with(match[0], OPERANDS))
    start, offered = offer_operands(shell, text, of_code=True)

    def inlined() -> Iterable[Candidate]:
        return candidates_of(shell.symbols.starting_with(text[start:], ("inlined function",)))

    return start, filled_up(offered, inlined)


SYMBOLS: Final = ArgumentCompleter(_of_symbol)
"""Places as `list` takes them: any symbol, and functions of files."""


def _of_linespec(shell: Shell, text: str) -> Completions:
    if text.lstrip().startswith("*"):
        start, offered = offer_operands(shell, text)
        return start, (
            candidate for candidate in offered if candidate.text.startswith(text[start:])
        )
    condition = _CONDITION.search(text)
    if condition is not None:
        begin, offered = offer_operands(shell, text[condition.end() :])
        start = condition.end() + begin
        return start, (
            candidate for candidate in offered if candidate.text.startswith(text[start:])
        )
    in_file = _in_file(shell, text)
    if in_file is not None:
        return in_file
    match = _OPEN_QUOTE.match(text)
    if match is not None:
        word, quote = match["word"], match["quote"]
        names = [*_in_quotes(candidates_of(shell.symbols.functions(word)), quote)]
        return match.start("quoted"), _with_files(shell, names, word, quote)
    start = len(text) - len(text.lstrip())
    if text[start:].startswith("-"):
        return _of_explicit_location(shell, text)
    word = text[start:]
    named = [*candidates_of(shell.symbols.functions(word))]
    if word.startswith(PATHS):
        named += of_scopes(shell, word, CODE_KINDS)
    if "." in word:
        named += names_of_ada(shell, word, CODE_KINDS, of_code=True)
    candidates = _with_files(shell, named, word)
    keyword = None if candidates else _KEYWORD.search(text)
    if keyword is None:
        return start, candidates
    begun = (name for name in _KEYWORDS if name.startswith(keyword["word"]))
    return keyword.start("word"), (Candidate(name) for name in begun)


def _with_files(
    shell: Shell, names: list[Candidate], word: str, quote: str = ""
) -> list[Candidate]:
    """Return functions, and source files if they are few: a line follows one that is offered alone,
    as in GDB. None is looked for behind `::`, because all line tables are read for them."""
    if "::" in word:
        return names
    end = "" if names or len([*source_files(shell, word)]) > 1 else ":"
    return filled_up(names, lambda: source_files(shell, word, quote, end))


def _in_file(shell: Shell, text: str) -> Completions | None:
    """Return the functions of a source file after `FILE:`; None for other texts."""
    match = _LINESPEC_IN_FILE.search(text)
    if match is None:
        return None
    file, quote = _in_program(shell, match["file"].strip("'\"")), match["quote"]
    symbols = shell.symbols.functions_in_file(file, match["quoted"] or match["word"] or "")
    if quote is not None:
        return match.start("quote"), _in_quotes(candidates_of(symbols), quote)
    return match.start("word"), candidates_of(symbols)


def _in_program(shell: Shell, file: str) -> str:
    """Return the name that the program has for a source file, whose path may be that of the file
    that is listed."""
    if not file.startswith("/") or "$" in file:
        return file
    from dwarfgpu.repl.files.typed_linespecs import as_resolved  # few names of files are whole

    return as_resolved(shell, file)


def _in_quotes(offered: Iterable[Candidate], quote: str) -> Iterator[Candidate]:
    """Yield candidates with the quote that was opened, and the one that closes it."""
    return (Candidate(f"{quote}{item.text}{quote}", item.about) for item in offered)


def _of_explicit_location(shell: Shell, text: str) -> Completions:
    """Complete `-function NAME`, `-source FILE` and the names of the parts."""
    match = _PART_NAME.search(text)
    if match is not None:
        names = (f"-{part}" for part in sorted(_PARTS))
        return match.start(), (Candidate(name) for name in names if name.startswith(match[0]))
    match = _PART.search(text)
    name = None
    if match is not None:
        name = next((part for part in _PARTS if part.startswith(match["name"])), None)
    if match is None or name not in ("source", "function", "qualified"):
        return len(text), ()
    start, value = match.start("value"), match["value"]
    if name == "source":
        return start, source_files(shell, value)
    quoted = _OPEN_QUOTE.match(value)
    word = value if quoted is None else quoted["word"]
    source = _SOURCE.search(text[:start])
    if name == "qualified":
        offered = candidates_of(shell.symbols.starting_with(word, CODE_KINDS))
    elif source is None:
        offered = candidates_of(shell.symbols.functions(word))
    else:
        file = _in_program(shell, source["file"].strip("'\""))
        offered = candidates_of(shell.symbols.functions_in_file(file, word))
    return start, offered if quoted is None else _in_quotes(offered, quoted["quote"])


LINESPECS: Final = ArgumentCompleter(_of_linespec, is_fitting=True)
"""Places as `break` takes them: functions, source files and the functions of these."""


def _of_function(shell: Shell, text: str) -> Completions:
    match = _OPEN_QUOTE.match(text)
    if match is not None:
        names = candidates_of(shell.symbols.starting_with(match["word"], CODE_KINDS))
        return match.start("quoted"), _in_quotes(names, match["quote"])
    start = len(text) - len(text.lstrip())
    return start, candidates_of(shell.symbols.starting_with(text[start:], CODE_KINDS))


FUNCTIONS: Final = ArgumentCompleter(_of_function)
"""Functions, perhaps in quotes."""
