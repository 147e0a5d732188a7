//! Evolution with evaluators that run nothing.

use std::collections::{BTreeSet, HashMap};

use super::rank::{Standing, dominates, front, standings};
use super::{Evolution, EvolvePlan, Fitness, PatchSpace, Purpose, Report, Rules, Trial, explain, minimise};
use crate::random::Random;
use crate::{Ask, Budget, Engine, Failure, Observation, StopReason, TellError};

/// Edits of a program of 60 lines: some cannot be made together, and one in seven not at all.
struct Lines;

impl PatchSpace for Lines {
    type Edit = u32;

    fn mutate(&self, edits: &[u32], seed: u64) -> Option<u32> {
        let mut random = Random::new(seed);
        (0..20)
            .map(|_| random.below(60) as u32)
            .find(|edit| !edits.contains(edit) && self.is_valid(&[edits, &[*edit]].concat()))
    }

    fn is_valid(&self, edits: &[u32]) -> bool {
        let apart = !(edits.contains(&1) && edits.contains(&2));
        apart && edits.iter().all(|edit| edit % 7 != 6)
    }
}

/// Line 10 costs 8 of 100; lines 21, 22 and 23 cost 30 if they all go, two of them little, and one makes it slower,
/// if by less than times vary; line 30 brings 20 for an error of 0.5 %. Lines from 40 change nothing, of which the
/// machine code tells; other lines cost a little, and those that end with 9 fail.
fn answer(edits: &[u32]) -> (u64, Option<Fitness>) {
    let has = |edit: u32| edits.contains(&edit);
    let three = [21, 22, 23].into_iter().filter(|&edit| has(edit)).count();
    let mut time_ns = 100.0 + [0.0, 0.5, -4.0, -30.0][three];
    time_ns -= if has(10) { 8.0 } else { 0.0 } + if has(30) { 20.0 } else { 0.0 };
    time_ns +=
        edits.iter().filter(|&&edit| edit < 40 && ![10, 21, 22, 23, 30].contains(&edit)).count() as f64;
    let code = edits.iter().filter(|&&edit| edit < 40).fold(0, |code, edit| code | 1 << edit);
    let fails = edits.iter().any(|&edit| edit < 40 && edit % 10 == 9);
    let error = if has(30) { 0.005 } else { 0.0 } + if has(33) { 0.5 } else { 0.0 };
    (code, (!fails).then_some(Fitness { time_ns, error }))
}

fn plan(seed: u64) -> EvolvePlan {
    EvolvePlan { population: 64, generations: 40, seed, rules: Rules::Paper, ..EvolvePlan::default() }
}

/// The same plan, by the rules of the model.
fn model(seed: u64) -> EvolvePlan {
    EvolvePlan { rules: Rules::Model, ..plan(seed) }
}

type Search<P> = Engine<Evolution<P>>;

fn begin<P: PatchSpace>(space: P, plan: EvolvePlan) -> Search<P> {
    Engine::new(Evolution::new(space, plan), Budget::default())
}

/// Answers a trial as somebody would who compiles first.
fn report(evolution: &Search<Lines>, trial: &Trial<u32>) -> Report {
    let (code, fitness) = answer(&trial.edits);
    match fitness {
        _ if trial.purpose == Purpose::Search && evolution.proposer().measured(code).is_some() => {
            Report::Same(code)
        }
        Some(fitness) => Report::Ran { fitness, code: Some(code) },
        None => Report::Failed(Failure::Crash),
    }
}

/// Asks and tells to the end, `room` at once, told in the other order; what was asked for.
fn finish(evolution: &mut Search<Lines>, room: usize) -> Vec<Trial<u32>> {
    let mut asked = Vec::new();
    while let Ok(Ask::Evaluate(trials)) = evolution.ask(room) {
        for trial in trials.iter().rev() {
            let report = report(evolution, trial);
            evolution.tell(trial, report).unwrap();
        }
        asked.extend(trials);
    }
    asked
}

