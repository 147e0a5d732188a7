//! The pass that groups statements into kernels, and chooses the loops of their grids.
//!
//! Distribution of loops after Allen and Kennedy ("Automatic translation of Fortran programs to vector form", 1987),
//! where parallel loops go outwards.

use super::arrange::{is_few, is_few_in};
use super::bounds::{find_loop, may_grow, mentions};
use super::components::components;
use super::draft::{Draft, KernelDraft, KernelGroup};
use crate::dependence::{Dependence, Dependences, is_sum};
use crate::kernel::Host;
use crate::mapping::Schedule;
use crate::nest::affine::Affine;
use crate::nest::expression::Access;
use crate::nest::statement::Statement;
use crate::nest::{Assignment, Nest, Range};

/// The most dimensions of a grid: three of tiles, and others along which each block has one value.
pub(super) const MOST_DIMENSIONS: usize = 8;

/// Gives the draft its kernels, and the order in which the host launches them.
pub(super) fn run(draft: &mut Draft<'_>) {
    let nest = &draft.input.nest;
    let plans = plans(nest, &draft.input.dependences, draft.mapping.schedule());
    draft.host = place(nest, plans, &mut Vec::new(), &mut draft.kernels);
}

/// Makes a kernel of each group, with the host's loops around them.
fn place(nest: &Nest, plans: Vec<Plan>, host: &mut Vec<usize>, kernels: &mut Vec<KernelDraft>) -> Vec<Host> {
    let mut launches = Vec::new();
    for plan in plans {
        launches.push(match plan {
            Plan::Host(iterator, inside) => {
                let range = find_loop(&nest.body, iterator).expect("an iterator is that of a loop").clone();
                host.push(iterator);
                let body = place(nest, inside, host, kernels);
                host.pop();
                Host::Loop(range, body)
            }
            Plan::Kernel(group) => {
                let host_iterators = host.clone();
                kernels.push(KernelDraft { group, host_iterators, ..KernelDraft::default() });
                Host::Launch(kernels.len() - 1)
            }
        });
    }
    launches
}

/// The decision about some statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// The host repeats a loop: the iterator's index.
    Host(usize, Vec<Plan>),
    Kernel(KernelGroup),
}

impl Plan {
    fn is_parallel(&self) -> bool {
        match self {
            Plan::Host(_, plans) => plans.iter().any(Plan::is_parallel),
            Plan::Kernel(group) => !group.grid.is_empty(),
        }
    }
}

/// Plans all statements of a nest, in the order in which they run.
fn plans(nest: &Nest, dependences: &Dependences, schedule: Schedule) -> Vec<Plan> {
    let relaxed = schedule.reassociates(nest).then(|| dependences.without_sums(nest));
    let scattering = schedule.reassociates(nest).then(|| dependences.without_scattered_sums(nest));
    let planner = Planner { nest, statements: nest.statements(), dependences, relaxed, scattering, schedule };
    let all: Vec<usize> = (0..planner.statements.len()).collect();
    planner.plans(&all, 0)
}

pub(super) struct Planner<'a> {
    pub(super) nest: &'a Nest,
    pub(super) statements: Vec<Statement<'a>>,
    pub(super) dependences: &'a Dependences,
    /// The dependences without those of sums, where several threads may add up one.
    relaxed: Option<Dependences>,
    /// Those without any of sums, which may be added to atomically wherever they are.
    pub(super) scattering: Option<Dependences>,
    pub(super) schedule: Schedule,
}

