// Generated from the sidecar's catalog by build/generate.py. Do not edit.

export const PROTOCOL_VERSION = 1

/** The code of each error, by its kind (`error.data.kind`). */
export const ErrorCodes = {
  /** The bytes are not a single JSON text in UTF-8. */
  parseError: -32700,
  /** The JSON is not a JSON-RPC 2.0 request, or this connection cannot accept it now. */
  invalidRequest: -32600,
  /** The catalog has no method of that name. */
  methodNotFound: -32601,
  /**
   * The params do not match the method's model, or not each other; data.errors, if present, names up to 20 fields.
   */
  invalidParams: -32602,
  /** An unexpected failure; the log has the traceback under data.incidentId. */
  internalError: -32603,
  /** A method was called before `initialize` succeeded. */
  notInitialized: -32002,
  /**
   * A queue is full, another process holds a lock, or memory is short; retry after data.retryAfterMs milliseconds.
   */
  busy: -32001,
  /** The client cancelled the request. */
  cancelled: -32800,
  /** The folder of the workspace or project is missing, relative or unreadable, or its repository cannot be used. */
  workspaceUnavailable: -32010,
  /** The state folder or its state file cannot be opened, read or written. */
  stateDegraded: -32012,
  /** Something exceeds a stated size; data.limitBytes is that size. */
  tooLarge: -32013,
  /** A setting or a protection forbids the action. */
  policyDenied: -32014,
  /** The object changed meanwhile, is in use, or is not in a condition that allows the action. */
  conflict: -32015,
  /** No object has that id, name or path. */
  notFound: -32016,
  /**
   * The knowledge sync failed.
   *
   * data.code is the failure's code, such as `KNOWLEDGE_UNAVAILABLE`; data.retryable is whether to try again.
   */
  syncFailed: -32017,
  /** The coding agent's program is missing or cannot be started; `ralph/start` reports it as `reason`. */
  agentUnavailable: -32018,
} as const

export type ErrorKind = keyof typeof ErrorCodes

/** The members of every answer's `error.data`. */
export interface ErrorData {
  /** The kind of error. */
  kind: ErrorKind
  /** What to do, in one sentence. */
  hint?: string
  [member: string]: unknown
}

/** Advice on the share, and its reason. */
export interface Advice {
  verdict: "raise" | "hold" | "off"
  sentence: string
}

/** Artifacts to commit, and the project whose repository they go to. */
export interface ArtifactCommitParams {
  projectPath: string
  /** Drafts listed here are accepted. Default: every accepted artifact of the project. */
  ids?: string[] | null
}

/** Artifacts on the memory branch after the commit. */
export interface ArtifactCommitResult {
  branch: string
  /** The branch's new commit; null if there was nothing to do. */
  commit: string | null
  artifacts: CommittedArtifact[]
}

/** An artifact with its Markdown text. */
export interface ArtifactGetResult {
  id: string
  type: "devlog" | "adr" | "rejectedApproach"
  status: "draft" | "accepted" | "discarded" | "committed"
  title: string
  /** The event that caused it. */
  event: string
  /** RFC 3339. */
  createdAt: string
  /** Time of the last change, RFC 3339; `artifact/update` compares it. */
  updatedAt: string
  /** Whether the stored record is damaged; a damaged artifact can only be listed. */
  damaged: boolean
  body: string
  provenance: Provenance
}

/** Filter of the artifacts to list. */
export interface ArtifactListParams {
  projectPath: string
  status?: "draft" | "accepted" | "discarded" | "committed" | null
  type?: "devlog" | "adr" | "rejectedApproach" | null
  /** Only artifacts whose id starts with this. */
  idPrefix?: string | null
  limit?: number
}

/** Artifacts of a project, newest first. */
export interface ArtifactListResult {
  artifacts: ArtifactSummary[]
}

/** Reference to one artifact of a project. */
export interface ArtifactParams {
  /** Artifacts of other projects are not found. */
  projectPath: string
  id: string
}

/** An artifact's id, type and status. */
export interface ArtifactReference {
  id: string
  type: "devlog" | "adr" | "rejectedApproach"
  status: "draft" | "accepted" | "discarded" | "committed"
}

/** An artifact without its text. */
export interface ArtifactSummary {
  id: string
  type: "devlog" | "adr" | "rejectedApproach"
  status: "draft" | "accepted" | "discarded" | "committed"
  title: string
  /** The event that caused it. */
  event: string
  /** RFC 3339. */
  createdAt: string
  /** Time of the last change, RFC 3339; `artifact/update` compares it. */
  updatedAt: string
  /** Whether the stored record is damaged; a damaged artifact can only be listed. */
  damaged: boolean
}

/** A new text for an artifact. */
export interface ArtifactUpdateParams {
  /** Artifacts of other projects are not found. */
  projectPath: string
  id: string
  /** Default: the heading at the start of the new body. */
  title?: string | null
  /** Markdown. */
  body?: string | null
  /** The `updatedAt` of the version being changed; a later one is a conflict. */
  expectedUpdatedAt?: string | null
}

/** The agent's message as the host stored it. */
export interface Assistant {
  messageId?: string | null
  /** The agent's final text. */
  text?: string
  /** The stored parts, including tool calls. */
  parts?: Record<string, unknown>[]
}

/** A pack as text, sent before the user's request. */
export interface Block {
  kind: "anchor" | "context" | "delta" | "plan" | "carryover"
  id: string
  /** UTF-8 bytes of `text`. */
  bytes: number
  text: string
}

/** L2: the active agent's scope. */
export interface BlockAgent {
  name: string
  mission: string
  inputs: string | null
  outputs: string | null
  criteria: string | null
}

/** L4: what the previous agent handed over. */
export interface BlockHandoff {
  from: string
  score: string | null
  summary: string
}

/** A file that an IDE reads, and the state of its block. */
export interface BlockInfo {
  /** Absolute. */
  path: string
  state: "active" | "inactive" | "none" | "several" | "damaged" | "unreadable"
}

/** Memories, at the bracket's level of detail. */
export interface BlockMemory {
  bracket: "FRESH" | "MODERATE" | "DEPLETED" | "CRITICAL"
  level: "none" | "metadata" | "chunks" | "full"
  /** One line per memory; one line for all at level `metadata`. */
  text: string
}

export interface BudgetsSettings {
  /** Maximum bytes of all packs of one call in token mode low; less as the context window fills. Default: 14000. */
  low?: number | null
  /**
   * Maximum bytes of all packs of one call in token mode normal; less as the context window fills. Default: 24000.
   */
  normal?: number | null
  /** Maximum bytes of all packs of one call in token mode debug; less as the context window fills. Default: 42000. */
  debug?: number | null
  /**
   * Maximum bytes of a session's first context block, at most 52 % of the call's bytes; a third of it for a follow-up. Times 0.6 in token mode low, 1.75 in debug; less as the context window fills. Default: 12288.
   */
  context?: number | null
  /**
   * Maximum bytes one call adds to a provider session, its anchor included. null: the token mode's budget. A host may ask for less with `maxNewBytes`. Default: null.
   */
  newBytesPerCall?: number | null
}

export interface CacheSettings {
  /** Maximum bytes of cache entries in memory, for all projects. Holds from the next start. Default: 16777216. */
  hotBytes?: number | null
  /**
   * Maximum bytes of the file cache in the state file, for all projects; the pack cache may have a quarter of it, the other caches an eighth each. Holds from the next start. Default: 268435456.
   */
  diskBytes?: number | null
}

/** One cache in the state file. */
export interface CacheStatus {
  name: string
  entries: number
  bytes: number
}

/** The request to cancel. */
export interface CancelParams {
  id: string | number
}

export interface CaptureSettings {
  /** Number of changed lines since the last devlog at which the next one is due. Default: 120. */
  changedLines?: number | null
  /** Number of changed files since the last devlog at which the next one is due. Default: 8. */
  changedFiles?: number | null
  /**
   * Files whose changes always draft a decision record, as globs from the worktree's top: `api/**`, `*.proto`. Default: none.
   */
  boundaries?: string[] | null
}

/** Totals of captured and dropped statements within reach, with reasons. */
export interface CaptureState {
  /** The last capture; null before the first one. */
  last: CaptureSummary | null
  captures: number
  added: number
  repeated: number
  /** Number of statements that active mode would have added. */
  suppressed: number
  dropped: DropCount[]
  /** Summaries of runs, and decisions on artifacts, that are not captured yet. */
  waiting: number
  nearMisses: NearMissCount[]
}

/** Outcome of one recorded capture. */
export interface CaptureSummary {
  /** RFC 3339. */
  at: string
  sessionId: string
  origin: "request" | "run" | "preCompact" | "exit" | "artifact"
  added: number
  repeated: number
  suppressed: number
  dropped: DropCount[]
}

/** A changed value. */
export interface ChangeEntry {
  /** The entity's id, or `metadata`. */
  id: string
  /** `*` for a whole entity. */
  field: string
  /** Null if it did not exist. */
  before: string | null
  /** Null if it was removed. */
  after: string | null
}

/** A file that differs from the head commit. */
export interface ChangedFileEntry {
  /** Relative to `cwd`; secrets and control characters in it are masked. */
  path: string
  kind: "staged" | "unstaged" | "untracked" | "deleted" | "renamed" | "conflicted"
  /** git's two status characters, of index and worktree: `.` unchanged, `??` untracked. */
  code: string
  /**
   * The id git would store the content under; a prefix and a distinguishing value for anything but a text file (`link:…`, `large:…`, `nested:…`); `absent` if there is nothing.
   */
  contentHash: string
  /** Previous path of a renamed file. */
  originalPath: string | null
}

/** The client's name and version. */
export interface ClientInfo {
  name: string
  version: string
}

/** The outcome of an index run. */
export interface CodebaseIndexResult {
  /** Number of files of the workspace that may be shown. */
  files: number
  /** Files that were cached already, from this or another worktree. */
  fromCache: number
  /** Files that this run read. */
  analysed: number
  /** Whether every file is indexed. */
  complete: boolean
  /** Total number of files if only some are indexed; else null. */
  cutAt: number | null
  /** Files left out because their path contains a secret, control characters or invalid text. */
  unsafeNames: number
}

/** A search query. */
export interface CodebaseSearchParams {
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** A prompt, in any language, or a stack trace. */
  query: string
  /** Maximum number of entries of `files`. */
  limit?: number
  /** Maximum tokens of what `budgetOf` names, by an estimate. */
  budgetTokens?: number
  /**
   * `texts`: the regions' texts. `result`: the result as JSON without spaces, not counting scores and their parts. At most half of it is for files, or all if no region fits; one file is returned in any case.
   */
  budgetOf?: "texts" | "result"
  /** Return files without regions. */
  pathOnly?: boolean
  /**
   * The conversation that receives the result. A region that it received before is one line, `path:lines (shown above)`, with the numbers that it had if its lines moved, until the sidecar learns that the session of this id was compacted.
   */
  sessionId?: string | null
  /** Return every region in full. */
  repeat?: boolean
}

/** Files, most relevant first, and the regions of the best ones. */
export interface CodebaseSearchResult {
  files: FoundFile[]
  /** Regions within the token budget, by file in the order of the best region, then by line. */
  regions: FoundFileRegion[]
  /** Number of further regions of the best files, over the budget. */
  omittedRegions: number
  /**
   * False while files are still being indexed: those match by path and history alone, or also by their words once these are read.
   */
  complete: boolean
  /**
   * One sentence each, on what was not searched: files that are still being indexed, and repositories below a folder without git.
   */
  warnings: string[]
}

/** The worktree at this moment. */
export interface CodebaseStateResult {
  /** `folder` if there is no git repository. */
  kind: "git" | "folder"
  /** The worktree's top folder, or the folder itself. */
  root: string
  /** Null before the first commit. */
  headCommit: string | null
  /** Null when HEAD is detached. */
  branch: string | null
  /** In a git worktree the files below `cwd` that differ from the head commit, in a folder without git every file. */
  changed: ChangedFileEntry[]
  /** Hash of all changes of the worktree, staged contents included; undoing an edit restores the previous hash. */
  changedFilesHash: string
  /**
   * `status`: git reported the full status; `watch`: it did, and every change since was reported by a file watch and read again; `watch+stat`: the same with a watch that can miss changes (macOS, Windows), verified by a full status soon after; `walk`: every file of a folder without git was read.
   */
  proof: string
}

/** An artifact that is on the memory branch. */
export interface CommittedArtifact {
  id: string
  type: "devlog" | "adr" | "rejectedApproach"
  /** The commit that added it to the branch. */
  commit: string
}

/** A standing instruction: every new session of the project receives it. */
export interface ConfirmedInstruction {
  /** The id of its memory. */
  id: string
  /** Its line, at most 200 bytes with id and date; secrets are masked. */
  text: string
  /** Time of the last statement or confirmation, RFC 3339. */
  at: string
  /** Number of observations. */
  evidence: number
  /** typed: the user's message; confirmed: on the command line or in the settings page. */
  origin: "typed" | "confirmed"
}

/** Limits of a message. */
export interface ConnectionLimits {
  /** Maximum size of one message in bytes. */
  maxMessageBytes: number
}

/** The content of a `<chati-context>` block; null for what it does not contain. */
export interface ContextBlock {
  bracket: "FRESH" | "MODERATE" | "DEPLETED" | "CRITICAL"
  /** L0, in every bracket. */
  constitution: string
  /** L1, in every bracket. */
  mode: string
  /** L1: attributes of the mode, such as `reads` and `writes`. */
  governance: Record<string, string>
  /** L2. */
  agent: BlockAgent | null
  /** L3: the agents in order with their scores, and the backlog. */
  pipeline: string | null
  /** L4. */
  task: string | null
  /** L4. */
  handoff: BlockHandoff | null
  memory: BlockMemory | null
  /** The user's standing instructions, one per line; null in a session whose anchor has them. */
  standingInstructions: string | null
}

/** Params: the fill of the window, and its previous bracket. */
export interface ContextBracketParams {
  /** As reported by the provider, with `maxTokens`. */
  usedTokens?: number | null
  /** Size of the window. */
  maxTokens?: number | null
  /** Clamped to 0–100. */
  remainingPercent?: number | null
  /** For an estimate, together with an average and `maxTokens`. */
  promptCount?: number | null
  /** Average tokens of a prompt and its answer. */
  averageTokens?: number | null
  /** A typical prompt with its answer; its tokens are estimated if no average is given. */
  sampleText?: string | null
  /** The previous interaction's bracket, for hysteresis. */
  previous?: "FRESH" | "MODERATE" | "DEPLETED" | "CRITICAL" | null
  /** Percentage points above a roomier bracket's bound that must remain; 0 disables it. */
  hysteresis?: number
}

/** The bracket and its limits. */
export interface ContextBracketResult {
  bracket: "FRESH" | "MODERATE" | "DEPLETED" | "CRITICAL"
  /** 0–100, unrounded. */
  remainingPercent: number
  /** Where the percentage comes from. */
  source: "reported" | "percent" | "estimated"
  /** As reported or estimated; null if only a percentage is known. */
  usedTokens: number | null
  /** Maximum size of the context block. */
  budgetTokens: number
  layers: ("L0" | "L1" | "L2" | "L3" | "L4")[]
  memoryLevel: "none" | "metadata" | "chunks" | "full"
  behavior: string
}

/** Params: the purpose of the block. */
export interface ContextComposeParams {
  /** The agent's worktree. */
  cwd: string
  /** The original project; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** As returned by `context/bracket`; required unless `usage` is given. */
  bracket?: "FRESH" | "MODERATE" | "DEPLETED" | "CRITICAL" | null
  usage?: WindowUsage | null
  /** The active agent; defaults to the session's. */
  agent?: string | null
  /** Defaults to the session's. */
  mode?: string | null
  /** Defaults to the session's. */
  task?: string | null
  /** Whether this is the first block after a compaction. */
  afterCompaction?: boolean
  /** Whether this is the first block of a resumed session. */
  resumed?: boolean
  /** The provider session. If it has an anchor, the block repeats no standing instruction. */
  sessionId?: string | null
  /** From `session/activate`: adds its agent's own memories; without a token only shared ones are used. */
  token?: string | null
}

/** The block for an agent's prompt, and how it was composed. */
export interface ContextComposeResult {
  /** Well-formed XML; the same inputs give the same bytes. */
  block: string
  data: ContextBlock
  bracket: "FRESH" | "MODERATE" | "DEPLETED" | "CRITICAL"
  /** The layers in the block. */
  layers: ("L0" | "L1" | "L2" | "L3" | "L4")[]
  /** The block's estimated size; never above the budget. */
  tokens: number
  budgetTokens: number
  /** What did not fit; the lowest layer is trimmed first. */
  trimmed: TrimmedPart[]
  /** Missing or damaged sources, and what replaces them. */
  warnings: string[]
}

/** One interaction of a session. Absent values come from `context/preCompact`, otherwise from the project. */
export interface ContextContinuationParams {
  cwd: string
  /** The original project; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** The provider session whose counters are updated. */
  sessionId: string
  /** A repeated id counts once; for a run that `continuity/postRun` reports, its `runId`. */
  interactionId?: string | null
  /** This interaction's bracket; defaults to `usage`, otherwise it is not counted. */
  bracket?: "FRESH" | "MODERATE" | "DEPLETED" | "CRITICAL" | null
  usage?: WindowUsage | null
  ide?: "claude-code" | "vscode" | "antigravity" | "cursor" | "gemini-cli" | "github-copilot"
  agent?: string | null
  /** The agent's score, on any one scale. */
  score?: number | null
  /** Whether the agent is done. */
  agentDone?: boolean | null
  /** The agent that continues once this one is done. */
  nextAgent?: string | null
  mode?: string | null
  task?: string | null
  /** Progress of the task. */
  progress?: string | null
  /** Decisions that wait for the user. */
  pendingDecisions?: string[] | null
  /** Write the continuation file even if no criterion is met. */
  force?: boolean
  /** From `session/activate`: adds its agent's own memories; without a token only shared ones are used. */
  token?: string | null
}

