/** An image block of a prompt for Claude, or a file part of one for Codex. */
export type Attachment = object

/** A message as the app stores it; what is not named here is left alone. */
export interface StoredMessage {
  id?: string
  role?: string
  parts?: readonly unknown[]
  metadata?: Record<string, unknown> | null
}

/** One prompt on its way to a provider, with what the app's router has at hand. */
interface PromptInput {
  /** Id of the run; made if absent. */
  runId?: string
  subChatId: string
  chatId: string
  mode: "plan" | "agent"
  /** What the user chose for this chat; absent if nothing. It wins over the settings' mode and over a rollout by share. */
  continuityMode?: "off" | "passive" | "active" | null
  /** The chat's git worktree. */
  cwd: string
  /** The original project; without it, the repository's main worktree. */
  projectPath: string | null | undefined
  /** The model's name, as far as it is known. */
  model?: string | null
  /** The prompt as the user typed it and the app stores it, with its mention markers. */
  typedPrompt: string
  /** The text that goes to the provider. */
  prompt: string
  /** The sub-chat's stored messages: forks, rollbacks and compactions are recognised by their metadata. */
  messages: readonly StoredMessage[]
  /** The session that the provider continues; null or undefined if none is stored. */
  sessionId: string | null | undefined
  /** The run's own signal, which the user's Stop aborts; completing the run may abort it too. */
  signal: AbortSignal
  /** Whether no newer prompt of the sub-chat took this one's place. */
  isCurrent?: () => boolean
}

export interface ClaudeRunInput extends PromptInput {
  provider: "claude"
  /** Image blocks; they precede the text. */
  images: readonly Attachment[]
  /** Whether a local model answers, to which the app sends a history of its own. */
  isLocalModel: boolean
  /** The provider's id of the last message that a rollback left; null without a rollback. */
  rollbackTo: string | null | undefined
  /** The provider's id of the message at which the session is forked; null if it is not. */
  forkAt: string | null | undefined
  /** The agent's configuration folder, which contains the session's transcript. */
  transcriptFolder?: string
}

export interface CodexRunInput extends PromptInput {
  provider: "codex"
  /** File parts; they follow the text. */
  files: readonly Attachment[]
}

export type RunInput = ClaudeRunInput | CodexRunInput
