import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { JOB_FILE_SUFFIX } from '../../contract/jobFile.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import { mayRunOn } from '../../account/consent/confirmHosted.ts';
import type { Reports } from '../../kit/documents/reports.ts';
import { showMarkdown } from '../../kit/showDocuments.ts';
import { confirmed } from '../../kit/messages.ts';
import { withLateProgress, withProgress } from '../../kit/progress.ts';
import { pick, askForText } from '../../kit/quickInput.ts';
import { UserError } from '../../kit/userError.ts';
import { shown, type ShownText } from '../../text/shownText.ts';
import { jobOfFile, type Jobs } from '../jobs/index.ts';
import type { RequestFileReader } from '../requests/index.ts';
import { requestsOf } from './actions/fileRequests.ts';
import { type LoadTarget, JobTarget, RequestTarget } from './actions/loadTarget.ts';
import { planLoad, runLoadTest, type PlannedLoad, capProblem } from './actions/loadTest.ts';
import type { LoadSettings, LoadStore } from './loadStore.ts';
import { compareReports } from './model/comparison.ts';
import type { LoadReport } from './model/report.ts';
import { latencyWords, profileWords, progressWords, reportDocument } from './model/words.ts';
import { precise } from '../../account/prices/money.ts';
import { parseRates, ratesText } from './model/arrivals.ts';

/** Longest wait for results after the last arrival, in ms. */
const DRAIN_MS = 60_000;

export interface LoadContext {
  readonly services: Jobs['services'];
  readonly store: LoadStore;
  readonly reports: Reports;
  readonly readRequests: RequestFileReader;
}

/** A file whose job or requests are sent. */
interface Source {
  readonly noun: 'job' | 'request';
  readonly endpointId: string;
  readonly target: (client: Client, plan: PlannedLoad) => LoadTarget;
}

/**
 * Asks for the load, sends it, and opens the report. Cancel ends the arrivals, and the results of those in flight are waited for.
 *
 * @param args arguments of the command: the address of a job file or a request file, and the index of a request; or nothing
 */
export async function loadTestCommand(context: LoadContext, args: readonly unknown[]): Promise<void> {
  const { services, store, reports } = context;
  const { client, profile } = requireConnection(services.connections);
  const uri = fileOf(args[0]);
  const source = await readSource(context, uri, args[1]);
  if (!source) return;
  const { endpointId } = source;
  const { name } = await client.getEndpoint({ id: endpointId });
  const saved = store.reports(profile.id, endpointId);
  const last = store.settings(profile.id, endpointId) ?? DEFAULT_SETTINGS;
  const choice = saved.length === 0 ? 'new' : await chooseDeed(name, saved, last);
  if (choice === undefined) return;
  if (choice === 'compare') return compareSaved(reports, name, saved);
  const settings = choice === 'repeat' ? last : await askForRate(name, last);
  if (!settings) return;
  const plan = await withLateProgress(services.clock, shown`Reading prices of “${name}”…`, (signal) =>
    planLoad(
      {
        ...{ client, endpointId, isLocal: profile.kind === 'local', profile: profileOf(settings), drainMs: DRAIN_MS },
        secondsPerArrival: knownSeconds(context, profile.id, endpointId, saved),
      },
      signal,
    ),
  );
  const cap = await askForCap(plan, settings.cap);
  if (cap === undefined) return;
  const chosen = { ...settings, cap: cap === 'none' ? undefined : cap };
  await store.keep(profile.id, endpointId, chosen);
  const count = Math.max(1, Math.round(plan.arrivals));
  const paid = { endpointName: name, count, noun: source.noun, price: plan.pricePerHour };
  if (!(await mayRunOn(services.context.workspaceState, profile, paid))) return;
  const names = { file: path.posix.basename(uri.path), platform: profile.name };
  const report = await run(plan, source, { cap: chosen.cap, names });
  await store.add(profile.id, report);
  const earlier = saved.find((one) => one.file === report.file && compareReports(one, report).isAlike);
  await show(reports, report, earlier);
}

interface RunNames {
  readonly cap: number | undefined;
  readonly names: { readonly file: string; readonly platform: string };
}

