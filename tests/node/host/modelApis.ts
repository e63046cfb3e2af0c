import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What a model answers to one request; without one it says "Done.". */
export interface Answer {
  text?: string
  /** A tool that it calls; the request with the tool's result gets the next answer. */
  tool?: { name: string; input: object }
  /** The API refuses the request. */
  refusal?: { status: number; type: string; message: string }
  /** The answer begins, or does not even begin, and never ends. */
  hangs?: "before" | "after the first words"
  inputTokens?: number
}

interface Fields {
  readonly [key: string]: unknown
}

/** A request that a model's API got. */
export interface ApiRequest {
  readonly body: Fields
  /** The body as it was sent. */
  readonly text: string
}

const MAX_REQUEST = 32 * 1024 * 1024
const MAX_IMAGE = 5 * 1024 * 1024
const MAX_TEXT = 10 * 1024 * 1024
const MAX_CACHED_BLOCKS = 4
const MAX_CONTENT_BLOCKS = 100_000

/**
 * A model's API on this machine, which refuses what the real one refuses. The agent's real program talks to it; the
 * answers are scripted.
 */
export abstract class ModelApi {
  readonly requests: ApiRequest[] = []
  /** What the real API would have refused. */
  readonly problems: string[] = []
  readonly answers: Answer[] = []
  private readonly server: Server
  private readonly waiting: (() => void)[] = []

  constructor(private readonly path: string) {
    this.server = createServer((request, response) => void this.serve(request, response))
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.closeAllConnections()
    this.server.close()
  }

  /** Settles when the next request arrives. */
  nextRequest(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  /** Whether a request is the agent's own, beside the conversation. */
  protected isSide(_: Fields): boolean {
    return false
  }

  protected abstract problemsOf(body: Fields): string[]
  protected abstract answer(response: ServerResponse, body: Fields, answer: Answer): void
  protected abstract begin(response: ServerResponse, body: Fields): void
  protected abstract refuse(response: ServerResponse, refusal: NonNullable<Answer["refusal"]>): void

  protected event(response: ServerResponse, type: string, fields: object): void {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString("utf8")
    if (request.method !== "POST" || new URL(request.url ?? "/", "http://api").pathname !== this.path) {
      response.writeHead(404, { "content-type": "application/json" }).end("{}")
      return
    }
    const body = JSON.parse(text) as Fields
    if (this.isSide(body)) return this.answer(response, body, {})
    this.requests.push({ body, text })
    for (const resolve of this.waiting.splice(0)) resolve()
    const problems = this.problemsOf(body)
    if (Buffer.byteLength(text) > MAX_REQUEST) problems.push("request_too_large")
    const answer = this.answers.shift() ?? {}
    if (problems.length > 0) {
      this.problems.push(...problems)
      this.refuse(response, { status: 400, type: "invalid_request_error", message: problems.join("; ") })
    } else if (answer.refusal) {
      this.refuse(response, answer.refusal)
    } else if (answer.hangs !== "before") {
      if (answer.hangs) this.begin(response, body)
      else this.answer(response, body, answer)
    }
  }
}

/** The messages API, as strict as the real one about roles, blank blocks, cache marks, tools and sizes. */
export class MessagesApi extends ModelApi {
  constructor() {
    super("/v1/messages")
  }

  /** Claude Code asks a small model, for example for the files that the repository's commits change most. */
  protected override isSide(body: Fields): boolean {
    return list(body.tools).length === 0
  }

  protected problemsOf(body: Fields): string[] {
    const problems: string[] = []
    for (const key of ["model", "max_tokens", "messages"]) if (!(key in body)) problems.push(`${key}: Field required`)
    const messages = list(body.messages)
    if (messages.length === 0) problems.push("messages: at least one message is required")
    messages.forEach((message, index) => problems.push(...this.problemsOfMessage(message, index, messages)))
    const system = typeof body.system === "string" ? [] : list(body.system)
    system.forEach((block, index) => problems.push(...blankText(block, `system.${index}`)))
    const content = messages.flatMap((message) => list(message.content))
    const cached = [...system, ...list(body.tools), ...content].filter((block) => "cache_control" in block)
    if (cached.length > MAX_CACHED_BLOCKS) problems.push(`A maximum of 4 blocks with cache_control may be provided`)
    return problems
  }

  private problemsOfMessage(message: Fields, index: number, messages: readonly Fields[]): string[] {
    const place = `messages.${index}`
    const expected = index % 2 === 0 ? "user" : "assistant"
    const problems: string[] = []
    if (message.role !== expected) problems.push(`${place}: roles must alternate, expected ${expected}`)
    if (typeof message.content === "string") {
      if (message.content.trim() === "") problems.push(`${place}: text content must be non-empty`)
      return problems
    }
    const blocks = list(message.content)
    if (blocks.length === 0) problems.push(`${place}: all messages must have non-empty content`)
    if (blocks.length > MAX_CONTENT_BLOCKS) problems.push(`${place}: too many blocks`)
    const results = new Set(list(messages[index + 1]?.content).map((block) => block.tool_use_id))
    const uses = new Set(list(messages[index - 1]?.content).map((block) => block.id))
    blocks.forEach((block, number) => {
      const where = `${place}.content.${number}`
      problems.push(...blankText(block, where))
      if (block.type === "image") problems.push(...problemsOfImage(block.source as Fields, where))
      if (block.type === "tool_use" && !results.has(block.id)) problems.push(`${where}: tool_use without tool_result`)
      if (block.type === "tool_result" && !uses.has(block.tool_use_id)) problems.push(`${where}: unexpected tool_use_id`)
    })
    return problems
  }

