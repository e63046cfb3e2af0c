import type { SettingsTab } from "../../lib/atoms"

export function SettingsContent({ tab }: { tab: SettingsTab }) {
  switch (tab) {
    case "beta":
      return <p>New</p>
    default:
      return null
  }
}
