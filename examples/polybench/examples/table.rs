//! Prints the table of the guide: what searches found on an H200, beside what code of others takes.
//!
//! `cargo run -p nitro-polybench --features search --example table`

fn main() {
    print!("{}", nitro_polybench::results::table());
}
