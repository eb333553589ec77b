import * as l10n from '@vscode/l10n';
import { parseJson } from '../../contract/parsedJson.ts';
import { listOf, matching, number, object, oneOf, type ValueOf } from '../../kit/smallSchema.ts';
import { addressProblem, endpointHostProblem, s3AddressProblem } from './model/address.ts';

/* The stored connections as one versioned document. This module has no side effects; the vault stores the document. */

/** ID of the local platform's connection, which always exists. Its addresses and key are those of the running process. */
export const LOCAL_ID = 'local';

/** Name of the local platform's connection. */
export const LOCAL_NAME = l10n.t('Local Platform');

/** Rejects an address that the user could not have entered, so that a manipulated document cannot redirect a key. */
const Address = textThat((value) => value.includes('://') && addressProblem(value) === undefined);
const NotEmpty = textThat((value) => value !== '');

/** A connection to a hosted platform. It stores the key with its addresses, so that a key is sent only to those addresses. */
const HostedConnection = object(
  {
    id: NotEmpty,
    name: NotEmpty,
    baseUrl: Address,
    restUrl: Address,
    queueUrl: Address,
    endpointHost: textThat((value) => endpointHostProblem(value) === undefined),
  },
  {
    teamId: NotEmpty,
    /** Absent when the connection is signed out. */
    apiKey: NotEmpty,
    /** Address and key of the files of network volumes, until they are first used. */
    s3Url: textThat((value) => value.includes('://') && s3AddressProblem(value) === undefined),
    s3AccessKeyId: NotEmpty,
    s3SecretAccessKey: NotEmpty,
  },
);
export type HostedConnection = Readonly<ValueOf<typeof HostedConnection>>;

const VERSION = 2;

const Stored = object({
  version: oneOf(VERSION),
  /** ID of the current connection; null when there is none. */
  current: matching((value) => value === null || typeof value === 'string'),
  connections: listOf(HostedConnection),
});
const Versioned = object({ version: number });

export interface ConnectionDocument {
  readonly current: string | undefined;
  readonly connections: readonly HostedConnection[];
}

/** A pure update of the document. The vault applies it again to a document that another window has written meanwhile. */
export type Change = (document: ConnectionDocument) => ConnectionDocument;

export const EMPTY: ConnectionDocument = { current: undefined, connections: [] };

/** Thrown for a document of a newer version of the extension, which must not be overwritten. */
export class NewerDocumentError extends Error {
  constructor() {
    super(l10n.t('a newer version of this extension stored the connections'));
    this.name = 'NewerDocumentError';
  }
}

/** @throws NewerDocumentError; Error when the text is invalid, with a message that contains nothing of the text */
export function parseDocument(text: string): ConnectionDocument {
  const json = parseJson(text);
  if ((Versioned.safeParse(json).data?.version ?? VERSION) > VERSION) throw new NewerDocumentError();
  const { data } = Stored.safeParse(json);
  // The message has nothing of the document, which contains keys.
  if (!data) throw new Error(l10n.t('the stored connections are damaged'));
  return { current: data.current ?? undefined, connections: data.connections };
}

function textThat(test: (value: string) => boolean) {
  return matching((value): value is string => typeof value === 'string' && test(value));
}

export function serializeDocument({ current, connections }: ConnectionDocument): string {
  return JSON.stringify({ version: VERSION, current: current ?? null, connections });
}

/** Adds a connection, or replaces the one with the same ID. */
export function put(connection: HostedConnection): Change {
  return ({ current, connections }) => {
    const known = connections.some(({ id }) => id === connection.id);
    return {
      current,
      connections: known
        ? connections.map((one) => (one.id === connection.id ? connection : one))
        : [...connections, connection],
    };
  };
}

/** Changes members of a connection. Does nothing when the connection does not exist. */
export function edit(
  id: string,
  members: Partial<Pick<HostedConnection, 'name' | 'apiKey' | 's3Url' | 's3AccessKeyId' | 's3SecretAccessKey'>>,
): Change {
  return ({ current, connections }) => ({
    current,
    connections: connections.map((one) => (one.id === id ? { ...one, ...members } : one)),
  });
}

/** Sets the team that a connection acts for. Undefined means the account of the key. */
export function changeTeam(id: string, teamId: string | undefined): Change {
  return ({ current, connections }) => ({
    current,
    connections: connections.map((one) => {
      if (one.id !== id) return one;
      const { teamId: _, ...rest } = one;
      return teamId === undefined ? rest : { ...rest, teamId };
    }),
  });
}

/** Removes the key for the files of network volumes, and keeps their address. */
export function forgetFileKey(id: string): Change {
  return ({ current, connections }) => ({
    current,
    connections: connections.map((one) => {
      if (one.id !== id) return one;
      const { s3AccessKeyId, s3SecretAccessKey, ...rest } = one;
      return rest;
    }),
  });
}

/** Removes only the keys, so that the next sign-in asks only for a key. */
export function signOut(id: string): Change {
  return ({ current, connections }) => ({
    current,
    connections: connections.map((one) => {
      if (one.id !== id) return one;
      const { apiKey, s3AccessKeyId, s3SecretAccessKey, ...rest } = one;
      return rest;
    }),
  });
}

export function remove(id: string): Change {
  return ({ current, connections }) => ({
    current: current === id ? undefined : current,
    connections: connections.filter((one) => one.id !== id),
  });
}

/** Makes a connection the current one. Does nothing when the connection does not exist. */
export function select(id: string): Change {
  return (document) =>
    id === LOCAL_ID || document.connections.some((one) => one.id === id) ? { ...document, current: id } : document;
}

/** Returns why a name is invalid, or undefined. Names must be unique, ignoring case. */
export function nameProblem({ connections }: ConnectionDocument, name: string, ownId?: string): string | undefined {
  const wanted = name.trim().toLowerCase();
  if (wanted === '') return l10n.t('Enter a name.');
  const taken = connections.some((one) => one.id !== ownId && one.name.toLowerCase() === wanted);
  return taken ? l10n.t('Another connection already has this name.') : undefined;
}

/** Returns the preferred name, with a number appended when another connection has it. */
export function freeName(document: ConnectionDocument, preferred: string): string {
  let name = preferred;
  for (let number = 2; nameProblem(document, name) !== undefined; number++) name = `${preferred} ${number}`;
  return name;
}
