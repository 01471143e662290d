//! Normalized sums on a CPU, computed by this crate: the library's own take a tenth of a forward.

use std::ops::RangeInclusive;

use ort::operator::{ComputeContext, Kernel, KernelContext, Operator, OperatorInput, OperatorOutput};
use ort::value::{DynValue, TensorElementType, TensorValueType};
use prost::Message;

use super::threads::LibraryThreads;
use crate::engines::normalized_sum::NormalizedSum;
use crate::graph::onnx::Model;
use crate::graph::{CONTRIB, OWN};

/// The operator's name in the library and here. Inputs and attribute are the library's; of its outputs, the first is the
/// normalized sum and the last the sum.
const NAME: &str = "SkipLayerNormalization";

/// Where the sum stands in the library's outputs, and in those of the operator here.
const SUM: (usize, usize) = (3, 1);

/// A generated model with its normalized sums computed by [`NormOperator`].
pub fn with_own_norms(bytes: Vec<u8>) -> Vec<u8> {
    // What cannot be read here is refused by the library, with a better message.
    let Ok(mut model) = Model::decode(bytes.as_slice()) else { return bytes };
    let nodes = model.graph.iter_mut().flat_map(|graph| &mut graph.node);
    for node in nodes.filter(|node| node.op_type.as_deref() == Some(NAME) && node.domain.as_deref() == Some(CONTRIB)) {
        node.domain = Some(OWN.to_owned());
        if node.output.len() > SUM.0 {
            let sum = node.output.swap_remove(SUM.0);
            node.output.truncate(SUM.1);
            node.output.push(sum);
        }
    }
    model.encode_to_vec()
}

/// Adds up two inputs and a bias, and normalizes the sum.
pub struct NormOperator;

pub struct NormKernel {
    epsilon: f32,
    /// Read at the first forward: they are the same in every other.
    vectors: Option<Vectors>,
}

/// Numbers of the graph's weights.
struct Vectors {
    gamma: Vec<f32>,
    beta: Option<Vec<f32>>,
    bias: Option<Vec<f32>>,
}

impl Operator for NormOperator {
    type Kernel<'attr> = NormKernel;

    fn name(&self) -> &'static str {
        NAME
    }

    fn versions(&self) -> RangeInclusive<u32> {
        1..=1
    }

    fn inputs(&self) -> impl IntoIterator<Item = OperatorInput> {
        let (needed, optional) = (OperatorInput::required, OperatorInput::optional);
        let float = TensorElementType::Float32;
        [needed(float), needed(float), needed(float), optional(float), optional(float)]
    }

    fn outputs(&self) -> impl IntoIterator<Item = OperatorOutput> {
        let float = TensorElementType::Float32;
        [OperatorOutput::required(float), OperatorOutput::optional(float)]
    }

    fn create_kernel<'attr>(&self, context: &KernelContext<'attr>) -> ort::Result<Self::Kernel<'attr>> {
        let epsilon = context.get::<f32>("epsilon");
        let epsilon = epsilon.ok_or_else(|| ort::Error::new("a normalized sum has no epsilon"))?;
        Ok(NormKernel { epsilon, vectors: None })
    }
}

impl Kernel for NormKernel {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        let (one, other) = (context.input(0)?.ok_or_else(missing)?, context.input(1)?.ok_or_else(missing)?);
        let (shape, one) = one.try_extract_tensor::<f32>()?;
        let (_, other) = other.try_extract_tensor::<f32>()?;
        let Vectors { gamma, beta, bias } = match &mut self.vectors {
            Some(vectors) => vectors,
            none => none.insert(Vectors::read(context)?),
        };
        let mut result = context.output(0, shape.to_vec())?.ok_or_else(missing)?;
        let (_, result) = result.try_extract_tensor_mut::<f32>()?;
        let mut sum = if context.num_outputs()? > 1 { context.output(1, shape.to_vec())? } else { None };
        let sum = sum.as_mut().map(|sum| sum.try_extract_tensor_mut::<f32>()).transpose()?.map(|(_, sum)| sum);
        let norm = NormalizedSum { gamma, beta: beta.as_deref(), bias: bias.as_deref(), epsilon: self.epsilon };
        let fits = norm.fits() && other.len() == one.len() && one.len().is_multiple_of(gamma.len());
        if !fits {
            return Err(ort::Error::new("the inputs of a normalized sum have different widths"));
        }
        let threads = LibraryThreads::of(context);
        norm.compute((one, other), (result, sum), &threads);
        threads.outcome()
    }
}

impl Vectors {
    fn read(context: &ComputeContext) -> ort::Result<Self> {
        let count = context.num_inputs()?;
        let read = |index| match if index < count { context.input(index)? } else { None } {
            Some(value) => numbers(&value).map(Some),
            None => Ok(None),
        };
        Ok(Self { gamma: read(2)?.ok_or_else(missing)?, beta: read(3)?, bias: read(4)? })
    }
}

fn missing() -> ort::Error {
    ort::Error::new("a normalized sum lacks an input or its output")
}

/// The numbers of a weight, copied: in the author's file they may stand at any byte.
fn numbers(value: &DynValue) -> ort::Result<Vec<f32>> {
    #![allow(unsafe_code, reason = "only a pointer can be read where numbers are not aligned")]
    let tensor = value.view().downcast::<TensorValueType<f32>>()?;
    let first = tensor.data_ptr().cast::<f32>();
    // SAFETY: the library has as many numbers behind the pointer as the shape says, on the CPU like the operator.
    Ok((0..tensor.shape().num_elements()).map(|at| unsafe { first.add(at).read_unaligned() }).collect())
}
