//! Programs on a GPU.

use nitro_cuda::{Argument, Buffer, Cuda, CudaError, Grid, Image, Module, Options, Source, compile};

use crate::data::{Data, RunError};
use crate::kernel::{Integers, Launch, Program};

/// A program that is compiled and loaded on a device.
///
/// ```no_run
/// use nitro_codegen::{Executable, Integers, Mapping, nest};
/// use nitro_cuda::{Buffer, Options, device};
///
/// #[nest]
/// fn fill(n: usize, value: f32, #[shape(n)] x: &mut [f32]) {
///     for i in 0..n {
///         x[i] = value;
///     }
/// }
///
/// let nest = fill::nest();
/// let program = nest.map(&nest.dependences()?, &Mapping::sane());
/// let device = device(0)?;
/// let image = Executable::image(&program, Integers::Bits32, &Options::for_device(device))?;
/// let executable = Executable::load(program, Integers::Bits32, &image, device)?;
/// let x = [Buffer::zeroed(1000)?];
/// // SAFETY: `x` has the thousand elements that the nest says.
/// unsafe { executable.run(&[1000], &[2.5], &x)? };
/// assert_eq!(x[0].to_vec()?, [2.5; 1000]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Executable {
    program: Program,
    integers: Integers,
    module: Module,
}

/// Why a program was not launched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The sizes are none of the nest.
    #[error(transparent)]
    Sizes(#[from] RunError),
    /// The device refuses.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

impl Executable {
    /// Compiles the kernels of a program. It needs no device.
    ///
    /// # Errors
    /// Those of the compiler.
    pub fn image(program: &Program, integers: Integers, options: &Options) -> Result<Image, CudaError> {
        let text = program.cuda(integers);
        compile(&Source::new("nest.cu", &text), options)
    }

    /// Loads them, compiled for these integers.
    ///
    /// # Errors
    /// When the driver refuses the image.
    pub fn load(
        program: Program,
        integers: Integers,
        image: &Image,
        device: Cuda,
    ) -> Result<Self, CudaError> {
        Ok(Self { program, integers, module: Module::load(device, image)? })
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// A kernel of it, by its index.
    ///
    /// # Errors
    /// When the driver does not know it.
    pub fn kernel(&self, index: usize) -> Result<nitro_cuda::Kernel<'_>, CudaError> {
        self.module.kernel(&self.program.kernels[index].name)
    }

    /// Launches all kernels, in order, on the device's stream, and does not wait for them.
    ///
    /// # Errors
    /// When the sizes are none of the nest, there is no room for its temporaries, or a kernel cannot be launched.
    ///
    /// # Safety
    /// There are as many scalars and arrays as the nest has, each array has the elements that the sizes say, and the integers suffice for them
    /// ([`Program::integers`]).
    pub unsafe fn run(
        &self,
        parameters: &[i64],
        scalars: &[f32],
        arrays: &[Buffer<f32>],
    ) -> Result<(), LaunchError> {
        // SAFETY: as the caller says.
        unsafe { self.run_observed(parameters, scalars, arrays, |_, launch| launch()) }
    }

    /// As [`run`](Self::run); `observe` is given the index of each kernel that is to be launched, and what launches it.
    ///
    /// # Errors
    /// As [`run`](Self::run), and those of `observe`.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    pub unsafe fn run_observed(
        &self,
        parameters: &[i64],
        scalars: &[f32],
        arrays: &[Buffer<f32>],
        mut observe: impl FnMut(usize, &mut dyn FnMut() -> Result<(), CudaError>) -> Result<(), CudaError>,
    ) -> Result<(), LaunchError> {
        let shapes = Data::shapes_of(&self.program.nest, parameters)?;
        let lengths =
            shapes[self.program.nest.arguments()..].iter().map(|shape| shape.iter().product::<i64>());
        let temporaries =
            lengths.map(|length| Buffer::uninit(length as usize)).collect::<Result<Vec<_>, _>>()?;
        let arrays: Vec<&Buffer<f32>> = arrays.iter().chain(&temporaries).collect();
        self.program.launches(parameters, |launch| {
            if launch.grid.contains(&0) {
                return Ok(());
            }
            // SAFETY: as the caller says; temporaries are freed in the order of the stream.
            Ok(observe(launch.kernel, &mut || unsafe { self.launch(launch, scalars, &arrays) })?)
        })
    }

    unsafe fn launch(
        &self,
        launch: &Launch,
        scalars: &[f32],
        arrays: &[&Buffer<f32>],
    ) -> Result<(), CudaError> {
        let kernel = &self.program.kernels[launch.kernel];
        let integer = |value: &i64| match self.integers {
            Integers::Bits32 => Argument::from(*value as i32),
            Integers::Bits64 => Argument::from(*value),
        };
        let arguments: Vec<Argument<'_>> = launch
            .integers
            .iter()
            .map(integer)
            .chain(scalars.iter().map(|value| Argument::from(*value)))
            .chain(arrays.iter().map(|array| Argument::from(*array)))
            .collect();
        let blocks = launch.grid.map(|blocks| blocks as u32).into();
        let grid = Grid { blocks, threads: kernel.block.into(), shared_bytes: 0 };
        // SAFETY: the arguments are those that the kernel is written with; within the arrays it stays by construction.
        unsafe { self.module.kernel(&kernel.name)?.launch(grid, &arguments) }
    }
}
