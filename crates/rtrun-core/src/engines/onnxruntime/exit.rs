//! Leaving the process while the inference library works.
//!
//! `exit()` runs the library's static destructors under threads that still compute with them. Exit handlers run in the
//! reverse order of their registration, and the library makes statics as late as in the first forwards of a session. So
//! the handler here is registered again after each of these: it then runs before the destructors, stops the running
//! forwards and lets no thread enter the library again.
//!
//! A handler that was registered before a static was made runs after its destructor, so that no handler is early enough
//! for a process that leaves while its first session is being made. Hosts that can, therefore, call [`leave`] before they
//! call `exit()`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, Weak};
use std::time::{Duration, Instant};

use ort::session::builder::LoadCanceler;

use super::session::Stopper;
use crate::error::Error;

static LEAVING: AtomicBool = AtomicBool::new(false);
/// Read by whoever is inside the library, written by the exit handler.
static GATE: RwLock<()> = RwLock::new(());
static STOPPERS: Mutex<Vec<Weak<Stopper>>> = Mutex::new(Vec::new());
/// The sessions that are being made, by number.
static LOADS: Mutex<Vec<(u64, LoadCanceler)>> = Mutex::new(Vec::new());

/// A forward notices its stop between two nodes and a load its own between two steps, so this is far beyond any of them.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Being inside the library.
pub struct Inside(#[allow(dead_code)] RwLockReadGuard<'static, ()>);

/// Enters the library; `None` once the process leaves.
pub fn enter() -> Option<Inside> {
    if LEAVING.load(Ordering::SeqCst) {
        return None;
    }
    let guard = GATE.read().unwrap_or_else(PoisonError::into_inner);
    (!LEAVING.load(Ordering::SeqCst)).then(|| Inside(guard))
}

/// Lets the exit handler stop a session's forwards.
pub fn remember(stopper: Weak<Stopper>) {
    let mut stoppers = STOPPERS.lock().unwrap_or_else(PoisonError::into_inner);
    stoppers.retain(|stopper| stopper.strong_count() > 0);
    stoppers.push(stopper);
}

/// A session that is being made.
pub struct Loading(u64);

/// Lets the exit handler break off the making of a session, for as long as the result lives.
pub fn loading(canceler: LoadCanceler) -> Loading {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    LOADS.lock().unwrap_or_else(PoisonError::into_inner).push((number, canceler));
    Loading(number)
}

impl Drop for Loading {
    fn drop(&mut self) {
        LOADS.lock().unwrap_or_else(PoisonError::into_inner).retain(|(number, _)| *number != self.0);
    }
}

/// Whether the process leaves, so that nothing that fails in the library is worth a word.
pub fn is_leaving() -> bool {
    LEAVING.load(Ordering::SeqCst)
}

/// The error of whoever wants to enter the library then.
pub fn leaving() -> Error {
    Error::NotReady("The process is leaving".to_owned())
}

/// Registers the handler, in front of the destructors of every static that exists by now.
#[allow(unsafe_code)]
pub fn register() {
    // SAFETY: the handler is a plain function that lives as long as the code it is part of. A host that unloads this
    // code runs the handlers of its image first.
    unsafe { libc::atexit(at_exit) };
}

extern "C" fn at_exit() {
    leave();
}

/// Prepares the process for its end: stops forwards and loads and lets no thread enter the inference library again.
/// Models answer nothing from then on. Returns when no thread is inside, after some milliseconds as a rule.
pub fn leave() {
    if LEAVING.swap(true, Ordering::SeqCst) {
        return;
    }
    let start = Instant::now();
    while start.elapsed() < LONGEST_WAIT {
        if let Ok(stoppers) = STOPPERS.try_lock() {
            stoppers.iter().filter_map(Weak::upgrade).for_each(|stopper| stopper.stop());
        }
        if let Ok(loads) = LOADS.try_lock() {
            // One that has just ended cannot be broken off, which is as good.
            loads.iter().for_each(|(_, canceler)| drop(canceler.cancel()));
        }
        if let Ok(guard) = GATE.try_write() {
            // Never given back: the library is about to be destroyed.
            std::mem::forget(guard);
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
