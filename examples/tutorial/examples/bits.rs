//! Sets of small numbers, a bit for each. A method counts what two of them have in common.

use nitro::code_variants;

pub struct Bits {
    words: Vec<u64>,
}

#[code_variants]
impl Bits {
    /// The number of numbers that are in both sets.
    #[code_variant(
        features(words = self.words.len().min(other.words.len())),
        variants(
            word_by_word targets("x86_64+popcnt", "x86_64+avx512f+avx512vpopcntdq", "aarch64+neon"),
            bit_by_bit if words <= 64,
        ),
        default = word_by_word,
    )]
    pub fn common(&self, other: &Self) -> u32;

    fn word_by_word(&self, other: &Self) -> u32 {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones()).sum()
    }

    /// Takes a step for each number of both sets: for sets with few.
    fn bit_by_bit(&self, other: &Self) -> u32 {
        let mut count = 0;
        for (a, b) in self.words.iter().zip(&other.words) {
            let mut both = a & b;
            while both != 0 {
                both &= both - 1;
                count += 1;
            }
        }
        count
    }

    /// The multiples of a number below a limit.
    pub fn multiples(of: usize, limit: usize) -> Self {
        let mut words = vec![0; limit.div_ceil(64)];
        (0..limit).step_by(of).for_each(|number| words[number / 64] |= 1 << (number % 64));
        Self { words }
    }
}

fn main() {
    let (twos, threes) = (Bits::multiples(2, 1 << 20), Bits::multiples(3, 1 << 20));
    println!("{} numbers in both; {}", twos.common(&threes), twos.common_select(&threes));
    for &variant in bits_common::Variant::ALL {
        let may_run = twos.common_admissible(variant, &threes);
        println!("{variant}: {}", if may_run { "may run" } else { "may not run here" });
    }
}
