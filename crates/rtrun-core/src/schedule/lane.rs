//! The two lanes of a model on a CPU. A forward cannot be interrupted, so what is long runs beside what is short, on
//! threads that give way, instead of in front of it.

/// Which forwards a row waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// Short questions.
    Front,
    /// Documents; its threads take what the front leaves them, and a small share besides.
    Back,
}

/// Which rows a model sends to the back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// None: there is one lane.
    One,
    /// Rows of more tokens than this. For engines whose two lanes differ in the last bits: a row's length alone decides
    /// then, so equal rows have equal answers.
    LongRows(usize),
    /// All rows of groups of more tokens than this, be it one long row or many windows.
    LongGroups(usize),
}

impl Lane {
    /// Both lanes.
    pub const ALL: [Self; 2] = [Self::Front, Self::Back];

    /// The place of the lane in a pair.
    pub(super) fn index(self) -> usize {
        self as usize
    }
}

impl Lanes {
    /// The lane of a row of `row` tokens in a group of `group` tokens.
    pub fn lane(self, row: usize, group: usize) -> Lane {
        let is_long = match self {
            Self::One => false,
            Self::LongRows(tokens) => row > tokens,
            Self::LongGroups(tokens) => group > tokens,
        };
        if is_long { Lane::Back } else { Lane::Front }
    }
}
