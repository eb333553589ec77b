import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { ModelInformation } from './chatModelProvider.ts';
import { Lazy } from '../../../kit/lazy.ts';

/** Name under which the editor lists the models. Also in `package.json`. */
const VENDOR = 'cloud-compute';

const ADD: CommandId = 'cloudCompute.chatModels.add';

/** Registers the models of endpoints as chat models of the editor. Their code is loaded once there is a model. */
export function registerChatModels(services: AccountServices): vscode.Disposable {
  const { chatModels, connections } = services;
  const changed = new vscode.EventEmitter<void>();
  const provider = new Lazy(async () => {
    const { ChatModelProvider } = await import('./chatModelProvider.ts');
    const created = new ChatModelProvider(services);
    created.onDidChangeLanguageModelChatInformation(() => changed.fire());
    return created;
  });
  const shell: vscode.LanguageModelChatProvider<ModelInformation> = {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: async ({ silent }) => {
      await connections.load();
      // The editor is not silent only after the user chose to add a model of this extension.
      if (!silent) await vscode.commands.executeCommand(ADD);
      return chatModels.models.length === 0 ? [] : (await provider.get()).provideLanguageModelChatInformation();
    },
    provideLanguageModelChatResponse: async (...args) =>
      (await provider.get()).provideLanguageModelChatResponse(...args),
    provideTokenCount: async (...args) => (await provider.get()).provideTokenCount(...args),
  };
  return vscode.Disposable.from(
    changed,
    chatModels.onDidChange(() => {
      if (!provider.value) changed.fire();
    }),
    vscode.lm.registerLanguageModelChatProvider(VENDOR, shell),
    new vscode.Disposable(() => provider.value?.dispose()),
  );
}
