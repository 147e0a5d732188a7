//! Spaces of decisions that are timed and searched on a GPU, and what their points took.

mod timed;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use clap::{Args, ValueEnum};
use nitro_cuda::{Cuda, Options, Usage};
use nitro_decide::{DecidedSpace, Limits, OpenChoices, TileSizes};
use nitro_nest::Program;

pub use self::timed::{Timed, rates, read, shipped};
use crate::gpu::{Bench, Compiled, Error, reference};

/// A space, as people ask for it.
#[derive(Args, Clone, Debug)]
pub struct Asked {
    /// The kernel
    #[arg(long, value_enum, default_value_t = Kernel::Sgemm)]
    pub space: Kernel,
    /// The size of each dimension
    #[arg(long, default_value_t = 1024)]
    pub size: u64,
    /// Products of a batch
    #[arg(long, default_value_t = 512)]
    pub batch: u64,
    /// Which tiles
    #[arg(long, value_enum, default_value_t = Tiles::Reduced)]
    pub tiles: Tiles,
    /// The GPU, or a part of it: cuda:0, cuda:0/16sm
    #[arg(long, default_value = "cuda:0")]
    pub device: String,
}

/// How often points run.
#[derive(Args, Clone, Copy, Debug)]
pub struct Runs {
    /// Runs of each point, of which the median counts
    #[arg(long, default_value_t = 7)]
    pub runs: usize,
    /// Launches in a row of each run
    #[arg(long, default_value_t = 1)]
    pub launches: usize,
}

/// What there are spaces of.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Kernel {
    /// A product of matrices.
    Sgemm,
    /// Many of them.
    BatchedSgemm,
    /// `a x + y` of vectors.
    Axpy,
    /// A matrix by a vector.
    Matvec,
    /// Two matrices by a vector.
    Gesummv,
    /// A matrix by a vector, each sum by a warp.
    MatvecByWarps,
    /// Two matrices by a vector, each sum by a warp.
    GesummvByWarps,
}

/// Which tiles there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tiles {
    /// Few enough that all points can be timed.
    Reduced,
    /// Fewer still, whose tiles may be loaded ahead.
    Ahead,
    /// All that make sense.
    Full,
    /// With the choice of caches.
    Everything,
}

type Failed = Box<dyn std::error::Error>;

impl Asked {
    /// The space.
    ///
    /// # Errors
    /// When the sizes are none of one.
    pub fn space(&self) -> Result<DecidedSpace, Failed> {
        let tiles = match self.tiles {
            Tiles::Reduced => TileSizes::reduced(),
            Tiles::Ahead => TileSizes {
                rows: vec![8],
                open: OpenChoices { ahead: true, ..OpenChoices::default() },
                ..TileSizes::reduced()
            },
            Tiles::Full => TileSizes::full(),
            Tiles::Everything => TileSizes { open: OpenChoices::ALL, ..TileSizes::full() },
        };
        let (size, limits) = (self.size, Limits::default());
        Ok(match self.space {
            Kernel::Sgemm => DecidedSpace::sgemm([size; 3], &tiles, &limits)?,
            Kernel::BatchedSgemm => DecidedSpace::batched_sgemm(self.batch, [size; 3], &tiles, &limits)?,
            Kernel::Axpy => DecidedSpace::axpy(size, &tiles, &limits)?,
            Kernel::Matvec => DecidedSpace::matvec([size; 2], &tiles, &limits)?,
            Kernel::Gesummv => DecidedSpace::gesummv(size, &tiles, &limits)?,
            Kernel::MatvecByWarps => DecidedSpace::matvec_by_warps([size; 2], &tiles, &limits)?,
            Kernel::GesummvByWarps => DecidedSpace::gesummv_by_warps(size, &tiles, &limits)?,
        })
    }

    /// What results call it.
    #[must_use]
    pub fn name(&self) -> String {
        let batch = match self.space {
            Kernel::BatchedSgemm => format!("{} x ", self.batch),
            _ => String::new(),
        };
        let part = self.device.split_once('/').map_or(String::new(), |(_, part)| format!(" {part}"));
        format!("{:?} {batch}{} {:?}{part}", self.space, self.size, self.tiles).to_lowercase()
    }

    /// The device, and data on it.
    ///
    /// # Errors
    /// When there is no such device, or what points are compared with does not run on it.
    pub fn bench<'a>(&self, space: &'a DecidedSpace) -> Result<(Cuda, Bench<'a>), Failed> {
        let device = nitro_cuda::parse(&self.device)
            .ok_or_else(|| format!("`{}` is no GPU: write cuda:0 or cuda:0/16sm", self.device))??;
        let nest = space.nest();
        let plain = nest.map(&nest.dependences()?, &reference());
        Ok((device, Bench::new(nest, &plain, Vec::new(), device)?))
    }

    /// Compiles points on all cores, and times them one after the other as they come: `told` gets the position of
    /// each. Once it says so, no more are begun.
    pub fn time(
        &self,
        space: &DecidedSpace,
        (device, bench): (Cuda, &mut Bench<'_>),
        runs: Runs,
        points: &[Vec<usize>],
        told: &mut dyn FnMut(usize, Timed) -> bool,
    ) {
        let next = AtomicUsize::new(0);
        let (sender, compiled) = mpsc::sync_channel(64);
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    let position = || next.fetch_add(1, Ordering::Relaxed);
                    while let Some((at, values)) = Some(position()).and_then(|at| Some((at, points.get(at)?)))
                    {
                        let built = build(&space.program(values), device);
                        if sender.send((at, built)).is_err() {
                            return; // it is over
                        }
                    }
                });
            }
            drop(sender);
            for (at, built) in compiled {
                if told(at, self.timed(space, bench, runs, &points[at], built)) {
                    break;
                }
            }
        });
    }

    fn timed(
        &self,
        space: &DecidedSpace,
        bench: &mut Bench<'_>,
        Runs { runs, launches }: Runs,
        values: &[usize],
        built: Result<(Usage, Compiled), Error>,
    ) -> Timed {
        let times =
            built.and_then(|(usage, compiled)| Ok((usage, bench.times_ns(compiled, runs, launches)?)));
        let (usage, mut times_ns, error) = match times {
            Ok((usage, times_ns)) => (usage, times_ns, None),
            Err(error) => (Usage::default(), Vec::new(), Some(error.to_string())),
        };
        times_ns.sort_unstable_by(f64::total_cmp);
        Timed {
            space: self.name(),
            point: timed::line(space, values),
            time_ns: times_ns.get(times_ns.len() / 2).copied().filter(|time_ns| time_ns.is_finite()),
            times_ns,
            registers: usage.registers,
            shared_bytes: usage.static_shared_bytes,
            spill_bytes: usage.spill_bytes,
            error,
        }
    }
}

fn build(program: &Program, device: Cuda) -> Result<(Usage, Compiled), Error> {
    let compiled = Compiled::new(program, &[], Options::for_device(device))?;
    Ok((compiled.usage(&program.kernels[0].name), compiled))
}
