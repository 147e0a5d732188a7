//! The questions about a kernel, and the answers that are sound.

use nitro_search::{Crossing, Decision, NodeKey};

use super::MappingSpace;
use super::shape::Shape;
use crate::limits::{LANES, MOST_THREADS, STATIC_SHARED_BYTES, resident_warps};
use crate::lower::plan_in_time;
use crate::mapping::{Sums, Tiles, Tiling};

/// The most words of four bytes that a thread may have of its elements in registers.
const MOST_POINTS: u32 = 64;
/// The most instances of a statement that are written out one after the other: compilers take longest for them.
const MOST_UNROLLED: u32 = 1024;
/// A warp: fewer threads leave lanes idle.
const LEAST_THREADS: u32 = 32;
/// The fewest and the most threads of a block that share a tile of a product.
const PRODUCT_THREADS: [u32; 2] = [64, 512];
/// The fewest and the most words of elements of a product that a thread has.
///
/// Fewer take more operands for each, more spill.
const PRODUCT_POINTS: [u32; 2] = [32, 128];
/// The words of four bytes that the shared memory which every device grants has room for.
const MOST_STAGED: u32 = STATIC_SHARED_BYTES as u32 / 4;
/// The registers that a thread takes for operands and addresses: where there are no more, few are spilled.
const OTHER_REGISTERS: u32 = 64;

/// The rows of a block whose rows share warps.
const MOST_ROWS: u32 = 32;
/// The most of them where each has warps of its own.
const MOST_WIDE_ROWS: u32 = 8;

/// A question about a kernel.
#[derive(Clone, Copy)]
pub(super) struct Question {
    pub phase: &'static str,
    pub values: &'static [u32],
}

/// Returns the next question about a kernel.
pub(super) fn decision(shape: &Shape, questions: &[Question], answered: &[Crossing]) -> Decision {
    let question = &questions[answered.len()];
    let mut values: Vec<u32> =
        questions.iter().zip(answered).map(|(question, one)| question.values[one.option]).collect();
    let sums = match shape.sums {
        _ if shape.is_across => 5,
        _ if shape.is_row => 3,
        _ if shape.stencil.is_some() => 4,
        None => 0,
        Some(Sums::AlongX) => 1,
        Some(Sums::Across) => 2,
    };
    let key = NodeKey::new(question.phase)
        .statements(shape.statements.iter().map(|statement| *statement as u32))
        // The same is asked with other answers where a product has a box of tiles, or a split loop long ones in it.
        .shape([shape.dimensions as i64, sums, i64::from(shape.is_split), question.values.len() as i64]);
    let mut allowed = Vec::new();
    for value in question.values {
        values.push(*value);
        allowed.push(is_sound(shape, questions, &values));
        values.pop();
    }
    Decision::new(key, question.values.len())
        .only(|option| allowed[option])
        .part(MappingSpace::part(&shape.statements))
}

/// Returns `true` if these answers to the first questions may lead to a sound tiling.
pub(super) fn is_sound(shape: &Shape, questions: &[Question], values: &[u32]) -> bool {
    if shape.stencil.is_some() {
        return leads_to_tiles(shape, questions, &mut values.to_vec());
    }
    let tiling = tiling(shape, questions, values);
    let (answered, later) = questions.split_at(values.len());
    // The last answer decides: before, a smaller factor may follow.
    let is_last = answered.last().is_some_and(|question| question.phase == "unroll");
    (!is_last || instances(shape, &tiling) <= MOST_UNROLLED)
        && has_sound_block(shape, &tiling, largest(later, "block"))
        && (!shape.is_row || shape.is_across || has_sound_rows(&tiling, later))
        && has_sound_points(shape, &tiling, largest(later, "points"))
        && is_used(shape, &tiling)
}

/// Returns `true` if some answers to the questions that are left give tiles in time that a block has room for.
fn leads_to_tiles(shape: &Shape, questions: &[Question], values: &mut Vec<u32>) -> bool {
    let Some(next) = questions.get(values.len()) else {
        let tiling = tiling(shape, questions, values);
        let has_threads = (LEAST_THREADS..=MOST_THREADS).contains(&threads(&tiling));
        let plan = shape.stencil.as_ref().and_then(|(stencil, steps)| plan_in_time(stencil, *steps, &tiling));
        return has_threads && plan.is_some();
    };
    next.values.iter().any(|value| {
        values.push(*value);
        let leads = leads_to_tiles(shape, questions, values);
        values.pop();
        leads
    })
}

