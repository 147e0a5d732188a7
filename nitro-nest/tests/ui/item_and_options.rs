use nitro_nest::nest;

#[nest]
struct Grid;

#[nest(reasoc)]
fn misspelt(n: usize) {}

#[nest("fast")]
fn no_name(n: usize) {}

fn main() {}
