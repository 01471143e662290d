use rtrun_core::schedule::{CachedRow, ResultCache};
use rtrun_core::tokens::Overflow;

fn row(width: usize) -> CachedRow {
    CachedRow {
        vector: vec![1.0; width].into(),
        tokens: 3,
        processed_tokens: 3,
        truncated: false,
        is_lower_bound: false,
    }
}

#[test]
fn a_result_is_found_only_under_the_conditions_it_was_made_under() {
    let cache = ResultCache::new(8, "exact", "abc");
    let key = cache.key("text", 16, Overflow::Reject);
    cache.put(key, row(4));
    assert_eq!(cache.get(&key), Some(row(4)));
    for other in [
        cache.key("text ", 16, Overflow::Reject),
        cache.key("text", 17, Overflow::Reject),
        cache.key("text", 16, Overflow::Truncate),
        ResultCache::new(8, "exact", "abd").key("text", 16, Overflow::Reject),
        ResultCache::new(8, "batching", "abc").key("text", 16, Overflow::Reject),
    ] {
        assert_eq!(cache.get(&other), None);
    }
}

#[test]
fn the_least_recently_used_result_goes_first() {
    let cache = ResultCache::new(2, "exact", "abc");
    let keys = ["a", "b", "c"].map(|text| cache.key(text, 16, Overflow::Reject));
    cache.put(keys[0], row(1));
    cache.put(keys[1], row(1));
    cache.get(&keys[0]);
    cache.put(keys[2], row(1));
    assert_eq!(keys.map(|key| cache.get(&key).is_some()), [true, false, true]);
}

#[test]
fn results_are_bounded_by_their_bytes_too() {
    let cache = ResultCache::new(1000, "exact", "abc");
    for at in 0..20 {
        cache.put(cache.key(&at.to_string(), 16, Overflow::Reject), row(1 << 20));
    }
    assert!((15..=16).contains(&cache.len()), "{}", cache.len());
}

#[test]
fn no_entries_keep_nothing() {
    let cache = ResultCache::new(0, "exact", "abc");
    let key = cache.key("text", 16, Overflow::Reject);
    cache.put(key, row(1));
    assert_eq!((cache.get(&key), cache.is_on(), cache.is_empty()), (None, false, true));
}
