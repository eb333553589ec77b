import * as l10n from '@vscode/l10n';

/** An instruction that the model of the local platform understands. */
export interface Suggestion {
  readonly label: string;
  /** Example, which can be used as a prompt or as a part of one. */
  readonly prompt: string;
  /** Values that the instruction takes. */
  readonly takes: string;
}

/** One suggestion for each instruction, in the order in which people are likely to need them. */
export const SUGGESTIONS: readonly Suggestion[] = [
  { label: l10n.t('Black and White'), prompt: 'make it black and white', takes: l10n.t('amount, such as 60%') },
  { label: l10n.t('Brighten'), prompt: 'brighten it by 20%', takes: l10n.t('amount: slightly, strongly, by 30%') },
  { label: l10n.t('Darken'), prompt: 'darken it slightly', takes: l10n.t('amount: slightly, strongly, by 30%') },
  { label: l10n.t('Rotate'), prompt: 'rotate 90 degrees right', takes: l10n.t('degrees, left or right') },
  { label: l10n.t('Flip'), prompt: 'flip horizontally', takes: l10n.t('horizontally or vertically') },
  {
    label: l10n.t('Resize'),
    prompt: 'resize to 50%',
    takes: l10n.t('size (512x512), longer side in px, or factor (50%)'),
  },
  { label: l10n.t('Blur'), prompt: 'blur it slightly', takes: l10n.t('amount, or radius in px') },
  { label: l10n.t('Sepia'), prompt: 'sepia', takes: l10n.t('amount, such as 80%') },
  { label: l10n.t('Invert'), prompt: 'invert the colors', takes: l10n.t('amount, such as 60%') },
  { label: l10n.t('Noise'), prompt: 'add some noise', takes: l10n.t('amount; the seed determines the noise') },
];
