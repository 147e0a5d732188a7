//! Launch plans on a device.

mod array;
mod call;
mod graph;
mod parts;
mod replay;
mod shipped;

use std::fmt;

use nitro_core::recording;
use nitro_launch::{Integers, Launch, LaunchPlan, PlanError, PlannedKernel, PlannedPtx, Reach};
use once_cell::sync::OnceCell;

use crate::compile::check_alone;
use crate::{Cuda, CudaError, Grid, Image, Kernel, Module, Options, Source, Stream, compile};
pub use array::{PlanArray, PlanNumber};
use call::Call;
use replay::Replays;

/// A launch plan on a device. It has the kernels of a loop nest that were found elsewhere, and runs without what
/// found them.
///
/// Its kernels are compiled by NVRTC when they are first launched, in the integers that the sizes ask for. They are
/// cached on disk as those of every [`Program`](crate::Program), and loaded once. Those of a plan in PTX are
/// compiled by the driver. A plan that launches more than a hundred kernels, such as a stencil's steps in time,
/// becomes a CUDA graph when the same call (sizes, scalars, addresses, stream) comes a second time. Then and later
/// the call costs the host one launch.
///
/// ```no_run
/// use nitro_cuda::{Buffer, Executable, device};
/// use nitro_launch::LaunchPlan;
///
/// # let shipped = "";
/// let plan = LaunchPlan::from_json(shipped)?; // of `fill`: a size, a scalar, an array
/// let device = device(0)?;
/// device.enter();
/// let fill = Executable::new(plan, device)?;
/// let x = Buffer::<f32>::zeroed(1000)?;
/// // SAFETY: the plan is one of ours, whose kernels stay within arrays of these sizes.
/// unsafe { fill.run(&[1000], &[2.5], &[&x])? };
/// assert_eq!(x.to_vec()?, [2.5; 1000]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Executable {
    plan: LaunchPlan,
    device: Cuda,
    /// Dropped before what they launch.
    replays: Replays,
    /// Compiled for integers of 32 and of 64 bits, as they are and with y or z in the place of x.
    modules: [[OnceCell<Module>; 3]; 2],
}

/// A function that gets the index of a kernel and the function that launches it.
type Observe<'a> = dyn FnMut(usize, &mut dyn FnMut() -> Result<(), CudaError>) -> Result<(), CudaError> + 'a;

/// A reason why a plan was not launched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The plan is refused, or cannot run with these sizes.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The compiler or the device refuses.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

impl Executable {
    /// A plan on a device. Nothing is compiled yet.
    ///
    /// # Errors
    /// When the plan contradicts itself, or its PTX is for other devices.
    pub fn new(plan: LaunchPlan, device: Cuda) -> Result<Self, LaunchError> {
        plan.check()?;
        plan.runs_on(device.architecture())?;
        Ok(Self { plan, device, modules: Default::default(), replays: Replays::new() })
    }

    /// Takes kernels that were compiled for these integers before ([`image`](Self::image)).
    ///
    /// # Errors
    /// When the driver refuses the image.
    pub fn with_image(self, integers: Integers, image: &Image) -> Result<Self, LaunchError> {
        let module = Module::load(self.device, image)?;
        let mut modules: [[OnceCell<Module>; 3]; 2] = Default::default();
        modules[usize::from(integers == Integers::Bits64)][0] = OnceCell::with_value(module);
        Ok(Self { modules, ..self })
    }

