//! The operator for products in reduced precision, computed by this crate on the threads of the library.

use std::ops::RangeInclusive;
use std::sync::Arc;

use ort::operator::{ComputeContext, Kernel, KernelContext, Operator, OperatorInput, OperatorOutput};
use ort::value::TensorElementType;

use super::threads::LibraryThreads;
use crate::graph::{PRODUCT, PRODUCT_NUMBER};
use crate::products::{Product, Scratch};

/// Rows of activations times the weights of the product that a node names.
pub struct ProductOperator {
    /// All products of the graph.
    pub products: Vec<Arc<Product>>,
}

pub struct ProductKernel {
    product: Arc<Product>,
    scratch: Scratch,
}

impl Operator for ProductOperator {
    type Kernel<'attr> = ProductKernel;

    fn name(&self) -> &'static str {
        PRODUCT
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
        let number = context.get::<i64>(PRODUCT_NUMBER).and_then(|number| usize::try_from(number).ok());
        let product = number.and_then(|number| self.products.get(number));
        let product = product.ok_or_else(|| ort::Error::new("a node names a product that the graph does not have"))?;
        Ok(ProductKernel { product: Arc::clone(product), scratch: Scratch::default() })
    }
}

impl Kernel for ProductKernel {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        let missing = || ort::Error::new("a product lacks its input or output");
        let input = context.input(0)?.ok_or_else(missing)?;
        let (shape, rows) = input.try_extract_tensor::<f32>()?;
        let mut shape = shape.to_vec();
        let width = shape.last_mut().ok_or_else(missing)?;
        if usize::try_from(*width) != Ok(self.product.inputs()) {
            return Err(ort::Error::new("the input of a product has another width than its weights"));
        }
        let mut outputs = Vec::new();
        for (index, width) in self.product.outputs().enumerate() {
            *shape.last_mut().ok_or_else(missing)? = i64::try_from(width).unwrap_or(i64::MAX);
            outputs.push(context.output(index, shape.clone())?.ok_or_else(missing)?);
        }
        let mut results = Vec::with_capacity(outputs.len());
        for output in &mut outputs {
            results.push(output.try_extract_tensor_mut::<f32>()?.1);
        }
        let threads = LibraryThreads::of(context);
        self.product.compute(rows, &mut results, &mut self.scratch, &threads);
        threads.outcome()
    }
}
