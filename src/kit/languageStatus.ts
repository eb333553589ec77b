import * as vscode from 'vscode';
import { safe, type Showable } from '../text/shownText.ts';

export interface LanguageStatusWords {
  /** Text with product icons. */
  readonly text: Showable;
  readonly detail: Showable;
  readonly severity: vscode.LanguageStatusSeverity;
  readonly command: { readonly title: Showable; readonly command: string; readonly arguments?: readonly unknown[] };
}

/** A language status item, which the editor shows beside the language of matching documents. */
export class LanguageStatus implements vscode.Disposable {
  readonly #item: vscode.LanguageStatusItem;

  constructor(id: string, name: Showable, selector: vscode.DocumentSelector) {
    this.#item = vscode.languages.createLanguageStatusItem(id, selector);
    this.#item.name = safe(name);
  }

  show({ text, detail, severity, command }: LanguageStatusWords): void {
    this.#item.text = safe(text);
    this.#item.detail = safe(detail);
    this.#item.severity = severity;
    this.#item.accessibilityInformation = { label: safe(detail) };
    this.#item.command = {
      title: safe(command.title),
      command: command.command,
      ...(command.arguments && { arguments: [...command.arguments] }),
    };
  }

  dispose(): void {
    this.#item.dispose();
  }
}
