import * as vscode from 'vscode';
import type { JobServices } from '../jobServices.ts';
import { TASK_TYPE } from './model/taskDefinition.ts';
import { TaskProvider } from './taskProvider.ts';

/** Registers the tasks of `tasks.json`, which start the local platform and run job files. */
export function registerTasks(services: JobServices): vscode.Disposable {
  return vscode.tasks.registerTaskProvider(TASK_TYPE, new TaskProvider(services));
}
