import type { ProcessExit } from '../../../src/contract/systemLines.ts';
import type { RunHandle, RunningWorker, Runtime, StartOptions } from '../../../src/platform/runtimes/runtime.ts';
import { workerEnvironment } from '../../../src/platform/runtimes/workerEnvironment.ts';
import { stubWorker } from '../stubRuntime.ts';

/** A process that does nothing until it is ended. */
export interface FakeProcess {
  readonly runId: string;
  readonly env: Readonly<Record<string, string>>;
  frozen: boolean;
  /** Reports that the engine cannot be reached for this reason, or that it can be reached again. */
  readonly setReachable: StartOptions['onReachable'];
  readonly end: (exit?: ProcessExit) => void;
}

interface FakeHandle {
  readonly runId: string;
}

/** Digest that every worker runs. */
const FAKE_IMAGE = `sha256:${'0'.repeat(64)}`;

/** A runtime whose processes are objects in this process. */
export class FakeRuntime implements Runtime {
  canFreeze = (): boolean => true;
  canAdopt = (): boolean => this.outlivesPlatform;
  placesGpus = (): boolean => false;
  /** Whether the processes of a killed platform run on, and the next platform adopts them. */
  outlivesPlatform = false;
  readonly running = new Set<FakeProcess>();
  readonly #onStart: (runId: string) => void;
  #orphans: readonly FakeProcess[];
  #ports = 20_000;

  /** @param onStart called before a process exists @param orphans processes that a killed platform left running */
  constructor(onStart: (runId: string) => void, orphans: readonly FakeProcess[] = []) {
    this.#onStart = onStart;
    this.#orphans = orphans;
  }

  handleOf = ({ runId }: { runId: string }): FakeHandle => ({ runId });

  start: Runtime['start'] = (spec, { onImage, onReachable }) => {
    const { runId } = spec.labels;
    try {
      onImage(spec.pinned ?? FAKE_IMAGE);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    this.#onStart(runId);
    // Each process listens on different ports, like the processes of one machine.
    this.#ports += 1_000;
    const base = this.#ports;
    const listensOn = (port: number): number => base + (port % 1_000);
    return Promise.resolve(this.#run(runId, workerEnvironment(spec, { listensOn }), listensOn, onReachable));
  };

  #run(
    runId: string,
    env: FakeProcess['env'],
    listensOn: (port: number) => number,
    onReachable: StartOptions['onReachable'],
  ): RunningWorker {
    const worker = stubWorker({
      handle: this.handleOf({ runId }),
      address: (port) => Promise.resolve({ host: '127.0.0.1', port: listensOn(port) }),
      stop: () => {
        fake.end();
        return Promise.resolve();
      },
      freeze: () => {
        fake.frozen = true;
        return Promise.resolve();
      },
      thaw: () => {
        fake.frozen = false;
        return Promise.resolve();
      },
    });
    const fake: FakeProcess = {
      ...{ runId, env, frozen: false, setReachable: onReachable },
      end: (exit = { code: 0, signal: null }) => {
        this.running.delete(fake);
        worker.end(exit);
      },
    };
    this.running.add(fake);
    return worker;
  }

  /** Returns the processes of a platform that was killed. Their ends are no longer reported. */
  abandon(): FakeProcess[] {
    const left = [...this.running];
    this.running.clear();
    return left;
  }

  endOrphans: Runtime['endOrphans'] = (handles) => Promise.resolve(this.#takeOrphans(handles).length);

  adopt: Runtime['adopt'] = (handle, _, { onReachable }) => {
    const [orphan] = this.outlivesPlatform ? this.#takeOrphans([handle]) : [];
    return Promise.resolve(orphan && this.#run(orphan.runId, orphan.env, (port) => port, onReachable));
  };

  #takeOrphans(handles: readonly RunHandle[]): readonly FakeProcess[] {
    const runIds = (handles as readonly FakeHandle[]).map(({ runId }) => runId);
    const found = this.#orphans.filter(({ runId }) => runIds.includes(runId));
    this.#orphans = this.#orphans.filter((orphan) => !found.includes(orphan));
    return found;
  }

  close: Runtime['close'] = () => Promise.resolve();

  /** Processes of a killed platform that have not been ended. */
  get orphans(): readonly FakeProcess[] {
    return this.#orphans;
  }
}
