//! One row a question: `CLS instructions SEP (MASK option)* SEP state SEP`. The vector at a MASK decides about its option.
//! The layers between the encoder and the markers are part of the graph: see `graph/decision_layers.rs`.

use std::ops::Range;
use std::sync::Arc;

use super::budget::{QuestionBudget, QuestionTokens, is_read};
use super::frame::Frame;
use super::marker_heads::{MarkerHeads, MarkerRows};
use super::question_text::{QuestionText, type_prefix};
use super::state::{Beside, LEAST_STATE, StateTokens};
use super::user_text::UserText;
use crate::engines::{Row, RowRequest, Wanted};
use crate::error::Error;
use crate::families::{DecisionCard, DecisionLayout, Finish, LaidOut, StateReading};
use crate::package::{MarkerSettings, Package, QuestionSettings, QuestionType, Weights};
use crate::question::{Question, QuestionKind};
use crate::tokens::TextReader;

/// The layout and its heads.
pub struct MarkerDecisions {
    card: DecisionCard,
    settings: QuestionSettings,
    overlap: usize,
    frame: Frame,
    /// Tokens in front of the words of a yes-or-no question, which say its type.
    type_tokens: usize,
    mask: u32,
    /// What means that no option of a choice fits.
    abstain: Option<String>,
    /// What no text of a user may have: the mask token in all its spellings.
    reserved: Vec<String>,
    heads: Arc<MarkerHeads>,
}

/// What stands in front of the state.
struct Asked {
    ids: Vec<u32>,
    /// Where the options' markers are.
    markers: Vec<usize>,
    /// Where the marker of "none of them" is.
    abstain: Option<usize>,
    /// Where the words of a yes-or-no question are, behind its type.
    words: Range<usize>,
    /// Where the options' own tokens are, those of "none of them" last.
    options: Vec<Range<usize>>,
    is_cut: bool,
}

/// More tokens than the type of a question has.
const WHOLE_PREFIX: usize = 64;

/// The spellings of the mask token that published tokenizers have.
const MASKS: [&str; 2] = ["[MASK]", "<mask>"];

impl MarkerDecisions {
    /// Opens the heads of a package. `width` is that of the encoder.
    pub fn open(
        settings: &MarkerSettings,
        package: &Package,
        weights: &Weights,
        (reader, width): (&TextReader, usize),
    ) -> Result<Self, Error> {
        let named = settings.head.mask_token.as_deref();
        let masks: Vec<&str> = named.map_or_else(|| MASKS.to_vec(), |named| vec![named]);
        let mask = masks.iter().find_map(|token| reader.token_id(token)).ok_or_else(|| {
            let masks = masks.join(" or ");
            let problem =
                format!("has no token {masks}; name the one in front of options as decisions.head.mask_token");
            package.files.invalid("tokenizer.json", problem)
        })?;
        let another = named.filter(|named| !MASKS.contains(named));
        let questions = settings.questions.clone();
        let reserved: Vec<String> = MASKS.into_iter().chain(another).map(str::to_owned).collect();
        if let Some(abstain) = &settings.head.abstain
            && !is_read(reader, &UserText::new(abstain, &reserved).text, questions.option_tokens)?
        {
            let problem = "head.abstain has no word that the model reads; say in words that none of the options fits";
            return Err(package.files.invalid("rtrun.json", format!("decisions.{problem}")));
        }
        let card = DecisionCard {
            question_types: questions.types.iter().map(|kind| kind.as_str()).collect(),
            max_options: questions.max_options,
            is_packed: false,
        };
        Ok(Self {
            card,
            settings: questions,
            overlap: settings.window_overlap,
            frame: Frame::of(package, reader)?,
            type_tokens: reader.tokens(&type_prefix(QuestionType::Noul.as_str()), WHOLE_PREFIX)?.ids.len(),
            mask,
            abstain: settings.head.abstain.clone(),
            reserved,
            heads: Arc::new(MarkerHeads::open(settings, weights, width)?),
        })
    }

