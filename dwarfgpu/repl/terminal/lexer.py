"""Colours of a line that is being typed."""

from __future__ import annotations

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text


class CommandLexer(RegexLexer):  # type: ignore[misc]  # pygments has no types
    """A command, its format, and names, registers and numbers."""

    name = "dwarfgpu"
    tokens = {  # noqa: RUF012 (pygments' own form)
        "root": [
            (r"\s+", Text),
            (r"#.*", Comment),
            (r"(info|inf|i)(\s+)([\w-]+)", bygroups(Keyword, Text, Keyword), "argument"),
            (r"([A-Za-z][\w.-]*)(/\w*)?", bygroups(Keyword, Keyword.Type), "argument"),
            (r".", Text),
        ],
        "argument": [
            (r"\n", Text, "#pop"),
            (r"\s+", Text),
            (r"\$[\w$]*", Name.Variable),
            (r"0[xX][0-9a-fA-F]+|\d+(\.\d+)?", Number),
            (r"DW_\w+", Name.Builtin),
            (r"\"[^\"\n]*\"?", String),
            (r"[^\W\d]\w*#", Name.Namespace),
            (r"[^\W\d]\w*", Name),
            (r".", Operator),
        ],
    }
