import * as z from 'zod';
import { addressProblem, endpointHostProblem } from './address.ts';

/* What is kept of the connections, as one versioned document. Pure: where it is kept is another file's matter. */

/** The connection to the local platform is always there; its address and key are those of the process that runs. */
export const LOCAL_ID = 'local';

/** Name of the local platform's connection. */
export const LOCAL_NAME = 'Local Platform';

/** A key is never sent where a person could not have chosen to send it, also when what is stored was tampered with. */
const Address = z.string().refine((text) => addressProblem(text) === undefined);

/** A connection to a hosted platform. Addresses and key stand together, so that a key is only ever sent where it was stored for. */
const HostedConnection = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  baseUrl: Address,
  restUrl: Address,
  queueUrl: Address,
  endpointHost: z.string().refine((text) => endpointHostProblem(text) === undefined),
  teamId: z.string().min(1).optional(),
  /** Absent: signed out. */
  apiKey: z.string().min(1).optional(),
});
export type HostedConnection = Readonly<z.infer<typeof HostedConnection>>;

const VERSION = 2;

const Stored = z.object({
  version: z.literal(VERSION),
  /** Id of the current connection; null: none. */
  current: z.string().nullable(),
  connections: z.array(HostedConnection),
});

export interface ConnectionDocument {
  readonly current: string | undefined;
  readonly connections: readonly HostedConnection[];
}

/** A step from one document to the next. It can be taken again, on the document that another window wrote meanwhile. */
export type Change = (document: ConnectionDocument) => ConnectionDocument;

export const EMPTY: ConnectionDocument = { current: undefined, connections: [] };

/** A newer version of the extension wrote what is stored: it must not be overwritten. */
export class NewerDocumentError extends Error {
  constructor() {
    super('a newer version of this extension has stored the connections');
    this.name = 'NewerDocumentError';
  }
}

/** @throws NewerDocumentError; an Error without any of the text in it when it cannot be read */
export function parseDocument(text: string): ConnectionDocument {
  const json = jsonOf(text);
  const version = z.object({ version: z.number() }).safeParse(json);
  if (version.success && version.data.version > VERSION) throw new NewerDocumentError();
  const { success, data } = Stored.safeParse(json);
  // The explanation of the parser could hold a key.
  if (!success) throw new Error('what is stored of the connections is damaged');
  return { current: data.current ?? undefined, connections: data.connections };
}

export function serializeDocument({ current, connections }: ConnectionDocument): string {
  return JSON.stringify({ version: VERSION, current: current ?? null, connections });
}

/** The one connection that versions before 0.2 kept. */
const LegacyProfile = z.union([
  z.object({ kind: z.literal('local') }),
  HostedConnection.omit({ id: true }).extend({ kind: z.literal('hosted') }),
]);

/** The document of what an earlier version stored; the empty one when that cannot be read. */
export function migrateLegacy(text: string, newId: () => string): ConnectionDocument {
  const { success, data } = LegacyProfile.safeParse(jsonOf(text));
  if (!success) return EMPTY;
  if (data.kind === 'local') return { current: LOCAL_ID, connections: [] };
  const { kind, ...connection } = data;
  const id = newId();
  return { current: id, connections: [{ id, ...connection }] };
}

/** Adds a connection, or takes the place of the one with its id. */
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

/** Changes members of a connection; nothing when it is gone. */
export function edit(id: string, members: Partial<Pick<HostedConnection, 'name' | 'apiKey'>>): Change {
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

/** Takes the key away and leaves the rest, so that signing in again asks only for the key. */
export function signOut(id: string): Change {
  return ({ current, connections }) => ({
    current,
    connections: connections.map((one) => {
      if (one.id !== id) return one;
      const { apiKey, ...rest } = one;
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

/** Makes a connection the current one; nothing when it is gone. */
export function select(id: string): Change {
  return (document) =>
    id === LOCAL_ID || document.connections.some((one) => one.id === id) ? { ...document, current: id } : document;
}

/** What is wrong with the name of a connection; names are how people tell connections apart. */
export function nameProblem({ connections }: ConnectionDocument, name: string, ownId?: string): string | undefined {
  const wanted = name.trim().toLowerCase();
  if (wanted === '') return 'A connection needs a name.';
  const taken = connections.some((one) => one.id !== ownId && one.name.toLowerCase() === wanted);
  return taken ? 'Another connection has this name.' : undefined;
}

/** A name nobody has yet: the one that was wished, or that with a number. */
export function freeName(document: ConnectionDocument, wished: string): string {
  let name = wished;
  for (let number = 2; nameProblem(document, name) !== undefined; number++) name = `${wished} ${number}`;
  return name;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
