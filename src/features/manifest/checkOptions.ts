import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { createTarget } from './create/createTarget.ts';
import type { CheckOptions } from './model/manifestFile.ts';

/** Derives the options of checks from the current connection. */
export class ManifestCheckOptions implements vscode.Disposable {
  readonly #connections: Services['connections'];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  #current: CheckOptions;

  constructor(connections: Services['connections']) {
    this.#connections = connections;
    this.#current = this.#derive();
    this.#subscription = connections.onDidChange(() => this.#update());
  }

  /** The options for the platform of the current connection. The object changes only if an option changes. */
  get current(): CheckOptions {
    return this.#current;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #derive(): CheckOptions {
    return { target: createTarget(this.#connections).kind };
  }

  #update(): void {
    const next = this.#derive();
    if (next.target === this.#current.target) return;
    this.#current = next;
    this.#changed.fire();
  }
}
