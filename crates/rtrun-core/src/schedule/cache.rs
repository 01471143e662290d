//! Kept results: the answer to an item that was asked under the same conditions before.

use std::sync::{Mutex, PoisonError};

use lru::LruCache;
use sha2::{Digest, Sha256};

/// A digest of everything that decides a result; no text is kept.
pub type CacheKey = [u8; 32];

/// What several keys begin with, digested once.
#[derive(Clone)]
pub struct KeyPrefix(Sha256);

/// The least recently used results go first, by number and by bytes.
pub struct ResultCache<V> {
    conditions: Sha256,
    rows: Option<Mutex<Rows<V>>>,
}

struct Rows<V> {
    /// Grows with what is put into it, whatever its limit.
    kept: LruCache<CacheKey, (V, usize)>,
    entries: usize,
    bytes: usize,
}

/// 16384 vectors of 1024 floats; smaller ones reach their number first.
const MAX_BYTES: usize = 64 << 20;

/// What an entry takes besides its value.
const ENTRY_BYTES: usize = 128;

impl KeyPrefix {
    /// The key with these parts behind the shared ones.
    pub fn key(&self, parts: &[&[u8]]) -> CacheKey {
        self.clone().with(parts).0.finalize().into()
    }

    fn with(mut self, parts: &[&[u8]]) -> Self {
        for part in parts {
            // With its length in front, no part can run into the next.
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
        self
    }
}

impl<V: Clone> ResultCache<V> {
    /// A cache of at most `entries` results of one model under one profile; 0 keeps none.
    pub fn new(entries: usize, profile: &str, model_sha256: &str) -> Self {
        let mut conditions = Sha256::new();
        conditions.update(profile);
        conditions.update([0]);
        conditions.update(model_sha256);
        let rows = (entries > 0).then(|| Mutex::new(Rows { kept: LruCache::unbounded(), entries, bytes: 0 }));
        Self { conditions, rows }
    }

    /// Whether anything is kept.
    pub fn is_on(&self) -> bool {
        self.rows.is_some()
    }

    /// The key of these parts in this order.
    pub fn key(&self, parts: &[&[u8]]) -> CacheKey {
        self.prefix(parts).key(&[])
    }

    /// The beginning of keys that share their first parts.
    pub fn prefix(&self, parts: &[&[u8]]) -> KeyPrefix {
        KeyPrefix(self.conditions.clone()).with(parts)
    }

    /// The kept result, which becomes the most recent one.
    pub fn get(&self, key: &CacheKey) -> Option<V> {
        let mut rows = self.rows.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        rows.kept.get(key).map(|(value, _)| value.clone())
    }

    /// Keeps a result that takes `bytes`.
    pub fn put(&self, key: CacheKey, value: V, bytes: usize) {
        let Some(rows) = &self.rows else { return };
        let bytes = bytes + ENTRY_BYTES;
        let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.bytes += bytes;
        if let Some((_, (_, old))) = rows.kept.push(key, (value, bytes)) {
            rows.bytes -= old;
        }
        while rows.kept.len() > rows.entries || rows.bytes > MAX_BYTES {
            let Some((_, (_, old))) = rows.kept.pop_lru() else { break };
            rows.bytes -= old;
        }
    }

    /// Kept results.
    pub fn len(&self) -> usize {
        self.rows.as_ref().map_or(0, |rows| rows.lock().unwrap_or_else(PoisonError::into_inner).kept.len())
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
