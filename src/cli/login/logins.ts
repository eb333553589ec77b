import type { Connection } from '../../client/connection.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import { KeyringError, systemKeyring } from './keyring.ts';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import * as z from 'zod';

/* The logins of the command line. The file contains no keys. */

const Login = z.strictObject({
  name: z.string().min(1),
  baseUrl: z.string(),
  restUrl: z.string(),
  queueUrl: z.string(),
  endpointHost: z.string(),
  teamId: z.string().optional(),
});
/** A platform that the user has signed in to. */
type Login = z.infer<typeof Login>;

/** The last login is the default. */
const Logins = z.strictObject({ logins: z.array(Login) });

/** Returns the folder of the program: in `%APPDATA%`, `$XDG_CONFIG_HOME`, or `~/.config`. The variables count only with absolute paths. */
export function programFolder({ APPDATA: appData, XDG_CONFIG_HOME: config }: NodeJS.ProcessEnv): string {
  const set = process.platform === 'win32' ? appData : config;
  const folder = set !== undefined && path.isAbsolute(set) ? set : path.join(homedir(), '.config');
  return path.join(folder, 'cloud-compute');
}

const loginFile = (environment: NodeJS.ProcessEnv): string => path.join(programFolder(environment), 'logins.json');

/** Reads the logins, the last one at the end. @throws CannotRunError if the file is invalid */
export async function readLogins(environment: NodeJS.ProcessEnv): Promise<readonly Login[]> {
  const file = loginFile(environment);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    return Logins.parse(JSON.parse(text)).logins;
  } catch {
    throw new CannotRunError(`${file} is not a list of logins; remove it, and sign in again`);
  }
}

/** Replaces the logins in one step, so that an interruption leaves the earlier ones. */
export async function writeLogins(environment: NodeJS.ProcessEnv, logins: readonly Login[]): Promise<void> {
  const file = loginFile(environment);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  await writeFile(next, `${JSON.stringify({ logins }, undefined, 2)}\n`, { mode: 0o600 });
  await rename(next, file);
}

/** Returns the login with this name, or the last one. Undefined: there is no login. @throws CannotRunError */
export async function findLogin(
  name: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly name: string; readonly connection: Connection } | undefined> {
  const logins = await readLogins(environment);
  const login = name === undefined ? logins.at(-1) : logins.find((one) => one.name === name);
  if (!login) {
    if (name === undefined) return undefined;
    const names = ['local', ...logins.map((one) => one.name)].join(', ');
    throw new CannotRunError(`there is no login ${name}; the connections are ${names}`);
  }
  const { name: found, ...addresses } = login;
  return { name: found, connection: { ...addresses, apiKey: await keyOf(login) } };
}

async function keyOf({ name }: Login): Promise<string> {
  const key = await withKeyring((keyring) => keyring.get(name));
  if (key === undefined) throw new CannotRunError(`the keyring has no key for ${name}; sign in again`);
  return key;
}

/** @throws CannotRunError with the remedy if the keyring cannot be used */
export async function withKeyring<Result>(
  use: (keyring: ReturnType<typeof systemKeyring>) => Promise<Result>,
): Promise<Result> {
  const keyring = systemKeyring();
  try {
    return await use(keyring);
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error;
    const reason =
      error.code === 'missing'
        ? `the keyring of this system needs the program ${keyring.program}`
        : `the keyring of this system cannot be used: ${error.message}`;
    throw new CannotRunError(`${reason}; without a keyring, use environment variables (see cloud-compute --help)`);
  }
}
