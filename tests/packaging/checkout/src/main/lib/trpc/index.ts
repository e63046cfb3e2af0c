export const router = <T>(routes: T): T => routes
export const publicProcedure: any = null
