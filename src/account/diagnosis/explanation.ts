import * as l10n from '@vscode/l10n';
import { waitingJobs, type EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';
import { conditionWords } from '../endpoints/words.ts';
import { formatted, prose } from '../../text/markdown.ts';
import { withoutControls } from '../../text/shownText.ts';
import { duration } from '../../text/quantities.ts';
import type { Diagnosis, NextStep } from './diagnosis.ts';

/** A Markdown document and the line number, from 0, of each next step. */
export interface Explanation {
  readonly text: string;
  readonly steps: readonly { readonly line: number; readonly step: NextStep }[];
}

const LONGEST_EXPLANATION = 2_000;

const titles: Readonly<Record<Diagnosis['severity'], string>> = {
  trouble: l10n.t('needs attention'),
  waiting: l10n.t('needs no action yet'),
  fine: l10n.t('is working normally'),
};

/** Returns a document with the diagnosis of an endpoint, the next steps, and the observations. */
export function explanationOf(snapshot: EndpointSnapshot, diagnosis: Diagnosis, seenAt: Date): Explanation {
  const { endpoint } = snapshot;
  const lines = [
    formatted`# ${prose(endpoint.name)} ${titles[diagnosis.severity]}`.source,
    '',
    formatted`**${prose(diagnosis.headline)}.** ${prose(diagnosis.explanation, LONGEST_EXPLANATION)}`.source,
    '',
  ];
  if (diagnosis.evidence.length > 0) lines.push('```text', ...diagnosis.evidence.map(withoutFence), '```', '');
  const steps: Explanation['steps'][number][] = [];
  if (diagnosis.next.length > 0) {
    lines.push(l10n.t('## Next steps'), '');
    for (const step of diagnosis.next) {
      steps.push({ line: lines.length, step });
      lines.push(formatted`- **${prose(step.title)}**: ${prose(step.why)}`.source);
    }
    lines.push('');
  }
  lines.push(
    l10n.t('## Observations'),
    '',
    ...observationLines(snapshot),
    '',
    formatted`Endpoint ${prose(endpoint.id)}, ${prose(seenAt.toLocaleString())}`.source,
    '',
  );
  return { text: lines.join('\n'), steps };
}

function observationLines(snapshot: EndpointSnapshot): string[] {
  const { endpoint, workers, health } = snapshot;
  const { min, max } = endpoint.workers;
  const rows = [l10n.t`- Worker range: ${min} to ${max}`];
  if (workers) {
    const { running, idle, initializing, throttled, unhealthy } = workers.summary;
    const counts = { running, idle, initializing, throttled, unhealthy };
    const words = Object.entries(counts).flatMap(([name, number]) =>
      number > 0 ? [`${number} ${stateWords(name)}`] : [],
    );
    rows.push(l10n.t`- Current workers: ${words.join(', ') || l10n.t('none')}`);
    for (const { id, status, uptimeSeconds, isStale } of workers.workers) {
      const up = uptimeSeconds == null ? '' : l10n.t`, up ${duration(uptimeSeconds)}`;
      const worker = `${id}: ${stateWords(status.toLowerCase())}${up}${isStale ? l10n.t(', old version') : ''}`;
      rows.push(formatted`  - ${prose(worker)}`.source);
    }
  }
  if (health) {
    const { inProgress, completed, failed, retried } = health.jobs;
    rows.push(
      waitingJobs(snapshot) === 1
        ? l10n.t`- Jobs: 1 job waiting, ${inProgress} running, ${completed} completed, ${failed} failed, ${retried} returned to the queue`
        : l10n.t`- Jobs: ${waitingJobs(snapshot)} jobs waiting, ${inProgress} running, ${completed} completed, ${failed} failed, ${retried} returned to the queue`,
    );
  } else if (endpoint.type === 'QUEUE') {
    rows.push(l10n.t('- Jobs: not reported yet. The counts of a new endpoint can take a moment to appear.'));
  }
  return rows;
}

/** Returns the word for a state of workers. A platform can report unknown states, which stay as they are. */
function stateWords(state: string): string {
  const words: Readonly<Record<string, string>> = conditionWords;
  return Object.hasOwn(words, state) ? (words[state] ?? state) : state;
}

/** Replaces code fences in a log line, because a fence would end the code block that quotes the line. */
function withoutFence(line: string): string {
  return withoutControls(line).replaceAll(/\s/g, ' ').replaceAll('```', "'''");
}
