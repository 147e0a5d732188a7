//! A function is called while its stream is captured into a CUDA graph: the graph holds the chosen variant's launch
//! and no more, and its replays do what the call does. `cargo test -p nitro-variants-cuda --test graph_capture --
//! --ignored --test-threads=1`.
//!
//! In a file of its own: it counts allocations, and gives the process an empty cache folder, so that everything
//! that a first call may have to compile and measure is compiled and measured.

use std::ptr;
use std::sync::LazyLock;

use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUresult, CUstreamCaptureMode};
use nitro::model::{Class, Coverage, Forest, Model, Node, Provenance, Scale, Selector, Svm, Transform};
use nitro::recording::{Observation, Panicked, record};
use nitro::{Device, Reason, Regime, code_variant, in_regime};
use nitro_cuda::{
    Buffer, Cuda, CudaError, Executable, Grid, LaunchPlan, Module, Options, Program, Source, Stream, compile,
    device, on, partition,
};
use nitro_test_support::allocations::{Counting, allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SOURCE: &str = r#"
    extern "C" __global__ void add(unsigned* x, unsigned n, unsigned value) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] += value;
    }"#;

/// One program a test, so that each compiles and loads its own.
static WARM: Program = Program::new("warm.cu", SOURCE);
static COLD: Program = Program::new("cold.cu", SOURCE);
static REPLAYED: Program = Program::new("replayed.cu", SOURCE);

const LENGTH: usize = 100_000;

fn launch(
    program: &'static Program,
    threads: u32,
    stream: Stream,
    x: &mut Buffer<u32>,
) -> Result<(), CudaError> {
    let kernel = program.kernel_on(stream.device(), "add")?;
    let length = x.len();
    // SAFETY: the arguments are of the kernel's types, and the buffer has so many elements.
    unsafe {
        kernel.launch_on(
            stream,
            Grid::covering(length, threads),
            &[x.into(), (length as u32).into(), 1u32.into()],
        )
    }
}

macro_rules! functions {
    ($($module:ident $program:ident;)*) => {$(
        mod $module {
            use super::*;

            #[code_variant(
                device = on(stream),
                features(length = x.len()),
                variants(small_blocks, large_blocks if length > 1000),
                default = small_blocks,
                model = MODEL.as_slice(),
            )]
            pub fn add(stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError>;

            fn small_blocks(stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError> {
                launch(&$program, 64, stream, x)
            }

            fn large_blocks(stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError> {
                launch(&$program, 512, stream, x)
            }

            static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| model(add::function().name()));
        }
    )*};
}
functions! {
    warm WARM;
    cold COLD;
}

