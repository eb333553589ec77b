import * as vscode from 'vscode';
import type { CommandId } from './commandIds.ts';
import type { Markdown } from './text/markdown.ts';
import { safe, type Showable } from './text/shownText.ts';

/** What is shown when something is pointed at: text, or Markdown whose links may run these commands and no other. */
export type Tooltip = Showable | { readonly markdown: Markdown; readonly commands?: readonly CommandId[] };

/** Markdown for the editor, with product icons and without HTML. Its links run the given commands and no other. */
export function markdownString({ source }: Markdown, commands: readonly CommandId[] = []): vscode.MarkdownString {
  const text = new vscode.MarkdownString(source, true);
  text.supportHtml = false;
  text.isTrusted = commands.length > 0 ? { enabledCommands: commands } : false;
  return text;
}

export function tooltipOf(tooltip: Tooltip): string | vscode.MarkdownString {
  return typeof tooltip === 'object' && 'markdown' in tooltip
    ? markdownString(tooltip.markdown, tooltip.commands)
    : safe(tooltip);
}