/** Whether a new session should start, why, and with what. */
export interface ContextContinuationResult {
  restart: boolean
  /** Every criterion that is met; one is enough. */
  reasons: string[]
  counters: RestartCounters
  ide: IdeCapabilities
  /** The continuation file's path below the project; null if none was written. */
  path: string | null
  /** The same text, for a host that starts the session itself. */
  prompt: string | null
  /** What the user types to continue; null if no file was written. */
  resumeCommand: string | null
  warnings: string[]
}

/** A session that was just compacted. Absent values are as sent with `context/preCompact`. */
export interface ContextPostCompactParams {
  cwd: string
  /** The original project; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  sessionId: string
  /** Identifies this compaction within the session; defaults to the one that `context/preCompact` announced last. */
  compactionId?: string | null
  agent?: string | null
  mode?: string | null
  task?: string | null
  /** Progress of the task. */
  progress?: string | null
  pendingDecisions?: string[] | null
  /** From `session/activate`: adds its agent's own memories; without a token only shared ones are used. */
  token?: string | null
}

/** Everything the compacted session needs to continue where it stopped. */
export interface ContextPostCompactResult {
  /** The block for a fresh window, this once with what was just captured and the HOT memories. */
  context: ContextComposeResult
  /** The continuation prompt: where the session stopped, with the whole pipeline. */
  prompt: string
  /** Number of the session's compactions. */
  compactions: number
  /** Whether a new session should start instead. */
  restart: boolean
  reasons: string[]
  /** Whether this call repeats an earlier one; the result is the same. */
  duplicate: boolean
}

/** A session that is about to be compacted, and its present state. */
export interface ContextPreCompactParams {
  cwd: string
  /** The original project; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** The provider session. */
  sessionId: string
  /**
   * Identifies this compaction within the session; defaults to the transcript's length. Required without a transcript.
   */
  compactionId?: string | null
  /** The provider's session file; read from where the last capture ended. */
  transcriptPath?: string | null
  /** The current run, so that its `continuity/postRun` does not count the same evidence again. */
  runId?: string | null
  /** What the host considers worth remembering. */
  summary?: SessionSummaryInput | null
  /** A summary of the session. */
  text?: string | null
  agent?: string | null
  mode?: string | null
  task?: string | null
  /** Progress of the task. */
  progress?: string | null
  /** Decisions that wait for the user. */
  pendingDecisions?: string[] | null
  /** From `session/activate`: the agent's findings are stored among its own memories. */
  token?: string | null
}

/** The state saved before the compaction. */
export interface ContextPreCompactResult {
  /** For `context/postCompact`. */
  compactionId: string
  /** What was captured of the session; null if that failed, with a warning. */
  captured: MemoryCaptureResult | null
  /** Number of reachable HOT memories, all of them in files. */
  hot: number
  /** Number of reachable WARM memories, all of them in files. */
  warm: number
  /** Whether the resume point was saved in the project's session file. */
  saved: boolean
  /** Number of the session's compactions, including this one. */
  compactions: number
  warnings: string[]
  /** Whether this call repeats an earlier one; the result is the same. */
  duplicate: boolean
}

/** Fill level of the provider's context window. */
export interface ContextUsage {
  usedTokens: number
  maxTokens: number
}

/** A recorded decision. */
export interface DecisionEntry {
  decisionId: string
  /** Time of the last occurrence, UTC. */
  at: string
  times: number
  /** Secrets are masked; cut at 500 characters. */
  intent: string
  type: string | null
  decision: "REUSE" | "ADAPT" | "CREATE"
  /** Score of the best entity; 0 without one. */
  score: number
  entityId: string | null
  /** Digest of the registry at the time. */
  registry: string
}

/** A dependency and the entity it resolves to. */
export interface DependencyEntry {
  /** As written. */
  name: string
  /** Null if orphaned. */
  id: string | null
}

/** Changes of the entities derived from code. */
export interface DerivedChanges {
  total: number
  added: number
  changed: number
  removed: number
  /** Number of files with new content; the others were read before. */
  filesRead: number
  /** Whether there were more entities than the maximum of 20,000. */
  truncated: boolean
}

/** The OpenRPC document of this sidecar. */
export interface DiscoverResult {
  /** The version of OpenRPC; the document's other members follow it. */
  openrpc: string
  [member: string]: unknown
}

/** The result of one check. */
export interface DoctorCheck {
  name: "database" | "caches" | "records" | "settings" | "indexes" | "project" | "repository" | "memories" | "registry" | "knowledge" | "memoryBranch" | "watchers" | "disk" | "versions"
  /** `skipped`: it needs a project, or a state that can be opened. */
  level: "ok" | "warning" | "error" | "skipped"
}

/** A problem and its remedy. */
export interface DoctorFinding {
  check: "database" | "caches" | "records" | "settings" | "indexes" | "project" | "repository" | "memories" | "registry" | "knowledge" | "memoryBranch" | "watchers" | "disk" | "versions"
  level: "warning" | "error"
  message: string
  remedy: string
  /** Whether `fix` repairs it. */
  fixable: boolean
  /** Whether it was repaired, confirmed by another check. */
  fixed: boolean
}

/** Number of statements dropped for one reason. */
export interface DropCount {
  reason: "tooShort" | "tooLong" | "question" | "toolOutput" | "instructionFile" | "private" | "injected" | "deletedByUser" | "unresolvedError"
  count: number
}

/** A message without members. */
export type Empty = Record<string, never>

/** One entity of the registry. */
export interface EntityEntry {
  /** `<category>/<key>`. */
  id: string
  /** Relative to the project. */
  path: string
  /** agent, template, workflow, schema, …; for code: module, function, class, …. */
  type: string
  purpose: string
  keywords: string[]
  /** As written; `registry/get` resolves them. */
  dependencies: string[]
  /** 0 to 1: how safe a change is. */
  adaptability: number
  adaptabilityLevel: "low" | "medium" | "high"
  /** Recorded SHA-256 of the file; null: unverified. */
  checksum: string | null
  /** `file`: written by hand; `code`: derived by `registry/refresh`. */
  origin: "file" | "code"
}

/** Conclusion on one outcome of chats. Less is better, except for a rate: more means sooner. */
export interface ExperimentOutcome {
  name: string
  title: string
  unit: string
  /**
   * Scale of the effect: relative change of the typical value, relative change of the rate at which it happens, difference per chat, difference of shares of chats.
   */
  scale: "ratio" | "rate" | "difference" | "share"
  /** Whether decisions are made by it. */
  primary: boolean
  /** Chats in which it was measured; the first ten of all only adjust. */
  chats: number
  /** Typical value of a chat with packs, in the unit; null for rates. */
  treated: number | null
  /** The same without packs. */
  control: number | null
  /** Null with too few chats. */
  effect: number | null
  /** Lower end of the interval, which holds at every look at once. */
  low: number | null
  high: number | null
  /** Always valid; null where no decision is made by it. */
  pValue: number | null
  verdict: "better" | "worse" | "noDifference" | "unknown" | "notMeasured"
  /** About the chats still needed to find a difference that matters. */
  moreChats: number | null
  sentence: string
}

/** The comparison of chats with packs and chats without. */
export interface ExperimentResult {
  name: string
  /** Shares in percent at which arms were drawn, each a stratum of its own. */
  shares: number[]
  /** Chats with packs whose day is over; they are compared. */
  treated: number
  /** Chats without packs whose day is over. */
  control: number
  /** Chats of either arm whose day is not over, or without a recorded run. */
  waiting: number
  /** Chats for which the user chose a mode; they are not compared. */
  left: number
  /** Primary ones first. */
  outcomes: ExperimentOutcome[]
  advice: Advice
  leakage: Leakage
}

/** The pre-run to explain: a recorded one or a hypothetical one; without a member, the newest recorded one. */
export interface ExplainParams {
  /** A recorded pre-run. */
  runId?: string | null
  /** The newest recorded pre-run of a project. */
  projectPath?: string | null
  /** A hypothetical pre-run: the params of `continuity/preRun`; its run id is only echoed. */
  preRun?: PreRunParams | null
}

/** Items and texts that a pre-run sent. */
export interface ExplainResult {
  runId: string
  /** The project's name, that of its folder; its key if no name is stored. */
  project: string
  provider: "claude" | "codex"
  /** RFC 3339. */
  createdAt: string
  /** What post-run did with the delivery; notRun for a hypothetical pre-run. */
  status: "pending" | "committed" | "dropped" | "notRun"
  action: "inject" | "passthrough"
  reason: string | null
  items: ExplainedItem[]
  /** Statements in the session's anchor; for a hypothetical pre-run also those of the current anchor. */
  statements: ExplainedStatement[]
  /** The user's overrides of the project's items, newest first. */
  overrides: UserOverride[]
  system: SystemText | null
  blocks: Block[]
  metadata: PreRunMetadata
}

/** An item of the packs: its disposition and the reason it was considered. */
export interface ExplainedItem {
  item: string
  kind: "anchor" | "context" | "delta" | "plan" | "carryover"
  bytes: number
  disposition: "sent" | "alreadyDelivered" | "trimmed" | "muted"
  why: string
  /** The user's override of it. */
  override: "always" | "never" | "wrong" | null
  /** Parts of the file's score by name, as in `codebase/search`; empty for unscored items. */
  score: Record<string, number>
  /** Regions of a file that the item shows. */
  regions: ExplainedRegion[]
}

/** A region of a file: its score adds to its file's rank, not to its file's score. */
export interface ExplainedRegion {
  /** The numbers of its lines, as `12-40`; with a gap, as `12,20-40`. */
  lines: string
  /** The definition it is or belongs to; empty at the top of a file. */
  name: string
  /** Parts of the region's score by name. */
  score: Record<string, number>
}

/** A line of the session's anchor: a rule, a trap, a part of the map. */
export interface ExplainedStatement {
  /** Its name, for `continuity/mute`. */
  item: string
  text: string
  /** The user's override of it; a wrong statement is retracted. */
  override: "always" | "never" | "wrong" | null
}

/** A file that was archived or deleted. */
export interface FileMove {
  /** Previous path, relative to the project folder. */
  path: string
  /** expired: its day or session is over; stale: its score has been low for 90 days. */
  reason: "expired" | "stale"
}

/** The conversation and the provider session that a conversation was forked from. */
export interface ForkOrigin {
  subChatId: string
  sessionId: string
  /**
   * When the whole session was copied, whichever message the fork starts from: runs that were sent later are not in the copy.
   */
  copiedAt?: string | null
}

/** A file that matches the query. */
export interface FoundFile {
  /** Relative to `cwd`. */
  path: string
  /** The sum of its parts; comparable within one result only. */
  score: number
  /**
   * The parts of the score, by name, without zeros. Matches of the query's words: `text` in the content, `passage` in its best passage, `path` in the path, `names` in definition names. `identifiers`: defines names in the query; `scope`: the path matches `fix(scope): …`; `nearestCommits`, `similarCommits`: changed by commits with similar subjects; `latest`, `recent`: changed by one of the last few, or few hundred, commits; `changedTogether`, `imports`, `testPair`: shares commits with the best files, is imported by one, or is its test or subject; `namedPath`: the query contains the path; `quoted`: has a text that the query quotes or names by its key; `usesQuoted`: uses the key of one in a catalogue of texts; `changed`: has uncommitted changes; `length`, `test`, `testRequested`, `document`, `documentRequested`, `unknownLanguage`, `generated`: the kind of file; `fileName`: the query has the words of its name; `dataNamed`: data or configuration whose path has them; `outside`: it lies outside of `cwd`; `view`: a page, component or style, and the query has words about a screen, or below 0 a stylesheet, and it has none; `translation`: texts in another language than English, and it is not about languages; `notFound`: a text of a long query does not match it. In packs also `mentioned`: the user pointed at it; `changedWithTouched`, `testPairTouched`, `folderTouched`: related to a file the conversation touched; `usedRecently`, `usedInSeveral`, `editedRecently`: used in earlier conversations; `changesWithAdditions`: changed by most of the last commits that added something to a folder. `contents`: contains the words, found before the index was ready.
   */
  parts: Record<string, number>
  /** The query's words it contains, rarest first; empty if it is only related to matching files. */
  matched: string[]
}

/** Lines of a file that match the query: a definition, some windows of a long one, or the code between. */
export interface FoundFileRegion {
  /** Relative to `cwd`. */
  path: string
  /** The numbers of its lines, as `12-40`; with a gap, as `12,20-40`. */
  lines: string
  /** The definition it is or belongs to; empty at the top of a file. */
  name: string
  /** Lines as `NN| text`, with gaps marked; or one line that it was shown above. */
  text: string
  /** The sum of its parts; comparable within one result only. */
  score: number
  /**
   * The parts of the score, by name, without zeros. Matches of the query's words: `text`, `title` (of its first line), `nameWords`, `titleName`, `coverage`, `rankInFile`. `named`, `chain`: the query names the definition, or it with its container; `callsNamed`, `calledByNamed`: uses or is used by such a definition; `callsBest`, `calledByBest`: by one of the best; `frame`: a stack frame lies in it; `fileRank`, `fileScore`, `filePath`: its file's; `near`: close to the file's best region; `test`, `document`, `imports`, `prose`, `window`, `declaration`: the kind of file or region.
   */
  parts: Record<string, number>
  /** Whether the session received it before, so that the text is one line. */
  repeated: boolean
}

/** The governor's decision before a run. */
export interface GovernorBefore {
  action: "ok" | "snapshot" | "rehydrate"
  reasons: string[]
  /** Whether the host should neither resume nor continue. */
  startFreshSession: boolean
  /** Text the chat may show where a fresh session begins; null without one. */
  marker: string | null
}

/** Action for the session, with the reasons. */
export interface GovernorDecision {
  action: "ok" | "snapshot" | "rehydrate"
  /** One sentence each; empty for ok without a suppressed action. */
  reasons: string[]
}

/** The conversation that should continue in a fresh session. */
export interface GovernorRehydrateParams {
  subChatId: string
  /** Shown among the governor's reasons. */
  reason?: string
}

/** The stored snapshot, and a text that the chat may show where the fresh session starts. */
export interface GovernorRehydrateResult {
  governor: GovernorDecision
  snapshot: StoredSnapshotView
  marker: string
}

/** The conversation to report on. */
export interface GovernorStatusParams {
  subChatId: string
}

/** The pressure on a conversation's session as of its last run. */
export interface GovernorStatusResult {
  governor: GovernorDecision
  signals: PressureSignal[]
  /** The latest stored snapshot; null before the first. */
  snapshot: StoredSnapshotView | null
}

/** The result of one check. */
export interface HealthCheck {
  name: "entities" | "schemas" | "constitution" | "agents" | "templates" | "checksums" | "dependencies"
  passed: number
  /** 0 if there is nothing to check. */
  total: number
}

/** A problem or a note about an entity or a file. */
export interface HealthFinding {
  check: "entities" | "schemas" | "constitution" | "agents" | "templates" | "checksums" | "dependencies"
  /** Notes do not affect `healthy`. */
  severity: "problem" | "note"
  /** The entity; empty if it concerns only a file. */
  id: string
  /** Relative to the project. */
  file: string
  message: string
  remedy: string
  /** Whether `fix` repairs it. */
  fixable: boolean
}

/** The repairs, made or with `dryRun` only planned. */
export interface HealthFix {
  changes: ChangeEntry[]
  written: boolean
  backup: string | null
}

/** The input of a hook. */
export interface HookRunParams {
  event: "UserPromptSubmit" | "SessionStart" | "PreCompact" | "PostToolUse" | "Stop"
  /** The agent that runs the hook: Claude Code or Codex CLI. */
  agent?: "claude" | "codex"
  /** The hook's JSON from the agent, unchanged. */
  input: Record<string, unknown>
  /** Id for the run that a prompt starts, so that a hook that times out can still report its end. */
  runId?: string | null
  /** Milliseconds until the hook times out. */
  timeLeftMs?: number | null
  /** The session's last run, as the hook of its prompt stored it; ended if `unshownRuns` has its id. */
  openRun?: OpenRun | null
  /** Files written: at a run's end by its tools, as reported by other hooks, else by the hook's tool. */
  touched?: string[]
  /** Runs of the session whose own Stop hook printed nothing. */
  unshownRuns?: string[]
}

/** The hook's output, and the state it stores until the run's end. */
export interface HookRunResult {
  /** JSON for the agent; null if there is nothing to add. */
  output: Record<string, unknown> | null
  /** To be stored after the output is printed; null if no run is open. */
  openRun: OpenRun | null
  /**
   * Why the output is empty: off, passive, inApp, notActive (no session lock is active), unknownRun, or a pre-run's reason; null if it is not, or if nothing was expected.
   */
  emptyReason: string | null
}

/** Instruction files that the host or the provider already sends. */
export interface HostInjects {
  agentsMd?: boolean
  claudeMd?: boolean
}

/** A host that the sidecar knows, whether it has runs or not. */
export interface HostStatus {
  /** 1Code, Claude Code or Codex CLI. */
  name: string
  /** RFC 3339: its latest run or pre-run; null if none is stored. */
  lastSeenAt: string | null
}

/** Automatic actions of the IDE. */
export interface IdeCapabilities {
  name: "claude-code" | "vscode" | "antigravity" | "cursor" | "gemini-cli" | "github-copilot"
  /** Whether the IDE starts the new session; otherwise the user loads the file. */
  restartsAutomatically: boolean
  /** How the session continues after a compaction. */
  level1: string
  /** How a new session starts. */
  level2: string
}

/** The impact of changing an entity. */
export interface ImpactEntry {
  /**
   * `high`: it has dependents and an adaptability below 0.3, or ten dependents; `medium`: below 0.4, or three dependents; `low`: fewer; `none`: no dependents.
   */
  level: "none" | "low" | "medium" | "high"
  count: number
  /** Each once, nearest first; at most 200. */
  dependents: ReachedEntry[]
}

