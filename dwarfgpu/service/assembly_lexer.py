"""A Pygments lexer for AMDGPU assembly, registered as `amdgpu`."""

from __future__ import annotations

from typing import Final

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

_REGISTER: Final = (
    r"(?:[sva](?:[0-9]+|\[[0-9]+(?::[0-9]+)?\])|ttmp(?:[0-9]+|\[[0-9]+:[0-9]+\])|vcc(?:_lo|_hi)?|exec(?:_lo|_hi)?|"
    r"m0|null|scc|flat_scratch(?:_lo|_hi)?|xnack_mask(?:_lo|_hi)?|src_\w+|off)(?![\w])(?:\.[lh]\b)?"
)


class AmdGpuLexer(RegexLexer):  # type: ignore[misc]  # pygments has no types
    """Assembly as LLVM writes it for the target amdgcn."""

    name = "AMDGPU assembly"
    aliases = ("amdgpu", "amdgcn")
    filenames = ()
    mimetypes = ()
    url = "https://llvm.org/docs/AMDGPUUsage.html"

    tokens = {  # noqa: RUF012 (pygments' own form)
        "root": [
            (r"[ \t]+", Text),
            (r"\n", Text),
            (r"//.*|;.*", Comment.Single),
            (r"/\*.*?\*/", Comment.Multiline),
            (r"([A-Za-z_$][\w$.@]*)(:)", bygroups(Name.Label, Punctuation)),
            (r"\.[\w.]+", Keyword.Pseudo, "operands"),
            (r"[a-z][a-z0-9_]*", Name.Function, "operands"),
            (r".", Text),
        ],
        "operands": [
            (r"\n", Text, "#pop"),
            (r"[ \t]+", Text),
            (r"//.*|;.*", Comment.Single),
            (r"/\*.*?\*/", Comment.Multiline),
            (r"(::)([ \t]+)([a-z]\w*)", bygroups(Operator, Text, Name.Function)),
            (r"<[^>\n]*>", Name.Label),
            (_REGISTER, Name.Variable),
            (r"0x[0-9a-fA-F]+", Number.Hex),
            (r"[0-9]+\.[0-9]+", Number.Float),
            (r"[0-9]+", Number.Integer),
            (r'"[^"\n]*"', String),
            (r"([a-z_]\w*)(:)", bygroups(Keyword.Type, Punctuation)),
            (r"[A-Za-z_$][\w$.@]*", Name),
            (r"[\[\](),|]", Punctuation),
            (r".", Operator),
        ],
    }


_LIGHT_GREY: Final = "\x1b[37m"
"""What Pygments writes for comments, which is hardly visible on white."""
_GREY: Final = "\x1b[38;5;243m"
"""What the prompt writes for them."""


def coloured(text: str) -> str:
    """Return lines of assembly with the colours of a terminal."""
    from pygments import highlight
    from pygments.formatters import TerminalFormatter

    shown = str(highlight(text, AmdGpuLexer(stripnl=False), TerminalFormatter()))
    return shown.removesuffix("\n").replace(_LIGHT_GREY, _GREY)
