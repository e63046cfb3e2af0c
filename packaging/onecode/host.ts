import { execFileSync } from "node:child_process"
import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

import { metadataOf } from "../../rpc_schema/typescript"
import type { Continuity, PreRunOutcome } from "../../rpc_schema/typescript"
import { PlayedClaude, PlayedCodex } from "./agents"
import type { Work } from "./agents"
import type { Chat } from "./chat"
import { promptClaude } from "./claude"
import { promptCodex } from "./codex"
import { open } from "./lifetime"

const USAGE = `node host.js --program PROGRAM --repo REPOSITORY [--texts]

Plays a chat with Claude and one with Codex on a clone of a repository, and shows what goes to each.`

/** A person reads before the next prompt; the sidecar uses that time to have its packs ready. */
const READING_MS = 500

const INDEX_MS = 120_000

/** A new sub-chat, as the app makes one in a worktree. */
export function newChat(provider: Chat["provider"], cwd: string, subChatId: string = provider): Chat {
  const place = { subChatId, chatId: "chat-1", provider, mode: "agent", cwd, projectPath: cwd } as const
  return { ...place, sessionId: null, forksNext: false, facts: {}, runId: null, messages: [] }
}

async function main(): Promise<void> {
  const options = { program: { type: "string" }, repo: { type: "string" }, texts: { type: "boolean" } } as const
  const { program, repo, texts = false } = parseArgs({ options }).values
  if (!program || !repo) throw new Error(USAGE)
  const work = mkdtempSync(join(tmpdir(), "onecode-host-"))
  const continuity = open({ program, userData: work, version: "0.0.0", settings: { mode: "active" } })
  try {
    const cwd = join(work, "worktree")
    execFileSync("git", ["clone", "--quiet", "--", repo, cwd])
    // The app asks for it when it makes a worktree; it goes on while the user types, and no chat waits for it.
    await continuity.client.request("codebase/index", { cwd }, { timeoutMs: INDEX_MS })
    await play(continuity, cwd, texts)
  } finally {
    await continuity.client.stop()
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Six prompts to each agent: a task, an edit, a command, a run after it, passive mode, off. */
async function play(continuity: Continuity, cwd: string, texts: boolean): Promise<void> {
  const path = someSource(cwd)
  const editing: Work = (prompt) => {
    if (!prompt.startsWith("Change")) return {}
    appendFileSync(join(cwd, path), "\n")
    const input = { file_path: join(cwd, path) }
    return { parts: [{ type: "tool-Edit", toolCallId: "edit-1", toolName: "Edit", state: "result", input, output: {} }] }
  }
  const [claude, codex] = [new PlayedClaude(editing), new PlayedCodex(editing)]
  const chats = { claude: newChat("claude", cwd), codex: newChat("codex", cwd) }
  const { signal } = new AbortController()
  for (const [number, prompt] of prompts(path).entries()) {
    const mode = prompt.startsWith("Passive") ? "passive" : prompt.startsWith("Off") ? "off" : "active"
    await continuity.client.request("settings/update", { settings: { mode } })
    const toClaude = { runId: `claude-run-${number}`, prompt }
    const before = await promptClaude(continuity, chats.claude, toClaude, claude.ask, signal)
    const query = claude.queries.at(-1)
    tell("claude", prompt, before, [`append: ${query?.append ?? ""}`, ...said(query?.content)], texts)
    const toCodex = { runId: `codex-run-${number}`, prompt }
    const asked = await promptCodex(continuity, chats.codex, toCodex, codex.ask, signal)
    tell("codex", prompt, asked, said(codex.prompts.at(-1)?.parts), texts)
    await new Promise((resolve) => setTimeout(resolve, READING_MS))
  }
}

function prompts(path: string): string[] {
  return [
    `What is @[file:local:${path}] for, and who uses it?`,
    `Change @[file:local:${path}] so that it ends with an empty line.`,
    "/compact",
    `Go on with ${path}: what is left to do?`,
    "Passive: the same again, please.",
    "Off: and once more.",
  ]
}

/** A file of the repository's main language: the extension that most of its files have. */
function someSource(cwd: string): string {
  const paths = execFileSync("git", ["ls-files"], { cwd, encoding: "utf8" }).split("\n")
  const sources = paths.filter((path) => /\.(py|tsx?|jsx?|go|rs|java|rb|cs?|cpp)$/.test(path))
  const path = sources[Math.floor(sources.length / 2)]
  if (!path) throw new Error("The repository has no source file that the sample knows by its name.")
  return path
}

function said(parts: readonly object[] = []): string[] {
  return parts.map((part) => ("text" in part ? String(part.text) : JSON.stringify(part)))
}

function tell(agent: string, prompt: string, before: PreRunOutcome, sent: readonly string[], texts: boolean): void {
  console.log(`\n${agent}  ${verdict(before)}  ${prompt}`)
  for (const text of sent) console.log(texts ? text : `  ${String(Buffer.byteLength(text)).padStart(6)} B  ${line(text)}`)
  console.log(`  stored: ${JSON.stringify(metadataOf(before.result))}`)
}

function verdict(before: PreRunOutcome): string {
  if (before.kind === "failedOpen") return `failed open: ${before.why}`
  const { action, reason, metadata } = before.result
  return `${reason ?? action}${metadata.partial ? " (in part)" : ""}, ${Math.round(metadata.elapsedMs)} ms`
}

function line(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 96)
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  })
}
