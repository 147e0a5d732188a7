// Microbenchmarks behind the rates of a device. What a multiprocessor does is counted in its own clocks, so that neither the launch nor a lower clock is in it.

#define KERNEL extern "C" __global__ __launch_bounds__(1024)
typedef unsigned long long u64;

__device__ u64 begin() {
    __syncthreads();
    return clock64();
}

// `sink` keeps what was computed from being left out.
__device__ void end(u64 begun, u64* clocks, unsigned* sink, unsigned result) {
    __syncthreads();
    u64 now = clock64();
    if (threadIdx.x == 0) clocks[blockIdx.x] = now - begun;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = result;
}

// 128 multiply-adds of each thread a round, in eight chains.
KERNEL void arithmetic(u64* clocks, unsigned* sink, float factor, unsigned rounds) {
    float x[8];
    for (int i = 0; i < 8; ++i) x[i] = threadIdx.x + i;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int step = 0; step < 16; ++step) {
#pragma unroll
            for (int i = 0; i < 8; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i]) : "f"(factor));
        }
    }
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum += x[i];
    end(begun, clocks, sink, __float_as_uint(sum));
}

// 128 instructions of each thread a round: three multiply-adds for each of bytes.
KERNEL void instructions(u64* clocks, unsigned* sink, float factor, unsigned rounds) {
    float x[6];
    unsigned y[2];
    for (int i = 0; i < 6; ++i) x[i] = threadIdx.x + i;
    for (int i = 0; i < 2; ++i) y[i] = threadIdx.x + i;
    unsigned by = __float_as_uint(factor);
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int step = 0; step < 16; ++step) {
#pragma unroll
            for (int i = 0; i < 6; ++i) {
                asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i]) : "f"(factor));
                if (i % 3 == 2) asm volatile("prmt.b32 %0, %0, %1, 0x2143;" : "+r"(y[i / 3]) : "r"(by));
            }
        }
    }
    float sum = 0;
    for (int i = 0; i < 6; ++i) sum += x[i];
    end(begun, clocks, sink, __float_as_uint(sum) ^ y[0] ^ y[1]);
}

// 128 reciprocal square roots of each thread a round, in eight chains.
KERNEL void special(u64* clocks, unsigned* sink, float factor, unsigned rounds) {
    float x[8];
    for (int i = 0; i < 8; ++i) x[i] = factor + i;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int step = 0; step < 16; ++step) {
#pragma unroll
            for (int i = 0; i < 8; ++i) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x[i]));
        }
    }
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum += x[i];
    end(begun, clocks, sink, __float_as_uint(sum));
}

__device__ unsigned shared_address(const void* pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// 16 loads of 4 bytes of each thread a round, from addresses `stride` bytes apart from lane to lane; 0 is one for all.
KERNEL void shared_words(u64* clocks, unsigned* sink, unsigned stride, unsigned rounds) {
    __shared__ unsigned words[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = i * sink[0];
    unsigned x[4] = {0, 0, 0, 0};
    unsigned base = shared_address(words) + threadIdx.x % 32 * stride;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            unsigned word;
            asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word) : "r"(base + 512 * (i % 8)));
            x[i % 4] ^= word;
        }
    }
    end(begun, clocks, sink, x[0] ^ x[1] ^ x[2] ^ x[3]);
}

// 16 loads of 16 bytes of each thread a round. Lanes that are the same but for bits that `kept` has not share an address.
KERNEL void shared_quads(u64* clocks, unsigned* sink, unsigned stride, unsigned kept, unsigned rounds) {
    __shared__ __align__(16) unsigned words[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = i * sink[0];
    unsigned x[4] = {0, 0, 0, 0};
    unsigned base = shared_address(words) + (threadIdx.x % 32 & kept) * stride;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            unsigned a, b, c, d;
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(base + 512 * (i % 8)));
            x[i % 4] ^= a ^ b;
            x[(i + 1) % 4] ^= c ^ d;
        }
    }
    end(begun, clocks, sink, x[0] ^ x[1] ^ x[2] ^ x[3]);
}

// 8 loads of 4 bytes of each thread a round from shared memory, and 8 from what the first-level cache keeps, each so many bytes apart from lane to lane.
KERNEL void both_words(u64* clocks, unsigned* sink, const unsigned* cached, unsigned stride, unsigned cached_stride, unsigned rounds) {
    __shared__ unsigned words[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = i * sink[0];
    unsigned x[4] = {0, 0, 0, 0};
    unsigned base = shared_address(words) + threadIdx.x % 32 * stride;
    u64 global = __cvta_generic_to_global(cached) + threadIdx.x % 32 * cached_stride;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
        u64 at = global + round % 4 * 4096;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            unsigned one, other;
            asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(one) : "r"(base + 512 * i));
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(other) : "l"(at + 1024 * i));
            x[i % 4] ^= one ^ other;
        }
    }
    end(begun, clocks, sink, x[0] ^ x[1] ^ x[2] ^ x[3]);
}

// 16 loads of 4 bytes of each thread a round, of what the first-level cache keeps.
KERNEL void cached_words(u64* clocks, unsigned* sink, const unsigned* words, unsigned stride, unsigned rounds) {
    unsigned x[4] = {0, 0, 0, 0};
    u64 base = __cvta_generic_to_global(words) + threadIdx.x % 32 * stride;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
        u64 at = base + round % 4 * 4096;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            unsigned word;
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(at + 1024 * i));
            x[i % 4] ^= word;
        }
    }
    end(begun, clocks, sink, x[0] ^ x[1] ^ x[2] ^ x[3]);
}

