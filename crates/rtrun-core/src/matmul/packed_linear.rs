//! One step of a graph: rows of activations times the weights of one or more matmuls that read the same rows.

#[cfg(target_arch = "x86_64")]
use super::amx;
use super::panels::Panels;
use super::precision::Precision;

/// Runs pieces of work, possibly on several threads.
///
/// # Safety
/// `each` calls `work` at most once with every number below `count`, with no other number, and returns only when all calls
/// have: pieces of different numbers write disjoint places of what the caller has lent.
#[allow(unsafe_code)]
pub unsafe trait Workers {
    /// Calls `work` once with every number below `count` and returns when all calls have.
    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync));
}

/// Matmuls of the same rows, all in one precision.
#[derive(Debug)]
pub struct PackedLinear {
    precision: Precision,
    inputs: usize,
    parts: Vec<Panels>,
    /// Whether 16-bit integers are multiplied with AVX-512 VNNI.
    has_vnni: bool,
    /// Whether the tiles of AMX multiply.
    #[cfg(target_arch = "x86_64")]
    has_tiles: bool,
}

/// Packed activations, kept from call to call.
#[derive(Debug, Default)]
pub struct Scratch {
    bytes: Vec<u8>,
    /// The numbers and the precision of the rows that the bytes were packed from.
    rows: Option<(usize, Precision)>,
    #[cfg(target_arch = "x86_64")]
    scales: Vec<super::precision::RowScale>,
}

impl PackedLinear {
    /// Matmuls of the same rows. Panics if there are no parts, or if they differ in their precision or their inputs.
    pub fn new(parts: Vec<Panels>) -> Self {
        let Some(Panels { precision, inputs, .. }) = parts.first() else {
            panic!("a matmul needs a part; this is a bug")
        };
        let (precision, inputs) = (*precision, *inputs);
        for part in &parts {
            let found = (part.precision, part.inputs);
            assert_eq!(found, (precision, inputs), "parts of one matmul read the same rows; this is a bug");
        }
        #[cfg(target_arch = "x86_64")]
        let has_tiles =
            precision != Precision::Int16 && parts[0].steps().is_multiple_of(amx::STEPS) && amx::is_available();
        Self {
            precision,
            inputs,
            // Bytes need the same instructions.
            has_vnni: Precision::Int8.is_supported(),
            #[cfg(target_arch = "x86_64")]
            has_tiles,
            parts,
        }
    }

    /// The same as on a processor without AVX-512 VNNI, for tests of [`Precision::Int16`].
    #[doc(hidden)]
    #[must_use]
    pub fn without_vnni(mut self) -> Self {
        self.has_vnni = false;
        self
    }

    /// The same as on a processor without AMX, for tests of the other kernels.
    #[doc(hidden)]
    #[must_use]
    #[cfg(target_arch = "x86_64")]
    pub fn without_tiles(mut self) -> Self {
        self.has_tiles = false;
        self
    }

    /// Numbers that a row of activations has.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// How the factors are stored.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Numbers that a row of results has, by part.
    pub fn outputs(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().map(|part| part.outputs)
    }

    /// Bytes that the weights take.
    pub fn memory_bytes(&self) -> u64 {
        self.parts.iter().map(Panels::memory_bytes).sum()
    }

    /// Computes `[rows, inputs]` into one `[rows, outputs]` for each part. Results have the length that follows from the
    /// number of rows, or the call panics; so it does on a processor without the instructions.
    #[cfg(target_arch = "x86_64")]
    pub fn compute(&self, rows: &[f32], results: &mut [&mut [f32]], scratch: &mut Scratch, workers: &dyn Workers) {
        use kernel::{Call, Results};
        assert!(self.precision.is_supported(), "the processor lacks the instructions; this is a bug");
        let count = rows.len() / self.inputs;
        let (numbers, inputs) = (rows.len(), self.inputs);
        assert_eq!(numbers, count * inputs, "{numbers} numbers are no rows of {inputs}; this is a bug");
        assert_eq!(results.len(), self.parts.len(), "every part of a matmul needs a result; this is a bug");
        for (part, result) in self.parts.iter().zip(results.iter()) {
            let outputs = part.outputs;
            assert_eq!(result.len(), count * outputs, "{count} rows have {outputs} results each; this is a bug");
        }
        let stride = self.parts[0].steps() * 4;
        if scratch.rows.replace((self.inputs, self.precision)) != Some((self.inputs, self.precision)) {
            scratch.bytes.clear();
        }
        // Bytes behind the end of a row are zero from here on, because rows of this length never write them.
        // Tiles read whole ones; what they make of the rows beyond the last is dropped.
        let packed = if self.has_tiles { count.next_multiple_of(amx::ROWS) } else { count };
        scratch.bytes.resize(scratch.bytes.len().max(packed * stride), 0);
        scratch.scales.resize(scratch.scales.len().max(count), super::precision::RowScale::default());
        let results: Vec<Results> = results.iter_mut().map(|result| Results(result.as_mut_ptr())).collect();
        let call = Call { rows, count, stride, results: &results, matmul: self };
        call.run(scratch, workers);
    }

