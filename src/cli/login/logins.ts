import type { Connection } from '../../client/connection.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import { KeyringError, systemKeyring } from './keyring.ts';
import { readLogins, type Login } from './loginFile.ts';

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
