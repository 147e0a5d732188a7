//! Seeded proposals stay what they were: published figures rest on them.

use nitro_search::{Ants, Budget, Strategy};

use crate::kernels::{Kernels, Walker, answer};
use crate::{fake, kernels};

/// Returns the FNV-1a hash of a sequence of numbers.
fn digest(numbers: &[usize]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in numbers.iter().flat_map(|number| (*number as u64).to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

#[test]
fn proposals_of_configurations_stay_the_same() {
    let expected = [
        (Strategy::Random, 0xeb3c_76f2_d288_cb75),
        (Strategy::Exhaustive, 0x5293_a58c_2e56_b465),
        (Strategy::Climb, 0xb201_809b_9a81_6ee5),
        (Strategy::Local, 0x6068_d077_ac98_49a5),
        (Strategy::Annealing, 0x91ba_8dd6_01d5_0fa5),
        (Strategy::Genetic, 0xceb9_5b67_3c10_c825),
        (Strategy::Ants, 0xfdd4_19d2_206c_6c75),
        (Strategy::Model, 0x7edf_2a7b_0c1c_db55),
        (Strategy::Transfer, 0xc0a0_93ff_990c_af05),
    ];
    for (strategy, expected) in expected {
        let mut proposed = Vec::new();
        for space in fake::spaces() {
            for (seed, room) in (0..4).flat_map(|seed| [(seed, 1), (seed, 5)]) {
                let mut search = fake::begin(&space, strategy, seed, Budget::evaluations(70));
                let candidates = fake::finish(&mut search, &space, room);
                proposed.extend(candidates.into_iter().map(|candidate| candidate.index()));
                proposed.push(usize::MAX);
            }
        }
        assert_eq!(digest(&proposed), expected, "{strategy}");
    }
}

#[test]
fn proposals_of_paths_stay_the_same() {
    let expected = [
        (Walker::Random, 0xa397_679b_1534_67a5),
        (Walker::Genetic, 0xadaa_6c99_4341_5ba5),
        (Walker::Colony(Ants::default()), 0x28ca_56d7_e226_0fa5),
        (Walker::Colony(Ants::base()), 0x4642_4dd6_5b34_e5a5),
    ];
    for (walker, expected) in expected {
        let mut proposed = Vec::new();
        for (seed, room) in (0..4).flat_map(|seed| [(seed, 1), (seed, 7)]) {
            let mut search = kernels::begin(Kernels::default(), &walker, seed, 90);
            for path in kernels::finish(&mut search, room, answer) {
                proposed.extend(path.iter().map(|crossing| crossing.option));
                proposed.push(usize::MAX);
            }
        }
        assert_eq!(digest(&proposed), expected, "{walker:?}");
    }
}
