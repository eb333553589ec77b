import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { randomBytes } from 'node:crypto';
import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import { PLATFORM_EXIT_CODES } from '../../contract/launch/platformExit.ts';
import { launchPlatform, PlatformStartError } from '../../machine/platformLaunch.ts';
import { UserError } from '../../kit/userError.ts';
import type { Log } from '../../kit/log.ts';
import { shown } from '../../text/shownText.ts';
import { parseJson } from '../../contract/parsedJson.ts';

/** Timeout of a stop request, in ms. */
const STOP_ANSWER_MS = 3_000;
/** Timeout of a reset, in ms. A reset stops all workers. */
const RESET_MS = 60_000;

export interface StartedPlatform {
  readonly announcement: PlatformAnnouncement;
  /** Resolves with the reason once the platform has exited, or with undefined after a requested stop. */
  readonly ended: Promise<string | undefined>;
  /** Stops the platform for all windows that share it. Resolves once it has exited. */
  stop(): Promise<void>;
  /** Deletes all data of the platform, which keeps its addresses and key. @throws ApiError */
  reset(): Promise<void>;
  /** Stops the platform unless other windows share it. */
  leave(): void;
}

/** Starts the platform. Rejects with the platform's explanation when it cannot start. */
export type PlatformProcess = () => Promise<StartedPlatform>;

export interface PlatformProcessOptions {
  /** Path of the bundled platform. */
  readonly script: string;
  /** Called at each start. */
  readonly dataDir: () => string;
  readonly port: () => number;
  /** Additional flags of the platform. Called at each start. Default: none. */
  readonly flags?: () => readonly string[];
  /** Called at each start. Without a key the platform creates one that lasts until it stops. */
  readonly apiKey?: () => Promise<string | undefined>;
  readonly log: Log;
}

/**
 * Runs the platform as a separate process on the editor's Node.js. The platform stops when the last window that uses it closes. If a
 * platform already uses the data directory, the new process joins it and announces its address. It also joins a platform with another
 * key, which another editor or a terminal started. That platform passes its key to a process that can read its lock.
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
  { script, dataDir, port, flags, log }: PlatformProcessOptions,
  apiKey: string | undefined,
): Promise<StartedPlatform> {
  const { child, ended, announced } = launchPlatform({
    script,
    flags: ['--port', String(port()), '--data-dir', dataDir(), ...(flags?.() ?? [])],
    apiKey,
    onLogLine: (line) => {
      // The editor can have disposed its log before the platform writes its last lines.
      if (!child.stdin.writableEnded) writeLine(log, line);
    },
  });
  const announcement = await announced;
  if (announcement instanceof PlatformStartError) throw startError(announcement.message, announcement.exitCode);
  const sharing = announcement.pid === child.pid ? '' : l10n.t(', shared with another window');
  // Loaded on first use, because the control API is large.
  const { createControlClient } = await import('../../client/controlClient.ts');
  const control = createControlClient({ connection: announcement, fetch: globalThis.fetch });
  log.info(`local platform: ${announcement.baseUrl}, process ${announcement.pid}${sharing}`);
  return {
    announcement,
    ended,
    stop: async () => {
      // A platform that does not respond stops when its stdin closes, unless other windows share it.
      await control.stopPlatform({}, { timeout: STOP_ANSWER_MS, retries: 0 }).catch(() => child.stdin.end());
      await ended;
    },
    reset: () => control.reset({}, { timeout: RESET_MS, retries: 0 }),
    leave: () => child.stdin.end(),
  };
}

function writeLine(log: Log, line: string): void {
  const entry = readLogLine(line);
  if (entry) log[entry.level](entry.text);
}

const { badFlag, portTaken, dataDirUnusable, dataDirInUse, dataDirVersion } = PLATFORM_EXIT_CODES;

/** Error of a failed start, with the platform's explanation and the exit code of its process. */
class StartError extends UserError {
  readonly exitCode: number | null;

  constructor(exitCode: number | null, ...[message, remedy]: ConstructorParameters<typeof UserError>) {
    super(message, remedy);
    this.exitCode = exitCode;
  }
}

/** Creates the error of a failed start, with a button that opens the setting to change or the log. */
function startError(reason: string, exitCode: number | null): StartError {
  const settings = { label: l10n.t('Open Settings'), command: 'workbench.action.openSettings' } as const;
  if (exitCode === badFlag) {
    const argument = 'cloudCompute.localPlatform';
    return new StartError(exitCode, shown`${reason}. Correct the setting of the same name.`, { ...settings, argument });
  }
  if (exitCode === portTaken) {
    const argument = 'cloudCompute.localPlatform.port';
    return new StartError(exitCode, shown`${reason}. Stop the other program, or change the port in the settings.`, {
      ...settings,
      argument,
    });
  }
  if (exitCode === dataDirUnusable || exitCode === dataDirInUse || exitCode === dataDirVersion) {
    const argument = 'cloudCompute.localPlatform.dataDirectory';
    return new StartError(exitCode, shown`${reason}. You can change the data directory in the settings.`, {
      ...settings,
      argument,
    });
  }
  return new StartError(exitCode, reason, { label: l10n.t('Show Log'), command: 'cloudCompute.localPlatform.openLog' });
}

/* Converts the platform's JSON log lines to text with a level. */

/** Members of every line. Other members describe the event. */
const Line = z.looseObject({ level: z.number(), msg: z.string().default(''), time: z.unknown() });
const Failure = z.looseObject({ message: z.string(), stack: z.string().optional() });

type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

interface LogEntry {
  readonly level: LogLevel;
  readonly text: string;
}

/** Parses a line of the platform's log. Returns its message and its other members as text, or undefined for an invalid line. */
export function readLogLine(line: string): LogEntry | undefined {
  const parsed = Line.safeParse(parseJson(line));
  if (!parsed.success) return undefined;
  const { level, msg, time, err, ...members } = parsed.data;
  const details = Object.entries(members).map(([name, value]) => `${name}=${plain(value)}`);
  const failure = Failure.safeParse(err).data;
  const text = [msg, ...details].filter((part) => part !== '').join(' ');
  return { level: levelOf(level), text: failure ? `${text}\n${failure.stack ?? failure.message}` : text };
}

function levelOf(level: number): LogLevel {
  if (level >= 50) return 'error';
  if (level >= 40) return 'warn';
  if (level >= 30) return 'info';
  return level >= 20 ? 'debug' : 'trace';
}

function plain(value: unknown): string {
  return typeof value === 'string' && !/\s|"/.test(value) ? value : JSON.stringify(value);
}

/** The part of the editor's secret storage that this module uses. Either call rejects when the keyring is locked or missing. */
interface Secrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, text: string): PromiseLike<void>;
}

const SECRET = 'cloudCompute.localPlatform.key';

/**
 * Returns the API key of the local platform. The key is created once. All windows of this editor share it, so that they can share one
 * platform. Undefined when the secret storage fails; the platform then creates a key that lasts until it stops.
 */
export async function localPlatformKey(secrets: Secrets): Promise<string | undefined> {
  try {
    const stored = await secrets.get(SECRET);
    if (stored !== undefined && stored !== '') return stored;
    const fresh = randomBytes(24).toString('base64url');
    await secrets.store(SECRET, fresh);
    // Several windows can create a key at the same time. All of them use the key that was stored last.
    return (await secrets.get(SECRET)) ?? fresh;
  } catch {
    return undefined;
  }
}