    /// Compiles the kernels of a plan. It needs no device, and leaves the disk alone: a search compiles thousands.
    /// PTX is what it is, whatever the integers and options.
    ///
    /// # Errors
    /// Those of the compiler.
    pub fn image(plan: &LaunchPlan, integers: Integers, options: Options) -> Result<Image, CudaError> {
        match &plan.ptx {
            Some(ptx) => Ok(image_of(plan, ptx)),
            None => with_source(plan, integers, options, compile),
        }
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &LaunchPlan {
        &self.plan
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> Cuda {
        self.device
    }

    /// The number of latest calls that a CUDA graph makes when they come again; eight at most.
    #[must_use]
    pub fn graphs(&self) -> usize {
        self.replays.graphs()
    }

    /// A kernel, by its index in the plan, as it is launched for integers of this size.
    ///
    /// # Errors
    /// Those of the compiler, or when the driver does not take what it makes.
    ///
    /// # Panics
    /// When the plan has no kernel of this index.
    pub fn kernel(&self, integers: Integers, index: usize) -> Result<Kernel<'_>, CudaError> {
        self.module(integers, 0)?.kernel(&self.plan.kernels[index].name)
    }

    /// Returns the kernels that are launched with this axis of the grid along x.
    fn module(&self, integers: Integers, first_axis: usize) -> Result<&Module, CudaError> {
        self.modules[usize::from(integers == Integers::Bits64)][first_axis].get_or_try_init(|| {
            let plan = self.plan.turned(first_axis);
            if let Some(ptx) = &plan.ptx {
                return Module::load(self.device, &image_of(&plan, ptx));
            }
            let options = Options::for_device(self.device);
            with_source(&plan, integers, options, |source, options| {
                Module::of_source(self.device, source, options)
            })
        })
    }

    /// Launches all kernels, in order, on the device's stream, and does not wait for them. Arrays are in the order
    /// of the plan, and then those of subscripts, which nobody checks: [`LaunchPlan::check_indices`] does on the host.
    ///
    /// # Errors When the number of sizes, scalars or arrays is not the plan's, or an array has fewer elements than
    /// the sizes say. When the plan cannot run with these sizes, there is no room for temporaries, or a kernel
    /// cannot be compiled or launched.
    ///
    /// # Safety
    /// The kernels do what the plan's maker says: they stay within arrays of the shapes that the plan gives them, if
    /// all subscripts that they read are of elements. No array is another one in disguise. What they write is not used
    /// otherwise until the stream has come past it.
    pub unsafe fn run<T: PlanNumber>(
        &self,
        sizes: &[i64],
        scalars: &[T],
        arrays: &[impl PlanArray<T>],
    ) -> Result<(), LaunchError> {
        // SAFETY: as the caller says.
        unsafe { self.run_on(self.device.stream(), sizes, scalars, arrays) }
    }

    /// Runs as [`run`](Self::run), on another stream of the device.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`CudaError::OtherDevice`] when the stream is of another device.
    ///
    /// # Safety
    /// As [`run`](Self::run); of an array whose own stream is another one, as [`Kernel::launch_on`] says.
    pub unsafe fn run_on<T: PlanNumber>(
        &self,
        stream: Stream,
        sizes: &[i64],
        scalars: &[T],
        arrays: &[impl PlanArray<T>],
    ) -> Result<(), LaunchError> {
        let call = self.call(stream, sizes, scalars, arrays)?;
        if recording::wants_parts() {
            // SAFETY: as the caller says.
            unsafe { self.launch_in_parts(&call) }?.into_iter().for_each(recording::note_part);
            return Ok(());
        }
        match self.replays.graph(self, &call)? {
            Some(graph) => {
                let modules = &self.modules[usize::from(call.integers == Integers::Bits64)];
                modules.iter().filter_map(OnceCell::get).try_for_each(|module| module.note_launch(stream))?;
                // SAFETY: as the caller says; the graph was made of this call, and its temporaries live as long as
                // it does.
                Ok(unsafe { graph.launch(stream) }?)
            }
            // SAFETY: as the caller says.
            None => unsafe { self.launch_all(&call, &mut |_, launch| launch()) },
        }
    }

    /// Runs as [`run`](Self::run), launch by launch. `observe` is given the index of each kernel that is to be
    /// launched, and what launches it.
    ///
    /// # Errors
    /// As [`run`](Self::run), and those of `observe`.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    pub unsafe fn run_observed<T: PlanNumber>(
        &self,
        sizes: &[i64],
        scalars: &[T],
        arrays: &[impl PlanArray<T>],
        mut observe: impl FnMut(usize, &mut dyn FnMut() -> Result<(), CudaError>) -> Result<(), CudaError>,
    ) -> Result<(), LaunchError> {
        let call = self.call(self.device.stream(), sizes, scalars, arrays)?;
        // SAFETY: as the caller says.
        unsafe { self.launch_all(&call, &mut observe) }
    }

