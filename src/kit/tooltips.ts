import * as vscode from 'vscode';
import type { CommandId } from './commandIds.ts';
import type { Markdown } from '../text/markdown.ts';
import { safe, type Showable } from '../text/shownText.ts';

/** A tooltip: text, or Markdown whose links can run only these commands. */
export type Tooltip = Showable | { readonly markdown: Markdown; readonly commands?: readonly CommandId[] };

/** Converts Markdown to the editor's type, with product icons and without HTML. Its links can run only the given commands. */
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
