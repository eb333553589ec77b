import * as l10n from '@vscode/l10n';
import type { CommandId } from '../../kit/commandIds.ts';
import { foreign, shown, type ShownText } from '../../text/shownText.ts';
import { UserError } from '../../kit/userError.ts';
import type { Profile } from './connectionStore.ts';
import type { Client } from '../../client/client.ts';

/* Reasons why a platform cannot be called. Only this file contains the message and the remedy of each reason. */

/**
 * Reason why a platform cannot be called.
 *
 * - `none`: there is no current connection.
 * - `localNotRunning`: the current connection is the local platform, which is not running.
 * - `signedOut`: the current connection is a hosted one without a key.
 * - `notCurrent`: another connection is the current one.
 * - `unknown`: the connection no longer exists.
 */
export type NotConnectedCode = 'none' | 'localNotRunning' | 'signedOut' | 'notCurrent' | 'unknown';

interface Remedy {
  readonly label: string;
  readonly command: CommandId;
}

const startLocal: Remedy = { label: l10n.t('Start Local Platform'), command: 'cloudCompute.localPlatform.start' };
const signIn: Remedy = { label: l10n.t('Sign In'), command: 'cloudCompute.connections.replaceKey' };
const switchConnection: Remedy = { label: l10n.t('Switch Connection'), command: 'cloudCompute.connections.switch' };

interface Explanation {
  /** A clause that continues "Could not run the job: ". */
  readonly reason: (name: string) => ShownText;
  readonly remedy: Remedy | undefined;
}

const explanations: Readonly<Record<NotConnectedCode, Explanation>> = {
  none: { reason: () => shown`no platform is connected`, remedy: startLocal },
  localNotRunning: { reason: () => shown`the local platform is not running`, remedy: startLocal },
  signedOut: { reason: (name) => shown`you are signed out of “${name}”`, remedy: signIn },
  notCurrent: {
    reason: (name) => shown`it belongs to the connection “${name}”, which is not the current one`,
    remedy: switchConnection,
  },
  unknown: { reason: () => shown`it belongs to a connection that no longer exists`, remedy: undefined },
};

/** Thrown when a platform cannot be called. */
export class NotConnectedError extends UserError {
  readonly code: NotConnectedCode;
  declare readonly remedy: Remedy | undefined;

  /** @param name name of the connection, if there is one */
  constructor(code: NotConnectedCode, name = '') {
    const { reason, remedy } = explanations[code];
    super(reason(name), remedy);
    this.code = code;
    this.name = 'NotConnectedError';
  }

  /** The reason as a complete sentence. */
  get sentence(): ShownText {
    const { text } = this.shown;
    return shown`${foreign(text.charAt(0).toUpperCase() + text.slice(1), text.length)}.`;
  }
}

type Named = Pick<Profile, 'kind' | 'name'>;

/** The current connection, and the client that calls its platform. */
export interface Current<Client, Known extends Named> {
  readonly client: Client | undefined;
  readonly profile: Known | undefined;
}

/** A connection whose platform can be called. */
export interface Callable<Client, Known extends Named> {
  readonly client: Client;
  readonly profile: Known;
}

/** Returns why the current connection cannot be called, or undefined when it can. */
export function notConnected(current: Current<unknown, Named>): NotConnectedError | undefined {
  const found = connectionOrReason(current);
  return found instanceof NotConnectedError ? found : undefined;
}

/** Returns the current connection. @throws NotConnectedError when its platform cannot be called */
export function requireConnection<Client, Known extends Named>(
  current: Current<Client, Known>,
): Callable<Client, Known> {
  const found = connectionOrReason(current);
  if (found instanceof NotConnectedError) throw found;
  return found;
}

function connectionOrReason<Client, Known extends Named>({
  client,
  profile,
}: Current<Client, Known>): Callable<Client, Known> | NotConnectedError {
  if (!profile) return new NotConnectedError('none');
  if (client !== undefined) return { client, profile };
  return new NotConnectedError(profile.kind === 'local' ? 'localNotRunning' : 'signedOut', profile.name);
}

type Identified = Named & Pick<Profile, 'id'>;

/** The current connection and all stored ones. */
export interface Connections<Client, Known extends Identified> extends Current<Client, Known> {
  find(id: string): Known | undefined;
}

/**
 * Returns the connection with this ID, which must be the current one. A key is sent only while its connection is the current one.
 *
 * @throws NotConnectedError when the connection is not the current one, or when its platform cannot be called
 */
export function requireConnectionOf<Client, Known extends Identified>(
  connections: Connections<Client, Known>,
  id: string,
): Callable<Client, Known> {
  if (connections.profile?.id === id) return requireConnection(connections);
  const known = connections.find(id);
  throw known ? new NotConnectedError('notCurrent', known.name) : new NotConnectedError('unknown');
}

interface LoadedConnections extends Connections<Client, Profile> {
  readonly loaded: boolean;
  load(): Promise<void>;
}

/**
 * Resolves the connection that a document belongs to. Loads the stored connections first, because the editor restores documents before
 * they are loaded.
 * @throws NotConnectedError
 */
export async function connectionOfDocument(
  connections: LoadedConnections,
  id: string,
): Promise<Callable<Client, Profile>> {
  if (!connections.loaded) await connections.load();
  return requireConnectionOf(connections, id);
}