    /// The call that is asked for, if the plan takes it.
    fn call<'a, T: PlanNumber>(
        &self,
        stream: Stream,
        sizes: &'a [i64],
        scalars: &[T],
        arrays: &[impl PlanArray<T>],
    ) -> Result<Call<'a>, LaunchError> {
        let plan = &self.plan;
        if stream.device != self.device {
            let (kernel, device, found) =
                (plan.name.clone(), self.device.to_string(), stream.device.to_string());
            return Err(CudaError::OtherDevice { kernel, device, found }.into());
        }
        if T::ELEMENT != plan.element {
            let (plan, expected, given) = (plan.name.clone(), plan.element, T::ELEMENT);
            return Err(PlanError::Element { plan, expected, given }.into());
        }
        plan.count("scalars", plan.scalars.len(), scalars.len())?;
        plan.count("arrays", plan.arrays.len() + plan.indices.len(), arrays.len())?;
        let mut lengths = lengths(plan.shapes(sizes)?);
        let temporaries = lengths.split_off(plan.arrays.len());
        lengths.extend(self::lengths(plan.index_shapes(sizes)?));
        let numbers = plan.arrays.iter().map(|array| (&array.name, Some(array.storage)));
        let declared = numbers.chain(plan.indices.iter().map(|array| (&array.name, None)));
        for (((name, storage), array), length) in declared.zip(arrays).zip(lengths) {
            if array.storage() != storage {
                let (plan, array) = (plan.name.clone(), name.clone());
                let expected =
                    storage.map_or("subscripts, `u32` or `i32`", |storage| storage.name(T::ELEMENT));
                return Err(PlanError::Kind { plan, array, expected }.into());
            }
            if array.length() < length {
                plan.count(&format!("elements of `{name}`"), length, array.length())?;
            }
        }
        let addresses = arrays.iter().map(PlanArray::address).collect();
        let scalars = scalars.iter().map(|scalar| scalar.bits()).collect();
        let (integers, element) = (plan.integers(sizes)?, plan.element);
        Ok(Call {
            stream,
            sizes,
            scalars,
            element,
            addresses,
            arrays: plan.arrays.len(),
            temporaries,
            integers,
        })
    }

    unsafe fn launch_all(&self, call: &Call<'_>, observe: &mut Observe<'_>) -> Result<(), LaunchError> {
        // They are freed in the order of the stream.
        let temporaries = call.temporaries()?;
        self.plan.launches(call.sizes, |launch| {
            let (kernel, grid) = self.kernel_and_grid(launch, call.integers)?;
            let arguments = call.arguments(launch, &temporaries);
            // SAFETY: the arguments are those that the kernel is written with; the rest is as the caller says.
            Ok(observe(launch.kernel, &mut || unsafe { kernel.launch_on(call.stream, grid, &arguments) })?)
        })
    }

    fn kernel_and_grid(&self, launch: &Launch, integers: Integers) -> Result<(Kernel<'_>, Grid), CudaError> {
        // The plan has seen to it that they fit.
        let first_axis = launch.first_axis().unwrap_or(0);
        let blocks = launch.turned_grid(first_axis).map(|blocks| blocks as u32).into();
        let PlannedKernel { name, block, shared_bytes, .. } = &self.plan.kernels[launch.kernel];
        let kernel = self.module(integers, first_axis)?.kernel(name)?;
        Ok((kernel, Grid { blocks, threads: (*block).into(), shared_bytes: *shared_bytes }))
    }
}

/// The elements of arrays of these shapes.
fn lengths(shapes: Vec<Vec<i64>>) -> Vec<usize> {
    shapes.into_iter().map(|shape| shape.into_iter().product::<i64>() as usize).collect()
}

/// The kernels of a plan that has them as PTX.
fn image_of(plan: &LaunchPlan, ptx: &PlannedPtx) -> Image {
    Image::from_ptx(&format!("{}.ptx", plan.name), &ptx.text)
}

/// Calls `work` with the source of a plan's kernels, and options that say what its integers are.
///
/// # Errors
/// As `work`, and when the source would read a file: a plan may come with a model.
fn with_source<R>(
    plan: &LaunchPlan,
    integers: Integers,
    options: Options,
    work: impl FnOnce(&Source<'_>, &Options) -> Result<R, CudaError>,
) -> Result<R, CudaError> {
    let file = format!("{}.cu", plan.name);
    let source = Source::new(&file, &plan.cuda);
    check_alone(&source, options.architecture())?;
    let options = options.define("nitro_int", integers.c_name());
    let options = if plan.contracts { options } else { options.with_argument("-fmad=false") };
    let reach = plan.target.map_or(Reach::Newer, |target| target.reach);
    work(&source, &options.reaching(reach))
}

impl fmt::Debug for Executable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Executable({} on {})", self.plan.name, self.device)
    }
}
