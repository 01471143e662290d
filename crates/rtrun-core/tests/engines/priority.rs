use rtrun_core::engines::{can_give_way, give_way};

/// The nice value of the calling thread.
#[cfg(target_os = "linux")]
fn nice() -> String {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    // The name in parentheses may hold spaces; the nice value is the seventeenth field behind it.
    stat.rsplit(')').next().unwrap().split_whitespace().nth(16).unwrap().to_owned()
}

#[test]
#[cfg(target_os = "linux")]
fn one_thread_gives_way_with_those_that_it_starts_and_no_other() {
    let before = nice();
    let (lower, inherited) = std::thread::spawn(|| {
        give_way();
        (nice(), std::thread::spawn(nice).join().unwrap())
    })
    .join()
    .unwrap();
    assert!(can_give_way());
    assert_eq!((lower.as_str(), inherited.as_str()), ("10", "10"));
    assert_eq!(nice(), before);
}
