import * as vscode from 'vscode';
import * as z from 'zod';
import { LOG_LEVELS } from './model/logLevel.ts';
import {
  DEFAULT_BACKFILL,
  parseBackfill,
  SOURCE_CHOICES,
  type Backfill,
  type LogViewOptions,
} from './model/logOptions.ts';
import { TIMESTAMP_MODES } from './model/logClock.ts';

/* Settings of logs. An invalid value counts as the default. */

const SECTION = 'cloudCompute.logs';

/** Settings of how a log is shown. */
const VIEW_SETTINGS = ['source', 'timestamps', 'minimumLevel'] as const;

const ViewOptions = z.object({
  source: z.enum(SOURCE_CHOICES).catch('both'),
  timestamps: z.enum(TIMESTAMP_MODES).catch('local'),
  minimumLevel: z.enum(LOG_LEVELS).catch('trace'),
});

export type LogSetting = (typeof VIEW_SETTINGS)[number] | 'backfill';

const settings = () => vscode.workspace.getConfiguration(SECTION);

export function viewOptions(): LogViewOptions {
  const configuration = settings();
  return ViewOptions.parse(Object.fromEntries(VIEW_SETTINGS.map((name) => [name, configuration.get(name)])));
}

/**
 * Returns the lines with which a new log begins. A number counts only lines that the log shows.
 *
 * @param now ms since the epoch
 * @param text default: that of the settings
 */
export function backfill(now: number, text = backfillText()): Backfill {
  const parsed = parseBackfill(text, now) ?? { tail: DEFAULT_BACKFILL };
  const { source } = viewOptions();
  return 'tail' in parsed && source !== 'both' ? { ...parsed, source } : parsed;
}

/** Returns the backfill as it is written in the settings. */
export function backfillText(): string {
  return String(settings().get<unknown>('backfill', DEFAULT_BACKFILL));
}

/** Changes a setting for all workspaces. */
export async function changeLogSetting(name: LogSetting, value: unknown): Promise<void> {
  await settings().update(name, value, vscode.ConfigurationTarget.Global);
}

/** Calls a listener after a setting of how a log is shown has changed. */
export function onDidChangeViewOptions(listener: () => unknown): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (VIEW_SETTINGS.some((name) => change.affectsConfiguration(`${SECTION}.${name}`))) listener();
  });
}
