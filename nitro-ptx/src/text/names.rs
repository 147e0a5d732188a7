//! Names of registers: declarations, and the scopes that they are in.

use std::collections::HashMap;

use super::constant::number;
use super::module::{Class, Register, Token};
use super::scan::{lexemes, word};

/// The names of one function.
pub(crate) struct Names {
    pub(crate) registers: Vec<Register>,
    /// Those that are open, the body first.
    scopes: Vec<Scope>,
    /// The beginning of names of nested scopes that have moved to the body: as nothing else in the text.
    moved: String,
}

#[derive(Default)]
struct Scope {
    number: usize,
    /// By name.
    single: HashMap<String, Declaration>,
    /// By what comes before the number: `%r` of `%r<10>`.
    ranges: HashMap<String, (u64, Declaration)>,
    /// Those that occur, by name.
    found: HashMap<String, usize>,
}

#[derive(Clone)]
struct Declaration {
    class: Class,
    lanes: u8,
    /// As it is written: `.b32`.
    kind: String,
}

impl Names {
    /// Nothing in the text begins as `moved`.
    pub(crate) fn new(moved: &str) -> Self {
        Self { registers: Vec::new(), scopes: vec![Scope::default()], moved: moved.to_owned() }
    }

    pub(crate) fn open(&mut self, number: usize) {
        self.scopes.push(Scope { number, ..Scope::default() });
    }

    pub(crate) fn close(&mut self) {
        self.scopes.pop();
    }

    /// Takes a declaration, `.reg .b32 %r<10>, %a`; whether it stays in its place.
    pub(crate) fn declare(&mut self, text: &str) -> bool {
        let words = lexemes(text);
        let (directives, words): (Vec<&str>, Vec<&str>) =
            words.into_iter().skip(1).partition(|word| word.starts_with('.'));
        let declared =
            Declaration { class: class(&directives), lanes: lanes(&directives), kind: directives.join(" ") };
        let last = self.scopes.len() - 1;
        let scope = &mut self.scopes[last];
        for one in words.split(|word| *word == ",") {
            match *one {
                [prefix, "<", count, ">"] if number(count).is_some() => {
                    let count = number(count).unwrap_or(0);
                    scope.ranges.insert(prefix.to_owned(), (count, declared.clone()));
                }
                [name, ..] => {
                    scope.single.insert(name.to_owned(), declared.clone());
                }
                [] => {}
            }
        }
        last == 0
    }

    /// The register of this name, in the innermost scope that has it.
    pub(crate) fn register(&mut self, name: &str) -> Option<usize> {
        let at = (0..self.scopes.len()).rev().find(|&at| self.scopes[at].declared(name).is_some())?;
        if let Some(&register) = self.scopes[at].found.get(name) {
            return Some(register);
        }
        let declared = self.scopes[at].declared(name)?.clone();
        let (printed, declared_as) = if at == 0 {
            (name.to_owned(), None)
        } else {
            // `%t` and `t` are two names.
            let (bare, plain) = name.strip_prefix('%').map_or(("n", name), |plain| ("", plain));
            (format!("{}{}{bare}_{plain}", self.moved, self.scopes[at].number), Some(declared.kind))
        };
        self.registers.push(Register {
            name: printed,
            class: declared.class,
            lanes: declared.lanes,
            declared_as,
        });
        self.scopes[at].found.insert(name.to_owned(), self.registers.len() - 1);
        Some(self.registers.len() - 1)
    }

    /// Returns a word in an operand as a token.
    pub(crate) fn token(&mut self, text: &str) -> Token {
        if let Some(register) = self.register(text) {
            return Token::Register(register, String::new());
        }
        let component = text.rfind('.').filter(|&dot| dot > 0);
        let of_vector = component.and_then(|dot| Some((self.register(&text[..dot])?, &text[dot..])));
        match of_vector {
            Some((register, component)) => Token::Register(register, component.to_owned()),
            None => Token::Word(text.to_owned()),
        }
    }
}

impl Scope {
    fn declared(&self, name: &str) -> Option<&Declaration> {
        if let Some(declared) = self.single.get(name) {
            return Some(declared);
        }
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        // The longest number first; more than 18 digits are none that can be declared.
        (1..=digits.min(18)).rev().find_map(|count| {
            let (prefix, number) = name.split_at(name.len() - count);
            let (declared, below) = self.ranges.get(prefix).map(|(below, declared)| (declared, *below))?;
            let is_number = number == "0" || !number.starts_with('0');
            (is_number && number.parse::<u64>().ok()? < below).then_some(declared)
        })
    }
}

/// The class of `.b32`, of `.v4 .f32` and so on.
fn class(directives: &[&str]) -> Class {
    let [kind] = directives else { return Class::Other };
    let kind = word(kind);
    if kind == ".pred" {
        return Class::Predicate;
    }
    let bits = |prefix: &str| kind.strip_prefix(prefix)?.parse::<u16>().ok();
    match (bits(".b"), bits(".u").or(bits(".s")), bits(".f")) {
        (Some(bits), ..) => Class::Bits(bits),
        (_, Some(bits), _) => Class::Integer(bits),
        (.., Some(bits)) => Class::Float(bits),
        _ => Class::Other,
    }
}

/// Returns the number of values of a register of `.v4 .f32` and so on.
fn lanes(directives: &[&str]) -> u8 {
    match directives.first() {
        Some(&".v2") => 2,
        Some(&".v4") => 4,
        _ => 1,
    }
}
