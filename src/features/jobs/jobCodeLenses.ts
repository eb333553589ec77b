import type * as vscode from 'vscode';
import type { CommandId } from '../../vscode/commandIds.ts';
import { codeLens } from '../../vscode/marks.ts';
import { shown } from '../../vscode/text/shownText.ts';

const RUN: CommandId = 'cloudCompute.jobs.run';

/** Provides the Run Job action at the top of a job file. */
export const jobCodeLenses: vscode.CodeLensProvider = {
  provideCodeLenses: (document) => [
    codeLens(0, {
      title: shown`$(play)\u00a0Run Job`,
      tooltip: 'Sends the content of this editor, including unsaved changes, to a queue endpoint',
      command: RUN,
      arguments: [document.uri],
    }),
  ],
};
