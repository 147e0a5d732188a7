//! The statements of a function's body.

use std::sync::Arc;

use super::constant::number;
use super::error::ParseError;
use super::module::{Content, Instruction, InstructionId, Item, Register};
use super::names::Names;
use super::scan::{MAX_DEPTH, Scan, Segment, lexeme, lexemes, word};
use super::statement;

/// A body that is being read.
pub(crate) struct Body<'s, 'a> {
    scan: &'s mut Scan<'a>,
    /// Of the instructions so far, those of other bodies first.
    lines: &'s mut Vec<usize>,
    names: Names,
    scopes: Vec<usize>,
    /// Those that are open, the innermost last.
    open: Vec<usize>,
    items: Vec<Item>,
}

impl<'s, 'a> Body<'s, 'a> {
    /// The place is after the brace.
    pub(crate) fn new(scan: &'s mut Scan<'a>, lines: &'s mut Vec<usize>, moved: &str) -> Self {
        Self { scan, lines, names: Names::new(moved), scopes: vec![0], open: vec![0], items: Vec::new() }
    }

    pub(crate) fn finish(self) -> (Vec<Register>, Vec<usize>, Vec<Item>) {
        (self.names.registers, self.scopes, self.items)
    }

    /// Reads up to and with the brace that closes the body.
    pub(crate) fn read(&mut self) -> Result<(), ParseError> {
        loop {
            self.scan.skip_space();
            if let Some(comment) = self.scan.comment()? {
                self.push(Content::Text(comment.to_owned()));
                continue;
            }
            match self.scan.peek() {
                None => return Err(self.scan.error("the body of a function is not closed by `}`")),
                Some(b'{') => self.open_scope()?,
                Some(b'}') => {
                    self.scan.at += 1;
                    if self.open.len() == 1 {
                        return Ok(());
                    }
                    self.push(Content::Close);
                    self.open.pop();
                    self.names.close();
                }
                Some(b'#') => {
                    let text = self.scan.line_end().to_owned();
                    self.push(Content::Text(text));
                }
                Some(_) => self.statement()?,
            }
        }
    }

    fn push(&mut self, what: Content) {
        self.items.push(Item { scope: self.scope(), content: what });
    }

    fn scope(&self) -> usize {
        self.open[self.open.len() - 1]
    }

    fn open_scope(&mut self) -> Result<(), ParseError> {
        if self.open.len() > MAX_DEPTH {
            return Err(self.scan.error(format!("more than {MAX_DEPTH} scopes are nested")));
        }
        self.scan.at += 1;
        self.scopes.push(self.scope());
        self.open.push(self.scopes.len() - 1);
        self.names.open(self.scopes.len() - 1);
        self.push(Content::Open);
        Ok(())
    }

    fn statement(&mut self) -> Result<(), ParseError> {
        if lexeme(self.scan.rest()) == ".loc" {
            let text = self.location().trim_end().to_owned();
            self.push(Content::Text(text));
            return Ok(());
        }
        if let Some(label) = self.label() {
            self.push(Content::Label(label.to_owned()));
            return Ok(());
        }
        let line = self.scan.line();
        let text = self.until_semicolon()?;
        self.finished(text, line)
    }

    fn finished(&mut self, text: String, line: usize) -> Result<(), ParseError> {
        match lexeme(&text) {
            ".reg" => self.registers(&text),
            ".branchtargets" | ".calltargets" | ".callprototype" => self.named(&text)?,
            directive if directive.starts_with('.') => self.push(Content::Text(format!("{text};"))),
            _ if text.is_empty() => {}
            _ => self.instruction(&text, line)?,
        }
        Ok(())
    }

    /// Declarations of the body stay where they are; those of scopes inside are made at the top.
    fn registers(&mut self, text: &str) {
        if self.names.declare(text) {
            self.push(Content::Text(format!("{text};")));
        }
    }

