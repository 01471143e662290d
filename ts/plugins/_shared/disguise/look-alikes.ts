// Letters of other alphabets that look like Latin ones, and Latin ones in other shapes.

import type { Range } from "./gains.ts"
import type { Segment } from "./segment.ts"
import { hasStyled, isStyled, unstyled } from "./styled-letters.ts"

const pairs =
  "аaвbсcԁdеeғfһhіiјjкkмmнhоoрpԛqгrѕsтtцuѵvԝwхxуyАAВBСCЕEНHІIЈJКKМMОOРPЅSТTХXУY" +
  "αaβbγyεeηnιiκkνvοoρpσoτtυuχxωwΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX" +
  "ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢzɑaɡgɩiʋvɾrǝeɐaɔcᎪAᏴBᏟCᎠDᎬEᎻHᎫJᏦKᏞLᎷMᏢPᏒRᏚSᎢTᏙVᎳWᏃZօoոnսuհhցg"

const latinLetters: ReadonlyMap<string, string> = new Map(
  Array.from(pairs.matchAll(/(.)(.)/gsu), ([, like = "", letter = ""]) => [like, letter]),
)
const allLikes = [...latinLetters.keys()].join("")
const like = new RegExp(`[${allLikes}]`, "gu")

const word = /[\p{L}\p{N}]{2,}/gu
/** Tokenizers drop what shows nothing, and accents. */
const dropped = /[\p{Cf}\p{Mn}]/gu
const tags = /[\u{e0020}-\u{e007e}]/gu
const isLatin = new RegExp(`[a-z]|[${allLikes}]{3}`, "iu")

/** Curly quotes and dashes are none of these. */
const hasSome = /[^\0-\x7f](?<=[\p{L}\p{N}\p{Cf}\p{Mn}\p{So}])/u

export interface PlainLetters {
  /** As guards read it, with Latin letters where others stand for them. */
  readonly text: string
  /** The words in letters of other shapes. */
  readonly styled: readonly Segment[]
  /** The words with letters of other alphabets: beside Latin ones, or look-alikes alone. */
  readonly likes: readonly Segment[]
}

export function withPlainLetters(written: string): PlainLetters {
  if (!hasSome.test(written)) return { text: written, styled: [], likes: [] }
  const { read, styled } = withoutShapes(written)
  if (!isLatin.test(read)) return { text: read, styled: [], likes: [] }
  const likes: Segment[] = []
  // Each letter stands for one, so that all places stay what they are.
  const text = read.replaceAll(word, (found, start: number) => {
    const plain = found.replaceAll(like, (sign) => latinLetters.get(sign) ?? sign)
    if (plain === found || !/^[a-z0-9]+$/i.test(plain)) return found
    likes.push({ start, end: start + found.length, plain })
    return plain
  })
  return { text, styled: styled.map(({ start, end }) => ({ start, end, plain: text.slice(start, end) })), likes }
}

/** With the places of words whose letters had other shapes. */
function withoutShapes(written: string): { readonly read: string; readonly styled: readonly Range[] } {
  if (!hasStyled(written)) return { read: plainOf(written), styled: [] }
  const styled: Range[] = []
  let read = ""
  for (const [part] of written.matchAll(/\s+|\S+/g)) {
    const plain = plainOf(unstyled(part))
    if (isStyled(part)) styled.push({ start: read.length, end: read.length + plain.length })
    read += plain
  }
  return { read, styled }
}

const plainOf = (written: string): string =>
  written
    .replaceAll(tags, (tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) & 0x7f))
    .normalize("NFKC")
    .replaceAll(dropped, "")
