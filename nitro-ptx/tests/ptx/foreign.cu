// What programs of others have: classes, tables of functions, memory of all kinds, inline assembly with odd spacing, textures.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp8.h>
#include <cstdio>
namespace cg = cooperative_groups;

struct Shape { int k; __device__ Shape(int k) : k(k) {} __device__ virtual float area(float x) const = 0; };
struct Square : Shape { using Shape::Shape; __device__ float area(float x) const override { return x * x * k; } };
struct Circle : Shape { using Shape::Shape; __device__ float area(float x) const override { return 3.14f * x * x + sinf(x); } };
__global__ void shapes(float *x, int n) {
    Square s(n);
    Circle c(n);
    const Shape *shape = x[0] > 0 ? (Shape *)&s : (Shape *)&c;
    x[threadIdx.x] = shape->area(x[threadIdx.x]);
}

typedef int (*Operation)(int, int);
__device__ int sum(int a, int b) { return a + b; }
__device__ int power(int a, int b) { return b <= 0 ? a : power(a + b, b - 1) ^ sum(a, b); }
__constant__ Operation operations[2] = {sum, power};
__global__ void tables(int *x, int n) { x[threadIdx.x] = operations[n % 2](x[threadIdx.x], n); }

extern __shared__ double pool[];
__global__ void __launch_bounds__(128, 4) dynamic(double *x) {
    pool[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int w = blockDim.x / 2; w; w >>= 1) {
        if (threadIdx.x < w) pool[threadIdx.x] += pool[threadIdx.x + w];
        __syncthreads();
    }
    x[threadIdx.x] = pool[0];
}

__global__ void spilled(int *x, int n) {
    int a[64];
    for (int i = 0; i < 64; i++) a[i] = x[i];
    for (int i = 0; i < n; i++) a[a[i] & 63] ^= a[(i * 7) & 63];
    x[threadIdx.x] = a[n & 63];
}

__managed__ int counter = 3;
__global__ void assembly(unsigned *x, unsigned long long *y, int n) {
    unsigned r, q, i = threadIdx.x;
    asm("vadd.u32.u32.u32.sat %0,%1,%2;" : "=r"(r) : "r"(x[i]), "r"(x[n]));
    asm volatile("{  .reg .pred   p ;\n\t setp.ne.u32 p , %1 , 0 ;\n @ p   add.u32\t%0 , %2 , 1 ;\n@!p mov.b32 %0,0;}" : "=r"(q) : "r"(r), "r"(x[i + 1]) : "memory");
    asm("{.reg .u32 t1,t2;mul.lo.u32 t1,%1,%1;mad.lo.u32 %0,t1,%2,t1;// with a comment\n}" : "=r"(r) : "r"(q), "r"(r));
    asm volatile("/* a comment; with { braces */ prmt.b32.f4e %0,%1,%2,%3;" : "=r"(q) : "r"(q), "r"(r), "r"(i));
    asm("add.cc.u32 %0,%2,%3; addc.u32 %1,%4,0;" : "=r"(x[i]), "=r"(x[i + 1]) : "r"(r), "r"(q), "r"(i));
    asm volatile("bar.sync\t1,\n64;");
    asm("mad.wide.u32 %0,%1,%2,%3;" : "=l"(y[i]) : "r"(r), "r"(q), "l"(y[i]));
    x[i] += __vadd4(r, q) + __vsads4(r, q) + __dp4a((int)r, (int)q, 3) + atomicAdd(&counter, 1);
}

__global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *o, int n) {
    int i = threadIdx.x;
    o[i] = tex2D<float4>(t, i * 0.1f, n);
    o[i].x += tex1Dfetch<float>(t, i) + tex3DLod<float>(t, 1, 2, 3, n);
    surf2Dwrite(o[i].x, s, i * 4, n);
}

__global__ void groups(int *x, float *f) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int v = cg::reduce(tile, x[block.thread_rank()], cg::plus<int>());
    if (v & 1) {
        auto some = cg::coalesced_threads();
        v += cg::reduce(some, v, cg::greater<int>());
    }
    f[block.thread_rank()] = float(__nv_fp8_e4m3(float(v)));
    if (v < 0) printf("%d %f\n", v, f[0]);
}

__global__ void wide(__int128 *x, double *y) {
    x[threadIdx.x] = x[threadIdx.x] * x[1] / x[2];
    y[threadIdx.x] = pow(y[threadIdx.x], 1.5) + tgamma(y[0]);
}
