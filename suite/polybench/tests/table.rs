//! The guide's table is made of what ships.

use std::collections::BTreeSet;

use nitro_polybench::results::{ablations, baselines, found, table};
use nitro_polybench::{kernels, sizes};

#[test]
fn the_guide_shows_what_was_measured() {
    let page = include_str!("../../../guide/src/nests-results.md");
    let sizes: BTreeSet<String> = found().into_iter().map(|found| found.size).collect();
    for size in &sizes {
        assert!(page.contains(&table(size)), "put this into the guide:\n{}", table(size));
    }
    let ablations = ablations();
    assert!(page.contains(&ablations), "put this into the guide:\n{ablations}");
}

#[test]
fn every_nest_of_polybench_was_searched_and_nothing_failed_that_can_be_launched() {
    let names = kernels().map(|kernel| (kernel.nest)().name().to_owned());
    let of_polybench: Vec<_> = names.iter().filter(|name| sizes(name, "huge").is_some()).collect();
    assert_eq!((of_polybench.len(), baselines().len()), (17, 34));
    for strategy in ["presets", "ants"] {
        for name in &of_polybench {
            let one = found().into_iter().find(|one| one.nest == **name && one.strategy == strategy).unwrap();
            // Of doitgen's 65,536 rows some mappings take as many blocks along y, one more than a device launches.
            let most = if *name == "doitgen" { 3 } else { 0 };
            assert!(one.best_ms.is_some() && one.failures <= most, "{name} by {strategy}");
        }
    }
}
