//! Lets cargo notice a model that was not there before.

fn main() {
    println!("cargo::rerun-if-changed=models");
}
