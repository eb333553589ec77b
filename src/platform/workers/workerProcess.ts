import type { SystemLine } from '../../contract/systemLines.ts';
import type { MeasuredImports } from '../domain/importTimes.ts';
import type { StartProgress } from '../domain/startProgress.ts';
import type { WorkerEvent } from '../domain/workerEvents.ts';
import type { PulledLayer } from '../domain/workerTraceEvent.ts';
import { newToken } from '../ids.ts';
import { StartError, type RunningWorker, type StartOptions } from '../runtimes/runtime.ts';
import { isStorageFull } from '../storageFull.ts';
import type { WorkerRecords } from './workerRecords.ts';
import { WorkerRun, type AdoptableRun, type RunContext, type RunOwner } from './workerRun.ts';

/** The worker that has the process. */
interface ProcessOwner {
  /** Reports an event to the state machine of the worker. */
  readonly dispatch: (event: WorkerEvent) => void;
  /** Called when a process is up, before the event `started`. */
  readonly onUp: (running: RunningWorker) => void;
  /** Called after the events `unreachable` and `reachable`. */
  readonly onReachabilityChanged: () => void;
  /** Gives up the work of a process that took work before its start failed, such as one whose node was lost before it reported the start. */
  readonly loseWork: (how: { readonly intended: boolean }) => void;
}

/** The process of a worker, at most one at a time: its start or adoption, the identity of its requests, and what it reports. */
export class WorkerProcess {
  readonly #context: RunContext;
  readonly #records: WorkerRecords;
  readonly #owner: ProcessOwner;
  #run: WorkerRun | undefined;
  /** Secret in the requests of the current process, from before its start until its end. */
  #token: string | undefined;
  /** Address from which the current process has sent its first request. */
  #peer: string | undefined;
  /** Aborts the start in progress. */
  #startAbort = new AbortController();
  /** Whether a process of an earlier platform is being taken over, or is left to the next platform instead. */
  #adoption: 'none' | 'pending' | 'left' = 'none';
  #failure: string | undefined;

  constructor(context: RunContext, records: WorkerRecords, owner: ProcessOwner) {
    this.#context = context;
    this.#records = records;
    this.#owner = owner;
  }

  /** The process, if it is up. */
  get running(): RunningWorker | undefined {
    return this.#run?.process;
  }

