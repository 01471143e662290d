// What languages of other scripts than Latin call themselves: "日本語", "русский". Links to translations are made of these words.

const codes =
  "ar be bg bn el fa gu he hi hy ja ka km kn ko mk ml mr my ne or pa ru si sr ta te th uk ur zh zh-Hans zh-Hant"

/** The second form of a name that Chinese writes in two. */
const otherForm = "繁体中文"

let names: ReadonlySet<string> | undefined

/** Whether a word, in any case, is such a name. */
export function isLanguageName(word: string): boolean {
  names ??= new Set([...codes.split(" ").map((code) => nameOf(code).toLowerCase()), otherForm])
  return names.has(word.toLowerCase())
}

const nameOf = (code: string): string => new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code
