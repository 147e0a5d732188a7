//! Mappings that someone wrote down, to be timed.

use std::fs;
use std::path::Path;

use nitro_nest::{Mapping, Tiling};
use serde_json::Value;

/// What a file says, with the numbers of its lines: each a [`Mapping`] as results have it, or a [`Tiling`], which
/// all kernels get. What a line leaves out is as usual; empty lines say nothing.
///
/// ```no_run
/// let given = nitro_polybench::given::read("tilings.jsonl".as_ref())?;
/// println!("{} mappings, the first in line {}", given.len(), given[0].0);
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// When the file cannot be read, or a line is neither.
pub fn read(file: &Path) -> Result<Vec<(usize, Mapping)>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let of = |(index, line): (usize, &str)| match mapping(line) {
        Ok(mapping) => Ok((index + 1, mapping)),
        Err(error) => Err(format!("{}, line {}: {error}", file.display(), index + 1)),
    };
    lines.map(of).collect()
}

fn mapping(line: &str) -> Result<Mapping, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if value.get("schedule").is_some() {
        return serde_json::from_value(value).map_err(|error| format!("no mapping: {error}"));
    }
    let tiling: Tiling = serde_json::from_value(value).map_err(|error| format!("no tiling: {error}"))?;
    let threads: u64 = tiling.block.iter().copied().map(u64::from).product();
    if !(1..=1024).contains(&threads) || tiling.thread_tile.contains(&0) {
        return Err("write a block of 1 to 1024 threads, and no axis without points".to_owned());
    }
    Ok(Mapping::sane().with_usual_tilings([tiling.clone(), tiling.clone(), tiling]))
}
