import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CloudComputeExports } from './api/cloudCompute.d.ts';

/**
 * The entry point in a browser. The language is set before the other modules load, because some of them create texts while they load.
 */
export async function activate(context: vscode.ExtensionContext): Promise<CloudComputeExports> {
  if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });
  const extension = await import('./extension.browser.ts');
  return extension.activate(context);
}
