/** Name of an environment that is always one of production. */
export const PRODUCTION = 'production';

/** Name of the local platform as the connection of an environment. */
export const LOCAL_CONNECTION = 'local';

export function isEnvironmentName(text: string): boolean {
  return /^[a-z0-9-]{1,32}$/.test(text);
}
