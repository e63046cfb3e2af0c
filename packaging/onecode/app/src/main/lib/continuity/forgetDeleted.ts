import { eq } from "drizzle-orm"

import { chats, getDatabase, subChats } from "../db"
import { forgetSubChats } from "."
import { chatMode, storeChatMode } from "./userChoices"

/** Forgets a chat or a sub-chat that the user deletes; call it before its rows are deleted. It never throws. */
export function forgetDeleted(which: { chatId: string } | { subChatId: string }): void {
  try {
    const db = getDatabase()
    if ("chatId" in which && chatMode(which.chatId) !== null) storeChatMode(which.chatId, null)
    const condition = "chatId" in which ? eq(subChats.chatId, which.chatId) : eq(subChats.id, which.subChatId)
    for (const row of db.select().from(subChats).where(condition).all()) {
      const chat = db.select().from(chats).where(eq(chats.id, row.chatId)).get()
      forgetSubChats([row.id], chat?.worktreePath)
    }
  } catch (error) {
    console.warn("[continuity] a deleted chat was not forgotten:", error)
  }
}
