//! Memory on a device.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;

use bytemuck::Pod;
use cudarc::driver::sys::CUresult;

use crate::driver::driver;
use crate::error::check;
use crate::{CudaError, Stream};

/// `length` elements on a device: plain data, of which every pattern of bits is a value ([`Pod`]).
///
/// Work on a buffer goes to the stream it was made on, in order: what reads results waits, everything else returns
/// at once. Dropping it frees the memory when the stream has done what it was given before.
///
/// ```no_run
/// use nitro_cuda::{Buffer, CudaError};
///
/// let (x, mut y) = (Buffer::from_slice(&[1.0f32, 2.0, 3.0])?, Buffer::zeroed(3)?);
/// y.copy_from(&x)?; // queued
/// assert_eq!(y.to_vec()?, [1.0, 2.0, 3.0]); // waits
/// # Ok::<(), CudaError>(())
/// ```
pub struct Buffer<T: Pod> {
    stream: Stream,
    pointer: u64,
    length: usize,
    elements: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// Memory of whatever content, on the current stream.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], and when there is no device.
    pub fn uninit(length: usize) -> Result<Self, CudaError> {
        Self::uninit_on(Stream::current()?, length)
    }

    /// Memory of whatever content, on a stream.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`].
    pub fn uninit_on(stream: Stream, length: usize) -> Result<Self, CudaError> {
        let bytes = length.checked_mul(size_of::<T>()).ok_or(CudaError::OutOfMemory { bytes: usize::MAX })?;
        let pointer = if bytes == 0 { 0 } else { allocate(stream, bytes)? };
        Ok(Self { stream, pointer, length, elements: PhantomData })
    }

    /// Zeros, on the current stream.
    ///
    /// # Errors
    /// As [`Buffer::uninit`].
    pub fn zeroed(length: usize) -> Result<Self, CudaError> {
        let mut buffer = Self::uninit(length)?;
        buffer.fill_zero()?;
        Ok(buffer)
    }

    /// A copy of host memory, on the current stream.
    ///
    /// # Errors
    /// As [`Buffer::uninit`].
    pub fn from_slice(values: &[T]) -> Result<Self, CudaError> {
        let mut buffer = Self::uninit(values.len())?;
        buffer.copy_from_slice(values)?;
        Ok(buffer)
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true where there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The address on the device; 0 for an empty buffer.
    #[must_use]
    pub fn pointer(&self) -> u64 {
        self.pointer
    }

    /// The stream that work on this buffer goes to.
    #[must_use]
    pub fn stream(&self) -> Stream {
        self.stream
    }

    fn bytes(&self) -> usize {
        self.length * size_of::<T>()
    }

    /// Sets all bytes to zero.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn fill_zero(&mut self) -> Result<(), CudaError> {
        self.fill_bytes(0)
    }

