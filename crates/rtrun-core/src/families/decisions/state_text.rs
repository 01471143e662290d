//! A state in tokens, read once for all the questions about it.

use std::sync::{Arc, OnceLock};

use super::user_text::UserText;
use crate::error::Error;
use crate::families::StateReading;
use crate::tokens::{Overflow, Place};

/// What is known of a state so far.
#[derive(Debug, Default)]
pub struct StateMemo<'r> {
    cleaned: OnceLock<UserText<'r>>,
    is_surely_longer: OnceLock<bool>,
    plain: OnceLock<Result<Found, Error>>,
    placed: OnceLock<Result<Found, Error>>,
    shown: OnceLock<Arc<str>>,
}

/// The first tokens of a state: all, or more than any question has room for. A clone is cheap.
#[derive(Debug, Clone)]
pub struct Found {
    /// Their ids.
    pub ids: Arc<[u32]>,
    /// Where they stand in the state as the user gave it; empty unless asked for.
    pub places: Arc<[Place]>,
}

impl StateReading<'_> {
    /// The tokens without those that no text of a user may have.
    pub fn tokens(&self, reserved: &[String], with_places: bool) -> Result<Found, Error> {
        let memo = if with_places { &self.memo.placed } else { &self.memo.plain };
        memo.get_or_init(|| self.read(reserved, with_places)).clone()
    }

    /// Whether the state surely has more tokens than may be read of it, told without tokenizing it.
    pub fn is_surely_longer(&self, reserved: &[String]) -> bool {
        let tell = || self.reader.is_surely_longer(&self.cleaned(reserved).text, self.most());
        *self.memo.is_surely_longer.get_or_init(tell)
    }

    /// The state as the user gave it, to show pieces of it.
    pub fn shown(&self) -> Arc<str> {
        Arc::clone(self.memo.shown.get_or_init(|| self.state.into()))
    }

    fn read(&self, reserved: &[String], with_places: bool) -> Result<Found, Error> {
        let text = self.cleaned(reserved);
        let most = self.most();
        let found = if with_places {
            self.reader.placed_tokens(&text.text, most)?
        } else {
            self.reader.tokens(&text.text, most)?
        };
        let places = found.places.into_iter().map(|place| text.original(place)).collect();
        Ok(Found { ids: found.ids.into(), places })
    }

    /// What no question has more room for than.
    fn most(&self) -> usize {
        if self.overflow == Overflow::Window { self.scan_tokens } else { self.row_tokens }
    }

    fn cleaned(&self, reserved: &[String]) -> &UserText<'_> {
        self.memo.cleaned.get_or_init(|| UserText::new(self.state, reserved))
    }
}
