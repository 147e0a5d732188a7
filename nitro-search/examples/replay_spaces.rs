//! Replays strategies on measured spaces: `cargo run --release -p nitro-variants-search --example replay_spaces --
//! FOLDER [--strategy S,..] [--seeds N] [--evaluations N] [--space NAME] [--device D,..] [--sources
//! all|complete|others|one|none]`. In the folder, `NAME_configs.csv` has a column `cfg` and one a parameter,
//! `NAME_times.csv` the columns `device`, `cfg`, `mean_ms` and `failed`. Every device that is measured completely
//! is left out in turn; `others` leaves its architecture out too, `one` takes a single source (the first).
//! `--paths all|ants,genetic,random,without-local-search` walks the space instead, parameter by parameter, as
//! searches of generated code do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use nitro_search::{
    AntColony, Ants, Ask, Budget, Crossing, Decision, Decisions, Engine, Evaluation, Failure, GeneticPaths,
    NodeKey, Parameter, PathStrategy, Paths, RandomPaths, Replay, Report, Source, Sources, Space, Step,
    Strategy,
};

/// Devices of one architecture.
const ALIKE: [&[&str]; 4] = [
    &["A100", "A4000", "A6000", "RTX_3090", "RTX_3060_laptop"],
    &["W6600", "W7800"],
    &["MI250X"],
    &["RTX_2080_Ti", "RTX_Titan"],
];

struct Measured {
    name: String,
    space: Arc<Space>,
    devices: BTreeMap<String, Vec<Option<Evaluation>>>,
}

struct Options {
    folder: PathBuf,
    strategies: Vec<Strategy>,
    /// By name; instead of strategies, where there are any.
    walkers: Vec<(String, Walker)>,
    seeds: usize,
    evaluations: usize,
    spaces: Option<Vec<String>>,
    devices: Option<Vec<String>>,
    sources: String,
}

/// Begins a strategy over paths with a seed.
type Walker = fn(u64) -> Box<dyn PathStrategy>;
type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let options = options()?;
    let begin = Instant::now();
    let spaces = load(&options)?;
    if !options.walkers.is_empty() {
        return walk_all(&spaces, &options);
    }
    for &strategy in &options.strategies {
        let mut sums = [0.0; 6];
        let mut count = 0.0;
        for measured in &spaces {
            for (device, answers) in &measured.devices {
                let wanted = options.devices.as_ref().is_none_or(|devices| devices.contains(device));
                let Some(answers) = answers.iter().copied().collect::<Option<Vec<_>>>().filter(|_| wanted)
                else {
                    continue;
                };
                let sources = Arc::new(sources(measured, device, &options.sources));
                let replay = Replay::new(Arc::clone(&measured.space), answers);
                let curves: Vec<_> = (0..options.seeds as u64)
                    .map(|seed| replay.curve(strategy, &sources, options.evaluations, seed))
                    .collect();
                let figures = replay.summary(strategy, options.evaluations, &curves);
                let after =
                    |count: usize| 100.0 * figures.best_after.get(&count).copied().unwrap_or(f64::NAN);
                let to_95 = figures.evaluations_to_95.unwrap_or(options.evaluations as f64);
                let row = [after(5), after(10), after(20), after(50), after(200), to_95];
                print(&format!("{strategy} {} {device}", measured.name), row, figures.never_95);
                sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
                count += 1.0;
            }
        }
        print(&format!("{strategy} MEAN"), sums.map(|sum| sum / count), 0);
    }
    println!("{:.1} s", begin.elapsed().as_secs_f64());
    Ok(())
}

fn print(name: &str, row: [f64; 6], never: usize) {
    let [five, ten, twenty, fifty, most, to_95] = row;
    println!(
        "{name:<46} {five:6.2} {ten:6.2} {twenty:6.2} {fifty:6.2} {most:6.2}  to 95 %: {to_95:6.1}, never {never}"
    );
}

fn sources(measured: &Measured, target: &str, which: &str) -> Sources {
    let alike = |device: &str| ALIKE.iter().any(|group| group.contains(&device) && group.contains(&target));
    let others = measured
        .devices
        .iter()
        .filter(|(device, _)| *device != target && (which != "others" || !alike(device)));
    let source = |(device, evaluations): (&String, &Vec<_>)| Source {
        device: device.clone(),
        evaluations: evaluations.clone(),
        features: Vec::new(),
    };
    let most = match which {
        "none" => 0,
        "one" => 1,
        _ => usize::MAX,
    };
    Sources { devices: others.map(source).take(most).collect(), features: Vec::new() }
}

fn options() -> Result<Options, Error> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name the folder of the spaces")?.into();
    let mut options = Options {
        folder,
        strategies: vec![Strategy::Transfer],
        walkers: Vec::new(),
        seeds: 20,
        evaluations: 200,
        spaces: None,
        devices: None,
        sources: "all".into(),
    };
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or("an option lacks its value")?;
        let list = || value.split(',').map(str::to_owned).collect();
        match option.as_str() {
            "--strategy" if value == "all" => options.strategies = Strategy::ALL.into(),
            "--strategy" => {
                options.strategies = value.split(',').map(str::parse).collect::<Result<_, _>>()?
            }
            "--paths" => options.walkers = walkers(&value)?,
            "--seeds" => options.seeds = value.parse()?,
            "--evaluations" => options.evaluations = value.parse()?,
            "--space" => options.spaces = Some(list()),
            "--device" => options.devices = Some(list()),
            "--sources" => options.sources = value,
            _ => return Err(format!("there is no option {option}").into()),
        }
    }
    Ok(options)
}

