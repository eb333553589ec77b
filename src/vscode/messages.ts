import * as vscode from 'vscode';
import { safe, type Showable } from './text/shownText.ts';

/* Messages: notifications, questions, and short confirmations. */

export type Severity = 'information' | 'warning' | 'error';

/** Shows a notification. Resolves with the button that was pressed. */
export async function showMessage<Button extends string>(
  severity: Severity,
  message: Showable,
  ...buttons: readonly Button[]
): Promise<Button | undefined> {
  const labels = buttons.map(safe);
  const chosen = await show(severity, safe(message), labels);
  return chosen === undefined ? undefined : buttons[labels.indexOf(chosen)];
}

// Not looked up before: tests put their own in place of the editor's.
function show(severity: Severity, message: string, labels: readonly string[]): Thenable<string | undefined> {
  switch (severity) {
    case 'information':
      return vscode.window.showInformationMessage(message, ...labels);
    case 'warning':
      return vscode.window.showWarningMessage(message, ...labels);
    case 'error':
      return vscode.window.showErrorMessage(message, ...labels);
  }
}

/** Asks before something is done. The detail is a text of several lines. Resolves with whether the button was pressed. */
export async function confirmed(question: Showable, detail: Showable, button: string): Promise<boolean> {
  const options = { modal: true, detail: safe(detail) };
  return (await vscode.window.showWarningMessage(safe(question), options, button)) === button;
}

/** Shows a short confirmation in the status bar. */
export function showShortly(text: Showable, ms: number): void {
  vscode.window.setStatusBarMessage(safe(text), ms);
}
