import { ApiError } from '../../client/apiError.ts';
import type { Connection } from '../../client/connection.ts';
import { createClient } from '../../client/client.ts';
import { loopbackFetch } from '../../client/loopbackFetch.ts';
import type { ToolConnection } from '../../agents/actions/agentTool.ts';
import { connectionWithoutEditor } from '../../agents/actions/withoutEditor.ts';
import { ToolError } from '../../agents/model/toolError.ts';
import { HOSTED_VARIABLES } from '../../account/connections/model/hostedVariables.ts';
import { explain } from '../../kit/explain.ts';
import { hideSecrets } from '../../account/withoutSecrets.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { EnvironmentValues } from './environmentValues.ts';
import { hostedSetup, s3Setup } from './hostedSetup.ts';
import { SharedPlatform } from './sharedPlatform.ts';

/** Name of the local platform in `--connection`. */
export const LOCAL = 'local';

/** Which platform a command uses. */
export interface ConnectionOptions {
  /** `LOCAL`, or the name of a login. Undefined: see `openSession`. */
  readonly connection?: string | undefined;
  /** Absolute path of the data directory of the local platform. */
  readonly dataDir: string;
}

/** The platform of one command. */
export interface Session extends ToolConnection {
  /** Values of references in manifests, from the environment. */
  readonly values: EnvironmentValues;
  /** Absolute path of the data directory of the local platform. Undefined: a hosted platform. */
  readonly dataDirectory: string | undefined;
  /** Removes the API key and the values from a text. */
  hide(text: string): string;
  /** Returns a document as JSON, without the API key and the values. */
  json(document: object): string;
  close(): Promise<void>;
}

/**
 * Returns a connection to a hosted platform, whose name is its host unless it has a name. The environment has the key for the files of its
 * volumes.
 */
export function hostedSession(connection: Connection, environment: NodeJS.ProcessEnv, name?: string): ToolConnection {
  const { host } = new URL(connection.baseUrl);
  const client = createClient({ connection, fetch: globalThis.fetch, loopbackFetch });
  const setup = s3Setup(environment);
  return connectionWithoutEditor(client, {
    ...{ name: name ?? host, isLocal: false, host },
    ...('access' in setup && { s3: setup.access }),
  });
}

/**
 * Connects to the platform of `--connection`, or else to the one of the environment variables, or else to the last login, or else to the
 * running local platform.
 *
 * @throws CannotRunError if there is none, or if it cannot be used
 */
async function openSession(options: ConnectionOptions, surroundings: Surroundings): Promise<Session> {
  const { environment } = surroundings;
  const values = new EnvironmentValues(environment);
  const hosted = (connection: Connection, name?: string): Session => {
    const session = hostedSession(connection, environment, name);
    return {
      ...session,
      ...{ values, dataDirectory: undefined, close: () => Promise.resolve() },
      ...hiding(() => [connection.apiKey, ...secretOf(session), ...values.used]),
    };
  };
  if (options.connection !== LOCAL) {
    const setup = options.connection === undefined ? hostedSetup(environment) : undefined;
    if (setup && 'problem' in setup) throw new CannotRunError(setup.problem);
    if (setup) return hosted(setup.connection);
    const { findLogin } = await import('../login/logins.ts');
    const login = await findLogin(options.connection, environment);
    if (login) return hosted(login.connection, login.name);
  }
  const platform = new SharedPlatform(surroundings.platformScript, options.dataDir);
  await platform.joinRunning().catch((error: unknown) => {
    throw error instanceof ToolError ? new CannotRunError(error.message) : error;
  });
  const { connection, apiKey = '' } = platform;
  if (!connection)
    throw new CannotRunError(
      `there is no platform: start the local one with "cloud-compute platform", sign in with "cloud-compute login", or set ${HOSTED_VARIABLES.baseUrl} and ${HOSTED_VARIABLES.apiKey}`,
    );
  return {
    ...connection,
    ...{ values, dataDirectory: options.dataDir, close: () => platform.leave() },
    ...hiding(() => [apiKey, ...secretOf(connection), ...values.used]),
  };
}

/** Returns the secret of the key for the files of volumes. */
export function secretOf(connection: Pick<ToolConnection, 's3'> | undefined): readonly string[] {
  return connection?.s3 ? [connection.s3.s3SecretAccessKey] : [];
}

/** Members that never contain text of a platform or a worker. Programs decide on them, so they stay even if they equal a value. */
const IDENTIFIERS = [
  ...['action', 'cause', 'code', 'endpointId', 'environment', 'field', 'file', 'id', 'name', 'outcome', 'reason'],
];

function hiding(secrets: () => readonly string[]): Pick<Session, 'hide' | 'json'> {
  const hide = (text: string): string => hideSecrets(text, secrets());
  const hideIn = (name: string, value: unknown): unknown =>
    typeof value === 'string' && !IDENTIFIERS.includes(name) ? hide(value) : value;
  // Hides in each string, because a value such as "1" would match other parts of the JSON text.
  return { hide, json: (document) => `${JSON.stringify(document, hideIn, 2)}\n` };
}

/** Runs a command with a session, and closes it at the end. @throws CannotRunError for an error of the platform */
export async function withSession<Result>(
  options: ConnectionOptions,
  surroundings: Surroundings,
  use: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await openSession(options, surroundings);
  try {
    return await use(session);
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind === 'canceled') throw error;
    throw new CannotRunError(session.hide(explain(error, session.name).text));
  } finally {
    await session.close();
  }
}
