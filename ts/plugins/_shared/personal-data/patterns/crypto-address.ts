// Addresses of Bitcoin and Ethereum.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { findChecked } from "./text-range.ts"

/** Not within base64. */
const candidate =
  /(?<![\w/+])(?:bc1[02-9ac-hj-np-z]{11,71}|BC1[02-9AC-HJ-NP-Z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|0x[0-9a-fA-F]{40})(?![\w/+])/g

export function findCryptoAddresses(text: string): Work<readonly TextRange[]> {
  return findChecked(text, candidate, ({ 0: found }) => {
    if (found.startsWith("0x")) return !/^0x(.)\1*$/i.test(found)
    return /^bc1/i.test(found) ? passesBech32(found.toLowerCase()) : isBase58Address(found)
  })
}

const base32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

/** The checksum of BIP 173, or that of BIP 350. */
function passesBech32(address: string): boolean {
  const human = [3, 3, 0, 2, 3]
  let sum = 1
  for (const value of [...human, ...Array.from(address.slice(3), (sign) => base32.indexOf(sign))]) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    for (const [bit, term] of generator.entries()) if (((top >> bit) & 1) === 1) sum ^= term
  }
  return sum === 1 || sum === 0x2bc830a3
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/** 25 bytes, of which the first tells a key (0) from a script (5). Its checksum needs SHA-256, which no host has at once. */
function isBase58Address(address: string): boolean {
  let value = 0n
  for (const sign of address) value = value * 58n + BigInt(base58.indexOf(sign))
  const version = value >> 192n
  const isMixed = /[a-z]/.test(address) && /[A-Z]/.test(address) && /\d/.test(address.slice(1))
  return isMixed && (address.startsWith("1") ? version === 0n && value >> 176n > 0n : version === 5n)
}
