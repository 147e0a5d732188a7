//! Intersects lists that nobody measured, and says which variants ran, and why.

use sets::{intersect, random_list};

fn main() {
    let pairs = [
        ("alike and dense", random_list(300_000, 4, 11), random_list(200_000, 5, 12)),
        ("alike and sparse", random_list(30_000, 2_000, 11), random_list(20_000, 3_000, 12)),
        ("short and long", random_list(60, 10_000, 11), random_list(400_000, 3, 12)),
    ];
    for (what, a, b) in &pairs {
        println!("{what}: {}", intersect::select(a, b)); // says what would run, and runs nothing
        println!("  {} numbers in both", intersect(a, b).len());
    }
    println!("\n{}", nitro::stats());
}
