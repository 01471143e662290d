import { expect, test } from "vitest"
import { readPlainUrl } from "../../../ts/kernel/schema/plain-url.ts"

test("an address of http or https may have a port and a path", () => {
  for (const text of ["http://h", "https://h:8443/v1/", "HTTP://[::1]:80/a%20b"])
    expect(readPlainUrl(text)).toEqual(new URL(text))
})

test("what is no such address, or has more in it, is none", () => {
  for (const text of ["", "h", "/v", "ftp://h", "http://", "http://u:p@h", "http://u@h", "http://:p@h"])
    expect([text, readPlainUrl(text)]).toEqual([text, undefined])
  for (const text of ["http://h?x", "http://h/?", "http://h#x", "http://h/#", "http://h h", " http://h", "http://h\n"])
    expect([text, readPlainUrl(text)]).toEqual([text, undefined])
})
