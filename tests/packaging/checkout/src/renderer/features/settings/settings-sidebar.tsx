import { BrainFilledIcon, FlaskFilledIcon } from "../../components/ui/icons"
import type { SettingsTab } from "../../lib/atoms"

const MAIN_TABS = [
  { id: "profile" as SettingsTab, label: "You", icon: BrainFilledIcon },
  { id: "beta" as SettingsTab, label: "New", icon: FlaskFilledIcon },
]

export const Sidebar = () => <nav>{MAIN_TABS.map(({ label }) => label)}</nav>
