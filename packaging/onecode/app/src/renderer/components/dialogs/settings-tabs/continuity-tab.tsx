import { useAtomValue } from "jotai"
import { useState } from "react"
import type { ReactNode } from "react"

import { CONTINUITY_TEXTS as TEXTS } from "../../../../shared/continuity-texts"
import { selectedAgentChatIdAtom, selectedProjectAtom } from "../../../features/agents/atoms"
import { trpc } from "../../../lib/trpc"
import { Button } from "../../ui/button"
import { Select, SelectContent, SelectItem, SelectTrigger, SelectValue } from "../../ui/select"
import { Switch } from "../../ui/switch"

type Choices = Readonly<Record<string, string>>

/** A setting as the sidecar reports it; one that the environment sets cannot be changed here. */
interface Setting {
  name: string
  value: unknown
  source: string
}

const NO_CHOICE = "none"

const SWITCHES = ["snapshot", "rehydrate", "notes"] as const

/** The settings page: mode, size, capabilities, what was sent, the report, what is remembered. */
export function ContinuityTab() {
  const utils = trpc.useUtils()
  const refresh = () => void utils.continuity.invalidate()
  const { data: status } = trpc.continuity.status.useQuery()
  const setEnabled = trpc.continuity.setEnabled.useMutation({ onSettled: refresh })
  const update = trpc.continuity.update.useMutation({ onSettled: refresh })
  const openReport = trpc.continuity.openReport.useMutation()
  const reset = trpc.continuity.reset.useMutation({ onSettled: refresh })
  if (!status) return null

  const setting = (name: string) => status.settings.find((one: Setting) => one.name === name)
  const isRunning = status.enabled && status.settings.length > 0
  return (
    <div className="p-6 space-y-6">
      <div className="flex flex-col space-y-1.5">
        <h3 className="text-sm font-semibold text-foreground">{TEXTS.title}</h3>
        <p className="text-xs text-muted-foreground">{status.isInstalled ? TEXTS.subtitle : TEXTS.missing}</p>
      </div>
      <div className="bg-background rounded-lg border border-border overflow-hidden divide-y divide-border">
        <Row label={TEXTS.enable} hint={TEXTS.enableHint}>
          <Switch
            checked={status.enabled}
            disabled={!status.isInstalled}
            onCheckedChange={(enabled) => setEnabled.mutate({ enabled })}
          />
        </Row>
        {isRunning && (
          <>
            <Choice
              label={TEXTS.mode}
              hint={TEXTS.modeHint}
              choices={TEXTS.modes}
              setting={setting("mode")}
              onChoose={(mode) => update.mutate({ settings: { mode: mode as keyof typeof TEXTS.modes } })}
            />
            <ChatChoice />
            <Choice
              label={TEXTS.tokenMode}
              hint={TEXTS.tokenModeHint}
              choices={TEXTS.tokenModes}
              setting={setting("tokenMode")}
              onChoose={(mode) => update.mutate({ settings: { tokenMode: mode as keyof typeof TEXTS.tokenModes } })}
            />
            {SWITCHES.map((name) => (
              <Row key={name} label={TEXTS[name]} hint={hintOf(setting(name))}>
                <Switch
                  checked={setting(name)?.value === true}
                  disabled={isLocked(setting(name))}
                  onCheckedChange={(value) => update.mutate({ settings: { [name]: value } })}
                />
              </Row>
            ))}
            <Row label={TEXTS.memoryBranch} hint={hintOf(setting("artifactPolicy"))}>
              <Switch
                checked={setting("artifactPolicy")?.value === "auto-write-memory-branch"}
                disabled={isLocked(setting("artifactPolicy"))}
                onCheckedChange={(commits) =>
                  update.mutate({
                    settings: { artifactPolicy: commits ? "auto-write-memory-branch" : "auto-write-manual-commit" },
                  })
                }
              />
            </Row>
          </>
        )}
      </div>
      {status.enabled && status.state === "off" && (
        <div className="flex items-center gap-2 text-xs text-muted-foreground">
          <span>{TEXTS.stopped}</span>
          <Button size="sm" variant="outline" onClick={() => reset.mutate()}>
            {TEXTS.retry}
          </Button>
        </div>
      )}
      {isRunning && (
        <>
          <ProjectSection />
          <Button size="sm" variant="outline" onClick={() => openReport.mutate()}>
            {TEXTS.report}
          </Button>
        </>
      )}
    </div>
  )
}

