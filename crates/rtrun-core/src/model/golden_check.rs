//! The self-check at load: recorded probes answered twice, equal to each other and close to the record.

use super::card::GoldenStatus;
use crate::devices::Device;
use crate::engines::{Encoder, RowOutput, RowRequest};
use crate::error::Error;
use crate::families::Surfaces;
use crate::package::Package;
use crate::tokens::{Overflow, TextReader};

/// What the check needs of a model that does not serve yet.
pub struct Candidate<'m> {
    pub package: &'m Package,
    pub surfaces: &'m Surfaces,
    pub reader: &'m TextReader,
}

/// Runs every probe. A package without probes is unverified; one that differs is refused.
pub fn check_golden(candidate: &Candidate, device: Device, encoder: &mut dyn Encoder) -> Result<GoldenStatus, Error> {
    let Some(golden) = &candidate.package.golden else {
        return Ok(GoldenStatus { status: "unverified", checked: 0, reference: None, tolerance: None });
    };
    let tolerance = device.tolerance(golden.tolerance);
    for probe in &golden.embeddings {
        let output = candidate.output_twice(encoder, &probe.text)?;
        let vector = output.sentence.unwrap_or_else(|| [].into());
        candidate.compare("embeddings", &vector, &probe.vector, tolerance)?;
    }
    for probe in &golden.classify {
        let head = candidate.surfaces.heads.iter().find(|head| head.name == probe.head);
        let head = head.ok_or_else(|| candidate.failed(format_args!("there is no head {:?}", probe.head)))?;
        let output = candidate.output_twice(encoder, &probe.text)?;
        let probabilities = head.probabilities(&output)?;
        candidate.compare(&head.name, &probabilities, &probe.probabilities, tolerance)?;
    }
    Ok(GoldenStatus {
        status: "matched",
        checked: golden.embeddings.len() + golden.classify.len(),
        reference: Some(golden.reference.clone()),
        tolerance: Some(tolerance),
    })
}

impl Candidate<'_> {
    fn output_twice(&self, encoder: &mut dyn Encoder, text: &str) -> Result<RowOutput, Error> {
        let row = self.reader.read(text, self.package.max_tokens, Overflow::Truncate)?.ids;
        let row = [RowRequest::sentence(row)];
        let first = encoder.encode(&row)?.remove(0);
        let second = encoder.encode(&row)?.remove(0);
        let bits = |output: &RowOutput| -> Vec<u32> {
            output.sentence.iter().flat_map(|vector| vector.iter().map(|value| value.to_bits())).collect()
        };
        if bits(&first) == bits(&second) { Ok(first) } else { Err(self.failed("two answers to the same probe differ")) }
    }

    fn compare(&self, what: &str, found: &[f32], recorded: &[f32], tolerance: f32) -> Result<(), Error> {
        if found.len() != recorded.len() {
            let (found, recorded) = (found.len(), recorded.len());
            return Err(self.failed(format_args!("a probe of {what} has {found} values; {recorded} are recorded")));
        }
        let differences = found.iter().zip(recorded).map(|(one, other)| (one - other).abs());
        // A value that is not a number is not within any tolerance.
        if differences.clone().all(|difference| difference <= tolerance) {
            return Ok(());
        }
        let worst = differences.fold(0.0, |worst, difference| if difference <= worst { worst } else { difference });
        Err(self.failed(format_args!("a probe of {what} is off by {worst}; {tolerance} is allowed")))
    }

    fn failed(&self, problem: impl std::fmt::Display) -> Error {
        let error = self.package.files.invalid("golden.json", format_args!("the self-check failed: {problem}"));
        Error::SelfCheckFailed(error.to_string())
    }
}
