// SPDX-License-Identifier: Apache-2.0
// Stacks of every shape: recursion, alloca, callbacks from a library, tail calls, a signal handler.
#include <alloca.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

volatile int sink;
static int table[24];

__attribute__((noinline)) static int order(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  sink += x;
  return x < y ? -1 : x > y;
}

__attribute__((noinline)) static int deep(int n, int a, int b, int c, int d, int e) {
  if (n == 0)
    return sink + a * b + c * d + e;
  int low = deep(n - 1, b, c, d, e, a);
  int high = n % 5 ? 0 : deep(n / 5, e, d, c, b, a);
  return low + high * a - b + c * d - e + n;
}

__attribute__((noinline)) static int variable(int n) {
  char *room = alloca(16 + n * 24);
  memset(room, n, 16 + n * 24);
  double also[n + 1];
  for (int i = 0; i <= n; i++)
    also[i] = room[i] * 1.5;
  int inner = n ? variable(n - 1) : deep(3, 1, 2, 3, 4, 5);
  return inner + room[n] + (int)also[n];
}

__attribute__((noinline)) static int tail2(int n) { sink += n; return deep(n & 3, n, 2, 3, 4, 5); }
__attribute__((noinline)) static int tail1(int n) { sink ^= n; return tail2(n + 1); }

static void handler(int number) {
  sink += deep(2, number, 1, 1, 1, 1);
}

__attribute__((noinline)) static int interrupted(int n) {
  int held = variable(n);
  raise(SIGUSR1);
  return held + variable(n + 1);
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, 0);
  int total = 0;
  for (int round = 0; round < 100; round++) {
    for (int i = 0; i < 24; i++)
      table[i] = (i * 7 + round) % 24;
    qsort(table, 24, sizeof table[0], order);
    total += deep(6, 1, 2, 3, 4, round) + tail1(round) + interrupted(round % 5);
  }
  return total == 12345;
}
