//! Prints the table of the guide: what searches found on an H200, beside what code of others takes.
//!
//! `cargo run -p nitro-polybench --features search --example table`, with `large` for the smaller sizes, with
//! `ablations` for the ants without parts of them

fn main() {
    let size = std::env::args().nth(1).unwrap_or_else(|| "huge".into());
    match size.as_str() {
        "ablations" => print!("{}", nitro_polybench::results::ablations()),
        size => print!("{}", nitro_polybench::results::table(size)),
    }
}
