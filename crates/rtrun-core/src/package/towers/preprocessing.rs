//! `preprocessor_config.json`: how images become what a model reads. A step that is not done here is refused by name.

use serde::Deserialize;
use serde_json::Value;

use super::{TowersConfig, TowersKind};
use crate::error::Error;
use crate::media::{Filter, Preprocessing, Resize};
use crate::package::files::PackageFiles;

const FILE: &str = "preprocessor_config.json";

/// The file in which newer repositories keep the settings, under `image_processor`.
const PROCESSOR_FILE: &str = "processor_config.json";

#[derive(Debug, Default, Deserialize)]
struct Settings {
    do_resize: Option<bool>,
    size: Option<Size>,
    resample: Option<u32>,
    do_center_crop: Option<bool>,
    crop_size: Option<Size>,
    do_rescale: Option<bool>,
    rescale_factor: Option<f64>,
    do_normalize: Option<bool>,
    image_mean: Option<[f32; 3]>,
    image_std: Option<[f32; 3]>,
    do_pad: Option<bool>,
}

// A key more, such as a longest edge, would be a size that is not made here.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Size {
    One(usize),
    Edge { shortest_edge: usize },
    Sides { height: usize, width: usize },
}

/// Reads the settings. What a file leaves out is what the author's class assumes.
pub fn read_preprocessing(files: &PackageFiles, config: &TowersConfig) -> Result<Preprocessing, Error> {
    let (file, settings) = settings(files)?;
    preprocessing(&settings, config).map_err(|problem| files.invalid(file, problem))
}

fn settings(files: &PackageFiles) -> Result<(&'static str, Settings), Error> {
    #[derive(Deserialize)]
    struct Processor {
        image_processor: Option<Value>,
    }
    if let Some(settings) = files.read_json(FILE)? {
        return Ok((FILE, settings));
    }
    match files.read_json::<Processor>(PROCESSOR_FILE)?.and_then(|file| file.image_processor) {
        Some(settings) => {
            let settings = serde_json::from_value(settings).map_err(|error| files.invalid(PROCESSOR_FILE, error))?;
            Ok((PROCESSOR_FILE, settings))
        }
        None => Err(files.invalid(FILE, "is missing; the model needs it to read images")),
    }
}

fn preprocessing(settings: &Settings, config: &TowersConfig) -> Result<Preprocessing, String> {
    let is_clip = config.kind == TowersKind::Clip;
    let (usual_mean, usual_deviation) = if is_clip {
        ([0.481_454_66, 0.457_827_5, 0.408_210_73], [0.268_629_55, 0.261_302_6, 0.275_777_1])
    } else {
        ([0.5; 3], [0.5; 3])
    };
    if settings.do_resize == Some(false) {
        return Err("do_resize is false; images of any size must be scaled".to_owned());
    }
    if settings.do_pad == Some(true) {
        return Err("do_pad is true; padding is not supported yet".to_owned());
    }
    let filter = match settings.resample {
        None | Some(3) => Filter::Bicubic,
        Some(2) => Filter::Bilinear,
        Some(1) => Filter::Lanczos,
        Some(other) => return Err(format!("resample {other} is not supported yet; 1, 2 and 3 are")),
    };
    let usual_size = if is_clip { Size::Edge { shortest_edge: 224 } } else { Size::Sides { height: 224, width: 224 } };
    let resize = match settings.size.unwrap_or(usual_size) {
        Size::One(edge) | Size::Edge { shortest_edge: edge } => Resize::ShortestEdge(edge),
        Size::Sides { height, width } => Resize::Exact(height, width),
    };
    let crop = settings.do_center_crop.unwrap_or(is_clip).then(|| settings.crop_size.unwrap_or(Size::One(224)));
    let size = match (crop, resize) {
        (Some(Size::One(side)), _) => (side, side),
        (Some(Size::Sides { height, width }), _) | (None, Resize::Exact(height, width)) => (height, width),
        (Some(Size::Edge { .. }), _) => return Err("crop_size must have height and width".to_owned()),
        (None, Resize::ShortestEdge(_)) => {
            return Err("size has a shortest edge and do_center_crop is false; images must get one size".to_owned());
        }
    };
    let wanted = config.vision.image_size;
    if size != (wanted, wanted) {
        let (height, width) = size;
        return Err(format!("images become {height} by {width} pixels; config.json says {wanted} by {wanted}"));
    }
    let smallest = match resize {
        Resize::ShortestEdge(edge) => edge,
        Resize::Exact(height, width) => height.min(width),
    };
    if smallest == 0 {
        return Err("size is 0; it must be at least 1".to_owned());
    }
    let is_normalized = settings.do_normalize.unwrap_or(true);
    let deviation = if is_normalized { settings.image_std.unwrap_or(usual_deviation) } else { [1.0; 3] };
    if deviation.iter().any(|value| !(value.is_finite() && *value > 0.0)) {
        return Err("image_std must hold numbers above 0".to_owned());
    }
    Ok(Preprocessing {
        size,
        resize,
        filter,
        factor: if settings.do_rescale.unwrap_or(true) { settings.rescale_factor.unwrap_or(1.0 / 255.0) } else { 1.0 },
        mean: if is_normalized { settings.image_mean.unwrap_or(usual_mean) } else { [0.0; 3] },
        deviation,
    })
}
