import { html, type TemplateResult } from 'lit';

/** Renders a list of values with a label. @param names text of each value, in the order of the list */
export function choice<Value extends string>(
  label: string,
  names: Readonly<Record<string, string>>,
  value: Value,
  onChange: (value: Value) => void,
): TemplateResult {
  const change = (event: Event) => {
    const chosen = (event.target as HTMLElement & { value: string }).value;
    if (chosen in names) onChange(chosen as Value);
  };
  return html`
    <div class="field">
      <span class="label" aria-hidden="true">${label}</span>
      <vscode-single-select label=${label} .value=${value} @change=${change}>
        ${Object.entries(names).map(
          ([name, text]) => html`<vscode-option value=${name} ?selected=${name === value}>${text}</vscode-option>`,
        )}
      </vscode-single-select>
    </div>
  `;
}
