// Many kinds of instructions in one text.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdio>
#include <cassert>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__constant__ float weights[5] = {1.0f, -4.5f, 6.25f, 0.0f, 3.0f};
__device__ int counter = 7;
__device__ const char *message = "semi;colon { brace // no comment";
struct Pair { float first; double second; short third; };

__noinline__ __device__ float far(float x, int n) { return n > 3 ? x * n : x + counter; }
__noinline__ __device__ Pair pair_of(float x) { return {x, x * 2.0, short(x)}; }
typedef float (*Function)(float, int);
__device__ Function table[2] = {far, far};

template <typename T, int N> struct Tile { T values[N]; __device__ T sum() const { T s = 0; for (int i = 0; i < N; ++i) s += values[i]; return s; } };

template <typename T, int N> __global__ void reduce(const T *in, T *out, int n) {
    __shared__ T tile[256];
    Tile<T, N> own;
    for (int i = 0; i < N; ++i) { int at = blockIdx.x * 256 * N + i * 256 + threadIdx.x; own.values[i] = at < n ? in[at] : T(0); }
    tile[threadIdx.x] = own.sum();
    __syncthreads();
    for (int width = 128; width > 0; width /= 2) { if (threadIdx.x < width) tile[threadIdx.x] += tile[threadIdx.x + width]; __syncthreads(); }
    if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}
template __global__ void reduce<float, 4>(const float *, float *, int);
template __global__ void reduce<double, 2>(const double *, double *, int);
template __global__ void reduce<int, 8>(const int *, int *, int);

extern "C" __global__ void branches(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i];
    switch (v & 15) {
        case 0: v += 3; break; case 1: v *= 5; break; case 2: v ^= n; break; case 3: v = v / (n + 1); break;
        case 4: v -= x[0]; break; case 5: v = __popc(v); break; case 6: v = __clz(v); break; case 7: v = __brev(v); break;
        case 8: v = atomicCAS(x, v, 3); break; case 9: v = v % 7; break; case 10: asm volatile("trap;"); break; default: v = ~v;
    }
    x[i] = v;
}

extern "C" __global__ void calls(float *x, int n, int which) {
    int i = threadIdx.x;
    assert(n > 0);
    x[i] = far(x[i], n) + table[which & 1](x[i], i);
    Pair p = pair_of(x[i]);
    x[i] += p.first + p.second + p.third + weights[i % 5];
    if (x[i] != x[i]) printf("%d: %f %s\n", i, x[i], message);
}

extern "C" __global__ void halves(__half2 *x, __nv_bfloat16 *y, const __half *z, int n) {
    int i = threadIdx.x;
    __half2 v = x[i];
    v = __hfma2(v, v, x[i + 1]);
    x[i] = h2exp(v);
    y[i] = __hadd(y[i], __float2bfloat16(__half2float(z[i])));
}

extern "C" __global__ void warps(unsigned *x, int n) {
    unsigned v = x[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    v += __shfl_up_sync(~0u, v, 3) + __ballot_sync(~0u, v & 1) + __any_sync(~0u, v > 3) + __match_any_sync(~0u, v);
    v += __reduce_add_sync(~0u, v);
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    v += tile.shfl_down(v, 1);
    cg::this_thread_block().sync();
    auto active = cg::coalesced_threads();
    x[threadIdx.x] = v + active.size() + __activemask();
    __threadfence(); __syncwarp();
}

extern "C" __global__ void tensor(const half *a, const half *b, float *c) {
    __shared__ __align__(16) half tile[16 * 16];
    unsigned s = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" :: "r"(s + threadIdx.x * 16), "l"(a + threadIdx.x * 8));
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;\n");
    __syncthreads();
    unsigned r0, r1, r2, r3;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(s + threadIdx.x % 16 * 32));
    unsigned b0 = ((const unsigned *)b)[threadIdx.x], b1 = ((const unsigned *)b)[threadIdx.x + 32];
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(b0), "r"(b1));
    for (int i = 0; i < 4; ++i) c[threadIdx.x * 4 + i] = d[i];
}

extern "C" __global__ void scopes(int *x, unsigned long long *y, int n) {
    int i = threadIdx.x, v = x[i], w;
    asm volatile("{\n .reg .pred p, q<3>;\n .reg .b32 t;\n setp.gt.s32 p, %1, 3;\n @p mov.u32 t, 5; @!p mov.u32 t, 6;\n setp.lt.or.s32 q1|q2, %1, %2, p;\n selp.b32 %0, t, %1, q1;\n }" : "=r"(w) : "r"(v), "r"(n));
    asm volatile("{\n .reg .pred p;\n .reg .b32 %%t;\n mov.u32 %%t, %0;\nLOOP: sub.s32 %%t, %%t, 1;\n setp.gt.s32 p, %%t, 0;\n @p bra LOOP;\n { .reg .b32 t; mov.b32 t, %%t; add.s32 %0, t, t; }\n}" : "+r"(w));
    asm volatile("{\n .reg .pred p;\n mov.u32 %0, %0;\nLOOP: setp.gt.s32 p, %0, 100;\n @p bra DONE;\n add.s32 %0, %0, 17;\n bra LOOP;\nDONE: }" : "+r"(w));
    x[i] = w;
    unsigned long long sum; unsigned lo, hi;
    asm("add.cc.u32 %0, %2, %3; addc.u32 %1, %2, 0;" : "=r"(lo), "=r"(hi) : "r"(v), "r"(w));
    asm("mov.b64 %0, {%1, %2};" : "=l"(sum) : "r"(lo), "r"(hi));
    y[i] = sum + clock64() + __umul64hi(sum, y[i]);
}

extern "C" __global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *out, int w) {
    float4 v = tex2D<float4>(t, threadIdx.x + 0.5f, threadIdx.y * 0.25f);
    float u; surf2Dread(&u, s, threadIdx.x * 4, threadIdx.y);
    surf2Dwrite(u + v.x, s, threadIdx.x * 4, threadIdx.y);
    out[threadIdx.x] = v;
}

extern "C" __global__ void __launch_bounds__(128, 4) locals(float *x, int n) {
    float stack[32];
    for (int i = 0; i < 32; ++i) stack[i] = x[i * n];
    float s = 0;
    for (int i = 0; i < n; ++i) { stack[(i * 7) & 31] += s; s += stack[i & 31]; }
    x[threadIdx.x] = s + sinf(s) + __expf(s) + rsqrtf(s) + powf(s, 1.7f);
}

extern "C" __global__ void vectors(const float4 *__restrict__ a, float4 *b, const double2 *c, double *d) {
    float4 v = a[threadIdx.x], w = __ldg(a + 1);
    v.x += w.y; v.z = fmaf(v.x, v.y, w.w);
    b[threadIdx.x] = v;
    double2 e = c[threadIdx.x];
    d[threadIdx.x] = sqrt(e.x) / e.y + exp(e.x);
    __stcs(d + 3, e.x); d[4] = __ldcg(d + 5);
}

template <int DEPTH> __device__ int walk(int x) { if constexpr (DEPTH == 0) return x; else { if (x & (1 << DEPTH)) return walk<DEPTH - 1>(x * 3 + 1); return walk<DEPTH - 1>(x >> 1); } }
extern "C" __global__ void tree(int *x) { x[threadIdx.x] = walk<6>(x[threadIdx.x]); }
__device__ int deep(int n) { return n < 2 ? n : deep(n - 1) + deep(n - 2); }
extern "C" __global__ void recursive(int *x) { x[0] = deep(x[0]); }
