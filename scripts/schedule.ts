/** A task that keeps cores of this machine busy. */
export interface Task<T> {
  readonly name: string;
  /** Number of cores that the task keeps busy. 0 if it mostly waits: it starts in its turn, even if no core is free. */
  readonly cores: number;
  /** Name of an earlier task that must finish before this one starts. */
  readonly needs?: string;
  /** Runs the task. @param needed result of the task that `needs` names */
  run(needed: T | undefined): Promise<T>;
}

/**
 * Runs tasks in parallel. Tasks start in order, each once its cores are free. A task that needs more cores than exist runs alone.
 *
 * @returns the results, in the order of the tasks
 */
export function schedule<T>(tasks: readonly Task<T>[], cores: number): Promise<T>[] {
  const results = new Map<string, Promise<T>>();
  let free = cores;
  let coresFreed = Promise.withResolvers<undefined>();

  async function run(task: Task<T>, turn: Promise<unknown>, started: () => void): Promise<T> {
    await turn;
    const needed = task.needs === undefined ? undefined : await results.get(task.needs);
    const wanted = Math.min(task.cores, cores);
    while (free < wanted) await coresFreed.promise;
    free -= wanted;
    started();
    try {
      return await task.run(needed);
    } finally {
      free += wanted;
      coresFreed.resolve(undefined);
      coresFreed = Promise.withResolvers();
    }
  }

  let turn: Promise<unknown> = Promise.resolve();
  for (const task of tasks) {
    const started = Promise.withResolvers<undefined>();
    const result = run(task, turn, () => started.resolve(undefined));
    // A task whose dependency failed never starts, and must not block the next task.
    turn = Promise.race([started.promise, result]).catch(() => undefined);
    results.set(task.name, result);
  }
  return [...results.values()];
}
