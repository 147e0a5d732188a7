//! The text of a disassembler, made so that two of them can be compared.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use super::opcodes::{InstructionCounts, opcode};

/// The instructions of all functions of an image, by the functions' names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    /// A line for each function, label and instruction.
    pub text: String,
    pub counts: InstructionCounts,
}

/// A line of a function.
enum Line<'a> {
    Label(&'a str),
    Instruction(String),
}

/// Reads the output of `nvdisasm --print-code`.
///
/// # Errors
/// Where there are no instructions in it.
pub(crate) fn read(printed: &str) -> Result<Listing, String> {
    let mut functions: BTreeMap<&str, Vec<Line<'_>>> = BTreeMap::new();
    let mut function = None;
    for line in printed.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix(".section") {
            let name = section.trim_start().strip_prefix(".text.");
            function = name.map(|name| name.split(',').next().unwrap_or(name));
        } else if let Some(function) = function {
            functions.entry(function).or_default().extend(read_line(line));
        }
    }
    let mut listing = Listing { text: String::new(), counts: InstructionCounts::default() };
    for (name, mut lines) in functions {
        cut_padding(&mut lines);
        listing.add(name, &lines);
    }
    match listing.counts.total() {
        0 => Err("nvdisasm shows no instructions".to_owned()),
        _ => Ok(listing),
    }
}

impl Listing {
    /// Adds a function, with labels numbered within it: in the image they are numbered through all.
    fn add(&mut self, name: &str, lines: &[Line<'_>]) {
        let uses = uses(lines);
        let labels =
            lines.iter().filter_map(|line| if let Line::Label(label) = line { Some(*label) } else { None });
        // Where nobody goes to is not worth a line.
        let used = labels.filter(|label| uses.contains_key(label));
        let numbers: HashMap<&str, usize> = used.zip(0..).collect();
        let _ = writeln!(self.text, "{name}:");
        for line in lines {
            match line {
                Line::Label(label) => {
                    let number = numbers.get(label);
                    number.into_iter().for_each(|number| {
                        let _ = writeln!(self.text, "L{number}:");
                    });
                }
                Line::Instruction(instruction) => {
                    self.counts.add(instruction);
                    let _ = writeln!(self.text, "    {}", renamed(instruction, &numbers));
                }
            }
        }
    }
}

/// Reads a line; none where it is neither a label nor an instruction.
fn read_line(line: &str) -> Option<Line<'_>> {
    if let Some(label) = line.strip_suffix(':').filter(|label| label.starts_with(".L")) {
        return Some(Line::Label(label));
    }
    // Instructions have their address before them; so have data.
    let text = line.starts_with("/*").then(|| without_comments(line))?;
    // Whether a register is kept for the next one is for the scheduler.
    let text = text.trim().trim_end_matches(';').replace(".reuse", "");
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_data = words.first().is_none_or(|word| word.starts_with('.'));
    (!is_data).then(|| Line::Instruction(words.join(" ")))
}

/// Removes comments.
fn without_comments(line: &str) -> String {
    let mut parts = line.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once("*/").map_or("", |(_, after)| after))
}

/// Cuts the filling at the end of a function.
///
/// The assembler puts a loop there that nobody comes to, and instructions that do nothing.
fn cut_padding(lines: &mut Vec<Line<'_>>) {
    // A label that somebody jumps to stands before instructions that do something.
    while let Some(last) = lines.last() {
        match last {
            Line::Instruction(text) if opcode(text) != "NOP" => break,
            _ => lines.pop(),
        };
    }
    if let [.., Line::Instruction(before), Line::Label(label), Line::Instruction(last)] = &lines[..]
        && ["EXIT", "RET", "BRA"].contains(&opcode(before))
        && !before.starts_with('@')
        && last.starts_with("BRA")
        && last.contains(label)
        && uses(lines).get(label) == Some(&1)
    {
        lines.truncate(lines.len() - 2);
    }
}

