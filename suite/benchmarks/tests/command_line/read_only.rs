//! A store that this user may not write, in a folder where nothing may be made: all that only reads works, and what
//! writes says what to change.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::trainer::{success, text};
use tempfile::TempDir;

/// Whom nothing belongs to.
const NOBODY: u32 = 65_534;

struct Place {
    folder: TempDir,
    /// The trainer where everybody may run it.
    program: PathBuf,
}

impl Place {
    /// A folder `kept` with a store that may be read alone, and a folder `own` to work in.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        ["kept", "own"].iter().for_each(|name| fs::create_dir(path(name)).unwrap());
        let rows = ["A", "B"].map(|device| {
            let times = [
                "train/x,slow,200",
                "train/x,fast,100",
                "train/y,slow,100",
                "train/y,fast,300",
                "test/z,slow,500",
                "test/z,fast,250",
            ];
            times.map(|row| format!("{device},{row}\n")).concat()
        });
        fs::write(path("own/m.csv"), format!("device,input,variant,time_ns\n{}", rows.concat())).unwrap();
        fs::write(path("own/i.csv"), "input,size\ntrain/x,10\ntrain/y,1000\ntest/z,20\n").unwrap();
        fs::write(path("own/d.csv"), "device,gbps\nA,100\nB,200\n").unwrap();
        let program = path("train");
        fs::copy(env!("CARGO_BIN_EXE_train"), &program).unwrap();
        success(
            &path("own"),
            &[
                "import",
                "--function",
                "f",
                "--measurements",
                "m.csv",
                "--inputs",
                "i.csv",
                "--devices",
                "d.csv",
                "--store",
                "../kept/s.db",
            ],
        );
        let mode = |name: &str, mode| fs::set_permissions(path(name), Permissions::from_mode(mode)).unwrap();
        mode("", 0o755);
        mode("own", 0o777);
        mode("kept/s.db", 0o444);
        mode("kept", 0o555);
        Self { folder, program }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Exit code and what was said, of a user who may write nothing in `kept`: root may write everywhere.
    fn train(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(self.path("own")).env("HOME", self.path("own"));
        if is_root(&self.path("own")) {
            command.uid(NOBODY).gid(NOBODY);
        }
        let output = command.output().unwrap();
        (output.status.code(), text(&output.stderr))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::set_permissions(self.path("kept"), Permissions::from_mode(0o755));
    }
}

fn is_root(own: &Path) -> bool {
    let is_roots = fs::metadata(own).unwrap().uid() == 0;
    if is_roots {
        chown(own, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    is_roots || fs::metadata(own).unwrap().uid() == NOBODY
}

#[test]
fn what_only_reads_works_and_what_writes_says_what_to_change() {
    let place = Place::new();
    let before = fs::read(place.path("kept/s.db")).unwrap();
    let store = ["--store", "../kept/s.db"];
    let files = ["--measurements", "M.csv", "--inputs", "I.csv", "--devices", "D.csv"];
    for arguments in [
        &["evaluate"][..],
        &["fit", "--models", "models"],
        &["check", "--models", "models", "--max-regret", "100"],
        &["report"],
        &["explain", "f", "size=10", "--device", "A"],
        &["devices", "--next"],
        &[&["export", "--function", "f"][..], &files].concat(),
    ] {
        let (code, said) = place.train(&[arguments, &store].concat());
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
    }
    let import = [&["import", "--function", "f"][..], &files, &store].concat();
    let (code, said) = place.train(&import);
    assert!(code == Some(1) && said.contains("cannot be opened for writing"), "{said}");
    assert_eq!(fs::read(place.path("kept/s.db")).unwrap(), before);
    assert_eq!(fs::read_dir(place.path("kept")).unwrap().count(), 1, "nothing is made beside it");
}
