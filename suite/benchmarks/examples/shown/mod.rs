//! For examples whose result is what they print.

use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use nitro::{CodeVariant, Function, Reason, Selection};

pub type BoxError = Box<dyn Error + Send + Sync>;

/// Runs an example. Whoever reads no further, as `| head -1` does, has seen enough: that is no error.
pub fn shown(run: impl FnOnce(&mut dyn Write) -> Result<(), BoxError>) -> ExitCode {
    match run(&mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What was selected by a model: without one there is nothing to show.
pub fn by_model<V: CodeVariant>(
    function: &Function,
    selection: Selection<V>,
) -> Result<Selection<V>, BoxError> {
    match selection.reason() {
        Reason::NoModel => Err(format!(
            "no model of `{}` was found: run this in the repository, where models/ is, or let NITRO_MODELS name a \
             folder of models",
            function.name()
        )
        .into()),
        _ => Ok(selection),
    }
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
