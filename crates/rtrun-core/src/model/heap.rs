//! Freed memory that goes back to the system.

/// Gives the free pages of the heap back to the system. Loading a model fills and frees hundreds of megabytes on threads of
/// its own, and glibc keeps these pages in arenas that the threads of the next load do not use. Nothing is done with
/// another allocator.
pub fn return_free_pages() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[allow(unsafe_code)]
        // SAFETY: the call takes a number only, and may come from any thread.
        let _ = unsafe { libc::malloc_trim(0) };
    }
}
