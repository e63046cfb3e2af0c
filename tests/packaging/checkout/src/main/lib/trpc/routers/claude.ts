import { getDatabase } from "../../db"
import { publicProcedure, router } from "../index"

const activeSessions = new Map<string, AbortController>()

export const claudeRouter = router({
  chat: publicProcedure.subscription(({ input, emit, ask }: any) => {
    const abortController = new AbortController()
    activeSessions.set(input.subChatId, abortController)
    let isObservableActive = true
    const safeEmit = (chunk: object) => {
      if (!isObservableActive) return false
      emit.next(chunk)
      return true
    }
    ;(async () => {
      try {
        const existingMessages: any[] = getDatabase().messages(input.subChatId)
        const last = existingMessages.at(-1)
        const resumeAtUuid: string | null = last?.resumeAt ?? null
        const shouldForkResume = last?.forks === true
        const forkResumeAtUuid: string | null = shouldForkResume ? last.uuid : null
        const isUsingOllama: boolean = input.isLocal
        const isolatedConfigDir = "/tmp/config"
        const finalPrompt: string = input.prompt
        let prompt: string | AsyncIterable<any> = finalPrompt
        const finalEnv: Record<string, string> = { HOME: "/tmp" }

        const resumeSessionId: string | undefined = input.sessionId || undefined

        const rules = getDatabase().rules() as string | undefined
        const systemPromptConfig = rules
          ? { type: "preset" as const, preset: "claude_code" as const, append: rules }
          : { type: "preset" as const, preset: "claude_code" as const }
        const queryOptions = {
          prompt,
          options: {
            abortController,
            systemPrompt: systemPromptConfig,
            env: finalEnv,
            // An earlier session goes on.
            ...(resumeSessionId && {
              resume: resumeSessionId,
              ...(resumeAtUuid && !isUsingOllama ? { resumeSessionAt: resumeAtUuid } : { continue: true }),
            }),
            // Without one the folder's last session goes on.
            ...(!resumeSessionId && { continue: true }),
            model: "some-model",
          },
        }
        const parts: any[] = []
        const metadata: any = {}
        try {
          const stream = ask(queryOptions)
          for await (const msg of stream) {
            parts.push(msg)
            safeEmit({ type: "text" })
          }
        } catch {
          const assistantMessage = { id: "1", role: "assistant", parts, metadata }
          getDatabase().store(assistantMessage)
          return
        }
        const assistantMessage = { id: "2", role: "assistant", parts, metadata }
        getDatabase().store(assistantMessage)
      } finally {
        activeSessions.delete(input.subChatId)
      }
    })()
    return () => {
      isObservableActive = false
      abortController.abort()
    }
  }),
})
