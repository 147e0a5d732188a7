//! Prints how fast products on matrix units are and how far off, beside cuBLAS: `gemm-units [ROWS COLUMNS INNER]`.
//!
//! `gemm-units plans FOLDER` writes the kernels that the variants of the example have instead; it needs no GPU.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use half::bf16;
use nitro_cuda::{Buffer, Cuda, Executable, PlanArray, device};
use nitro_gemm::{Factors, Operands, cublas_on_matrix_units, gemm};
use nitro_nest::{Array2, LaunchPlan, Mapping, MatrixArithmetic, NestView, Tiling, nest};
use nitro_polybench::blas;
use nitro_stats::random::Random;

/// Launches that are timed together, and how often.
const LAUNCHES: u32 = 20;
const ROUNDS: usize = 7;
/// Elements that are computed on the host.
const SAMPLES: usize = 2_000;
/// Half a unit in the last place of single precision.
const UNIT: f64 = f32::EPSILON as f64 / 2.0;

/// c ← a·b, with operands that are stored in BF16.
#[nest(reassoc)]
fn stored(
    ni: usize,
    nj: usize,
    nk: usize,
    #[shape(ni, nj)] c: &mut Array2<f32>,
    #[shape(ni, nk)] a: &Array2<bf16>,
    #[shape(nk, nj)] b: &Array2<bf16>,
) {
    for i in 0..ni {
        for j in 0..nj {
            c[[i, j]] = 0.0;
            for k in 0..nk {
                c[[i, j]] += a[[i, k]].to_f32() * b[[k, j]].to_f32();
            }
        }
    }
}

/// Names products of four warps.
const GROUPS: &str = ", groups";

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Numbers that are multiplied.
#[derive(Clone, Copy)]
enum Inputs {
    /// From −1 to 1.
    Uniform,
    /// From 0 to 1: all errors of one sign add up.
    Positive,
    /// Pairs of terms that cancel each other but for their last bits.
    Cancelling,
    /// Exponents from −60 to 60.
    Wide,
}

const INPUTS: [(&str, Inputs); 4] = [
    ("uniform", Inputs::Uniform),
    ("positive", Inputs::Positive),
    ("cancelling", Inputs::Cancelling),
    ("wide", Inputs::Wide),
];

impl Inputs {
    /// Returns a matrix; terms of a sum are `stride` elements apart.
    fn matrix(self, [rows, columns]: [usize; 2], stride: usize, random: &mut Random) -> Vec<f32> {
        let mut all = Vec::with_capacity(rows * columns);
        for at in 0..rows * columns {
            let term = if stride == 1 { at % columns } else { at / columns };
            all.push(self.number(term, random));
        }
        all
    }

    fn number(self, term: usize, random: &mut Random) -> f32 {
        let sign = if term.is_multiple_of(2) { 1.0 } else { -1.0 };
        match self {
            Self::Uniform => (2.0 * random.unit() - 1.0) as f32,
            Self::Positive => random.unit() as f32,
            Self::Cancelling => sign * (1.0 + random.unit() as f32 / 65_536.0),
            Self::Wide => {
                let exponent = random.below(121) as i32 - 60;
                ((2.0 * random.unit() - 1.0) as f32) * 2.0_f32.powi(exponent)
            }
        }
    }
}

/// Matrices on the host and on the device.
struct Matrices {
    shape: [u32; 3],
    host: [Vec<f32>; 2],
    a: Buffer<f32>,
    b: Buffer<f32>,
    /// The operands rounded to BF16, for kernels and for cuBLAS.
    stored: [Buffer<bf16>; 2],
    words: [Buffer<u16>; 2],
    c: Buffer<f32>,
}

impl Matrices {
    fn new(shape: [u32; 3], inputs: Inputs) -> Outcome<Self> {
        let [rows, columns, inner] = shape.map(|size| size as usize);
        let mut random = Random::new(1);
        let a = inputs.matrix([rows, inner], 1, &mut random);
        // Signs are A's: two of them would be none.
        let of_b = if matches!(inputs, Inputs::Cancelling) { Inputs::Positive } else { inputs };
        let b = of_b.matrix([inner, columns], columns, &mut random);
        let b = if matches!(inputs, Inputs::Cancelling) {
            b.iter().map(|one| 1.0 + one / 65_536.0).collect()
        } else {
            b
        };
        let [of_a, of_b] = [to_bf16(&a), to_bf16(&b)];
        let stored = [Buffer::from_slice(&of_a)?, Buffer::from_slice(&of_b)?];
        let words = [Buffer::from_slice(&bits(&of_a))?, Buffer::from_slice(&bits(&of_b))?];
        let (on_a, on_b) = (Buffer::from_slice(&a)?, Buffer::from_slice(&b)?);
        Ok(Self { shape, host: [a, b], a: on_a, b: on_b, stored, words, c: Buffer::zeroed(rows * columns)? })
    }