/** A folder whose files are being indexed. */
export interface IndexingStatus {
  cwd: string
  /** `cache` while known summaries are looked up, `words` while contents are read, then `analysis`. */
  stage: string
  /** Number of files in the index. */
  done: number
  total: number
  /** Estimated time left; null while it is unknown. */
  remainingMs: number | null
}

/** The first message of a connection. */
export interface InitializeParams {
  /** The protocol version; it changes with breaking changes only. */
  protocolVersion: 1
  clientInfo: ClientInfo
  /** The client's process; the sidecar ends with it. */
  processId?: number | null
  /** An absolute folder for the state file; created if missing. */
  stateDir: string
  /** A folder for the rotating log file. */
  logDir?: string | null
  /** Settings; they take precedence over the defaults only. */
  settings?: SettingsPatch | null
  /** Optional features of the client; none is defined yet. */
  capabilities?: Record<string, unknown>
}

/** The result of the handshake. */
export interface InitializeResult {
  protocolVersion: 1
  serverInfo: ServerInfo
  /** What this sidecar supports: `progress` of jobs, `cancel` of requests. */
  capabilities: Record<string, unknown>
  limits: ConnectionLimits
  state: StateReport
}

/** The result of one check. */
export interface KnowledgeCheck {
  /** repository, items, scopes, state, pointers, conflicts, lock, journal, … */
  name: string
  level: "ok" | "warning" | "error"
  message: string
  /** What to do; empty if there is nothing to do. */
  hint: string
}

/** A saved state from before a sync. */
export interface KnowledgeCheckpoint {
  id: string
  at: string
  mode: string
  status: "running" | "done" | "rolledBack"
  writes: number
  /** Why it was rolled back; otherwise empty. */
  reason: string
}

/** A disagreement between memory and the repository. */
export interface KnowledgeConflict {
  type: "hash_mismatch" | "orphaned_pointer" | "duplicate_pointer" | "layer_mismatch" | "status_change" | "missing_pointer"
  item: string
  /** The pointer's path below the memories' folder; empty if it does not exist. */
  pointer: string
  memoryId: string
  suggestedResolution: "update_memory" | "delete_memory" | "keep_memory" | "manual"
  /** The resolution that a sync applies. */
  resolution: "update_memory" | "delete_memory" | "keep_memory" | "manual"
  reason: string
}

/** All conflicts. */
export interface KnowledgeConflictsResult {
  commit: string
  conflicts: KnowledgeConflict[]
}

/** Number of pointers by what was done with them. */
export interface KnowledgeCounts {
  added: number
  updated: number
  deleted: number
  orphaned: number
  unchanged: number
}

/** Refs by how the repository's items compare with the last sync; of a partial run, only those it looked at. */
export interface KnowledgeDelta {
  added: string[]
  updated: string[]
  deleted: string[]
  unchanged: string[]
}

/** The results of all checks. */
export interface KnowledgeDoctorResult {
  /** Whether no check found an error. */
  healthy: boolean
  checks: KnowledgeCheck[]
}

/** The item to explain. */
export interface KnowledgeExplainParams {
  cwd: string
  /** The project that owns the memories; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** For example `company:adr-001` or `team/web:adr-001`; an id, or a file's path. */
  item: string
}

/** Everything known about an item. */
export interface KnowledgeExplainResult {
  item: string
  /** Path in the repository; null if it has no such item. */
  file: string | null
  status: string | null
  contentHash: string | null
  /** At the last sync; null if it was not synced. */
  syncedContentHash: string | null
  pointers: KnowledgePointer[]
  conflicts: KnowledgeConflict[]
  /** What a full sync would do with it. */
  operations: KnowledgeOperation[]
  failure: KnowledgeFailure | null
}

/** An item that failed. */
export interface KnowledgeFailure {
  /** Its ref, or its file's path if the id cannot be read. */
  item: string
  problem: string
  /** After five attempts it is quarantined until it changes. */
  attempts: number
}

/** One operation of a plan. */
export interface KnowledgeOperation {
  /** `adopt` and `forget` change only the sync state. */
  kind: "create" | "update" | "mark_orphaned" | "delete" | "adopt" | "forget"
  item: string
  pointer: string
  reason: string
}

/** The project whose memory is synced with the knowledge repository. */
export interface KnowledgeParams {
  cwd: string
  /** The project that owns the memories; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
}

/** The scope of a plan. */
export interface KnowledgePlanParams {
  cwd: string
  /** The project that owns the memories; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** `single` requires `item`. */
  mode?: "full" | "incremental" | "single"
  item?: string | null
  /** Maximum number of items; the rest is pending. */
  maxItems?: number | null
  resolutions?: ResolutionChoice[]
}

/** The changes a sync would make. */
export interface KnowledgePlanResult {
  /** `full` if an incremental comparison was not possible. */
  mode: "full" | "incremental" | "single" | "resolve"
  /** The knowledge repository's commit. */
  commit: string
  delta: KnowledgeDelta
  operations: KnowledgeOperation[]
  conflicts: KnowledgeConflict[]
  pending: string[]
  quarantined: string[]
  /** Whether it deletes so many pointers that a sync needs `force`. */
  needsForce: boolean
  warnings: string[]
}

/** A pointer as stored in memory. */
export interface KnowledgePointer {
  path: string
  memoryId: string
  status: string
  contentHash: string
  updatedAt: string
}

/** The conflicts to resolve, and their resolutions. */
export interface KnowledgeResolveParams {
  cwd: string
  /** The project that owns the memories; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** Defaults to every type. */
  type?: "hash_mismatch" | "orphaned_pointer" | "duplicate_pointer" | "layer_mismatch" | "status_change" | "missing_pointer" | null
  /** Defaults to every item. */
  item?: string | null
  /**
   * Requires `type`; defaults to the suggestion. It holds for this call; what `knowledge.resolutions` names holds for every sync.
   */
  resolution?: "update_memory" | "delete_memory" | "keep_memory" | "manual" | null
  /** Also delete more than half of twenty or more pointers. */
  force?: boolean
}

/** The checkpoint to restore. */
export interface KnowledgeRollbackParams {
  cwd: string
  /** The project that owns the memories; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  checkpointId: string
}

/** The restored state. */
export interface KnowledgeRollbackResult {
  checkpointId: string
  /** Number of restored pointer files. */
  restored: number
  /** Pointers that were edited since and stay unchanged. */
  skipped: string[]
}

export interface KnowledgeSettings {
  /**
   * The knowledge repository: an absolute folder, or an address git fetches from (`https://…`, `ssh://…`, `git@host:path`), without a password. null: no sync. Default: null. Environment: ONECODE_KNOWLEDGE_REPOSITORY.
   */
  repository?: string | null
  /**
   * The branch, tag or commit of the knowledge repository. null: its HEAD. Default: null. Environment: ONECODE_KNOWLEDGE_REF.
   */
  ref?: string | null
  /**
   * Overrides for conflict resolution, per conflict type or per type and item: `hash_mismatch=keep_memory`, `orphaned_pointer@company:adr-1=manual`. Default: none.
   */
  resolutions?: string[] | null
  /**
   * Scopes to sync besides the company's, as globs of the repository's folders: `teams/web`, `projects/*`. Default: none. Environment: ONECODE_KNOWLEDGE_SCOPES.
   */
  scopes?: string[] | null
  /**
   * Time after the last sync at which the next one is due: `6h`, `90m`, `1h30m`, `1d`. null: never. Default: null.
   */
  stalenessThreshold?: string | null
  /** Number of sessions after which a sync is due. null: never. Default: null. */
  sessionThreshold?: number | null
  /** Whether a sync is due when the repository's head has moved. Default: false. */
  onHeadMoved?: boolean | null
  /** Maximum number of pointers a sync writes per second. 0: unlimited. Default: 90. */
  writesPerSecond?: number | null
}

/** Whether a sync is due by the project's settings. */
export interface KnowledgeShouldSyncResult {
  shouldSync: boolean
  /** `manual` if no sync is due. */
  reason: "threshold" | "head_moved" | "manual"
  detail: string
  sessionsSinceSync: number
}

/** Comparison of memory with the knowledge repository. */
export interface KnowledgeStatusResult {
  repository: string
  commit: string
  /** The repository's scopes in use, besides the company's. */
  scopes: string[]
  /** Scopes that are not in use. */
  otherScopes: string[]
  lastSyncAt: string | null
  lastKnowledgeCommit: string | null
  items: number
  pointers: number
  /** Whether a full sync would have nothing to do and every file could be read. */
  inSync: boolean
  /**
   * The head at the last rollback, while it is still the head: automatic syncs are paused until it moves or someone runs a sync.
   */
  rollbackCommit: string | null
  /** The job id of an automatic sync in progress, for `$/cancelRequest`. */
  autoSyncId: string | null
  pending: string[]
  failed: KnowledgeFailure[]
  /** Number of conflicts by type. */
  conflicts: Record<string, number>
  /** Latest first. */
  checkpoints: KnowledgeCheckpoint[]
}

/**
 * An automatic sync started or ended.
 *
 * It is a job like `knowledge/sync`: `$/progress` and `$/cancelRequest` name its `id`. A sync that a client cancelled
 * sends nothing further.
 */
export interface KnowledgeSyncNotice {
  id: string
  projectPath: string
  stage: "started" | "ended"
  /** Why the sync was due. */
  reason: "threshold" | "head_moved"
  /** Why it failed, in one sentence; null if it succeeded. */
  problem: string | null
}

/** The scope of a sync. */
export interface KnowledgeSyncParams {
  cwd: string
  /** The project that owns the memories; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** `single` requires `item`. */
  mode?: "full" | "incremental" | "single"
  item?: string | null
  /** Maximum number of items; the rest is pending. */
  maxItems?: number | null
  resolutions?: ResolutionChoice[]
  /** Plan only; nothing is written. */
  dryRun?: boolean
  /** Also delete more than half of twenty or more pointers. */
  force?: boolean
}

/** The changes a sync made. */
export interface KnowledgeSyncResult {
  /** `full` if an incremental comparison was not possible. */
  mode: "full" | "incremental" | "single" | "resolve"
  /** The knowledge repository's commit. */
  commit: string
  delta: KnowledgeDelta
  operations: KnowledgeOperation[]
  conflicts: KnowledgeConflict[]
  pending: string[]
  quarantined: string[]
  /** Whether it deletes so many pointers that a sync needs `force`. */
  needsForce: boolean
  warnings: string[]
  /** For `knowledge/rollback`; null for a dry run. */
  checkpointId: string | null
  counts: KnowledgeCounts
  /** Whether memory agrees with the commit, with nothing pending or failed. */
  complete: boolean
  elapsedMs: number
}

/** A recent pre-run; `continuity/explain` has the details. */
export interface LastRun {
  runId: string
  /** RFC 3339. */
  at: string
  project: string
  provider: string
  /** inject or passthrough. */
  action: string
  reason: string | null
  /** pending, committed or dropped. */
  status: string
  /** Bytes new to the session that were sent, or in passive mode would have been. */
  newBytes: number
}

/** The last upkeep, automatic or requested. */
export interface LastUpkeep {
  /** RFC 3339. */
  at: string
  tiers: number
  archived: number
  cleaned: number
}

/** Stored results of treated chats, and the control chats that reached stored context by themselves. */
export interface Leakage {
  /** Memories that treated chats added; each capture is marked with its arm. */
  storedMemories: number
  /** Artifacts that treated chats left; `artifact/get` shows the mark. */
  storedArtifacts: number
  /** Control chats that read stored memories or called the sidecar's tools. */
  controlChats: number
  /** Those of them that reached something that a treated chat stored. */
  leakedChats: number
  sentence: string
}

/** The decision of low-token mode on a call. */
export interface LowTokenReuse {
  /** Whether only changes were sent, because the session's packs still fit. */
  deltaOnly: boolean
  reason: string
}

/** A memory to store. */
export interface MemoryAddParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  /** One line; default: the first line of the text. */
  title?: string
  /**
   * Markdown, stored verbatim. Secrets are masked; `<private>…</private>` and text that the sidecar injected are removed.
   */
  text: string
  type?: "episodic" | "semantic" | "procedural" | "reflective" | "decision" | "error_pattern" | "resolution" | "user_correction" | "preference" | "validated_pattern" | "gotcha" | "lesson"
  /** Default: the sector of the type. */
  sector?: "episodic" | "semantic" | "procedural" | "reflective" | null
  /** `shared`, or the agent whose private memory it is. */
  owner?: "shared" | "orchestrator" | "greenfield-wu" | "brownfield-wu" | "brief" | "detail" | "architect" | "ux" | "phases" | "tasks" | "qa-planning" | "dev" | "qa-implementation" | "devops"
  /**
   * durable: until removed; daily: archived after 30 days; session: until the next session. Default: daily for agents, else durable. Only the user can make a memory durable.
   */
  retention?: "durable" | "daily" | "session" | null
  tags?: string[]
  confidence?: number
  /** Author of the text: user, assistant, a name. */
  author?: string | null
  /** The provider session it comes from. */
  sessionId?: string | null
}

/** A session's structured summary, or a summary text. */
export interface MemoryCaptureParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  /** The provider session; its entries share one file per day. */
  sessionId: string
  summary?: SessionSummaryInput | null
  /** A summary in the agent's words, such as a compaction summary. */
  text?: string | null
  /** Source of the content; the same source counts once. Default: derived from the content. */
  sourceId?: string | null
  /** Whether the capture is automatic: then it writes into the project only if its mode is active. */
  automatic?: boolean
}

/** Outcome of a capture, including pending material of the project's earlier runs. */
export interface MemoryCaptureResult {
  /** Ids of new memories. */
  added: string[]
  /** Ids of memories observed again; a new source raises the evidence. */
  repeated: string[]
  /** Ids of memories that lost confidence. */
  contradicted: string[]
  /** Number of statements that active mode would have added. */
  suppressed: number
  dropped: DropCount[]
  /** Files written, relative to the project folder. */
  paths: string[]
}

/** A shared memory that the user confirms as a standing instruction. */
export interface MemoryConfirmParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  id: string
  /** Refused if the memory has another version. */
  version?: string | null
}

/** Number of memories of one owner, retention and tier. */
export interface MemoryCount {
  owner: string
  retention: "durable" | "daily" | "session"
  tier: "hot" | "warm" | "cold"
  archived: boolean
  memories: number
}

/** Identifies a memory to delete permanently. */
export interface MemoryDeleteParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  id: string
  /** Refused if the memory has another version. */
  version?: string | null
}

/** The memory was deleted and will not be captured again. */
export interface MemoryDeleteResult {
  id: string
}

/** A memory with its Markdown text. */
export interface MemoryDetail {
  id: string
  title: string
  type: string
  sector: "episodic" | "semantic" | "procedural" | "reflective"
  /** `shared`, or the agent whose private memory it is. */
  owner: string
  retention: "durable" | "daily" | "session"
  tier: "hot" | "warm" | "cold"
  archived: boolean
  tags: string[]
  /** The agent that wrote it; empty if unknown. */
  agent: string
  /** Author of the text; empty if unknown. */
  author: string
  confidence: number
  /** Number of observations. */
  evidence: number
  accessCount: number
  /** RFC 3339. */
  lastAccessedAt: string | null
  /** RFC 3339. */
  createdAt: string
  /** Time of the event or statement, RFC 3339. */
  at: string
  /** File path relative to the project folder. */
  path: string
  /** Position among the entries of its file, from 0. */
  position: number
  /** Ids of memories within reach that supersede it, newest first. */
  supersededBy: string[]
  /** Estimated tokens of its text. */
  tokens: number
  /** Changes with every edit; `memory/update` and `memory/delete` compare it. */
  version: string
  text: string
  sessionId: string | null
  /** Ids of memories within reach that it supersedes. */
  supersedes: string[]
  /** Ids of memories within reach that it contradicts. */
  contradicts: string[]
  /** What could not be read of its file, in one sentence. */
  warning: string | null
}

/** The factors of a score. */
export interface MemoryFactors {
  /** Probability that it is the answer, 0 to 1. */
  relevance: number
  /** 0.7 to 1; 1 if the query names a time. */
  recency: number
  /** The agent's preference, 0.9 to 1. */
  sector: number
  /** 0.5 to 1. */
  confidence: number
}

/** Identifies a memory. */
export interface MemoryGetParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  id: string
  /**
   * The provider session that opens it, counted as access once per session. Without it and without a token, reading does not count as access.
   */
  sessionId?: string | null
}

/** Identifies a memory. */
export interface MemoryIdParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  id: string
}

/** State of the index after the last refresh. */
export interface MemoryIndexState {
  /** Memory files within reach. */
  files: number
  /** Files of all owners changed since the previous refresh. */
  changed: number
  /** Files of all owners removed since then. */
  removed: number
}

/** Filters for a list of memories. */
export interface MemoryListParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  owner?: "shared" | "orchestrator" | "greenfield-wu" | "brownfield-wu" | "brief" | "detail" | "architect" | "ux" | "phases" | "tasks" | "qa-planning" | "dev" | "qa-implementation" | "devops" | null
  retention?: "durable" | "daily" | "session" | null
  tier?: "hot" | "warm" | "cold" | null
  type?: "episodic" | "semantic" | "procedural" | "reflective" | "decision" | "error_pattern" | "resolution" | "user_correction" | "preference" | "validated_pattern" | "gotcha" | "lesson" | null
  sector?: "episodic" | "semantic" | "procedural" | "reflective" | null
  agent?: string | null
  tag?: string | null
  sessionId?: string | null
  /** Null lists both. */
  archived?: boolean | null
  offset?: number
  limit?: number
}

/** Memories within reach, newest first. */
export interface MemoryListResult {
  memories: MemorySummary[]
  /** Total number, including the listed ones. */
  total: number
}

/** The project, and whether to change anything. */
export interface MemoryMaintainParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  /** Report what is due without changing anything. */
  dryRun?: boolean
}

