//! Breadth-first search in its own metric: billions of traversed edges a second, of every variant, over a hundred
//! searches of each graph (edges of all searches by their time). Graphs as the recordings name them, and a device,
//! may be given:
//!
//! ```sh
//! cargo run --release -p nitro-benchmarks --example search -- cuda:0/16sm test/rmat-n19-k8-s2
//! ```

mod shown;

use std::io::Write;
use std::process::ExitCode;

use nitro::Device;
use nitro_benchmarks::cuda::bfs::{Graph, Reference, Search, inputs, traversed_edges_per_second};
use nitro_benchmarks::cuda::cuda_bfs;
use rayon::prelude::*;
use shown::{BoxError, by_model, shown};

const GRAPHS: [&str; 5] = [
    "test/stencil2d-g120-s2",
    "test/ring-n500000-k10-p15-s2",
    "test/random-m2000000-n2000000-k4-s2",
    "test/rmat-n16-k40-s2",
    "test/rmat-n19-k8-s2",
];

fn main() -> ExitCode {
    shown(run)
}

fn run(out: &mut dyn Write) -> Result<(), BoxError> {
    let (devices, graphs): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("cuda"));
    let device =
        nitro_cuda::parse(devices.first().map_or("cuda:0", |name| name)).expect("it begins with cuda")?;
    device.enter();
    writeln!(out, "{device}, billions of traversed edges a second")?;
    let graphs = if graphs.is_empty() { GRAPHS.map(str::to_owned).into() } else { graphs };
    graphs.iter().try_for_each(|graph| show(out, graph))
}

/// Prints the rate of every variant on one graph, the selected one marked.
fn show(out: &mut dyn Write, name: &str) -> Result<(), BoxError> {
    let pattern = inputs::load(name)?;
    let sources = inputs::sources(&pattern);
    let edges =
        sources.par_iter().map(|source| Reference::new(&pattern, *source).traversed_edges(&pattern)).sum();
    let graph = Graph::new(&pattern)?;
    let mut search = Search::new(&graph)?;
    let selection = cuda_bfs::select(&graph, sources[0], &mut search);
    let selected = by_model(cuda_bfs::function(), selection)?.variant();
    writeln!(out, "{name}")?;
    for &variant in cuda_bfs::Variant::ALL {
        cuda_bfs::call(variant, &graph, sources[0], &mut search)?; // loads the kernels
        let mut stopwatch = nitro_cuda::current().stopwatch();
        let mut time_ns = 0.0;
        for source in &sources {
            stopwatch.start();
            cuda_bfs::call(variant, &graph, *source, &mut search)?;
            time_ns += stopwatch.stop();
        }
        let rate = traversed_edges_per_second(edges, time_ns) / 1e9;
        let mark = if variant == selected { "  selected" } else { "" };
        writeln!(out, "  {variant:26} {rate:8.3}{mark}")?;
    }
    Ok(())
}
