//! The words that were met last, with their tokens. Each belongs to one of several shards, which have a lock each, so that
//! texts that are read at the same time seldom wait for each other.

use std::array;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::{DefaultHasher, LruCache};

use super::words::WordToken;

/// Words and their tokens.
#[derive(Debug)]
pub struct KeptWords {
    shards: [Mutex<Shard>; SHARDS],
    hasher: DefaultHasher,
}

type Shard = LruCache<Box<str>, Box<[WordToken]>>;

/// More words than this are never kept. They take about ten megabytes.
pub const MAX_WORDS: usize = 65_536;

const SHARDS: usize = 16;

impl Default for KeptWords {
    fn default() -> Self {
        // A shard of a fixed capacity would take its memory before it has words.
        Self { shards: array::from_fn(|_| Mutex::new(LruCache::unbounded())), hasher: DefaultHasher::default() }
    }
}

impl KeptWords {
    /// Gives the tokens of a word to `take`; false if the word is not kept.
    pub fn take(&self, word: &str, take: impl FnOnce(&[WordToken])) -> bool {
        self.shard(word).get(word).map(|tokens| take(tokens)).is_some()
    }

    /// Keeps the tokens of a word, in the place of the word of its shard that was not met for the longest time.
    pub fn keep(&self, word: &str, tokens: Box<[WordToken]>) {
        let mut shard = self.shard(word);
        shard.put(word.into(), tokens);
        if shard.len() > MAX_WORDS / SHARDS {
            shard.pop_lru();
        }
    }

    /// Whether nobody holds a lock.
    #[cfg(test)]
    pub fn is_free(&self) -> bool {
        self.shards.iter().all(|shard| shard.try_lock().is_ok())
    }

    fn shard(&self, word: &str) -> MutexGuard<'_, Shard> {
        let hash = self.hasher.hash_one(word);
        #[allow(clippy::cast_possible_truncation, reason = "the remainder is small")]
        let shard = (hash % SHARDS as u64) as usize;
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
