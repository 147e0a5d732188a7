//! Programs of a nest timed on a GPU, after what they give was compared with a reference.

use nitro_core::Device;
use nitro_cuda::{
    Buffer, Cuda, CudaError, Executable, Grid, Image, LaunchError, LaunchPlan, Options, PlanError, Usage,
};
use nitro_nest::{Data, DependenceError, Integers, Mapping, Nest, Program, RunError, Schedule};
use nitro_stats::random::Random;
use rayon::prelude::*;

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
    extern "C" __global__ void compare(
        const float* found, const float* expected, unsigned long long length, unsigned* result) {
        float difference = 0, largest = 0;
        for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x) {
            float one = found[i], other = expected[i];
            bool same = one == other || (one != one && other != other);
            float apart = same ? 0.0f : fabsf(one - other);
            difference = apart <= difference ? difference : apart; // what is no number counts
            largest = fmaxf(largest, isinf(other) ? 0.0f : fabsf(other));
        }
        if (difference != difference) difference = __int_as_float(0x7f800000);
        // Of floats that are not negative, the order is that of their bits.
        atomicMax(result, __float_as_uint(difference));
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
        Self::of_plan(program.plan(), sizes, options)
    }

    /// The kernels of a plan for these sizes. It needs no device.
    ///
    /// # Errors
    /// Those of the compiler.
    pub fn of_plan(plan: LaunchPlan, sizes: &[i64], options: Options) -> Result<Self, Error> {
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

/// The arrays of a nest on a device.
pub struct Arrays<'a> {
    nest: &'a Nest,
    sizes: Vec<i64>,
    scalars: Vec<f32>,
    /// The arrays before a run.
    inputs: Vec<Buffer<f32>>,
    /// The arrays of a run.
    arrays: Vec<Buffer<f32>>,
}

/// Copies of the arrays that a nest writes.
pub type Results = Vec<Buffer<f32>>;

impl<'a> Arrays<'a> {
    /// Creates arrays of these sizes, filled with numbers between 1/2 and 3/2.
    ///
    /// # Errors
    /// When the sizes are none of the nest, or the device has no room.
    pub fn new(nest: &'a Nest, sizes: Vec<i64>, device: Cuda) -> Result<Self, Error> {
        let shapes = Data::shapes_of(nest, &sizes)?; // of temporaries too, which a program has for itself
        device.enter();
        let (mut inputs, mut arrays) = (Vec::new(), Vec::new());
        for (array, shape) in shapes[..nest.arguments()].iter().enumerate() {
            let length = shape.iter().product::<i64>().max(1) as usize;
            inputs.push(Buffer::from_slice(&numbers(array as u64, length))?);
            arrays.push(Buffer::uninit(length)?);
        }
        let scalars = nest.scalars().iter().enumerate().map(|(index, _)| 0.75 + index as f32 / 2.0).collect();
        Ok(Self { nest, sizes, scalars, inputs, arrays })
    }

    /// Returns the number of elements of all arrays.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.arrays.iter().map(Buffer::len).sum()
    }

    /// Makes the arrays what they were before a run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn restore(&mut self) -> Result<(), CudaError> {
        self.arrays.iter_mut().zip(&self.inputs).try_for_each(|(array, input)| array.copy_from(input))
    }

    /// Launches a program of the nest, and does not wait for it.
    ///
    /// # Errors
    /// When it cannot be launched.
    pub fn launch(&self, executable: &Executable) -> Result<(), LaunchError> {
        // SAFETY: the arrays have the elements that the sizes say.
        unsafe { executable.run(&self.sizes, &self.scalars, &self.arrays) }
    }

    /// Copies the arrays that the nest writes.
    ///
    /// # Errors
    /// When the device fails or has no room.
    pub fn results(&self) -> Result<Results, CudaError> {
        let mut results = Vec::new();
        for (_, array) in self.written() {
            let mut kept = Buffer::uninit(array.len())?;
            kept.copy_from(array)?;
            results.push(kept);
        }
        Ok(results)
    }

    /// Returns the arrays that the nest writes, each with its name.
    fn written(&self) -> impl Iterator<Item = (&'a str, &Buffer<f32>)> {
        let all = self.nest.arrays().iter().zip(&self.arrays);
        all.filter(|(declared, _)| declared.is_written)
            .map(|(declared, array)| (declared.name.as_str(), array))
    }
}

