//! Whether two encoders give the same answers: the labels of every head, and the vectors where they are served.

use super::output::{compute, largest};
use super::probes::Probe;
use crate::engines::{Encoder, RowOutput, RowRequest, Wanted};
use crate::error::Error;
use crate::families::{Head, Surfaces};
use crate::model::golden_check::Candidate;
use crate::package::HeadKind;

/// The part of the labels that must agree.
const LEAST_LABEL_AGREEMENT: f64 = 0.99;

/// The part of the labels of a few probes below which the rest is not asked for.
const HOPELESS_LABEL_AGREEMENT: f64 = 0.9;

/// The cosine that every vector must reach.
const LEAST_COSINE: f64 = 0.999;

/// Relevances that are closer than this have no order to keep.
const SAME_RELEVANCE: f32 = 0.01;

/// How an encoder answers the probes.
#[derive(Debug, Default)]
pub struct Observed {
    /// By head and probe, the labels it decides on. Of a model that answers questions, the answers and the places.
    labels: Vec<Vec<Vec<usize>>>,
    /// By probe, the relevance of a rerank package.
    relevances: Vec<f32>,
    /// By probe, the vectors that must keep their direction, each `width` long.
    vectors: Vec<Vec<f32>>,
    width: usize,
    /// How many of the first numbers of a vector are served alone, the whole vector among them.
    lengths: Vec<usize>,
}

/// How far two encoders agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The part of the labels that are equal, of the head where it is least; `None` without heads.
    pub labels: Option<f64>,
    /// The least cosine; `None` where no vector is served.
    pub cosine: Option<f64>,
}

impl Agreement {
    /// Whether one may stand for the other.
    pub fn is_enough(&self) -> bool {
        reaches(self.labels, LEAST_LABEL_AGREEMENT) && reaches(self.cosine, LEAST_COSINE)
    }

    /// Whether more probes cannot bring it up to the limits: a cosine only falls, and labels are far off.
    pub fn is_hopeless(&self) -> bool {
        !(reaches(self.labels, HOPELESS_LABEL_AGREEMENT) && reaches(self.cosine, LEAST_COSINE))
    }

    /// What is short of the limits.
    pub fn shortfall(&self) -> String {
        let labels = self.labels.filter(|labels| !reaches(Some(*labels), LEAST_LABEL_AGREEMENT));
        let cosine = self.cosine.filter(|cosine| !reaches(Some(*cosine), LEAST_COSINE));
        let labels = labels.map(|labels| format!("{:.1} % of the labels agree, not 99 %", labels * 100.0));
        let cosine = cosine.map(|cosine| format!("the least cosine is {cosine:.5}, not 0.999"));
        labels.into_iter().chain(cosine).collect::<Vec<_>>().join(" and ")
    }
}

/// Whether a figure, if there is one, is a number of at least `least`.
fn reaches(figure: Option<f64>, least: f64) -> bool {
    figure.is_none_or(|figure| figure >= least)
}

/// Answers every probe, one row a forward. An output that is not finite fails it.
pub fn observe(encoder: &mut dyn Encoder, candidate: &Candidate, probes: &[Probe]) -> Result<Observed, Error> {
    let surfaces = candidate.surfaces;
    let width = encoder.dimension();
    let lengths = surfaces.embedding.as_ref().map_or_else(|| vec![width], |card| card.dimensions.clone());
    let mut observed = Observed { width, lengths, ..Observed::default() };
    observed.labels.resize_with(if surfaces.decisions.is_some() { 2 } else { surfaces.heads.len() }, Vec::new);
    for probe in probes {
        match probe {
            Probe::Row(row) => observed.row(encoder, surfaces, row)?,
            Probe::State(state) => {
                let asked = state.ask(encoder, candidate)?;
                observed.labels[0].push(asked.labels);
                observed.labels[1].push(asked.covered);
                // Questions read single tokens, so there every token counts.
                let vectors = asked.outputs.iter().filter_map(|output| output.tokens.as_ref());
                observed.vectors.extend(vectors.map(|vector| vector.to_vec()));
            }
        }
    }
    Ok(observed)
}

