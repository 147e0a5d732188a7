//! `train profile`: what a profiler sees of a worker process is attributed to variants and inputs, and kept.
//!
//! The profiler is a shell script in the place of ncu; the device is a counter that writes what the profiler would see.
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use nitro::recording::{PartTime, note_part, wants_parts};
use nitro::{Device, DeviceEntry, Stopwatch, code_variant};
use nitro_core::provide::{DeviceProvider, OpenDevice, Profiled, SECTION_MARK};
use nitro_train::generate::{Crossing, Decision, Decisions, Generator, NodeKey, Step};
use nitro_train::profile::counters::{COUNTERS, ISSUED};
use nitro_train::profile::files::{read_proxies, read_variants};
use nitro_train::store::{self, Evaluated};
use nitro_train::{BoxError, Session, Trainer, Tunable};

/// Takes ncu's arguments as far as they matter here, runs the program and writes a log in ncu's form.
const PROFILER: &str = r#"#!/bin/sh
while [ "$1" != --log-file ]; do
    if [ "$1" = --metrics ]; then metrics=$2; fi
    shift
done
log=$2
shift 2
case "$COMPLAINT,$metrics" in
    unknown,*dram__sectors_write*) echo '==ERROR== Failed to find metric dram__sectors_write.sum' > "$log"; exit 1;;
    refused,*) echo '==ERROR== ERR_NVGPUCTRPERM - no permission' > "$log"; exit 1;;
esac
rm -f "$log.trace"
METRICS=$metrics TRACE=$log.trace "$@"
{
    echo '==PROF== Connected to process 1'
    printf '"ID","Kernel Name","Grid Size"'
    for metric in $(echo "$metrics" | tr , ' '); do printf ',"%s"' "$metric"; done
    echo
    cat "$log.trace"
} > "$log"
"#;

/// What the device knows of the call that runs.
#[derive(Default)]
struct Watch {
    in_call: bool,
    launches: usize,
    shown: Vec<usize>,
}

thread_local! {
    static WATCH: RefCell<Watch> = RefCell::default();
}

/// Launches a kernel whose every metric has this value.
fn launch(kernel: &str, value: u32) {
    let show = WATCH.with_borrow_mut(|watch| {
        watch.launches += usize::from(watch.in_call);
        watch.in_call && watch.shown.contains(&(watch.launches - 1))
    });
    if show {
        trace(kernel, 1, value);
    }
}

/// Writes a launch as the profiler sees it.
fn trace(kernel: &str, blocks: u32, value: u32) {
    let path = std::env::var("TRACE").expect("a profiler runs this");
    let number = fs::read_to_string(&path).map_or(0, |text| text.lines().count());
    let metrics = std::env::var("METRICS").expect("a profiler runs this").split(',').count();
    let mut file = OpenOptions::new().append(true).create(true).open(path).expect("the trace can be written");
    let values = format!(",\"{value}\"").repeat(metrics);
    writeln!(file, "\"{number}\",\"{kernel}\",\"({blocks}, 1, 1)\"{values}")
        .expect("the trace can be written");
}

#[derive(Clone, Copy)]
struct Counting;

impl Device for Counting {
    fn entry(&self) -> &'static DeviceEntry {
        DeviceEntry::intern("counting:0@test", Vec::new, |_| Vec::new())
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        struct Gate;
        impl Stopwatch for Gate {
            fn start(&mut self) {
                WATCH.with_borrow_mut(|watch| watch.in_call = true);
            }
            fn stop(&mut self) -> f64 {
                WATCH.with_borrow_mut(|watch| watch.in_call = false);
                1.0
            }
        }
        Box::new(Gate)
    }
}

impl OpenDevice for Counting {
    fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), BoxError> {
        work();
        Ok(())
    }

    fn profiled(&self) -> Option<&dyn Profiled> {
        Some(self)
    }
}

impl Profiled for Counting {
    fn count_launches(&self, work: &mut dyn FnMut()) -> usize {
        WATCH.take();
        work();
        WATCH.with_borrow(|watch| watch.launches)
    }

