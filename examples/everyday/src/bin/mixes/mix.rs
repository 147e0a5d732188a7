//! The mixes: which calls an application of some kind makes.

use nitro_everyday::inputs::{self, NameError, Random, size};

use crate::case::{BigProduct, Case, Compress, Find, Group, Product, Sort, Transform};

/// Calls of one function.
#[derive(Clone)]
pub struct Mix {
    /// What it is called in the table.
    pub name: &'static str,
    inputs: usize,
    draw: fn(&mut Random) -> String,
    load: fn(&str) -> Result<Box<dyn Case>, NameError>,
}

impl Mix {
    /// Its inputs, from seeds that no recorded input has.
    pub fn cases(&self) -> Vec<Box<dyn Case>> {
        let seed = self.name.bytes().fold(5_000, |seed: u64, byte| seed * 31 % 100_003 + u64::from(byte));
        let mut random = Random::new(seed + 10_000);
        let name =
            |index: usize| format!("mix/{}-s{}", (self.draw)(&mut random), 10_000 + seed as usize + index);
        let names: Vec<String> = (0..self.inputs).map(name).collect();
        names.iter().map(|name| (self.load)(name).expect("what is drawn can be made")).collect()
    }
}

/// All mixes.
pub fn all() -> Vec<Mix> {
    [sorts(), finds(), products(), groups(), big_products(), compressions(), transforms()].concat()
}

fn sorts() -> Vec<Mix> {
    let mix = |name, inputs, draw| Mix { name, inputs, draw, load: load_sort };
    vec![
        mix("sort: lists on a screen", 1_000, |random| {
            inputs::sort::draw(random, &["random", "sorted", "small", "few"], 4, 40)
        }),
        mix("sort: pages of results", 400, |random| {
            inputs::sort::draw(random, &["random", "small", "few", "late"], 50, 1_000)
        }),
        mix("sort: log times, nearly in order", 24, |random| {
            inputs::sort::draw(random, &["late", "late", "late", "sorted"], 1_000, 100_000)
        }),
        mix("sort: batches of a database", 16, |random| {
            inputs::sort::draw(random, &["random", "small"], 10_000, 300_000)
        }),
        mix("sort: states of orders, many alike", 24, |random| {
            let (length, states) = (size(random, 2_000, 200_000), size(random, 4, 60));
            format!("few-n{length}-k{states}")
        }),
        mix("sort: shards put together", 24, |random| {
            let (length, shards) = (size(random, 5_000, 200_000), size(random, 2, 24));
            format!("runs-n{length}-k{shards}")
        }),
        mix("sort: of everything", 60, |random| {
            inputs::sort::draw(random, &inputs::sort::FAMILIES, 4, 200_000)
        }),
    ]
}

fn finds() -> Vec<Mix> {
    let mix = |name, inputs, draw| Mix { name, inputs, draw, load: load_find };
    vec![
        mix("find: a word in log lines", 300, |random| {
            inputs::find::draw(random, (60, 300), (1, 1), (4, 12))
        }),
        mix("find: a few words in messages", 200, |random| {
            inputs::find::draw(random, (200, 4_000), (2, 6), (4, 12))
        }),
        mix("find: a deny list in names", 100, |random| {
            inputs::find::draw(random, (16, 40), (50, 300), (4, 14))
        }),
        mix("find: a phrase in files", 16, |random| {
            inputs::find::draw(random, (50_000, 1_000_000), (1, 1), (6, 24))
        }),
        mix("find: many terms in documents", 24, |random| {
            inputs::find::draw(random, (10_000, 300_000), (20, 200), (5, 16))
        }),
        mix("find: of everything", 60, |random| inputs::find::draw(random, (16, 500_000), (1, 300), (3, 20))),
    ]
}

fn products() -> Vec<Mix> {
    let mix = |name, inputs, draw| Mix { name, inputs, draw, load: load_product };
    vec![
        mix("matmul: transforms, 2 to 8", 200, |random| inputs::matmul::draw(random, [(2, 8); 3])),
        mix("matmul: layers, 48 to 160", 40, |random| inputs::matmul::draw(random, [(48, 160); 3])),
        mix("matmul: a few rows by weights", 24, |random| {
            inputs::matmul::draw(random, [(1, 8), (128, 768), (128, 768)])
        }),
        mix("matmul: large, 300 to 600", 6, |random| inputs::matmul::draw(random, [(300, 600); 3])),
        mix("matmul: of everything", 60, |random| inputs::matmul::draw(random, [(1, 400); 3])),
    ]
}

