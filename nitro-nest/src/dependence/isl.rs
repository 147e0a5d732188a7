//! Dependences by isl, and all that the crate knows of it.
//!
//! A context of isl serves one thread, and what belongs to it must not outlive it, which isl-rs leaves to its
//! users. Here a call makes a context, and everything of isl is gone when the call ends: numbers alone come out.
//! Nests go in as text, in isl's notation: statement `k` is `Sk[i0, i1]`, array `k` is `Ak[..]`, parameter `k` is
//! `pk`.

use std::collections::BTreeSet;
use std::fmt::Write;

use isl_rs::{Context, DimType, LibISLError, Map, Options, Set, UnionAccessInfo, UnionMap, Val};

use super::{Dependence, DependenceKind, Distance};
use crate::nest::Nest;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Relation};
use crate::nest::statement::Statement;

/// The operations of isl for one nest: some hundred times what the largest nest of PolyBench takes.
const MOST_OPERATIONS: u64 = 500_000_000;
/// `ISL_ON_ERROR_CONTINUE`: errors are values, and nothing is printed.
const ERRORS_ARE_VALUES: i32 = 1;

type Found<T> = Result<T, LibISLError>;

/// Finds all dependences of a nest, in no order.
pub fn dependences(nest: &Nest) -> Result<Vec<Dependence>, String> {
    with_finder(nest, |finder| finder.all())
}

/// Returns `true` if no write comes before a statement's read of the same element.
pub fn reads_inputs(nest: &Nest, statement: usize, read: &Access) -> Result<bool, String> {
    with_finder(nest, |finder| {
        let read_there = access_map(&finder.statements[statement], read);
        let info = UnionAccessInfo::from_sink(finder.union(&[read_there])?)?;
        let info = info.set_must_source(finder.union(&finder.writes(read.array))?)?;
        let flow = info.set_schedule_map(finder.union(&finder.schedule())?)?.compute_flow()?;
        flow.get_may_dependence()?.is_empty()
    })
}

fn with_finder<T>(nest: &Nest, find: impl FnOnce(&Finder<'_>) -> Found<T>) -> Result<T, String> {
    let context = Context::alloc();
    Options::set_on_error(&context, ERRORS_ARE_VALUES).map_err(|error| error.to_string())?;
    context.set_max_operations(MOST_OPERATIONS);
    let finder = Finder { context: &context, nest, statements: nest.statements() };
    find(&finder).map_err(|error| error.to_string())
}

struct Finder<'a> {
    context: &'a Context,
    nest: &'a Nest,
    statements: Vec<Statement<'a>>,
}

