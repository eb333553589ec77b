import * as vscode from 'vscode';
import { withSafeErrors } from './safeErrors.ts';
import { safe, type Showable } from '../text/shownText.ts';

export interface FileMark {
  /** At most two characters. */
  readonly badge: string;
  readonly tooltip: Showable;
  /** ID of a theme color. Default: no color. */
  readonly color?: string | undefined;
}

export interface FileMarks {
  /** Fired when the marks of these files change, or of all files if there is no value. */
  readonly onDidChange: vscode.Event<vscode.Uri | vscode.Uri[] | undefined>;
  markOf(uri: vscode.Uri): Promise<FileMark | undefined> | undefined;
}

/** Registers badges of files in the Explorer and in tabs. */
export function registerFileMarks(marks: FileMarks): vscode.Disposable {
  const provider: vscode.FileDecorationProvider = {
    onDidChangeFileDecorations: marks.onDidChange,
    provideFileDecoration: async (uri) => {
      const mark = await marks.markOf(uri);
      if (!mark) return undefined;
      const color = mark.color === undefined ? undefined : new vscode.ThemeColor(mark.color);
      return new vscode.FileDecoration(mark.badge, safe(mark.tooltip), color);
    },
  };
  return vscode.window.registerFileDecorationProvider(withSafeErrors(provider));
}
