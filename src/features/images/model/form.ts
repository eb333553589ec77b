import type { ImageEditForm } from '../../../webviews/imageEdit/messages.ts';
import type { EditParameters, SentParameters } from './imageEdit.ts';
import * as l10n from '@vscode/l10n';
import { MAX_PROMPT_LENGTH } from '../../../contract/imageModel.ts';
import { MAX_INTEGER } from '../../../contract/bounds.ts';

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

/** A parameter that the platform would refuse. */
export interface ParameterProblem {
  readonly field: keyof EditParameters;
  readonly code: 'empty' | 'tooLong' | 'notAnInteger';
  /** One sentence. */
  readonly message: string;
}

/** Returns the problems of parameters. */
export function parameterProblems({ prompt, negativePrompt, seed }: EditParameters): readonly ParameterProblem[] {
  const problems: ParameterProblem[] = [];
  if (prompt.trim() === '') {
    problems.push({ field: 'prompt', code: 'empty', message: l10n.t('Describe the edit.') });
  }
  if (prompt.length > MAX_PROMPT_LENGTH) problems.push(tooLong('prompt', prompt.length));
  if (negativePrompt.length > MAX_PROMPT_LENGTH) problems.push(tooLong('negativePrompt', negativePrompt.length));
  if (typeof seed === 'number' && !(Number.isInteger(seed) && Math.abs(seed) <= MAX_INTEGER)) {
    problems.push({ field: 'seed', code: 'notAnInteger', message: l10n.t('Enter a whole number as the seed.') });
  }
  return problems;
}

function tooLong(field: 'prompt' | 'negativePrompt', length: number): ParameterProblem {
  const message =
    field === 'prompt'
      ? l10n.t`Shorten the prompt from ${length} to ${MAX_PROMPT_LENGTH} characters.`
      : l10n.t`Shorten the negative prompt from ${length} to ${MAX_PROMPT_LENGTH} characters.`;
  return { field, code: 'tooLong', message };
}
