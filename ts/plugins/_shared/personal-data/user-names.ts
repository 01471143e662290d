// Which values are names of users. Code is full of names that look like some.

import type { TextRange } from "../../../kernel/index.ts"
import { isAbbreviation, isFieldName, isTypeName } from "./patterns/code-names.ts"
import { isDrawnSecret } from "./patterns/secrets/secret-value.ts"

/** Names of functions, tables and constants: `forceGlobalAgent`, `LiteLLM_DeletedTeamTable`, `MAX_RETRIES`. Small letters with underscores are user names as often. */
const nameInCode =
  /^(?:[A-Za-z]*[a-z][A-Z][A-Za-z]*(?:_[A-Za-z]+)*|\$?[A-Z][A-Z\d]*(?:_[A-Z\d]+)+|[A-Z]\w*(?:\.[A-Z]\w*)+|[a-z]\w*(?:\.[a-z]\w*){2,}|\w+_)$/
/** A short word, and what a service drew: `cus_NffrFeUfNV2Hib`. */
const drawnId = /^[a-z]{2,8}_(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z\d]{10,}$/
/** Ids of calls, replies and files, as the interfaces of models have them; what an agent says goes back to them with each turn. */
const idOfModels =
  /^(?:call|toolu|srvtoolu|fc|ctc|rs|msg|resp|chatcmpl|run|thread|asst|batch|file|conv|req)[_-](?:\d{1,8}|(?=[\w-]*\d|[\w-]*[a-z][A-Z])[\w-]{9,80})$/

/** Whether a finding is, or stands in, such an id. */
export function isIdOfModels(text: string, { start, end }: TextRange): boolean {
  const from = start - (/[\w-]*$/.exec(text.slice(Math.max(0, start - 80), start))?.[0].length ?? 0)
  const to = end + (/^[\w-]*/.exec(text.slice(end, end + 80))?.[0].length ?? 0)
  return idOfModels.test(text.slice(from, to))
}

/** What is the id of some thing may have small letters alone. */
const idOfThing = /^[a-z]{2,5}_(?=[a-z]*\d)[a-z\d]{6,}$/
const saysId = /(?:^|[^\p{L}])(?:id|[\p{L}_]+_id)["']?\s{0,3}[:=]\s{0,3}["']?$/iu
/** `location = "westeurope"`. */
const plainWord = /^\p{Ll}+$/u
const isAssigned = /[=:]\s{0,3}["']$/
/** `resource "aws_s3_bucket" "logs"` of Terraform. */
const isBlockLabel = /(?:^|\n)[ \t]*(?:resource|data|module|provider|variable|output|locals)[ \t]+(?:"[\w-]+"[ \t]+)?"$/
/** `git blame` marks the first one. */
const commit = /^\^?(?=[a-f]*\d)[\da-f]{7,40}$/
/** No person has such a name: keys of services. */
const drawnCapitals = /^[A-Z\d]{16,}$/
/** A package of npm or a team of GitHub: `@jridgewell/trace-mapping`, with what stands before it. */
const packageOfScope = /^\W?(?:\S*node_modules\/)?@[a-z\d~][\w.~-]*\/[a-z\d~][\w.~-]*(?:[/@][^\s@]*)?$/
const saysUser =
  /(?<!\p{L})(?:user|login|logged|signed|handle|account|nick|profile|alias|gamertag|member|author|owner|assignee|contact|follow|ping|instagram|discord|github|gitlab|telegram|twitter|reddit|slack|skype|steam|tiktok|mastodon|dm(?!\p{L})|benutzer|nutzer|konto|usuario|utilisateur|identifiant|pseudo|compte|cuenta)/iu

/** Signs that no name of a user has, members of objects, names with three capitals, and dates behind them: `fields?.apiKey`, `_embedOrigins`, `tool_20260301`. */
const surelyCode =
  /[^\p{L}\p{N}\s._@\\/!?~+-]|^[!?.]|\?\.|^_+\p{L}|\.\w*\p{Ll}\p{Lu}|\p{Ll}(?:\p{Lu}[\p{Ll}\d]*){3}|_20\d{6}$/u
/** `[name]: https://…` and `![text][name]` of Markdown, `[a-z]*` of a pattern, `name(` of a call, and `"content-type": ` of an object. */
function isPlaceInCode(value: string, before: string, behind: string): boolean {
  if (before.endsWith("[") && /^\](?:: |[*+?{])/.test(behind)) return true
  if (before.endsWith("][") && behind.startsWith("]")) return true
  if (/^\((?!~)/.test(behind)) return true
  return /^\p{Ll}+(?:-\p{Ll}+)+$/u.test(value) && /["'`]$/.test(before) && /^["'`]\s?:/.test(behind)
}
/** A word in a string that is assigned. */
const isInString = /[=:]\s{0,3}["'`][^"'`\n]{1,40}$/

/** A name as programmers write them is one of a user only where words beside it say so. */
export function isUserName(text: string, { start, end }: TextRange): boolean {
  const value = text.slice(start, end)
  if (value.length < 3 || !/\p{L}/u.test(value)) return false
  const before = text.slice(Math.max(0, start - 48), start)
  if (isAbbreviation(value) || isTypeName(value)) return false
  if (isFieldName(value) && !before.endsWith("@")) return false
  if (surelyCode.test(value) || isPlaceInCode(value, before, text.slice(end, end + 4))) return false
  if (drawnCapitals.test(value) || packageOfScope.test(text.slice(Math.max(0, start - 1), end))) return false
  const isOfCode =
    nameInCode.test(value) ||
    commit.test(value) ||
    (plainWord.test(value) && (isAssigned.test(before) || isInString.test(before))) ||
    (before.endsWith("`") && /^\p{Ll}+(?:_\p{Ll}+)+$/u.test(value)) ||
    isDrawnSecret(value) ||
    isBlockLabel.test(before) ||
    text.startsWith("::", end) ||
    drawnId.test(value) ||
    (idOfThing.test(value) && saysId.test(before))
  return !isOfCode || before.endsWith("@") || saysUser.test(before) || saysUser.test(text.slice(end, end + 32))
}
