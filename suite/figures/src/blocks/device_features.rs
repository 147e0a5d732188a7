//! What device features bring: the same learner with and without them.

use super::means::{over, suite};
use super::summary::SETS;
use super::table::{Table, both, cell, paragraph, signed};
use crate::Error;
use crate::figures::Figures;
use crate::recordings::{GINKGO, ON_GPU};

const LEARNERS: [(&str, &str); 3] =
    [("forest", "forest"), ("svm", "SVM"), ("svm-weighted", "SVM weighted by regret")];

/// The mean of a learner with a set over some functions.
fn with_set(
    figures: &Figures,
    functions: &[&str],
    learner: &str,
    set: &str,
) -> Result<[Option<f64>; 2], Error> {
    over(figures, functions, |mode| mode.with_set(learner, set))
}

/// What a set brings in points over none, with a device left out and with its machine.
fn gain(figures: &Figures, functions: &[&str], learner: &str, set: &str) -> Result<[Option<f64>; 2], Error> {
    let (none, with) =
        (with_set(figures, functions, learner, "none")?, with_set(figures, functions, learner, set)?);
    Ok([0, 1].map(|way| Some(with[way]? - none[way]?)))
}

/// One table a learner: every function, all sets.
pub fn tables(figures: &Figures) -> Result<String, Error> {
    let mut text = String::new();
    for (learner, name) in LEARNERS {
        let head = format!("{name}, device features:");
        let mut table =
            Table::new([head.as_str()].into_iter().chain(SETS.map(|(_, head)| head)).chain(["all − none"]));
        let suite = suite();
        let functions = suite.iter().chain(&[GINKGO]).map(|function| (*function, vec![*function]));
        for (name, functions) in functions.chain([("mean of the ten", suite.clone())]) {
            // The mean over ten functions has no P-DFS, which six of them have.
            let of_set = |set: &str| match (set, functions.len()) {
                ("profile", 2..) => Ok(cell(None)),
                _ => Ok(both(with_set(figures, &functions, learner, set)?)),
            };
            let sets = SETS.iter().map(|(set, _)| of_set(set)).collect::<Result<Vec<_>, Error>>()?;
            let gain = gain(figures, &functions, learner, "all")?;
            let gain: Vec<String> = gain.into_iter().flatten().map(signed).collect();
            table.row([name.to_owned()].into_iter().chain(sets).chain([gain.join(" / ")]));
        }
        text += &format!("{}\n", table.text());
    }
    Ok(text)
}

/// To how many devices P-DFS applies.
pub fn profile_devices(figures: &Figures) -> Result<String, Error> {
    let function = figures.function(ON_GPU[0])?;
    let count = |mode: &crate::figures::Mode| {
        let applies = mode.devices.iter().filter(|device| device.means.contains_key("forest-profile"));
        (applies.count(), mode.devices.len())
    };
    let ((device, all), (machine, _)) =
        (count(&function.device), count(function.machine.as_ref().ok_or("no machine")?));
    Ok(paragraph(&format!(
        "P-DFS needs a profile of a source, and only the whole H200 was profiled. It applies to {device} of the {all} \
         devices where one is left out, to {machine} where its machine is."
    )))
}

/// Returns what all device features bring the forest, in two sentences.
pub fn short(figures: &Figures) -> Result<String, Error> {
    let ten = suite();
    let [device, machine] =
        gain(figures, &ten, "forest", "all")?.map(|points| points.map_or("–".to_owned(), signed));
    let [one, _] = over(figures, &ten, |mode| mode.mean("static"))?;
    Ok(paragraph(&format!(
        "Knowing the device adds {device} points in the mean of the ten functions when one device is left out, and \
         {machine} when its whole machine is. Most of the gain over one fixed variant ({}) comes from \
         features of the input.",
        cell(one),
    )))
}

/// Returns what each set of device features brings in the mean, as a paragraph.
pub fn means(figures: &Figures) -> Result<String, Error> {
    let ten = suite();
    let gains = |functions: &[&str], learner: &str, set: &str| gain(figures, functions, learner, set);
    let both_ways = |gain: [Option<f64>; 2]| {
        let [device, machine] = gain.map(|points| points.map_or("–".to_owned(), signed));
        format!("{device} and {machine}")
    };
    let forest = gains(&ten, "forest", "all")?;
    let mut by_function = Vec::new();
    for name in &ten {
        by_function.push((*name, gains(&[name], "forest", "all")?[0].ok_or("no forest")?));
    }
    by_function.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (least, most) = (by_function[0], by_function[by_function.len() - 1]);
    let better = by_function.iter().filter(|(_, gain)| *gain > 0.05).count();
    let ginkgo = |learner: &str, set: &str| {
        let [device, _] = gains(&[GINKGO], learner, set)?;
        Ok::<_, Error>(device.map_or("–".to_owned(), signed))
    };
    let (mut alone, mut pairs) = (0, 0);
    for name in &ten {
        let devices = &figures.function(name)?.machine.as_ref().ok_or("no machine")?.devices;
        alone += devices.iter().filter(|device| device.sources == 1).count();
        pairs += devices.len();
    }
    let [auto, _] = over(figures, &ten, |mode| mode.mean("auto"))?;
    let [one, _] = over(figures, &ten, |mode| mode.mean("static"))?;
    Ok(paragraph(&format!(
        "All device features bring the forest {} points in the mean of the ten functions when one device is left out, \
         and {} when its machine is. By function the first is between {} (`{}`) and {} (`{}`), and more than 0.05 for \
         {better} of the ten. With its machine left out, {alone} of the {pairs} pairs of a function and a device are \
         learned from one device, which tells nothing of devices. Cross-validated features (CV-DFS) bring {}. Those of \
         hardware counters (P-DFS) bring {} on the six GPU functions. The SVM gains {} with all features, and {} with \
         cross-validated ones. On Ginkgo's GPUs, of three generations, all features bring the forest {} and the SVM \
         {}; cross-validated ones bring {} and {}. One fixed variant reaches {} and `auto` {}: most of the gain comes \
         from features of the input.",
        forest[0].map_or("–".to_owned(), signed),
        forest[1].map_or("–".to_owned(), signed),
        signed(least.1),
        least.0,
        signed(most.1),
        most.0,
        both_ways(gains(&ten, "forest", "cross-validation")?),
        both_ways(gains(&ON_GPU, "forest", "profile")?),
        both_ways(gains(&ten, "svm", "all")?),
        both_ways(gains(&ten, "svm", "cross-validation")?),
        ginkgo("forest", "all")?,
        ginkgo("svm", "all")?,
        ginkgo("forest", "cross-validation")?,
        ginkgo("svm", "cross-validation")?,
        cell(one),
        cell(auto),
    )))
}
