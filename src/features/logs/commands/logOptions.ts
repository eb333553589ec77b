import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { askForText, pick, type ShownItem } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import { backfillText, changeLogSetting, viewOptions, type LogSetting } from '../logSettings.ts';
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

function options(): readonly Option[] {
  const view = viewOptions();
  return [
    {
      ...{ setting: 'source', label: l10n.t('Source'), current: view.source },
      choices: [
        { label: l10n.t('Both'), description: l10n.t('output of the worker and messages of its host'), value: 'both' },
        { label: l10n.t('Container'), description: l10n.t('output of the worker'), value: 'container' },
        { label: l10n.t('System'), description: l10n.t('messages of the host'), value: 'system' },
      ],
    },
    {
      ...{ setting: 'minimumLevel', label: l10n.t('Minimum level'), current: view.minimumLevel },
      choices: LOG_LEVELS.map((level) => ({
        label: level,
        ...(level === 'info' && { description: l10n.t('also shows lines without a level') }),
        value: level,
      })),
    },
    {
      ...{ setting: 'timestamps', label: l10n.t('Timestamps'), current: view.timestamps },
      choices: [
        { label: l10n.t('Local'), description: l10n.t('in the time zone of this machine'), value: 'local' },
        { label: 'UTC', value: 'utc' },
        { label: l10n.t('Off'), value: 'off' },
      ],
    },
  ];
}

/** Lets the user change one option of logs. */
export async function changeLogOptions(now: number): Promise<void> {
  const all = options();
  const past = { label: l10n.t('Past lines'), description: backfillText(), option: undefined };
  const items = [...all.map((option) => ({ label: option.label, description: option.current, option })), past];
  const chosen = await pick(items, { title: l10n.t('Log Options'), placeholder: l10n.t('Option to change') });
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
    title: l10n.t('Past Lines'),
    prompt: l10n.t('Number of past lines (0 to 5000), or a time: 10 min ago, 14:05, 2026-11-22 14:05'),
    value,
    validate: (typed) => {
      const parsed = parseBackfill(typed, now);
      if (!parsed) return l10n.t('Enter a number from 0 to 5000, or a time such as 10 min ago.');
      if (!('since' in parsed)) return undefined;
      return {
        message: shown`Since ${describeMoment(parsed.since, now)}`,
        severity: vscode.InputBoxValidationSeverity.Info,
      };
    },
  });
  return text?.trim();
}
