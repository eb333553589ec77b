import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import { Lazy } from '../../kit/lazy.ts';

/** Registers *Check Retry Safety*, whose results are tests. Its code is loaded with the first check. */
export function registerSafety(
  services: Pick<AccountServices, 'context' | 'globalState' | 'secrets' | 'log'>,
): vscode.Disposable {
  const { log } = services;
  const tests = new Lazy(async () => new (await import('./safetyTests.ts')).SafetyTests(services));
  return vscode.Disposable.from(
    new vscode.Disposable(() => tests.value?.dispose()),
    registerCommands(log, {
      'cloudCompute.safety.check': {
        failure: l10n.t('Could not check retry safety'),
        run: async (...args) => (await tests.get()).check(args),
      },
    }),
  );
}
