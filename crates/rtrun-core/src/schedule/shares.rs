//! Who is served next in a lane: rows are taken in the order in which they would be done if every source had the same
//! part of the lane (self-clocked fair queueing, Golestani 1994). A source with thousands of rows gets its part, and one
//! with a single row waits for hardly more than its own length.

use std::num::NonZeroUsize;

use lru::LruCache;
use sha2::{Digest, Sha256};

use super::lane::Lane;

/// Names what groups belong to, such as a request of the caller's client that takes several calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source([u8; 16]);

/// A point of a lane's clock, which counts the tokens that each source could have been given.
pub type Turn = u64;

/// What sources have been given, and the clocks of both lanes.
pub struct Shares {
    clocks: [Clock; 2],
    sources: LruCache<Source, Share>,
}

#[derive(Default, Clone, Copy)]
struct Clock {
    now: Turn,
    /// The latest turn that was given to a row.
    latest: Turn,
}

/// What a source has been given.
#[derive(Debug, Default, Clone, Copy)]
pub struct Share {
    /// Tokens of all its groups so far.
    pub tokens: usize,
    /// Until when its turns are taken, in each lane.
    taken: [Turn; 2],
}

/// Sources that are remembered. A source that comes back after so many others is as good as new, which gives it no more
/// than its first tokens again.
const SOURCES: NonZeroUsize = NonZeroUsize::new(1024).expect("1024 is not 0");

impl Source {
    /// The source of this name.
    pub fn named(name: &str) -> Self {
        let mut digest = [0; 16];
        digest.copy_from_slice(&Sha256::digest(name)[..16]);
        Self(digest)
    }
}

impl Shares {
    /// Nothing was given yet.
    pub fn new() -> Self {
        Self { clocks: [Clock::default(); 2], sources: LruCache::new(SOURCES) }
    }

    /// What the source of a new group of `tokens` tokens has been given; a group without a source is one of its own.
    pub fn open(&mut self, source: Option<Source>, tokens: usize) -> Share {
        let mut share = source.and_then(|source| self.sources.get(&source).copied()).unwrap_or_default();
        share.tokens = share.tokens.saturating_add(tokens);
        for lane in Lane::ALL {
            // Nobody saves turns up for later.
            let taken = &mut share.taken[lane.index()];
            *taken = (*taken).max(self.clocks[lane.index()].now);
        }
        share
    }

    /// The turn of the next row of a share, of `tokens` tokens.
    pub fn turn(&mut self, share: &mut Share, lane: Lane, tokens: usize) -> Turn {
        let turn = share.taken[lane.index()].saturating_add(tokens as u64);
        share.taken[lane.index()] = turn;
        let clock = &mut self.clocks[lane.index()];
        clock.latest = clock.latest.max(turn);
        turn
    }

    /// Remembers what a source has been given.
    pub fn keep(&mut self, source: Option<Source>, share: Share) {
        if let Some(source) = source {
            self.sources.put(source, share);
        }
    }

    /// A row of this turn is served.
    pub fn serve(&mut self, lane: Lane, turn: Turn) {
        let clock = &mut self.clocks[lane.index()];
        clock.now = clock.now.max(turn);
    }

    /// Nothing waits in a lane: who comes now starts level with everybody who was there.
    pub fn rest(&mut self, lane: Lane) {
        let clock = &mut self.clocks[lane.index()];
        clock.now = clock.latest;
    }

    /// The clock of a lane.
    pub fn now(&self, lane: Lane) -> Turn {
        self.clocks[lane.index()].now
    }
}
