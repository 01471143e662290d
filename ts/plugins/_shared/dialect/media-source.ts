// Where media stands on the wires of OpenAI: addresses, `data:` URLs and formats of audio.

import type { AudioBlock, JsonValue, MediaSource, WireObject } from "../../../kernel/index.ts"
import { isObject, isText, withoutUndefined } from "./wire.ts"

/** A `data:` URL in base64 as its data, anything else as an address. */
export function readUrl(url: string): MediaSource {
  const comma = url.indexOf(",")
  const head = url.startsWith("data:") && comma > 0 ? url.slice(5, comma) : ""
  if (!head.endsWith(";base64")) return { kind: "url", url }
  const mediaType = head.slice(0, -";base64".length)
  return { kind: "base64", data: url.slice(comma + 1), ...(mediaType !== "" && { mediaType }) }
}

/** Undefined for what only its own service can find. */
export function writeUrl(source: MediaSource): string | undefined {
  if (source.kind === "id") return undefined
  return source.kind === "url" ? source.url : `data:${source.mediaType ?? ""};base64,${source.data}`
}

/** The wire has formats, the canonical form media types. */
export function readAudio(audio: JsonValue | undefined): AudioBlock | undefined {
  if (!isObject(audio) || !isText(audio["data"])) return undefined
  const { data, format } = audio
  const mediaType = format === "mp3" ? "audio/mpeg" : `audio/${format}`
  return { type: "audio", source: { kind: "base64", data, ...(isText(format) && { mediaType }) } }
}

export const writeAudio = ({ data, mediaType }: Extract<MediaSource, { kind: "base64" }>): WireObject =>
  withoutUndefined({
    data,
    format: mediaType === "audio/mpeg" ? "mp3" : mediaType?.replace(/^audio\/(x-)?/, ""),
  })
