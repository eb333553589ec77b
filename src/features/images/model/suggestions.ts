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
  { label: l10n.t('Contrast'), prompt: 'increase the contrast', takes: l10n.t('more or less; amount') },
  {
    label: l10n.t('Crop'),
    prompt: 'crop to 16:9',
    takes: l10n.t('size (300x200), ratio (16:9, square), or part (the left half)'),
  },
  { label: l10n.t('Rotate'), prompt: 'rotate 90 degrees right', takes: l10n.t('degrees, left or right') },
  { label: l10n.t('Flip'), prompt: 'flip horizontally', takes: l10n.t('horizontally or vertically') },
  {
    label: l10n.t('Resize'),
    prompt: 'resize to 50%',
    takes: l10n.t('size (512x512), longer side in px, or factor (50%)'),
  },
  { label: l10n.t('Blur'), prompt: 'blur it slightly', takes: l10n.t('amount, or radius in px') },
  { label: l10n.t('Sharpen'), prompt: 'sharpen it', takes: l10n.t('amount: slightly, strongly, 150%') },
  {
    label: l10n.t('Caption'),
    prompt: 'write "Hello" at the bottom',
    takes: l10n.t('text in quotation marks; top, middle, or bottom; color'),
  },
  { label: l10n.t('Border'), prompt: 'add a red border of 10 px', takes: l10n.t('color; thickness in px') },
  {
    label: l10n.t('Round Corners'),
    prompt: 'round the corners, 20 px',
    takes: l10n.t('radius in px; transparent in PNG'),
  },
  { label: l10n.t('Saturate'), prompt: 'more vivid', takes: l10n.t('amount: slightly, strongly, by 30%') },
  { label: l10n.t('Desaturate'), prompt: 'desaturate by half', takes: l10n.t('amount: slightly, strongly, by 30%') },
  { label: l10n.t('Warm'), prompt: 'a little warmer', takes: l10n.t('amount: slightly, strongly, by 30%') },
  { label: l10n.t('Cool'), prompt: 'a little cooler', takes: l10n.t('amount: slightly, strongly, by 30%') },
  { label: l10n.t('Sepia'), prompt: 'sepia', takes: l10n.t('amount, such as 80%') },
  { label: l10n.t('Tint'), prompt: 'tint it teal', takes: l10n.t('color: a CSS name or #rrggbb; amount') },
  { label: l10n.t('Invert'), prompt: 'invert the colors', takes: l10n.t('amount, such as 60%') },
  { label: l10n.t('Vignette'), prompt: 'add a vignette', takes: l10n.t('amount: slightly, strongly') },
  {
    label: l10n.t('Film Grain'),
    prompt: 'add some film grain',
    takes: l10n.t('amount; the seed determines the grain'),
  },
  { label: l10n.t('Posterize'), prompt: 'posterize to 6 levels', takes: l10n.t('levels, 2 to 64') },
  { label: l10n.t('Pixelate'), prompt: 'pixelate in squares of 12 px', takes: l10n.t('size of a square in px') },
  {
    label: l10n.t('Shuffle'),
    prompt: 'shuffle in tiles of 32 px',
    takes: l10n.t('tile size in px; the seed determines the order'),
  },
];
