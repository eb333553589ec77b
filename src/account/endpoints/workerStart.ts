import * as l10n from '@vscode/l10n';
import type { Worker, WorkerList, WorkerStart } from '../../contract/worker.ts';

/* Words for the progress of a worker's start, which the local platform reports. */

/** Returns the words for a row, such as `pulling 43 %`. Undefined for kinds of newer platforms. */
export function startWords({ kind, percent }: WorkerStart): string | undefined {
  switch (kind) {
    case 'pulling':
      return percent === undefined ? l10n.t('pulling the image') : l10n.t`pulling ${Math.floor(percent)} %`;
    case 'noPlace':
      return l10n.t('waiting for a machine with room');
    case 'waitingForGpus':
      return l10n.t('waiting for free GPUs');
    case 'waitingForSlot':
      return l10n.t('waiting for a free slot');
    default:
      return undefined;
  }
}

/** Returns a sentence with the reason why a worker waits. Undefined if it does not wait. */
export function waitReason({ kind, reason, needed, total }: WorkerStart): string | undefined {
  switch (kind) {
    case 'noPlace':
      return reason === undefined
        ? l10n.t('No machine of the cluster has room for the worker.')
        : l10n.t`No machine of the cluster has room for the worker: ${reason}`;
    case 'waitingForGpus': {
      const gpus = needed === undefined ? 'GPUs' : needed === 1 ? l10n.t('1 GPU') : l10n.t`${needed} GPUs`;
      return l10n.t`The worker waits for ${gpus}, because other workers use ${total === undefined ? l10n.t('all GPUs') : total === 1 ? l10n.t('the GPU') : l10n.t`the ${total} GPUs`} of this machine.`;
    }
    case 'waitingForSlot':
      return l10n.t`This machine runs its maximum number of workers${total === undefined ? '' : ` (${total})`}.`;
    default:
      return undefined;
  }
}

/** Returns the workers that pull their image, and their least progress, if all of them report one. */
export function pullingWorkers({ workers }: Pick<WorkerList, 'workers'>): {
  readonly number: number;
  readonly percent: number | undefined;
} {
  const starts = workers.flatMap(({ status, start }) =>
    status === 'INITIALIZING' && start?.kind === 'pulling' ? [start] : [],
  );
  const known = starts.flatMap(({ percent }) => percent ?? []);
  const percent = known.length > 0 && known.length === starts.length ? Math.min(...known) : undefined;
  return { number: starts.length, percent };
}

/** Returns the state of a worker with the progress of its start. */
export function stateWithStart(state: string, { status, start }: Pick<Worker, 'status' | 'start'>): string {
  const words = start && startWords(start);
  if (words === undefined) return state;
  return status === 'INITIALIZING' ? words : `${state}, ${words}`;
}
