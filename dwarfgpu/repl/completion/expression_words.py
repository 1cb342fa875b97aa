"""Complete expressions: variables, members, types, registers, and names of a source file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Final

from dwarfgpu import language
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.names.fortran_ada import RENAMES
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Dynamic, Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.member_lookup import visible_members
from dwarfgpu.language.syntax.expression_language import language_of
from dwarfgpu.repl.command import ArgumentCompleter, Candidate, Completions
from dwarfgpu.repl.files.symbol_index import CODE_KINDS, MAX_NAMES
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.frame.focus import lane_numbers
from dwarfgpu.service.value.value_history import options_of

_OPERAND = pattern(r"(?<![\w$:~])[\w$:~]*(?:<[^<>()]*>[\w$:~]*)*$")
_LAST_WORD = pattern(r"\w+$")
_ACCESS = pattern(r"(?:\.|->)\s*(?P<word>\w*)$")
_ACCESS_BEFORE = pattern(r"(?:\.|->)$")
_ACCESS_OF_FORTRAN = pattern(r"(?:%|\.|->)\s*(?P<word>\w*)$")
_ACCESS_OF_FORTRAN_BEFORE = pattern(r"(?:%|\.|->)$")
_DOTTED = pattern(r"\w+(?:\.\w*)+$")
_PACKAGED = pattern(r"\w+(?:\.\w+)+")
_OF_ADA = pattern(r"[a-z]\w*(?:\.[a-z]\w*)+")
_ATTRIBUTE = pattern(r"(?<=[\w)])\s*'\s*(?P<word>\w*)$")
_IN_FILE = pattern(r"(?:'(?P<quoted>[^']*)'|(?P<file>(?<![\w.])[\w./+-]*\.\w+))::(?P<word>\w*)$")
_UNNAMED = pattern(r"'(?P<word>[\w:]*[({][^']*)$")
"""A quoted name with `(anonymous namespace)` or `{closure#0}` in it."""
_QUOTED_WITH_POINT = pattern(r"(?<![\w)])'(?P<word>(?=[\w+-]*[./])[\w/+-][\w./+-]*)$")
"""A quoted name of a file or symbol: `'crash.c` or `'src/cr`, without the quote that closes it."""
_TAG = pattern(r"\b(?P<tag>struct|class|union|enum)\s+(?P<word>[\w:]*)$")
_MOST_CLASSES: Final = 1_000
"""Classes whose member functions are offered: base classes of base classes."""
_TAGS: Final = {
    "struct": ("struct", "class"),
    "class": ("struct", "class"),
    "union": ("union",),
    "enum": ("enum",),
}
_OF_UNIT: Final = ("variable", "function", "enumerator")
"""What `unit.name` of Pascal may be."""
_CLASS_VARIABLE: Final = "_static_"
"""What Free Pascal writes before the name of a class variable with `-gw2`, after `$` else."""
_IN_BRACES: Final = pattern(r"\{\w+#")
"""In what rustc calls closures and implementations, which expressions have between quotes only."""
OPERANDS: Final = (
    "function", "variable", "struct", "class", "union", "enum", "enumerator", "type",
    "namespace", "code symbol", "data symbol",
)  # fmt: skip


def _gpu_words(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield the words of HIP, CUDA and OpenCL for where a work-item is."""
    if not word or not shell.session.architecture.is_simt:
        return
    from dwarfgpu.language.gpu_builtins import BUILTIN_FUNCTIONS, BUILTIN_VARIABLES  # with a word

    for name in sorted(BUILTIN_VARIABLES | BUILTIN_FUNCTIONS):
        if name.startswith(word):
            yield Candidate(name, "a word of GPU languages")
    if word.startswith(("as_", "convert")) and _is_opencl(shell):
        from dwarfgpu.language.opencl.conversion_functions import names_of_conversions  # few are

        for name in names_of_conversions(word):
            yield Candidate(name, "a conversion of OpenCL")


def _is_opencl(shell: Shell) -> bool:
    """Return whether expressions are of OpenCL."""
    with suppress(DwarfGpuError):
        return language_of(shell.session.unit).is_opencl
    return False