  /** Why the last start failed, or how the last process ended. Undefined before that. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /**
   * Returns whether the token belongs to the current process of the worker. An earlier process may still run, such as one on a lost node. Its
   * requests are refused. So are those with the token from another address than the first request, because another worker has read the token
   * then. The address of the first request is used, because a proxy or another machine can hide the address of a container.
   */
  authenticate(token: string, peer: string | undefined): boolean {
    if (this.#token === undefined || this.#token !== token) return false;
    if (this.#peer === undefined && peer !== undefined) {
      this.#peer = peer;
      this.#run?.bind(peer);
    }
    return this.#peer === peer;
  }

  /** Starts a process. Its outcome is reported as an event. */
  async start(owner: Omit<RunOwner, 'token'>): Promise<void> {
    const { entrypoint = [], cmd = [], image } = this.#context.endpoint;
    const command = [...entrypoint, ...cmd].join(' ') || 'the command of the image';
    this.#records.note({ kind: 'starting', command, image });
    this.#records.startBegan();
    const { signal } = (this.#startAbort = new AbortController());
    const token = (this.#token = newToken());
    this.#peer = undefined;
    const { dispatch, loseWork } = this.#owner;
    let run: WorkerRun;
    try {
      run = await WorkerRun.start({ ...owner, token }, this.#context, { ...this.#startReports(token), signal });
    } catch (error) {
      this.#token = undefined;
      if (error instanceof StartError || isStorageFull(error)) {
        const problem = error instanceof StartError ? error.problem : undefined;
        loseWork({ intended: false });
        this.#failure = (error as Error).message;
        dispatch({ kind: 'startFailed', reason: this.#failure, problem });
      } else if (signal.aborted) {
        loseWork({ intended: true });
        dispatch({ kind: 'startAborted' });
      } else throw error;
      return;
    }
    this.#follow(run, { adopted: false });
  }

  #startReports(token: string) {
    return {
      onProgress: (progress: StartProgress): void => {
        if (progress.kind === 'placed') this.#records.trace({ kind: 'placed' });
        this.#owner.dispatch({ kind: 'progressed', progress });
      },
      onRemark: (line: SystemLine): void => this.#records.note(line),
      onLayers: (layers: readonly PulledLayer[]): void => this.#records.trace({ kind: 'pulled', layers: [...layers] }),
      onSpawned: (): void => this.#records.trace({ kind: 'started' }),
      onReachable: this.#onReachable(token),
    };
  }

  /** Takes over the process of an earlier platform, and calls `onAdopted` at once. If that is not possible, reports `notAdopted`. */
  async adopt(earlier: AdoptableRun, onAdopted: () => void): Promise<void> {
    const { token, peer } = earlier.claim;
    this.#token = token;
    this.#peer = peer;
    this.#adoption = 'pending';
    const { signal } = this.#startAbort;
    const options = { onReachable: this.#onReachable(token), signal };
    const run = await WorkerRun.adopt(earlier, this.#context, options).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    if (run) {
      this.#follow(run, { adopted: true });
      onAdopted();
    } else if (!this.#isLeft) {
      await WorkerRun.end(earlier, this.#context);
      this.#token = undefined;
      this.#owner.loseWork({ intended: true });
      this.#owner.dispatch({ kind: 'notAdopted' });
    }
    this.#adoption = 'none';
  }

  /** A getter, because the compiler does not see that the value changes during a wait. */
  get #isLeft(): boolean {
    return this.#adoption === 'left';
  }

  #follow(run: WorkerRun, { adopted }: { adopted: boolean }): void {
    this.#run = run;
    if (!adopted && this.#peer !== undefined) run.bind(this.#peer);
    const { dispatch, onUp } = this.#owner;
    void run.ended().then((end) => {
      this.#failure = [`the process ${end.how}`, ...end.lastLines.slice(-1)].join(': ');
      dispatch({ kind: 'ended', ...end });
    });
    onUp(run.process);
    dispatch({ kind: 'started', startedAt: run.startedAt, label: run.process.label, adopted });
  }

  #onReachable(token: string): StartOptions['onReachable'] {
    return (reason) => {
      // The process of an earlier run does not concern the worker.
      if (this.#token !== token) return;
      this.#owner.dispatch(reason === undefined ? { kind: 'reachable' } : { kind: 'unreachable', reason });
      this.#owner.onReachabilityChanged();
    };
  }

  /** Aborts the start or the adoption in progress. */
  abortStart(): void {
    this.#startAbort.abort();
  }

  /** Lets the process that is being taken over run on for the next platform. Returns false if there is none. */
  leaveAdoption(): boolean {
    if (this.#adoption === 'none') return false;
    this.#adoption = 'left';
    this.abortStart();
    return true;
  }

  /** Lets the process run on for the next platform. Returns false if the next platform cannot adopt it. */
  leave(): boolean {
    return this.#run?.leave() === true;
  }

  /** Ends the process. */
  stop(graceMs: number): void {
    this.#run?.stop(graceMs);
  }

  /** Suspends the process until `thaw`. @throws the store's error; nothing has changed then */
  freeze(): void {
    this.#run?.freeze();
  }

  thaw(): void {
    this.#run?.thaw();
  }

  /** Returns the modules that the process has loaded so far. Undefined unless they are measured. @param until as for `ImportTimes` */
  imports(until: number | undefined): MeasuredImports | undefined {
    return this.#run?.imports(until);
  }

  /** Forgets the process, because it has ended. Returns its run, whose end is not stored yet. */
  detach(): WorkerRun | undefined {
    const run = this.#run;
    this.#run = undefined;
    this.#token = undefined;
    return run;
  }
}
