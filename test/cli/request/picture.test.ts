import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { readPicture } from "../../../ts/cli/request/picture.ts"

test("a picture is what its first bytes say, and nothing else is sent", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rtr-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, content: string): string => {
    writeFileSync(join(folder, name), Buffer.from(content, "latin1"))
    return join(folder, name)
  }
  for (const [type, content] of [
    ["image/png", "\x89PNG\r\n\x1a\n.."],
    ["image/jpeg", "\xff\xd8\xff\xe0"],
    ["image/gif", "GIF89a.."],
    ["image/webp", "RIFF\n\r\u00ff\0WEBP"],
  ] as const) {
    const data = Buffer.from(content, "latin1").toString("base64")
    expect(await readPicture(write("picture", content))).toEqual({ type, data })
  }
  const large = write("large", "\x89PNG\r\n\x1a\n")
  truncateSync(large, 20 * 1024 * 1024 + 1)
  for (const [file, said] of [
    [write("text", "picture.png"), "it is neither PNG, JPEG, GIF nor WebP"],
    [write("empty", ""), "it is neither PNG, JPEG, GIF nor WebP"],
    [large, "it is no file of at most 20 MiB"],
    [folder, "it is no file of at most 20 MiB"],
    [join(folder, "none"), "ENOENT"],
  ] as const)
    await expect(readPicture(file), said).rejects.toThrow(new RegExp(`Cannot send --image ${file}: .*${said}`))
})
