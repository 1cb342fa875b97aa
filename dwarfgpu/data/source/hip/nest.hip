// SPDX-License-Identifier: Apache-2.0
// A divergent if/else nest (the SUBPROGRAM X of the AMDGPU lane pc text) and
// a loop with continue and break. `t` is one dword per lane.
#include "device.h"

__device__ int launches = 3;

extern "C" __global__ void nest(const int *in, int *out, int limit) {
  int t = block_x() * 64 + thread_x();
  int a = in[t];
  int r = a + launches;
  if (a > limit) {
    r += in[t + 1];
    if (a & 1) {
      r *= 3;
      out[t + 256] = r;
    } else {
      r -= 7;
      out[t + 512] = r;
    }
    r ^= t;
  } else {
    r = r * limit + t;
    out[t + 768] = r;
  }
  int sum = 0;
  for (int i = 0; i < limit; i++) {
    int v = in[t + i];
    if (v == 0)
      continue;
    if (v < 0)
      break;
    sum += v * i;
  }
  out[t] = r + sum;
}
