import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { counted } from '../../agents/model/counted.ts';
import { keyRemover } from '../../agents/model/withoutKeys.ts';
import { variable } from '../../contract/environment.ts';
import { GateError } from '../../features/gate/actions/gateError.ts';
import { readGateParts } from '../../features/gate/actions/gatedManifest.ts';
import type { GatePlace } from '../../features/gate/actions/gateSide.ts';
import { runGate, type GateOptions, type GateProgress, type GateResult } from '../../features/gate/actions/runGate.ts';
import { RecordingError } from '../../features/gate/actions/readRecordings.ts';
import {
  gateDocument,
  jobLines,
  measurementRows,
  verdictWords,
  type Hide,
} from '../../features/gate/model/gateWords.ts';
import { plainLine } from '../../features/jobs/actions/workerLogSince.ts';
import { EnvironmentValues } from '../connection/environmentValues.ts';
import { withSession, type ConnectionOptions } from '../connection/openSession.ts';
import { readLocalText } from '../localFiles.ts';
import { confirm } from '../program/confirm.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { gateHtml } from './gateHtml.ts';
import { gateJunit } from './gateJunit.ts';

export interface GateFlags extends ConnectionOptions {
  readonly manifest?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly base?: string | undefined;
  readonly baseImage?: string | undefined;
  readonly image?: string | undefined;
  readonly environment?: string | undefined;
  readonly jobs?: number | undefined;
  readonly scratch?: boolean | undefined;
  readonly report?: string | undefined;
  readonly junit?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

const MANIFEST = /\.endpoint\.(?:ya?ml|json)$/;

/** Runs the gate of a manifest, and prints the result. @throws CannotRunError if it could not run */
export async function gateCommand(flags: GateFlags, surroundings: Surroundings): Promise<number> {
  if (flags.base !== undefined && flags.baseImage !== undefined)
    throw cannot('--base and --base-image exclude each other');
  if (flags.report !== undefined && !/\.(?:md|html)$/.test(flags.report))
    throw cannot('--report needs a file that ends with .md or .html');
  const manifest = await manifestOf(flags.manifest);
  if (flags.scratch !== true)
    return gate(
      flags,
      { manifest, place: { kind: 'private', platformScript: surroundings.platformScript } },
      surroundings,
    );
  return withSession(flags, surroundings, async ({ client, name, host, isLocal }) => {
    const question = `Create two endpoints on ${name} (${host}), which cost money, and delete them afterwards?`;
    if (!isLocal && !flags.yes && !(await confirm(question, surroundings))) throw cannot('nothing was run');
    return gate(flags, { manifest, place: { kind: 'connection', client, isLocal } }, surroundings);
  });
}

interface Subject {
  readonly manifest: string;
  readonly place: GatePlace;
}

async function gate(flags: GateFlags, { manifest, place }: Subject, surroundings: Surroundings): Promise<number> {
  const { environment, signal, write, tell } = surroundings;
  const values = new EnvironmentValues(environment);
  const used = new Set<string>();
  const hide: Hide = (text) => keyRemover([...used, ...values.used])(text);
  const options: GateOptions = {
    ...{ manifest, place, values, signal, readText: readLocalText },
    ...{ image: flags.image, jobs: flags.jobs, environment: flags.environment, base: baseOf(flags) },
    part: await partOf(manifest, flags),
    secretOf: (name) => {
      const value = variable(environment, name);
      if (value !== undefined) used.add(value);
      return value;
    },
    onProgress: (progress) => showProgress(progress, surroundings),
  };
  const { report, problems, isStored } = await orCannot(() => runGate(options), hide);
  for (const problem of problems) tell(plainLine(hide(problem.message)));
  if (flags.report !== undefined)
    await writeFile(
      flags.report,
      flags.report.endsWith('.md') ? `${gateDocument(report, hide).source}\n` : gateHtml(report, hide),
    );
  if (flags.json) write(`${JSON.stringify(withoutSecrets({ ...report, isStored }, hide), null, 2)}\n`);
  else if (flags.junit) write(gateJunit(report, hide));
  else for (const line of resultLines({ report, problems, isStored }, hide)) write(`${line}\n`);
  if (problems.length > 0 || report.failures.some(({ code }) => code === 'notRun')) return EXIT_CODES.cannotTest;
  return report.passed ? EXIT_CODES.done : EXIT_CODES.failed;
}

function baseOf({ base, baseImage }: GateFlags): GateOptions['base'] {
  if (base !== undefined) return { revision: base };
  return baseImage === undefined ? undefined : { image: baseImage };
}

/** Returns the path of the manifest. @throws CannotRunError if there is none, or if there are several */
async function manifestOf(given: string | undefined): Promise<string> {
  const file = path.resolve(given ?? '.');
  const facts = await stat(file).catch(() => undefined);
  if (!facts) throw cannot(`${given ?? file} does not exist`);
  if (!facts.isDirectory()) return file;
  const [only, ...others] = (await readdir(file)).filter((name) => MANIFEST.test(name));
  if (only === undefined) throw cannot(`${given ?? 'this folder'} has no manifest (*.endpoint.yaml)`);
  if (others.length > 0) throw cannot(`${given ?? 'this folder'} has several manifests. Name one of them`);
  return path.join(file, only);
}

/** Returns the index of the endpoint of `--endpoint`. @throws CannotRunError if the manifest does not have it */
async function partOf(manifest: string, { endpoint }: GateFlags): Promise<number | undefined> {
  if (endpoint === undefined) return undefined;
  const names = await readGateParts(manifest);
  const index = names.indexOf(endpoint);
  if (index === -1) throw cannot(`${path.basename(manifest)} has no endpoint “${endpoint}”`);
  return index;
}

function showProgress(progress: GateProgress, { tell, show }: Surroundings): void {
  if (progress.kind === 'starting') tell('starting both versions of the worker');
  else show?.(`ran ${progress.done} of ${counted(progress.total, 'job')}`);
}

async function orCannot<Result>(act: () => Promise<Result>, hide: Hide): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof GateError || error instanceof RecordingError) throw cannot(hide(error.message));
    throw error;
  }
}

function resultLines({ report, isStored }: GateResult, hide: Hide): readonly string[] {
  const { before, after, jobs } = report;
  const cells: readonly (readonly [string, string, string])[] = [
    ['', before.label, after.label],
    ...measurementRows(report),
  ];
  const width = (column: 0 | 1) => Math.max(...cells.map((row) => row[column].length));
  const rows = cells.map(([label, old, now]) => `${label.padEnd(width(0))}  ${old.padEnd(width(1))}  ${now}`);
  const others = jobs.filter(({ outcome }) => outcome === 'differs' || outcome === 'notRun');
  return [
    `${verdictWords(report)}.`,
    ...others.flatMap((job) => [`${job.name}:`, ...jobLines(job, hide).map((line) => `  ${line}`)]),
    '',
    ...rows,
    ...(isStored ? [] : ['', 'The verdict is not stored, because it is not about the files and all jobs of the gate.']),
  ].map((line) => plainLine(line));
}

/** Returns a JSON value whose texts contain no secret. */
function withoutSecrets(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, content]) => [hide(name), withoutSecrets(content, hide)] as const),
  );
}

function cannot(message: string): CannotRunError {
  return new CannotRunError(message, EXIT_CODES.cannotTest);
}
