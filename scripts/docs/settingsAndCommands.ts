import { table } from './section.ts';

/** The parts of package.json that the tables show. */
export interface Contributions {
  readonly commands: readonly { readonly command: string; readonly title: string }[];
  readonly configuration: {
    readonly properties: Readonly<
      Record<
        string,
        {
          readonly type: string | readonly string[];
          readonly default: unknown;
          readonly scope?: string;
          readonly markdownDescription?: string;
          readonly description?: string;
        }
      >
    >;
  };
}

/** Returns a table of the settings, with their types and defaults. */
export function settings({ configuration }: Contributions): string {
  return table(
    ['Setting', 'Type', 'Default', 'Scope', 'Meaning'],
    Object.entries(configuration.properties).map(([name, { type, scope = 'window', ...setting }]) => [
      `\`${name}\``,
      [type].flat().join(' or '),
      `\`${JSON.stringify(setting.default)}\``,
      scope,
      setting.markdownDescription ?? setting.description ?? '',
    ]),
  );
}

/** Returns a table of the commands, with their titles in the command palette. */
export function commands({ commands: all }: Contributions): string {
  return table(
    ['Command', 'ID'],
    all.map(({ title, command }) => [title, `\`${command}\``]),
  );
}
