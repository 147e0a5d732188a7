//! Declarations: variables of a module, of a body, and parameters.

use super::types::Type;
use crate::ptx::opcode::Space;
use crate::ptx::scan::{is_word, string, word};

/// What a declaration says.
#[derive(Clone, Debug)]
pub(in crate::ptx) struct Variable {
    /// None for registers.
    pub(in crate::ptx) space: Option<Space>,
    pub(in crate::ptx) name: String,
    /// In bytes.
    pub(in crate::ptx) align: u64,
    pub(in crate::ptx) kind: Type,
    /// How many values; none where the launch says it, of `extern .shared x[]`.
    pub(in crate::ptx) count: Option<u64>,
    pub(in crate::ptx) initial: Option<Vec<String>>,
}

/// The largest variable.
const MAX_BYTES: u64 = 1 << 30;

impl Variable {
    pub(in crate::ptx) fn bytes(&self) -> u64 {
        self.count.unwrap_or(0) * u64::from(self.kind.bytes())
    }
}

/// Words and marks, without comments.
pub(in crate::ptx) fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(letter) = rest.chars().next() {
        let comment = if rest.starts_with("//") {
            Some(rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            Some(rest.find("*/").map_or(rest.len(), |end| end + 2))
        } else {
            None
        };
        if let Some(length) = comment {
            rest = rest[length..].trim_start();
            continue;
        }
        let length = match letter {
            '"' => string(rest).map_or(rest.len(), str::len),
            _ if letter.is_ascii() && is_word(letter as u8) => word(rest).len(),
            _ => letter.len_utf8(),
        };
        words.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    words
}

/// A statement that declares what is not known: the names in it, and why.
#[derive(Clone, Debug)]
pub(super) struct Strange {
    pub(super) names: Vec<String>,
    pub(super) why: String,
}

/// All variables of a text between functions, which holds other directives too.
pub(super) fn of_module(text: &str) -> Vec<Result<Variable, Strange>> {
    let words = words(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match words[at] {
            ".global" | ".const" | ".shared" | ".tex" => {
                let end = end_of(&words, at);
                match variables(&words[at..end]) {
                    Ok(variables) => found.extend(variables.into_iter().map(Ok)),
                    Err(why) => found.push(Err(Strange { names: names(&words[at..end]), why })),
                }
                at = end;
            }
            // Debug information has blocks of its own.
            "{" => at = closing(&words, at, "{", "}") + 1,
            "(" => at = closing(&words, at, "(", ")") + 1,
            _ => at += 1,
        }
    }
    found
}

/// What a statement may declare, however it goes on.
fn names(words: &[&str]) -> Vec<String> {
    let declared = words.iter().take_while(|word| **word != "=");
    let is_name = |word: &&&str| !word.starts_with(|letter: char| letter == '.' || letter.is_ascii_digit());
    declared
        .filter(is_name)
        .filter(|word| is_word(word.as_bytes()[0]))
        .map(|word| (*word).to_owned())
        .collect()
}

fn end_of(words: &[&str], from: usize) -> usize {
    words[from..].iter().position(|word| *word == ";").map_or(words.len(), |end| from + end)
}

fn closing(words: &[&str], from: usize, open: &str, close: &str) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().skip(from) {
        if *word == open {
            depth += 1;
        } else if *word == close {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    words.len()
}

/// What one declaration declares, one name or several.
pub(super) fn variables(words: &[&str]) -> Result<Vec<Variable>, String> {
    let (mut space, mut align, mut kind, mut lanes) = (None, None, None, 1);
    let mut at = 0;
    while let Some(directive) = words.get(at).and_then(|word| word.strip_prefix('.')) {
        at += 1;
        match directive {
            "global" | "shared" | "local" | "const" | "param" => {
                // That of a pointer comes after `.ptr`, and says nothing of the parameter.
                space = space.or(Some(match directive {
                    "global" => Space::Global,
                    "shared" => Space::Shared,
                    "local" => Space::Local,
                    "const" => Space::Constant,
                    _ => Space::Parameter,
                }));
            }
            "reg" | "visible" | "extern" | "weak" | "common" | "tex" => {}
            "attribute" => at = closing(words, at, "(", ")") + 1,
            // Handles of textures and surfaces, which are bound by the host.
            "texref" | "samplerref" | "surfref" => kind = Some(Type::Bits(8)),
            "ptr" => at += skipped_pointer(&words[at..]),
            "align" => {
                let text = words.get(at).copied().unwrap_or_default();
                align = Some(number(text).ok_or("an alignment is no number")?);
                at += 1;
            }
            "v2" | "v4" => lanes = if directive == "v2" { 2 } else { 4 },
            _ => {
                kind = Some(
                    Type::parse(directive).ok_or_else(|| format!("the type .{directive} is not known"))?,
                )
            }
        }
    }
    let kind = kind.ok_or("a declaration has no type")?;
    let align = align.unwrap_or(u64::from(kind.bytes()) * lanes);
    if !align.is_power_of_two() || align > 1 << 12 {
        return Err(format!("an alignment of {align} bytes"));
    }
    let mut found = Vec::new();
    for one in split(&words[at..]) {
        let (name, count, initial) = named(one, lanes)?;
        let variable = Variable { space, name: name.to_owned(), align, kind, count, initial };
        if variable.count.is_some_and(|count| count > MAX_BYTES / u64::from(kind.bytes())) {
            return Err(format!("`{name}` has more than {MAX_BYTES} bytes"));
        }
        found.push(variable);
    }
    Ok(found)
}

/// What comes after `.ptr`: the space of what is pointed at and its alignment.
fn skipped_pointer(words: &[&str]) -> usize {
    let of_space = usize::from(
        words.first().is_some_and(|word| matches!(*word, ".global" | ".shared" | ".local" | ".const")),
    );
    if words.get(of_space) == Some(&".align") { of_space + 2 } else { of_space }
}

/// What commas outside of brackets separate.
fn split<'a, 'w>(words: &'a [&'w str]) -> Vec<&'a [&'w str]> {
    let mut depth = 0_i32;
    let is_comma = |word: &&'w str| {
        depth += match *word {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0,
        };
        *word == "," && depth == 0
    };
    words.split(is_comma).filter(|part| !part.is_empty()).collect()
}

