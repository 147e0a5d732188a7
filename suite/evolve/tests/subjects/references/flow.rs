//! In double precision.

use crate::case::Case;
use crate::expected::{Expected, Results};

const HEAT_RATIO: f64 = 1.4;
const FACES: usize = 4;

/// Density, momentum along three axes and energy.
type State = [f64; 5];

fn pressure(state: &State) -> f64 {
    let momentum_squared: f64 = state[1..4].iter().map(|momentum| momentum * momentum).sum();
    (HEAT_RATIO - 1.0) * (state[4] - momentum_squared / state[0] / 2.0)
}

/// How fast waves go at most.
fn signal(state: &State) -> f64 {
    let momentum_squared: f64 = state[1..4].iter().map(|momentum| momentum * momentum).sum();
    momentum_squared.sqrt() / state[0] + (HEAT_RATIO * pressure(state) / state[0]).sqrt()
}

/// What a cell of this state sends through a face.
fn through(state: &State, normal: [f64; 3]) -> State {
    let pressure = pressure(state);
    let along: f64 = (0..3).map(|axis| state[1 + axis] / state[0] * normal[axis]).sum();
    let pushed = |axis: usize| along * state[1 + axis] + pressure * normal[axis];
    [along * state[0], pushed(0), pushed(1), pushed(2), along * (state[4] + pressure)]
}

/// What flows through a face between two states, as the mean of both, smoothed where they differ.
fn between(own: &State, other: &State, normal: [f64; 3], smoothing: f64) -> State {
    let size = normal.iter().map(|component| component * component).sum::<f64>().sqrt();
    let smooth = smoothing * size * (signal(own) + signal(other)) / 2.0;
    let (sent, got) = (through(own, normal), through(other, normal));
    std::array::from_fn(|k| (sent[k] + got[k]) / 2.0 - smooth * (own[k] - other[k]))
}

/// A grid of cells as the kernels have it.
struct Cells {
    neighbours: Vec<i32>,
    normals: Vec<f32>,
    areas: Vec<f32>,
    far: State,
}

impl Cells {
    fn flux(&self, states: &[State], i: usize) -> State {
        let count = states.len();
        let mut flux = [0.0; 5];
        for face in 0..FACES {
            let normal = [0, 1, 2].map(|axis| f64::from(self.normals[i + (3 * face + axis) * count]));
            let part = match self.neighbours[i + face * count] {
                -1 => {
                    let pressure = pressure(&states[i]);
                    [0.0, pressure * normal[0], pressure * normal[1], pressure * normal[2], 0.0]
                }
                -2 => between(&states[i], &self.far, normal, 0.0),
                other => between(&states[i], &states[other as usize], normal, 0.2),
            };
            (0..5).for_each(|k| flux[k] += part[k]);
        }
        flux
    }
}

/// Steps of three stages, each from what was before the step.
pub fn cfd(case: &Case) -> Results {
    let mach = case.number("mach");
    let energy = 1.0 / HEAT_RATIO / (HEAT_RATIO - 1.0) + mach * mach / 2.0;
    let cells = Cells {
        neighbours: case.i32s("neighbours"),
        normals: case.f32s("normals"),
        areas: case.f32s("areas"),
        far: [1.0, mach, 0.0, 0.0, energy],
    };
    let begin = |noise: f32| {
        let factor = 1.0 + f64::from(noise);
        [factor, mach, 0.0, 0.0, energy * factor]
    };
    let mut states: Vec<State> = case.f32s("noise").into_iter().map(begin).collect();
    for _ in 0..case.size("steps") {
        let before = states.clone();
        let factor = |i: usize| 0.5 / (f64::from(cells.areas[i]).sqrt() * signal(&before[i]));
        for left in [3.0, 2.0, 1.0] {
            let advanced = |i: usize| {
                let flux = cells.flux(&states, i);
                std::array::from_fn(|k| before[i][k] - factor(i) / left * flux[k])
            };
            states = (0..before.len()).map(advanced).collect();
        }
    }
    let values = (0..5).flat_map(|k| states.iter().map(move |state| state[k] as f32)).collect();
    let absolute = 1e-5 * (case.number("steps") as f32 + 1.0);
    vec![("variables", Expected::Near { values, relative: absolute, absolute })]
}
