//! Four recorders of twin devices share their inputs through one Redis server, while recorders and server are
//! killed thirty times: in the end every variant of every input is there, as an undisturbed recording would have
//! left it. What a recorder that was killed had claimed is taken over, long before the deadline of its runs.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use crate::scripted::{Devices, Hidden};
use crate::twins::{in_every_run, shared, time_ns};
use nitro_test_support::random::Random;
use nitro_test_support::redis_server::Server;
use nitro_train::recordings::{Outcome, Recordings};
use nitro_train::store::ChoiceName;
use nitro_train::{BoxError, Session, Trainer, Tunable, store};

const RECORDERS: usize = 4;
const KILLS: u64 = 30;
const INPUTS: u32 = 600;

/// Takes a while, so that a kill finds recorders at work.
fn take_a_while(_: u32, _: &str) {
    (0..20_000).for_each(|_| std::hint::spin_loop());
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let n = name.parse()?;
        session.checked_input(name, || shared(n), |expected, found| expected == found)?;
    }
    Ok(())
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("record") {
        in_every_run(take_a_while);
        return Trainer::new()
            .devices(Devices)
            .processors(Hidden)
            .tunable(
                Tunable::new(shared::function(), record).generated_inputs((0..INPUTS).map(|n| n.to_string())),
            )
            .main();
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    if let Some(server) = Server::start(Some(folder.path().to_owned())) {
        thirty_kills_lose_nothing_and_double_nothing(server, folder.path());
    }
    ExitCode::SUCCESS
}

fn start(url: &str, number: usize, folder: &Path) -> Child {
    let log = std::fs::File::options().create(true).append(true).open(folder.join(format!("{number}.log")));
    Command::new(std::env::current_exe().expect("this program is somewhere"))
        .args(["record", "--device", &format!("scripted:{number}"), "--store", url, "--deadline", "3600"])
        .stderr(log.expect("a log file"))
        .stdin(Stdio::null())
        .spawn()
        .expect("the trainer starts")
}

fn thirty_kills_lose_nothing_and_double_nothing(mut server: Server, folder: &Path) {
    let url = server.url();
    let mut recorders: Vec<Child> = (0..RECORDERS).map(|number| start(&url, number, folder)).collect();
    let mut random = Random::new(1);
    let mut recorded = 0;
    for kill in 0..KILLS {
        // The next kill comes when some more inputs are in the store; when exactly is drawn.
        recorded += random.below(u64::from(INPUTS) / KILLS);
        while inputs_in(&url) < recorded {
            std::hint::spin_loop();
        }
        let victim = random.below(RECORDERS as u64 + 1) as usize;
        match recorders.get_mut(victim) {
            Some(recorder) => {
                let _ = recorder.kill();
                let _ = recorder.wait();
                *recorder = start(&url, victim, folder);
            }
            None => server.restart(),
        }
        assert!(kill + 1 < KILLS || inputs_in(&url) < u64::from(INPUTS), "nothing was left to go on with");
    }
    for (number, recorder) in recorders.iter_mut().enumerate() {
        // A recorder that could not start because the server was just away has said so; one that runs ends in order.
        let ended = recorder.wait().expect("it was started");
        if !ended.success() {
            let again = start(&url, number, folder).wait().expect("it was started");
            let log = std::fs::read_to_string(folder.join(format!("{number}.log"))).unwrap_or_default();
            assert!(again.success(), "{log}");
        }
    }
    check(&store::open(&url).and_then(|mut store| store.load("shared")).expect("a store with recordings"));
}

/// Number of inputs that have been recorded; none while the server is away.
fn inputs_in(url: &str) -> u64 {
    let choices = ["once", "twice"].map(ChoiceName::variant);
    let recorded = store::open(url).and_then(|mut store| store.recorded("shared", "scripted", &choices));
    recorded.map_or(0, |inputs| inputs.len() as u64)
}

fn check(recordings: &Recordings) {
    assert_eq!(recordings.inputs.len(), INPUTS as usize);
    assert_eq!(recordings.measurements.len(), 2 * INPUTS as usize, "every variant of every input, once");
    for one in &recordings.measurements {
        let n = recordings.inputs[one.input].name.parse().expect("names are numbers");
        let expected = Outcome::Time(time_ns(n, &recordings.variants[one.variant]));
        assert_eq!(one.outcome, expected, "{n}: {}", one.reason);
    }
}