type Named<'a> = (&'a str, Option<u64>, Option<Vec<String>>);

/// `name[3][4] = {1, 2}`.
fn named<'a>(words: &[&'a str], lanes: u64) -> Result<Named<'a>, String> {
    let name = words.first().filter(|name| is_word(name.as_bytes()[0])).ok_or("a declaration has no name")?;
    let mut count = Some(lanes);
    let mut at = 1;
    while words.get(at) == Some(&"[") {
        if words.get(at + 1) == Some(&"]") {
            count = None;
            at += 2;
            continue;
        }
        let text = words.get(at + 1).copied().unwrap_or_default();
        let extent = number(text).ok_or_else(|| format!("`{name}` has an extent that is no number"))?;
        count = count.and_then(|count| count.checked_mul(extent));
        if count.is_none() {
            return Err(format!("`{name}` is too large"));
        }
        at += 3;
    }
    let initial = (words.get(at) == Some(&"=")).then(|| {
        words[at + 1..]
            .iter()
            .filter(|word| !matches!(**word, "{" | "}"))
            .map(|word| (*word).to_owned())
            .collect()
    });
    Ok((name, count, initial))
}

/// An integer of any base.
pub(in crate::ptx) fn number(text: &str) -> Option<u64> {
    let text = text.strip_suffix('U').unwrap_or(text);
    let of = |digits: &str, base| u64::from_str_radix(digits, base).ok();
    if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        of(digits, 16)
    } else if let Some(digits) = text.strip_prefix("0b").or(text.strip_prefix("0B")) {
        of(digits, 2)
    } else if text.len() > 1 && text.starts_with('0') {
        of(&text[1..], 8)
    } else if text.starts_with(|letter: char| letter.is_ascii_digit()) {
        of(text, 10)
    } else {
        None
    }
}

/// A float, as its bits in 64: `0f3F800000`, `0d3FF0000000000000`, `1.5`.
pub(super) fn float(text: &str) -> Option<f64> {
    if let Some(digits) = text.strip_prefix("0f").or(text.strip_prefix("0F")) {
        let bits = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 8)?;
        return Some(f64::from(f32::from_bits(bits)));
    }
    if let Some(digits) = text.strip_prefix("0d").or(text.strip_prefix("0D")) {
        return u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16).map(f64::from_bits);
    }
    text.starts_with(|letter: char| letter.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The bits of a number where a value of a type stands.
pub(super) fn constant(text: &str, is_negative: bool, kind: Type) -> Option<u64> {
    let signed = |value: f64| if is_negative { -value } else { value };
    match kind {
        // Bits as they are: not every NaN survives a conversion.
        Type::F32 if text.len() == 10 && text.get(..2)?.eq_ignore_ascii_case("0f") => {
            let bits = u64::from_str_radix(&text[2..], 16).ok()?;
            Some(if is_negative { bits ^ 0x8000_0000 } else { bits })
        }
        Type::F32 => Some(u64::from((signed(float(text)?) as f32).to_bits())),
        Type::F64 => Some(signed(float(text)?).to_bits()),
        _ => {
            if let Some(value) = number(text) {
                return Some(if is_negative { value.wrapping_neg() } else { value });
            }
            let digits = text.get(2..)?;
            let is_bits = matches!(text.get(..2)?, "0f" | "0F" | "0d" | "0D");
            u64::from_str_radix(digits, 16).ok().filter(|_| is_bits && !is_negative)
        }
    }
}
