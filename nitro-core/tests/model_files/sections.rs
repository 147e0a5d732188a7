//! Sections: those of later versions, those that lack, and what is wrong inside of one.

use nitro_core::Artifact;
use nitro_core::model::{MAX_ARTIFACTS, Model, ModelError};

use super::{HEADER_BYTES, coverage, model, sealed, section};

/// The model with a section more.
fn with_section(name: &[u8; 12], is_required: u32, bytes: &[u8]) -> Result<Model, ModelError> {
    let body = [&model().to_bytes()[HEADER_BYTES..], &section(name, is_required, bytes)].concat();
    Model::from_bytes(&sealed(&body))
}

#[test]
fn a_section_of_a_later_version_is_passed_over_or_named() {
    assert_eq!(with_section(b"remarks\0\0\0\0\0", 0, b"what a later trainer says").unwrap(), model());
    let error = with_section(b"remarks\0\0\0\0\0", 1, b"").unwrap_err().to_string();
    assert!(error.contains("`remarks`") && error.contains("does not know"), "{error}");
    for (name, what) in [
        (b"names\0\0\0\0\0\0\0", "a section is there twice"),
        (b"\0\0\0\0\0\0\0\0\0\0\0\0", "length of a section"),
        (b"\x1b[2J\0\0\0\0\0\0\0\0", "length of a section"),
    ] {
        let error = with_section(name, 0, b"").unwrap_err().to_string();
        assert_eq!(error, format!("inconsistent model: {what}"));
    }
}

#[test]
fn a_section_that_is_needed_and_lacks_is_named() {
    let error = Model::from_bytes(&sealed(b"")).unwrap_err().to_string();
    assert_eq!(error, "inconsistent model: it has no names");
    let cut_off = [section(b"names\0\0\0\0\0\0\0", 1, b"").as_slice(), b"choices"].concat();
    assert!(matches!(Model::from_bytes(&sealed(&cut_off)), Err(ModelError::Inconsistent { .. })));
}

/// The bytes of a model with coverage, with some of them changed in that section and a checksum that is right.
fn with_coverage_bytes(change: impl FnOnce(&mut Vec<u8>)) -> Result<Model, ModelError> {
    let mut part = coverage_bytes();
    change(&mut part);
    with_section(b"coverage\0\0\0\0", 0, &part)
}

fn coverage_bytes() -> Vec<u8> {
    let headers = model().to_bytes().len() + section(b"coverage\0\0\0\0", 0, b"").len();
    Model { coverage: coverage(), ..model() }.to_bytes()[headers..].to_vec()
}

/// Whatever a writer with a fault puts there: it is refused, or distances can be asked for.
#[test]
fn random_coverage_is_refused_or_answers() {
    assert_eq!(with_coverage_bytes(|_| ()).unwrap().coverage, coverage());
    let length = coverage_bytes().len();
    for cut in 1..length {
        assert!(with_coverage_bytes(|bytes| bytes.truncate(cut)).is_err(), "{cut} of {length} bytes");
    }
    assert!(with_coverage_bytes(|bytes| bytes.push(0)).is_err());
    let mut accepted = 0;
    for place in 0..length {
        for byte in 0..=255 {
            if let Ok(model) = with_coverage_bytes(|bytes| bytes[place] = byte) {
                accepted += 1;
                for value in [0.0, -1e300, f64::MAX, f64::NAN, f64::INFINITY] {
                    model.coverage.inputs.as_ref().map(|inputs| inputs.distance(&[value]));
                    model.coverage.devices.as_ref().map(|devices| devices.distance(|_| Some(value)));
                }
            }
        }
    }
    assert!(
        accepted > 1000,
        "{accepted} changes were accepted: a test of refusals alone says nothing of distances"
    );
}

/// A model with generated code, and the bytes of that section.
fn with_artifacts(artifacts: Vec<Artifact>) -> (Model, Vec<u8>) {
    let found = Model { artifacts, ..model() };
    let headers = model().to_bytes().len() + section(b"artifacts\0\0\0", 0, b"").len();
    let part = found.to_bytes()[headers..].to_vec();
    (found, part)
}

#[test]
fn generated_code_is_read_back_and_a_damaged_text_is_refused() {
    let kernels = ["block=32", "__global__ void f() {}\n"].map(Artifact::keep);
    let (found, part) = with_artifacts(kernels.to_vec());
    assert_eq!(Model::from_bytes(&found.to_bytes()).unwrap(), found);
    assert_eq!(with_section(b"artifacts\0\0\0", 0, &part).unwrap(), found);
    for place in 0..part.len() {
        let mut damaged = part.clone();
        damaged[place] ^= 1;
        let error = with_section(b"artifacts\0\0\0", 0, &damaged).expect_err("a digest is checked");
        assert!(
            matches!(error, ModelError::Inconsistent { .. } | ModelError::Body { .. }),
            "{place}: {error}"
        );
    }
    let mut other = part.clone();
    let place = other.windows(8).position(|own| own == b"block=32").expect("the text is there") + 7;
    other[place] = b'3';
    let error = with_section(b"artifacts\0\0\0", 0, &other).unwrap_err().to_string();
    assert_eq!(error, "inconsistent model: digest of an artifact");
    assert!(Artifact::of("block=33").text().is_none(), "nothing of a refused model is kept");
}

#[test]
fn more_code_than_a_model_may_carry_is_refused() {
    let many = (0..=MAX_ARTIFACTS).map(|number| Artifact::keep(&format!("block={number}"))).collect();
    assert!(matches!(Model::from_bytes(&with_artifacts(many).0.to_bytes()), Err(ModelError::Body { .. })));
    let long = Artifact::keep(&"x".repeat(nitro_core::MAX_ARTIFACT_BYTES + 1));
    let error = Model::from_bytes(&with_artifacts(vec![long]).0.to_bytes()).unwrap_err().to_string();
    assert_eq!(error, "inconsistent model: length of an artifact");
}

#[test]
fn a_model_whose_code_nobody_has_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let lacking = Model { artifacts: vec![Artifact::of("nobody keeps this")], ..model() };
    let error = lacking.write(&folder.path().join("a.model")).unwrap_err();
    let why = std::error::Error::source(&error).expect("the error of a file has a source").to_string();
    assert!(why.starts_with("the text of the artifact") && why.contains("keep it before"), "{why}");
}
