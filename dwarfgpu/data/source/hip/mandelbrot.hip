// SPDX-License-Identifier: Apache-2.0
// The picture of `dwarfgpu run --demo`: a wave for each row, a lane for each column. Lanes leave
// the loop when their number has grown, so most waves diverge.
#include "device.h"

__device__ char shade(int steps, int most) {
  if (steps == most)
    return '@';
  return " .,:;-=+*#%"[steps < 11 ? steps : 10];
}

extern "C" __global__ void mandelbrot(char *picture, int most) {
  int column = thread_x(), row = block_x();
  float a = (column - 44) / 20.0f, b = (row - 10) / 9.0f;
  float x = 0, y = 0;
  int steps = 0;
  while (steps < most && x * x + y * y < 4) {
    float next = x * x - y * y + a;
    y = 2 * x * y + b;
    x = next;
    steps++;
  }
  picture[64 * row + column] = column == 63 ? '\n' : shade(steps, most);
}
