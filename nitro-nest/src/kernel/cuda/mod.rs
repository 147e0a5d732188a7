//! Programs as CUDA C++.
//!
//! Sums of values are in parentheses as they are nested, so that no compiler adds them up otherwise; whether it
//! joins a product and a sum into one operation is for its options to say.

mod helpers;
mod matrix;
mod names;

use std::collections::BTreeSet;

use helpers::{
    ADD_WIDE, ADD_WIDE_DOUBLE, COMMIT, FETCH_16_BITS, FETCH_WIDE, FETCH_WIDE_DOUBLE, OF_BF16, OF_F16, OPAQUE,
    fetch,
};
use names::CudaNames;
use nitro_launch::{Element, Storage};

use super::display::{Notation, write_instructions};
use super::{Cache, Extent, Instruction, Integers, Kernel, LANES, Program, Space, Unroll, WIDE};
use crate::mapping::MatrixArithmetic;
use crate::nest::affine::{Affine, Variable};
use crate::nest::display::{self, Names};
use crate::nest::expression::{Access, Binary, Expression, Select, Unary};
use crate::nest::gather::{Gather, Subscript};
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
        text.push_str(&matrix::functions(&self.arithmetics()));
        if self.has(|one| matches!(one, Instruction::LoadFragment(_))) {
            text.push_str(&matrix::load_functions());
            text.push_str(FETCH_16_BITS);
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

    /// Returns `true` if a kernel has such an instruction.
    fn has(&self, is_such: fn(&Instruction) -> bool) -> bool {
        self.kernels.iter().any(|kernel| kernel.has(is_such))
    }
}

struct Writer<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    names: CudaNames,
    /// The type of integers in C++.
    integer: &'static str,
}

