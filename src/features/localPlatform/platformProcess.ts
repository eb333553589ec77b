import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type * as vscode from 'vscode';
import { PLATFORM_EXIT_CODES, PlatformAnnouncement } from '../../contract/localPlatform.ts';
import { UserError } from '../../vscode/errors.ts';
import { readLogLine } from './platformLog.ts';

export interface StartedPlatform {
  readonly announcement: PlatformAnnouncement;
  /** Resolves when the process has ended, with why. */
  readonly ended: Promise<string>;
  /** Asks it to stop and resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts the platform; rejects with its own explanation when it cannot start. */
export type PlatformProcess = () => Promise<StartedPlatform>;

export interface PlatformProcessOptions {
  /** The bundled platform. */
  readonly script: string;
  /** Asked at each start. */
  readonly dataDir: () => string;
  readonly port: () => number;
  readonly log: vscode.LogOutputChannel;
}

/** Runs the platform as a process of its own, on the editor's own Node, which never outlives the extension host. */
export function platformProcess({ script, dataDir, port, log }: PlatformProcessOptions): PlatformProcess {
  return async () => {
    const flags = ['--json', '--stop-with-stdin', '--port', String(port()), '--data-dir', dataDir()];
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...flags], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: 'pipe',
      windowsHide: true,
    });
    const complaint = followStderr(child, log);
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(complaint() ?? endText(code, signal)));
    });
    const failed = ended.then((reason) => startError(reason, child.exitCode));
    const announcement = await Promise.race([readAnnouncement(child), failed]);
    if (announcement instanceof Error) throw announcement;
    log.info(`local platform: ${announcement.baseUrl}, process ${announcement.pid}`);
    return {
      announcement,
      ended,
      stop: async () => {
        child.stdin.end();
        await ended;
      },
    };
  };
}

async function readAnnouncement(child: ChildProcessWithoutNullStreams): Promise<PlatformAnnouncement> {
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return PlatformAnnouncement.parse(JSON.parse(line));
}

/** Copies the platform's log into ours; returns the last plain line, which is how it explains a failed start. */
function followStderr(child: ChildProcessWithoutNullStreams, log: vscode.LogOutputChannel): () => string | undefined {
  let plain: string | undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!line.startsWith('{')) plain = line;
    // Asked to stop, it says so on its way out; with the window gone, the log may be too.
    else if (!child.stdin.writableEnded) writeLine(log, line);
  });
  return () => plain;
}

function writeLine(log: vscode.LogOutputChannel, line: string): void {
  const entry = readLogLine(line);
  if (entry) log[entry.level](entry.text);
}

const { portTaken, dataDirUnusable, dataDirInUse, dataDirNewer } = PLATFORM_EXIT_CODES;

/** The platform's own explanation, with the setting that helps where one does. */
function startError(reason: string, exitCode: number | null): UserError {
  const settings = { label: 'Open Settings', command: 'workbench.action.openSettings' } as const;
  if (exitCode === portTaken) {
    const argument = 'cloudCompute.localPlatform.port';
    return new UserError(`${reason}. Stop that one, or choose another port in the settings.`, {
      ...settings,
      argument,
    });
  }
  if (exitCode === dataDirUnusable || exitCode === dataDirInUse || exitCode === dataDirNewer) {
    const argument = 'cloudCompute.localPlatform.dataDirectory';
    return new UserError(`${reason}. Another directory can be chosen in the settings.`, { ...settings, argument });
  }
  return new UserError(reason, { label: 'Show Log', command: 'cloudCompute.localPlatform.openLog' });
}

function endText(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `it ended with exit code ${code ?? 'unknown'}` : `it was ended by ${signal}`;
}
