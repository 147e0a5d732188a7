//! The choices one by one: test inputs sorted from the worst choice to the best.

use std::fmt::Write as _;

use super::data::Curve;
use super::html::Escaped;
use super::plot::{HEIGHT, WIDTH, key, line};

/// More points than pixels show nothing more.
const MAX_POINTS: usize = 200;

pub(super) fn part(curves: &[Curve]) -> String {
    let curves: Vec<&Curve> = curves.iter().filter(|curve| !curve.shares.is_empty()).collect();
    if curves.is_empty() {
        return String::new();
    }
    // Drawn in reverse, so that the first lies on top.
    let lines: String =
        curves.iter().enumerate().rev().map(|(index, curve)| line(index, &path(curve))).collect();
    let keys: String = curves.iter().enumerate().map(|(index, curve)| key(index, &curve.selector)).collect();
    format!(
        "<h3>Choice by choice</h3>\n<p>Share of exhaustive search of every choice for a test input, sorted from the worst \
         choice to the best; a line at the top is the best variant.</p>\n<figure class=\"curve\">\n\
         <div class=\"plot\"><div class=\"y\" aria-hidden=\"true\"><span>100 %</span><span>75</span><span>50</span>\
         <span>25</span><span>0</span></div>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">\n\
         {grid}{lines}</svg>\n\
         <div class=\"x\" aria-hidden=\"true\"><span>worst choice</span><span>median</span><span>best choice</span>\
         </div></div>\n<figcaption>{keys}</figcaption>\n</figure>\n",
        label = label(&curves),
        grid = grid(),
    )
}

fn grid() -> String {
    let horizontal = [0.0, 0.25, 0.5, 0.75, 1.0].map(|y| format!("M0 {}H{WIDTH}", HEIGHT * y));
    let vertical = [0.0, 0.25, 0.5, 0.75, 1.0].map(|x| format!("M{} 0V{HEIGHT}", WIDTH * x));
    format!("<path class=\"grid\" d=\"{}{}\"/>\n", horizontal.concat(), vertical.concat())
}

/// Ascending, within 0 to 1; what is no number counts as 0.
fn sorted(curve: &Curve) -> Vec<f64> {
    let mut shares: Vec<f64> =
        curve.shares.iter().map(|share| if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }).collect();
    shares.sort_by(f64::total_cmp);
    shares
}

fn path(curve: &Curve) -> String {
    let shares = sorted(curve);
    let points = shares.len().min(MAX_POINTS);
    let mut path = String::new();
    for point in 0..points {
        let along = if points > 1 { point as f64 / (points - 1) as f64 } else { 0.0 };
        let share = shares[(along * (shares.len() - 1) as f64).round() as usize];
        let command = if point == 0 { 'M' } else { 'L' };
        // Writing to a string cannot fail.
        let _ = write!(path, "{command}{:.1} {:.1}", WIDTH * along, HEIGHT * (1.0 - share));
    }
    if points == 1 {
        let _ = write!(path, "H{WIDTH}");
    }
    path
}

/// What a reader who does not see the plot hears.
fn label(curves: &[&Curve]) -> String {
    let medians: Vec<String> = curves
        .iter()
        .map(|curve| {
            let shares = sorted(curve);
            let median = 100.0 * shares[shares.len() / 2];
            format!("{} {median:.0} %", Escaped(&curve.selector))
        })
        .collect();
    format!("Sorted shares of exhaustive search; medians: {}", medians.join(", "))
}