    /// Sets every byte to this one, for example to poison an output.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn fill_bytes(&mut self, byte: u8) -> Result<(), CudaError> {
        if self.is_empty() {
            return Ok(());
        }
        let _active = self.stream.device.activate()?;
        // SAFETY: the memory is this buffer's, of so many bytes.
        unsafe { driver!(cuMemsetD8Async(self.pointer, byte, self.bytes(), self.stream.handle)) }
    }

    /// Copies another buffer's elements.
    ///
    /// The copy is in this buffer's stream, which waits for the work that the source's stream was given before. The
    /// source's stream waits for the copy, so that the source may be changed or dropped at once.
    ///
    /// # Errors
    /// [`CudaError::Length`], or when the driver refuses it.
    pub fn copy_from(&mut self, source: &Self) -> Result<(), CudaError> {
        self.same_length(source.length)?;
        if self.is_empty() {
            return Ok(());
        }
        self.stream.wait_for(source.stream)?;
        let active = self.stream.device.activate()?;
        // SAFETY: both are memory of so many bytes, and not the same memory, being borrowed differently. The source
        // is not freed before the copy is done, as its stream waits for it.
        let copied = unsafe {
            driver!(cuMemcpyDtoDAsync_v2(self.pointer, source.pointer, self.bytes(), self.stream.handle))
        };
        drop(active);
        copied?;
        source.stream.wait_for(self.stream).or_else(|_| self.stream.synchronize())
    }

    /// Copies host memory to the device, and waits for it.
    ///
    /// # Errors
    /// [`CudaError::Length`], or when the driver refuses it.
    pub fn copy_from_slice(&mut self, values: &[T]) -> Result<(), CudaError> {
        self.same_length(values.len())?;
        if self.is_empty() {
            return Ok(());
        }
        let _active = self.stream.device.activate()?;
        let source = values.as_ptr().cast::<c_void>();
        // SAFETY: source and target have so many bytes; the source outlives the copy, which is waited for.
        unsafe {
            driver!(cuMemcpyHtoDAsync_v2(self.pointer, source, self.bytes(), self.stream.handle))?;
            driver!(cuStreamSynchronize(self.stream.handle))
        }
    }

    /// Waits for the work given before, and copies the elements to host memory.
    ///
    /// # Errors
    /// [`CudaError::Length`], or when the work or the copy failed.
    pub fn copy_to_slice(&self, values: &mut [T]) -> Result<(), CudaError> {
        if values.len() != self.length {
            return Err(CudaError::Length { expected: values.len(), found: self.length });
        }
        self.download(0, values)
    }

    /// Waits for the work given before, and gives the elements.
    ///
    /// # Errors
    /// When the work or the copy failed.
    pub fn to_vec(&self) -> Result<Vec<T>, CudaError> {
        let mut values = vec![T::zeroed(); self.length];
        self.download(0, &mut values)?;
        Ok(values)
    }

    /// Waits for the work given before, and gives one element.
    ///
    /// # Errors
    /// [`CudaError::Index`], or when the work or the copy failed.
    pub fn get(&self, index: usize) -> Result<T, CudaError> {
        if index >= self.length {
            return Err(CudaError::Index { index, length: self.length });
        }
        let mut value = [T::zeroed()];
        self.download(index, &mut value)?;
        Ok(value[0])
    }

    /// Copies elements from `first` on; they exist.
    fn download(&self, first: usize, values: &mut [T]) -> Result<(), CudaError> {
        let bytes = size_of_val(values);
        if bytes == 0 {
            return self.stream.synchronize();
        }
        let _active = self.stream.device.activate()?;
        let source = self.pointer + (first * size_of::<T>()) as u64;
        // SAFETY: the callers have checked that so many elements exist; the target outlives the copy, which is
        // waited for.
        unsafe {
            driver!(cuMemcpyDtoHAsync_v2(values.as_mut_ptr().cast(), source, bytes, self.stream.handle))?;
            driver!(cuStreamSynchronize(self.stream.handle))
        }
    }

    fn same_length(&self, found: usize) -> Result<(), CudaError> {
        if found == self.length { Ok(()) } else { Err(CudaError::Length { expected: self.length, found }) }
    }
}

/// Memory of the stream's device; `bytes` is not 0.
fn allocate(stream: Stream, bytes: usize) -> Result<u64, CudaError> {
    let _active = stream.device.activate()?;
    let mut pointer = 0;
    // SAFETY: pool and stream are the device's, its context is current, and `pointer` lives through the call.
    let (call, answer) = unsafe {
        use cudarc::driver::sys;
        match stream.device.0.pool {
            Some(pool) => (
                "cuMemAllocFromPoolAsync",
                sys::cuMemAllocFromPoolAsync(&mut pointer, bytes, pool, stream.handle),
            ),
            None => ("cuMemAlloc_v2", sys::cuMemAlloc_v2(&mut pointer, bytes)),
        }
    };
    match answer {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(CudaError::OutOfMemory { bytes }),
        answer => check(call, answer).map(|()| pointer),
    }
}

impl<T: Pod> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.pointer == 0 {
            return;
        }
        let freed = self.stream.device.activate().and_then(|_active| {
            // SAFETY: the memory is this buffer's, from the pool or not as it was allocated, and not used again.
            unsafe {
                match self.stream.device.0.pool {
                    Some(_) => driver!(cuMemFreeAsync(self.pointer, self.stream.handle)),
                    None => driver!(cuMemFree_v2(self.pointer)),
                }
            }
        });
        if let Err(error) = freed {
            self.stream.device.defer_error(error);
        }
    }
}

impl<T: Pod> fmt::Debug for Buffer<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stream, pointer, length, .. } = self;
        write!(formatter, "Buffer<{}>({length} at {pointer:#x} on {stream:?})", std::any::type_name::<T>())
    }
}
