import { expect, test } from "vitest"

import { replyId } from "../../../../ts/plugins/_shared/dialect/reply-id.ts"

test("a reply has the id of its protocol, and keeps what the backend called it", () => {
  expect(replyId("msg_1", "msg_")).toBe("msg_1")
  expect(replyId("chatcmpl-1", "msg_")).toBe("msg_1")
  expect(replyId("gen-1", "resp_")).toBe("resp_gen-1")
  for (const none of ["", "chatcmpl-"]) expect(replyId(none, "resp_")).toMatch(/^resp_[0-9a-f]{32}$/)
})
