//! Kernels of a nest timed on a GPU, and what they give compared with a reference.

use std::thread;

use nitro_codegen::{DependenceError, Executable, LaunchError, Nest, Program, RunError};
use nitro_core::Device;
use nitro_cuda::{Buffer, Cuda, CudaError, Options};

/// Timed runs, of which the median counts, and those before them.
const RUNS: usize = 10;
const WARM_UPS: usize = 3;
/// What takes longer is timed once.
const LONG_MS: f64 = 300.0;

/// Why a program has no time.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The device refuses.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// A program was not launched.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The sizes are none of the nest.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The nest is beyond isl.
    #[error(transparent)]
    Dependence(#[from] DependenceError),
    /// The answer differs from the reference.
    #[error("element {element} of `{array}` is {found} and should be {expected}")]
    Wrong {
        /// The array.
        array: String,
        /// Which of its elements.
        element: usize,
        /// What the program gives.
        found: f32,
        /// What the reference gives.
        expected: f32,
    },
}

/// A nest with data on a device.
pub struct Bench<'a> {
    nest: &'a Nest,
    device: Cuda,
    sizes: Vec<i64>,
    scalars: Vec<f32>,
    /// The arrays before a run.
    inputs: Vec<Buffer<f32>>,
    /// The arrays of a run.
    arrays: Vec<Buffer<f32>>,
    /// What should be in those that are written.
    expected: Vec<Option<Vec<f32>>>,
}

impl<'a> Bench<'a> {
    /// The nest with these sizes, on numbers between 1/2 and 3/2.
    ///
    /// # Errors
    /// When the sizes are none of the nest, or the device has no room.
    pub fn new(nest: &'a Nest, sizes: Vec<i64>, device: Cuda) -> Result<Self, Error> {
        let shapes = nitro_codegen::Data::shapes_of(nest, &sizes)?;
        let lengths: Vec<usize> =
            shapes.iter().map(|shape| shape.iter().product::<i64>().max(1) as usize).collect();
        device.enter();
        let inputs = lengths
            .iter()
            .enumerate()
            .map(|(array, length)| Buffer::from_slice(&numbers(array as u32, *length)))
            .collect::<Result<_, _>>()?;
        let arrays = lengths.iter().map(|length| Buffer::uninit(*length)).collect::<Result<_, _>>()?;
        let scalars = nest.scalars().iter().enumerate().map(|(index, _)| 0.75 + index as f32 / 2.0).collect();
        Ok(Self { nest, device, sizes, scalars, inputs, arrays, expected: Vec::new() })
    }

    /// What this program gives is what others have to give.
    ///
    /// # Errors
    /// When it does not run.
    pub fn set_reference(&mut self, program: &Program) -> Result<(), Error> {
        let executable = self.load(program)?;
        self.run_once(&executable)?;
        self.expected = self.written()?;
        Ok(())
    }

    /// The time of one run in milliseconds, of a program that gives what the reference gives.
    ///
    /// # Errors
    /// When it does not run, or gives something else.
    pub fn time_ms(&mut self, program: &Program) -> Result<f64, Error> {
        let executable = self.load(program)?;
        let first_ms = self.run_once(&executable)?;
        self.compare()?;
        if first_ms > LONG_MS {
            return Ok(first_ms);
        }
        let (warm_ups, runs) = (WARM_UPS, RUNS);
        let mut times_ms = Vec::new();
        for _ in 0..warm_ups + runs {
            times_ms.push(self.run_once(&executable)?);
        }
        let mut times_ms = times_ms.split_off(warm_ups);
        times_ms.sort_unstable_by(f64::total_cmp);
        Ok(times_ms[times_ms.len() / 2])
    }

    fn load(&self, program: &Program) -> Result<Executable, Error> {
        let integers = program.integers(&self.sizes)?;
        let image = Executable::image(program, integers, &Options::for_device(self.device))?;
        Ok(Executable::load(program.clone(), integers, &image, self.device)?)
    }

    /// The time of a run on fresh data.
    fn run_once(&mut self, executable: &Executable) -> Result<f64, Error> {
        for (array, input) in self.arrays.iter_mut().zip(&self.inputs) {
            array.copy_from(input)?;
        }
        let mut stopwatch = nitro_cuda::current().stopwatch();
        stopwatch.start();
        // SAFETY: the arrays have the elements that the sizes say.
        unsafe { executable.run(&self.sizes, &self.scalars, &self.arrays)? };
        let time_ms = stopwatch.stop() / 1e6;
        self.device.stream().synchronize()?;
        Ok(time_ms)
    }

    fn written(&self) -> Result<Vec<Option<Vec<f32>>>, Error> {
        let declared = self.nest.arrays().iter().zip(&self.arrays);
        let of = |(declared, array): (&nitro_codegen::ArrayDeclaration, &Buffer<f32>)| {
            declared.is_written.then(|| array.to_vec()).transpose()
        };
        Ok(declared.map(of).collect::<Result<_, _>>()?)
    }

    /// Sums that are added up otherwise differ by rounding: by less than a hundredth of a percent of the largest element.
    fn compare(&self) -> Result<(), Error> {
        for (array, (found, expected)) in self.written()?.iter().zip(&self.expected).enumerate() {
            let (Some(found), Some(expected)) = (found, expected) else { continue };
            let largest = expected.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
            let is_right = |(one, other): (&f32, &f32)| one == other || (one - other).abs() <= 1e-4 * largest;
            if let Some(element) = found.iter().zip(expected).position(|pair| !is_right(pair)) {
                let array = self.nest.arrays()[array].name.clone();
                let (found, expected) = (found[element], expected[element]);
                return Err(Error::Wrong { array, element, found, expected });
            }
        }
        Ok(())
    }
}

/// Numbers between 1/2 and 3/2, made by all cores.
fn numbers(seed: u32, length: usize) -> Vec<f32> {
    let mut numbers = vec![0.0; length];
    let part = length.div_ceil(thread::available_parallelism().map_or(1, usize::from)).max(1);
    thread::scope(|scope| {
        for (index, part) in numbers.chunks_mut(part).enumerate() {
            scope.spawn(move || {
                let mut state = seed.wrapping_mul(0x9E37_79B9).wrapping_add(index as u32) | 1;
                for number in part {
                    state ^= state << 13;
                    state ^= state >> 17;
                    state ^= state << 5;
                    *number = 0.5 + (state >> 8) as f32 / (1 << 24) as f32;
                }
            });
        }
    });
    numbers
}
