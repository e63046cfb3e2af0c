import { app } from "electron"
import { watchUpdates } from "./lib/auto-updater"

app.whenReady().then(async () => {
  watchUpdates()
})
