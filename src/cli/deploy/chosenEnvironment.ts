import path from 'node:path';
import { LOCAL_CONNECTION } from '../../contract/environmentNames.ts';
import { readManifests } from '../../features/manifest/actions/readManifests.ts';
import { isNamed } from '../../features/manifest/model/patched/connectionMatch.ts';
import { folderEnvironments, type FolderEnvironment } from '../../features/manifest/model/patched/environmentsOf.ts';
import { hostedSetup } from '../connection/hostedSetup.ts';
import { LOCAL, withSession, type ConnectionOptions, type Session } from '../connection/openSession.ts';
import { localFiles } from '../localFiles.ts';
import { readLogins } from '../login/logins.ts';
import { confirm } from '../program/ask.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

/** The environment of `--environment`, which all commands for a folder share. */
export interface ChosenEnvironment {
  readonly name: string;
  readonly production: boolean;
}

export interface EnvironmentFlags extends ConnectionOptions {
  readonly folder: string;
  readonly environment?: string | undefined;
}

/**
 * Returns an environment that a manifest of the folder has.
 *
 * @throws CannotRunError if none has it, with the names of those that exist, and if the folder cannot be read
 */
export async function environmentNamed(name: string, folder: string, signal: AbortSignal): Promise<FolderEnvironment> {
  const files = await readManifests(localFiles, path.resolve(folder), signal).catch((error: unknown) => {
    throw new CannotRunError(`${folder} cannot be read: ${(error as Error).message}`);
  });
  const known = folderEnvironments(
    files.map(({ path: file, content }) => ({ content, language: file.endsWith('.json') ? 'json' : 'yaml' })),
  );
  const found = known.find((one) => one.name === name);
  if (found) return found;
  const names = known.map((one) => one.name).join(', ');
  const remedy = names === '' ? 'none has x-environments; leave out --environment' : `choose one of ${names}`;
  throw new CannotRunError(`no manifest in ${folder} has the environment ${name}; ${remedy}`);
}

/**
 * Runs a command with the platform of its environment, or with that of `--connection` without an environment.
 *
 * @throws CannotRunError also if the environment is for another connection than the one that the user named
 */
export async function withEnvironment<Result>(
  flags: EnvironmentFlags,
  surroundings: Surroundings,
  use: (session: Session, environment: ChosenEnvironment | undefined) => Promise<Result>,
): Promise<Result> {
  if (flags.environment === undefined) return withSession(flags, surroundings, (session) => use(session, undefined));
  const environment = await environmentNamed(flags.environment, flags.folder, surroundings.signal);
  const { name, connections } = environment;
  const [connection, ...others] = connections;
  if (others.length > 0)
    throw new CannotRunError(`the manifests name several connections for ${name}: ${connections.join(', ')}`);
  if (connection === undefined) return withSession(flags, surroundings, (session) => use(session, environment));
  const own = flags.connection ?? (await loginFor(environment, connection, surroundings.environment));
  return withSession({ ...flags, connection: own }, surroundings, (session) => {
    if (isNamed(connection, session)) return use(session, environment);
    throw new CannotRunError(
      `the environment ${name} is for the connection ${connection}, and not for ${session.name} (${session.host})`,
    );
  });
}

/** Returns the connection of an environment. Undefined for the platform of the environment variables. @throws CannotRunError */
async function loginFor(
  { name }: FolderEnvironment,
  connection: string,
  variables: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (connection === LOCAL_CONNECTION) return LOCAL;
  if (hostedSetup(variables)) return undefined;
  const logins = await readLogins(variables);
  const candidates = logins.map((one) => ({ isLocal: false, name: one.name, host: new URL(one.baseUrl).host }));
  const named = candidates.find((one) => one.name === connection);
  if (named) return named.name;
  const [only, ...others] = candidates.filter((one) => isNamed(connection, one));
  if (!only)
    throw new CannotRunError(
      `the environment ${name} is for ${connection}, and there is no login for it; sign in with "cloud-compute login"`,
    );
  if (others.length === 0) return only.name;
  const names = [only, ...others].map((one) => one.name).join(', ');
  throw new CannotRunError(`several logins are for ${connection}: choose one with --connection (${names})`);
}

/**
 * Asks before a deployment or a rollback. In production, the name of the environment must be typed.
 *
 * @throws CannotRunError if there is no terminal to ask on
 */
export async function isDeploymentWanted(
  question: string,
  environment: ChosenEnvironment | undefined,
  surroundings: Pick<Surroundings, 'ask'>,
  act: 'deploy' | 'roll back' = 'deploy',
): Promise<boolean> {
  const { ask } = surroundings;
  if (!ask || !environment?.production) return confirm(question, surroundings);
  return (
    (await ask(`${question} This is PRODUCTION. Type ${environment.name} to ${act}: `)).trim() === environment.name
  );
}
