//! The data of the page, assembled from recordings and evaluations.

mod approximate;
mod devices;
mod emitted;
mod floors;
mod function;
mod learning_curve;
mod local;
mod overhead;
mod pairs;
mod searches;
mod selection;
mod spaces;

use nitro_learn::Strategy;
use nitro_learn::evaluate::selector_names;
use nitro_store::recordings::DeviceRecord;

pub(crate) use self::devices::device_tables;
pub(crate) use self::emitted::emitted_choices;
pub(crate) use self::floors::{RecordedFloor, device_floors, recorded_floors};
pub(crate) use self::function::{facts, left_out, measured_here};
pub(crate) use self::local::LOCAL_SELECTORS;
pub use self::local::LocalResult;
pub(crate) use self::searches::searches;
pub(crate) use self::spaces::{MeasuredSpace, space_report};
use super::data::{DeviceTable, FunctionReport, Quantity, ReportData};

/// Returns the page about these functions and recorded devices, made on this device.
pub(crate) fn assemble(
    about: &str,
    here: &DeviceRecord,
    functions: Vec<FunctionReport>,
    devices: Vec<DeviceTable>,
) -> ReportData {
    ReportData {
        devices,
        title: "Nitro: how good the choices are".to_owned(),
        about: about.to_owned(),
        machine: here.id.clone(),
        machine_features: here.features.iter().map(quantity).collect(),
        glossary: glossary(),
        functions,
        footer: format!("Made by Nitro {}.", env!("CARGO_PKG_VERSION")),
    }
}

/// Returns the selectors of an evaluation, each with its meaning.
fn glossary() -> Vec<(String, String)> {
    selector_names().map(|name| (name.to_owned(), meaning(name))).collect()
}

/// Returns the meaning of a selector of an evaluation.
fn meaning(selector: &str) -> String {
    let words = match selector {
        "random" => "mean over the admissible variants",
        "majority" => "one selector a device, majority of their choices",
        "auto" => "whichever does best on the other devices: what would be shipped",
        "best-single-feature" => "one device feature, chosen on the device left out",
        "nitro-2014" => "SVM trained on the device left out, input features alone",
        "target-trained" => "trained on the device left out: what would be shipped of its own measurements",
        strategy => return strategy.parse().map_or_else(|_| String::new(), Strategy::description),
    };
    words.to_owned()
}

/// Returns a device feature with the unit that its name ends in.
fn quantity((name, &value): (&String, &f64)) -> Quantity {
    const UNITS: [(&str, &str); 6] = [
        ("_bytes", "bytes"),
        ("_mhz", "MHz"),
        ("_gbps", "GB/s"),
        ("_bits", "bit"),
        ("_mops", "million/s"),
        ("_ns", "ns"),
    ];
    let unit = UNITS.iter().find_map(|(suffix, unit)| Some((name.strip_suffix(suffix)?, *unit)));
    let unit = unit.or_else(|| name.starts_with("gflops").then_some((name.as_str(), "GFLOP/s")));
    let (name, unit) = unit.unwrap_or((name, ""));
    Quantity { name: name.replace('_', " "), value, unit: unit.to_owned() }
}
