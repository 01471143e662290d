// Letters of other alphabets that look like Latin ones, inside of Latin words.

import { normalizeText } from "../../../kernel/index.ts"
import type { Segment } from "./segment.ts"

const pairs =
  "аaвbсcԁdеeғfһhіiјjкkмmнhоoрpԛqгrѕsтtцuѵvԝwхxуyАAВBСCЕEНHІIЈJКKМMОOРPЅSТTХXУY" +
  "αaβbγyεeηnιiκkνvοoρpσoτtυuχxωwΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX" +
  "ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢzɑaɡgɩiʋvɾrǝeɐaɔcᎪAᏴBᏟCᎠDᎬEᎻHᎫJᏦKᏞLᎷMᏢPᏒRᏚSᎢTᏙVᎳWᏃZօoոnսuհhցg"

const latinLetters: ReadonlyMap<string, string> = new Map(
  Array.from(pairs.matchAll(/(.)(.)/gsu), ([, like = "", letter = ""]) => [like, letter]),
)
const likes = [...latinLetters.keys()].join("")
const like = new RegExp(`[${likes}]`, "gu")

const word = /[\p{L}\p{N}]{2,}/gu
/** Tokenizers drop what shows nothing, and accents. */
const dropped = /[\p{Cf}\p{Mn}]/gu
const isLatin = new RegExp(`[a-z]|[${likes}]{3}`, "iu")

/** Curly quotes and dashes are none of these. */
const hasSome = /[^\0-\x7f](?<=[\p{L}\p{N}\p{Cf}\p{Mn}\p{So}])/u

export interface PlainLetters {
  /** As guards read it, with Latin letters where others stand for them. */
  readonly text: string
  /** The words that have some: they have others as well, or look-alikes alone. */
  readonly segments: readonly Segment[]
}

export function withPlainLetters(written: string): PlainLetters {
  if (!hasSome.test(written)) return { text: written, segments: [] }
  const read = normalizeText(written).text.replaceAll(dropped, "")
  const segments: Segment[] = []
  if (!isLatin.test(read)) return { text: read, segments }
  // Each letter stands for one, so that all places stay what they are.
  const text = read.replaceAll(word, (found, start: number) => {
    const plain = found.replaceAll(like, (sign) => latinLetters.get(sign) ?? sign)
    if (plain === found || !/^[a-z0-9]+$/i.test(plain)) return found
    segments.push({ start, end: start + found.length, plain })
    return plain
  })
  return { text, segments }
}
