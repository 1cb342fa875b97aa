// SPDX-License-Identifier: Apache-2.0
// What a HIP translation unit needs when no HIP headers are installed.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline __attribute__((noinline))

__device__ inline __attribute__((always_inline)) int thread_x() {
  return __builtin_amdgcn_workitem_id_x();
}
__device__ inline __attribute__((always_inline)) int block_x() {
  return __builtin_amdgcn_workgroup_id_x();
}
__device__ inline __attribute__((always_inline)) void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
