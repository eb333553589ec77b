import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerChatModels } from './chatModels/index.ts';
import { registerRouteLanguage } from './language/registerRouteLanguage.ts';
import { registerExchanges, type CopyRequest } from './registerExchanges.ts';

/** Registers HTTP files, the requests to endpoints that they contain, and the chat models of endpoints. */
export function registerRequests(services: AccountServices): vscode.Disposable & { readonly copyRequest: CopyRequest } {
  const language = registerRouteLanguage(services);
  const exchanges = registerExchanges(services, language.models);
  const registered = vscode.Disposable.from(language, exchanges, registerChatModels(services));
  return Object.assign(registered, { copyRequest: exchanges.copyRequest });
}
