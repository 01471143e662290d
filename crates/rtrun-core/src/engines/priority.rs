//! Threads that give way to the rest of the machine.

/// Steps below the priority that threads start with. The scheduler lets a waking thread of normal priority in at once,
/// and still gives such a thread a tenth of a processor that others want as a whole, so that it never starves. Measured
/// with 0, 5, 10 and 19 beside rows of 256 and 4,096 tokens: from 10 on, more does not help short rows any more.
const STEPS: libc::c_int = 10;

/// Whether threads can give way on this system: only Linux has priorities for single threads of a process.
pub const fn can_give_way() -> bool {
    cfg!(target_os = "linux")
}

/// Makes the calling thread give way from now on; there is no way back. Threads that it starts do the same.
pub fn give_way() {
    #[cfg(target_os = "linux")]
    {
        #[allow(unsafe_code)]
        // SAFETY: the call takes numbers only. On Linux, process 0 is the calling thread.
        let result = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, STEPS) };
        // It fails only where the thread has a lower priority already, which is as good.
        let _ = result;
    }
}
