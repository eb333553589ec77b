import { activateOnce } from '../support/activation.ts';
import { measureInTurns, report } from './compare.ts';

const ROUNDS = 15;
const ALLOWED_MS = 10;

/** Measures how long the extension takes to load and activate in a new process, with a fake editor that does nothing. */
export async function run(): Promise<void> {
  const loads: number[] = [];
  const activations: number[] = [];
  const { total } = await measureInTurns(
    {
      total: async () => {
        const { load, activate } = await activateOnce('dist/extension.js');
        loads.push(load);
        activations.push(activate);
        return load + activate;
      },
    },
    ROUNDS,
  );
  const allowed = (times: readonly number[]) => times.map(() => ALLOWED_MS);
  report({ name: 'activate() / limit', unit: 'ms', ours: activations, alternative: allowed(activations) });
  report({ name: 'load the bundle', unit: 'ms', ours: loads });
  report({ name: 'both', unit: 'ms', ours: total });
}
