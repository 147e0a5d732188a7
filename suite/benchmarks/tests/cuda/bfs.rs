//! Every variant of `cuda_bfs` finds the distances that a search on the host finds.

use crate::support::{compile_for_all_architectures, on_gpu_and_partition};
use nitro_benchmarks::cuda::bfs::{Graph, PROGRAM, Reference, Search, checksum, inputs};
use nitro_benchmarks::cuda::cuda_bfs::{self, Variant};
use nitro_benchmarks::cuda::spmv::Pattern;

#[test]
fn kernels_compile() {
    compile_for_all_architectures(&[&PROGRAM]);
}

/// Compares all variants with the host, from some sources.
fn check(pattern: &Pattern, sources: &[u32], what: &str) {
    let graph = Graph::new(pattern).unwrap();
    let mut search = Search::new(&graph).unwrap();
    for source in sources {
        let expected = Reference::new(pattern, *source).distances;
        for variant in Variant::ALL {
            let what = format!("{variant} of {what} from {source}");
            search.poison().unwrap();
            cuda_bfs::call(*variant, &graph, *source, &mut search)
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(search.distances().unwrap() == expected, "{what}");
            assert_eq!(search.checksum().unwrap(), checksum(&expected), "{what}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn distances_match_for_every_family() {
    on_gpu_and_partition(|| {
        for name in inputs::names().iter().filter(|name| name.starts_with("test/")) {
            let (shape, _) = name.rsplit_once("-s").unwrap();
            let pattern = inputs::load(&format!("{shape}-s77")).unwrap();
            if pattern.nonzeros() < 1_000_000 {
                check(&pattern, &inputs::sources(&pattern)[..2], name);
            }
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn large_graphs_are_searched() {
    nitro_cuda::device(0).unwrap().enter();
    for name in ["test/rmat-n20-k16-s7", "test/regular-n2000000-k8-s7", "test/hubs-n2000000-k2-h9-s7"] {
        let pattern = inputs::load(name).unwrap();
        check(&pattern, &inputs::sources(&pattern)[..1], name);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn lists_of_every_length_around_the_limits_are_read() {
    nitro_cuda::device(0).unwrap().enter();
    for degree in [0, 1, 31, 32, 33, 255, 256, 257, 1024, 5000] {
        // A source of this degree, and behind it vertices of the same degree.
        let pattern = Pattern::from_rows(12_000, 12_000, |vertex, targets| {
            if vertex < 600 {
                targets.extend((1..=degree).map(|step| (vertex as i64 * 7 + step * 2) % 12_000));
            }
        });
        check(&pattern, &[0, 599, 11_999], &format!("degree {degree}"));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_path_is_followed_to_its_end() {
    nitro_cuda::device(0).unwrap().enter();
    let path = Pattern::from_rows(3000, 3000, |vertex, targets| targets.push(vertex as i64 + 1));
    check(&path, &[0, 1500, 2999], "a path");
    let one = Pattern::from_rows(1, 1, |_, targets| targets.push(0));
    check(&one, &[0], "one vertex with an edge to itself");
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_source_outside_and_another_graphs_search_are_refused() {
    nitro_cuda::device(0).unwrap().enter();
    let ring = |vertices| {
        Pattern::from_rows(vertices, vertices, |vertex, targets| {
            targets.push((vertex as i64 + 1) % vertices as i64)
        })
    };
    let (graph, other) = (Graph::new(&ring(10)).unwrap(), Graph::new(&ring(11)).unwrap());
    let mut search = Search::new(&graph).unwrap();
    for variant in Variant::ALL {
        assert!(cuda_bfs::call(*variant, &graph, 10, &mut search).is_err(), "{variant}");
        assert!(cuda_bfs::call(*variant, &other, 0, &mut search).is_err(), "{variant}");
    }
}
