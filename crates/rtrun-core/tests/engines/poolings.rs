//! Pooling by another way: the token vectors of a row follow from the vectors of its two other poolings.

use crate::support::{copy_without_manifest, embed, open_ready, options};

#[test]
fn the_last_token_is_the_separator_whatever_the_row_is_batched_with() {
    let folder = copy_without_manifest("embeddings");
    std::fs::remove_file(folder.path().join("golden.json")).unwrap();
    let vectors = |pooling: &str| {
        let settings = format!(r#"{{"schema":1,"pooling":"{pooling}","normalize":false}}"#);
        std::fs::write(folder.path().join("rtrun.json"), settings).unwrap();
        embed(&open_ready(options(&[("model", folder.path())])), &["", "hello", "a longer text of more words"])
    };
    let (mean, cls, last) = (vectors("mean"), vectors("cls"), vectors("last"));
    // An empty text has two tokens: its mean is half of each.
    for at in 0..64 {
        assert!((mean[0][at] - f32::midpoint(cls[0][at], last[0][at])).abs() < 1e-6);
    }
    assert!(cls[1] != last[1] && cls[2] != last[2]);
}
