//! The command line of Nsight Compute: finding it, calling it, reading its log.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use nitro_store::exchange::csv_table::CsvTable;
use nitro_store::recordings::Metrics;

use super::ProfileError;

/// The folders into which installers put Nsight Compute without adding them to PATH.
const USUAL_FOLDERS: [&str; 2] = ["/usr/local/cuda/bin", "/opt/cuda/bin"];
/// The folder of installed versions.
const VERSIONS: &str = "/opt/nvidia/nsight-compute";

/// An installed Nsight Compute.
#[derive(Clone, Debug)]
pub(crate) struct Ncu {
    program: PathBuf,
}

impl Ncu {
    /// Looks for `ncu` in PATH, then where installers put it.
    ///
    /// # Errors
    /// [`ProfileError::NoProfiler`].
    pub(crate) fn find() -> Result<Self, ProfileError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let usual = USUAL_FOLDERS.iter().map(PathBuf::from);
        let mut folders = std::env::split_paths(&path).chain(usual).chain(versions());
        let found = folders.find_map(|folder| Some(folder.join("ncu")).filter(|program| program.is_file()));
        found.map(|program| Self { program }).ok_or(ProfileError::NoProfiler)
    }

    /// Returns the command that runs a program and writes these metrics of every shown launch to `log`.
    ///
    /// Clocks stay as they are (counts do not depend on them, and other work may share the GPU), and caches keep
    /// what they hold, as in recordings.
    pub(crate) fn command(
        &self,
        metrics: &[&str],
        log: &Path,
        program: &Path,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["--csv", "--page", "raw", "--print-units", "base"]);
        command.args(["--clock-control", "none", "--cache-control", "none", "--profile-from-start", "off"]);
        command.args(["--check-exit-code", "0"]); // what was seen before a worker failed counts
        command.args(["--metrics", &metrics.join(",")]).arg("--log-file").arg(log);
        command.arg(program).args(arguments).env("LC_ALL", "C");
        command
    }
}

/// Returns the folders of installed versions, the newest first.
fn versions() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(VERSIONS).into_iter().flatten();
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    folders.reverse();
    folders
}

/// A launch that Nsight Compute saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Launch {
    /// The kernel.
    pub kernel: String,
    /// Number of blocks in x.
    pub blocks: u32,
    /// The metrics; one that is not available is absent.
    pub metrics: Metrics,
}

/// Reads a log: the launches in the order in which they were made. `asked` are the metrics that were asked for.
///
/// # Errors
/// When the log says that counters may not be read or that metrics are unknown, when it has no launch, and when its
/// table cannot be understood.
pub(crate) fn read_log(text: &str, asked: &[&str]) -> Result<Vec<Launch>, ProfileError> {
    let lines = text.lines().skip_while(|line| !line.starts_with("\"ID\""));
    let rows: Vec<&str> = lines.filter(|line| line.starts_with('"')).collect();
    let launches = if rows.len() < 2 { BTreeMap::new() } else { read_table(&rows.join("\n"), asked)? };
    if launches.is_empty() { Err(complaint(text, asked)) } else { Ok(launches.into_values().collect()) }
}

/// Returns the reason that a log without launches gives.
fn complaint(text: &str, asked: &[&str]) -> ProfileError {
    if text.contains("ERR_NVGPUCTRPERM") {
        return ProfileError::NotPermitted;
    }
    let lines = text.lines();
    let said: Vec<&str> =
        lines.filter(|line| line.starts_with("==ERROR==") || line.starts_with("==WARNING==")).collect();
    let mut names: Vec<String> = Vec::new();
    for metric in asked {
        if said.iter().any(|line| line.contains(base(metric))) {
            names.push((*metric).to_owned());
        }
    }
    if names.is_empty() || names.len() == asked.len() {
        let said = said.first().map(|line| line.split_once("== ").map_or(*line, |(_, said)| said).to_owned());
        return ProfileError::NothingSeen { said };
    }
    ProfileError::UnknownMetrics { names }
}

/// Returns a metric's name without its roll-up, `.sum`.
fn base(metric: &str) -> &str {
    metric.split('.').next().unwrap_or(metric)
}

