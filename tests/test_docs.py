"""The documents say what the code does."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from dwarfgpu.base.records import has
from dwarfgpu.cfi.declaration import CFA_OPERATIONS
from dwarfgpu.check.rule_details import DETAILS
from dwarfgpu.check.rules import RULES
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.expr.dialect.encodings import PROVISIONAL
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.machine import run_control, target
from dwarfgpu.model import location, storage, value
from tools import gen_docs


@pytest.mark.parametrize(
    ("path", "text"), gen_docs.DOCUMENTS, ids=lambda document: getattr(document, "name", "text")
)
def test_generated_documents_are_up_to_date(path: Path, text: Callable[[], str]) -> None:
    assert path.read_text(encoding="utf-8") == text(), "run tools/gen_docs.py"


def test_every_operation_is_documented() -> None:
    text = gen_docs.TARGET.read_text(encoding="utf-8")
    for operation in OPERATIONS.values():
        if operation.number in (None, 0, 31):
            assert f"`{operation.title}`" in text
    for name in PROVISIONAL.values():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `DW_OP_{name}`")]
        assert "**provisional**" in row


def test_every_dialect_is_documented(repository: Path) -> None:
    text = (repository / "docs/dialects.md").read_text(encoding="utf-8")
    for dialect in DIALECTS.values():
        assert f"`{dialect.name}`" in text


def test_every_rule_of_the_check_is_documented(repository: Path) -> None:
    text = (repository / "docs/check.md").read_text(encoding="utf-8")
    row = r"^\| `([a-z0-9-]+)` \| (error|warning|note) \| ([A-Z0-9.]+) \| (.*) \|$"
    assert re.findall(row, text, re.M) == [
        (rule.name, rule.severity, rule.section, DETAILS[rule.name]) for rule in RULES.values()
    ]


@pytest.mark.parametrize("module", [value, storage, location], ids=lambda module: module.__name__)
def test_every_noun_is_mapped(module: object, repository: Path) -> None:
    text = (repository / "docs/model.md").read_text(encoding="utf-8")
    for name, noun in vars(module).items():
        own = getattr(noun, "__module__", None) == getattr(module, "__name__", "")
        if isinstance(noun, type) and has(noun) and own:
            assert f"`{name}`" in text, f"{name} is not in docs/model.md"


@pytest.mark.parametrize("name", ["check.md", "dialects.md", "model.md"])
def test_files_that_are_named_exist(name: str, repository: Path) -> None:
    text = (repository / "docs" / name).read_text(encoding="utf-8")
    for path in re.findall(r"`((?:dwarfgpu|docs|tools|tests)/[\w./-]+)`", text):
        assert (repository / path).exists(), path


def test_every_decision_has_a_number_of_its_own(repository: Path) -> None:
    pages = sorted((repository / "docs/decisions").glob("*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(len(pages)))
    for page in pages[1:]:
        assert f"# {page.name[:4]}: " in page.read_text(encoding="utf-8")[:300]


LOOKED_FOR = re.compile(r"^\| (.*) \| `(\w[\w/]*\.py)` \| `(\w+)` \|$", re.MULTILINE)


def test_where_to_look_is_where_it_is(repository: Path) -> None:
    """The table of docs/contributing.md: each file defines the name."""
    rows = LOOKED_FOR.findall((repository / "docs/contributing.md").read_text("utf-8"))
    assert len(rows) >= 20
    for question, path, name in rows:
        text = (repository / "dwarfgpu" / path).read_text("utf-8")
        assert re.search(rf"^\s*(?:(?:class|def) )?{name}\b(?=[(:\[])", text, re.MULTILINE), (
            question
        )


def test_operations_are_found_by_their_full_names() -> None:
    """`grep -rn DW_OP_LLVM_overlay dwarfgpu` leads to the module that declares it."""
    declared = {
        (
            operation.function.__module__,
            f"{prefix}{operation.name}",
            getattr(operation, "number", None),
        )
        for prefix, operations in (("DW_OP_", OPERATIONS), ("DW_CFA_", CFA_OPERATIONS))
        for operation in operations.values()
        if ".dialect." not in operation.function.__module__
    }
    assert len(declared) > 200
    for module, name, number in sorted(declared, key=str):
        if number is None or number in (0, 31):
            documentation = sys.modules[module].__doc__ or ""
            assert re.search(rf"\b{name}\b", documentation), f"{module} lacks {name}"


def test_every_capability_of_a_target_is_documented(repository: Path) -> None:
    capabilities = {
        name
        for module in (target, run_control)
        for name, kind in vars(module).items()
        if kind not in (Protocol, target.Target)
        and "_is_runtime_protocol" in getattr(kind, "__dict__", ())
    }
    assert {"Named", "Runs"} <= capabilities
    table = re.findall(
        r"^\| `(\w+)` \|", (repository / "docs/backends.md").read_text("utf-8"), re.M
    )
    assert capabilities <= {*table}


@pytest.mark.parametrize(
    ("named", "names"),
    [
        ("CPUs", r'"(?:EM_)?(X86_64|AARCH64|386|x86_64|aarch64|aarch64_be|i386)"'),
        ("GPUs", r'"(AMDGPU|CUDA)"'),
    ],
)
def test_modules_that_name_a_processor_are_listed(repository: Path, named: str, names: str) -> None:
    """Outside of `arch/` only these name a CPU or a vendor's GPU, or its ELF machine, each for the
    reason given."""
    text = (repository / "docs/contributing.md").read_text("utf-8")
    folder = repository / "dwarfgpu"
    modules = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if path.parent != folder / "arch" and re.search(names, path.read_text("utf-8"))
    }
    _, _, section = text.partition(f"| Module that names {named} | Reason |")
    listed = re.findall(r"^\| (.*) \| \S.* \|$", section.partition("\n\n")[0], re.MULTILINE)
    assert modules == set(re.findall(r"`([\w/]+\.py)`", "".join(listed)))


LINK = re.compile(r"\]\(([^)\s]*)#([^)\s]+)\)")
HEADING = re.compile(r"^#{1,4} +(.*?) *$", re.MULTILINE)
LABEL = re.compile(r"^\((\S+)\)=$", re.MULTILINE)


def _anchors(page: Path) -> set[str]:
    """What links can name: headings as GitHub and MyST spell them, and labels."""
    text = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    plain = (re.sub(r"\[(.*?)\]\(.*?\)", r"\1", match) for match in HEADING.findall(text))
    names = {re.sub(r"[^\w\- ]", "", item.lower()).replace(" ", "-") for item in plain}
    return names | set(LABEL.findall(text))


def test_links_lead_to_headings(repository: Path) -> None:
    pages = [repository / "README.md", *(repository / "docs").rglob("*.md")]
    links = [(page, *link) for page in pages for link in LINK.findall(page.read_text("utf-8"))]
    links = [link for link in links if "://" not in link[1]]
    assert len(links) >= 20
    missing = [
        f"{page.relative_to(repository)}: {path}#{anchor}"
        for page, path, anchor in links
        if anchor not in _anchors((page.parent / path) if path else page)
    ]
    assert not missing
