import * as l10n from '@vscode/l10n';
import type { ResolveContext } from './endpointLookup.ts';

/* Variables such as `{{$guid}}`, whose values the editor generates. */

export interface SystemVariable {
  readonly name: string;
  readonly description: string;
}

/** The system variables, with the descriptions that completion and hover show. */
export const SYSTEM_VARIABLES: readonly SystemVariable[] = [
  { name: '$guid', description: l10n.t('A random UUID.') },
  { name: '$uuid', description: l10n.t('A random UUID.') },
  { name: '$timestamp', description: l10n.t('The time in seconds since January 1, 1970, UTC.') },
  { name: '$isoTimestamp', description: l10n.t('The time in the format of ISO 8601, in UTC.') },
  {
    name: '$randomInt',
    description: l10n.t(
      'A random integer from 0 to 999. With two integers, from the first one up to, but not including, the second one.',
    ),
  },
];

export const SYSTEM_NAMES: readonly string[] = SYSTEM_VARIABLES.map(({ name }) => name);

/** Variables of the REST Client and JetBrains editors that read the environment or files with secrets. */
const ENVIRONMENT = /^\$(?:processEnv|dotenv|env\b)/;

export type SystemValue =
  { readonly value: string } | { readonly code: 'environmentVariable' | 'unknownSystemVariable' | 'invalidArguments' };

/** Returns the value of a system variable. @param content text between the braces, such as `$randomInt 1 10` */
export function systemValue(content: string, { now, random }: Pick<ResolveContext, 'now' | 'random'>): SystemValue {
  const [name = '', ...args] = content.split(/\s+/);
  if (ENVIRONMENT.test(name)) return { code: 'environmentVariable' };
  if (!SYSTEM_NAMES.includes(name)) return { code: 'unknownSystemVariable' };
  if (name === '$randomInt') return randomInteger(args, random);
  if (args.length > 0) return { code: 'unknownSystemVariable' };
  if (name === '$timestamp') return { value: String(Math.floor(now / 1000)) };
  if (name === '$isoTimestamp') return { value: new Date(now).toISOString() };
  return { value: uuid(random) };
}

function randomInteger(args: readonly string[], random: () => number): SystemValue {
  if (args.length !== 0 && (args.length !== 2 || !args.every((one) => /^-?\d{1,15}$/.test(one))))
    return { code: 'invalidArguments' };
  const [from = 0, to = 1000] = args.map(Number);
  return from < to ? { value: String(from + Math.floor(random() * (to - from))) } : { code: 'invalidArguments' };
}

/** Returns a UUID of version 4. */
function uuid(random: () => number): string {
  const digit = (values: number, first = 0) => (first + Math.floor(random() * values)).toString(16);
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replaceAll(/[xy]/g, (sign) => (sign === 'x' ? digit(16) : digit(4, 8)));
}