/** Upkeep within reach; at most 200 items of each kind are listed. */
export interface MemoryMaintainResult {
  dryRun: boolean
  tiers: TierMove[]
  /** Moved to `archive/`; `memory/restore` moves them back. */
  archived: FileMove[]
  /** Deleted files of session retention. */
  cleaned: FileMove[]
  totals: Record<string, number>
  /** Files that could not be changed because they are damaged or in use. */
  skipped: string[]
}

/** A matching memory at the requested level. */
export interface MemoryMatch {
  id: string
  title: string
  type: string
  sector: "episodic" | "semantic" | "procedural" | "reflective"
  /** `shared`, or the agent whose private memory it is. */
  owner: string
  retention: "durable" | "daily" | "session"
  tier: "hot" | "warm" | "cold"
  archived: boolean
  tags: string[]
  /** The agent that wrote it; empty if unknown. */
  agent: string
  /** Author of the text; empty if unknown. */
  author: string
  confidence: number
  /** Number of observations. */
  evidence: number
  accessCount: number
  /** RFC 3339. */
  lastAccessedAt: string | null
  /** RFC 3339. */
  createdAt: string
  /** Time of the event or statement, RFC 3339. */
  at: string
  /** File path relative to the project folder. */
  path: string
  /** Position among the entries of its file, from 0. */
  position: number
  /** Ids of memories within reach that supersede it, newest first. */
  supersededBy: string[]
  /** Estimated tokens of its text. */
  tokens: number
  /** Changes with every edit; `memory/update` and `memory/delete` compare it. */
  version: string
  /** Verbatim; null at level metadata. */
  text: string | null
  /** Whether the text is complete. */
  complete: boolean
  /** Estimated tokens of this result. */
  renderedTokens: number
  score: number
  factors: MemoryFactors
  /** Strongest features for and against it, by share of the log odds. */
  reasons: Record<string, number>
}

/** The project, and the caller's token. */
export interface MemoryParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
}

/** A memory confident and frequent enough to become a rule, or an accepted rule to drop. */
export interface MemoryProposal {
  memory: MemorySummary
  /** The rule as a line of Markdown, for the user's rule file. */
  rule: string
  /**
   * Id of a later statement of the user that contradicts this accepted rule. The rule is suspended; accepting the proposal drops it, rejecting it keeps the rule. Null for a new rule.
   */
  contradictedBy: string | null
}

/** Proposed rules, most confident first; nothing happens until the user decides. */
export interface MemoryProposalsResult {
  proposals: MemoryProposal[]
}

/** The index was rebuilt from the files. */
export interface MemoryRebuildResult {
  files: number
  warnings: MemoryWarning[]
}

/** The user's decision on a proposal. */
export interface MemoryResolveProposalParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  /** The memory's id. */
  id: string
  decision: "accept" | "reject"
}

/** The decision is stored; the same rule is not proposed again. */
export interface MemoryResolveProposalResult {
  memory: MemoryDetail
  /** Line for a rule file, which the sidecar does not write. Null for a rejected proposal. */
  rule: string | null
}

/** The search text: the `query`, else the `task`. */
export interface MemorySearchParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  /** A question or keywords. */
  query?: string | null
  /** The task at hand, used without a query. */
  task?: string | null
  /**
   * metadata: title, tags, score (about 50 tokens each); chunks: the relevant lines (about 200); full: the whole text.
   */
  level?: "metadata" | "chunks" | "full"
  /** Agent whose preferred sectors rank first; default: the token's agent. It opens no private memory. */
  agent?: "shared" | "orchestrator" | "greenfield-wu" | "brownfield-wu" | "brief" | "detail" | "architect" | "ux" | "phases" | "tasks" | "qa-planning" | "dev" | "qa-implementation" | "devops" | null
  types?: ("episodic" | "semantic" | "procedural" | "reflective" | "decision" | "error_pattern" | "resolution" | "user_correction" | "preference" | "validated_pattern" | "gotcha" | "lesson")[]
  sectors?: ("episodic" | "semantic" | "procedural" | "reflective")[]
  /** All of these. */
  tags?: string[]
  /** RFC 3339: only events and statements from then on. */
  since?: string | null
  /** Null searches both. */
  archived?: boolean | null
  limit?: number
  /** Maximum estimated tokens of the result; the best that fit. */
  tokenBudget?: number | null
}

/** The best matching memories, best first. */
export interface MemorySearchResult {
  memories: MemoryMatch[]
  /** Estimated tokens of all results. */
  renderedTokens: number
  /** Number of matches omitted because of the budget. */
  omitted: number
}

/** The project, and whether to list near misses. */
export interface MemoryStatusParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  /** List the last twenty near misses of seven days. */
  nearMisses?: boolean
}

/** Memories within reach, and the state of index, capture and upkeep. */
export interface MemoryStatusResult {
  /** Folder of the memory files. */
  folder: string
  /** Whether the folder exists. */
  present: boolean
  memories: number
  counts: MemoryCount[]
  index: MemoryIndexState
  capture: CaptureState
  /** Newest first; null unless requested, and for agents. */
  nearMisses: NearMiss[] | null
  /** The last upkeep; null before the first one. */
  upkeep: LastUpkeep | null
  /** The active ones, best supported and newest first. */
  standingInstructions: ConfirmedInstruction[]
  /** Memories that claim to be standing instructions; `memory/confirm` makes one. */
  unconfirmed: UnconfirmedInstruction[]
  /** Statements that no longer hold because of a later one; `memory/confirm` makes one hold again. */
  replaced: ReplacedInstruction[]
  warnings: MemoryWarning[]
}

/** A memory without its text. */
export interface MemorySummary {
  id: string
  title: string
  type: string
  sector: "episodic" | "semantic" | "procedural" | "reflective"
  /** `shared`, or the agent whose private memory it is. */
  owner: string
  retention: "durable" | "daily" | "session"
  tier: "hot" | "warm" | "cold"
  archived: boolean
  tags: string[]
  /** The agent that wrote it; empty if unknown. */
  agent: string
  /** Author of the text; empty if unknown. */
  author: string
  confidence: number
  /** Number of observations. */
  evidence: number
  accessCount: number
  /** RFC 3339. */
  lastAccessedAt: string | null
  /** RFC 3339. */
  createdAt: string
  /** Time of the event or statement, RFC 3339. */
  at: string
  /** File path relative to the project folder. */
  path: string
  /** Position among the entries of its file, from 0. */
  position: number
  /** Ids of memories within reach that supersede it, newest first. */
  supersededBy: string[]
  /** Estimated tokens of its text. */
  tokens: number
  /** Changes with every edit; `memory/update` and `memory/delete` compare it. */
  version: string
}

/** One memory to take back, or every standing instruction. */
export interface MemoryUndoParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  id?: string | null
  allStandingInstructions?: boolean
}

/** The memories that were taken back. */
export interface MemoryUndoResult {
  /** Their ids. */
  removed: string[]
}

/** A change to a memory; absent members and every other byte of its file stay unchanged. */
export interface MemoryUpdateParams {
  cwd: string
  /** The original project, to which the memories belong; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /**
   * From `session/activate`: its agent reaches its own memories and the shared ones. Without it, only shared memories are within reach.
   */
  token?: string | null
  id: string
  /** Refused if the memory has another version. */
  version?: string | null
  title?: string | null
  text?: string | null
  type?: "episodic" | "semantic" | "procedural" | "reflective" | "decision" | "error_pattern" | "resolution" | "user_correction" | "preference" | "validated_pattern" | "gotcha" | "lesson" | null
  sector?: "episodic" | "semantic" | "procedural" | "reflective" | null
  tags?: string[] | null
  confidence?: number | null
  /** `durable` makes it permanent: its file moves; a group entry gets its own file. */
  retention?: "durable" | null
}

/** A problem with a file or folder. */
export interface MemoryWarning {
  /** Relative to the project folder. */
  path: string
  warning: string
}

/** Files and folders the user mentioned in the prompt, relative to `cwd` or absolute inside it. */
export interface Mentions {
  files?: string[]
  folders?: string[]
}

/** The figures of a day over all projects and providers, and its errors. */
export interface MetricsDay {
  /** UTC, as in 2026-03-01. */
  day: string
  active: MetricsFigures | null
  passive: MetricsFigures | null
  /** Requests answered with an error, by code and method, over all projects. */
  errors: Record<string, number>
}

/** The figures of one mode that decide the rollout. */
export interface MetricsFigures {
  calls: number
  /** Share of calls whose context pack came from the cache, 0 to 1. */
  cacheHitRate: number
  /** The same for calls that continue a provider session; null without such calls. */
  followUpHitRate: number | null
  /** Share of the needed file summaries that came from the cache; null if none were needed. */
  fileHitRate: number | null
  /** Mean bytes sent per call; in passive mode, those that would have been sent. */
  injectedBytesPerTurn: number
  /** Mean bytes per call if all packs were sent every time. */
  baselineBytesPerTurn: number
  /** 1 − injected / baseline, 0 to 1; 0 without calls. */
  reduction: number
  /** Baseline minus injected; in passive mode, what would have been saved. */
  savedBytes: number
  /** The same in tokens, at four bytes per token. */
  savedTokens: number
  /**
   * The same in US dollars, at the mean price of the tokens that the host reported; null if it reported no tokens or no cost.
   */
  savedUsd: number | null
  /** Mean milliseconds from a pre-run's arrival to its answer. */
  elapsedMsMean: number
  /**
   * Median milliseconds of pre-runs, including those past the deadline; null without any. It is interpolated between fixed bounds.
   */
  elapsedMsP50: number | null
  /** The 95th percentile. */
  elapsedMsP95: number | null
  /** The 99th percentile. */
  elapsedMsP99: number | null
  /** Calls answered at the deadline with the parts that were ready. */
  partial: number
  /** Prompts passed through unchanged, by reason: `deadline`, `slashCommand`, `hookGaveUp` … */
  passedThrough: Record<string, number>
  /**
   * Calls after which the agent had no pack, by reason: `deadline`, or `hookGaveUp`, where a hook in a terminal did not wait for the answer.
   */
  withoutPack: Record<string, number>
  /** Runs recorded by a post-run. */
  runs: number
  /** Those runs, by outcome. */
  outcomes: Record<string, number>
  /** Artifacts drafted. */
  drafts: number
  /** Share of the files in packs that the run then read or edited; null if there were none. */
  precision: number | null
  /**
   * Share of the files that runs read or edited, except those they created or had read before, that packs had contained; null without such files.
   */
  recall: number | null
  /** Reads of files whose content had been sent, without a later edit. */
  repeatedReads: number
  /** Tokens reported by the host: input and output, including cached ones. */
  tokens: number
  /** US dollars reported by the host. */
  costUsd: number
  /** Share of the input tokens that the provider read from its cache; null if not reported. */
  cacheReadShare: number | null
  /** Runs in which a changed anchor invalidated the provider's cache. */
  cacheBroken: number
  /** The governor's decisions after runs: `ok`, `snapshot`, `rehydrate`. */
  governor: Record<string, number>
  /** What made an action due, suppressed or not: the signals' names in `governor/status`, or `forced`. */
  governorReasons: Record<string, number>
  /** Actions that were due but not allowed. */
  governorSuppressed: Record<string, number>
  /** Calls by how full the context window was, if the host reported it. */
  brackets: Record<string, number>
  /** Null without runs in passive mode or in control chats. */
  estimate: PassiveEstimate | null
}

/** The figures of a day in one project with one provider. */
export interface MetricsPoint {
  /** UTC, as in 2026-03-01. */
  day: string
  active: MetricsFigures | null
  passive: MetricsFigures | null
  /** The project's key: a hash of its path. */
  project: string
  provider: "claude" | "codex"
}

/** The measures to return by day. */
export interface MetricsSeriesParams {
  /** The original project; without it, all projects. */
  projectPath?: string | null
  /** Without it, both. */
  provider?: "claude" | "codex" | null
  /** Number of days, including today. */
  days?: number
}

/** The figures of `metrics/summary` by day, earliest first. Days without measures are omitted. */
export interface MetricsSeriesResult {
  /** The first day included, UTC. */
  sinceDay: string
  /** By day, project and provider. */
  points: MetricsPoint[]
  /** By day, over the points' projects and providers. */
  days: MetricsDay[]
}

/** The measures to sum. */
export interface MetricsSummaryParams {
  /** The original project; without it, all projects. */
  projectPath?: string | null
  /** Without it, both. */
  provider?: "claude" | "codex" | null
  /** Number of days, including today. */
  days?: number
}

/** The effect of active mode, and the effect passive mode would have had. */
export interface MetricsSummaryResult {
  /** The first day included, UTC. */
  sinceDay: string
  active: MetricsFigures
  passive: MetricsFigures
  /** Requests answered with an error, by code and method, over all projects. */
  errors: Record<string, number>
  /** The comparison that runs; null without an experiment. */
  experiment: ExperimentResult | null
  /** Each measure's total over both modes, by name. */
  measures: Record<string, number>
}

/** An item that is never sent: unwanted, or wrong. */
export interface MuteParams {
  projectPath: string
  /** Its name in `continuity/explain`, for example `context:src/cart.py`. */
  item: string
  /** The user's reason, shown to the user only. */
  why?: string
  /** Delete the override of the item. */
  revoke?: boolean
  /** Whether its content is wrong, for example a trap that does not exist. */
  wrong?: boolean
}

/** A sentence that nearly became a memory; stored for seven days in the state file only. */
export interface NearMiss {
  /** RFC 3339. */
  at: string
  /** belowThreshold: the user's sentence scored too low; withoutReason: the agent's choice has no reason. */
  reason: "belowThreshold" | "withoutReason"
  /** 0 to 1. */
  score: number
  /** One masked line. */
  text: string
}

/** Number of sentences that nearly became a memory, by reason. */
export interface NearMissCount {
  reason: "belowThreshold" | "withoutReason"
  count: number
}

/** The place of the agent's notes block in `assistant.text`, in UTF-16 units, so that the app can fold it away. */
export interface NotesSpan {
  /** Offset of its heading's line. */
  start: number
  /** Offset after its last line. */
  end: number
}

/** A run started by a prompt, passed to the hook that reports its end. */
export interface OpenRun {
  runId: string
  deliveryToken: string | null
  /** Worktree of the prompt; a later hook may run in another folder. */
  cwd: string
  /** Null if the hook timed out before it knew the project; then it is derived from `cwd`. */
  projectPath: string | null
  mode: "plan" | "agent"
  startedAt: string
}

/** The user's overrides of a project's items, newest first. */
export interface OverridesResult {
  overrides: UserOverride[]
}

/**
 * An upper bound of the reads that packs make unnecessary, from runs that did not receive theirs.
 *
 * A read counts if it shows a line of a region that the pack had; an agent may read such a region all the same. Bytes
 * that are carried count once for each later call of the run, because a conversation is sent whole with every call.
 */
export interface PassiveEstimate {
  runs: number
  /** Calls of Read in these runs. */
  reads: number
  /** Those that show a region of the run's pack. */
  avoidableReads: number
  /** Bytes of these regions. */
  avoidableBytes: number
  /** These bytes, times the calls after each read. */
  avoidableCarriedBytes: number
  /** Bytes of the packs. */
  packBytes: number
  /** These bytes, times the calls of the run. */
  packCarriedBytes: number
  /** Tokens of the packs carried, minus those of the reads, if no call reads from the provider's cache. */
  carriedTokens: number
  /** The same if every later call reads from the cache, at a tenth of the price. */
  carriedTokensCached: number
}

/** An item that is always sent. */
export interface PinParams {
  projectPath: string
  /** Its name in `continuity/explain`, for example `context:src/cart.py`. */
  item: string
  /** The user's reason, shown to the user only. */
  why?: string
  /** Delete the override of the item. */
  revoke?: boolean
}

/** The agent's position in a pipeline of agents, as the orchestrating host knows it. */
export interface Pipeline {
  /** The agent's score, on any consistent scale. */
  score?: number | null
  /** Whether the agent is done and the next one waits to start in a fresh session. */
  nextAgentPending?: boolean
}

/** A run that ended, with any outcome. */
export interface PostRunParams {
  /** The id that the run's pre-run stated. */
  runId: string
  /** The `deliveryToken` of the run's pre-run. */
  deliveryToken?: string | null
  /** The conversation, as in the pre-run. */
  subChatId: string
  /** The chat around it, as in the pre-run. */
  chatId?: string | null
  /** Whose agent ran. */
  provider: "claude" | "codex"
  /** As in the pre-run. */
  mode: "plan" | "agent"
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** The prompt as the user wrote it. */
  prompt: string
  /**
   * `completed`; `aborted` by the user; ended in an `error`; `empty`: the provider answered nothing; `notStarted`: it received nothing; `superseded`: another run of the conversation took its place.
   */
  outcome: "completed" | "aborted" | "error" | "empty" | "notStarted" | "superseded"
  error?: RunError | null
  session: SessionChange
  assistant?: Assistant | null
  toolErrors?: ToolError[] | null
  /** The provider's transcript file of the session. */
  transcriptPath?: string | null
  todos?: Todo[] | null
  usage?: RunUsage | null
  pipeline?: Pipeline | null
  startedAt: string
  finishedAt: string
}

/** The run is stored durably; sending it again changes nothing. */
export interface PostRunResult {
  /** False if nothing is stored: the mode is `off`, or the conversation was deleted in the meantime. */
  accepted: boolean
  /** True if this run id was recorded before; the first answer is repeated, `remembered` as it is now. */
  duplicate: boolean
  artifacts: ArtifactReference[]
  governor: GovernorDecision
  /** Null if the text does not end with notes, the mode is not active, or the setting `notes` is off. */
  notesBlock: NotesSpan | null
  /** Memories that the run added; empty unless the mode is active. */
  remembered: Remembered[]
  /** Statements that the run's prompt replaced or took back. */
  withdrawn: Withdrawn[]
}

