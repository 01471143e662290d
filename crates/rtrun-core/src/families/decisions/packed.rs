//! All questions in one row: `<bos> ([Q] question ([O] option)* [ABS]?)* ([E] label)* [SEP_SCHEMA] [SEG] state <eos>`.
//! The state is read once for all of them, so this is what the profile `shared_context` means.

use std::ops::Range;
use std::sync::Arc;

use super::budget::{QuestionBudget, QuestionTokens};
use super::frame::Frame;
use super::packed_heads::{PackedHeads, PackedRows, Placed};
use super::question_text::QuestionText;
use super::state::{Beside, LEAST_STATE, StateTokens};
use crate::engines::{Row, RowRequest, Wanted};
use crate::error::Error;
use crate::families::{DecisionCard, DecisionLayout, Finish, LaidOut, StateReading};
use crate::package::{Markers, Package, PackedSettings, QuestionSettings, Weights};
use crate::question::{Question, QuestionKind};
use crate::tokens::TextReader;

/// The layout and its heads.
pub struct PackedDecisions {
    card: DecisionCard,
    settings: QuestionSettings,
    frame: Frame,
    markers: Markers,
    overlap: usize,
    /// What no text of a user may have: the markers.
    reserved: Vec<String>,
    heads: Arc<PackedHeads>,
}

impl PackedDecisions {
    /// Opens the heads of a package. `width` is that of the encoder.
    pub fn open(
        settings: &PackedSettings,
        package: &Package,
        weights: &Weights,
        (reader, width): (&TextReader, usize),
    ) -> Result<Self, Error> {
        let markers = settings.markers;
        let Markers { question, option, abstain, label, schema_end, segment } = markers;
        let ids = [Some(question), Some(option), abstain, label, Some(schema_end), Some(segment)];
        let token = |id: u32| {
            let problem = || format!("decisions.markers has the id {id}, which tokenizer.json does not have");
            reader.token(id).ok_or_else(|| package.files.invalid("rtrun.json", problem()))
        };
        let reserved = ids.into_iter().flatten().map(token).collect::<Result<Vec<_>, _>>()?;
        let card = DecisionCard {
            question_types: settings.questions.types.iter().map(|kind| kind.as_str()).collect(),
            max_options: settings.questions.max_options,
            is_packed: true,
        };
        Ok(Self {
            card,
            settings: settings.questions.clone(),
            frame: Frame::of(package, reader)?,
            markers,
            overlap: settings.window_overlap,
            reserved,
            heads: Arc::new(PackedHeads::open(settings, weights, width)?),
        })
    }

    /// Tokens of a row that belong to no question and not to the state.
    fn frame_tokens(&self) -> usize {
        self.frame.before.len() + self.frame.after.len() + 2
    }

    fn read_question(&self, read: &StateReading<'_>, question: &Question) -> Result<QuestionTokens, Error> {
        let budget = QuestionBudget {
            tokens: self.settings.tokens,
            option_tokens: self.settings.option_tokens,
            most: read.row_tokens.saturating_sub(self.frame_tokens() + LEAST_STATE + EXTRA_MARKERS),
        };
        let text = QuestionText::new(question, &self.settings);
        QuestionTokens::read(read.reader, &text, &self.reserved, None, budget)
    }

    /// The ids in front of the state, and where the parts of every question are among them.
    fn schema(&self, read: &StateReading<'_>, questions: &[&Question]) -> Result<(Vec<u32>, Vec<Placed>), Error> {
        let mut ids = self.frame.before.clone();
        let mut placed = Vec::with_capacity(questions.len());
        let mut labels: Vec<(usize, Vec<Vec<u32>>)> = Vec::new();
        for (index, question) in questions.iter().enumerate() {
            let QuestionTokens { instructions, options, is_cut, .. } = self.read_question(read, question)?;
            let mut parts = Placed { question: ids.len(), options: Vec::new(), abstain: None, is_cut };
            ids.push(self.markers.question);
            ids.extend(instructions);
            if matches!(question.kind, QuestionKind::Span(_)) {
                labels.push((index, options));
            } else {
                parts.options = append(&mut ids, self.markers.option, options);
            }
            if let (Some(abstain), QuestionKind::Choice(_)) = (self.markers.abstain, &question.kind) {
                parts.abstain = Some(ids.len());
                ids.push(abstain);
            }
            placed.push(parts);
        }
        for (index, options) in labels {
            let marker = self.markers.label.unwrap_or(self.markers.option);
            placed[index].options = append(&mut ids, marker, options);
        }
        ids.extend([self.markers.schema_end, self.markers.segment]);
        Ok((ids, placed))
    }
}

/// Markers of a question beside those of its options: its own, and the one that abstains.
const EXTRA_MARKERS: usize = 2;

/// Appends options, each behind its marker, and says where the markers are.
fn append(ids: &mut Vec<u32>, marker: u32, options: Vec<Vec<u32>>) -> Vec<usize> {
    let mut places = Vec::with_capacity(options.len());
    for option in options {
        places.push(ids.len());
        ids.push(marker);
        ids.extend(option);
    }
    places
}

impl DecisionLayout for PackedDecisions {
    fn card(&self) -> &DecisionCard {
        &self.card
    }

    /// Questions fill a row in their order until the state, or half a row of it, would no longer fit beside them.
    fn groups(&self, read: &StateReading<'_>, questions: &[&Question]) -> Vec<Vec<usize>> {
        let half = read.row_tokens / 2;
        // A state that cannot be read fails when its rows are laid out.
        let state = read.reader.tokens(read.state, half).map_or(0, |found| found.ids.len().min(half));
        let room = read.row_tokens.saturating_sub(self.frame_tokens() + state.max(LEAST_STATE));
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut taken = 0;
        for (index, question) in questions.iter().enumerate() {
            // A question that cannot be read stands alone, so that it fails alone.
            let needed = self.read_question(read, question).map_or(usize::MAX, |question| question.len());
            let needed = needed.saturating_add(EXTRA_MARKERS);
            match groups.last_mut() {
                Some(group) if needed <= room.saturating_sub(taken) => {
                    group.push(index);
                    taken += needed;
                }
                _ => {
                    groups.push(vec![index]);
                    taken = needed;
                }
            }
        }
        groups
    }

    fn lay_out(&self, read: &StateReading<'_>, questions: &[&Question]) -> Result<LaidOut, Error> {
        let (before, placed) = self.schema(read, questions)?;
        let after = &self.frame.after;
        let with_places = questions.iter().any(|question| matches!(question.kind, QuestionKind::Span(_)));
        let fixed = before.len() + after.len();
        let beside = Beside { fixed, overlap: self.overlap, with_places, reserved: &self.reserved };
        let state = StateTokens::read(read, beside)?;
        let row = |window: &Range<usize>| {
            let ids = [before.as_slice(), &state.ids[window.clone()], after].concat();
            RowRequest { row: Row::plain(ids), wanted: Wanted::TOKENS }
        };
        let rows = state.windows.iter().map(row).collect();
        let input = state.input;
        let heads = Arc::clone(&self.heads);
        let laid = PackedRows {
            questions: questions.iter().map(|question| (*question).clone()).collect(),
            placed,
            from: before.len(),
            state,
            text: if with_places { read.shown() } else { "".into() },
        };
        let cut = laid.placed.iter().map(|placed| placed.is_cut).collect();
        let finish: Finish<_> =
            Box::new(move |outputs, pace| Box::pin(async move { heads.answers(&laid, outputs, pace).await }));
        Ok(LaidOut { rows, finish, input, cut })
    }
}
