import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import { PLATFORM_EXIT_CODES } from '../../contract/launch/platformExit.ts';
import { UserError } from '../../vscode/errors.ts';
import type { Log } from '../../vscode/log.ts';
import { shown } from '../../vscode/text/shownText.ts';
import { readLogLine } from './platformLog.ts';

/** How long a platform may take to answer that it stops. */
const STOP_ANSWER_MS = 3_000;
/** How long it may take to end its workers and begin again. */
const RESET_MS = 60_000;

export interface StartedPlatform {
  readonly announcement: PlatformAnnouncement;
  /** Resolves when the platform has ended, with why; undefined when somebody asked it to. */
  readonly ended: Promise<string | undefined>;
  /** Stops it, for all windows that share it, and resolves when it has ended. */
  stop(): Promise<void>;
  /** Back to an empty platform, at the same addresses. @throws ApiError */
  reset(): Promise<void>;
  /** Stops it unless other windows share it. */
  leave(): void;
}

/** Starts the platform; rejects with its own explanation when it cannot start. */
export type PlatformProcess = () => Promise<StartedPlatform>;

export interface PlatformProcessOptions {
  /** The bundled platform. */
  readonly script: string;
  /** Asked at each start. */
  readonly dataDir: () => string;
  readonly port: () => number;
  /** Called at each start. Without a key the platform creates one that lasts until it stops. */
  readonly apiKey?: () => Promise<string | undefined>;
  readonly log: Log;
}

/**
 * Runs the platform as a separate process on the editor's own Node. The platform ends with the last window that uses it. When a platform
 * already runs on the data directory, the new process only shares it and announces its address. A platform with another key, started by
 * another editor or in a terminal, is shared too: it hands its key to a process that can read its lock.
 */
export function platformProcess(options: PlatformProcessOptions): PlatformProcess {
  return async () => {
    const apiKey = await options.apiKey?.();
    try {
      return await startProcess(options, apiKey);
    } catch (error) {
      if (apiKey === undefined || !(error instanceof StartError) || error.exitCode !== dataDirInUse) throw error;
      return startProcess(options, undefined);
    }
  };
}

async function startProcess(
  { script, dataDir, port, log }: PlatformProcessOptions,
  apiKey: string | undefined,
): Promise<StartedPlatform> {
  const flags = [
    '--json',
    '--stop-with-stdin',
    '--api-key-file',
    '-',
    '--port',
    String(port()),
    '--data-dir',
    dataDir(),
  ];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...flags], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: 'pipe',
    windowsHide: true,
  });
  // Other programs can read a command line or an environment, so the key goes through the pipe. After an empty line the platform makes one.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${apiKey ?? ''}\n`);
  const complaint = followStderr(child, log);
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(code === PLATFORM_EXIT_CODES.ok ? undefined : (complaint() ?? endText(code, signal))),
    );
  });
  const failed = ended.then((reason) => startError(reason ?? endText(0, null), child.exitCode));
  const announcement = await Promise.race([readAnnouncement(child), failed]);
  if (announcement instanceof Error) throw announcement;
  const found = announcement.pid === child.pid ? '' : ', shared with another window';
  // Loaded here, not with the extension: it brings the whole control API.
  const { createControlClient } = await import('../../client/controlClient.ts');
  const control = createControlClient({ connection: announcement, fetch: globalThis.fetch });
  log.info(`local platform: ${announcement.baseUrl}, process ${announcement.pid}${found}`);
  return {
    announcement,
    ended,
    stop: async () => {
      // A platform that does not answer ends when its stdin ends, unless other windows share it.
      await control.stopPlatform({}, { timeout: STOP_ANSWER_MS, retries: 0 }).catch(() => child.stdin.end());
      await ended;
    },
    reset: () => control.reset({}, { timeout: RESET_MS, retries: 0 }),
    leave: () => child.stdin.end(),
  };
}

async function readAnnouncement(child: ChildProcessWithoutNullStreams): Promise<PlatformAnnouncement> {
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return PlatformAnnouncement.parse(JSON.parse(line));
}

/** Copies the platform's log to the editor's log. Returns a function that gives the last plain line, which explains a failed start. */
function followStderr(child: ChildProcessWithoutNullStreams, log: Log): () => string | undefined {
  let plain: string | undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!line.startsWith('{')) plain = line;
    // Asked to stop, it says so on its way out; with the window gone, the log may be too.
    else if (!child.stdin.writableEnded) writeLine(log, line);
  });
  return () => plain;
}

function writeLine(log: Log, line: string): void {
  const entry = readLogLine(line);
  if (entry) log[entry.level](entry.text);
}

const { portTaken, dataDirUnusable, dataDirInUse, dataDirNewer } = PLATFORM_EXIT_CODES;

/** A failed start: the platform's own explanation and the exit code of its process. */
class StartError extends UserError {
  readonly exitCode: number | null;

  constructor(exitCode: number | null, ...[message, remedy]: ConstructorParameters<typeof UserError>) {
    super(message, remedy);
    this.exitCode = exitCode;
  }
}

/** The error for a failed start, with a button that opens the setting to change or the log. */
function startError(reason: string, exitCode: number | null): StartError {
  const settings = { label: 'Open Settings', command: 'workbench.action.openSettings' } as const;
  if (exitCode === portTaken) {
    const argument = 'cloudCompute.localPlatform.port';
    return new StartError(exitCode, shown`${reason}. Stop that one, or choose another port in the settings.`, {
      ...settings,
      argument,
    });
  }
  if (exitCode === dataDirUnusable || exitCode === dataDirInUse || exitCode === dataDirNewer) {
    const argument = 'cloudCompute.localPlatform.dataDirectory';
    return new StartError(exitCode, shown`${reason}. Another directory can be chosen in the settings.`, {
      ...settings,
      argument,
    });
  }
  return new StartError(exitCode, reason, { label: 'Show Log', command: 'cloudCompute.localPlatform.openLog' });
}

function endText(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `it ended with exit code ${code ?? 'unknown'}` : `it was ended by ${signal}`;
}
