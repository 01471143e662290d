//! From a base and its adapter to the weights that a model of its own would have: `W + scale · B · A`.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::AdapterConfig;
use crate::error::Error;
use crate::families::dot;
use crate::package::weights::{Merged, Weights};

/// What stands in front of every name in an adapter's file.
const WRAPPERS: &str = "base_model.model.";

/// One change of a tensor. Names are those of the adapter's file.
#[derive(Debug)]
enum Change {
    /// Adds `B × A`, or for a table of vectors its transpose.
    Product { a: String, b: String, is_table: bool },
    /// Takes the tensor's place.
    Whole(String),
}

/// The tensors that differ from the base, by the base's own names, computed in 32 bits. What a classifier needs and the
/// base does not have is among them.
pub fn merge(base: &Weights, adapter: &Weights, config: &AdapterConfig) -> Result<Merged, Error> {
    let names = BaseNames::new(base);
    let mut changes: BTreeMap<String, Change> = BTreeMap::new();
    let mut products = 0;
    for stored in adapter.names() {
        let Some((target, change)) = change(adapter, &stored)? else { continue };
        let target = names.find(&target).map_or(target, str::to_owned);
        check_target(base, adapter, config, (&stored, &target), &change)?;
        products += usize::from(matches!(change, Change::Product { .. }));
        if changes.insert(target, change).is_some() {
            return Err(adapter.invalid(&stored, "changes a tensor that another one changes too"));
        }
    }
    if products == 0 {
        return Err(adapter.invalid("*.lora_A.weight", "is missing; an adapter has at least one"));
    }
    compute(&changes, |target, change| match change {
        Change::Whole(stored) => {
            let shape = adapter.place(stored)?.shape;
            Ok((adapter.read_f32(stored, &shape)?, shape))
        }
        Change::Product { a, b, is_table } => {
            let shape = base.place(target)?.shape;
            let mut values = base.read_f32(target, &shape)?;
            let [outputs, inputs] = [shape[0], shape[1]];
            let (rows, columns) = if *is_table { (inputs, outputs) } else { (outputs, inputs) };
            let a = adapter.read_f32(a, &[config.r, columns])?;
            let b = adapter.read_f32(b, &[rows, config.r])?;
            let factors = Factors { a: &a, b: &b, rank: config.r, columns, scale: config.scale() };
            if *is_table {
                factors.add_transposed(&mut values);
            } else {
                factors.add(&mut values);
            }
            Ok((values, shape))
        }
    })
}

/// What a stored tensor does, and to which tensor in the adapted model's names. `None` for the second of a pair.
fn change(adapter: &Weights, stored: &str) -> Result<Option<(String, Change)>, Error> {
    let Some(name) = stored.strip_prefix(WRAPPERS) else {
        return Err(adapter.invalid(stored, format_args!("has a name that does not begin with {WRAPPERS:?}")));
    };
    let pairs = [(".lora_A.weight", ".lora_B.weight", false), (".lora_embedding_A", ".lora_embedding_B", true)];
    for (first, second, is_table) in pairs {
        if let Some(module) = name.strip_suffix(first) {
            let b = format!("{WRAPPERS}{module}{second}");
            let change = Change::Product { a: stored.to_owned(), b, is_table };
            return Ok(Some((format!("{module}.weight"), change)));
        }
        if let Some(module) = name.strip_suffix(second) {
            return if adapter.has(&format!("{WRAPPERS}{module}{first}")) {
                Ok(None)
            } else {
                Err(adapter.invalid(stored, format_args!("has no partner {module}{first}")))
            };
        }
    }
    if name.contains(".lora_") {
        return Err(adapter.invalid(stored, "belongs to a kind of adapter that is not supported; plain LoRA is"));
    }
    // Names of PEFT's own wrappers. With biases, some of its versions store a module's twice and the base's beside it.
    let target =
        name.replace(".base_layer.", ".").replace(".modules_to_save.default.", ".").replace(".modules_to_save.", ".");
    let is_stored_twice = target != name && adapter.has(&format!("{WRAPPERS}{target}"));
    if is_stored_twice || name.contains(".original_module.") {
        return Ok(None);
    }
    Ok(Some((target, Change::Whole(stored.to_owned()))))
}

