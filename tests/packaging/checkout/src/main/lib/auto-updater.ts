import { autoUpdater } from "electron-updater"

export function watchUpdates() {
  autoUpdater.on("update-downloaded", (info) => {
    console.log(info)
  })
}

export function installNow() {
  setTimeout(() => {
    autoUpdater.quitAndInstall(false, true)
  }, 100)
}
