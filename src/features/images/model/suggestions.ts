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
  { label: 'Black and White', prompt: 'make it black and white', takes: 'amount, such as 60%' },
  { label: 'Brighten', prompt: 'brighten it by 20%', takes: 'amount: slightly, strongly, by 30%' },
  { label: 'Darken', prompt: 'darken it slightly', takes: 'amount: slightly, strongly, by 30%' },
  { label: 'Contrast', prompt: 'increase the contrast', takes: 'more or less; amount' },
  { label: 'Crop', prompt: 'crop to 16:9', takes: 'size (300x200), ratio (16:9, square), or part (the left half)' },
  { label: 'Rotate', prompt: 'rotate 90 degrees right', takes: 'degrees, left or right' },
  { label: 'Flip', prompt: 'flip horizontally', takes: 'horizontally or vertically' },
  { label: 'Resize', prompt: 'resize to 50%', takes: 'size (512x512), longer side in px, or factor (50%)' },
  { label: 'Blur', prompt: 'blur it slightly', takes: 'amount, or radius in px' },
  { label: 'Sharpen', prompt: 'sharpen it', takes: 'amount: slightly, strongly, 150%' },
  {
    label: 'Caption',
    prompt: 'write "Hello" at the bottom',
    takes: 'text in quotation marks; top, middle, or bottom; color',
  },
  { label: 'Border', prompt: 'add a red border of 10 px', takes: 'color; thickness in px' },
  { label: 'Round Corners', prompt: 'round the corners, 20 px', takes: 'radius in px; transparent in PNG' },
  { label: 'Saturate', prompt: 'more vivid', takes: 'amount: slightly, strongly, by 30%' },
  { label: 'Desaturate', prompt: 'desaturate by half', takes: 'amount: slightly, strongly, by 30%' },
  { label: 'Warm', prompt: 'a little warmer', takes: 'amount: slightly, strongly, by 30%' },
  { label: 'Cool', prompt: 'a little cooler', takes: 'amount: slightly, strongly, by 30%' },
  { label: 'Sepia', prompt: 'sepia', takes: 'amount, such as 80%' },
  { label: 'Tint', prompt: 'tint it teal', takes: 'color: a CSS name or #rrggbb; amount' },
  { label: 'Invert', prompt: 'invert the colors', takes: 'amount, such as 60%' },
  { label: 'Vignette', prompt: 'add a vignette', takes: 'amount: slightly, strongly' },
  { label: 'Film Grain', prompt: 'add some film grain', takes: 'amount; the seed determines the grain' },
  { label: 'Posterize', prompt: 'posterize to 6 levels', takes: 'levels, 2 to 64' },
  { label: 'Pixelate', prompt: 'pixelate in squares of 12 px', takes: 'size of a square in px' },
  { label: 'Shuffle', prompt: 'shuffle in tiles of 32 px', takes: 'tile size in px; the seed determines the order' },
];
