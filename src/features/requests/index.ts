import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import type { CopyRequest } from '../jobs/index.ts';
import { registerChatModels } from './chatModels/index.ts';
import { requestCommands } from './commands.ts';
import { registerRouteLanguage } from './language/registerRouteLanguage.ts';
import { registerExchanges } from './registerExchanges.ts';

/** Registers HTTP files, the requests to endpoints that they contain, and the chat models of endpoints. */
export function registerRequests(base: AccountServices): vscode.Disposable & { readonly copyRequest: CopyRequest } {
  const language = registerRouteLanguage(base);
  const exchanges = registerExchanges(base, language.models);
  const { services } = exchanges;
  const registered = vscode.Disposable.from(
    language,
    exchanges,
    registerChatModels(base),
    registerCommands(base.log, requestCommands(services, language.manifests)),
  );
  const copyRequest: CopyRequest = async (uri, index) =>
    (await import('./send/sendCommands.ts')).copyRequestAs(services, uri, index);
  return Object.assign(registered, { copyRequest });
}
