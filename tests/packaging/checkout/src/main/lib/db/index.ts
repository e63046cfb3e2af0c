export const chats: any = {}
export const subChats: any = {}
export const getDatabase = (): any => null
