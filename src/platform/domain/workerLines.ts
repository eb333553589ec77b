/* What the platform writes to the system log of a worker about the worker's life. */

const inSeconds = (ms: number): number => ms / 1000;

/** What a start is doing before the process is there. */
export interface StartProgress {
  readonly kind: 'pulling';
  /** 0 to 100; left out if it is not known. */
  readonly percent?: number | undefined;
}

/** Percent between two lines about the same pull. */
const PROGRESS_STEP = 10;

export const workerLines = {
  created: (id: string, endpointName: string) => `create worker ${id} for endpoint ${endpointName}`,
  noPlace: (limit: number) => `this machine runs as many workers as it may (${limit}); waiting for a place`,
  starting: (command: readonly string[], image: string) => `start ${command.join(' ')} (${image})`,
  progress: ({ percent }: StartProgress) =>
    percent === undefined
      ? 'pulling the image'
      : `pulling the image: ${Math.floor(percent / PROGRESS_STEP) * PROGRESS_STEP} %`,
  /** @param label what the runtime calls the process, such as `process 123` */
  started: (label: string) => `${label} started`,
  ready: 'worker is ready',
  notReady: (reason: string) => `worker is not ready: ${reason}`,
  overdue: (afterMs: number, isServer: boolean) =>
    `not ready ${inSeconds(afterMs)} s after its start: ` +
    (isServer
      ? 'its health check has not been answered with 200'
      : 'it has not asked for a job, as it does once its code starts the loop of its SDK'),
  frozen: 'scaled down: the process is frozen, for a fast start (FlashBoot)',
  resumed: 'resumed from standby',
  retired: (reason: string) => `${reason}: the worker ends when it has finished its work`,
  restart: (reason: string) => `restart worker: ${reason}`,
  stop: (reason: string) => `stop worker: ${reason}`,
  ended: (how: string) => `process ${how}`,
  startFailed: (reason: string) => `the worker cannot be started: ${reason}`,
  /** Several lines: the last lines of the process follow. */
  crashed: (how: string, upMs: number, lastLines: readonly string[]) => {
    const said = lastLines.map((line) => `\n    ${line}`).join('');
    return (
      `the worker's process ${how} after ${inSeconds(upMs).toFixed(1)} s` +
      (said === '' ? ', without any output' : `; its last lines:${said}`)
    );
  },
  unhealthy: (failures: number, pauseMs: number) =>
    `worker is unhealthy (failure ${failures} in a row); next start in ${inSeconds(pauseMs)} s`,
} as const;
