import * as vscode from 'vscode';
import { inputs } from './inputs.ts';

/** Deletes all data of the local platform, and stops it. Endpoints with the same name would make other tests ask questions. */
export async function emptyPlatform(): Promise<void> {
  const { done } = inputs({ confirm: 'Reset' });
  await vscode.commands.executeCommand('cloudCompute.localPlatform.reset');
  done();
  await vscode.commands.executeCommand('cloudCompute.localPlatform.stop');
}
