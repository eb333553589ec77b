import type { AccountServices } from '../../../account/accountServices.ts';
import { controlOf } from '../../../account/localPlatform/platformControl.ts';
import type { SeenEngine } from './model/engineWords.ts';

/** Time to wait for an engine, in ms. An engine on another machine can take seconds. */
const PATIENCE_MS = 15_000;

/** Reads the engine of the local platform. A failure is part of the result. */
export async function readEngine(
  services: Pick<AccountServices, 'localPlatform' | 'clock'>,
  signal: AbortSignal,
): Promise<SeenEngine> {
  if (services.localPlatform.state.kind !== 'running') return { kind: 'unknown' };
  try {
    const { control } = await controlOf(services);
    return { kind: 'seen', state: await control.getEngine({}, { signal, timeout: PATIENCE_MS, retries: 0 }) };
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}
