import { waitingJobs, type EndpointSnapshot } from './endpointSnapshot.ts';
import { count } from './words.ts';

const MOST_NAMED = 10;

/** What is asked before endpoints are deleted: it names them, and says what goes with them. */
export function deletionQuestion(snapshots: readonly EndpointSnapshot[]): { message: string; detail: string } {
  const [first] = snapshots;
  const message =
    snapshots.length === 1 && first
      ? `Delete endpoint “${first.endpoint.name}”?`
      : `Delete ${count(snapshots.length, 'endpoint')}?`;
  const named = snapshots.slice(0, MOST_NAMED).map((snapshot) => `• ${snapshot.endpoint.name}: ${goesWith(snapshot)}`);
  const more = snapshots.length > MOST_NAMED ? [`• and ${snapshots.length - MOST_NAMED} more`] : [];
  const detail =
    snapshots.length === 1 && first
      ? `With it go ${goesWith(first)}.`
      : ['With them go:', ...named, ...more].join('\n');
  return { message, detail: `${detail}\n\nThis cannot be undone.` };
}

function goesWith(snapshot: EndpointSnapshot): string {
  const { health, workers } = snapshot;
  const running = health?.jobs.inProgress ?? 0;
  const waiting = waitingJobs(snapshot);
  const jobs = [
    ...(waiting > 0 ? [count(waiting, 'waiting job')] : []),
    ...(running > 0 ? [count(running, 'running job')] : []),
  ];
  const parts = [...jobs, ...workerWords(workers), 'its releases'];
  return parts.length === 1 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}

function workerWords(workers: EndpointSnapshot['workers']): string[] {
  if (!workers) return ['its workers'];
  return workers.summary.total > 0 ? [count(workers.summary.total, 'worker')] : [];
}
