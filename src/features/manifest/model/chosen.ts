import type { Path } from '../../../contract/violation.ts';
import type { Draft } from './draft.ts';
import type { Chosen } from './liveChoices.ts';

/** Returns the choices of a manifest that restrict the live values at a path: its GPU pools, and the CPU flavor of the same entry. */
export function chosenAt({ gpu, cpu }: Draft, path: Path): Chosen {
  const index = path.at(-2);
  return { pools: gpu?.pools ?? [], flavor: typeof index === 'number' ? cpu?.[index]?.id : undefined };
}