    /// Returns the largest error of some elements, relative to Σ|a·b|.
    fn error(&self, of_stored: bool) -> Outcome<f64> {
        let [rows, columns, inner] = self.shape.map(|size| size as usize);
        let found = self.c.to_vec()?;
        let rounded = |value: f32| if of_stored { bf16::from_f32(value).to_f32() } else { value };
        let mut random = Random::new(2);
        let mut worst = 0.0_f64;
        for _ in 0..SAMPLES {
            let (row, column) = (random.below(rows), random.below(columns));
            let (mut exact, mut magnitude) = (0.0, 0.0);
            for term in 0..inner {
                let [a, b] = [self.host[0][row * inner + term], self.host[1][term * columns + column]];
                let product = f64::from(rounded(a)) * f64::from(rounded(b));
                exact += product;
                magnitude += product.abs();
            }
            let error = (f64::from(found[row * columns + column]) - exact).abs() / magnitude;
            worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
        }
        Ok(worst)
    }
}

fn to_bf16(all: &[f32]) -> Vec<bf16> {
    all.iter().map(|one| bf16::from_f32(*one)).collect()
}

fn bits(all: &[bf16]) -> Vec<u16> {
    all.iter().map(|one| one.to_bits()).collect()
}

/// A way to compute a product.
enum Way {
    Variant(gemm::Choice),
    Tf32,
    Bf16,
    StoredBf16,
    Units(Box<Executable>),
    StoredUnits(Box<Executable>),
}

impl Way {
    fn is_stored(&self) -> bool {
        matches!(self, Self::StoredBf16 | Self::StoredUnits(_))
    }

    fn run(&self, of: &mut Matrices) -> Outcome<()> {
        let [rows, columns, inner] = of.shape;
        match self {
            Self::Variant(choice) => {
                let (a, b) = (&of.a, &of.b);
                let factors = Factors { rows, columns, inner, alpha: 1.0, beta: 0.0, tolerance: 1.0, a, b };
                gemm::call(*choice, &factors, &mut of.c)?;
            }
            Self::Tf32 => cublas_on_matrix_units(of.shape, Operands::Tf32(&of.a, &of.b), &mut of.c)?,
            Self::Bf16 => cublas_on_matrix_units(of.shape, Operands::Bf16(&of.a, &of.b), &mut of.c)?,
            Self::StoredBf16 => {
                let [a, b] = &of.words;
                cublas_on_matrix_units(of.shape, Operands::StoredBf16(a, b), &mut of.c)?;
            }
            // SAFETY: the plan is of the nest, whose arrays have these shapes.
            Self::Units(plan) => unsafe {
                plan.run(&of.shape.map(i64::from), &[1.0_f32, 0.0], &[&of.c, &of.a, &of.b])?;
            },
            Self::StoredUnits(plan) => {
                let [a, b] = &of.stored;
                let arrays: [&dyn PlanArray<f32>; 3] = [&of.c, a, b];
                // SAFETY: as above.
                unsafe { plan.run(&of.shape.map(i64::from), &[], &arrays)? };
            }
        }
        Ok(())
    }
}

/// Returns the launch plan of the product by a mapping.
fn plan(mapping: &Mapping) -> Outcome<LaunchPlan> {
    Ok(NestView::new(&blas::gemm::nest(), mapping)?.program().plan())
}

/// Returns the launch plan of the product of operands that are stored in BF16.
fn stored_plan(tiling: Tiling) -> Outcome<LaunchPlan> {
    let mapping = Mapping::on_matrix_units(MatrixArithmetic::Bf16).with_tiling(&[0, 1], tiling);
    Ok(NestView::new(&stored::nest(), &mapping)?.program().plan())
}

/// Returns the tiling of products of stored operands: each group has 256 columns, since threads have nothing to split.
fn stored_on_warp_groups(arithmetic: MatrixArithmetic) -> Tiling {
    Tiling { block: [4, 64, 1], thread_tile: [64, 2, 1], tile_k: 64, ..Tiling::on_warp_groups(arithmetic) }
}