/** Runs a load test with visible percentiles. */
async function run(plan: PlannedLoad, source: Source, { cap, names }: RunNames): Promise<LoadReport> {
  const { name } = plan.endpoint;
  const { signal: never } = new AbortController();
  const title = shown`Load test of “${name}”`;
  return withProgress({ title, location: vscode.ProgressLocation.Notification }, (signal, report) =>
    runLoadTest(plan, {
      ...{ cap, names, thresholds: [], target: source.target(plan.client, plan), drain: signal, stop: never },
      cancelsRest: (rest) =>
        source.noun === 'job' &&
        confirmed(
          rest === 1 ? shown`Cancel 1 job of “${name}”?` : shown`Cancel ${rest} jobs of “${name}”?`,
          l10n.t('They have no result yet. Otherwise, they continue on the platform.'),
          l10n.t('Cancel Jobs'),
        ),
      onProgress: (progress) => report(progressWords(progress)),
    }),
  );
}

/** Returns the file that the command acts on: its argument, or the file in the active editor. */
function fileOf(argument: unknown): vscode.Uri {
  const document = vscode.window.activeTextEditor?.document;
  const uri = argument instanceof vscode.Uri ? argument : document?.uri;
  if (uri && (isJob(uri) || uri.path.endsWith('.http') || document?.languageId === 'http')) return uri;
  throw new UserError(l10n.t('no job file or request file is open'), {
    label: l10n.t('New Job File…'),
    command: 'cloudCompute.jobs.newFile',
  });
}

function isJob(uri: vscode.Uri): boolean {
  return uri.path.endsWith(JOB_FILE_SUFFIX);
}

async function readSource(context: LoadContext, uri: vscode.Uri, index: unknown): Promise<Source | undefined> {
  const { services, readRequests } = context;
  if (isJob(uri)) {
    const job = await jobOfFile(services, uri);
    if (!job) return undefined;
    const { id } = job.snapshot.endpoint;
    return { noun: 'job', endpointId: id, target: (client) => new JobTarget(client, id, job.body) };
  }
  const { endpointId, next } = await requestsOf({
    ...(await readRequests(uri)),
    index: typeof index === 'number' ? index : undefined,
    clock: services.clock,
  });
  return {
    noun: 'request',
    endpointId,
    target: (client, { endpoint }) => new RequestTarget(client, next, endpoint.timeout),
  };
}

function profileOf({ rate, rampTo, seconds, arrivals }: LoadSettings) {
  return { kind: 'rate', rate, rampTo, seconds, arrivals, seed: 1 } as const;
}

/** Returns the time of a worker for one arrival, in seconds: that of the latest report, or the mean of the jobs of this editor. */
function knownSeconds(
  { services }: LoadContext,
  connectionId: string,
  endpointId: string,
  saved: readonly LoadReport[],
): number | undefined {
  const measured = saved.find(({ execution }) => execution.mean !== undefined)?.execution.mean;
  const times = services.history
    .recent(connectionId)
    .filter((job) => job.endpointId === endpointId && job.status === 'COMPLETED')
    .flatMap(({ executionTime }) => executionTime ?? []);
  const ms = measured ?? (times.length === 0 ? undefined : times.reduce((sum, time) => sum + time, 0) / times.length);
  return ms === undefined ? undefined : ms / 1_000;
}

/** Asks whether to repeat the last load, to send another one, or to compare earlier ones. */
async function chooseDeed(name: string, saved: readonly LoadReport[], last: LoadSettings) {
  const items = [
    { label: shown`$(play) Repeat the Last Load`, description: profileWords(profileOf(last)), deed: 'repeat' },
    { label: shown`$(edit) Another Load…`, deed: 'new' },
    {
      label: shown`$(diff) Compare with Earlier Report…`,
      description: saved.length === 1 ? l10n.t('1 report') : l10n.t`${saved.length} reports`,
      deed: 'compare',
    },
  ] as const;
  return (await pick(items, { title: shown`Load Test of “${name}”`, placeholder: l10n.t('Load test') }))?.deed;
}