/// Of its variants, one cannot be captured, and one does not come to its end.
#[code_variant(
    device = on(stream),
    features(length = x.len()),
    variants(launches, waits, breaks),
    default = launches,
    model = OF_GRAPHS.as_slice(),
)]
fn replayed(stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError>;

fn launches(stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError> {
    launch(&REPLAYED, 256, stream, x)
}

fn waits(stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError> {
    launch(&REPLAYED, 256, stream, x)?;
    stream.synchronize()
}

fn breaks(stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError> {
    launch(&REPLAYED, 256, stream, x)?;
    panic!("as a variant may")
}

/// A model that was trained on calls in graphs too: there it takes `launches`, otherwise `waits`.
static OF_GRAPHS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let nodes = vec![Node::Split { column: 1, threshold: 0.5 }, Node::Leaf, Node::Leaf];
    let forest = Forest {
        inputs: 1,
        choices: 3,
        nodes,
        values: vec![128, 0, 255, 0, 128, 255],
        origins: vec![],
        ratios: vec![],
    };
    let model = Model {
        choices: vec!["launches".into(), "waits".into(), "breaks".into()],
        device_features: vec!["regime_graph".into()],
        selector: Selector::Forest(forest),
        provenance: Provenance { sources: vec!["cuda:0+graph@lab".into()], ..Provenance::default() },
        ..Model::from_bytes(&model(replayed::function().name())).unwrap()
    };
    model.to_bytes()
});

/// A model that takes large blocks for long buffers; it asks for a device feature that has to be measured.
fn model(function: &str) -> Vec<u8> {
    let scale = |max| Scale { transform: Transform::Identity, min: 0.0, max };
    let model = Model {
        function: function.into(),
        choices: vec!["small_blocks".into(), "large_blocks".into()],
        features: vec!["length".into()],
        device_features: vec!["copy_gbps".into()],
        selector: Selector::Svm(Svm {
            gamma: 0.5,
            scaling: vec![scale(20_000.0), scale(1e6)],
            classes: [0, 1].map(|variant| Class { choice: variant, support: 1 }).into(),
            vectors: vec![-1.0, 0.0, 1.0, 0.0],
            coefficients: vec![1.0, -1.0],
            rho: vec![0.0],
        }),
        gate: None,
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: Coverage::default(),
        provenance: Provenance::default(),
    };
    model.to_bytes()
}

/// Gives the process an empty cache folder. Each test calls it first; they run one after the other.
fn empty_cache() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    // SAFETY: no other thread of this process reads or writes the environment.
    unsafe { std::env::set_var("XDG_CACHE_HOME", folder.path()) };
    folder
}

fn succeeds(answer: CUresult) {
    assert_eq!(answer, CUresult::CUDA_SUCCESS);
}

/// The graph of what `work` gives the stream, captured in the strictest mode: no thread may do anything that could
/// be unsafe.
fn captured(stream: Stream, work: impl FnOnce()) -> CUgraph {
    let (handle, mut graph) = (stream.as_raw().cast(), ptr::null_mut());
    let capture = || {
        // SAFETY: the stream is one of the context that is current.
        succeeds(unsafe {
            sys::cuStreamBeginCapture_v2(handle, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL)
        });
        work();
        // SAFETY: the capture was begun on this thread, and `graph` lives through the call.
        succeeds(unsafe { sys::cuStreamEndCapture(handle, &mut graph) });
    };
    stream.device().with_context(capture).unwrap();
    graph
}

/// Number of nodes of a graph.
fn nodes(device: Cuda, graph: CUgraph) -> usize {
    let mut count = 0;
    // SAFETY: without a place for nodes the driver only counts them.
    let ask = || succeeds(unsafe { sys::cuGraphGetNodes(graph, ptr::null_mut(), &mut count) });
    device.with_context(ask).unwrap();
    count
}

/// Runs the graph so often, and waits.
fn replay(stream: Stream, graph: CUgraph, times: usize) {
    let mut executable: CUgraphExec = ptr::null_mut();
    let run = || {
        // SAFETY: the graph is whole, and its buffer lives until the stream has been waited for.
        unsafe {
            succeeds(sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0));
            for _ in 0..times {
                succeeds(sys::cuGraphLaunch(executable, stream.as_raw().cast()));
            }
            succeeds(sys::cuStreamSynchronize(stream.as_raw().cast()));
            succeeds(sys::cuGraphExecDestroy(executable));
            succeeds(sys::cuGraphDestroy(graph));
        }
    };
    stream.device().with_context(run).unwrap();
}

/// Launches `add` of a module.
fn add_by(module: &Module, stream: Stream, x: &mut Buffer<u32>) {
    let length = x.len();
    let arguments = [x.into(), (length as u32).into(), 1u32.into()];
    let kernel = module.kernel("add").unwrap();
    // SAFETY: the arguments are of the kernel's types, and the buffer has so many elements.
    unsafe { kernel.launch_on(stream, Grid::covering(length, 256), &arguments) }.unwrap();
}

