import { createClient } from '../../client/client.ts';
import { createControlClient, type ControlClient } from '../../client/controlClient.ts';
import { loopbackFetch } from '../../client/loopbackFetch.ts';
import { s3AccessOf } from '../../client/s3/s3Connection.ts';
import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import type { ToolConnection, ToolLocalPlatform } from '../../agents/actions/agentTool.ts';
import { connectionWithoutEditor } from '../../agents/actions/withoutEditor.ts';
import { ToolError } from '../../agents/model/toolError.ts';
import { isHeld } from '../../features/local/platform/actions/dataDirectory.ts';
import { launchPlatform, PlatformStartError, type LaunchedPlatform } from '../../machine/platformLaunch.ts';

interface RunningPlatform {
  readonly connection: ToolConnection;
  readonly control: ControlClient;
  readonly apiKey: string;
}

/**
 * The local platform of the user, which other programs can share. A platform that an editor or a terminal runs is joined, and keeps running
 * after this program leaves it.
 */
export class SharedPlatform implements ToolLocalPlatform {
  readonly #script: string;
  readonly #dataDirectory: string;
  /** The last start, which can still be in progress. */
  #launched: LaunchedPlatform | undefined;
  #running: RunningPlatform | undefined;
  #starting: Promise<void> | undefined;
  #left: Promise<void> | undefined;

  /** @param script path of the platform's program */
  constructor(script: string, dataDirectory: string) {
    this.#script = script;
    this.#dataDirectory = dataDirectory;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** The connection to the platform, if it runs. */
  get connection(): ToolConnection | undefined {
    return this.#running?.connection;
  }

  /** The key of the platform, if it runs. */
  get apiKey(): string | undefined {
    return this.#running?.apiKey;
  }

  /** Joins the platform if another program runs it. @throws ToolError if it cannot be joined */
  async joinRunning(): Promise<void> {
    if (!this.#running && (await isHeld(this.#dataDirectory))) await this.start();
  }

  start(): Promise<void> {
    if (this.#left) throw new ToolError('notRunning', 'The server is stopping.');
    if (this.#running) return Promise.resolve();
    this.#starting ??= this.#launch().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  control(): Promise<ControlClient> {
    return this.#running
      ? Promise.resolve(this.#running.control)
      : Promise.reject(new ToolError('notRunning', 'The local platform is not running.'));
  }

  /** Stops the platform unless other programs share it. Resolves once this program has left it. */
  leave(): Promise<void> {
    this.#left ??= this.#launched?.stop() ?? Promise.resolve();
    return this.#left;
  }

  async #launch(): Promise<void> {
    const launched = launchPlatform({
      script: this.#script,
      flags: ['--port', '0', '--data-dir', this.#dataDirectory],
      // The client receives the errors of its requests, and a fatal error ends the process.
      onLogLine: () => undefined,
    });
    this.#launched = launched;
    const announcement = await launched.announced;
    if (announcement instanceof PlatformStartError)
      throw new ToolError('notRunning', `The local platform cannot start: ${announcement.message}.`);
    const running = { ...connectionTo(announcement), apiKey: announcement.apiKey };
    this.#running = running;
    void launched.ended.then(() => {
      if (this.#running === running) this.#running = undefined;
    });
  }
}

function connectionTo(announcement: PlatformAnnouncement): Pick<RunningPlatform, 'connection' | 'control'> {
  const options = { connection: announcement, fetch: globalThis.fetch, loopbackFetch, honorsIdempotencyKeys: true };
  const { host } = new URL(announcement.baseUrl);
  return {
    control: createControlClient(options),
    connection: connectionWithoutEditor(createClient(options), {
      ...{ name: 'Local Platform', isLocal: true, host },
      s3: s3AccessOf(announcement),
    }),
  };
}
