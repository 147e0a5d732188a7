extern "C" __global__ void __launch_bounds__(256) gemm_0(int ni, int nj, int nk, float alpha, float beta, float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b)
{
    const int i = 8 * (int)blockIdx.y + (int)threadIdx.y;
    const int j = 32 * (int)blockIdx.x + (int)threadIdx.x;
    if (i < ni && j < nj) {
        c[i * nj + j] = c[i * nj + j] * beta;
    }
}

extern "C" __global__ void __launch_bounds__(256) gemm_1(int ni, int nj, int nk, float alpha, float beta, float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b)
{
    float own_0;
    const int i = 8 * (int)blockIdx.y + (int)threadIdx.y;
    const int j = 32 * (int)blockIdx.x + (int)threadIdx.x;
    if (i < ni && j < nj) {
        if (0 < nk) {
            own_0 = c[i * nj + j];
        }
        for (int k = 0; k < nk; ++k) {
            own_0 = own_0 + ((alpha * a[i * nk + k]) * b[k * nj + j]);
        }
        if (0 < nk) {
            c[i * nj + j] = own_0;
        }
    }
}

