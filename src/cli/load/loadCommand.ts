import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { listAll } from '../../client/listAll.ts';
import { JOB_FILE_SUFFIX } from '../../contract/jobFile.ts';
import { precise } from '../../account/prices/money.ts';
import { requestsOf } from '../../features/load/actions/fileRequests.ts';
import { type LoadTarget, JobTarget, RequestTarget } from '../../features/load/actions/loadTarget.ts';
import { capProblem, planLoad, runLoadTest, type PlannedLoad } from '../../features/load/actions/loadTest.ts';
import type { LoadProfile } from '../../features/load/model/arrivals.ts';
import { compareReports } from '../../features/load/model/comparison.ts';
import { readReport, type LoadReport } from '../../features/load/model/report.ts';
import { parseThreshold, type Threshold } from '../../features/load/model/threshold.ts';
import { readTrace } from '../../features/load/model/trace.ts';
import { progressWords, reportTables, thresholdValue, type ReportTable } from '../../features/load/model/words.ts';
import { readJobFile } from '../../features/jobs/model/checkJobFile.ts';
import { lineAndColumn, sizeProblem } from '../../features/jobs/model/jobInput.ts';
import { routeEndpointOf } from '../../features/requests/actions/testRequest.ts';
import { parseHttpFile } from '../../features/requests/model/parseHttpFile.ts';
import { UserError } from '../../kit/userError.ts';
import { dataSize } from '../../text/quantities.ts';
import { withoutControls } from '../../text/shownText.ts';
import { endpointNamed, endpointBeside } from '../connection/endpointNamed.ts';
import { withSession, type ConnectionOptions, type Session } from '../connection/openSession.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { filesBeside } from '../localFiles.ts';

export interface LoadFlags extends ConnectionOptions {
  readonly file: string;
  /** Name or ID. Undefined: the one that the file names, or that of the manifest beside a job file. */
  readonly endpoint?: string | undefined;
  /** Per second. */
  readonly rate: number;
  readonly rampTo?: number | undefined;
  /** In seconds. */
  readonly duration: number;
  readonly arrivals: 'constant' | 'poisson';
  readonly seed: number;
  /** File with recorded arrivals, which replaces the rate. */
  readonly trace?: string | undefined;
  /** In USD. */
  readonly maxCost?: number | undefined;
  readonly threshold?: readonly string[] | undefined;
  /** In seconds. */
  readonly drain: number;
  readonly cancelRest: boolean;
  readonly report?: string | undefined;
  /** File of an earlier report. */
  readonly compare?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Runs a load test, and prints its report. @throws CannotRunError if it could not run */
export async function loadCommand(flags: LoadFlags, surroundings: Surroundings): Promise<number> {
  const thresholds = (flags.threshold ?? []).map(thresholdOf);
  const profile = await profileOf(flags);
  const earlier = flags.compare === undefined ? undefined : await reportIn(flags.compare);
  try {
    return await withSession(flags, surroundings, async (session) => {
      const loaded = await readSource(flags, session, surroundings.signal);
      const subject = {
        ...{ client: session.client, endpointId: loaded.endpointId, isLocal: session.isLocal, profile },
        drainMs: flags.drain * 1_000,
        secondsPerArrival: secondsOf(earlier),
      };
      const plan = await planLoad(subject, surroundings.signal);
      tellEstimate(plan, flags, surroundings);
      const report = await runPlanned(plan, loaded.target(plan), { flags, thresholds, session, surroundings });
      await print(report, earlier, flags, surroundings);
      return codeOf(report, surroundings);
    });
  } catch (error) {
    if (error instanceof CannotRunError) throw new CannotRunError(error.message, EXIT_CODES.cannotLoad);
    if (error instanceof UserError) throw new CannotRunError(`${flags.file}: ${error.message}`, EXIT_CODES.cannotLoad);
    throw error;
  }
}

interface Source {
  readonly endpointId: string;
  readonly target: (plan: PlannedLoad) => LoadTarget;
}

/** Reads the job file or the request file. */
async function readSource(flags: LoadFlags, session: Session, signal: AbortSignal): Promise<Source> {
  const text = await textOf(flags.file);
  if (flags.file.endsWith(JOB_FILE_SUFFIX)) return readJob(text, flags, session, signal);
  if (!flags.file.endsWith('.http'))
    throw cannot(`${flags.file} is neither a job file (*.job.json) nor a request file (*.http)`);
  const { client } = session;
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal });
  const named = flags.endpoint === undefined ? undefined : await endpointNamed(session, flags.endpoint, signal);
  const { endpointId, next } = await requestsOf({
    file: parseHttpFile(text),
    files: filesBeside(pathToFileURL(path.resolve(flags.file)).href),
    context: {
      endpoints: endpoints.map((endpoint) => routeEndpointOf(client, endpoint)),
      ...{ defaultEndpoint: named?.id, random: Math.random },
    },
    clock: client.context.clock,
  });
  return { endpointId, target: ({ endpoint }) => new RequestTarget(client, next, endpoint.timeout) };
}

