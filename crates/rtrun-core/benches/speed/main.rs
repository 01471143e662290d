//! Speed of the worker on a real package: `RTRUN_BENCH_MODEL=<folder> cargo bench -p rtrun-core [-- <part>]`.
//!
//! Times of one machine differ by a factor of two from minute to minute, so everything that is compared runs
//! interleaved, and the figures that matter are ratios.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

mod client;
mod crowded;
mod forward;
mod loading;
mod long_package;
mod mixed;
mod neighbours;
mod overhead;
mod profiles;
mod reading;
mod shapes;
mod support;
mod throughput;

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let parts: [(&str, fn()); 11] = [
        ("load", support::load),
        ("loading", loading::loading),
        ("reading", reading::reading),
        ("forward", forward::forward),
        ("shapes", shapes::shapes),
        ("mixed", mixed::mixed),
        ("profiles", profiles::profiles),
        ("overhead", overhead::overhead),
        ("throughput", throughput::throughput),
        ("crowded", crowded::crowded),
        ("neighbours", neighbours::neighbours),
    ];
    for (name, run) in parts {
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            println!("== {name}");
            run();
        }
    }
}
