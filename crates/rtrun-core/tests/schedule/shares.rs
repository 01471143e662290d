//! A source shares one place among the others, however many groups and rows it has.

use rtrun_core::engines::RowRequest;
use rtrun_core::schedule::{Lane, Lanes, PackLimits, QueueLimits, Sharing};

use rtrun_core::Error;

use super::bench::{Bench, limits, ms, row};

/// `count` rows of ten tokens.
fn rows(first: u32, count: u32) -> Vec<RowRequest> {
    (first..first + count).map(|name| row(name, 10)).collect()
}

fn bench() -> Bench {
    Bench::new(QueueLimits { forward: PackLimits { tokens: 100, sharing: Sharing::Padded }, ..limits() })
}

/// One row a forward.
fn alone() -> Bench {
    Bench::new(QueueLimits { forward: PackLimits { tokens: 100, sharing: Sharing::Alone }, ..limits() })
}

#[test]
fn one_row_waits_for_the_forward_that_runs_and_for_no_other() {
    let mut bench = bench();
    for part in 0..10 {
        bench.admit_of("many", &rows(1000 + part * 100, 32)).unwrap();
    }
    // In the middle of it, so that time has passed for those that wait.
    for _ in 0..10 {
        let batch = bench.take().unwrap();
        bench.end(&batch);
    }
    let running = bench.take().unwrap();
    let one = bench.admit_of("one", &[row(1, 12)]).unwrap();
    bench.end(&running);
    let next = bench.take().unwrap();
    bench.end(&next);
    assert!(bench.answer(one).is_some(), "{:?}", bench.batches.last());
}

#[test]
fn one_row_does_not_wait_for_every_source_that_came_before() {
    let mut bench = bench();
    for source in 0..10 {
        for part in 0..4 {
            bench.admit_of(&source.to_string(), &rows(1000 * (source + 1) + part * 100, 32)).unwrap();
        }
    }
    for _ in 0..30 {
        let batch = bench.take().unwrap();
        bench.end(&batch);
    }
    let one = bench.admit(&[row(1, 12)]).unwrap();
    for _ in 0..2 {
        let next = bench.take().unwrap();
        bench.end(&next);
    }
    assert!(bench.answer(one).is_some());
}

#[test]
fn who_asks_for_more_at_a_time_is_not_given_more() {
    let mut bench = alone();
    for part in 0..20 {
        bench.admit_of("much", &rows(10_000 + part * 100, 32)).unwrap();
    }
    bench.admit_of("little", &rows(1, 60)).unwrap();
    for _ in 0..100 {
        let batch = bench.take().unwrap();
        bench.end(&batch);
    }
    let little = bench.batches.iter().flatten().filter(|name| **name < 10_000).count();
    assert!((45..=55).contains(&little), "{little} of 100");
}

#[test]
fn nobody_saves_turns_up_for_later() {
    let mut bench = alone();
    bench.admit_of("early", &[row(1, 10)]).unwrap();
    bench.drain();
    for part in 0..10 {
        bench.admit_of("busy", &rows(1000 + part * 100, 32)).unwrap();
        bench.drain();
    }
    let before = bench.batches.len();
    bench.admit_of("early", &rows(10, 30)).unwrap();
    bench.admit_of("busy", &rows(5000, 30)).unwrap();
    for _ in 0..30 {
        let batch = bench.take().unwrap();
        bench.end(&batch);
    }
    let busy = bench.batches[before..].iter().flatten().filter(|name| **name >= 5000).count();
    assert!((14..=16).contains(&busy), "{busy} of 30");
}

#[test]
fn who_comes_when_nothing_waits_starts_level_with_everybody_who_was_there() {
    let mut bench = bench();
    // One forward, in the turn of its first row.
    bench.admit_of("early", &rows(1000, 10)).unwrap();
    bench.drain();
    bench.admit_of("new", &[row(1, 20)]).unwrap();
    bench.admit_of("early", &[row(2, 12)]).unwrap();
    bench.drain();
    assert_eq!(bench.batches[1..], [[2], [1]], "the shorter row is first, whoever asks");
}

#[test]
fn many_short_groups_of_one_source_go_behind_like_one_long_group() {
    let mut bench = Bench::with_lanes(limits(), Lanes::LongGroups(100));
    for part in 0..3 {
        bench.admit_of("many", &rows(100 * (part + 1), 6)).unwrap();
    }
    bench.admit_of("few", &rows(1, 6)).unwrap();
    bench.admit(&rows(50, 6)).unwrap();
    bench.drain();
    let mut front: Vec<u32> = bench.batches.iter().flatten().copied().collect();
    front.sort_unstable();
    let of = |first: u32| first..first + 6;
    assert_eq!(front, of(1).chain(of(50)).chain(of(100)).collect::<Vec<_>>());
    let behind = bench.take_of(Lane::Back).unwrap();
    assert_eq!(behind.rows.len(), 12);
}

#[test]
fn what_would_be_answered_too_late_is_refused_at_once() {
    let mut bench = bench();
    // A token takes a millisecond, which the queue learns.
    for name in 0..100 {
        bench.admit(&[row(name, 10)]).unwrap();
        bench.drain();
    }
    let start = bench.now;
    for source in 0..10 {
        bench.admit_until(&rows(1000 * (source + 1), 32), None).unwrap();
    }
    let late = bench.admit_until(&rows(50_000, 32), Some(start + ms(1000)));
    assert!(matches!(late, Err(Error::Overloaded(_))), "3,200 tokens are before it");
    bench.admit_until(&rows(60_000, 32), Some(start + ms(10_000))).expect("there is time enough");
    bench.admit_until(&[row(1, 10)], Some(start + ms(1000))).expect("it needs little, so little is before it");
}

#[test]
fn who_waits_for_nobody_is_not_refused_for_its_own_length() {
    let mut bench = bench();
    bench.admit_until(&rows(1, 100), Some(ms(1))).unwrap();
}

#[test]
fn a_row_of_a_light_source_does_not_compute_the_rows_of_heavy_ones() {
    let mut bench = bench();
    bench.admit_of("heavy", &rows(1000, 100)).unwrap();
    let one = bench.admit(&[row(1, 10)]).unwrap();
    let two = bench.admit(&[row(2, 10)]).unwrap();
    while bench.answer(one).is_none() {
        let batch = bench.take().unwrap();
        bench.end(&batch);
    }
    assert!(bench.answer(two).is_some(), "light ones share a forward");
    assert_eq!(*bench.batches.last().unwrap(), [1, 2]);
}

#[test]
fn forwards_of_heavy_sources_are_short_while_light_ones_come() {
    let mut bench = bench();
    bench.admit_of("heavy", &rows(1000, 100)).unwrap();
    let rows_of = |bench: &mut Bench| {
        let batch = bench.take().unwrap();
        bench.end(&batch);
        batch.rows.len()
    };
    assert_eq!(rows_of(&mut bench), 10, "nobody else is there");
    bench.admit(&[row(1, 10)]).unwrap();
    let lengths: Vec<usize> = (0..4).map(|_| rows_of(&mut bench)).collect();
    assert!(lengths.iter().all(|rows| *rows <= 2), "{lengths:?}");
    bench.now += ms(1000);
    assert_eq!(rows_of(&mut bench), 10, "nobody has come for a while");
}