    /// The ids in front of the state, and where the options' markers are among them.
    fn question_ids(&self, read: &StateReading<'_>, question: &Question) -> Result<Asked, Error> {
        let frame = &self.frame;
        let fixed = frame.before.len() + 3 * frame.after.len();
        let budget = QuestionBudget {
            tokens: self.settings.tokens,
            option_tokens: self.settings.option_tokens,
            most: read.row_tokens.saturating_sub(fixed + LEAST_STATE),
        };
        let text = QuestionText::new(question, &self.settings);
        // A caller who names it as an option has it as one.
        let abstain = self.abstain.as_deref().filter(|_| matches!(question.kind, QuestionKind::Choice(_)));
        let tokens = QuestionTokens::read(read.reader, &text, &self.reserved, abstain, budget)?;
        let mut ids = [frame.before.as_slice(), &tokens.instructions, &frame.after].concat();
        let instructions = frame.before.len()..frame.before.len() + tokens.instructions.len();
        let words = (instructions.start + self.type_tokens).min(instructions.end)..instructions.end;
        let mut markers = Vec::with_capacity(tokens.options.len());
        let mut options = Vec::with_capacity(tokens.options.len());
        for option in &tokens.options {
            markers.push(ids.len());
            ids.push(self.mask);
            options.push(ids.len()..ids.len() + option.len());
            ids.extend_from_slice(option);
        }
        ids.extend_from_slice(&frame.after);
        let abstain = if tokens.has_spare { markers.pop() } else { None };
        Ok(Asked { ids, markers, abstain, words, options, is_cut: tokens.is_cut })
    }

    fn mark(&self, question: &Question) -> u8 {
        let kind = question.kind.as_str();
        let at = self.settings.types.iter().position(|known: &QuestionType| known.as_str() == kind);
        at.and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
    }

    fn lay_out_one(&self, read: &StateReading<'_>, question: &Question) -> Result<LaidOut, Error> {
        let Asked { ids: before, markers, abstain, words, options, is_cut } = self.question_ids(read, question)?;
        let after = &self.frame.after;
        let is_span = matches!(question.kind, QuestionKind::Span(_));
        let beside = Beside {
            fixed: before.len() + after.len(),
            overlap: self.overlap,
            with_places: is_span,
            reserved: &self.reserved,
        };
        let state = StateTokens::read(read, beside)?;
        let mark = self.mark(question);
        let row = |window: &Range<usize>| {
            let ids = [before.as_slice(), &state.ids[window.clone()], after].concat();
            RowRequest { row: Row { mark, ..Row::plain(ids) }, wanted: Wanted::TOKENS }
        };
        let rows = state.windows.iter().map(row).collect();
        let input = state.input;
        let (heads, question, from) = (Arc::clone(&self.heads), question.clone(), before.len());
        let text: Arc<str> = if is_span { read.shown() } else { "".into() };
        let asked = MarkerRows { question, markers, abstain, words, options, state, from, text };
        let finish: Finish<_> = Box::new(move |outputs, pace| {
            Box::pin(async move {
                let answer = if is_span {
                    heads.spans(&asked, outputs, pace).await
                } else {
                    heads.options(&asked, outputs, pace).await
                };
                vec![answer]
            })
        });
        Ok(LaidOut { rows, finish, input, cut: vec![is_cut] })
    }
}

impl DecisionLayout for MarkerDecisions {
    fn card(&self) -> &DecisionCard {
        &self.card
    }

    fn groups(&self, _read: &StateReading<'_>, questions: &[&Question]) -> Vec<Vec<usize>> {
        (0..questions.len()).map(|question| vec![question]).collect()
    }

    fn lay_out(&self, read: &StateReading<'_>, questions: &[&Question]) -> Result<LaidOut, Error> {
        let [question] = questions else {
            let count = questions.len();
            return Err(Error::Internal(format!("A group of one question has {count}; this is a bug")));
        };
        self.lay_out_one(read, question)
    }
}
