use crate::case::Case;
use crate::expected::{Expected, Results};

const PARTICLES: usize = 100;

/// All pairs of particles whose boxes touch, found by where boxes are.
pub fn lavamd(case: &Case) -> Results {
    let extents = ["width", "height", "depth"].map(|name| case.size(name));
    let (positions, charges) = (case.f64s("positions"), case.f64s("charges"));
    let narrow = 2.0 * case.number("alpha").powi(2);
    let boxes: usize = extents.iter().product();
    let place = |number: usize| {
        [number % extents[0], number / extents[0] % extents[1], number / extents[0] / extents[1]]
    };
    let touches = |one: usize, other: usize| {
        place(one).iter().zip(place(other)).all(|(&at, other)| at.abs_diff(other) <= 1)
    };
    let mut fields = Vec::with_capacity(4 * PARTICLES * boxes);
    for own in 0..boxes {
        let near: Vec<usize> = (0..boxes).filter(|&other| touches(own, other)).collect();
        for i in own * PARTICLES..(own + 1) * PARTICLES {
            let mut field = [0.0; 4];
            for j in near.iter().flat_map(|other| other * PARTICLES..(other + 1) * PARTICLES) {
                let away = [0, 1, 2].map(|axis| positions[3 * i + axis] - positions[3 * j + axis]);
                let squared: f64 = away.iter().map(|distance| distance * distance).sum();
                let potential = charges[j] * (-narrow * squared).exp();
                field[0] += potential;
                for axis in 0..3 {
                    field[1 + axis] += 2.0 * narrow * potential * away[axis];
                }
            }
            fields.extend(field);
        }
    }
    vec![("fields", Expected::Doubles(fields, 1e-9))]
}
