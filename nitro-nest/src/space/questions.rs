//! What is to be decided about a kernel, and which answers are sound.

use nitro_search::{Crossing, Decision, NodeKey};

use super::MappingSpace;
use crate::mapping::{Shape, Sums, Tiling};

/// As many elements as a thread may have in registers.
const MOST_POINTS: u32 = 64;
/// As many instances of a statement as are written out one after the other: compilers take longest for them.
const MOST_UNROLLED: u32 = 1024;
const MOST_THREADS: u32 = 1024;
/// A warp: fewer threads leave lanes idle.
const LEAST_THREADS: u32 = 32;
/// As few and as many threads of a block as tiles of products are shared out among.
const PRODUCT_THREADS: [u32; 2] = [64, 512];
/// As few and as many elements of a product as a thread has: fewer take more operands for each, more spill.
const PRODUCT_POINTS: [u32; 2] = [32, 128];
/// As many elements as are in the shared memory that every device grants.
const MOST_STAGED: u32 = (48 << 10) / 4;
/// Registers of a multiprocessor, and how many a thread takes for operands and addresses: where there are no more,
/// few are spilled.
const REGISTERS: u32 = 1 << 16;
const OTHER_REGISTERS: u32 = 64;

/// A question about a kernel.
#[derive(Clone, Copy)]
pub(super) struct Question {
    phase: &'static str,
    pub values: &'static [u32],
}

/// The next question about a kernel.
pub(super) fn decision(shape: &Shape, questions: &[Question], answered: &[Crossing]) -> Decision {
    let question = &questions[answered.len()];
    let mut values: Vec<u32> =
        questions.iter().zip(answered).map(|(question, one)| question.values[one.option]).collect();
    let sums = match shape.sums {
        None => 0,
        Some(Sums::AlongX) => 1,
        Some(Sums::Across) => 2,
    };
    let key = NodeKey::new(question.phase)
        .statements(shape.statements.iter().map(|statement| *statement as u32))
        .shape([shape.dimensions as i64, sums, i64::from(shape.is_split)]);
    let mut is_allowed = |option: usize| {
        values.push(question.values[option]);
        let tiling = tiling(shape, questions, &values);
        values.pop();
        let left = |of: &str| -> u32 {
            let later = questions[answered.len() + 1..].iter().filter(|other| other.phase.starts_with(of));
            later.filter_map(|other| other.values.last()).product()
        };
        // The last answer decides: before, a smaller factor may follow.
        let is_short = question.phase != "unroll" || instances(shape, &tiling) <= MOST_UNROLLED;
        is_short
            && has_sound_block(shape, &tiling, left("block"))
            && has_sound_points(shape, &tiling, left("points"))
            && is_used(shape, &tiling)
    };
    let allowed: Vec<bool> = (0..question.values.len()).map(&mut is_allowed).collect();
    Decision::new(key, question.values.len())
        .only(|option| allowed[option])
        .part(MappingSpace::part(&shape.statements))
}

/// Instances of a statement that are written out one after the other.
fn instances(shape: &Shape, tiling: &Tiling) -> u32 {
    points(shape, tiling) * if tiling.unroll == 0 { tiling.inner } else { tiling.unroll }
}

/// Elements that a thread has at hand.
fn points(shape: &Shape, tiling: &Tiling) -> u32 {
    (0..3).filter(|axis| !is_serial(shape, *axis)).map(|axis| tiling.points[axis]).product()
}

/// Whether so many threads are sound, where later answers may multiply them by so much.
fn has_sound_block(shape: &Shape, tiling: &Tiling, left: u32) -> bool {
    let threads = threads(tiling);
    let [least, most] = if shape.operands > 0 { PRODUCT_THREADS } else { [LEAST_THREADS, MOST_THREADS] };
    threads <= most && threads * left >= least
}

/// Whether so many points are sound, where later answers may multiply them by so much.
fn has_sound_points(shape: &Shape, tiling: &Tiling, left: u32) -> bool {
    let (points, threads) = (points(shape, tiling), threads(tiling));
    if shape.operands == 0 {
        return points <= MOST_POINTS;
    }
    let [least, most] = PRODUCT_POINTS;
    (points <= most && points * left >= least) && (points + OTHER_REGISTERS) * threads <= REGISTERS
}

/// Whether nothing is asked for that cannot be: what is not staged has no buffers, a thread has no more neighbours
/// than points, operands have room in shared memory.
fn is_used(shape: &Shape, tiling: &Tiling) -> bool {
    let [x, y, _] = tiling.tile();
    // Half of the operands of a product are those of rows, half those of columns; and there are columns more so
    // that rows begin in different banks.
    let iterations = tiling.inner * tiling.slices.max(1);
    let elements = shape.operands as u32 * (x + y) / 2 * (iterations + 4) * tiling.buffers;
    let exchanged = tiling.slices / 2 * tiling.points[0] * tiling.block.iter().product::<u32>();
    let has_room =
        elements + exchanged <= MOST_STAGED || tiling.slices == 0 && tiling.inner * tiling.buffers <= 8;
    (tiling.inner > 0 || tiling.buffers < 2) && tiling.neighbours <= tiling.points[0] && has_room
}

/// Whether a thread goes through its points of an axis in a loop, since sums run along it.
fn is_serial(shape: &Shape, axis: usize) -> bool {
    match shape.sums {
        None => false,
        Some(Sums::AlongX) => axis == 0,
        Some(Sums::Across) => axis == 1,
    }
}

/// Threads of a block.
fn threads(tiling: &Tiling) -> u32 {
    tiling.block.iter().product::<u32>() * tiling.slices.max(1)
}