/// Returns how many blocks of a product a multiprocessor has registers for at a time.
///
/// A thread has some for its elements, operands and addresses.
pub(super) fn resident_blocks(shape: &Shape, tiling: &Tiling) -> u32 {
    let registers = points(shape, tiling) * shape.words + OTHER_REGISTERS;
    resident_warps(registers.into()) as u32 / warps(tiling)
}

/// Returns the warps of a block: the last one may lack threads, and takes as long as others.
pub(super) fn warps(tiling: &Tiling) -> u32 {
    threads(tiling).div_ceil(LANES)
}

/// Returns by how much the answers to later questions may multiply something.
fn largest(later: &[Question], of: &str) -> u32 {
    let later = later.iter().filter(|question| question.phase.starts_with(of));
    later.filter_map(|question| question.values.last()).product()
}

/// Returns the instances of a statement that are written out one after the other.
///
/// In tiles that are staged they are as many as there is room for, whatever the tiling says.
fn instances(shape: &Shape, tiling: &Tiling) -> u32 {
    points(shape, tiling) * if tiling.tile_k > 0 { 1 } else { tiling.unroll.max(1) }
}

/// Returns the elements that a thread has at hand.
fn points(shape: &Shape, tiling: &Tiling) -> u32 {
    (0..3).filter(|axis| !is_serial(shape, *axis)).map(|axis| tiling.thread_tile[axis]).product()
}

/// Returns `true` if so many threads are sound, where later answers may multiply them by so much.
fn has_sound_block(shape: &Shape, tiling: &Tiling, left: u32) -> bool {
    let threads = threads(tiling);
    let [least, most] = match shape.operands {
        0 => [LEAST_THREADS, MOST_THREADS],
        _ if shape.is_batch() => [LEAST_THREADS, PRODUCT_THREADS[1]],
        _ => PRODUCT_THREADS,
    };
    threads <= most && threads * left >= least
}

/// Returns `true` if a block may have so many rows: those that share warps are many, along one loop or two.
fn has_sound_rows(tiling: &Tiling, later: &[Question]) -> bool {
    let ([threads, inner, outer], asks) = (tiling.block, |phase| later.iter().any(|one| one.phase == phase));
    match (asks("block y"), asks("block z")) {
        (true, _) => true,
        (_, true) if threads < LANES => inner > 1,
        _ if threads < LANES => inner * outer == MOST_ROWS,
        _ => inner <= MOST_WIDE_ROWS && outer == 1,
    }
}

/// Returns `true` if so many points are sound, where later answers may multiply them by so much.
fn has_sound_points(shape: &Shape, tiling: &Tiling, left: u32) -> bool {
    let points = points(shape, tiling);
    if shape.operands == 0 {
        return points * shape.words <= MOST_POINTS;
    }
    let [least, most] = PRODUCT_POINTS;
    let words = points * shape.words;
    let is_enough = shape.is_batch() || words * left >= least;
    (words <= most && is_enough) && resident_blocks(shape, tiling) > 0
}

/// Returns `true` if nothing is asked for that cannot be.
///
/// Without staging there are no pipeline stages, a thread has no more neighbours than points, and operands have room
/// in shared memory.
fn is_used(shape: &Shape, tiling: &Tiling) -> bool {
    let [mut x, mut y, z] = tiling.tile();
    match shape.tiles {
        Tiles::Plane => {}
        Tiles::WithX => x *= z,
        Tiles::WithY => y *= z,
        Tiles::Batch => {
            x *= z;
            y *= z;
        }
    }
    // Half of the operands of a product are those of rows, half those of columns; and there are columns more so
    // that rows begin in different banks.
    let iterations = tiling.tile_k * tiling.sliced_k.max(1);
    let elements = shape.operands as u32 * (x + y) / 2 * (iterations + 4) * tiling.stages;
    let exchanged = tiling.sliced_k / 2 * tiling.thread_tile[0] * tiling.block.iter().product::<u32>();
    let has_room = (elements + exchanged) * shape.words <= MOST_STAGED
        || tiling.sliced_k == 0 && tiling.tile_k * tiling.stages <= 8;
    (tiling.tile_k > 0 || tiling.stages < 2) && tiling.vector_width <= tiling.thread_tile[0] && has_room
}

/// Returns `true` if a thread goes through its points of an axis in a loop, since sums run along it.
fn is_serial(shape: &Shape, axis: usize) -> bool {
    match shape.sums {
        None => false,
        Some(Sums::AlongX) => axis == 0,
        Some(Sums::Across) => axis == 1,
    }
}

