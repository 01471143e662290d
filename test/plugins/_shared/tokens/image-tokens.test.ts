import { describe, expect, test } from "vitest"
import { imageSize, imageTokens } from "../../../../ts/plugins/_shared/tokens/image-tokens.ts"

const base64 = (...bytes: readonly (number | string)[]): string =>
  Buffer.concat(
    bytes.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.of(part))),
  ).toString("base64")
const rest = "\0".repeat(40)
const png = base64("\x89PNG\r\n\x1a\n", "\0\0\0\rIHDR", "\0\0\x03\x20", "\0\0\x02\x58", rest)
/** A frame of 640 × 480 behind a segment of so many bytes. */
const jpeg = (metadata: number, marker = 0xc0): string =>
  base64(
    "\xff\xd8\xff\xe1",
    metadata >> 8,
    metadata & 255,
    "x".repeat(metadata - 2),
    0xff,
    marker,
    "\0\x11\x08\x01\xe0\x02\x80",
    rest,
  )

describe("the size of an image", () => {
  test.each<[what: string, data: string, size: object | undefined]>([
    ["PNG", png, { width: 800, height: 600 }],
    ["GIF", base64("GIF89a\x40\x01\xf0\0", rest), { width: 320, height: 240 }],
    [
      "WebP with losses",
      base64(`RIFF\0\0\0\0WEBPVP8 ${"\0".repeat(7)}\x9d\x01\x2a\x40\x01\xf0\0`, rest),
      { width: 320, height: 240 },
    ],
    // 320 - 1 and 240 - 1 in 14 bits each: 0x013f | 0x00ef << 14 = 0x003bc13f.
    [
      "WebP without losses",
      base64("RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x3f\xc1\x3b\0", rest),
      { width: 320, height: 240 },
    ],
    [
      "WebP with more",
      base64("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x3f\x01\0\xef\0\0", rest),
      { width: 320, height: 240 },
    ],
    ["JPEG", jpeg(16), { width: 640, height: 480 }],
    ["JPEG with a preview", jpeg(40_000), { width: 640, height: 480 }],
    ["progressive JPEG", jpeg(16, 0xc2), { width: 640, height: 480 }],
    ["JPEG that ends", jpeg(40_000).slice(0, 400), undefined],
    ["a table of JPEG", jpeg(16, 0xc4), undefined],
    ["another format", base64("BM", rest), undefined],
    ["too little", png.slice(0, 16), undefined],
    ["no base64", "?".repeat(100), undefined],
    ["nothing", "", undefined],
  ])("%s", (_, data, size) => expect(imageSize(data)).toEqual(size))
})

describe("an image takes", () => {
  const image = (data: string) => ({ type: "image", source: { kind: "base64", data } }) as const

  test("a token for 750 pixels", () => expect(imageTokens(image(png))).toBe(640))

  test("as many as a large one where its size is not there, and never more", () => {
    const large = base64("\x89PNG\r\n\x1a\n", "\0\0\0\rIHDR", "\0\0\x20\0", "\0\0\x20\0", rest)
    expect(imageTokens(image(large))).toBe(1600)
    expect(imageTokens(image("nonsense"))).toBe(1600)
    expect(imageTokens({ type: "image", source: { kind: "url", url: "https://a.example/i.png" } })).toBe(1600)
  })

  test("few where a rough look is asked for", () => expect(imageTokens({ ...image(png), detail: "low" })).toBe(85))
})