    fn instruction(&mut self, text: &str, line: usize) -> Result<(), ParseError> {
        let (guard, opcode, operands) = statement::parts(text)
            .ok_or_else(|| self.scan.error(format!("this is no instruction: {}", short(text))))?;
        let names = &mut self.names;
        let guard = match guard {
            Some((name, negated)) => {
                let register =
                    names.register(name).map(|register| super::module::Guard { register, negated });
                Some(register.ok_or_else(|| {
                    self.scan
                        .error(format!("`{}` is guarded by a register that is not declared", short(text)))
                })?)
            }
            None => None,
        };
        let mut operands = statement::operands(operands, |word| names.token(word));
        // Of a text with a million instructions it is half of what they take.
        operands.iter_mut().for_each(Vec::shrink_to_fit);
        operands.shrink_to_fit();
        let instruction = Instruction { guard, opcode: opcode.into_owned(), operands };
        let id = InstructionId::Base(self.lines.len() as u32);
        self.lines.push(line);
        self.push(Content::Instruction(id, Arc::new(instruction)));
        Ok(())
    }

    /// Reads a `.loc`, which ends at its line's end or where an instruction begins.
    fn location(&mut self) -> &'a str {
        let from = self.scan.at;
        let line = self.scan.line_end();
        // Three numbers; behind a comma what was inlined, which has `inlined_at` and three more.
        let words = lexemes(line);
        let inlined =
            words.iter().position(|word| *word == "inlined_at").filter(|_| words.get(4) == Some(&","));
        let length = inlined.map_or(4, |at| at + 4);
        if let Some(last) = words.get(length - 1).or(words.last()) {
            self.scan.at = from + (last.as_ptr() as usize - line.as_ptr() as usize) + last.len();
        }
        &self.scan.text[from..self.scan.at]
    }

    /// The label that begins here.
    fn label(&mut self) -> Option<&'a str> {
        let name = word(self.scan.rest());
        let mut ahead = self.scan.clone();
        ahead.at += name.len();
        ahead.skip_space();
        while ahead.comment().ok()?.is_some() {
            ahead.skip_space();
        }
        if name.is_empty() || !ahead.rest().starts_with(':') || ahead.rest().starts_with("::") {
            return None;
        }
        self.scan.at = ahead.at + 1;
        Some(name)
    }

    /// A list of labels, or a prototype: what stands before it is its name, with comments in between.
    fn named(&mut self, text: &str) -> Result<(), ParseError> {
        let is_comment = |item: &Item| matches!(&item.content, Content::Text(text) if text.starts_with('/'));
        let before = self.items.iter_mut().rev().find(|item| !is_comment(item));
        let Some(Item { content: what @ Content::Label(_), .. }) = before else {
            self.push(Content::Text(format!("{text};")));
            return Ok(());
        };
        let Content::Label(name) = what else { return Ok(()) };
        let words = lexemes(text);
        let mut labels = Vec::new();
        for one in words[1..].split(|word| *word == ",") {
            match *one {
                [prefix, "<", count, ">"] => {
                    let count = number(count).unwrap_or(u64::MAX);
                    self.scan.ranged_labels = self.scan.ranged_labels.saturating_add(count);
                    if self.scan.ranged_labels > self.scan.text.len() as u64 {
                        return Err(self
                            .scan
                            .error(format!("more labels of `{prefix}` than can be in this text")));
                    }
                    labels.extend((0..count).map(|at| format!("{prefix}{at}")));
                }
                _ => labels.extend(one.iter().map(|word| (*word).to_owned())),
            }
        }
        *what = Content::Targets { name: name.clone(), text: format!("{name}: {text};"), labels };
        Ok(())
    }

    /// The statement without its `;` and its comments, which come before it.
    fn until_semicolon(&mut self) -> Result<String, ParseError> {
        let mut ahead = self.scan.clone();
        let mut statement = String::new();
        let mut comments = Vec::new();
        ahead.until(
            b";}",
            |passed| match passed {
                Segment::Comment(comment) => {
                    statement.push(' ');
                    comments.push(comment);
                }
                Segment::Other(text) => statement.push_str(text),
            },
            |_| false,
        )?;
        if ahead.peek() != Some(b';') {
            return Err(self.scan.error(format!("a statement has no `;`: {}", short(&statement))));
        }
        self.scan.at = ahead.at + 1;
        for comment in comments {
            self.push(Content::Text(comment.to_owned()));
        }
        Ok(statement.trim().to_owned())
    }
}

/// As much of a statement as a message shows, in one line.
fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}..", &line[..end]),
        None => line,
    }
}
