/** The theme variables of VS Code that webviews use. */
const dark = {
  foreground: '#cccccc',
  descriptionForeground: '#9d9d9d',
  errorForeground: '#f85149',
  focusBorder: '#0078d4',
  'editor-background': '#1f1f1f',
  'panel-border': '#2b2b2b',
  'widget-border': '#313131',
  'widget-shadow': '#0000005c',
  'button-background': '#0078d4',
  'button-foreground': '#ffffff',
  'button-hoverBackground': '#026ec1',
  'button-border': '#ffffff12',
  'button-secondaryBackground': '#313131',
  'button-secondaryForeground': '#cccccc',
  'button-secondaryHoverBackground': '#3c3c3c',
  'settings-dropdownBackground': '#313131',
  'settings-dropdownForeground': '#cccccc',
  'settings-dropdownBorder': '#3c3c3c',
  'settings-dropdownListBorder': '#454545',
  'textLink-foreground': '#4daafc',
  disabledForeground: '#cccccc80',
  'settings-textInputBackground': '#313131',
  'settings-textInputForeground': '#cccccc',
  'settings-textInputBorder': '#3c3c3c',
  'list-hoverBackground': '#2a2d2e',
  'progressBar-background': '#0078d4',
  'inputValidation-errorBackground': '#5a1d1d',
  'inputValidation-errorBorder': '#be1100',
  'editorHoverWidget-background': '#202020',
  'editorHoverWidget-foreground': '#cccccc',
  'editorHoverWidget-border': '#454545',
  'editorIndentGuide-background1': '#404040',
};

const light: typeof dark = {
  ...dark,
  foreground: '#3b3b3b',
  descriptionForeground: '#6b6b6b',
  focusBorder: '#005fb8',
  'editor-background': '#ffffff',
  'panel-border': '#e5e5e5',
  'widget-border': '#e5e5e5',
  'widget-shadow': '#00000029',
  'button-background': '#005fb8',
  'button-hoverBackground': '#0258a8',
  'button-secondaryBackground': '#e5e5e5',
  'button-secondaryForeground': '#3b3b3b',
  'button-secondaryHoverBackground': '#cccccc',
  'settings-dropdownBackground': '#ffffff',
  'settings-dropdownForeground': '#3b3b3b',
  'settings-dropdownBorder': '#cecece',
  'settings-dropdownListBorder': '#cecece',
  'textLink-foreground': '#005fb8',
  disabledForeground: '#61616180',
  'settings-textInputBackground': '#ffffff',
  'settings-textInputForeground': '#3b3b3b',
  'settings-textInputBorder': '#cecece',
  'list-hoverBackground': '#f2f2f2',
  'inputValidation-errorBackground': '#f2dede',
  'editorHoverWidget-background': '#f8f8f8',
  'editorHoverWidget-foreground': '#3b3b3b',
  'editorHoverWidget-border': '#c8c8c8',
  'editorIndentGuide-background1': '#d3d3d3',
};

const highContrast = {
  foreground: '#ffffff',
  descriptionForeground: '#ffffffb3',
  errorForeground: '#f48771',
  focusBorder: '#f38518',
  contrastBorder: '#6fc3df',
  'editor-background': '#000000',
  'panel-border': '#6fc3df',
  'button-background': '#000000',
  'button-foreground': '#ffffff',
  'button-border': '#6fc3df',
  'button-secondaryForeground': '#ffffff',
  'settings-dropdownBackground': '#000000',
  'settings-dropdownForeground': '#ffffff',
  'settings-dropdownBorder': '#6fc3df',
  'settings-dropdownListBorder': '#6fc3df',
  'textLink-foreground': '#21a6ff',
  disabledForeground: '#a5a5a5',
  'settings-textInputBackground': '#000000',
  'settings-textInputForeground': '#ffffff',
  'settings-textInputBorder': '#6fc3df',
  'list-hoverBackground': '#ffffff1a',
  'progressBar-background': '#6fc3df',
  'inputValidation-errorBackground': '#000000',
  'inputValidation-errorBorder': '#6fc3df',
  'editorHoverWidget-background': '#0c141f',
  'editorHoverWidget-foreground': '#ffffff',
  'editorHoverWidget-border': '#6fc3df',
};

const highContrastLight: typeof highContrast = {
  ...highContrast,
  foreground: '#292929',
  descriptionForeground: '#292929b3',
  errorForeground: '#b5200d',
  focusBorder: '#006bbd',
  contrastBorder: '#0f4a85',
  'editor-background': '#ffffff',
  'panel-border': '#0f4a85',
  'button-background': '#0f4a85',
  'button-foreground': '#ffffff',
  'button-border': '#0f4a85',
  'button-secondaryForeground': '#292929',
  'settings-dropdownBackground': '#ffffff',
  'settings-dropdownForeground': '#292929',
  'settings-dropdownBorder': '#0f4a85',
  'settings-dropdownListBorder': '#0f4a85',
  'textLink-foreground': '#0f4a85',
  disabledForeground: '#7f7f7f',
  'settings-textInputBackground': '#ffffff',
  'settings-textInputForeground': '#292929',
  'settings-textInputBorder': '#0f4a85',
  'list-hoverBackground': '#0f4a851a',
  'progressBar-background': '#0f4a85',
  'inputValidation-errorBackground': '#ffffff',
  'inputValidation-errorBorder': '#0f4a85',
  'editorHoverWidget-background': '#ffffff',
  'editorHoverWidget-foreground': '#292929',
  'editorHoverWidget-border': '#0f4a85',
};

/** Classes that the editor gives to the body of a webview. */
const CLASSES = {
  dark: 'vscode-dark',
  light: 'vscode-light',
  'high-contrast': 'vscode-high-contrast',
  'high-contrast-light': 'vscode-high-contrast vscode-high-contrast-light',
};

/** Returns the classes of the body in a theme. */
export function themeClasses(theme: Theme): string {
  return CLASSES[theme];
}

export const THEMES = { dark, light, 'high-contrast': highContrast, 'high-contrast-light': highContrastLight };
export type Theme = keyof typeof THEMES;

/** Returns the style sheet of a theme. */
export function themeStyle(theme: Theme): string {
  const variables = Object.entries({ ...THEMES[theme], 'font-family': 'sans-serif', 'font-size': '13px' });
  const rules = variables.map(([name, value]) => `--vscode-${name}: ${value};`);
  return `:root { ${rules.join(' ')} } body { background: var(--vscode-editor-background); }`;
}
