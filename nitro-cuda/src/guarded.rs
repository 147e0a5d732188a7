//! Memory on a device with nothing beside it.

use std::fmt;
use std::mem::zeroed;

use cudarc::driver::sys::{
    self, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationGranularity_flags, CUmemAllocationProp,
    CUmemAllocationType, CUmemGenericAllocationHandle, CUmemLocationType, CUresult,
};

use crate::driver::driver;
use crate::error::check;
use crate::{Argument, CudaError, Stream};

/// The alignment of the driver's buffers, on which kernels may count.
const ALIGNMENT: usize = 256;
/// Addresses on each side of which there is no memory: a wrong index of 32 bits stays within them. They cost nothing.
const GUARD_BYTES: usize = 8 << 30;

/// Bytes on a device in a mapping of their own, between addresses where nothing is. An access far beyond an end is
/// an error of the device then, and not the silent damage of another buffer.
///
/// Mappings have whole pages (of 2 MiB), so there is some slack beside the content. [`place`](Self::place) moves
/// the content within its mapping: at the end, but for at most 255 bytes by which it is aligned, or at the
/// beginning. What is written to the slack shows by [`fill_slack`](Self::fill_slack) before and a look at
/// [`slack`](Self::slack) after.
///
/// Work on it goes to its stream, in order. Making and dropping one is slow, and dropping waits for the stream.
///
/// ```no_run
/// use nitro_cuda::{GuardedBuffer, Place};
///
/// let mut x = GuardedBuffer::new(nitro_cuda::device(0)?.stream(), 1000)?;
/// assert_eq!(x.slack()[1].1, 24); // the end is as near to the guard as alignment allows
/// x.fill(0xffff_ffff)?;
/// x.place(Place::Begin); // elsewhere, of whatever content
/// x.fill(7)?;
/// assert_eq!(x.to_vec()?[..8], [7, 0, 0, 0, 7, 0, 0, 0]);
/// # Ok::<(), nitro_cuda::CudaError>(())
/// ```
pub struct GuardedBuffer {
    stream: Stream,
    /// First address and number of addresses that are this buffer's, with the guards; none are 0.
    reserved: (u64, usize),
    /// The place of the memory, once it has one.
    mapped: Option<(u64, usize)>,
    memory: Option<CUmemGenericAllocationHandle>,
    bytes: usize,
    place: Place,
}

/// The place of a [`GuardedBuffer`]'s content in its mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Its end is as near as possible to where nothing is.
    #[default]
    End,
    /// It begins where before nothing is.
    Begin,
}

impl GuardedBuffer {
    /// Memory of whatever content, at the end of its mapping.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], or when the driver refuses it.
    pub fn new(stream: Stream, bytes: usize) -> Result<Self, CudaError> {
        let _active = stream.device.activate()?;
        let properties = properties(stream);
        let pages = mapped_bytes(bytes, granularity(&properties)?);
        let (mapped, memory, place) = Default::default();
        let mut buffer = Self { stream, reserved: (0, 0), mapped, memory, bytes, place };
        // Where the address space of a process is limited, guards are as long as the pages.
        let guard = match buffer.reserve(pages, GUARD_BYTES) {
            Ok(()) => GUARD_BYTES,
            Err(_) => buffer.reserve(pages, pages).map(|()| pages)?,
        };
        buffer.map(buffer.reserved.0 + guard as u64, pages, &properties)?;
        Ok(buffer)
    }

    /// Takes addresses for pages and a guard on each side. The context is current.
    fn reserve(&mut self, pages: usize, guard: usize) -> Result<(), CudaError> {
        let (bytes, mut address) = (pages + 2 * guard, 0);
        // SAFETY: the length is a multiple of the granularity, and `address` lives through the call.
        unsafe { driver!(cuMemAddressReserve(&mut address, bytes, 0, 0, 0)) }?;
        self.reserved = (address, bytes);
        Ok(())
    }

