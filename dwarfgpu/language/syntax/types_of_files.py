"""Types of a source file in an expression: `'file.c'::T *`, `('file.c'::N::Box<int> &) x`."""

from __future__ import annotations

from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.name_parser import extended_name
from dwarfgpu.language.syntax.tokens import Token


def with_types_of_files(cursor: Cursor) -> None:
    """Make one word of each file in quotes and the type of it that follows."""
    index = 0
    while index < len(cursor.tokens) - 1:
        quoted, after = cursor.tokens[index : index + 2]
        is_scoped = after.kind == "name" and after.text.startswith("::")
        if quoted.kind == "quoted" and is_scoped and not cursor.known.is_type(quoted.text):
            separate = cursor.tokens
            whole = Token("name", f"'{quoted.text}'{after.text}", quoted.start)
            cursor.tokens = [*separate[:index], whole, *separate[index + 2 :]]
            if not cursor.known.is_type(extended_name(cursor, index)[0]):
                cursor.tokens = separate
            cursor.extended_names.clear()
        index += 1
