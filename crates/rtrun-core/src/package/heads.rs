//! Which heads a package may have, and which layer of its trunk they read.

use super::files::PackageFiles;
use super::open::Architecture;
use super::recognize::FamilyKind;
use super::settings::{HeadSettings, Settings};
use crate::error::Error;

const RTRUN: &str = "rtrun.json";

/// Refuses heads that the family has nothing to read for.
pub fn check_heads(files: &PackageFiles, settings: &Settings, family: FamilyKind) -> Result<(), Error> {
    if !family.takes_heads() && !settings.heads.is_empty() {
        return Err(files.invalid(RTRUN, "heads need the family \"embeddings\" or \"static_embeddings\""));
    }
    match settings.heads.iter().find(|head| head.reads_tokens()) {
        Some(head) if family == FamilyKind::StaticEmbeddings => {
            let problem = format!("the head {:?} reads token vectors, which a static model has none of", head.name);
            Err(files.invalid(RTRUN, problem))
        }
        _ => Ok(()),
    }
}

/// The layer, counted from 1, whose vectors of tokens heads read; `None` where it is the last.
pub fn heads_layer(
    files: &PackageFiles,
    settings: &Settings,
    (architecture, family): (&Architecture, FamilyKind),
) -> Result<Option<usize>, Error> {
    let Some(layer) = settings.heads_layer else { return Ok(None) };
    let refuse = |problem: String| Err(files.invalid(RTRUN, format_args!("heads_layer is {layer}; {problem}")));
    let trunk = match architecture {
        Architecture::Transformer(trunk) if family == FamilyKind::Embeddings => trunk,
        _ => {
            return refuse(
                "only heads of the family \"embeddings\" over model.safetensors of a transformer read a layer"
                    .to_owned(),
            );
        }
    };
    let layers = trunk.layers();
    if layer == 0 || layer > layers {
        return refuse(format!("the trunk has 1 to {layers}"));
    }
    if !settings.heads.iter().any(HeadSettings::reads_tokens) {
        return refuse("it needs a head of the kind \"token\" or one that reads \"mean\"".to_owned());
    }
    Ok(Some(layer).filter(|layer| *layer < layers))
}