/// What is to be decided about a kernel, in order.
pub(super) fn questions(shape: &Shape) -> Vec<Question> {
    const TERMS: Question = Question { phase: "terms", values: &[128, 256, 384, 512, 1024, 2048] };
    let terms = shape.is_split.then_some(TERMS);
    if shape.operands > 0 {
        let last = if shape.is_split { Some(WIDE_SUMS) } else { shape.has_slices.then_some(SLICES) };
        return terms.into_iter().chain(PRODUCT.iter().copied()).chain(last).collect();
    }
    const BLOCKS: [&str; 3] = ["block x", "block y", "block z"];
    const POINTS: [&str; 3] = ["points x", "points y", "points z"];
    let blocks: [&[u32]; 3] = match shape.dimensions {
        0 => return Vec::new(),
        1 => [&[32, 64, 128, 256, 512, 1024], &[1], &[1]],
        _ => [&[8, 16, 32, 64, 128, 256, 512], &[1, 2, 4, 8, 16, 32], &[1, 2, 4, 8]],
    };
    let points: [&[u32]; 3] = [&[1, 2, 4, 8], &[1, 2, 4, 8, 16], &[1, 2, 4]];
    let mut questions = Vec::from_iter(terms);
    for axis in 0..shape.dimensions {
        questions.push(Question { phase: BLOCKS[axis], values: blocks[axis] });
    }
    for axis in 0..shape.dimensions {
        let values = if is_serial(shape, axis) { &[4, 16, 64, 256, 1024] } else { points[axis] };
        questions.push(Question { phase: POINTS[axis], values });
    }
    if shape.has_loop && shape.sums.is_none() {
        questions.push(Question { phase: "inner tile", values: &[0, 4, 8, 16, 32] });
        questions.push(Question { phase: "buffers", values: &[1, 2] });
    }
    if shape.has_loop || shape.sums.is_some() {
        questions.push(Question { phase: "unroll", values: &[0, 1, 2, 4, 8, 16] });
    }
    questions
}

/// Where tiles are few, several threads for each element are worth it.
const SLICES: Question = Question { phase: "slices", values: &[0, 2, 4] };

/// How blocks add what they have of a split sum.
const WIDE_SUMS: Question = Question { phase: "wide sums", values: &[0, 1] };

/// A product of matrices is worth its while with large tiles alone, along two axes.
const PRODUCT: &[Question] = &[
    Question { phase: "block x", values: &[8, 16, 32] },
    Question { phase: "block y", values: &[4, 8, 16] },
    Question { phase: "points x", values: &[4, 8] },
    Question { phase: "points y", values: &[4, 8, 16] },
    Question { phase: "neighbours", values: &[1, 4] },
    Question { phase: "inner tile", values: &[8, 16, 32] },
    Question { phase: "buffers", values: &[1, 2, 3] },
    Question { phase: "transposed", values: &[0, 1] },
    Question { phase: "unroll", values: &[0, 4, 8] },
];

/// What a question is about: its phase, what a tiling has for it, and how a tiling comes to have it.
type Field = (&'static str, fn(&Tiling) -> u32, fn(&mut Tiling, u32));

const FIELDS: [Field; 14] = [
    ("block x", |tiling| tiling.block[0], |tiling, value| tiling.block[0] = value),
    ("block y", |tiling| tiling.block[1], |tiling, value| tiling.block[1] = value),
    ("block z", |tiling| tiling.block[2], |tiling, value| tiling.block[2] = value),
    ("points x", |tiling| tiling.points[0], |tiling, value| tiling.points[0] = value),
    ("points y", |tiling| tiling.points[1], |tiling, value| tiling.points[1] = value),
    ("points z", |tiling| tiling.points[2], |tiling, value| tiling.points[2] = value),
    ("neighbours", |tiling| tiling.neighbours, |tiling, value| tiling.neighbours = value),
    ("inner tile", |tiling| tiling.inner, |tiling, value| tiling.inner = value),
    ("terms", |tiling| tiling.part_terms() as u32, |tiling, value| tiling.terms = value),
    ("buffers", |tiling| tiling.buffers, |tiling, value| tiling.buffers = value),
    ("slices", |tiling| tiling.slices, |tiling, value| tiling.slices = value),
    ("transposed", |tiling| u32::from(tiling.transposes), |tiling, value| tiling.transposes = value == 1),
    ("wide sums", |tiling| u32::from(tiling.adds_wide), |tiling, value| tiling.adds_wide = value == 1),
    ("unroll", |tiling| tiling.unroll, |tiling, value| tiling.unroll = value),
];

impl Question {
    fn field(&self) -> &'static Field {
        FIELDS.iter().find(|(phase, ..)| *phase == self.phase).expect("each question is about a field")
    }
}

/// The answer that a tiling gives, or the nearest that there is.
pub(super) fn answer(question: &Question, tiling: &Tiling) -> usize {
    let (_, get, _) = question.field();
    let nearest = |option: &usize| question.values[*option].abs_diff(get(tiling));
    (0..question.values.len()).min_by_key(nearest).expect("a question has answers")
}

/// The tiling of the values that are decided, and what is usual for the rest.
pub(super) fn tiling(shape: &Shape, questions: &[Question], values: &[u32]) -> Tiling {
    let mut tiling = Tiling { block: [1; 3], promotes: true, ..Tiling::default() };
    for (question, value) in questions.iter().zip(values) {
        let (.., set) = question.field();
        set(&mut tiling, *value);
    }
    if shape.operands > 0 {
        tiling.resident_blocks = REGISTERS / (points(shape, &tiling) + OTHER_REGISTERS) / threads(&tiling);
    }
    tiling
}
