import process from 'node:process';
import { addAbortSignal } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { verifyConnection } from '../../account/connections/actions/verifyConnection.ts';
import { hideSecrets } from '../../account/withoutSecrets.ts';
import { addressesOf, addressesProblem } from '../connection/hostedSetup.ts';
import { LOCAL } from '../connection/openSession.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { withKeyring, readLogins, writeLogins } from './logins.ts';

export interface LoginFlags {
  readonly baseUrl: string;
  readonly name?: string | undefined;
  readonly restUrl?: string | undefined;
  readonly queueUrl?: string | undefined;
  readonly endpointHost?: string | undefined;
  readonly teamId?: string | undefined;
}

/** Checks a key, stores it in the keyring, and makes the login the default. */
export async function loginCommand(flags: LoginFlags, surroundings: Surroundings): Promise<number> {
  const { baseUrl, restUrl, queueUrl, endpointHost, teamId } = flags;
  const { environment, tell, signal } = surroundings;
  const given = { baseUrl, restUrl, queueUrl, endpointHost };
  const wrong = addressesProblem(given);
  if (wrong) throw new CannotRunError(`${OPTIONS[wrong.name]} is invalid. ${wrong.problem}`);
  const addresses = addressesOf(given);
  const name = flags.name ?? new URL(addresses.baseUrl).host;
  if (name === LOCAL) throw new CannotRunError(`--name ${LOCAL} means the local platform; choose another name`);
  // Programs of keyrings read the name as an argument, or as a line of their input.
  if (/^-|\p{Cc}/u.test(name)) throw new CannotRunError('--name cannot start with - or contain control characters');
  const others = (await readLogins(environment)).filter((login) => login.name !== name);
  const apiKey = await readKey(name, surroundings);
  const problem = await verifyConnection({ ...addresses, apiKey, teamId }, { fetch: globalThis.fetch, signal });
  signal.throwIfAborted();
  if (problem) throw new CannotRunError(hideSecrets(problem.text, [apiKey]));
  await withKeyring((keyring) => keyring.set(name, apiKey));
  await writeLogins(environment, [...others, { name, ...addresses, ...(teamId !== undefined && { teamId }) }]);
  tell(`Signed in to ${name}.`);
  return EXIT_CODES.done;
}

const OPTIONS = {
  baseUrl: '<base-url>',
  restUrl: '--rest-url',
  queueUrl: '--queue-url',
  endpointHost: '--endpoint-host',
};

/** Asks for the key, or reads it from standard input if that is not a terminal. */
async function readKey(name: string, { ask, signal }: Surroundings): Promise<string> {
  const answer = ask
    ? await ask(`API key for ${name}: `, { hidden: true })
    : await textOf(addAbortSignal(signal, process.stdin));
  const key = answer.trim();
  if (key === '') throw new CannotRunError('an API key is required, on the terminal or on standard input');
  if (/\s/.test(key)) throw new CannotRunError('an API key contains no spaces and no line breaks');
  return key;
}

/** Removes a login and its key. */
export async function logoutCommand(name: string, { environment, tell }: Surroundings): Promise<number> {
  const logins = await readLogins(environment);
  if (!logins.some((login) => login.name === name)) throw new CannotRunError(`there is no login ${name}`);
  await withKeyring((keyring) => keyring.delete(name));
  await writeLogins(
    environment,
    logins.filter((login) => login.name !== name),
  );
  tell(`Signed out of ${name}.`);
  return EXIT_CODES.done;
}