/** Opens a saved report, compared with an earlier one. */
async function compareSaved(reports: Reports, name: string, saved: readonly LoadReport[]): Promise<void> {
  const title = shown`Compare Load Tests of “${name}”`;
  const later = await pickReport(saved, { title, placeholder: l10n.t('Report to open') });
  if (!later) return;
  const before = saved.filter(({ startedAt }) => startedAt < later.startedAt);
  if (before.length === 0) return show(reports, later);
  const earlier = await pickReport(before, { title, placeholder: l10n.t('Earlier report to compare with') });
  if (earlier) await show(reports, later, earlier);
}

async function pickReport(saved: readonly LoadReport[], texts: Parameters<typeof pick>[1]) {
  const items = saved.map((report) => ({
    label: new Date(report.startedAt).toLocaleString(),
    description: report.file,
    detail: `${profileWords(report.profile)}, p50 ${latencyWords(report.latency.p50)}, p99 ${latencyWords(report.latency.p99)}`,
    report,
  }));
  return (await pick(items, texts))?.report;
}

function show(reports: Reports, report: LoadReport, earlier?: LoadReport): Promise<void> {
  return showMarkdown(reports.add(l10n.t`Load test of ${report.endpoint.name}`, reportDocument(report, earlier)));
}

const MAX_SECONDS = 604_800;
const DEFAULT_SETTINGS: LoadSettings = { rate: 1, rampTo: 1, seconds: 60, arrivals: 'constant' };

/** Asks for the rate and the duration. Undefined if the user dismissed a question. */
async function askForRate(name: string, last: LoadSettings): Promise<LoadSettings | undefined> {
  const rates = await askForText({
    title: shown`Load Test of “${name}”: Rate`,
    prompt: l10n.t(
      'Arrivals per second, such as 5, 5-50 for a rate that grows, or 5 random for random times. They do not wait for results.',
    ),
    value: ratesText(last),
    validate: (text) => (parseRates(text) ? undefined : l10n.t('Enter a rate, such as 5, 5-50, or 5 random')),
  });
  const read = rates === undefined ? undefined : parseRates(rates);
  if (!read) return undefined;
  const time = await askForText({
    title: shown`Load Test of “${name}”: Duration`,
    prompt: l10n.t('Seconds with arrivals'),
    value: String(last.seconds),
    validate: (text) => (parseSeconds(text) === undefined ? l10n.t('Enter seconds, such as 60') : undefined),
  });
  const duration = time === undefined ? undefined : parseSeconds(time);
  return duration === undefined ? undefined : { ...last, ...read, seconds: duration };
}

/** Asks for the cap on the costs, in USD. `none`: the user wants no cap. Undefined if the user dismissed the question. */
async function askForCap(plan: PlannedLoad, last: number | undefined): Promise<number | 'none' | undefined> {
  const { estimate, endpoint } = plan;
  const estimated = estimate === undefined ? l10n.t('unknown') : l10n.t`up to ${precise(estimate)}`;
  const answer = await askForText({
    title: shown`Load Test of “${endpoint.name}”: Cost Cap`,
    prompt: shown`Maximum cost in US dollars. Leave it empty for no cap. The estimated cost is ${estimated}.`,
    value: last === undefined ? '' : String(last),
    validate: (text) => capError(plan, text),
  });
  if (answer === undefined) return undefined;
  return parseCap(answer) ?? 'none';
}

function capError(plan: PlannedLoad, text: string): ShownText | string | undefined {
  if (text.trim() === '') return undefined;
  const cap = parseCap(text);
  if (cap === undefined) return l10n.t('Enter an amount, such as 2.50');
  switch (capProblem(plan, cap)) {
    case 'unknownPrice':
      return l10n.t('The price is not known, so the cost cannot be capped');
    case 'estimateExceedsCap':
      return shown`The estimated cost (${precise(plan.estimate ?? 0)}) exceeds this cap`;
    default:
      return undefined;
  }
}

function parseSeconds(text: string): number | undefined {
  const seconds = /^\d{1,6}$/.test(text.trim()) ? Number(text) : NaN;
  return seconds >= 1 && seconds <= MAX_SECONDS ? seconds : undefined;
}

function parseCap(text: string): number | undefined {
  const [, amount] = /^\$?(\d{1,9}(?:\.\d{1,9})?)$/.exec(text.trim()) ?? [];
  return amount === undefined ? undefined : Number(amount);
}
