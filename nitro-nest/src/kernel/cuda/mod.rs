//! Programs as CUDA C++.
//!
//! Sums of values are in parentheses as they are nested, so that no compiler adds them up otherwise; whether it
//! joins a product and a sum into one operation is for its options to say.

mod names;

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use names::CudaNames;

use super::{Cache, Instruction, Integers, Kernel, Program, Space, Unroll, WIDE};
use crate::nest::affine::Affine;
use crate::nest::display::{self, Names};
use crate::nest::expression::{Access, Binary, Expression, Select, Unary};
use crate::nest::{Condition, Range};

impl Program {
    /// All kernels in CUDA C++. Each takes, in this order: the sizes and the iterators of the host's loops around
    /// it (`long long`, or with [`Integers::Bits32`] `int`), the scalars (`float`), and a pointer to each array of
    /// the nest, at a multiple of 16 bytes as allocations are. Where the mapping keeps the order of sums it gives
    /// what the nest gives, bit for bit, if compiled with `-fmad=false`.
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
    /// assert!(source.contains("void __launch_bounds__(256) fill_0(long long n, float value, float* __restrict__ x)"), "{source}");
    /// assert!(source.contains("x[i] = value;"), "{source}");
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    #[must_use]
    pub fn cuda(&self, integers: Integers) -> String {
        self.cuda_in(integers.c_name())
    }

    /// As [`cuda`](Self::cuda), with integers of a type of this name.
    pub(super) fn cuda_in(&self, integer: &'static str) -> String {
        let mut text = String::new();
        let has = |is_such: fn(&Instruction) -> bool| self.kernels.iter().any(|kernel| kernel.has(is_such));
        if has(|one| matches!(one, Instruction::Fetch { .. })) {
            text.push_str(FETCH);
        }
        if has(|one| matches!(one, Instruction::Fetch { width: WIDE, .. })) {
            text.push_str(FETCH_WIDE);
        }
        if has(|one| matches!(one, Instruction::AddWide { .. })) {
            text.push_str(ADD_WIDE);
        }
        for kernel in &self.kernels {
            let names = CudaNames::new(self, kernel, integer);
            let writer = Writer { names, program: self, kernel, integer };
            writer.kernel(&mut text).expect("a string takes everything");
        }
        text
    }
}

/// Copies that go on while a thread does something else, where a GPU has them.
const FETCH: &str = "\
static __device__ __forceinline__ void fetch(float* target, const float* source)
{
#if __CUDA_ARCH__ >= 800
    asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\"
        :: \"r\"((unsigned)__cvta_generic_to_shared(target)), \"l\"(source) : \"memory\");
#else
    *target = *source;
#endif
}

