//! One input of a subject, as references and runners take it.

use std::collections::BTreeMap;
use std::path::Path;

use nitro_evolve::workload::{InputBuffer, Inputs};
use nitro_evolve::{Set, Workload};
use nitro_evolve_subjects::Subject;

pub struct Case {
    pub name: String,
    numbers: BTreeMap<String, f64>,
    pub inputs: Inputs,
}

/// The workload of a subject as it is.
pub fn workload(subject: &Subject) -> Workload {
    let file = format!("{}.toml", subject.name);
    Workload::parse(Path::new(&file), subject.workload).unwrap_or_else(|error| panic!("{error}"))
}

/// The workload of a subject with another input, `rows=5 columns=3`, in the place of its own ones, which come last.
pub fn small(subject: &Subject, numbers: &str) -> Case {
    let (head, _) = subject.workload.split_once("[[search]]").expect("there are inputs");
    let lines = numbers.replace('=', " = ").replace(", ", "\n");
    let sets = ["search", "validation", "test"].map(|set| format!("[[{set}]]\n{lines}\n"));
    let text = format!("{head}{}", sets.concat());
    let workload = Workload::parse(Path::new(subject.file), &text).unwrap_or_else(|error| panic!("{error}"));
    Case::new(subject, &workload, Set::Search, 0)
}

impl Case {
    pub fn new(subject: &Subject, workload: &Workload, set: Set, number: usize) -> Self {
        Self::of(subject.name, workload, set, number)
    }

    pub fn of(name: &str, workload: &Workload, set: Set, number: usize) -> Self {
        let description = workload.case_name(set, number);
        let parts = description.split(' ').filter_map(|part| part.split_once('='));
        let numbers = parts.map(|(name, value)| (name.to_owned(), value.parse().unwrap())).collect();
        let inputs = workload.inputs(set, number).unwrap_or_else(|error| panic!("{error}"));
        Self { name: format!("{name} with {description}"), numbers, inputs }
    }

    pub fn number(&self, name: &str) -> f64 {
        self.numbers[name]
    }

    pub fn size(&self, name: &str) -> usize {
        self.number(name) as usize
    }

    pub fn buffer(&self, name: &str) -> &InputBuffer {
        self.inputs
            .buffers
            .iter()
            .find(|buffer| buffer.name == name)
            .unwrap_or_else(|| panic!("there is no {name}"))
    }

    pub fn bytes(&self, name: &str) -> &[u8] {
        &self.buffer(name).bytes
    }

    pub fn f32s(&self, name: &str) -> Vec<f32> {
        f32s(self.bytes(name))
    }

    pub fn f64s(&self, name: &str) -> Vec<f64> {
        f64s(self.bytes(name))
    }

    pub fn i32s(&self, name: &str) -> Vec<i32> {
        i32s(self.bytes(name))
    }
}

pub fn f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

pub fn f64s(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect()
}

pub fn i32s(bytes: &[u8]) -> Vec<i32> {
    bytes.as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect()
}
