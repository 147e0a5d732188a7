//! What a few measurements on the device of use add.

use std::collections::BTreeMap;

use super::means::{over, suite};
use super::table::{Table, both};
use crate::Error;
use crate::figures::{Figures, HeldOut, Mode};

/// Training inputs that are measured.
const COUNTS: [usize; 2] = [10, 30];

/// Every function of the suite.
pub fn table(figures: &Figures) -> Result<String, Error> {
    let mut table =
        Table::new(["function", "majority", "auto", "+10", "+30", "trained on the device itself"]);
    let suite = suite();
    let each = suite.iter().map(|name| (*name, vec![*name]));
    for (name, functions) in each.chain([("mean", suite.clone())]) {
        let mean = |selector: &str| over(figures, &functions, |mode| mode.mean(selector));
        let mut cells = vec![name.to_owned(), both(mean("majority")?), both(mean("auto")?)];
        for count in COUNTS {
            cells.push(both(over(figures, &functions, |mode| mode.calibrated(count))?));
        }
        cells.push(both([mean("target-trained")?[0], None]));
        table.row(cells);
    }
    Ok(table.text())
}

/// A function and a device.
struct Pair {
    function: &'static str,
    device: String,
    points: f64,
}

/// The pairs for which these are points more than `least`, most first.
fn pairs_with(
    figures: &Figures,
    of_machine: bool,
    least: f64,
    points: impl Fn(&HeldOut) -> Result<f64, Error>,
) -> Result<(Vec<Pair>, usize), Error> {
    let (mut found, mut all) = (Vec::new(), 0);
    for function in suite() {
        let own = figures.function(function)?;
        let mode: &Mode = if of_machine { own.machine.as_ref().ok_or("no machine")? } else { &own.device };
        for device in &mode.devices {
            all += 1;
            let points = points(device)?;
            if points > least {
                found.push(Pair { function, device: device.device.clone(), points });
            }
        }
    }
    found.sort_by(|a, b| b.points.total_cmp(&a.points));
    Ok((found, all))
}

/// Pairs of a function and a device that are behind what is simpler, or lose by being measured.
pub fn pairs(figures: &Figures) -> Result<String, Error> {
    let behind = |device: &HeldOut| Ok(device.of("static")?.max(device.of("majority")?) - device.of("auto")?);
    let loses = |device: &HeldOut| {
        let auto = device.of("auto")?;
        Ok(device.calibrated.values().map(|calibrated| auto - calibrated).fold(f64::NEG_INFINITY, f64::max))
    };
    let simpler = "`auto` more than half a point behind the better of `static` and `majority`";
    let measured = "`auto` more than a point worse with 10 or with 30 measured inputs";
    let mut table = Table::new([
        "pairs of a function and a device",
        "left out",
        "how many",
        "by function",
        "most points",
    ]);
    for (what, least, points) in
        [(simpler, 0.5, &behind as &dyn Fn(&HeldOut) -> Result<f64, Error>), (measured, 1.0, &loses)]
    {
        for (of_machine, left_out) in [(false, "device"), (true, "its machine")] {
            let (found, all) = pairs_with(figures, of_machine, least, points)?;
            let most = found.first().map_or(String::new(), |pair| {
                format!("{:.1}, `{}` on `{}`", pair.points, pair.function, pair.device)
            });
            let count = format!("{} of {all}", found.len());
            table.row([what.to_owned(), left_out.to_owned(), count, by_function(&found), most]);
        }
    }
    Ok(table.text())
}

fn by_function(pairs: &[Pair]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    pairs.iter().for_each(|pair| *counts.entry(pair.function).or_default() += 1);
    let counted: Vec<String> =
        counts.iter().map(|(function, count)| format!("`{function}` {count}")).collect();
    counted.join(", ")
}
