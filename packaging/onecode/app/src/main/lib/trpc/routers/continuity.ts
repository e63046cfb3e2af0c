import { shell } from "electron"
import { z } from "zod"

import { continuity, installedProgram, recentRun, switchContinuity } from "../../continuity"
import { chatMode, isEnabled, storeChatMode, storeEnabled } from "../../continuity/userChoices"
import { publicProcedure, router } from "../index"

const mode = z.enum(["off", "passive", "active"])

const place = z.object({ cwd: z.string(), projectPath: z.string().nullish() })

const settings = z
  .object({
    mode,
    tokenMode: z.enum(["low", "normal", "debug"]),
    snapshot: z.boolean(),
    rehydrate: z.boolean(),
    notes: z.boolean(),
    artifactPolicy: z.enum(["auto-write-manual-commit", "auto-write-memory-branch"]),
  })
  .partial()
  .strict()

function sidecar() {
  const current = continuity()
  if (!current) throw new Error("Continuity is switched off or not installed.")
  return current
}

async function memoryOf(input: z.infer<typeof place>) {
  const found = await continuity()?.client.request("memory/status", input).catch(() => null)
  return { standing: found?.standingInstructions ?? [], unconfirmed: found?.unconfirmed ?? [] }
}

export const continuityRouter = router({
  /** What the settings page shows first; while continuity is off it starts nothing. */
  status: publicProcedure.query(async () => {
    const isInstalled = installedProgram() !== null
    const enabled = isEnabled()
    const client = continuity()?.client
    if (!enabled || !client) return { isInstalled, enabled, state: "off" as const, version: null, settings: [] }
    const values = await client.request("settings/get", {}).catch(() => null)
    const { state, server } = client
    return { isInstalled, enabled, state, version: server?.serverInfo.version ?? null, settings: values?.settings ?? [] }
  }),

  setEnabled: publicProcedure.input(z.object({ enabled: z.boolean() })).mutation(async ({ input }) => {
    storeEnabled(input.enabled)
    await switchContinuity()
  }),

  update: publicProcedure.input(z.object({ settings })).mutation(async ({ input }) => {
    await sidecar().client.request("settings/update", { settings: input.settings })
  }),

  /** The user's choice for one chat; null without one. */
  chatMode: publicProcedure.input(z.object({ chatId: z.string() })).query(({ input }) => chatMode(input.chatId)),

  setChatMode: publicProcedure
    .input(z.object({ chatId: z.string(), mode: mode.nullable() }))
    .mutation(({ input }) => storeChatMode(input.chatId, input.mode)),

  /** What the latest run of a project, or a certain run, was sent. */
  sent: publicProcedure
    .input(z.object({ runId: z.string().optional(), projectPath: z.string().optional() }))
    .query(({ input }) => sidecar().client.request("continuity/explain", input).catch(() => null)),

  openReport: publicProcedure.mutation(async () => {
    const { path } = await sidecar().client.request("state/report", {})
    const problem = await shell.openPath(path)
    if (problem) throw new Error(problem)
  }),

  /** What a run left; it waits until the run is stored. Null for a run of an earlier start of the app. */
  run: publicProcedure.input(z.object({ runId: z.string() })).query(async ({ input }) => {
    const run = recentRun(input.runId)
    if (!run) return null
    const { remembered, withdrawn } = await run.ended
    const known = remembered.length > 0 ? await memoryOf(run.place) : null
    return { remembered, withdrawn, waiting: known?.unconfirmed.length ?? 0, place: run.place }
  }),

  /** The standing instructions, and what waits for the user's confirmation. */
  memory: publicProcedure.input(place).query(({ input }) => memoryOf(input)),

  confirm: publicProcedure.input(place.extend({ id: z.string() })).mutation(async ({ input }) => {
    await sidecar().client.request("memory/confirm", input)
  }),

  undo: publicProcedure.input(place.extend({ id: z.string() })).mutation(async ({ input }) => {
    await sidecar().client.request("memory/undo", input)
  }),

  /** The user's "try again" after continuity switched itself off. */
  reset: publicProcedure.mutation(() => sidecar().reset()),
})
