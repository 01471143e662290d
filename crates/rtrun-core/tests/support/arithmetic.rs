//! What tests of the crate's own arithmetic compute with.

use rtrun_core::matmul::Workers;

/// Numbers of a fixed sequence between -1 and 1.
pub fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Every piece on a thread of its own, to find pieces that write the same place.
pub struct Threads;

// SAFETY: the scope ends when all threads have, and each number has one.
#[allow(unsafe_code)]
unsafe impl Workers for Threads {
    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| (0..count).for_each(|piece| drop(scope.spawn(move || work(piece)))));
    }
}
