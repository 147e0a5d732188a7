//! Programs of a nest timed on a GPU, after what they give was compared with a reference.

use nitro_core::Device;
use nitro_core::recording::PartTime;
use nitro_cuda::{
    Buffer, Cuda, CudaError, Executable, Grid, Image, LaunchError, LaunchPlan, Options, PlanError, Usage,
};
use nitro_nest::{Data, DependenceError, Integers, Mapping, Nest, Program, RunError, Schedule};
use nitro_search::{Failure, Part, PartReport, Report};
use nitro_stats::random::Random;
use rayon::prelude::*;

/// Timed runs, of which the median counts.
const RUNS: usize = 5;
/// What takes so many times as long as the best so far is not timed again.
const SLOW: f64 = 2.0;
/// As much of the first run may be spent on bringing kernels to the device: a driver does it when they are launched.
const MOST_LOADING_MS: f64 = 1.0;
/// Differences of this share of an array's largest element are rounding: sums are added up in another order.
const TOLERANCE: f32 = 1e-4;

/// Compares two arrays: their largest difference, and the largest element of the second, as the bits of floats.
pub static COMPARE: nitro_cuda::Program = nitro_cuda::Program::new(
    "compare.cu",
    r#"
    extern "C" __global__ void compare(const float* found, const float* expected, unsigned long long length, unsigned* result) {
        float difference = 0, largest = 0;
        for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x) {
            float one = found[i], other = expected[i];
            bool same = one == other || (one != one && other != other);
            float apart = same ? 0.0f : fabsf(one - other);
            difference = apart <= difference ? difference : apart; // what is no number counts
            largest = fmaxf(largest, isinf(other) ? 0.0f : fabsf(other));
        }
        if (difference != difference) difference = __int_as_float(0x7f800000);
        atomicMax(result, __float_as_uint(difference)); // of floats that are not negative, the order is that of their bits
        atomicMax(result + 1, __float_as_uint(largest));
    }"#,
);

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
    /// The sizes are none of the plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The nest is beyond isl.
    #[error(transparent)]
    Dependence(#[from] DependenceError),
    /// The answer differs from the reference.
    #[error("`{array}` is off by {difference}, and its largest element is {largest}")]
    Wrong {
        /// The array.
        array: String,
        /// The largest difference.
        difference: f32,
        /// The largest element of the reference.
        largest: f32,
    },
}

impl Error {
    /// What a search is told.
    #[must_use]
    pub fn failure(&self) -> Failure {
        match self {
            Self::Wrong { .. } => Failure::Wrong,
            Self::Cuda(CudaError::Compile { .. }) => Failure::Compile,
            _ => Failure::Launch,
        }
    }
}

/// What others are compared with: a thread for each point of parallel loops, neighbours at neighbouring elements,
/// every sum in its order.
#[must_use]
pub fn reference() -> Mapping {
    let schedule = Schedule { coalesces: true, ..Schedule::default() };
    Mapping::naive().with_register_promotion().with_schedule(schedule)
}

/// A program that is compiled for some sizes.
pub struct Compiled {
    plan: LaunchPlan,
    integers: Integers,
    image: Image,
}

impl Compiled {
    /// The kernels of a program for these sizes. It needs no device.
    ///
    /// # Errors
    /// Those of the compiler.
    pub fn new(program: &Program, sizes: &[i64], options: Options) -> Result<Self, Error> {
        let plan = program.plan();
        let integers = plan.integers(sizes)?;
        let image = Executable::image(&plan, integers, options)?;
        Ok(Self { plan, integers, image })
    }

    /// What a kernel takes of a multiprocessor.
    #[must_use]
    pub fn usage(&self, kernel: &str) -> Usage {
        self.image.usage(kernel).unwrap_or_default()
    }

    fn load(self, device: Cuda) -> Result<Executable, LaunchError> {
        Executable::new(self.plan, device)?.with_image(self.integers, &self.image)
    }
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
    expected: Vec<Option<Buffer<f32>>>,
    best_ms: f64,
}

impl<'a> Bench<'a> {
    /// The nest with these sizes, on numbers between 1/2 and 3/2. What `reference` gives, others have to give.
    ///
    /// # Errors
    /// When the sizes are none of the nest, the device has no room, or the reference does not run.
    pub fn new(nest: &'a Nest, reference: &Program, sizes: Vec<i64>, device: Cuda) -> Result<Self, Error> {
        let shapes = Data::shapes_of(nest, &sizes)?; // of temporaries too, which a program has for itself
        let lengths: Vec<usize> = shapes[..nest.arguments()]
            .iter()
            .map(|shape| shape.iter().product::<i64>().max(1) as usize)
            .collect();
        device.enter();
        let filled = |(array, length): (usize, &usize)| Buffer::from_slice(&numbers(array as u64, *length));
        let inputs = lengths.iter().enumerate().map(filled).collect::<Result<_, _>>()?;
        let empty = |length: &usize| Buffer::uninit(*length);
        let arrays = lengths.iter().map(empty).collect::<Result<_, _>>()?;
        let scalars = nest.scalars().iter().enumerate().map(|(index, _)| 0.75 + index as f32 / 2.0).collect();
        let expected = Vec::new();
        let mut bench =
            Self { nest, device, sizes, scalars, inputs, arrays, expected, best_ms: f64::INFINITY };
        let executable = bench.compile(reference)?.load(device)?;
        bench.run(&executable)?;
        let written = nest.arrays().iter().zip(&bench.arrays).zip(&lengths);
        let keep = |((declared, array), length): ((&nitro_nest::ArrayDeclaration, &Buffer<f32>), &usize)| {
            if !declared.is_written {
                return Ok(None);
            }
            let mut kept = Buffer::uninit(*length)?;
            kept.copy_from(array)?;
            Ok(Some(kept))
        };
        bench.expected = written.map(keep).collect::<Result<_, CudaError>>()?;
        Ok(bench)
    }

