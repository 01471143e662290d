use std::time::Duration;

use rtrun_core::Error;
use rtrun_core::schedule::{Lane, Next, PackLimits, QueueLimits, Sharing};

use super::bench::{Bench, limits, ms, row};

#[test]
fn a_lone_request_starts_at_once_however_long_the_window_is() {
    let mut bench = Bench::new(QueueLimits { window: ms(1000), ..limits() });
    bench.admit(&[row(1, 8)]).unwrap();
    assert!(bench.take().is_some());
}

#[test]
fn a_row_that_arrived_at_a_busy_model_waits_for_company_until_its_window_ends() {
    let mut bench = Bench::new(QueueLimits { window: ms(50), ..limits() });
    bench.admit(&[row(1, 8)]).unwrap();
    let running = bench.take().unwrap();
    bench.admit(&[row(2, 8)]).unwrap();
    bench.end(&running);
    assert_eq!(bench.now, ms(8));
    assert!(matches!(bench.queue.next(Lane::Front, bench.now), Next::WaitUntil(until) if until == ms(50)));
    bench.admit(&[row(3, 8)]).unwrap();
    bench.now = ms(50);
    let shared = bench.take().unwrap();
    assert_eq!(shared.rows.len(), 2);
}

#[test]
fn a_full_forward_does_not_wait_for_its_window() {
    let forward = PackLimits { tokens: 16, sharing: Sharing::Padded };
    let mut bench = Bench::new(QueueLimits { window: ms(50), forward, ..limits() });
    bench.admit(&[row(1, 8)]).unwrap();
    let running = bench.take().unwrap();
    bench.admit(&[row(2, 8), row(3, 8)]).unwrap();
    bench.end(&running);
    assert_eq!(bench.take().unwrap().rows.len(), 2);
}

#[test]
fn rows_that_may_not_share_do_not_wait() {
    let forward = PackLimits { tokens: 512, sharing: Sharing::Alone };
    let mut bench = Bench::new(QueueLimits { window: ms(50), forward, ..limits() });
    bench.admit(&[row(1, 8)]).unwrap();
    let running = bench.take().unwrap();
    bench.admit(&[row(2, 8)]).unwrap();
    bench.end(&running);
    assert!(bench.take().is_some());
}

#[test]
fn arrivals_join_between_forwards() {
    let mut bench = Bench::new(limits());
    bench.admit(&[row(1, 100)]).unwrap();
    let running = bench.take().unwrap();
    let second = bench.admit(&[row(2, 100)]).unwrap();
    let third = bench.admit(&[row(3, 100)]).unwrap();
    bench.end(&running);
    bench.drain();
    assert_eq!(bench.batches.len(), 2);
    assert_eq!(bench.answer(second).unwrap().at, bench.answer(third).unwrap().at);
}

#[test]
fn exactly_the_allowed_number_of_requests_is_admitted() {
    let mut bench = Bench::new(QueueLimits { groups: 256, ..limits() });
    for name in 0..256 {
        bench.admit(&[row(name, 4)]).unwrap();
    }
    assert!(matches!(bench.admit(&[row(999, 4)]), Err(Error::Overloaded(_))));
    let batch = bench.take().unwrap();
    assert!(matches!(bench.admit(&[row(999, 4)]), Err(Error::Overloaded(_))), "a running request is unanswered");
    bench.end(&batch);
    bench.admit(&[row(999, 4)]).unwrap();
}

#[test]
fn exactly_the_allowed_number_of_tokens_is_admitted() {
    let mut bench = Bench::new(QueueLimits { tokens: 100, ..limits() });
    bench.admit(&[row(1, 60)]).unwrap();
    assert!(matches!(bench.admit(&[row(2, 41)]), Err(Error::Overloaded(_))));
    bench.admit(&[row(2, 40)]).unwrap();
    assert!(matches!(bench.admit(&[row(3, 1)]), Err(Error::Overloaded(_))));
    assert!(matches!(bench.admit(&[row(4, 101)]), Err(Error::RequestTooLarge(_))), "waiting would not help");
    bench.drain();
    bench.admit(&[row(3, 100)]).unwrap();
}

