import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

// The entry point of the extension. The language is set before the other modules load, because some of them create texts while they load.
if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });

export const { activate } = await import('./extension.ts');
