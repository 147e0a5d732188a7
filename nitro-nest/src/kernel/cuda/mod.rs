//! Programs as CUDA C++.
//!
//! Sums of values are in parentheses as they are nested, so that no compiler adds them up otherwise; whether it
//! joins a product and a sum into one operation is for its options to say.

mod frame;
mod groups;
mod helpers;
mod matrix;
mod memory;
mod names;
mod value;

use helpers::{
    ADD_WIDE, ADD_WIDE_DOUBLE, COMMIT, FETCH_16_BITS, FETCH_WIDE, FETCH_WIDE_DOUBLE, OF_BF16, OF_F16, OPAQUE,
    fetch,
};
use names::CudaNames;
use nitro_launch::{Element, Storage};

use super::display::Notation;
use super::{
    GroupOperand, GroupProduct, Instruction, Integers, Kernel, Local, Program, Unroll, WIDE, WIDEST, visit,
};
use crate::mapping::MatrixArithmetic;
use crate::nest::affine::Affine;
use crate::nest::display;
use crate::nest::expression::Access;
use crate::nest::{Condition, Range};

impl Program {
    /// Writes all kernels in CUDA C++.
    ///
    /// Each takes the sizes and the iterators of the host's loops around it (`long long`, or with [`Integers::Bits32`]
    /// `int`), then the scalars (`float`, or `double` where the nest is of that). Last comes a pointer to each array of
    /// the nest, at a multiple of 16 bytes as allocations are. Where the mapping keeps the order of sums it gives what
    /// the nest gives, bit for bit, if compiled with `-fmad=false`.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_nest::{Integers, Mapping, nest};
    ///
    /// #[nest]
    /// fn fill(n: usize, value: f32, #[shape(n)] x: &mut [f32]) {
    ///     for i in 0..n {
    ///         x[i] = value;
    ///     }
    /// }
    ///
    /// let nest = fill::nest();
    /// let source = nest.map(&nest.dependences()?, &Mapping::naive()).cuda(Integers::Bits64);
    /// let head = "void __launch_bounds__(256) fill_0(long long n, float value, float* __restrict__ x)";
    /// assert!(source.contains(head), "{source}");
    /// assert!(source.contains("x[i] = value;"), "{source}");
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    #[must_use]
    pub fn cuda(&self, integers: Integers) -> String {
        self.cuda_in(integers.c_name())
    }

    /// Writes as [`cuda`](Self::cuda) does, with integers of a type of this name.
    pub(super) fn cuda_in(&self, integer: &'static str) -> String {
        let mut text = String::new();
        let is_single = self.nest.element.is_single();
        if self.has(|one| matches!(one, Instruction::Fetch { .. })) {
            text.push_str(&fetch(self.nest.element));
            text.push_str(COMMIT);
        }
        if self.has(|one| matches!(one, Instruction::Fetch { width: WIDE, .. })) {
            text.push_str(if is_single { FETCH_WIDE } else { FETCH_WIDE_DOUBLE });
        }
        if self.has(|one| matches!(one, Instruction::Begin(..))) {
            text.push_str(OPAQUE);
        }
        if self.has(|one| matches!(one, Instruction::AddWide { .. })) {
            text.push_str(if is_single { ADD_WIDE } else { ADD_WIDE_DOUBLE });
        }
        for (storage, helpers) in [(Storage::F16, OF_F16), (Storage::Bf16, OF_BF16)] {
            if self.nest.arrays.iter().any(|array| array.storage == storage) {
                text.push_str(helpers);
            }
        }
        let (of_warps, of_groups) = (self.arithmetics(), self.group_shapes());
        let of_both = of_warps.iter().copied().chain(of_groups.iter().map(|shape| shape.arithmetic));
        text.push_str(&matrix::part_functions(&of_both.collect::<Vec<_>>()));
        text.push_str(&matrix::functions(&of_warps));
        text.push_str(&groups::functions(&of_groups));
        let loads = self.has(|one| matches!(one, Instruction::LoadFragment(_)));
        if loads {
            text.push_str(&matrix::load_functions());
        }
        if loads || self.fetches_16_bits() {
            text.push_str(FETCH_16_BITS);
        }
        if self.has(|one| matches!(one, Instruction::Fetch { width: WIDEST, .. })) {
            text.push_str(groups::FETCH_STORED);
        }
        if self.has(is_of_fetched) {
            text.push_str(groups::MULTIPLY_FETCHED);
        }
        for kernel in &self.kernels {
            let names = CudaNames::new(self, kernel, integer);
            Writer { names, program: self, kernel, integer }.kernel(&mut text);
        }
        text
    }

