//! The kernels of a plan as they were compiled.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Integers;

/// The kernels of a plan in PTX, such as evolution gives back. They are for devices from the architecture on that
/// the text is of, in integers of one width.
///
/// ```
/// use nitro_launch::{Integers, PlannedPtx};
///
/// let text = ".version 8.7\n.target sm_90\n.address_size 64\n".to_owned();
/// let ptx = PlannedPtx { integers: Integers::Bits32, text };
/// let target = ptx.target().unwrap();
/// assert_eq!(target.to_string(), "90");
/// assert!(target.runs_on(100) && !target.runs_on(80));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlannedPtx {
    /// The integers that the kernels count in. Those of 64 bits are launched for all sizes.
    pub integers: Integers,
    /// The text.
    pub text: String,
}

/// The devices that a text is for. In JSON it is what stands behind `sm_`, such as `"90a"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Target {
    /// The compute capability, as in `90`.
    pub architecture: u32,
    /// The devices beside those of that compute capability.
    pub reach: Reach,
}

/// The reach of a text beyond its architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// To all newer devices.
    Newer,
    /// To newer devices of its family (`sm_100f`): of the same major number.
    Family,
    /// To no other device (`sm_90a`).
    Alone,
}

impl Target {
    /// Reads the directive `.target` of a PTX text; none where there is no such line.
    #[must_use]
    pub fn of_ptx(text: &str) -> Option<Self> {
        let line = text.lines().map(str::trim_start).find_map(|line| line.strip_prefix(".target"))?;
        let line = line.split("//").next()?;
        line.split([',', ' ', '\t']).find_map(|word| Self::parse(word.strip_prefix("sm_")?))
    }

    /// Returns true where a device of a compute capability, as in `90`, runs the text.
    #[must_use]
    pub fn runs_on(&self, architecture: u32) -> bool {
        match self.reach {
            Reach::Newer => architecture >= self.architecture,
            Reach::Family => architecture >= self.architecture && architecture / 10 == self.architecture / 10,
            Reach::Alone => architecture == self.architecture,
        }
    }

    /// Reads the text behind `sm_`.
    fn parse(text: &str) -> Option<Self> {
        let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let reach = match &text[number.len()..] {
            "" => Reach::Newer,
            "f" => Reach::Family,
            "a" => Reach::Alone,
            _ => return None,
        };
        let architecture =
            number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))?;
        Some(Self { architecture, reach })
    }
}

impl TryFrom<String> for Target {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is no architecture, such as 90 or 90a"))
    }
}

impl From<Target> for String {
    fn from(target: Target) -> Self {
        target.to_string()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.reach {
            Reach::Newer => "",
            Reach::Family => "f",
            Reach::Alone => "a",
        };
        write!(formatter, "{}{suffix}", self.architecture)
    }
}

impl PlannedPtx {
    /// The devices that the text is for, as its directive `.target` says; none where there is no such line.
    #[must_use]
    pub fn target(&self) -> Option<Target> {
        Target::of_ptx(&self.text)
    }

    /// Returns true where the text declares a kernel of this name.
    pub(crate) fn has_kernel(&self, name: &str) -> bool {
        let entries = self.text.lines().filter_map(|line| line.split_once(".entry"));
        let mut named = entries.filter_map(|(_, rest)| rest.trim_start().strip_prefix(name));
        // Not one whose name only begins so.
        named.any(|rest| {
            !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || "_$".contains(letter))
        })
    }
}
