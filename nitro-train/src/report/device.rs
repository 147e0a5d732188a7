//! Names of devices: in an order that a reader expects, and short.

use std::cmp::Ordering;

use maud::{Markup, html};
use nitro_core::DeviceId;

/// Compares devices in the order of the page: by machine, and numbers as numbers.
///
/// 16 threads come after 2.
pub(crate) fn by_name(a: &str, b: &str) -> Ordering {
    let ((a, machine_of_a), (b, machine_of_b)) = (parts(a), parts(b));
    machine_of_a.cmp(machine_of_b).then_with(|| tokens(a).cmp(&tokens(b)))
}

/// Returns the device and the machine that it is of.
fn parts(name: &str) -> (&str, &str) {
    let id = DeviceId::new(name);
    (id.part(), id.machine().unwrap_or_default())
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Token<'a> {
    Number(u64),
    Text(&'a str),
}

fn tokens(name: &str) -> Vec<Token<'_>> {
    // Numbers and the texts between them, so that numbers compare as numbers.
    let mut tokens = Vec::new();
    for part in name.split_inclusive(|char: char| !char.is_ascii_digit()) {
        let digits = part.trim_end_matches(|char: char| !char.is_ascii_digit()).len();
        for text in [&part[..digits], &part[digits..]] {
            if !text.is_empty() {
                tokens.push(text.parse().map_or(Token::Text(text), Token::Number));
            }
        }
    }
    tokens
}

/// The labels of the devices of one function. The machine is left out where it is the same for all.
pub(super) struct Labels<'a> {
    pub(super) machine: Option<&'a str>,
}

impl<'a> Labels<'a> {
    /// Returns the labels of these devices.
    pub(super) fn new(devices: impl IntoIterator<Item = &'a str>) -> Self {
        let mut machines = devices.into_iter().map(|device| parts(device).1);
        let first = machines.next().filter(|machine| !machine.is_empty());
        Self { machine: first.filter(|first| machines.all(|machine| machine == *first)) }
    }

    /// Returns the device as HTML.
    pub(super) fn of(&self, device: &str) -> Markup {
        let (own, machine) = parts(device);
        html! {
            code { (own) }
            @if !machine.is_empty() && self.machine.is_none() { small { (machine) } }
        }
    }
}

/// Returns a device in a sentence, in full.
pub(super) fn device_name(device: &str) -> Markup {
    html! { code { (device) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_order_within_a_machine() {
        let mut names = [
            "host:16@b",
            "host:2@b",
            "K80",
            "cuda:0/128sm@a",
            "host:1@c",
            "cuda:0/8sm@a",
            "K40m",
            "cuda:0@a",
        ];
        names.sort_by(|a, b| by_name(a, b));
        let expected = [
            "K40m",
            "K80",
            "cuda:0@a",
            "cuda:0/8sm@a",
            "cuda:0/128sm@a",
            "host:2@b",
            "host:16@b",
            "host:1@c",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_machine_that_is_everywhere_is_left_out() {
        let label = |devices: [&str; 2]| Labels::new(devices).of(devices[0]).into_string();
        assert_eq!(label(["host:1@m", "host:2@m"]), "<code>host:1</code>");
        assert_eq!(label(["host:1@n", "host:1@m"]), "<code>host:1</code><small>n</small>");
        assert_eq!(label(["K40m", "V100"]), "<code>K40m</code>");
    }
}
