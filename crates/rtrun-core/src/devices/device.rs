//! A device as a value: parsed once, then passed on to whoever computes.

use std::fmt;
use std::str::FromStr;

/// What models compute on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// The processors.
    Cpu,
    /// A GPU of NVIDIA, by its number.
    Cuda(u32),
}

/// What the option `device` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// The first GPU if it can be used and gives the recorded answers, else the CPU.
    #[default]
    Auto,
    /// This one or none.
    Only(Device),
}

/// Every way to name a device, for messages.
const KNOWN: &str = "auto, cpu, cuda or cuda:<number>";

impl FromStr for DeviceChoice {
    type Err = String;

    /// The error is the part of a message that says what is wrong and what would be right.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => return Ok(Self::Auto),
            "cpu" => return Ok(Self::Only(Device::Cpu)),
            "cuda" => return Ok(Self::Only(Device::Cuda(0))),
            _ => {}
        }
        let kind = text.split_once(':').map_or(text, |(kind, _)| kind);
        let number = text.strip_prefix("cuda:").map(str::parse);
        match (kind, number) {
            (_, Some(Ok(number))) => Ok(Self::Only(Device::Cuda(number))),
            (_, Some(Err(_))) => Err(format!("{text:?} has no whole number behind \"cuda:\"; use {KNOWN}")),
            ("rocm" | "xpu" | "mps", None) => Err(format!("{text:?} is not supported yet; use {KNOWN}")),
            _ => Err(format!("{text:?} is no device; use {KNOWN}")),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => formatter.write_str("cpu"),
            Self::Cuda(number) => write!(formatter, "cuda:{number}"),
        }
    }
}

impl Device {
    /// Tokens of one forward. On a CPU, measured with 1 and 2 threads: sharing makes tokens of short rows up to four times
    /// cheaper until a forward has 64 to 128 of them, and from 256 on each costs more again (`benches/speed/shapes.rs`). A
    /// GPU is idle with so few; there the memory of the attention scores is the limit.
    pub fn forward_tokens(self) -> usize {
        match self {
            Self::Cpu => 256,
            Self::Cuda(_) => 16_384,
        }
    }

    /// Rows of one input that is read in windows, unless the models file or the request says otherwise.
    pub fn scan_rows(self) -> usize {
        match self {
            Self::Cpu => 4,
            Self::Cuda(_) => 32,
        }
    }

    /// The difference from a recorded answer that still counts as equal, from the tolerance recorded for a CPU.
    pub fn tolerance(self, recorded: f32) -> f32 {
        match self {
            Self::Cpu => recorded,
            Self::Cuda(_) => recorded.max(0.02),
        }
    }
}
