// SPDX-License-Identifier: Apache-2.0
// Exceptions through stacks of every depth: destructors on the way, others thrown from handlers.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace thrown {

volatile long sink;

struct Guard {
  explicit Guard(long held) : held(held) {}
  __attribute__((noinline)) ~Guard() { sink = sink + held; }
  long held;
};

struct Odd : std::runtime_error {
  Odd(int depth, const std::string &why) : std::runtime_error(why), depth(depth) {}
  int depth;
};

template <typename Number> __attribute__((noinline)) Number deep(int depth, Number value) {
  Guard guard(depth);
  if (depth == 0) {
    if (sink % 3)
      throw Odd(depth, "bottom");
    throw static_cast<int>(value);
  }
  std::vector<Number> room(depth, value);
  try {
    return deep<Number>(depth - 1, value + room.back()) + room.front();
  } catch (const Odd &odd) {
    if (depth % 4 == 0)
      throw Odd(odd.depth + depth, std::string(odd.what()) + " again");
    throw;
  }
}

struct Shape {
  virtual ~Shape() {}
  virtual double area(int n) = 0;
};

struct Square : Shape {
  double side = 2;
  __attribute__((noinline)) double area(int n) override { return deep<double>(n, side) * side; }
};

__attribute__((noinline)) int round(Shape &shape, int n) {
  std::vector<int> numbers{5, 3, n, 8, 1, 7};
  std::sort(numbers.begin(), numbers.end(), [n](int a, int b) {
    sink = sink + 1;
    return (a ^ n) < (b ^ n);
  });
  try {
    return static_cast<int>(shape.area(numbers[n % 6] + 1));
  } catch (const std::exception &error) {
    Guard guard(n);
    return static_cast<int>(std::string(error.what()).size());
  } catch (int value) {
    return value;
  }
}

} // namespace thrown

int main() {
  thrown::Square square;
  int total = 0;
  for (int n = 0; n < 400; n++)
    total += thrown::round(square, n);
  return total == 12345;
}
