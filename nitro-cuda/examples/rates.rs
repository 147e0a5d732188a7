//! What a device does at most, printed and written as JSON: `cargo run --release -p nitro-variants-cuda --example
//! rates -- cuda:0 rates.json`, or `cuda:0/16sm` for a part of it.
//!
//! The file has the device features of the data sheet beside those that are measured, so that lower limits of times
//! can be made of it (`nitro_decide::Rates`).

use std::error::Error;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("cuda:0", String::as_str);
    let device =
        nitro_cuda::parse(name).ok_or("the first argument is a device, as cuda:0 or cuda:0/16sm")??;
    let mut features = device.attributes().features(device.multiprocessors());
    features.extend(nitro_cuda::rates(device)?);
    for feature in &features {
        println!("{:28} {:.3}", feature.name, feature.value);
    }
    if let Some(file) = arguments.get(1) {
        let lines: Vec<String> =
            features.iter().map(|feature| format!("  \"{}\": {}", feature.name, feature.value)).collect();
        std::fs::write(file, format!("{{\n{}\n}}\n", lines.join(",\n")))?;
    }
    Ok(())
}
