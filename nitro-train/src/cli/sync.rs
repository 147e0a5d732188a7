//! `train sync`: two stores that come to hold the same.

use std::fs;
use std::io::{self, Write};

use anyhow::{Result, bail};

use super::args::SyncArgs;
use crate::store::{self, Copied, Synced};

pub(super) fn run(args: &SyncArgs, out: &mut dyn Write) -> Result<()> {
    let SyncArgs { first, second } = args;
    let [a, b] = [first, second].map(|url| store::shown(url));
    if !store::exists(first) && !store::exists(second) {
        bail!("there is neither a store `{a}` nor a store `{b}`: one of them has to exist");
    }
    if is_same(first, second) {
        bail!("`{a}` and `{b}` are the same store: name two");
    }
    // A store that is not there yet is made last: nothing of it is left if the other cannot be opened.
    let (mut a, mut b) = match store::exists(first) {
        true => {
            let a = store::open(first)?;
            (a, store::open(second)?)
        }
        false => {
            let b = store::open(second)?;
            (store::open(first)?, b)
        }
    };
    let Synced { into_first, into_second, differing } = store::sync(&mut *a, &mut *b)?;
    tell(out, b.location(), a.location(), into_first)?;
    tell(out, a.location(), b.location(), into_second)?;
    if differing > 0 {
        writeln!(out, "{differing} measurements that both had differ: each store keeps its own")?;
    }
    Ok(())
}

fn is_same(first: &str, second: &str) -> bool {
    let place = |url: &str| fs::canonicalize(url).ok();
    first == second || place(first).is_some_and(|first| place(second) == Some(first))
}

fn tell(out: &mut dyn Write, from: &str, to: &str, copied: Copied) -> io::Result<()> {
    let Copied { functions, devices, inputs, measurements } = copied;
    writeln!(
        out,
        "{from} → {to}: {measurements} measurements; new there: {functions} functions, {devices} devices, {inputs} inputs"
    )
}
