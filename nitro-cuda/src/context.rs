//! Contexts: where a GPU's kernels, memory and streams live. Each device, whole or partition, has one for the life
//! of the process.

use std::marker::PhantomData;
use std::mem::zeroed;
use std::ptr;

use cudarc::driver::sys::{
    CUcontext, CUdevResource, CUdevResourceType, CUdevice, CUgreenCtx, CUgreenCtxCreate_flags,
    CUmemAllocationType, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps, CUmemoryPool, CUstream,
    CUstream_flags,
};

use crate::driver::driver;
use crate::{Attributes, CudaError};

/// A context and the stream that work goes to by default.
pub(crate) struct Context {
    pub(crate) context: CUcontext,
    /// Of a partition, what its context and its streams come from.
    pub(crate) green: Option<CUgreenCtx>,
    pub(crate) stream: CUstream,
}

/// The context of the whole GPU: its primary context, which other libraries in the process use too.
pub(crate) fn whole(device: CUdevice) -> Result<Context, CudaError> {
    let context = primary(device)?;
    let _active = activate(context)?;
    Ok(Context { context, green: None, stream: new_stream(None)? })
}

/// A stream of the context that is current, or of a partition.
pub(crate) fn new_stream(green: Option<CUgreenCtx>) -> Result<CUstream, CudaError> {
    let mut stream = ptr::null_mut();
    let non_blocking = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
    // SAFETY: `stream` lives through the call, and green contexts are never destroyed.
    unsafe {
        match green {
            None => driver!(cuStreamCreate(&mut stream, non_blocking)),
            Some(green) => driver!(cuGreenCtxStreamCreate(&mut stream, green, non_blocking, 0)),
        }
    }?;
    Ok(stream)
}

/// The GPU's primary context, kept for the life of the process.
fn primary(device: CUdevice) -> Result<CUcontext, CudaError> {
    let mut context = ptr::null_mut();
    // SAFETY: the device handle is the driver's, and `context` lives through the call.
    unsafe { driver!(cuDevicePrimaryCtxRetain(&mut context, device)) }?;
    Ok(context)
}

/// A context whose kernels run on `count` of the GPU's multiprocessors alone.
pub(crate) fn partition(
    ordinal: usize,
    device: CUdevice,
    attributes: &Attributes,
    count: usize,
) -> Result<Context, CudaError> {
    primary(device)?; // memory is the GPU's, whichever of its multiprocessors use it
    let mut resource = split(ordinal, device, attributes, count)?;
    let (mut description, mut green) = (ptr::null_mut(), ptr::null_mut());
    let mut context = ptr::null_mut();
    // SAFETY: the resource is one that the driver split off, each handle is used after the call that makes it
    // succeeded, and all places live through the calls.
    unsafe {
        driver!(cuDevResourceGenerateDesc(&mut description, &mut resource, 1))?;
        let flags = CUgreenCtxCreate_flags::CU_GREEN_CTX_DEFAULT_STREAM as u32;
        driver!(cuGreenCtxCreate(&mut green, description, device, flags))?;
        driver!(cuCtxFromGreenCtx(&mut context, green))?;
    }
    Ok(Context { context, green: Some(green), stream: new_stream(Some(green))? })
}

/// `count` multiprocessors of the GPU, exactly.
fn split(
    ordinal: usize,
    device: CUdevice,
    attributes: &Attributes,
    count: usize,
) -> Result<CUdevResource, CudaError> {
    let kind = CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM;
    // SAFETY: all zeros is a value of this plain structure, of the kind "invalid".
    let (mut all, mut part): (CUdevResource, CUdevResource) = unsafe { (zeroed(), zeroed()) };
    // SAFETY: the device handle is the driver's, and `all` lives through the call.
    unsafe { driver!(cuDeviceGetDevResource(device, &mut all, kind)) }?;
    // SAFETY: the driver has filled in a resource of the kind asked for, so `sm` is the field that is set.
    let sm = unsafe { all.__bindgen_anon_1.sm };
    let refused = || CudaError::Partition {
        ordinal,
        asked: count,
        multiprocessors: attributes.multiprocessors,
        // Drivers before CUDA 13 leave these fields 0; what they say now of Hopper is the best that is known.
        least: if sm.minSmPartitionSize == 0 { 8 } else { sm.minSmPartitionSize as usize },
        step: if sm.smCoscheduledAlignment == 0 { 8 } else { sm.smCoscheduledAlignment as usize },
    };
    if count >= attributes.multiprocessors {
        return Err(refused());
    }
    let mut groups = 1;
    // SAFETY: `all` is the driver's, there is room for the one group asked for, and no remainder is wanted.
    let answer = unsafe {
        driver!(cuDevSmResourceSplitByCount(&mut part, &mut groups, &all, ptr::null_mut(), 0, count as u32))
    };
    // SAFETY: read only after the split succeeded, when `sm` is the field that is set.
    if answer.is_err() || groups != 1 || unsafe { part.__bindgen_anon_1.sm.smCount } as usize != count {
        return Err(refused());
    }
    Ok(part)
}

