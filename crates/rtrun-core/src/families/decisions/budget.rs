//! How questions and options that are too long give way: the budgets that Laya models were trained with, and a harder
//! cut where even those would leave no room for the state.

use std::collections::HashMap;

use super::question_text::QuestionText;
use super::user_text::UserText;
use crate::error::Error;
use crate::tokens::TextReader;

/// A question in tokens, without its markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionTokens {
    /// Of the instructions.
    pub instructions: Vec<u32>,
    /// Of every option, the spare one last.
    pub options: Vec<Vec<u32>>,
    /// Whether there is a spare option.
    pub has_spare: bool,
    /// Whether the question has more of them than these.
    pub is_cut: bool,
}

/// How many tokens a question may have.
#[derive(Debug, Clone, Copy)]
pub struct QuestionBudget {
    /// What the model was trained with: instructions, options and one marker an option.
    pub tokens: usize,
    /// Tokens of one option.
    pub option_tokens: usize,
    /// What a row has room for at all, counted in the same way.
    pub most: usize,
}

/// Room that instructions get at the cost of options.
const WISHED_INSTRUCTIONS: usize = 16;
/// Room that instructions always get.
const LEAST_INSTRUCTIONS: usize = 8;
/// Tokens of an option, its marker among them, that shrinking leaves.
const LEAST_OPTION: usize = 4;
/// The same where the row has no room for more: a marker and one token.
const SMALLEST_OPTION: usize = 2;

impl QuestionTokens {
    /// Reads a question in at most the tokens of its budget. `reserved` are the tokens that no text of a user may have.
    /// `spare` is one more option, left out where a caller's own says the same to the model. Fails with `invalid_question`
    /// where two options are the same to the model, or one, or a statement, is nothing to it.
    pub fn read(
        reader: &TextReader,
        text: &QuestionText,
        reserved: &[String],
        spare: Option<&str>,
        budget: QuestionBudget,
    ) -> Result<Self, Error> {
        let mut is_cut = false;
        let mut read = |text: &str, room: usize| -> Result<Vec<u32>, Error> {
            let mut ids = reader.tokens(&UserText::new(text, reserved).text, room)?.ids;
            is_cut |= ids.len() > room;
            ids.truncate(room);
            Ok(ids)
        };
        check_written(reader, text, reserved, budget.option_tokens)?;
        let instructions = read(&text.instructions, budget.tokens)?;
        let mut read_option = |option: &str| read(&format!(" {option}"), budget.option_tokens);
        let mut options = text.options.iter().map(|option| read_option(option)).collect::<Result<Vec<_>, _>>()?;
        let spare = spare.map(&mut read_option).transpose()?.filter(|spare| !options.contains(spare));
        let has_spare = spare.is_some();
        options.extend(spare);
        let mut question = Self { instructions, options, has_spare, is_cut };
        let read = question.len();
        question.shrink(budget)?;
        question.is_cut |= question.len() < read;
        question.drop_like_spare();
        question.check_options()?;
        Ok(question)
    }

    /// Tokens with one marker an option.
    pub fn len(&self) -> usize {
        self.instructions.len() + self.options_len()
    }

    fn shrink(&mut self, budget: QuestionBudget) -> Result<(), Error> {
        let count = self.options.len().max(1);
        let spare = usize::from(self.has_spare);
        if self.options_len() + WISHED_INSTRUCTIONS > budget.tokens {
            let each = budget.tokens.saturating_sub(WISHED_INSTRUCTIONS) / count;
            self.cut_options(each.max(LEAST_OPTION));
        }
        let left = budget.tokens.saturating_sub(self.options_len());
        self.instructions.truncate(left.max(LEAST_INSTRUCTIONS));
        if self.len() <= budget.most {
            return Ok(());
        }
        self.instructions.truncate(LEAST_INSTRUCTIONS);
        let each = budget.most.saturating_sub(self.instructions.len()) / count;
        if each < SMALLEST_OPTION {
            return Err(Error::InvalidQuestion(format!(
                "The question has {} options; a row of this model has room for {} at most",
                count - spare,
                (budget.most.saturating_sub(self.instructions.len()) / SMALLEST_OPTION).saturating_sub(spare)
            )));
        }
        self.cut_options(each);
        Ok(())
    }

    /// Cuts every option to so many tokens, its marker among them.
    fn cut_options(&mut self, each: usize) {
        for option in &mut self.options {
            option.truncate(each - 1);
        }
    }

    /// A spare option that was cut to what an option says is that option.
    fn drop_like_spare(&mut self) {
        let Some((spare, options)) = self.options.split_last() else { return };
        if self.has_spare && options.contains(spare) {
            self.options.pop();
            self.has_spare = false;
        }
    }

    /// Between two options that are read as one, an answer would mean nothing.
    fn check_options(&self) -> Result<(), Error> {
        let mut places = HashMap::with_capacity(self.options.len());
        for (at, option) in self.options.iter().enumerate() {
            if let Some(other) = places.insert(option.as_slice(), at) {
                let (first, second, read) = (other + 1, at + 1, option.len());
                return Err(Error::InvalidQuestion(format!(
                    "Options {first} and {second} are the same to the model, which reads {read} tokens of them; make them differ there, or ask with fewer options"
                )));
            }
        }
        Ok(())
    }

    fn options_len(&self) -> usize {
        self.options.iter().map(|option| option.len() + 1).sum()
    }
}

/// An option, or a statement, that is nothing to the model would be answered by its place alone. Levels are compared by what
/// the caller wrote, because the number in front of each tells them apart and says nothing.
fn check_written(reader: &TextReader, text: &QuestionText, reserved: &[String], room: usize) -> Result<(), Error> {
    let blank = blank_tokens(reader, room)?;
    // Empty ones mean something without: an id says what is asked, a level is its number.
    let is_nothing = |written: &str, ids: &[u32]| !written.trim().is_empty() && ids.iter().all(|id| blank.contains(id));
    if let Some(statement) = &text.statement
        && is_nothing(statement, &reader.tokens(&UserText::new(statement, reserved).text, room)?.ids)
    {
        let problem = "The question has no word that the model reads; say in other words what is asked";
        return Err(Error::InvalidQuestion(problem.to_owned()));
    }
    let mut places = HashMap::with_capacity(text.written.len());
    for (at, written) in text.written.iter().enumerate() {
        let cleaned = UserText::new(written, reserved);
        let mut ids = reader.tokens(&cleaned.text, room)?.ids;
        if is_nothing(written, &ids) {
            return Err(Error::InvalidQuestion(format!(
                "Option {} has no word that the model reads; say in other words what it means",
                at + 1
            )));
        }
        ids.truncate(room);
        if let Some(other) = places.insert(ids, at) {
            let (first, second) = (other + 1, at + 1);
            return Err(Error::InvalidQuestion(format!(
                "Options {first} and {second} are the same to the model, which reads {room} tokens of them; make them differ there"
            )));
        }
    }
    Ok(())
}

/// Whether a text has any token at all. A word that the vocabulary has nothing for has one: what a small vocabulary does not
/// know tells an option from the others still, unless there are two of them.
pub fn is_read(reader: &TextReader, text: &str, room: usize) -> Result<bool, Error> {
    let blank = blank_tokens(reader, room)?;
    Ok(reader.tokens(text, room)?.ids.iter().any(|id| !blank.contains(id)))
}

/// Some tokenizers have a token for the space in front of a text.
fn blank_tokens(reader: &TextReader, room: usize) -> Result<Vec<u32>, Error> {
    Ok(reader.tokens(" ", room)?.ids)
}
