//! Images over HTTP: what is answered, and why something is refused.

use rtrun_core::{EngineOptions, MAX_IMAGES};
use serde_json::{Value, json};

use super::client::{Reply, get, post, serve_unix};
use crate::support::{engine, fixture, image_url, open_ready, options};

const GIF: &str = "data:image/gif;base64,R0lGODlh";
const MP4: &str = "data:video/mp4;base64,AAAAGGZ0eXBpc29t";

fn part(url: &str) -> Value {
    json!({ "type": "image_url", "image_url": { "url": url } })
}

fn refusal(reply: &Reply) -> (u16, Value, Value, Value) {
    let error = &reply.json()["error"];
    (reply.status, error["code"].clone(), error["reason"].clone(), error["limit"].clone())
}

fn refused(reason: &str) -> (u16, Value, Value, Value) {
    (400, json!("invalid_request"), json!(reason), Value::Null)
}

#[test]
fn images_are_inputs_like_texts_and_count_their_tokens() {
    let engine = engine(&["towers/clip"]);
    let (server, _folder) = serve_unix(&engine);
    let ask = |input: Value| {
        post(&server, "/v1/embeddings", &json!({ "input": input, "options": { "return_meta": true } })).json()
    };
    let image = part(&image_url("rgb.png"));
    let alone = ask(image.clone());
    // Sixteen patches and the class token.
    assert_eq!(
        alone["data"][0]["input"],
        json!({ "tokens": 17, "special_tokens": 0, "unknown_tokens": 0, "processed_tokens": 17, "truncated": false })
    );
    assert_eq!(alone["usage"], json!({ "prompt_tokens": 17, "total_tokens": 17 }));
    assert_eq!(alone["meta"]["representation"]["modality"], json!("image"));
    let mixed = ask(json!(["hello", image, [image]]));
    assert_eq!(mixed["meta"]["representation"]["modality"], json!("mixed"));
    assert_eq!(mixed["data"][1]["embedding"], alone["data"][0]["embedding"]);
    assert_eq!(mixed["data"][2]["embedding"], alone["data"][0]["embedding"]);
    let text = mixed["data"][0]["input"]["tokens"].as_u64().unwrap();
    assert_eq!(mixed["usage"]["total_tokens"], json!(text + 34));
    assert_eq!(ask(json!("hello"))["meta"]["representation"]["modality"], json!("text"));
}

#[test]
fn padding_of_texts_is_not_counted() {
    let engine = engine(&["towers/siglip"]);
    let (server, _folder) = serve_unix(&engine);
    let reply = post(&server, "/v1/embeddings", &json!({ "input": "hello world" })).json();
    assert_eq!(reply["usage"], json!({ "prompt_tokens": 3, "total_tokens": 3 }));
    let long = "hello ".repeat(60);
    let reply = post(&server, "/v1/embeddings", &json!({ "input": long })).json();
    assert_eq!(reply["data"][0]["input"]["processed_tokens"], json!(24));
    assert_eq!(reply["data"][0]["input"]["truncated"], json!(true));
}

#[test]
fn the_card_tells_modalities_and_limits() {
    let engine = engine(&["towers/clip", "embeddings"]);
    let (server, _folder) = serve_unix(&engine);
    let cards = get(&server, "/v1/models").json()["data"].clone();
    assert_eq!(cards[0]["family"], json!("image_embeddings"));
    assert_eq!(cards[0]["modalities"], json!(["text", "image"]));
    assert_eq!(cards[0]["embedding"]["modalities"], json!(["text", "image"]));
    let limits = &cards[0]["limits"];
    assert_eq!(limits["image_max_bytes"], json!(16 << 20));
    assert_eq!(limits["image_source_max_pixels"], json!(32 << 20));
    assert_eq!(limits["image_max_pixels"], json!(32 * 32));
    assert_eq!(cards[1]["modalities"], json!(["text"]));
    assert_eq!(cards[1]["limits"]["image_max_bytes"], Value::Null);
}

#[test]
fn one_bad_image_fails_the_request_with_its_reason() {
    let engine = engine(&["towers/clip"]);
    let (server, _folder) = serve_unix(&engine);
    let ask = |url: &str| post(&server, "/v1/embeddings", &json!({ "input": ["hello", part(url)] }));
    let whole = image_url("rgb.png");
    for (url, reason) in [
        ("https://example.com/a.png", "image_remote_url"),
        ("data:image/png;base64,????", "image_malformed"),
        (&whole[..whole.len() / 2 / 4 * 4 + 2], "image_malformed"),
        (&whole.replace("image/png", "image/jpeg"), "image_malformed"),
        (GIF, "image_unsupported_format"),
    ] {
        let reply = ask(url);
        assert_eq!(refusal(&reply), refused(reason), "{reply:?}");
        assert!(reply.message().starts_with("input[1] "), "{reply:?}");
    }
    assert_eq!(ask(&whole).status, 200);
}