    /// Returns the arithmetics of matrix units that kernels use.
    fn arithmetics(&self) -> Vec<MatrixArithmetic> {
        let is_used = |arithmetic: &MatrixArithmetic| {
            let is_of = |one: &Instruction| match one {
                Instruction::Multiply(product) => product.arithmetic == *arithmetic,
                _ => false,
            };
            self.kernels.iter().any(|kernel| kernel.has(is_of))
        };
        MatrixArithmetic::ALL.into_iter().filter(is_used).collect()
    }

    /// Returns the shapes of products of four warps that kernels have.
    fn group_shapes(&self) -> Vec<groups::Shape> {
        let mut found = Vec::new();
        for kernel in &self.kernels {
            visit(&kernel.body, &mut |instruction| {
                let Instruction::BeginProduct(product) = instruction else { return };
                let shape =
                    groups::Shape::new(product, |array| &kernel.locals[array - self.nest.arrays.len()]);
                if !found.contains(&shape) {
                    found.push(shape);
                }
            });
        }
        found
    }

    /// Returns `true` if a kernel fetches numbers of 16 bits, one by one or several at once.
    fn fetches_16_bits(&self) -> bool {
        let is_narrow = |one: &Instruction| match one {
            Instruction::Fetch { source, .. } => !self.nest.arrays[source.array].storage.is_number(),
            _ => false,
        };
        self.kernels.iter().any(|kernel| kernel.has(is_narrow))
    }

    /// Returns `true` if a kernel has such an instruction.
    pub(super) fn has(&self, is_such: fn(&Instruction) -> bool) -> bool {
        self.kernels.iter().any(|kernel| kernel.has(is_such))
    }
}

/// Returns `true` for a product of numbers that threads have fetched.
fn is_of_fetched(instruction: &Instruction) -> bool {
    let Instruction::BeginProduct(GroupProduct { left, .. }) = instruction else { return false };
    matches!(left, GroupOperand::Stored { .. })
}

/// A kernel that is written, in its program.
struct Writer<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    names: CudaNames,
    /// The type of integers in C++.
    integer: &'static str,
}

impl Writer<'_> {
    /// Returns the type of numbers.
    fn number(&self) -> &'static str {
        self.element().c_name()
    }

    /// Returns the form of an array in memory.
    fn storage(&self, array: usize) -> Storage {
        let nest = &self.program.nest;
        match nest.arrays.get(array) {
            Some(array) => array.storage,
            None => self.kernel.locals[array - nest.arrays.len()].storage,
        }
    }

    /// Returns elements as arguments of a function.
    fn accesses(&self, all: &[Access]) -> String {
        all.iter().map(|access| self.access(access)).collect::<Vec<_>>().join(", ")
    }

    /// Returns how many times 16 bytes a part has of a right operand in shared memory.
    fn part_size(&self, array: usize) -> i64 {
        self.local(array).shape.iter().rev().skip(1).take(2).product()
    }

    /// Returns the array of the kernel with this index.
    fn local(&self, array: usize) -> &Local {
        &self.kernel.locals[array - self.program.nest.arrays.len()]
    }

    /// Returns `true` if matrix units read what threads have fetched: by another way, so that it has to be made to wait.
    fn multiplies_fetched(&self) -> bool {
        self.kernel.has(is_of_fetched)
    }

    fn element(&self) -> Element {
        self.program.nest.element
    }

    fn head(&self, range: &Range) -> String {
        let (name, integer) = (&self.names.iterators[range.iterator], self.integer);
        let (lower, upper) = (self.extreme(&range.lower, ">"), self.extreme(&range.upper, "<"));
        match (range.is_reversed, range.step) {
            (true, _) => format!("for ({integer} {name} = {upper} - 1; {name} >= {lower}; --{name})"),
            (false, 1) => format!("for ({integer} {name} = {lower}; {name} < {upper}; ++{name})"),
            (false, step) => format!("for ({integer} {name} = {lower}; {name} < {upper}; {name} += {step})"),
        }
    }

    /// Writes one integer, or the largest (`>`) or smallest (`<`) of several, without a library's `max`.
    fn extreme(&self, all: &[Affine], comparison: &str) -> String {
        let (last, others) = all.split_last().expect("a bound has a value");
        let last = display::affine(&self.names, last);
        if others.is_empty() {
            return last;
        }
        let others = self.extreme(others, comparison);
        format!("(({others}) {comparison} ({last}) ? ({others}) : ({last}))")
    }
}