/// Reads the launches by their number. There is a column a metric, with a second line of units, or, in the form of the
/// details page, a row a metric.
fn read_table(text: &str, asked: &[&str]) -> Result<BTreeMap<u64, Launch>, ProfileError> {
    let table = CsvTable::open("the log of ncu", text)?;
    let column = |name: &str| table.header().iter().position(|column| column == name);
    let (kernel, grid) = (column("Kernel Name"), column("Grid Size"));
    let long = column("Metric Name").zip(column("Metric Value"));
    let mut launches = BTreeMap::<u64, Launch>::new();
    table.for_each(|header, row| {
        let Ok(id) = row.fields[0].parse() else { return Ok(()) }; // the line of units
        let launch = launches.entry(id).or_default();
        launch.kernel = kernel.map_or("", |index| &*row.fields[index]).to_owned();
        launch.blocks = first_number(grid.map_or("", |index| &*row.fields[index]));
        let mut metrics: Vec<(&str, &str)> = Vec::new();
        match long {
            Some((name, value)) => metrics.push((&*row.fields[name], &*row.fields[value])),
            None => metrics.extend(header.iter().zip(&row.fields).map(|(name, value)| (&**name, &**value))),
        }
        for (name, value) in metrics {
            if let Some(value) = number(value).filter(|_| asked.contains(&name)) {
                launch.metrics.insert(name.to_owned(), value);
            }
        }
        Ok(())
    })?;
    Ok(launches)
}

/// Returns the x of `(x, y, z)`.
fn first_number(grid: &str) -> u32 {
    let digits = grid.trim_start_matches('(').split(',').next().unwrap_or_default();
    digits.trim().parse().unwrap_or(0)
}

/// Parses a metric's value, with or without commas between thousands; none where it is not available.
fn number(text: &str) -> Option<f64> {
    text.replace(',', "").trim().parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: [&str; 2] = ["smsp__inst_issued.sum", "dram__sectors_read.sum"];
    /// In the form of Nsight Compute 2024.1.
    const WIDE: &str = r#"==PROF== Connected to process 41
==PROF== Profiling "nitro_section_mark" - 0: 0%....50%....100% - 6 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","smsp__inst_issued.sum","dram__sectors_read.sum"
"","","","","","","","","","","","inst","sector"
"0","41","train","127.0.0.1","nitro_section_mark","1","7","(1, 1, 1)","(7, 1, 1)","0","9.0","70","n/a"
"1","41","train","127.0.0.1","void merge<float, 2>(float *)","1","7","(256, 1, 1)","(1024, 2, 1)","0","9.0","1,234,567","12"
==PROF== Disconnected from process 41
"#;

    #[test]
    fn a_log_with_a_column_a_metric() {
        let launches = read_log(WIDE, &ASKED).unwrap();
        let names: Vec<_> = launches.iter().map(|launch| (launch.kernel.as_str(), launch.blocks)).collect();
        assert_eq!(names, [("nitro_section_mark", 7), ("void merge<float, 2>(float *)", 1024)]);
        assert_eq!(launches[1].metrics["smsp__inst_issued.sum"], 1_234_567.0);
        assert!(!launches[0].metrics.contains_key("dram__sectors_read.sum"), "it was not available");
    }

    #[test]
    fn a_log_with_a_row_a_metric() {
        let text = r#""ID","Kernel Name","Grid Size","Metric Name","Metric Unit","Metric Value"
"0","scale","(3, 1, 1)","smsp__inst_issued.sum","inst","5"
"0","scale","(3, 1, 1)","dram__sectors_read.sum","sector","6"
"#;
        let launches = read_log(text, &ASKED).unwrap();
        assert_eq!((launches.len(), launches[0].blocks, launches[0].metrics.len()), (1, 3, 2));
    }

    #[test]
    fn a_log_without_launches_says_what_to_change() {
        let asked = ["smsp__inst_issued.sum", "smsp__gone.sum"];
        let refused = |text| read_log(text, &asked).unwrap_err();
        let message = refused("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission").to_string();
        assert!(message.contains("root") && message.contains("NVreg_RestrictProfilingToAdminUsers=0"));
        let ProfileError::UnknownMetrics { names } =
            refused("==ERROR== Failed to find metric smsp__gone.sum")
        else {
            panic!("the metric is named")
        };
        assert_eq!(names, ["smsp__gone.sum"]);
        let message = refused("==WARNING== No kernels were profiled.\n").to_string();
        assert_eq!(message, "ncu saw no launch: No kernels were profiled.");
    }

    #[test]
    fn the_profiled_program_comes_last() {
        let ncu = Ncu { program: "ncu".into() };
        let command = ncu.command(&["a", "b"], Path::new("x.log"), Path::new("train"), ["profile-worker"]);
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_str().unwrap()).collect();
        assert_eq!(
            arguments[arguments.len() - 6..],
            ["--metrics", "a,b", "--log-file", "x.log", "train", "profile-worker"]
        );
    }
}
