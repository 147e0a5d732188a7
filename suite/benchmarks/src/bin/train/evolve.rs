//! The command `evolve`, which is a program of its own: whoever does not call it does not compile it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use nitro_train::clap::{self, Arg, ArgAction, ArgMatches};
use nitro_train::{BoxError, TrainerCommand};

/// The program, of the package `nitro-variants-evolve`.
const PROGRAM: &str = "train-evolve";
/// The workspace that it is built from.
const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");

/// The command `evolve`: hands its arguments on to `train-evolve`.
pub struct EvolveProgram;

impl TrainerCommand for EvolveProgram {
    fn command(&self) -> clap::Command {
        let rest = Arg::new("arguments").action(ArgAction::Append).num_args(0..).allow_hyphen_values(true);
        clap::Command::new("evolve")
            .about("Evolve a compiled GPU kernel, PTX, into a faster one, as a small patch")
            .disable_help_flag(true) // the program has its own
            .arg(rest.trailing_var_arg(true).value_parser(clap::value_parser!(OsString)))
    }

    fn run(&self, arguments: &ArgMatches, _: &mut dyn Write) -> Result<ExitCode, BoxError> {
        let beside = env::current_exe()?.with_file_name(format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
        let program = Program::of(env::var_os("CARGO"), beside);
        let arguments = arguments.get_many::<OsString>("arguments").unwrap_or_default();
        let status = program.command().arg("evolve").args(arguments).status();
        let status =
            status.map_err(|error| format!("{} cannot be started: {error}", program.path().display()))?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
    }
}

/// How the program is started.
#[derive(Debug, PartialEq, Eq)]
enum Program {
    /// It is built already.
    Built(PathBuf),
    /// This Cargo builds it where it is not up to date, and runs it.
    ByCargo(PathBuf),
}

impl Program {
    /// Returns how to start the program. `cargo run`, which sets `CARGO`, promises what is up to date; without it the
    /// program beside this one is taken, if there is one.
    fn of(cargo: Option<OsString>, beside: PathBuf) -> Self {
        match cargo {
            Some(cargo) if Path::new(MANIFEST).exists() => Self::ByCargo(cargo.into()),
            _ if beside.exists() => Self::Built(beside),
            _ => Self::ByCargo("cargo".into()),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::Built(path) | Self::ByCargo(path) => path,
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.path());
        if let Self::ByCargo(_) = self {
            let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
            let build =
                ["run", "--quiet", "--profile", profile, "--manifest-path", MANIFEST, "--bin", PROGRAM, "--"];
            command.args(build.map(OsStr::new));
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_asked_where_it_started_this_program_or_nothing_is_built() {
        let (built, absent) = (PathBuf::from(MANIFEST), PathBuf::from("/no/such/program"));
        assert_eq!(
            Program::of(Some("/bin/cargo".into()), built.clone()),
            Program::ByCargo("/bin/cargo".into())
        );
        assert_eq!(Program::of(None, built.clone()), Program::Built(built));
        assert_eq!(Program::of(None, absent), Program::ByCargo("cargo".into()));
    }

    #[test]
    fn arguments_are_handed_on_as_they_are() {
        let words = ["evolve", "kernel.ptx", "--minutes", "-1", "--help"];
        let matches = EvolveProgram.command().try_get_matches_from(words).unwrap();
        let rest: Vec<_> = matches.get_many::<OsString>("arguments").unwrap().collect();
        assert_eq!(rest, ["kernel.ptx", "--minutes", "-1", "--help"]);
        let command = Program::Built("train-evolve".into()).command();
        assert_eq!((command.get_program(), command.get_args().count()), (OsStr::new("train-evolve"), 0));
    }
}
