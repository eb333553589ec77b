import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import { askForText, type Verdict } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { describeMoment, timeIn, type TimeSpan } from '../model/moments.ts';
import type { LineFormat } from './model/pageText.ts';

/** Asks for a time and shows how it is read. Resolves with ms since the epoch, or undefined if the user dismissed the input. */
export async function askForTime(
  span: TimeSpan | undefined,
  clock: Pick<Clock, 'now'>,
  { timestamps, timeZone }: LineFormat,
): Promise<number | undefined> {
  if (!span) throw new UserError(l10n.t('the log has no lines'));
  const zone = timestamps === 'utc' ? 'UTC' : timeZone;
  const describe = (at: number) => describeMoment(Math.floor(at / 1000) * 1000, clock.now(), zone);
  const text = await askForText({
    title: l10n.t('Go to Time'),
    prompt: shown`The log is from ${describe(span.from)} to ${describe(span.to)}. Examples: 14:05, 10 min ago, 2026-11-22 14:05`,
    value: '',
    validate: (typed) => verdictOn(typed, timeIn(typed, span, clock.now(), zone), span, describe),
  });
  return text === undefined ? undefined : timeIn(text, span, clock.now(), zone);
}

function verdictOn(
  text: string,
  at: number | undefined,
  { from, to }: TimeSpan,
  describe: (at: number) => string,
): Verdict {
  if (text.trim() === '') return undefined;
  if (at === undefined) return l10n.t('Enter a time such as 14:05, 10 min ago, or 2026-11-22 14:05');
  const place = at < from ? l10n.t(', before the first line') : at > to ? l10n.t(', after the last line') : '';
  return { message: shown`Go to ${describe(at)}${place}`, severity: vscode.InputBoxValidationSeverity.Info };
}