def variables(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield variables in scope, with their types; of very many in a unit only the first, because
    `_symbols` has all."""
    try:
        in_scope = shell.session.first_variables()
    except DwarfGpuError:
        return
    level, in_any_case = shell.session.inline_level, _style(shell) == "pascal"
    for variable in in_scope:
        is_seen = variable.kind == "global" or variable.inline_level == level
        if is_seen and not variable.is_shadowed:
            yield from _candidate(variable, word, in_any_case=in_any_case)
    with suppress(DwarfGpuError):
        for variable in shell.session.meanings().of_enclosing_functions():
            yield from _candidate(variable, word, in_any_case=in_any_case)


def _nested_functions(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield the nested functions of GNU C that the text in focus sees: as in GDB, only names that
    expressions can have, which those of functions without code, all inlined, are not."""
    options = options_of(shell.session, shell.values)
    with suppress(DwarfGpuError):
        for die in shell.session.meanings().nested_functions():
            if die.name is not None and die.name.startswith(word):
                with suppress(DwarfGpuError):
                    language.type_of(die.name, shell.session, options)
                    yield Candidate(die.name, "function")


def _candidate(variable: Variable, word: str, *, in_any_case: bool) -> Iterator[Candidate]:
    """Yield a variable with its type, if its name begins so."""
    name = variable.name.removeprefix("&")  # of Go, on the heap
    if in_any_case and "$" not in name:
        name = _as_typed(name, word)
    if name.startswith(word):
        try:
            about = variable.type_text or ""
        except DwarfGpuError:
            about = ""
        yield Candidate(name.partition(RENAMES)[0], about)


def _is_of_source(name: str) -> bool:
    """Return whether a name of Pascal is none that the compiler makes."""
    return "$" not in name and not name.startswith(_CLASS_VARIABLE)


def _as_typed(name: str, word: str) -> str:
    """Return a name of Pascal with its beginning in the case of letters that is typed; the name
    itself if it begins otherwise."""
    return word + name[len(word) :] if name[: len(word)].lower() == word.lower() else name


def operands(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield operands of expressions: variables and, after `$`, registers."""
    if not word.startswith("$"):
        yield from variables(shell, word)
        yield from _nested_functions(shell, word)
        yield from _gpu_words(shell, word)
        if "::" not in word and _has_this(shell):
            yield from members(shell, "*this")
        yield from _symbols(shell, word)
        yield from of_scopes(shell, word)
        yield from _spaces(shell, word) if word else ()
        return
    from dwarfgpu.language.convenience_functions import FUNCTIONS  # few words begin with `$`
    from dwarfgpu.language.wave_variables import WAVE_VARIABLES, machine_of
    from dwarfgpu.service.value.value_history import BUILT_IN

    yield Candidate("$pc", "the program location")
    if shell.session.architecture.is_simt:
        yield Candidate("$_lane", "the lane in focus")
        yield Candidate("$_lane_count", "lanes of the wave")
    if machine_of(shell.session) is not None:
        yield from (Candidate(f"${name}", about) for name, (_, about) in WAVE_VARIABLES.items())
    yield from (Candidate(f"${name}", item.about) for name, item in BUILT_IN.items())
    yield from (Candidate(f"${name}", "a convenience variable") for name in shell.values.named)
    functions = {**FUNCTIONS, **shell.values.functions}
    yield from (Candidate(f"${name}", "a function") for name in functions)
    for register in registers(shell, word[1:]):
        if register.text != "pc":
            yield Candidate(f"${register.text}", register.about)


def _symbols(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield names of the program; in Pascal the case of letters does not matter, and that of what
    is typed stays."""
    if _style(shell) != "pascal":
        yield from candidates_of(shell.symbols.starting_with(word, OPERANDS))
        return
    for name, kind in shell.symbols.in_any_case(word, OPERANDS):
        if _is_of_source(name):
            yield Candidate(_as_typed(name, word), kind)


def of_scopes(shell: Shell, word: str, kinds: Collection[str] = OPERANDS) -> Iterator[Candidate]:
    """Yield the names that may be written so in the language of the code: without its package or
    modules, or with `crate::`."""
    from dwarfgpu.language.name_resolution import Names  # with a word

    try:
        scopes = Names(shell.session).written_scopes() if word else []
        if word and _style(shell) == "ada":
            yield from _around_in_ada(shell, word, kinds)
    except DwarfGpuError:
        return
    for before, whole in scopes:
        rest = word.removeprefix(before)
        if word.startswith(before):
            for name, kind in shell.symbols.starting_with(f"{whole}{rest}", kinds):
                yield Candidate(f"{before}{name.removeprefix(whole)}", kind)


def _around_in_ada(shell: Shell, word: str, kinds: Collection[str]) -> Iterator[Candidate]:
    """Yield the names that begin so, of the packages and subprograms around the code."""
    # Few programs are in Ada.
    from dwarfgpu.language.ada.subprograms_around import declared_around, packages_around

    local = [*declared_around(shell.session)] if "type" in kinds else []
    for package in packages_around(shell.session):
        before = package.replace("__", ".") + "."
        for candidate in names_of_ada(shell, before + word, kinds):
            yield Candidate(candidate.text.removeprefix(before), candidate.about)
        for name in local:
            declared = name.removeprefix(f"{package}__").partition("___")[0]
            if declared != name and declared.startswith(word.lower()) and declared.islower():
                yield Candidate(word + declared[len(word) :].replace("__", "."))


def _spaces(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield address spaces: `private_lane#`."""
    for space in shell.session.architecture.address_spaces.values():
        if shell.session.architecture.is_simt and space.name.startswith(word):
            yield Candidate(f"{space.name}#", "an address space")


def _has_this(shell: Shell) -> bool:
    """Return whether the frame may be of a method."""
    subprogram = None if shell.session.pc is None else shell.session.frame.subprogram
    return subprogram is not None and subprogram.die.unit.is_cplusplus


def _type_of_object(shell: Shell, text: str) -> Type | None:
    """Return the type of an object, or of a pointer's target; an error where it is unknown."""
    bare = strip(
        language.type_of(text, shell.session, options_of(shell.session, shell.values)).type
    )
    bare = strip(bare.target) if isinstance(bare, Pointer) else bare
    return bare.form if isinstance(bare, Dynamic) else bare  # whose members have these names


def members(shell: Shell, text: str) -> Iterator[Candidate]:
    """Yield the members of an object, or of a pointer's target; reads nothing."""
    try:
        bare = _type_of_object(shell, text)
        if not isinstance(bare, Struct):
            return
        of_variants = (
            variant.members for part in bare.declared.variant_parts for variant in part.variants
        )
        is_pascal = _style(shell) == "pascal"
        for member in chain(visible_members(bare), *of_variants):
            if not (is_pascal and "$" in (member.name or "")):  # of the compiler
                yield Candidate(member.name or "", type_name(member.type))
        if is_pascal:
            from dwarfgpu.language.pascal.names import class_variables  # few programs

            yield from (Candidate(name) for name in class_variables(shell.session, bare))
    except DwarfGpuError:
        return


def _methods(shell: Shell, text: str) -> Iterator[Candidate]:
    """Yield the member functions of an object or of a pointer's target, as GDB spells them and
    without constructors; those of base classes too."""
    try:
        bare = _type_of_object(shell, text)
        pending: list[Type | None] = [bare]
        known = {bare}
        while pending and len(known) < _MOST_CLASSES:
            current = pending.pop(0)
            if not isinstance(current, Struct):
                continue
            own_name = (current.name or "").partition("<")[0]
            for method in current.declared.methods:
                if method.name.partition("<")[0] != own_name:
                    name = canonical(method.name, is_shown=True)
                    yield Candidate(name, type_name(method.type))
            for base in current.members:
                if base.is_base_class and (inner := strip(base.type)) not in known:
                    known.add(inner)
                    pending.append(inner)
    except DwarfGpuError:
        return


def _object(text: str, *, is_fortran: bool) -> str:
    """Return the postfix expression with which a text ends: `a.b[3]` of `1 + a.b[3]`, `(*p)`,
    `f(x)`, in Fortran `a%b(3)`."""
    access_before = _ACCESS_OF_FORTRAN_BEFORE if is_fortran else _ACCESS_BEFORE
    position = _before_blanks(text, len(text))
    while True:
        while text[:position].endswith("]"):
            position = _before_blanks(text, _opening(text, position))
        if text[:position].endswith(")"):
            position = _opening(text, position)
        position = _name_before(text, position)
        before = _before_blanks(text, position)
        access = access_before.search(text, 0, before)
        if access is None:
            return text[position:].strip()
        position = _before_blanks(text, access.start())


def _before_blanks(text: str, position: int) -> int:
    while position and text[position - 1].isspace():
        position -= 1
    return position


def _name_before(text: str, position: int) -> int:
    while position and (text[position - 1].isalnum() or text[position - 1] in "_$:"):
        position -= 1
    return position


def _opening(text: str, end: int) -> int:
    """Return where the bracket opens that closes before a position; 0 if it does not open."""
    depth = 0
    for position in range(end - 1, -1, -1):
        depth += (text[position] in ")]") - (text[position] in "([")
        if not depth:
            return position
    return 0


def _style(shell: Shell) -> Style | None:
    """Return the style of the language in focus; None where it cannot be read."""
    try:
        return None if shell.session.unit is None else shell.session.unit.style
    except DwarfGpuError:
        return None


def as_in_file(shell: Shell, text: str) -> str:
    """Return a text with the name at its end as the file has it: in Ada `pk__x` for `Pk.x`. Without
    the name in Pascal, where the file may have it in any case of letters."""
    if _style(shell) == "pascal":
        return _LAST_WORD.sub("", text)
    if _style(shell) != "ada":
        return text
    return _DOTTED.sub(lambda match: _name_of_ada(shell, match[0]), text)


def _name_of_ada(shell: Shell, word: str) -> str:
    """Return a name as the file has it, in the package that a renaming before it denotes."""
    from dwarfgpu.language.ada.names import in_renamed_packages  # few programs are in Ada

    lowered = word.lower().replace(".", "__")
    try:
        return in_renamed_packages(shell.session, lowered)
    except DwarfGpuError:
        return lowered


def _of_package(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield the names of Ada, Go, D or Pascal that begin so, with their package, module or unit;
    none in other languages."""
    if _style(shell) == "ada":
        yield from names_of_ada(shell, word, OPERANDS)
        with suppress(DwarfGpuError):
            yield from _declared_around(shell, word)
        return
    if _style(shell) == "pascal":
        with suppress(DwarfGpuError):
            yield from _of_unit_of_pascal(shell, *word.rsplit(".", 1))
        return
    try:
        unit = shell.session.unit
        has_packages = unit is not None and unit.language in (dw.LANG_GO, dw.LANG_D)
    except DwarfGpuError:
        return
    for name, kind in shell.symbols.starting_with(word, OPERANDS) if has_packages else ():
        if _PACKAGED.fullmatch(name):  # others are written in quotes
            yield Candidate(name, kind)


def _declared_around(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield the names with points that begin so, of what the subprograms around the code declare
    in packages, or with their own names before it."""
    from dwarfgpu.language.ada.subprograms_around import declared_around  # few programs are in Ada

    in_file = as_in_file(shell, word)
    for name in declared_around(shell.session):
        declared = _typed_in_ada(name)
        if name.startswith(in_file) and declared is not None:
            yield Candidate(word + declared[len(in_file.replace("__", ".")) :])


def _of_unit_of_pascal(shell: Shell, scope: str, word: str) -> Iterator[Candidate]:
    """Yield the objects, constants and functions of a unit, or the variables of a class, that begin
    so."""
    from dwarfgpu.language.name_resolution import Names  # few programs are of Pascal
    from dwarfgpu.language.pascal.names import class_variables
    from dwarfgpu.language.pascal.units import class_meant, units_meant

    names = Names(shell.session)
    units, class_type = units_meant(names, scope), class_meant(names, scope)
    for name, kind in shell.symbols.in_any_case(word, _OF_UNIT, units):
        if _is_of_source(name):
            yield Candidate(f"{scope}.{_as_typed(name, word)}", kind)
    if class_type is not None:
        for name in class_variables(shell.session, class_type):
            yield Candidate(f"{scope}.{_as_typed(name, word)}")


def names_of_ada(
    shell: Shell, word: str, kinds: Collection[str], *, of_code: bool = False
) -> Iterator[Candidate]:
    """Yield the names of packages of Ada that begin so: `pk__x` in the file is `pk.x`. What is
    typed stays in its case of letters, and the renaming of a package in its place. None in other
    languages. `of_code`: with those of tasks and protected objects, which no expression has."""
    if _style(shell) != "ada":
        return
    from dwarfgpu.language.ada.spellings import is_spelling  # few programs are in Ada

    in_file = as_in_file(shell, word)
    typed = in_file.replace("__", ".")
    for name, kind in shell.symbols.starting_with(in_file, kinds):
        declared = _typed_in_ada(name)
        if declared is not None and (of_code or is_spelling(name, declared.replace(".", "__"))):
            yield Candidate(word + declared[len(typed) :], kind)


def _typed_in_ada(name: str) -> str | None:
    """Return a name of Ada as it is typed; None for GNAT's own, and for what is in blocks."""
    from dwarfgpu.dwarf.names.ada_names import decoded

    declared = decoded(name.partition(RENAMES)[0])
    is_typed = declared is not None and _OF_ADA.fullmatch(declared) and "__B_" not in name
    return declared if is_typed else None


def _attributes(word: str) -> Iterator[Candidate]:
    """Yield the attributes of Ada that begin so. What is typed stays in its case of letters."""
    from dwarfgpu.language.syntax.attribute_names import attributes_begun  # few programs

    for name in attributes_begun(word):
        rest = name[len(word) :]
        yield Candidate(word + (rest.upper() if word.isupper() else rest), "an attribute")


def _has_whole_words(text: str) -> bool:
    """Return whether a quote after a text of Ada begins a word, and ends none."""
    from dwarfgpu.language.syntax.ada_tokens import ada_token  # few programs
    from dwarfgpu.language.syntax.tokens import tokens

    try:
        return len([*tokens(text, of_language=ada_token)]) > 1
    except DwarfGpuError:
        return False


def offer_operands(shell: Shell, text: str, *, of_code: bool = False) -> Completions:
    """Return what completes an expression; `of_code`: or a linespec."""
    match = _IN_FILE.search(text)
    if match is not None:
        file = match["quoted"] or match["file"] or ""
        symbols = shell.symbols.in_file(file, match["word"], OPERANDS)
        return match.start("word"), candidates_of(symbols)
    match = _ATTRIBUTE.search(text)
    if match is not None and _style(shell) == "ada" and _has_whole_words(text[: match.start()]):
        return match.start("word"), _attributes(match["word"])
    match = _QUOTED_WITH_POINT.search(text)
    if match is not None and text.count("'") % 2:
        word = match["word"]
        names = candidates_of(shell.symbols.starting_with(word, OPERANDS))
        return match.start("word"), filled_up(names, lambda: source_files(shell, word))
    is_fortran = _style(shell) == "fortran"
    match = (_ACCESS_OF_FORTRAN if is_fortran else _ACCESS).search(text)
    if match is not None:
        before = _object(text[: match.start()], is_fortran=is_fortran)
        if is_decimal(before[:1]):
            return match.start("word"), ()
        known = [*members(shell, before)]
        if _style(shell) == "pascal":
            word = match["word"]
            known = [Candidate(_as_typed(item.text, word), item.about) for item in known]
        if _style(shell) == "c":
            known += _methods(shell, before)
        start = match.start() - len(before)
        if known or not before or not text.startswith(f"{before}.", start):
            return match.start("word"), known
        return start, _of_package(shell, text[start:])
    match = _UNNAMED.search(text)
    if match is not None and text.count("'") % 2:
        return match.start("word"), candidates_of(
            shell.symbols.starting_with(match["word"], OPERANDS)
        )
    match = _TAG.search(text)
    if match is not None:
        symbols = shell.symbols.starting_with(match["word"], _TAGS[match["tag"]])
        return match.start("word"), candidates_of(symbols)
    match = _OPERAND.search(text)
    assert match is not None
    if text.count('"', 0, match.start()) % 2:
        return len(text), ()
    offered = operands(shell, match[0])
    is_quoted = text.count("'", 0, match.start()) % 2 and text[match.start() - 1] == "'"
    if not is_quoted:
        offered = (item for item in offered if of_code or not _IN_BRACES.search(item.text))
        return match.start(), offered
    return match.start(), filled_up(offered, lambda: source_files(shell, match[0]))


VALUES: Final = ArgumentCompleter(offer_operands)
"""Expressions."""


def functions(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield functions."""
    return candidates_of(shell.symbols.starting_with(word, CODE_KINDS))


def registers(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield registers of the processor, with the types of their contents; halves of registers after
    `_`."""
    from dwarfgpu.language.machine_variables import lacks  # few words begin with `$`

    session = shell.session
    arch = session.architecture
    word = word.removeprefix("$")
    for register in (*arch.registers.values(), *arch.other_registers):
        if register.name.startswith(word) and not lacks(session, register):
            yield Candidate(register.name, register.type.name)
    for part in arch.register_parts.values() if "_" in word else ():
        if part.name.startswith(word):
            yield Candidate(part.name, part.type.name)
    for pseudo in arch.pseudo_registers.values() if "_" in word else ():
        if pseudo.name.startswith(word):
            yield Candidate(pseudo.name, pseudo.type.name)


def lanes(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield lane numbers."""
    session = shell.session
    mask, _ = session.active_lanes()
    for lane in lane_numbers(session):
        state = "" if mask is None else "active" if mask >> lane & 1 else "inactive"
        yield Candidate(str(lane), state)


def candidates_of(symbols: Iterable[tuple[str, str]]) -> Iterator[Candidate]:
    return (Candidate(name, about) for name, about in symbols)


def filled_up(
    offered: Iterable[Candidate], more: Callable[[], Iterable[Candidate]]
) -> list[Candidate]:
    """Return candidates, and more of them if the first ones are few enough to be shown."""
    candidates = list(offered)
    return candidates if len(candidates) >= MAX_NAMES else [*candidates, *more()]


def source_files(shell: Shell, word: str, quote: str = "", end: str = "") -> Iterator[Candidate]:
    files = shell.symbols.files(word)
    return (Candidate(f"{quote}{name}{quote}{end}", "source file") for name in files)