fn values(x: &Buffer<u32>) -> u32 {
    let values = x.to_vec().unwrap();
    assert!(values.iter().all(|value| *value == values[0]), "every element is added to equally often");
    values[0]
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_call_is_captured_and_replayed_and_choosing_allocates_nothing() {
    let _cache = empty_cache();
    for stream in [device(0).unwrap().stream(), Stream::new(device(0).unwrap()).unwrap()] {
        let mut x = device(0).unwrap().scope(|| Buffer::<u32>::zeroed(LENGTH)).unwrap();
        device(0).unwrap().stream().synchronize().unwrap();
        warm::add(stream, &mut x).unwrap();
        warm::add::prepare().unwrap();
        warm::add(stream, &mut x).unwrap(); // chooses anew, since the device is measured
        stream.synchronize().unwrap();
        assert_eq!(values(&x), 2);
        let graph = captured(stream, || {
            let before = allocations();
            let selection = warm::add::select(stream, &mut x);
            warm::add(stream, &mut x).unwrap();
            assert_eq!(allocations(), before);
            assert_eq!(selection.variant(), warm::add::Variant::LargeBlocks);
            assert_eq!(selection.reason(), Reason::PredictedForEager { regime: Regime::Graph });
        });
        assert_eq!(nodes(stream.device(), graph), 1, "the launch, and nothing of the choice");
        assert_eq!(values(&x), 2, "what is captured does not run");
        replay(stream, graph, 3);
        assert_eq!(values(&x), 5);
        warm::add(stream, &mut x).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(values(&x), 6, "calls go on after a capture");
    }
}

/// The device is opened before the capture, because the stream is. Compiling, loading and measuring, on another
/// thread, fall into it.
#[test]
#[ignore = "needs a CUDA device"]
fn even_a_first_call_may_fall_into_a_capture() {
    let cache = empty_cache();
    let part = partition(0, 40).unwrap(); // which no other test of this process uses
    let stream = part.stream();
    let mut x = part.scope(|| Buffer::<u32>::zeroed(LENGTH)).unwrap();
    stream.synchronize().unwrap();
    let graph = captured(stream, || {
        let selection = cold::add::select(stream, &mut x);
        assert_eq!(selection.variant(), cold::add::Variant::SmallBlocks);
        assert_eq!(selection.reason(), Reason::DeviceFeaturesPending, "no call waits for a measurement");
        cold::add(stream, &mut x).unwrap();
        assert_eq!(part.entry().measured().len(), 3, "waits until they are measured");
        let selection = cold::add::select(stream, &mut x);
        assert_eq!(selection.variant(), cold::add::Variant::LargeBlocks);
        let predicted = Reason::PredictedForEager { regime: Regime::Graph };
        assert_eq!(selection.reason(), predicted, "the device feature was measured");
        cold::add(stream, &mut x).unwrap();
    });
    assert!(std::fs::read_dir(cache.path()).unwrap().count() > 0, "something was compiled or measured");
    assert_eq!(nodes(part, graph), 2, "the launches, and nothing of what was measured");
    replay(stream, graph, 2);
    assert_eq!(values(&x), 4);
}

/// One recorded call in a graph.
fn recorded(
    stream: Stream,
    x: &mut Buffer<u32>,
    variant: &str,
) -> Result<(Result<(), CudaError>, Observation), Panicked> {
    let choice = replayed::function().choice(variant).unwrap();
    in_regime(Regime::Graph, || record(replayed::function(), choice, &[choice], || replayed(stream, x)))
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_call_in_the_regime_graph_is_captured_and_its_replay_does_the_work_once() {
    let _cache = empty_cache();
    let gpu = device(0).unwrap();
    for stream in [gpu.stream(), Stream::new(gpu).unwrap()] {
        let mut x = gpu.scope(|| Buffer::<u32>::zeroed(LENGTH)).unwrap();
        gpu.stream().synchronize().unwrap();
        for round in 1..=3 {
            let (result, seen) = recorded(stream, &mut x, "launches").unwrap();
            result.unwrap();
            assert!(seen.time_ns > 0.0 && seen.faults == 0, "{seen:?}");
            assert!(seen.device.is_some_and(|id| id.contains("cuda:0+graph@")));
            assert_eq!(values(&x), 2 * round - 1);
            // What cannot be captured has done nothing, and nothing of it is left.
            let (result, seen) = recorded(stream, &mut x, "waits").unwrap();
            assert!(result.is_err() && seen.faults == 1, "{seen:?}");
            let fault = seen.fault.unwrap();
            assert!(fault.starts_with("cannot be captured into a CUDA graph"), "{fault}");
            assert!(recorded(stream, &mut x, "breaks").is_err());
            assert!(!gpu.is_lost());
            replayed(stream, &mut x).unwrap();
            stream.synchronize().unwrap();
            assert_eq!(values(&x), 2 * round);
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_captured_call_chooses_for_graphs_where_the_model_knows_them() {
    let _cache = empty_cache();
    let stream = Stream::new(device(0).unwrap()).unwrap();
    let mut x = device(0).unwrap().scope(|| Buffer::<u32>::zeroed(LENGTH)).unwrap();
    device(0).unwrap().stream().synchronize().unwrap();
    let selection = replayed::select(stream, &mut x);
    assert_eq!((selection.variant(), selection.reason()), (replayed::Variant::Waits, Reason::Predicted));
    replayed(stream, &mut x).unwrap();
    for _ in 0..2 {
        let graph = captured(stream, || {
            let selection = replayed::select(stream, &mut x);
            assert_eq!(selection.variant(), replayed::Variant::Launches);
            assert_eq!(selection.reason(), Reason::Predicted);
            replayed(stream, &mut x).unwrap();
            let eager = in_regime(Regime::Eager, || replayed::select(stream, &mut x));
            assert_eq!(eager.variant(), replayed::Variant::Waits, "the program may say otherwise");
        });
        assert_eq!(nodes(stream.device(), graph), 1);
        replay(stream, graph, 1);
    }
    assert_eq!(values(&x), 3);
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_graph_outlives_the_module_of_its_launches() {
    let _cache = empty_cache();
    let device = device(0).unwrap();
    let stream = Stream::new(device).unwrap();
    let image = compile(&Source::new("module.cu", SOURCE), &Options::for_device(device)).unwrap();
    let mut x = device.scope(|| Buffer::<u32>::zeroed(LENGTH)).unwrap();
    device.stream().synchronize().unwrap();
    let module = Module::load(device, &image).unwrap();
    let graph = captured(stream, || add_by(&module, stream, &mut x));
    drop(module);
    // What is loaded next would take the place of the module.
    let _others: Vec<Module> = (0..8).map(|_| Module::load(device, &image).unwrap()).collect();
    replay(stream, graph, 3);
    assert_eq!(values(&x), 3);
}

#[test]
#[ignore = "needs a CUDA device"]
fn modules_may_be_dropped_and_loaded_during_a_capture() {
    let _cache = empty_cache();
    let device = device(0).unwrap();
    let stream = Stream::new(device).unwrap();
    let image = compile(&Source::new("module.cu", SOURCE), &Options::for_device(device)).unwrap();
    for used_on in [stream, Stream::new(device).unwrap()] {
        let mut x = device.scope(|| Buffer::<u32>::zeroed(LENGTH)).unwrap();
        device.stream().synchronize().unwrap();
        let module = Module::load(device, &image).unwrap();
        add_by(&module, used_on, &mut x);
        used_on.synchronize().unwrap();
        let graph = captured(stream, || {
            drop(module);
            drop(Module::load(device, &image).unwrap());
            warm::add(stream, &mut x).unwrap();
        });
        assert_eq!(nodes(device, graph), 1, "the launch alone");
        replay(stream, graph, 2);
        assert_eq!(values(&x), 3);
    }
}

/// `for t in 0..steps { x += by; }`
const STEPS: &str = r#"{"format":1,"name":"steps","sizes":["n","steps"],"scalars":["by"],
    "arrays":[{"name":"x","shape":[{"terms":[[{"Parameter":0},1]],"constant":0}],"is_written":true}],
    "temporaries":[],"iterators":["t"],
    "kernels":[{"name":"step","part":"0","host_iterators":[0],"block":[256,1,1],"points":[1,1,1],
        "grid":[{"lower":[{"terms":[],"constant":0}],"upper":[{"terms":[[{"Parameter":0},1]],"constant":0}],"step":1}]}],
    "host":[{"Loop":[{"iterator":0,"lower":[{"terms":[],"constant":0}],"upper":[{"terms":[[{"Parameter":1},1]],"constant":0}],
        "step":1,"is_reversed":false},[{"Launch":0}]]}],
    "contracts":true,
    "cuda":"extern \"C\" __global__ void step(nitro_int n, nitro_int steps, nitro_int t, float by, float* x)\n{\n    nitro_int i = 256 * (nitro_int)blockIdx.x + (nitro_int)threadIdx.x;\n    if (i < n) x[i] += by;\n}\n"}"#;

/// Its own graph would not be in the captured one.
#[test]
#[ignore = "needs a CUDA device"]
fn an_executable_is_captured_launch_by_launch_and_has_its_graph_otherwise() {
    let _cache = empty_cache();
    let device = device(0).unwrap();
    device.enter();
    let stream = device.stream();
    let x = Buffer::<f32>::zeroed(LENGTH).unwrap();
    let executable = Executable::new(LaunchPlan::from_json(STEPS).unwrap(), device).unwrap();
    // SAFETY: the kernel stays within the array.
    let run = || unsafe { executable.run(&[LENGTH as i64, 150], &[1.0], &[&x]) }.unwrap();
    let graph = captured(stream, run); // compiles and loads
    assert_eq!((nodes(device, graph), executable.graphs()), (150, 0));
    (0..3).for_each(|_| run());
    assert_eq!(executable.graphs(), 1);
    let again = captured(stream, run);
    assert_eq!(nodes(device, again), 150);
    replay(stream, graph, 1);
    replay(stream, again, 1);
    assert_eq!(x.to_vec().unwrap(), [5.0 * 150.0; LENGTH]);
}
