"""Explicit locations, which name their parts: `-source reduce.hip -line 45`, `-function nest`."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import define
from dwarfgpu.errors import UsageError

_PARTS: Final = ("source", "function", "qualified", "line", "label")
"""In GDB's order: of several that a word begins, the first one is meant."""
IN_FILE: Final = pattern(
    r"""(?P<file>'[^']+'|"[^"]+"|[^:<("]*[^:<('" ])(?<!\[abi)\s*:\s*(?P<inside>[^:\s].*)"""
)
"""The first colon of `f[abi:cxx11]` is that of an ABI tag."""
_NAME: Final = pattern(r"-(?P<name>[a-zA-Z]+)(?:\s+|$)")
_END: Final = pattern(r"\s+(?=-[a-zA-Z])|$")
_QUOTED: Final = pattern(r"""(?P<value>'[^']+'|"[^"]+")(?:\s+|$)""")
LINE: Final = pattern(r"[-+]?[0-9]{1,40}|[-+]$")
"""A line, or an offset in lines; a sign alone is an offset of 0."""
_LABEL: Final = pattern(r"(?P<function>\S(?:.*[^:\s])?)\s*(?<!:):(?!:)\s*(?P<label>[^\W\d]\w*)")


@define
class ExplicitLocation:
    """The parts of a location that its user named."""

    source: str | None = None
    function: str | None = None
    label: str | None = None
    line: str | None = None
    """A number, perhaps with a sign."""
    linespec: str | None = None
    """What follows `-qualified`, if that is not a part."""
    is_qualified: bool = False
    """Whether the name of the function is its full name."""

    def __str__(self) -> str:
        """Return it as GDB writes it."""
        qualified = "-qualified " if self.is_qualified else ""
        if self.linespec is not None:
            in_file = IN_FILE.fullmatch(self.linespec)
            if in_file is not None and LINE.fullmatch(in_file["inside"]):
                qualified = ""  # a line has no name
            return f"{qualified}{location_text(self.linespec)}"
        parts = (
            ("", "-source", self.source),
            (qualified, "-function", self.function),
            ("", "-label", self.label),
            ("", "-line", self.line),
        )
        return " ".join(f"{before}{name} {value}" for before, name, value in parts if value)


def explicit_location(text: str) -> ExplicitLocation | None:
    """Return the explicit location of a text; None for a linespec.

    `UsageError` with GDB's wording.
    """
    if _NAME.match(text) is None:
        return None
    location = ExplicitLocation()
    rest = text
    while rest:
        match = _NAME.match(rest)
        if match is None:
            if location == ExplicitLocation(is_qualified=True):
                location.linespec = rest
                return location
            raise UsageError(f"Garbage '{rest}' at end of command")
        name = _full_name(match["name"])
        rest = rest[match.end() :]
        if name == "qualified":
            location.is_qualified = True
            continue
        if has_open_quote(rest):
            raise UsageError(f"Unmatched quote, {rest}.")
        end, quoted = _END.search(rest), _QUOTED.match(rest)
        if quoted is not None:
            value, rest = quoted["value"], rest[quoted.end() :]
        else:
            value, rest = (rest, "") if end is None else (rest[: end.start()], rest[end.end() :])
        if name != "function" and quoted is None:  # the name of a function may have blanks
            value, _, junk = value.partition(" ")
            rest = f"{junk} {rest}".strip()
        if not value:
            raise UsageError(f'missing argument for "-{name}"')
        if name == "line":
            number = LINE.match(value)
            if number is None:
                raise UsageError(f'malformed line offset: "{value}"')
            value = number[0]
        setattr(location, name, unquoted(value, is_in_ada=name == "function"))
    if location.source is not None and not (location.function or location.label or location.line):
        raise UsageError("Source filename requires function, label, or line offset.")
    return location


def is_line_alone(text: str) -> bool:
    """Return whether a location is a line without a file and a function: `12`, `-line 12`."""
    explicit = explicit_location(text)
    if explicit is None:
        return LINE.fullmatch(text) is not None
    if explicit.linespec is not None:
        return LINE.fullmatch(explicit.linespec) is not None
    names = (explicit.source, explicit.function, explicit.label)
    return explicit.line is not None and names == (None, None, None)


def _full_name(word: str) -> str:
    """Return the part that a word begins, as `func`."""
    for name in _PARTS:
        if name.startswith(word):
            return name
    raise UsageError(f'invalid explicit location argument, "-{word}"')


def unquoted(name: str, *, is_in_ada: bool = False) -> str:
    """Return a name without the quotes around it; an operator of Ada has them in its name.
    `is_in_ada`: also one that is a word, `"mod"`."""
    if name[:1] not in ("'", '"') or name[-1:] != name[:1] or len(name) < 3:
        return name
    if name[0] == '"':
        from dwarfgpu.dwarf.names.ada_names import is_operator  # few names

        if is_operator(name, with_words=is_in_ada):
            return name
    return name[1:-1]


def has_open_quote(text: str) -> bool:
    """Return whether a text begins with a quote that does not end in it."""
    return text.startswith(("'", '"')) and text.find(text[0], 1) < 0


def label_linespec(text: str) -> tuple[str, str] | None:
    """Return the function, perhaps with its file, and the label of `FUNCTION:LABEL`; None for other
    texts."""
    match = _LABEL.fullmatch(text)
    return None if match is None else (match["function"], match["label"])


def in_file_text(file: str, inside: str) -> str:
    """Return `FILE:LINE` or `FILE:FUNCTION`; the file has quotes where the text is read otherwise
    without them. `f(int):LABEL` needs none."""
    text = f"{file}:{inside}"
    match = IN_FILE.fullmatch(text)
    is_label = file.endswith(")") and label_linespec(text) == (file, inside)
    if is_label or (match is not None and match["file"] == file):
        return text
    quote = '"' if "'" in file else "'"
    return f"{quote}{file}{quote}:{inside}"


def location_text(text: str) -> str:
    """Return a location as GDB writes it."""
    explicit = explicit_location(text)
    if explicit is not None:
        return str(explicit)
    if text.startswith("*"):
        return text
    if text[:1] in ("'", '"') and text.find(text[0], 1) == len(text) - 1:
        text = unquoted(text)
    in_file = IN_FILE.fullmatch(text)
    if in_file is not None:
        return in_file_text(unquoted(in_file["file"]), _label_text(unquoted(in_file["inside"])))
    return _label_text(text)


def _label_text(text: str) -> str:
    """Return `FUNCTION:LABEL` without blanks around the colon; other texts as they are."""
    labelled = label_linespec(text)
    return text if labelled is None else f"{unquoted(labelled[0])}:{labelled[1]}"
