import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PlatformAnnouncement } from '../contract/launch/localPlatform.ts';
import { PLATFORM_EXIT_CODES } from '../contract/launch/platformExit.ts';

/** Time in which a stopping platform ends its workers, in ms. After it, the process is killed. */
const MAX_STOP_MS = 30_000;

export interface PlatformLaunch {
  /** Path of the platform's program. */
  readonly script: string;
  /** Additional flags, such as the port. */
  readonly flags: readonly string[];
  /** Key of the owner. Without a key, the platform creates one that lasts until it stops. */
  readonly apiKey?: string | undefined;
  /** Called with each line of JSON that the platform logs. */
  readonly onLogLine: (line: string) => void;
}

export interface LaunchedPlatform {
  readonly child: ChildProcessWithoutNullStreams;
  /** The platform's addresses and key, or an error with its explanation if it cannot start. */
  readonly announced: Promise<PlatformAnnouncement | PlatformStartError>;
  /** Resolves with the reason once the process has exited, or with undefined after a requested stop. */
  readonly ended: Promise<string | undefined>;
  /** Stops the platform unless other processes share it, also while it starts. Resolves once the process has exited. */
  readonly stop: () => Promise<void>;
}

/** The platform could not start. The message is the platform's explanation. */
export class PlatformStartError extends Error {
  /** Exit code of the process: see `PLATFORM_EXIT_CODES`. */
  readonly exitCode: number | null;

  constructor(reason: string, exitCode: number | null) {
    super(reason);
    this.name = 'PlatformStartError';
    this.exitCode = exitCode;
  }
}

/** Starts the platform as a process on the Node.js of this one. It stops when its standard input ends, unless other processes share it. */
export function launchPlatform({ script, flags, apiKey, onLogLine }: PlatformLaunch): LaunchedPlatform {
  const args = ['--json', '--stop-with-stdin', '--api-key-file', '-', ...flags];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: 'pipe',
    windowsHide: true,
  });
  // The key goes through the pipe, because other programs can read command lines and environments. An empty line requests a new key.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${apiKey ?? ''}\n`);
  const lastPlainLine = followStderr(child, onLogLine);
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(code === PLATFORM_EXIT_CODES.ok ? undefined : (lastPlainLine() ?? exitText(code, signal))),
    );
  });
  const failed = ended.then((reason) => new PlatformStartError(reason ?? exitText(0, null), child.exitCode));
  const stop = async (): Promise<void> => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MS);
    await ended;
    clearTimeout(timer);
  };
  return { child, ended, announced: Promise.race([readAnnouncement(child), failed]), stop };
}

async function readAnnouncement(child: ChildProcessWithoutNullStreams): Promise<PlatformAnnouncement> {
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return PlatformAnnouncement.parse(JSON.parse(line));
}

/** Passes on the log. The returned function returns the last plain line, which explains a failed start. */
function followStderr(
  child: ChildProcessWithoutNullStreams,
  onLogLine: (line: string) => void,
): () => string | undefined {
  let plain: string | undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('{')) onLogLine(line);
    else plain = line;
  });
  return () => plain;
}

function exitText(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `it exited with code ${code ?? 'unknown'}` : `it was terminated by ${signal}`;
}
