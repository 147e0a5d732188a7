// CUB's device-wide algorithms under one C signature. Each is called twice: without temporary memory it says how much it
// needs, with it it puts the work on the stream. The answer is a cudaError_t.

#include <cstddef>
#include <cstdint>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cuda_runtime.h>

namespace {

struct Less {
    template <typename Key>
    __device__ bool operator()(const Key& a, const Key& b) const { return a < b; }
};

/// What a failure before left behind is not this call's.
int answer(cudaError_t status) {
    cudaGetLastError();
    return static_cast<int>(status);
}

template <typename Key>
int radix_sort(void* temporary, size_t* bytes, const void* from, void* to, uint64_t items, cudaStream_t stream) {
    return answer(cub::DeviceRadixSort::SortKeys(temporary, *bytes, static_cast<const Key*>(from), static_cast<Key*>(to),
                                                 items, 0, int(sizeof(Key) * 8), stream));
}

template <typename Key>
int merge_sort(void* temporary, size_t* bytes, const void* from, void* to, uint64_t items, cudaStream_t stream) {
    return answer(cub::DeviceMergeSort::SortKeysCopy(temporary, *bytes, static_cast<const Key*>(from),
                                                     static_cast<Key*>(to), items, Less{}, stream));
}

} // namespace

#define EXPORT(name, body)                                                                                            \
    extern "C" int name(void* temporary, size_t* bytes, const void* from, void* to, uint64_t items, void* stream) {   \
        return body;                                                                                                  \
    }

EXPORT(nitro_cub_radix_sort_u32,
       radix_sort<uint32_t>(temporary, bytes, from, to, items, static_cast<cudaStream_t>(stream)))
EXPORT(nitro_cub_radix_sort_u64,
       radix_sort<uint64_t>(temporary, bytes, from, to, items, static_cast<cudaStream_t>(stream)))
EXPORT(nitro_cub_merge_sort_u32,
       merge_sort<uint32_t>(temporary, bytes, from, to, items, static_cast<cudaStream_t>(stream)))
EXPORT(nitro_cub_merge_sort_u64,
       merge_sort<uint64_t>(temporary, bytes, from, to, items, static_cast<cudaStream_t>(stream)))

// 256 bins, one a value.
EXPORT(nitro_cub_histogram_u8,
       answer(cub::DeviceHistogram::HistogramEven(temporary, *bytes, static_cast<const uint8_t*>(from),
                                                  static_cast<uint32_t*>(to), 257, 0, 256,
                                                  static_cast<int64_t>(items), static_cast<cudaStream_t>(stream))))
