use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rtrun_core::Error;
use rtrun_core::engines::{Encoder, Interrupt, RowOutput, RowRequest};
use rtrun_core::schedule::{BackLane, Lanes, Observer, QueueLimits, Terms, Worker, WorkerOptions};

use super::bench::{limits, row};
use crate::support::block_on;

/// Runs a forward when it is told to; the first id of a row says what becomes of it.
struct Stepped {
    steps: Receiver<()>,
    interrupted: Arc<AtomicUsize>,
}

const NAN: u32 = 666;
const FAIL: u32 = 667;
const PANIC: u32 = 668;

impl Encoder for Stepped {
    fn encode(&mut self, rows: &[RowRequest]) -> Result<Vec<RowOutput>, Error> {
        while self.steps.recv_timeout(Duration::from_millis(1)).is_err() {
            if self.interrupted.load(Ordering::SeqCst) > 0 {
                return Err(Error::Internal("stopped".to_owned()));
            }
        }
        let name = |request: &RowRequest| request.row.ids[0];
        let has = |id| rows.iter().any(|request| name(request) == id);
        assert!(!has(PANIC), "as asked");
        if has(FAIL) {
            return Err(Error::Internal("as asked".to_owned()));
        }
        let value = |request| if name(request) == NAN { f32::NAN } else { name(request) as f32 };
        let output = |request| RowOutput { sentence: Some([value(request)].into()), ..RowOutput::default() };
        Ok(rows.iter().map(output).collect())
    }

    fn dimension(&self) -> usize {
        1
    }

    fn memory_bytes(&self) -> u64 {
        0
    }

    fn interrupt(&self) -> Interrupt {
        let interrupted = Arc::clone(&self.interrupted);
        Arc::new(move || {
            interrupted.fetch_add(1, Ordering::SeqCst);
        })
    }
}

#[derive(Default)]
struct Seen(Mutex<Vec<(usize, usize)>>);

impl Observer for Seen {
    fn forward(&self, rows: usize, tokens: usize, _: Duration) {
        self.0.lock().unwrap().push((rows, tokens));
    }
}

fn start(limits: QueueLimits) -> (Worker, Sender<()>, Arc<Seen>) {
    let (encoder, step) = stepped();
    let seen = Arc::new(Seen::default());
    let observer: Arc<dyn Observer> = Arc::clone(&seen) as _;
    let worker = Worker::start(encoder, WorkerOptions { name: "test".to_owned(), limits, back: None, observer });
    (worker.unwrap(), step, seen)
}

/// A worker with a lane for requests of more than 100 tokens, and the steps of either lane.
fn start_with_lanes() -> (Worker, Sender<()>, Sender<()>) {
    let ((front, step), (back, step_behind)) = (stepped(), stepped());
    let back = Some(BackLane { open: Box::new(move || Ok(back)), lanes: Lanes::LongGroups(100) });
    let observer = Arc::new(Seen::default());
    let options = WorkerOptions { name: "test".to_owned(), limits: limits(), back, observer };
    (Worker::start(front, options).unwrap(), step, step_behind)
}

fn stepped() -> (Box<dyn Encoder>, Sender<()>) {
    let (step, steps) = channel();
    (Box::new(Stepped { steps, interrupted: Arc::default() }), step)
}

#[test]
fn a_number_that_is_not_finite_fails_only_its_own_row() {
    let (worker, step, _) = start(limits());
    step.send(()).unwrap();
    let ticket = worker.submit(&[row(1, 4), row(NAN, 4), row(2, 4)], Terms::default()).unwrap();
    let (answer, _) = block_on(ticket.wait(None)).unwrap();
    let sentence = |at: usize| answer.rows[at].as_ref().unwrap().sentence.clone().unwrap();
    assert_eq!(sentence(0)[..], [1.0]);
    assert!(matches!(answer.rows[1], Err(Error::InvalidModelOutput(_))));
    assert_eq!(sentence(2)[..], [2.0]);
}

#[test]
fn a_failed_or_panicking_forward_fails_its_rows_and_the_next_one_works() {
    let (worker, step, _) = start(limits());
    for name in [FAIL, PANIC] {
        step.send(()).unwrap();
        let (answer, _) = block_on(worker.submit(&[row(name, 4)], Terms::default()).unwrap().wait(None)).unwrap();
        assert!(matches!(answer.rows[..], [Err(Error::Internal(_))]));
    }
    step.send(()).unwrap();
    let (answer, _) = block_on(worker.submit(&[row(7, 4)], Terms::default()).unwrap().wait(None)).unwrap();
    assert!(answer.rows[0].is_ok());
}

