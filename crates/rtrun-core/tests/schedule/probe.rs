use std::sync::Arc;

use rtrun_core::Error;
use rtrun_core::engines::{Encoder, Interrupt, RowOutput, RowRequest};
use rtrun_core::schedule::{Sharing, probe_sharing};

/// Answers with numbers that depend on company in a chosen way.
struct Sensitive(fn(row: usize, rows: &[RowRequest]) -> usize);

impl Encoder for Sensitive {
    fn encode(&mut self, rows: &[RowRequest]) -> Result<Vec<RowOutput>, Error> {
        let output = |row| RowOutput { sentence: Some([(self.0)(row, rows) as f32].into()), ..RowOutput::default() };
        Ok((0..rows.len()).map(output).collect())
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

fn sharing(dependence: fn(usize, &[RowRequest]) -> usize) -> Sharing {
    probe_sharing(&mut Sensitive(dependence), 100, 64, 0.0).unwrap()
}

fn longest(rows: &[RowRequest]) -> usize {
    rows.iter().map(|request| request.row.len()).max().unwrap()
}

#[test]
fn rows_share_as_far_as_company_does_not_matter() {
    assert_eq!(sharing(|row, rows| rows[row].row.len()), Sharing::Padded);
    assert_eq!(sharing(|_, rows| longest(rows)), Sharing::EqualLengths);
    assert_eq!(sharing(|_, rows| rows.len()), Sharing::Alone);
}

#[test]
fn rows_share_in_spite_of_rounding_where_that_is_allowed() {
    let mut rounding = Sensitive(|_, rows| 1_000_000 + rows.len());
    assert_eq!(probe_sharing(&mut rounding, 100, 64, 1e-4).unwrap(), Sharing::Padded);
    assert_eq!(probe_sharing(&mut rounding, 100, 64, 0.0).unwrap(), Sharing::Alone);
    let mut other_answers = Sensitive(|_, rows| 1_000 + rows.len());
    assert_eq!(probe_sharing(&mut other_answers, 100, 64, 1e-4).unwrap(), Sharing::Alone);
}
