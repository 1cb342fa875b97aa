"""Configuration of Sphinx for the documentation site (docs/decisions/0012-documentation-site.md).

`tools/docs` builds it; the extra `docs` has what that needs.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx

import dwarfgpu

project = "dwarfgpu"
author = "the dwarfgpu authors"
copyright = "the dwarfgpu authors, Apache-2.0"
version = release = dwarfgpu.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["decisions/0000-template.md"]
html_theme = "furo"
html_title = f"dwarfgpu {version}"
html_copy_source = False
myst_heading_anchors = 4
# A docstring writes `name` for code, as Markdown does.
default_role = "code"
autodoc_member_order = "bysource"

_OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./([^)#\s]+)[^)]*\)")
"""A link from a page to a file of the repository that is not part of the site."""


def name_outside_files(_: Sphinx, __: str, source: list[str]) -> None:
    """Write `text (path)` for such a link: in the repository it opens the file, here it cannot."""
    source[0] = _OUTSIDE.sub(
        lambda link: (
            f"{link[1]} (`{link[2]}`)" if link[1].strip("`") not in link[2] else f"`{link[2]}`"
        ),
        source[0],
    )


def setup(app: Sphinx) -> None:
    app.connect("source-read", name_outside_files)
