import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import { Reports } from '../../kit/documents/reports.ts';
import type { Lazy } from '../../kit/lazy.ts';
import { formatted } from '../../text/markdown.ts';
import type { Jobs } from '../jobs/index.ts';
import { replayCommands } from './commands.ts';

/** Registers *Replay Locally…* for jobs and recordings, and its reports. */
export function registerReplay(services: AccountServices, jobs: Lazy<Jobs>): vscode.Disposable {
  const { clock, log } = services;
  const reports = new Reports({
    scheme: 'cloud-compute-replay',
    gone: formatted`This report is no longer available. Replay the job again.`,
    whyReadonly: formatted`This is the report of a replay.`,
    clock,
  });
  return vscode.Disposable.from(reports.register(), registerCommands(log, replayCommands(services, jobs, reports)));
}
