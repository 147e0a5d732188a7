// Application proxies: kernels of which a known share of the instructions stresses one resource of the device (Muralidharan et al.,
// ASPLOS 2016). At intensity 0 to 5, that many of every five instructions do; the others are shifts and exclusive ors of integers.

// Instructions of one turn of the loop: so many that what a turn takes besides is 1 to 3 % of all.
constexpr int SLOTS = 480;
// Threads of a block.
constexpr unsigned THREADS = 256;
// Blocks of THREADS words that a turn touches in global memory, each way: SLOTS / 2, up to a power of two.
constexpr unsigned SPANS = 256;
// Blocks of THREADS words in a thread block's shared memory.
constexpr int SHARED_SPANS = 8;

// Independent chains, so that an instruction does not wait for the one before.
constexpr int CHAINS = 4;

// This thread's words in its block's shared memory, THREADS words apart.
__device__ unsigned* own_words() {
    __shared__ unsigned words[SHARED_SPANS * THREADS];
    for (int span = 0; span < SHARED_SPANS; ++span) words[span * THREADS + threadIdx.x] = threadIdx.x;
    return words + threadIdx.x;
}

struct SingleFlop {
    float x[CHAINS], factor, addend;
    __device__ SingleFlop(unsigned seed) : factor(1.0f + 1e-6f * seed), addend(1e-3f * seed) {
        for (int i = 0; i < CHAINS; ++i) x[i] = float(seed + i);
    }
    __device__ void stress(int nth) { x[nth % CHAINS] = fmaf(x[nth % CHAINS], factor, addend); }
    __device__ void turn() {}
    __device__ unsigned result() const { return __float_as_uint(x[0] + x[1] + x[2] + x[3]); }
};

struct DoubleFlop {
    double x[CHAINS], factor, addend;
    __device__ DoubleFlop(unsigned seed) : factor(1.0 + 1e-6 * seed), addend(1e-3 * seed) {
        for (int i = 0; i < CHAINS; ++i) x[i] = double(seed + i);
    }
    __device__ void stress(int nth) { x[nth % CHAINS] = fma(x[nth % CHAINS], factor, addend); }
    __device__ void turn() {}
    __device__ unsigned result() const { return __double2loint(x[0] + x[1] + x[2] + x[3]); }
};

// Additions, in turn to shared and to global memory, without contention.
struct Atomics {
    unsigned* own;
    unsigned* global;
    unsigned addend;
    __device__ Atomics(unsigned seed, unsigned* counters)
        : own(own_words()), global(counters + blockIdx.x * SHARED_SPANS * THREADS + threadIdx.x), addend(seed) {}
    __device__ void stress(int nth) {
        unsigned place = nth / 2 % SHARED_SPANS * THREADS;
        atomicAdd(nth % 2 == 0 ? &own[place] : &global[place], addend);
    }
    __device__ void turn() {}
    __device__ unsigned result() const { return addend; }
};

// A copy that comes back to a place only after `words` words.
struct GlobalBandwidth {
    const unsigned *source, *from;
    unsigned *target, *to;
    unsigned place, step, mask, passing[CHAINS];
    __device__ GlobalBandwidth(const unsigned* source, unsigned* target, unsigned words)
        : source(source), target(target), place(blockIdx.x * SPANS * THREADS), step(gridDim.x * SPANS * THREADS),
          mask(words - 1), passing{} {
        start();
    }
    __device__ void start() {
        from = source + (place & mask) + threadIdx.x;
        to = target + (place & mask) + threadIdx.x;
    }
    __device__ void stress(int nth) {
        // CHAINS loads, then as many stores: several loads are under way at once.
        int span = nth / (2 * CHAINS) * CHAINS + nth % CHAINS;
        if (nth % (2 * CHAINS) < CHAINS) passing[nth % CHAINS] = from[span * THREADS];
        else to[span * THREADS] = passing[nth % CHAINS];
    }
    __device__ void turn() {
        place += step;
        start();
    }
    __device__ unsigned result() const { return passing[0]; }
};

struct SharedBandwidth {
    volatile unsigned* own; // volatile: every access is made
    unsigned passing[CHAINS];
    __device__ SharedBandwidth() : own(own_words()), passing{} {}
    __device__ void stress(int nth) {
        int span = (nth / (2 * CHAINS) * CHAINS + nth % CHAINS) % SHARED_SPANS;
        if (nth % (2 * CHAINS) < CHAINS) passing[nth % CHAINS] = own[span * THREADS];
        else own[(span ^ 1) * THREADS] = passing[nth % CHAINS];
    }
    __device__ void turn() {}
    __device__ unsigned result() const { return passing[0]; }
};

// So many turns of SLOTS instructions, INTENSITY of every five of them by the proxy.
template <int INTENSITY, class Proxy>
__device__ void run(Proxy proxy, unsigned words, unsigned seed, unsigned turns, unsigned* never) {
    unsigned a = seed + threadIdx.x, b = seed ^ blockIdx.x;
#pragma unroll 1
    for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int slot = 0; slot < SLOTS; ++slot) {
            int others = slot / 5 * (5 - INTENSITY) + slot % 5 - INTENSITY;
            if (slot % 5 < INTENSITY) proxy.stress(slot - slot / 5 * (5 - INTENSITY));
            // Each uses what the other made and cannot be folded into it: one instruction each.
            else if (others % 2 == 0) a = __funnelshift_l(a, b, 7);
            else b ^= a;
        }
        proxy.turn();
    }
    // There are always words, but as far as the compiler knows the results may be wanted.
    if (words == 0) never[threadIdx.x] = a ^ b ^ proxy.result();
}

#define KERNEL(NAME, INTENSITY, PROXY)                                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                              \
        NAME##_##INTENSITY(unsigned* source, unsigned* target, unsigned words, unsigned seed, unsigned turns) {        \
        run<INTENSITY>(PROXY, words, seed, turns, target);                                                                  \
    }
#define KERNELS(NAME, PROXY)                                                                                           \
    KERNEL(NAME, 0, PROXY)                                                                                             \
    KERNEL(NAME, 1, PROXY)                                                                                             \
    KERNEL(NAME, 2, PROXY)                                                                                             \
    KERNEL(NAME, 3, PROXY)                                                                                             \
    KERNEL(NAME, 4, PROXY)                                                                                             \
    KERNEL(NAME, 5, PROXY)

KERNELS(single_flop, SingleFlop(seed))
KERNELS(double_flop, DoubleFlop(seed))
KERNELS(atomics, Atomics(seed, target))
KERNELS(global_bandwidth, GlobalBandwidth(source, target, words))
KERNELS(shared_bandwidth, SharedBandwidth())

// Stands in a profile before a section, whose number is its number of blocks.
extern "C" __global__ void nitro_section_mark() {}
