import * as l10n from '@vscode/l10n';
import type { EndpointHealth } from '../../../contract/job.ts';
import { formatted, prose, table } from '../../../vscode/text/markdown.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import type { Diagnosis } from '../../endpoints/diagnosis/diagnosis.ts';
import type { EndpointNode } from '../../endpoints/endpointNode.ts';
import { waitingJobs, type EndpointSnapshot } from '../../endpoints/endpointSnapshot.ts';
import type { DocumentAction, ViewDocument } from './jobViewDocuments.ts';

/** Interval at which a visible document is read again, in ms. */
export const HEALTH_INTERVAL_MS = 2_000;

const LONGEST_EXPLANATION = 2_000;

/**
 * Returns a document with the numbers of jobs and workers of an endpoint, the reason why its jobs wait, and the next steps. The text
 * contains no time, so it changes only if the endpoint does.
 *
 * @param connection name of the connection
 */
export function healthDocument(snapshot: EndpointSnapshot, diagnosis: Diagnosis, connection: string): ViewDocument {
  const { endpoint, health } = snapshot;
  const { min, max } = endpoint.workers;
  const lines = [
    formatted`# Health of ${prose(endpoint.name)}`.source,
    '',
    formatted`**${prose(diagnosis.headline)}.** ${prose(diagnosis.explanation, LONGEST_EXPLANATION)}`.source,
    '',
    l10n.t('## Jobs'),
    '',
    ...(health ? table(jobRows(health), [l10n.t('Jobs'), l10n.t('Number')]).source.split('\n') : [NOT_READ]),
    '',
    l10n.t('## Workers'),
    '',
    ...(health ? table(workerRows(health), [l10n.t('Workers'), l10n.t('Number')]).source.split('\n') : []),
    l10n.t`${health ? '\n' : ''}The endpoint runs ${min} to ${max} workers.`,
    '',
  ].flatMap((part) => part.split('\n'));
  const actions: DocumentAction[] = [...actionsOf(snapshot)];
  if (diagnosis.next.length > 0) {
    lines.push(l10n.t('## Next steps'), '');
    for (const { title, why, command, node } of diagnosis.next) {
      actions.push({ line: lines.length, title, tooltip: why, command, argument: node });
      lines.push(formatted`- **${prose(title)}**: ${prose(why)}`.source);
    }
    lines.push('');
  }
  lines.push(
    formatted`Endpoint ${prose(endpoint.id)} on ${prose(connection)}. The numbers update every ${HEALTH_INTERVAL_MS / 1000} s while this document is visible.`
      .source,
    '',
  );
  return { text: lines.join('\n'), actions };
}

const NOT_READ = l10n.t('The numbers of jobs could not be read. A new endpoint can need a moment until they exist.');

function jobRows({ jobs }: EndpointHealth): (readonly [string, number])[] {
  return [
    [l10n.t('Waiting'), jobs.inQueue],
    [l10n.t('Running'), jobs.inProgress],
    [l10n.t('Completed'), jobs.completed],
    [l10n.t('Failed'), jobs.failed],
    [l10n.t('Returned to the queue'), jobs.retried],
  ];
}

/** Omits numbers that the platform does not report. */
function workerRows({ workers }: EndpointHealth): (readonly [string, number])[] {
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
