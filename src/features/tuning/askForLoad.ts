import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { askForText, pick, type ShownItem } from '../../kit/quickInput.ts';
import { duration } from '../../text/quantities.ts';
import { safe, shown, type ShownText } from '../../text/shownText.ts';
import { parseRates } from '../load/model/arrivals.ts';
import { readSource, type LoadAnswers, type LoadSource } from './loadAnswers.ts';
import type { TunedLoad } from './model/tunedLoad.ts';

const MAX_SECONDS = 86_400;

interface LoadItem extends ShownItem {
  readonly choice: 'measured' | 'pattern' | 'file';
}

/**
 * Asks for the load, and for the times that were not measured.
 *
 * @param measured the load of the endpoint, if it has one
 * @returns undefined if the user dismissed a question
 * @throws UserError if a file has no arrivals
 */
export async function askForLoad(name: string, measured: TunedLoad | undefined): Promise<LoadAnswers | undefined> {
  const source = await chooseSource(name, measured);
  if (!source) return undefined;
  const load = await readSource(source, measured);
  const isKnown = (times: 'executions' | 'coldStarts') => (load[times] ?? measured?.[times]) !== undefined;
  const execution = isKnown('executions')
    ? undefined
    : await askForTime(
        shown`Scaling of “${name}”: Execution Time`,
        l10n.t('Execution time of a job, in seconds. It was not measured, and the result says that it is assumed.'),
      );
  if (execution === undefined && !isKnown('executions')) return undefined;
  const coldStart = isKnown('coldStarts')
    ? undefined
    : await askForTime(
        shown`Scaling of “${name}”: Cold Start`,
        l10n.t(
          'Time until a new worker is ready, in seconds. It was not measured, and the result says that it is assumed.',
        ),
      );
  if (coldStart === undefined && !isKnown('coldStarts')) return undefined;
  const resume = await askForResume(name);
  return resume === undefined
    ? undefined
    : { source, execution, coldStart, resume: resume === 'none' ? undefined : resume };
}

async function chooseSource(name: string, measured: TunedLoad | undefined): Promise<LoadSource | undefined> {
  const items: readonly LoadItem[] = [
    ...(measured ? [measuredItem(measured)] : []),
    {
      label: shown`$(graph-line) Rate…`,
      detail: l10n.t('Jobs per second, constant, growing, or at random times'),
      choice: 'pattern',
    },
    {
      label: shown`$(file) Recorded Arrivals…`,
      detail: l10n.t('A file with a time on each line, or the report of a load test'),
      choice: 'file',
    },
  ];
  const chosen = await pick(items, {
    placeholder: measured
      ? shown`Load of “${name}”`
      : shown`Load of “${name}”. No job of it is known, so nothing was measured.`,
  });
  switch (chosen?.choice) {
    case 'measured':
      return { kind: 'measured' };
    case 'pattern':
      return askForPattern(name);
    case 'file':
      return chooseFile();
    case undefined:
      return undefined;
  }
}

function measuredItem({ arrivals: { ms, durationMs, origin } }: TunedLoad): LoadItem {
  const time = duration(durationMs / 1_000);
  const isOwn = origin === 'ownJobs';
  return {
    label: isOwn ? shown`$(history) Jobs That You Ran` : shown`$(history) Measured Load`,
    description: ms.length === 1 ? shown`1 job in ${time}` : shown`${ms.length} jobs in ${time}`,
    ...(isOwn && { detail: l10n.t('Jobs of other clients are not known, because the platform does not measure.') }),
    choice: 'measured',
  };
}

async function askForPattern(name: string): Promise<LoadSource | undefined> {
  const answer = await askForText({
    title: shown`Scaling of “${name}”: Rate`,
    prompt: l10n.t('Jobs per second, such as 0.5, 1-5 for a rate that grows, or 0.5 random for random times.'),
    value: '0.5 random',
    validate: (text) => (parseRates(text) ? undefined : l10n.t('Enter a rate, such as 0.5, 1-5, or 0.5 random')),
  });
  return answer === undefined ? undefined : { kind: 'pattern', value: answer };
}

async function chooseFile(): Promise<LoadSource | undefined> {
  const [uri] = (await vscode.window.showOpenDialog({ title: safe(l10n.t('Recorded Arrivals')) })) ?? [];
  return uri && { kind: 'file', value: uri.toString() };
}

/** Returns seconds. */
async function askForTime(title: ShownText, prompt: string): Promise<number | undefined> {
  const answer = await askForText({
    ...{ title, prompt, value: '' },
    validate: (text) => (parseSeconds(text) === undefined ? l10n.t('Enter seconds, such as 1.5') : undefined),
  });
  return answer === undefined ? undefined : parseSeconds(answer);
}

/** Resolves with seconds, or with undefined if the user dismissed the question. */
async function askForResume(name: string): Promise<number | 'none' | undefined> {
  const answer = await askForText({
    title: shown`Scaling of “${name}”: FlashBoot`,
    prompt: l10n.t(
      'Time until a worker of FlashBoot is ready again, in seconds. Leave it empty to keep FlashBoot as it is.',
    ),
    value: '',
    validate: (text) =>
      text.trim() === '' || parseSeconds(text) !== undefined ? undefined : l10n.t('Enter seconds, such as 1.5'),
  });
  return answer === undefined ? undefined : (parseSeconds(answer) ?? 'none');
}

function parseSeconds(text: string): number | undefined {
  const seconds = /^\d{1,5}(\.\d{1,4})?$/.test(text.trim()) ? Number(text) : NaN;
  return seconds >= 0 && seconds <= MAX_SECONDS ? seconds : undefined;
}
