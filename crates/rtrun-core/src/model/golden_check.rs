//! The self-check at load: recorded probes answered twice, equal to each other and close to the record.

use super::card::GoldenStatus;
use crate::engines::{Encoder, Row, RowOutput, RowRequest, Wanted};
use crate::error::Error;
use crate::families::Surfaces;
use crate::media::{ImageReader, MediaKind};
use crate::package::Package;
use crate::tokens::{Overflow, TextReader};

/// What the check needs of a model that does not serve yet.
pub struct Candidate<'m> {
    pub package: &'m Package,
    pub surfaces: &'m Surfaces,
    pub reader: &'m TextReader,
    pub images: Option<&'m ImageReader>,
}

/// Runs every probe. A package without probes is unverified; one that differs is refused.
pub fn check_golden(candidate: &Candidate, encoder: &mut dyn Encoder) -> Result<GoldenStatus, Error> {
    let Some(golden) = &candidate.package.golden else {
        return Ok(GoldenStatus { status: "unverified", checked: 0, reference: None, tolerance: None });
    };
    for probe in &golden.embeddings {
        let output = candidate.output_twice(encoder, candidate.text_row(&probe.text)?)?;
        let vector = output.sentence.unwrap_or_else(|| [].into());
        candidate.compare("embeddings", &vector, &probe.vector, golden.tolerance)?;
    }
    for probe in &golden.images {
        let output = candidate.output_twice(encoder, candidate.image_row(&probe.image)?)?;
        let vector = output.sentence.unwrap_or_else(|| [].into());
        candidate.compare("images", &vector, &probe.vector, golden.tolerance)?;
    }
    for probe in &golden.classify {
        let head = candidate.surfaces.heads.iter().find(|head| head.name == probe.head);
        let head = head.ok_or_else(|| candidate.failed(format_args!("there is no head {:?}", probe.head)))?;
        let output = candidate.output_twice(encoder, candidate.text_row(&probe.text)?)?;
        let probabilities = head.probabilities(&output)?;
        candidate.compare(&head.name, &probabilities, &probe.probabilities, golden.tolerance)?;
    }
    Ok(GoldenStatus {
        status: "matched",
        checked: golden.embeddings.len() + golden.images.len() + golden.classify.len(),
        reference: Some(golden.reference.clone()),
        tolerance: Some(golden.tolerance),
    })
}

impl Candidate<'_> {
    fn text_row(&self, text: &str) -> Result<Row, Error> {
        let ids = self.reader.read(text, self.package.max_tokens, Overflow::Truncate)?.ids;
        let padding = self.surfaces.embedding.as_ref().and_then(|card| card.padding);
        Ok(Row::plain(padding.map_or_else(|| ids.clone(), |padding| padding.pad(&ids).into())))
    }

    fn image_row(&self, url: &str) -> Result<Row, Error> {
        let images = self.images.ok_or_else(|| self.failed("the model reads no images"))?;
        let picture = images.read(url).map_err(|fault| fault.at(MediaKind::Image, "images", &self.package.name));
        picture.map(Row::picture).map_err(|error| self.failed(error))
    }

    fn output_twice(&self, encoder: &mut dyn Encoder, row: Row) -> Result<RowOutput, Error> {
        let row = [RowRequest { row, wanted: Wanted::SENTENCE }];
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
