//! Sorting floating-point numbers into their total order.

mod drop_merge;
mod key;
mod merge;
mod quick;
mod radix;
mod runs;
mod sample;

pub use drop_merge::drop_merge;
pub use key::{Bits, Key};
pub use quick::quick;
pub use radix::radix;
pub use runs::merge;
pub use sample::{sample_descents_log2, sample_distinct, sample_runs_log2};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs;
    use crate::inputs::sort::Keys;

    /// Compares all variants with the standard library's sort, bit by bit, on one thread and on several.
    fn check<K: Key + std::fmt::Debug>(keys: &[K], what: &str) {
        let mut expected: Vec<K::Bits> = keys.iter().map(|key| key.ordered()).collect();
        expected.sort();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for &variant in crate::sort::Variant::ALL {
                let mut sorted = keys.to_vec();
                pool.install(|| crate::sort::call(variant, &mut sorted));
                let found: Vec<K::Bits> = sorted.iter().map(|key| key.ordered()).collect();
                assert!(found == expected, "{variant} of {what}, {threads} threads");
            }
        }
    }

    #[test]
    fn numbers_that_are_none_have_their_place() {
        let negative_nan = f64::from_bits(f64::NAN.to_bits() | 1 << 63);
        let payload = f64::from_bits(f64::NAN.to_bits() | 7);
        let special = [
            f64::NAN,
            0.0,
            -0.0,
            f64::INFINITY,
            negative_nan,
            -1.5,
            f64::NEG_INFINITY,
            payload,
            1e-310,
            f64::MIN,
        ];
        check(&special, "special numbers");
        let repeated: Vec<f64> = special.iter().cycle().take(20_000).copied().collect();
        check(&repeated, "many special numbers");
        check(&repeated.iter().map(|&key| key as f32).collect::<Vec<_>>(), "many special 32-bit numbers");
        let mut by_total_cmp = special;
        by_total_cmp.sort_by(f64::total_cmp);
        let mut by_bits = special;
        quick(&mut by_bits);
        assert_eq!(by_bits.map(f64::to_bits), by_total_cmp.map(f64::to_bits));
    }

    #[test]
    fn every_family_is_sorted_at_all_lengths() {
        let families = [
            "uniform",
            "normal",
            "sorted",
            "reversed",
            "almost-p5",
            "almost-p200",
            "few-k1",
            "few-k9",
            "runs-k3",
            "runs-k70",
        ];
        for family in families {
            for length in [0, 1, 2, 3, 15, 63, 64, 65, 1000, 8191, 16_385, 60_000] {
                for bits in [32, 64] {
                    let name = format!("test/{family}-n{length}-b{bits}-s5");
                    match inputs::sort::load(&name).unwrap() {
                        Keys::F32(keys) => check(&keys, &name),
                        Keys::F64(keys) => check(&keys, &name),
                    }
                }
            }
        }
    }

    #[test]
    fn nearly_descending_keys_and_stray_large_keys_are_sorted() {
        let mut keys: Vec<f64> = (0..50_000).map(|i| -f64::from(i)).collect();
        keys.swap(7, 30_000);
        check(&keys, "nearly descending");
        keys.reverse();
        for place in (100..50_000).step_by(97) {
            keys[place] = 1e9;
        }
        check(&keys, "ascending with large strays");
        let saw: Vec<f64> = (0..50_000).map(|i| f64::from(i % 11) - f64::from(i % 7)).collect();
        check(&saw, "saw teeth");
    }

    #[test]
    fn features_tell_orders_apart() {
        let features = |name: &str| match inputs::sort::load(name).unwrap() {
            Keys::F32(keys) => (sample_runs_log2(&keys), sample_descents_log2(&keys), sample_distinct(&keys)),
            Keys::F64(keys) => (sample_runs_log2(&keys), sample_descents_log2(&keys), sample_distinct(&keys)),
        };
        assert_eq!(features("train/sorted-n5000-b64-s1"), (0.0, 0.0, 1.0));
        assert_eq!(features("train/reversed-n5000-b32-s1"), (1001_f64.log2(), 5.0, 1.0));
        assert_eq!(features("train/uniform-n0-b32-s1"), (0.0, 0.0, 1.0));
        let (runs, descents, _) = features("train/runs-n50000-b64-k50-s1");
        assert!(runs < 5.0 && descents > 3.0, "{runs} {descents}");
        let (runs, descents, distinct) = features("train/uniform-n50000-b64-s1");
        assert!(runs > 8.0 && descents > 3.0 && distinct == 1.0, "{runs} {descents} {distinct}");
        let (runs, _, _) = features("train/almost-n50000-b64-p3-s1");
        assert!(0.0 < runs && runs < 5.0, "{runs}");
        let (_, _, distinct) = features("train/few-n50000-b64-k8-s1");
        assert!(distinct <= 0.25, "{distinct}");
    }
}