impl Writer<'_> {
    fn kernel(&self, text: &mut String) {
        let (threads, name) = (self.kernel.threads(), &self.kernel.name);
        let bounds = match self.kernel.resident_blocks {
            0 => threads.to_string(),
            blocks => format!("{threads}, {blocks}"),
        };
        let arguments = self.arguments();
        *text +=
            &format!("extern \"C\" __global__ void __launch_bounds__({bounds}) {name}({arguments})\n{{\n");
        let is_dynamic = self.kernel.dynamic_shared_bytes(self.element()) > 0;
        if is_dynamic {
            *text += "    extern __shared__ __align__(16) unsigned char dynamic_shared[];\n";
        }
        let mut offset = 0;
        for (index, local) in self.kernel.locals.iter().enumerate() {
            let array = self.program.nest.arrays.len() + index;
            // Aligned so that a compiler may load four elements at once.
            let space = match local.space {
                Space::Shared => "__shared__ __align__(16) ",
                Space::Register if self.is_copied(array) || !local.storage.is_number() => "__align__(16) ",
                Space::Register => "",
            };
            let shape: String = local.shape.iter().map(|extent| format!("[{extent}]")).collect();
            let (number, name) = (local.storage.c_name(self.element()), self.names.array(array));
            if is_dynamic && local.space == Space::Shared {
                let place = format!("dynamic_shared + {offset}");
                *text += &format!("    {number} (&{name}){shape} = *({number} (*){shape})({place});\n");
                offset += local.bytes(self.element());
                continue;
            }
            *text += &format!("    {space}{number} {name}{shape};\n");
        }
        if self.kernel.has_numbered_blocks() {
            self.write_block_indices(text);
        }
        write_instructions(self, &self.kernel.body, 1, text);
        *text += "}\n\n";
    }

    /// Writes what the index of a block is along each dimension, from its number.
    fn write_block_indices(&self, text: &mut String) {
        let (covering, integer) = (self.kernel.covering(), self.integer);
        let mut rest = format!("({integer})blockIdx.x");
        for (dimension, extent) in self.kernel.grid.iter().enumerate() {
            let name = self.names.variable(Variable::Block(dimension));
            let blocks = self.blocks(extent, covering.of_block(dimension) as i64 * extent.step);
            *text += &format!("    const {integer} {name} = {rest} % ({blocks});\n");
            rest += &format!(" / ({blocks})");
        }
    }

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

    fn element(&self) -> Element {
        self.program.nest.element
    }

    /// Writes how many blocks cover an extent.
    fn blocks(&self, extent: &Extent, of_block: i64) -> String {
        let (lower, upper) = (self.extreme(&extent.lower, ">"), self.extreme(&extent.upper, "<"));
        let count = if lower == "0" { upper } else { format!("{upper} - ({lower})") };
        if of_block == 1 { count } else { format!("({count} + {}) / {of_block}", of_block - 1) }
    }

    /// Returns `true` if several elements of the array are copied at once.
    fn is_copied(&self, array: usize) -> bool {
        self.kernel.has(|instruction| match instruction {
            Instruction::Copy { target, source: other } | Instruction::AddWide { target, value: other } => {
                target.array == array || other.array == array
            }
            _ => false,
        })
    }

    fn arguments(&self) -> String {
        let nest = &self.program.nest;
        let host = self.kernel.host_iterators.iter().map(|iterator| &self.names.iterators[*iterator]);
        let integers =
            self.names.parameters.iter().chain(host).map(|name| format!("{} {name}", self.integer));
        let scalars = self.names.scalars.iter().map(|name| format!("{} {name}", self.number()));
        let written: BTreeSet<usize> = self.kernel.targets().iter().map(|target| target.array).collect();
        let arrays = (0..nest.arrays.len()).map(|array| {
            let constant = if written.contains(&array) { "" } else { "const " };
            let number = nest.arrays[array].storage.c_name(self.element());
            format!("{constant}{number}* __restrict__ {}", self.names.array(array))
        });
        let indices =
            self.names.integer_arrays.iter().map(|name| format!("const unsigned* __restrict__ {name}"));
        integers.chain(scalars).chain(arrays).chain(indices).collect::<Vec<_>>().join(", ")
    }

    /// Reads an element, through the caches that were asked for.
    fn load(&self, array: usize, element: String) -> String {
        let element = match self.kernel.caches(array)[0] {
            Cache::Usual => element,
            Cache::Device => format!("__ldcg(&{element})"),
            Cache::Streaming => format!("__ldcs(&{element})"),
        };
        match self.storage(array) {
            Storage::Number => element,
            storage => format!("from_{}({element})", storage.name(self.element())),
        }
    }

    /// Writes the statement by which an element becomes a value.
    fn store(&self, target: &Access, value: String) -> String {
        let element = self.access(target);
        let value = match self.storage(target.array) {
            Storage::Number => value,
            storage => format!("to_{}({value})", storage.name(self.element())),
        };
        match self.kernel.caches(target.array)[1] {
            Cache::Usual => format!("{element} = {value};"),
            Cache::Device => format!("__stcg(&{element}, {value});"),
            Cache::Streaming => format!("__stcs(&{element}, {value});"),
        }
    }

    /// Writes the statements that copy neighbours, 16 bytes each.
    fn copy(&self, target: &Access, source: &Access) -> Vec<String> {
        let (vector, places) = match self.element() {
            _ if !self.storage(target.array).is_number() => ("uint2", &[""][..]),
            Element::F32 => ("float4", &[""][..]),
            Element::F64 => ("double2", &["", " + 1"][..]),
        };
        let [reads, _] = self.kernel.caches(source.array);
        let [_, writes] = self.kernel.caches(target.array);
        let (target, source) = (self.access(target), self.access(source));
        let mut copies = Vec::new();
        for place in places {
            let pointer = |of: &str, element: &str| match *place {
                "" => format!("({of}*)&{element}"),
                behind => format!("(({of}*)&{element}{behind})"),
            };
            let (to, from) = (pointer(vector, &target), pointer(&format!("const {vector}"), &source));
            let value = match reads {
                Cache::Usual => format!("*{from}"),
                Cache::Device => format!("__ldcg({from})"),
                Cache::Streaming => format!("__ldcs({from})"),
            };
            copies.push(match writes {
                Cache::Usual => format!("*{to} = {value};"),
                Cache::Device => format!("__stcg({to}, {value});"),
                Cache::Streaming => format!("__stcs({to}, {value});"),
            });
        }
        copies
    }

    /// Writes the addition of a register, after that of the lanes by shuffles.
    fn add(&self, target: &Access, value: &Access, lanes: u32) -> Vec<String> {
        let (target, value) = (self.access(target), self.access(value));
        if lanes == 1 {
            return vec![format!("atomicAdd(&{target}, {value});")];
        }
        vec![
            format!("for (int lane = {}; lane > 0; lane /= 2) {{", lanes / 2),
            format!("    {value} += __shfl_down_sync(0xffffffffu, {value}, lane);"),
            "}".to_owned(),
            format!("if (threadIdx.x % {lanes} == 0) {{"),
            format!("    atomicAdd(&{target}, {value});"),
            "}".to_owned(),
        ]
    }

    /// Writes the rounds in which a warp combines a register, each lane with another one.
    fn combine(&self, register: &Access, operator: Binary) -> Vec<String> {
        let own = self.access(register);
        let other = format!("__shfl_xor_sync(0xffffffffu, {own}, lane)");
        vec![
            format!("for (int lane = {}; lane > 0; lane /= 2) {{", LANES / 2),
            format!("    {own} = {};", operation(self.element(), operator, &own, &other)),
            "}".to_owned(),
        ]
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

    /// Writes an element: arrays of the nest are flat; those of the kernel have the subscripts of C.
    fn access(&self, access: &Access) -> String {
        let name = self.names.array(access.array);
        let subscripts = self.integers(&access.subscripts);
        match self.program.nest.arrays.get(access.array) {
            Some(declared) => self.flat(name, &declared.shape, subscripts),
            None => name.to_owned() + &subscripts.map(|one| format!("[{one}]")).collect::<String>(),
        }
    }

    fn integers(&self, all: &[Affine]) -> impl Iterator<Item = String> {
        all.iter().map(|one| display::affine(&self.names, one))
    }

    /// Writes an element of an array of this shape.
    fn flat(&self, name: &str, shape: &[Affine], mut subscripts: impl Iterator<Item = String>) -> String {
        let first = subscripts.next().unwrap_or_else(|| "0".to_owned());
        let extents = shape.iter().skip(1).map(|extent| display::affine(&self.names, extent));
        let flat = subscripts.zip(extents).fold(first, |flat, (subscript, extent)| {
            format!("{} * {} + {subscript}", factor(&flat), factor(&extent))
        });
        format!("{name}[{flat}]")
    }

    /// Writes an element at a place that arrays of integers say.
    fn gather(&self, gather: &Gather) -> String {
        let nest = &self.program.nest;
        let subscripts = gather.subscripts.iter().map(|subscript| match subscript {
            Subscript::Affine(affine) => display::affine(&self.names, affine),
            Subscript::Index(index) => {
                let (name, shape) = (self.names.indices(index.indices), &nest.indices[index.indices].shape);
                format!("({}){}", self.integer, self.flat(name, shape, self.integers(&index.subscripts)))
            }
        });
        self.flat(self.names.array(gather.array), &nest.arrays[gather.array].shape, subscripts)
    }

    fn value(&self, value: &Expression) -> String {
        match value {
            Expression::Constant(bits) => number(self.element(), (*bits).into()),
            Expression::Scalar(index) => self.names.scalar(*index).to_owned(),
            Expression::Integer(integer) => {
                format!("({})({})", self.number(), display::affine(&self.names, integer))
            }
            Expression::Load(access) => self.load(access.array, self.access(access)),
            Expression::Gather(gather) => self.load(gather.array, self.gather(gather)),
            Expression::Unary(operator, operand) => {
                format!("{}({})", function(self.element(), *operator), self.value(operand))
            }
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expression::Fused(parts) => {
                let [left, right, summand] = [0, 1, 2].map(|part| self.value(&parts[part]));
                format!("{}({left}, {right}, {summand})", of_type(self.element(), "fma"))
            }
            Expression::Select(select) => {
                let Select { relation, left, right, then, otherwise } = &**select;
                let [left, right, then, otherwise] =
                    [left, right, then, otherwise].map(|part| self.value(part));
                format!("(({left}) {} ({right}) ? ({then}) : ({otherwise}))", display::relation(*relation))
            }
        }
    }

    fn binary(&self, operator: Binary, left: &Expression, right: &Expression) -> String {
        let is_function = matches!(operator, Binary::Minimum | Binary::Maximum);
        let [left, right] = [left, right].map(|side| match side {
            Expression::Binary(..) | Expression::Unary(..) if !is_function => {
                format!("({})", self.value(side))
            }
            _ => self.value(side),
        });
        operation(self.element(), operator, &left, &right)
    }
}

