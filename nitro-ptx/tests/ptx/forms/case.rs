//! One instruction that is tried: a form of the emulator's table with registers for its operands.

use nitro_ptx::emulate::{Form, Operand, forms};

/// An instruction of registers, and what is to be known of it to compute its result otherwise.
#[derive(Clone, Debug)]
pub struct Case {
    /// The first part of its opcode, and the others.
    pub name: String,
    pub parts: Vec<String>,
    /// The whole instruction.
    pub text: String,
    /// Bits of its result; 1 for a predicate.
    pub width: u32,
    /// Whether it has a second result, a predicate.
    pub is_pair: bool,
    /// Of each source.
    pub sources: Vec<Source>,
    /// The part of the result that is written.
    pub part: String,
}

/// Where the value of a source comes from.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Bits; 1 for a predicate, 0 for a constant.
    pub width: u32,
    pub is_negated: bool,
    pub constant: u64,
    /// The part that is chosen, as `.h0`.
    pub part: String,
}

/// How many different choices of parts, signs and constants are made of a form that has these.
const CHOICES: usize = 9;

impl Case {
    pub fn has(&self, part: &str) -> bool {
        self.parts.iter().any(|own| own == part)
    }

    /// Whether it takes or gives a carry.
    pub fn is_of_words(&self) -> bool {
        self.has("cc") || matches!(self.name.as_str(), "addc" | "subc" | "madc")
    }

    /// The types in its opcode, in order.
    pub fn types(&self) -> Vec<&str> {
        self.parts.iter().map(String::as_str).filter(|part| bits(part).is_some()).collect()
    }

    /// The type at the end of its opcode.
    pub fn kind(&self) -> &str {
        self.types().last().copied().unwrap_or("")
    }

    fn of(opcode: &str, operands: &[Operand], choice: usize) -> Self {
        let mut parts = opcode.split('.').map(str::to_owned);
        let name = parts.next().unwrap();
        let mut case = Self {
            name,
            parts: parts.collect(),
            text: String::new(),
            width: 0,
            is_pair: false,
            sources: Vec::new(),
            part: String::new(),
        };
        let widths = case.widths();
        case.width = widths[0];
        let mut written = Vec::new();
        for (at, operand) in operands.iter().enumerate() {
            let source = case.sources.len();
            let width = widths.get(1 + source).copied().unwrap_or(32);
            written.push(case.operand(at, *operand, width, choice));
        }
        case.text = format!("{opcode} {};", written.join(", "));
        if case.is_of_words() {
            case.is_pair = true;
            let instruction = std::mem::take(&mut case.text);
            case.text =
                format!("add.cc.u32 %n, %r3, %r3; {instruction} addc.u32 %n, 0, 0; setp.ne.u32 %y1, %n, 0;");
        }
        case
    }

    /// The text of an operand; what it reads is noted.
    fn operand(&mut self, at: usize, operand: Operand, width: u32, choice: usize) -> String {
        // A fifth source is the same register as the fourth.
        let source = self.sources.len().min(3);
        // Each operand has choices of its own.
        let choice = choice * [1, 2, 4, 5, 7][at % 5];
        let is_negated = choice % 3 == 1;
        let read = Source { width, ..Source::default() };
        let register = |width: u32| {
            format!("%{}{source}", ["p", "h", "r", "d"][(width.ilog2() as usize).saturating_sub(3)])
        };
        match operand {
            Operand::Written | Operand::MaskWritten => {
                self.part = match operand {
                    Operand::Written => String::new(),
                    _ if self.name.ends_with('2') => ["", ".h0", ".h1", ".h10"][choice % 4].to_owned(),
                    _ => ["", ".b0", ".b2", ".b31", ".b210", ".b3210"][choice % 6].to_owned(),
                };
                format!("%z{}{}", self.width, self.part)
            }
            Operand::PredicateWritten => "%z1".to_owned(),
            Operand::PredicatesWritten => {
                self.is_pair = true;
                "%z1|%y1".to_owned()
            }
            Operand::WrittenWithPredicate => {
                self.is_pair = true;
                format!("%z{}|%y1", self.width)
            }
            Operand::Read => {
                self.sources.push(read);
                register(width)
            }
            Operand::PartRead => {
                let part = self.chosen(choice).to_owned();
                self.sources.push(Source { part: part.clone(), ..read });
                format!("{}{part}", register(32))
            }
            Operand::Predicate => {
                self.sources.push(Source { width: 1, is_negated, ..read });
                format!("{}{}", if is_negated { "!" } else { "" }, register(1))
            }
            Operand::Constant => {
                let constant = [0x96, 0xca, 0xe8, 0x01, 0xfe, 0x80, 0x3c, 0x1b, 0x00][choice % 9];
                self.sources.push(Source { constant, width: 0, ..read });
                constant.to_string()
            }
            _ => unreachable!("{operand:?} is not tried this way"),
        }
    }

