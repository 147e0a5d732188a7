//! Replays as a table.

use std::collections::BTreeSet;
use std::fmt::Display;

use nitro_core::choice_text;

use super::{Replayed, Searched};
use crate::plain_table::Table;

/// One row a space, device, input and strategy, and below the mean of each strategy where it has several rows.
pub(crate) fn replay_table(replayed: &[Replayed]) -> impl Display {
    let after: BTreeSet<usize> = replayed.iter().flat_map(|one| one.best_after.keys().copied()).collect();
    let heading =
        ["function", "device", "input", "strategy", "configurations"].map(str::to_owned).into_iter();
    let heading = heading.chain(after.iter().map(|count| format!("% after {count}")));
    let mut table = Table::new(heading.chain(["to 95 %", "never"].map(str::to_owned)));
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    for one in replayed {
        let Replayed { function, variant, device, input, strategy, configurations, .. } = one;
        let function = variant.as_ref().map_or(function.clone(), |variant| format!("{function} {variant}"));
        let names = [function, device.clone(), input.clone(), strategy.clone(), configurations.to_string()];
        let shares =
            after.iter().map(|count| one.best_after.get(count).copied().map_or(String::new(), percent));
        let to_good = one.evaluations_to_95.map_or("–".to_owned(), |count| count.to_string());
        table.row(
            names.into_iter().chain(shares).chain([to_good, format!("{} of {}", one.never_95, one.seeds)]),
        );
    }
    let strategies: BTreeSet<&str> = replayed.iter().map(|one| one.strategy.as_str()).collect();
    for strategy in strategies {
        let own: Vec<_> = replayed.iter().filter(|one| one.strategy == strategy).collect();
        if own.len() > 1 {
            let mean = |count: &usize| {
                let shares = own.iter().filter_map(|one| one.best_after.get(count));
                percent(shares.sum::<f64>() / own.len() as f64)
            };
            let names = ["mean", "", "", strategy, ""].map(str::to_owned).into_iter();
            table.row(names.chain(after.iter().map(mean)));
        }
    }
    table
}

/// One row a variant, device and input.
pub(crate) fn search_table(searched: &[Searched]) -> impl Display {
    let heading = ["function", "device", "input", "evaluated", "failed", "best ms", "configuration"];
    let mut table = Table::new(heading).ending_in_text();
    for one in searched {
        let Searched {
            function,
            variant,
            device,
            input,
            evaluations,
            configurations,
            failed,
            best,
            best_ns,
            ..
        } = one;
        let best_ms = best_ns.map_or(String::new(), |ns| format!("{:.4}", ns / 1e6));
        let names = [function.clone(), device.clone(), input.clone()].into_iter();
        let counts = [format!("{evaluations} of {configurations}"), failed.to_string(), best_ms];
        let best = best.as_ref().map_or("all failed".to_owned(), |best| choice_text(variant, best));
        table.row(names.chain(counts).chain([best]));
    }
    table
}
