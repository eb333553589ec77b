import * as l10n from '@vscode/l10n';
import type { EndpointHealth } from '../../../contract/job.ts';
import { foreign, shown } from '../../../vscode/text/shownText.ts';
import type { Diagnosis } from '../../endpoints/diagnosis/diagnosis.ts';
import type { EndpointNode } from '../../endpoints/endpointNode.ts';
import { waitingJobs, type EndpointSnapshot } from '../../endpoints/endpointSnapshot.ts';
import type { DocumentAction, ViewDocument } from './jobViewDocuments.ts';

/** Interval at which a visible document is read again, in ms. */
export const HEALTH_INTERVAL_MS = 2_000;

/** Width of a line, in UTF-16 code units. */
const WIDTH = 100;
const LONGEST_EXPLANATION = 2_000;

type Row = readonly [name: string, value: string | number];

/**
 * Returns a document with the numbers of jobs and workers of an endpoint, the reason why its jobs wait, and the next steps. The text
 * contains no time, so it changes only if the endpoint does. It is plain text, because actions are above its lines, which a preview of
 * Markdown does not show.
 *
 * @param connection name of the connection
 */
export function healthDocument(snapshot: EndpointSnapshot, diagnosis: Diagnosis, connection: string): ViewDocument {
  const { endpoint, health } = snapshot;
  const { min, max } = endpoint.workers;
  const seconds = HEALTH_INTERVAL_MS / 1000;
  const actions: DocumentAction[] = [...actionsOf(snapshot)];
  const lines = [
    plain(diagnosis.headline),
    '',
    ...wrapped(plain(diagnosis.explanation)),
    '',
    l10n.t('Jobs'),
    ...(health
      ? columns(jobRows(health))
      : [`  ${l10n.t('The numbers of jobs could not be read. A new endpoint can need a moment until they exist.')}`]),
    '',
    l10n.t('Workers'),
    ...columns([...(health ? workerRows(health) : []), [l10n.t('Allowed'), l10n.t`${min} to ${max}`]]),
    '',
  ];
  if (diagnosis.next.length > 0) {
    lines.push(l10n.t('Next steps'));
    for (const { title, why, command, node } of diagnosis.next) {
      actions.push({ line: lines.length, title, tooltip: why, command, argument: node });
      lines.push(`  ${plain(why)}`);
    }
    lines.push('');
  }
  lines.push(
    l10n.t`Endpoint ${plain(endpoint.name)} (${plain(endpoint.id)}) on ${plain(connection)}`,
    l10n.t`The numbers update every ${seconds} s while this document is visible.`,
    '',
  );
  return { text: lines.join('\n'), actions };
}

/** Makes foreign text safe to show on one line. */
function plain(text: string): string {
  return foreign(text, LONGEST_EXPLANATION).text;
}

/** Breaks a text at its blanks. A longer word has a line of its own. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(' ')) {
    if (line !== '' && line.length + word.length >= WIDTH) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** Returns a line for each row. The values are aligned at their right ends. */
function columns(rows: readonly Row[]): string[] {
  const names = Math.max(...rows.map(([name]) => name.length));
  const values = Math.max(...rows.map(([, value]) => String(value).length));
  return rows.map(([name, value]) => `  ${name.padEnd(names)}  ${String(value).padStart(values)}`);
}

function jobRows({ jobs }: EndpointHealth): Row[] {
  return [
    [l10n.t('Waiting'), jobs.inQueue],
    [l10n.t('Running'), jobs.inProgress],
    [l10n.t('Completed'), jobs.completed],
    [l10n.t('Failed'), jobs.failed],
    [l10n.t('Returned to the queue'), jobs.retried],
  ];
}

/** Omits numbers that the platform does not report. */
function workerRows({ workers }: EndpointHealth): Row[] {
  const rows: readonly (readonly [string, number | undefined])[] = [
    [l10n.t('Running a job'), workers.running],
    [l10n.t('Idle'), workers.idle],
    [l10n.t('Starting'), workers.initializing],
    [l10n.t('Waiting for capacity'), workers.throttled],
    [l10n.t('Unhealthy'), workers.unhealthy],
  ];
  return rows.flatMap(([name, number]) => (number === undefined ? [] : [[name, number] as const]));
}

/** Returns the actions above the document. */
function actionsOf(snapshot: EndpointSnapshot): readonly DocumentAction[] {
  const argument: EndpointNode = { kind: 'endpoint', endpointId: snapshot.endpoint.id };
  return [
    {
      line: 0,
      title: shown`$(question) Explain This Endpoint`,
      tooltip: l10n.t('Reads the logs of failing workers, and explains why jobs wait'),
      command: 'cloudCompute.endpoints.explain',
      argument,
    },
    ...(waitingJobs(snapshot) === 0
      ? []
      : ([
          {
            line: 0,
            title: shown`$(clear-all) Purge Queue…`,
            tooltip: l10n.t('Asks for confirmation, and removes the waiting jobs'),
            command: 'cloudCompute.jobs.purgeQueue',
            argument,
          },
        ] as const)),
    {
      line: 0,
      title: shown`$(settings) Scale…`,
      tooltip: l10n.t('Changes the minimum and maximum number of workers'),
      command: 'cloudCompute.endpoints.scale',
      argument,
    },
  ];
}
