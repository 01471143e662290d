//! What the reading options of a task mean for a model.

use super::read::Limits;
use crate::error::Error;
use crate::model::LoadedModel;
use crate::task::{ReadingOptions, Window};
use crate::tokens::Overflow;

/// Refuses windows where a surface reads none.
pub fn no_windows(surface: &str, reading: ReadingOptions, overflow: Overflow) -> Result<(), Error> {
    if reading.window.is_some() || overflow == Overflow::Window {
        let problem = format!("{surface} reads no windows; set options.overflow to \"truncate\" or \"reject\"");
        return Err(Error::InvalidRequest(problem));
    }
    Ok(())
}

/// Checks the reading options against the model.
pub fn limits(
    model: &LoadedModel,
    reading: ReadingOptions,
    overflow: Overflow,
    recommended: Option<(usize, usize)>,
) -> Result<Limits, Error> {
    let least = model.reader.special_tokens() + 1;
    if let Some(tokens) = reading.max_tokens.filter(|tokens| *tokens < least) {
        return Err(Error::InvalidRequest(format!(
            "max_tokens is {tokens}; model {:?} needs at least {least}",
            model.name
        )));
    }
    let row = model.max_tokens;
    if overflow != Overflow::Window {
        if reading.window.is_some() {
            let problem = "options.window needs options.overflow to be \"window\"";
            return Err(Error::InvalidRequest(problem.to_owned()));
        }
        // Cut to fewer tokens than asked for, an input says so; refused for fewer, it would only seem to be too long.
        if let Some(tokens) = reading.max_tokens.filter(|tokens| *tokens > row && overflow == Overflow::Reject) {
            return Err(Error::InvalidRequest(format!(
                "max_tokens is {tokens}; model {:?} reads at most {row} at once, so nothing longer is accepted whole",
                model.name
            )));
        }
        let row_tokens = reading.max_tokens.map_or(row, |tokens| tokens.min(row));
        return Ok(Limits { row_tokens, scan_tokens: row_tokens, can_raise: false, overlap: 0, overflow });
    }
    let asked = reading.window.map(|window| check_window(model, window)).transpose()?;
    let window = asked.or(recommended.map(|(tokens, overlap)| Window { tokens, overlap }));
    let Window { tokens, overlap } = window.unwrap_or(Window { tokens: row, overlap: row / 8 });
    let row_tokens = tokens.min(row);
    if overlap.saturating_add(least) > row_tokens {
        return Err(Error::InvalidRequest(format!(
            "window has {tokens} tokens and an overlap of {overlap}; model {:?} needs windows of at least {} tokens for that",
            model.name,
            overlap.saturating_add(least),
        )));
    }
    let scan_tokens = reading.max_tokens.unwrap_or(model.max_scan_tokens).min(model.scan_cap);
    Ok(Limits { row_tokens, scan_tokens, can_raise: scan_tokens < model.scan_cap, overlap, overflow })
}

/// A window is one row, and sharing most of it would read the text many times.
fn check_window(model: &LoadedModel, window: Window) -> Result<Window, Error> {
    let Window { tokens, overlap } = window;
    let row = model.max_tokens;
    let problem = match () {
        () if tokens > row => format!("tokens is {tokens}; model {:?} reads at most {row} at once", model.name),
        () if overlap > tokens / 2 => {
            format!("overlap is {overlap}; windows of {tokens} tokens may share at most half, {}", tokens / 2)
        }
        () => return Ok(window),
    };
    Err(Error::InvalidRequest(format!("options.window.{problem}")))
}
