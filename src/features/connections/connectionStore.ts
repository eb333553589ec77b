import * as vscode from 'vscode';
import * as z from 'zod';
import { createClient, type Client } from '../../client/client.ts';
import type { Connection } from '../../client/connection.ts';
import type { Wait } from '../../client/context.ts';

/** A connection a person chose: the local platform, or a hosted one. */
export interface Profile extends Connection {
  readonly kind: 'local' | 'hosted';
  readonly name: string;
}

const StoredProfile = z.object({
  kind: z.enum(['local', 'hosted']),
  name: z.string(),
  baseUrl: z.url(),
  restUrl: z.url(),
  queueUrl: z.url(),
  endpointHost: z.string(),
  apiKey: z.string(),
  teamId: z.string().optional(),
});

/** Addresses and key are kept together, so that a key is only ever sent to the address it was stored for. */
const SECRET = 'cloudCompute.connection';

/**
 * The current connection. Its `client` exists while the platform behind it may be called: for the local platform only while
 * that runs.
 */
export class ConnectionStore implements vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #profile: Profile | undefined;
  #client: Client | undefined;
  #loaded = false;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  get profile(): Profile | undefined {
    return this.#profile;
  }

  get client(): Client | undefined {
    return this.#client;
  }

  /** Whether the stored connection has been read. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Reads the stored connection. An unreadable one counts as none. */
  async load(): Promise<void> {
    try {
      const text = await this.#secrets.get(SECRET);
      const parsed = text === undefined ? undefined : StoredProfile.safeParse(JSON.parse(text));
      if (parsed?.success && !this.#loaded) {
        this.#profile = parsed.data;
        // The address of the local platform of an earlier session is stale.
        if (parsed.data.kind === 'hosted') this.#client = clientOf(parsed.data);
      }
    } finally {
      this.#loaded = true;
      this.#changed.fire();
    }
  }

  /** Makes this the current connection and keeps its key in SecretStorage. */
  async use(profile: Profile): Promise<void> {
    this.#loaded = true;
    this.#profile = profile;
    this.#client = clientOf(profile);
    this.#changed.fire();
    await this.#secrets.store(SECRET, JSON.stringify(profile));
  }

  /** The local platform stopped: it stays the current connection, but there is nobody to call. */
  suspendLocal(): void {
    if (this.#profile?.kind !== 'local' || !this.#client) return;
    this.#client = undefined;
    this.#changed.fire();
  }

  /** Forgets the current connection and its key. */
  async forget(): Promise<void> {
    this.#profile = undefined;
    this.#client = undefined;
    this.#changed.fire();
    await this.#secrets.delete(SECRET);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** In VS Code the global fetch honours the user's proxy and certificates. */
export function clientOf(connection: Connection): Client {
  return createClient({ connection, fetch: globalThis.fetch, onWait: tellWait });
}

/** A call that waits for a rate limit says so in the status bar for as long as it waits. */
function tellWait({ ms, reason }: Wait): void {
  const seconds = Math.ceil(ms / 1000);
  vscode.window.setStatusBarMessage(`$(watch) Cloud Compute waits ${seconds} s: ${reason}`, ms);
}
