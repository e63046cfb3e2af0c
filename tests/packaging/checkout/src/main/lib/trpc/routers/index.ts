import { router } from "../index"
import { chatsRouter } from "./chats"
import { claudeRouter } from "./claude"
import { codexRouter } from "./codex"

export function createAppRouter() {
  return router({
    chats: chatsRouter,
    claude: claudeRouter,
    codex: codexRouter,
  })
}
