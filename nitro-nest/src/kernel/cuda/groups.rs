//! Functions that multiply on the matrix units of four warps (`wgmma`), in CUDA C++ for compute capability 9.0 alone.

use super::matrix::{inputs, name, places, split, sum_parameters};
use crate::kernel::matrix::swizzled_row;
use crate::kernel::{GroupOperand, GroupProduct, Local};
use crate::mapping::{MatrixArithmetic, PartFormat};

/// Registers of parts of a thread for a left fragment, and for 16 bytes.
const REGISTERS: usize = 4;

/// What decides which functions a product needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) arithmetic: MatrixArithmetic,
    columns: usize,
    fragments: u32,
    operands: Operands,
}

/// Where operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operands {
    /// Left ones in registers, right ones as parts in shared memory.
    Fragments {
        /// Left ones are stored as parts are.
        is_stored: bool,
    },
    /// Both in shared memory, each in one part.
    Shared([Matrix; 2]),
}

/// How an operand lies in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matrix {
    /// As it is stored, in a swizzled array with so many rows in a block.
    Swizzled { is_along_terms: bool, rows: i64 },
    /// As parts, of so many columns.
    Parts { columns: i64 },
}

impl Matrix {
    fn new(operand: &GroupOperand, rows: i64) -> Self {
        match operand {
            GroupOperand::Stored { is_along_terms, .. } => {
                Self::Swizzled { is_along_terms: *is_along_terms, rows }
            }
            _ => Self::Parts { columns: rows },
        }
    }

    /// Returns its descriptor, but for the address (PTX ISA, *Matrix Descriptor Format*). Distances count 16 bytes.
    ///
    /// Eight swizzled rows are 64 times 16 bytes. Parts are matrices of 8 columns of 16 bytes, which follow each other
    /// along columns, and along the sum behind all columns.
    fn descriptor(self) -> String {
        match self {
            Self::Swizzled { rows, .. } => format!("1ull << 62 | 64ull << 32 | {}ull << 16", 8 * rows),
            Self::Parts { columns } => format!("8ull << 32 | {columns}ull << 16"),
        }
    }

    /// Returns how many times 16 bytes behind the first fragment one of this number is.
    fn place(self, fragment: u32, arithmetic: MatrixArithmetic) -> i64 {
        let (term, row) = (i64::from(fragment * arithmetic.depth()), swizzled_row(arithmetic));
        let neighbours = arithmetic.parts_in_16_bytes();
        match self {
            Self::Swizzled { is_along_terms: true, rows } => term / row * 8 * rows + term % row / neighbours,
            Self::Swizzled { is_along_terms: false, .. } => term * 8,
            Self::Parts { columns } => term / neighbours * columns,
        }
    }

    /// Returns `true` if neighbours of shared memory are along rows or columns, and not along the sum.
    fn is_across(self) -> bool {
        matches!(self, Self::Swizzled { is_along_terms: false, .. })
    }

    fn name(self) -> String {
        match self {
            Self::Swizzled { is_along_terms: true, rows } => format!("rows{rows}"),
            Self::Swizzled { is_along_terms: false, rows } => format!("columns{rows}"),
            Self::Parts { .. } => "parts".to_owned(),
        }
    }
}

impl Shape {
    /// Returns that of a product; `local` says what an array is.
    pub(super) fn new<'a>(product: &GroupProduct, local: impl Fn(usize) -> &'a Local) -> Self {
        let GroupProduct { arithmetic, fragments, .. } = *product;
        let operands = match &product.left {
            GroupOperand::Registers(first) => {
                Operands::Fragments { is_stored: !local(first.array).storage.is_number() }
            }
            _ => Operands::Shared([&product.left, &product.right].map(|operand| {
                let [.., rows, _] = local(operand.first().array).shape[..] else {
                    unreachable!("operands in shared memory are blocks of rows")
                };
                Matrix::new(operand, rows)
            })),
        };
        Self { arithmetic, columns: product.columns(), fragments, operands }
    }

    /// Returns a thread's sums.
    fn sums(self) -> usize {
        self.columns / 2
    }

    /// Returns the name of the function that begins the product.
    pub(super) fn begin(self) -> String {
        let Self { arithmetic, columns, fragments, operands } = self;
        let of = match operands {
            Operands::Fragments { is_stored: false } => String::new(),
            Operands::Fragments { is_stored: true } => "_stored".to_owned(),
            Operands::Shared([left, right]) => format!("_{}_{}", left.name(), right.name()),
        };
        format!("begin_product{of}_{arithmetic}_{columns}_{fragments}")
    }
}

