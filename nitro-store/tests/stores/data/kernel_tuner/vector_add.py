import sys, numpy as np, kernel_tuner as kt
name = sys.argv[1]
src = r'''
#include <chrono>
#if BLOCK == 48 && UNROLL > 1
#error "uses too much shared data"
#endif
extern "C" float vector_add(float *c, float *a, float *b, int n) {
  auto t0 = std::chrono::steady_clock::now();
  for (int i = 0; i + BLOCK <= n; i += BLOCK)
    for (int j = 0; j < BLOCK; j += UNROLL)
      for (int k = 0; k < UNROLL; k++) c[i + j + k] = a[i + j + k] + b[i + j + k];
  auto t1 = std::chrono::steady_clock::now();
  return std::chrono::duration<float, std::milli>(t1 - t0).count();
}
'''
n = np.int32(3*2**16)
a = np.random.rand(n).astype(np.float32); b = np.random.rand(n).astype(np.float32); c = np.zeros_like(a)
tp = dict(BLOCK=[16,48,64,2048], UNROLL=[1,2,4], order=["row","column"])
res, env = kt.tune_kernel("vector_add", src, (int(n), 1), [c,a,b,n], tp, lang="C", compiler="g++", compiler_options=["-O2"], restrictions=["UNROLL*4<=BLOCK"], cache=name, iterations=7, block_size_names=["BLOCK"])
from kernel_tuner.file_utils import store_output_file
store_output_file(name.replace(".json","_T4.json"), res, tp)
