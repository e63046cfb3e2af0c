import { useState } from "react"

import { CONTINUITY_TEXTS as TEXTS } from "../../../../shared/continuity-texts"
import { trpc } from "../../../lib/trpc"

/** What a run stored in a message's metadata, as far as the chat shows it. */
interface ContinuityMetadata {
  continuityInjectedBytes?: number
  continuityReusedPercent?: number
  continuityNotice?: string
  continuityRun?: { runId?: string }
}

/** The line of the usage card. */
export function ContinuityUsage({ metadata }: { metadata: object | undefined }) {
  const { continuityInjectedBytes: bytes, continuityReusedPercent: reused } = (metadata ?? {}) as ContinuityMetadata
  if (bytes === undefined) return null
  return (
    <div className="flex justify-between text-xs gap-4 pt-1.5 mt-1 border-t border-border/50">
      <span className="text-muted-foreground">{TEXTS.usage}</span>
      <span className="font-mono text-foreground">{TEXTS.usageOf(bytes, reused ?? 0)}</span>
    </div>
  )
}

/** The notice before an answer with which a fresh session began. */
export function ContinuityNotice({ metadata }: { metadata: object | undefined }) {
  const { continuityNotice: notice } = (metadata ?? {}) as ContinuityMetadata
  if (!notice) return null
  return <div className="px-2 py-1 mb-1 text-xs text-muted-foreground border-l-2 border-border">{notice}</div>
}

/** What was remembered and withdrawn by the latest run, each with its undo, and what waits for a confirmation. */
export function ContinuityRemembered({ metadata, isLatest }: { metadata: object | undefined; isLatest: boolean }) {
  const runId = ((metadata ?? {}) as ContinuityMetadata).continuityRun?.runId ?? ""
  const { data } = trpc.continuity.run.useQuery(
    { runId },
    { enabled: isLatest && runId !== "", staleTime: Infinity, retry: false },
  )
  const undo = trpc.continuity.undo.useMutation()
  const confirm = trpc.continuity.confirm.useMutation()
  const [undone, setUndone] = useState<ReadonlySet<string>>(new Set())
  if (!data || data.remembered.length + data.withdrawn.length === 0) return null
  const entries = [
    ...data.remembered.map(({ id, text }) => ({ id, text, title: TEXTS.remembered, decide: undo, target: id })),
    ...data.withdrawn.map(({ id, text, replacedBy }) => ({
      id,
      text,
      title: TEXTS.withdrawn,
      decide: replacedBy === null ? confirm : undo,
      target: replacedBy ?? id,
    })),
  ]
  const take = (decide: typeof undo, id: string) =>
    decide.mutate({ ...data.place, id }, { onSuccess: () => setUndone(new Set([...undone, id])) })
  return (
    <div className="px-2 mt-1 space-y-0.5 text-xs text-muted-foreground">
      {entries.map(({ id, text, title, decide, target }) => (
        <div key={id} className="flex items-baseline gap-2">
          <span className="truncate">
            {title} {text}
          </span>
          {undone.has(target) ? (
            <span>{TEXTS.undone}</span>
          ) : (
            <button className="underline hover:text-foreground" onClick={() => take(decide, target)}>
              {TEXTS.undo}
            </button>
          )}
        </div>
      ))}
      {data.waiting > 0 && <div>{TEXTS.moreWaiting(data.waiting)}</div>}
    </div>
  )
}