/// Copies of 16-bit numbers that go on to where matrix units read them.
pub(super) const FETCH_STORED: &str = "\
static __device__ __forceinline__ void fetch_16_bytes(unsigned short* target, const unsigned short* source)
{
    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\"
        :: \"r\"((unsigned)__cvta_generic_to_shared(target)), \"l\"(source) : \"memory\");
}

";

/// What makes matrix units wait for copies, and threads for products but the last ones.
pub(super) const MULTIPLY_FETCHED: &str = "\
static __device__ __forceinline__ void show_to_matrix_units()
{
    asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");
}

template <int products>
static __device__ __forceinline__ void await_products_but()
{
    asm volatile(\"wgmma.wait_group.sync.aligned %0;\" :: \"n\"(products) : \"memory\");
}

";

/// Returns the functions for products of these shapes.
pub(super) fn functions(shapes: &[Shape]) -> String {
    let mut text = String::new();
    let mut written: Vec<String> = Vec::new();
    for shape in shapes {
        let wait = wait(shape.sums());
        let all = match shape.operands {
            Operands::Fragments { is_stored } => {
                vec![split_function(shape.arithmetic), step(*shape), wait, begin(*shape, is_stored)]
            }
            Operands::Shared([left, right]) => {
                let is_split = matches!(right, Matrix::Parts { .. });
                let split = is_split.then(|| split_function(shape.arithmetic));
                split.into_iter().chain([wait, begin_shared(*shape, [left, right])]).collect()
            }
        };
        for function in all {
            if !written.contains(&function) {
                text += &function;
                written.push(function);
            }
        }
    }
    text
}

/// Writes the function that splits as many operands as 16 bytes of parts have.
///
/// Parts are so many times 16 bytes apart. Matrix units read by another way what threads write to shared memory: the
/// fence makes it wait. Before a barrier it would wait for loads too that are on their way.
fn split_function(arithmetic: MatrixArithmetic) -> String {
    let parts = arithmetic.parts();
    let mut text = format!(
        "\
static __device__ __forceinline__ void split_{arithmetic}(void* target, int part_size, const float* source)
{{
    unsigned parts[{parts}][{REGISTERS}];
"
    );
    text += &split(arithmetic, "parts", "source", REGISTERS);
    for part in 0..parts {
        let values: Vec<String> = (0..REGISTERS).map(|at| format!("parts[{part}][{at}]")).collect();
        text += &format!("    ((uint4*)target)[{part} * part_size] = make_uint4({});\n", values.join(", "));
    }
    text + "    asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n}\n\n"
}

/// Writes the function by which four warps multiply a left fragment each with one part of as many terms.
fn step(shape: Shape) -> String {
    let Shape { arithmetic, columns, .. } = shape;
    let (sums, depth, format) = (shape.sums(), arithmetic.depth(), name(arithmetic.format()));
    let outputs = outputs(sums);
    let (right, adds) = (sums + REGISTERS, sums + REGISTERS + 1);
    // Numbers of 16 bits may lie along columns; these do not.
    let order = if arithmetic.format() == PartFormat::Tf32 { "" } else { ", 0" };
    format!(
        "\
static __device__ __forceinline__ void multiply_{columns}_columns_{format}({parameters},
    const unsigned* left, unsigned long long right, int adds)
{{
    asm volatile(\"{{ .reg .pred adds; setp.ne.b32 adds, %{adds}, 0; \"
        \"wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.f32.{format}.{format} \"
        \"{{{all}}}, {{{of_left}}}, %{right}, adds, 1, 1{order}; }}\"
        : {outputs}
        : {lefts}, \"l\"(right), \"r\"(adds));
}}

",
        parameters = sum_parameters(sums),
        all = places(0, sums),
        of_left = places(sums, REGISTERS),
        lefts = inputs("left", REGISTERS),
    )
}

/// Writes the function that waits for all products; sums are named so that nothing reads them before.
fn wait(sums: usize) -> String {
    let (parameters, outputs) = (sum_parameters(sums), outputs(sums));
    format!(
        "\
static __device__ __forceinline__ void await_product({parameters})
{{
    asm volatile(\"wgmma.wait_group.sync.aligned 0;\"
        : {outputs}
        :: \"memory\");
}}

"
    )
}

/// Writes the function that begins a product.
///
/// The right operand is a descriptor of matrices of 8 columns of 16 bytes, which follow each other along columns, and
/// along the sum behind all columns (PTX ISA, *Matrix Descriptor Format*). Addresses count 16 bytes.
fn begin(shape: Shape, is_stored: bool) -> String {
    let Shape { arithmetic, columns, fragments, .. } = shape;
    let (parts, parameters) = (arithmetic.parts(), sum_parameters(shape.sums()));
    let number = if is_stored { "unsigned short" } else { "float" };
    let mut text = format!(
        "\
static __device__ __forceinline__ void {name}({parameters},
    const {number}* left, const void* right, int part_size)
{{
    unsigned left_parts[{fragments}][{parts}][{REGISTERS}];
",
        name = shape.begin()
    );
    for fragment in 0..fragments {
        let (target, first) =
            (format!("left_parts[{fragment}]"), i64::from(fragment) * arithmetic.parts_in_16_bytes());
        text += &if is_stored {
            let first = i64::from(fragment) * REGISTERS as i64;
            (0..REGISTERS as i64)
                .map(|at| format!("    {target}[0][{at}] = ((const unsigned*)left)[{}];\n", first + at))
                .collect::<String>()
        } else {
            split(arithmetic, &target, &format!("(left + {first})"), REGISTERS)
        };
    }
    text += &format!(
        "    const unsigned address = (unsigned)__cvta_generic_to_shared(right) >> 4;
    const unsigned long long first = 8ull << 32 | {columns}ull << 16 | address;
    asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");
"
    );
    let sums: Vec<String> = (0..shape.sums()).map(|at| format!("sum_{at}")).collect();
    let (sums, format) = (sums.join(", "), name(arithmetic.format()));
    for fragment in 0..fragments {
        for (at, (one, other)) in arithmetic.products().iter().enumerate() {
            let adds = i32::from(parts == 1 || at > 0);
            text += &format!(
                "    multiply_{columns}_columns_{format}({sums}, left_parts[{fragment}][{one}], \
                 first + {of_fragment} + {other} * part_size, {adds});\n",
                of_fragment = fragment as usize * 2 * columns,
            );
        }
    }
    text + "    asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");\n}\n\n"
}

/// Writes the function that begins a product of operands in shared memory.
fn begin_shared(shape: Shape, operands: [Matrix; 2]) -> String {
    let Shape { arithmetic, columns, fragments, .. } = shape;
    let (sums, depth, format) = (shape.sums(), arithmetic.depth(), name(arithmetic.format()));
    let [of_left, of_right] = operands.map(Matrix::descriptor);
    let mut text = format!(
        "\
static __device__ __forceinline__ void {name}({parameters},
    const void* left, const void* right)
{{
    const unsigned long long first_left = {of_left} | (unsigned)__cvta_generic_to_shared(left) >> 4;
    const unsigned long long first_right = {of_right} | (unsigned)__cvta_generic_to_shared(right) >> 4;
    asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");
",
        name = shape.begin(),
        parameters = sum_parameters(sums),
    );
    // Numbers of 16 bits may lie along rows and columns, and instructions say so; others may not.
    let across = operands.map(|matrix| i32::from(matrix.is_across()));
    let order = match arithmetic.format() {
        PartFormat::Tf32 => String::new(),
        _ => format!(", {}, {}", across[0], across[1]),
    };
    for fragment in 0..fragments {
        let [left, right] = operands.map(|matrix| matrix.place(fragment, arithmetic));
        text += &format!(
            "    asm volatile(\"wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.f32.{format}.{format} \"
        \"{{{all}}}, %{sums}, %{after}, 1, 1, 1{order};\"
        : {outputs}
        : \"l\"(first_left + {left}), \"l\"(first_right + {right}));
",
            all = places(0, sums),
            after = sums + 1,
            outputs = outputs(sums),
        );
    }
    text + "    asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");\n}\n\n"
}

fn outputs(sums: usize) -> String {
    (0..sums).map(|at| format!("\"+f\"(sum_{at})")).collect::<Vec<_>>().join(", ")
}
