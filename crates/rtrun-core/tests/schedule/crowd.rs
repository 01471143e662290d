//! What holds for any stream of requests: tried with random ones, and with ten thousand clients that leave.

use std::collections::HashMap;

use rtrun_core::Error;
use rtrun_core::schedule::{GroupId, Lane, Lanes, PackLimits, QueueLimits, Sharing};

use super::bench::{Bench, Random, limits, ms, row};

#[test]
fn no_forward_is_over_its_limit_or_more_than_a_tenth_padding_whatever_arrives() {
    let forward = PackLimits { tokens: 256, sharing: Sharing::Padded };
    let mut random = Random(7);
    let mut bench = Bench::with_lanes(QueueLimits { forward, ..limits() }, Lanes::LongGroups(512));
    let (mut rows_seen, mut name) = (0, 0);
    for _ in 0..2000 {
        for _ in 0..random.below(3) {
            let rows: Vec<_> = (0..=random.below(12))
                .map(|_| {
                    name += 1;
                    let length = if random.below(8) == 0 { 1 + random.below(600) } else { 1 + random.below(64) };
                    row(name, length)
                })
                .collect();
            rows_seen += rows.len();
            // A full queue refuses, which is as good.
            if bench.admit(&rows).is_err() {
                rows_seen -= rows.len();
            }
        }
        let lane = Lane::ALL[random.below(2)];
        let Some(batch) = bench.take_of(lane) else { continue };
        let lengths: Vec<usize> = batch.rows.iter().map(|request| request.row.len()).collect();
        let padded = lengths.iter().max().unwrap() * lengths.len();
        assert_eq!(batch.tokens, padded);
        assert!(padded <= 256 || lengths.len() == 1, "{lengths:?}");
        assert!((padded - lengths.iter().sum::<usize>()) * 10 <= padded, "{lengths:?}");
        bench.end(&batch);
    }
    for lane in Lane::ALL {
        while let Some(batch) = bench.take_of(lane) {
            bench.end(&batch);
        }
    }
    assert_eq!((bench.queue.depth(), bench.queue.rows()), (0, 0));
    let computed: usize = bench.batches.iter().map(Vec::len).sum();
    assert_eq!(computed, rows_seen, "every admitted row is computed once");
}

#[test]
fn nothing_starves_whatever_arrives() {
    for sharing in [Sharing::Alone, Sharing::Padded] {
        for seed in 1..=20 {
            serve_a_crowd(sharing, seed);
        }
    }
}

/// Sources of a crowd, and their longest row.
const SOURCES: usize = 5;
const LONGEST: usize = 20;

/// A document that waits, and what each source had been given when it came.
struct Waiting {
    id: GroupId,
    tokens: usize,
    given: Vec<usize>,
}

/// What a source asks for.
#[derive(Clone, Default)]
struct Asking {
    /// Rows without an answer.
    waits: Vec<GroupId>,
    /// Tokens of the rows that were served in their turn. Rows that share the forward of another one are not counted.
    given: usize,
}

/// The bound: until a row is served, no source is given more in its turns than the row is long, plus one row of its own.
fn serve_a_crowd(sharing: Sharing, seed: u64) {
    let forward = PackLimits { tokens: 64, sharing };
    let mut random = Random(seed);
    let mut bench = Bench::new(QueueLimits { forward, ..limits() });
    let (mut waiting, mut name): (Vec<Waiting>, u32) = (Vec::new(), 0);
    let mut sources: Vec<Asking> = vec![Asking::default(); SOURCES];
    let mut owners: HashMap<u32, usize> = HashMap::new();
    for step in 0..1000 {
        // Sources that together want more than the model can do, and single documents between them.
        for (source, asking) in sources.iter_mut().enumerate() {
            if asking.waits.len() < 8 && random.below(2) == 0 {
                name += 1;
                owners.insert(name, source);
                let rows = [row(name, 1 + random.below(LONGEST))];
                asking.waits.push(bench.admit_of(&source.to_string(), &rows).unwrap());
            }
        }
        if step % 50 == 0 {
            name += 1;
            let tokens = 300 + random.below(200);
            let id = bench.admit(&[row(name, tokens)]).unwrap();
            waiting.push(Waiting { id, tokens, given: sources.iter().map(|asking| asking.given).collect() });
        }
        let Some(batch) = bench.take() else { continue };
        bench.end(&batch);
        // The row whose turn it is comes first.
        let served = &batch.rows[0].row;
        if let Some(source) = owners.get(&served.ids[0]) {
            sources[*source].given += served.len();
        }
        for asking in &mut sources {
            asking.waits.retain(|id| bench.answer(*id).is_none());
        }
        waiting.retain(|document| bench.answer(document.id).is_none());
        for Waiting { tokens, given, .. } in &waiting {
            for (asking, before) in sources.iter().zip(given) {
                let since = asking.given - before;
                assert!(since <= tokens + LONGEST, "{sharing:?}, seed {seed}: {since} tokens before {tokens}");
            }
        }
    }
    assert!(waiting.len() < 8, "{sharing:?}, seed {seed}: {} of 20 documents wait", waiting.len());
}

