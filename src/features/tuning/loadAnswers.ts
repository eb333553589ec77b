import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { number, object, oneOf, text, type ValueOf } from '../../kit/smallSchema.ts';
import { UserError } from '../../kit/userError.ts';
import { shown } from '../../text/shownText.ts';
import { parseRates } from '../load/model/arrivals.ts';
import { givenTime, type Times } from './model/times.ts';
import { loadOfFile, loadOfPattern, PATTERN_SECONDS, type CompleteLoad, type TunedLoad } from './model/tunedLoad.ts';

/** Largest file of arrivals, in bytes. */
const MAX_FILE = 64 * 1_048_576;

const Source = object({ kind: oneOf('measured', 'pattern', 'file') }, { value: text });
/** Where the load comes from. `value` is the text of a pattern, or the URI of a file. */
export type LoadSource = ValueOf<typeof Source>;

/** What the user answered about a load. Times are in seconds, and absent if they were measured, or if there is no resume time. */
export const LoadAnswers = object({ source: Source }, { execution: number, coldStart: number, resume: number });
export type LoadAnswers = ValueOf<typeof LoadAnswers>;

/**
 * Returns the load of a source, with the times that it knows.
 *
 * @param measured the load of the endpoint, if it has one
 * @throws UserError if the source has no arrivals
 */
export async function readSource(
  { kind, value = '' }: LoadSource,
  measured: TunedLoad | undefined,
): Promise<TunedLoad> {
  if (kind === 'file') return readFile(vscode.Uri.parse(value));
  const rates = parseRates(value);
  const load =
    kind === 'measured'
      ? measured
      : rates && loadOfPattern({ kind: 'rate', ...rates, seconds: PATTERN_SECONDS, seed: 1 });
  if (!load) throw new UserError(l10n.t('the measured load is no longer available'));
  return load;
}

async function readFile(uri: vscode.Uri): Promise<TunedLoad> {
  const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  if ((await vscode.workspace.fs.stat(uri)).size > MAX_FILE) throw new UserError(shown`${name} is too large`);
  const load = loadOfFile(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  if ('problem' in load) throw new UserError(shown`${name}: ${load.problem}`);
  return load;
}

/**
 * Returns the load that the answers of the user describe.
 *
 * @throws UserError if the source has no arrivals, or if a time is neither measured nor answered
 */
export async function loadOfAnswers(
  { source, ...answers }: LoadAnswers,
  measured: TunedLoad | undefined,
): Promise<CompleteLoad> {
  const load = await readSource(source, measured);
  const executions = timesOf(answers.execution) ?? load.executions ?? measured?.executions;
  const coldStarts = timesOf(answers.coldStart) ?? load.coldStarts ?? measured?.coldStarts;
  const resumes = timesOf(answers.resume);
  if (!executions || !coldStarts) throw new UserError(l10n.t('the measured load is no longer available'));
  return { arrivals: load.arrivals, executions, coldStarts, ...(resumes && { resumes }) };
}

function timesOf(seconds: number | undefined): Times | undefined {
  return seconds === undefined ? undefined : givenTime(seconds);
}
