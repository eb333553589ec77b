import { table } from './section.ts';

/** The part of package.json that the table shows. */
export interface Contributions {
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
