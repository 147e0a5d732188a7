use super::{Crossing, Decisions, Metrics, NodeKey, PartReport, Report, Step};
use crate::Failure;

struct Nothing;

impl Decisions for Nothing {
    fn next(&self, _: &[Crossing]) -> Step {
        Step::Complete
    }
}

#[test]
fn attributes_are_the_options_by_node_and_time() {
    let crossing = |phase: &'static str, option| Crossing { node: NodeKey::new(phase), part: None, option };
    let found = Nothing.attributes(&[crossing("tile", 3), crossing("order", 1), crossing("tile", 2)]);
    let expected = [("order", 1.0), ("tile", 3.0), ("tile#2", 2.0)];
    assert!(found.iter().map(|(name, value)| (name.as_str(), *value)).eq(expected), "{found:?}");
}

#[test]
fn metrics_of_all_are_those_of_the_parts_weighted_by_their_times() {
    let part = |name: &'static str, time_ns, metrics: &[(&str, f64)]| PartReport {
        part: name.into(),
        time_ns,
        metrics: metrics.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
    };
    let mut report = Report::time_ns(500.0);
    report.parts =
        vec![part("a", 300.0, &[("occupancy", 0.2), ("hits", 0.5)]), part("b", 100.0, &[("occupancy", 0.6)])];
    let occupancy = (300.0 * 0.2 + 100.0 * 0.6) / 400.0;
    let expected: Metrics = [("occupancy".to_owned(), occupancy), ("hits".to_owned(), 0.5)].into();
    assert_eq!(report.metrics_of(None), expected);
    assert_eq!(report.metrics_of(Some(&"b".into())), [("occupancy".to_owned(), 0.6)].into());
    assert_eq!(report.metrics_of(Some(&"c".into())), expected, "a part without metrics of its own");
    assert_eq!((report.cost_of(Some(&"a".into())), report.cost_of(Some(&"c".into()))), (300.0, 500.0));
    report.evaluation = crate::Evaluation::Failed(Failure::Wrong);
    assert_eq!(report.cost_of(Some(&"a".into())), f64::INFINITY, "what answers wrong is not fast in parts");
}
