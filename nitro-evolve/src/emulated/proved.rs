//! What a check on the emulator proves of a patched text.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use nitro_ptx::emulate::Emulator;
use nitro_ptx::{KnownLaunches, Module};

use super::check::EmulatorCheck;
use super::piece::Piece;
use super::proof;
use super::shown::Changes;
use crate::check::CheckOutcome;
use crate::deadline::Deadline;
use crate::exactness::Exactness;
use crate::workload::Argument;

impl EmulatorCheck {
    /// Returns what is proved of a text that stands for another one, or why nothing is, as of what a thorough check of
    /// it refuses: its cases are more than those of a proof, and lead to other branches.
    pub(super) fn exactness(&self, ptx: &str, like: &str, until: Deadline) -> Exactness {
        let (like, patched) = match (Module::parse(like), Module::parse(ptx)) {
            (Ok(like), Ok(patched)) => (like, patched),
            (Err(why), _) | (_, Err(why)) => return Exactness::Tested { why: why.to_string() },
        };
        if let Some(same) = like.does_the_same(&patched) {
            return proof::by_text(same);
        }
        let kernels: Vec<&str> = self.kernels.iter().map(String::as_str).collect();
        // What no thread comes to in such launches, and what is the same number there, no input has to show.
        let launches = self.launches.get_or_init(|| self.known_launches(&like));
        let [like, patched] = [like, patched].map(|module| module.in_launches(launches));
        if let Some(same) = like.does_the_same(&patched) {
            return proof::by_text(same).provided(proof::SUCH_LAUNCHES);
        }
        let emulators = [&like, &patched].map(|module| Emulator::for_kernels(module, &kernels).map(Arc::new));
        let [Ok(original), Ok(program)] = emulators else {
            return Exactness::Tested { why: "it cannot be emulated".to_owned() };
        };
        let all = self.cases.iter().chain(&self.further);
        let cases = all.map(|case| (case.name.as_str(), &case.inputs, case.expected.instructions));
        let pieces = self.pieces.iter().filter(|piece| Piece::is_small(&piece.inputs));
        let pieces = pieces.map(|piece| (piece.name.as_str(), &piece.inputs, piece.expected.instructions));
        let guards = [original.guards(&like), program.guards(&patched)];
        let changes = Changes::new([&original, &program], guards);
        let exactness = proof::prove(changes, cases, pieces, until);
        if !matches!(exactness, Exactness::Proved { .. }) {
            return exactness;
        }
        // Proofs are made side by side.
        match self.thorough(ptx, 1, until) {
            CheckOutcome::Clean => exactness,
            CheckOutcome::Found(by) | CheckOutcome::Off { by, .. } => Exactness::Tested { why: by.what },
            CheckOutcome::NotRun(why) => Exactness::Tested { why },
        }
    }

    /// Returns what all launches have in common, by kernel.
    fn known_launches(&self, module: &Module) -> BTreeMap<String, KnownLaunches> {
        let cases = self.cases.iter().chain(&self.further).chain(&self.pieces);
        let mut known: BTreeMap<String, KnownLaunches> = BTreeMap::new();
        for launch in cases.flat_map(|case| &case.inputs.launches) {
            let own = KnownLaunches {
                block: Some(launch.block),
                least: launch.arguments.iter().map(least).collect(),
            };
            match known.entry(launch.kernel.clone()) {
                Entry::Vacant(new) => {
                    new.insert(own);
                }
                Entry::Occupied(mut all) => {
                    let all = all.get_mut();
                    all.block = all.block.filter(|block| Some(*block) == own.block);
                    for (least, own) in all.least.iter_mut().zip(own.least) {
                        *least = least.zip(own).map(|(least, own)| least.min(own));
                    }
                }
            }
        }
        for (kernel, own) in &mut known {
            let parameters = module.parameters(kernel).unwrap_or_default();
            own.least.truncate(parameters.len());
            for (least, parameter) in own.least.iter_mut().zip(parameters) {
                *least = least.filter(|_| !parameter.is_float);
            }
        }
        known
    }
}

/// Returns the integer that an argument is, if it may be one and has no sign.
fn least(argument: &Argument) -> Option<u32> {
    let Argument::Scalar(bytes) = argument else { return None };
    let number = i32::from_le_bytes(bytes.as_slice().try_into().ok()?);
    u32::try_from(number).ok()
}
