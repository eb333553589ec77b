import process from 'node:process';
import type { EditorOptions } from './harness.ts';

const titles: Readonly<Record<string, NonNullable<EditorOptions['theme']>>> = {
  dark: 'Default Dark Modern',
  light: 'Default Light Modern',
  contrast: 'Default High Contrast',
};
const name = process.env['CLOUD_COMPUTE_E2E_THEME'] ?? 'dark';

/** Theme of screenshots: dark, light, or contrast. */
export const screenshotTheme = { name, title: titles[name] ?? 'Default Dark Modern' } as const;
