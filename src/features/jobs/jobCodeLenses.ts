import * as vscode from 'vscode';
import type { CommandId } from '../../vscode/commandIds.ts';

const RUN: CommandId = 'cloudCompute.jobs.run';

/** The action above a job file. */
export const jobCodeLenses: vscode.CodeLensProvider = {
  provideCodeLenses: (document) => [
    new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
      title: '$(play)\u00a0Run Job',
      tooltip: 'Sends what is in this editor, saved or not, to a queue endpoint',
      command: RUN,
      arguments: [document.uri],
    }),
  ],
};
