//! The mixes: which calls an application of some kind makes.

use nitro_everyday::inputs::{self, NameError, Random, size};

use crate::case::{Case, Find, Product, Sort};

/// Calls of one function.
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
    let sort = |name, inputs, draw| Mix { name, inputs, draw, load: load_sort };
    let find = |name, inputs, draw| Mix { name, inputs, draw, load: load_find };
    let product = |name, inputs, draw| Mix { name, inputs, draw, load: load_product };
    vec![
        sort("sort: lists on a screen", 1_000, |random| {
            inputs::sort::draw(random, &["random", "sorted", "small", "few"], 4, 40)
        }),
        sort("sort: pages of results", 400, |random| {
            inputs::sort::draw(random, &["random", "small", "few", "late"], 50, 1_000)
        }),
        sort("sort: log times, nearly in order", 24, |random| {
            inputs::sort::draw(random, &["late", "late", "late", "sorted"], 1_000, 100_000)
        }),
        sort("sort: batches of a database", 16, |random| {
            inputs::sort::draw(random, &["random", "small"], 10_000, 300_000)
        }),
        sort("sort: states of orders, many alike", 24, |random| {
            let (length, states) = (size(random, 2_000, 200_000), size(random, 4, 60));
            format!("few-n{length}-k{states}")
        }),
        sort("sort: shards put together", 24, |random| {
            let (length, shards) = (size(random, 5_000, 200_000), size(random, 2, 24));
            format!("runs-n{length}-k{shards}")
        }),
        sort("sort: of everything", 60, |random| {
            inputs::sort::draw(random, &inputs::sort::FAMILIES, 4, 200_000)
        }),
        find("find: a word in log lines", 300, |random| {
            inputs::find::draw(random, (60, 300), (1, 1), (4, 12))
        }),
        find("find: a few words in messages", 200, |random| {
            inputs::find::draw(random, (200, 4_000), (2, 6), (4, 12))
        }),
        find("find: a deny list in names", 100, |random| {
            inputs::find::draw(random, (16, 40), (50, 300), (4, 14))
        }),
        find("find: a phrase in files", 16, |random| {
            inputs::find::draw(random, (50_000, 1_000_000), (1, 1), (6, 24))
        }),
        find("find: many terms in documents", 24, |random| {
            inputs::find::draw(random, (10_000, 300_000), (20, 200), (5, 16))
        }),
        find("find: of everything", 60, |random| {
            inputs::find::draw(random, (16, 500_000), (1, 300), (3, 20))
        }),
        product("matmul: transforms, 2 to 8", 200, |random| inputs::matmul::draw(random, [(2, 8); 3])),
        product("matmul: layers, 48 to 160", 40, |random| inputs::matmul::draw(random, [(48, 160); 3])),
        product("matmul: a few rows by weights", 24, |random| {
            inputs::matmul::draw(random, [(1, 8), (128, 768), (128, 768)])
        }),
        product("matmul: large, 300 to 600", 6, |random| inputs::matmul::draw(random, [(300, 600); 3])),
        product("matmul: of everything", 60, |random| inputs::matmul::draw(random, [(1, 400); 3])),
    ]
}

fn load_sort(name: &str) -> Result<Box<dyn Case>, NameError> {
    Ok(Box::new(Sort::new(inputs::sort::load(name, 0)?)))
}

fn load_find(name: &str) -> Result<Box<dyn Case>, NameError> {
    Ok(Box::new(Find::new(inputs::find::load(name)?)))
}

fn load_product(name: &str) -> Result<Box<dyn Case>, NameError> {
    Ok(Box::new(Product::new(inputs::matmul::load(name)?)))
}