/// Writes an operation on two values.
fn operation(element: Element, operator: Binary, left: &str, right: &str) -> String {
    match operator {
        Binary::Minimum => format!("{}({left}, {right})", of_type(element, "fmin")),
        Binary::Maximum => format!("{}({left}, {right})", of_type(element, "fmax")),
        Binary::Add => format!("{left} + {right}"),
        Binary::Subtract => format!("{left} - {right}"),
        Binary::Multiply => format!("{left} * {right}"),
        Binary::Divide => format!("{left} / {right}"),
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
            Instruction::Fetch { target, source, width } => {
                let helper = if *width == 1 { "fetch" } else { "fetch_wide" };
                format!("{helper}(&{}, &{});", self.access(target), self.access(source))
            }
            Instruction::Copy { target, source } => return self.copy(target, source),
            Instruction::Commit => "commit_fetches();".to_owned(),
            Instruction::Await(groups) => format!("await_fetches<{groups}>();"),
            Instruction::Barrier => "__syncthreads();".to_owned(),
            Instruction::Divide { quotient, remainder, value, divisor } => {
                let [quotient, remainder] =
                    [quotient, remainder].map(|iterator| &self.names.iterators[*iterator]);
                let value = display::affine(&self.names, value);
                return vec![
                    format!("const {integer} {quotient} = ({value}) / {divisor};"),
                    format!("const {integer} {remainder} = ({value}) % {divisor};"),
                ];
            }
            Instruction::Add { target, value, lanes } => return self.add(target, value, *lanes),
            Instruction::Combine { register, operator } => return self.combine(register, *operator),
            Instruction::LoadFragment(load) => {
                let [target, row] = [&load.target, &load.row].map(|access| self.access(access));
                let function = matrix::load_name(load.matrices, load.is_transposed);
                format!("{function}(&{target}, &{row});")
            }
            Instruction::Multiply(product) => {
                let sums = product.sums.iter().map(|sum| self.access(sum)).collect::<Vec<_>>().join(", ");
                let [left, right] = [&product.left, &product.right].map(|access| self.access(access));
                let function = match self.storage(product.left.array) {
                    Storage::Number => "multiply_fragments",
                    _ => "multiply_stored",
                };
                format!("{function}_{}({sums}, &{left}, &{right});", product.arithmetic)
            }
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

/// Writes a factor of a product: a sum in parentheses.
fn factor(text: &str) -> String {
    if text.contains([' ', '-']) { format!("({text})") } else { text.to_owned() }
}

/// Returns the function that an operation on one value is.
fn function(element: Element, operator: Unary) -> String {
    let name = match operator {
        Unary::Negate => return "-".to_owned(),
        Unary::SquareRoot => "sqrt",
        Unary::Absolute => "fabs",
        Unary::Exponential => "exp",
        Unary::Logarithm => "log",
        Unary::HyperbolicTangent => "tanh",
        Unary::Sine => "sin",
        Unary::Cosine => "cos",
        Unary::RoundF16 => return "round_f16".to_owned(),
        Unary::RoundBf16 => return "round_bf16".to_owned(),
    };
    of_type(element, name)
}

/// Returns the name of a function of C for numbers of a type.
fn of_type(element: Element, name: &str) -> String {
    match element {
        Element::F32 => format!("{name}f"),
        Element::F64 => name.to_owned(),
    }
}

/// Writes a number as C reads it, to the last bit.
fn number(element: Element, value: f64) -> String {
    let text = match element {
        Element::F32 if value.is_nan() => return "__int_as_float(0x7fc00000)".to_owned(),
        Element::F32 if value.is_infinite() => {
            return format!("__int_as_float({:#x})", (value as f32).to_bits());
        }
        Element::F32 => format!("{:?}f", value as f32),
        Element::F64 if value.is_nan() => return "__longlong_as_double(0x7ff8000000000000)".to_owned(),
        Element::F64 if value.is_infinite() => {
            return format!("__longlong_as_double({:#x})", value.to_bits());
        }
        Element::F64 => format!("{value:?}"),
    };
    if value.is_sign_negative() { format!("({text})") } else { text }
}