#[test]
fn planted_edits_are_found_and_so_is_what_error_buys() {
    for (seed, plan) in (0..5).flat_map(|seed| [(seed, plan(seed)), (seed, model(seed))]) {
        let mut evolution = begin(Lines, plan);
        finish(&mut evolution, 7);
        let finalists = evolution.proposer().finalists();
        // Edits that cost next to nothing come along: minimised, the planted ones are left.
        let planted = [(0.0, 62.0, vec![10, 21, 22, 23]), (0.005, 42.0, vec![10, 21, 22, 23, 30])];
        assert_eq!(finalists.len(), 2, "seed {seed}");
        for (finalist, (error, time_ns, planted)) in finalists.iter().zip(planted) {
            assert_eq!(finalist.search, finalist.validation);
            assert!(
                finalist.search.error == error && finalist.search.time_ns <= time_ns * 1.05,
                "{finalist:?}"
            );
            let is_as_good = |some: &[u32]| {
                answer(some).1.is_some_and(|fitness| {
                    fitness.time_ns <= finalist.search.time_ns && fitness.error <= finalist.search.error
                })
            };
            assert_eq!(minimise(&finalist.edits, is_as_good), planted, "seed {seed}");
        }
        assert_eq!(evolution.proposer().generation(), 41);
    }
}

#[test]
fn the_first_trial_is_the_program_as_it_is_and_no_genotype_is_tried_twice() {
    let mut evolution = begin(Lines, plan(3));
    let asked = finish(&mut evolution, 5);
    assert_eq!((asked[0].edits.as_slice(), asked[0].purpose), (&[][..], Purpose::Search));
    let new: Vec<_> = asked.iter().filter(|trial| trial.purpose == Purpose::Search).collect();
    let distinct: BTreeSet<_> = new.iter().map(|trial| &trial.edits).collect();
    assert_eq!(distinct.len(), new.len());
    assert!(new.iter().all(|trial| Lines.is_valid(&trial.edits) && trial.edits.is_sorted()));
    let sizes: Vec<usize> = new[1..].iter().map(|trial| trial.edits.len()).collect();
    let singles = sizes.iter().take_while(|&&size| size == 1).count();
    assert!((30..64).contains(&singles), "they begin with one edit each: {singles}");
    let ran: BTreeSet<u32> = new[1..=singles]
        .iter()
        .filter(|trial| answer(&trial.edits).1.is_some())
        .map(|trial| trial.edits[0])
        .collect();
    let unions = &new[1 + singles..][..60];
    assert!(unions.iter().all(|trial| trial.edits.len() == 3), "then three");
    assert!(unions.iter().flat_map(|trial| &trial.edits).all(|edit| ran.contains(edit)), "each of which ran");
    let validated = asked.iter().filter(|trial| trial.purpose == Purpose::Validation).count();
    assert!(validated > 0 && validated < 60, "only the front is validated, once: {validated}");
}

#[test]
fn all_are_held_against_the_program_as_it_is_measured_again_in_every_generation() {
    let mut evolution = begin(Lines, EvolvePlan { generations: 3, ..plan(5) });
    assert_eq!((evolution.proposer().original(), evolution.proposer().to_beat_ns()), (None, None));
    let mut times = 0;
    while let Ok(Ask::Evaluate(trials)) = evolution.ask(usize::MAX) {
        for trial in trials {
            let is_original = trial.edits.is_empty();
            times += usize::from(is_original && trial.purpose != Purpose::Validation);
            let report = match report(&evolution, &trial) {
                // While it was measured first the device was slow.
                Report::Ran { fitness, code } if is_original && times == 1 => {
                    Report::Ran { fitness: Fitness { time_ns: 3.0 * fitness.time_ns, ..fitness }, code }
                }
                report => report,
            };
            evolution.tell(&trial, report).unwrap();
        }
    }
    assert_eq!(times, 4);
    assert_eq!(evolution.proposer().original(), Some(Fitness { time_ns: 100.0, error: 0.0 }));
    assert_eq!(evolution.proposer().to_beat_ns(), Some(99.0));
}

