import { preciseDuration } from '../../text/quantities.ts';
import type { GateReport, GateJob } from '../../features/gate/model/gateReport.ts';
import {
  jobLines,
  measurementNote,
  measurementRows,
  outcomeWords,
  verdictWords,
  type Hide,
  failureWords,
} from '../../features/gate/model/gateWords.ts';
import { junitReporter } from '../tests/report/junit.ts';
import type { TestResult } from '../tests/report/result.ts';

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
