//! A leaf with lines as regions of one choice each, which is what a model file holds.
//!
//! Along one feature that is exact: every number is linear and every distance piecewise linear, so the nearest
//! choice changes at points that can be computed. Of several features the borders lie askew, and a tree of the run
//! time asks for one feature at a time: the features that matter less are halved a few times, and each slab is cut
//! exactly along the one that matters most, as it is in the middle of the slab.

use super::leaf::Lines;
use super::space::Space;

/// Number of halvings of the features that matter less, all together.
const HALVINGS: usize = 4;
/// Shorter pieces than this, of the range of the training inputs, are none.
const LEAST_LENGTH: f64 = 1e-9;

/// A region cut up.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    /// All of one choice.
    Choice(usize),
    /// Cut at a value of a scaled feature.
    Cut { column: usize, at: f64, lower: Box<Piece>, upper: Box<Piece> },
}

/// A region of the scaled features, from and to for each.
pub(super) type Region = Vec<(f64, f64)>;

/// The pieces of a region.
pub(super) fn pieces(lines: &Lines, space: &Space, region: &Region) -> Piece {
    in_slabs(lines, space, region, HALVINGS)
}

fn in_slabs(lines: &Lines, space: &Space, region: &Region, halvings: usize) -> Piece {
    let influence: Vec<f64> = region
        .iter()
        .enumerate()
        .map(|(column, (from, to))| lines.dependence(column) * (to - from))
        .collect();
    let mut by_influence: Vec<usize> = (0..region.len()).filter(|&column| influence[column] > 1e-6).collect();
    by_influence.sort_by(|&a, &b| influence[b].total_cmp(&influence[a])); // stable
    match by_influence[..] {
        [] => Piece::Choice(lines.choice(space, &middle(region))),
        // The most influential feature is followed exactly, the second one in slabs, the others in their middle.
        [_, second, ..] if halvings > 0 => {
            let at = middle(region)[second];
            let (mut lower, mut upper) = (region.clone(), region.clone());
            lower[second].1 = at;
            upper[second].0 = at;
            let [lower, upper] =
                [lower, upper].map(|half| Box::new(in_slabs(lines, space, &half, halvings - 1)));
            join(second, at, lower, upper)
        }
        [first, ..] => along(lines, space, region, first),
    }
}

fn middle(region: &Region) -> Vec<f64> {
    region.iter().map(|(from, to)| (from + to) / 2.0).collect()
}

fn join(column: usize, at: f64, lower: Box<Piece>, upper: Box<Piece>) -> Piece {
    match (&*lower, &*upper) {
        (Piece::Choice(a), Piece::Choice(b)) if a == b => *lower,
        _ => Piece::Cut { column, at, lower, upper },
    }
}

/// The pieces along one feature, the others being in the middle.
fn along(lines: &Lines, space: &Space, region: &Region, column: usize) -> Piece {
    let mut place = middle(region);
    let points = changes(lines, space, region, column);
    let mut runs: Vec<(usize, f64)> = Vec::new(); // the choice, and where it ends
    for pair in points.windows(2) {
        place[column] = (pair[0] + pair[1]) / 2.0;
        let choice = lines.choice(space, &place);
        match runs.last_mut() {
            Some(last) if last.0 == choice => last.1 = pair[1],
            _ => runs.push((choice, pair[1])),
        }
    }
    balanced(column, &runs)
}

/// A balanced tree of choices that follow each other.
fn balanced(column: usize, runs: &[(usize, f64)]) -> Piece {
    match runs {
        [(choice, _)] => Piece::Choice(*choice),
        _ => {
            let (lower, upper) = runs.split_at(runs.len() / 2);
            let at = lower[lower.len() - 1].1;
            Piece::Cut {
                column,
                at,
                lower: Box::new(balanced(column, lower)),
                upper: Box::new(balanced(column, upper)),
            }
        }
    }
}

/// Ascending places along a feature between which the choice stays the same, with both ends.
fn changes(lines: &Lines, space: &Space, region: &Region, column: usize) -> Vec<f64> {
    let (from, to) = region[column];
    let mut origin = middle(region);
    origin[column] = 0.0;
    // Along the feature each number is a line, and its distance from that of a choice has a bend where they meet.
    let mut bends = vec![from, to];
    for (number, line) in lines.lines().iter().enumerate() {
        let (offset, slope) = (line.at(&origin), line.slope(column));
        let meets =
            lines.candidates.iter().map(|&class| (space.point(class).numbers[number] - offset) / slope);
        bends.extend(meets.filter(|at| *at > from && *at < to));
    }
    let bends = sorted(bends);
    let mut places = bends.clone();
    for pair in bends.windows(2) {
        let crossings = crossings(&lines.candidates, pair[0], pair[1], |one, other, at| {
            let mut place = origin.clone();
            place[column] = at;
            let wanted = lines.wanted(&place);
            wanted.distance(space.point(one)) - wanted.distance(space.point(other))
        });
        places.extend(crossings.into_iter().filter(|at| *at > from && *at < to));
    }
    sorted(places)
}

/// Returns where two choices are as far away between two bends, where all distances are linear. `ahead` is by how much
/// the one is farther than the other.
fn crossings(choices: &[usize], from: f64, to: f64, ahead: impl Fn(usize, usize, f64) -> f64) -> Vec<f64> {
    let mut found = Vec::new();
    for (index, &one) in choices.iter().enumerate() {
        for &other in &choices[..index] {
            let (start, end) = (ahead(one, other, from), ahead(one, other, to));
            if start * end < 0.0 {
                found.push(from + (to - from) * start / (start - end));
            }
        }
    }
    found
}

fn sorted(mut places: Vec<f64>) -> Vec<f64> {
    places.sort_by(f64::total_cmp);
    places.dedup_by(|a, b| *a - *b < LEAST_LENGTH);
    places
}