fn check_target(
    base: &Weights,
    adapter: &Weights,
    config: &AdapterConfig,
    (stored, target): (&str, &str),
    change: &Change,
) -> Result<(), Error> {
    let known = if base.has(target) { Some(base.place(target)?.shape) } else { None };
    match (change, known) {
        (Change::Product { .. }, Some(shape)) if shape.len() == 2 => Ok(()),
        (Change::Product { .. }, Some(shape)) => {
            Err(adapter.invalid(stored, format_args!("changes {target:?} of shape {shape:?}; two sizes are expected")))
        }
        (Change::Product { .. }, None) => {
            Err(adapter.invalid(stored, format_args!("changes {target:?}, which the base does not have")))
        }
        (Change::Whole(_), _) if config.saves(target) => Ok(()),
        (Change::Whole(_), Some(shape)) => adapter.place_of_shape(stored, &shape).map(|_| ()),
        (Change::Whole(_), None) => Err(adapter.invalid(
            stored,
            format_args!("is neither a tensor of the base nor part of modules_to_save {:?}", config.modules_to_save),
        )),
    }
}

/// The base's names by the adapted model's: a class puts its encoder under a name that the bare encoder does not have.
struct BaseNames(HashMap<String, String>);

impl BaseNames {
    fn new(base: &Weights) -> Self {
        let mut names = HashMap::new();
        for name in base.names() {
            if let Some((_, inner)) = name.split_once('.') {
                names.entry(inner.to_owned()).or_insert_with(|| name.clone());
            }
        }
        names.extend(base.names().into_iter().map(|name| (name.clone(), name)));
        Self(names)
    }

    fn find(&self, target: &str) -> Option<&str> {
        let inner = || target.split_once('.').and_then(|(_, inner)| self.0.get(inner).filter(|name| *name == inner));
        self.0.get(target).or_else(inner).map(String::as_str)
    }
}

/// The two factors of a change.
struct Factors<'f> {
    /// `[rank, columns]`.
    a: &'f [f32],
    /// `[rows, rank]`.
    b: &'f [f32],
    rank: usize,
    columns: usize,
    scale: f32,
}

impl Factors<'_> {
    /// Adds `scale · B × A` to `[rows, columns]`.
    fn add(&self, values: &mut [f32]) {
        let mut sum = vec![0.0; self.columns];
        for (row, of_row) in values.chunks_exact_mut(self.columns).zip(self.b.chunks_exact(self.rank)) {
            sum.fill(0.0);
            for (factor, line) in of_row.iter().zip(self.a.chunks_exact(self.columns)) {
                sum.iter_mut().zip(line).for_each(|(sum, value)| *sum += factor * value);
            }
            row.iter_mut().zip(&sum).for_each(|(value, sum)| *value += self.scale * sum);
        }
    }

    /// Adds the transpose of the same to `[columns, rows]`.
    fn add_transposed(&self, values: &mut [f32]) {
        let rows = self.b.len() / self.rank;
        let mut of_column = vec![0.0; self.rank];
        for (column, row) in values.chunks_exact_mut(rows).enumerate() {
            let lines = self.a.chunks_exact(self.columns);
            of_column.iter_mut().zip(lines).for_each(|(value, line)| *value = line[column]);
            let sums = self.b.chunks_exact(self.rank).map(|of_row| dot(of_row, &of_column));
            row.iter_mut().zip(sums).for_each(|(value, sum)| *value += self.scale * sum);
        }
    }
}

type Computed = Result<(Vec<f32>, Vec<usize>), Error>;

/// Computes every tensor, on all processors: an adapter may change each matrix of its base.
fn compute(
    changes: &BTreeMap<String, Change>,
    one: impl Fn(&str, &Change) -> Computed + Sync,
) -> Result<Merged, Error> {
    let order: Vec<(&String, &Change)> = changes.iter().collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(order.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((target, change)) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let computed = one(target, change);
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert((*target).clone(), computed);
                }
            });
        }
    });
    // In the order of their names, so that the same damage always reads the same.
    let mut merged = Merged::default();
    for (target, computed) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let (values, shape) = computed?;
        merged.insert(target, shape, values);
    }
    Ok(merged)
}
