//! NVIDIA's assembler and compiler, and the texts that they take.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, OnceLock};

use nitro_test_support::tools::{NVCC, PTXAS};

/// A text of PTX by hand.
pub const OTHERS: &str = include_str!("others.ptx");
/// By hand too, in the manners of several compilers.
pub const STYLES: &str = include_str!("styles.ptx");

/// The tool of this name, beside `$NVCC` or on the path.
fn find(name: &str) -> Result<PathBuf, String> {
    let nvcc = std::env::var_os("NVCC").map(PathBuf::from);
    let beside = nvcc.and_then(|nvcc| Some(nvcc.parent()?.join(name))).filter(|tool| tool.is_file());
    let tool = beside.unwrap_or_else(|| PathBuf::from(name));
    match Command::new(&tool).arg("--version").output() {
        Ok(output) if output.status.success() => Ok(tool),
        Ok(_) => Err(format!("{} does not run", tool.display())),
        Err(error) => Err(error.to_string()),
    }
}

/// The assembler; none leaves the test out.
pub fn ptxas() -> Option<PathBuf> {
    PTXAS.found(find("ptxas"))
}

/// The compiler; none leaves the test out.
pub fn nvcc() -> Option<PathBuf> {
    NVCC.found(find("nvcc"))
}

/// What ptxas makes of a text, or its messages.
pub fn assemble(ptxas: &Path, text: &str) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().unwrap();
    let (source, image) = (folder.path().join("a.ptx"), folder.path().join("a.cubin"));
    std::fs::write(&source, text).unwrap();
    let arguments = [&source, Path::new("-o"), &image];
    let architecture = format!("-arch={}", architecture(text));
    let Output { status, stderr, .. } =
        Command::new(ptxas).arg(architecture).args(arguments).output().unwrap();
    match status.success() {
        true => Ok(std::fs::read(image).unwrap()),
        false => Err(String::from_utf8_lossy(&stderr).into_owned()),
    }
}

/// That of the tests, or what a text is written for where that is newer, or no other.
fn architecture(text: &str) -> &str {
    let target = text.lines().find_map(|line| line.strip_prefix(".target "));
    let target = target.and_then(|target| target.split(',').next()).map_or("", str::trim);
    let is_newer = target.strip_prefix("sm_").is_some_and(|digits| digits.len() > 2);
    if is_newer { target } else { "sm_90" }
}

/// The PTX of a text in CUDA C++, which is compiled once however many tests need it.
pub fn compile(nvcc: &Path, text: &str) -> String {
    static COMPILED: Mutex<BTreeMap<String, Arc<OnceLock<String>>>> = Mutex::new(BTreeMap::new());
    let ptx = COMPILED.lock().unwrap().entry(text.to_owned()).or_default().clone();
    ptx.get_or_init(|| compiled(nvcc, text)).clone()
}

fn compiled(nvcc: &Path, text: &str) -> String {
    compile_with(nvcc, text, &["-arch=sm_90"])
}

/// With other options than all others.
pub fn compile_with(nvcc: &Path, text: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (source, ptx) = (folder.path().join("a.cu"), folder.path().join("a.ptx"));
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new(nvcc);
    command.args(options).args(["-std=c++17", "-w", "--ptx", "-o"]).args([&ptx, &source]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(ptx).unwrap()
}

/// A file of the tree.
fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The programs in CUDA C++ that the tree has as files, as their packages put them together, each in one of its
/// configurations: folder, files, definitions.
pub const PROGRAMS: [(&str, &[&str], &str); 18] = [
    ("suite/benchmarks/src/cuda/histogram", &["kernels.cu"], ""),
    ("suite/benchmarks/src/cuda/sort", &["tile.cu", "merge.cu"], ""),
    ("suite/benchmarks/src/cuda/sort", &["tile.cu", "locality.cu"], ""),
    ("suite/benchmarks/src/cuda/sort", &["radix.cu"], ""),
    ("suite/benchmarks/src/cuda/solver", &["grid.cuh", "set_up.cu", "kernels.cu"], ""),
    ("suite/benchmarks/src/cuda", &["solver/grid.cuh", "bfs/kernels.cu"], ""),
    ("suite/benchmarks/src/cuda/spmv", &["kernels.cu"], ""),
    ("suite/benchmarks/src/cuda/transpose", &["kernels.cu"], ""),
    ("suite/benchmarks/src/cuda/transpose", &["tiled.cu"], "TILE=32 BLOCK_ROWS=8"),
    ("suite/g-adapt/src/cuda", &["block_sum.cu", "reduction.cu"], "BLOCK=256 WIDE=4 UNROLL=2"),
    ("suite/g-adapt/src/cuda", &["block_sum.cu", "scalar_prod.cu"], "BLOCK=128"),
    ("suite/g-adapt/src/cuda", &["matrix_mul.cu"], "TILE=64 PER=4 DEPTH=16 UNROLL=2"),
    ("suite/g-adapt/src/cuda", &["mv_mul.cu"], "BLOCK=256 LANES=32 UNROLL=2"),
    ("suite/g-adapt/src/cuda", &["transpose_coalesced.cu"], "TILE=32 ROWS=8 PADDED=1"),
    ("examples/gemm/src", &["tiled.cu"], "TILE=128"),
    ("nitro-cuda/src/profile", &["proxies.cu"], ""),
    ("nitro-cuda/src/features", &["kernels.cu"], ""),
    ("nitro-ptx/tests/ptx", &["varied.cu"], ""),
];

/// Name and text of one of [`PROGRAMS`].
pub fn program(&(folder, files, definitions): &(&str, &[&str], &str)) -> (String, String) {
    let defined = definitions.split_whitespace().map(|one| format!("#define {}\n", one.replace('=', " ")));
    // In this pragma nvcc, unlike NVRTC, takes no macro.
    let texts =
        files.iter().map(|name| file(&format!("{folder}/{name}")).replace("unroll UNROLL", "unroll 2"));
    (format!("{folder} {}", files.join(" ")), defined.chain(texts).collect())
}
