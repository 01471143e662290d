use rtrun_core::schedule::{Lane, Lanes, Next, PackLimits, QueueLimits, Sharing};
use rtrun_core::{Error, engines::Wanted};

use super::bench::{BOTH, Bench, limits, ms, row};

const BY_GROUP: Lanes = Lanes::LongGroups(100);

#[test]
fn a_request_over_the_limit_goes_behind_with_all_its_rows() {
    assert_eq!(BY_GROUP.lane(100, 100), Lane::Front);
    assert_eq!(BY_GROUP.lane(1, 101), Lane::Back);
    assert_eq!(Lanes::LongRows(100).lane(100, 4000), Lane::Front);
    assert_eq!(Lanes::LongRows(100).lane(101, 101), Lane::Back);
    assert_eq!(Lanes::One.lane(8192, 8192), Lane::Front);
}

#[test]
fn a_short_question_starts_while_a_document_runs() {
    let mut bench = Bench::with_lanes(limits(), BY_GROUP);
    let document = bench.admit(&[row(1, 300), row(2, 300)]).unwrap();
    let behind = bench.take_of(Lane::Back).unwrap();
    let question = bench.admit(&[row(3, 10)]).unwrap();
    let front = bench.take().unwrap();
    bench.end(&front);
    assert_eq!(bench.answer(question).unwrap().at, ms(10));
    assert!(bench.take().is_none(), "the front takes nothing of the document");
    bench.end(&behind);
    let rest = bench.take_of(Lane::Back).unwrap();
    bench.end(&rest);
    assert!(bench.answer(document).unwrap().rows.iter().all(Result::is_ok));
}

#[test]
fn both_lanes_have_one_admission() {
    let mut bench = Bench::with_lanes(QueueLimits { groups: 2, tokens: 500, ..limits() }, BY_GROUP);
    let document = bench.admit(&[row(1, 450)]).unwrap();
    assert!(matches!(bench.admit(&[row(2, 51)]), Err(Error::Overloaded(_))));
    bench.admit(&[row(2, 50)]).unwrap();
    assert!(matches!(bench.admit(&[row(3, 0)]), Err(Error::Overloaded(_))));
    bench.queue.leave(document);
    bench.admit(&[row(3, 450)]).unwrap();
}

#[test]
fn a_question_takes_an_equal_row_of_a_document_along_to_the_front() {
    let mut bench = Bench::with_lanes(limits(), BY_GROUP);
    let document = bench.admit(&[row(1, 10), row(2, 300)]).unwrap();
    let question = bench.admit(&[row(1, 10)]).unwrap();
    let front = bench.take().unwrap();
    assert_eq!(front.rows.len(), 1);
    bench.end(&front);
    assert!(bench.answer(question).is_some());
    let behind = bench.take_of(Lane::Back).unwrap();
    bench.end(&behind);
    assert!(bench.answer(document).unwrap().rows.iter().all(Result::is_ok));
    assert_eq!(bench.batches, [[1], [2]], "the equal row was computed once");
}

#[test]
fn a_row_that_runs_behind_is_joined_from_the_front() {
    let mut bench = Bench::with_lanes(limits(), BY_GROUP);
    bench.admit(&[row(1, 101)]).unwrap();
    let behind = bench.take_of(Lane::Back).unwrap();
    let again = bench.admit(&[row(1, 101)]).unwrap();
    bench.end(&behind);
    assert!(bench.answer(again).is_some());
    assert_eq!(bench.queue.rows(), 0);
}

#[test]
fn an_idle_lane_does_not_wait_for_company_while_the_other_is_busy() {
    let mut bench = Bench::with_lanes(QueueLimits { window: ms(1000), ..limits() }, BY_GROUP);
    bench.admit(&[row(1, 300)]).unwrap();
    let _behind = bench.take_of(Lane::Back).unwrap();
    bench.admit(&[row(2, 10)]).unwrap();
    assert!(matches!(bench.queue.next(Lane::Front, bench.now), Next::Run(_)));
}

#[test]
fn the_lanes_have_clocks_of_their_own() {
    let forward = PackLimits { tokens: 512, sharing: Sharing::Alone };
    let mut bench = Bench::with_lanes(QueueLimits { forward, ..limits() }, BY_GROUP);
    // In front a token takes a millisecond; behind, ten.
    for name in 0..60 {
        bench.admit(&[row(name, 10)]).unwrap();
        let front = bench.take().unwrap();
        bench.end(&front);
        bench.admit(&[row(1000 + name, 200)]).unwrap();
        let behind = bench.take_of(Lane::Back).unwrap();
        bench.now += ms(1800);
        bench.end(&behind);
    }
    // The last question is shorter than the first but comes when the first has waited for more than that.
    bench.admit(&[row(2000, 60)]).unwrap();
    bench.admit(&[row(2001, 80)]).unwrap();
    let front = bench.take().unwrap();
    bench.admit(&[row(2002, 40)]).unwrap();
    bench.end(&front);
    assert_eq!(bench.take().unwrap().rows[0].row.ids[0], 2001);
}

#[test]
fn what_moves_to_the_front_has_its_turn_among_those_who_are_there() {
    let forward = PackLimits { tokens: 512, sharing: Sharing::Alone };
    for (ahead, length) in [(Lane::Front, 100), (Lane::Back, 101)] {
        let mut bench = Bench::with_lanes(QueueLimits { forward, ..limits() }, BY_GROUP);
        // The clock of one lane is far ahead of the other's.
        for name in 100..110 {
            bench.admit(&[row(name, length)]).unwrap();
            let batch = bench.take_of(ahead).unwrap();
            bench.end(&batch);
        }
        bench.admit(&[row(1, 200)]).unwrap();
        bench.queue.close_back();
        bench.admit(&[row(2, 300)]).unwrap();
        bench.admit(&[row(3, 100)]).unwrap();
        bench.drain();
        assert_eq!(bench.batches[10..], [[3], [1], [2]], "{ahead:?}");
    }
}

#[test]
fn leaving_takes_the_rows_out_of_their_lane() {
    let mut bench = Bench::with_lanes(limits(), BY_GROUP);
    let document = bench.admit(&[row(1, 300), row(2, 300)]).unwrap();
    assert_eq!((bench.queue.has_waiting(Lane::Front), bench.queue.has_waiting(Lane::Back)), (false, true));
    bench.queue.leave(document);
    assert_eq!((bench.queue.has_waiting(Lane::Back), bench.queue.rows()), (false, 0));
    assert!(bench.take_of(Lane::Back).is_none());
}

#[test]
fn a_deadline_of_a_document_is_seen_by_the_front() {
    let mut bench = Bench::with_lanes(limits(), BY_GROUP);
    let document = bench.admit_until(&[row(1, 300)], Some(ms(5))).unwrap();
    bench.now = ms(5);
    assert!(bench.take().is_none());
    assert!(matches!(bench.answer(document).unwrap().rows[..], [Err(Error::DeadlineExceeded(_))]));
}

#[test]
fn a_row_that_waits_behind_is_widened_for_whoever_wants_more() {
    let mut bench = Bench::with_lanes(limits(), BY_GROUP);
    let one = row(1, 300);
    let mut more = one.clone();
    more.wanted = Wanted::TOKENS;
    bench.admit(&[one]).unwrap();
    bench.admit(&[more]).unwrap();
    assert_eq!(bench.take_of(Lane::Back).unwrap().rows[0].wanted, BOTH);
}
