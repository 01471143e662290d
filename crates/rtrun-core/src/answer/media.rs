//! What a request holds beside text, checked before any row is made: one that is refused fails the whole task.

use std::collections::HashSet;
use std::sync::Arc;

use super::pace::Pace;
use crate::engines::Picture;
use crate::error::Error;
use crate::media::{Fault, ImageReader, MediaKind, check_audio, read_data_url};
use crate::model::LoadedModel;
use crate::question::StateQuestions;
use crate::task::EmbeddingInput;

/// One input of an embeddings task.
pub enum Content<'i> {
    /// A text.
    Text(&'i str),
    /// An image that the model reads.
    Image {
        /// The data URL.
        url: &'i str,
        /// What reads it.
        reader: &'i ImageReader,
        /// Its pixels, unless its vector is kept or an equal image is in front of it.
        picture: Option<Arc<Picture>>,
    },
}

/// Reads all images of a task, giving way between two of them. `is_kept` tells whether the vector of a data URL is there
/// already.
pub async fn read_contents<'i>(
    model: &'i LoadedModel,
    input: &'i [EmbeddingInput],
    is_kept: impl Fn(&str) -> bool,
    pace: &mut Pace,
) -> Result<Vec<Content<'i>>, Error> {
    let mut seen = HashSet::new();
    let mut contents = Vec::with_capacity(input.len());
    for (index, input) in input.iter().enumerate() {
        let at = format!("input[{index}]");
        contents.push(match input {
            EmbeddingInput::Text(text) => Content::Text(text),
            EmbeddingInput::Image(url) => {
                let Some(reader) = &model.images else { return Err(refused(MediaKind::Image, url, &at, model)) };
                let is_new = seen.insert(url.as_str()) && !is_kept(url);
                let picture = if is_new { Some(read(reader, url, &at, model)?) } else { None };
                pace.give_way().await;
                Content::Image { url, reader, picture }
            }
            EmbeddingInput::Audio { data, format } => {
                let fault = check_audio(data, format).err().unwrap_or(Fault::Unsupported);
                return Err(fault.at(MediaKind::Audio, &at, &model.name));
            }
        });
    }
    Ok(contents)
}

/// Checks the images and videos of states. No model that answers questions reads any.
pub fn check_states(model: &LoadedModel, states: &[StateQuestions]) -> Result<(), Error> {
    for state in states {
        let lists = [(MediaKind::Image, "images", &state.images), (MediaKind::Video, "videos", &state.videos)];
        for (kind, list, urls) in lists {
            if let Some(url) = urls.first() {
                let outer = state.name.as_ref().map_or("", |_| "a named state's ");
                return Err(refused(kind, url, &format!("{outer}{list}[0]"), model));
            }
        }
    }
    Ok(())
}

fn read(reader: &ImageReader, url: &str, place: &str, model: &LoadedModel) -> Result<Arc<Picture>, Error> {
    reader.read(url).map_err(|fault| fault.at(MediaKind::Image, place, &model.name))
}

/// Why something is refused that the model does not read: what is wrong with itself comes first.
fn refused(kind: MediaKind, url: &str, place: &str, model: &LoadedModel) -> Error {
    let fault = read_data_url(kind, url, None).err().unwrap_or(Fault::Unsupported);
    fault.at(kind, place, &model.name)
}