    /// A part of a source of a video instruction.
    fn chosen(&self, choice: usize) -> &'static str {
        const OF_TWO: [&str; 5] = ["", ".h10", ".h32", ".h03", ".h21"];
        const OF_FOUR: [&str; 5] = ["", ".b3210", ".b7654", ".b0246", ".b7710"];
        if self.name.ends_with('2') { OF_TWO[choice % 5] } else { OF_FOUR[choice % 5] }
    }

    /// Bits of the result and of the sources.
    fn widths(&self) -> Vec<u32> {
        let types = self.types();
        let bits = |at: usize| types.get(at).and_then(|kind| bits(kind)).unwrap_or(32).max(16);
        let (first, last) = (bits(0), bits(types.len().saturating_sub(1)));
        match self.name.as_str() {
            "setp" | "testp" => vec![1, last, last, 1],
            "set" => vec![first, last, last, 1],
            "selp" => vec![last, last, last, 1],
            "slct" => vec![first, first, first, last],
            "cvt" => vec![first, last, last],
            "mul" | "mad" if self.has("wide") => vec![last * 2, last, last, last * 2],
            "popc" | "clz" | "bfind" => vec![32, last],
            "bfe" => vec![last, last, 32, 32],
            "bfi" => vec![last, last, last, 32, 32],
            "shl" | "shr" => vec![last, last, 32],
            "add" | "sub" if types.len() == 2 => vec![32, last, 32],
            "fma" if types.len() == 2 => vec![32, last, last, 32],
            "and" | "or" | "xor" | "not" | "mov" if self.kind() == "pred" => vec![1, 1, 1],
            _ => vec![last; 5],
        }
    }
}

/// Bits of a type.
pub fn bits(kind: &str) -> Option<u32> {
    Some(match kind {
        "pred" => 1,
        "f16x2" | "bf16x2" | "u16x2" | "s16x2" => 32,
        "bf16" => 16,
        _ => match kind.strip_prefix(['b', 'u', 's', 'f'])? {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "64" => 64,
            _ => return None,
        },
    })
}

/// Whether all that an operand needs is registers of its thread.
fn is_plain(operand: &Operand) -> bool {
    use Operand as O;
    matches!(
        operand,
        O::Written | O::Read | O::PredicateWritten | O::PredicatesWritten | O::WrittenWithPredicate
    ) || matches!(operand, O::Predicate | O::Constant | O::MaskWritten | O::PartRead)
}

/// What is looked at elsewhere: it depends on other threads, on time, or on addresses.
const OTHERS: [&str; 14] = [
    "bar",
    "barrier",
    "shfl",
    "vote",
    "match",
    "redux",
    "elect",
    "activemask",
    "nanosleep",
    "pmevent",
    "cvta",
    "isspacep",
    "cp",
    "brx",
];

/// Forms that compute registers from registers.
pub fn computing() -> impl Iterator<Item = (&'static Form, &'static [Operand])> {
    let each =
        forms().flat_map(|form| form.operands().iter().map(move |operands| (form, operands.as_slice())));
    each.filter(|(form, operands)| {
        let opcode = form.opcode(0);
        let name = opcode.split('.').next().unwrap();
        !operands.is_empty() && operands.iter().all(is_plain) && !OTHERS.contains(&name)
    })
}

/// All cases of these forms.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (form, operands) in computing() {
        for at in 0..form.opcodes() {
            let opcode = form.opcode(at);
            let has_choices = operands.iter().any(|operand| {
                use Operand as O;
                !matches!(operand, O::Written | O::Read | O::PredicateWritten | O::PredicatesWritten)
            });
            // Not all choices of all forms: those of a form are others for each of its opcodes.
            let choices = if !has_choices {
                1
            } else if form.opcodes() > 64 {
                2
            } else {
                CHOICES
            };
            let case = |choice: usize| Case::of(&opcode, operands, choice + at % CHOICES);
            cases.extend((0..choices).map(case));
        }
    }
    cases
}
