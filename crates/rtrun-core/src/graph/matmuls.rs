//! Matmuls of a graph: the library's own, or in the precision that the graph is reduced to.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use super::builder::{GraphBuilder, Value};
use super::source::Reduction;
use crate::error::Error;
use crate::matmul::{PackedLinear, Panels, Precision};
use crate::package::{Activation, Dtype};

/// The domain of this crate's own operators.
pub const OWN: &str = "rtrun";

/// The operator for matmuls in reduced precision. Its attribute [`MATMUL_NUMBER`] is a place in the matmuls of the
/// graph.
pub const MATMUL: &str = "PackedLinear";

/// Which matmul a node computes.
pub const MATMUL_NUMBER: &str = "number";

/// Some rows of the weight `<module>.weight`, and what follows their matmul.
#[derive(Debug, Clone)]
pub struct Part<'n> {
    /// The module.
    pub module: &'n str,
    /// `[outputs, inputs]` of the whole weight.
    pub shape: [usize; 2],
    /// Its rows.
    pub rows: Range<usize>,
    /// Whether the same rows of `<module>.bias` are added.
    pub has_bias: bool,
    /// What the sum goes through.
    pub activation: Option<Activation>,
}

impl<'n> Part<'n> {
    /// The whole weight and nothing behind its matmul.
    pub fn bare(module: &'n str, shape: [usize; 2]) -> Self {
        Self { module, shape, rows: 0..shape[0], has_bias: false, activation: None }
    }
}

impl GraphBuilder<'_> {
    /// `input × weightᵀ`, which takes the author's `[out, in]` layout as it is. The tensor is `<module>.weight`.
    pub fn linear(&mut self, input: &str, module: &str, shape: [usize; 2]) -> Result<String, Error> {
        self.linears(input, &[Part::bare(module, shape)]).map(|[matmul]| matmul)
    }

    /// Matmuls of one input. In reduced precision, those of the same precision are one node.
    pub fn linears<const N: usize>(&mut self, input: &str, parts: &[Part; N]) -> Result<[String; N], Error> {
        let precisions = parts.each_ref().map(|part| self.precision(part)).into_iter();
        let precisions: Vec<Option<Precision>> = precisions.collect::<Result<_, _>>()?;
        let mut names = [const { String::new() }; N];
        if let Some(precision) = precisions[0]
            && precisions.iter().all(|other| *other == Some(precision))
        {
            let places: Vec<usize> = (0..N).collect();
            self.reduced(input, (parts, precision), &places, &mut names)?;
            return Ok(names);
        }
        for (at, part) in parts.iter().enumerate() {
            match precisions[at] {
                Some(precision) => self.reduced(input, (parts, precision), &[at], &mut names)?,
                None => names[at] = self.exact(input, part)?,
            }
        }
        Ok(names)
    }

    fn exact(&mut self, input: &str, part: &Part) -> Result<String, Error> {
        let Part { module, shape, rows, has_bias, activation } = part;
        let weight = self.weight_rows(&format!("{module}.weight"), shape, rows.clone())?;
        let matmul = self.matmul(input, &weight);
        let bias = if *has_bias {
            Some(self.weight_rows(&format!("{module}.bias"), &[shape[0]], rows.clone())?)
        } else {
            None
        };
        Ok(match (bias, *activation) {
            (None, None) => matmul,
            (None, Some(activation)) => self.activate_sum(&matmul, activation),
            (Some(bias), None) => self.node("", "Add", &[&matmul, &bias], &[]),
            (Some(bias), Some(activation)) => self.activate(&matmul, &bias, activation),
        })
    }

    fn reduced(
        &mut self,
        input: &str,
        (parts, precision): (&[Part], Precision),
        places: &[usize],
        names: &mut [String],
    ) -> Result<(), Error> {
        let number = self.matmuls.len();
        let chosen: Vec<&Part> = places.iter().map(|place| &parts[*place]).collect();
        let pack = || {
            let packed = chosen.iter().map(|part| self.pack(part, precision)).collect::<Result<_, Error>>()?;
            Ok(PackedLinear::new(packed))
        };
        let matmul = match self.packing {
            Some(packing) => packing.packed(format!("{chosen:?}"), pack)?,
            None => Arc::new(pack()?),
        };
        self.count_memory(matmul.memory_bytes());
        self.matmuls.push(matmul);
        for place in places {
            names[*place] = format!("matmul_{number}_{place}");
        }
        let outputs: Vec<&str> = places.iter().map(|place| names[*place].as_str()).collect();
        let number = Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        self.named_node(OWN, MATMUL, &[input], &[(MATMUL_NUMBER, number)], &outputs);
        Ok(())
    }

    fn precision(&self, part: &Part) -> Result<Option<Precision>, Error> {
        let Some(packing) = self.packing else { return Ok(None) };
        let Reduction { attention, ffn_up, ffn_down, kept } = packing.reduction;
        let dtype = self.stored_type(&format!("{}.weight", part.module))?;
        if dtype != Dtype::I8 && self.has_bytes {
            return Ok(kept);
        }
        Ok(match part.rows.len().cmp(&part.shape[1]) {
            Ordering::Less => ffn_down,
            Ordering::Equal => attention,
            Ordering::Greater => ffn_up,
        })
    }

    fn pack(&self, part: &Part, precision: Precision) -> Result<Panels, Error> {
        let Part { module, shape, rows, has_bias, activation } = part;
        let name = format!("{module}.weight");
        let shape_of_rows = [rows.len(), shape[1]];
        let numbers = rows.start * shape[1]..rows.end * shape[1];
        let panels = if let Some((bytes, scales)) = self.stored_bytes(&name, *shape)? {
            Panels::of_bytes(&bytes[numbers], &scales[rows.clone()], shape_of_rows, precision)
        } else {
            Panels::of_floats(&self.read(&name, shape)?[numbers], shape_of_rows, precision)
        };
        let panels = panels.with_activation(*activation);
        if !has_bias {
            return Ok(panels);
        }
        let bias = self.read(&format!("{module}.bias"), &[shape[0]])?;
        Ok(panels.with_bias(&bias[rows.clone()]))
    }
}
