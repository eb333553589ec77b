import { homedir } from 'node:os';
import path from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { DATA_DIRECTORY_VARIABLE } from '../../contract/launch/dataDirectoryVariable.ts';

/* Options and help that several commands share. */

/** Parses a value that must not be empty. */
export function notEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('It needs a value.');
  return text;
}

/** Returns a parser of whole numbers from `min` to `max`. */
export function whole(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : NaN;
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return number;
  };
}

const MAX_LIMIT_S = 604_800;

/** Parses a time limit in seconds. @returns ms */
export function limit(text: string): number {
  return 1_000 * whole(1, MAX_LIMIT_S)(text);
}

export const json = () => new Option('--json', 'print the result as JSON');
export const beforeBuild = () =>
  new Option('--before-build', 'assume that build --push will build and push the images of x-build');
export const yes = () => new Option('--yes', 'do not ask');

const DEFAULT_DATA_DIRECTORY = path.join(homedir(), '.cloud-compute');

/** Absolute path of the data directory of the local platform. */
export const dataDirectory = () =>
  new Option('--data-dir <dir>', 'data directory of the local platform')
    .env(DATA_DIRECTORY_VARIABLE)
    .argParser((text) => path.resolve(notEmpty(text)))
    .default(DEFAULT_DATA_DIRECTORY, '~/.cloud-compute');

/** Returns the data directory of a command that has no option for it. */
export function ownDataDirectory(environment: NodeJS.ProcessEnv): string {
  const given = environment[DATA_DIRECTORY_VARIABLE] ?? '';
  return given === '' ? DEFAULT_DATA_DIRECTORY : path.resolve(given);
}

export const connection = () =>
  new Option(
    '--connection <name>',
    'platform to use: local, or the name of a login (default: that of the environment variables, the last login, or local)',
  ).argParser(notEmpty);

export const environment = () =>
  new Option(
    '--environment <name>',
    'environment of the manifests (x-environments), which also names the platform (required if a manifest has environments)',
  ).argParser(notEmpty);

/** Exit codes of each command, with their meanings. */
const exits = new WeakMap<object, readonly ExitCode[]>();
export type ExitCode = readonly [code: string, meaning: string];

/** Exit codes of all commands. */
const COMMON_EXITS: readonly ExitCode[] = [
  ['64', 'The arguments are invalid.'],
  ['129, 130, 143', 'SIGHUP, SIGINT, or SIGTERM interrupted the program.'],
];

/** Documents the own exit codes of a command, and adds them to its help. */
export function documentExits<Documented extends { addHelpText(position: 'after', text: string): unknown }>(
  command: Documented,
  codes: readonly ExitCode[],
): Documented {
  exits.set(command, codes);
  const lines = [...codes, ...COMMON_EXITS].map(([code, meaning]) => `  ${code.padEnd(15)}${meaning}`);
  command.addHelpText('after', `\nExit codes:\n${lines.join('\n')}`);
  return command;
}

export function exitsOf(command: object): readonly ExitCode[] {
  return exits.get(command) ?? [];
}