async function readJob(text: string, flags: LoadFlags, session: Session, signal: AbortSignal): Promise<Source> {
  const read = readJobFile(text);
  if (!read.file) {
    const { line, column } = lineAndColumn(text, read.offset);
    throw cannot(`${flags.file}:${line}:${column}: ${read.problem}`);
  }
  const problem = sizeProblem(read.body, 'run');
  if (problem) throw cannot(`the request (${dataSize(problem.bytes)}) is larger than ${dataSize(problem.limit)}`);
  const wanted = flags.endpoint ?? read.file.endpoint ?? (await endpointBeside(flags.file, signal));
  if (wanted === undefined)
    throw cannot(
      'the job file names no endpoint, and no manifest belongs to it: use --endpoint, or add the property endpoint to the file',
    );
  const { id, name, type } = await endpointNamed(session, wanted, signal);
  if (type === 'LOAD_BALANCER') throw cannot(`${name} is load-balanced: it takes HTTP requests instead of jobs`);
  return { endpointId: id, target: () => new JobTarget(session.client, id, read.body) };
}

/** Tells what the load test costs. @throws CannotRunError if the cap forbids it */
function tellEstimate(plan: PlannedLoad, { maxCost }: LoadFlags, { tell }: Surroundings): void {
  const { estimate, arrivals, endpoint } = plan;
  const words = estimate === undefined ? 'an unknown price' : `an estimated cost of up to ${precise(estimate)}`;
  tell(`sending ${Math.round(arrivals)} jobs or requests to ${endpoint.name}, at ${words}`);
  const problem = capProblem(plan, maxCost);
  if (problem === 'unknownPrice') throw cannot('the price is not known, so --max-cost cannot be kept');
  if (problem !== undefined && estimate !== undefined)
    throw cannot(
      `the estimated cost (${precise(estimate)}) is larger than --max-cost (${precise(maxCost ?? 0)}); lower the rate, the duration, or workers.max`,
    );
}

interface Running {
  readonly flags: LoadFlags;
  readonly thresholds: readonly Threshold[];
  readonly session: Session;
  readonly surroundings: Surroundings;
}

function runPlanned(
  plan: PlannedLoad,
  target: LoadTarget,
  { flags, thresholds, session, surroundings }: Running,
): Promise<LoadReport> {
  const { signal, secondSignal, tell, show } = surroundings;
  let isDraining = false;
  return runLoadTest(plan, {
    ...{ target, thresholds, cap: flags.maxCost, drain: signal, stop: secondSignal },
    cancelsRest: (rest) => {
      tell(flags.cancelRest ? `canceling ${rest} without a result…` : `${rest} have no result yet`);
      return flags.cancelRest;
    },
    names: { file: path.basename(flags.file), platform: session.name },
    onProgress: (progress) => {
      show?.(progressWords(progress));
      if (progress.isDraining && !isDraining && signal.aborted) tell('waiting for results; interrupt again to stop');
      isDraining = progress.isDraining;
    },
  });
}

async function print(
  report: LoadReport,
  earlier: LoadReport | undefined,
  flags: LoadFlags,
  { write, tell }: Surroundings,
) {
  const jsonOf = (document: object) => `${JSON.stringify(document, undefined, 2)}\n`;
  if (flags.report !== undefined) await writeFile(flags.report, jsonOf(report));
  for (const verdict of report.thresholds)
    if (!verdict.holds) tell(`${verdict.text} is violated: ${thresholdValue(verdict)}`);
  if (flags.json) write(jsonOf({ ...report, ...(earlier && { comparison: compareReports(earlier, report) }) }));
  else write(reportTables(report, earlier).map(textOfTable).join('\n'));
}

function codeOf({ counts, end, thresholds }: LoadReport, { tell }: Surroundings): number {
  if (end === 'cap') {
    tell('the cost cap ended the load test');
    return EXIT_CODES.cannotLoad;
  }
  if (counts.due === counts.notSent) {
    tell('nothing was sent');
    return EXIT_CODES.failed;
  }
  return thresholds.every(({ holds }) => holds) ? EXIT_CODES.done : EXIT_CODES.failed;
}

function textOfTable({ title, head, rows }: ReportTable): string {
  const lines = title === undefined ? rows : [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? '').length)));
  const text = lines.map((cells) =>
    cells
      .map((cell, column) => withoutControls(cell).padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${[...(title === undefined ? [] : [title]), ...text.map((line) => `  ${line}`)].join('\n')}\n`;
}

function thresholdOf(text: string): Threshold {
  const threshold = parseThreshold(text);
  if ('problem' in threshold)
    throw new CannotRunError(`--threshold ${text} is invalid. ${threshold.problem}`, EXIT_CODES.usage);
  return threshold;
}

async function profileOf({ trace, rate, rampTo = rate, duration, arrivals, seed }: LoadFlags): Promise<LoadProfile> {
  if (trace === undefined) {
    if (rate + rampTo === 0) throw new CannotRunError('--rate or --ramp-to must be more than 0', EXIT_CODES.usage);
    return { kind: 'rate', rate, rampTo, seconds: duration, arrivals, seed };
  }
  const read = readTrace(await textOf(trace));
  if ('problem' in read) throw cannot(`${trace}: ${read.problem}`);
  return read.profile;
}

async function reportIn(name: string): Promise<LoadReport> {
  const report = readReport(await textOf(name));
  if (!report) throw cannot(`${name} is not the report of a load test`);
  return report;
}

/** Returns the time of a worker for one arrival in an earlier load test, in seconds. */
function secondsOf(earlier: LoadReport | undefined): number | undefined {
  const ms = earlier?.execution.mean;
  return ms === undefined ? undefined : ms / 1_000;
}

async function textOf(name: string): Promise<string> {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    throw cannot(`${name} cannot be read: ${(error as Error).message}`);
  }
}

function cannot(message: string): CannotRunError {
  return new CannotRunError(message, EXIT_CODES.cannotLoad);
}
