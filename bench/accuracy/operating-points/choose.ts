// From which probability the findings of a kind count: as many right ones as possible, with few in texts that have none.

import { f1Of } from "../figures/labels.ts"

/** One finding of a kind, or a marked part that nobody found. */
export interface Judged {
  readonly probability: number
  /** Both ends and the kind are right. */
  readonly isRight: boolean
}

export interface KindEvidence {
  readonly kind: string
  readonly marked: number
  readonly findings: readonly Judged[]
  /** The highest probability in each ordinary prompt that has a finding of the kind. */
  readonly ordinary: readonly number[]
  readonly prompts: number
}

export interface PointFigures {
  readonly point: number
  readonly precision: number
  readonly recall: number
  readonly f1: number
  /** Share of the ordinary prompts. */
  readonly ordinary: number
}

/** Lower ones than the threshold of the head cannot be chosen: it marks no word below. */
export const points: readonly number[] = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98]

export function figuresAt({ marked, findings, ordinary, prompts }: KindEvidence, point: number): PointFigures {
  const said = findings.filter(({ probability }) => probability >= point)
  const right = said.filter(({ isRight }) => isRight).length
  return {
    point,
    precision: said.length === 0 ? 1 : right / said.length,
    recall: marked === 0 ? 0 : right / marked,
    f1: f1Of({ right, marked, said: said.length }),
    ordinary: ordinary.filter((probability) => probability >= point).length / prompts,
  }
}

/** The point with the best F1 among those that few ordinary prompts reach; the lowest of equals. The highest where all reach too many. */
export function choosePoint(evidence: KindEvidence, most: number): PointFigures {
  const all = points.map((point) => figuresAt(evidence, point))
  const quiet = all.filter(({ ordinary }) => ordinary <= most)
  const best = quiet.reduce<PointFigures | undefined>((a, b) => (a === undefined || b.f1 > a.f1 ? b : a), undefined)
  return best ?? (all.at(-1) as PointFigures)
}