impl Finder<'_> {
    fn all(&self) -> Found<Vec<Dependence>> {
        let mut found = Vec::new();
        for array in 0..self.nest.arrays.len() {
            if self.statements.iter().any(|statement| statement.assignment.target.array == array) {
                for kind in [DependenceKind::Flow, DependenceKind::Anti, DependenceKind::Output] {
                    self.of_array(array, kind, &mut found)?;
                }
            }
        }
        Ok(found)
    }

    /// Finds the dependences by an array.
    ///
    /// A write hides earlier ones, and the last before a read is what is read. A read hides nothing. So reads are taken
    /// one by one: together, the 25 of a star in space take isl minutes, and apart less than a second.
    fn of_array(&self, array: usize, kind: DependenceKind, found: &mut Vec<Dependence>) -> Found<()> {
        let writes = || self.union(&self.writes(array));
        if kind == DependenceKind::Output {
            let info = UnionAccessInfo::from_sink(writes()?)?.set_must_source(writes()?)?;
            return self.of_accesses(info, array, kind, found);
        }
        for read in self.reads(array) {
            let read = self.union(&[read])?;
            let info = match kind {
                DependenceKind::Flow => UnionAccessInfo::from_sink(read)?.set_must_source(writes()?)?,
                _ => UnionAccessInfo::from_sink(writes()?)?.set_may_source(read)?,
            };
            self.of_accesses(info, array, kind, found)?;
        }
        Ok(())
    }

    /// Finds the dependences of some accesses to an array.
    fn of_accesses(
        &self,
        info: UnionAccessInfo,
        array: usize,
        kind: DependenceKind,
        found: &mut Vec<Dependence>,
    ) -> Found<()> {
        let flow = info.set_schedule_map(self.union(&self.schedule())?)?.compute_flow()?;
        let maps = flow.get_may_dependence()?.get_map_list()?;
        for index in 0..maps.size()? {
            self.of_pair(maps.get_at(index)?, array, kind, found)?;
        }
        Ok(())
    }

    /// Finds the pairs of two statements, by the loop that carries them.
    fn of_pair(
        &self,
        pairs: Map,
        array: usize,
        kind: DependenceKind,
        found: &mut Vec<Dependence>,
    ) -> Found<()> {
        let [source, sink] = [DimType::In, DimType::Out].map(|side| statement(&pairs, side));
        let (source, sink) = (source?, sink?);
        let common = self.statements[source].common_loops(&self.statements[sink]);
        if common == 0 {
            note(found, Dependence { kind, source, sink, array, level: None, distances: Vec::new() });
            return Ok(());
        }
        let [domain, range] =
            [source, sink].map(|of| Map::read_from_str(self.context, &self.common_iterators(of, common)));
        let distances = pairs.apply_domain(domain?)?.apply_range(range?)?.deltas()?;
        for level in (0..common).map(Some).chain([None]) {
            let carried = Set::read_from_str(self.context, &carried_by(level, common))?;
            let here = distances.copy()?.intersect(carried)?;
            if !here.is_empty()? {
                let distances = (0..common).map(|at| distance(&here, at)).collect::<Found<_>>()?;
                note(found, Dependence { kind, source, sink, array, level, distances });
            }
        }
        Ok(())
    }

    fn union(&self, parts: &[String]) -> Found<UnionMap> {
        let text = parts.join("; ");
        UnionMap::read_from_str(self.context, &format!("{}{{ {text} }}", self.parameters(&text)))
    }

    /// Writes `[p0, p1] -> `: those that occur in a text, since isl takes longer with each of them.
    fn parameters(&self, text: &str) -> String {
        let all = (0..self.nest.parameters.len()).map(|index| format!("p{index}"));
        let names: Vec<_> = all.filter(|name| text.contains(name)).collect();
        format!("[{}] -> ", names.join(", "))
    }

    /// Writes each read of an array once.
    fn reads(&self, array: usize) -> BTreeSet<String> {
        let mut maps = BTreeSet::new();
        for statement in &self.statements {
            let reads = statement.reads().into_iter().filter(|access| access.array == array);
            maps.extend(reads.map(|access| access_map(statement, access)));
        }
        maps
    }

    fn writes(&self, array: usize) -> Vec<String> {
        let writers = self.statements.iter().filter(|statement| statement.assignment.target.array == array);
        writers.map(|statement| access_map(statement, &statement.assignment.target)).collect()
    }

    /// Writes the order of execution: place, iterator, place, iterator, .., place.
    fn schedule(&self) -> Vec<String> {
        let deepest = self.statements.iter().map(|statement| statement.loops.len()).max().unwrap_or(0);
        let mut schedule = Vec::new();
        for statement in &self.statements {
            let mut times = vec![statement.places[0].to_string()];
            for (depth, range) in statement.loops.iter().enumerate() {
                times.push(format!("{}i{depth}", if range.is_reversed { "-" } else { "" }));
                times.push(statement.places[depth + 1].to_string());
            }
            times.resize(2 * deepest + 1, "0".to_owned());
            schedule.push(format!("{} -> [{}] : {}", tuple(statement), times.join(", "), domain(statement)));
        }
        schedule
    }

    /// Writes a map from a statement's iterators to the outermost ones, in the order of their loops.
    fn common_iterators(&self, statement: usize, common: usize) -> String {
        let statement = &self.statements[statement];
        let outer = statement.loops[..common].iter().enumerate();
        let outer: Vec<_> = outer
            .map(|(depth, range)| format!("{}i{depth}", if range.is_reversed { "-" } else { "" }))
            .collect();
        format!("{{ {} -> [{}] }}", tuple(statement), outer.join(", "))
    }
}

