"""The error tree: every error says whose fault it is, where, and what to do.

Law: no input, however hostile, makes dwarfgpu raise anything but a `DwarfGpuError`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import index
from typing import Final, NamedTuple, Self, TypeVar

_T = TypeVar("_T")

_LONGEST_LINE: Final = 500
"""Characters of a message that people read: a name in it may be of any length."""
LONGEST_NAME: Final = 60
"""Characters of a name in a message whose reason follows."""
_LONGEST: Final = 4_000
"""Characters of the text of an error: it may list the files that were looked for."""
GUESS: Final = "the value may be wrong"
"""The end of a note on a guess, which each command that reads the value shows again."""


def counted(count: int, noun: str) -> str:
    """Return `1 byte` or `2 bytes`: a number and its noun in a message."""
    return f"{shown(count)} {plural(count, noun)}"


def plural(count: int, noun: str) -> str:
    """Return `byte` for 1, and `bytes` for any other count."""
    return noun if count == 1 else f"{noun}s"


def shown(number: int) -> str:
    """Format a number for a message; one too large to read is described by its size."""
    number = index(number)  # it may be one of NumPy
    return str(number) if number.bit_length() <= 128 else f"of {number.bit_length()} bits"


def one_line(text: str) -> str:
    """Return a text that may have names of a file or of a user in it, on one line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else escaped(c) for c in text)


def escaped(character: str) -> str:
    """Return the escape of a character; a byte of a file name that is not UTF-8 is `\\xff`."""
    if "\udc80" <= character <= "\udcff":  # as os.fsdecode represents it
        return f"\\x{ord(character) - 0xDC00:02x}"
    return ascii(character)[1:-1]


def shortened(text: str, most: int = _LONGEST_LINE) -> str:
    """Return text without its middle if it is too long for a message."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 :]}"


class Site(NamedTuple):
    """The operation at which an error arose."""

    offset: int
    """Bytes from the start of the expression."""
    operation: str | None = None
    """Name as in the AMD text, or None where no operation could be decoded."""
    section: str | None = None
    """Section of the AMD text that defines the operation."""

    def __str__(self) -> str:
        return f"{self.operation or 'operation'} at offset {self.offset:#x}"


class FilePosition(NamedTuple):
    """Where in a file is what cannot be read."""

    path: str
    section: str
    offset: int
    """Bytes from the start of the section: of a header."""


class DwarfGpuError(Exception):
    """Base of all errors of dwarfgpu; prints as one line that a person can act on."""

    site: Site | None = None
    """Set once, by the evaluator or decoder that knows it."""
    context: str | None = None
    """File, section, DIE or variable being read, set once by the first caller that knows it."""
    position: FilePosition | None = None
    """Of a header that cannot be read; `context` says it in words."""
    brief: str | None = None
    """What is wrong in a few words, in place of each of many values; a note has the message."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)

    @property
    def kind(self) -> str:
        """The name used in `--json` output and in conformance cases."""
        return type(self).__name__

    @property
    def message(self) -> str:
        """What is wrong, without its site and context."""
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...], dict[str, object]]:
        """Copy and pickle without `__init__`, whose arguments are not those of every error: a pool
        of processes waits for ever for an error that it cannot unpickle."""
        kind = type(self)
        return kind.__new__, (kind, *self.args), self.__dict__

    def anew(self) -> Self:
        """Return an equal error that was not raised yet: it has no traceback."""
        error = type(self).__new__(type(self), *self.args)
        if len(super().__reduce__()) > 2:  # looking at `__dict__` makes one
            error.__dict__.update(self.__dict__)
        return error

    def __eq__(self, other: object) -> bool:
        """Compare what is said, so that records with the same error are equal."""
        if not isinstance(other, DwarfGpuError):
            return NotImplemented
        return type(self) is type(other) and self.args == other.args and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.args))

    @property
    def text(self) -> str:
        """The message with its site and its context, with the characters of the names in it."""
        text = self.message
        if self.site is not None:
            text = f"{self.site}: {text}"
        if self.context is not None:
            text = f"{self.context}: {text}"
        return text

    def __str__(self) -> str:
        """Return the text on one line, whose names move no cursor; without its middle if it is very
        long."""
        return one_line(shortened(self.text, _LONGEST))


class Malformed(DwarfGpuError):
    """The bytes cannot be read: cut short, unknown encoding, operand out of range."""


