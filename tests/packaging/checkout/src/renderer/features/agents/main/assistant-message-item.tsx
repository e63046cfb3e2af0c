import { AgentMessageUsage } from "../ui/agent-message-usage"

export function AssistantMessageItem({ message, isLastMessage, isStreaming }: any) {
  const msgMetadata = message?.metadata
  return (
    <article data-assistant-message-id={message.id} className="answer">
      <p>{message.text}</p>
      {isLastMessage && !isStreaming && <AgentMessageUsage metadata={msgMetadata} />}
    </article>
  )
}
