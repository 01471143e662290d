//! Holds responses against `openapi.yaml`.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::Validator;
use jsonschema::error::{ValidationError, ValidationErrorKind};
use serde_json::{Value, json};

use super::place::core_folder;

/// Headers of HTTP itself, which the document does not list.
const OF_HTTP: [&str; 4] = ["connection", "content-length", "content-type", "date"];

/// The contract document, and what has been compiled of it.
pub struct Contract {
    pub document: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// One HTTP response and what it answers.
#[derive(Debug, Clone, Copy)]
pub struct Response<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub status: u16,
    pub headers: &'a [(String, String)],
    pub body: &'a str,
}

/// The document beside this crate.
pub fn contract() -> &'static Contract {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
        let path = core_folder().join("openapi.yaml");
        let text = std::fs::read_to_string(&path).unwrap();
        let document = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Contract { document, validators: Mutex::default() }
    });
    &CONTRACT
}

/// Panics if the document does not allow the response.
pub fn assert_contract(response: &Response) {
    if let Err(problem) = contract().check(response) {
        let Response { method, path, status, body, .. } = response;
        let body: String = body.chars().take(2000).collect();
        panic!("openapi.yaml does not allow {status} of {method} {path}: {problem}\n{body}");
    }
}

impl Contract {
    /// What the document says against a response.
    pub fn check(&self, response: &Response) -> Result<(), String> {
        let Response { method, path, status, .. } = *response;
        let documented = self.response_pointer(method, path, status)?;
        self.check_headers(&documented, response)?;
        self.check_body(&documented, response)
    }

    /// What the schema at a JSON pointer says against a value.
    pub fn check_value(&self, pointer: &str, value: &Value) -> Result<(), String> {
        let validator = self.validator(pointer);
        let problems: Vec<String> = validator.iter_errors(value).map(|error| deepest(&error)).collect();
        if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
    }

    /// The pointer to an object, references followed.
    pub fn followed(&self, pointer: &str) -> String {
        match self.document.pointer(pointer) {
            None => panic!("openapi.yaml has nothing at {pointer}"),
            Some(value) => match value.get("$ref").and_then(Value::as_str) {
                Some(reference) => self.followed(reference.strip_prefix('#').expect("references stay in the document")),
                None => pointer.to_owned(),
            },
        }
    }

    fn response_pointer(&self, method: &str, path: &str, status: u16) -> Result<String, String> {
        let path = path.split('?').next().unwrap_or(path);
        let path = match path.strip_prefix("/v1/models/") {
            Some(id) if !id.is_empty() => "/v1/models/{id}",
            _ => path,
        };
        let path = format!("/paths/{}", escaped(path));
        let operation = format!("{path}/{}", method.to_ascii_lowercase());
        let (pointer, expected) = if self.document.pointer(&path).is_none() {
            ("/components/responses/PathNotFound".to_owned(), status == 404)
        } else if self.document.pointer(&operation).is_none() {
            ("/components/responses/MethodNotAllowed".to_owned(), status == 405)
        } else {
            let pointer = format!("{operation}/responses/{status}");
            let is_there = self.document.pointer(&pointer).is_some();
            (pointer, is_there)
        };
        if expected { Ok(self.followed(&pointer)) } else { Err("the status is not documented".to_owned()) }
    }

    fn check_headers(&self, documented: &str, response: &Response) -> Result<(), String> {
        let none = serde_json::Map::new();
        let headers = self.document.pointer(&format!("{documented}/headers"));
        let headers = headers.and_then(Value::as_object).unwrap_or(&none);
        for name in headers.keys() {
            let header = self.followed(&format!("{documented}/headers/{}", escaped(name)));
            let is_required = self.document.pointer(&format!("{header}/required")) == Some(&json!(true));
            match response.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)) {
                None if is_required => return Err(format!("the header {name} is missing")),
                None => {}
                Some((_, text)) => {
                    let number = text.parse::<u64>().map_or_else(|_| json!(text), |number| json!(number));
                    self.check_value(&format!("{header}/schema"), &number)
                        .map_err(|problem| format!("the header {name}: {problem}"))?;
                }
            }
        }
        let is_known = |name: &str| {
            OF_HTTP.iter().any(|known| known.eq_ignore_ascii_case(name))
                || headers.keys().any(|known| known.eq_ignore_ascii_case(name))
        };
        match response.headers.iter().find(|(name, _)| !is_known(name)) {
            Some((name, _)) => Err(format!("the header {name} is not documented")),
            None => Ok(()),
        }
    }

    fn check_body(&self, documented: &str, response: &Response) -> Result<(), String> {
        let kind = response.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let kind = kind.ok_or("there is no content type")?.1.split(';').next().unwrap_or_default().trim();
        let schema = format!("{documented}/content/{}/schema", escaped(kind));
        if self.document.pointer(&schema).is_none() {
            return Err(format!("the content type {kind} is not documented"));
        }
        let body = match kind {
            "application/json" => {
                serde_json::from_str(response.body).map_err(|error| format!("the body is not JSON: {error}"))?
            }
            "application/yaml" => {
                serde_saphyr::from_str(response.body).map_err(|error| format!("the body is not YAML: {error}"))?
            }
            _ => json!(response.body),
        };
        self.check_value(&schema, &body)
    }

    /// The compiled schema at a pointer. It carries the components that its references lead to.
    fn validator(&self, pointer: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let compiled = validators.entry(pointer.to_owned()).or_insert_with(|| {
            let mut schema = self.document.pointer(pointer).unwrap_or_else(|| panic!("no schema at {pointer}")).clone();
            schema["components"] = self.document["components"].clone();
            let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
            Arc::new(options.build(&schema).unwrap_or_else(|error| panic!("{pointer}: {error}")))
        });
        Arc::clone(compiled)
    }
}

/// What is wrong at the deepest place: of several alternatives that is the one that was meant.
fn deepest(error: &ValidationError) -> String {
    let (ValidationErrorKind::OneOfNotValid { context } | ValidationErrorKind::AnyOf { context }) = error.kind() else {
        return format!("{}: {error}", error.instance_path());
    };
    let alternatives = context.iter().filter_map(|errors| {
        let depth = errors.iter().map(|error| error.instance_path().as_str().matches('/').count()).max()?;
        Some((depth, errors.iter().map(deepest).collect::<Vec<_>>().join("; ")))
    });
    let problem = alternatives.max_by_key(|(depth, _)| *depth).map_or_else(String::new, |(_, problem)| problem);
    format!("{} fits no alternative, nearest: {problem}", error.instance_path())
}

/// A key as a part of a JSON pointer.
pub fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