#[test]
fn the_documented_limits_are_exact() {
    let limits = QueueLimits { forward: PackLimits { tokens: 65_536, sharing: Sharing::Padded }, ..limits() };
    let mut bench = Bench::with_lanes(limits, Lanes::LongGroups(512));
    // 255 requests of 16,384 tokens leave room for one more of the same size and not for a token more.
    for name in 0..255 {
        bench.admit(&[row(name, 16_384)]).unwrap();
    }
    assert!(matches!(bench.admit(&[row(900, 16_384), row(901, 1)]), Err(Error::Overloaded(_))));
    let last = bench.admit(&[row(900, 16_384)]).unwrap();
    assert!(matches!(bench.admit(&[row(902, 0)]), Err(Error::Overloaded(_))), "256 requests are unanswered");
    bench.queue.leave(last);
    assert!(matches!(bench.admit(&[row(902, 16_385)]), Err(Error::Overloaded(_))));
    bench.admit(&[row(902, 16_384)]).unwrap();
    assert_eq!(bench.queue.rows(), 256);
    assert!(matches!(bench.admit(&[row(903, 4_194_305)]), Err(Error::RequestTooLarge(_))));
}

#[test]
fn ten_thousand_clients_that_leave_leave_nothing_behind() {
    let limits = QueueLimits { groups: 20_000, ..limits() };
    let mut bench = Bench::with_lanes(limits, Lanes::LongGroups(512));
    let running = bench.admit(&[row(1, 10)]).unwrap();
    let batch = bench.take().unwrap();
    // Each wants rows of its own, one that all want, and the one that runs.
    let clients: Vec<GroupId> = (0..10_000)
        .map(|client| {
            let own = row(10 + client, 8 + client as usize % 64);
            let deadline = Some(ms(1_000_000 + u64::from(client)));
            bench.admit_until(&[own, row(2, 30), row(1, 10), row(2, 30)], deadline).unwrap()
        })
        .collect();
    assert_eq!(bench.queue.rows(), 10_002);
    for client in clients {
        bench.queue.leave(client);
    }
    assert_eq!((bench.queue.depth(), bench.queue.rows()), (1, 1), "only what runs is left");
    bench.end(&batch);
    assert!(bench.answer(running).is_some());
    assert_eq!((bench.queue.depth(), bench.queue.rows()), (0, 0));
    assert!(bench.take().is_none());
    bench.admit(&[row(1, 4_194_304)]).unwrap();
}

#[test]
fn clients_may_leave_at_any_moment() {
    let mut random = Random(3);
    let mut bench = Bench::with_lanes(limits(), Lanes::LongGroups(100));
    let mut groups: Vec<GroupId> = Vec::new();
    let mut running = Vec::new();
    for _ in 0..5000 {
        match random.below(4) {
            0 => {
                let rows: Vec<_> = (0..=random.below(4)).map(|_| row(random.name(30), 1 + random.below(80))).collect();
                groups.extend(bench.admit(&rows));
            }
            1 if !groups.is_empty() => bench.queue.leave(groups.swap_remove(random.below(groups.len()))),
            2 if running.len() < 2 => {
                let lane = Lane::ALL[random.below(2)];
                if !running.iter().any(|(other, _)| *other == lane) {
                    running.extend(bench.take_of(lane).map(|batch| (lane, batch)));
                }
            }
            _ => {
                if let Some((_, batch)) = running.pop() {
                    bench.end(&batch);
                }
            }
        }
        groups.retain(|id| bench.answer(*id).is_none());
        assert_eq!(bench.queue.depth(), groups.len());
    }
    for (_, batch) in running {
        bench.end(&batch);
    }
    for lane in Lane::ALL {
        while let Some(batch) = bench.take_of(lane) {
            bench.end(&batch);
        }
    }
    for id in groups {
        assert!(bench.answer(id).unwrap().rows.iter().all(Result::is_ok), "who stays is answered");
    }
    assert_eq!((bench.queue.depth(), bench.queue.rows()), (0, 0));
}