#[test]
fn a_group_is_admitted_whole_or_not_at_all() {
    let mut bench = Bench::new(QueueLimits { tokens: 100, ..limits() });
    bench.admit(&[row(1, 60)]).unwrap();
    assert!(bench.admit(&[row(2, 20), row(3, 30)]).is_err());
    bench.drain();
    assert_eq!(bench.batches, [[1]]);
}

#[test]
fn a_short_question_overtakes_a_long_document() {
    let mut bench = Bench::new(limits());
    let document: Vec<_> = (0..20).map(|part| row(100 + part, 500)).collect();
    bench.admit(&document).unwrap();
    let running = bench.take().unwrap();
    bench.now = ms(1);
    bench.admit(&[row(1, 10)]).unwrap();
    bench.end(&running);
    bench.drain();
    assert_eq!(bench.batches[1], [1]);
}

#[test]
fn a_long_document_is_not_starved_by_a_stream_of_short_questions() {
    let mut bench = Bench::new(limits());
    // The first forward teaches the queue that a token takes a millisecond.
    for name in 0..50 {
        bench.admit(&[row(name, 10)]).unwrap();
        bench.drain();
    }
    let start = bench.now;
    let document = bench.admit(&[row(1000, 500)]).unwrap();
    for name in 2000..3000 {
        // Two short questions arrive while one is served: without ageing the document would wait for ever.
        bench.admit(&[row(name, 10)]).unwrap();
        bench.admit(&[row(name + 5000, 12)]).unwrap();
        let Some(batch) = bench.take() else { break };
        bench.end(&batch);
        if bench.answer(document).is_some() {
            break;
        }
    }
    let served = bench.answer(document).expect("the document is served").at;
    assert!(served < start + ms(3000), "{start:?} {served:?}");
}

#[test]
fn a_group_past_its_deadline_is_answered_before_the_next_forward() {
    let mut bench = Bench::new(limits());
    bench.admit(&[row(1, 100)]).unwrap();
    let running = bench.take().unwrap();
    let late = bench.admit_until(&[row(2, 10)], Some(ms(50))).unwrap();
    let in_time = bench.admit_until(&[row(3, 10)], Some(ms(500))).unwrap();
    bench.end(&running);
    bench.drain();
    let rows = bench.answer(late).unwrap().rows;
    assert!(matches!(rows[..], [Err(Error::DeadlineExceeded(_))]), "{rows:?}");
    assert!(bench.answer(in_time).unwrap().rows[0].is_ok());
    assert_eq!(bench.batches, [[1], [3]], "no forward is spent on a late row");
}

#[test]
fn a_deadline_keeps_the_rows_that_are_done() {
    let mut bench =
        Bench::new(QueueLimits { forward: PackLimits { tokens: 512, sharing: Sharing::Alone }, ..limits() });
    let group = bench.admit_until(&[row(1, 100), row(2, 50)], Some(ms(120))).unwrap();
    let first = bench.take().unwrap();
    bench.end(&first);
    let second = bench.take().unwrap();
    bench.end(&second);
    // The second row ended at 150 ms: nobody asked between, so it counts.
    assert!(bench.answer(group).unwrap().rows.iter().all(Result::is_ok));
    let group = bench.admit_until(&[row(3, 100), row(4, 50)], Some(bench.now + ms(90))).unwrap();
    let first = bench.take().unwrap();
    bench.end(&first);
    assert!(bench.take().is_none());
    let rows = bench.answer(group).unwrap().rows;
    assert!(matches!(rows[..], [Ok(_), Err(Error::DeadlineExceeded(_))]), "{rows:?}");
}

#[test]
fn a_client_that_leaves_frees_its_place_and_its_rows_are_skipped() {
    let mut bench = Bench::new(QueueLimits { groups: 2, ..limits() });
    bench.admit(&[row(1, 10)]).unwrap();
    let running = bench.take().unwrap();
    let left = bench.admit(&[row(2, 10)]).unwrap();
    assert!(bench.admit(&[row(3, 10)]).is_err());
    bench.queue.leave(left);
    bench.admit(&[row(3, 10)]).unwrap();
    bench.end(&running);
    bench.drain();
    assert_eq!(bench.batches, [[1], [3]]);
    assert_eq!(bench.answer(left), None);
    assert_eq!(bench.queue.depth(), 0);
}

