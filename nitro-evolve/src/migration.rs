//! The exchanges of an evolution with other islands.

use std::collections::HashSet;

use nitro_codegen::ptx::Base;
use nitro_search::evolve::Evolution;
use nitro_train::BoxError;

use crate::evolve::Observer;
use crate::island::{Island, Migrant};
use crate::letter::{self, MOST_BYTES, Read};
use crate::subject::Subject;

/// The most patches that are taken in at once: with the longest names they are one line of the log.
const MOST_MIGRANTS: usize = 128;
/// The most letters of a line about what is refused.
const MOST_LETTERS: usize = 240;
/// The most lines about that.
const MOST_LINES: usize = 100;
/// After so many failures in a row exchanges get no rarer: one in 32 is tried.
const MOST_FAILURES: u32 = 5;

/// The exchanges of one evolution.
pub(crate) struct Migration<'a> {
    pub island: Island<'a>,
    pub on: Vec<String>,
    /// The most that are taken in at once.
    pub most: usize,
    /// What this process has left last.
    left: Option<String>,
    /// Lines about what was refused.
    said: HashSet<String>,
    /// Exchanges that failed, one after the other.
    failures: u32,
    /// Exchanges that are left out before the next: a server that is away is waited for each time.
    pause: usize,
}

impl<'a> Migration<'a> {
    /// At most half of the candidates of a generation come from elsewhere, and no more than a line of the log holds.
    pub(crate) fn new(island: Island<'a>, on: Vec<String>, population: usize) -> Self {
        let most = (population / 2).clamp(1, MOST_MIGRANTS);
        Self { island, on, most, left: None, said: HashSet::new(), failures: 0, pause: 0 }
    }

    /// Whether there is an exchange while this generation is evaluated. The first has no best yet.
    pub(crate) fn is_due(&self, generation: usize) -> bool {
        generation > 0 && generation.is_multiple_of(self.island.every.max(1))
    }

    /// Leaves the best, and takes in what others have left: for the generation after that which is evaluated now. Whatever fails is a line for people.
    pub(crate) fn exchange(
        &mut self,
        subject: &Subject,
        evolution: &mut Evolution<&Base>,
        observer: &dyn Observer,
    ) -> Vec<Migrant> {
        if self.pause > 0 {
            self.pause -= 1;
            return Vec::new();
        }
        let left = self.leave(subject, evolution, observer);
        let taken = left.and_then(|()| self.take(subject, evolution, observer));
        match taken {
            Ok(migrants) => {
                self.failures = 0;
                if !migrants.is_empty() {
                    let generation = evolution.generation() + 1;
                    observer.message(&one_line(&format!(
                        "generation {generation} takes in {}",
                        counted(&migrants)
                    )));
                }
                migrants
            }
            Err(error) => {
                self.failures = (self.failures + 1).min(MOST_FAILURES);
                self.pause = (1 << self.failures) - 1;
                self.say(observer, &format!("no exchange with other islands: {error}"));
                Vec::new()
            }
        }
    }

    /// Leaves the best after the last generation.
    pub(crate) fn end(&mut self, subject: &Subject, evolution: &Evolution<&Base>, observer: &dyn Observer) {
        if self.failures == 0
            && let Err(error) = self.leave(subject, evolution, observer)
        {
            self.say(observer, &format!("nothing was left for other islands: {error}"));
        }
    }

    fn leave(
        &mut self,
        subject: &Subject,
        evolution: &Evolution<&Base>,
        observer: &dyn Observer,
    ) -> Result<(), BoxError> {
        let text = letter::write(subject, evolution, &self.on, self.island.migrants);
        let exchange = &mut self.island.exchange;
        let name = &self.island.name;
        let found = self.left.as_ref().and_then(|_| exchange.left_by(name).ok()?);
        let is_written_over = found.is_some() && found != self.left;
        exchange.leave(&text)?;
        self.left = Some(text);
        if is_written_over {
            let line =
                format!("another process is island {name} too: give each a name of its own, by --island");
            self.say(observer, &line);
        }
        Ok(())
    }

    /// What others have left that is new here. It is evaluated like any candidate before it counts.
    fn take(
        &mut self,
        subject: &Subject,
        evolution: &mut Evolution<&Base>,
        observer: &dyn Observer,
    ) -> Result<Vec<Migrant>, BoxError> {
        let mut islands = self.island.exchange.islands()?;
        islands.retain(|island| *island != self.island.name);
        // Where there are more than are taken in at once, others are first the next time.
        let turn = evolution.generation() / self.island.every.max(1);
        let first = turn % islands.len().max(1);
        islands.rotate_left(first);
        let (mut taken, mut bytes) = (Vec::new(), 0);
        for island in islands {
            if taken.len() >= self.most {
                break;
            }
            let found = self.read(subject, &island).unwrap_or_else(|why| vec![Err(why)]);
            for migrant in found {
                let (migrant, length) = match migrant {
                    Ok(migrant) => migrant,
                    Err(why) => {
                        self.say(observer, &format!("refused, of island {island}: {why}"));
                        continue;
                    }
                };
                let is_room = taken.len() < self.most && bytes + length <= MOST_BYTES;
                if is_room && evolution.take_in(evolution.generation() + 1, migrant.edits.clone()) {
                    bytes += length;
                    taken.push(migrant);
                }
            }
        }
        Ok(taken)
    }

    /// The patches that an island has left, each with its length or why it is refused.
    fn read(&mut self, subject: &Subject, island: &str) -> Result<Vec<Read>, String> {
        let text = self.island.exchange.left_by(island).map_err(|error| error.to_string())?;
        text.map_or(Ok(Vec::new()), |text| letter::read(&text, subject, island, self.island.migrants))
    }

    /// Says a line, once.
    fn say(&mut self, observer: &dyn Observer, line: &str) {
        let line = one_line(line);
        if self.said.len() < MOST_LINES && self.said.insert(line.clone()) {
            observer.message(&line);
        }
    }
}

/// With nothing in it that a terminal would obey.
fn one_line(text: &str) -> String {
    let shown = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    shown.take(MOST_LETTERS).collect()
}

/// How many there are of each island, in words.
fn counted(migrants: &[Migrant]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for migrant in migrants {
        match counts.iter_mut().find(|(from, _)| *from == migrant.from) {
            Some((_, count)) => *count += 1,
            None => counts.push((&migrant.from, 1)),
        }
    }
    let words = counts.into_iter().map(|(from, count)| {
        format!("{count} {} of island {from}", if count == 1 { "patch" } else { "patches" })
    });
    words.collect::<Vec<_>>().join(", ")
}