/// Returns true for results whose differences are rounding.
///
/// # Errors
/// When the device fails.
pub fn agree(expected: &[Buffer<f32>], found: &[Buffer<f32>]) -> Result<bool, Error> {
    for (expected, found) in expected.iter().zip(found) {
        let (difference, largest) = apart(expected, found)?;
        if difference > TOLERANCE * largest {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the largest difference of two arrays, and the largest element of the first.
fn apart(expected: &Buffer<f32>, found: &Buffer<f32>) -> Result<(f32, f32), Error> {
    let result = Buffer::<u32>::zeroed(2)?;
    let arguments = [found.into(), expected.into(), (found.len() as u64).into(), (&result).into()];
    // SAFETY: the arguments are of the kernel's types, and both arrays have so many elements.
    unsafe { COMPARE.kernel("compare")?.launch(Grid::linear(1024, 256), &arguments)? };
    let [difference, largest] = [0, 1].map(|index| result.get(index).map(f32::from_bits));
    Ok((difference?, largest?))
}

/// A nest whose programs are timed.
pub struct Bench<'a> {
    arrays: Arrays<'a>,
    device: Cuda,
    expected: Results,
    best_ms: f64,
}

impl<'a> Bench<'a> {
    /// Creates data for the nest with these sizes. What `reference` gives, others have to give.
    ///
    /// # Errors
    /// When the sizes are none of the nest, the device has no room, or the reference does not run.
    pub fn new(nest: &'a Nest, reference: &Program, sizes: Vec<i64>, device: Cuda) -> Result<Self, Error> {
        let compiled = Compiled::new(reference, &sizes, Options::for_device(device))?;
        let arrays = Arrays::new(nest, sizes, device)?;
        let mut bench = Self { arrays, device, expected: Vec::new(), best_ms: f64::INFINITY };
        bench.launch(&compiled.load(device)?, 1)?;
        bench.expected = bench.arrays.results()?;
        Ok(bench)
    }

    /// Times a program that gives what the reference gives, in nanoseconds: so many runs on fresh data, each of so
    /// many launches in a row. What takes long beside the best so far is run once more alone.
    ///
    /// # Errors
    /// When it does not run, or gives something else.
    pub fn times_ns(&mut self, compiled: Compiled, runs: usize, launches: usize) -> Result<Vec<f64>, Error> {
        let executable = compiled.load(self.device)?;
        let first_ms = self.launch(&executable, 1)?; // warms up, too
        self.compare()?;
        // In the first run its kernels came to the device.
        let is_slow = first_ms - MOST_LOADING_MS >= SLOW * self.best_ms;
        let runs = if is_slow { 1 } else { runs.max(1) };
        let times_ms: Vec<f64> =
            (0..runs).map(|_| self.launch(&executable, launches.max(1))).collect::<Result<_, _>>()?;
        self.best_ms = times_ms.iter().copied().fold(self.best_ms, f64::min);
        Ok(times_ms.into_iter().map(|time_ms| time_ms * 1e6).collect())
    }

    /// Times so many runs in a row, in milliseconds each; the first of them is on fresh data.
    fn launch(&mut self, executable: &Executable, runs: usize) -> Result<f64, Error> {
        self.arrays.restore()?;
        let mut stopwatch = nitro_cuda::current().stopwatch();
        stopwatch.start();
        for _ in 0..runs {
            self.arrays.launch(executable)?;
        }
        let time_ms = stopwatch.stop() / 1e6 / runs as f64;
        self.device.stream().synchronize()?;
        Ok(time_ms)
    }

    fn compare(&self) -> Result<(), Error> {
        for (expected, (name, found)) in self.expected.iter().zip(self.arrays.written()) {
            let (difference, largest) = apart(expected, found)?;
            if difference > TOLERANCE * largest {
                return Err(Error::Wrong { array: name.to_owned(), difference, largest });
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