#[test]
fn a_deadline_ends_the_wait_while_the_forward_runs() {
    let (worker, step, _) = start(limits());
    let start = Instant::now();
    let deadline = Some(start + Duration::from_millis(20));
    let ticket = worker.submit(&[row(1, 4)], Terms { deadline, source: None }).unwrap();
    let (answer, _) = block_on(ticket.wait(deadline)).unwrap();
    assert!(matches!(answer.rows[..], [Err(Error::DeadlineExceeded(_))]));
    assert_eq!(worker.depth(), 0);
    step.send(()).unwrap();
}

#[test]
fn a_dropped_ticket_frees_its_place() {
    let (worker, step, seen) = start(QueueLimits { groups: 2, ..limits() });
    let running = worker.submit(&[row(1, 4)], Terms::default()).unwrap();
    let waiting = worker.submit(&[row(2, 400)], Terms::default()).unwrap();
    assert!(matches!(worker.submit(&[row(3, 4)], Terms::default()), Err(Error::Overloaded(_))));
    drop(waiting);
    let last = worker.submit(&[row(3, 300)], Terms::default()).unwrap();
    step.send(()).unwrap();
    step.send(()).unwrap();
    block_on(running.wait(None)).unwrap();
    block_on(last.wait(None)).unwrap();
    worker.close(Duration::from_secs(1));
    assert_eq!(*seen.0.lock().unwrap(), [(1, 4), (1, 300)]);
}

#[test]
fn closing_in_peace_answers_what_waits() {
    let (worker, step, _) = start(limits());
    let tickets = [
        worker.submit(&[row(1, 4)], Terms::default()).unwrap(),
        worker.submit(&[row(2, 400)], Terms::default()).unwrap(),
    ];
    step.send(()).unwrap();
    step.send(()).unwrap();
    worker.close(Duration::from_secs(10));
    for ticket in tickets {
        assert!(block_on(ticket.wait(None)).unwrap().0.rows[0].is_ok());
    }
    assert!(matches!(worker.submit(&[row(3, 4)], Terms::default()), Err(Error::NotReady(_))));
}

#[test]
fn closing_at_once_stops_the_forward_and_answers_everything() {
    let (worker, _step, _) = start(limits());
    let tickets = [
        worker.submit(&[row(1, 4)], Terms::default()).unwrap(),
        worker.submit(&[row(2, 4)], Terms::default()).unwrap(),
    ];
    worker.close(Duration::ZERO);
    for ticket in tickets {
        assert!(matches!(block_on(ticket.wait(None)), Err(Error::NotReady(_))));
    }
}

#[test]
fn a_question_is_answered_while_a_document_is_read() {
    let (worker, step, step_behind) = start_with_lanes();
    let document = worker.submit(&[row(1, 101)], Terms::default()).unwrap();
    let question = worker.submit(&[row(2, 100)], Terms::default()).unwrap();
    step.send(()).unwrap();
    assert!(block_on(question.wait(None)).unwrap().0.rows[0].is_ok());
    assert_eq!(worker.depth(), 1, "the document is still being read");
    step_behind.send(()).unwrap();
    assert!(block_on(document.wait(None)).unwrap().0.rows[0].is_ok());
}

#[test]
fn closing_stops_both_lanes() {
    let (worker, _step, _step_behind) = start_with_lanes();
    let tickets = [
        worker.submit(&[row(1, 101)], Terms::default()).unwrap(),
        worker.submit(&[row(2, 100)], Terms::default()).unwrap(),
    ];
    worker.close(Duration::ZERO);
    for ticket in tickets {
        assert!(matches!(block_on(ticket.wait(None)), Err(Error::NotReady(_))));
    }
}

#[test]
fn closing_in_peace_ends_what_waits_in_both_lanes() {
    let (worker, step, step_behind) = start_with_lanes();
    let tickets = [
        worker.submit(&[row(1, 101)], Terms::default()).unwrap(),
        worker.submit(&[row(2, 100)], Terms::default()).unwrap(),
    ];
    step.send(()).unwrap();
    step_behind.send(()).unwrap();
    worker.close(Duration::from_secs(10));
    for ticket in tickets {
        assert!(block_on(ticket.wait(None)).unwrap().0.rows[0].is_ok());
    }
}

#[test]
fn a_model_that_hangs_holds_up_no_other() {
    let (hanging, _never, _) = start(limits());
    let stuck: Vec<_> = (0..8).map(|name| hanging.submit(&[row(name, 400)], Terms::default()).unwrap()).collect();
    let (other, step, _) = start(limits());
    step.send(()).unwrap();
    assert!(block_on(other.submit(&[row(1, 4)], Terms::default()).unwrap().wait(None)).unwrap().0.rows[0].is_ok());
    assert_eq!(hanging.depth(), stuck.len());
}

