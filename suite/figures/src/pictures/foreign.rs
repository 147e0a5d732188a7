//! Pictures of what transfers to devices that are like no source.

use std::collections::BTreeMap;

use maud::{Markup, html};
use nitro_core::DeviceId;
use nitro_page::{Axis, Drawing, LETTER, at, text_at};
use nitro_stats::statistics::mean;

use super::chart::{Frame, Line, lines};
use crate::Error;
use crate::blocks::Interval;
use crate::figures::{ByDevice, Figures, Foreign, HeldOut, Mode};
use crate::recordings::{CONVOLUTIONS, GINKGO, ON_GPU, ON_HOST, SORTS};

/// What stands at the axis of a regret.
const LOST: &str = "% of exhaustive search lost";
/// What stands at that of a gain.
const GAIN: &str = "all device features − none, points";

/// What is lost by number of inputs that were measured on a foreign GPU.
pub fn convolutions(figures: &Figures) -> Result<Drawing, Error> {
    measured("convolutions on six foreign GPUs", of(figures, CONVOLUTIONS)?)
}

/// What is lost by number of inputs that were measured on a foreign processor.
pub fn sorts(figures: &Figures) -> Result<Drawing, Error> {
    measured("sorts on three foreign processors", of(figures, SORTS)?)
}

fn of<'a>(figures: &'a Figures, function: &str) -> Result<&'a Foreign, Error> {
    let found = figures.remade.foreign.get(function);
    Ok(found.ok_or_else(|| format!("there are no figures of `{function}`: run with --only foreign"))?)
}

/// Draws one line a device, and their mean.
fn measured(of_what: &str, own: &Foreign) -> Result<Drawing, Error> {
    let devices = &own.left_out.devices;
    let counts: Vec<usize> = devices.first().ok_or("no devices")?.calibrated.keys().copied().collect();
    let labels: Vec<String> = std::iter::once(&0).chain(&counts).map(usize::to_string).collect();
    let mut all = Vec::new();
    for device in devices {
        let name = DeviceId::new(&device.device).part().to_owned();
        all.push(Line { name, class: "", values: lost_by_measurements(device, &counts)? });
    }
    let (mut means, mut said) = (Vec::new(), Vec::new());
    for (at, count) in labels.iter().enumerate() {
        let lost = mean(all.iter().map(|line| line.values[at])).unwrap_or(0.0);
        said.push(format!("{lost:.1} after {count}"));
        means.push(lost);
    }
    let title = format!(
        "Percent of exhaustive search that auto loses with {of_what} by number of inputs measured there, a line a \
         device; mean {}.",
        said.join(", ")
    );
    all.push(Line { name: "mean".into(), class: "strong", values: means });
    Ok(lines(title, (LOST, "inputs measured there"), &labels, &all))
}

/// What `auto` loses before and after measuring so many inputs.
fn lost_by_measurements(device: &HeldOut, counts: &[usize]) -> Result<Vec<f64>, Error> {
    let mut lost = vec![100.0 - device.of("auto")?];
    for count in counts {
        lost.push(
            100.0 - device.calibrated.get(count).ok_or("a device is calibrated with less than others")?,
        );
    }
    Ok(lost)
}

/// What is lost by number of source architectures.
pub fn sources(figures: &Figures) -> Result<Drawing, Error> {
    let counts = &of(figures, CONVOLUTIONS)?.by_sources;
    let labels: Vec<String> = counts.keys().map(usize::to_string).collect();
    let (mut all, mut said) = (Vec::new(), Vec::new());
    for (selector, name, class) in [
        ("static", "one order", "dashed"),
        ("forest-none", "no device features", ""),
        ("forest-all", "all of them", "strong"),
    ] {
        let values: Vec<f64> = counts.values().map(|devices| mean_lost(devices, selector)).collect();
        let each: Vec<String> = values.iter().map(|lost| format!("{lost:.1}")).collect();
        said.push(format!("{name} {}", each.join(", ")));
        all.push(Line { name: name.replace(' ', "\u{a0}"), class, values });
    }
    let title = format!(
        "Percent of exhaustive search lost with convolutions on foreign GPUs from {} source architectures: {}.",
        labels.join(", "),
        said.join("; ")
    );
    Ok(lines(title, (LOST, "source architectures"), &labels, &all))
}

