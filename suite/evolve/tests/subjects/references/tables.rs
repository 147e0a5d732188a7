use crate::case::Case;
use crate::expected::{Expected, Results};

pub fn nw(case: &Case) -> Results {
    let (rows, columns, penalty) = (case.size("rows"), case.size("columns"), case.number("penalty") as i32);
    let (first, second, worth) = (case.bytes("first"), case.bytes("second"), case.i32s("worth"));
    let mut table = vec![vec![0; columns + 1]; rows + 1];
    for row in 0..=rows {
        for column in 0..=columns {
            table[row][column] = match (row, column) {
                (0, gaps) | (gaps, 0) => -penalty * gaps as i32,
                _ => {
                    let pair = worth[usize::from(first[row - 1]) * 24 + usize::from(second[column - 1])];
                    let gap = table[row - 1][column].max(table[row][column - 1]) - penalty;
                    gap.max(table[row - 1][column - 1] + pair)
                }
            };
        }
    }
    vec![("table", Expected::Exactly(table.concat()))]
}

pub fn pathfinder(case: &Case) -> Results {
    let (rows, columns, height) = (case.size("rows"), case.size("columns"), case.size("height"));
    let wall = case.i32s("wall");
    let mut both = [case.i32s("even"), case.i32s("odd")];
    for (launch, first) in (0..rows).step_by(height).enumerate() {
        let mut best = both[launch % 2].clone();
        for row in first..rows.min(first + height) {
            let next = |column: usize| {
                let around = &best[column.saturating_sub(1)..columns.min(column + 2)];
                around.iter().min().unwrap() + wall[row * columns + column]
            };
            best = (0..columns).map(next).collect();
        }
        both[(launch + 1) % 2] = best;
    }
    let [even, odd] = both;
    vec![("even", Expected::Exactly(even)), ("odd", Expected::Exactly(odd))]
}

fn exactly(values: Vec<f32>) -> Expected {
    Expected::Near { values, relative: 0.0, absolute: 0.0 }
}

pub fn planted(case: &Case) -> Results {
    let results = case.f32s("values").into_iter().map(|start| {
        let mut x = start;
        for _ in 0..case.size("steps") {
            x = 3.9 * x * (1.0 - x);
        }
        1.0 - x
    });
    vec![("results", exactly(results.collect())), ("exceptions", Expected::Exactly(vec![0]))]
}

pub fn trap(case: &Case) -> Results {
    let mut results = case.f32s("values");
    for block in results.chunks_mut(case.size("threads")) {
        for _ in 0..case.size("steps") {
            let before = block.to_vec();
            for (at, x) in block.iter_mut().enumerate() {
                let mixed = 0.5 * (*x + before[(at + 1) % before.len()]);
                *x = 3.9 * mixed * (1.0 - mixed);
            }
        }
    }
    vec![("results", exactly(results))]
}