/** Costs and savings of the call; bytes are UTF-8. */
export interface PreRunMetadata {
  /** Whether the context pack came from the pack cache. */
  cacheHit: boolean
  /** File summaries that came from the file cache. */
  fileHits: number
  /** File summaries that were computed. */
  fileMisses: number
  /** Bytes sent that were new to this provider session. */
  injectedBytes: number
  /** The same as `injectedBytes`, also computed in passive mode. */
  wouldInjectBytes: number
  /** Bytes of the packs valid for this call that the session already has. */
  reusedBytes: number
  /** Cost of sending all packs again: would-inject plus reused. */
  baselineBytes: number
  /** Reused of baseline, 0 to 100, one decimal. */
  reusedPercent: number
  stateIds: StateIds
  /** Omitted items with the reason: over the budget, late, excluded, nothing new. */
  trimmed: Trimmed[]
  /** Null in token modes other than low. */
  reuse: LowTokenReuse | null
  /** True if something is missing because of the deadline. */
  partial: boolean
  /** How the repository's state was verified as fresh; null without a state. */
  proof: string | null
  /** Milliseconds from arrival to response, including waiting. */
  elapsedMs: number
  /** Null if the settings' mode holds for every chat and the user chose none for this one. */
  rollout: RolloutDecision | null
}

/** A prompt, just before it goes to the provider. */
export interface PreRunParams {
  /** The host's id of this run, new for each; its post-run states the same. */
  runId: string
  /** The host's id of the conversation that the prompt belongs to. */
  subChatId: string
  /** The host's id of the chat around it; its sub-chats are one unit of a rollout. */
  chatId?: string | null
  /** Whose agent runs. */
  provider: "claude" | "codex"
  /** `agent` may change files; `plan` only plans and gets the plan's rules. */
  mode: "plan" | "agent"
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** The user's prompt, as the host would send it. */
  prompt: string
  /**
   * The user's choice for this chat; it overrides the setting `mode`, unless the environment switches it off, and takes the chat out of a running experiment.
   */
  continuityMode?: "off" | "passive" | "active" | null
  /** The model's name. An experiment compares chats of the same model. */
  model?: string | null
  mentions?: Mentions | null
  session: SessionBefore
  /** Absent means false for each. */
  hostInjects?: HostInjects | null
  usage?: ContextUsage | null
  /** False if the host has no system prompt to extend; the anchor is then the first block. */
  takesSystemText?: boolean
  /** Maximum UTF-8 bytes this call may add to the session, where the budget allows more. */
  maxNewBytes?: number | null
  /** Selects the byte budget; absent means the setting's. */
  tokenMode?: "low" | "normal" | "debug" | null
  /** Whether a model on this machine runs; its prompts pass through. */
  isLocalModel?: boolean | null
  /** Milliseconds from arrival until a response is due; 800 if absent. */
  deadlineMs?: number | null
}

/** Text for the provider, and what the call saved. */
export interface PreRunResult {
  action: "inject" | "passthrough"
  /**
   * Why nothing is injected: off, passive, slashCommand, localModel, deadline, stateUnavailable, nothingToSend; else null.
   */
  reason: string | null
  /** Blocks and prompt as one text, for hosts that send a single text. */
  prompt: string
  system: SystemText | null
  /** In send order; the prompt follows them. */
  blocks: Block[]
  governor: GovernorBefore
  metadata: PreRunMetadata
  /** Pass it to `continuity/postRun`. */
  deliveryToken: string | null
}

/** A signal and its thresholds. */
export interface PressureSignal {
  name: string
  /** Value since the provider session started; compared with `rehydrateAt`. */
  value: number
  /** Value since the last snapshot; compared with `snapshotAt`. */
  sinceSnapshot: number
  snapshotAt: number
  /**
   * Doubled unless the window is CRITICAL; that of `bracket` never. Ignored while the window has more room than DEPLETED.
   */
  rehydrateAt: number
}

/** A problem that needs a manual change. */
export interface ProblemEntry {
  id: string
  message: string
  remedy: string
}

/** The progress of a job. */
export interface Progress {
  /** The current step, in a word. */
  phase: string
  /** Number of finished steps. */
  done: number
  /** Number of steps known so far. */
  total: number
  /** Estimated time left; null while it is unknown. */
  remainingMs: number | null
}

/** A job's progress, under the id of its request. */
export interface ProgressParams {
  /** The id of the job's request. */
  token: string | number | null
  value: Progress
}

/** The status of one project. */
export interface ProjectStatus {
  /** The project's key: a hash of its path. */
  project: string
  /** The name of its folder; null if no run recorded it. */
  name: string | null
  mode: string
  /** Number of stored runs. */
  runs: number
  /** RFC 3339. */
  lastRunAt: string | null
  /** Share of follow-ups in 30 days whose context pack came from the cache, 0 to 1; null without any. */
  hitRate: number | null
  /** 1 − injected / baseline over the last 30 days; null without calls. */
  reduction: number | null
  /** Artifacts awaiting the user's decision. */
  drafts: number
  memories: number
  /** The project's rollout by share; null if every chat receives what the mode says. */
  rollout: RolloutStatus | null
}

/** Origin of an artifact; the artifact's `event` names what happened. */
export interface Provenance {
  runId: string
  subChatId: string
  provider: "claude" | "codex"
  sessionId: string | null
  taskFingerprint: string | null
  /** The worktree's head commit after the run. */
  headCommit: string | null
  files: string[]
  sidecarVersion: string
  /** Every run that contributed to it, latest last. */
  runs: string[]
  chatId: string | null
  /** The worktree's head commit before the first of these runs. */
  startCommit: string | null
  /** The experiment and the arm of its chat, as `packs-1:treated`. */
  arm: string | null
  /** Whether the user edited its text; runs no longer extend it then. */
  edited: boolean
  /** The branch it was committed to. */
  branch: string | null
  /** The commit that added it to that branch. */
  commit: string | null
}

/** The result of a purge for one kind. */
export interface PurgedKind {
  kind: "runs" | "caches" | "indexes" | "metrics" | "artifacts" | "damagedArtifacts" | "memories" | "settings" | "registry" | "knowledge" | "backups" | "damaged" | "logs"
  /** Records or files removed; with `dryRun`, those that would be. */
  removed: number
  /** Those that remain, of the same project or of all. */
  remaining: number
  /** Why they remain. */
  reason: string | null
}

/** A change. */
export interface RalphChangeParams {
  /** A folder of the loop's worktree, absolute. */
  cwd: string
  /** A path-safe name. */
  change: string
}

/** Context for the agent from the next iteration on. */
export interface RalphContextParams {
  /** A folder of the loop's worktree, absolute. */
  cwd: string
  /** A path-safe name. */
  change: string
  text: string
}

/** The context file after the call. */
export interface RalphContextResult {
  path: string
  /** Size after an addition, or before it was cleared. */
  bytes: number
}

/** The result of continuity for an iteration. */
export interface RalphContinuity {
  action: "inject" | "passthrough" | "failed"
  /** Why nothing was injected, or the error. */
  reason: string | null
  injectedBytes: number
  /** Ids of the artifacts drafted from the iteration. */
  artifacts: string[]
}

/** The first iteration, without running it. */
export interface RalphDryRun {
  prompt: string
  argv: string[]
  /** How the agent receives the prompt. */
  promptVia: "stdin" | "file"
  warnings: string[]
}

/** One iteration, as stored in the history. */
export interface RalphIteration {
  /** Counted across all loops of the change, until a reset. */
  number: number
  /** RFC 3339. */
  startedAt: string
  durationMs: number
  outcome: "succeeded" | "failed" | "timedOut" | "usageLimit" | "interrupted" | "lost"
  /** Null if a signal ended the agent, or it was never started. */
  exitCode: number | null
  signal: string | null
  promiseFound: boolean
  promiseAccepted: boolean
  /** Null if no command was run. */
  verification: RalphVerification[] | null
  /** Number of files whose content the iteration changed, committed or not; null outside git. */
  filesChanged: number | null
  /** The first 100 of them. */
  files: string[]
  /** Ids of the commits made during the iteration; the loop's own is last. */
  commits: string[]
  /** Null if the harness does not report them. */
  inputTokens: number | null
  outputTokens: number | null
  costUsd: number | null
  /** Why the iteration failed or was stopped, in a sentence. */
  reason: string | null
  /** Why the loop ended with this iteration; null if it continued. */
  endedLoop: string | null
  /** Bytes the agent printed; the stored output is capped. */
  outputBytes: number
  continuity: RalphContinuity | null
  warnings: string[]
}

/** An iteration has started, paused or finished. */
export interface RalphIterationNotice {
  change: string
  number: number
  phase: "started" | "finished" | "paused"
  /** Set for phase `finished`. */
  iteration: RalphIteration | null
  /** End of the pause, RFC 3339. */
  until: string | null
  reason: string | null
}

/** A piece of the agent's output. */
export interface RalphOutputNotice {
  change: string
  number: number
  text: string
}

/** The deleted files and state. */
export interface RalphResetResult {
  iterations: number
  /** Whether the agent of a loop that had died was still at work, and was ended. */
  endedAgent: boolean
}

/** The running iteration. */
export interface RalphRunning {
  number: number
  /** RFC 3339. */
  startedAt: string
}

/** A loop: the task, the agent, and the limits. */
export interface RalphStartParams {
  /** A folder of the loop's worktree, absolute. */
  cwd: string
  /** A path-safe name. */
  change: string
  /** The original project; without it, the repository's main worktree. */
  projectPath?: string | null
  /** The task, passed on verbatim. */
  prompt: string
  harness?: "claude" | "codex" | "gemini" | "opencode" | "custom"
  /** A `custom` command needs `{model}` in its place. */
  model?: string | null
  /** Skip all permission prompts of the harness; refused for `custom`. */
  allowAll?: boolean
  /** The command line of a `custom` harness. */
  harnessCommand?: string | null
  /** Added to the harness's own. */
  extraArguments?: string[]
  completionPromise?: string
  /** A promise in an earlier iteration is not accepted. */
  minIterations?: number
  /** 0 means no limit. */
  maxIterations?: number
  maxTimeMs?: number | null
  /** As reported by `claude` and `opencode`; refused for others. */
  maxCostUsd?: number | null
  /** Input and output, as reported by the harness; refused for `custom`. */
  maxTokens?: number | null
  /** Stop an agent that prints nothing for this long. */
  idleTimeoutMs?: number | null
  iterationTimeoutMs?: number | null
  /** Consecutive failures that end the loop; 0 means no limit. */
  maxFailures?: number
  /** The first failure ends the loop. */
  failFast?: boolean
  /** Consecutive iterations without a change and with similar output that end the loop; 0 means never. */
  stuckAfter?: number
  /** Shell commands that must pass for a promise to count. */
  verify?: string[]
  /** Add packs to each prompt (in mode `active`), and capture each run. */
  continuity?: boolean
  /** Commit what each iteration changed, and nothing else. */
  commit?: boolean
  /** Send the agent's output as `ralph/output`. */
  stream?: boolean
  /** Return prompt and command line; run and write nothing. */
  dryRun?: boolean
}

/** The end of a loop. */
export interface RalphStartResult {
  change: string
  status: "running" | "completed" | "failed" | "limit" | "stuck" | "aborted" | "interrupted"
  exitCode: number
  reason: string
  /** Iterations of this loop only. */
  iterations: number
  lastIteration: number
  totals: RalphTotals
  /** The folder with state, history, prompts and outputs. */
  folder: string
  dryRun: RalphDryRun | null
}

/** State of a change's loop, as stored in `state.json`. */
export interface RalphState {
  change: string
  status: "running" | "completed" | "failed" | "limit" | "stuck" | "aborted" | "interrupted"
  /** One sentence. */
  reason: string
  /** Null while the loop runs. */
  exitCode: number | null
  harness: string
  model: string | null
  /** RFC 3339. */
  startedAt: string
  /** RFC 3339. */
  updatedAt: string
  /** Number of the last iteration that was started. */
  iteration: number
  running: RalphRunning | null
  /** Set while the loop waits at a usage limit or after fast failures. */
  pausedUntil: string | null
  /** 0 means no limit. */
  maxIterations: number
  totals: RalphTotals
  /** The process that runs or ran the loop. */
  pid: number
}

/** The change, and the length of its history to return. */
export interface RalphStatusParams {
  /** A folder of the loop's worktree, absolute. */
  cwd: string
  /** A path-safe name. */
  change: string
  /** Maximum number of recent iterations. */
  limit?: number
}

/** Status of a change's loop. */
export interface RalphStatusResult {
  change: string
  isRunning: boolean
  /** Null if no loop was ever started, or if it is damaged. */
  state: RalphState | null
  /** Why the state cannot be shown, in a sentence. */
  problem: string | null
  /** The process that runs the loop. */
  pid: number | null
  /** Time since the start of the running loop. */
  elapsedMs: number | null
  /** Number of iterations in the history. */
  iterations: number
  /** Oldest first. */
  recent: RalphIteration[]
  /** Unreadable lines of the history, for example after a power cut. */
  damagedLines: number
  contextBytes: number
  folder: string
}

/** Whether a loop was stopped. */
export interface RalphStopResult {
  wasRunning: boolean
  /** Whether the agent of a loop that had died was still at work, and was ended. */
  endedAgent: boolean
}

/** Resources used since the start of the loop. */
export interface RalphTotals {
  iterations: number
  failures: number
  inputTokens: number
  outputTokens: number
  costUsd: number
  durationMs: number
}

/** A command that must pass before a promise is accepted. */
export interface RalphVerification {
  command: string
  /** Null if it was stopped or could not be started. */
  exitCode: number | null
  durationMs: number
  /** The end of its output. */
  output: string
}

/** A direct or transitive dependent. */
export interface ReachedEntry {
  id: string
  /** 1 for a direct dependent. */
  distance: number
  /** Its dependency on the shortest path to the changed entity. */
  via: string
}

/** The decision for one entity, and its reasons. */
export interface RecommendationEntry {
  entity: EntityEntry
  decision: "REUSE" | "ADAPT" | "CREATE"
  /** 0 to 100, 0.6 × `keywordScore` + 0.4 × `purposeScore`: 90 is REUSE, 60 ADAPT. */
  score: number
  /** Share of the intent's words, weighted by rarity, that it covers; 0 to 100. */
  keywordScore: number
  /** The same for its name and purpose, less if it covers more than the intent; 0 to 100. */
  purposeScore: number
  /** The intent's words that it covers. */
  matched: string[]
  /** The intent's other words. */
  missing: string[]
  /** Present for ADAPT with an adaptability below 0.3: weigh it first. */
  impact: ImpactEntry | null
  reasons: string[]
}

/** The thing to create. */
export interface RegistryDecideParams {
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project, which owns the registry; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** In the user's words: what is needed, or the request for it. */
  intent: string
  /** Only entities of this type are considered. */
  type?: string | null
  limit?: number
}

/** The decision, and the entities it is based on. */
export interface RegistryDecideResult {
  /** The same for the same registry and intent. */
  decisionId: string
  /** The decision for the best entity; CREATE if none shares a word. */
  decision: "REUSE" | "ADAPT" | "CREATE"
  /** Whether a second entity, not a part of the first, matches nearly as well. */
  ambiguous: boolean
  /** Number of entities considered. */
  considered: number
  /** Why the decision says little: the registry is empty. */
  problem: string | null
  /** Best first. */
  recommendations: RecommendationEntry[]
  /** Whether the decision was stored; false if the registry is empty or the state file is locked. */
  recorded: boolean
}

/** Number of decisions to return. */
export interface RegistryDecisionsParams {
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project, which owns the registry; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  limit?: number
}

/** The last decisions, newest first. */
export interface RegistryDecisionsResult {
  decisions: DecisionEntry[]
}

/** An entity. */
export interface RegistryEntityParams {
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project, which owns the registry; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  id: string
}

/** An entity with its dependencies and dependents. */
export interface RegistryGetResult {
  entity: EntityEntry
  dependencies: DependencyEntry[]
  /** Ids of the direct dependents. */
  dependents: string[]
  /**
   * Whether the file matches its checksum; `unverified`: it has none; `irregular`: not a readable regular file, such as a folder; `outside`: not in the project.
   */
  file: "matches" | "differs" | "unverified" | "missing" | "irregular" | "outside"
}

/** Whether to repair what can be repaired. */
export interface RegistryHealthParams {
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project, which owns the registry; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** Update checksums, count and date, after a backup of the file. */
  fix?: boolean
  /** Return the planned changes and write nothing. */
  dryRun?: boolean
}

/** Health of the framework's files; advisory. */
export interface RegistryHealthResult {
  healthy: boolean
  /** The registry's file, relative to the project. */
  registry: string
  /** The checks, always in the same order. */
  checks: HealthCheck[]
  /** Problems first, at most 2,000. */
  findings: HealthFinding[]
  /** Number of further findings. */
  omitted: number
  /** Null without `fix`. */
  fix: HealthFix | null
}

/** An entity and the impact of changing it. */
export interface RegistryImpactResult {
  entity: EntityEntry
  impact: ImpactEntry
}

/** Filters and page of the list. */
export interface RegistryListParams {
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project, which owns the registry; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** Only entities of this type. */
  type?: string | null
  /** Only entities of this category. */
  category?: string | null
  /** Only entities of this origin. */
  origin?: "file" | "code" | null
  offset?: number
  limit?: number
}

/** Entities in the file's order, then derived ones. */
export interface RegistryListResult {
  source: RegistrySource
  /** Total number of matching entities, regardless of the limit. */
  total: number
  entities: EntityEntry[]
  remarks: RemarkEntry[]
}

/** An entity to add or change; omitted fields stay as they are. */
export interface RegistryPutParams {
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project, which owns the registry; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** `<category>/<key>`; a key alone refers to an existing entity, or with `type` to a new one. */
  id: string
  /** Relative to the project; required for a new entity. */
  path?: string | null
  type?: string | null
  /** Required for a new entity. */
  purpose?: string | null
  keywords?: string[] | null
  dependencies?: string[] | null
  adaptability?: number | null
  /** Return the planned changes and write nothing. */
  dryRun?: boolean
}