/// Returns the threads of a block.
fn threads(tiling: &Tiling) -> u32 {
    tiling.block.iter().product::<u32>() * tiling.sliced_k.max(1)
}

/// Returns the questions about a kernel, in order.
pub(super) fn questions(shape: &Shape) -> Vec<Question> {
    if shape.is_across {
        return COLUMNS.to_vec();
    }
    if shape.is_row {
        let mut row = ROW.to_vec();
        if shape.dimensions > 1 {
            row.insert(2, OUTER_ROWS);
        }
        return row;
    }
    if let Some((stencil, _)) = &shape.stencil {
        return if stencil.dimensions == 2 { TIME_OF_ROWS } else { TIME_OF_PLANES }.to_vec();
    }
    const TERMS: Question = Question { phase: "terms", values: &[128, 256, 384, 512, 1024, 2048] };
    // Iterations of the loop that is split, each with those of the loops in it.
    const ROUNDS: Question = Question { phase: "terms", values: &[1, 2, 4, 8, 16, 32, 64, 128] };
    let terms = shape.is_split.then_some(if shape.splits_many { ROUNDS } else { TERMS });
    if shape.operands > 0 {
        let last = if shape.is_split { Some(WIDE_SUMS) } else { shape.has_slices.then_some(SLICES) };
        let product = match shape.tiles {
            _ if shape.is_batch() => BATCH,
            Tiles::Plane | Tiles::Batch => PRODUCT,
            Tiles::WithX | Tiles::WithY => BOX,
        };
        return terms.into_iter().chain(product.iter().copied()).chain(last).collect();
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
    if shape.reads_across {
        questions.push(Question { phase: "inner tile", values: &[0, 16] });
    } else if shape.has_loop && shape.sums.is_none() {
        questions.push(Question { phase: "inner tile", values: &[0, 4, 8, 16, 32] });
        questions.push(Question { phase: "buffers", values: &[1, 2] });
    }
    if shape.has_loop || shape.sums.is_some() {
        questions.push(Question { phase: "unroll", values: &[0, 1, 2, 4, 8, 16] });
    }
    questions
}

/// The questions about a kernel of whole rows: threads of a row, rows of a block, and values of a row that a thread
/// has in registers. Short rows share a warp, and a block has many of them.
const ROW: &[Question] = &[
    Question { phase: "block x", values: &[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] },
    Question { phase: "block y", values: &[1, 2, 4, 8, 16, 32] },
    Question { phase: "points x", values: &[1, 4, 8, 16, 32] },
    Question { phase: "neighbours", values: &[1, 4] },
    Question { phase: "unroll", values: &[0, 1, 2, 4, 8] },
];

/// Rows of a block along a second loop.
const OUTER_ROWS: Question = Question { phase: "block z", values: &[1, 2, 4, 8, 16] };

/// The same where neighbouring threads have neighbouring rows.
const COLUMNS: &[Question] = &[
    Question { phase: "block x", values: &[32, 64, 128, 256] },
    Question { phase: "block y", values: &[4, 8, 16, 32] },
    Question { phase: "points x", values: &[1, 4, 8, 16, 32] },
    Question { phase: "unroll", values: &[0, 1, 2, 4, 8] },
];

/// The questions about a kernel that runs several iterations of a stencil, which goes along rows: z is for these.
const TIME_OF_ROWS: &[Question] = &[
    Question { phase: "block x", values: &[32, 64, 128, 256] },
    Question { phase: "points x", values: &[1, 2, 4, 8] },
    Question { phase: "points z", values: &[64, 128, 256, 512, 1024] },
    Question { phase: "buffers", values: &[1, 2, 4] },
];

/// The same where it goes along planes.
const TIME_OF_PLANES: &[Question] = &[
    Question { phase: "block x", values: &[16, 32, 64] },
    Question { phase: "block y", values: &[4, 8, 16, 32] },
    Question { phase: "points x", values: &[1, 2, 4] },
    Question { phase: "points y", values: &[1, 2, 4] },
    Question { phase: "points z", values: &[16, 32, 64, 128, 256] },
    Question { phase: "buffers", values: &[1, 2, 4] },
];

/// Slices: where tiles are few, several threads for each element are worth it.
const SLICES: Question = Question { phase: "slices", values: &[0, 2, 4] };

/// The way in which blocks add what they have of a split sum.
const WIDE_SUMS: Question = Question { phase: "wide sums", values: &[0, 1] };

/// The questions about a product of matrices: it is worth its while with large tiles alone, along two axes.
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

/// The questions about a product that reuses operands along three axes: extents along one of two may be small.
///
/// Those of images are often multiples of 7 or 8, those of tensors of 6.
const BOX: &[Question] = &[
    Question { phase: "block x", values: &[2, 4, 6, 7, 8, 12, 14, 16, 32] },
    Question { phase: "block y", values: &[2, 4, 6, 7, 8, 12, 14, 16] },
    Question { phase: "block z", values: &[1, 2, 4, 8] },
    Question { phase: "points x", values: &[4, 8, 12] },
    Question { phase: "points y", values: &[2, 4, 6, 7, 8, 12, 16] },
    Question { phase: "points z", values: &[1, 2, 4] },
    Question { phase: "neighbours", values: &[1, 4] },
    Question { phase: "inner tile", values: &[8, 16, 32] },
    Question { phase: "buffers", values: &[1, 2, 3] },
    Question { phase: "transposed", values: &[0, 1] },
    Question { phase: "unroll", values: &[0, 4, 8] },
];

/// The questions about a batch of products: of small ones a block has several, and a thread few elements.
const BATCH: &[Question] = &[
    Question { phase: "block x", values: &[4, 8, 16, 32] },
    Question { phase: "block y", values: &[2, 4, 8, 16] },
    Question { phase: "block z", values: &[1, 2, 4, 8, 16] },
    Question { phase: "points x", values: &[1, 2, 4, 8] },
    Question { phase: "points y", values: &[1, 2, 4, 8, 16] },
    Question { phase: "neighbours", values: &[1, 4] },
    Question { phase: "inner tile", values: &[0, 8, 16, 32] },
    Question { phase: "buffers", values: &[1, 2, 3] },
    Question { phase: "transposed", values: &[0, 1] },
    Question { phase: "unroll", values: &[0, 4, 8] },
];

/// The subject of a question: its phase, and how a tiling says and takes a value of it.
type Field = (&'static str, fn(&Tiling) -> u32, fn(&mut Tiling, u32));

const FIELDS: [Field; 14] = [
    ("block x", |tiling| tiling.block[0], |tiling, value| tiling.block[0] = value),
    ("block y", |tiling| tiling.block[1], |tiling, value| tiling.block[1] = value),
    ("block z", |tiling| tiling.block[2], |tiling, value| tiling.block[2] = value),
    ("points x", |tiling| tiling.thread_tile[0], |tiling, value| tiling.thread_tile[0] = value),
    ("points y", |tiling| tiling.thread_tile[1], |tiling, value| tiling.thread_tile[1] = value),
    ("points z", |tiling| tiling.thread_tile[2], |tiling, value| tiling.thread_tile[2] = value),
    ("neighbours", |tiling| tiling.vector_width, |tiling, value| tiling.vector_width = value),
    ("inner tile", |tiling| tiling.tile_k, |tiling, value| tiling.tile_k = value),
    ("terms", |tiling| tiling.split_k_chunk() as u32, |tiling, value| tiling.split_k = value),
    ("buffers", |tiling| tiling.stages, |tiling, value| tiling.stages = value),
    ("slices", |tiling| tiling.sliced_k, |tiling, value| tiling.sliced_k = value),
    ("transposed", |tiling| u32::from(tiling.transposes), |tiling, value| tiling.transposes = value == 1),
    ("wide sums", |tiling| u32::from(tiling.adds_wide), |tiling, value| tiling.adds_wide = value == 1),
    ("unroll", |tiling| tiling.unroll, |tiling, value| tiling.unroll = value),
];

impl Question {
    fn field(&self) -> &'static Field {
        FIELDS.iter().find(|(phase, ..)| *phase == self.phase).expect("each question is about a field")
    }
}

/// Returns the answer that a tiling gives, or the nearest that there is.
pub(super) fn answer(question: &Question, tiling: &Tiling) -> usize {
    let (_, get, _) = question.field();
    let wanted = get(tiling);
    (0..question.values.len())
        .min_by_key(|option| question.values[*option].abs_diff(wanted))
        .expect("a question has answers")
}

/// Returns the tiling of the values that are decided, and what is usual for the rest.
pub(super) fn tiling(shape: &Shape, questions: &[Question], values: &[u32]) -> Tiling {
    let mut tiling = Tiling { block: [1; 3], promotes: true, ..Tiling::default() };
    for (question, value) in questions.iter().zip(values) {
        let (.., set) = question.field();
        set(&mut tiling, *value);
    }
    if shape.operands > 0 {
        tiling.min_blocks = resident_blocks(shape, &tiling);
    }
    tiling
}