impl Planner<'_> {
    /// Plans statements that share the loops outside of `depth`, which the host runs.
    ///
    /// What is in one loop at `depth` stays together first, since the order of such groups is legal.
    fn plans(&self, among: &[usize], depth: usize) -> Vec<Plan> {
        let mut plans = Vec::new();
        let mut left = among;
        while let [first, ..] = left {
            let own = self.loop_at(*first, depth);
            // Statements outside of all loops at this depth are groups of their own.
            let count = left
                .iter()
                .take_while(|other| *other == first || own.is_some() && self.loop_at(**other, depth) == own)
                .count();
            let (group, others) = left.split_at(count);
            for plan in self.group(group, depth) {
                match (plans.last_mut(), plan) {
                    (Some(Plan::Kernel(last)), Plan::Kernel(next))
                        if self.are_single([last, &next], depth) =>
                    {
                        last.statements.extend(next.statements);
                    }
                    (_, plan) => plans.push(plan),
                }
            }
            left = others;
        }
        plans
    }

    /// Returns `true` if kernels that follow each other have single statements outside of all loops: one thread may
    /// run all of them.
    fn are_single(&self, kernels: [&KernelGroup; 2], depth: usize) -> bool {
        let mut statements = kernels.into_iter().flat_map(|kernel| &kernel.statements);
        self.schedule.fuses && statements.all(|one| self.statements[*one].loops.len() == depth)
    }

    /// Returns the iterator of the loop at this depth around a statement.
    fn loop_at(&self, statement: usize, depth: usize) -> Option<usize> {
        self.statements[statement].loops.get(depth).map(|range| range.iterator)
    }

    pub(super) fn assignment(&self, statement: usize) -> &Assignment {
        self.statements[statement].assignment
    }

    /// Plans one kernel or, where that has fewer dimensions, one for each component.
    fn group(&self, group: &[usize], depth: usize) -> Vec<Plan> {
        if let Some(plans) = self.with_rows(group, depth) {
            return plans;
        }
        let together = self.kernel(group, depth);
        let components = components(self.dependences, group, depth);
        if components.len() == 1 {
            return vec![together.unwrap_or_else(|| self.sequential(group, depth))];
        }
        let apart = self.apart(&components, depth);
        let Some(together) = together else { return apart };
        let dimensions = self.dimensions(&together);
        // Apart, a kernel may get more dimensions; it pays if none loses any.
        let none_has_fewer = apart.iter().all(|plan| self.dimensions(plan) >= dimensions);
        let some_has_more = apart.iter().any(|plan| self.dimensions(plan) > dimensions);
        let pays =
            none_has_fewer && some_has_more && !apart.iter().any(|plan| self.sums_up_kept(plan, group));
        if pays { apart } else { vec![together] }
    }

    /// Returns `true` if a kernel only adds up, in parallel, what others of a group keep for each term.
    fn sums_up_kept(&self, plan: &Plan, group: &[usize]) -> bool {
        let Plan::Kernel(kernel) = plan else { return false };
        let is_own =
            |array: usize| kernel.statements.iter().any(|one| self.assignment(*one).target.array == array);
        let is_kept = |read: &&Access| {
            let mut others = group.iter().filter(|one| !kernel.statements.contains(one));
            read.array >= self.nest.arguments()
                && read.depends_on(&kernel.summed)
                && !is_own(read.array)
                && others.any(|other| self.assignment(*other).target.array == read.array)
        };
        kernel.statements.iter().any(|one| self.statements[*one].reads().iter().any(is_kept))
    }

    /// Plans the components one by one or, with fusion, neighbours together where that costs no dimension.
    pub(super) fn apart(&self, components: &[Vec<usize>], depth: usize) -> Vec<Plan> {
        let mut plans: Vec<Plan> = Vec::new();
        for component in components {
            let plan = self.kernel(component, depth).unwrap_or_else(|| self.sequential(component, depth));
            match plans.last().and_then(|last| self.fused(last, &plan, depth)) {
                Some(fused) => *plans.last_mut().expect("it is the last") = fused,
                None => plans.push(plan),
            }
        }
        plans
    }

    fn fused(&self, one: &Plan, other: &Plan, depth: usize) -> Option<Plan> {
        let (Plan::Kernel(first), Plan::Kernel(second)) = (one, other) else { return None };
        let mut all = [first.statements.as_slice(), &second.statements].concat();
        all.sort_unstable();
        let fused = self.schedule.fuses.then(|| self.kernel(&all, depth)).flatten()?;
        if self.parts_sums(&fused, depth, &[first, second]) {
            return None;
        }
        (self.dimensions(&fused) >= self.dimensions(one).max(self.dimensions(other))).then_some(fused)
    }

    /// Returns the dimensions of a grid, 0 where the host repeats: those of few iterations only where there are no
    /// others.
    fn dimensions(&self, plan: &Plan) -> usize {
        let Plan::Kernel(group) = plan else { return 0 };
        let all = group.grid.len();
        let few = group.grid.iter().filter(|iterator| is_few_in(self.nest, **iterator)).count();
        (if few < all { all - few } else { all }) + usize::from(group.split.is_some())
    }

    /// Returns `true` if threads would add up in parts what one of these kernels has whole in each thread.
    fn parts_sums(&self, fused: &Plan, depth: usize, kernels: &[&KernelGroup]) -> bool {
        let Plan::Kernel(fused) = fused else { return false };
        let has_loops = |kernel: &KernelGroup| {
            let mut own = kernel.statements.iter().map(|statement| &self.statements[*statement].loops);
            own.any(|loops| loops.len() > depth + kernel.grid.len())
        };
        !fused.summed.is_empty() && kernels.iter().any(|kernel| kernel.summed.is_empty() && has_loops(kernel))
    }

    /// Plans a kernel of all these statements, if they share a parallel loop.
    fn kernel(&self, among: &[usize], depth: usize) -> Option<Plan> {
        let mut grid = self.long(among, depth, self.grid(self.dependences, among, depth));
        let mut summed = Vec::new();
        // Where one loop at most is parallel, sums may be added up in parallel for another.
        if let Some(relaxed) = &self.relaxed
            && self.schedule.sums_in_parallel
            && grid.len() < 2
        {
            let wider = self.grid(relaxed, among, depth);
            if wider.len() > grid.len() && self.sums_are_alone(among, &wider) {
                summed = wider.iter().filter(|iterator| !grid.contains(iterator)).copied().collect();
                grid = wider;
            }
        }
        let scattered = self.scattered(among, depth, &grid);
        if !scattered.is_empty() {
            (grid, summed) = (scattered.clone(), Vec::new());
        }
        if self.schedule.coalesces {
            self.arrange(among, &mut grid);
        }
        let split = if scattered.is_empty() { self.split(among, depth, &grid) } else { None };
        let group = KernelGroup { statements: among.to_vec(), grid, summed, scattered, split, row: None };
        (!group.grid.is_empty()).then_some(Plan::Kernel(group))
    }

    /// Takes loops of few iterations out of a grid where longer ones are left, and nothing else is in a thread: most
    /// threads along them would be idle.
    fn long(&self, among: &[usize], depth: usize, grid: Vec<usize>) -> Vec<usize> {
        let mut loops = among.iter().map(|one| &self.statements[*one].loops[depth..]);
        if loops.any(|own| own.len() != grid.len()) {
            return grid;
        }
        let own = &self.statements[among[0]].loops[depth..];
        let is_short = |range: &&Range| {
            let mut others = own.iter().flat_map(|other| other.lower.iter().chain(&other.upper));
            is_few(range) && !others.any(|bound| mentions(bound, &[range.iterator]))
        };
        let long = own.iter().filter(|range| !is_short(range)).map(|range| range.iterator);
        let long: Vec<usize> = long.collect();
        if long.is_empty() { grid } else { long }
    }

    /// Returns the reduction loop to split across blocks (split-K).
    ///
    /// Requires a grid of at least two dimensions, and a loop over sizes besides it in which everything sums up along
    /// it: the outermost that is longer for larger sizes.
    fn split(&self, among: &[usize], depth: usize, grid: &[usize]) -> Option<usize> {
        // Sums have to be free of all dependences but their own, and nothing may see a part of them.
        let has_tiles = (2..MOST_DIMENSIONS).contains(&grid.len());
        let relaxed = self.relaxed.as_ref().filter(|_| self.schedule.splits_sums && has_tiles)?;
        let loops = &self.statements[among[0]].loops;
        let mut inside = depth..self.common(among);
        let at = inside.find(|at| !grid.contains(&loops[*at].iterator) && may_grow(loops[*at]))?;
        let range = loops[at];
        let is_of_sizes = range.lower.iter().chain(&range.upper).all(Affine::is_of_sizes);
        let is_plain = is_of_sizes && range.lower.len() == 1 && range.step == 1 && !range.is_reversed;
        let is_free = relaxed.within(among, depth).all(|found| found.distances[at].is_zero());
        let all_sum_up = among.iter().all(|statement| {
            let assignment = self.assignment(*statement);
            is_sum(assignment) && !assignment.target.depends_on(&[range.iterator])
        });
        let split = [grid, &[range.iterator]].concat();
        let may_be_split = is_plain && is_free && all_sum_up && self.sums_are_alone(among, &split);
        may_be_split.then_some(range.iterator)
    }

    /// Returns `true` if nothing but sums touches what is added up across the grid.
    ///
    /// Then nothing sees a part of a sum.
    fn sums_are_alone(&self, among: &[usize], grid: &[usize]) -> bool {
        let mut ranges = among.iter().flat_map(|one| &self.statements[*one].loops);
        let steps_are_plain = ranges.all(|range| range.step == 1);
        steps_are_plain
            && among.iter().all(|statement| {
                let target = &self.assignment(*statement).target;
                let is_across = grid.iter().any(|iterator| !target.depends_on(&[*iterator]));
                let mut others = among.iter().filter(|other| *other != statement);
                let touches =
                    |other: &usize| self.accesses(*other).iter().any(|one| may_be_same(one, target));
                !is_across || !others.any(touches)
            })
    }

    pub(super) fn touches(&self, statement: usize, array: usize) -> bool {
        self.accesses(statement).iter().any(|access| access.array == array)
    }

    pub(super) fn accesses(&self, statement: usize) -> Vec<&Access> {
        self.assignment(statement).accesses()
    }

    /// Plans a loop of the host if something in it is parallel, else one thread that runs everything.
    fn sequential(&self, among: &[usize], depth: usize) -> Plan {
        // A launch for each iteration pays if kernels have several threads then.
        if let Some(iterator) = self.loop_at(among[0], depth) {
            let host = Plan::Host(iterator, self.plans(among, depth + 1));
            if host.is_parallel() {
                return host;
            }
        }
        Plan::Kernel(KernelGroup { statements: among.to_vec(), ..KernelGroup::default() })
    }

    /// Returns the loops that all these statements share and no dependence between them crosses.
    ///
    /// A loop whose bounds are known only inside of a thread is not among them.
    pub(super) fn grid(&self, dependences: &Dependences, among: &[usize], depth: usize) -> Vec<usize> {
        let mut grid: Vec<usize> = Vec::new();
        let mut inside: Vec<usize> = Vec::new();
        let found: Vec<&Dependence> = dependences.within(among, depth).collect();
        let loops = &self.statements[among[0]].loops;
        for (at, range) in loops.iter().enumerate().take(self.common(among)).skip(depth) {
            let is_free = found.iter().all(|found| found.distances[at].is_zero());
            if is_free && grid.len() < MOST_DIMENSIONS && bounds_are_known(range, &grid, &inside) {
                grid.push(range.iterator);
            } else {
                inside.push(range.iterator);
            }
        }
        grid
    }

    /// Counts the loops around all these statements.
    pub(super) fn common(&self, among: &[usize]) -> usize {
        let first = &self.statements[among[0]];
        let others = among[1..].iter().map(|other| first.common_loops(&self.statements[*other]));
        others.min().unwrap_or(first.loops.len())
    }
}