#[test]
fn a_broken_limit_is_told() {
    let folder = fixture("towers/clip");
    let wide = EngineOptions { max_request_bytes: 64 << 20, ..options(&[("model", &folder)]) };
    let (server, _folder) = serve_unix(&open_ready(wide));
    let ask = |url: &str| post(&server, "/v1/embeddings", &json!({ "input": [part(url)] }));
    let large = format!("data:image/png;base64,{}", "AAAA".repeat((16 << 20) / 3 + 1));
    let reply = ask(&large);
    let limit = json!({ "name": "image_max_bytes", "value": 16 << 20 });
    assert_eq!(refusal(&reply), (400, json!("invalid_request"), json!("image_too_large"), limit));
    // 60,000 × 60,000 pixels.
    let bomb = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA6mAAAOpgCAIAAAAPsOIVAAAQAElEQVR4nA==";
    let reply = ask(bomb);
    let limit = json!({ "name": "image_source_max_pixels", "value": 32 << 20 });
    assert_eq!(refusal(&reply), (400, json!("invalid_request"), json!("image_too_many_pixels"), limit), "{reply:?}");
}

#[test]
fn the_number_of_images_is_bounded_over_a_whole_bundle() {
    let engine = engine(&["towers/clip"]);
    let (server, _folder) = serve_unix(&engine);
    let images = |count: usize| vec![part(&image_url("palette.png")); count];
    assert_eq!(post(&server, "/v1/embeddings", &json!({ "input": images(MAX_IMAGES) })).status, 200);
    let reply = post(&server, "/v1/embeddings", &json!({ "input": images(MAX_IMAGES + 1) }));
    assert_eq!(reply.error(), (400, "invalid_request".to_owned()), "{reply:?}");
    let task = |id: &str, count| json!({ "id": id, "embeddings": { "input": images(count) } });
    let text = json!({ "id": "text", "embeddings": { "input": "hello" } });
    let tasks = json!({ "tasks": [task("one", MAX_IMAGES), task("other", 1), text] });
    let results = post(&server, "/v1/bundle", &tasks).json()["results"].clone();
    let statuses: Vec<_> =
        results.as_array().unwrap().iter().map(|result| result["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [400, 400, 200]);
}

#[test]
fn a_bad_image_fails_its_task_of_a_bundle_and_no_other() {
    let engine = engine(&["towers/clip"]);
    let (server, _folder) = serve_unix(&engine);
    let task = |id: &str, url: &str| json!({ "id": id, "embeddings": { "input": [part(url)] } });
    let tasks = [task("bad", GIF), task("good", &image_url("rgb.png"))];
    let results = post(&server, "/v1/bundle", &json!({ "tasks": tasks })).json()["results"].clone();
    assert_eq!(results[0]["status"], json!(400));
    assert_eq!(results[0]["error"]["reason"], json!("image_unsupported_format"));
    assert_eq!(results[1]["status"], json!(200));
}

#[test]
fn a_model_without_the_modality_refuses_what_it_cannot_read() {
    let engine = engine(&["embeddings"]);
    let (server, _folder) = serve_unix(&engine);
    let ask = |part: Value| refusal(&post(&server, "/v1/embeddings", &json!({ "input": [part] })));
    assert_eq!(ask(part(&image_url("rgb.png"))), refused("image_unsupported"));
    assert_eq!(ask(part(GIF)), refused("image_unsupported_format"));
    let audio =
        |data: &str, format: &str| json!({ "type": "input_audio", "input_audio": { "data": data, "format": format } });
    assert_eq!(ask(audio("SUQzBA==", "mp3")), refused("audio_unsupported"));
    assert_eq!(ask(audio("SUQzBA==", "wav")), refused("audio_malformed"));
    assert_eq!(ask(audio("SUQzBA==", "flac")), refused("audio_unsupported_format"));
}

#[test]
fn images_and_videos_of_states_are_checked_and_refused() {
    let engine = engine(&["embeddings"]);
    let (server, _folder) = serve_unix(&engine);
    let questions = json!({ "a": { "type": "noul", "instructions": "Is it so?" } });
    let ask = |images: Value, videos: Value| {
        let body = json!({ "state": "s", "questions": questions, "images": images, "videos": videos });
        refusal(&post(&server, "/v1/decisions", &body))
    };
    assert_eq!(ask(json!([image_url("rgb.png")]), json!([])), refused("image_unsupported"));
    assert_eq!(ask(json!(["http://example.com/a.png"]), json!([])), refused("image_remote_url"));
    assert_eq!(ask(json!([]), json!([MP4])), refused("video_unsupported"));
    assert_eq!(ask(json!([]), json!([MP4.replace("mp4", "webm")])), refused("video_malformed"));
    assert_eq!(ask(json!([]), json!([MP4.replace("mp4", "x-msvideo")])), refused("video_unsupported_format"));
    assert_eq!(ask(json!([]), json!(["https://example.com/a.mp4"])), refused("video_remote_url"));
    let state = json!({ "state": "t", "questions": questions, "videos": [MP4] });
    let reply = post(&server, "/v1/decisions", &json!({ "states": { "named": state } }));
    assert_eq!(refusal(&reply), refused("video_unsupported"));
    let content = json!([{ "type": "input_text", "text": "t" }, { "type": "input_image", "image_url": GIF }]);
    let message = json!({ "role": "user", "content": content });
    let questions = json!([{ "type": "predicate", "instructions": "It is so." }]);
    let reply = post(&server, "/v1/decisions", &json!({ "input": [message], "questions": questions }));
    assert_eq!(refusal(&reply), refused("image_unsupported_format"));
}
