use rtrun_core::schedule::ResultCache;

#[test]
fn a_result_is_found_only_under_the_conditions_it_was_made_under() {
    let cache = ResultCache::new(8, "exact", "abc");
    let key = cache.key(&[b"embed 16", b"text"]);
    cache.put(key, "answer", 6);
    assert_eq!(cache.get(&key), Some("answer"));
    for other in [
        cache.key(&[b"embed 16", b"text "]),
        cache.key(&[b"embed 17", b"text"]),
        cache.key(&[b"embed 16t", b"ext"]),
        cache.key(&[b"embed 16text"]),
        ResultCache::<&str>::new(8, "exact", "abd").key(&[b"embed 16", b"text"]),
        ResultCache::<&str>::new(8, "batching", "abc").key(&[b"embed 16", b"text"]),
    ] {
        assert_eq!(cache.get(&other), None);
    }
}

#[test]
fn the_least_recently_used_result_goes_first() {
    let cache = ResultCache::new(2, "exact", "abc");
    let keys = ["a", "b", "c"].map(|text| cache.key(&[text.as_bytes()]));
    cache.put(keys[0], 0, 1);
    cache.put(keys[1], 1, 1);
    cache.get(&keys[0]);
    cache.put(keys[2], 2, 1);
    assert_eq!(keys.map(|key| cache.get(&key)), [Some(0), None, Some(2)]);
}

#[test]
fn results_are_bounded_by_their_bytes_too() {
    let cache = ResultCache::new(1000, "exact", "abc");
    for at in 0..20_u32 {
        cache.put(cache.key(&[&at.to_le_bytes()]), at, 4 << 20);
    }
    assert!((15..=16).contains(&cache.len()), "{}", cache.len());
}

#[test]
fn no_entries_keep_nothing() {
    let cache = ResultCache::new(0, "exact", "abc");
    let key = cache.key(&[b"text"]);
    cache.put(key, 1, 1);
    assert_eq!((cache.get(&key), cache.is_on(), cache.is_empty()), (None, false, true));
}

#[test]
fn results_that_make_room_for_others_give_their_bytes_back() {
    // Twenty times the bytes that may be kept at once go through, and two at a time are never too many.
    let cache = ResultCache::new(2, "exact", "abc");
    for at in 0..320_u32 {
        cache.put(cache.key(&[&at.to_le_bytes()]), at, 4 << 20);
        cache.put(cache.key(&[b"the same"]), at, 4 << 20);
        let kept = [cache.key(&[&at.to_le_bytes()]), cache.key(&[b"the same"])].map(|key| cache.get(&key));
        assert_eq!(kept, [Some(at); 2], "round {at}");
    }
}

#[test]
fn a_large_limit_takes_no_memory_ahead() {
    let cache = ResultCache::new(usize::MAX, "exact", "abc");
    let key = cache.key(&[b"text"]);
    cache.put(key, 1, 1);
    assert_eq!((cache.get(&key), cache.len()), (Some(1), 1));
}
