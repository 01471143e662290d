use std::sync::Arc;

use rtrun_core::Error;
use rtrun_core::engines::{Encoder, Interrupt, RowVector};
use rtrun_core::schedule::{Sharing, probe_sharing};

/// Answers with numbers that depend on company in a chosen way.
struct Sensitive(fn(row: usize, rows: &[Arc<[u32]>]) -> usize);

impl Encoder for Sensitive {
    fn encode(&mut self, rows: &[Arc<[u32]>]) -> Result<Vec<RowVector>, Error> {
        Ok((0..rows.len()).map(|row| vec![(self.0)(row, rows) as f32].into()).collect())
    }

    fn dimension(&self) -> usize {
        1
    }

    fn memory_bytes(&self) -> u64 {
        0
    }

    fn interrupt(&self) -> Interrupt {
        Arc::new(|| {})
    }
}

fn sharing(dependence: fn(usize, &[Arc<[u32]>]) -> usize) -> Sharing {
    probe_sharing(&mut Sensitive(dependence), 100, 64).unwrap()
}

fn longest(rows: &[Arc<[u32]>]) -> usize {
    rows.iter().map(|row| row.len()).max().unwrap()
}

#[test]
fn rows_share_as_far_as_company_does_not_matter() {
    assert_eq!(sharing(|row, rows| rows[row].len()), Sharing::Padded);
    assert_eq!(sharing(|_, rows| longest(rows)), Sharing::EqualLengths);
    assert_eq!(sharing(|_, rows| rows.len()), Sharing::Alone);
}
