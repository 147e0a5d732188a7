// How far results are from the original's, and whether anything was written that may not be. A verdict is four numbers of 64 bits: the bits of the largest error,
// the elements that differ, those that one of both wrote and the other did not, and the bytes that may not have changed.

typedef unsigned long long u64;

enum { RELATIVE, ABSOLUTE, SHARE, EXACT };
enum { WORST, DIFFERING, STRAYED, DAMAGED };

#define INFINITE __longlong_as_double(0x7ff0000000000000ll)

__device__ u64 bits(float x) { return __float_as_uint(x); }
__device__ u64 bits(double x) { return __double_as_longlong(x); }
template <typename T> __device__ u64 bits(T x) { return (u64)x & (~0ull >> (64 - 8 * sizeof(T))); }

// Of 64-bit integers too, without loss where they are near to each other.
template <typename T> __device__ double difference(T x, T g) {
    return x > g ? (double)((u64)x - (u64)g) : (double)((u64)g - (u64)x);
}
__device__ double difference(float x, float g) { return fabs((double)x - (double)g); }
__device__ double difference(double x, double g) { return fabs(x - g); }

// Of elements whose bits differ; as `compare.rs` has it.
template <typename T> __device__ double error(T x, T g, unsigned mode) {
    if (mode == EXACT) return INFINITE;
    if (mode == SHARE || x == g || (x != x && g != g)) return 0.0; // -0 and 0, and what is no number
    double size = mode == RELATIVE && g != 0 ? fabs((double)g) : 1.0;
    double error = difference(x, g) / size;
    return error == error ? error : INFINITE; // a number and none, or infinities
}

// Numbers of structures: `count` of each, `step` bytes apart, the first of them `stride` bytes apart.
template <typename T> __device__ T number(const T* first, u64 i, u64 stride, u64 count, u64 step) {
    u64 at = count == 1 ? i * stride : i / count * stride + i % count * step;
    return *(const T*)((const char*)first + at);
}

// What a buffer was filled with shows what was not written: `fill` before this run, `golden_fill` before the original's.
// A fill of fewer bits than 32 may be a result, and says nothing.
template <typename T>
__device__ void compare(const T* found, const T* golden, u64 all, u64 stride, u64 count, u64 step, unsigned mode, unsigned is_filled, u64 fill, u64 golden_fill, u64* verdict) {
    bool shows = is_filled && sizeof(T) >= 4;
    u64 mask = ~0ull >> (64 - 8 * sizeof(T)), differing = 0, strayed = 0;
    double worst = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < all; i += (u64)gridDim.x * blockDim.x) {
        T now = number(found, i, stride, count, step), before = number(golden, i, stride, count, step);
        u64 x = bits(now), g = bits(before);
        bool written = !shows || x != (fill & mask), was_written = !shows || g != (golden_fill & mask);
        strayed += written != was_written;
        if (x == g || !written || !was_written) continue;
        double own = error(now, before, mode);
        differing += mode == SHARE || own > 0; // two zeros are no difference
        worst = fmax(worst, own);
    }
    // What is not negative is ordered as its bits are.
    if (worst > 0) atomicMax(verdict + WORST, (u64)__double_as_longlong(worst));
    if (differing) atomicAdd(verdict + DIFFERING, differing);
    if (strayed) atomicAdd(verdict + STRAYED, strayed);
}

#define COMPARE(name, T)                                                                                                   \
    extern "C" __global__ void compare_##name(const T* found, const T* golden, u64 all, u64 stride, u64 count, u64 step,  \
                                              unsigned mode, unsigned is_filled, u64 fill, u64 golden_fill, u64* verdict) { \
        compare<T>(found, golden, all, stride, count, step, mode, is_filled, fill, golden_fill, verdict);                  \
    }
COMPARE(u8, unsigned char)
COMPARE(i8, signed char)
COMPARE(u16, unsigned short)
COMPARE(i16, short)
COMPARE(u32, unsigned)
COMPARE(i32, int)
COMPARE(u64, u64)
COMPARE(i64, long long)
COMPARE(f32, float)
COMPARE(f64, double)

// Bytes that are not as they were; both are aligned to 16 bytes.
extern "C" __global__ void changed(const unsigned char* now, const unsigned char* before, u64 bytes, u64* verdict) {
    u64 changed = 0, words = bytes / 16;
    const uint4 *a = (const uint4*)now, *b = (const uint4*)before;
    u64 first = blockIdx.x * (u64)blockDim.x + threadIdx.x, all = (u64)gridDim.x * blockDim.x;
    for (u64 i = first; i < words; i += all) {
        uint4 x = a[i], y = b[i];
        changed += x.x != y.x || x.y != y.y || x.z != y.z || x.w != y.w;
    }
    for (u64 i = words * 16 + first; i < bytes; i += all) changed += now[i] != before[i];
    if (changed) atomicAdd(verdict + DAMAGED, changed);
}

// Bytes that are not this one.
extern "C" __global__ void other_than(const unsigned char* at, u64 bytes, unsigned byte, u64* verdict) {
    u64 other = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < bytes; i += (u64)gridDim.x * blockDim.x) other += at[i] != byte;
    if (other) atomicAdd(verdict + DAMAGED, other);
}

// Sets bytes to others, or to 0: sixteen at once where both are aligned.
__device__ void set(unsigned char* to, const unsigned char* from, u64 bytes) {
    u64 first = blockIdx.x * (u64)blockDim.x + threadIdx.x, all = (u64)gridDim.x * blockDim.x;
    u64 words = ((u64)to | (u64)from) % 16 ? 0 : bytes / 16;
    for (u64 i = first; i < words; i += all) ((uint4*)to)[i] = from ? ((const uint4*)from)[i] : make_uint4(0, 0, 0, 0);
    for (u64 i = words * 16 + first; i < bytes; i += all) to[i] = from ? from[i] : 0;
}

extern "C" __global__ void clear(unsigned char* to, u64 bytes) { set(to, 0, bytes); }
extern "C" __global__ void copy(unsigned char* to, const unsigned char* from, u64 bytes) { set(to, from, bytes); }

// Writes the first bytes of a value.
extern "C" __global__ void put(unsigned char* at, u64 value, u64 bytes) {
    for (u64 i = 0; i < bytes; i++) at[i] = value >> 8 * i;
}

// An element that the original leaves as it is says nothing where it is another one before: it becomes the original's.
extern "C" __global__ void excuse(unsigned char* now, const unsigned char* golden, const unsigned char* before, u64 bytes) {
    u64 changed = 0;
    for (u64 i = 0; i < bytes; i++) changed += golden[i] != before[i];
    for (u64 i = 0; i < bytes && !changed; i++) now[i] = golden[i];
}

__device__ u64 now_ns() {
    u64 now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

// Keeps the device busy, so that the host gets ahead with what is timed.
extern "C" __global__ void spin(u64 time_ns) {
    u64 begin = now_ns();
    while (now_ns() - begin < time_ns) {
    }
}
