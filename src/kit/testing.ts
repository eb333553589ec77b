import * as vscode from 'vscode';
import { safe, withoutControls, type Showable } from '../text/shownText.ts';

/* Items, messages, and output of the Test Explorer. */

/** Creates an item without a description, which a screen reader would read instead of the label. */
export function testItem(controller: vscode.TestController, { id, label, uri }: TestItemOptions): vscode.TestItem {
  return controller.createTestItem(id, safe(label), uri);
}

export interface TestItemOptions {
  readonly id: string;
  readonly label: Showable;
  readonly uri: vscode.Uri;
}

/** Shows the error of an item that cannot run, or removes it. */
export function setTestError(item: vscode.TestItem, error: Showable | undefined): void {
  item.error = error === undefined ? undefined : safe(error);
}

export interface TestMessageOptions {
  readonly message: Showable;
  readonly location?: vscode.Location | undefined;
  /** Texts to compare. The editor shows them as plain text. */
  readonly difference?: { readonly expected: string; readonly actual: string } | undefined;
}

export function testMessage({ message, location, difference }: TestMessageOptions): vscode.TestMessage {
  const created = new vscode.TestMessage(safe(message));
  if (location) created.location = location;
  if (difference) {
    created.expectedOutput = withoutControls(difference.expected);
    created.actualOutput = withoutControls(difference.actual);
  }
  return created;
}

/** Returns the tests that a run includes: the items without children below the chosen ones, or all of them. */
export function requestedTests(
  { items }: vscode.TestController,
  { include, exclude = [] }: Pick<vscode.TestRunRequest, 'include' | 'exclude'>,
): vscode.TestItem[] {
  const excluded = new Set(exclude.flatMap(leaves));
  return [...new Set((include ?? itemsOf(items)).flatMap(leaves))].filter((item) => !excluded.has(item));
}

function itemsOf(collection: vscode.TestItemCollection): vscode.TestItem[] {
  return [...collection].map(([, item]) => item);
}

function leaves(item: vscode.TestItem): vscode.TestItem[] {
  return item.children.size === 0 ? [item] : itemsOf(item.children).flatMap(leaves);
}

/** Appends lines to the output of a run, which is a terminal. */
export function appendTestOutput(run: vscode.TestRun, lines: readonly string[], item?: vscode.TestItem): void {
  const text = lines.map((line) => `${withoutControls(line).replaceAll('\n', '\r\n')}\r\n`).join('');
  run.appendOutput(text, undefined, item);
}
