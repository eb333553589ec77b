import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import path from 'node:path';
import { badFlag, type Flags } from './flags.ts';
import { isLoopback } from '../http/loopback.ts';
import { DATA_DIRECTORY } from '../../contract/launch/localPlatform.ts';
import { newToken } from '../ids.ts';
import { PRIVATE_FILE } from '../secrets/privateFiles.ts';
import { StartFailure } from '../startFailure.ts';

/* Sources of the owner's key. Other programs of the same user can read command lines and environments. */

const KEY_VARIABLE = 'CLOUD_COMPUTE_API_KEY';

const STANDARD_INPUT = '-';
/** Minimum length of a key on a platform that other machines can reach. Shorter keys can be guessed over a network. */
const MIN_OPEN_KEY_LENGTH = 16;
const MAX_KEY_LENGTH = 1_000;
/** Text that an HTTP header carries unchanged. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

type KeyFlags = Pick<Flags, 'apiKey' | 'apiKeyFile' | 'host'> & Partial<Pick<Flags, 'metricsAddress'>>;

/**
 * Reads the owner's key; undefined if none was given.
 *
 * @param env environment; the key's variable is removed from it, so that later child processes do not inherit the key
 * @param input standard input, read up to the end of its first line
 * @throws StartFailure badFlag
 */
export async function readOwnerKey(
  { apiKey, apiKeyFile, host, metricsAddress }: KeyFlags,
  env: NodeJS.ProcessEnv,
  input: () => Readable,
): Promise<string | undefined> {
  const open = { host, 'metrics-address': metricsAddress?.host };
  const variable = env[KEY_VARIABLE];
  Reflect.deleteProperty(env, KEY_VARIABLE);
  if (apiKeyFile === STANDARD_INPUT) {
    const line = await firstLine(input());
    if (line === undefined) throw badFlag('--api-key-file -: standard input ended before its first line');
    return line === '' ? undefined : checked(line, 'the first line of standard input', open);
  }
  if (apiKeyFile !== undefined) return checked(await keyIn(apiKeyFile), apiKeyFile, open);
  if (apiKey !== undefined) return checked(apiKey, '--api-key', open);
  return variable === undefined || variable === '' ? undefined : checked(variable, KEY_VARIABLE, open);
}

async function keyIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw badFlag(`--api-key-file ${file} cannot be read: ${(error as Error).message}`);
  });
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw badFlag(`--api-key-file ${file} is empty`);
  return line;
}

/** Addresses that the platform listens on, by their flags. */
type OpenHosts = Readonly<Record<'host' | 'metrics-address', string | undefined>>;

/** @param origin name of the key's source for messages, which never contain the key itself */
function checked(key: string, origin: string, open: OpenHosts): string {
  if (!KEY.test(key) || key.length > MAX_KEY_LENGTH) {
    throw badFlag(
      `${origin} must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters, without leading or trailing spaces`,
    );
  }
  for (const [flag, host] of Object.entries(open)) {
    if (host === undefined || isLoopback(host) || key.length >= MIN_OPEN_KEY_LENGTH) continue;
    throw badFlag(
      `--${flag} ${host} lets other machines connect: the key needs at least ${MIN_OPEN_KEY_LENGTH} characters`,
    );
  }
  return key;
}

/** Reads the first line and leaves the stream paused. Returns undefined if the stream ends before any text. */
function firstLine(input: Readable): Promise<string | undefined> {
  let text = '';
  return new Promise((resolve) => {
    const done = (line: string | undefined): void => {
      input.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
      resolve(line?.replace(/\r$/, ''));
    };
    const onEnd = (): void => done(text === '' ? undefined : text);
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\n');
      if (end !== -1) done(text.slice(0, end));
      // Longer than any valid key: the caller rejects it.
      else if (text.length > MAX_KEY_LENGTH) done(text);
    };
    input.on('data', onData).on('end', onEnd).on('error', onEnd);
  });
}

/** Returns the file of a created key in a data directory. */
export const createdKeyFile = (directory: string): string => path.join(directory, DATA_DIRECTORY.apiKey);

/**
 * Returns the owner's key in a data directory that this process has locked. Creates a random one at the first start, in a file that only
 * its user can read.
 *
 * @throws StartFailure dataDirUnusable
 */
export async function createdKey(directory: string): Promise<string> {
  const file = createdKeyFile(directory);
  try {
    const found = await readFile(file, 'utf8').catch(ignoreMissing);
    if (found !== undefined) return checkedContent(found.split(/\r?\n/, 1)[0] ?? '', file);
    const key = newToken();
    // Renamed once it is complete, so that a crash never leaves a part of a key.
    const temporary = `${file}.new`;
    await writeFile(temporary, `${key}\n`, { mode: PRIVATE_FILE });
    await rename(temporary, file);
    return key;
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw unusable(file, (error as Error).message, error);
  }
}

/** Minimum length of a key in the file. Other machines may reach the platform, and shorter keys can be guessed over a network. */
const MIN_LENGTH = 16;

function checkedContent(key: string, file: string): string {
  if (key.length >= MIN_LENGTH && /^[\x21-\x7e]+$/.test(key)) return key;
  throw unusable(file, `it must contain a key of at least ${MIN_LENGTH} printable ASCII characters`);
}

function unusable(file: string, why: string, cause?: unknown): StartFailure {
  const remedy = 'make it a readable file with a key, or remove it to create another key';
  return new StartFailure('dataDirUnusable', `the owner's key in ${file} cannot be used: ${why}`, { remedy, cause });
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
