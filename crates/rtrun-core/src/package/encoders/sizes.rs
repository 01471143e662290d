//! Checks that several encoders share.

/// Refuses sizes that no layer can have. `hidden` is the width of a token vector.
pub fn check_sizes(hidden: (&str, usize), heads: (&str, usize), others: &[(&str, usize)]) -> Result<(), String> {
    for (name, size) in [hidden, heads].iter().chain(others) {
        if *size == 0 {
            return Err(format!("{name} is 0; it must be at least 1"));
        }
    }
    if !hidden.1.is_multiple_of(heads.1) {
        let ((hidden_name, hidden), (heads_name, heads)) = (hidden, heads);
        return Err(format!("{hidden_name} {hidden} is not a multiple of {heads_name} {heads}"));
    }
    Ok(())
}

/// Refuses position embeddings that are more than a table.
pub fn check_absolute_positions(kind: Option<&str>) -> Result<(), String> {
    match kind {
        None | Some("absolute") => Ok(()),
        Some(kind) => Err(format!("position_embedding_type {kind:?} is not supported yet; only \"absolute\" is")),
    }
}

/// Refuses models that read from left to right only.
pub fn check_encoder(is_decoder: bool) -> Result<(), String> {
    if is_decoder { Err("is_decoder is true; only encoders are supported".to_owned()) } else { Ok(()) }
}
