import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showError } from '../../../kit/errors.ts';
import { Lazy } from '../../../kit/lazy.ts';
import type { Log } from '../../../kit/log.ts';
import type { RouteServices } from '../routeServices.ts';
import type { RequestTestTree } from './requestTestTree.ts';

/** Lists the requests with expectations in the Test Explorer, and sends them to the current connection. */
export function registerRequestTests(log: Log, services: () => Promise<RouteServices>): vscode.Disposable {
  const controller = vscode.tests.createTestController('cloudComputeRequests', l10n.t('Cloud Compute Requests'));
  const tree = new Lazy<RequestTestTree>(
    async () => new (await import('./requestTestTree.ts')).RequestTestTree(controller, log),
  );
  controller.resolveHandler = async (item) => {
    if (!item) await (await tree.get()).discover();
  };
  controller.refreshHandler = async () => (await tree.get()).discover();
  const runAll = async (request: vscode.TestRunRequest): Promise<void> => {
    const shown = await tree.get();
    await shown.discover();
    const run = controller.createTestRun(request);
    try {
      const { runRequestTests } = await import('./runRequestTests.ts');
      await runRequestTests(await services(), run, shown.testsOf(request));
    } catch (error) {
      showError(log, error, l10n.t('Could not run the tests'));
    } finally {
      run.end();
    }
  };
  const profile = controller.createRunProfile(l10n.t('Run'), vscode.TestRunProfileKind.Run, runAll, true);
  return vscode.Disposable.from(new vscode.Disposable(() => tree.value?.dispose()), profile, controller);
}
