//! The floors of recorded inputs near to one that is explained.

use std::fmt;

use nitro_learn::explain::Nearest;
use nitro_search::{Floor, UnderFloor};
use nitro_store::recordings::Recordings;
use serde::Serialize;

use crate::report::assemble::{RecordedFloor, recorded_floors};
use crate::search::Floors;

/// The floor of a training input, and how near its recorded times are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearFloor {
    /// The input.
    pub input: String,
    /// The device on which it was recorded.
    pub device: String,
    /// The floor: what no code takes less than.
    pub floor: Floor,
    /// The time of the best choice.
    pub best_ns: f64,
    /// The time of what is chosen; none where that was not recorded.
    pub chosen_ns: Option<f64>,
    /// What is wrong, where the best time is under the floor.
    #[serde(skip)]
    pub wrong: Option<UnderFloor>,
}

impl fmt::Display for NearFloor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, device, floor, best_ns, chosen_ns, wrong } = self;
        write!(formatter, "{input} on {device} takes {floor}; the best has {}", floor.of(*best_ns))?;
        if let Some(chosen_ns) = chosen_ns {
            write!(formatter, ", what is chosen {}", floor.of(*chosen_ns))?;
        }
        wrong.iter().try_for_each(|wrong| write!(formatter, "; {wrong}"))
    }
}

/// Returns the floors of training inputs, where they are known.
pub(super) fn near_floors(
    recordings: &Recordings,
    nearest: &[Nearest],
    floors: Floors<'_>,
) -> Vec<NearFloor> {
    let mut near = Vec::new();
    let all = recorded_floors(recordings, floors);
    for Nearest { input, device, share_of_choice, .. } in nearest {
        let own = all.iter().find(|own| own.device == device && own.input == input);
        let Some(RecordedFloor { floor, best_ns, wrong, .. }) = own else { continue };
        near.push(NearFloor {
            input: input.clone(),
            device: device.clone(),
            floor: floor.clone(),
            best_ns: *best_ns,
            chosen_ns: share_of_choice.filter(|share| *share > 0.0).map(|share| best_ns / share),
            wrong: wrong.clone(),
        });
    }
    near
}

#[cfg(test)]
mod tests {
    use nitro_store::example;

    use super::*;
    use crate::search::InputFloor;

    fn nearest(recordings: &Recordings, share_of_choice: Option<f64>) -> Nearest {
        Nearest {
            input: recordings.inputs[0].name.clone(),
            distance: 0.0,
            device: recordings.devices[1].id.clone(),
            best: "stable".to_owned(),
            share_of_choice,
            same_devices: 1,
            devices: 2,
        }
    }

    #[test]
    fn an_input_says_its_floor_and_how_near_the_best_and_the_choice_are() {
        let recordings = example();
        let floor_at = |share: f64| -> Box<InputFloor> {
            let recordings = example();
            let all = recorded_floors(&recordings, Floors(Some(&|_, _| Some(floor(1.0)))))
                .into_iter()
                .find(|own| own.device == recordings.devices[1].id && own.input == recordings.inputs[0].name);
            let best_ns = all.unwrap().best_ns;
            Box::new(move |_, _| Some(floor(share * best_ns)))
        };
        let said = |share, share_of_choice| {
            let floor = floor_at(share);
            let nearest = [nearest(&recordings, share_of_choice)];
            near_floors(&recordings, &nearest, Floors(Some(&*floor)))[0].to_string()
        };
        let text = said(0.5, Some(0.5));
        let end =
            "1e3 bytes; the best has 50 % of what memory allows, what is chosen 25 % of what memory allows";
        assert!(text.contains("takes at least") && text.ends_with(end), "{text}");
        assert!(said(0.5, None).ends_with("the best has 50 % of what memory allows"));
        assert!(said(2.0, None).contains("was measured (recorded of "));
        assert!(near_floors(&recordings, &[nearest(&recordings, None)], Floors(None)).is_empty());
    }

    fn floor(ns: f64) -> Floor {
        Floor { ns, limit: "memory".into(), reason: "1e3 bytes".into() }
    }
}