fn mean_lost(devices: &ByDevice, selector: &str) -> f64 {
    100.0 - mean(devices.values().filter_map(|means| means.get(selector).copied())).unwrap_or(0.0)
}

/// A row of the picture of device features: what they bring with each device left out, and with its machine.
struct Gains<'a> {
    function: &'a str,
    device: Option<Interval>,
    machine: Option<Interval>,
}

/// What device features bring on every data set.
pub fn device_features(figures: &Figures) -> Result<Drawing, Error> {
    let mut rows = Vec::new();
    for name in ON_HOST.into_iter().chain(ON_GPU).chain([GINKGO]) {
        let function = figures.function(name)?;
        let machine = function.machine.as_ref().and_then(gain);
        rows.push(Gains { function: name, device: gain(&function.device), machine });
    }
    for name in [CONVOLUTIONS, SORTS] {
        let left_out = gain(&of(figures, name)?.left_out);
        rows.push(Gains { function: name, device: None, machine: left_out });
    }
    Ok(drawing_of_gains(&rows))
}

/// The mean of what all device features bring the forest over the devices that they apply to.
fn gain(mode: &Mode) -> Option<Interval> {
    let with_both = mode
        .devices
        .iter()
        .filter_map(|device| Some(device.means.get("forest-all")? - device.means.get("forest-none")?));
    Interval::of(&with_both.collect::<Vec<f64>>())
}

