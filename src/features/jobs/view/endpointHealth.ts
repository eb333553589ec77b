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
    '## Jobs',
    '',
    ...(health ? table(jobRows(health), ['Jobs', 'Number']).source.split('\n') : [NOT_READ]),
    '',
    '## Workers',
    '',
    ...(health ? table(workerRows(health), ['Workers', 'Number']).source.split('\n') : []),
    `${health ? '\n' : ''}The endpoint runs ${min} to ${max} workers.`,
    '',
  ].flatMap((part) => part.split('\n'));
  const actions: DocumentAction[] = [...actionsOf(snapshot)];
  if (diagnosis.next.length > 0) {
    lines.push('## Next steps', '');
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

const NOT_READ = 'The numbers of jobs could not be read. A new endpoint can need a moment until they exist.';

function jobRows({ jobs }: EndpointHealth): (readonly [string, number])[] {
  return [
    ['Waiting', jobs.inQueue],
    ['Running', jobs.inProgress],
    ['Completed', jobs.completed],
    ['Failed', jobs.failed],
    ['Returned to the queue', jobs.retried],
  ];
}

/** Omits numbers that the platform does not report. */
function workerRows({ workers }: EndpointHealth): (readonly [string, number])[] {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ['Running a job', workers.running],
    ['Idle', workers.idle],
    ['Starting', workers.initializing],
    ['Waiting for capacity', workers.throttled],
    ['Unhealthy', workers.unhealthy],
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
      tooltip: 'Reads the logs of failing workers, and explains why jobs wait',
      command: 'cloudCompute.endpoints.explain',
      argument,
    },
    ...(waitingJobs(snapshot) === 0
      ? []
      : ([
          {
            line: 0,
            title: shown`$(clear-all) Purge Queue…`,
            tooltip: 'Asks for confirmation, and removes the waiting jobs',
            command: 'cloudCompute.jobs.purgeQueue',
            argument,
          },
        ] as const)),
    {
      line: 0,
      title: shown`$(settings) Scale…`,
      tooltip: 'Changes the minimum and maximum number of workers',
      command: 'cloudCompute.endpoints.scale',
      argument,
    },
  ];
}
