"""Containers inside GDB are shown as libstdc++'s own printers show them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

PRINTERS = Path("/usr/share/gcc/python")
SOURCE = r"""
#include <any>
#include <bitset>
#include <compare>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>
int main() {
  std::list<int> list{1, 2};
  auto in_list = list.begin();
  auto constant = list.cbegin();
  std::list<std::string> names{"a"};
  auto name = names.begin();
  std::deque<int> deque{3, 4};
  auto in_deque = deque.begin();
  std::set<int> set{4};
  auto in_set = set.begin();
  std::vector<bool> bits{true, false};
  auto first = bits.begin();
  auto second = bits.begin() + 1;
  auto bit = bits[0];
  std::vector<bool>::reference bad_bit;
  std::vector<int> numbers{5, 6};
  auto in_numbers = numbers.begin();
  std::list<int>::iterator nowhere;
  nowhere = {};
  std::any nothing, any_number = 4, any_text = std::string("text"), any_list = numbers;
  std::filesystem::path empty, file = "file", root = "/", rooted = "/usr/lib", up = "../a/";
  auto less = 1 <=> 2, equal = 2 <=> 2;
  std::partial_ordering unordered = 1.0 <=> __builtin_nan(""), same = 1.0 <=> 1.0;
  std::weak_ordering weak = std::weak_ordering::greater;
  using Choice = std::variant<std::list<int>, std::set<int>, std::tuple<int, char>,
      std::shared_ptr<int>, std::optional<int>, std::map<int, int>,
      std::optional<std::shared_ptr<int>>, std::variant<int, std::unique_ptr<int>>>;
  Choice of_list{list}, of_set{set}, of_tuple{std::tuple<int, char>{1, 'c'}};
  Choice of_shared{std::make_shared<int>(1)}, of_optional{std::optional<int>{2}};
  Choice of_map{std::map<int, int>{{1, 2}}}, of_wrapped{std::optional{std::make_shared<int>(3)}};
  Choice of_variant{std::variant<int, std::unique_ptr<int>>{std::make_unique<int>(4)}};
  std::optional<std::list<int>> optional_list{list};
  std::bitset<10> set_bits{5};
  std::abort();
}
"""
NAMES = (
    "list", "in_list", "constant", "names", "name", "deque", "in_deque", "set", "in_set", "bits",
    "first", "second", "bit", "bad_bit", "/x bit", "numbers", "in_numbers", "nowhere",
    "nothing", "any_number", "any_text", "any_list", "empty", "file", "root", "rooted", "up",
    "less", "equal", "unordered", "same", "weak",
    "of_list", "of_set", "of_tuple", "of_shared", "of_optional", "of_map", "of_wrapped",
    "of_variant", "optional_list", "set_bits",
    "/x root", "/d rooted", "/s rooted", "/x up", "/f set_bits", "/x set_bits",
)  # fmt: skip
SCRIPT = f"""
import sys
sys.path.insert(0, {str(PRINTERS)!r})
from libstdcxx.v6 import register_libstdcxx_printers
register_libstdcxx_printers(None)
for name in {NAMES!r}:
    after = name if name.startswith("/") else f" {{name}}"
    theirs = gdb.execute(f"output{{after}}", to_string=True)
    ours = gdb.execute(f"dwarfgpu print{{after}}", to_string=True).partition(" = ")[2].strip()
    print(f"##{{name}}: {{theirs}}" if theirs == ours else f"##{{name}}: {{theirs}} != {{ours}}")
"""


def test_as_by_the_library(debugger: Debugger, tool: Callable[[str], str], tmp_path: Path) -> None:
    if not (PRINTERS / "libstdcxx").is_dir():
        pytest.skip("the printers of libstdc++ for GDB are not installed")
    (tmp_path / "a.cpp").write_text(SOURCE)
    program = tmp_path / "a"
    command = [tool("g++"), "-std=c++20", "-g", "-O0", str(tmp_path / "a.cpp"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    out = debugger.python(SCRIPT, "break abort", "run", "frame function main", file=program)
    lines = [line.removeprefix("##") for line in out.splitlines() if line.startswith("##")]
    assert len(lines) == len(NAMES)
    assert [line for line in lines if " != " in line] == []
    assert 'any_text: std::any containing std::string = {[contained value] = "text"}' in lines
    assert 'rooted: filesystem::path "/usr/lib" = ' in "\n".join(lines)


ELEMENTS = {
    "numbers[1]": "6", "deque[1]": "4", "array[1]": "8", "text[1]": "101 'e'", "bits[0]": "true",
    "many[1]": "22", "in_other[0]": "5",
}  # fmt: skip


def test_elements_by_an_index_in_python(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """As the same element in an expression; and it can be assigned."""
    (tmp_path / "a.cpp").write_text("""\
#include <array>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>
int main() {
  std::vector<int> numbers{5, 6}; std::vector<bool> bits{true, false};
  std::deque<int> deque{3, 4}; std::array<int, 2> array{7, 8}; std::string text = "text";
  std::unique_ptr<int[]> many(new int[2]{21, 22}); std::vector<int> &in_other = numbers;
  struct { int a; } none{0};
  return std::abort(), array[0] + none.a + in_other[0];
}
""")
    program = tmp_path / "a"
    command = [tool("g++"), "-std=c++20", "-g", "-O0", str(tmp_path / "a.cpp"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    out = debugger.python(
        f"""
import dwarfgpu.gdb as dg
for written in {list(ELEMENTS)}:
    name, index = written[:-1].split("[")
    by_index, in_expression = dg.value(name)[int(index)], dg.value(written)
    print(f"{{written}}|{{by_index.name}}|{{by_index.text}}|{{in_expression.text}}")
for name, index in [("numbers", 2), ("numbers", -1), ("none", 0)]:
    try:
        print(dg.value(name)[index].text)
    except gdb.GdbError as error:
        print(error)
dg.value("numbers")[0].assign(50)
print(dg.value("numbers[0]").text)
""",
        "break abort",
        "run",
        "frame function main",
        file=program,
    )
    *shown, beyond, before, structure, assigned = out.strip().splitlines()
    assert shown == [f"{name}|{name}|{text}|{text}" for name, text in ELEMENTS.items()]
    assert beyond == "The container has no element 2."
    assert before == "The container has no element -1."
    assert structure == 'No symbol "operator[]" in current context.'  # as GDB says
    assert assigned == "50"
