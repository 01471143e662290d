//! Which heads a package may have, and where they branch off from its encoder.

use super::files::PackageFiles;
use super::open::Architecture;
use super::recognize::FamilyKind;
use super::settings::{HeadReads, HeadSettings, Settings};
use crate::error::Error;
use crate::graph::HeadsDepth;

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

/// Where heads over vectors of tokens branch off; `None` where they read the last layer.
pub fn heads_depth(
    files: &PackageFiles,
    settings: &Settings,
    (architecture, family): (&Architecture, FamilyKind),
) -> Result<Option<HeadsDepth>, Error> {
    let own = settings.heads_own_layers;
    let (key, value) = match settings.heads_layer {
        Some(layer) => ("heads_layer", layer),
        None if own > 0 => ("heads_own_layers", own),
        None => return Ok(None),
    };
    let refuse = |problem: String| Err(files.invalid(RTRUN, format_args!("{key} is {value}; {problem}")));
    let encoder = match architecture {
        Architecture::Transformer(encoder) if family == FamilyKind::Embeddings => encoder,
        _ => {
            return refuse(
                "only heads of the family \"embeddings\" over model.safetensors of a transformer read a layer"
                    .to_owned(),
            );
        }
    };
    let layers = encoder.layers();
    let layer = settings.heads_layer.unwrap_or(layers);
    if layer == 0 || layer > layers {
        return refuse(format!("the encoder has 1 to {layers}"));
    }
    if own > 0 && !encoder.gives_heads_layers() {
        return refuse(format!("heads_own_layers is {own}, which only BERT and ELECTRA have"));
    }
    if !settings.heads.iter().any(HeadSettings::reads_tokens) {
        return refuse("it needs a head of the kind \"token\" or one that reads \"mean\"".to_owned());
    }
    Ok(Some(HeadsDepth { layer, own }).filter(|heads| heads.layer < layers || heads.own > 0))
}

/// Refuses layers whose means no head could read.
pub fn check_mean_layers(
    files: &PackageFiles,
    settings: &Settings,
    (architecture, family): (&Architecture, FamilyKind),
) -> Result<(), Error> {
    let means = &settings.heads_mean_layers;
    let Some(last) = means.last() else { return Ok(()) };
    let refuse = |problem: &str| Err(files.invalid(RTRUN, format_args!("heads_mean_layers is {means:?}; {problem}")));
    let encoder = match architecture {
        Architecture::Transformer(encoder) if family == FamilyKind::Embeddings && encoder.gives_heads_layers() => {
            encoder
        }
        _ => return refuse("only heads of the family \"embeddings\" over BERT and ELECTRA have them"),
    };
    let layers = encoder.layers();
    if means[0] == 0 || *last > layers || means.windows(2).any(|pair| pair[0] >= pair[1]) {
        return refuse(&format!("they must be in order and from 1 to {layers}"));
    }
    if !settings.heads.iter().any(|head| head.reads == HeadReads::Mean) {
        return refuse("it needs a head that reads \"mean\"");
    }
    Ok(())
}