    fn show(&self, section: u32, shown: &[usize], work: &mut dyn FnMut()) -> Result<(), BoxError> {
        trace(SECTION_MARK, section, 1);
        WATCH.replace(Watch { shown: shown.to_vec(), ..Watch::default() });
        work();
        Ok(())
    }

    fn proxies(&self) -> &'static [&'static str] {
        &["single_flop", "atomics"]
    }

    fn show_proxy(&self, section: u32, _: &str, intensity: u32) -> Result<(), BoxError> {
        trace(SECTION_MARK, section, 1);
        trace("proxy", 1, 100 + intensity);
        Ok(())
    }
}

struct Devices;

impl DeviceProvider for Devices {
    fn kind(&self) -> &'static str {
        "counting"
    }

    fn forms(&self) -> &'static str {
        "counting:0"
    }

    fn check(&self, _: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }

    fn open(&self, _: &str) -> Result<Box<dyn OpenDevice>, Box<dyn Error + Send + Sync>> {
        Ok(Box::new(Counting))
    }
}

/// `small` launches two kernels, `many` one for each of `size` steps.
#[code_variant(
    name = "steps",
    device = Counting,
    features(steps = size),
    variants(small, many, narrow if size < 50, failing),
    default = small,
)]
fn steps(size: u32) -> Result<(), String>;

fn small(_: u32) -> Result<(), String> {
    launch("first", 10);
    launch("second", 1);
    Ok(())
}

fn many(size: u32) -> Result<(), String> {
    (0..size).for_each(|_| launch("step", 3));
    Ok(())
}

fn narrow(_: u32) -> Result<(), String> {
    launch("narrow", 7);
    Ok(())
}

fn failing(_: u32) -> Result<(), String> {
    launch("failing", 7);
    Err("as it always does".into())
}

/// Generated code launches two kernels, the second one twice.
#[code_variant(
    name = "work",
    device = Counting,
    features(size = n),
    variants(plain, found { kernel in artifacts }),
    default = plain,
)]
fn work(n: u32) -> u32;

fn plain(n: u32) -> u32 {
    n
}

/// The code is a number: what every counter of the first kernel is, in percent. The second has twice as much, and
/// less in its second launch.
fn found(p: work::Found, n: u32) -> u32 {
    let percent: u32 = p.kernel.text().and_then(|text| text.parse().ok()).expect("a number");
    launch("work_0(int)", percent);
    launch("work_1", 2 * percent);
    launch("work_1", 2 * percent - 10);
    if wants_parts() {
        for name in ["first", "second", "hidden"] {
            let metrics = vec![("occupancy".to_owned(), 0.125)];
            note_part(PartTime { name: name.to_owned(), time_ns: 1.0, metrics });
        }
    }
    n
}

/// 10, 20, 30 or 40.
struct Numbers;

impl Decisions for Numbers {
    fn next(&self, path: &[Crossing]) -> Step {
        match path.len() {
            0 => Step::Choose(Decision::new(NodeKey::new("tens"), 4).part("first")),
            _ => Step::Complete,
        }
    }
}

impl Generator for Numbers {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
        Ok((10 * (path[0].option + 1)).to_string())
    }

    fn part_of(&self, artifact: &str, kernel: &str) -> Option<String> {
        assert!(artifact.parse::<u32>().is_ok());
        [("work_0", "first"), ("work_1", "second")]
            .into_iter()
            .find(|(own, _)| *own == kernel)
            .map(|(_, part)| part.to_owned())
    }
}

fn work_on_one(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in ["train/1", "train/2"] {
        session.input(name, || work(1))?;
    }
    Ok(())
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let size = name.rsplit('-').next().unwrap_or_default().parse()?;
        let run = || {
            launch("preparation", 1_000_000); // of no call, so nobody's
            steps(size)
        };
        session.checked_input(name, run, |expected, found| expected == found)?;
    }
    Ok(())
}

