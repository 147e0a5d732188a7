//! Searches and replays as tables.

use std::collections::BTreeSet;
use std::fmt;

use nitro_core::choice_text;
use nitro_learn::plain_table::Table;
use nitro_store::printable::printable;

use super::{Replayed, SearchResult};

/// Tables, each between its title and its notes. A width, as in `{tables:80}`, is the most columns that each may take.
pub(crate) struct Tables(Vec<Section>);

struct Section {
    title: String,
    table: Table,
    notes: Vec<String>,
}

impl Section {
    fn new(title: String, table: Table) -> Self {
        Self { title, table, notes: Vec::new() }
    }
}

/// By space and input one row a device and strategy, and in the end the mean of each strategy where it has several
/// rows.
pub(crate) fn replay_tables(replayed: &[Replayed]) -> Tables {
    let after: BTreeSet<usize> = replayed.iter().flat_map(|one| one.best_after.keys().copied()).collect();
    let table = || {
        let counts = after.iter().map(|count| format!("% at {count}"));
        Table::new(
            ["searched on, by".to_owned()]
                .into_iter()
                .chain(counts)
                .chain(["to 95 %", "never"].map(str::to_owned)),
        )
    };
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let is_same = |one: &Replayed, other: &Replayed| {
        (&one.function, &one.variant, &one.input) == (&other.function, &other.variant, &other.input)
    };
    let mut tables = Vec::new();
    for same in replayed.chunk_by(is_same) {
        let mut own = table();
        for one in same {
            let shares =
                after.iter().map(|count| one.best_after.get(count).copied().map_or(String::new(), percent));
            let to_good = one.evaluations_to_95.map_or("–".to_owned(), |count| count.to_string());
            let name = [format!("{}, {}", one.device, one.strategy)].into_iter();
            own.row(name.chain(shares).chain([to_good, format!("{} of {}", one.never_95, one.seeds)]));
        }
        let Replayed { function, variant, input, configurations, .. } = &same[0];
        let variant = variant.as_ref().map_or(String::new(), |variant| format!(" {variant}"));
        let title = format!("{function}{variant}, input {input}: {configurations} configurations");
        tables.push(Section::new(title, own));
    }
    let strategies: BTreeSet<&str> = replayed.iter().map(|one| one.strategy.as_str()).collect();
    let mut means = table();
    for strategy in &strategies {
        let own: Vec<_> = replayed.iter().filter(|one| one.strategy == *strategy).collect();
        let mean = |count: &usize| {
            let shares = own.iter().filter_map(|one| one.best_after.get(count));
            percent(shares.sum::<f64>() / own.len() as f64)
        };
        means.row([format!("all, {strategy}")].into_iter().chain(after.iter().map(mean)));
    }
    if replayed.len() > strategies.len() {
        let title = format!("mean over {} searches", replayed.len() / strategies.len());
        tables.push(Section::new(title, means));
    }
    Tables(tables)
}

/// By variant and device one row an input, and below what was proved of it.
pub(crate) fn search_tables(searched: &[SearchResult]) -> Tables {
    let is_same = |one: &SearchResult, other: &SearchResult| {
        (&one.function, &one.variant, &one.device) == (&other.function, &other.variant, &other.device)
    };
    let of_same = |same: &[SearchResult]| {
        let mut table =
            Table::new(["input", "evaluated", "failed", "best ms", "configuration"]).ending_in_text();
        for one in same {
            let best_ms = one.best_ns.map_or(String::new(), |ns| format!("{:.4}", ns / 1e6));
            let best = match (&one.best, &one.reason) {
                (Some(best), _) => choice_text(&one.variant, best),
                (None, Some(reason)) => {
                    format!("all failed: {}", printable(reason.lines().next().unwrap_or_default()))
                }
                (None, None) => "all failed".to_owned(),
            };
            table.row([
                one.input.clone(),
                one.evaluations.to_string(),
                one.failed.to_string(),
                best_ms,
                best,
            ]);
        }
        let SearchResult { function, variant, device, strategy, configurations, .. } = &same[0];
        let among = match (configurations, same.iter().map(|one| one.skipped).sum::<usize>()) {
            (0, 0) => "generated code".to_owned(),
            (0, skipped) => {
                format!("generated code, {skipped} paths skipped that by their bound are no faster")
            }
            (count, _) => format!("{count} configurations"),
        };
        let proofs = same.iter().filter_map(|one| Some((&one.input, one.proof.as_ref()?)));
        let notes =
            proofs.map(|(input, proof)| printable(&format!("{input}: {proof}")).into_owned()).collect();
        Section { title: format!("{function} {variant} on {device}, by {strategy}: {among}"), table, notes }
    };
    Tables(searched.chunk_by(is_same).map(of_same).collect())
}

impl fmt::Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Section { title, table, notes }) in self.0.iter().enumerate() {
            let gap = if at == 0 { "" } else { "\n" };
            writeln!(f, "{gap}{title}")?;
            fmt::Display::fmt(table, f)?;
            notes.iter().try_for_each(|note| writeln!(f, "{note}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::result::Reasons;

    #[test]
    fn where_all_failed_the_most_frequent_reason_is_shown() {
        let mut reasons = Reasons::default();
        ["no memory", "wrong\nin b", "", "no device", "wrong\nin b"]
            .iter()
            .for_each(|reason| reasons.note(reason));
        let failed = SearchResult { reason: reasons.most_frequent(), ..SearchResult::default() };
        let found = SearchResult { best: Some("block=32".to_owned()), ..failed.clone() };
        let shown = search_tables(&[failed, found]).to_string();
        assert!(shown.contains("all failed: wrong\n") && shown.contains("{block=32}"), "{shown}");
    }
}
