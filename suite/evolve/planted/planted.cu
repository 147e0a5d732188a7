// A chaotic sequence for each element, with three defects that compilers leave in: a store that is always overwritten, a barrier that orders nothing, and a branch that no input takes.

#define BLOCK 128

extern "C" __global__ void planted(const float *values, float *results, unsigned int *exceptions, int steps, float limit) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float x = values[i];
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        x = 3.9f * x * (1 - x);
        results[i] = x;
        // Below a half for every number, and the limit is 1.
        if (x * x / (x * x + 1) > limit) atomicAdd(exceptions, 1);
        __syncthreads();
    }
    results[i] = 1 - x;
}
