//! Panics on purpose. Only the host of an engine can ask for them, and no request can: tests and the soak see with them
//! that nobody is left waiting.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Where a panic can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultPlace {
    /// In the thread that owns a model, behind a forward.
    Owner,
    /// In the task that asks the engine: a handler over HTTP, or a promise.
    Caller,
    /// While the inputs of a request are read.
    Reading,
    /// While answers are made of what a model gave.
    Answering,
}

/// All places.
const PLACES: [FaultPlace; 4] = [FaultPlace::Owner, FaultPlace::Caller, FaultPlace::Reading, FaultPlace::Answering];

/// Is asked at every place, and panics where it wants to. By default there is nothing to ask.
#[derive(Clone, Default)]
pub struct Faults(Option<Arc<dyn Fn(FaultPlace) + Send + Sync>>);

impl Faults {
    /// What panics where it wants to.
    pub fn new(ask: impl Fn(FaultPlace) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(ask)))
    }

    /// What panics once at every place in each period, and not at all of them together.
    pub fn every(period: Duration) -> Self {
        let start = Instant::now();
        let first = |at: u32| start + period * at / 4;
        let due = Mutex::new([first(1), first(2), first(3), first(4)]);
        Self::new(move |place| {
            let mut due = due.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            for (_, due) in PLACES.iter().zip(due.iter_mut()).filter(|(known, _)| **known == place) {
                if now >= *due {
                    *due = now + period;
                    panic!("a panic on purpose");
                }
            }
        })
    }

    pub(crate) fn at(&self, place: FaultPlace) {
        if let Some(ask) = &self.0 {
            ask(place);
        }
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "Faults(asked for)" } else { "Faults(none)" })
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    use super::{FaultPlace, Faults, PLACES};

    #[test]
    fn every_place_panics_once_a_period() {
        let has_panicked =
            |faults: &Faults, place: FaultPlace| catch_unwind(AssertUnwindSafe(|| faults.at(place))).is_err();
        for (period, expected) in [(Duration::ZERO, [true, true]), (Duration::from_hours(1), [false, false])] {
            let faults = Faults::every(period);
            for place in PLACES {
                assert_eq!([(); 2].map(|()| has_panicked(&faults, place)), expected, "{place:?} {period:?}");
            }
        }
    }
}
