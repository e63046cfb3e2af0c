export const BrainFilledIcon: any = null
export const FlaskFilledIcon: any = null
