//! Software pipelines: tiles are on their way to shared memory while others are worked on.
//!
//! A pipeline goes through all loops of a sum: with each iteration of one around the tiles it would run empty.

use super::accumulate::find_accumulator;
use super::context::{Context, guarded};
use super::copy::CopyPhase;
use super::groups::{self, RightOperand};
use super::parts::StagedPart;
use super::stage::{Staging, find_staging, place_all};
use super::tile_body::TileBody;
use super::tiles::{Place, Tiles, copy_tile, divide, write_work};
use crate::kernel::{Instruction, Unroll};
use crate::lower::bounds::{count_to, iterator};
use crate::nest::affine::Affine;
use crate::nest::{Condition, Node, Range};

/// A loop that is staged, with those around it that its pipeline goes through too.
pub(super) struct StagedLoop<'a> {
    /// Loops around it with nothing else in them, outermost first.
    pub(super) outer: Vec<Range>,
    pub(super) range: Range,
    pub(super) body: &'a [Node],
    pub(super) staging: Staging,
}

impl<'a> StagedLoop<'a> {
    /// Finds the loop that is staged: this one, or one in it where all between are loops of one pipeline.
    pub(super) fn find(
        context: &mut Context<'_>,
        range: &Range,
        mut body: &'a [Node],
        guards: &[Condition],
    ) -> Option<Self> {
        let (mut outer, mut range) = (Vec::new(), range.clone());
        let staging = loop {
            if let Some(found) = find_staging(context, &range, body) {
                break found;
            }
            let [Node::Loop(inner, inside)] = body else { return None };
            outer.push(std::mem::replace(&mut range, inner.clone()));
            body = inside;
        };
        let is_apart = context.slices == 1
            && outer.iter().chain([&range]).all(is_plain)
            && is_in_registers(context, body);
        let staging =
            if is_apart { groups::take_operands(context, &range, body, guards, staging) } else { staging };
        let is_one = outer.is_empty() || staging.stages > 1 && is_apart;
        is_one.then(|| Self { outer, range, body, staging: place_all(context, staging) })
    }
}

/// Returns `true` if a loop goes from one value on in steps of one, and as far as sizes say.
fn is_plain(range: &Range) -> bool {
    let mut bounds = range.lower.iter().chain(&range.upper);
    range.lower.len() == 1 && range.step == 1 && !range.is_reversed && bounds.all(Affine::is_of_sizes)
}

/// Returns `true` if all that statements write is in registers already, so that loops around them do nothing else.
fn is_in_registers(context: &Context<'_>, body: &[Node]) -> bool {
    let targets = TileBody::new(body).map(|body| body.assignments).unwrap_or_default();
    targets.into_iter().all(|assignment| find_accumulator(context, &assignment.target).is_some())
}

/// The place of the tile that is fetched: iterators that run ahead of those of loops, outermost first.
pub(super) struct Ahead {
    loops: Vec<(Range, usize)>,
}

impl Ahead {
    pub(super) fn new(context: &mut Context<'_>, tiles: &Tiles) -> Self {
        let mut loops = Vec::new();
        for range in tiles.outer.iter().cloned().chain([tiles.steps()]) {
            let mut names = context.nest.iterators.iter().chain(&context.symbols.iterators);
            let name = format!("next_{}", names.nth(range.iterator).expect("a loop has an iterator"));
            let ahead = context.iterator(&name);
            context.begin_at(ahead, &range.lower);
            loops.push((range, ahead));
        }
        Self { loops }
    }

    /// Begins at the first tile.
    pub(super) fn begin(&self) -> impl Iterator<Item = Instruction> {
        self.loops.iter().map(|(range, ahead)| Instruction::Begin(*ahead, range.lower[0].clone()))
    }

    /// Returns the conditions that there is any tile.
    pub(super) fn is_any(&self) -> Vec<Condition> {
        self.loops.iter().flat_map(|(range, _)| is_below(&range.lower[0], range)).collect()
    }

    /// Returns the conditions that there is a tile.
    fn is_there(&self) -> Vec<Condition> {
        self.loops.iter().flat_map(|(range, ahead)| is_below(&iterator(*ahead), range)).collect()
    }

    /// Goes to the next tile, as digits of a number do: a loop that has ended begins again, and that around it goes on.
    fn go_on(&self) -> Vec<Instruction> {
        let mut all: Vec<Instruction> = Vec::new();
        for (range, ahead) in &self.loops {
            let begin = Instruction::Set(*ahead, range.lower[0].clone());
            let carry = if all.is_empty() { all } else { [vec![begin], all].concat() };
            all = vec![Instruction::Set(*ahead, iterator(*ahead) + range.step)];
            if !carry.is_empty() {
                all.push(Instruction::If(is_below(&iterator(*ahead), range), Vec::new(), carry));
            }
        }
        all
    }

