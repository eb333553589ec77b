import type { RunExit, Runtime } from '../../../src/platform/runtimes/runtime.ts';

/** A process that does nothing until it is told to end. */
export interface FakeProcess {
  readonly runId: string;
  readonly env: Readonly<Record<string, string>>;
  frozen: boolean;
  readonly end: (exit?: RunExit) => void;
}

/** A runtime whose processes are objects of this one. */
export class FakeRuntime implements Runtime {
  readonly canFreeze = true;
  readonly running = new Set<FakeProcess>();
  readonly #onStart: (runId: string) => void;
  #orphans: readonly FakeProcess[];

  /**
   * @param onStart called before a process is there
   * @param orphans what a killed platform has left running
   */
  constructor(onStart: (runId: string) => void, orphans: readonly FakeProcess[] = []) {
    this.#onStart = onStart;
    this.#orphans = orphans;
  }

  start: Runtime['start'] = ({ env }, runId) => {
    this.#onStart(runId);
    const ended = Promise.withResolvers<RunExit>();
    const fake: FakeProcess = {
      ...{ runId, env, frozen: false },
      end: (exit = { code: 0, signal: null }) => {
        this.running.delete(fake);
        ended.resolve(exit);
      },
    };
    this.running.add(fake);
    return Promise.resolve({
      ...{ pid: process.pid, processStart: undefined, exited: ended.promise },
      stop: () => {
        fake.end();
        return Promise.resolve();
      },
      freeze: () => (fake.frozen = true),
      thaw: () => (fake.frozen = false),
    });
  };

  /** The platform that had these processes was killed: nobody hears of their end. */
  abandon(): FakeProcess[] {
    const left = [...this.running];
    this.running.clear();
    return left;
  }

  endOrphans: Runtime['endOrphans'] = (orphans) => {
    const found = this.#orphans.filter(({ runId }) => orphans.some((orphan) => orphan.runId === runId));
    this.#orphans = this.#orphans.filter((orphan) => !found.includes(orphan));
    return Promise.resolve(found.length);
  };

  /** Processes of a killed platform that have not been ended. */
  get orphans(): readonly FakeProcess[] {
    return this.#orphans;
  }
}
