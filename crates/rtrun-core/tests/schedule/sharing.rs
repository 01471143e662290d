//! Equal rows are computed once, and what may not share a forward never does.

use rtrun_core::engines::{RowRequest, Wanted};

use super::bench::{BOTH, Bench, limits, row};

fn wanting(wanted: Wanted) -> RowRequest {
    RowRequest { wanted, ..row(1, 10) }
}

fn leaving_by(name: u32, exit: u16) -> RowRequest {
    let mut request = row(name, 10);
    request.row.exit = exit;
    request
}

#[test]
fn a_waiting_row_is_widened_for_a_newcomer_that_wants_more() {
    let mut bench = Bench::new(limits());
    let one = bench.admit(&[wanting(Wanted::SENTENCE)]).unwrap();
    let two = bench.admit(&[wanting(Wanted::TOKENS)]).unwrap();
    let batch = bench.take().unwrap();
    assert_eq!(batch.rows, [wanting(BOTH)]);
    bench.end(&batch);
    assert!(bench.answer(one).is_some() && bench.answer(two).is_some());
}

#[test]
fn a_running_row_is_joined_by_who_wants_no_more_than_it_gives() {
    let mut bench = Bench::new(limits());
    bench.admit(&[wanting(BOTH)]).unwrap();
    let running = bench.take().unwrap();
    let late = bench.admit(&[wanting(Wanted::TOKENS)]).unwrap();
    bench.end(&running);
    assert!(bench.answer(late).is_some());
    assert!(bench.take().is_none());
}

#[test]
fn a_running_row_that_gives_too_little_is_computed_again_for_all_who_come_later() {
    let mut bench = Bench::new(limits());
    let first = bench.admit(&[wanting(Wanted::SENTENCE)]).unwrap();
    let running = bench.take().unwrap();
    let more = bench.admit(&[wanting(Wanted::TOKENS)]).unwrap();
    let later = bench.admit(&[wanting(Wanted::SENTENCE)]).unwrap();
    bench.end(&running);
    assert!(bench.answer(first).is_some());
    assert!(bench.answer(more).is_none());
    let again = bench.take().unwrap();
    assert_eq!(again.rows, [wanting(BOTH)], "whoever comes later joins the row that still waits");
    bench.end(&again);
    assert!(bench.answer(more).is_some() && bench.answer(later).is_some());
    assert_eq!(bench.queue.rows(), 0);
}

#[test]
fn rows_of_different_exits_never_share_a_forward_and_are_different_rows() {
    let mut bench = Bench::new(limits());
    let group = bench.admit(&[leaving_by(1, 0), leaving_by(1, 2), leaving_by(2, 0), leaving_by(2, 2)]).unwrap();
    let mut forwards = Vec::new();
    while let Some(batch) = bench.take() {
        let exits: Vec<u16> = batch.rows.iter().map(|request| request.row.exit).collect();
        forwards.push(exits);
        bench.end(&batch);
    }
    forwards.sort();
    assert_eq!(forwards, [[0, 0], [2, 2]]);
    assert!(bench.answer(group).is_some());
}

#[test]
fn rows_of_different_marks_and_segments_are_different_rows() {
    let mut bench = Bench::new(limits());
    let plain = row(1, 10);
    let (mut marked, mut paired) = (plain.clone(), plain.clone());
    marked.row.mark = 1;
    paired.row.second_from = 5;
    bench.admit(&[plain, marked, paired]).unwrap();
    assert_eq!(bench.take().unwrap().rows.len(), 3);
}