/// Counts the instructions that name each label.
fn uses<'a>(lines: &'a [Line<'_>]) -> HashMap<&'a str, usize> {
    let mut uses = HashMap::new();
    let instructions =
        lines.iter().filter_map(|line| if let Line::Instruction(text) = line { Some(text) } else { None });
    for (text, (at, length)) in instructions.flat_map(|text| labels(text).map(move |label| (text, label))) {
        *uses.entry(&text[at..at + length]).or_default() += 1;
    }
    uses
}

/// Returns the places of labels in a text, with their lengths.
fn labels(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    text.match_indices(".L_").map(|(at, _)| {
        let rest = &text[at + 1..];
        let end = rest.find(|last: char| !last.is_ascii_alphanumeric() && last != '_');
        (at, 1 + end.unwrap_or(rest.len()))
    })
}

/// Replaces the labels of an instruction by numbers.
fn renamed(instruction: &str, numbers: &HashMap<&str, usize>) -> String {
    let (mut text, mut next) = (String::new(), 0);
    for (at, length) in labels(instruction) {
        let label = &instruction[at..at + length];
        text.push_str(&instruction[next..at]);
        text.push_str(&numbers.get(label).map_or(label.to_owned(), |number| format!("L{number}")));
        next = at + length;
    }
    // Names stand in "`(" and ")".
    (text + &instruction[next..]).replace("`(", "(")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by hand, in the form that disassemblers have.
    const PRINTED: &str = r#"
	.target	sm_90
//--------------------- .nv.info.k                --------------------------
	.section	.nv.info.k,"",@"SHT_CUDA_INFO"
        /*0000*/ 	.byte	0x04, 0x37
.L_7:
//--------------------- .text.k                  --------------------------
	.section	.text.k,"ax",@progbits
	.align	128
        .global         k
        .type           k,@function
k:
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;     /* 0x00000a00ff017b82 */
                                                              /* 0x000fe20000000800 */
        /*0010*/              @!P0 BRA `(.L_x_12) ;
.L_x_10:
        /*0020*/                   IMAD R7, R5.reuse, UR4, R0.reuse ;
        /*0030*/               @P1 BRA `(.L_x_10) ;
        /*0040*/                   CALL.REL.NOINC `($k$divide) ;
.L_x_11:
.L_x_12:
        /*0050*/                   EXIT ;
.L_x_13:
        /*0060*/                   BRA `(.L_x_13);
        /*0070*/                   NOP;
        /*0080*/                   NOP;
.L_x_14:

//--------------------- .text.a                  --------------------------
	.section	.text.a,"ax",@progbits
a:
.text.a:
        /*0000*/                   BAR.SYNC 0x0 ;
        /*0010*/                   EXIT ;
//--------------------- .nv.constant0.k          --------------------------
	.section	.nv.constant0.k,"a",@progbits
        /*0000*/ 	.word	0x00000000
        /*0004*/ 	ODD
"#;

    #[test]
    fn only_what_tells_instructions_apart_is_left_by_names_of_functions() {
        let listing = read(PRINTED).unwrap();
        let expected = "\
a:
    BAR.SYNC 0x0
    EXIT
k:
    LDC R1, c[0x0][0x28]
    @!P0 BRA (L1)
L0:
    IMAD R7, R5, UR4, R0
    @P1 BRA (L0)
    CALL.REL.NOINC ($k$divide)
L1:
    EXIT
";
        assert_eq!(listing.text, expected);
        let counts =
            InstructionCounts { barriers: 1, arithmetic: 1, control: 5, other: 1, ..Default::default() };
        assert_eq!(listing.counts, counts);
    }

    #[test]
    fn a_loop_at_the_end_that_is_come_to_is_no_padding() {
        let function = |lines: &str| read(&format!(".section .text.k,\"ax\"\n{lines}")).unwrap();
        let fallen_into = function("/*0*/ @P0 EXIT ;\n.L_x_0:\n/*1*/ BRA `(.L_x_0) ;\n/*2*/ NOP ;\n");
        assert_eq!(fallen_into.text, "k:\n    @P0 EXIT\nL0:\n    BRA (L0)\n");
        let gone_to = function("/*0*/ @P0 BRA `(.L_x_0) ;\n/*1*/ EXIT ;\n.L_x_0:\n/*2*/ BRA `(.L_x_0) ;\n");
        assert_eq!(gone_to.counts.total(), 3);
    }

    #[test]
    fn text_without_instructions_is_refused_and_cut_text_is_read_as_far_as_it_goes() {
        for nothing in ["", "garbage\n/*", ".section .text.k\n/*0000*/", ".section\n.section .text.\n.L:\n"] {
            assert_eq!(read(nothing), Err("nvdisasm shows no instructions".to_owned()), "{nothing}");
        }
        for (at, _) in PRINTED.char_indices() {
            let _ = read(&PRINTED[..at]);
        }
    }
}