static __device__ __forceinline__ void commit_fetches()
{
#if __CUDA_ARCH__ >= 800
    asm volatile(\"cp.async.commit_group;\" ::: \"memory\");
#endif
}

template <int groups>
static __device__ __forceinline__ void await_fetches()
{
#if __CUDA_ARCH__ >= 800
    asm volatile(\"cp.async.wait_group %0;\" :: \"n\"(groups) : \"memory\");
#endif
}

";

/// Past the first-level cache: what is in shared memory is not read from there.
const FETCH_WIDE: &str = "\
static __device__ __forceinline__ void fetch_wide(float* target, const float* source)
{
#if __CUDA_ARCH__ >= 800
    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\"
        :: \"r\"((unsigned)__cvta_generic_to_shared(target)), \"l\"(source) : \"memory\");
#else
    *(float4*)target = *(const float4*)source;
#endif
}

";

/// Each of the four is atomic by itself, on all architectures.
const ADD_WIDE: &str = "\
static __device__ __forceinline__ void add_wide(float* target, float4 value)
{
#if __CUDA_ARCH__ >= 900
    atomicAdd((float4*)target, value);
#else
    atomicAdd(target, value.x);
    atomicAdd(target + 1, value.y);
    atomicAdd(target + 2, value.z);
    atomicAdd(target + 3, value.w);
#endif
}

";

struct Writer<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    names: CudaNames,
    /// What C++ calls the integers.
    integer: &'static str,
}

impl Writer<'_> {
    fn kernel(&self, text: &mut String) -> fmt::Result {
        let (threads, name) = (self.kernel.threads(), &self.kernel.name);
        let bounds = match self.kernel.resident_blocks {
            0 => threads.to_string(),
            blocks => format!("{threads}, {blocks}"),
        };
        writeln!(
            text,
            "extern \"C\" __global__ void __launch_bounds__({bounds}) {name}({})",
            self.arguments()
        )?;
        writeln!(text, "{{")?;
        for (index, local) in self.kernel.locals.iter().enumerate() {
            // Aligned so that a compiler may load four elements at once.
            let space = match local.space {
                Space::Shared => "__shared__ __align__(16) ",
                Space::Register if self.is_copied(self.program.nest.arrays.len() + index) => "__align__(16) ",
                Space::Register => "",
            };
            let shape: String = local.shape.iter().map(|extent| format!("[{extent}]")).collect();
            let name = self.names.array(self.program.nest.arrays.len() + index);
            writeln!(text, "    {space}float {name}{shape};")?;
        }
        self.instructions(&self.kernel.body, 1, text)?;
        writeln!(text, "}}\n")
    }

    /// Whether several elements of the array are copied at once.
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
        let scalars = self.names.scalars.iter().map(|name| format!("float {name}"));
        let written: BTreeSet<usize> = self.kernel.targets().iter().map(|target| target.array).collect();
        let arrays = (0..nest.arrays.len()).map(|array| {
            let constant = if written.contains(&array) { "" } else { "const " };
            format!("{constant}float* __restrict__ {}", self.names.array(array))
        });
        integers.chain(scalars).chain(arrays).collect::<Vec<_>>().join(", ")
    }

    fn instructions(&self, all: &[Instruction], depth: usize, text: &mut String) -> fmt::Result {
        let indent = "    ".repeat(depth);
        for instruction in all {
            let body = match instruction {
                Instruction::Define(iterator, values) => {
                    let name = &self.names.iterators[*iterator];
                    writeln!(text, "{indent}const {} {name} = {};", self.integer, self.extreme(values, ">"))?;
                    continue;
                }
                Instruction::Assign(assignment) => {
                    writeln!(
                        text,
                        "{indent}{}",
                        self.store(&assignment.target, self.value(&assignment.value))
                    )?;
                    continue;
                }
                Instruction::Fetch { target, source, width } => {
                    let (target, source) = (self.access(target), self.access(source));
                    let helper = if *width == 1 { "fetch" } else { "fetch_wide" };
                    writeln!(text, "{indent}{helper}(&{target}, &{source});")?;
                    continue;
                }
                Instruction::Copy { target, source } => {
                    writeln!(text, "{indent}{}", self.copy(target, source))?;
                    continue;
                }
                Instruction::Commit => {
                    writeln!(text, "{indent}commit_fetches();")?;
                    continue;
                }
                Instruction::Await(groups) => {
                    writeln!(text, "{indent}await_fetches<{groups}>();")?;
                    continue;
                }
                Instruction::Barrier => {
                    writeln!(text, "{indent}__syncthreads();")?;
                    continue;
                }
                Instruction::Divide { quotient, remainder, value, divisor } => {
                    let [quotient, remainder] =
                        [quotient, remainder].map(|iterator| &self.names.iterators[*iterator]);
                    let (value, integer) = (display::affine(&self.names, value), self.integer);
                    writeln!(text, "{indent}const {integer} {quotient} = ({value}) / {divisor};")?;
                    writeln!(text, "{indent}const {integer} {remainder} = ({value}) % {divisor};")?;
                    continue;
                }
                Instruction::Add { target, value, lanes } => {
                    self.add(target, value, *lanes, &indent, text)?;
                    continue;
                }
                Instruction::AddWide { target, value } => {
                    let (target, value) = (self.access(target), self.access(value));
                    writeln!(text, "{indent}add_wide(&{target}, *(const float4*)&{value});")?;
                    continue;
                }
                Instruction::Loop(range, unroll, body) => {
                    match unroll {
                        Unroll::Free => {}
                        Unroll::By(factor) => writeln!(text, "{indent}#pragma unroll {factor}")?,
                        Unroll::All => writeln!(text, "{indent}#pragma unroll")?,
                    }
                    writeln!(text, "{indent}{} {{", self.head(range))?;
                    body
                }
                Instruction::If(conditions, body, otherwise) => {
                    let all: Vec<_> = conditions.iter().map(|condition| self.condition(condition)).collect();
                    writeln!(text, "{indent}if ({}) {{", all.join(" && "))?;
                    if otherwise.is_empty() {
                        body
                    } else {
                        self.instructions(body, depth + 1, text)?;
                        writeln!(text, "{indent}}} else {{")?;
                        otherwise
                    }
                }
            };
            self.instructions(body, depth + 1, text)?;
            writeln!(text, "{indent}}}")?;
        }
        Ok(())
    }

    /// An element that is read, through the caches that were asked for.
    fn load(&self, access: &Access) -> String {
        let element = self.access(access);
        match self.kernel.caches(access.array)[0] {
            Cache::Usual => element,
            Cache::Device => format!("__ldcg(&{element})"),
            Cache::Streaming => format!("__ldcs(&{element})"),
        }
    }

    /// A statement by which an element becomes a value.
    fn store(&self, target: &Access, value: String) -> String {
        let element = self.access(target);
        match self.kernel.caches(target.array)[1] {
            Cache::Usual => format!("{element} = {value};"),
            Cache::Device => format!("__stcg(&{element}, {value});"),
            Cache::Streaming => format!("__stcs(&{element}, {value});"),
        }
    }

    /// A statement that copies neighbours.
    fn copy(&self, target: &Access, source: &Access) -> String {
        let [reads, _] = self.kernel.caches(source.array);
        let [_, writes] = self.kernel.caches(target.array);
        let (target, source) = (self.access(target), self.access(source));
        let value = match reads {
            Cache::Usual => format!("*(const float4*)&{source}"),
            Cache::Device => format!("__ldcg((const float4*)&{source})"),
            Cache::Streaming => format!("__ldcs((const float4*)&{source})"),
        };
        match writes {
            Cache::Usual => format!("*(float4*)&{target} = {value};"),
            Cache::Device => format!("__stcg((float4*)&{target}, {value});"),
            Cache::Streaming => format!("__stcs((float4*)&{target}, {value});"),
        }
    }

    fn add(
        &self,
        target: &Access,
        value: &Access,
        lanes: u32,
        indent: &str,
        text: &mut String,
    ) -> fmt::Result {
        let (target, value) = (self.access(target), self.access(value));
        if lanes == 1 {
            return writeln!(text, "{indent}atomicAdd(&{target}, {value});");
        }
        writeln!(text, "{indent}for (int lane = {}; lane > 0; lane /= 2) {{", lanes / 2)?;
        writeln!(text, "{indent}    {value} += __shfl_down_sync(0xffffffffu, {value}, lane);")?;
        writeln!(text, "{indent}}}")?;
        writeln!(text, "{indent}if (threadIdx.x % {lanes} == 0) {{")?;
        writeln!(text, "{indent}    atomicAdd(&{target}, {value});")?;
        writeln!(text, "{indent}}}")
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

    /// One integer, or the largest (`>`) or smallest (`<`) of several, without a library's `max`.
    fn extreme(&self, all: &[Affine], comparison: &str) -> String {
        let (last, others) = all.split_last().expect("a bound has a value");
        let last = display::affine(&self.names, last);
        if others.is_empty() {
            return last;
        }
        let others = self.extreme(others, comparison);
        format!("(({others}) {comparison} ({last}) ? ({others}) : ({last}))")
    }

    fn condition(&self, condition: &Condition) -> String {
        display::conditions(&self.names, std::slice::from_ref(condition))
    }

    /// Arrays of the nest are flat; those of the kernel have the subscripts of C.
    fn access(&self, access: &Access) -> String {
        let name = self.names.array(access.array);
        let mut subscripts =
            access.subscripts.iter().map(|subscript| display::affine(&self.names, subscript));
        let Some(declared) = self.program.nest.arrays.get(access.array) else {
            return name.to_owned()
                + &subscripts.map(|subscript| format!("[{subscript}]")).collect::<String>();
        };
        let first = subscripts.next().unwrap_or_else(|| "0".to_owned());
        let extents = declared.shape.iter().skip(1).map(|extent| display::affine(&self.names, extent));
        let flat = subscripts.zip(extents).fold(first, |flat, (subscript, extent)| {
            format!("{} * {} + {subscript}", factor(&flat), factor(&extent))
        });
        format!("{name}[{flat}]")
    }

    fn value(&self, value: &Expression) -> String {
        match value {
            Expression::Constant(bits) => number((*bits).into()),
            Expression::Scalar(index) => self.names.scalar(*index).to_owned(),
            Expression::Integer(integer) => format!("(float)({})", display::affine(&self.names, integer)),
            Expression::Load(access) => self.load(access),
            Expression::Unary(Unary::Negate, operand) => format!("-({})", self.value(operand)),
            Expression::Unary(Unary::SquareRoot, operand) => format!("sqrtf({})", self.value(operand)),
            Expression::Unary(Unary::Absolute, operand) => format!("fabsf({})", self.value(operand)),
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expression::Select(select) => {
                let Select { relation, left, right, then, otherwise } = &**select;
                let [left, right, then, otherwise] =
                    [left, right, then, otherwise].map(|part| self.value(part));
                format!("(({left}) {} ({right}) ? ({then}) : ({otherwise}))", display::relation(*relation))
            }
        }
    }

    fn binary(&self, operator: Binary, left: &Expression, right: &Expression) -> String {
        let sign = match operator {
            Binary::Minimum => return format!("fminf({}, {})", self.value(left), self.value(right)),
            Binary::Maximum => return format!("fmaxf({}, {})", self.value(left), self.value(right)),
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
        };
        let [left, right] = [left, right].map(|side| match side {
            Expression::Binary(..) | Expression::Unary(..) => format!("({})", self.value(side)),
            _ => self.value(side),
        });
        format!("{left} {sign} {right}")
    }
}

/// As a factor of a product: a sum in parentheses.
fn factor(text: &str) -> String {
    if text.contains([' ', '-']) { format!("({text})") } else { text.to_owned() }
}

/// The number as C reads it, to the last bit.
fn number(value: f32) -> String {
    if value.is_nan() {
        "__int_as_float(0x7fc00000)".to_owned()
    } else if value.is_infinite() {
        format!("__int_as_float({:#x})", value.to_bits())
    } else if value.is_sign_negative() {
        format!("({value:?}f)")
    } else {
        format!("{value:?}f")
    }
}
