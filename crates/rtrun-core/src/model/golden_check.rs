//! The self-check at load: recorded probes answered twice, equal to each other and close to the record.

use std::sync::Arc;

use super::card::GoldenStatus;
use crate::answer::{Pace, at_once};
use crate::devices::Device;
use crate::engines::{Encoder, Row, RowOutput, RowRequest, Wanted};
use crate::error::Error;
use crate::families::{DecisionLayout, StateMemo, StateReading, Surfaces};
use crate::media::{ImageReader, MediaKind};
use crate::package::{GoldenDecisions, GoldenQuestion, Package};
use crate::question::Question;
use crate::schedule::Allowance;
use crate::tokens::{Overflow, TextReader};

/// What the check needs of a model that does not serve yet.
pub struct Candidate<'m> {
    pub package: &'m Package,
    pub surfaces: &'m Surfaces,
    pub reader: &'m TextReader,
    pub images: Option<&'m ImageReader>,
}

/// What a package without probes is asked.
const WITHOUT_PROBES: &str = "Is there an answer?";

/// Runs every probe. A package without probes is unverified, and has to answer with numbers; one that differs is refused.
pub fn check_golden(candidate: &Candidate, device: Device, encoder: &mut dyn Encoder) -> Result<GoldenStatus, Error> {
    let Some(golden) = &candidate.package.golden else {
        candidate.check_finite(encoder)?;
        return Ok(GoldenStatus { status: "unverified", checked: 0, reference: None, tolerance: None });
    };
    let tolerance = device.tolerance(golden.tolerance);
    for probe in &golden.embeddings {
        let output = candidate.twice(encoder, &candidate.text_row(&probe.text, Wanted::SENTENCE)?)?;
        let vector = output.sentence.unwrap_or_else(|| [].into());
        candidate.compare("embeddings", &vector, &probe.vector, tolerance)?;
    }
    for probe in &golden.images {
        let output = candidate.twice(encoder, &candidate.image_row(&probe.image)?)?;
        let vector = output.sentence.unwrap_or_else(|| [].into());
        candidate.compare("images", &vector, &probe.vector, tolerance)?;
    }
    for probe in &golden.classify {
        let head = candidate.surfaces.heads.iter().find(|head| head.name == probe.head);
        let head = head.ok_or_else(|| candidate.failed(format_args!("there is no head {:?}", probe.head)))?;
        let output = candidate.twice(encoder, &candidate.text_row(&probe.text, head.wanted())?)?;
        let probabilities = head.probabilities(&output)?;
        candidate.compare(&head.name, &probabilities, &probe.probabilities, tolerance)?;
    }
    for probe in &golden.decisions {
        candidate.check_questions(encoder, probe, tolerance)?;
    }
    Ok(GoldenStatus {
        status: "matched",
        checked: golden.probes(),
        reference: Some(golden.reference.clone()),
        tolerance: Some(tolerance),
    })
}

impl Candidate<'_> {
    fn text_row(&self, text: &str, wanted: Wanted) -> Result<RowRequest, Error> {
        let ids = self.reader.read(text, self.package.max_tokens, Overflow::Truncate)?.ids;
        let padding = self.surfaces.embedding.as_ref().and_then(|card| card.padding);
        let ids = padding.map_or_else(|| ids.clone(), |padding| padding.pad(&ids).into());
        Ok(RowRequest { row: Row::plain(ids), wanted })
    }

    fn image_row(&self, url: &str) -> Result<RowRequest, Error> {
        let images = self.images.ok_or_else(|| self.failed("the model reads no images"))?;
        let picture = images.read(url).map_err(|fault| fault.at(MediaKind::Image, "images", &self.package.name));
        let picture = picture.map_err(|error| self.failed(error))?;
        Ok(RowRequest { row: Row::picture(picture), wanted: Wanted::SENTENCE })
    }

    /// Damage to a layer shows in any answer, and every request would find it out; damage to one word's vector shows only where the
    /// word stands, and fails that text alone.
    fn check_finite(&self, encoder: &mut dyn Encoder) -> Result<(), Error> {
        // A model of images alone reads no text.
        let Ok(row) = self.text_row(WITHOUT_PROBES, Wanted::ALL) else { return Ok(()) };
        let output = encoder.encode(std::slice::from_ref(&row))?.remove(0);
        let heads = self.surfaces.heads.iter().filter(|head| head.scheme.is_none());
        let mut found = heads.map(|head| head.probabilities(&output));
        if output.is_finite() && !found.any(|found| matches!(found, Err(Error::InvalidModelOutput(_)))) {
            return Ok(());
        }
        let problem = "are damaged: a text is answered with a number that is not finite";
        Err(Error::SelfCheckFailed(self.package.files.invalid("weights", problem).to_string()))
    }

    fn twice(&self, encoder: &mut dyn Encoder, row: &RowRequest) -> Result<RowOutput, Error> {
        let row = std::slice::from_ref(row);
        let first = encoder.encode(row)?.remove(0);
        let second = encoder.encode(row)?.remove(0);
        let bits = |output: &RowOutput| -> Vec<u32> {
            output.vectors().flat_map(|vector| vector.iter().map(|value| value.to_bits())).collect()
        };
        if bits(&first) == bits(&second) { Ok(first) } else { Err(self.failed("two answers to the same probe differ")) }
    }

    /// Asks the questions of a probe; its state is read in windows where it is long.
    fn check_questions(&self, encoder: &mut dyn Encoder, probe: &GoldenDecisions, tolerance: f32) -> Result<(), Error> {
        let (layout, read) = self.reading(&probe.state)?;
        let questions: Vec<Question> = probe.questions.iter().map(GoldenQuestion::question).collect();
        let questions: Vec<&Question> = questions.iter().collect();
        for group in layout.groups(&read, &questions) {
            let asked: Vec<&Question> = group.iter().map(|index| questions[*index]).collect();
            let laid_out = layout.lay_out(&read, &asked)?;
            let outputs = laid_out.rows.iter().map(|row| self.twice(encoder, row).map(Arc::new));
            let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
            for (index, answer) in group.iter().zip(at_once((laid_out.finish)(&outputs, &mut Pace::at_once()))) {
                let recorded = &probe.questions[*index];
                let what = format!("decisions ({})", questions[*index].kind.as_str());
                let different = || self.failed(format_args!("a probe of {what} has another form or other places"));
                let (found, recorded) = recorded.compared(&answer?).ok_or_else(different)?;
                self.compare(&what, &found, &recorded, tolerance)?;
            }
        }
        Ok(())
    }

    /// How the state of a probe is read: whole, in windows where it is long.
    pub fn reading<'p>(&'p self, state: &'p str) -> Result<(&'p dyn DecisionLayout, StateReading<'p>), Error> {
        let none = || self.failed("there are probes of decisions, but the model answers no questions");
        let layout = self.surfaces.decisions.as_deref().ok_or_else(none)?;
        let read = StateReading {
            reader: self.reader,
            state,
            row_tokens: self.package.max_tokens,
            scan_tokens: usize::MAX / 2,
            can_raise: false,
            overflow: Overflow::Window,
            allowance: Allowance::new(usize::MAX),
            memo: StateMemo::default(),
        };
        Ok((layout, read))
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