fn drawing_of_gains(rows: &[Gains<'_>]) -> Drawing {
    const ROW: f64 = 28.0;
    let widest = rows.iter().map(|row| row.function.len()).max().unwrap_or(0);
    let mut frame = Frame::new(widest as f64 * LETTER + 10.0, 12.0);
    (frame.top, frame.bottom) = (8.0, 8.0 + ROW * rows.len() as f64);
    let all: Vec<Interval> = rows.iter().flat_map(|row| [row.device, row.machine]).flatten().collect();
    let ends = all.iter().flat_map(|own| [own.mean, own.low(), own.high()]);
    let (low, high) = ends.fold((0.0, 0.0), |(low, high), end| (f64::min(low, end), f64::max(high, end)));
    let axis = Axis::around(low, high);
    let zero = frame.x(axis.place(0.0));
    let mut said = Vec::new();
    let mut parts = vec![
        frame.widths(&axis, GAIN),
        html! { path.line.strong d={ "M" (at(zero)) " " (at(frame.top)) "V" (at(frame.bottom)) } {} },
    ];
    for (row, top) in rows.iter().zip(0..).map(|(row, at)| (row, frame.top + ROW * f64::from(at))) {
        parts.push(text_at("end", frame.left - 6.0, top + ROW / 2.0 + 4.0, row.function));
        let ways = [(row.device, "mine", "by device"), (row.machine, "hollow", "by machine")];
        let both = ways.iter().filter(|(own, ..)| own.is_some()).count();
        for ((own, class, way), place) in ways.iter().filter_map(|way| Some((way.0?, way.1, way.2))).zip(0..)
        {
            let height = top + ROW * (f64::from(place) + 1.0) / (both as f64 + 1.0);
            parts.push(interval(&frame, &axis, &own, (class, height)));
            said.push(format!("{} {way} {}", row.function, own.text()));
        }
    }
    parts.push(key(
        &frame,
        &[("mine", "a device left out"), ("hollow", "a machine or architecture left out")],
    ));
    let title = format!(
        "Points that all device features bring a forest over none, with 95 % intervals over the devices left out: {}.",
        said.join("; ")
    );
    frame.drawing(title, &html! { @for part in &parts { (part) } }, 36.0)
}

/// Draws a mean and its interval at a height.
fn interval(frame: &Frame, axis: &Axis, own: &Interval, (class, height): (&str, f64)) -> Markup {
    let [low, middle, high] = [own.low(), own.mean, own.high()].map(|value| at(frame.x(axis.place(value))));
    html! {
        path.reach d={ "M" (low) " " (at(height)) "H" (high) } {}
        circle.(class) cx=(middle) cy=(at(height)) r="4" {}
    }
}

/// Draws what marks mean, a line each, below the labels.
fn key(frame: &Frame, marks: &[(&str, &str)]) -> Markup {
    html! {
        @for ((class, text), line) in marks.iter().zip(0..) {
            @let height = frame.bottom + 54.0 + 18.0 * f64::from(line);
            circle.(class) cx="10" cy=(at(height)) r="4" {}
            (text_at("soft", 20.0, height + 4.0, text))
        }
    }
}

/// The devices of one kind that are judged far from home: distance and what is lost.
struct Points {
    class: &'static str,
    name: &'static str,
    points: Vec<(f64, f64)>,
}

impl Points {
    /// Returns the means of what is lost near the sources and far from them.
    fn said(&self) -> String {
        let (near, far): (Vec<_>, Vec<_>) = self.points.iter().partition(|(distance, _)| *distance <= 1.0);
        let mut said = Vec::new();
        for (points, place) in [(near, "near"), (far, "far")] {
            let lost = mean(points.iter().map(|(_, lost)| *lost));
            said.extend(lost.map(|lost| format!("{lost:.1} in the mean of {} {place} points", points.len())));
        }
        format!("{}: {}", self.name, said.join(", "))
    }
}

/// What is lost by distance of the device.
pub fn distance(figures: &Figures) -> Result<Drawing, Error> {
    let kinds = [
        ("mine", "MIOpen's convolutions, GPUs", &[CONVOLUTIONS][..]),
        ("other", "GPU functions of the suite, Ginkgo", &[&ON_GPU[..], &[GINKGO]].concat()),
        ("hollow", "host functions of the suite", &ON_HOST[..]),
    ];
    let mut all = Vec::new();
    for (class, name, functions) in kinds {
        let mut points = Vec::new();
        for function in functions {
            points.extend(points_of(figures, function)?);
        }
        all.push(Points { class, name, points });
    }
    Ok(drawing_of_distances(&all))
}

/// The distance of each device of a function, and what `auto` loses there.
fn points_of(figures: &Figures, function: &str) -> Result<Vec<(f64, f64)>, Error> {
    let distances = figures.remade.distances.get(function);
    let distances: &BTreeMap<String, f64> = distances
        .ok_or_else(|| format!("there are no distances of `{function}`: run with --only distances"))?;
    let mode = match figures.remade.foreign.get(function) {
        Some(foreign) => &foreign.left_out,
        None => {
            let function = figures.function(function)?;
            function.machine.as_ref().unwrap_or(&function.device)
        }
    };
    let mut points = Vec::new();
    for device in &mode.devices {
        let Some(distance) = distances.get(&device.device) else { continue };
        points.push((*distance, 100.0 - device.of("auto")?));
    }
    Ok(points)
}

fn drawing_of_distances(all: &[Points]) -> Drawing {
    let frame = Frame::new(30.0, 12.0);
    let (distances, lost): (Vec<f64>, Vec<f64>) =
        all.iter().flat_map(|kind| kind.points.iter().copied()).unzip();
    let x = Axis::around(0.0, distances.into_iter().fold(1.0, f64::max));
    let y = Axis::around(0.0, lost.into_iter().fold(1.0, f64::max));
    let far = frame.x(x.place(1.0));
    let parts = html! {
        (frame.heights(&y, LOST))
        (frame.widths(&x, "distance from the sources (above 1: far)"))
        path.line.strong d={ "M" (at(far)) " " (at(frame.top)) "V" (at(frame.bottom)) } {}
        @for kind in all {
            @for (distance, lost) in &kind.points {
                circle.(kind.class) cx=(at(frame.x(x.place(*distance)))) cy=(at(frame.y(y.place(*lost)))) r="4" {}
            }
        }
        (key(&frame, &all.iter().map(|kind| (kind.class, kind.name)).collect::<Vec<_>>()))
    };
    let said: Vec<String> = all.iter().map(Points::said).collect();
    let title = format!(
        "Percent of exhaustive search that auto loses by distance of the device from the sources, a point a function \
         and device; {}.",
        said.join("; ")
    );
    frame.drawing(title, &parts, 18.0 * all.len() as f64)
}
