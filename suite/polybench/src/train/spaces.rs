//! Kernels with spaces of decisions as functions: plain loops, or a point of one of the spaces. A space is of one size,
//! so that each function has one input.

use nitro::code_variant;
use nitro_cuda::LaunchError;
use nitro_decide::{DecidedSpace, Rates};
use nitro_train::Tunable;

use super::later::{Later, Preset};
use super::work::{Work, prepare, record};
use crate::decided::{Asked, Kernel, Tiles, shipped};
use crate::gpu::reference;

/// A search of a large space begins with so many points of a smaller one.
const BEGUN_WITH: usize = 8;

macro_rules! spaces {
    ($($name:ident $text:literal $kernel:ident $size:literal: $($variant:ident $tiles:ident)+;)+) => {
        $(mod $name {
            use super::*;

            /// The kernel, on data of its own.
            #[code_variant(
                name = $text,
                device = nitro_cuda::current(),
                features(elements = work.elements()),
                variants(plain, $($variant { kernel in artifacts }),+),
                default = plain,
            )]
            pub fn $name(work: &mut Work<'_>) -> Result<(), LaunchError>;

            fn plain(work: &mut Work<'_>) -> Result<(), LaunchError> {
                work.run_plain()
            }

            $(fn $variant(p: $name::$tiles, work: &mut Work<'_>) -> Result<(), LaunchError> {
                work.run(p.kernel)
            })+

            pub(super) fn tunable() -> Tunable {
                let tunable = Tunable::new($name::function(), |session| {
                    let space = space(Kernel::$kernel, $size, Tiles::Full);
                    let plain = space.nest().map(&space.nest().dependences()?, &reference());
                    record(session, space.nest(), &plain, |_| Some(Vec::new()), $name)
                });
                let ahead = |choice, device: &str| match choice {
                    $name::Choice::Plain => {}
                    $($name::Choice::$tiles(p) => prepare(p.kernel, device),)+
                };
                let floor = |_: &str, feature: &dyn Fn(&str) -> Option<f64>| {
                    let work = space(Kernel::$kernel, $size, Tiles::Full).nest().least_work(&[]).ok()?;
                    Some(Rates::from_features(feature).ok()?.floor(&work))
                };
                let tunable = tunable.floor(floor).generated_inputs([concat!("train/", $size)]).prepare(ahead);
                tunable$(.generated(
                    stringify!($variant),
                    Later::new(|| space(Kernel::$kernel, $size, Tiles::$tiles))
                        .with_presets(|space| presets(space, Kernel::$kernel, $size, Tiles::$tiles)),
                ))+
            }
        })+

        /// Returns a function for each kernel and size.
        pub(super) fn tunables() -> Vec<Tunable> {
            [$($name::tunable(),)+].into_iter().map(|own| own.runs_on("cuda")).collect()
        }
    };
}

spaces! {
    sgemm_1024 "sgemm_1024" Sgemm 1024: reduced Reduced ahead Ahead full Full everything Everything;
    sgemm_4096 "sgemm_4096" Sgemm 4096: ahead Ahead full Full;
    batched_sgemm "batched_sgemm" BatchedSgemm 64: full Full;
    axpy "axpy" Axpy 67108864: full Full;
    matvec_by_threads "matvec_by_threads" Matvec 16384: full Full;
    matvec_by_warps "matvec_by_warps" MatvecByWarps 16384: full Full;
    gesummv_by_threads "gesummv_by_threads" Gesummv 16384: full Full;
    gesummv_by_warps "gesummv_by_warps" GesummvByWarps 16384: full Full;
}

fn asked(kernel: Kernel, size: u64, tiles: Tiles) -> Asked {
    Asked { space: kernel, size, batch: 512, tiles, device: "cuda:0".to_owned() }
}

fn space(kernel: Kernel, size: u64, tiles: Tiles) -> DecidedSpace {
    asked(kernel, size, tiles).space().expect("there is a space of these sizes")
}

/// Returns the points of a smaller space that were fastest on an H200: the sooner something fast is known, the more is
/// left out of a large one.
fn presets(space: &DecidedSpace, kernel: Kernel, size: u64, tiles: Tiles) -> Vec<Preset> {
    if !matches!((kernel, tiles), (Kernel::Sgemm, Tiles::Full | Tiles::Everything)) {
        return Vec::new();
    }
    let smaller = asked(kernel, size, Tiles::Ahead);
    let (name, smaller) = (smaller.name(), smaller.space().expect("there is a space of these sizes"));
    let mut fast = shipped(&name, &smaller);
    fast.sort_by(|one, other| one.1.total_cmp(&other.1));
    let points = fast.iter().filter_map(|(values, _)| space.as_in(&smaller, values)).take(BEGUN_WITH);
    points.enumerate().map(|(at, values)| (format!("H200 {at}"), space.text(&values))).collect()
}