/** The parts to update. */
export interface RegistryRefreshParams {
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project, which owns the registry; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** Also derive entities from the code of `cwd`; entries written by hand take precedence. */
  fromCode?: boolean
  /** Return the planned changes and write nothing. */
  dryRun?: boolean
}

/** The updated parts, or with `dryRun` those that would be, and those that need a manual change. */
export interface RegistryRefreshResult {
  path: string
  changes: ChangeEntry[]
  written: boolean
  backup: string | null
  problems: ProblemEntry[]
  /** Null without `fromCode`. */
  derived: DerivedChanges | null
}

/** An entity to remove. */
export interface RegistryRemoveParams {
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project, which owns the registry; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  id: string
  /** Return the planned changes and write nothing. */
  dryRun?: boolean
}

/** The file of a registry. */
export interface RegistrySource {
  /** Relative to the project. */
  path: string
  exists: boolean
  /** The file's own version; empty if it has none. */
  version: string
  lastUpdated: string
  /** Number of entities the file declares. */
  declaredCount: number | null
  /** Why the file cannot be read; empty otherwise. */
  damage: string
}

/** Changes of the registry's file, or with `dryRun` the planned ones. */
export interface RegistryWriteResult {
  /** The file, relative to the project. */
  path: string
  changes: ChangeEntry[]
  /** Whether the registry's file was written. */
  written: boolean
  /** The backup of the old file, relative to the project. */
  backup: string | null
  /** The current entity; null if it was removed. */
  entity: EntityEntry | null
  /** Ids of entities with unresolved dependencies. */
  orphaned: string[]
}

/** A warning about the registry's file. */
export interface RemarkEntry {
  /** From 1; 0 means the whole file. */
  line: number
  /** An entity's id, or a part of the file. */
  about: string
  message: string
}

/** A memory that the run added; `memory/undo` with its id undoes it. */
export interface Remembered {
  id: string
  /** One line. */
  text: string
  /** Whether every new session receives it as the user's standing instruction. */
  standing: boolean
}

/** A statement of the user that a later one contradicts. */
export interface ReplacedInstruction {
  id: string
  /** One masked line. */
  text: string
  /** Id of the later statement. */
  replacedBy: string
}

/** A hint that files changed. It speeds up the next call and proves nothing. */
export interface RepoChangedParams {
  cwd: string
  paths?: string[]
}

/** A figure and its target. */
export interface ReportCheck {
  name: string
  /** As shown on the page. */
  value: string
  target: string
  /** Null if nothing was measured. */
  met: boolean | null
}

/** The assessment of one stage of the rollout. */
export interface ReportStage {
  name: "passive" | "inject" | "snapshot" | "rehydrate"
  /** `go`: all targets are met; `wait`: a target is missed; `moreData`: there is not enough data. */
  verdict: "go" | "wait" | "moreData"
  /** Whether the settings enable it. */
  enabled: boolean
  sentence: string
  checks: ReportCheck[]
}

/** The recommended next step, over all stages. */
export interface ReportStep {
  /** `go`: enable the next stage, if any; `wait`: a target is missed; `moreData`: keep measuring. */
  verdict: "go" | "wait" | "moreData"
  sentence: string
}

/** The resolution for conflicts of one type, of one item or of all. */
export interface ResolutionChoice {
  type: "hash_mismatch" | "orphaned_pointer" | "duplicate_pointer" | "layer_mismatch" | "status_change" | "missing_pointer"
  /** Defaults to every item. */
  item?: string | null
  /**
   * `update_memory` and `delete_memory` as suggested, `keep_memory`: leave memory unchanged, `manual`: leave it and keep listing the conflict.
   */
  resolution: "update_memory" | "delete_memory" | "keep_memory" | "manual"
}

/** The counters that decide about a restart. */
export interface RestartCounters {
  compactions: number
  criticalInARow: number
  /** The agent's score at the last compaction. */
  scoreBefore: number | null
  score: number | null
  /** The agent that waits while this one is done; null if none does. */
  nextAgent: string | null
}

export interface RetentionSettings {
  /**
   * Days for which runs and their deliveries are stored, for all projects. Artifacts, memories and settings are not affected. Default: 180.
   */
  days?: number | null
}

/** The mode of one chat, and why it may differ from the settings' mode. */
export interface RolloutDecision {
  /** The effective mode of the chat. */
  mode: "off" | "passive" | "active"
  /** `chat`: the user chose it for this chat; `share`: the chat's arm; `suspension`: the rollout is suspended. */
  decidedBy: "chat" | "share" | "suspension"
  /** Null for a chat that is not part of the rollout by share. */
  arm: "treated" | "control" | null
  /** The share, in percent, at which the arm was drawn. */
  share: number | null
  /** The experiment that the chat is part of. */
  experiment: string | null
}

/** The rollout of one project, or that of all. */
export interface RolloutParams {
  /** The original project; without it, all projects. */
  projectPath?: string | null
}

/** A rollout by share. */
export interface RolloutResult {
  /** Null if every chat receives what the mode says. */
  rollout: RolloutStatus | null
  /** What the experiment shows; null without one. */
  experiment: ExperimentResult | null
}

export interface RolloutSettings {
  /**
   * Share of new chats, in percent, that receive packs while the mode is active. The others receive what a chat receives in passive mode. Default: 100.
   */
  share?: number | null
  /**
   * Name of the experiment that compares the chats with packs with the others; needs a share from 1 to 99. Another name reassigns chats. null: no comparison. Default: null.
   */
  experiment?: string | null
}

/** A rollout by share. */
export interface RolloutStatus {
  /** Percent of new chats that are active while the mode is active. */
  share: number
  experiment: string | null
  /**
   * Why nothing is compared or sent, else null: layers of settings contradict each other, or the mode is not active.
   */
  problem: string | null
  /** While set, no chat receives packs unless its user chose so; `rollout/resume` ends it. */
  suspended: RolloutSuspension | null
  /** Chats that receive packs. */
  treated: number
  /** Chats that receive what a chat receives in passive mode. */
  control: number
  /** Chats of either arm for which the user chose a mode; they no longer count. */
  left: number
}

/** A stop of the rollout by its guard; the setting `mode` is unchanged. */
export interface RolloutSuspension {
  reason: string
  /** RFC 3339. */
  at: string
}

/** Reason of a run's failure. */
export interface RunError {
  kind: "auth" | "rateLimit" | "overload" | "other"
  message?: string | null
}

/** Token, cost and time usage of the run, as far as the host knows. */
export interface RunUsage {
  inputTokens?: number | null
  outputTokens?: number | null
  cacheReadTokens?: number | null
  cacheCreationTokens?: number | null
  /** US dollars. */
  costUsd?: number | null
  /** Milliseconds. */
  durationMs?: number | null
}

/** A process that uses the state folder. */
export interface RunningSidecar {
  pid: number
  version: string
  build: string
  /** The client's name, from `initialize`. */
  client: string
  /** Its effective global mode at start-up. */
  mode: string
  /** RFC 3339. */
  startedAt: string
}

/** The sidecar's name, version and build. */
export interface ServerInfo {
  name: string
  version: string
  build: "source" | "frozen"
}

/** The session to activate or resume, and its settings. Absent values stay as they were. */
export interface SessionActivateParams {
  /** The agent's working folder; its IDE reads the block there. */
  cwd: string
  /** The original project, which owns the session; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** Determines the file. Initially claude-code. */
  ide?: "claude-code" | "vscode" | "antigravity" | "cursor" | "gemini-cli" | "github-copilot" | null
  /**
   * The agent that receives messages. Defaults to the project's session file, then the last agent, then the orchestrator.
   */
  agent?: string | null
  /** The language of messages to the user. Initially en. */
  language?: "en" | "pt" | "es" | "fr" | null
  /** Repair damaged markers and duplicate blocks. */
  force?: boolean
}

/** The active session. */
export interface SessionActivateResult {
  session: SessionInfo
  /** Whether our state or the project's session file knows an earlier session. */
  resumed: boolean
  /** The file that informs the agent. */
  block: BlockInfo
  /** Gives `memory/*` access to the agent's own memories, until the agent changes or the session ends. */
  token: string
  warnings: string[]
}

/**
 * The provider session that will receive the prompt, and facts about it; stating a fact again changes nothing.
 *
 * A sub-chat whose session another sub-chat has is a fork of it: it starts with a copy of what that session has.
 */
export interface SessionBefore {
  /** The provider's session id; null for a new session. */
  id: string | null
  /**
   * Whether the provider continues that session. With `id` null: whether it continues whatever session it has, which is that of the sub-chat's last run if that began without an id and did not complete.
   */
  willResume: boolean
  /**
   * Whether the provider forks it. Without `forkedFrom` or `truncatedToMessageId`, a fork of the sub-chat's own session counts as unknown.
   */
  isFork: boolean
  /** Origin of a forked sub-chat. */
  forkedFrom?: ForkOrigin | null
  /**
   * After a rollback, until a run has ended: the last assistant message that the session still has, as in `assistant.messageId` of its post-run; null for none. Absent means that nothing was rolled back. With an unknown id the session counts as unknown.
   */
  truncatedToMessageId?: string | null
  /** Time of the session's last compaction. */
  compactedAt?: string | null
  /**
   * The run whose provider session continues although its id was not stored, for example because the first run failed; with `id` null.
   */
  continues?: string | null
}

/** The provider session before and after the run. */
export interface SessionChange {
  before: string | null
  /** Null if the run has no known session. */
  after: string | null
}

/** Something happened to a provider session outside a run. */
export interface SessionEventParams {
  event: "reset" | "forked" | "rolledBack" | "compacted" | "modeChanged" | "deleted"
  /** The chat's worktree; the event takes effect before its next pre-run. */
  cwd: string
  subChatId: string
  provider: "claude" | "codex"
  /** The session; null for all sessions of the sub-chat. */
  sessionId?: string | null
}

/** The session to exit. */
export interface SessionExitParams {
  /** The agent's working folder; its IDE reads the block there. */
  cwd: string
  /** The original project, which owns the session; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  /** Progress and next steps, for whoever resumes. */
  progress?: string | null
  /** The provider session whose memory file receives the summary; defaults to a new file. */
  sessionId?: string | null
  /** What the host considers worth remembering. */
  summary?: SessionSummaryInput | null
  /** Repair damaged markers and duplicate blocks, also in read-only files. */
  force?: boolean
  /** Remove the block from its files instead of marking it `Status: INACTIVE`. */
  removeBlock?: boolean
}

/** The session after the exit; all of it is saved. */
export interface SessionExitResult {
  session: SessionInfo
  wasActive: boolean
  /** A message for the user, in the session's language. */
  confirmation: string
  blocks: BlockInfo[]
  /** What was captured of the session; null if none was active or capturing failed. */
  captured: MemoryCaptureResult | null
  /** What could not be done. The session is exited nevertheless. */
  warnings: string[]
}

/** The state of the lock. */
export interface SessionInfo {
  status: "active" | "inactive"
  /** The agent that receives messages, now or after resuming; null before any session. */
  agent: string | null
  ide: "claude-code" | "vscode" | "antigravity" | "cursor" | "gemini-cli" | "github-copilot" | null
  language: "en" | "pt" | "es" | "fr"
  /** Progress reported at the last exit; may be empty. */
  progress: string
  /** RFC 3339, UTC. */
  activatedAt: string | null
  /** Time of the last exit; null if there was none. */
  exitedAt: string | null
}

