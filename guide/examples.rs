//! The examples of the guide and of the README, compiled and run as tests of documentation. Those of the tutorial
//! are the files of `examples/tutorial`.

macro_rules! pages {
    ($($page:ident $file:literal)*) => {$(
        #[cfg(doctest)]
        #[doc = include_str!($file)]
        mod $page {}
    )*};
}

pages! {
    readme "../README.md"
    why "src/why.md"
    features "src/features.md"
    parameters "src/parameters.md"
    devices "src/devices.md"
    recording "src/recording.md"
    gpu "src/gpu.md"
    nests "src/nests.md"
    one_nest "src/one-nest.md"
    evolve "src/evolve.md"
    deployment "src/deployment.md"
    ci "src/ci.md"
    cookbook "src/cookbook.md"
    questions "src/questions.md"
}
