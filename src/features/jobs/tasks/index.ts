import * as vscode from 'vscode';
import { Lazy } from '../../../kit/lazy.ts';
import { TASK_TYPE } from '../model/jobNames.ts';
import type { JobServices } from '../jobServices.ts';

/** Registers the tasks of `tasks.json`, which start the local platform and run job files. */
export function registerTasks(services: () => Promise<JobServices>): vscode.Disposable {
  const provider = new Lazy(async () => new (await import('./taskProvider.ts')).TaskProvider(await services()));
  return vscode.tasks.registerTaskProvider(TASK_TYPE, {
    provideTasks: async (token) => (await provider.get()).provideTasks(token),
    resolveTask: async (task) => (await provider.get()).resolveTask(task),
  });
}
