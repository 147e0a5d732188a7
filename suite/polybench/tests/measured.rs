//! What points of spaces of decisions took on an H200 (`measured/decided-h200.jsonl.gz`) is never less than their
//! bound, and would be if the bound were wrong.

use std::path::{Path, PathBuf};

use nitro_decide::{Candidate, DecidedSpace, LowerBound, Rates};
use nitro_polybench::decided::{Asked, Kernel, Tiles, rates, read};

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("measured").join(name)
}

/// A space, its points with their times in nanoseconds, and what the device does at most.
struct Measured {
    name: String,
    space: DecidedSpace,
    points: Vec<(Candidate, f64)>,
    rates: Rates,
}

fn all() -> Vec<Measured> {
    let (whole, part) = ("cuda:0", "cuda:0/16sm");
    let spaces = [
        (Kernel::Sgemm, 1024, Tiles::Reduced, whole),
        (Kernel::Sgemm, 1024, Tiles::Reduced, part),
        (Kernel::Sgemm, 1024, Tiles::Full, whole),
        (Kernel::Sgemm, 1024, Tiles::Full, part),
        (Kernel::Sgemm, 4096, Tiles::Full, whole),
        (Kernel::Sgemm, 1024, Tiles::Ahead, whole),
        (Kernel::Sgemm, 4096, Tiles::Ahead, whole),
        (Kernel::BatchedSgemm, 64, Tiles::Full, whole),
        (Kernel::Axpy, 1 << 26, Tiles::Full, whole),
        (Kernel::Matvec, 16384, Tiles::Full, whole),
        (Kernel::Gesummv, 16384, Tiles::Full, whole),
        (Kernel::MatvecByWarps, 16384, Tiles::Full, whole),
        (Kernel::GesummvByWarps, 16384, Tiles::Full, whole),
    ];
    let measured = spaces.map(|(space, size, tiles, device)| {
        let asked = Asked { space, size, batch: 512, tiles, device: device.to_owned() };
        let (name, space) = (asked.name(), asked.space().unwrap());
        let found = read(&shipped("decided-h200.jsonl.gz"), &name, &space).unwrap();
        let point = |(values, timed): &(Vec<usize>, nitro_polybench::decided::Timed)| {
            (space.root().decide(values).unwrap(), timed.time_ns.unwrap())
        };
        let points = found.iter().map(point).collect();
        let file = if device == whole { "rates-h200.json" } else { "rates-h200-16sm.json" };
        Measured { name, space, points, rates: rates(&shipped(file)).unwrap() }
    });
    measured.into()
}

impl Measured {
    /// Bound / time of each point.
    fn ratios(&self, rates: Rates) -> Vec<f64> {
        let bound = self.space.time_bound(rates);
        self.points.iter().map(|(point, time_ns)| bound.bound_ns(point) / time_ns).collect()
    }
}

#[test]
fn no_measured_point_took_less_than_its_bound() {
    let (mut points, mut worst) = (0, (0.0, String::new()));
    for measured in all() {
        let bound = measured.space.time_bound(measured.rates);
        assert!(measured.points.len() > 30, "{}: {} points", measured.name, measured.points.len());
        points += measured.points.len();
        for ((point, time_ns), ratio) in measured.points.iter().zip(measured.ratios(measured.rates)) {
            assert!(ratio <= 1.0, "{} took {time_ns} ns: {}", measured.name, bound.explain(point));
            if ratio > worst.0 {
                worst = (ratio, format!("{}, {time_ns} ns: {}", measured.name, bound.explain(point)));
            }
        }
    }
    println!("the tightest of {points} is {:.3} of {}", worst.0, worst.1);
    assert!(points > 500 && worst.0 > 0.8, "{points} points, {worst:?}"); // else they say little
}

/// The floor of a nest knows no decision, so that it is under every point's bound, too.
#[test]
fn no_measured_point_took_less_than_the_floor_of_its_nest() {
    for measured in all() {
        let work = measured.space.nest().least_work(&[]).unwrap();
        let floor = measured.rates.floor(&work);
        for (_, time_ns) in &measured.points {
            let measurement = || format!("{}, the median of seven runs", measured.name);
            assert_eq!(floor.check(*time_ns, measurement), Ok(()));
        }
        let best_ns = measured.points.iter().map(|(_, time_ns)| *time_ns).fold(f64::INFINITY, f64::min);
        println!("{}: {}", measured.name, floor.of(best_ns));
    }
}

/// A rate of half of what it is, or a latency of twice that.
type Wrong = (&'static str, fn(&mut Rates));

const WRONG: [Wrong; 18] = [
    ("warp_instructions_per_clock", |rates| rates.warp_instructions_per_clock /= 2.0),
    ("arithmetic_lanes_per_clock", |rates| rates.arithmetic_lanes_per_clock /= 2.0),
    ("memory_lanes_per_clock", |rates| rates.memory_lanes_per_clock /= 2.0),
    ("loaded_bytes_per_clock", |rates| rates.loaded_bytes_per_clock /= 2.0),
    ("sectors_per_clock", |rates| rates.sectors_per_clock /= 2.0),
    ("wavefronts_per_clock", |rates| rates.wavefronts_per_clock /= 2.0),
    ("requests_per_clock", |rates| rates.requests_per_clock /= 2.0),
    ("port_bytes_per_clock", |rates| rates.port_bytes_per_clock /= 2.0),
    ("l2_read_gbps", |rates| rates.l2_read_gbps /= 2.0),
    ("l2_write_gbps", |rates| rates.l2_write_gbps /= 2.0),
    ("dram_gbps", |rates| rates.dram_gbps /= 2.0),
    ("clock_ghz", |rates| rates.clock_ghz /= 2.0),
    ("arithmetic_clocks", |rates| rates.arithmetic_clocks *= 2.0),
    ("load_clocks", |rates| rates.load_clocks *= 2.0),
    ("l2_load_clocks", |rates| rates.l2_load_clocks *= 2.0),
    ("shared_load_clocks", |rates| rates.shared_load_clocks *= 2.0),
    ("barrier_clocks", |rates| rates.barrier_clocks *= 2.0),
    ("launch_ns", |rates| rates.launch_ns *= 2.0),
];

/// What these points would show of a bound that is wrong. Of the rates that are not listed, they say nothing: no
/// point is near what these allow.
#[test]
fn a_wrong_rate_makes_a_bound_that_some_point_contradicts() {
    let all = all();
    let shows = |(_, change): &&Wrong| {
        all.iter().any(|measured| {
            let mut rates = measured.rates;
            change(&mut rates);
            measured.ratios(rates).into_iter().any(|ratio| ratio > 1.0)
        })
    };
    let shown: Vec<&str> = WRONG.iter().filter(shows).map(|own| own.0).collect();
    let expected = [
        "warp_instructions_per_clock",
        "arithmetic_lanes_per_clock",
        "memory_lanes_per_clock",
        "loaded_bytes_per_clock",
        "wavefronts_per_clock",
        "requests_per_clock",
        "dram_gbps",
        "clock_ghz",
    ];
    assert_eq!(shown, expected);
}