    /// Moves parts to the tile that is fetched, and to the stage of this number.
    fn parts(&self, parts: &[StagedPart], stage: usize) -> Vec<StagedPart> {
        let moved = |part: &StagedPart| {
            let loops = self.loops.iter();
            loops.fold(part.clone(), |part, (range, ahead)| part.at(range.iterator, &iterator(*ahead)))
        };
        parts.iter().map(|part| moved(part).in_stage(iterator(stage))).collect()
    }

    /// Runs copies of the tile ahead, if there is one, and goes on: a group either way.
    pub(super) fn fetch(&self, copies: Vec<Instruction>) -> Vec<Instruction> {
        let mut all = guarded(self.is_there(), copies);
        all.push(Instruction::Commit);
        all.extend(self.go_on());
        all
    }

    /// Returns the values of the loops around tiles, and the first value of the tile.
    pub(super) fn place(&self) -> Place {
        let (last, outer) = self.loops.split_last().expect("tiles are in a loop");
        let values = outer.iter().map(|(range, ahead)| (range.iterator, iterator(*ahead), iterator(*ahead)));
        (values.collect(), iterator(last.1))
    }
}

fn is_below(value: &Affine, range: &Range) -> Vec<Condition> {
    range.upper.iter().map(|upper| Condition::less(value.clone(), upper.clone())).collect()
}

/// Works on one tile while the next ones are on their way to the other pipeline stages.
pub(super) fn write_pipelined(
    context: &mut Context<'_>,
    tiles: &Tiles,
    body: &[Node],
    parts: &[StagedPart],
) -> Vec<Instruction> {
    let [tile, turn, now, next_turn, next, begin] =
        ["tile", "turn", "now", "next_turn", "next", "begin"].map(|name| context.iterator(name));
    let (ahead, place) = (tiles.stages - 1, Ahead::new(context, tiles));
    // Stages are used in turn: that of this tile, and that of the one which is fetched now.
    let mut each = vec![
        divide([turn, now], iterator(tile), tiles.stages),
        divide([next_turn, next], iterator(tile) + ahead, tiles.stages),
        Instruction::Await((ahead - 1) as u32),
    ];
    let present: Vec<StagedPart> = parts.iter().map(|part| part.clone().in_stage(iterator(now))).collect();
    each.extend(copy_tile(context, tiles, &present, &tiles.own_place(), CopyPhase::Change));
    // Past it, what others fetched is there, and nobody works on the tile before.
    each.push(Instruction::Barrier);
    each.extend(fetch_tile(context, tiles, parts, None, &place, next));
    each.push(Instruction::Set(tile, iterator(tile) + 1));
    context.scope.staged = present;
    each.extend(write_work(context, tiles, body));
    let work = repeated(tiles, each);
    // Before the first tile, all but one stage are filled.
    let fetched = fetch_tile(context, tiles, parts, None, &place, begin);
    let mut all: Vec<Instruction> = place.begin().collect();
    all.extend([
        Instruction::Begin(tile, Affine::from(0)),
        Instruction::Barrier,
        Instruction::Loop(count_to(begin, ahead), Unroll::By(1), fetched),
        work,
    ]);
    all
}

/// Repeats what is done for each tile, in all loops of a sum.
pub(super) fn repeated(tiles: &Tiles, each: Vec<Instruction>) -> Instruction {
    let mut work = Instruction::Loop(tiles.steps(), Unroll::By(1), each);
    for range in tiles.outer.iter().rev() {
        work = Instruction::Loop(range.clone(), Unroll::By(1), vec![work]);
    }
    work
}

/// Begins to fetch the tile ahead to a stage, if there is one, and goes on.
pub(super) fn fetch_tile(
    context: &mut Context<'_>,
    tiles: &Tiles,
    parts: &[StagedPart],
    right: Option<&RightOperand>,
    ahead: &Ahead,
    stage: usize,
) -> Vec<Instruction> {
    let (parts, place) = (ahead.parts(parts, stage), ahead.place());
    let mut copies = copy_tile(context, tiles, &parts, &place, CopyPhase::Bring);
    if let Some(right) = right {
        copies.extend(right.bring(context, tiles, &place));
    }
    ahead.fetch(copies)
}
