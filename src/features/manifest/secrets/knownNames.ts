import type { KnownNames } from '../model/environment/envProblems.ts';

/** Returns the names that references can have. The environment is that of the extension host. */
export function knownNames(
  secrets: ReadonlySet<string>,
  environment: Readonly<Record<string, string | undefined>>,
  platform: string,
): KnownNames {
  const ignoreCase = platform === 'win32';
  const variables = Object.keys(environment).map((name) => (ignoreCase ? name.toUpperCase() : name));
  return { secrets, variables: new Set(variables), ignoreCase };
}
