/** Something to run on this machine. */
export interface Task<T> {
  readonly name: string;
  /** How many cores it keeps busy. */
  readonly cores: number;
  /** The name of an earlier task, which ends before this one starts. */
  readonly needs?: string;
  /** `needed` is the result of the task that this one needs. */
  run(needed: T | undefined): Promise<T>;
}

/**
 * Runs tasks beside one another. They start in order, each as soon as its cores are free. A task that wants more cores
 * than there are runs alone.
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
    // A task whose need failed never starts, and the next one has its turn all the same.
    turn = Promise.race([started.promise, result]).catch(() => undefined);
    results.set(task.name, result);
  }
  return [...results.values()];
}
