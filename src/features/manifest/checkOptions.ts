import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { createTarget } from './create/createTarget.ts';
import type { CheckOptions } from './model/manifestFile.ts';
import { knownNames } from './secrets/knownNames.ts';

/** Derives the options of checks from the current connection and the names that references can have. */
export class ManifestCheckOptions implements vscode.Disposable {
  readonly #connections: Services['connections'];
  readonly #secrets: Services['secrets'];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  #secretNames: ReadonlySet<string> | undefined;
  #names: CheckOptions['names'];
  #current: CheckOptions;

  constructor({ connections, secrets }: Pick<Services, 'connections' | 'secrets'>) {
    this.#connections = connections;
    this.#secrets = secrets;
    this.#current = this.#derive();
    this.#subscription = vscode.Disposable.from(
      connections.onDidChange(() => this.#update()),
      secrets.onDidChange(() => this.#update()),
    );
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
    if (this.#secretNames !== this.#secrets.names) {
      this.#secretNames = this.#secrets.names;
      this.#names = knownNames(this.#secretNames, process.env, process.platform);
    }
    return { target: createTarget(this.#connections).kind, names: this.#names };
  }

  #update(): void {
    const next = this.#derive();
    if (next.target === this.#current.target && next.names === this.#current.names) return;
    this.#current = next;
    this.#changed.fire();
  }
}
