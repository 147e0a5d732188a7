//! The arguments that several commands have in common.

use std::path::PathBuf;

use clap::Args;
use nitro_learn::StudyOptions;

/// An option that every command takes, of a command without a store: scripts need not know which have one.
#[derive(Args, Debug)]
pub(in crate::cli) struct NoStoreArgs {
    /// Accepted by every command; this one uses no store
    #[arg(long, value_name = "S")]
    #[allow(dead_code, reason = "nothing is asked")]
    store: Option<String>,
}

/// Seconds that one run of a variant may take.
pub(in crate::cli) const DEADLINE_SECONDS: u32 = 120;

/// The bound of one run.
#[derive(Args, Debug)]
pub(in crate::cli) struct DeadlineArgs {
    /// Seconds that one run may take; a choice that takes longer twice counts as failed on that input
    #[arg(long = "deadline", id = "deadline", value_name = "SECONDS", default_value_t = DEADLINE_SECONDS)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) seconds: u32,
}

/// The source of hardware counters.
#[derive(Args, Debug)]
pub(in crate::cli) struct ProfilesArgs {
    /// Folder that `profile` has written to [default: the profiles that the program carries]
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) profiles: Option<PathBuf>,
}

/// The settings of selecting device features by cross-validation.
#[derive(Args, Debug)]
pub(in crate::cli) struct StudyArgs {
    /// Most device features in one of the subsets that cross-validation tries
    #[arg(long, value_name = "N", default_value_t = StudyOptions::default().subset_size as u32)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=5))]
    pub(in crate::cli) subset_size: u32,
    /// Number of the most frequent winners among the subsets to use together. Of equally frequent ones, the order is by
    /// mean over all sources, then by size, then by alphabet
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) keep: u32,
}

impl StudyArgs {
    /// Returns these settings for the library.
    pub(in crate::cli) fn options(&self) -> StudyOptions {
        let (subset_size, keep) = (self.subset_size as usize, self.keep as usize);
        StudyOptions { subset_size, keep }
    }
}