fn load(options: &Options) -> Result<Vec<Measured>, Error> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&options.folder)? {
        let path = entry?.path();
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(name) = file.strip_suffix("_configs.csv") {
            let wanted = options
                .spaces
                .as_ref()
                .is_none_or(|spaces| spaces.iter().any(|space| name.starts_with(space)));
            if wanted {
                found.push(measured(name, &path)?);
            }
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

fn measured(name: &str, configs: &Path) -> Result<Measured, Error> {
    let text = std::fs::read_to_string(configs)?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().ok_or("an empty file")?.split(',').skip(1).collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').skip(1).map(str::parse).collect()).collect::<Result<_, _>>()?;
    let values = |column: usize| {
        let mut values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let values: Vec<Vec<f64>> = (0..names.len()).map(values).collect();
    let parameters =
        names.iter().zip(&values).map(|(name, values)| Parameter::numbers(*name, values.clone()));
    let index = |row: &Vec<f64>| {
        let at =
            |(value, values): (&f64, &Vec<f64>)| values.iter().position(|other| other == value).unwrap_or(0);
        row.iter().zip(&values).map(at).collect::<Vec<_>>()
    };
    let space = Arc::new(Space::table(parameters.collect(), rows.iter().map(index))?);
    let times = configs.with_file_name(format!("{name}_times.csv"));
    Ok(Measured { name: name.to_owned(), devices: devices(&times, space.len())?, space })
}

fn devices(path: &Path, count: usize) -> Result<BTreeMap<String, Vec<Option<Evaluation>>>, Error> {
    let text = std::fs::read_to_string(path)?;
    let mut devices: BTreeMap<String, Vec<Option<Evaluation>>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let evaluation = match fields[6] {
            "0" => Evaluation::TimeNs(fields[2].parse::<f64>()? * 1e6),
            _ if fields[7].starts_with("Compilation") => Evaluation::Failed(Failure::Compile),
            _ => Evaluation::Failed(Failure::Launch),
        };
        let device = devices.entry(fields[0].to_owned()).or_insert_with(|| vec![None; count]);
        device[fields[1].parse::<usize>()?] = Some(evaluation);
    }
    Ok(devices)
}

/// A space whose parameters are chosen one after the other.
struct Walked<'a>(&'a Space);

impl Walked<'_> {
    fn configuration(path: &[Crossing]) -> Vec<u16> {
        path.iter().map(|crossing| crossing.option as u16).collect()
    }
}

impl Decisions for Walked<'_> {
    fn next(&self, path: &[Crossing]) -> Step {
        let Some(parameter) = self.0.parameters().get(path.len()) else { return Step::Complete };
        let open = self.0.continuations(&Self::configuration(path));
        let decision = Decision::new(NodeKey::new(parameter.name().to_owned()), parameter.len());
        Step::Choose(decision.only(|option| open.contains(&(option as u16))))
    }
}

fn walkers(names: &str) -> Result<Vec<(String, Walker)>, Error> {
    let all = "random,genetic,without-local-search,ants";
    let names = if names == "all" { all } else { names };
    let mut walkers = Vec::new();
    for name in names.split(',') {
        let walker: Walker = match name {
            "ants" => |seed| Box::new(AntColony::new(seed)),
            "without-local-search" => {
                |seed| Box::new(AntColony::with(Ants { local_search: false, ..Ants::default() }, seed))
            }
            "genetic" => |seed| Box::new(GeneticPaths::new(seed)),
            "random" => |seed| Box::new(RandomPaths::new(seed)),
            _ => return Err(format!("nobody called {name} walks: there are {all}").into()),
        };
        walkers.push((name.to_owned(), walker));
    }
    Ok(walkers)
}

/// The share of the best that is found, of each space on each device that was measured completely.
fn walk_all(spaces: &[Measured], options: &Options) -> Result<(), Error> {
    for (name, walker) in &options.walkers {
        let mut shares = Vec::new();
        for measured in spaces {
            for (device, answers) in &measured.devices {
                let Some(answers) = answers.iter().copied().collect::<Option<Vec<_>>>() else { continue };
                let of_seed = |seed| walked(&measured.space, &answers, walker(seed), options.evaluations);
                let found = (0..options.seeds as u64).map(of_seed).collect::<Result<Vec<f64>, _>>()?;
                let share = found.iter().sum::<f64>() / found.len() as f64;
                println!("{:<46} {:6.2}", format!("{name} {} {device}", measured.name), 100.0 * share);
                shares.push(share);
            }
        }
        println!("{name:<46} {:6.2}", 100.0 * shares.iter().sum::<f64>() / shares.len() as f64);
    }
    Ok(())
}

fn walked(
    space: &Space,
    answers: &[Evaluation],
    strategy: Box<dyn PathStrategy>,
    evaluations: usize,
) -> Result<f64, Error> {
    let mut search = Engine::new(Paths::new(Walked(space), strategy), Budget::evaluations(evaluations));
    while let Ask::Evaluate(paths) = search.ask(usize::MAX)? {
        for path in paths {
            let candidate = space.find(&Walked::configuration(&path)).expect("it is of the space");
            search.tell(&path, Report::from(answers[candidate.index()]))?;
        }
    }
    let best_ns = answers.iter().filter_map(|answer| answer.time_ns()).fold(f64::INFINITY, f64::min);
    let found_ns = search.best().and_then(|found| found.report.evaluation.time_ns());
    Ok(found_ns.map_or(0.0, |found_ns| best_ns / found_ns))
}