#[test]
fn what_has_known_machine_code_lives_and_is_not_run() {
    let mut evolution = begin(Lines, plan(4));
    let mut runs: HashMap<u64, usize> = HashMap::new();
    let mut same = 0;
    while let Ok(Ask::Evaluate(trials)) = evolution.ask(3) {
        for trial in trials {
            let report = report(&evolution, &trial);
            match report {
                Report::Same(_) => same += 1,
                Report::Ran { code: Some(code), .. } if trial.purpose == Purpose::Search => {
                    *runs.entry(code).or_default() += 1;
                }
                _ => {}
            }
            evolution.tell(&trial, report).unwrap();
        }
    }
    assert!(same > 100, "{same}");
    assert!(runs.values().all(|&runs| runs == 1));
    let longest = evolution.observations().iter().filter(|told| matches!(told.report, Report::Same(_)));
    let longest = longest.map(|told| told.proposal.edits.len()).max().unwrap();
    assert!(longest > 4, "neutral edits are inherited: {longest}");
}

#[test]
fn proposals_depend_on_seed_and_outcomes_alone() {
    let run = |plan: EvolvePlan, room| {
        let quick = EvolvePlan { population: 20, generations: 8, ..plan };
        let mut evolution = begin(Lines, quick);
        let mut asked = Vec::new();
        while let Ok(Ask::Evaluate(trials)) = evolution.ask(room) {
            for trial in trials.iter().rev() {
                let (code, fitness) = answer(&trial.edits);
                let report = fitness.map_or(Report::Failed(Failure::Crash), |fitness| Report::Ran {
                    fitness,
                    code: Some(code),
                });
                evolution.tell(trial, report).unwrap();
            }
            asked.extend(trials);
        }
        asked
    };
    for of_seed in [plan, model] {
        assert_eq!(run(of_seed(1), 1), run(of_seed(1), 9));
        assert_ne!(run(of_seed(1), 1), run(of_seed(2), 1));
    }
}