/// Returns the ways by name, and what each is said to be off at most.
fn ways(device: Cuda, inner: u32) -> Outcome<Vec<(String, Way, Option<f64>)>> {
    let mut all = vec![
        ("cuBLAS, single precision".to_owned(), Way::Variant(gemm::Choice::Cublas), None),
        ("cuBLAS, TF32".to_owned(), Way::Tf32, None),
        ("cuBLAS, BF16 of single".to_owned(), Way::Bf16, None),
        ("cuBLAS, stored BF16".to_owned(), Way::StoredBf16, None),
    ];
    let units =
        |plan: LaunchPlan| -> Outcome<Box<Executable>> { Ok(Box::new(Executable::new(plan, device)?)) };
    // What C was counts as a term.
    let stated = |arithmetic: MatrixArithmetic| Some(arithmetic.worst_error(u64::from(inner) + 1));
    for arithmetic in MatrixArithmetic::ALL {
        for (name, mapping) in mappings(arithmetic, device) {
            all.push((
                format!("{arithmetic}{name}"),
                Way::Units(units(plan(&mapping)?)?),
                stated(arithmetic),
            ));
        }
    }
    // Operands that are parts as they are lose nothing by the split.
    let arithmetic = MatrixArithmetic::Bf16;
    let mut tilings = vec![("", Tiling { tile_k: 32, ..Tiling::on_matrix_units(arithmetic) })];
    if has_groups(device) {
        tilings.push((GROUPS, stored_on_warp_groups(arithmetic)));
    }
    for (name, tiling) in tilings {
        let way = Way::StoredUnits(units(stored_plan(tiling)?)?);
        all.push((format!("{arithmetic}, stored{name}"), way, stated(arithmetic)));
    }
    Ok(all)
}

/// Returns the mappings of products by an arithmetic that a device takes, with what is added to their names.
fn mappings(arithmetic: MatrixArithmetic, device: Cuda) -> Vec<(&'static str, Mapping)> {
    let mut all = vec![("", Mapping::on_matrix_units(arithmetic))];
    if has_groups(device) {
        all.push((GROUPS, Mapping::on_warp_groups(arithmetic)));
    }
    all
}

/// Returns `true` if four warps of a device multiply together.
fn has_groups(device: Cuda) -> bool {
    device.architecture() == 90
}

/// Returns the median time of a product in seconds.
fn time(way: &Way, of: &mut Matrices, device: Cuda) -> Outcome<f64> {
    way.run(of)?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        device.stream().synchronize()?;
        let start = Instant::now();
        for _ in 0..LAUNCHES {
            way.run(of)?;
        }
        device.stream().synchronize()?;
        times.push(start.elapsed().as_secs_f64() / f64::from(LAUNCHES));
    }
    times.sort_by(f64::total_cmp);
    Ok(times[ROUNDS / 2])
}

fn table(shape: [u32; 3]) -> Outcome<()> {
    let device = device(0)?;
    device.enter();
    let operations = 2.0 * shape.iter().map(|size| f64::from(*size)).product::<f64>();
    println!(
        "{shape:?} on {device}; errors in units of 2^-24 of the sum of |a*b|, largest of {SAMPLES} elements"
    );
    let names: Vec<String> = INPUTS.iter().map(|(name, _)| format!("{name:>12}")).collect();
    println!("{:<26} {:>9} {} {:>12}", "", "TFLOP/s", names.join(" "), "stated");
    let mut inputs = Vec::new();
    for (_, kind) in INPUTS {
        inputs.push(Matrices::new(shape, kind)?);
    }
    for (name, way, stated) in ways(device, shape[2])? {
        let seconds = time(&way, &mut inputs[0], device)?;
        let mut errors = Vec::new();
        for matrices in &mut inputs {
            matrices.c.fill_zero()?;
            way.run(matrices)?;
            let error = matrices.error(way.is_stored())? / UNIT;
            errors.push(format!("{error:>12.3}"));
        }
        let stated = stated.map_or(String::new(), |stated| format!("{:.1}", stated / UNIT));
        println!("{name:<26} {:>9.1} {} {stated:>12}", operations / seconds / 1e12, errors.join(" "));
    }
    Ok(())
}

fn write_plans(folder: &str) -> Outcome<()> {
    for arithmetic in [MatrixArithmetic::Tf32, MatrixArithmetic::Bf16x6] {
        for (name, mapping) in [
            (arithmetic.to_string(), Mapping::on_matrix_units(arithmetic)),
            (format!("{arithmetic}-groups"), Mapping::on_warp_groups(arithmetic)),
        ] {
            std::fs::write(format!("{folder}/{name}.json"), plan(&mapping)?.to_json())?;
        }
    }
    Ok(())
}

fn run(arguments: &[String]) -> Outcome<()> {
    if let [command, folder] = arguments
        && command == "plans"
    {
        return write_plans(folder);
    }
    let sizes = arguments.iter().map(|one| one.parse()).collect::<Result<Vec<u32>, _>>();
    match sizes.ok().map(<[u32; 3]>::try_from) {
        _ if arguments.is_empty() => table([4096; 3]),
        Some(Ok(shape)) => table(shape),
        _ => Err("write three sizes, or `plans` and a folder".into()),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
