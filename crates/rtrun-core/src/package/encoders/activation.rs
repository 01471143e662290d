//! The functions between two linear layers.

use serde::Deserialize;

/// An activation function. Reading an unknown one fails with its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Activation {
    /// `x · Φ(x)` with the exact error function.
    Gelu,
    /// The approximation of GELU by a hyperbolic tangent.
    GeluTanh,
    /// `x · sigmoid(1.702 x)`.
    QuickGelu,
    /// The larger of `x` and 0.
    Relu,
    /// `x · sigmoid(x)`.
    Silu,
    /// The hyperbolic tangent.
    Tanh,
}

impl TryFrom<String> for Activation {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Ok(match name.as_str() {
            "gelu" | "gelu_python" => Self::Gelu,
            "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" | "gelu_python_tanh" => Self::GeluTanh,
            "quick_gelu" => Self::QuickGelu,
            "relu" => Self::Relu,
            "silu" | "swish" => Self::Silu,
            "tanh" => Self::Tanh,
            _ => {
                let known = "gelu, gelu_new, gelu_pytorch_tanh, quick_gelu, relu, silu and tanh are";
                return Err(format!("activation {name:?} is not supported yet; {known}"));
            }
        })
    }
}

/// The activation of a configuration that names none.
pub fn gelu() -> Activation {
    Activation::Gelu
}
