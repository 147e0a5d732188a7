//! Certificates of proofs over spaces of decisions, with times that were drawn.

use std::path::Path;

use nitro_decide::LowerBound;
use nitro_polybench::decided::{Asked, Kernel, Tiles, rates};
use nitro_polybench::train::trainer;
use nitro_search::{Ask, Budget, Engine, Evaluation, Generator, ProofPlan, Proposer};
use nitro_test_support::random::Random;
use nitro_train::Artifact;
use nitro_train::search::{Certificate, Sample};

const RATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/measured/rates-h200.json");

/// Proves on a small space, each of whose points takes 1.1 to 2.1 times its bound, and certifies that; up to classes of
/// points or for each.
fn certified(classes: bool) -> Certificate {
    let asked = Asked {
        space: Kernel::MatvecByWarps,
        size: 16384,
        batch: 512,
        tiles: Tiles::Full,
        device: "cuda:0".to_owned(),
    };
    let space = asked.space().unwrap();
    let features = serde_json::from_str(&std::fs::read_to_string(RATES).unwrap()).unwrap();
    let own = Certificate { rates: features, seed: 7, classes, ..Certificate::begin() };
    let prover = space
        .prover(
            &|name| own.rates.get(name).copied(),
            &ProofPlan { seed: own.seed, classes, ..ProofPlan::default() },
        )
        .unwrap();
    let (root_ns, bound) = (prover.proved_ns(), space.time_bound(rates(Path::new(RATES)).unwrap()));
    let (mut search, mut random, mut samples) =
        (Engine::new(prover, Budget::default()), Random::new(3), Vec::new());
    while let Ok(Ask::Evaluate(texts)) = search.ask(8) {
        for text in texts {
            let name = search.proposer().name(&text);
            let point = space.root().decide(&space.parse(&name).unwrap()).unwrap();
            let share = 1.1 + random.below(1000) as f64 / 1000.0;
            let result = Evaluation::TimeNs(bound.bound_ns(&point) * share);
            search.tell(&text, result).unwrap();
            let code = Artifact::of(&text).to_string();
            samples.push(Sample { name, code, result, repeats: 7, spread_ns: 0.0 });
        }
    }
    let best = search.best().unwrap().clone();
    Certificate {
        function: "matvec_by_warps".into(),
        variant: "full".into(),
        device: "drawn".into(),
        input: "train/16384".into(),
        root_ns,
        best_ns: best.report.time_ns().unwrap(),
        best: best.proposal,
        proved_ns: search.proposer().proved_ns(),
        is_complete: true,
        tree: search.proposer().tree(),
        samples,
        ..own
    }
}

#[test]
fn a_certified_proof_is_proved_again_by_the_trainer_and_its_tree_has_every_point() {
    let (folder, certificate) = (tempfile::tempdir().unwrap(), certified(false));
    assert!(certificate.tree.as_ref().unwrap().is_complete(), "{:?}", certificate.tree);
    let check = |certificate: &Certificate| {
        let file = folder.path().join("proofs");
        std::fs::write(&file, certificate.to_line()).unwrap();
        trainer().check_certificates(&file).unwrap().remove(0)
    };
    let found = check(&certificate);
    assert_eq!(found.problems, [""; 0]);
    let tree = found.tree.clone().unwrap();
    assert_eq!((tree.points, tree.is_complete()), (Some(486), true), "{found}");
    let mut samples = certificate.samples.clone();
    samples.retain(|own| own.result.time_ns() == Some(certificate.best_ns));
    let found = check(&Certificate { samples, ..certificate.clone() });
    assert!(found.problems[0].contains("points have no time"), "{found}");
    let mut rates = certificate.rates.clone();
    rates.values_mut().for_each(|rate| *rate *= 2.0);
    let found = check(&Certificate { rates, ..certificate });
    assert!(found.problems[0].contains("the space or the bound is another one"), "{found}");
}

#[test]
fn a_proof_up_to_classes_says_how_far_their_points_differ_and_is_proved_again() {
    let certificate = certified(true);
    let classes = certificate.tree.as_ref().unwrap().classes.unwrap();
    assert!(classes.sampled > 0 && classes.spread > 0.05, "times are drawn: {classes:?}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proofs");
    std::fs::write(&file, certificate.to_line()).unwrap();
    let found = trainer().check_certificates(&file).unwrap().remove(0);
    assert!(found.problems.is_empty() && found.proved_ns.unwrap() >= certificate.proved_ns, "{found}");
    let spread = format!("the best {:.1} % faster", 100.0 * classes.spread);
    assert!(found.to_string().contains(&spread), "{found}");
}
