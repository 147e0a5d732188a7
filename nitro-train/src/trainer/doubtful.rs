//! The measurements that others disturbed, in words.

use std::collections::BTreeSet;

use nitro_store::printable::printable;
use nitro_store::recordings::Recordings;

use super::left_out::{NAMED, named};

/// The doubtful measurements of a function on a device.
pub(super) struct Doubtful {
    /// The inputs that they are of.
    pub(super) inputs: BTreeSet<String>,
    measurements: usize,
    /// The greatest load.
    load: f64,
}

impl Doubtful {
    /// Finds those on the device of this id.
    pub(super) fn of(recordings: &Recordings, id: &str) -> Self {
        let mut doubtful = Self { inputs: BTreeSet::new(), measurements: 0, load: 0.0 };
        for one in recordings.measurements.iter().filter(|one| recordings.devices[one.device].id == id) {
            if let Some(load) = one.doubtful_load() {
                doubtful.inputs.insert(recordings.inputs[one.input].name.clone());
                doubtful.measurements += 1;
                doubtful.load = doubtful.load.max(load);
            }
        }
        doubtful
    }

    /// Returns one sentence that says so and what to do; none where nothing is doubtful.
    pub(super) fn sentence(&self, function: &str, device: &str) -> Option<String> {
        let inputs: Vec<&str> = self.inputs.iter().map(String::as_str).collect();
        if inputs.is_empty() {
            return None;
        }
        let (count, percent, named) = (self.measurements, (100.0 * self.load).round(), named(&inputs));
        let (times, these) = if count == 1 { ("time", "it") } else { ("times", "them") };
        let were = if count == 1 { "was" } else { "were" };
        let input = pattern(&inputs).map(|pattern| format!(" --input '{pattern}'")).unwrap_or_default();
        let again = printable(&format!("--function {function} --device {device}{input}")).into_owned();
        Some(format!(
            "{count} {times} on {named} {were} taken while others used up to {percent} % of the processors needed; \
             `record --again {again}` takes {these} anew"
        ))
    }
}

/// Returns a pattern that these inputs alone match, unless they are many or hard to write in a shell.
pub(super) fn pattern(inputs: &[&str]) -> Option<String> {
    if inputs.len() > NAMED || !inputs.iter().all(|name| is_plain(name)) {
        return None;
    }
    let escaped: Vec<String> = inputs.iter().map(|name| globset::escape(name).replace(',', "[,]")).collect();
    Some(match escaped.as_slice() {
        [one] => one.clone(),
        several => format!("{{{}}}", several.join(",")),
    })
}

/// Returns true if a shell takes the name as it is between single quotes.
fn is_plain(name: &str) -> bool {
    !name.contains(['\'', '\\', '!']) && printable(name) == name
}

#[cfg(test)]
mod tests {
    use nitro_store::store::Selected;

    use super::*;

    #[test]
    fn a_pattern_is_of_the_inputs_and_of_no_other() {
        let all = ["a", "train/*", "{b,c}", "d,e", "[f]", "g?", "ab"];
        for inputs in [&all[..1], &all[..2], &all[1..6], &all[3..4]] {
            let selected = Selected::new(None, Some(&pattern(inputs).unwrap()), None).unwrap();
            for name in all {
                assert_eq!(selected.matches_input("", name), inputs.contains(&name), "{name} of {inputs:?}");
            }
        }
        for inputs in [&["it's"][..], &["a\\b"], &["a\u{1b}"], &["a", "b", "c", "d", "e", "f"]] {
            assert_eq!(pattern(inputs), None, "{inputs:?}");
        }
    }
}