  protected answer(response: ServerResponse, body: Fields, { text = "Done.", tool, inputTokens }: Answer): void {
    this.begin(response, body, inputTokens)
    this.event(response, "content_block_delta", { index: 0, delta: { type: "text_delta", text } })
    this.event(response, "content_block_stop", { index: 0 })
    if (tool) {
      const use = { type: "tool_use", id: `toolu_${this.requests.length}`, name: tool.name, input: {} }
      const delta = { type: "input_json_delta", partial_json: JSON.stringify(tool.input) }
      this.event(response, "content_block_start", { index: 1, content_block: use })
      this.event(response, "content_block_delta", { index: 1, delta })
      this.event(response, "content_block_stop", { index: 1 })
    }
    const delta = { stop_reason: tool ? "tool_use" : "end_turn", stop_sequence: null }
    this.event(response, "message_delta", { delta, usage: { output_tokens: 3 } })
    this.event(response, "message_stop", {})
    response.end()
  }

  protected begin(response: ServerResponse, body: Fields, inputTokens = 10): void {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const usage = { input_tokens: inputTokens, output_tokens: 1 }
    const message = { id: `msg_${this.requests.length}`, type: "message", role: "assistant", content: [] }
    this.event(response, "message_start", { message: { ...message, model: body.model, stop_reason: null, usage } })
    this.event(response, "content_block_start", { index: 0, content_block: { type: "text", text: "" } })
    this.event(response, "content_block_delta", { index: 0, delta: { type: "text_delta", text: "I " } })
  }

  protected refuse(response: ServerResponse, { status, type, message }: NonNullable<Answer["refusal"]>): void {
    response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" })
    response.end(JSON.stringify({ type: "error", error: { type, message } }))
  }
}

/** The responses API, likewise. */
export class ResponsesApi extends ModelApi {
  constructor() {
    super("/v1/responses")
  }

  protected problemsOf(body: Fields): string[] {
    const problems: string[] = []
    for (const key of ["model", "input"]) if (!(key in body)) problems.push(`Missing required parameter: '${key}'`)
    const items = list(body.input)
    const outputs = new Set(items.filter((item) => item.type === "function_call_output").map((item) => item.call_id))
    items.forEach((item, index) => {
      const place = `input[${index}]`
      if (item.type === "function_call" && !outputs.has(item.call_id)) problems.push(`${place}: no tool output found`)
      if (item.type !== "message") return
      const kinds = item.role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"]
      const content = list(item.content)
      if (content.length === 0) problems.push(`${place}.content: expected at least one part`)
      for (const part of content) {
        if (!kinds.includes(String(part.type))) problems.push(`${place}.content: invalid value '${String(part.type)}'`)
        if (typeof part.text === "string" && part.text.length > MAX_TEXT) problems.push(`${place}: string too long`)
      }
    })
    return problems
  }

  protected answer(response: ServerResponse, _: Fields, { text = "Done.", tool, inputTokens = 100 }: Answer): void {
    this.begin(response)
    const id = `resp_${this.requests.length}`
    const content = [{ type: "output_text", text }]
    const item = { type: "message", role: "assistant", id: `m_${this.requests.length}`, content }
    this.event(response, "response.output_text.delta", { output_index: 0, content_index: 0, item_id: item.id, delta: text })
    this.event(response, "response.output_item.done", { output_index: 0, item })
    if (tool) {
      const call = { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, name: tool.name }
      const done = { ...call, arguments: JSON.stringify(tool.input) }
      this.event(response, "response.output_item.done", { output_index: 1, item: done })
    }
    const input = { input_tokens: inputTokens, input_tokens_details: { cached_tokens: 0 } }
    const output = { output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: inputTokens + 5 }
    this.event(response, "response.completed", { response: { id, usage: { ...input, ...output } } })
    response.end()
  }

  protected begin(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const item = { type: "message", role: "assistant", id: `m_${this.requests.length}`, content: [] }
    this.event(response, "response.created", { response: { id: `resp_${this.requests.length}` } })
    this.event(response, "response.output_item.added", { output_index: 0, item })
    this.event(response, "response.output_text.delta", { output_index: 0, content_index: 0, item_id: item.id, delta: "I " })
  }

  protected refuse(response: ServerResponse, { status, type, message }: NonNullable<Answer["refusal"]>): void {
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify({ error: { type, message, code: null } }))
  }
}

function blankText(block: Fields, where: string): string[] {
  if (block.type !== "text" || String(block.text).trim() !== "") return []
  if ("cache_control" in block) return [`${where}: cache_control cannot be set for empty text blocks`]
  return [`${where}: text content blocks must contain non-whitespace text`]
}

function problemsOfImage(source: Fields, where: string): string[] {
  const data = String(source.data)
  const problems: string[] = []
  if (!/^image\/(png|jpeg|gif|webp)$/.test(String(source.media_type))) problems.push(`${where}: media_type is not allowed`)
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) problems.push(`${where}: invalid base64 data`)
  if (data.length > MAX_IMAGE) problems.push(`${where}: image exceeds 5 MB maximum`)
  return problems
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : []
}
