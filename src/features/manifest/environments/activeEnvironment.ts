import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import type { StateStorage } from '../../../kit/keyedState.ts';
import { flag, object, text, type ValueOf } from '../../../kit/smallSchema.ts';
import { StatusItem } from '../../../kit/statusBar.ts';
import { shown } from '../../../text/shownText.ts';

const KEY = 'cloudCompute.manifest.environment';
const CHOOSE: CommandId = 'cloudCompute.manifest.chooseEnvironment';

const Active = object({ name: text, production: flag });
/** The environment that the manifests of this window are shown and deployed in. */
export type Active = Readonly<ValueOf<typeof Active>>;

/** Holds the chosen environment of the workspace, and shows it in the status bar. Production has the color of errors. */
export class ActiveEnvironment implements vscode.Disposable {
  readonly #storage: Pick<StateStorage, 'get' | 'update'>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #item = new StatusItem({
    id: 'cloudCompute.environment',
    name: l10n.t('Cloud Compute: Environment'),
    alignment: vscode.StatusBarAlignment.Left,
    priority: 9,
    command: CHOOSE,
  });

  constructor(storage: Pick<StateStorage, 'get' | 'update'>) {
    this.#storage = storage;
    this.#render();
  }

  get current(): Active | undefined {
    return storedEnvironment(this.#storage);
  }

  async set(environment: Active | undefined): Promise<void> {
    const { name, production } = environment ?? {};
    if (name === this.current?.name && production === this.current?.production) return;
    await this.#storage.update(KEY, environment && { name, production });
    this.#render();
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
    this.#item.dispose();
  }

  #render(): void {
    const { current } = this;
    if (!current) {
      this.#item.hide();
      return;
    }
    const { name, production } = current;
    this.#item.show({
      text: production ? shown`$(warning) ${productionLabel(name)}` : shown`$(server-environment) ${name}`,
      tooltip: production
        ? shown`Cloud Compute: manifests are deployed in production (${name}). Click to choose another environment.`
        : shown`Cloud Compute: manifests are deployed in the environment ${name}. Click to choose another one.`,
      spoken: production ? shown`Production environment ${name}` : shown`Environment ${name}`,
      isAlarming: production,
    });
  }
}

/** Returns the chosen environment of a workspace. */
export function storedEnvironment(storage: Pick<StateStorage, 'get'>): Active | undefined {
  return Active.safeParse(storage.get(KEY)).data;
}

/** Names an environment of production, so that the word is there whatever its name is. */
export function productionLabel(name: string): string {
  return name === 'production' ? l10n.t('PRODUCTION') : l10n.t`PRODUCTION (${name})`;
}
