use crate::case::Case;
use crate::expected::{Expected, Results};

/// The positions above, below, left and right of one in a grid, which is its own neighbour at the edges.
fn neighbours(at: usize, rows: usize, columns: usize) -> [usize; 4] {
    let (row, column) = (at / columns, at % columns);
    [
        row.saturating_sub(1) * columns + column,
        (row + 1).min(rows - 1) * columns + column,
        row * columns + column.saturating_sub(1),
        row * columns + (column + 1).min(columns - 1),
    ]
}

/// Chips of 16 mm and half a millimetre thick, with the constants of the HotSpot model.
pub fn hotspot(case: &Case) -> Results {
    let (rows, columns, height, steps) =
        (case.size("rows"), case.size("columns"), case.size("height"), case.size("steps"));
    let (thickness, conductivity) = (0.0005, 100.0);
    let (width, length) = (0.016 / columns as f64, 0.016 / rows as f64);
    let capacity = 0.5 * 1.75e6 * thickness * width * length;
    let most = 3e6 / (0.5 * thickness * 1.75e6);
    let scale = 0.001 / most / capacity;
    let (resistance_x, resistance_y) = (
        width / (2.0 * conductivity * thickness * length),
        length / (2.0 * conductivity * thickness * width),
    );
    let resistance_air = thickness / (conductivity * width * length);

    let power = case.f32s("power");
    let mut both = [case.f32s("even"), case.f32s("odd")];
    for (launch, first) in (0..steps).step_by(height).enumerate() {
        let mut heat = both[launch % 2].clone();
        for _ in first..steps.min(first + height) {
            let next = |at: usize| {
                let [north, south, west, east] = neighbours(at, rows, columns).map(|at| f64::from(heat[at]));
                let own = f64::from(heat[at]);
                let flow =
                    (west + east - 2.0 * own) / resistance_x + (north + south - 2.0 * own) / resistance_y;
                (own + scale * (f64::from(power[at]) + flow + (80.0 - own) / resistance_air)) as f32
            };
            heat = (0..rows * columns).map(next).collect();
        }
        both[(launch + 1) % 2] = heat;
    }
    let near = |values| Expected::Near { values, relative: 1e-6 * (steps as f32 + 1.0), absolute: 0.0 };
    let [even, odd] = both;
    vec![("even", near(even)), ("odd", near(odd))]
}

/// In double precision.
pub fn srad(case: &Case) -> Results {
    let (rows, columns, lambda) = (case.size("rows"), case.size("columns"), case.number("lambda"));
    let cells = rows * columns;
    let mut intensity: Vec<f64> =
        case.f32s("speckled").into_iter().map(|value| f64::from(value / 255.0).exp()).collect();
    for _ in 0..case.size("steps") {
        let mean = intensity.iter().sum::<f64>() / cells as f64;
        let variance = intensity.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / cells as f64;
        let everywhere = variance / (mean * mean);
        let differences: Vec<[f64; 4]> = (0..cells)
            .map(|at| neighbours(at, rows, columns).map(|other| intensity[other] - intensity[at]))
            .collect();
        let coefficient = |at: usize| {
            let own = intensity[at];
            let gradient = differences[at].iter().map(|d| d * d).sum::<f64>() / (own * own);
            let laplacian = differences[at].iter().sum::<f64>() / own;
            let here = (gradient / 2.0 - laplacian * laplacian / 16.0) / (1.0 + laplacian / 4.0).powi(2);
            (1.0 / (1.0 + (here - everywhere) / (everywhere * (1.0 + everywhere)))).clamp(0.0, 1.0)
        };
        let coefficients: Vec<f64> = (0..cells).map(coefficient).collect();
        for at in 0..cells {
            let [north, south, west, east] = differences[at];
            let [_, below, _, right] = neighbours(at, rows, columns).map(|other| coefficients[other]);
            let own = coefficients[at];
            intensity[at] += lambda / 4.0 * (own * north + below * south + own * west + right * east);
        }
    }
    let values = intensity.into_iter().map(|value| (value.ln() * 255.0) as f32).collect();
    vec![("smooth", Expected::Near { values, relative: 1e-4, absolute: 1e-2 })]
}
