//! The tokens around a row and between its parts.

use crate::error::Error;
use crate::package::Package;
use crate::tokens::TextReader;

/// What a row begins and ends with; the end also stands between the parts of a marker row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// CLS.
    pub before: Vec<u32>,
    /// SEP.
    pub after: Vec<u32>,
}

/// What published tokenizers call the two. Some put only one of them around a text by themselves, but models were
/// trained with both.
const NAMES: [[&str; 3]; 2] = [["[CLS]", "<bos>", "<s>"], ["[SEP]", "<eos>", "</s>"]];

impl Frame {
    /// The tokens that the tokenizer puts around a text, or those of a known name where it puts none.
    pub fn of(package: &Package, reader: &TextReader) -> Result<Self, Error> {
        let side = |own: &[u32], names: [&str; 3]| match own {
            [] => names.iter().find_map(|name| reader.token_id(name)).map(|id| vec![id]).ok_or_else(|| {
                let problem = format!("puts no token there and has none of {}", names.join(", "));
                package.files.invalid("tokenizer.json", problem)
            }),
            own => Ok(own.to_vec()),
        };
        let own = reader.template();
        Ok(Self { before: side(&own.before, NAMES[0])?, after: side(&own.after, NAMES[1])? })
    }
}
