export const manifestJsonSchema = () => ({});
