use super::*;
use crate::model::{Class, Scale, Transform};

/// A generator of its own (xorshift64*), so that the tests draw the same machines for ever.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % end
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f64 {
        self.below(2_000_001) as f64 / 1e6 - 1.0
    }

    fn row(&mut self, width: usize) -> Vec<f64> {
        (0..width).map(|_| self.unit()).collect()
    }
}

/// Miri takes a thousand times as long.
const MACHINES: usize = if cfg!(miri) { 1 } else { 200 };
const INPUTS: usize = if cfg!(miri) { 3 } else { 50 };

/// A machine as training makes them: the same few inputs, measured on a few devices, are support vectors of several
/// classes.
fn machine(random: &mut Random, inputs: usize, devices: usize) -> Svm {
    let classes: Vec<Class> =
        (0..2 + random.below(4)).map(|choice| Class { choice, support: 1 + random.below(60) }).collect();
    let support: usize = classes.iter().map(|class| class.support).sum();
    let points: Vec<Vec<f64>> = (0..40).map(|_| random.row(inputs)).collect();
    let sources: Vec<Vec<f64>> = (0..3).map(|_| random.row(devices)).collect();
    let vectors =
        (0..support).flat_map(|_| [&*points[random.below(40)], &sources[random.below(3)]].concat()).collect();
    let cost = 10_f64.powi(random.below(5) as i32 - 1);
    // Many a vector supports one pair of its class only.
    let mut coefficient = |_| if random.below(3) == 0 { 0.0 } else { cost * random.unit() };
    let coefficients = (0..(classes.len() - 1) * support).map(&mut coefficient).collect();
    let rho = random.row(classes.len() * (classes.len() - 1) / 2);
    let gamma = 2_f64.powi(random.below(8) as i32 - 4);
    // The features are between -1.5 and 1.5 too; the second column never varied.
    let scale = |column: usize| Scale {
        transform: if random.below(2) == 0 { Transform::Identity } else { Transform::Log },
        min: -1.0,
        max: if column == 1 { -1.0 } else { 1.0 },
    };
    let scaling = (0..inputs + devices).map(scale).collect();
    Svm { gamma, scaling, classes, vectors, coefficients, rho }
}

/// The decision values by the book: the kernel over all columns at once, LIBSVM's order of pairs and sums.
fn by_the_book(svm: &Svm, features: &[f64]) -> Vec<f64> {
    let row: Vec<f64> = svm.scaling.iter().zip(features).map(|(scale, &value)| scale.apply(value)).collect();
    let kernel: Vec<f64> = svm
        .vectors
        .chunks(row.len())
        .map(|vector| {
            (-svm.gamma * vector.iter().zip(&row).map(|(v, u)| (v - u) * (v - u)).sum::<f64>()).exp()
        })
        .collect();
    let starts: Vec<usize> =
        svm.classes.iter().scan(0, |sum, class| Some(std::mem::replace(sum, *sum + class.support))).collect();
    let part = |class: usize, row: usize| {
        let own = starts[class]..starts[class] + svm.classes[class].support;
        own.map(|index| svm.coefficients[row * kernel.len() + index] * kernel[index]).collect::<Vec<f64>>()
    };
    let pairs = (0..starts.len()).flat_map(|i| (i + 1..starts.len()).map(move |j| (i, j)));
    pairs
        .map(|(i, j)| [part(i, j - 1), part(j, i)].concat().into_iter().fold(0.0, |sum, part| sum + part))
        .collect()
}

fn votes_by_the_book(svm: &Svm, features: &[f64]) -> Vec<u16> {
    let decisions = by_the_book(svm, features);
    let mut won = vec![0; svm.classes.len()];
    let pairs = (0..won.len()).flat_map(|i| (i + 1..svm.classes.len()).map(move |j| (i, j)));
    for (((i, j), decision), rho) in pairs.zip(decisions).zip(&svm.rho) {
        won[if decision > *rho { i } else { j }] += 1;
    }
    won
}

fn votes(machine: &DeviceSvm, inputs: &[f64]) -> Vec<u16> {
    let mut points = [0; MAX_CHOICES];
    machine.vote(inputs, &mut points);
    points[..machine.classes()].to_vec()
}

/// Whether the screen alone knows the decisions.
fn is_screened(machine: &DeviceSvm, inputs: &[f64]) -> bool {
    machine.screen.decide(inputs, &mut [0.0; 10])
}

