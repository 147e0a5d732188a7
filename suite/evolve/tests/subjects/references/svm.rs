use crate::case::Case;
use crate::expected::{Expected, Results};

/// Samples, component after component.
struct Samples {
    components: Vec<f32>,
    count: usize,
}

impl Samples {
    fn of(&self, sample: usize) -> impl Iterator<Item = f32> {
        self.components.iter().skip(sample).step_by(self.count).copied()
    }

    /// The kernel of one of these and one of others.
    fn radial(&self, sample: usize, others: &Self, other: usize, gamma: f32) -> f32 {
        let squares: f32 = self.of(sample).zip(others.of(other)).map(|(a, b)| (a - b) * (a - b)).sum();
        (-gamma * squares).exp()
    }
}

/// Sequential minimal optimization with the pair that violates most (Keerthi and others).
pub fn svm(case: &Case) -> Results {
    let (count, limit) = (case.size("samples"), case.number("limit") as f32);
    let gamma = (0.5 / case.number("dimensions")) as f32;
    let samples = Samples { components: case.f32s("train"), count };
    let labels = case.f32s("labels");
    let mut gradient: Vec<f32> = labels.iter().map(|label| -label).collect();
    let mut alpha = vec![0.0f32; count];
    let mut bias = 0.0;
    for _ in 0..case.size("steps") {
        let may_rise = |&i: &usize| if labels[i] > 0.0 { alpha[i] < limit } else { alpha[i] > 0.0 };
        let may_fall = |&i: &usize| if labels[i] > 0.0 { alpha[i] > 0.0 } else { alpha[i] < limit };
        let by_gradient = |a: &usize, b: &usize| gradient[*a].total_cmp(&gradient[*b]);
        let up = (0..count).filter(may_rise).min_by(|a, b| by_gradient(a, b).then(earlier(*a, *b))).unwrap();
        let low = (0..count).filter(may_fall).min_by(|a, b| by_gradient(b, a).then(earlier(*a, *b))).unwrap();
        let violation = gradient[low] - gradient[up];
        if violation <= 0.001 {
            break;
        }
        bias = (gradient[up] + gradient[low]) / 2.0;
        let curvature = (2.0 - 2.0 * samples.radial(up, &samples, low, gamma)).max(1e-6);
        let sign = labels[up] * labels[low];
        let (old_up, old_low) = (alpha[up], alpha[low]);
        let (least, most) = match sign < 0.0 {
            true => ((old_low - old_up).max(0.0), (limit + old_low - old_up).min(limit)),
            false => ((old_low + old_up - limit).max(0.0), (old_low + old_up).min(limit)),
        };
        alpha[low] = (old_low - labels[low] * violation / curvature).min(most).max(least);
        alpha[up] = (old_up + sign * (old_low - alpha[low])).clamp(0.0, limit);
        let (of_up, of_low) = ((alpha[up] - old_up) * labels[up], (alpha[low] - old_low) * labels[low]);
        for (i, gradient) in gradient.iter_mut().enumerate() {
            *gradient += of_up * samples.radial(i, &samples, up, gamma)
                + of_low * samples.radial(i, &samples, low, gamma);
        }
    }
    let others = Samples { components: case.f32s("others"), count: case.size("others_count") };
    let predict = |other: usize| {
        let of = (0..count).map(|i| alpha[i] * labels[i] * samples.radial(i, &others, other, gamma));
        if of.sum::<f32>() > bias { 1 } else { -1 }
    };
    let predicted: Vec<i32> = (0..others.count).map(predict).collect();
    check_accuracy(case, &predicted);
    vec![("predicted", Expected::Mostly(predicted, 0.05))]
}

/// Which of two equal numbers a tree over 256 and then over blocks finds: at each branch that of the lower half. In
/// the first step all are equal.
fn earlier(a: usize, b: usize) -> std::cmp::Ordering {
    let leaf = |at: usize| (at as u8).reverse_bits();
    let place = |at: usize| (leaf(at / 256), at / 65_536, leaf(at));
    place(a).cmp(&place(b))
}

/// A trainer that learns nothing would agree with itself, too. Places with an even number of bits have the label 1.
fn check_accuracy(case: &Case, predicted: &[i32]) {
    if case.size("samples") < 100 || case.size("others_count") < 100 {
        return;
    }
    let label = |at: usize| if matches!(at % 4, 0 | 3) { 1 } else { -1 };
    let right = predicted.iter().enumerate().filter(|(at, predicted)| label(*at) == **predicted).count();
    let share = right as f64 / predicted.len() as f64;
    assert!(share > 0.85, "{}: {share:.3} of the labels are right", case.name);
}
