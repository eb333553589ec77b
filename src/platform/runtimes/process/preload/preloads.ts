import { languageOf, splitPython, type ProgramCall } from '../../../domain/debugCommand.ts';
import type { StartOptions } from '../../runtime.ts';
import type { RunSpec } from '../../runSpec.ts';
import { variablesOfRun } from '../../workerEnvironment.ts';
import { lockLimit, marked, preloaderOf, RUN_MARKER, type Limiter } from '../runMark.ts';
import type { StartedProcess } from '../startedProcess.ts';
import { ForkError, Preloader, type PreloaderOptions } from './preloader.ts';
import { PRELOAD_PYTHON } from './preloadProgram.ts';
import { untilAborted } from '../../../time/clock.ts';

/** Time in ms after which the log says that a preload has not ended. It may still load a model. */
const SLOW_MS = 60_000;

/** Time for which a process is kept without workers, in ms. A busy worker is replaced only once it has stopped. */
const LINGER_MS = 5_000;

/**
 * Backs the memory of the preload with pages of 2 MB, on systems with the GNU C library. A fork copies the page table, and the end of a process
 * frees it, which takes 50 and 200 ms for 2 GB with pages of 4 kB, and 2 ms with these.
 */
const HUGE_PAGES = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' } as const;

interface Start {
  readonly spec: RunSpec;
  /** The worker's command, without debugger. */
  readonly worker: ProgramCall;
  /** The command to run. */
  readonly call: ProgramCall;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

interface PreloadsOptions extends PreloaderOptions {
  readonly limiter: Promise<Limiter> | undefined;
  /** Ends what is left of a process. @param id the ID in its mark */
  readonly onEnded: (id: string) => void;
}

/**
 * Processes that have loaded what `x-local.preload` names. The workers of an endpoint share one if their environments are equal. It ends with
 * the last of these workers, or once a file that it has read has changed.
 */
export class Preloads {
  readonly #options: PreloadsOptions;
  /** By the directory, the interpreter, its environment, and what they load. */
  readonly #current = new Map<string, Preloader>();
  /** All that have not ended. */
  readonly #all = new Set<Preloader>();
  readonly #closed = Promise.withResolvers<void>();
  /** IDs of the workers whose log says that this system has no fork. */
  readonly #told = new Set<string>();

  constructor(options: PreloadsOptions) {
    this.#options = options;
  }

