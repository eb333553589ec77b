import * as vscode from 'vscode';
import { tooltipOf, type Tooltip } from './tooltips.ts';
import { safe, type Showable } from '../text/shownText.ts';

export interface StatusItemOptions {
  readonly id: string;
  readonly name: string;
  readonly alignment: vscode.StatusBarAlignment;
  readonly priority?: number;
  readonly command: string | vscode.Command;
}

export interface StatusWords {
  /** Text with product icons. */
  readonly text: Showable;
  readonly tooltip: Tooltip;
  /** Text for screen readers. */
  readonly spoken: Showable;
  /** Whether the button has the color of errors. */
  readonly isAlarming?: boolean;
}

/** A button in the status bar. It is hidden until the first call of `show`. */
export class StatusItem implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;

  constructor({ id, name, alignment, priority, command }: StatusItemOptions) {
    this.#item = vscode.window.createStatusBarItem(id, alignment, priority);
    this.#item.name = name;
    this.#item.command = command;
  }

  show({ text, tooltip, spoken, isAlarming = false }: StatusWords): void {
    this.#item.text = safe(text);
    this.setTooltip(tooltip);
    this.#item.backgroundColor = isAlarming ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    this.#item.accessibilityInformation = { label: safe(spoken), role: 'button' };
    this.#item.show();
  }

  setTooltip(tooltip: Tooltip): void {
    this.#item.tooltip = tooltipOf(tooltip);
  }

  hide(): void {
    this.#item.hide();
  }

  dispose(): void {
    this.#item.dispose();
  }
}
