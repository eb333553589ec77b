import type { ImageEditForm } from '../../../webviews/imageEdit/messages.ts';
import type { EditParameters, SentParameters } from './imageEdit.ts';

export const EMPTY_FORM: ImageEditForm = {
  prompt: '',
  negativePrompt: '',
  seedMode: 'random',
  seed: '',
  format: 'png',
  safetyChecker: true,
};

/** Returns the parameters of a form. An invalid seed becomes NaN, which the check of the parameters reports. */
export function parametersOf({ seedMode, seed, ...rest }: ImageEditForm): EditParameters {
  const { prompt, negativePrompt, format, safetyChecker } = rest;
  return { prompt, negativePrompt, format, safetyChecker, seed: seedOf() };

  function seedOf(): EditParameters['seed'] {
    if (seedMode === 'random') return 'random';
    if (seedMode === 'service') return undefined;
    return /^\s*-?\d+\s*$/.test(seed) ? Number(seed) : NaN;
  }
}

/** Returns the form of parameters, with their seed. */
export function formOf({ seed, ...rest }: SentParameters): ImageEditForm {
  const { prompt, negativePrompt, format, safetyChecker } = rest;
  const seedFields =
    seed === undefined
      ? ({ seedMode: 'service', seed: '' } as const)
      : ({ seedMode: 'fixed', seed: String(seed) } as const);
  return { prompt, negativePrompt, format, safetyChecker, ...seedFields };
}