#[test]
fn requests_for_a_lane_that_cannot_be_opened_are_answered_in_front() {
    for is_panicking in [false, true] {
        let (front, step) = stepped();
        let (go, may_open) = channel::<()>();
        let open = Box::new(move || {
            may_open.recv().unwrap();
            assert!(!is_panicking, "a panic in the library");
            Err(Error::Internal("no memory".to_owned()))
        });
        let back = Some(BackLane { open, lanes: Lanes::LongGroups(100) });
        let observer = Arc::new(Seen::default());
        let options = WorkerOptions { name: "test".to_owned(), limits: limits(), back, observer };
        let worker = Worker::start(front, options).unwrap();
        let long = worker.submit(&[row(1, 400)], Terms::default()).unwrap();
        go.send(()).unwrap();
        step.send(()).unwrap();
        let (answer, _) = block_on(long.wait(None)).unwrap();
        assert!(answer.rows[0].is_ok());
        step.send(()).unwrap();
        let later = worker.submit(&[row(2, 400)], Terms::default()).unwrap();
        assert!(block_on(later.wait(None)).unwrap().0.rows[0].is_ok());
    }
}

#[test]
fn a_place_that_is_kept_counts_like_a_request() {
    let (worker, step, _) = start(QueueLimits { groups: 2, tokens: 500, ..limits() });
    let mut place = worker.reserve().unwrap();
    place.hold(300).unwrap();
    assert_eq!(worker.depth(), 1);
    assert!(matches!(worker.submit(&[row(1, 201)], Terms::default()), Err(Error::Overloaded(_))));
    let waiting = worker.submit(&[row(1, 200)], Terms::default()).unwrap();
    assert!(matches!(worker.reserve(), Err(Error::Overloaded(_))));
    assert!(matches!(place.hold(301), Err(Error::Overloaded(_))));
    place.hold(300).unwrap();
    let ticket = place.submit(&[row(2, 300)], Terms::default()).unwrap();
    assert_eq!(worker.depth(), 2);
    step.send(()).unwrap();
    step.send(()).unwrap();
    block_on(waiting.wait(None)).unwrap();
    block_on(ticket.wait(None)).unwrap();
    assert_eq!(worker.depth(), 0);
    let mut place = worker.reserve().unwrap();
    place.hold(500).unwrap();
    drop(place);
    drop(worker.submit(&[row(3, 500)], Terms::default()).unwrap());
}

/// Panics when it learns of a forward, on the thread that owns the model.
struct Panicking;

impl Observer for Panicking {
    fn forward(&self, _: usize, _: usize, _: Duration) {
        panic!("as asked");
    }
}

#[test]
fn a_panic_of_an_owner_thread_settles_everybody_and_admits_nobody() {
    for has_lanes in [false, true] {
        let ((front, step), (back, step_behind)) = (stepped(), stepped());
        let back = has_lanes.then(|| BackLane { open: Box::new(move || Ok(back)), lanes: Lanes::LongGroups(100) });
        let options = WorkerOptions { name: "test".to_owned(), limits: limits(), back, observer: Arc::new(Panicking) };
        let worker = Worker::start(front, options).unwrap();
        let tickets: Vec<_> =
            [4, 101, 400].iter().map(|tokens| worker.submit(&[row(1, *tokens)], Terms::default()).unwrap()).collect();
        let mut place = worker.reserve().unwrap();
        place.hold(50).unwrap();
        step.send(()).unwrap();
        for ticket in tickets {
            let error = block_on(ticket.wait(None)).unwrap_err();
            assert!(matches!(error, Error::Internal(_)), "{error}");
        }
        assert!(worker.has_failed_at_its_end());
        assert!(matches!(worker.submit(&[row(3, 4)], Terms::default()), Err(Error::NotReady(_))));
        assert!(matches!(place.hold(60), Err(Error::NotReady(_))));
        drop(place);
        assert!(matches!(worker.reserve(), Err(Error::NotReady(_))));
        assert_eq!(worker.depth(), 0);
        // The lane that has not panicked ends, too.
        let _ = step_behind.send(());
        worker.close(Duration::from_secs(10));
    }
}

#[test]
fn closing_is_no_failure() {
    let (worker, _step, _) = start(limits());
    std::thread::scope(|scope| {
        let ended = scope.spawn(|| worker.has_failed_at_its_end());
        worker.close(Duration::ZERO);
        assert!(!ended.join().unwrap());
    });
}