/** The user's choice for the selected chat, which wins over the mode. */
function ChatChoice() {
  const chatId = useAtomValue(selectedAgentChatIdAtom)
  const utils = trpc.useUtils()
  const { data: chosen } = trpc.continuity.chatMode.useQuery({ chatId: chatId ?? "" }, { enabled: chatId !== null })
  const set = trpc.continuity.setChatMode.useMutation({ onSettled: () => void utils.continuity.chatMode.invalidate() })
  if (chatId === null || chosen === undefined) return null
  return (
    <Choice
      label={TEXTS.chat}
      hint={TEXTS.chatHint}
      choices={{ [NO_CHOICE]: TEXTS.noChoice, ...TEXTS.modes }}
      setting={{ name: "chat", value: chosen ?? NO_CHOICE, source: "chat" }}
      onChoose={(mode) => set.mutate({ chatId, mode: mode === NO_CHOICE ? null : (mode as keyof typeof TEXTS.modes) })}
    />
  )
}

/** What belongs to the selected project: the latest packs, and what is remembered. */
function ProjectSection() {
  const project = useAtomValue(selectedProjectAtom)
  return project ? <Project name={project.name} path={project.path} /> : null
}

function Project({ name, path }: { name: string; path: string }) {
  const [isShown, setShown] = useState(false)
  const utils = trpc.useUtils()
  const place = { cwd: path, projectPath: path }
  const { data: sent } = trpc.continuity.sent.useQuery({ projectPath: path }, { enabled: isShown })
  const { data: memory } = trpc.continuity.memory.useQuery(place)
  const changed = { onSettled: () => void utils.continuity.memory.invalidate() }
  const confirm = trpc.continuity.confirm.useMutation(changed)
  const undo = trpc.continuity.undo.useMutation(changed)
  return (
    <div className="space-y-4">
      <div className="flex items-center justify-between gap-4">
        <h3 className="text-sm font-semibold text-foreground">{TEXTS.project(name)}</h3>
        <Button size="sm" variant="outline" onClick={() => setShown(!isShown)}>
          {TEXTS.sent}
        </Button>
      </div>
      {isShown && sent === null && <p className="text-xs text-muted-foreground">{TEXTS.nothingRecorded}</p>}
      {isShown && sent && (
        <div className="space-y-1 text-xs">
          {sent.items.length === 0 && <p className="text-muted-foreground">{TEXTS.nothingSent(sent.reason)}</p>}
          {sent.items.map(({ item, bytes, disposition, why }) => (
            <div key={item}>
              <span className="font-mono text-foreground break-all">{item}</span>{" "}
              <span className="text-muted-foreground">
                {disposition}, {bytes} B: {why}
              </span>
            </div>
          ))}
          {[sent.system, ...sent.blocks].map(
            (block, index) =>
              block && (
                <pre key={index} className="p-2 max-h-80 overflow-auto whitespace-pre-wrap break-words rounded bg-muted/50 text-foreground">
                  {block.text}
                </pre>
              ),
          )}
        </div>
      )}
      {memory && memory.standing.length > 0 && (
        <Entries title={TEXTS.standing}>
          {memory.standing.map(({ id, text }) => (
            <Entry key={id} text={text} action={TEXTS.undo} onClick={() => undo.mutate({ ...place, id })} />
          ))}
        </Entries>
      )}
      {memory && memory.unconfirmed.length > 0 && (
        <Entries title={TEXTS.waiting}>
          {memory.unconfirmed.map(({ id, title }) => (
            <Entry key={id} text={title} action={TEXTS.confirm} onClick={() => confirm.mutate({ ...place, id })} />
          ))}
        </Entries>
      )}
    </div>
  )
}

function Entries({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="space-y-1">
      <h4 className="text-xs font-medium text-foreground">{title}</h4>
      {children}
    </div>
  )
}

function Entry({ text, action, onClick }: { text: string; action: string; onClick: () => void }) {
  return (
    <div className="flex items-baseline justify-between gap-4 text-xs text-muted-foreground">
      <span>{text}</span>
      <button className="underline hover:text-foreground" onClick={onClick}>
        {action}
      </button>
    </div>
  )
}

function Row({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-4 p-4">
      <div className="flex flex-col space-y-1">
        <span className="text-sm font-medium text-foreground">{label}</span>
        {hint && <span className="text-xs text-muted-foreground">{hint}</span>}
      </div>
      {children}
    </div>
  )
}

function Choice(props: {
  label: string
  hint: string
  choices: Choices
  setting: Setting | undefined
  onChoose: (value: string) => void
}) {
  const { label, hint, choices, setting, onChoose } = props
  return (
    <Row label={label} hint={hintOf(setting) ?? hint}>
      <Select value={String(setting?.value ?? "")} disabled={isLocked(setting)} onValueChange={onChoose}>
        <SelectTrigger className="w-40 shrink-0">
          <SelectValue />
        </SelectTrigger>
        <SelectContent>
          {Object.entries(choices).map(([value, text]) => (
            <SelectItem key={value} value={value}>
              {text}
            </SelectItem>
          ))}
        </SelectContent>
      </Select>
    </Row>
  )
}

function isLocked(setting: Setting | undefined): boolean {
  return setting === undefined || setting.source === "environment"
}

function hintOf(setting: Setting | undefined): string | undefined {
  return setting?.source === "environment" ? TEXTS.locked : undefined
}
