//! What a forward gives for each of its rows.

use ort::session::SessionOutputs;

use super::session::SessionOptions;
use crate::engines::encoder::{RowOutput, RowRequest, RowVector};
use crate::engines::pool::{normalize, pool, sum};
use crate::graph::{Output, Per};
use crate::package::Pooling;

/// Copies what each row wants out of the outputs of its forward.
pub fn row_outputs(
    outputs: &SessionOutputs,
    output: &Output,
    rows: &[RowRequest],
    options: SessionOptions,
) -> ort::Result<Vec<RowOutput>> {
    let values = |name: &str| outputs[name].try_extract_tensor::<f32>().map(|(_, values)| values);
    let last = values(&output.name)?;
    let of_heads = output.heads.as_deref().map_or(Ok(last), values)?;
    let of_means = output.means.iter().map(|name| values(name)).collect::<ort::Result<Vec<_>>>()?;
    let (width, grid_tokens) = (output.width, rows.iter().map(|request| request.row.len()).max().unwrap_or(0));
    let row_output = |(index, RowRequest { row, wanted }): (usize, &RowRequest)| match output.per {
        Per::Row => {
            let vector = &last[index * width..][..width];
            RowOutput { sentence: Some(finished(vector.to_vec(), options)), ..RowOutput::default() }
        }
        Per::Token => {
            // Only the row's own tokens are read, so padding cannot touch its answer.
            let start = index * grid_tokens * width;
            let own = start..start + row.len() * width;
            let (tokens, read) = (&last[own.clone()], &of_heads[own.clone()]);
            let others: Vec<&[f32]> = of_means.iter().map(|layer| &layer[own.clone()]).collect();
            RowOutput {
                sentence: wanted.sentence.then(|| finished(pool(tokens, width, options.pooling), options)),
                mean: wanted.mean.then(|| means(&others, read, width)),
                tokens: wanted.tokens.then(|| RowVector::from(read)),
                halves: wanted.halves.then(|| {
                    let middle = row.len() / 2 * width;
                    let layers = others.iter().chain([&read]).map(|layer| layer.split_at(middle));
                    let (first, second): (Vec<_>, Vec<_>) = layers.unzip();
                    [sum(&first, width), sum(&second, width)]
                }),
            }
        }
    };
    Ok(rows.iter().enumerate().map(row_output).collect())
}

/// What heads over the mean of tokens read of one row: that of the layer that heads read, or, where they read others too,
/// those of all of them, each of length 1 so that none drowns another.
fn means(others: &[&[f32]], read: &[f32], width: usize) -> RowVector {
    let mean = |layer: &[f32]| pool(layer, width, Pooling::Mean);
    if others.is_empty() {
        return mean(read).into();
    }
    let layers = others.iter().chain([&read]);
    let each = layers.map(|layer| {
        let mut vector = mean(layer);
        normalize(&mut vector);
        vector
    });
    each.flatten().collect()
}

/// The pooled vector of one row, of length 1 where that is asked for.
fn finished(mut vector: Vec<f32>, options: SessionOptions) -> RowVector {
    if options.normalize {
        normalize(&mut vector);
    }
    vector.into()
}
