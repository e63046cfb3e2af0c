export type SettingsTab =
  | "profile"
  | "beta"
