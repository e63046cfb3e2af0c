import { BrainFilledIcon } from "../../../components/ui/icons"

export function AgentMessageUsage({ metadata }: { metadata?: { model?: string } }) {
  return (
    <aside>
      <div className="space-y-1.5 pb-2">
        <span>{BrainFilledIcon}</span>
      </div>
    </aside>
  )
}
