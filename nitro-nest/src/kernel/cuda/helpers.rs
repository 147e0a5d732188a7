//! Functions that the text of kernels calls, in CUDA C++.

use nitro_launch::Element;

/// Copies that go on while a thread does something else, where a GPU has them.
pub(super) fn fetch(element: Element) -> String {
    let (number, bytes) = (element.c_name(), element.bytes());
    format!(
        "\
static __device__ __forceinline__ void fetch({number}* target, const {number}* source)
{{
#if __CUDA_ARCH__ >= 800
    asm volatile(\"cp.async.ca.shared.global [%0], [%1], {bytes};\"
        :: \"r\"((unsigned)__cvta_generic_to_shared(target)), \"l\"(source) : \"memory\");
#else
    *target = *source;
#endif
}}

"
    )
}

/// Integers of which a compiler knows nothing, so that it computes nothing that follows from them ahead.
pub(super) const OPAQUE: &str = "\
static __device__ __forceinline__ int opaque(int value)
{
    asm volatile(\"\" : \"+r\"(value));
    return value;
}

static __device__ __forceinline__ long long opaque(long long value)
{
    asm volatile(\"\" : \"+l\"(value));
    return value;
}

";

/// Groups of such copies.
pub(super) const COMMIT: &str = "\
static __device__ __forceinline__ void commit_fetches()
{
#if __CUDA_ARCH__ >= 800
    asm volatile(\"cp.async.commit_group;\" ::: \"memory\");
#endif
}

template <int groups>
static __device__ __forceinline__ void await_fetches()
{
#if __CUDA_ARCH__ >= 800
    asm volatile(\"cp.async.wait_group %0;\" :: \"n\"(groups) : \"memory\");
#endif
}

";

/// Past the first-level cache: what is in shared memory is not read from there.
pub(super) const FETCH_WIDE: &str = "\
static __device__ __forceinline__ void fetch_wide(float* target, const float* source)
{
#if __CUDA_ARCH__ >= 800
    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\"
        :: \"r\"((unsigned)__cvta_generic_to_shared(target)), \"l\"(source) : \"memory\");
#else
    *(float4*)target = *(const float4*)source;
#endif
}

";

/// Single numbers of 16 bits are copied at once: copies that go on take four bytes and more.
pub(super) const FETCH_16_BITS: &str = "\
static __device__ __forceinline__ void fetch(unsigned short* target, const unsigned short* source)
{
    *target = *source;
}

static __device__ __forceinline__ void fetch_wide(unsigned short* target, const unsigned short* source)
{
    asm volatile(\"cp.async.ca.shared.global [%0], [%1], 8;\"
        :: \"r\"((unsigned)__cvta_generic_to_shared(target)), \"l\"(source) : \"memory\");
}

";

/// Four numbers of eight bytes are two copies.
pub(super) const FETCH_WIDE_DOUBLE: &str = "\
static __device__ __forceinline__ void fetch_wide(double* target, const double* source)
{
#if __CUDA_ARCH__ >= 800
    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\"
        :: \"r\"((unsigned)__cvta_generic_to_shared(target)), \"l\"(source) : \"memory\");
    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\"
        :: \"r\"((unsigned)__cvta_generic_to_shared(target + 2)), \"l\"(source + 2) : \"memory\");
#else
    ((double2*)target)[0] = ((const double2*)source)[0];
    ((double2*)target)[1] = ((const double2*)source)[1];
#endif
}

";

/// Each of the four is atomic by itself, on all architectures.
pub(super) const ADD_WIDE: &str = "\
static __device__ __forceinline__ void add_wide(float* target, float4 value)
{
#if __CUDA_ARCH__ >= 900
    atomicAdd((float4*)target, value);
#else
    atomicAdd(target, value.x);
    atomicAdd(target + 1, value.y);
    atomicAdd(target + 2, value.z);
    atomicAdd(target + 3, value.w);
#endif
}

";

/// No architecture adds more than one number of eight bytes at once.
pub(super) const ADD_WIDE_DOUBLE: &str = "\
static __device__ __forceinline__ void add_wide(double* target, const double* value)
{
    atomicAdd(target, value[0]);
    atomicAdd(target + 1, value[1]);
    atomicAdd(target + 2, value[2]);
    atomicAdd(target + 3, value[3]);
}

";

/// Conversions without a header, which NVRTC would have to find.
pub(super) const OF_F16: &str = "\
static __device__ __forceinline__ float from_f16(unsigned short bits)
{
    float value;
    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(value) : \"h\"(bits));
    return value;
}

static __device__ __forceinline__ unsigned short to_f16(float value)
{
    unsigned short bits;
    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(value));
    return bits;
}

static __device__ __forceinline__ float round_f16(float value)
{
    return from_f16(to_f16(value));
}

";

/// Ties go to even; what is no number stays none.
pub(super) const OF_BF16: &str = "\
static __device__ __forceinline__ float from_bf16(unsigned short bits)
{
    return __uint_as_float((unsigned)bits << 16);
}

static __device__ __forceinline__ unsigned short to_bf16(float value)
{
    const unsigned bits = __float_as_uint(value);
    const unsigned rounded = value == value ? bits + 0x7fffu + ((bits >> 16) & 1u) : bits | 0x400000u;
    return (unsigned short)(rounded >> 16);
}

static __device__ __forceinline__ float round_bf16(float value)
{
    return from_bf16(to_bf16(value));
}

";
