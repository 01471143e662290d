//! The precisions that a matmul can be computed in, and which of them this processor has instructions for.

/// How the factors of a matmul are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Signed bytes with a scale for each row of weights; unsigned bytes with a scale and a zero for each row of
    /// activations.
    Int8,
    /// 16-bit floats with the exponent of 32-bit ones, added up in 32 bits.
    Bf16,
    /// Signed 16-bit integers with a scale for each row of weights and of activations, added up in 32 bits.
    Int16,
}

impl Precision {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Int8, Self::Bf16, Self::Int16];

    /// Whether this processor multiplies in it. Without the instructions nothing would be gained.
    pub fn is_supported(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let has_fma = std::arch::is_x86_feature_detected!("fma");
            let has_long =
                std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512bw");
            has_fma
                && match self {
                    Self::Int8 => has_long && std::arch::is_x86_feature_detected!("avx512vnni"),
                    Self::Bf16 => has_long && std::arch::is_x86_feature_detected!("avx512bf16"),
                    Self::Int16 => std::arch::is_x86_feature_detected!("avx2"),
                }
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Whether this processor takes longer for it than for integers of as many bits. Intel's processors with AMX do for bfloat16 where
    /// its tiles may not be used: the instruction for rows has a quarter of the speed. A virtual machine that hides AMX is not known.
    pub fn is_slow(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            const AMX_BF16: u32 = 1 << 22;
            let has_amx = std::arch::x86_64::__cpuid_count(7, 0).edx & AMX_BF16 != 0;
            self == Self::Bf16 && has_amx && !super::amx::is_available()
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// The name in model cards.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Bf16 => "bfloat16",
            Self::Int16 => "int16",
        }
    }

    /// Values that one step of a dot product takes: they fill 32 bits.
    pub fn group(self) -> usize {
        4 / self.bytes()
    }

    /// Bytes of one value.
    pub fn bytes(self) -> usize {
        match self {
            Self::Int8 => 1,
            Self::Bf16 | Self::Int16 => 2,
        }
    }
}

/// What turns the integers of a row of activations back into numbers: `scale · (integer − zero)`.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, Default)]
pub struct RowScale {
    pub scale: f32,
    pub zero: i32,
}
