use nitro_core::model::{FORMAT_VERSION, Model};

/// Reads the data as a model file and as the sections of one, and asks it about any input, or refuses it.
pub fn model(data: &[u8]) {
    drop(Model::from_bytes(data));
    let mut bytes = b"NITROMDL".to_vec();
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend(crc32fast::hash(data).to_le_bytes());
    bytes.extend((data.len() as u64).to_le_bytes());
    bytes.extend(data);
    let Ok(model) = Model::from_bytes(&bytes) else { return };
    for value in [0.0, 1.0, -1e300, f64::MAX, f64::MIN_POSITIVE] {
        let (features, device_features) =
            (vec![value; model.features.len()], vec![value; model.device_features.len()]);
        for ranked in model.explain(&features, &device_features) {
            assert!(ranked.choice < model.choices.len());
        }
        model.coverage.inputs.as_ref().map(|inputs| inputs.distance(&features));
        model.coverage.devices.as_ref().map(|devices| devices.distance(|_| Some(value)));
    }
    assert_eq!(
        Model::from_bytes(&model.to_bytes()).ok().as_ref(),
        Some(&model),
        "what was read can be written"
    );
}
