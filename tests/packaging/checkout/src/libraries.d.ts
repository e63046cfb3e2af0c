// The libraries of a small app, as far as it uses them.
declare module "electron" {
  export const app: {
    isPackaged: boolean
    whenReady(): Promise<void>
    quit(): void
    getVersion(): string
    getAppPath(): string
    getPath(name: string): string
    on(event: string, listener: (event: { preventDefault(): void }) => unknown): void
  }
  export const shell: { openPath(path: string): Promise<string> }
}
declare module "electron-updater" {
  export const autoUpdater: {
    on(event: string, listener: (info: unknown) => void): void
    quitAndInstall(isSilent: boolean, runAfter: boolean): void
  }
}
declare module "drizzle-orm" {
  export function eq(column: unknown, value: unknown): unknown
}
declare module "zod" {
  export const z: any
  export namespace z {
    type infer<_> = { cwd: string; projectPath?: string | null }
  }
}
declare namespace NodeJS {
  interface Process {
    resourcesPath: string
  }
}
