import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { ChatModelProvider } from './chatModelProvider.ts';

/** Name under which the editor lists the models. Also in `package.json`. */
const VENDOR = 'cloud-compute';

const ADD: CommandId = 'cloudCompute.chatModels.add';

/** Registers the models of endpoints as chat models of the editor. */
export function registerChatModels(services: AccountServices): vscode.Disposable {
  const provider = new ChatModelProvider(services, () => vscode.commands.executeCommand(ADD));
  return vscode.Disposable.from(provider, vscode.lm.registerLanguageModelChatProvider(VENDOR, provider));
}