#[test]
fn a_row_that_another_group_wants_survives_a_client_that_leaves() {
    let mut bench = Bench::new(limits());
    let left = bench.admit(&[row(1, 10)]).unwrap();
    let stays = bench.admit(&[row(1, 10)]).unwrap();
    bench.queue.leave(left);
    bench.drain();
    assert!(bench.answer(stays).unwrap().rows[0].is_ok());
}

#[test]
fn leaving_while_the_forward_runs_is_harmless() {
    let mut bench = Bench::new(limits());
    let left = bench.admit(&[row(1, 10), row(2, 300)]).unwrap();
    let running = bench.take().unwrap();
    bench.queue.leave(left);
    bench.end(&running);
    bench.drain();
    assert_eq!(bench.batches.len(), 1);
    assert_eq!(bench.queue.depth(), 0);
}

#[test]
fn equal_rows_are_computed_once_within_and_across_requests() {
    let mut bench = Bench::new(limits());
    let one = bench.admit(&[row(1, 10), row(2, 10), row(1, 10)]).unwrap();
    let two = bench.admit(&[row(2, 10)]).unwrap();
    let batch = bench.take().unwrap();
    assert_eq!(batch.rows.len(), 2);
    let three = bench.admit(&[row(1, 10)]).unwrap();
    bench.end(&batch);
    let first = |id| {
        bench.answer(id).unwrap().rows.into_iter().map(|row| row.unwrap().sentence.unwrap()[0]).collect::<Vec<f32>>()
    };
    assert_eq!(first(one), [1.0, 2.0, 1.0]);
    assert_eq!(first(two), [2.0]);
    assert_eq!(first(three), [1.0], "a row that already runs is joined");
    assert!(bench.take().is_none());
}

#[test]
fn each_group_is_answered_when_its_own_rows_are_done() {
    let mut bench = Bench::new(limits());
    let long = bench.admit(&[row(1, 400), row(2, 400)]).unwrap();
    let short = bench.admit(&[row(3, 10)]).unwrap();
    bench.drain();
    assert_eq!(bench.answer(short).unwrap().at, ms(10));
    assert_eq!(bench.answer(long).unwrap().at, ms(810));
}

#[test]
fn times_split_into_waiting_and_computing() {
    let mut bench = Bench::new(limits());
    bench.admit(&[row(1, 100)]).unwrap();
    let running = bench.take().unwrap();
    let second = bench.admit(&[row(2, 40)]).unwrap();
    bench.end(&running);
    bench.drain();
    let answer = bench.answer(second).unwrap();
    assert_eq!((answer.queue, answer.forward), (ms(100), ms(40)));
}

#[test]
fn a_forward_counts_once_for_a_group_however_many_of_its_rows_it_had() {
    let mut bench = Bench::new(limits());
    bench.admit(&[row(1, 100)]).unwrap();
    let running = bench.take().unwrap();
    let group = bench.admit(&[row(2, 10), row(3, 10), row(2, 10)]).unwrap();
    bench.end(&running);
    bench.drain();
    assert_eq!(bench.batches.len(), 2);
    let answer = bench.answer(group).unwrap();
    assert_eq!((answer.queue, answer.forward), (ms(100), ms(20)));
}

#[test]
fn settling_everything_answers_every_group() {
    let mut bench = Bench::new(limits());
    let running = bench.admit(&[row(1, 10)]).unwrap();
    let batch = bench.take().unwrap();
    let waiting = bench.admit(&[row(2, 10)]).unwrap();
    bench.queue.settle_all(&Error::NotReady("closed".to_owned()), Duration::ZERO);
    for id in [running, waiting] {
        assert!(matches!(bench.answer(id).unwrap().rows[..], [Err(Error::NotReady(_))]));
    }
    bench.end(&batch);
    assert_eq!(bench.queue.depth(), 0);
}
