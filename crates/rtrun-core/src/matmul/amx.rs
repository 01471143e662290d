//! Matmuls in the tiles of Intel's AMX: one instruction multiplies 16 rows by 16 columns, 64 bytes deep. A tile of weights is what 16 steps of half
//! a panel are, so panels are packed as for the other kernels.

#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code, reason = "instructions over rows and panels whose bounds the caller has checked")]

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::LazyLock;

use super::panels::{COLUMNS, Line, STEP_LINES};
use super::precision::Precision;

/// Rows that are computed at once: two tiles of activations over the two of a panel, with four tiles of sums, are all tiles that there are.
pub const ROWS: usize = 32;

/// Steps of a dot product that one tile takes. A matmul has a whole number of tiles, or another kernel computes it.
pub const STEPS: usize = 16;

/// The sums of [`ROWS`] rows over the halves of one panel: bits of 32-bit integers for [`Precision::Int8`], of floats for [`Precision::Bf16`].
#[repr(C, align(64))]
pub struct Sums(pub [[[u32; COLUMNS / 2]; 2]; ROWS]);

/// Whether the processor has the tiles and the operating system lets this process use them.
pub fn is_available() -> bool {
    static IS_AVAILABLE: LazyLock<bool> = LazyLock::new(|| {
        const BF16: u32 = 1 << 22;
        const TILES: u32 = 1 << 24;
        const INT8: u32 = 1 << 25;
        let needed = BF16 | TILES | INT8;
        __cpuid_count(7, 0).edx & needed == needed && is_permitted()
    });
    *IS_AVAILABLE
}

/// Asks for the state that tiles add to each thread.
#[cfg(target_os = "linux")]
fn is_permitted() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_int = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_ulong = 18;
    // SAFETY: the call reads no memory. Kernels before 5.16, and filters of system calls, answer with an error.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn is_permitted() -> bool {
    false
}

/// What `ldtilecfg` reads.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// The tiles of this thread, each of 16 rows of 64 bytes, until this is dropped: switching threads costs more while tiles are in use.
pub struct Tiles(());

impl Tiles {
    /// # Safety
    /// Tiles are available.
    pub unsafe fn configure() -> Self {
        let (mut row_bytes, mut rows) = ([0; 16], [0; 16]);
        row_bytes[..8].fill(64);
        rows[..8].fill(16);
        let shapes = Shapes { palette: 1, start_row: 0, reserved: [0; 14], row_bytes, rows };
        // SAFETY: the instruction reads these 64 bytes; no other code of this program uses tiles.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const shapes, options(nostack, preserves_flags, readonly)) };
        Self(())
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: the tiles were configured by this thread, and nothing reads them any more.
        unsafe { asm!("tilerelease", options(nomem, nostack, preserves_flags)) };
    }
}

/// Adds up `ROWS` rows over one panel.
///
/// # Safety
/// Each of the rows, `stride` bytes apart, has as many steps as the panel, which are a multiple of [`STEPS`]; at least one.
pub unsafe fn add_up(
    _: &Tiles,
    precision: Precision,
    (rows, stride): (*const u8, usize),
    panel: &[Line],
    sums: &mut Sums,
) {
    macro_rules! add_up {
        ($instruction:literal) => {
            // SAFETY: as for the caller; all is one block, because nothing says that tiles keep their values between two.
            unsafe {
                asm!(
                    "tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3",
                    "2:",
                    "tileloadd tmm4, [{upper} + {stride}]",
                    "tileloadd tmm6, [{weights} + {line}]",
                    "tileloadd tmm7, [{weights} + {line} + 64]",
                    "tileloadd tmm5, [{lower} + {stride}]",
                    concat!($instruction, " tmm0, tmm4, tmm6"),
                    concat!($instruction, " tmm1, tmm4, tmm7"),
                    concat!($instruction, " tmm2, tmm5, tmm6"),
                    concat!($instruction, " tmm3, tmm5, tmm7"),
                    "add {upper}, 64",
                    "add {lower}, 64",
                    "add {weights}, {tile}",
                    "dec {count}",
                    "jnz 2b",
                    "tilestored [{sums} + {line}], tmm0",
                    "tilestored [{sums} + {line} + 64], tmm1",
                    "tilestored [{sums} + {line} + {half}], tmm2",
                    "tilestored [{sums} + {line} + {half} + 64], tmm3",
                    upper = inout(reg) rows => _,
                    lower = inout(reg) rows.add(ROWS / 2 * stride) => _,
                    weights = inout(reg) panel.as_ptr() => _,
                    count = inout(reg) panel.len() / (STEPS * STEP_LINES) => _,
                    sums = in(reg) sums,
                    stride = in(reg) stride,
                    // The lines of one step lie side by side, and so do the columns of one row of sums.
                    line = in(reg) size_of::<[Line; STEP_LINES]>(),
                    tile = const size_of::<[Line; STEPS * STEP_LINES]>(),
                    half = const ROWS / 2 * size_of::<[u32; COLUMNS]>(),
                    out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                    out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                    options(nostack),
                );
            }
        };
    }
    match precision {
        Precision::Int8 => add_up!("tdpbusd"),
        Precision::Bf16 => add_up!("tdpbf16ps"),
        Precision::Int16 => unreachable!("tiles have no 16-bit integers; this is a bug"),
    }
}