    /// No kernel exists for this processor.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn compute(&self, _: &[f32], _: &mut [&mut [f32]], _: &mut Scratch, _: &dyn Workers) {
        unreachable!("no precision is supported here; this is a bug")
    }
}

#[cfg(target_arch = "x86_64")]
mod kernel {
    //! The loop over tiles. A tile is up to 12 rows of one panel: its sums fill 24 of the 32 registers.
    #![allow(unsafe_code, reason = "several threads write disjoint columns of the same results")]

    use std::arch::x86_64::{
        __m512, _mm512_add_ps, _mm512_castsi512_ps, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_mask_storeu_ps,
        _mm512_storeu_ps,
    };

    use super::{PackedLinear, Panels, Precision, Scratch, Workers};
    use crate::matmul::int16::tile as int16_tile;
    use crate::matmul::panels::COLUMNS;
    use crate::matmul::precision::RowScale;
    use crate::matmul::{activations_avx512, amx, bf16, int8, int16};

    /// Rows of one tile.
    const TILE: usize = 12;

    /// Rows that one piece of packing has.
    const PACKED: usize = 32;

    /// Matmuls of fewer multiplications are computed by the calling thread: waking another costs more.
    const SHARED: usize = 1 << 20;

    pub struct Results(pub *mut f32);

    // SAFETY: threads write disjoint parts of what the pointer leads to.
    unsafe impl Sync for Results {}

