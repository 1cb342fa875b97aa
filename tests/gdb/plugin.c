// SPDX-License-Identifier: Apache-2.0
// A library with a variable of each thread.
int in_library = 5;
_Thread_local int before = 3;
static _Thread_local long per_thread = 100;

__attribute__((noinline)) int plugged(int number) {
  int inside = number + in_library;
  per_thread += inside;
  before++;
  return inside;
}