/// Adds a dependence: what joins the same instances by other accesses widens its distances.
fn note(found: &mut Vec<Dependence>, new: Dependence) {
    let place = |one: &Dependence| (one.kind, one.source, one.sink, one.array, one.level);
    let Some(known) = found.iter_mut().find(|known| place(known) == place(&new)) else {
        found.push(new);
        return;
    };
    for (known, new) in known.distances.iter_mut().zip(new.distances) {
        known.least = known.least.zip(new.least).map(|(one, other)| one.min(other));
        known.most = known.most.zip(new.most).map(|(one, other)| one.max(other));
    }
}

/// Returns the statement on one side of a map.
fn statement(pairs: &Map, side: DimType) -> Found<usize> {
    let name = pairs.get_tuple_name(side)?;
    Ok(name[1..].parse().expect("statements are called `S` and their number"))
}

/// Writes `S1[i0, i1]`.
fn tuple(statement: &Statement<'_>) -> String {
    let iterators: Vec<_> = (0..statement.loops.len()).map(|depth| format!("i{depth}")).collect();
    format!("S{}[{}]", statement.index, iterators.join(", "))
}

fn access_map(statement: &Statement<'_>, access: &Access) -> String {
    let subscripts: Vec<_> = access.subscripts.iter().map(|subscript| text(statement, subscript)).collect();
    format!("{} -> A{}[{}] : {}", tuple(statement), access.array, subscripts.join(", "), domain(statement))
}

/// Writes the iteration vectors of a statement.
fn domain(statement: &Statement<'_>) -> String {
    let mut all = Vec::new();
    for (depth, range) in statement.loops.iter().enumerate() {
        all.extend(range.lower.iter().map(|bound| format!("i{depth} >= {}", text(statement, bound))));
        all.extend(range.upper.iter().map(|bound| format!("i{depth} < {}", text(statement, bound))));
        if range.step != 1 {
            let first = text(statement, &range.lower[0]);
            all.push(format!("exists (e{depth} : i{depth} = {first} + {}*e{depth})", range.step));
        }
    }
    for condition in &statement.conditions {
        let relation = match condition.relation {
            Relation::Less => "<",
            Relation::LessOrEqual => "<=",
            Relation::Greater => ">",
            Relation::GreaterOrEqual => ">=",
            Relation::Equal => "=",
        };
        all.push(format!(
            "{} {relation} {}",
            text(statement, &condition.left),
            text(statement, &condition.right)
        ));
    }
    if all.is_empty() { "true".to_owned() } else { all.join(" and ") }
}

/// Writes a sum in isl's notation; iterators are called by their depth.
fn text(statement: &Statement<'_>, affine: &Affine) -> String {
    let mut text = affine.constant().to_string();
    for (variable, coefficient) in affine.terms() {
        let name = match variable {
            Variable::Parameter(index) => format!("p{index}"),
            Variable::Iterator(_) => {
                let depth = statement.iterators().position(|around| around == *variable);
                format!("i{}", depth.expect("a valid nest uses iterators inside of their loops"))
            }
            Variable::Block(_) | Variable::Thread(_) => unreachable!("a valid nest has no threads"),
        };
        let sign = if *coefficient < 0 { '-' } else { '+' };
        let _ = write!(text, " {sign} {}*{name}", coefficient.unsigned_abs()); // a string takes everything
    }
    text
}

/// Writes the distances of what a loop carries: none along those around it, and forwards along itself.
fn carried_by(level: Option<usize>, common: usize) -> String {
    let names: Vec<_> = (0..common).map(|at| format!("d{at}")).collect();
    let mut all: Vec<_> = names[..level.unwrap_or(common)].iter().map(|name| format!("{name} = 0")).collect();
    all.extend(level.map(|level| format!("d{level} >= 1")));
    format!("{{ [{}] : {} }}", names.join(", "), all.join(" and "))
}

/// Returns bounds of the distances along one loop.
fn distance(distances: &Set, at: usize) -> Found<Distance> {
    let all = distances.copy()?.project_out_all_params()?;
    let (least, most) = (all.copy()?.dim_min_val(at as i32)?, all.dim_max_val(at as i32)?);
    Ok(Distance { least: finite(&least)?, most: finite(&most)? })
}

fn finite(value: &Val) -> Found<Option<i64>> {
    if value.is_int()? { value.get_num_si().map(Some) } else { Ok(None) }
}