pub fn main() -> ExitCode {
    if std::env::args().len() > 1 {
        return Trainer::new()
            .devices(Devices)
            .tunable(Tunable::new(steps::function(), record).generated_inputs([
                "test/a-1",
                "train/b-10",
                "train/c-100",
                "train/d-20",
            ]))
            .tunable(Tunable::new(work::function(), work_on_one).generated("found", Numbers))
            .main();
    }
    every_launch_belongs_to_its_variant_and_input();
    a_metric_that_the_profiler_does_not_know_is_left_out();
    what_to_change_is_said_when_counters_may_not_be_read();
    what_to_install_is_said_without_a_profiler();
    a_device_without_counters_is_refused();
    a_search_learns_from_counters_where_it_is_told_to();
    a_search_goes_on_without_counters_that_may_not_be_read();
    ExitCode::SUCCESS
}

fn profile(folder: &Path, complaint: &str, device: &str, path: &str) -> Output {
    let arguments = [
        "profile",
        "--function",
        "steps",
        "--device",
        device,
        "--sample",
        "2",
        "--launches",
        "4",
        "--out",
        "out",
    ];
    watched(folder, complaint, path, &arguments)
}

/// A command, with a profiler that complains so.
fn watched(folder: &Path, complaint: &str, path: &str, arguments: &[&str]) -> Output {
    let script = folder.join("ncu");
    drop(File::create(&script).unwrap());
    fs::write(&script, PROFILER).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    Command::new(std::env::current_exe().expect("this program is somewhere"))
        .args(arguments)
        .env("COMPLAINT", complaint)
        .env("PATH", path)
        .current_dir(folder)
        .output()
        .expect("the trainer starts")
}

/// The folder of the profiler, and that of a shell's commands.
fn with_profiler(folder: &Path) -> String {
    format!("{}:/usr/bin:/bin", folder.display())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn every_launch_belongs_to_its_variant_and_input() {
    let folder = tempfile::tempdir().unwrap();
    let output = profile(folder.path(), "", "counting:0", &with_profiler(folder.path()));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = fs::read(folder.path().join("out/steps/profiles.csv")).unwrap();
    let profiles = read_variants("profiles.csv", &table).unwrap();
    let seen: Vec<_> = profiles
        .iter()
        .map(|one| {
            let names = [&one.variant, &one.input, &one.kernel].map(String::as_str);
            (names, one.launches, one.shown, one.metrics[ISSUED])
        })
        .collect();
    let expected = [
        (["small", "train/b-10", "first"], 2, 1, 10.0),
        (["small", "train/b-10", "second"], 2, 1, 1.0),
        (["many", "train/b-10", "step"], 10, 4, 12.0),
        (["narrow", "train/b-10", "narrow"], 1, 1, 7.0),
        (["small", "train/d-20", "first"], 2, 1, 10.0),
        (["small", "train/d-20", "second"], 2, 1, 1.0),
        (["many", "train/d-20", "step"], 20, 4, 12.0),
        (["narrow", "train/d-20", "narrow"], 1, 1, 7.0),
    ];
    assert_eq!(seen, expected);
    assert!(profiles.iter().all(|one| one.metrics.len() == COUNTERS.len() + 1));
    let proxies = read_proxies("p", &fs::read(folder.path().join("out/proxies.csv")).unwrap()).unwrap();
    let seen: Vec<_> = proxies.iter().map(|one| (one.proxy.as_str(), one.intensity)).collect();
    assert_eq!(seen.len(), 12);
    assert_eq!((seen[0], seen[11]), (("single_flop", 0), ("atomics", 5)));
    assert_eq!(proxies[5].metrics[ISSUED], 105.0);
    assert!(text(&output.stdout).contains("more than 5 points off"), "made-up counters are no mix");
}

fn a_metric_that_the_profiler_does_not_know_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let output = profile(folder.path(), "unknown", "counting:0", &with_profiler(folder.path()));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("dram__sectors_write.sum"));
    let table = fs::read(folder.path().join("out/steps/profiles.csv")).unwrap();
    let profiles = read_variants("profiles.csv", &table).unwrap();
    assert_eq!(profiles.len(), 8);
    assert!(profiles.iter().all(|one| one.metrics.len() == COUNTERS.len()));
}

