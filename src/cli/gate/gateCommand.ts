import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GatePlace } from '../../features/gate/actions/gateSide.ts';
import type { GateOptions } from '../../features/gate/actions/runGate.ts';
import { deleteLeftovers } from '../../features/gate/actions/scratchEndpoint.ts';
import {
  gateDocument,
  type Hide,
  jobLines,
  measurementNote,
  measurementRows,
  outcomeWords,
  verdictWords,
  failureWords,
} from '../../features/gate/model/gateWords.ts';
import { withSession, type ConnectionOptions } from '../connection/openSession.ts';
import { programFolder } from '../login/logins.ts';
import { confirm } from '../program/ask.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { manifestOf, partOf } from './manifestOf.ts';
import { measurementLines, runGateOn, verdictLines } from './gateRun.ts';
import { preciseDuration } from '../../text/quantities.ts';
import type { GateReport, GateJob } from '../../features/gate/model/gateReport.ts';
import { junitReporter } from '../tests/report/junit.ts';
import type { TestResult } from '../tests/report/result.ts';

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
  readonly summary?: string | undefined;
  readonly junit?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

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
    const notes = path.join(programFolder(surroundings.environment), 'gates');
    const place = { kind: 'connection', client, isLocal, platform: isLocal ? name : host, notes } as const;
    for (const leftover of await deleteLeftovers(place))
      surroundings.tell(`deleted the endpoint ${leftover} of an earlier gate that was killed`);
    return gate(flags, { manifest, place }, surroundings);
  });
}

interface Subject {
  readonly manifest: string;
  readonly place: GatePlace;
}

async function gate(flags: GateFlags, { manifest, place }: Subject, surroundings: Surroundings): Promise<number> {
  const { write } = surroundings;
  const { image, jobs, environment } = flags;
  const subject = {
    manifest,
    image,
    jobs,
    environment,
    base: baseOf(flags),
    part: await partOf(manifest, flags.endpoint),
  };
  const { result, hide } = await runGateOn(place, subject, surroundings);
  const { report, problems, isStored } = result;
  const markdown = `${gateDocument(report, hide).source}\n`;
  if (flags.report !== undefined)
    await writeFile(flags.report, flags.report.endsWith('.md') ? markdown : gateHtml(report, hide));
  if (flags.summary !== undefined) await appendFile(flags.summary, `${markdown}\n`);
  if (flags.json) write(`${JSON.stringify(withoutSecrets({ ...report, isStored }, hide), null, 2)}\n`);
  else if (flags.junit) write(gateJunit(report, hide));
  else write([...verdictLines(result, hide), '', ...measurementLines(result), ''].join('\n'));
  if (problems.length > 0 || report.failures.some(({ code }) => code === 'notRun')) return EXIT_CODES.cannotTest;
  return report.passed ? EXIT_CODES.done : EXIT_CODES.failed;
}

function baseOf({ base, baseImage }: GateFlags): GateOptions['base'] {
  if (base !== undefined) return { revision: base };
  return baseImage === undefined ? undefined : { image: baseImage };
}

/** Longest text in the JSON, in UTF-16 code units. Less than a report keeps, so that no part of a secret remains at the end. */
const LONGEST_TEXT = 8_192;

/** Returns a JSON value whose texts contain no secret and are not long. */
function withoutSecrets(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') {
    const text = hide(value);
    return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`;
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, content]) => [hide(name), withoutSecrets(content, hide)] as const),
  );
}

function cannot(message: string): CannotRunError {
  return new CannotRunError(message, EXIT_CODES.cannotTest);
}

const STYLE =
  'body{font-family:system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}' +
  'table{border-collapse:collapse}th,td{border:1px solid #8888;padding:.3rem .6rem;text-align:left}li{overflow-wrap:anywhere}';

/** Returns a report as a page that needs no other file and runs no script. */
export function gateHtml(report: GateReport, hide: Hide): string {
  const { endpoint, before, after, jobs } = report;
  const ms = (time: number | undefined) => (time === undefined ? '' : preciseDuration(time));
  const labels = [before.label, after.label].map(hide);
  const others = jobs.filter(({ outcome }) => outcome === 'differs' || outcome === 'notRun');
  const note = measurementNote(report);
  const title = `Gate of “${endpoint}”`;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped(title)}</h1><p>${escaped(verdictWords(report))}.</p>`,
    '<h2>Measurements</h2>',
    tableOf([['', ...labels], ...measurementRows(report)]),
    ...(note === undefined ? [] : [`<p>${escaped(note)}</p>`]),
    '<h2>Jobs</h2>',
    tableOf([
      ['Job', 'Result', ...labels],
      ...jobs.map((job) => [job.name, outcomeWords(job), ms(job.beforeMs), ms(job.afterMs)]),
    ]),
    ...others.map((job) => {
      const items = jobLines(job, hide).map((line) => `<li>${escaped(line)}</li>`);
      return `<h3>${escaped(job.name)}</h3><ul>${items.join('')}</ul>`;
    }),
    '</body></html>\n',
  ].join('\n');
}

function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], name: string) =>
    `<tr>${cells.map((cell) => `<${name}>${escaped(cell)}</${name}>`).join('')}</tr>`;
  return `<table><thead>${row(head, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

const OUTCOMES = {
  same: 'passed',
  fixed: 'passed',
  differs: 'failed',
  notRun: 'error',
} as const satisfies Record<GateJob['outcome'], TestResult['outcome']>;

/** Returns a report as the XML of JUnit: a test for each job, and one for the execution times. */
export function gateJunit(report: GateReport, hide: Hide): string {
  const { endpoint, jobs, failures } = report;
  const reporter = junitReporter();
  const base = { endpoint, mismatches: [], durationMs: 0, log: [] };
  for (const job of jobs) {
    const [reason, ...log] = jobLines(job, hide);
    const outcome = OUTCOMES[job.outcome];
    const words = outcome === 'passed' || reason === undefined ? {} : { reason, log };
    reporter.test({ ...base, path: job.name, outcome, durationMs: job.afterMs ?? 0, ...words });
  }
  const slower = failures.find(({ code }) => code === 'slower');
  const time = { ...base, path: 'execution time' };
  reporter.test(slower ? { ...time, outcome: 'failed', reason: failureWords(slower) } : { ...time, outcome: 'passed' });
  return reporter.end(undefined);
}