fn groups() -> Vec<Mix> {
    let mix = |name, inputs, draw| Mix { name, inputs, draw, load: load_group };
    vec![
        mix("group: lines of an order", 500, |random| {
            inputs::group::draw(random, &["ids", "random"], (3, 40), (2, 20))
        }),
        mix("group: sales by product", 40, |random| {
            inputs::group::draw(random, &["ids"], (1_000, 100_000), (50, 5_000))
        }),
        mix("group: events by user", 24, |random| {
            inputs::group::draw(random, &["skewed", "random"], (10_000, 150_000), (500, 100_000))
        }),
        mix("group: samples by day", 40, |random| {
            inputs::group::draw(random, &["ordered"], (500, 50_000), (7, 1_000))
        }),
        mix("group: of everything", 60, |random| {
            inputs::group::draw(random, &inputs::group::FAMILIES, (4, 100_000), (1, 100_000))
        }),
    ]
}

fn big_products() -> Vec<Mix> {
    let mix = |name, inputs, draw| Mix { name, inputs, draw, load: load_big_product };
    vec![
        mix("big: identifiers, 2 to 8 digits", 500, |random| inputs::big_product::draw(random, [(2, 8); 2])),
        mix("big: keys, 1,024 to 8,192 bits", 200, |random| {
            inputs::big_product::draw(random, [(16, 128); 2])
        }),
        mix("big: a factor by a long number", 60, |random| {
            inputs::big_product::draw(random, [(1, 12), (200, 8_000)])
        }),
        mix("big: digits of constants", 16, |random| inputs::big_product::draw(random, [(400, 7_000); 2])),
    ]
}

fn compressions() -> Vec<Mix> {
    let mix = |name, inputs, draw| Mix { name, inputs, draw, load: load_compress };
    vec![
        mix("compress: messages, if it pays", 200, |random| {
            inputs::compress::draw(random, &["records", "log"], (100, 2_000), (100, 130))
        }),
        mix("compress: uploads of all kinds", 40, |random| {
            inputs::compress::draw(random, &inputs::compress::FAMILIES, (1_000, 100_000), (105, 150))
        }),
        mix("compress: logs, half the space", 24, |random| {
            inputs::compress::draw(random, &["log", "records"], (8_000, 64_000), (180, 220))
        }),
        mix("compress: for an archive", 12, |random| {
            inputs::compress::draw(random, &["prose", "log", "records"], (20_000, 200_000), (250, 500))
        }),
    ]
}

fn transforms() -> Vec<Mix> {
    let mix = |name, inputs, draw| Mix { name, inputs, draw, load: load_transform };
    vec![
        mix("transform: windows of 4 to 64", 300, |random| {
            inputs::transform::draw(random, &["power", "any"], 4, 64)
        }),
        mix("transform: frames of sound", 60, |random| {
            inputs::transform::draw(random, &["power"], 256, 4_096)
        }),
        mix("transform: what was recorded", 40, |random| {
            inputs::transform::draw(random, &["any", "prime"], 100, 20_000)
        }),
        mix("transform: lengths well chosen", 24, |random| {
            inputs::transform::draw(random, &["smooth", "power"], 1_000, 100_000)
        }),
    ]
}

fn load_sort(name: &str) -> Result<Box<dyn Case>, NameError> {
    Ok(Box::new(Sort::new(inputs::sort::load(name, 0)?)))
}

fn load_find(name: &str) -> Result<Box<dyn Case>, NameError> {
    Ok(Box::new(Find::new(inputs::find::load(name, 0)?)))
}

fn load_product(name: &str) -> Result<Box<dyn Case>, NameError> {
    Ok(Box::new(Product::new(inputs::matmul::load(name, 0)?)))
}

fn load_group(name: &str) -> Result<Box<dyn Case>, NameError> {
    Ok(Box::new(Group::new(inputs::group::load(name, 0)?)))
}

fn load_big_product(name: &str) -> Result<Box<dyn Case>, NameError> {
    Ok(Box::new(BigProduct::new(inputs::big_product::load(name, 0)?)))
}

fn load_compress(name: &str) -> Result<Box<dyn Case>, NameError> {
    Ok(Box::new(Compress::new(inputs::compress::load(name, 0)?)))
}

fn load_transform(name: &str) -> Result<Box<dyn Case>, NameError> {
    Ok(Box::new(Transform::new(inputs::transform::load(name, 0)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_names_a_variant_that_may_run() {
        for mix in all() {
            for mut case in mix.cases() {
                let variant = case.rule();
                assert!(case.admits(variant), "{}: {}", mix.name, case.function().variants()[variant].name());
            }
        }
    }
}