    /// The kernels for this device and these sizes.
    ///
    /// # Errors
    /// Those of the compiler.
    pub fn compile(&self, program: &Program) -> Result<Compiled, Error> {
        Compiled::new(program, &self.sizes, Options::for_device(self.device))
    }

    /// The times of a program that gives what the reference gives, in nanoseconds: of so many runs on fresh data,
    /// each of so many launches in a row. What takes long beside the best so far is run once more alone.
    ///
    /// # Errors
    /// When it does not run, or gives something else.
    pub fn times_ns(&mut self, compiled: Compiled, runs: usize, launches: usize) -> Result<Vec<f64>, Error> {
        let executable = compiled.load(self.device)?;
        let first_ms = self.run(&executable)?; // warms up, too
        self.compare()?;
        let runs = if self.is_slow(first_ms) { 1 } else { runs };
        let times_ms: Vec<f64> =
            (0..runs.max(1)).map(|_| self.launch(&executable, launches.max(1))).collect::<Result<_, _>>()?;
        self.best_ms = times_ms.iter().copied().fold(self.best_ms, f64::min);
        Ok(times_ms.into_iter().map(|time_ms| time_ms * 1e6).collect())
    }

    /// Compiles on all cores, then times one program after the other: in the order of the programs.
    pub fn reports(&mut self, programs: &[Program]) -> Vec<Result<Report, Error>> {
        let images: Vec<_> = programs.par_iter().map(|program| self.compile(program)).collect();
        images.into_iter().map(|image| image.and_then(|image| self.report(image))).collect()
    }

    /// Whether a program is slow beside the best so far, by its first run, in which its kernels came to the device.
    fn is_slow(&self, first_ms: f64) -> bool {
        first_ms - MOST_LOADING_MS >= SLOW * self.best_ms
    }

    /// The time of a program that gives what the reference gives, and those of its kernels.
    fn report(&mut self, compiled: Compiled) -> Result<Report, Error> {
        let executable = compiled.load(self.device)?;
        let first_ms = self.run(&executable)?;
        self.compare()?;
        let mut times_ms = vec![first_ms];
        if !self.is_slow(first_ms) {
            times_ms = (0..RUNS).map(|_| self.run(&executable)).collect::<Result<_, _>>()?;
            times_ms.sort_unstable_by(f64::total_cmp);
        }
        let time_ms = times_ms[times_ms.len() / 2];
        self.best_ms = self.best_ms.min(time_ms);
        let mut report = Report::time_ns(time_ms * 1e6);
        report.parts = self.parts(&executable)?;
        Ok(report)
    }

    /// What each kernel takes, of all its launches, and how much of the device it has.
    fn parts(&mut self, executable: &Executable) -> Result<Vec<PartReport>, Error> {
        self.restore()?;
        // SAFETY: the arrays have the elements that the sizes say.
        let parts = unsafe { executable.run_in_parts(&self.sizes, &self.scalars, &self.arrays)? };
        let report = |PartTime { name, time_ns, metrics }| {
            let metrics = metrics.into_iter().collect();
            PartReport { part: Part::new(name), time_ns, metrics }
        };
        Ok(parts.into_iter().map(report).collect())
    }

    fn restore(&mut self) -> Result<(), Error> {
        for (array, input) in self.arrays.iter_mut().zip(&self.inputs) {
            array.copy_from(input)?;
        }
        Ok(())
    }

    /// The time of a run on fresh data, in milliseconds.
    fn run(&mut self, executable: &Executable) -> Result<f64, Error> {
        self.launch(executable, 1)
    }

    /// The mean time of so many runs in a row, in milliseconds; the first of them is on fresh data.
    fn launch(&mut self, executable: &Executable, runs: usize) -> Result<f64, Error> {
        self.restore()?;
        let mut stopwatch = nitro_cuda::current().stopwatch();
        stopwatch.start();
        for _ in 0..runs {
            // SAFETY: the arrays have the elements that the sizes say.
            unsafe { executable.run(&self.sizes, &self.scalars, &self.arrays)? };
        }
        let time_ms = stopwatch.stop() / 1e6 / runs as f64;
        self.device.stream().synchronize()?;
        Ok(time_ms)
    }

    fn compare(&self) -> Result<(), Error> {
        for (array, expected) in self.expected.iter().enumerate() {
            let Some(expected) = expected else { continue };
            let result = Buffer::<u32>::zeroed(2)?;
            let found = &self.arrays[array];
            let arguments = [found.into(), expected.into(), (found.len() as u64).into(), (&result).into()];
            // SAFETY: the arguments are of the kernel's types, and both arrays have so many elements.
            unsafe { COMPARE.kernel("compare")?.launch(Grid::linear(1024, 256), &arguments)? };
            let [difference, largest] = [0, 1].map(|index| result.get(index).map(f32::from_bits));
            let (difference, largest) = (difference?, largest?);
            if difference > TOLERANCE * largest {
                let array = self.nest.arrays()[array].name.clone();
                return Err(Error::Wrong { array, difference, largest });
            }
        }
        Ok(())
    }
}

/// So many are drawn one after the other.
const PART: usize = 1 << 20;

/// Numbers between 1/2 and 3/2, made by all cores, the same whatever their number.
fn numbers(seed: u64, length: usize) -> Vec<f32> {
    let mut numbers = vec![0.0; length];
    numbers.par_chunks_mut(PART).enumerate().for_each(|(index, part)| {
        let mut random = Random::new(seed << 32 | index as u64);
        part.iter_mut().for_each(|number| *number = 0.5 + random.unit() as f32);
    });
    numbers
}
