"""Regular expressions that are compiled when they are first used.

A command loads modules with dozens of them, and uses few; compiling one takes as long as loading a
small module.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

from dwarfgpu.base.cached import cached_property


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression as `re.compile` does, which is not compiled yet; `re.error` at
    its first use."""
    return cast("re.Pattern[AnyStr]", DeferredPattern(text, flags))


class DeferredPattern:
    """A regular expression that is compiled on first use, with the attributes of a `re.Pattern`."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[Any]:
        return re.compile(self._text, self._flags)

    # Any: what `re.Pattern` has.
    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled pattern, and keep it for the next time."""
        value = getattr(self.compiled, name)
        vars(self)[name] = value
        return value
