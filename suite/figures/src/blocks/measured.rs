//! Tables of figures that took a clock, or another program.

use super::table::Table;
use crate::Error;
use crate::figures::Figures;

/// The main job on a machine that is in no recording.
pub fn main_job(figures: &Figures) -> Result<String, Error> {
    let columns = ["learned elsewhere", "static", "majority", "learned here", "random"];
    let mut table = Table::new(["function"].into_iter().chain(columns));
    for function in ["histogram", "spmv", "sort", "transpose"] {
        let of =
            |column: &str| figures.measured(&format!("main-job.{function}.{}", column.replace(' ', "-")));
        let cells =
            columns.iter().map(|column| Ok(of(column)?.to_owned())).collect::<Result<Vec<_>, Error>>()?;
        table.row([function.to_owned()].into_iter().chain(cells));
    }
    Ok(table.text())
}

/// What scikit-learn reaches on the points of Ginkgo's data.
pub fn sklearn(figures: &Figures) -> Result<String, Error> {
    let mut table = Table::new(["scikit-learn 1.9", "none", "all", "cross-validation"]);
    for (name, key) in [("SVC one against one", "svc"), ("random forest", "forest")] {
        let of = |set: &str| figures.measured(&format!("sklearn.{key}.{set}"));
        let cells = ["none", "all", "cross-validation"].map(|set| of(set).map(String::from));
        table.row([Ok(name.to_owned())].into_iter().chain(cells).collect::<Result<Vec<_>, Error>>()?);
    }
    Ok(table.text())
}

/// What measured them.
pub fn sources(figures: &Figures) -> Result<String, Error> {
    let mut table = Table::new(["figures", "command", "machine", "date"]);
    for source in &figures.measured {
        let mut names: Vec<&str> =
            source.values.keys().map(|name| name.split('.').next().unwrap_or(name)).collect();
        names.dedup();
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        table.row([
            names.join(", "),
            format!("`{}`", source.command),
            source.machine.clone(),
            source.date.clone(),
        ]);
    }
    Ok(table.text())
}
