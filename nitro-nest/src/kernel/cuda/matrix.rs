//! Functions that multiply fragments on matrix units, in CUDA C++.

use crate::mapping::{MatrixArithmetic, PartFormat};

/// Registers of a thread for a fragment of sums, of a left and of a right operand.
const SUMS: usize = 4;
const LEFT: usize = 4;
const RIGHT: usize = 2;

/// Returns the functions for products of fragments by these arithmetics.
///
/// Compute capability 8.0 and later have the instructions.
pub(super) fn functions(all: &[MatrixArithmetic]) -> String {
    let mut text = String::new();
    let mut formats = Vec::new();
    for arithmetic in all {
        if !formats.contains(&arithmetic.format()) {
            formats.push(arithmetic.format());
            text += &format_function(arithmetic.format());
        }
        text += &multiply(*arithmetic);
        if arithmetic.storage().is_some() {
            text += &multiply_stored(*arithmetic);
        }
    }
    text
}

/// Returns the functions that make registers of parts in the formats of these arithmetics.
pub(super) fn part_functions(all: &[MatrixArithmetic]) -> String {
    let mut formats: Vec<PartFormat> = Vec::new();
    for format in all.iter().map(|arithmetic| arithmetic.format()) {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    formats.into_iter().map(part_function).collect()
}

/// Writes how the matrix unit of a warp takes registers of parts.
fn format_function(format: PartFormat) -> String {
    let name = name(format);
    let (shape, types) = match format {
        PartFormat::Tf32 => ("m16n8k8", "tf32.tf32"),
        PartFormat::Bf16 => ("m16n8k16", "bf16.bf16"),
        PartFormat::F16 => ("m16n8k16", "f16.f16"),
    };
    let (sums, lefts, rights) = (places(0, SUMS), places(SUMS, LEFT), places(SUMS + LEFT, RIGHT));
    let (of_left, of_right) = (inputs("left", LEFT), inputs("right", RIGHT));
    format!(
        "\
static __device__ __forceinline__ void multiply_{name}(float (&sums)[4], const unsigned* left, const unsigned* right)
{{
    asm volatile(\"mma.sync.aligned.{shape}.row.col.f32.{types}.f32 {{{sums}}}, {{{lefts}}}, {{{rights}}}, {{{sums}}};\"
        : \"+f\"(sums[0]), \"+f\"(sums[1]), \"+f\"(sums[2]), \"+f\"(sums[3])
        : {of_left}, {of_right});
}}

",
    )
}

/// Writes the function that splits operands of one register: what is left becomes the operand.
fn part_function(format: PartFormat) -> &'static str {
    match format {
        PartFormat::Tf32 => {
            "\
static __device__ __forceinline__ unsigned part_tf32(float* rest, bool is_last)
{
    // What is no number may become 0 by rounding; then what is left is none, and is cut off only.
    const unsigned part = (__float_as_uint(rest[0]) + (is_last ? 0u : 0x1000u)) & 0xffffe000u;
    rest[0] -= __uint_as_float(part);
    return part;
}

"
        }
        PartFormat::Bf16 => {
            "\
static __device__ __forceinline__ unsigned part_bf16(float* rest, bool)
{
    unsigned part;
    asm(\"cvt.rn.bf16x2.f32 %0, %1, %2;\" : \"=r\"(part) : \"f\"(rest[1]), \"f\"(rest[0]));
    rest[0] -= __uint_as_float(part << 16);
    rest[1] -= __uint_as_float(part & 0xffff0000u);
    return part;
}

"
        }
        PartFormat::F16 => {
            "\
static __device__ __forceinline__ unsigned part_f16(float* rest, bool)
{
    unsigned part;
    asm(\"cvt.rn.f16x2.f32 %0, %1, %2;\" : \"=r\"(part) : \"f\"(rest[1]), \"f\"(rest[0]));
    return part;
}

"
        }
    }
}

/// Writes the function that adds a product of fragments to sums.
fn multiply(arithmetic: MatrixArithmetic) -> String {
    let (own, format, parts) = (arithmetic.name(), name(arithmetic.format()), arithmetic.parts());
    let sums = sum_parameters(SUMS);
    let mut text = format!(
        "\
static __device__ __forceinline__ void multiply_fragments_{own}({sums},
    const float* left, const float* right)
{{
    unsigned left_parts[{parts}][{LEFT}], right_parts[{parts}][{RIGHT}];
"
    );
    for (side, registers) in [("left", LEFT), ("right", RIGHT)] {
        text += &split(arithmetic, &format!("{side}_parts"), side, registers);
    }
    let begin = if parts == 1 { "sum_0, sum_1, sum_2, sum_3" } else { "0.0f, 0.0f, 0.0f, 0.0f" };
    text += &format!("    float step[4] = {{{begin}}};\n");
    for (one, other) in arithmetic.products() {
        text += &format!("    multiply_{format}(step, left_parts[{one}], right_parts[{other}]);\n");
    }
    for at in 0..SUMS {
        let plus = if parts == 1 { "" } else { "+" };
        text += &format!("    sum_{at} {plus}= step[{at}];\n");
    }
    text + "}\n\n"
}

/// Writes the loop that splits registers of this name into parts.
pub(super) fn split(arithmetic: MatrixArithmetic, target: &str, source: &str, registers: usize) -> String {
    let (format, parts) = (name(arithmetic.format()), arithmetic.parts());
    let wide = if arithmetic.format() == PartFormat::Tf32 { 1 } else { 2 };
    format!(
        "    #pragma unroll
    for (int at = 0; at < {registers}; ++at) {{
        float rest[{wide}];
        #pragma unroll
        for (int one = 0; one < {wide}; ++one) rest[one] = {source}[at * {wide} + one];
        #pragma unroll
        for (int part = 0; part < {parts}; ++part) {target}[part][at] = part_{format}(rest, part == {parts} - 1);
    }}
"
    )
}

/// Returns so many operands of an instruction in assembly, from this one on.
pub(super) fn places(first: usize, count: usize) -> String {
    (first..first + count).map(|at| format!("%{at}")).collect::<Vec<_>>().join(", ")
}

/// Returns registers of an array as inputs of assembly.
pub(super) fn inputs(array: &str, count: usize) -> String {
    (0..count).map(|at| format!("\"r\"({array}[{at}])")).collect::<Vec<_>>().join(", ")
}

/// Returns the parameters of a function for so many sums of a thread.
pub(super) fn sum_parameters(count: usize) -> String {
    (0..count).map(|at| format!("float& sum_{at}")).collect::<Vec<_>>().join(", ")
}

pub(super) fn name(format: PartFormat) -> &'static str {
    match format {
        PartFormat::Tf32 => "tf32",
        PartFormat::Bf16 => "bf16",
        PartFormat::F16 => "f16",
    }
}

/// Returns the name of the function that loads so many matrices.
pub(super) fn load_name(matrices: u32, is_transposed: bool) -> String {
    format!("load_{matrices}_matrices{}", if is_transposed { "_transposed" } else { "" })
}

/// Returns the functions that load fragments of 16-bit numbers, and that multiply them.
pub(super) fn load_functions() -> String {
    let mut text = String::new();
    for (matrices, is_transposed) in [(4, false), (4, true), (2, false), (2, true)] {
        text += &load_function(matrices, is_transposed);
    }
    text
}

fn load_function(matrices: u32, is_transposed: bool) -> String {
    let name = load_name(matrices, is_transposed);
    let trans = if is_transposed { ".trans" } else { "" };
    let places = places(0, matrices as usize);
    let outputs = (0..matrices).map(|at| format!("\"=r\"(registers[{at}])")).collect::<Vec<_>>().join(", ");
    format!(
        "\
static __device__ __forceinline__ void {name}(unsigned short* target, const unsigned short* row)
{{
    unsigned* registers = (unsigned*)target;
    asm volatile(\"ldmatrix.sync.aligned.m8n8.x{matrices}{trans}.shared.b16 {{{places}}}, [%{matrices}];\"
        : {outputs} : \"r\"((unsigned)__cvta_generic_to_shared(row)) : \"memory\");
}}

"
    )
}

/// Writes the function that adds a product of fragments of 16-bit numbers to sums: they are parts as they are.
fn multiply_stored(arithmetic: MatrixArithmetic) -> String {
    let (own, format) = (arithmetic.name(), name(arithmetic.format()));
    let sums = sum_parameters(SUMS);
    let stores: String = (0..SUMS).map(|at| format!("    sum_{at} = step[{at}];\n")).collect();
    format!(
        "\
static __device__ __forceinline__ void multiply_stored_{own}({sums},
    const unsigned short* left, const unsigned short* right)
{{
    float step[4] = {{sum_0, sum_1, sum_2, sum_3}};
    multiply_{format}(step, (const unsigned*)left, (const unsigned*)right);
{stores}}}

"
    )
}
