// y = factor * x, and what may be wrong with it.

#define RIGHT 0
#define SLOWER 1
#define JUST_BEHIND 2
#define JUST_BEFORE 3
#define FAR_BEHIND 4
#define INTO_INPUT 5
#define WROTE_NOTHING 6
#define HALF_WRITTEN 7
#define ENDLESS 8
#define TRAP 9
#define MISALIGNED 10
#define NO_NUMBER 11
#define INEXACT 12
#define TOO_FEW_THREADS 13
#define ACCUMULATES 14
#define SEVERAL_EACH 15

#if FAULT == TOO_FEW_THREADS
#define BOUNDS __launch_bounds__(32)
#else
#define BOUNDS
#endif

extern "C" __global__ void BOUNDS scale(const float* x, float* y, float* partial, float factor, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned at = i; FAULT == SEVERAL_EACH && at < n; at += gridDim.x * blockDim.x) y[at] = factor * x[at];
    if (FAULT == SEVERAL_EACH || i >= n) return;
    volatile float* out = y;
    if (FAULT == WROTE_NOTHING || (FAULT == HALF_WRITTEN && i % 2 == 0)) return;
    partial[i] = x[i];
    out[i] = factor * partial[i] + (FAULT == ACCUMULATES ? out[i] : 0);
    if (FAULT == SLOWER)
        for (int again = 0; again < 100; again++) out[i] = factor * x[i];
    if (FAULT == NO_NUMBER && i == n / 2) out[i] = __int_as_float(0x7fc00000);
    if (FAULT == INEXACT) out[i] = factor * x[i] * 1.001f;
    if (i > 0) return;
    if (FAULT == JUST_BEHIND) out[n] = 1;
    if (FAULT == JUST_BEFORE) out[-1] = 1;
    if (FAULT == FAR_BEHIND) out[1ull << 30] = 1;
    if (FAULT == INTO_INPUT) *(volatile float*)x = 3;
    if (FAULT == MISALIGNED) *(volatile float*)((char*)y + 1) = 1;
    if (FAULT == TRAP) asm volatile("trap;");
    if (FAULT == ENDLESS)
        while (*(volatile const float*)x < 1e30f) {
        }
}

// What is compared besides: the sum of some results, by the original's code.
extern "C" __global__ void sum(const float* y, double* total, unsigned n) {
    double all = 0;
    for (unsigned i = 0; i < n; i++) all += y[i];
    *total = all;
}
