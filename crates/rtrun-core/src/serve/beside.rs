//! Large answers are written beside the other requests of a thread.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

/// Writing so many numbers takes a few milliseconds.
const AT_ONCE_NUMBERS: usize = 1 << 15;

/// Writes an answer of so many numbers. Where that takes long, the other requests of the thread go on on another one.
pub fn beside<T>(numbers: usize, write: impl FnOnce() -> T) -> T {
    let has_others = || Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
    if numbers > AT_ONCE_NUMBERS && has_others() { block_in_place(write) } else { write() }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use tokio::runtime::Builder;

    use super::{AT_ONCE_NUMBERS, beside};

    #[test]
    fn others_go_on_while_a_large_answer_is_written() {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (other, has_run) = channel();
        let writing = runtime.spawn(async move {
            tokio::spawn(async move { other.send(()) });
            beside(AT_ONCE_NUMBERS + 1, || has_run.recv_timeout(Duration::from_mins(1)))
        });
        assert_eq!(runtime.block_on(writing).unwrap(), Ok(()));
        let alone = Builder::new_current_thread().build().unwrap();
        assert_eq!(alone.block_on(async { beside(AT_ONCE_NUMBERS + 1, || 1) + beside(1, || 1) }), 2);
    }
}
