import { getDatabase } from "../../db"
import { publicProcedure, router } from "../index"

interface Provider {
  getSessionId(): string | null
  cleanup(): void
}

interface InMemory {
  provider: Provider
  cwd: string
  authFingerprint: string
  mcpFingerprint: string
}

const providerSessions = new Map<string, InMemory>()
const activeStreams = new Map<string, { runId: string }>()

const getAuthFingerprint = (config: unknown): string => JSON.stringify(config ?? null)
const getLastSessionId = (messages: any[]): string | undefined => messages.at(-1)?.metadata?.sessionId
const buildModelMessageContent = (prompt: string, images: any[] | undefined): any[] => [
  { type: "text", text: prompt },
  ...(images ?? []),
]
const buildCodexProviderEnv = (_config: unknown): Record<string, string> => ({ HOME: "/tmp" })
const cleanupProvider = (subChatId: string): void => providerSessions.get(subChatId)?.provider.cleanup()

function getOrCreateProvider(params: { subChatId: string; existingSessionId?: string; authConfig?: unknown }): Provider {
  return getDatabase().open({
    env: buildCodexProviderEnv(params.authConfig),
    session: params.existingSessionId,
  })
}

export const codexRouter = router({
  chat: publicProcedure.subscription(({ input, emit, ask }: any) => {
    const abortController = new AbortController()
    activeStreams.set(input.subChatId, { runId: input.runId })
    let isActive = true
    const safeEmit = (chunk: any) => {
      if (!isActive) return
      emit.next(chunk)
    }
    ;(async () => {
      try {
        const existingMessages: any[] = getDatabase().messages(input.subChatId)
        const metadataModel: string = input.model
        const isAuthoritativeRun = () => activeStreams.get(input.subChatId)?.runId === input.runId
        const mcpSnapshot = { fingerprint: "none" }
        const provider = getOrCreateProvider({
          subChatId: input.subChatId,
          existingSessionId: input.forceNewSession ? undefined : input.sessionId ?? getLastSessionId(existingMessages),
          authConfig: input.authConfig,
        })
        const answer = await ask(provider, {
          messages: [
            {
              role: "user",
              content: buildModelMessageContent(input.prompt, input.images),
            },
          ],
        })
        const cleanedResponseMessage: any = isAuthoritativeRun() ? answer : null
        getDatabase().store(cleanedResponseMessage, mcpSnapshot)
        safeEmit({ type: "finish" })
      } finally {
        activeStreams.delete(input.subChatId)
      }
    })()
    return () => {
      isActive = false
      abortController.abort()
    }
  }),
})
