//! Edits that are drawn, with the share of the right ones that is proved.

use std::time::{Duration, Instant};

use nitro_evolve::{Check, CheckOutcome, Deadline, Depth, EmulatorCheck, Exactness};
use nitro_evolve_subjects::Subject;
use nitro_ptx::{Base, Module, Operation};

use crate::case::workload;
use crate::{all, ptx};

/// The edits that are drawn for a subject, and the time after which no more are.
const EDITS: u64 = 40;
const MOST_TIME: Duration = Duration::from_secs(6);

#[derive(Default)]
struct Counts {
    wrong: u32,
    right: u32,
    proved: u32,
    /// Right ones that change what no small input comes to.
    hidden: u32,
    longest: Duration,
}

/// Draws edits of a subject: those that the check refuses must not be proved.
fn count(subject: &Subject, ptx: &str) -> Counts {
    let workload = workload(subject);
    let check = EmulatorCheck::on_unwritten_inputs(&workload, ptx, 0.0)
        .unwrap_or_else(|error| panic!("{}: {error}", subject.name));
    let base = Base::new(Module::parse(ptx).unwrap()).editing(&workload.kernels());
    let (mut counts, mut start) = (Counts::default(), Instant::now());
    for seed in 0..EDITS {
        if start.elapsed() > MOST_TIME {
            break;
        }
        // Quotients of ordinary numbers are no question of terms.
        let Some(edit) = base.mutate(&[], seed).filter(|edit| !matches!(edit.operation, Operation::Quick(_)))
        else {
            continue;
        };
        let Ok(patched) = base.apply(std::slice::from_ref(&edit)) else { continue };
        let patched = patched.to_string();
        let is_clean = |depth| check.check(&patched, depth, Deadline::NEVER) == CheckOutcome::Clean;
        let is_right = is_clean(Depth::Hostile);
        let before = Instant::now();
        // That of a patch before its test, which takes longer than to draw other edits.
        let is_right = is_right && is_clean(Depth::Thorough);
        start += before.elapsed();
        let before = Instant::now();
        let exactness = check.prove(&patched, ptx, Deadline::NEVER).expect("the emulator proves");
        counts.longest = counts.longest.max(before.elapsed());
        let is_right = is_right && !is_refuted(&exactness);
        counts.hidden += u32::from(is_right && is_hidden(&exactness));
        match exactness {
            Exactness::Proved { .. } => {
                assert!(is_right, "{}, seed {seed}, {edit} is wrong and {exactness}", subject.name);
                counts.proved += 1;
            }
            Exactness::Tested { why } | Exactness::ByChance { why } if is_right => {
                println!("  {}: {edit}    {why}", subject.name)
            }
            Exactness::Tested { .. } | Exactness::ByChance { .. } => {}
        }
        counts.right += u32::from(is_right);
        counts.wrong += u32::from(!is_right);
    }
    counts
}

/// Tells whether a large case, of which the check runs nothing, shows that an edit is wrong.
fn is_refuted(exactness: &Exactness) -> bool {
    let Exactness::ByChance { why } = exactness else { return false };
    why.starts_with("with the first blocks of") && why.ends_with("is not the same term")
}

/// Tells whether an edit changes what no small input comes to: larger ones may show that it is wrong.
fn is_hidden(exactness: &Exactness) -> bool {
    matches!(exactness, Exactness::Tested { why } if why.starts_with("no small input shows"))
}

#[test]
#[ignore = "takes minutes"]
fn share_of_right_edits() {
    let (mut wrong, mut right, mut proved, mut hidden) = (0, 0, 0, 0);
    for subject in all() {
        let Some(ptx) = ptx(subject) else { return };
        let counts = count(subject, &ptx);
        println!(
            "{:<15} {:>3} wrong, none proved; {:>3} of {:>3} right ones proved, {:>3} change what no small input shows, \
             each in {:.1} s at most",
            subject.name,
            counts.wrong,
            counts.proved,
            counts.right,
            counts.hidden,
            counts.longest.as_secs_f64()
        );
        (wrong, right) = (wrong + counts.wrong, right + counts.right);
        (proved, hidden) = (proved + counts.proved, hidden + counts.hidden);
    }
    println!("{wrong} wrong, none proved; {proved} of {right} right ones proved, {hidden} others are hidden");
    assert!(wrong > 0 && proved > 0);
}
