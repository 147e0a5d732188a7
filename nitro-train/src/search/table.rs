//! The tables of searches and replays.

use std::collections::BTreeSet;
use std::fmt;

use nitro_core::choice_text;
use nitro_learn::plain_table::Table;
use nitro_store::printable::printable;

use super::{ReplayResult, SearchResult};

/// The tables of some results, each between its title and its notes.
///
/// A width, as in `{tables:80}`, is the most columns that each may take.
pub(crate) struct Tables(Vec<Section>);

/// A table with its title and its notes.
struct Section {
    title: String,
    table: Table,
    notes: Vec<String>,
}

/// Makes a table for each space and input, with one row a device and strategy.
///
/// In the end comes the mean of each strategy, where it has several rows.
pub(crate) fn replay_tables(replayed: &[ReplayResult]) -> Tables {
    let counts: BTreeSet<usize> = replayed.iter().flat_map(|one| one.best_after.keys().copied()).collect();
    let mut tables = Vec::new();
    for same in replayed.chunk_by(|one, other| {
        (&one.function, &one.variant, &one.input) == (&other.function, &other.variant, &other.input)
    }) {
        let mut table = replay_table(&counts);
        let mut notes = Vec::new();
        for one in same {
            let stopped = one.stopped.as_ref();
            notes.extend(stopped.map(|stopped| format!("{}, {}: {stopped}", one.device, one.strategy)));
            let mut row = vec![format!("{}, {}", one.device, one.strategy)];
            row.extend(
                counts.iter().map(|count| one.best_after.get(count).copied().map_or(String::new(), percent)),
            );
            row.push(one.evaluations_to_95.map_or("–".to_owned(), |count| count.to_string()));
            row.push(format!("{} of {}", one.never_95, one.seeds));
            table.row(row);
        }
        let ReplayResult { function, variant, input, configurations, .. } = &same[0];
        let variant = variant.as_ref().map_or(String::new(), |variant| format!(" {variant}"));
        let title = format!("{function}{variant}, input {input}: {configurations} configurations");
        tables.push(Section { title, table, notes });
    }
    let strategies: BTreeSet<&str> = replayed.iter().map(|one| one.strategy.as_str()).collect();
    if replayed.len() > strategies.len() {
        let title = format!("mean over {} searches", replayed.len() / strategies.len());
        let table = mean_table(replayed, &counts, &strategies);
        tables.push(Section { title, table, notes: Vec::new() });
    }
    Tables(tables)
}

/// Creates a table without rows of replays, for these counts of evaluations.
fn replay_table(counts: &BTreeSet<usize>) -> Table {
    let mut heads = vec!["searched on, by".to_owned()];
    heads.extend(counts.iter().map(|count| format!("% at {count}")));
    heads.extend(["to 95 %", "never"].map(str::to_owned));
    Table::new(heads)
}

/// Makes the table of the mean of each strategy.
fn mean_table(replayed: &[ReplayResult], counts: &BTreeSet<usize>, strategies: &BTreeSet<&str>) -> Table {
    let mut table = replay_table(counts);
    for strategy in strategies {
        let own: Vec<_> = replayed.iter().filter(|one| one.strategy == *strategy).collect();
        let mut row = vec![format!("all, {strategy}")];
        for count in counts {
            let shares = own.iter().filter_map(|one| one.best_after.get(count));
            row.push(percent(shares.sum::<f64>() / own.len() as f64));
        }
        table.row(row);
    }
    table
}

/// Writes a share in percent.
fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Makes a table for each variant and device, with one row an input, and below what was proved of it.
pub(crate) fn search_tables(searched: &[SearchResult]) -> Tables {
    let same = searched.chunk_by(|one, other| {
        (&one.function, &one.variant, &one.device) == (&other.function, &other.variant, &other.device)
    });
    Tables(same.map(search_section).collect())
}

/// Makes the table of the searches of one variant on one device.
fn search_section(same: &[SearchResult]) -> Section {
    let mut table = Table::new(["input", "evaluated", "failed", "best ms", "configuration"]).ending_in_text();
    let mut notes = Vec::new();
    for one in same {
        let best_ms = one.best_ns.map_or(String::new(), |ns| format!("{:.4}", ns / 1e6));
        let best = match (&one.best, &one.reason) {
            (Some(best), _) => choice_text(&one.variant, best),
            (None, Some(reason)) => {
                format!("all failed: {}", printable(reason.lines().next().unwrap_or_default()))
            }
            (None, None) => "all failed".to_owned(),
        };
        let (evaluations, failed) = (one.evaluations.to_string(), one.failed.to_string());
        table.row([one.input.clone(), evaluations, failed, best_ms, best]);
        let floor = one.floor.as_ref().zip(one.best_ns).map(|(floor, best_ns)| floor.of(best_ns));
        notes.extend(floor.map(|floor| printable(&format!("{}: {floor}", one.input)).into_owned()));
        let note = one.proof.as_ref().map(|proof| format!("{}: {proof}", one.input));
        notes.extend(note.map(|note| printable(&note).into_owned()));
    }
    let SearchResult { function, variant, device, strategy, configurations, .. } = &same[0];
    let among = match (configurations, same.iter().map(|one| one.skipped).sum::<usize>()) {
        (0, 0) => "generated code".to_owned(),
        (0, skipped) => {
            format!("generated code, {skipped} paths skipped that by their bound are no faster")
        }
        (count, _) => format!("{count} configurations"),
    };
    Section { title: format!("{function} {variant} on {device}, by {strategy}: {among}"), table, notes }
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
