//! Times of an evaluation's parts, as stores write them: as JSON.

use nitro_core::recording::PartTime;
use serde::{Deserialize, Serialize};

use crate::exact::Exact;

/// One part.
#[derive(Serialize, Deserialize)]
pub(super) struct PartText {
    name: String,
    time_ns: Exact,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<(String, Exact)>,
}

impl PartText {
    pub(super) fn of(part: &PartTime) -> Self {
        let metrics = part.metrics.iter().map(|(name, value)| (name.clone(), Exact(*value)));
        Self { name: part.name.clone(), time_ns: Exact(part.time_ns), metrics: metrics.collect() }
    }

    pub(super) fn part(self) -> PartTime {
        let Self { name, time_ns: Exact(time_ns), metrics } = self;
        let metrics = metrics.into_iter().map(|(name, Exact(value))| (name, value)).collect();
        PartTime { name, time_ns, metrics }
    }
}

/// Writes parts as one text, which is empty where there are none.
pub(super) fn text(parts: &[PartTime]) -> String {
    let written: Vec<PartText> = parts.iter().map(PartText::of).collect();
    if written.is_empty() { String::new() } else { serde_json::json!(written).to_string() }
}

/// Reads the text of [`text`].
pub(super) fn read(text: &str) -> Result<Vec<PartTime>, serde_json::Error> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let written: Vec<PartText> = serde_json::from_str(text)?;
    Ok(written.into_iter().map(PartText::part).collect())
}
