import * as vscode from 'vscode';
import { askForText, pick, type ShownItem } from '../../../vscode/quickInput.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import { backfillText, changeLogSetting, pausesHidden, viewOptions, type LogSetting } from '../logSettings.ts';
import { LOG_LEVELS } from '../model/logLevel.ts';
import { parseBackfill } from '../model/logOptions.ts';
import { describeMoment } from '../model/moments.ts';

interface Choice extends ShownItem {
  readonly value: unknown;
}

interface Option {
  readonly setting: LogSetting;
  readonly label: string;
  readonly current: string;
  readonly choices: readonly Choice[];
}

const onOff = (on: string, off: string): readonly Choice[] => [
  { label: 'On', description: on, value: true },
  { label: 'Off', description: off, value: false },
];

function options(): readonly Option[] {
  const view = viewOptions();
  return [
    {
      ...{ setting: 'source', label: 'Source', current: view.source },
      choices: [
        { label: 'Both', description: 'output of the worker and messages of its host', value: 'both' },
        { label: 'Container', description: 'output of the worker', value: 'container' },
        { label: 'System', description: 'messages of the host', value: 'system' },
      ],
    },
    {
      ...{ setting: 'minimumLevel', label: 'Minimum level', current: view.minimumLevel },
      choices: LOG_LEVELS.map((level) => ({
        label: level,
        ...(level === 'info' && { description: 'also shows lines without a level' }),
        value: level,
      })),
    },
    {
      ...{ setting: 'timestamps', label: 'Timestamps', current: view.timestamps },
      choices: [
        { label: 'Local', description: 'in the time zone of this machine', value: 'local' },
        { label: 'UTC', value: 'utc' },
        { label: 'Off', value: 'off' },
      ],
    },
    {
      ...{ setting: 'workerPrefix', label: 'Worker prefix', current: view.workerPrefix ? 'on' : 'off' },
      choices: onOff('lines of several workers begin with a short tag', 'lines have no tag'),
    },
    {
      ...{
        setting: 'collapseRepeats',
        label: 'Repeated lines',
        current: view.collapseRepeats ? 'collapsed' : 'all shown',
      },
      choices: [
        { label: 'Collapse', description: 'shows a line three times, then a count', value: true },
        { label: 'Show All', value: false },
      ],
    },
    {
      ...{ setting: 'pauseHidden', label: 'Hidden logs', current: pausesHidden() ? 'paused' : 'followed' },
      choices: [
        { label: 'Pause', description: 'continues after the last line when the log is shown', value: true },
        { label: 'Follow', description: 'keeps the streams open', value: false },
      ],
    },
  ];
}

/** Lets the user change one option of logs. */
export async function changeLogOptions(now: number): Promise<void> {
  const all = options();
  const past = { label: 'Past lines', description: backfillText(), option: undefined };
  const items = [...all.map((option) => ({ label: option.label, description: option.current, option })), past];
  const chosen = await pick(items, { title: 'Log Options', placeholder: 'Option to change' });
  if (!chosen) return;
  if (!chosen.option) {
    await changeBackfill(now);
    return;
  }
  const { option } = chosen;
  const value = await pick(option.choices, { title: option.label, placeholder: shown`Now: ${option.current}` });
  if (value) await changeLogSetting(option.setting, value.value);
}

async function changeBackfill(now: number): Promise<void> {
  const text = await askBackfill(now, backfillText());
  if (text !== undefined) await changeLogSetting('backfill', /^\d+$/.test(text) ? Number(text) : text);
}

/** Asks for the lines with which a log begins. Returns valid text, or undefined if the user cancels. */
export async function askBackfill(now: number, value: string): Promise<string | undefined> {
  const text = await askForText({
    title: 'Past Lines',
    prompt: 'Number of past lines (0 to 5000), or a time: 10 min ago, 14:05, 2026-11-22 14:05',
    value,
    validate: (typed) => {
      const parsed = parseBackfill(typed, now);
      if (!parsed) return 'Enter a number from 0 to 5000, or a time such as 10 min ago.';
      if (!('since' in parsed)) return undefined;
      return {
        message: shown`Since ${describeMoment(parsed.since, now)}`,
        severity: vscode.InputBoxValidationSeverity.Info,
      };
    },
  });
  return text?.trim();
}
