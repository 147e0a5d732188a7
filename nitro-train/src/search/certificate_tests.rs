//! Certificates of proofs over points whose bounds are a table.

use nitro_search::Evaluation;

use super::proving_tests::{Points, plan, search};
use super::{Certificate, CertificateCheck};

const POINTS: Points = Points { factor: 1.0, presets: &["150", "no point"] };

fn certified(evaluations: usize) -> Certificate {
    *search(plan(&POINTS, evaluations), 1).0.certificate.unwrap()
}

fn check(change: impl FnOnce(&mut Certificate)) -> CertificateCheck {
    let mut certificate = certified(200);
    change(&mut certificate);
    certificate.check(&POINTS)
}

/// Asserts that what was changed is found, and said so.
fn assert_found(change: impl FnOnce(&mut Certificate), said: &str) {
    let problems = check(change).problems;
    assert!(problems.first().is_some_and(|first| first.contains(said)), "{said}: {problems:?}");
}

#[test]
fn what_is_certified_is_proved_again_without_a_device() {
    for evaluations in [6, 9, 200] {
        let certificate = certified(evaluations);
        let found = certificate.check(&POINTS);
        assert_eq!(found.problems, [""; 0], "{evaluations}");
        assert_eq!(found.proved_ns, Some(certificate.proved_ns));
        assert_eq!((&*found.function, &*found.variant, &*found.input), ("f", "found", "x"));
        let rests_on = found.rests_on.join("\n");
        for part in ["times on proved:0", "round_ns = 100", "1 points that failed"] {
            assert!(rests_on.contains(part), "{part}: {rests_on}");
        }
    }
}

#[test]
fn a_certificate_is_read_as_it_was_written_and_an_accident_is_found() {
    let certificate = certified(200);
    let line = certificate.to_line();
    assert_eq!(Certificate::from_line(&line), Ok(certificate.clone()));
    assert!(!line.contains('\n'));
    let mended = line.replacen("1750", "1749", 1);
    assert_ne!(mended, line);
    for (text, said) in [
        (&*mended, "not as it was written"),
        ("", "no digest"),
        ("{}", "no digest"),
        (&Certificate { form: 9, ..certificate }.to_line(), "the form 9"),
        (&line.replacen(",\"digest\"", ",\"digests\"", 1), "no digest"),
    ] {
        let error = Certificate::from_line(text).unwrap_err();
        assert!(error.contains(said), "{said}: {error}");
    }
}

#[test]
fn whatever_is_missing_or_changed_in_a_certificate_is_said() {
    assert_found(|own| drop(own.samples.remove(0)), "1 points have no time, such as: \"0\"");
    assert_found(|own| own.proved_ns *= 1.1, "is certified");
    assert_found(|own| own.rates.clear(), "no time follows from the rates");
    assert_found(
        |own| own.rates.values_mut().for_each(|rate| *rate = 200.0),
        "the space or the bound is another one",
    );
    assert_found(|own| own.best_ns -= 1.0, "the best is not among the samples");
    assert_found(|own| own.best = "no point".into(), "the best is not among the samples");
    assert_found(|own| own.samples[1].code = "0".repeat(16), "another text is made now of: \"1\"");
    assert_found(|own| own.samples[0].result = Evaluation::TimeNs(1.0), "the table says so");
}

#[test]
fn what_proves_nothing_is_not_certified() {
    let refuted = Points { factor: 3.0, presets: &[] };
    assert_eq!(search(plan(&refuted, 200), 1).0.certificate, None);
}