    /// Puts memory at an address among those reserved. The context is current.
    fn map(&mut self, address: u64, pages: usize, properties: &CUmemAllocationProp) -> Result<(), CudaError> {
        let mut memory = 0;
        // SAFETY: `memory` and the properties live through the call.
        match unsafe { sys::cuMemCreate(&mut memory, pages, properties, 0) } {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => return Err(CudaError::OutOfMemory { bytes: pages }),
            answer => check("cuMemCreate", answer)?,
        }
        self.memory = Some(memory);
        // SAFETY: the addresses are this buffer's and nothing is there yet; the memory has so many bytes.
        unsafe { driver!(cuMemMap(address, pages, 0, memory, 0)) }?;
        self.mapped = Some((address, pages));
        let flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let access = CUmemAccessDesc { location: properties.location, flags };
        // SAFETY: memory is mapped there, and `access` lives through the call.
        unsafe { driver!(cuMemSetAccess(address, pages, &access, 1)) }
    }

    /// The stream of the work on it.
    #[must_use]
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// Number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Returns true where there is no byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The address of the content on the device; of an empty one, that of the guard.
    #[must_use]
    pub fn pointer(&self) -> u64 {
        let (begin, pages) = self.mapping();
        begin + offset(self.place, self.bytes, pages) as u64
    }

    /// Moves the content to another place in its mapping, where it is whatever was there.
    pub fn place(&mut self, place: Place) {
        self.place = place;
    }

    /// Address and number of the mapped bytes before the content, and of those behind it.
    #[must_use]
    pub fn slack(&self) -> [(u64, usize); 2] {
        let (begin, pages) = self.mapping();
        let before = offset(self.place, self.bytes, pages);
        let end = before + self.bytes;
        [(begin, before), (begin + end as u64, pages - end)]
    }

    /// A buffer that was made is mapped.
    fn mapping(&self) -> (u64, usize) {
        self.mapped.unwrap_or((self.reserved.0, 0))
    }

    /// Sets the content to words of this pattern, the last one cut off.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn fill(&mut self, word: u32) -> Result<(), CudaError> {
        let _active = self.stream.device.activate()?;
        let (pointer, whole) = (self.pointer(), self.bytes / 4 * 4);
        if whole > 0 {
            // SAFETY: so many bytes are this buffer's, and it is aligned.
            unsafe { driver!(cuMemsetD32Async(pointer, word, whole / 4, self.stream.handle)) }?;
        }
        for (at, byte) in (whole..self.bytes).zip(word.to_le_bytes()) {
            // SAFETY: the byte is this buffer's.
            unsafe { driver!(cuMemsetD8Async(pointer + at as u64, byte, 1, self.stream.handle)) }?;
        }
        Ok(())
    }

    /// Sets every byte beside the content.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn fill_slack(&mut self, byte: u8) -> Result<(), CudaError> {
        let _active = self.stream.device.activate()?;
        for (address, bytes) in self.slack().into_iter().filter(|&(_, bytes)| bytes > 0) {
            // SAFETY: so many bytes are mapped there, for this buffer.
            unsafe { driver!(cuMemsetD8Async(address, byte, bytes, self.stream.handle)) }?;
        }
        Ok(())
    }

    /// Copies host memory to the device, and waits for it.
    ///
    /// # Errors
    /// [`CudaError::Length`], or when the driver refuses it.
    pub fn copy_from_slice(&mut self, values: &[u8]) -> Result<(), CudaError> {
        self.same_length(values.len())?;
        if self.is_empty() {
            return Ok(());
        }
        let _active = self.stream.device.activate()?;
        let source = values.as_ptr().cast();
        // SAFETY: source and target have so many bytes; the source outlives the copy, which is waited for.
        unsafe {
            driver!(cuMemcpyHtoDAsync_v2(self.pointer(), source, self.bytes, self.stream.handle))?;
            driver!(cuStreamSynchronize(self.stream.handle))
        }
    }

    /// Copies the content of another one of the same stream.
    ///
    /// # Errors
    /// [`CudaError::Length`], or when the driver refuses it.
    ///
    /// # Panics
    /// If the other one is of another stream.
    pub fn copy_from(&mut self, source: &Self) -> Result<(), CudaError> {
        assert_eq!(self.stream, source.stream, "both work on one stream");
        self.same_length(source.bytes)?;
        if self.is_empty() {
            return Ok(());
        }
        let _active = self.stream.device.activate()?;
        let (to, from) = (self.pointer(), source.pointer());
        // SAFETY: both have so many bytes and are different memory, being borrowed differently; dropping one waits
        // for the stream.
        unsafe { driver!(cuMemcpyDtoDAsync_v2(to, from, self.bytes, self.stream.handle)) }
    }

    /// Waits for the work given before, and gives the content.
    ///
    /// # Errors
    /// When the work or the copy failed.
    pub fn to_vec(&self) -> Result<Vec<u8>, CudaError> {
        let mut values = vec![0u8; self.bytes];
        if self.is_empty() {
            return self.stream.synchronize().map(|()| values);
        }
        let _active = self.stream.device.activate()?;
        let target = values.as_mut_ptr().cast();
        // SAFETY: source and target have so many bytes; the target outlives the copy, which is waited for.
        unsafe {
            driver!(cuMemcpyDtoHAsync_v2(target, self.pointer(), self.bytes, self.stream.handle))?;
            driver!(cuStreamSynchronize(self.stream.handle))?;
        }
        Ok(values)
    }

    fn same_length(&self, found: usize) -> Result<(), CudaError> {
        match found == self.bytes {
            true => Ok(()),
            false => Err(CudaError::Length { expected: self.bytes, found }),
        }
    }

    /// Gives back what it has. The context is current.
    fn release(&mut self) -> Result<(), CudaError> {
        // SAFETY: the handle is a stream of the device. What is queued may use the memory; where it failed, nothing
        // is queued.
        let waited = unsafe { driver!(cuStreamSynchronize(self.stream.handle)) };
        // SAFETY: each is this buffer's, was made by the function of that kind and is given back once.
        unsafe {
            if let Some((address, pages)) = self.mapped.take() {
                driver!(cuMemUnmap(address, pages))?;
            }
            if let Some(memory) = self.memory.take() {
                driver!(cuMemRelease(memory))?;
            }
            if self.reserved.1 > 0 {
                driver!(cuMemAddressFree(self.reserved.0, self.reserved.1))?;
            }
        }
        waited
    }
}

