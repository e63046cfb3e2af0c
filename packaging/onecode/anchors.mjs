/**
 * Where the integration's calls go in 1Code: each anchor is found in the syntax tree, never by line or by text. An
 * anchor returns the edits of its place, `{ start, end, text }`, or nothing if its place does not exist once.
 */

/** Versions of the app that the anchors were tried on. */
export const TRIED_VERSIONS = ["0.0.72"]

const ROUTERS = "src/main/lib/trpc/routers"
const CHAT = "src/renderer/features/agents"

/** The anchors of the app's files, in the order of their names. `places` is how often the anchor is expected. */
export function anchors(ts) {
  const tree = queries(ts)
  return {
    [`${ROUTERS}/claude.ts`]: claude(tree),
    [`${ROUTERS}/codex.ts`]: codex(tree),
    [`${ROUTERS}/index.ts`]: {
      import: (file) => tree.importing(file, 'import { continuityRouter } from "./continuity"'),
      router: (file) =>
        tree.only(file, (node) => tree.isCall(node, "router") && tree.within(node, "createAppRouter"), (node) =>
          tree.intoObject(file, node.arguments[0], "continuity: continuityRouter,"),
        ),
    },
    [`${ROUTERS}/chats.ts`]: {
      import: (file) => tree.importing(file, 'import { forgetDeleted } from "../../continuity/forgetDeleted"'),
      deletedChat: (file) => tree.firstIn(file, tree.mutation(file, "delete"), "forgetDeleted({ chatId: input.id })"),
      deletedSubChat: (file) =>
        tree.firstIn(file, tree.mutation(file, "deleteSubChat"), "forgetDeleted({ subChatId: input.id })"),
    },
    "src/main/index.ts": {
      import: (file) => tree.importing(file, 'import { startContinuity } from "./lib/continuity"'),
      whenReady: (file) =>
        tree.only(file, (node) => tree.isCall(node, "then") && tree.isCall(node.expression.expression, "whenReady"), (node) =>
          tree.lastIn(file, node.arguments[0]?.body, "startContinuity()"),
        ),
    },
    "src/main/lib/auto-updater.ts": {
      import: (file) => tree.importing(file, 'import { expectUpdate, stopContinuity } from "./continuity"'),
      installNow: (file) =>
        tree.only(file, (node) => tree.isCall(node, "quitAndInstall"), (node) => [
          { start: node.getStart(), end: node.getStart(), text: "void stopContinuity().then(() => " },
          { start: node.getEnd(), end: node.getEnd(), text: ")" },
        ]),
      installOnQuit: (file) =>
        tree.only(file, (node) => tree.isCall(node, "on") && tree.isText(node.arguments[0], "update-downloaded"), (node) =>
          tree.firstIn(file, node.arguments[1]?.body, "expectUpdate()"),
        ),
    },
    "src/renderer/lib/atoms/index.ts": {
      settingsTab: (file) =>
        tree.only(file, (node) => ts.isTypeAliasDeclaration(node) && node.name.text === "SettingsTab", (node) => [
          { start: node.type.getEnd(), end: node.type.getEnd(), text: `${file.newLine}  | "continuity"` },
        ]),
    },
    "src/renderer/features/settings/settings-sidebar.tsx": {
      tab: (file) =>
        tree.declares(file, "BrainFilledIcon") &&
        tree.only(file, tree.variableNamed("MAIN_TABS"), (node) =>
          tree.intoArray(file, node.initializer, [
            "{",
            '  id: "continuity" as SettingsTab,',
            '  label: "Continuity",',
            "  icon: BrainFilledIcon,",
            "}",
          ]),
        ),
    },
    "src/renderer/features/settings/settings-content.tsx": {
      import: (file) =>
        tree.importing(file, 'import { ContinuityTab } from "../../components/dialogs/settings-tabs/continuity-tab"'),
      page: (file) =>
        tree.only(file, (node) => ts.isCaseClause(node) && tree.isText(node.expression, "beta"), (node) =>
          tree.after(file, node, ['case "continuity":', "  return <ContinuityTab />"]),
        ),
    },
    [`${CHAT}/ui/agent-message-usage.tsx`]: {
      import: (file) => tree.importing(file, 'import { ContinuityUsage } from "./continuity-notes"'),
      line: (file) =>
        tree.only(file, (node) => tree.isElement(node, "className", "space-y-1.5 pb-2"), (node) =>
          tree.lastChild(file, node, "<ContinuityUsage metadata={metadata} />"),
        ),
    },
    [`${CHAT}/main/assistant-message-item.tsx`]: {
      import: (file) =>
        tree.importing(file, 'import { ContinuityNotice, ContinuityRemembered } from "../ui/continuity-notes"'),
      notice: (file) =>
        tree.declares(file, "msgMetadata") &&
        tree.only(file, (node) => tree.isElement(node, "data-assistant-message-id"), (node) =>
          tree.firstChild(file, node, "<ContinuityNotice metadata={msgMetadata} />"),
        ),
      remembered: (file) =>
        tree.only(file, (node) => tree.isElement(node, "data-assistant-message-id"), (node) =>
          tree.lastChild(
            file,
            node,
            "<ContinuityRemembered metadata={msgMetadata} isLatest={isLastMessage && !isStreaming} />",
          ),
        ),
    },
    "package.json": {
      download: (file) =>
        tree.only(file, (node) => ts.isPropertyAssignment(node) && tree.isText(node.name, "codex:download:all"), (node) =>
          tree.after(file, node, [
            '"continuity:download": "node scripts/download-continuity-sidecar.mjs",',
            '"continuity:download:all": "node scripts/download-continuity-sidecar.mjs --all",',
          ]),
        ),
    },
  }
}