    pub struct Call<'c> {
        pub rows: &'c [f32],
        pub count: usize,
        /// Bytes from one packed row to the next.
        pub stride: usize,
        pub results: &'c [Results],
        pub matmul: &'c PackedLinear,
    }

    /// Pointers into the scratch, which threads write disjoint rows of.
    struct Packed {
        bytes: *mut u8,
        scales: *mut RowScale,
    }

    // SAFETY: threads write disjoint rows, and read only after all are written.
    unsafe impl Sync for Packed {}

    impl Call<'_> {
        pub fn run(&self, scratch: &mut Scratch, workers: &dyn Workers) {
            let packed = Packed { bytes: scratch.bytes.as_mut_ptr(), scales: scratch.scales.as_mut_ptr() };
            let packed = &packed;
            let outputs: usize = self.matmul.outputs().sum();
            let is_shared = self.rows.len() * outputs >= SHARED;
            let each = |count: usize, work: &(dyn Fn(usize) + Sync)| {
                if is_shared { workers.each(count, work) } else { (0..count).for_each(work) }
            };
            let pieces = self.count.div_ceil(PACKED);
            let pack = |piece: usize| self.pack(piece * PACKED..self.count.min((piece + 1) * PACKED), packed);
            // Packing costs about as much as one output of the matmul.
            if self.rows.len() * COLUMNS >= SHARED {
                each(pieces, &pack);
            } else {
                (0..pieces).for_each(pack);
            }
            let panels = self.matmul.parts.iter().map(Panels::count).sum();
            each(panels, &|panel| self.panel(panel, packed));
        }

        fn pack(&self, rows: std::ops::Range<usize>, packed: &Packed) {
            let inputs = self.matmul.inputs;
            for row in rows {
                let values = &self.rows[row * inputs..][..inputs];
                // SAFETY: the scratch has a stride of bytes and a scale for every row; the features were checked.
                unsafe {
                    let bytes = packed.bytes.add(row * self.stride);
                    match self.matmul.precision {
                        Precision::Int8 => *packed.scales.add(row) = int8::pack_row(values, bytes),
                        Precision::Bf16 => bf16::pack_row(values, bytes),
                        Precision::Int16 => *packed.scales.add(row) = int16::pack_row(values, bytes),
                    }
                }
            }
        }

        /// All rows of one panel, counted through the parts.
        fn panel(&self, mut panel: usize, packed: &Packed) {
            let mut at = 0;
            while panel >= self.matmul.parts[at].count() {
                panel -= self.matmul.parts[at].count();
                at += 1;
            }
            let part = &self.matmul.parts[at];
            let result = self.results[at].0;
            if self.matmul.has_tiles {
                // SAFETY: as below.
                return unsafe { self.panel_in_tiles((part, panel), packed, result) };
            }
            let is_short = part.precision == Precision::Int16 && !self.matmul.has_vnni;
            let height = if is_short { int16::TILE } else { TILE };
            for first in (0..self.count).step_by(height) {
                // SAFETY: rows and results are as long as `compute` has checked, a panel's columns are written by no
                // other call, and the features were checked.
                unsafe {
                    let bytes = packed.bytes.add(first * self.stride).cast_const();
                    let scales = packed.scales.add(first).cast_const();
                    let result = result.add(first * part.outputs);
                    macro_rules! of_rows {
                        ($tile:ident, $whole:expr, $($rows:literal)*) => {
                            match self.count - first {
                                $($rows => $tile::<$rows>(bytes, self.stride, scales, (part, panel), result),)*
                                _ => $tile::<{ $whole }>(bytes, self.stride, scales, (part, panel), result),
                            }
                        };
                    }
                    if is_short {
                        of_rows!(int16_tile, int16::TILE, 1 2 3 4 5);
                    } else {
                        of_rows!(tile, TILE, 1 2 3 4 5 6 7 8 9 10 11);
                    }
                }
            }
        }
    }

    impl Call<'_> {
        /// The same with AMX.
        #[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx512bf16")]
        unsafe fn panel_in_tiles(&self, (part, panel): (&Panels, usize), packed: &Packed, result: *mut f32) {
            let mut sums = amx::Sums([[[0; 16]; 2]; amx::ROWS]);
            // SAFETY: tiles were found; the scratch has whole tiles of rows, and panels have whole tiles of steps; rows, scales and
            // results are as many as there are rows.
            unsafe {
                let tiles = amx::Tiles::configure();
                for first in (0..self.count).step_by(amx::ROWS) {
                    let bytes = packed.bytes.add(first * self.stride).cast_const();
                    amx::add_up(&tiles, part.precision, (bytes, self.stride), part.panel(panel), &mut sums);
                    for (row, sums) in (first..self.count).zip(&sums.0) {
                        let sums = [[0, 1].map(|half| _mm512_loadu_si512(sums[half].as_ptr().cast()))];
                        let sums = match part.precision {
                            Precision::Int8 => int8::multiply_out(sums, packed.scales.add(row), (part, panel)),
                            _ => sums.map(|row| row.map(|sums| _mm512_castsi512_ps(sums))),
                        };
                        store(sums, (part, panel), result.add(row * part.outputs));
                    }
                }
            }
        }
    }

    /// Sums, bias, activation, and the store of the columns that there are.
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn tile<const ROWS: usize>(
        bytes: *const u8,
        stride: usize,
        scales: *const RowScale,
        (part, panel): (&Panels, usize),
        result: *mut f32,
    ) {
        // SAFETY: as for the caller.
        let sums: [[__m512; 2]; ROWS] = unsafe {
            match part.precision {
                Precision::Int8 => int8::tile::<ROWS>(bytes, stride, scales, (part, panel)),
                Precision::Bf16 => bf16::tile::<ROWS>(bytes, stride, (part, panel)),
                Precision::Int16 => int16::long_tile::<ROWS>(bytes, stride, scales, (part, panel)),
            }
        };
        // SAFETY: as for the caller.
        unsafe { store(sums, (part, panel), result) };
    }

    /// Bias, activation, and the store of the columns that there are.
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn store<const ROWS: usize>(sums: [[__m512; 2]; ROWS], (part, panel): (&Panels, usize), result: *mut f32) {
        for half in 0..2 {
            let first = panel * COLUMNS + 16 * half;
            if first >= part.outputs {
                return;
            }
            // SAFETY: the bias is padded to whole panels.
            let bias = unsafe { _mm512_loadu_ps(part.bias[first..first + 16].as_ptr()) };
            let mask = u16::MAX >> (16 - (part.outputs - first).min(16));
            for (row, sums) in sums.iter().enumerate() {
                let mut values = _mm512_add_ps(sums[half], bias);
                if let Some(activation) = part.activation {
                    values = activations_avx512::activate(values, activation);
                }
                // SAFETY: the mask keeps the store within the row.
                unsafe {
                    let place = result.add(row * part.outputs + first);
                    if mask == u16::MAX {
                        _mm512_storeu_ps(place, values);
                    } else {
                        _mm512_mask_storeu_ps(place, mask, values);
                    }
                }
            }
        }
    }
}