impl Drop for GuardedBuffer {
    fn drop(&mut self) {
        let device = self.stream.device;
        if let Err(error) = device.activate().and_then(|_active| self.release()) {
            device.defer_error(error);
        }
    }
}

impl fmt::Debug for GuardedBuffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "GuardedBuffer({} at {:#x} on {:?})", self.bytes, self.pointer(), self.stream)
    }
}

impl<'a> From<&'a GuardedBuffer> for Argument<'a> {
    fn from(buffer: &'a GuardedBuffer) -> Self {
        buffer.pointer().into()
    }
}

/// Memory of the stream's device.
fn properties(stream: Stream) -> CUmemAllocationProp {
    // SAFETY: all zeros is a value of this plain structure: no handles to export, no compression.
    let mut properties: CUmemAllocationProp = unsafe { zeroed() };
    properties.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = stream.device.ordinal() as i32;
    properties
}

/// Bytes of a page.
fn granularity(properties: &CUmemAllocationProp) -> Result<usize, CudaError> {
    let (mut bytes, least) = (0, CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    // SAFETY: the driver is initialised, and both places live through the call.
    unsafe { driver!(cuMemGetAllocationGranularity(&mut bytes, properties, least)) }?;
    Ok(bytes)
}

/// Whole pages, at least one.
fn mapped_bytes(bytes: usize, page: usize) -> usize {
    bytes.max(1).next_multiple_of(page)
}

/// The offset at which content of so many bytes begins among the mapped ones.
fn offset(place: Place, bytes: usize, mapped: usize) -> usize {
    match place {
        Place::Begin => 0,
        Place::End => mapped - bytes.next_multiple_of(ALIGNMENT).min(mapped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 2 << 20;

    #[test]
    fn content_is_aligned_and_as_near_to_the_guard_as_that_allows() {
        for bytes in [0, 1, 255, 256, 1000, PAGE - 1, PAGE, PAGE + 1, 5 * PAGE - 300] {
            let mapped = mapped_bytes(bytes, PAGE);
            let begin = offset(Place::End, bytes, mapped);
            assert!(mapped.is_multiple_of(PAGE) && mapped > 0 && begin.is_multiple_of(ALIGNMENT), "{bytes}");
            assert!((begin + bytes..begin + bytes + ALIGNMENT).contains(&mapped), "{bytes}");
            assert_eq!(offset(Place::Begin, bytes, mapped), 0);
        }
        assert_eq!([1, PAGE, PAGE + 1].map(|bytes| mapped_bytes(bytes, PAGE)), [PAGE, PAGE, 2 * PAGE]);
    }
}
