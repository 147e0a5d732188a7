//! Declarations: variables of a module, of a body, and parameters.

use super::constant::number;
use super::head::Head;
use super::module::Function;
use super::scan::{closing, is_word, lexemes};
use super::types::{Space, Type};

/// A variable that is declared.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// None for registers.
    pub(crate) space: Option<Space>,
    pub(crate) name: String,
    /// In bytes.
    pub(crate) align: u64,
    pub(crate) kind: Type,
    /// The number of values; none where the launch says it, of `extern .shared x[]`.
    pub(crate) count: Option<u64>,
    /// Of arrays how many parts each level has, the outermost first; of vectors the last is the vector's.
    pub(crate) extents: Vec<u64>,
    pub(crate) initial: Option<Vec<String>>,
}

/// The largest variable.
const MAX_BYTES: u64 = 1 << 30;

impl Variable {
    pub(crate) fn bytes(&self) -> u64 {
        self.count.unwrap_or(0) * u64::from(self.kind.bytes())
    }
}

/// A statement that declares what is not known: the names in it, and why.
#[derive(Clone, Debug)]
pub(crate) struct UnknownDeclaration {
    pub(crate) names: Vec<String>,
    pub(crate) why: String,
}

/// All variables of a text between functions, which holds other directives too.
pub(crate) fn of_module(text: &str) -> Vec<Result<Variable, UnknownDeclaration>> {
    let words = lexemes(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match words[at] {
            ".global" | ".const" | ".shared" | ".tex" => {
                let end = end_of(&words, at);
                match variables(&words[at..end]) {
                    Ok(variables) => found.extend(variables.into_iter().map(Ok)),
                    Err(why) => found.push(Err(UnknownDeclaration { names: names(&words[at..end]), why })),
                }
                at = end;
            }
            // Debug information has blocks of its own.
            "{" => at = closing(&words, at) + 1,
            "(" => at = closing(&words, at) + 1,
            _ => at += 1,
        }
    }
    found
}

/// Returns the names that a statement may declare, however it goes on.
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

/// Returns the variables of one declaration, of one name or several.
pub(crate) fn variables(words: &[&str]) -> Result<Vec<Variable>, String> {
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
            "attribute" => at = closing(words, at) + 1,
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
        let (names, one) = several(one)?;
        let Declaration { name, count, extents, initial } = Declaration::of(one, lanes)?;
        let variable = Variable { space, name: name.to_owned(), align, kind, count, extents, initial };
        if variable.count.is_some_and(|count| count > MAX_BYTES / u64::from(kind.bytes())) {
            return Err(format!("`{name}` has more than {MAX_BYTES} bytes"));
        }
        match names {
            None => found.push(variable),
            Some(count) => found.extend((0..count).map(|at| {
                let name = format!("{name}{at}");
                Variable { name, ..variable.clone() }
            })),
        }
    }
    Ok(found)
}

/// Returns the length of what comes after `.ptr`: the space of what is pointed at and its alignment.
fn skipped_pointer(words: &[&str]) -> usize {
    let of_space = usize::from(
        words.first().is_some_and(|word| matches!(*word, ".global" | ".shared" | ".local" | ".const")),
    );
    if words.get(of_space) == Some(&".align") { of_space + 2 } else { of_space }
}

/// Splits words at commas outside of brackets.
pub(crate) fn split<'a, 'w>(words: &'a [&'w str]) -> Vec<&'a [&'w str]> {
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

/// Takes the number from `name<4>`, which declares `name0` to `name3`, and returns it with the rest.
fn several<'a>(words: &[&'a str]) -> Result<(Option<u64>, Vec<&'a str>), String> {
    const MOST: u64 = 1 << 12;
    let [name, "<", count, ">", rest @ ..] = words else { return Ok((None, words.to_vec())) };
    match number(count).filter(|count| *count <= MOST) {
        Some(count) => Ok((Some(count), [&[*name], rest].concat())),
        None => Err(format!("`{name}<{count}>` declares more than {MOST} names, or no number of them")),
    }
}

/// One name of a declaration: `name[3][4] = {1, 2}`.
struct Declaration<'a> {
    name: &'a str,
    count: Option<u64>,
    extents: Vec<u64>,
    initial: Option<Vec<String>>,
}

impl<'a> Declaration<'a> {
    fn of(words: Vec<&'a str>, lanes: u64) -> Result<Self, String> {
        let name =
            *words.first().filter(|name| is_word(name.as_bytes()[0])).ok_or("a declaration has no name")?;
        let mut at = 1;
        let mut extents = Vec::new();
        let mut is_open = false;
        while words.get(at) == Some(&"[") {
            if words.get(at + 1) == Some(&"]") && extents.is_empty() {
                is_open = true;
                extents.push(0);
                at += 2;
                continue;
            }
            let text = words.get(at + 1).copied().unwrap_or_default();
            let extent = number(text).filter(|_| words.get(at + 2) == Some(&"]"));
            extents.push(extent.ok_or_else(|| format!("`{name}` has an extent that is no number"))?);
            at += 3;
        }
        if lanes > 1 {
            extents.push(lanes);
        }
        let initial = match words.get(at) {
            None => None,
            Some(&"=") => Some(&words[at + 1..]),
            Some(word) => return Err(format!("`{word}` in the declaration of `{name}` is not known")),
        };
        if let (true, Some(["{", values @ .., "}"])) = (is_open, initial) {
            extents[0] = split(values).len() as u64;
            is_open = false;
        }
        let count = extents.iter().try_fold(1_u64, |count, extent| count.checked_mul(*extent));
        let count = count.ok_or_else(|| format!("`{name}` is too large"))?;
        Ok(Self {
            name,
            count: (!is_open).then_some(count),
            extents,
            initial: initial.map(|words| words.iter().map(|word| (*word).to_owned()).collect()),
        })
    }
}

/// Other names of functions: `.alias other, name;`.
pub(crate) fn aliases(text: &str) -> Vec<(&str, &str)> {
    let words = lexemes(text);
    let each = words.windows(5).filter_map(|words| match *words {
        [".alias", other, ",", name, ";"] => Some((other, name)),
        _ => None,
    });
    each.collect()
}

/// Reads the parameters in one pair of brackets of a head.
pub(crate) fn parameters(words: &[&str]) -> Result<Vec<Variable>, String> {
    let mut found = Vec::new();
    for one in words.split(|word| *word == ",").filter(|one| !one.is_empty()) {
        found.extend(variables(one)?);
    }
    Ok(found)
}

/// Reads all parameters of a function, results first.
pub(crate) fn of_head(function: &Function) -> Result<Vec<Variable>, String> {
    let head = Head::of(&function.head);
    let mut found = parameters(&head.results)?;
    found.extend(parameters(&head.parameters)?);
    Ok(found)
}