/// Returns `true` if two elements may be one: they are not where numbers tell them apart.
fn may_be_same(one: &Access, other: &Access) -> bool {
    let number = |subscript: &Affine| subscript.terms().is_empty().then(|| subscript.constant());
    let mut pairs = one.subscripts.iter().zip(&other.subscripts);
    let are_apart =
        pairs.any(|(one, other)| number(one).zip(number(other)).is_some_and(|(one, other)| one != other));
    one.array == other.array && !are_apart
}

/// Returns the elements that statements read, but for those of arrays that they write.
pub(super) fn read_alone<'n>(assignments: &[&'n Assignment]) -> Vec<&'n Access> {
    let is_written = |access: &Access| assignments.iter().any(|one| one.target.array == access.array);
    let reads = assignments.iter().flat_map(|one| one.value.reads());
    reads.filter(|access| !is_written(access)).collect()
}

/// Returns `true` if bounds of a loop of the grid depend on no loop that runs in the thread.
///
/// They may depend on others of the grid, where the steps still begin at one value.
pub(super) fn bounds_are_known(range: &Range, grid: &[usize], inside: &[usize]) -> bool {
    let mut bounds = range.lower.iter().chain(&range.upper);
    bounds.all(|bound| !mentions(bound, inside) && (range.step == 1 || !mentions(bound, grid)))
}
