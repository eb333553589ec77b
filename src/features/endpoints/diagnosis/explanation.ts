import { waitingJobs, type EndpointSnapshot } from '../endpointSnapshot.ts';
import { count, duration, escapeMarkdown } from '../words.ts';
import type { Diagnosis, NextStep } from './diagnosis.ts';

/** A readable document, and on which of its lines (from 0) each next step stands. */
export interface Explanation {
  readonly text: string;
  readonly steps: readonly { readonly line: number; readonly step: NextStep }[];
}

const titles: Readonly<Record<Diagnosis['severity'], string>> = {
  trouble: 'needs you',
  waiting: 'will go on by itself',
  fine: 'is fine',
};

/** Says what is the matter with an endpoint, what was seen, and what to do next. */
export function explanationOf(snapshot: EndpointSnapshot, diagnosis: Diagnosis, seenAt: Date): Explanation {
  const { endpoint } = snapshot;
  const lines = [
    `# ${escapeMarkdown(endpoint.name)} ${titles[diagnosis.severity]}`,
    '',
    `**${diagnosis.headline}.** ${diagnosis.explanation.trim()}`,
    '',
  ];
  if (diagnosis.evidence.length > 0) lines.push('```text', ...diagnosis.evidence.map(withoutFence), '```', '');
  const steps: Explanation['steps'][number][] = [];
  if (diagnosis.next.length > 0) {
    lines.push('## What to do next', '');
    for (const step of diagnosis.next) {
      steps.push({ line: lines.length, step });
      lines.push(`- **${step.title}**: ${step.why}`);
    }
    lines.push('');
  }
  lines.push('## What was seen', '', ...seen(snapshot), '', `Endpoint ${endpoint.id}, ${seenAt.toLocaleString()}`, '');
  return { text: lines.join('\n'), steps };
}

function seen(snapshot: EndpointSnapshot): string[] {
  const { endpoint, workers, health } = snapshot;
  const { min, max } = endpoint.workers;
  const rows = [`- Workers allowed: ${min} to ${max}`];
  if (workers) {
    const { running, idle, initializing, throttled, unhealthy } = workers.summary;
    const counts = { running, idle, initializing, throttled, unhealthy };
    const words = Object.entries(counts).flatMap(([name, number]) => (number > 0 ? [`${number} ${name}`] : []));
    rows.push(`- Workers now: ${words.join(', ') || 'none'}`);
    for (const { id, status, uptimeSeconds, isStale } of workers.workers) {
      const up = uptimeSeconds == null ? '' : `, up ${duration(uptimeSeconds)}`;
      rows.push(`  - ${id}: ${status.toLowerCase()}${up}${isStale ? ', old version' : ''}`);
    }
  }
  if (health) {
    const { inProgress, completed, failed } = health.jobs;
    rows.push(
      `- Jobs: ${count(waitingJobs(snapshot), 'job')} waiting, ${inProgress} running, ${completed} completed, ${failed} failed`,
    );
  }
  return rows;
}

/** A line of a log must not end the block that it is quoted in. */
function withoutFence(line: string): string {
  return line.replaceAll('```', "'''");
}