// 8 loads of 16 bytes of each thread a round, from one address for all lanes, and 8 of 4 bytes for which half the banks are asked twice.
KERNEL void shared_both(u64* clocks, unsigned* sink, unsigned rounds) {
    __shared__ __align__(16) unsigned words[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = i * sink[0];
    unsigned x[4] = {0, 0, 0, 0};
    unsigned one = shared_address(words), base = one + threadIdx.x % 32 * 8;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            unsigned a, b, c, d, word;
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(one + 512 * i));
            asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word) : "r"(base + 512 * i));
            x[i % 4] ^= a ^ b ^ word;
            x[(i + 1) % 4] ^= c ^ d;
        }
    }
    end(begun, clocks, sink, x[0] ^ x[1] ^ x[2] ^ x[3]);
}

// 8 loads of 16 bytes of each thread a round from shared memory, and 8 from what the first-level cache keeps. `kept` as of `shared_quads`.
KERNEL void both_quads(u64* clocks, unsigned* sink, const unsigned* cached, unsigned kept, unsigned rounds) {
    __shared__ __align__(16) unsigned words[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = i * sink[0];
    unsigned x[4] = {0, 0, 0, 0};
    unsigned offset = (threadIdx.x % 32 & kept) * 16;
    unsigned base = shared_address(words) + offset;
    u64 global = __cvta_generic_to_global(cached) + offset;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
        u64 at = global + round % 4 * 4096;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            unsigned a, b, c, d, e, f, g, h;
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(base + 512 * i));
            asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(e), "=r"(f), "=r"(g), "=r"(h) : "l"(at + 1024 * i));
            x[i % 4] ^= a ^ b ^ e ^ f;
            x[(i + 1) % 4] ^= c ^ d ^ g ^ h;
        }
    }
    end(begun, clocks, sink, x[0] ^ x[1] ^ x[2] ^ x[3]);
}

// As `cached_words`, 16 bytes a load; `kept` as of `shared_quads`.
KERNEL void cached_quads(u64* clocks, unsigned* sink, const unsigned* words, unsigned stride, unsigned kept, unsigned rounds) {
    unsigned x[4] = {0, 0, 0, 0};
    u64 base = __cvta_generic_to_global(words) + (threadIdx.x % 32 & kept) * stride;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
        u64 at = base + round % 4 * 4096;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            unsigned a, b, c, d;
            asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at + 1024 * i));
            x[i % 4] ^= a ^ b;
            x[(i + 1) % 4] ^= c ^ d;
        }
    }
    end(begun, clocks, sink, x[0] ^ x[1] ^ x[2] ^ x[3]);
}

// Every block reads all of it, past the first-level cache, each beginning elsewhere. `quads` is a multiple of 8192, and of `first`.
KERNEL void read_past_l1(u64* clocks, unsigned* sink, const uint4* data, unsigned quads, unsigned first, unsigned rounds) {
    unsigned x = 0;
    unsigned begin_at = (u64)blockIdx.x * first % quads;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
        for (unsigned i = 0; i < quads; i += 8 * blockDim.x) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                unsigned at = begin_at + i + j * blockDim.x + threadIdx.x;
                uint4 quad = __ldcg(data + (at < quads ? at : at - quads));
                x ^= quad.x ^ quad.y ^ quad.z ^ quad.w;
            }
        }
    }
    end(begun, clocks, sink, x);
}

// All blocks together write it, again and again.
KERNEL void write(uint4* data, unsigned quads, unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
            __stcg(data + i, make_uint4(round, i, round, i));
        }
    }
}

// All blocks together read it once.
KERNEL void read_once(unsigned* sink, const uint4* data, u64 quads) {
    unsigned x = 0;
    u64 step = (u64)gridDim.x * blockDim.x;
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * step < quads; i += 4 * step) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            uint4 quad = __ldcs(data + i + j * step);
            x ^= quad.x ^ quad.y ^ quad.z ^ quad.w;
        }
    }
    if (x == 0x12345678) sink[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Latencies: 256 dependent steps a round. `clocks` gets what `rounds` take.
KERNEL void arithmetic_chain(u64* clocks, unsigned* sink, float factor, unsigned rounds) {
    float x = threadIdx.x;
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 256; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(factor));
    }
    end(begun, clocks, sink, __float_as_uint(x));
}

// Each word is the address of another.
KERNEL void shared_chain(u64* clocks, unsigned* sink, unsigned rounds) {
    __shared__ unsigned next[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = shared_address(next + (i + 32) % 1024);
    __syncthreads();
    unsigned at = shared_address(next + threadIdx.x);
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 256; ++i) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at));
    }
    end(begun, clocks, sink, at);
}

// `chain[i]` is the address of `chain[(i + 32) % 1024]`.
KERNEL void link(u64* chain) {
    chain[threadIdx.x] = __cvta_generic_to_global(chain + (threadIdx.x + 32) % 1024);
}

KERNEL void cached_chain(u64* clocks, unsigned* sink, const u64* chain, unsigned rounds) {
    u64 at = __cvta_generic_to_global(chain + threadIdx.x);
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 256; ++i) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at));
    }
    end(begun, clocks, sink, (unsigned)at);
}

KERNEL void l2_chain(u64* clocks, unsigned* sink, const u64* chain, unsigned rounds) {
    u64 at = __cvta_generic_to_global(chain + threadIdx.x);
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 256; ++i) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
    }
    end(begun, clocks, sink, (unsigned)at);
}

KERNEL void barrier_chain(u64* clocks, unsigned* sink, unsigned rounds) {
    u64 begun = begin();
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 256; ++i) asm volatile("bar.sync 0;" ::: "memory");
    }
    end(begun, clocks, sink, rounds);
}

KERNEL void nothing() {}
