//! What captured calls bring a calibration.

use nitro_stats::statistics::mean;

use super::means::suite;
use super::table::{Table, both};
use crate::Error;
use crate::compute::captured::COUNTS;
use crate::figures::{Captured, Figures, OfCaptured};
use crate::recordings::GINKGO;

/// Every function of the suite and Ginkgo's data with the fewest measured inputs, and the mean with more.
pub fn table(figures: &Figures) -> Result<String, Error> {
    let mut table = Table::new([
        "function",
        "measured",
        "the program's inputs: before",
        "+N",
        "+N by captured calls",
        "all inputs: +N",
        "+N by captured calls",
    ]);
    let each = suite().into_iter().chain([GINKGO]).map(|name| (name, vec![name]));
    for (name, functions) in each.chain([("mean of the ten", suite())]) {
        let found = functions.iter().map(|name| of(figures, name)).collect::<Result<Vec<_>, _>>()?;
        let counts = if functions.len() > 1 { &COUNTS[..] } else { &COUNTS[..1] };
        for count in counts {
            let cell = |figure: &dyn Fn(&Captured) -> Option<f64>| {
                let device = mean(found.iter().filter_map(|own| figure(&own.device)));
                both([device, mean(found.iter().filter_map(|own| figure(own.machine.as_ref()?)))])
            };
            table.row([
                name.to_owned(),
                count.to_string(),
                cell(&|own| Some(own.before)),
                cell(&|own| own.without.get(count).copied()),
                cell(&|own| own.with.get(count).copied()),
                cell(&|own| own.all_without.get(count).copied()),
                cell(&|own| own.all_with.get(count).copied()),
            ]);
        }
    }
    Ok(table.text())
}

fn of<'f>(figures: &'f Figures, function: &str) -> Result<&'f OfCaptured, Error> {
    let found = figures.remade.captured.get(function);
    Ok(found.ok_or_else(|| format!("figures.json has no captured calls of `{function}`"))?)
}
