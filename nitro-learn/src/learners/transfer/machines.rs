//! Support-vector machines: subsets whose distances between the remaining sources are equal share one machine, of
//! which only the last step, the kernel between target and sources, is redone a subset.

use std::collections::BTreeMap;

use super::{Frame, Job, Part, Tally, Transfer, TransferPlan, tally};
use crate::learners::TrainingSet;
use crate::learners::svm::{Machine, Parameters, SEARCH_EFFORT, SamplesByClass, Smo, Stop};
use crate::space::DeviceSpace;
use crate::task::Task;

/// Bound on the sum of squared sample counts over all machines trained for one table: some seconds on two cores.
const EFFORT: f64 = 4e8;

/// Machines to train once: on these sources, in this space, for all these columns (subsets).
struct Shared {
    sources: Vec<usize>,
    space: DeviceSpace,
    parameters: Parameters,
    columns: Vec<usize>,
}

/// Fills the table with machines whose errors are weighted by what they lose, or are all alike.
pub fn by_machines(task: &Task<'_>, plan: &TransferPlan<'_>, by_regret: bool) -> Transfer {
    let frame = Frame::new(task, plan);
    let jobs: Vec<Job<Shared>> =
        (0..plan.sources.len()).flat_map(|target| jobs_of_target(&frame, plan, target)).collect();
    let features = frame.features.clone();
    frame.fill(&jobs, EFFORT, |shared, part| run(task, shared, &features, part, by_regret))
}

fn jobs_of_target(frame: &Frame<'_>, plan: &TransferPlan<'_>, target: usize) -> Vec<Job<Shared>> {
    let sources = frame.others(target);
    let mut jobs: Vec<Job<Shared>> = Vec::new();
    let mut known: BTreeMap<(bool, Vec<i64>), usize> = BTreeMap::new();
    for (column, features) in frame.features.iter().enumerate() {
        let space = frame.task.device_space(&sources, features);
        let key = (features.is_empty(), space.distances_key());
        let at = *known.entry(key).or_insert(jobs.len());
        if at == jobs.len() {
            let parameters = Parameters::from(if features.is_empty() { &plan.plain } else { &plan.joined });
            let work = Shared { sources: sources.clone(), space, parameters, columns: Vec::new() };
            jobs.push(Job { target, work });
        }
        jobs[at].work.columns.push(column);
    }
    jobs
}

/// Trains on all parts but one and judges every column of the job on that one.
fn run(
    task: &Task<'_>,
    shared: &Shared,
    features: &[Vec<String>],
    part: &Part<'_>,
    by_regret: bool,
) -> Vec<(usize, Tally)> {
    let (Parameters { cost, gamma }, sources) = (shared.parameters, &shared.sources);
    let set = TrainingSet { task, sources, inputs: &part.train, device_features: &[], is_final: false };
    let set = SamplesByClass::of(&set, by_regret, SEARCH_EFFORT);
    let stop = Stop::of_search(set.samples().len());
    let machine = set.train(&Smo, stop, &task.space, &shared.space, gamma, &[cost]).remove(0);
    let kernel = task.space.kernel(gamma);
    let sums = machine.partial_sums(&set, &kernel, part.judge, sources.len());
    // Subsets with the same distances between the sources share a machine. They differ in the distances to the target.
    let mut tallies = Vec::with_capacity(shared.columns.len());
    for &column in &shared.columns {
        let space = task.device_space(sources, &features[column]);
        let to_sources = space.kernel_to(&task.device_row(part.target, &features[column]), gamma);
        tallies.push((column, judged(task, part, &machine, &sums, &to_sources)));
    }
    tallies
}

fn judged(
    task: &Task<'_>,
    part: &Part<'_>,
    machine: &Machine,
    sums: &[Vec<f64>],
    to_sources: &[f64],
) -> Tally {
    let judged = part.judge.iter().zip(sums);
    tally(judged.map(|(&input, sums)| task.share(part.target, input, machine.ranking(sums, to_sources))))
}
