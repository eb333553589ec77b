import * as l10n from '@vscode/l10n';
import type { Clock } from '../../client/clock.ts';
import type { ControlClient } from '../../client/controlClient.ts';
import type { RequestContext } from '../../client/context.ts';
import { UserError } from '../../kit/userError.ts';
import type { LocalPlatformStore } from './localPlatformStore.ts';

/** The control API of the running local platform. */
export interface PlatformControl {
  readonly control: ControlClient;
  /** For operations with events. */
  readonly context: RequestContext;
}

/** Returns the control API of the local platform. Loads it on first use, because it is large. @throws UserError if the platform does not run */
export async function controlOf({
  localPlatform,
  clock,
}: {
  readonly localPlatform: Pick<LocalPlatformStore, 'state'>;
  readonly clock: Clock;
}): Promise<PlatformControl> {
  const { state } = localPlatform;
  if (state.kind !== 'running')
    throw new UserError(l10n.t('the local platform is not running'), {
      label: l10n.t('Start Local Platform'),
      command: 'cloudCompute.localPlatform.start',
    });
  const [{ createControlClient }, { contextOf }] = await Promise.all([
    import('../../client/controlClient.ts'),
    import('../../client/context.ts'),
  ]);
  const options = { connection: state.announcement, fetch: globalThis.fetch, clock };
  return { control: createControlClient(options), context: contextOf(options) };
}