fn what_to_change_is_said_when_counters_may_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let output = profile(folder.path(), "refused", "counting:0", &with_profiler(folder.path()));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("run as root"), "{}", text(&output.stderr));
    assert!(!folder.path().join("out/proxies.csv").exists());
}

fn what_to_install_is_said_without_a_profiler() {
    if ["/usr/local/cuda/bin/ncu", "/opt/cuda/bin/ncu", "/opt/nvidia/nsight-compute"]
        .iter()
        .any(|p| Path::new(p).exists())
    {
        return eprintln!("left out: this machine has a profiler");
    }
    let folder = tempfile::tempdir().unwrap();
    let output = profile(folder.path(), "", "counting:0", "/no-such-folder");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("install NVIDIA Nsight Compute"), "{}", text(&output.stderr));
}

fn a_device_without_counters_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = profile(folder.path(), "", "host:1", &with_profiler(folder.path()));
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains("host:1") && message.contains("cuda:0"), "{message}");
}

/// Metrics by part.
type Parts = BTreeMap<String, BTreeMap<String, f64>>;

/// Searches generated code with this source of metrics; what is said, and what the store has of each text and
/// input: the metrics of its parts by name.
fn searched(metrics: &str, complaint: &str) -> (String, Vec<Parts>) {
    let folder = tempfile::tempdir().unwrap();
    let path = with_profiler(folder.path());
    let search = [
        "search",
        "--function",
        "work",
        "--variant",
        "found",
        "--device",
        "counting:0",
        "--evaluations",
        "8",
    ];
    let further = ["--store", "my.db", "--repeat-ms", "1", "--keep", "1", "--metrics", metrics];
    let output = watched(folder.path(), complaint, &path, &[&search[..], &further].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut store = store::open(&folder.path().join("my.db").display().to_string()).unwrap();
    let evaluations = store.searches().unwrap().evaluations.into_values();
    let parts = |one: Evaluated| {
        let of = |part: PartTime| (part.name, part.metrics.into_iter().collect());
        one.parts.into_iter().map(of).collect()
    };
    (text(&output.stderr), evaluations.map(parts).collect())
}

fn a_search_learns_from_counters_where_it_is_told_to() {
    let (said, found) = searched("ncu", "");
    assert_eq!(found.len(), 8, "four texts on two inputs: {said}");
    let mut tens = BTreeSet::new();
    for parts in &found {
        let of = |part: &str, metric: &str| parts[part].get(metric).copied();
        let first = of("first", "l2_hits").unwrap();
        // A mean over launches, in which one is 10 % lower.
        assert!((of("second", "l2_hits").unwrap() - (2.0 * first - 0.05)).abs() < 1e-9, "{parts:?}");
        assert_eq!(of("first", "achieved_occupancy"), Some(first));
        assert!(["first", "second", "hidden"].iter().all(|part| of(part, "occupancy") == Some(0.125)));
        assert_eq!((parts["first"].len(), parts["hidden"].len()), (7, 1), "nothing is counted of no kernel");
        tens.insert((first * 10.0).round() as u32);
    }
    assert_eq!(tens, BTreeSet::from([1, 2, 3, 4]));
    let (_, counted) = searched("counted", "");
    assert!(counted.len() == 8 && counted.iter().all(|parts| parts["first"].len() == 1), "{counted:?}");
}

fn a_search_goes_on_without_counters_that_may_not_be_read() {
    let (said, found) = searched("ncu", "refused");
    assert_eq!(said.matches("goes on without hardware counters").count(), 1, "{said}");
    assert!(found.len() == 8 && found.iter().all(|parts| parts["first"].len() == 1), "{found:?}");
}