/// Folded, merged, in single precision: whatever the machine, the votes are those of the book, and nearly always
/// without it.
#[test]
fn a_device_votes_as_the_unfolded_machine_does() {
    let mut random = Random(1);
    let (mut screened, mut all) = (0, 0);
    for _ in 0..MACHINES {
        let (inputs, devices) = (1 + random.below(7), random.below(4));
        let svm = machine(&mut random, inputs, devices);
        let device = random.row(devices);
        let on_device = DeviceSvm::new(&svm, &device);
        for case in 0..INPUTS {
            let reach = if case % 10 == 0 { 1e3 } else { 1.5 }; // beyond the training inputs too
            let input: Vec<f64> = random.row(inputs).iter().map(|value| reach * value).collect();
            assert_eq!(votes(&on_device, &input), votes_by_the_book(&svm, &[&*input, &device].concat()));
            screened += usize::from(is_screened(&on_device, &input));
            all += 1;
        }
    }
    assert!(screened * 100 > all * 95, "{screened} of {all} known without the exact values");
}

/// Where a decision value is its offset, or the next number above or below it, the exact one decides.
#[test]
fn a_tie_is_decided_exactly() {
    let mut random = Random(2);
    for _ in 0..MACHINES {
        let (inputs, devices) = (1 + random.below(7), random.below(4));
        let mut svm = machine(&mut random, inputs, devices);
        let (input, device) = (random.row(inputs), random.row(devices));
        let joined = [&*input, &device].concat();
        let decisions = by_the_book(&svm, &joined);
        for shift in [|rho: f64| rho, f64::next_up, f64::next_down, |rho| rho + 1e-9, |rho| rho - 1e-6] {
            svm.rho = decisions.iter().map(|&decision| shift(decision)).collect();
            assert_eq!(votes(&DeviceSvm::new(&svm, &device), &input), votes_by_the_book(&svm, &joined));
        }
    }
}

/// What the screen computes is off by less than it says.
#[test]
fn the_screen_knows_its_error() {
    let mut random = Random(3);
    for _ in 0..MACHINES {
        let (inputs, devices) = (1 + random.below(7), random.below(4));
        let svm = machine(&mut random, inputs, devices);
        let (input, device) = (random.row(inputs), random.row(devices));
        let on_device = DeviceSvm::new(&svm, &device);
        let (mut screen, mut exact) = ([0.0; 10], [0.0; 10]);
        on_device.screen.decide(&input, &mut screen);
        on_device.decide(&input, &mut exact);
        for (pair, bound) in on_device.screen.bounds().enumerate() {
            let error = (screen[pair] - exact[pair]).abs();
            assert!(error <= bound, "off by {error:e}, not {bound:e}");
        }
    }
}

#[test]
fn vectors_of_one_input_become_one() {
    let scale = Scale { transform: Transform::Identity, min: -1.0, max: 1.0 };
    let svm = Svm {
        gamma: 0.5,
        scaling: vec![scale; 2],
        classes: vec![Class { choice: 0, support: 3 }, Class { choice: 1, support: 2 }],
        // Two inputs on three devices; the last vector weighs nothing.
        vectors: vec![0.5, -1.0, 0.5, 0.0, -0.5, 0.0, 0.5, 1.0, 0.25, 1.0],
        coefficients: vec![1.0, 1.0, 1.0, -1.0, 0.0],
        rho: vec![0.0],
    };
    assert_eq!(DeviceSvm::new(&svm, &[0.0]).screen.points(), 2);
}

/// Numbers that single precision cannot hold make a machine slow, not wrong.
#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_machine_beyond_single_precision_is_evaluated_exactly() {
    let mut random = Random(4);
    for (gamma, factor) in [(1e80, 1.0), (0.0, 1.0), (1.0, 1e60), (1.0, 1e-60), (1e-80, 1e60), (1e-310, 1.0)]
    {
        let mut svm = machine(&mut random, 3, 2);
        svm.gamma = gamma;
        svm.coefficients.iter_mut().for_each(|coefficient| *coefficient *= factor);
        svm.rho.iter_mut().for_each(|rho| *rho *= factor);
        let device = random.row(2);
        for reach in [1.0, 1e30, 1e160, 1e300] {
            let input: Vec<f64> = random.row(3).iter().map(|value| reach * value).collect();
            let joined = [&*input, &device].concat();
            assert_eq!(
                votes(&DeviceSvm::new(&svm, &device), &input),
                votes_by_the_book(&svm, &joined),
                "{gamma:e} {reach:e}"
            );
        }
    }
}

/// A weight that single precision takes for infinity would outweigh all others, whatever its kernel.
#[test]
fn a_weight_beyond_single_precision_is_no_infinity() {
    let svm = Svm {
        gamma: 1.0,
        scaling: vec![Scale { transform: Transform::Identity, min: -1.0, max: 1.0 }],
        classes: vec![Class { choice: 0, support: 1 }, Class { choice: 1, support: 1 }],
        vectors: vec![1.0, 0.0],
        coefficients: vec![4e38, -3.3e38],
        rho: vec![0.0],
    };
    assert_eq!(votes(&DeviceSvm::new(&svm, &[]), &[0.0]), [0, 1]);
    assert_eq!(votes_by_the_book(&svm, &[0.0]), [0, 1]);
}
