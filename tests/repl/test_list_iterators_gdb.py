"""Iterators of lists of libstdc++, as its printers in GDB show them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#include <cstdlib>
#include <forward_list>
#include <list>
#include <string>
struct wide { char tag; long double number; };
int main() {
  std::forward_list<int> numbers{4, 5};
  std::forward_list<std::string> texts{"a"};
  std::forward_list<wide> wides{{'q', 2.5L}};
  std::list<std::forward_list<int>::iterator> nested{numbers.begin()};
  auto first = numbers.begin();
  auto text = texts.begin();
  auto aligned = wides.begin();
  std::forward_list<int>::const_iterator constant = numbers.cbegin();
  auto end = numbers.end();
  std::list<std::forward_list<int>::iterator>::iterator in_list = nested.begin(), unset;
  unset._M_node = nullptr;
  abort();
}
"""
EXPECTED = {
    "first": "4",
    "text": '"a"',
    "aligned": "{tag = 113 'q', number = 2.5}",
    "constant": "4",
    "end": "non-dereferenceable iterator for std::forward_list",
    "in_list": "4",
    "unset": "non-dereferenceable iterator for std::list",
}


def test_iterators(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.cc": SOURCE}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cc"]])
    commands = ["frame function main", *(f"output {name}" for name in EXPECTED)]
    _, *shown = answers(None, with_core(tool, tmp_path), commands)
    for (name, expected), text in zip(EXPECTED.items(), shown, strict=True):
        assert expected in text, name