impl Observed {
    fn row(&mut self, encoder: &mut dyn Encoder, surfaces: &Surfaces, probe: &RowRequest) -> Result<(), Error> {
        let output = compute(encoder, probe)?;
        // Heads are asked of rows that take the whole way only.
        let heads = if probe.row.exit == 0 { surfaces.heads.as_slice() } else { &[] };
        for (labels, head) in self.labels.iter_mut().zip(heads) {
            labels.push(decided(head, &output, probe)?);
        }
        if let Some(head) = &surfaces.rerank {
            self.relevances.push(head.relevance(&output)?.1);
        }
        if surfaces.embedding.is_some() {
            self.vectors.push(output.sentence.as_ref().map(|vector| vector.to_vec()).unwrap_or_default());
        }
        Ok(())
    }
}

/// What the observation of [`observe`] needs of a row.
pub fn wanted(surfaces: &Surfaces) -> Wanted {
    surfaces.heads.iter().fold(Wanted::SENTENCE, |wanted, head| wanted.or(head.wanted()))
}

/// How far `other` agrees with `exact`. Both have answered the same probes.
pub fn compare(exact: &Observed, other: &Observed) -> Agreement {
    let of_heads = exact.labels.iter().zip(&other.labels).map(|(exact, other)| {
        let pairs = exact.iter().zip(other).flat_map(|(exact, other)| exact.iter().zip(other));
        part(pairs.map(|(exact, other)| exact == other))
    });
    let order = (!exact.relevances.is_empty()).then(|| order(&exact.relevances, &other.relevances));
    let width = exact.width.max(1);
    let cosines = exact.vectors.iter().zip(&other.vectors);
    let cosines = cosines.flat_map(|(exact, other)| exact.chunks(width).zip(other.chunks(width)));
    // A shortened vector has to keep its own direction.
    let cosines =
        cosines.flat_map(|(one, two)| exact.lengths.iter().map(move |length| cosine(&one[..*length], &two[..*length])));
    Agreement { labels: of_heads.chain(order).reduce(f64::min), cosine: cosines.reduce(f64::min) }
}

/// The label of a row or of each of its tokens; of a head whose labels do not exclude each other, whether each is
/// selected.
fn decided(head: &Head, output: &RowOutput, probe: &RowRequest) -> Result<Vec<usize>, Error> {
    Ok(match head.kind {
        HeadKind::Sequence => vec![largest(&head.probabilities(output)?)],
        HeadKind::Scores => {
            let probabilities = head.probabilities(output)?;
            probabilities.iter().zip(&head.thresholds).map(|(one, least)| usize::from(one >= least)).collect()
        }
        HeadKind::Token => {
            let probabilities = head.token_probabilities(output, 0..probe.row.len())?;
            probabilities.chunks_exact(head.labels.len()).map(largest).collect()
        }
    })
}

/// The part of neighbouring probes whose relevances have the same order.
fn order(exact: &[f32], other: &[f32]) -> f64 {
    let pairs = exact.windows(2).zip(other.windows(2));
    let pairs = pairs.filter(|(exact, _)| (exact[0] - exact[1]).abs() >= SAME_RELEVANCE);
    part(pairs.map(|(exact, other)| (exact[0] > exact[1]) == (other[0] > other[1])))
}

/// The part of what is true; all of nothing.
fn part(values: impl Iterator<Item = bool>) -> f64 {
    let (mut all, mut equal) = (0_u32, 0_u32);
    for is_equal in values {
        all += 1;
        equal += u32::from(is_equal);
    }
    if all == 0 { 1.0 } else { f64::from(equal) / f64::from(all) }
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot = |one: &[f32], other: &[f32]| -> f64 {
        one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
    };
    let length = (dot(one, one) * dot(other, other)).sqrt();
    // Two vectors of nothing are the same; one of them is not.
    if length > 0.0 { dot(one, other) / length } else { f64::from(u8::from(one == other)) }
}