/// Memory of a GPU for allocation in the order of a stream. What is freed stays with the pool, so that a variant
/// that allocates does not go to the operating system each time. None where the GPU has no pools.
pub(crate) fn memory_pool(
    ordinal: usize,
    attributes: &Attributes,
) -> Result<Option<CUmemoryPool>, CudaError> {
    if !attributes.has_memory_pools {
        return Ok(None);
    }
    // SAFETY: all zeros is a value of this plain structure: nothing shared with other processes, no limit.
    let mut properties: CUmemPoolProps = unsafe { zeroed() };
    properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = ordinal as i32;
    let (mut pool, mut threshold) = (ptr::null_mut(), u64::MAX);
    let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the driver reads the properties and a threshold of 64 bits, as this attribute has, during the calls.
    unsafe {
        driver!(cuMemPoolCreate(&mut pool, &properties))?;
        driver!(cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast()))?;
    }
    Ok(Some(pool))
}

/// Keeps a context current on this thread while others make calls of the driver that need not be balanced.
/// Afterwards the context of before is current again, whatever they pushed and popped.
pub(crate) struct Foreign {
    before: CUcontext,
    /// Contexts are current on a thread: the value must not leave it.
    _stays: PhantomData<*const ()>,
}

/// Makes the context current on this thread, for calls of others.
pub(crate) fn enter_for_others(context: CUcontext) -> Result<Foreign, CudaError> {
    let before = current()?;
    if before != context {
        // SAFETY: the context is one of ours, which are never destroyed.
        unsafe { driver!(cuCtxPushCurrent_v2(context)) }?;
    }
    Ok(Foreign { before, _stays: PhantomData })
}

impl Foreign {
    /// Takes off the thread's stack of contexts what lies above the one before. Where that was taken off too, it is
    /// put there again.
    fn restore(&self) -> Result<(), CudaError> {
        loop {
            let top = current()?;
            if top == self.before {
                return Ok(());
            }
            let mut popped = ptr::null_mut();
            // SAFETY: what was current before is still alive, as its owner put it there for the time of this call;
            // `popped` lives through the call. Both act on the stack of this thread, which the value does not
            // leave, being no `Send`.
            unsafe {
                match top.is_null() {
                    true => driver!(cuCtxPushCurrent_v2(self.before))?,
                    false => driver!(cuCtxPopCurrent_v2(&mut popped))?,
                }
            }
        }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let Err(error) = self.restore() {
            tracing::debug!(%error, "the thread's CUDA context stays the one last used");
        }
    }
}

/// The context that is current on this thread; null where none is.
fn current() -> Result<CUcontext, CudaError> {
    let mut current = ptr::null_mut();
    // SAFETY: `current` lives through the call.
    unsafe { driver!(cuCtxGetCurrent(&mut current)) }?;
    Ok(current)
}

/// Keeps a context current on this thread for as long as it lives. Whoever holds it leaves the driver's contexts as
/// they are.
pub(crate) struct Active {
    pushed: bool,
    /// Contexts are current on a thread: the value must not leave it.
    _stays: PhantomData<*const ()>,
}

/// Makes the context current on this thread; what was current before comes back when the result is dropped.
pub(crate) fn activate(context: CUcontext) -> Result<Active, CudaError> {
    if current()? == context {
        return Ok(Active { pushed: false, _stays: PhantomData });
    }
    // SAFETY: the context is one of ours, which are never destroyed.
    unsafe { driver!(cuCtxPushCurrent_v2(context)) }?;
    Ok(Active { pushed: true, _stays: PhantomData })
}

impl Drop for Active {
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = ptr::null_mut();
            // SAFETY: pops what `activate` pushed on this thread: the value does not leave it, being no `Send`.
            if let Err(error) = unsafe { driver!(cuCtxPopCurrent_v2(&mut popped)) } {
                tracing::debug!(%error, "the thread's CUDA context stays the one last used");
            }
        }
    }
}