impl Notation for Writer<'_> {
    fn lines(&self, instruction: &Instruction) -> Vec<String> {
        let integer = self.integer;
        vec![match instruction {
            Instruction::Define(iterator, values) => {
                format!(
                    "const {integer} {} = {};",
                    self.names.iterators[*iterator],
                    self.extreme(values, ">")
                )
            }
            Instruction::Begin(iterator, value) => {
                let (name, value) = (&self.names.iterators[*iterator], display::affine(&self.names, value));
                format!("{integer} {name} = opaque({value});")
            }
            Instruction::Set(iterator, value) => {
                format!("{} = {};", self.names.iterators[*iterator], display::affine(&self.names, value))
            }
            Instruction::Assign(assignment) => self.store(&assignment.target, self.value(&assignment.value)),
            Instruction::Choose { conditions, target, value } => {
                let [target, value] = [target, value].map(|access| self.access(access));
                let conditions = display::conditions(&self.names, conditions);
                format!("{target} = ({conditions}) ? {value} : {target};")
            }
            Instruction::Fetch { target, source, width } => {
                let helper = match *width {
                    1 => "fetch",
                    WIDEST => "fetch_16_bytes",
                    _ => "fetch_wide",
                };
                format!("{helper}(&{}, &{});", self.access(target), self.access(source))
            }
            Instruction::Copy { target, source, width } => return self.copy(target, source, *width),
            Instruction::Commit => "commit_fetches();".to_owned(),
            Instruction::Await(groups) if self.multiplies_fetched() => {
                return vec![format!("await_fetches<{groups}>();"), "show_to_matrix_units();".to_owned()];
            }
            Instruction::Await(groups) => format!("await_fetches<{groups}>();"),
            Instruction::Barrier => "__syncthreads();".to_owned(),
            Instruction::Divide { quotient, remainder, value, divisor } => {
                let [quotient, remainder] =
                    [quotient, remainder].map(|iterator| &self.names.iterators[*iterator]);
                let [value, divisor] = [value, divisor].map(|one| display::affine(&self.names, one));
                let divisor = display::factor(&divisor);
                return vec![
                    format!("const {integer} {quotient} = ({value}) / {divisor};"),
                    format!("const {integer} {remainder} = ({value}) % {divisor};"),
                ];
            }
            Instruction::Add { target, value, lanes } => return self.add(target, value, *lanes),
            Instruction::Combine { register, operator, lanes } => {
                return self.combine(register, *operator, *lanes);
            }
            Instruction::Scan { register, operator } => return self.scan(register, *operator),
            Instruction::LoadFragment(load) => {
                let [target, row] = [&load.target, &load.row].map(|access| self.access(access));
                let function = matrix::load_name(load.matrices, load.is_transposed);
                format!("{function}(&{target}, &{row});")
            }
            Instruction::Multiply(product) => {
                let sums = self.accesses(&product.sums);
                let [left, right] = [&product.left, &product.right].map(|access| self.access(access));
                let function = match self.storage(product.left.array) {
                    Storage::Number => "multiply_fragments",
                    _ => "multiply_stored",
                };
                format!("{function}_{}({sums}, &{left}, &{right});", product.arithmetic)
            }
            Instruction::Split(split) => {
                let [target, source] = [&split.target, &split.source].map(|access| self.access(access));
                let size = self.part_size(split.target.array);
                format!("split_{}(&{target}, {size}, &{source});", split.arithmetic)
            }
            Instruction::BeginProduct(product) => {
                let begin = groups::Shape::new(product, |array| self.local(array)).begin();
                let [left, right] = [&product.left, &product.right].map(|one| self.access(one.first()));
                let sums = self.accesses(&product.sums);
                let size = match (&product.left, &product.right) {
                    (GroupOperand::Registers(_), right) => {
                        format!(", {}", self.part_size(right.first().array))
                    }
                    _ => String::new(),
                };
                format!("{begin}({sums}, &{left}, &{right}{size});")
            }
            Instruction::AwaitProduct { sums, but: 0 } => format!("await_product({});", self.accesses(sums)),
            Instruction::AwaitProduct { but, .. } => format!("await_products_but<{but}>();"),
            Instruction::AddWide { target, value } => {
                let value = self.access(value);
                let value = match self.element() {
                    Element::F32 => format!("*(const float4*)&{value}"),
                    Element::F64 => format!("&{value}"),
                };
                format!("add_wide(&{}, {value});", self.access(target))
            }
            Instruction::Loop(..) | Instruction::If(..) => unreachable!("others are in it"),
        }]
    }

    fn loop_head(&self, range: &Range, unroll: Unroll) -> Vec<String> {
        let mut lines = match unroll {
            Unroll::Free => Vec::new(),
            Unroll::By(factor) => vec![format!("#pragma unroll {factor}")],
            Unroll::All => vec!["#pragma unroll".to_owned()],
        };
        lines.push(format!("{} {{", self.head(range)));
        lines
    }

    fn if_head(&self, conditions: &[Condition]) -> String {
        format!("if ({}) {{", display::conditions(&self.names, conditions))
    }
}
