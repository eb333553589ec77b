import * as vscode from 'vscode';
import { safe, type Showable } from '../text/shownText.ts';

/* Notifications, modal dialogs, and status bar messages. */

export type Severity = 'information' | 'warning' | 'error';

/** Shows a notification. Resolves with the chosen button, or undefined. */
export async function showMessage<Button extends string>(
  severity: Severity,
  message: Showable,
  ...buttons: readonly Button[]
): Promise<Button | undefined> {
  const labels = buttons.map(safe);
  const chosen = await show(severity, safe(message), labels);
  return chosen === undefined ? undefined : buttons[labels.indexOf(chosen)];
}

// Looks up the function at each call, because tests replace it.
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

/** Asks for confirmation in a modal dialog. The detail can have several lines. Resolves with true if the user chose the button. */
export async function confirmed(question: Showable, detail: Showable, button: string): Promise<boolean> {
  const options = { modal: true, detail: safe(detail) };
  return (await vscode.window.showWarningMessage(safe(question), options, button)) === button;
}

/** Shows a message in the status bar for `ms` milliseconds. */
export function showStatusBarMessage(text: Showable, ms: number): void {
  vscode.window.setStatusBarMessage(safe(text), ms);
}
