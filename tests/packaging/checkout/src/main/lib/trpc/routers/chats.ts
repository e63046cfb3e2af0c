import { getDatabase } from "../../db"
import { publicProcedure, router } from "../index"

export const chatsRouter = router({
  delete: publicProcedure.mutation(async ({ input }: { input: { id: string } }) => {
    return getDatabase().remove(input.id)
  }),
  deleteSubChat: publicProcedure.mutation(({ input }: { input: { id: string } }) => {
    return getDatabase().removeSubChat(input.id)
  }),
})
