// Ordinary kernels of many kinds, whose results are known.
__device__ int launches = 3;
__constant__ float taps[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

extern "C" __global__ void reduce(const float *in, float *out, unsigned n) {
    __shared__ float of_warp[32];
    float sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int width = 16; width > 0; width /= 2) sum += __shfl_down_sync(~0u, sum, width);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
        for (int width = 16; width > 0; width /= 2) sum += __shfl_down_sync(~0u, sum, width);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}

extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
    if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    extern __shared__ unsigned own[];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) if (own[i]) atomicAdd(&bins[i], own[i]);
}

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float left[8][8], right[8][8];
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 8) {
        left[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 8; ++k) sum = fmaf(left[threadIdx.y][k], right[k][threadIdx.x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void stencil(const float *in, float *out, int n) {
    __shared__ float line[128 + 4];
    int i = blockIdx.x * 128 + threadIdx.x;
    auto at = [&](int j) { return in[min(max(j, 0), n - 1)]; };
    line[threadIdx.x + 2] = at(i);
    if (threadIdx.x < 2) { line[threadIdx.x] = at(i - 2); line[threadIdx.x + 130] = at(i + 128); }
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum = fmaf(taps[k], line[threadIdx.x + k], sum);
    out[i] = sum;
}

extern "C" __global__ void scan(const int *in, int *out) {
    __shared__ int sums[256];
    int own = in[threadIdx.x];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (int by = 1; by < 256; by *= 2) {
        int before = threadIdx.x >= by ? sums[threadIdx.x - by] : 0;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    out[threadIdx.x] = sums[threadIdx.x];
}

struct Pair { double first; int second; };
__noinline__ __device__ Pair divided(int a, int b) { return {double(a) / b, a % b}; }
__noinline__ __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__noinline__ __device__ float half(float x) { return x * 0.5f; }
__noinline__ __device__ float square(float x) { return x * x; }
typedef float (*Function)(float);
__device__ Function functions[2] = {half, square};

extern "C" __global__ void calls(double *quotients, int *remainders, int *numbers, float *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pair pair = divided(i * 37 - 200, i % 7 + 1);
    quotients[i] = pair.first, remainders[i] = pair.second;
    numbers[i] = fibonacci(i % 9);
    values[i] = functions[i % 3 == 0](float(i));
    if (i == 0) atomicAdd(&launches, 1);
}

extern "C" __global__ void doubles(const double *in, double *out, int n) {
    int i = threadIdx.x;
    double sum = 0;
    for (int k = 0; k < n; ++k) { double x = in[(i + k) % n]; sum += sqrt(fabs(x)) / (1 + x * x) - fma(x, x, -0.5); }
    out[i] = sum > 1e3 ? rint(sum) : (double)(long long)(sum * 1024) / 1024;
}

extern "C" __global__ void integers(const int *in, long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = in[i], y = in[(i + 1) % n];
    unsigned u = x, v = y;
    long long wide = (long long)x * y;
    int shifted = (x >> (y & 31)) ^ (u << (v & 31)) ^ __funnelshift_l(u, v, x) ^ __byte_perm(u, v, x & 0x7777);
    int counted = __popc(u) + 100 * __clz(x) + 10000 * __ffs(x) + (int)(__brev(u) & 15);
    int divided = y ? x / y + x % y + (int)(u / v) + (int)(u % v) : 0;
    unsigned long long high = __umul64hi((unsigned long long)wide, 0x123456789abcdefULL) + __mulhi(x, y) + __umulhi(u, v);
    short narrow = (short)(x + y);
    out[i] = wide + shifted + counted + divided + (long long)high + narrow + (signed char)x + __sad(x, y, u) + (wide >> (v & 63)) + min(x, y) * (long long)max(u, v) + abs(x);
}

extern "C" __global__ void warps(const unsigned *in, unsigned *out) {
    unsigned lane = threadIdx.x % 32, v = in[threadIdx.x];
    unsigned sum = __reduce_add_sync(~0u, v), most = __reduce_max_sync(~0u, v), rotated = __shfl_sync(~0u, v, (lane + 5) % 32);
    unsigned up = __shfl_up_sync(~0u, v, 3, 8), across = __shfl_xor_sync(~0u, v, 6);
    unsigned ballot = __ballot_sync(~0u, v & 1), same = __match_any_sync(~0u, v % 4);
    unsigned branch = 0;
    if (lane % 3 == 0) branch = __ballot_sync(0x49249249, v & 2); else branch = __popc(__activemask()) * 0 + 7;
    __syncwarp();
    out[threadIdx.x] = sum ^ most * 3 ^ rotated * 5 ^ up * 7 ^ across * 11 ^ ballot * 13 ^ same * 17 ^ branch * 19;
}

extern "C" __global__ void count(unsigned *tickets, unsigned *order, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) order[atomicAdd(tickets, 1)] = i;
}