/** A message of the user. */
export interface SessionRouteParams {
  /** The agent's working folder; its IDE reads the block there. */
  cwd: string
  /** The original project, which owns the session; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
  message: string
}

/** The route of the message. The call has no effect. */
export interface SessionRouteResult {
  /** While inactive, messages are not bound to an agent. */
  status: "active" | "inactive"
  /** `offTopic`: the deviation protocol applies; the session stays locked. */
  intent: "exit" | "command" | "onTopic" | "offTopic"
  /** For the intent `command`. */
  command: "activate" | "status" | "help" | "resume" | null
  /** The agent that receives an on-topic message; null while inactive and for other intents. */
  agent: string | null
  /** The rule that decided. */
  rule: string
  /** How to exit, if the message mentions it without requesting it. */
  hint: string | null
}

/** The session to report. */
export interface SessionStatusParams {
  /** The agent's working folder; its IDE reads the block there. */
  cwd: string
  /** The original project, which owns the session; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
}

/** The session, and every file with its block. */
export interface SessionStatusResult {
  session: SessionInfo
  blocks: BlockInfo[]
  warnings: string[]
}

/** Summary of a session: messages, errors and entries. */
export interface SessionSummaryInput {
  /** Searched for corrections, decisions and conclusions. */
  messages?: SummaryMessage[]
  errors?: SummaryError[]
  entries?: SummaryEntry[]
}

/** One effective setting. */
export interface SettingValue {
  /** Dotted name, such as `budgets.low`. */
  name: string
  /** The effective value. */
  value: boolean | number | string | string[] | null
  /** The layer the value comes from. */
  source: "default" | "initialize" | "global" | "project" | "environment"
  /** The value if no layer sets one. */
  default: boolean | number | string | string[] | null
  /** The meaning of the setting. */
  description: string
}

/** The settings to read. */
export interface SettingsGetParams {
  /** The original project; without it, global. */
  projectPath?: string | null
}

/** Every setting, in the order of the table. */
export interface SettingsGetResult {
  settings: SettingValue[]
}

/** A partial set of settings; null sets nothing. */
export interface SettingsPatch {
  /**
   * off: injects and captures nothing. passive: records what it would send, injects nothing. active: injects. Default: passive. Environment: ONECODE_CONTINUITY_MODE.
   */
  mode?: "off" | "passive" | "active" | null
  /** The byte budget of a call for which the host names none. Default: normal. Environment: ONECODE_TOKEN_MODE. */
  tokenMode?: "low" | "normal" | "debug" | null
  /**
   * Whether the governor may take snapshots of a conversation's state. Default: true. Environment: ONECODE_CONTINUITY_ENABLE_SNAPSHOT.
   */
  snapshot?: boolean | null
  /**
   * Whether the governor may request a fresh provider session. Default: false. Environment: ONECODE_CONTINUITY_ENABLE_REHYDRATE.
   */
  rehydrate?: boolean | null
  /**
   * auto-write-manual-commit: artifacts stay in the database until `artifact/commit`. auto-write-memory-branch: after a run in active mode, accepted ones are also committed to memoryBranch. Default: auto-write-manual-commit. Environment: ONECODE_CONTINUITY_ARTIFACT_POLICY.
   */
  artifactPolicy?: "auto-write-manual-commit" | "auto-write-memory-branch" | null
  /**
   * The only branch that artifacts are committed to. Default: memory/continuity. Environment: ONECODE_CONTINUITY_MEMORY_BRANCH.
   */
  memoryBranch?: string | null
  /**
   * Whether the anchor asks the agent to end a reply with notes when something lasting came up, and post-run stores them. Active mode only. An anchor limited to less than 1,500 bytes does not ask. Default: true.
   */
  notes?: boolean | null
  /**
   * local: the session lock's block is in a file that git ignores, if the IDE reads one. rules: it is in the IDE's rules file, such as CLAUDE.md for Claude Code. Default: local.
   */
  sessionLockFile?: "local" | "rules" | null
  /**
   * Formats of your own secrets, such as `acme_[A-Za-z0-9]{32}`, masked in every project besides the known ones. A pattern has characters, classes and repetitions, each repetition followed by what it does not match. Holds from the next start. Default: none.
   */
  secretPatterns?: string[] | null
  /** The settings named budgets.*. */
  budgets?: BudgetsSettings | null
  /** The settings named cache.*. */
  cache?: CacheSettings | null
  /** The settings named capture.*. */
  capture?: CaptureSettings | null
  /** The settings named knowledge.*. */
  knowledge?: KnowledgeSettings | null
  /** The settings named retention.*. */
  retention?: RetentionSettings | null
  /** The settings named rollout.*. */
  rollout?: RolloutSettings | null
}

/** A change to the global settings, or to those of one project. */
export interface SettingsUpdateParams {
  /** The original project; without it, global. */
  projectPath?: string | null
  /** The changes. Null removes a setting, so the layer below becomes effective. */
  settings: SettingsPatch
}

/** A file that the conversation changed. */
export interface SnapshotFile {
  path: string
  /** The agent's sentence about it, or else the run's objective. */
  why: string
}

/** A step of the task list. */
export interface SnapshotStep {
  content: string
  status: string
}

/** The checks to run, and whether to repair. */
export interface StateDoctorParams {
  /**
   * The project whose repository, memory files, registry, knowledge sync, memory branch and number of watches are checked, and whether it was moved; without it only the state and the system are checked.
   */
  projectPath?: string | null
  /** Repair what can be repaired, after a backup of the state file. */
  fix?: boolean
  /** With `fix`: only report what would be repaired. */
  dryRun?: boolean
}

/** The health of the state. */
export interface StateDoctorResult {
  /** Whether there are no findings, or all were repaired. */
  healthy: boolean
  checks: DoctorCheck[]
  findings: DoctorFinding[]
  /** Path of the backup of the state file, made before the first repair; null without a repair. */
  backup: string | null
  /** Versions in use, for a bug report. */
  versions: Record<string, string>
}

/** The id of each pack that is valid for this call; null where there is none. */
export interface StateIds {
  anchorPackId: string | null
  contextPackId: string | null
  deltaPackId: string | null
  planContractId: string | null
}

/** The data to remove: by project, age or kind. At least one of them is required. */
export interface StatePurgeParams {
  /** The project's path. */
  projectPath?: string | null
  /** The project's key, for a project whose folder no longer exists; ignored with `projectPath`. */
  project?: string | null
  /** Only data older than this. */
  olderThanDays?: number | null
  /** Default: runs, caches, indexes and metrics. Everything else is removed only when named. */
  kinds?: ("runs" | "caches" | "indexes" | "metrics" | "artifacts" | "damagedArtifacts" | "memories" | "settings" | "registry" | "knowledge" | "backups" | "damaged" | "logs")[] | null
  /** Only report what would be removed. */
  dryRun?: boolean
}

/** The removed and the remaining data. */
export interface StatePurgeResult {
  dryRun: boolean
  kinds: PurgedKind[]
  /** Bytes by which the state folder shrank; 0 with `dryRun`. */
  freedBytes: number
}

/** The condition of the state file. */
export interface StateReport {
  /** The file's migration step. */
  schema: number
  /** True if data was lost or set aside; `warnings` has the details. */
  degraded: boolean
  /** One sentence each, for the user. */
  warnings: string[]
}

/** The project and period to report on. */
export interface StateReportParams {
  /** The original project; without it, all projects. */
  projectPath?: string | null
  /** Number of days, including today. */
  days?: number
}

/** The report's file and its summary. */
export interface StateReportResult {
  /** The HTML file, in the state folder. The next report replaces it. */
  path: string
  bytes: number
  /** The first day of the report, UTC. */
  sinceDay: string
  nextStep: ReportStep
  stages: ReportStage[]
  /** Null if every chat receives what the mode says. */
  rollout: RolloutStatus | null
  /** What the experiment shows; null without one. */
  experiment: ExperimentResult | null
  /** An upper bound from runs that received no packs; null without such runs. */
  estimate: PassiveEstimate | null
}

/** The contents of a state folder, and the processes that use it. */
export interface StateStatusResult {
  stateDir: string
  /** The state file's migration step. */
  schema: number
  version: string
  /** The global mode; if none is set, the mode of the running sidecar at its start-up. */
  mode: string
  /** The settings layer it comes from. */
  modeSource: string
  /** The rollout by share, by the settings of all projects; null if every chat receives what the mode says. */
  rollout: RolloutStatus | null
  /** The other processes that use the state folder. */
  others: RunningSidecar[]
  /** The app first, then the agents that hooks can connect. */
  hosts: HostStatus[]
  /** The project with the latest run first. */
  projects: ProjectStatus[]
  /** At most ten, newest first. */
  lastRuns: LastRun[]
  files: StoredFiles[]
  caches: CacheStatus[]
  /** Free bytes on the disk of the state folder. */
  freeBytes: number
  /** What the answering process is indexing now. */
  indexing: IndexingStatus[]
}

/** The files of one kind in the state folder. */
export interface StoredFiles {
  kind: string
  files: number
  bytes: number
}

/** The stored structured state of a conversation. */
export interface StoredSnapshotView {
  id: string
  /** The run after which it was stored. */
  runId: string
  /** RFC 3339. */
  at: string
  reasons: string[]
  objective: string
  /** The last plan that the agent proposed; empty without one. */
  plan: string
  todos: SnapshotStep[]
  /** What the last runs found or did, the latest first. */
  conclusions: string[]
  decisions: string[]
  /** The user's corrections and preferences that are not standing instructions, the latest first. */
  corrections: string[]
  /** Open points from the latest runs' conclusions, and failing runners. */
  risks: string[]
  /** Names of failing tests. */
  failing: string[]
  /** Latest first. */
  files: SnapshotFile[]
}

/** A statement known to be worth storing. */
export interface SummaryEntry {
  type: "decision" | "error_pattern" | "resolution" | "user_correction" | "preference" | "validated_pattern" | "gotcha" | "lesson"
  title?: string
  text: string
  author?: string | null
  at?: string | null
  /** Default: by type. */
  confidence?: number | null
  tags?: string[]
}

/** An error of the session. */
export interface SummaryError {
  text: string
  /** What resolved it; empty while unresolved. */
  resolution?: string
  at?: string | null
}

/** A message of the session. */
export interface SummaryMessage {
  author: "user" | "assistant"
  text: string
  /** Default: now. */
  at?: string | null
}

/** The pinned anchor for the provider's system prompt (Claude): the same bytes on every call of a session. */
export interface SystemText {
  id: string
  text: string
}

/** A memory that changed its tier. */
export interface TierMove {
  id: string
  before: "hot" | "warm" | "cold"
  after: "hot" | "warm" | "cold"
}

/** A step of the agent's task list. */
export interface Todo {
  content: string
  status: "pending" | "in_progress" | "completed"
  activeForm?: string | null
  id?: string | null
  priority?: string | null
}

/** Output of a failed tool call. The stored message parts do not contain it. */
export interface ToolError {
  toolCallId?: string | null
  toolName?: string | null
  text: string
  exitCode?: number | null
}

/** An omitted item and the reason. */
export interface Trimmed {
  item: string
  reason: string
}

/** A part that is missing from the block or shortened. */
export interface TrimmedPart {
  layer: "L0" | "L1" | "L2" | "L3" | "L4" | "memory"
  part: string
  reason: string
}

/** A memory that claims to be the user's word, by author, type or tag, and is not confirmed as it is now. */
export interface UnconfirmedInstruction {
  id: string
  title: string
  /** File path relative to the project folder. */
  path: string
}

/** The user's override of an item: always send it, never send it, or it is wrong. */
export interface UserOverride {
  item: string
  override: "always" | "never" | "wrong"
  why: string
  /** RFC 3339. */
  at: string
}

/** Fill of a context window. The best source wins: reported tokens, then a percentage, then an estimate. */
export interface WindowUsage {
  /** As reported by the provider, with `maxTokens`. */
  usedTokens?: number | null
  /** Size of the window. */
  maxTokens?: number | null
  /** Clamped to 0–100. */
  remainingPercent?: number | null
  /** For an estimate, together with an average and `maxTokens`. */
  promptCount?: number | null
  /** Average tokens of a prompt and its answer. */
  averageTokens?: number | null
  /** A typical prompt with its answer; its tokens are estimated if no average is given. */
  sampleText?: string | null
}

/** A statement of the user that no longer holds since the run. */
export interface Withdrawn {
  id: string
  /** One line. */
  text: string
  /**
   * The memory that replaced it: `memory/undo` with this id lets the statement hold again. Null: the prompt took it back, and `memory/confirm` with `id` lets it hold again.
   */
  replacedBy: string | null
}

/** The workspace of a request. */
export interface WorkspaceParams {
  /** The chat's git worktree, absolute. */
  cwd: string
  /** The original project; default: the repository's main worktree, or `cwd`. */
  projectPath?: string | null
}

/** Every method with its params and result. */
export interface Methods {
  /**
   * Open the state file and start the connection.
   *
   * Must come first: any other request before it fails with -32002.
   *
   * Errors: invalidParams, stateDegraded, invalidRequest, internalError, notInitialized.
   */
  "initialize": { params: InitializeParams; result: InitializeResult }
  /**
   * Answer immediately, whatever else is running.
   *
   * Errors: invalidRequest, invalidParams, internalError, notInitialized.
   */
  "ping": { params: Empty; result: Empty }
  /**
   * Refuse further requests. Running ones are finished; `exit` or the end of stdin ends the process.
   *
   * Errors: invalidRequest, invalidParams, internalError, notInitialized.
   */
  "shutdown": { params: Empty; result: Empty }
  /**
   * Return what goes to the provider before a run: the packs this provider session does not have yet.
   *
   * The prompt passes through byte-identical when the mode is off or passive, when it begins with a slash, for a local
   * model, when nothing is ready at the deadline, when the state cannot be read or written, in a control chat of a
   * rollout, and when there is nothing to send. If `initialize` fails because the state cannot be opened, there is no
   * pre-run, and the host sends the prompt unchanged. With a `system` text, which Claude gets on each call, a call
   * without new blocks is still `inject`. What is sent counts as delivered once `continuity/postRun` confirms that the
   * run reached the provider.
   *
   * Errors: workspaceUnavailable, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "continuity/preRun": { params: PreRunParams; result: PreRunResult }
  /**
   * Show what a run's pre-run sent, or what one would send now, item by item, with the reasons.
   *
   * For a recorded run, this includes what passive mode would have sent, and why a prompt passed through. At most one
   * member is accepted; without one, the newest recorded run of any project is shown. The last 400 pre-runs are
   * recorded, a hypothetical one is not.
   *
   * Errors: notFound, workspaceUnavailable, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "continuity/explain": { params: ExplainParams; result: ExplainResult }
  /**
   * Always send an item: once to each session, and again when it changed.
   *
   * Applies to the project in all its worktrees. At most twelve files are sent, the most recently pinned.
   *
   * Errors: notFound, workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "continuity/pin": { params: PinParams; result: OverridesResult }
  /**
   * Never send an item, or mark its content as wrong.
   *
   * Applies to the project in all its worktrees. A session that has received a wrong statement of the anchor gets a
   * retraction.
   *
   * Errors: notFound, workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "continuity/mute": { params: MuteParams; result: OverridesResult }
  /**
   * Return every setting: its effective value, the layer it comes from, its default and its meaning.
   *
   * Errors: workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "settings/get": { params: SettingsGetParams; result: SettingsGetResult }
  /**
   * Change the global settings, or those of one project, and return all effective settings.
   *
   * A value from the environment still overrides what is set here. Refused are a memory branch that the project's
   * repository uses for something else, and a value for one project of `retention.days` or `cache.*`.
   *
   * Errors: invalidParams, workspaceUnavailable, policyDenied, stateDegraded, busy, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "settings/update": { params: SettingsUpdateParams; result: SettingsGetResult }
  /**
   * Store a finished run: its deliveries, test results, drafts and the pressure on its session.
   *
   * Idempotent by run id. Everything is written in one transaction, so an answered run is never lost.
   *
   * Errors: invalidParams, workspaceUnavailable, stateDegraded, busy, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "continuity/postRun": { params: PostRunParams; result: PostRunResult }
  /**
   * Return each pressure signal of a conversation with its thresholds, the decision, and the last snapshot.
   *
   * Errors: notFound, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "governor/status": { params: GovernorStatusParams; result: GovernorStatusResult }
  /**
   * Request a fresh provider session: the next pre-run starts it, with the carry-over and all packs.
   *
   * A snapshot is stored first, and nothing is removed. A repeated request before that pre-run requests the same
   * session. It works with the setting `rehydrate` off, because the user asks for it; in passive mode nothing could be
   * carried over.
   *
   * Errors: notFound, policyDenied, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "governor/rehydrate": { params: GovernorRehydrateParams; result: GovernorRehydrateResult }
  /**
   * Return the sums of a period: hit rate, bytes per turn against the baseline, latency, value of the packs, cost.
   *
   * Active and passive mode are separate: passive mode shows what its packs would have saved.
   *
   * Errors: workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "metrics/summary": { params: MetricsSummaryParams; result: MetricsSummaryResult }
  /**
   * Return the rollout by share: who takes part, whether it is suspended, and what its experiment shows.
   *
   * Errors: workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "rollout/status": { params: RolloutParams; result: RolloutResult }
  /**
   * End the suspension of a rollout: chats receive packs again according to their arms.
   *
   * The guard looks only at chats and runs that start afterwards.
   *
   * Errors: workspaceUnavailable, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "rollout/resume": { params: RolloutParams; result: RolloutResult }
  /**
   * Return the worktree's state: head, branch, changed files with content hashes, and how the state was verified.
   *
   * Never from a cache alone: `proof` states whether git was asked in full, or a file watch shows that nothing else
   * changed since.
   *
   * Errors: workspaceUnavailable, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "codebase/state": { params: WorkspaceParams; result: CodebaseStateResult }
  /**
   * Index every file that is not indexed yet, with progress; can be cancelled at any time.
   *
   * The progress has the stage (`cache`, then `words` and `analysis`), the files that have passed it and the estimated
   * time left of all stages. A request for files that are being indexed already joins that run. Files indexed before a
   * cancellation stay indexed. Searches work meanwhile with what is there: with the words of contents after the stage
   * `words`, with definitions, imports and purposes after `analysis`.
   *
   * Errors: workspaceUnavailable, cancelled, invalidRequest, invalidParams, internalError, notInitialized, busy, tooLarge.
   */
  "codebase/index": { params: WorkspaceParams; result: CodebaseIndexResult }
  /**
   * Rank the files a text is about, and show the regions of the best ones within a token budget.
   *
   * Each file is scored by itself first: contents, path, definitions and history. Then files related to the best ones
   * are added: changed in the same commits, imported by them, or test and subject of each other. So a result may share
   * no word with the query, but being recent, long or a test alone is not enough. Regions are definitions, windows of
   * long ones and the code between, ranked by the query's words, names, call chains and stack frames. If a query is
   * one name, as `getUserName` or "who calls get_user_name", files with it come first; if any region has it, only such
   * regions and the code that its definition uses are returned. Waits at most two seconds for indexing.
   *
   * Errors: workspaceUnavailable, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "codebase/search": { params: CodebaseSearchParams; result: CodebaseSearchResult }
  /**
   * Return the same figures by day, for each project and provider and for all of them together.
   *
   * Errors: workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "metrics/series": { params: MetricsSeriesParams; result: MetricsSeriesResult }
  /**
   * List a project's artifacts, newest first.
   *
   * Errors: workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "artifact/list": { params: ArtifactListParams; result: ArtifactListResult }
  /**
   * Return an artifact with its text and provenance.
   *
   * Errors: notFound, workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "artifact/get": { params: ArtifactParams; result: ArtifactGetResult }
  /**
   * Change an artifact's title, its body, or both. Later runs add nothing to it.
   *
   * A new title replaces a heading equal to the old one; the first heading of a new body becomes the title. A
   * committed artifact cannot be changed.
   *
   * Errors: notFound, workspaceUnavailable, stateDegraded, policyDenied, conflict, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "artifact/update": { params: ArtifactUpdateParams; result: ArtifactGetResult }
  /**
   * Accept an artifact, so that the project's next sessions receive it. Accepting it again changes nothing.
   *
   * A discarded artifact can still be accepted. A committed one stays committed, and sessions receive it from then on.
   * A rejected approach that work came back to warns sessions again.
   *
   * Errors: notFound, workspaceUnavailable, stateDegraded, policyDenied, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "artifact/accept": { params: ArtifactParams; result: ArtifactGetResult }
  /**
   * Discard an artifact, so that sessions no longer receive it. Discarding it again changes nothing.
   *
   * It can still be accepted. What is already on the memory branch cannot be discarded.
   *
   * Errors: notFound, workspaceUnavailable, stateDegraded, policyDenied, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "artifact/discard": { params: ArtifactParams; result: ArtifactGetResult }
  /**
   * Commit artifacts to the memory branch, the only ref that moves; HEAD, index, worktree and hooks stay untouched.
   *
   * An artifact that is already committed stays as it is. A branch is refused if it is checked out, a remote's default,
   * or one that people work on.
   *
   * Errors: notFound, policyDenied, conflict, workspaceUnavailable, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "artifact/commit": { params: ArtifactCommitParams; result: ArtifactCommitResult }
  /**
   * Return a window's bracket: FRESH from 60 % remaining, MODERATE from 40, DEPLETED from 25, otherwise CRITICAL.
   *
   * Reported tokens win over a percentage, and a percentage over an estimate from prompts × average tokens. With a
   * margin (hysteresis) a roomier bracket than the previous one starts only that far above its bound; a tighter one at
   * once.
   *
   * Errors: workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "context/bracket": { params: ContextBracketParams; result: ContextBracketResult }
  /**
   * Return the `<chati-context>` block for an agent's prompt: the bracket's layers within its token budget.
   *
   * The project's own files are read (constitution, configuration, agents, session, hand-offs; without them its
   * instruction files), and nothing is written. Constitution and mode are in every bracket; memories depend on its
   * level: none when FRESH, except once after a compaction or resume; HOT ones first, then those relevant to the task.
   * The user's standing instructions are in every bracket, for a session that has no anchor. Texts are data: secrets are
   * masked, and none can forge the block's structure.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "context/compose": { params: ContextComposeParams; result: ContextComposeResult }
  /**
   * Save what a session knows before its window is compacted, so that `context/postCompact` continues from there.
   *
   * 1. Capture the session summary: queued run results, the transcript since then, and what the host sends. 2. HOT and
   * WARM memories are files already, so with the summary written, none of them exists only in our state. 3. Store the
   * resume point in our state and, if the project has one, in `.chati/session.yaml`, whose other bytes stay unchanged.
   * The compaction is counted here, and not again afterwards. The call is idempotent, and a repeated call completes one
   * that crashed. Unless the mode is active, nothing is written into the project, and would-be captures are counted as
   * suppressed.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, invalidParams, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "context/preCompact": { params: ContextPreCompactParams; result: ContextPreCompactResult }
  /**
   * Return what a session that was just compacted needs to continue where it stopped, without action by the user.
   *
   * The bracket is FRESH again: the block has all layers and, this once, what `context/preCompact` captured and the HOT
   * memories within the token's reach. Values not sent are those sent to `context/preCompact`. The compaction counts
   * towards a restart, once, whoever reported it. Nothing is written into the project.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, invalidParams, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "context/postCompact": { params: ContextPostCompactParams; result: ContextPostCompactResult }
  /**
   * Count an interaction and return whether a new session should start, with every criterion that is met.
   *
   * The criteria: 3 compactions, a score that fell by more than 15 %, CRITICAL 3 times in a row, or an agent that is
   * done while another waits. If one is met, `.chati/continuation/latest.md` is written in active mode: rules, pipeline,
   * task and progress, pending decisions, shared HOT memories, and private ones of the agent that continues, with its
   * token.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "context/continuation": { params: ContextContinuationParams; result: ContextContinuationResult }
  /**
   * Activate a project's session, or resume it with its agent and progress, as a bare `/chati` does.
   *
   * Writes the managed block into the file that the IDE reads in `cwd`, and returns the agent's token for `memory/*`.
   * It is an explicit request of the user, so it also works in passive mode, which writes no file of its own accord;
   * with `mode` off it is refused. Repeating the call changes nothing and returns another token.
   *
   * Errors: workspaceUnavailable, stateDegraded, busy, policyDenied, conflict, tooLarge, invalidParams, invalidRequest, internalError, notInitialized, cancelled.
   */
  "session/activate": { params: SessionActivateParams; result: SessionActivateResult }
  /**
   * Classify a message of the user, in English, Portuguese, Spanish and French. Nothing is changed.
   *
   * Exit: the host calls `session/exit`. A command goes to the orchestrator, and so does an off-topic message, for which
   * it follows the deviation protocol; neither ends the session. Everything else goes to the agent.
   *
   * Errors: workspaceUnavailable, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "session/route": { params: SessionRouteParams; result: SessionRouteResult }
  /**
   * Return a project's session and every file with its block, also after a restart or the loss of either.
   *
   * Errors: workspaceUnavailable, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "session/status": { params: SessionStatusParams; result: SessionStatusResult }
  /**
   * Exit a project's session. Agent and progress are saved; the block shows `Status: INACTIVE` and how to resume.
   *
   * The session summary is captured as memories: queued run results, what the host sends, the progress. Works always and
   * in every mode: a file that cannot be read or written is a warning. A block whose state was lost is found in the
   * files of all IDEs. An inactive session is not exited again, but its blocks are updated.
   *
   * Errors: workspaceUnavailable, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "session/exit": { params: SessionExitParams; result: SessionExitResult }
  /**
   * Store a memory as a Markdown file below `.chati/memories`, a folder that git ignores.
   *
   * Secrets are masked before anything is written; text between `<private>` tags is never written.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, invalidParams, conflict, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/add": { params: MemoryAddParams; result: MemoryDetail }
  /**
   * Return a memory with its whole text; reading by an agent counts as access, once per provider session.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/get": { params: MemoryGetParams; result: MemoryDetail }
  /**
   * List memories within reach, newest first, page by page.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "memory/list": { params: MemoryListParams; result: MemoryListResult }
  /**
   * Find the memories that answer a question or bear on a task, and explain each score.
   *
   * Needs a `query` or a `task`. A search does not count as access.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, invalidParams, invalidRequest, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "memory/search": { params: MemorySearchParams; result: MemorySearchResult }
  /**
   * Change a memory in its file; comments, unknown keys and everything else the user wrote there stay unchanged.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, conflict, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/update": { params: MemoryUpdateParams; result: MemoryDetail }
  /**
   * Permanently delete a memory: its file, or its section of a group file. The same content is not captured again.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, conflict, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/delete": { params: MemoryDeleteParams; result: MemoryDeleteResult }
  /**
   * Move an archived memory's file back to its original place.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, conflict, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/restore": { params: MemoryIdParams; result: MemoryDetail }
  /**
   * Count the memories within reach by owner, retention and tier, and report the last capture and its drops.
   *
   * Every drop is counted by reason, and so is what active mode would have stored.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "memory/status": { params: MemoryStatusParams; result: MemoryStatusResult }
  /**
   * Rebuild the index and `index.json` from the files, which are the source of truth.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/rebuild": { params: MemoryParams; result: MemoryRebuildResult }
  /**
   * Store from a session: decisions, corrections of the user, resolved errors, proven patterns.
   *
   * Needs `summary`, `text`, or both. Each statement becomes a short entry of the session's file of the day, with
   * author, time and original wording. Known content counts as evidence, content the user deleted stays deleted, junk
   * is dropped and counted.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, invalidParams, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/capture": { params: MemoryCaptureParams; result: MemoryCaptureResult }
  /**
   * Move memories between tiers by their score and archive what expired; everything else stays unchanged.
   *
   * Upkeep runs automatically at most once a day, in active mode. Its result does not depend on how often it runs.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/maintain": { params: MemoryMaintainParams; result: MemoryMaintainResult }
  /**
   * Propose rules from memories within reach with a confidence above 0.9 and at least five observations.
   *
   * An accepted rule that a later statement of the user contradicts is proposed to be dropped.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "memory/proposals": { params: MemoryParams; result: MemoryProposalsResult }
  /**
   * Store the user's decision on a proposal; an accepted one is tagged as validated and made durable.
   *
   * Agents cannot decide: a call with a token is refused. The acceptance and its time are recorded in the memory's file.
   * An accepted shared rule appears in anchors; its text is returned and written to no rule file. Accepting to drop a
   * suspended rule removes its tag; rejecting that makes it a rule again.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, conflict, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/resolveProposal": { params: MemoryResolveProposalParams; result: MemoryResolveProposalResult }
  /**
   * Make a shared memory a standing instruction, as its text is now: new sessions of the project receive it.
   *
   * It becomes durable, and replaces the instructions and accepted rules that it contradicts. One that the user took
   * back is restored first. Editing its file afterwards requires another confirmation. Agents cannot confirm.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, conflict, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/confirm": { params: MemoryConfirmParams; result: ConfirmedInstruction }
  /**
   * Take back what was remembered: the memory `id`, or with `allStandingInstructions` every standing instruction.
   *
   * It is no longer a standing instruction, its memory is deleted, and the same content is not captured again. A
   * statement that it had replaced holds again, and has its confidence back. Agents cannot undo.
   *
   * Errors: workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, conflict, invalidParams, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "memory/undo": { params: MemoryUndoParams; result: MemoryUndoResult }
  /**
   * List a project's entities in the file's order, with warnings about the file.
   *
   * The file is `chati.dev/data/entity-registry.yaml` if it exists, else `.chati/registry.yaml`.
   *
   * Errors: workspaceUnavailable, policyDenied, tooLarge, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled.
   */
  "registry/list": { params: RegistryListParams; result: RegistryListResult }
  /**
   * Return an entity, its dependencies and dependents, and whether its file matches its checksum.
   *
   * Errors: workspaceUnavailable, policyDenied, tooLarge, stateDegraded, notFound, conflict, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled.
   */
  "registry/get": { params: RegistryEntityParams; result: RegistryGetResult }
  /**
   * Return the impact of changing an entity: all direct and transitive dependents, each once.
   *
   * Errors: workspaceUnavailable, policyDenied, tooLarge, stateDegraded, notFound, conflict, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled.
   */
  "registry/impact": { params: RegistryEntityParams; result: RegistryImpactResult }
  /**
   * Decide whether an entity for an intent already exists: REUSE (from 90), ADAPT (from 60) or CREATE.
   *
   * Score: 60 % the intent's words in keywords, name and purpose, weighted by rarity; 40 % in name and purpose, less if
   * the entity covers more than the intent. Scores are compared unrounded. Fewer than two shared words besides a kind's
   * name are no match. An entity's own words (at least two) score 100; a kind's name is one in a name, and for an
   * entity that the registry's file lists as of that kind. A request to create something is decided as the hint of its
   * prompt. Entities whose file is gone are left out. The same registry and intent yield the same answer. The decision
   * is recorded and changes nothing else.
   *
   * Errors: workspaceUnavailable, policyDenied, tooLarge, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled.
   */
  "registry/decide": { params: RegistryDecideParams; result: RegistryDecideResult }
  /**
   * Return a project's last decisions, newest first; a hundred are stored.
   *
   * Errors: workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "registry/decisions": { params: RegistryDecisionsParams; result: RegistryDecisionsResult }
  /**
   * Add an entity to the registry's file or change one; the rest of the file stays byte for byte.
   *
   * Its checksum is that of its current file. An entity derived from code becomes the user's own, and the code no longer
   * changes it.
   *
   * Errors: workspaceUnavailable, policyDenied, tooLarge, conflict, busy, stateDegraded, invalidParams, invalidRequest, internalError, notInitialized, cancelled.
   */
  "registry/put": { params: RegistryPutParams; result: RegistryWriteResult }
  /**
   * Remove an entity from the registry's file and, permanently, from the entities derived from code.
   *
   * The entity's own file stays. `registry/put` with its path and purpose adds it again.
   *
   * Errors: workspaceUnavailable, policyDenied, tooLarge, conflict, busy, stateDegraded, notFound, invalidRequest, invalidParams, internalError, notInitialized, cancelled.
   */
  "registry/remove": { params: RegistryRemoveParams; result: RegistryWriteResult }
  /**
   * Update the registry: checksums of changed files, the count, the date.
   *
   * Missing files and orphaned dependencies are reported, never removed. With `fromCode` it also derives entities from
   * the code of `cwd`: modules, public functions and classes, documented methods, components, templates, scripts, by
   * their names and comments. Only files with new content are read. Derived entities are stored in the state file; an
   * entry of the registry's file for the same thing takes precedence.
   *
   * Errors: workspaceUnavailable, policyDenied, tooLarge, conflict, busy, stateDegraded, cancelled, invalidRequest, invalidParams, internalError, notInitialized.
   */
  "registry/refresh": { params: RegistryRefreshParams; result: RegistryRefreshResult }
  /**
   * Check the registry and its files. Advisory: findings block nothing.
   *
   * The files exist, schemas are JSON, the constitution has its articles, agents have their sections, templates have
   * placeholders, checksums match, dependencies resolve. Each finding names its file and a remedy. With `fix` checksums,
   * count and date are updated first; missing files and orphaned dependencies are only reported.
   *
   * Errors: workspaceUnavailable, policyDenied, tooLarge, conflict, busy, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, cancelled.
   */
  "registry/health": { params: RegistryHealthParams; result: RegistryHealthResult }
  /**
   * Return what a sync would do, operation by operation with reasons. Nothing is written.
   *
   * Errors: syncFailed, workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, invalidParams, cancelled, invalidRequest, internalError, notInitialized, tooLarge.
   */
  "knowledge/plan": { params: KnowledgePlanParams; result: KnowledgePlanResult }
  /**
   * Sync the pointers in memory with the knowledge repository's head. Reports progress and can be cancelled.
   *
   * `incremental` compares what commits changed since the last sync, and falls back to `full` with a warning when that
   * is unknown. A cancelled or failed sync leaves memory unchanged. When only single items fail, all others are synced
   * and the error PARTIAL_FAILURE names the failed ones.
   *
   * Errors: syncFailed, workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, invalidParams, cancelled, invalidRequest, internalError, notInitialized, tooLarge.
   */
  "knowledge/sync": { params: KnowledgeSyncParams; result: KnowledgeSyncResult }
  /**
   * Return how memory compares with the knowledge repository, what failed, and the checkpoints for a rollback.
   *
   * Errors: syncFailed, workspaceUnavailable, policyDenied, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "knowledge/status": { params: KnowledgeParams; result: KnowledgeStatusResult }
  /**
   * List where memory and the knowledge repository disagree, including pointers that no sync wrote.
   *
   * Errors: syncFailed, workspaceUnavailable, policyDenied, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "knowledge/conflicts": { params: KnowledgeParams; result: KnowledgeConflictsResult }
  /**
   * Resolve conflicts, as suggested or as requested. Items without conflicts are not touched.
   *
   * Without `type`, failed items are tried again as well: the named one, or all that are quarantined.
   *
   * Errors: syncFailed, workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, invalidParams, cancelled, invalidRequest, internalError, notInitialized, tooLarge.
   */
  "knowledge/resolve": { params: KnowledgeResolveParams; result: KnowledgeSyncResult }
  /**
   * Return whether a sync is due by the settings (time, sessions, a moved head). Nothing is run.
   *
   * Errors: syncFailed, workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "knowledge/shouldSync": { params: KnowledgeParams; result: KnowledgeShouldSyncResult }
  /**
   * Check settings, repository, state and pointers. Each problem has a hint.
   *
   * Errors: workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "knowledge/doctor": { params: KnowledgeParams; result: KnowledgeDoctorResult }
  /**
   * Return an item's file, its pointers in memory, and what a full sync would do with it and why.
   *
   * Errors: syncFailed, workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, invalidParams, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "knowledge/explain": { params: KnowledgeExplainParams; result: KnowledgeExplainResult }
  /**
   * Restore sync state and pointer files to a checkpoint, undoing that sync and all later ones.
   *
   * Errors: syncFailed, workspaceUnavailable, policyDenied, stateDegraded, busy, notFound, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "knowledge/rollback": { params: KnowledgeRollbackParams; result: KnowledgeRollbackResult }
  /**
   * Run a loop for a change and answer when it has ended; `ralph/iteration` reports its progress.
   *
   * Each iteration is a fresh run of the agent with the same task. The loop ends with the agent's promise, if the checks
   * pass, at a limit, or by `ralph/stop`, a cancellation, or the end of the sidecar: these end the agent too. An agent
   * that cannot be started yields status `failed` with the reason.
   *
   * Errors: invalidParams, policyDenied, workspaceUnavailable, conflict, stateDegraded, busy, cancelled, invalidRequest, internalError, notInitialized, tooLarge.
   */
  "ralph/start": { params: RalphStartParams; result: RalphStartResult }
  /**
   * Stop a change's loop in whatever process it runs; its agent is ended, and the iteration is recorded.
   *
   * An agent that outlived its loop is ended too.
   *
   * Errors: invalidParams, policyDenied, workspaceUnavailable, invalidRequest, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "ralph/stop": { params: RalphChangeParams; result: RalphStopResult }
  /**
   * Return the status of a change's loop: iteration count, the running iteration, and recent outcomes.
   *
   * Errors: invalidParams, policyDenied, workspaceUnavailable, invalidRequest, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "ralph/status": { params: RalphStatusParams; result: RalphStatusResult }
  /**
   * Add context for the agent from the next iteration on, until it is cleared.
   *
   * Errors: invalidParams, policyDenied, workspaceUnavailable, busy, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "ralph/addContext": { params: RalphContextParams; result: RalphContextResult }
  /**
   * Clear the added context.
   *
   * Errors: invalidParams, policyDenied, workspaceUnavailable, busy, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "ralph/clearContext": { params: RalphChangeParams; result: RalphContextResult }
  /**
   * Delete a change's state, history, prompts and outputs; the added context stays. Rejected while its loop runs.
   *
   * An agent that outlived its loop is ended.
   *
   * Errors: invalidParams, policyDenied, workspaceUnavailable, conflict, stateDegraded, invalidRequest, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "ralph/reset": { params: RalphChangeParams; result: RalphResetResult }
  /**
   * Write the measurements to one HTML file, with the assessment of each rollout stage at the top.
   *
   * The file needs no network and contains no prompts and no paths.
   *
   * Errors: workspaceUnavailable, stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "state/report": { params: StateReportParams; result: StateReportResult }
  /**
   * Check the state file beyond SQLite's own checks, and caches, records, settings, indexes, disk and versions.
   *
   * With a project, also check its repository, memory files, registry, knowledge sync, memory branch and the limit of
   * watches, and whether it was moved. Each finding has a remedy.
   * `fix` backs up the state file, repairs what can be repaired, and checks again.
   *
   * Errors: workspaceUnavailable, stateDegraded, busy, invalidRequest, invalidParams, internalError, notInitialized, cancelled, tooLarge.
   */
  "state/doctor": { params: StateDoctorParams; result: StateDoctorResult }
  /**
   * Remove the data of a project, data of some age, or kinds of data; report what was removed and what remains.
   *
   * Needs a project, an age, or kinds. With `dryRun` nothing is removed. It works on a full disk: files go first and
   * make room.
   *
   * Errors: invalidParams, workspaceUnavailable, notFound, stateDegraded, busy, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "state/purge": { params: StatePurgeParams; result: StatePurgeResult }
  /**
   * Return the processes that use the state folder, the mode, each project's figures, the latest runs and sizes.
   *
   * Errors: stateDegraded, invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "state/status": { params: Empty; result: StateStatusResult }
  /**
   * Run a hook of Claude Code or Codex CLI and return what it prints.
   *
   * UserPromptSubmit returns what the session does not have yet, like `continuity/preRun`, in at most 10,000 characters.
   * Stop records the run from the session file, like `continuity/postRun`. PreCompact, and the SessionStart after it,
   * continue the session across a compaction. PostToolUse reports changed files. The output is empty in a session whose
   * host injects the packs itself, and in any mode but active.
   *
   * Errors: invalidParams, policyDenied, workspaceUnavailable, stateDegraded, busy, invalidRequest, internalError, notInitialized, cancelled, tooLarge.
   */
  "hook/run": { params: HookRunParams; result: HookRunResult }
  /**
   * Return the OpenRPC document of this sidecar: every method, notification, schema and error.
   *
   * Errors: invalidRequest, invalidParams, internalError, notInitialized, busy, cancelled, tooLarge.
   */
  "rpc.discover": { params: Empty; result: DiscoverResult }
}

/** Every notification the client sends, with its params. */
export interface ClientNotifications {
  /** End the process, with status 0 after `shutdown`, else with 1. */
  "exit": Empty
  /** Cancel a request in flight; its only response is the error -32800. */
  "$/cancelRequest": CancelParams
  /**
   * Index changed files and rebuild packs before the next pre-run needs them.
   *
   * A burst of hints causes one rebuild; a state that already has its packs causes none. The hint proves nothing.
   */
  "continuity/repoChanged": RepoChangedParams
  /**
   * Record what happened to a provider session outside a run.
   *
   * After reset, forked, rolledBack, compacted and deleted the session counts as unknown and receives the full packs
   * again, except that a compacted or rolled back Claude session retains its system text. modeChanged changes nothing.
   * Deleting a sub-chat, or one of its sessions by id, also deletes its runs, including a run that ends later;
   * artifacts, memories and metric totals remain.
   */
  "continuity/sessionEvent": SessionEventParams
}

/** Every notification the client receives, with its params. */
export interface Notifications {
  /** The progress of a job. */
  "$/progress": ProgressParams
  /**
   * An automatic sync started or ended.
   *
   * It is a job like `knowledge/sync`: `$/progress` and `$/cancelRequest` name its `id`. A sync that a client cancelled
   * sends nothing further.
   */
  "knowledge/autoSync": KnowledgeSyncNotice
  /** An iteration has started, paused or finished. */
  "ralph/iteration": RalphIterationNotice
  /** A piece of the agent's output. */
  "ralph/output": RalphOutputNotice
}