class IllFormed(DwarfGpuError):
    """The DWARF breaks a rule that the AMD text calls ill-formed: the producer's fault."""


class EvaluationError(DwarfGpuError):
    """An operation has an evaluation error (AMD text A.2.5)."""


class MissingContext(EvaluationError):
    """The evaluation requires a context element that is not specified (A.2.5.1)."""


class InconsistentContext(EvaluationError):
    """Two context elements contradict each other (A.2.5.1)."""


class StaleLocation(EvaluationError):
    """A location description used after the target moved (A.2.5.3)."""


class OutOfRange(EvaluationError):
    """A bit offset outside its location storage."""


class UndefinedBits(EvaluationError):
    """A value retrieved from undefined storage: the object is optimized out."""


class RemovedPointee(EvaluationError):
    """An implicit pointer to an object that has no location: A.2.5.4.4.5 makes it an error to
    follow it, and the object is optimized out."""

    @property
    def kind(self) -> str:
        return "EvaluationError"


class Unavailable(EvaluationError):
    """The machine cannot provide it: a register or memory that cannot be read or written."""


class Ambiguous(Unavailable):
    """The producer's output has two readings, and nothing decides between them."""

    @property
    def kind(self) -> str:
        return "Unavailable"


class PartlyDescribed(Unavailable):
    """The producer's output gives less storage than the object has."""

    @property
    def kind(self) -> str:
        return "Unavailable"


class PartlyUnavailable(Unavailable):
    """A byte of a register with some unknown bits."""

    def __init__(self, message: str, value: int, known: int) -> None:
        super().__init__(message)
        self.value = value
        """The byte; its unknown bits are zero."""
        self.known = known
        """The mask of the bits that are known."""

    @property
    def kind(self) -> str:
        return "Unavailable"


class WhollyUnavailable(Unavailable):
    """A register, or a range of its bytes, without a known bit: its parts need not be read."""

    @property
    def kind(self) -> str:
        return "Unavailable"


class Unsupported(DwarfGpuError):
    """Known and valid, but deliberately not implemented by dwarfgpu."""


class UnknownAugmentation(Unsupported):
    """Call frame information with an unknown augmentation: nothing may be read of it (A.6.4.1)."""

    @classmethod
    def of(cls, augmentation: str) -> UnknownAugmentation:
        """Return the error about the augmentation of a CIE."""
        return cls(
            f"the frame information is unknown: its CIE has the unknown augmentation "
            f"{augmentation!r}"
        )

    @property
    def kind(self) -> str:
        return "Unsupported"


class LimitExceeded(DwarfGpuError):
    """A limit is reached. Without an option that raises it, no good input comes near."""

    def __init__(self, message: str = "", option: str | None = None) -> None:
        super().__init__(message if option is None else f"{message} ({option})")
        self.option = option
        """As on the command line: `--max-steps`."""


class UsageError(DwarfGpuError):
    """The request itself: an unknown name or option value, a file that does not exist."""

    remarks: tuple[str, ...] = ()
    """Doubts about what the names of an expression mean."""


class NotUnderstood(UsageError):
    """An expression with a name that means nothing: GDB looks names up as it parses, so that it
    evaluates nothing of such an expression."""

    @property
    def kind(self) -> str:
        return "UsageError"


class SeveralLines(UsageError):
    """A request whose message has several lines, as some of GDB have: the names in it have none."""

    def __str__(self) -> str:
        return "\n".join(map(one_line, shortened(self.text, _LONGEST).split("\n")))

    @property
    def kind(self) -> str:
        return "UsageError"


class UnreadableFile(UsageError):
    """A file that the request names, and whose contents are not what the request needs."""

    @property
    def kind(self) -> str:
        return "Malformed"


class FailedReads:
    """The errors of what was read in vain, by a key: it is not read again.

    No traceback is kept: it would keep every frame that the error passed through.
    """

    def __init__(self) -> None:
        self._errors: dict[Hashable, DwarfGpuError] = {}

    def read(self, key: Hashable, read: Callable[[], _T]) -> _T:
        """Return what a function reads, or raise the error that it raised for the key before."""
        known = self._errors.get(key)
        if known is not None:
            raise known.anew()
        try:
            return read()
        except DwarfGpuError as error:
            self._errors[key] = error.anew()
            raise
