//! Kept results: the vector of a text that was read under the same conditions before.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};

use lru::LruCache;
use sha2::{Digest, Sha256};

use crate::engines::RowVector;
use crate::tokens::Overflow;

/// A digest of everything that decides a result; no text is kept.
pub type CacheKey = [u8; 32];

/// What is kept of one text.
#[derive(Debug, Clone, PartialEq)]
pub struct CachedRow {
    /// Its sentence vector.
    pub vector: RowVector,
    /// Tokens of the text.
    pub tokens: usize,
    /// Tokens of the row.
    pub processed_tokens: usize,
    /// Whether the row has fewer tokens than the text.
    pub truncated: bool,
    /// Whether the text was read in part only.
    pub is_lower_bound: bool,
}

/// The least recently used results go first, by number and by bytes.
pub struct ResultCache {
    conditions: Sha256,
    rows: Option<Mutex<Rows>>,
}

struct Rows {
    kept: LruCache<CacheKey, CachedRow>,
    bytes: usize,
}

/// 16384 vectors of 1024 floats; smaller ones reach their number first.
const MAX_BYTES: usize = 64 << 20;

/// What an entry takes besides its vector.
const ENTRY_BYTES: usize = 128;

impl ResultCache {
    /// A cache of at most `entries` results of one model under one profile; 0 keeps none.
    pub fn new(entries: usize, profile: &str, model_sha256: &str) -> Self {
        let mut conditions = Sha256::new();
        conditions.update(profile);
        conditions.update([0]);
        conditions.update(model_sha256);
        let rows = NonZero::new(entries).map(|entries| Mutex::new(Rows { kept: LruCache::new(entries), bytes: 0 }));
        Self { conditions, rows }
    }

    /// Whether anything is kept.
    pub fn is_on(&self) -> bool {
        self.rows.is_some()
    }

    /// The key of a text that is read with this budget.
    pub fn key(&self, text: &str, budget: usize, overflow: Overflow) -> CacheKey {
        let mut digest = self.conditions.clone();
        digest.update((budget as u64).to_le_bytes());
        digest.update([u8::from(overflow == Overflow::Truncate)]);
        digest.update(text);
        digest.finalize().into()
    }

    /// The kept result, which becomes the most recent one.
    pub fn get(&self, key: &CacheKey) -> Option<CachedRow> {
        self.rows.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner).kept.get(key).cloned()
    }

    /// Keeps a result.
    pub fn put(&self, key: CacheKey, row: CachedRow) {
        let Some(rows) = &self.rows else { return };
        let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.bytes += size(&row);
        if let Some((_, old)) = rows.kept.push(key, row) {
            rows.bytes -= size(&old);
        }
        while rows.bytes > MAX_BYTES {
            let Some((_, old)) = rows.kept.pop_lru() else { break };
            rows.bytes -= size(&old);
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

fn size(row: &CachedRow) -> usize {
    ENTRY_BYTES + size_of_val(&*row.vector)
}
