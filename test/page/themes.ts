/** The colours VS Code gives a page in its own dark, light and high-contrast themes, as far as the page reads them. */
export type ThemeName = 'dark' | 'light' | 'highContrast' | 'highContrastLight';

const dark = {
  'font-family': 'system-ui, "Ubuntu", "DejaVu Sans", sans-serif',
  'font-size': '13px',
  'editor-font-family': '"DejaVu Sans Mono", monospace',
  foreground: '#cccccc',
  descriptionForeground: '#9d9d9d',
  focusBorder: '#0078d4',
  'editor-background': '#1f1f1f',
  'editor-foreground': '#cccccc',
  'panel-border': '#2b2b2b',
  'sideBar-background': '#181818',
  'editorWidget-background': '#202020',
  'editorWidget-border': '#454545',
  'editorHoverWidget-background': '#202020',
  'editorHoverWidget-foreground': '#cccccc',
  'editorHoverWidget-border': '#454545',
  'list-hoverBackground': '#2a2d2e',
  'list-activeSelectionBackground': '#04395e',
  'list-activeSelectionForeground': '#ffffff',
  'input-background': '#313131',
  'input-foreground': '#cccccc',
  'input-border': '#3c3c3c',
  'input-placeholderForeground': '#989898',
  'dropdown-background': '#313131',
  'dropdown-foreground': '#cccccc',
  'dropdown-border': '#3c3c3c',
  'dropdown-listBackground': '#1f1f1f',
  'settings-dropdownListBorder': '#454545',
  'checkbox-background': '#313131',
  'checkbox-foreground': '#cccccc',
  'checkbox-border': '#3c3c3c',
  'button-background': '#0078d4',
  'button-foreground': '#ffffff',
  'button-hoverBackground': '#026ec1',
  'button-secondaryBackground': '#313131',
  'button-secondaryForeground': '#cccccc',
  'textLink-foreground': '#4daafc',
  'toolbar-hoverBackground': 'rgba(90, 93, 94, 0.31)',
  'badge-background': '#616161',
  'badge-foreground': '#f8f8f8',
  'charts-blue': '#3794ff',
  'charts-red': '#f14c4c',
  'charts-orange': '#d18616',
  'charts-yellow': '#cca700',
  'charts-green': '#89d185',
  'charts-purple': '#b180d7',
  'editorWarning-foreground': '#cca700',
  'scrollbarSlider-background': 'rgba(121, 121, 121, 0.4)',
};

const light = {
  ...dark,
  foreground: '#3b3b3b',
  descriptionForeground: '#3b3b3b',
  focusBorder: '#005fb8',
  'editor-background': '#ffffff',
  'editor-foreground': '#3b3b3b',
  'panel-border': '#e5e5e5',
  'sideBar-background': '#f8f8f8',
  'editorWidget-background': '#f8f8f8',
  'editorWidget-border': '#c8c8c8',
  'editorHoverWidget-background': '#f8f8f8',
  'editorHoverWidget-foreground': '#3b3b3b',
  'editorHoverWidget-border': '#c8c8c8',
  'list-hoverBackground': '#f2f2f2',
  'list-activeSelectionBackground': '#e8e8e8',
  'list-activeSelectionForeground': '#000000',
  'input-background': '#ffffff',
  'input-foreground': '#3b3b3b',
  'input-border': '#cecece',
  'input-placeholderForeground': '#767676',
  'dropdown-background': '#ffffff',
  'dropdown-foreground': '#3b3b3b',
  'dropdown-border': '#cecece',
  'dropdown-listBackground': '#ffffff',
  'settings-dropdownListBorder': '#cecece',
  'checkbox-background': '#f8f8f8',
  'checkbox-foreground': '#3b3b3b',
  'checkbox-border': '#cecece',
  'button-background': '#005fb8',
  'button-hoverBackground': '#0258a8',
  'button-secondaryBackground': '#e5e5e5',
  'button-secondaryForeground': '#3b3b3b',
  'textLink-foreground': '#005fb8',
  'toolbar-hoverBackground': 'rgba(184, 184, 184, 0.31)',
  'badge-background': '#cccccc',
  'badge-foreground': '#3b3b3b',
  'charts-blue': '#1a85ff',
  'charts-red': '#e51400',
  'charts-orange': '#d18616',
  'charts-yellow': '#bf8803',
  'charts-green': '#388a34',
  'charts-purple': '#652d90',
  'editorWarning-foreground': '#bf8803',
};

const highContrast = {
  ...dark,
  foreground: '#ffffff',
  descriptionForeground: 'rgba(255, 255, 255, 0.7)',
  focusBorder: '#f38518',
  contrastBorder: '#6fc3df',
  contrastActiveBorder: '#f38518',
  'editor-background': '#000000',
  'editor-foreground': '#ffffff',
  'panel-border': '#6fc3df',
  'sideBar-background': '#000000',
  'editorWidget-background': '#0c141f',
  'editorWidget-border': '#6fc3df',
  'editorHoverWidget-background': '#0c141f',
  'editorHoverWidget-foreground': '#ffffff',
  'editorHoverWidget-border': '#6fc3df',
  'input-background': '#000000',
  'input-foreground': '#ffffff',
  'input-border': '#6fc3df',
  'dropdown-background': '#000000',
  'dropdown-foreground': '#ffffff',
  'dropdown-border': '#6fc3df',
  'dropdown-listBackground': '#000000',
  'checkbox-background': '#000000',
  'checkbox-foreground': '#ffffff',
  'checkbox-border': '#6fc3df',
  'button-background': '#000000',
  'textLink-foreground': '#21a6ff',
  'badge-background': '#000000',
  'badge-foreground': '#ffffff',
};

const highContrastLight = {
  ...light,
  foreground: '#292929',
  descriptionForeground: 'rgba(41, 41, 41, 0.7)',
  focusBorder: '#006bbd',
  contrastBorder: '#0f4a85',
  contrastActiveBorder: '#006bbd',
  'editor-background': '#ffffff',
  'editor-foreground': '#292929',
  'panel-border': '#0f4a85',
  'sideBar-background': '#ffffff',
  'editorWidget-background': '#ffffff',
  'editorWidget-border': '#0f4a85',
  'input-border': '#0f4a85',
  'dropdown-border': '#0f4a85',
  'checkbox-border': '#0f4a85',
  'button-background': '#0f4a85',
  'textLink-foreground': '#0f4a85',
};

const kinds = {
  dark: 'vscode-dark',
  light: 'vscode-light',
  highContrast: 'vscode-high-contrast',
  highContrastLight: 'vscode-high-contrast-light',
} as const;
const themes = { dark, light, highContrast, highContrastLight };

/** As the page's palette reads them. */
export function themeColours(name: ThemeName): {
  isHighContrast: boolean;
  readonly value: (variable: string) => string;
} {
  const colours: Readonly<Record<string, string>> = themes[name];
  return {
    isHighContrast: kinds[name].includes('high-contrast'),
    value: (variable) => colours[variable] ?? '',
  };
}

/** Style of the root as VS Code writes it, and the kind on its body. */
export function themeStyle(name: ThemeName): [string, string] {
  const style = Object.entries(themes[name])
    .map(([variable, value]) => `--vscode-${variable}: ${value}`)
    .join(';');
  return [style, kinds[name]];
}
