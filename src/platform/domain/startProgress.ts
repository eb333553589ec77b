import type { SystemLine } from '../../contract/systemLines.ts';

/** Progress of a start before the process exists. */
export type StartProgress =
  | {
      /** The image is being pulled. */
      readonly kind: 'pulling';
      /** 0 to 100. Omitted if it is unknown. */
      readonly percent?: number | undefined;
    }
  | {
      /** The image is on the engine, and the worker is about to start; or a node of the cluster has the worker, and pulls no image now. */
      readonly kind: 'placed';
      /** Reason why the worker runs the engine's copy of the image, although the registry could not confirm it. */
      readonly localCopy?: string | undefined;
      /** Architectures of the image and the engine, if they differ. The worker then needs an emulator on the engine. */
      readonly otherMachine?: { readonly image: string; readonly engine: string } | undefined;
    }
  /** No machine of the cluster has room for the worker, which waits as THROTTLED. @param reason the scheduler's reason */
  | { readonly kind: 'noPlace'; readonly reason: string };

/** Why a worker waits for this machine. */
export type QueueWait =
  /** @param total maximum number of workers of the machine */
  | { readonly kind: 'waitingForSlot'; readonly total: number }
  /** @param total GPUs of the machine for workers */
  | { readonly kind: 'waitingForGpus'; readonly needed: number; readonly total: number };

export function queueLine(wait: QueueWait): SystemLine {
  if (wait.kind === 'waitingForSlot') return { kind: 'waitingForSlot', limit: wait.total };
  return { kind: 'waitingForGpus', total: wait.total, count: wait.needed };
}

/** Difference in percent between two log lines about the same pull. */
const PROGRESS_STEP = 10;

/** Returns the line of the worker's log for this progress, if any. Percentages are rounded down to a step. */
export function progressLine(progress: StartProgress): SystemLine | undefined {
  switch (progress.kind) {
    case 'pulling': {
      const { percent } = progress;
      if (percent === undefined) return { kind: 'pulling' };
      return { kind: 'pullingPercent', percent: Math.floor(percent / PROGRESS_STEP) * PROGRESS_STEP };
    }
    case 'noPlace':
      return { kind: 'waitingForPlace', reason: progress.reason };
    case 'placed':
      if (progress.localCopy !== undefined) return { kind: 'localCopy', reason: progress.localCopy };
      return progress.otherMachine && { kind: 'otherMachine', ...progress.otherMachine };
  }
}
