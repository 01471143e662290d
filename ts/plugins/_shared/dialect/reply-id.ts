// The id of a reply in the form that clients of a protocol expect, whichever backend answered.

/** What the protocols begin their ids with: Chat Completions, Messages, Responses. */
const prefixes = ["chatcmpl-", "msg_", "resp_"] as const

/** What the backend called the reply stays behind the prefix, so that logs of both sides can be compared; without a name one is made up. */
export function replyId(id: string, prefix: "msg_" | "resp_"): string {
  if (id.startsWith(prefix)) return id
  const other = prefixes.find((one) => id.startsWith(one)) ?? ""
  return `${prefix}${id.slice(other.length) || crypto.randomUUID().replaceAll("-", "")}`
}
