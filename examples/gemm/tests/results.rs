//! Every variant gives what the definition says.

use nitro::{Artifact, CodeChoice, VariantInfo};
use nitro_cuda::Buffer;
use nitro_g_adapt::inputs::values;
use nitro_gemm::{Factors, TILED, gemm, inputs};
use nitro_nest::MappingSpace;
use nitro_polybench::blas;
use nitro_search::Generator;
use nitro_test_support::tools::NVRTC;

#[test]
fn shapes_are_named_and_none_is_trained_and_tested_on() {
    let names: Vec<String> = inputs::names().collect();
    let shapes: std::collections::BTreeSet<_> =
        names.iter().map(|name| inputs::shape(name).unwrap()).collect();
    assert_eq!(shapes.len(), names.len());
    assert_eq!(inputs::shape("train/2x3"), None);
}

#[test]
fn every_tile_compiles_for_every_architecture() {
    let Some(_) = NVRTC.found(nitro_cuda::nvrtc_version()) else { return };
    for architecture in nitro_cuda::nvrtc_architectures().unwrap() {
        for tile in [32, 64, 128] {
            let image =
                TILED.compile(architecture, &[("TILE", tile)]).unwrap_or_else(|error| panic!("{error}"));
            assert!(image.cubin().unwrap().starts_with(b"\x7fELF"), "{tile} for sm_{architecture}");
        }
    }
}

/// What the definition says, computed on the host.
fn product(shape: [u32; 3]) -> Vec<f32> {
    let [rows, columns, inner] = shape.map(|size| size as usize);
    let (a, b) = (values(rows * inner, 1), values(inner * columns, 2));
    let mut c = values(rows * columns, 3);
    for row in 0..rows {
        for column in 0..columns {
            let product: f32 =
                (0..inner).map(|depth| a[row * inner + depth] * b[depth * columns + column]).sum();
            let element = &mut c[row * columns + column];
            *element = 2.0 * product - *element;
        }
    }
    c
}

/// Every choice but generated kernels, and of those the presets.
fn choices() -> Vec<gemm::Choice> {
    let of_variant = |(variant, info): (usize, &'static VariantInfo)| {
        info.configurations().map(move |configuration| nitro::Choice { variant, configuration })
    };
    let all = gemm::function().variants().iter().enumerate().flat_map(of_variant).map(gemm::Choice::of);
    let presets = MappingSpace::new(&blas::gemm::nest()).unwrap().presets().into_iter();
    let kept = presets.map(|(_, text)| gemm::Choice::Found(gemm::Found { kernel: Artifact::keep(&text) }));
    all.filter(|choice| !matches!(choice, gemm::Choice::Found(_))).chain(kept).collect()
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_variant_gives_the_product() {
    for device in [nitro_cuda::device(0), nitro_cuda::partition(0, 16)] {
        let device = device.unwrap();
        device.enter();
        let shapes =
            [[0, 3, 2], [3, 2, 0], [1, 1, 1], [31, 33, 7], [64, 64, 64], [129, 127, 65], [300, 17, 1000]];
        for shape in shapes {
            let [rows, columns, inner] = shape;
            let buffer = |length: u32, seed| Buffer::from_slice(&values(length as usize, seed)).unwrap();
            let (a, b) = (buffer(rows * inner, 1), buffer(inner * columns, 2));
            let factors =
                Factors { rows, columns, inner, alpha: 2.0, beta: -1.0, tolerance: 1.0, a: &a, b: &b };
            for choice in choices() {
                let mut found = buffer(rows * columns, 3);
                gemm::call(choice, &factors, &mut found).unwrap_or_else(|error| panic!("{choice}: {error}"));
                assert!(found.to_vec().unwrap() == product(shape), "{choice} of {shape:?} on {device}");
            }
        }
    }
}
