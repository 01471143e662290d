// Secrets in the headers of requests, on command lines, in sentences and in files of logins.

import type { TextRange, Work } from "../../../../../kernel/index.ts"
import { decodedBase64, findSecrets, isDrawnSecret, isPassword } from "./secret-value.ts"

const introduced =
  /(?:bearer|authorization["']?[:=] ?["']?(?:token|key|apikey|api-key)) {1,2}(?:token=)?["']?([\w.~+/=-]{16,2048})|--(?:[\w-]{0,20}-)?(?:token|secret|api-?key)[ =]["']?([\w.~+/=-]{16,512})|(?:api|access|secret|auth(?:entication)?|client|private|signing|encryption|license)[ _-]?(?:key|token|secret)s?(?: (?:is|was|ist|lautet|=)| is:)? ["'`]?([\w.~+/=-]{20,512})|(?:token|secret|key) is:? ["'`]?([\w.~+/=-]{20,512})/gi

/** `Authorization: Bearer …`, `--token …`, and sentences: "the api key is …". */
export const findHeaderKeys = (text: string): Work<readonly TextRange[]> =>
  findSecrets(text, introduced, ({ 0: all, 1: header, 2: option, 3: named, 4: said, index }) => {
    const written = header ?? option ?? named ?? said ?? ""
    const value = written.replace(/[.=]+$/, (end) => (end.includes(".") ? "" : end))
    const start = index + all.length - written.length
    return isDrawnSecret(value) ? { start, end: start + value.length } : undefined
  })

const basic = "basic {1,2}([A-Za-z0-9+/]{8,256}={0,2})"
const userOption = "(?<=\\s)(?:-u|--(?:proxy-)?user)[ =]?[\"']?[^\\s:\"']{1,64}:([^\\s\"']{4,128})"
const passwordOption = "(?<=\\s)(?:-p ?|-a |--pass(?:word|wd)?[ =])[\"']?([^\\s\"']{4,128})"
const login = "\\blogin\\s{1,8}\\S{1,64}\\s{1,8}password\\s{1,8}(\\S{4,128})"
const logins = new RegExp(`\\b${basic}|${userOption}|${passwordOption}|${login}`, "gi")

/** `Authorization: Basic …`, `curl -u ann:…`, `mysql -p…`, `sshpass -p …`, `--password …`, and the lines of `.netrc`. */
export const findLoginPasswords = (text: string): Work<readonly TextRange[]> =>
  findSecrets(text, logins, ({ 0: all, 1: encoded, 2: ofUser, 3: ofOption, 4: ofLogin, index }) => {
    const written = encoded ?? ofUser ?? ofOption ?? ofLogin ?? ""
    const value = written.replace(/[.,;:)]+$/, "")
    const start = index + all.length - written.length
    const range = { start, end: start + value.length }
    if (encoded !== undefined) return isLogin(encoded) ? range : undefined
    if (!isPassword(value)) return undefined
    const isOfTool = ofLogin !== undefined || all.startsWith("--pass") || toolBefore(text, index, ofUser !== undefined)
    return isOfTool ? range : undefined
  })

/** Many programs have an option `-p` or `-u`: a port, a path, a user. */
function toolBefore(text: string, position: number, isUser: boolean): boolean {
  const before = text.slice(Math.max(0, position - 200), position).replaceAll("\\\n", " ")
  const line = before.slice(Math.max(...["\n", "|", ";", "&"].map((end) => before.lastIndexOf(end))) + 1)
  return (
    isUser ? /(?:^|\W)(?:curl|wget|https?|xh)\s/ : /(?:^|\W)(?:(?:mysql|maria)\w*|sshpass|redis-cli|docker login)\s/
  ).test(line)
}

/** A user and a password in base64 (RFC 7617). */
function isLogin(encoded: string): boolean {
  const decoded = decodedBase64(encoded)
  if (decoded === undefined || !/^[\x20-\x7e]+$/.test(decoded)) return false
  const colon = decoded.indexOf(":")
  const password = decoded.slice(colon + 1)
  if (colon === -1) return false
  return password === "" ? isDrawnSecret(decoded.slice(0, colon)) : isPassword(password) || /[a-z][A-Z]/.test(password)
}