#[test]
fn seeded_evolutions_stay_the_same() {
    let purposes = [Purpose::Search, Purpose::Again, Purpose::Validation];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for seed in 0..6 {
        let quick = EvolvePlan { population: 24, generations: 8, ..plan(seed) };
        for trial in finish(&mut begin(Lines, quick), 5) {
            let purpose = purposes.iter().position(|own| *own == trial.purpose).unwrap() as u64;
            let edits = trial.edits.iter().map(|edit| u64::from(*edit));
            for number in [trial.id.0, purpose].into_iter().chain(edits) {
                hash = (hash ^ number).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    assert_eq!(hash, 0x4371_c82c_56d7_d3a8, "published figures rest on what seeds draw");
}

#[test]
fn from_any_prefix_an_evolution_goes_on_as_it_would_have() {
    for of_seed in [plan, model] {
        goes_on_from_any_prefix(of_seed);
    }
}

fn goes_on_from_any_prefix(of_seed: fn(u64) -> EvolvePlan) {
    let begun = || begin(Lines, EvolvePlan { population: 16, generations: 6, ..of_seed(8) });
    let mut whole = begun();
    finish(&mut whole, 4);
    for length in (0..=whole.observations().len()).step_by(5) {
        let mut kept: Vec<Observation<Trial<u32>, Report>> = whole.observations()[..length].to_vec();
        kept.reverse();
        let text = serde_json::to_string(&kept).unwrap();
        let kept: Vec<Observation<Trial<u32>, Report>> = serde_json::from_str(&text).unwrap();
        let mut again = begun();
        again.restore(&kept).unwrap();
        assert_eq!(again.observations().len(), length);
        finish(&mut again, 3);
        let by_id = |evolution: &Search<Lines>| {
            let mut trials: Vec<_> =
                evolution.observations().iter().map(|told| told.proposal.clone()).collect();
            trials.sort_by_key(|trial| trial.id);
            trials
        };
        assert_eq!(by_id(&again), by_id(&whole), "after {length}");
        assert_eq!(again.proposer().finalists(), whole.proposer().finalists());
    }
    let mut other = begin(Lines, EvolvePlan { population: 16, generations: 6, ..of_seed(9) });
    let refused = other.restore(whole.observations()).unwrap_err();
    assert!(refused.to_string().contains("none of this search's"), "{refused}");
}

/// Sixty lines, all of which are suggested.
struct Suggested;

impl PatchSpace for Suggested {
    type Edit = u32;

    fn mutate(&self, edits: &[u32], seed: u64) -> Option<u32> {
        Lines.mutate(edits, seed)
    }

    fn is_valid(&self, edits: &[u32]) -> bool {
        Lines.is_valid(edits)
    }

    fn suggestions(&self) -> usize {
        60
    }

    fn suggestion(&self, number: usize, _: u64) -> Option<u32> {
        Some(number as u32).filter(|edit| Lines.is_valid(&[*edit]))
    }
}

/// Evolves suggested lines, and ends the screen after so many trials. Returns all trials by generation.
fn screened(most: usize) -> Vec<(usize, Trial<u32>)> {
    let quick = EvolvePlan { population: 16, generations: 3, ..model(7) };
    let mut evolution = begin(Suggested, quick);
    evolution.proposer_mut().limit_screen(most);
    let mut all = Vec::new();
    while let Ok(Ask::Evaluate(trials)) = evolution.ask(usize::MAX) {
        for trial in trials {
            let report = match answer(&trial.edits) {
                (code, _)
                    if trial.purpose == Purpose::Search && evolution.proposer().measured(code).is_some() =>
                {
                    Report::Same(code)
                }
                (code, Some(fitness)) => Report::Ran { fitness, code: Some(code) },
                (_, None) => Report::Failed(Failure::Crash),
            };
            evolution.tell(&trial, report).unwrap();
            all.push((evolution.proposer().generation(), trial));
        }
    }
    all
}

#[test]
fn every_suggestion_is_tried_alone_before_anything_is_bred_unless_there_is_no_time() {
    let of_screen = |all: &[(usize, Trial<u32>)]| {
        let singles = all.iter().filter(|(generation, trial)| *generation == 0 && !trial.edits.is_empty());
        singles.map(|(_, trial)| trial.edits.clone()).collect::<BTreeSet<_>>()
    };
    let all = screened(usize::MAX);
    let possible: BTreeSet<Vec<u32>> = (0..60).filter(|edit| edit % 7 != 6).map(|edit| vec![edit]).collect();
    assert_eq!(of_screen(&all), possible);
    let again = all.iter().filter(|(generation, trial)| {
        *generation == 0 && trial.purpose == Purpose::Again && trial.edits.is_empty()
    });
    assert_eq!(again.count(), 3, "the program as it is stands beside each part");
    let few = screened(20);
    assert!((20..36).contains(&of_screen(&few).len()), "{}", of_screen(&few).len());
    assert!(few.iter().any(|(generation, trial)| *generation == 1 && trial.edits.len() > 1));
    // One that goes on has the same trials, if it is told where the screen has ended.
    let length = few.iter().filter(|(generation, _)| *generation == 0).count();
    assert_eq!(screened(length), few);
}

#[test]
fn what_pays_alone_comes_together_in_the_first_generation_whatever_is_drawn() {
    let pays = |edit: u32| edit.is_multiple_of(7);
    for seed in 0..8 {
        let mut evolution = begin(Suggested, EvolvePlan { population: 16, generations: 1, ..model(seed) });
        let mut children = BTreeSet::new();
        while let Ok(Ask::Evaluate(trials)) = evolution.ask(usize::MAX) {
            for trial in trials {
                let paying = trial.edits.iter().filter(|edit| pays(**edit)).count() as i32;
                // Each pays half a per cent, and others cost as much.
                let time_ns = 100.0 * 0.995f64.powi(2 * paying - trial.edits.len() as i32);
                let fitness = Fitness { time_ns, error: 0.0 };
                evolution.tell(&trial, Report::Ran { fitness, code: None }).unwrap();
                children.extend((evolution.proposer().generation() == 1).then_some(trial.edits));
            }
        }
        let all: Vec<u32> = (0..60).filter(|&edit| pays(edit)).collect();
        assert!(children.contains(&all), "seed {seed}: {children:?}");
    }
}

#[test]
fn what_is_blamed_is_in_no_finalist_and_is_proposed_no_more() {
    for seed in 0..4 {
        let mut evolution = begin(Suggested, EvolvePlan { population: 16, generations: 6, ..model(seed) });
        let (mut blamed, mut again) = (0, 0);
        while let Ok(Ask::Evaluate(trials)) = evolution.ask(usize::MAX) {
            let generation = evolution.proposer().generation();
            for trial in trials {
                let place = |edit: u32| trial.edits.iter().position(|own| *own == edit);
                // One edit, and a pair, that have lived until the second generation.
                let wrong = place(7).map(|at| [at, at]).or(place(14).zip(place(21)).map(<[usize; 2]>::from));
                let time_ns = 100.0 - trial.edits.iter().filter(|edit| edit.is_multiple_of(7)).count() as f64;
                let ran = Report::Ran { fitness: Fitness { time_ns, error: 0.0 }, code: None };
                let report = wrong.filter(|_| generation > 1).map_or(ran, Report::Blamed);
                blamed += usize::from(matches!(report, Report::Blamed(_)));
                again += usize::from(matches!(report, Report::Blamed(_)) && generation > 3);
                evolution.tell(&trial, report).unwrap();
            }
        }
        assert!(blamed > 0 && again == 0, "seed {seed}: {blamed}, {again} of them late");
        let finalists = evolution.proposer().finalists();
        assert!(finalists[0].edits.len() > 4, "{finalists:?}");
        let has = |edit: u32| finalists.iter().any(|own| own.edits.contains(&edit));
        let both = finalists.iter().any(|own| own.edits.contains(&14) && own.edits.contains(&21));
        assert!(!has(7) && !both && (has(14) || has(21)), "{finalists:?}");
    }
    let mut evolution = begin(Suggested, model(0));
    let Ok(Ask::Evaluate(trials)) = evolution.ask(usize::MAX) else { panic!("nothing is asked") };
    assert!(evolution.tell(&trials[1], Report::Blamed([0, 9])).is_err(), "there is no such place");
}

#[test]
fn children_that_fail_cost_no_place_in_the_population() {
    let mut evolution = begin(Lines, EvolvePlan { generations: 6, ..model(3) });
    let mut least = usize::MAX;
    while let Ok(Ask::Evaluate(trials)) = evolution.ask(usize::MAX) {
        let bred = evolution.proposer().generation() > 0;
        least = if bred { least.min(evolution.proposer().population.len()) } else { least };
        // Of new candidates with several edits only one in four lives.
        for trial in trials {
            let is_lucky = trial.id.0.is_multiple_of(4) || trial.edits.len() < 2;
            let failed = Report::Failed(Failure::Crash);
            let is_new = trial.purpose == Purpose::Search;
            let report = if is_new && !is_lucky { failed } else { report(&evolution, &trial) };
            evolution.tell(&trial, report).unwrap();
        }
    }
    // Of the sixty lines thirty live and change the machine code.
    assert!(least >= 30, "{least}");
}

#[test]
fn elites_are_measured_again_and_a_lucky_time_does_not_last() {
    /// One line, whose first time is much too good.
    struct One;
    impl PatchSpace for One {
        type Edit = u32;
        fn mutate(&self, edits: &[u32], _: u64) -> Option<u32> {
            edits.is_empty().then_some(1)
        }
        fn is_valid(&self, _: &[u32]) -> bool {
            true
        }
    }
    let mut evolution = begin(One, EvolvePlan { population: 4, generations: 4, ..plan(1) });
    let mut times = [1.0, 110.0, 111.0, 112.0, 113.0].into_iter();
    while let Ok(Ask::Evaluate(trials)) = evolution.ask(1) {
        let slow = Fitness { time_ns: 100.0, error: 0.0 };
        let time_ns = if trials[0].edits.is_empty() { 100.0 } else { times.next().unwrap_or(112.0) };
        evolution.tell(&trials[0], Report::Ran { fitness: Fitness { time_ns, ..slow }, code: None }).unwrap();
    }
    assert_eq!(evolution.proposer().front(), [(&[][..], Fitness { time_ns: 100.0, error: 0.0 })]);
}

#[test]
fn what_comes_from_elsewhere_is_evaluated_anew_and_bred_from() {
    let find = |given: Vec<Vec<u32>>| {
        let plan = EvolvePlan { generations: 2, ..plan(11) };
        let mut evolution = Engine::new(Evolution::with_patches(Lines, plan, given), Budget::default());
        let asked = finish(&mut evolution, 8);
        let three = |trial: &Trial<u32>| [21, 22, 23].iter().all(|edit| trial.edits.contains(edit));
        (
            asked.into_iter().filter(three).map(|trial| (trial.purpose, trial.edits)).collect::<Vec<_>>(),
            evolution,
        )
    };
    assert_eq!(find(Vec::new()).0, [], "chance alone does not find them so soon");
    // In whatever order the edits are given, and however often; what cannot run is a candidate that failed.
    let (tried, evolution) = find(vec![vec![23, 21, 22, 21], vec![21, 22, 23], Vec::new(), vec![49, 29]]);
    let told =
        |edits: &[u32]| evolution.observations().iter().find(|told| told.proposal.edits == edits).unwrap();
    let Observation { proposal: trial, report } = told(&[21, 22, 23]);
    assert!(trial.id.0 < 64 && trial.purpose == Purpose::Search, "{trial:?}");
    assert!(matches!(report, Report::Ran { fitness, .. } if fitness.time_ns == 70.0), "{report:?}");
    assert!(matches!(told(&[29, 49]).report, Report::Failed(Failure::Crash)));
    let again = tried.iter().filter(|(purpose, edits)| *purpose == Purpose::Search && edits.len() == 3);
    assert_eq!(again.count(), 1, "what is known is not evaluated twice");
    assert!(tried.iter().any(|(_, edits)| edits.len() > 3), "it has descendants");
    assert!(
        evolution.proposer().finalists().iter().any(|finalist| finalist.edits.starts_with(&[21, 22, 23]))
    );
}

#[test]
fn what_came_from_elsewhere_belongs_to_what_an_evolution_is_restored_with() {
    let plan = EvolvePlan { population: 16, generations: 6, ..plan(8) };
    let begun = || {
        let patches = vec![vec![10, 21], vec![6], vec![21, 22, 23]];
        Engine::new(Evolution::with_patches(Lines, plan.clone(), patches), Budget::default())
    };
    let mut whole = begun();
    finish(&mut whole, usize::MAX);
    for length in (0..=whole.observations().len()).step_by(7) {
        let mut again = begun();
        again.restore(&whole.observations()[..length]).unwrap();
        finish(&mut again, usize::MAX);
        let by_id = |evolution: &Search<Lines>| {
            let trials =
                evolution.observations().iter().map(|told| (told.proposal.id, told.proposal.edits.clone()));
            trials.collect::<std::collections::BTreeMap<_, _>>()
        };
        assert_eq!(by_id(&again), by_id(&whole), "after {length}");
    }
    let mut without = begin(Lines, plan.clone());
    assert!(without.restore(whole.observations()).is_err());
}

#[test]
fn an_evolution_that_is_told_to_finish_shows_its_front_to_the_validation_and_ends() {
    let mut evolution = begin(Lines, EvolvePlan { generations: 1000, validate_every: 1000, ..plan(3) });
    while let Ok(Ask::Evaluate(trials)) = evolution.ask(usize::MAX) {
        for trial in trials {
            let report = report(&evolution, &trial);
            evolution.tell(&trial, report).unwrap();
        }
        if evolution.proposer().generation() == 4 {
            assert!(evolution.proposer().finalists().is_empty(), "nothing was validated yet");
            evolution.proposer_mut().finish();
        }
    }
    assert_eq!(evolution.proposer().finalists().len(), evolution.proposer().front().len());
}

#[test]
fn what_fails_the_validation_or_another_run_is_out() {
    for bad in [Purpose::Validation, Purpose::Again] {
        let mut evolution = begin(Lines, plan(2));
        while let Ok(Ask::Evaluate(trials)) = evolution.ask(1) {
            let trial = &trials[0];
            let is_bad = trial.purpose == bad && trial.edits.contains(&22);
            let report = if is_bad { Report::Failed(Failure::Wrong) } else { report(&evolution, trial) };
            evolution.tell(trial, report).unwrap();
        }
        let finalists = evolution.proposer().finalists();
        assert!(!finalists.is_empty());
        assert!(finalists.iter().all(|finalist| !finalist.edits.contains(&22)), "{bad:?}");
    }
}

#[test]
fn what_is_no_number_or_not_known_is_refused_and_budgets_end_it() {
    let budget = Budget::evaluations(30);
    let mut evolution = Engine::new(Evolution::new(Lines, plan(2)), budget);
    let Ok(Ask::Evaluate(trials)) = evolution.ask(1) else { panic!("there is something to try") };
    let ran = |time_ns, error| Report::Ran { fitness: Fitness { time_ns, error }, code: None };
    for report in [ran(f64::NAN, 0.0), ran(-1.0, 0.0), ran(1.0, f64::NAN), ran(1.0, -0.5), Report::Same(17)] {
        assert!(evolution.tell(&trials[0], report).is_err(), "{report:?}");
    }
    evolution.tell(&trials[0], ran(1.0, 0.0)).unwrap();
    assert_eq!(evolution.tell(&trials[0], ran(1.0, 0.0)), Err(TellError::NotAsked("trial 0".to_owned())));
    assert_eq!(finish(&mut evolution, 1).len(), 29);
    let mut evolution = begin(Lines, EvolvePlan { population: 4, generations: 2, ..plan(2) });
    while let Ok(Ask::Evaluate(trials)) = evolution.ask(1) {
        let (code, _) = answer(&trials[0].edits);
        if trials[0].purpose != Purpose::Search {
            assert!(evolution.proposer().measured(code).is_some());
            assert!(evolution.tell(&trials[0], Report::Same(code)).is_err(), "it is to be run again");
        }
        let report = report(&evolution, &trials[0]);
        evolution.tell(&trials[0], report).unwrap();
    }
    let mut evolution = Engine::new(Evolution::new(Lines, plan(2)), budget);
    finish(&mut evolution, 1);
    assert_eq!(evolution.ask(1), Ok(Ask::Done(StopReason::Evaluations)));
}

fn of(time_ns: f64, error: f64) -> Fitness {
    Fitness { time_ns, error }
}

#[test]
fn the_front_of_known_points_is_found() {
    let all =
        [of(100.0, 0.0), of(99.5, 0.001), of(80.0, 0.001), of(79.9, 0.002), of(60.0, 0.003), of(90.0, 0.003)];
    assert_eq!(front(&all, 0.01), [0, 2, 4], "half a per cent is no gain");
    assert_eq!(front(&all, 0.0), [0, 2, 3, 4]);
    assert!(dominates(all[2], all[3], 0.01) && !dominates(all[2], all[3], 0.0));
    let ranks: Vec<usize> = standings(&all, 0.01).into_iter().map(|standing| standing.rank).collect();
    assert_eq!(ranks, [0, 1, 0, 1, 0, 2]);
    let even = [of(10.0, 0.3), of(20.0, 0.2), of(30.0, 0.1), of(70.0, 0.0)];
    let crowding: Vec<f64> = standings(&even, 0.0).into_iter().map(|standing| standing.crowding).collect();
    assert!(crowding[0].is_infinite() && crowding[3].is_infinite() && crowding[1] < crowding[2]);
    let (near, far) = (Standing { rank: 0, crowding: 0.1 }, Standing { rank: 0, crowding: 0.9 });
    assert!(far.compare(&near).is_lt(), "where there is room is better");
}

#[test]
fn sorting_agrees_with_taking_fronts_off_one_by_one() {
    let mut random = Random::new(6);
    for _ in 0..50 {
        let all: Vec<Fitness> =
            (0..40).map(|_| of(1.0 + random.below(30) as f64 / 10.0, random.below(4) as f64)).collect();
        let ranks: Vec<usize> = standings(&all, 0.05).into_iter().map(|standing| standing.rank).collect();
        let mut left: Vec<usize> = (0..all.len()).collect();
        for rank in 0.. {
            let undominated = |at: &usize| !left.iter().any(|&other| dominates(all[other], all[*at], 0.05));
            let (first, rest): (Vec<usize>, Vec<usize>) = left.iter().partition(|at| undominated(at));
            assert!(first.iter().all(|&at| ranks[at] == rank));
            left = rest;
            if left.is_empty() {
                break;
            }
        }
    }
}

#[test]
fn minimising_leaves_what_cannot_be_left_out() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let edits: Vec<u32> = (0..1 + random.below(30) as u32).collect();
        let mut needed: Vec<u32> = edits.iter().copied().filter(|_| random.below(4) == 0).collect();
        needed.dedup();
        let mut asked = BTreeSet::new();
        // Some edits stand on others: without the one before, an odd one cannot be made.
        let can_be_made = |some: &[u32]| some.iter().all(|edit| edit % 2 == 0 || some.contains(&(edit - 1)));
        let keeps = |some: &[u32]| can_be_made(some) && needed.iter().all(|edit| some.contains(edit));
        let kept = minimise(&edits, |some| {
            assert!(asked.insert(some.to_vec()), "nothing is asked twice");
            keeps(some)
        });
        assert!(keeps(&kept));
        for at in 0..kept.len() {
            assert!(!keeps(&[&kept[..at], &kept[at + 1..]].concat()), "{kept:?} for {needed:?}");
        }
    }
    assert_eq!(minimise(&[1, 2], |_| false), [1, 2]);
}

#[test]
fn three_edits_that_go_together_are_epistatic() {
    let edits = [10, 21, 22, 23, 30];
    let explained = explain(&edits, 0.01, |some| Some(answer(some).1?.time_ns)).unwrap();
    assert!((explained.gain - 0.58).abs() < 1e-9);
    let independent: Vec<bool> = explained.edits.iter().map(|influence| influence.is_independent).collect();
    assert_eq!(independent, [true, false, false, false, true]);
    assert_eq!(explained.edits[1].alone.map(|alone| alone < 0.0), Some(true));
    assert!(explained.edits[1].loss.is_some_and(|loss| loss > 0.2));
    let pairs: Vec<(usize, usize)> = explained.pairs.iter().map(|&(one, other, _)| (one, other)).collect();
    assert_eq!(pairs, [(1, 2), (1, 3), (2, 3)], "two of the three take back what one has lost");
    assert!(
        explain(&[9], 0.01, |some| Some(answer(some).1?.time_ns)).is_none(),
        "what fails explains nothing"
    );
}
