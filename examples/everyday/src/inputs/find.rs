//! Texts to search, and what to find in them.

use super::{Name, NameError, Random, one_of, size};

/// A text and needles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The text.
    pub text: String,
    /// The needles.
    pub needles: Vec<String>,
}

impl Search {
    /// The needles as [`find`](fn@crate::find) takes them.
    #[must_use]
    pub fn needles(&self) -> Vec<&str> {
        self.needles.iter().map(String::as_str).collect()
    }
}

/// The families: text of words; lines of a log, with times and numbers.
pub const FAMILIES: [&str; 2] = ["prose", "log"];

/// The names of the recorded inputs, those for training first.
#[must_use]
pub fn names() -> Vec<String> {
    super::names(|random| draw(random, (16, 1_000_000), (1, 400), (3, 20)))
}

/// Draws what a name says of a text of so many bytes, so many needles, and so many letters a needle: all but split
/// and seed. In two of three no needle is there on purpose; in the others one is, anywhere.
pub fn draw(
    random: &mut Random,
    bytes: (usize, usize),
    needles: (usize, usize),
    letters: (usize, usize),
) -> String {
    let family = one_of(random, &FAMILIES);
    let (bytes, needles) = (size(random, bytes.0, bytes.1), size(random, needles.0, needles.1));
    let (letters, percent) = (size(random, letters.0, letters.1), [100, 100, random.below(100)]);
    format!("{family}-n{bytes}-k{needles}-l{letters}-p{}", one_of(random, &percent))
}

/// Makes the text and the needles of a name; `instance` numbers those of the same kind.
///
/// ```
/// let search = nitro_everyday::inputs::find::load("train/prose-n500-k2-l8-p40-s1", 0)?;
/// assert_eq!((search.text.len(), search.needles.len()), (500, 2));
/// assert!(search.text.contains(&search.needles[0]), "it begins after 40 % of the text, if not before");
/// # Ok::<(), nitro_everyday::inputs::NameError>(())
/// ```
///
/// # Errors
/// When the name is not one of a text.
pub fn load(name: &str, instance: u64) -> Result<Search, NameError> {
    let name = Name::parse(name)?;
    let (bytes, count, letters) = (name.number('n')?, name.number('k')?, name.number('l')?.max(1));
    let mut random = name.random(instance)?;
    if !FAMILIES.contains(&name.family) {
        return Err(name.unknown_family(&FAMILIES));
    }
    let mut text = text(name.family, &mut random, bytes);
    let needles: Vec<String> = (0..count).map(|_| needle(&mut random, letters)).collect();
    if let (percent @ 0..100, Some(first)) = (name.number('p')?, needles.first()) {
        let begin = percent * bytes.saturating_sub(first.len()) / 100;
        text.replace_range(begin..bytes.min(begin + first.len()), &first[..first.len().min(bytes - begin)]);
    }
    Ok(Search { text, needles })
}

/// Makes a text of a family, lines of a log or else prose.
pub(super) fn text(family: &str, random: &mut Random, bytes: usize) -> String {
    let words: Vec<String> = (0..3_000).map(|_| word(random)).collect();
    if family == "log" { log(random, &words, bytes) } else { prose(random, &words, bytes) }
}

/// A letter, about as often as in English.
fn letter(random: &mut Random) -> char {
    let letters = b"eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummm\
        wwffggyyppbbvkjxqz";
    char::from(one_of(random, letters))
}

fn word(random: &mut Random) -> String {
    (0..2 + random.below(9)).map(|_| letter(random)).collect()
}

/// Letters that are about as frequent as those of the text; a longer needle has a blank somewhere.
fn needle(random: &mut Random, letters: usize) -> String {
    let mut needle: Vec<char> = (0..letters).map(|_| letter(random)).collect();
    if letters >= 8 {
        needle[2 + random.below(letters - 4)] = ' ';
    }
    needle.into_iter().collect()
}

/// One of the words, the first ones more often, as Zipf's law has it.
fn common<'w>(random: &mut Random, words: &'w [String]) -> &'w str {
    &words[size(random, 1, words.len()) - 1]
}

fn prose(random: &mut Random, words: &[String], bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 32);
    while text.len() < bytes {
        text += common(random, words);
        text += if random.below(12) == 0 { ". " } else { " " };
    }
    text.truncate(bytes);
    text
}

fn log(random: &mut Random, words: &[String], bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 256);
    let mut milliseconds = 0;
    while text.len() < bytes {
        milliseconds += random.below(2_000);
        let level = one_of(random, &["INFO", "INFO", "INFO", "DEBUG", "WARN"]);
        text += &format!(
            "2026-03-04T05:{:02}:{:02}.{:03}Z {level} ",
            milliseconds / 60_000 % 60,
            milliseconds / 1_000 % 60,
            milliseconds % 1_000
        );
        for _ in 0..3 + random.below(8) {
            text += common(random, words);
            text += " ";
        }
        text += &format!("id={:x} took={}us\n", random.next_u64() >> 32, random.below(100_000));
    }
    text.truncate(bytes);
    text
}