  /**
   * Forks a process for a run. Resolves with undefined if the run must start as a whole, and tells the reason in the log of the worker.
   *
   * @throws the signal's reason
   */
  async fork(start: Start, options: StartOptions): Promise<StartedProcess | undefined> {
    const { spec, worker, call, env } = start;
    const { preload: names = [], labels, profilesImports } = spec;
    // A measured start is that of the whole process. The ordinary start reports a null byte.
    if (names.length === 0 || profilesImports || hasNull(start)) return undefined;
    const { signal, onRemark } = options;
    const { workerId, runId } = labels;
    if (process.platform === 'win32') {
      if (!this.#told.has(workerId)) onRemark?.({ kind: 'notForked', reason: 'Windows cannot fork processes' });
      this.#told.add(workerId);
      return undefined;
    }
    const { options: flags, target } = splitPython(worker.args);
    if (languageOf(worker) !== 'python' || (target[0] ?? '-') === '-') {
      onRemark?.({ kind: 'notForked', reason: 'its command does not start a script or a module with Python' });
      return undefined;
    }
    const { preloader, isNew } = await this.#preloaderOf(start, names, options);
    const shown = names.join(', ');
    const { clock } = this.#options;
    const from = clock.now();
    const slow = { kind: 'preloadSlow', names: shown, seconds: SLOW_MS / 1_000 } as const;
    const cancel = clock.after(SLOW_MS, () => onRemark?.(slow));
    const { obstacle } = await untilAborted(preloader.loaded, signal).finally(cancel);
    if (obstacle !== undefined) {
      preloader.kill();
      onRemark?.({ kind: 'notForked', reason: obstacle });
      return undefined;
    }
    if (isNew) onRemark?.({ kind: 'preloaded', names: shown, seconds: ((clock.now() - from) / 1_000).toFixed(1) });
    try {
      const forkedFrom = clock.now();
      const locks = await lockLimit(runId, this.#options.limiter);
      const { target: called } = splitPython(call.args);
      const forked = await preloader.fork({ id: runId, env, locks, options: flags, target: called });
      if (isNew) void forked.exit.then(() => preloader.mute());
      else onRemark?.({ kind: 'forked', ms: clock.now() - forkedFrom, names: shown });
      return forked;
    } catch (error) {
      if (!(error instanceof ForkError)) throw error;
      onRemark?.({ kind: 'notForked', reason: error.message });
      return undefined;
    }
  }

  /** Ends the processes that only this worker used, unless a replacement of the worker starts soon. */
  workerStopped(workerId: string): void {
    this.#told.delete(workerId);
    for (const [key, preloader] of this.#current) {
      if (!preloader.workers.delete(workerId) || preloader.workers.size > 0) continue;
      const cancel = this.#options.clock.after(LINGER_MS, () => {
        if (preloader.workers.size === 0 && this.#current.get(key) === preloader) this.#retire(key, preloader);
      });
      void this.#closed.promise.then(cancel);
    }
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#closed.resolve();
    for (const preloader of this.#all) preloader.kill();
    await Promise.all([...this.#all].map(({ ended }) => ended));
  }

  async #preloaderOf(
    { spec, worker, directory, env }: Start,
    names: readonly string[],
    { onOutput, onRemark }: StartOptions,
  ): Promise<{ readonly preloader: Preloader; readonly isNew: boolean }> {
    const { runId, workerId } = spec.labels;
    const ofRun = [...variablesOfRun(spec), RUN_MARKER];
    const shared = Object.fromEntries(Object.entries(env).filter(([name]) => !ofRun.includes(name)));
    const { options, target } = splitPython(worker.args);
    const key = JSON.stringify([directory, worker.file, options, target, names, Object.entries(shared).sort()]);
    const known = this.#current.get(key);
    const changed = await known?.changedFile();
    if (known && changed !== undefined && this.#current.get(key) === known) {
      onRemark?.({ kind: 'preloadOutdated', file: changed });
      this.#retire(key, known);
    }
    const id = preloaderOf(runId);
    const own = { ...HUGE_PAGES, ...shared, [RUN_MARKER]: id };
    const hidden = Object.keys(HUGE_PAGES).filter((name) => shared[name] === undefined);
    const { limiter } = this.#options;
    const program = { file: worker.file, args: [...options, '-c', PRELOAD_PYTHON] };
    const command = await marked(program, id, { directory, env: own }, limiter);
    const found = this.#current.get(key);
    const preloader =
      found ??
      new Preloader({ ...{ id, command, env: own, directory }, target, names, hidden }, this.#options, onOutput);
    preloader.workers.add(workerId);
    if (!found) {
      onRemark?.({ kind: 'preloading', names: names.join(', ') });
      this.#add(key, preloader);
    }
    return { preloader, isNew: !found };
  }

  #add(key: string, preloader: Preloader): void {
    this.#current.set(key, preloader);
    this.#all.add(preloader);
    void Promise.all([preloader.loaded, preloader.ended]).then(([{ obstacle, isLasting }]) => {
      this.#all.delete(preloader);
      this.#options.onEnded(preloader.id);
      const isKept = obstacle !== undefined && isLasting;
      if (!isKept && this.#current.get(key) === preloader) this.#current.delete(key);
    });
  }

  #retire(key: string, preloader: Preloader): void {
    this.#current.delete(key);
    preloader.retire();
  }
}

const hasNull = ({ worker, call, env }: Start): boolean =>
  [worker.file, ...worker.args, ...call.args, ...Object.entries(env).flat()].some((text) => text.includes('\0'));
