//! The operator for matmuls in reduced precision, computed by this crate on the threads of the library.

use std::ops::RangeInclusive;
use std::sync::Arc;

use ort::operator::{ComputeContext, Kernel, KernelContext, Operator, OperatorInput, OperatorOutput};
use ort::value::TensorElementType;

use super::threads::LibraryThreads;
use crate::graph::{MATMUL, MATMUL_NUMBER};
use crate::matmul::{PackedLinear, Scratch};

/// Rows of activations times the weights of the matmul that a node names.
pub struct MatmulOperator {
    /// All matmuls of the graph.
    pub matmuls: Vec<Arc<PackedLinear>>,
}

pub struct MatmulKernel {
    matmul: Arc<PackedLinear>,
    scratch: Scratch,
}

impl Operator for MatmulOperator {
    type Kernel<'attr> = MatmulKernel;

    fn name(&self) -> &'static str {
        MATMUL
    }

    fn versions(&self) -> RangeInclusive<u32> {
        1..=1
    }

    fn inputs(&self) -> impl IntoIterator<Item = OperatorInput> {
        [OperatorInput::required(TensorElementType::Float32)]
    }

    fn outputs(&self) -> impl IntoIterator<Item = OperatorOutput> {
        [OperatorOutput::variadic(1).homogenous(TensorElementType::Float32)]
    }

    fn create_kernel<'attr>(&self, context: &KernelContext<'attr>) -> ort::Result<Self::Kernel<'attr>> {
        let number = context.get::<i64>(MATMUL_NUMBER).and_then(|number| usize::try_from(number).ok());
        let matmul = number.and_then(|number| self.matmuls.get(number));
        let matmul = matmul.ok_or_else(|| ort::Error::new("a node names a matmul that the graph does not have"))?;
        Ok(MatmulKernel { matmul: Arc::clone(matmul), scratch: Scratch::default() })
    }
}

impl Kernel for MatmulKernel {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        let missing = || ort::Error::new("a matmul lacks its input or output");
        let input = context.input(0)?.ok_or_else(missing)?;
        let (shape, rows) = input.try_extract_tensor::<f32>()?;
        let mut shape = shape.to_vec();
        let width = shape.last_mut().ok_or_else(missing)?;
        if usize::try_from(*width) != Ok(self.matmul.inputs()) {
            return Err(ort::Error::new("the input of a matmul has another width than its weights"));
        }
        let mut outputs = Vec::new();
        for (index, width) in self.matmul.outputs().enumerate() {
            *shape.last_mut().ok_or_else(missing)? = i64::try_from(width).unwrap_or(i64::MAX);
            outputs.push(context.output(index, shape.clone())?.ok_or_else(missing)?);
        }
        let mut results = Vec::with_capacity(outputs.len());
        for output in &mut outputs {
            results.push(output.try_extract_tensor_mut::<f32>()?.1);
        }
        let threads = LibraryThreads::of(context);
        self.matmul.compute(rows, &mut results, &mut self.scratch, &threads);
        threads.outcome()
    }
}