const CLAUDE_NAMES = [
  ...["input", "abortController", "activeSessions", "existingMessages", "resumeAtUuid", "shouldForkResume"],
  ...["forkResumeAtUuid", "isUsingOllama", "isolatedConfigDir", "finalPrompt", "prompt", "resumeSessionId"],
]

// Both routers declare the run after a variable of theirs, and pass on every chunk that they emit.
function runVariable(tree, inChat, before, type) {
  return {
    variable: (file) =>
      tree.only(file, inChat(tree.variableNamed(before)), (node) =>
        tree.after(file, tree.statement(node), `let continuityRun: ${type} | null = null`),
      ),
    chunks: (file) =>
      tree.only(file, inChat(tree.variableNamed("safeEmit")), (node) =>
        tree.firstIn(file, node.initializer?.body, `passChunk(continuityRun, ${tree.parameter(node.initializer)})`),
      ),
  }
}

function claude(tree) {
  const inChat = (test) => (node) => test(node) && tree.within(node, "chat")
  return {
    import: (file) =>
      tree.importing(file, [
        'import { beginRun, passChunk, passMessage } from "../../continuity"',
        'import type { ClaudeRun } from "../../continuity"',
      ]),
    ...runVariable(tree, inChat, "isObservableActive", "ClaudeRun"),
    begin: (file) =>
      CLAUDE_NAMES.every((name) => tree.declares(file, name)) &&
      tree.only(file, inChat(tree.variableNamed("resumeSessionId")), (node) =>
        tree.after(file, tree.statement(node), [
          "const continuity = (continuityRun = await beginRun({",
          '  provider: "claude",',
          "  subChatId: input.subChatId,",
          "  chatId: input.chatId,",
          "  mode: input.mode,",
          "  cwd: input.cwd,",
          "  projectPath: input.projectPath,",
          "  typedPrompt: input.prompt,",
          "  prompt: finalPrompt,",
          "  images: (input.images ?? []).map((image) => ({",
          '    type: "image",',
          '    source: { type: "base64", media_type: image.mediaType, data: image.base64Data },',
          "  })),",
          "  messages: existingMessages,",
          "  isLocalModel: isUsingOllama,",
          "  model: input.model,",
          "  sessionId: resumeSessionId,",
          "  rollbackTo: resumeAtUuid,",
          "  forkAt: shouldForkResume ? forkResumeAtUuid : null,",
          "  transcriptFolder: isolatedConfigDir,",
          "  signal: abortController.signal,",
          "  isCurrent: () => (activeSessions.get(input.subChatId) ?? abortController) === abortController,",
          "}))",
          "prompt = continuity.prompt",
        ]),
      ),
    systemPrompt: (file) =>
      tree.only(file, inChat(tree.property("systemPrompt", "systemPromptConfig")), (node) =>
        tree.replace(node.initializer, "continuity.systemPrompt(systemPromptConfig.append)"),
      ),
    environment: (file) =>
      tree.only(file, inChat(tree.property("env", "finalEnv")), (node) =>
        tree.replace(node.initializer, "{ ...finalEnv, ...continuity.environment }"),
      ),
    resumed: (file) =>
      tree.only(file, inChat(tree.spreadIf("resumeSessionId")), (node) =>
        tree.replace(node.expression, "continuity.sessionOptions"),
      ),
    continued: (file) =>
      tree.only(file, inChat(tree.spreadIf("!resumeSessionId")), (node) => tree.withoutElement(file, node)),
    messages: (file) =>
      tree.only(file, inChat((node) => tree.isAwaitedLoop(node, "stream")), (node) =>
        tree.firstIn(file, node.statement, `continuity.observe(${tree.loopVariable(node)})`),
      ),
    stored: (file) =>
      tree.times(file, 2, inChat(tree.variableNamed("assistantMessage")), (node) =>
        tree.after(file, tree.statement(node), "passMessage(continuity, assistantMessage)"),
      ),
    end: (file) =>
      tree.only(file, inChat((node) => tree.isFinally(node, "activeSessions.delete")), (node) =>
        tree.firstIn(file, node, "continuityRun?.end()"),
      ),
  }
}

