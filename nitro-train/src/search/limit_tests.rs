//! Searches of inputs with a floor, on a toy function with listed and generated configurations.

use nitro_core::{DeviceEntry, DeviceFeature, Function, Parameter, ParameterKind, VariantInfo};
use nitro_search::{BoxError, Crossing, Decision, Decisions, Floor, Generator, NodeKey, Step, Strategy};
use nitro_store::recordings::Outcome;
use nitro_store::store::Evaluated;

use super::{
    Floors, Generators, InputFloor, SearchPlan, SearchResult, SearchStrategy, Searches, search_tables,
};
use crate::measure::{Candidate, Proposer as _};

const CODE: [Parameter; 1] = [Parameter::artifact("kernel")];
const TILES: [Parameter; 1] = [Parameter::new("tile", ParameterKind::Number, &TILE, 0)];
const TILE: [&str; 64] = {
    const ALL: &str = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051\
                       525354555657585960616263";
    let mut tiles = [""; 64];
    let mut at = 0;
    while at < 64 {
        tiles[at] = ALL.split_at(2 * at).1.split_at(2).0;
        at += 1;
    }
    tiles
};
static VARIANTS: [VariantInfo; 2] =
    [VariantInfo::new("found").with_parameters(&CODE), VariantInfo::new("tiled").with_parameters(&TILES)];
static FUNCTION: Function = Function::new("f", &VARIANTS);

/// 64 blocks.
struct Blocks;

impl Decisions for Blocks {
    fn next(&self, path: &[Crossing]) -> Step {
        if path.is_empty() { Step::Choose(Decision::new(NodeKey::new("block"), 64)) } else { Step::Complete }
    }
}

impl Generator for Blocks {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
        Ok(format!("{:02}", path[0].option))
    }
}

fn device() -> &'static DeviceEntry {
    let feature = || DeviceFeature { name: "rate".to_owned(), value: 2.0 };
    DeviceEntry::intern("limited:0", || vec![feature()], |_| Vec::new())
}

/// The fastest takes 1000 ns, and each other 10 ns more.
fn time_ns(candidate: &Candidate) -> f64 {
    let name = match nitro_core::Artifact::from(candidate.choice.configuration).text() {
        Some(text) if candidate.variant == "found" => text.to_owned(),
        _ => candidate.configuration.trim_start_matches("tile=").to_owned(),
    };
    1000.0 + 10.0 * name.parse::<f64>().unwrap()
}

fn floor_of(bytes: f64) -> Box<InputFloor> {
    Box::new(move |input, feature| {
        let rate = feature("rate").filter(|_| input == "x")?;
        let reason = format!("{bytes} bytes, {rate} a ns");
        Some(Floor { ns: bytes / rate, limit: "memory".into(), reason })
    })
}

fn evaluated(time_ns: f64) -> Evaluated {
    let (reason, parts, load) = Default::default();
    Evaluated { outcome: Outcome::Time(time_ns), spread_ns: 3.0, repeats: 5, load, reason, parts }
}

/// Returns what a search finds of an input whose floor is of so many bytes.
fn search(
    (variant, strategy): (&str, SearchStrategy),
    until: Option<&str>,
    bytes: f64,
    input: &str,
) -> Result<SearchResult, BoxError> {
    let floor = floor_of(bytes);
    let plan = SearchPlan {
        variant: Some(variant.to_owned()),
        strategy: Some(strategy),
        generators: Generators(vec![("found", &Blocks)]),
        floors: Floors(Some(&*floor)),
        until: until.map(|text| text.parse().unwrap()),
        evaluations: 64,
        seed: 5,
        ..SearchPlan::default()
    };
    let mut searches = Searches::new(plan, &FUNCTION, device())?;
    searches.begin(input, searches.listed().to_vec())?;
    loop {
        let open = searches.open()?;
        if open.is_empty() {
            break;
        }
        // One after the other is told, as they are measured.
        let mut known = vec![None; open.len()];
        known[0] = Some(evaluated(time_ns(&open[0])));
        searches.tell(known);
    }
    searches.finish();
    Ok(searches.into_found().remove(0))
}

const WAYS: [(&str, Strategy); 5] = [
    ("tiled", Strategy::Random),
    ("tiled", Strategy::Climb),
    ("tiled", Strategy::Model),
    ("found", Strategy::Ants),
    ("found", Strategy::Random),
];

#[test]
fn a_search_of_any_strategy_stops_once_its_best_has_the_share_of_the_floor() {
    for (variant, strategy) in WAYS {
        let way = (variant, strategy.into());
        let whole = search(way, None, 1900.0, "x").unwrap();
        let stopped = search(way, Some("90%-of-floor"), 1900.0, "x").unwrap();
        assert!(stopped.best_ns.unwrap() <= 950.0 / 0.9, "{strategy}: {:?}", stopped.best_ns);
        assert!(stopped.evaluations < whole.evaluations, "{strategy} {}", stopped.evaluations);
        let told = search_tables(&[stopped]).to_string();
        assert!(told.contains("% of what memory allows"), "{told}");
    }
}

#[test]
fn a_rule_that_nothing_reaches_changes_nothing_but_what_is_shown() {
    for (variant, strategy) in WAYS {
        let way = (variant, strategy.into());
        let (whole, ruled) = (search(way, None, 1900.0, "x"), search(way, Some("99%-of-floor"), 1900.0, "x"));
        assert_eq!(whole.unwrap(), ruled.unwrap(), "{strategy}");
    }
}

#[test]
fn a_time_under_the_floor_ends_the_search_with_the_reasons_of_both() {
    for (variant, strategy) in WAYS {
        let error = search((variant, strategy.into()), None, 4000.0, "x").unwrap_err().to_string();
        for part in [
            "median of 5 repeats",
            variant,
            "limited:0, input x",
            "at least 2000.0 ns by memory",
            "4000 bytes",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}

#[test]
fn a_rule_without_a_floor_is_refused_and_without_a_rule_no_floor_is_needed() {
    let way = ("tiled", Strategy::Random.into());
    let error = search(way, Some("90%-of-floor"), 1900.0, "another").unwrap_err().to_string();
    assert!(error.contains("no floor is known of `f` on limited:0, input another"), "{error}");
    let found = search(way, None, 1900.0, "another").unwrap();
    assert_eq!(found.floor, None);
}
