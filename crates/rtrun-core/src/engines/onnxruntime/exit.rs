//! Leaving the process while the inference library works.
//!
//! `exit()` runs the library's static destructors under threads that still compute with them. Exit handlers run in the
//! reverse order of their registration, and the library makes statics as late as in the first forwards of a session. So
//! the handler here is registered again after each of these: it then runs before the destructors, stops the running
//! forwards and lets no thread enter the library again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, Weak};
use std::time::{Duration, Instant};

use super::session::Stopper;

static LEAVING: AtomicBool = AtomicBool::new(false);
/// Read by whoever is inside the library, written by the exit handler.
static GATE: RwLock<()> = RwLock::new(());
static STOPPERS: Mutex<Vec<Weak<Stopper>>> = Mutex::new(Vec::new());

/// A forward notices its stop between two nodes, so this is far beyond any of them.
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

/// Registers the handler, in front of the destructors of every static that exists by now.
#[allow(unsafe_code)]
pub fn register() {
    // SAFETY: the handler is a plain function that lives as long as the code it is part of. A host that unloads this
    // code runs the handlers of its image first.
    unsafe { libc::atexit(leave) };
}

extern "C" fn leave() {
    if LEAVING.swap(true, Ordering::SeqCst) {
        return;
    }
    let start = Instant::now();
    while start.elapsed() < LONGEST_WAIT {
        if let Ok(stoppers) = STOPPERS.try_lock() {
            stoppers.iter().filter_map(Weak::upgrade).for_each(|stopper| stopper.stop());
        }
        if let Ok(guard) = GATE.try_write() {
            // Never given back: the library is about to be destroyed.
            std::mem::forget(guard);
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