const CODEX_NAMES = [
  ...["input", "abortController", "existingMessages", "isAuthoritativeRun", "metadataModel"],
  ...["providerSessions", "mcpSnapshot"],
  ...["getAuthFingerprint", "getLastSessionId", "buildModelMessageContent", "cleanupProvider"],
]

function codex(tree) {
  const inChat = (test) => (node) => test(node) && tree.within(node, "chat")
  const newProvider = (node) => tree.isCall(node, "getOrCreateProvider")
  return {
    import: (file) =>
      tree.importing(file, [
        'import { agentEnvironment, beginRun, passChunk, passMessage } from "../../continuity"',
        'import type { CodexRun } from "../../continuity"',
      ]),
    environment: (file) =>
      tree.only(file, (node) => tree.property("env", "buildCodexProviderEnv(params.authConfig)")(node), (node) =>
        tree.replace(node.initializer, "{ ...buildCodexProviderEnv(params.authConfig), ...agentEnvironment() }"),
      ),
    ...runVariable(tree, inChat, "isActive", "CodexRun"),
    begin: (file) =>
      CODEX_NAMES.every((name) => tree.declares(file, name)) &&
      tree.only(file, inChat(newProvider), (node) =>
        tree.before(file, tree.statement(node), [
          "const inMemory = providerSessions.get(input.subChatId)",
          "const reusesProvider =",
          "  inMemory !== undefined &&",
          "  inMemory.cwd === input.cwd &&",
          "  inMemory.mcpFingerprint === mcpSnapshot.fingerprint &&",
          "  inMemory.authFingerprint === getAuthFingerprint(input.authConfig)",
          "const storedSessionId = input.authConfig?.apiKey?.trim()",
          "  ? undefined",
          "  : input.sessionId ?? getLastSessionId(existingMessages)",
          "const sessionInMemory = reusesProvider ? inMemory.provider.getSessionId() : null",
          "const continuity = (continuityRun = await beginRun({",
          '  provider: "codex",',
          "  runId: input.runId,",
          "  subChatId: input.subChatId,",
          "  chatId: input.chatId,",
          "  mode: input.mode,",
          "  cwd: input.cwd,",
          "  projectPath: input.projectPath,",
          "  typedPrompt: input.prompt,",
          "  prompt: input.prompt,",
          '  files: buildModelMessageContent("", input.images).slice(1),',
          "  messages: existingMessages,",
          "  model: metadataModel,",
          "  sessionId: input.forceNewSession ? undefined : sessionInMemory ?? storedSessionId,",
          "  signal: abortController.signal,",
          "  isCurrent: isAuthoritativeRun,",
          "}))",
          "if (continuity.startsFresh) cleanupProvider(input.subChatId)",
        ]),
      ),
    session: (file) =>
      tree.only(file, inChat(newProvider), (node) =>
        tree.replace(tree.member(node.arguments[0], "existingSessionId")?.initializer, "continuity.sessionId"),
      ),
    prompt: (file) =>
      tree.only(file, inChat(tree.property("content", "buildModelMessageContent(input.prompt, input.images)")), (node) =>
        tree.replace(node.initializer, "continuity.parts as any[]"),
      ),
    stored: (file) =>
      tree.only(file, inChat(tree.variableNamed("cleanedResponseMessage")), (node) =>
        tree.after(file, tree.statement(node), "passMessage(continuity, cleanedResponseMessage)"),
      ),
    end: (file) =>
      tree.only(file, inChat((node) => tree.isFinally(node, "activeStreams.delete")), (node) =>
        tree.firstIn(file, node, "continuityRun?.end()"),
      ),
  }
}

/** Queries on a syntax tree, and the edits at what they find; an edit's lines get the indentation of their place. */
function queries(ts) {
  const text = (node) => node.getText().replace(/\s+/g, " ")
  const lines = (given) => (Array.isArray(given) ? given : [given])
  const visit = (node, test, found) => {
    if (test(node)) found.push(node)
    ts.forEachChild(node, (child) => void visit(child, test, found))
    return found
  }
  const indentation = (file, position) => {
    const start = file.source.text.lastIndexOf("\n", position - 1) + 1
    return /^[ \t]*/.exec(file.source.text.slice(start))[0]
  }
  const joined = (file, given, indent) => lines(given).map((line) => indent + line).join(file.newLine)
  const times = (file, count, test, edit) => {
    const found = visit(file.source, test, [])
    if (found.length !== count) return null
    const edits = found.map(edit)
    return edits.every(Boolean) ? edits.flat() : null
  }
  const named = (node, name) =>
    ts.isIdentifier(node) ? node.text === name : ts.isPropertyAccessExpression(node) && node.name.text === name
  const enclosing = (node, test) => {
    for (let current = node; current; current = current.parent) if (test(current)) return current
    return null
  }
  const insert = (position, inserted) => [{ start: position, end: position, text: inserted }]
  const self = {
    times,
    only: (file, test, edit) => times(file, 1, test, edit),
    isCall: (node, name) => ts.isCallExpression(node) && named(node.expression, name),
    isText: (node, value) => node !== undefined && ts.isStringLiteralLike(node) && node.text === value,
    isElement: (node, attribute, value) =>
      ts.isJsxElement(node) &&
      node.openingElement.attributes.properties.some(
        (property) =>
          ts.isJsxAttribute(property) &&
          property.name.getText() === attribute &&
          (value === undefined || self.isText(property.initializer, value)),
      ),
    isAwaitedLoop: (node, over) =>
      ts.isForOfStatement(node) && node.awaitModifier !== undefined && text(node.expression) === over,
    isFinally: (node, call) =>
      ts.isBlock(node) &&
      ts.isTryStatement(node.parent) &&
      node.parent.finallyBlock === node &&
      visit(node, (inner) => ts.isCallExpression(inner) && text(inner.expression) === call, []).length > 0,
    loopVariable: (node) => node.initializer.declarations[0].name.getText(),
    parameter: (node) => node?.parameters?.[0]?.name.getText() ?? "",
    variableNamed: (name) => (node) => ts.isVariableDeclaration(node) && named(node.name, name),
    property: (name, value) => (node) =>
      ts.isPropertyAssignment(node) && named(node.name, name) && text(node.initializer) === value,
    spreadIf: (condition) => (node) =>
      ts.isSpreadAssignment(node) && text(node.expression).startsWith(`(${condition} && `),
    /** Whether a node is inside a function, a variable or a member of that name. */
    within: (node, name) => enclosing(node.parent, (outer) => outer.name !== undefined && named(outer.name, name)) !== null,
    declares: (file, name) =>
      visit(file.source, (node) => node.name !== undefined && named(node.name, name) && !ts.isPropertyAccessExpression(node), [])
        .length > 0,
    statement: (node) => enclosing(node, ts.isStatement),
    member: (node, name) => node?.properties?.find((property) => property.name && named(property.name, name)),
    /** The function body of a router's mutation. */
    mutation: (file, name) => {
      const found = visit(file.source, (node) => ts.isPropertyAssignment(node) && named(node.name, name), [])
      const call = found.length === 1 ? found[0].initializer : null
      return call && self.isCall(call, "mutation") ? call.arguments[0]?.body : null
    },
    replace: (node, replacement) => (node ? [{ start: node.getStart(), end: node.getEnd(), text: replacement }] : null),
    /** Remove an element of a list with its comma and the comment before it. */
    withoutElement: (file, node) => {
      const comma = /^\s*,/.exec(file.source.text.slice(node.getEnd()))
      return comma ? [{ start: node.getFullStart(), end: node.getEnd() + comma[0].length, text: "" }] : null
    },
    importing: (file, given) => {
      const last = file.source.statements.filter(ts.isImportDeclaration).at(-1)
      return last ? insert(last.getEnd(), file.newLine + joined(file, given, "")) : null
    },
    before: (file, node, given) => {
      const indent = indentation(file, node.getStart())
      return insert(node.getStart(), `${joined(file, given, indent).trimStart()}${file.newLine}${indent}`)
    },
    after: (file, node, given) => {
      const comma = ts.isPropertyAssignment(node) ? /^,/.exec(file.source.text.slice(node.getEnd())) : [""]
      if (!comma) return null
      return insert(node.getEnd() + comma[0].length, file.newLine + joined(file, given, indentation(file, node.getStart())))
    },
    firstIn: (file, block, given) => {
      if (!block || !ts.isBlock(block)) return null
      return insert(block.getStart() + 1, file.newLine + joined(file, given, `${indentation(file, block.getEnd() - 1)}  `))
    },
    lastIn: (file, block, given) => {
      if (!block || !ts.isBlock(block)) return null
      const indent = indentation(file, block.getEnd() - 1)
      return insert(block.getEnd() - 1, `  ${joined(file, given, `${indent}  `).trimStart()}${file.newLine}${indent}`)
    },
    intoObject: (file, node, given) => {
      if (!node || !ts.isObjectLiteralExpression(node)) return null
      return insert(node.getStart() + 1, file.newLine + joined(file, given, `${indentation(file, node.getEnd() - 1)}  `))
    },
    intoArray: (file, node, given) => {
      const last = node && ts.isArrayLiteralExpression(node) ? node.elements.at(-1) : undefined
      if (!last) return null
      return insert(last.getEnd(), `,${file.newLine}${joined(file, given, `${indentation(file, node.getEnd() - 1)}  `)}`)
    },
    firstChild: (file, node, given) => {
      const indent = `${indentation(file, node.getStart())}  `
      return insert(node.openingElement.getEnd(), file.newLine + joined(file, given, indent))
    },
    lastChild: (file, node, given) => {
      const indent = indentation(file, node.closingElement.getStart())
      return insert(node.closingElement.getStart(), `  ${joined(file, given, "")}${file.newLine}${indent}`)
    },
  }
  return self
}
